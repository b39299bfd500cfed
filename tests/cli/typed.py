"""A command line typed in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli.main import run
from assay.example import FILES, path


@dataclass
class Said:
    """What came back."""

    code: int
    out: str
    err: str


@dataclass
class Shell:
    """Runs lines in this process, in a folder with the files of the example."""

    folder: Path
    capture: pytest.CaptureFixture[str]

    def __call__(self, *words: str) -> Said:
        self.capture.readouterr()
        code = run(list(words))
        out, err = self.capture.readouterr()
        return Said(code, out, err)


def copy_example(folder: Path) -> None:
    """The files of the example."""
    for name in FILES:
        (folder / name).write_bytes(path(name).read_bytes())


def start(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    """A process of its own."""
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=False,
        **more,  # type: ignore[call-overload, no-any-return]
    )
