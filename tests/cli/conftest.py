from __future__ import annotations

from pathlib import Path

import pytest

from cli.typed import Shell, copy_example


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Types `assay ...` in a folder with the files of the example."""
    copy_example(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "COLUMNS", "LC_ALL", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    return Shell(tmp_path, capsys)
