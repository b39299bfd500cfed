"""Judgments of several raters as a table has them: a row a rating, or a row a pair and a column a rater."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, did_you_mean
from assay.flows.pair_tables import first_line, names_of
from assay.judgments.roles import ADJUDICATOR, has_adjudicators
from assay.judgments.rows import picked
from assay.label_maps import as_number
from assay.results import Note
from assay.tables import Block, Judgment, RatedPair
from assay.tables.names import folded, listed, match

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench

SUMMARIES = frozenset({
    "final", "final_grade", "final_rating", "final_label", "consensus", "agreed", "adjudicated", "adjudication", "gold",
    "truth", "ground_truth", "mean", "average", "avg", "median", "majority", "mode", "sum", "total", "count", "n",
})  # fmt: skip
"""Columns that may hold what became of the raters' grades: whether one is a rater is asked, never guessed."""

OPTION = "--raters"


def ratings(
    bench: Workbench, x: Any, *, raters: Sequence[str] | None = None, format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[Block, tuple[Note, ...]]:  # fmt: skip
    """Rows of `Judgment`, whichever of the two kinds the table is, and what was made of its columns.

    Its names tell: a table with a column of grades has a row a rating. One without has a row a pair, and every further
    column is a rater; an empty cell there is no rating.

    Args:
        bench: where inputs are found.
        x: what was passed.
        raters: whose grades count; everybody's when None.
        format: of the file; recognised from content when None.
        columns: name of the column that holds each field.

    Raises:
        InputError: it cannot be told which columns are raters, a cell holds no grade, or a rater is not there.
    """
    own = None if isinstance(x, Block) else _header(bench, x, format)
    wide = None if own is None else _columns(own, raters, columns or {}, _place(bench, x))
    if wide is None:
        block = bench.table(x, Judgment, format=format, columns=columns, name="qrels")
        return (block if raters is None else of_raters(block, raters)), ()
    chosen = {name: column for name, column in (columns or {}).items() if name in ("query_id", "doc_id")}
    block = bench.table(x, RatedPair, format=format, columns=chosen or None, name="qrels")
    note = Note("raters-in-columns", f"read each of the columns {listed(wide, 20)} as a rater", count=len(wide))
    return _rows(bench, block, wide), (note,)


def of_raters(block: Block, raters: Sequence[str]) -> Block:
    """The rows of some raters, and those of adjudicators, who are none.

    Raises:
        InputError: the rows name no raters, or one of these is not among them, or they are fewer than two.
    """
    _are_several(raters)
    if "rater" not in block.columns:
        raise InputError(
            "the judgments name no raters", block.name,
            f"leave {OPTION} out, or name the column of raters by --columns rater=COLUMN",
        )  # fmt: skip
    frame: Any = block.frame
    known = sorted({str(who) for who in (frame["rater"] if block.is_small else frame["rater"].unique()) if who})
    for who in raters:
        if who not in known:
            raise InputError(
                f"no rater {who}{did_you_mean(who, known)}", block.name, f"name some of {listed(known, 20)}"
            )
    if isinstance(frame, dict):
        roles = frame["role"] if has_adjudicators(block) else [None] * len(block)
        both = zip(frame["rater"], roles, strict=True)
        return picked(block, [at for at, (who, role) in enumerate(both) if who in raters or role == ADJUDICATOR])
    mask = frame["rater"].is_in(list(raters)).fill_null(value=False)
    return picked(block, mask | frame["role"].eq_missing(ADJUDICATOR) if has_adjudicators(block) else mask)


def _are_several(raters: Sequence[str]) -> None:
    if len(set(raters)) < 2:
        raise InputError("agreement takes two raters at least", OPTION, f"write {OPTION} ANA,BO")


def _header(bench: Workbench, x: Any, format: str | None) -> list[str] | None:
    """The names of the columns; None where there are none, or only one can be told."""
    if format not in (None, "csv", "tsv", "jsonl", "parquet", "arrow"):
        return None
    source = bench.source(x)
    if source is None:
        if isinstance(x, Mapping) and any(isinstance(cells, Mapping) for cells in x.values()):
            return None  # {query: {document: grade}}
        return [str(name) for name in names_of(x)]
    line = first_line(source)
    if not isinstance(line, str):
        return line
    if line.startswith("{"):
        try:
            return [str(name) for name in json.loads(line)]
        except ValueError:
            return None
    from assay.formats.delimited import shapes

    try:
        found = shapes(line, RatedPair, None, ",;|\t")
        return next(csv.reader([line], delimiter=found[0].separator)) if len(found) == 1 else None
    except (InputError, csv.Error):
        return None  # the reader says what is wrong with it


def _columns(
    names: Sequence[str], raters: Sequence[str] | None, chosen: Mapping[str, str], where: str
) -> list[str] | None:
    """The columns that are raters; None where a row is a rating."""
    if "grade" in chosen or "rater" in chosen:
        return None
    try:
        pair, fields = match(names, RatedPair, "", dict(chosen)), match(names, Judgment, "", dict(chosen)).fields
    except InputError:
        return None
    if pair.missing:
        return None
    rest = [names[at] for at in pair.rest if names[at].strip()]
    if "grade" in fields and ("rater" in fields or raters is None or not set(raters) <= set(rest)):
        return None
    if "rater" in fields:
        name = names[fields["rater"]]
        raise InputError(
            f"column {name} may name the rater of a row or be the grades of one, and no column is called grade", where,
            f"say which column holds the grades by --columns grade=COLUMN, or give the column {name} another name",
        )  # fmt: skip
    if raters is not None:
        _are_several(raters)
        for who in raters:
            if who not in rest:
                raise InputError(f"no column {who}{did_you_mean(who, rest)}", where, f"name some of {listed(rest, 20)}")
        found = list(dict.fromkeys(raters))
    else:
        found = [name for name in rest if folded(name) not in {folded(field) for field in fields}]
    if len(found) < 2:
        raise InputError(
            f"{listed(found) or 'nothing'} is all that raters can be read from", where,
            "pass a row a rating with columns rater and grade, or a column a rater for two raters or more",
        )  # fmt: skip
    odd = [name for name in found if folded(name) in SUMMARIES] if raters is None else []
    if odd:
        others = ",".join(name for name in found if name not in odd)
        raise InputError(
            f"column {odd[0]} may be a rater or what the raters came to",
            where,
            f"say who the raters are: {OPTION} {others}",
        )
    return found


def _rows(bench: Workbench, block: Block, raters: Sequence[str]) -> Block:
    """A rating a row, in the order of the table; each knows the row and the column of its cell."""
    labels, frame = bench.label_map(), block.frame
    cells: Any = frame if block.is_small else {name: block.polars()[name].to_list() for name in block.columns}
    rows: dict[str, list[Any]] = {"query_id": [], "doc_id": [], "rater": [], "grade": []}
    places: list[tuple[int, str]] = []
    for at, (query, doc, *said) in enumerate(
        zip(*(cells[name] for name in ("query_id", "doc_id", *raters)), strict=True)
    ):
        for who, cell in zip(raters, said, strict=True):
            text = "" if cell is None else str(cell).strip()
            if not text:
                continue
            where = f"{block.place(at)}, column {who}"
            grade = as_number(text) if labels is None else labels.grade(text, where)
            if grade is None:
                raise InputError(
                    f"{text[:40]!r} is no grade", where,
                    f"name the columns of raters by {OPTION}, or say what words are worth: --labels '{{good:1,bad:0}}'",
                )  # fmt: skip
            for column, value in zip(rows, (query, doc, who, grade), strict=True):
                rows[column].append(value)
            places.append((at, who))
    if not places:
        raise InputError("the columns of raters hold no grade", block.name, "pass a table with grades in them")

    def place(row: int) -> str:
        at, who = places[row]
        return f"{block.place(at)}, column {who}"

    made = Block(rows, place, block.name, block.facts)
    return made if block.is_small else Block(made.polars(), place, block.name, block.facts)


def _place(bench: Workbench, x: Any) -> str:
    source = bench.source(x)
    return "qrels" if source is None else f"{source}:1"


def listed_raters(text: str | Iterable[str] | None) -> list[str] | None:
    """`ana,bo` as names."""
    if text is None:
        return None
    return [part.strip() for part in text.split(",") if part.strip()] if isinstance(text, str) else list(text)
