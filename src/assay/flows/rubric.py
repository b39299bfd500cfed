"""`assay rubric`: writes, reads and checks the file that says what the grades mean."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.formats.nested import number
from assay.results import Result, kept
from assay.rubric import Cap, Dimension, Grade, Rubric
from assay.tables import formulas

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench
    from assay.judgments.graded import Graded

kept("rubric-grade")(Grade)
kept("rubric-dimension")(Dimension)
kept("rubric-cap")(Cap)
kept("rubric-text")(Rubric)  # the words stand below what is kept


@kept("rubric")
@dataclass(frozen=True, kw_only=True)
class ShownRubric(Result):
    """A rubric that was read.

    Args:
        rubric: what it says.
        path: of the file.
    """

    rubric: Rubric
    path: str


def read_rubric(path: str | os.PathLike[str]) -> Rubric:
    """The rubric of a file.

    Raises:
        InputError: it cannot be read, or something in it is wrong, with the line.
    """
    from assay.files import name_of

    return Rubric.parse(text_of(path), name_of(path))


def text_of(path: str | os.PathLike[str]) -> str:
    """The text of a rubric's file.

    Raises:
        InputError: it cannot be read as UTF-8.
    """
    from assay.files import name_of, read_bytes

    name = name_of(path)
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8", f"{name}:{line}", "save it as UTF-8") from None


def show_rubric(path: str | os.PathLike[str]) -> ShownRubric:
    """The rubric of a file, to be shown."""
    return ShownRubric(rubric=read_rubric(path), path=os.fspath(path))


def init(path: str | os.PathLike[str] = "rubric.md", plain: bool = False) -> Path:
    """Writes the usual rubric; a file that exists is left alone.

    Args:
        path: of the file.
        plain: without dimensions, so that a rater gives the grade by one key.

    Raises:
        InputError: the file exists.
    """
    from assay.files import replacing
    from assay.flows.rubric_template import PLAIN, RUBRIC

    target = Path(path)
    if target.exists():
        raise InputError("exists already", str(target), "name another file, or change that one")
    with replacing(target) as file:
        file.write((PLAIN if plain else RUBRIC).encode("utf-8"))
    return target


def apply(
    qrels: Any, rubric: str | os.PathLike[str] | Rubric, *, format: str | None = None,
    columns: Mapping[str, str] | None = None, bench: Workbench | None = None, command: str = "",
) -> Graded:  # fmt: skip
    """Works out the grade of judgments whose dimensions stand apart.

    Args:
        qrels: judgments with a column dimension: one row a rater, pair and dimension.
        rubric: the file that says how the grade follows, or what was read from it.
        format: of the judgments; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found.
        command: how the result was asked for.
    """
    from assay.flows.choices import chosen
    from assay.flows.evaluate import source_of
    from assay.flows.workbench import Workbench
    from assay.judgments.graded import graded
    from assay.tables import Judgment

    bench = Workbench.open() if bench is None else bench
    rules = rubric if isinstance(rubric, Rubric) else read_rubric(rubric)
    if not isinstance(rubric, Rubric):
        bench.note(os.fspath(rubric))
    found = graded(bench.table(qrels, Judgment, format=format, columns=columns, name="judgments"), rules)
    source = source_of(bench, chosen(bench.workspace, {}), command)
    return replace(found, source=replace(source, conventions=()))


def as_csv(found: Graded) -> bytes:
    """The judgments as a table: one row a dimension, and one of relevance."""
    rows = ([*row[:4], number(row[4]), found.version] for row in found.rows)
    return formulas.as_csv(("query_id", "doc_id", "rater", "dimension", "grade", "rubric"), rows)
