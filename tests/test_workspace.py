from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.workspace import SECTIONS, Workspace


def write(folder: Path, text: str | bytes = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "assay.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def find(start: Path, **environment: str) -> Workspace:
    workspace = Workspace.find(start, environment)
    assert workspace is not None
    return workspace


def test_the_nearest_folder_upward_with_the_file_is_the_workspace(tmp_path: Path) -> None:
    write(tmp_path)
    inner = write(tmp_path / "a")
    deep = inner / "b" / "c"
    deep.mkdir(parents=True)
    assert find(deep).root == inner
    assert find(tmp_path).root == tmp_path


def test_without_the_file_there_is_no_workspace(tmp_path: Path) -> None:
    assert Workspace.find(tmp_path, {}) is None


def test_a_folder_of_that_name_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").mkdir()
    assert Workspace.find(tmp_path, {}) is None


def test_the_search_begins_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    (tmp_path / "runs").mkdir()
    monkeypatch.chdir(tmp_path / "runs")
    workspace = Workspace.find()
    assert workspace is not None
    assert workspace.root == tmp_path
    assert workspace.settings.name == os.path.join("..", "assay.toml"), "as the user would write it from here"


def test_the_folders_and_files_are_relative_to_the_workspace(tmp_path: Path) -> None:
    workspace = find(write(tmp_path, '[paths]\nruns = "out/runs"\nqrels = "judged.qrels"\n'))
    assert workspace.folder("runs") == tmp_path / "out" / "runs"
    assert workspace.folder("results") == tmp_path / "results"
    assert workspace.folder("cells") == tmp_path / "cells"
    assert workspace.file("qrels") == tmp_path / "judged.qrels"
    assert workspace.file("topics") is None


def test_an_absolute_path_and_a_home_stay_what_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    workspace = find(write(tmp_path / "w", f"[paths]\nruns = '{tmp_path / 'x'}'\nqrels = '~/q.qrels'\n"))
    assert workspace.folder("runs") == tmp_path / "x"
    assert workspace.file("qrels") == tmp_path / "home" / "q.qrels"


def test_a_variable_moves_a_folder(tmp_path: Path) -> None:
    workspace = find(write(tmp_path, '[paths]\nruns = "a"\n'), ASSAY_PATHS_RUNS="b")
    assert workspace.folder("runs") == tmp_path / "b"


def test_the_store_is_a_file_in_the_workspace_unless_a_url_is_given(tmp_path: Path) -> None:
    assert find(write(tmp_path)).store_url == f"sqlite:///{tmp_path.as_posix()}/.assay/store.db"
    write(tmp_path, '[store]\nurl = "postgresql://localhost/a"\n')
    assert find(tmp_path).store_url == "postgresql://localhost/a"
    assert find(tmp_path, ASSAY_STORE_URL="postgresql://u:pw@h/b").store_url == "postgresql://u:pw@h/b"


def test_an_unknown_section_is_refused_where_it_stands(tmp_path: Path) -> None:
    write(tmp_path, "[measures]\n\n[path]\n")
    with pytest.raises(InputError) as caught:
        Workspace.find(tmp_path, {})
    assert caught.value.where.endswith("assay.toml:3")
    assert caught.value.what == "unknown section [path]; did you mean paths?"


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    assert find(write(tmp_path, b"\xef\xbb\xbf[paths]\nruns = 'x'\n")).folder("runs").name == "x"


def test_a_file_that_is_not_utf_8_is_refused_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, b"[paths]\nruns = 'l\xe4ufe'\n")
    with pytest.raises(InputError) as caught:
        Workspace.find(tmp_path, {})
    assert caught.value.where.endswith("assay.toml:2")
    assert caught.value.what == "is not UTF-8"


def test_every_section_says_what_it_is_for() -> None:
    assert all(SECTIONS.values())
