from __future__ import annotations

from pathlib import Path

import pytest

from assay import example
from assay.errors import InputError
from assay.flows.demo import copy_files


def test_the_files_are_copied_byte_for_byte(tmp_path: Path) -> None:
    written = copy_files(tmp_path / "new" / "folder")
    assert [file.name for file in written] == list(example.FILES)
    for file in written:
        assert file.read_bytes() == example.path(file.name).read_bytes()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "dense.run").write_text("mine")
    with pytest.raises(InputError, match=r"dense\.run is there already"):
        copy_files(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["dense.run"]
    assert (tmp_path / "dense.run").read_text() == "mine"


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("")
    with pytest.raises(InputError, match="here is not a folder"):
        copy_files(tmp_path / "here")
