"""Every format that `assay formats` lists is written by `export`, read by `convert`, and written by `convert`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from assay.formats.carried import OUTSIDE
from assay.formats.recognise import ALL
from assay.tables import Judgment
from cli.typed import Shell

import assay.formats.outside  # noqa: F401 # registers the formats  # isort: skip

OPTIONS = {
    "rank-eval": ("index=shop",), "rank-eval-answer": ("index=shop",), "ubi-judgments": ("type=explicit",),
    "esci": ("locale=us",),
}  # fmt: skip
"""What a format has to be told on writing."""
LABELS = {"esci": ("--labels", "esci")}
COLUMNS = {"trec-diversity": "subtopic", "trec-prels": "inclusion"}
"""What judgments need beyond a grade: here always 1."""
LESS = {"rank-eval-answer", "trec-prefs", "deepeval", "ragas", "rag-jsonl"}
"""Formats that hold the grades of returned documents, or that somebody preferred one, and not every grade."""


def grades(path: Path) -> list[float]:
    with path.open(encoding="utf-8", newline="") as file:
        return sorted(float(row["grade"]) for row in csv.DictReader(file))


@pytest.fixture
def qrels(assay: Shell) -> Path:
    assert assay("convert", "judgments.qrels", "qrels.csv").code == 0
    return assay.folder / "qrels.csv"


def with_column(path: Path, name: str) -> None:
    first, *rest = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([f"{first},{name}", *(f"{line},1" for line in rest)]) + "\n", encoding="utf-8")


@pytest.mark.parametrize("format", OUTSIDE.names())
def test_export_writes_it_and_convert_reads_and_writes_it(format: str, assay: Shell, qrels: Path) -> None:
    expected = grades(qrels)
    if format in COLUMNS:
        with_column(qrels, COLUMNS[format])
    options = [word for option in OPTIONS.get(format, ()) for word in ("--option", option)]
    said = assay("export", "out", "--to", format, "--qrels", "qrels.csv", "--topics", "topics.csv", "--run", "bm25.run",
                 *options)  # fmt: skip
    assert (said.code, said.err) == (0, "")
    said = assay("convert", "out", "back.csv", "--from", format, *LABELS.get(format, ()), "--format", "json")
    assert said.code == 0, said.err
    assert sum(one["rows"] for one in json.loads(said.out)["moved"]) > 0
    if Judgment in OUTSIDE.find(format).holds and format not in LESS:
        assert grades(assay.folder / "back.csv") == expected
    said = assay("convert", "out", "again", "--from", format, "--to", format, *LABELS.get(format, ()), *options)
    assert (said.code, said.err) == (0, "")


def test_formats_lists_every_format_as_read_and_written(assay: Shell) -> None:
    listed = {one["name"]: one["is_written"] for one in json.loads(assay("formats", "--format", "json").out)["formats"]}
    assert listed == dict.fromkeys([*ALL, *OUTSIDE.names()], True)
    for name in OUTSIDE.names():
        assert ": read and written." in assay("formats", name).out
