"""Broken files: at least ten of each format, each refused with the place and with what mends it, word for word."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from formats.outside.harness import Broken, refused

FILES = sorted((Path(__file__).parent / "broken").glob("*.toml"))
FEWEST = 10


def cases() -> list[Any]:
    found = []
    for file in FILES:
        held = tomllib.loads(file.read_text("utf-8"))
        for case in held["case"]:
            content = bytes.fromhex(case["hex"]) if "hex" in case else case["content"] * case.get("repeat", 1)
            broken = Broken(case["shows"], content, case["error"], case.get("labels", ""), case.get("options", {}))
            found.append(pytest.param(held["format"], broken, id=f"{held['format']}: {case['shows']}"))
    return found


@pytest.mark.parametrize(("format", "broken"), cases())
def test_a_broken_file_is_refused_with_its_place_and_what_mends_it(
    format: str, broken: Broken, tmp_path: Path
) -> None:  # fmt: skip
    refused(format, broken, tmp_path)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_format_has_ten_broken_files(file: Path) -> None:
    assert len(tomllib.loads(file.read_text("utf-8"))["case"]) >= FEWEST
