"""The table of a worked value: the list line by line, the best order beside it, the sums below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from assay.report.figures import bare, count
from assay.report.page import Cell, Column, Table, Value

if TYPE_CHECKING:
    from assay.measures.explain import Explanation, IdealLine, Line

LONG = 30
"""From so many lines on, unjudged documents that stand together share a line."""


def worked(result: Explanation, documents: bool = True) -> Table:
    """The list, the best order beside it, and the sums below a second rule.

    Args:
        result: the value worked out.
        documents: whether the documents are named; those of an example have no names worth reading.
    """
    lines = result.lines
    has = {name: documents and any(getattr(line, name) for line in lines) for name in ("doc_id", "title")}
    has_score = any(line.score is not None for line in lines)
    has_gain = any(line.gain is not None for line in lines) or bool(result.ideal)
    columns = [Column("rank", "right")]
    columns += [Column("document", is_name=True, mono=True)] if has["doc_id"] else []
    columns += [Column("title", is_prose=True)] if has["title"] else []  # asked for, so it stays the longest
    columns += [Column("score", "right", drop=3)] if has_score else []
    columns += [Column("grade", "right")]
    has_discount = has_gain and result.divided_by != "1"
    columns += [Column("gain", "right", drop=1 if has["title"] else 0)] if has_gain else []
    columns += [Column(result.divided_by, "right", drop=2 if has["title"] else 1)] if has_discount else []
    columns += [Column("adds", "right")]
    columns += [Column("ideal", "right"), Column("adds", "right")] if result.ideal else []
    columns += [] if result.ideal else [Column("sum", "right", drop=1)]
    rows = []
    for one, best in zip_longest(shortened(lines), result.ideal):
        rank, line = one if one is not None else ("", None)
        row: list[Cell] = [rank if line is not None else str(best.rank) if best is not None else ""]
        row += [line.doc_id if line else ""] if has["doc_id"] else []
        row += [line.title if line else ""] if has["title"] else []
        row += [Value(line.score) if line and line.score is not None else ""] if has_score else []
        row.append(grade(line))
        row += gains(line, best)[: has_gain + has_discount]
        row.append(Value(line.adds) if line else "")
        row += ideal(best) if result.ideal else [Value(line.running) if line else ""]
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), sums(result, columns), name="Worked out", tall=len(rows) > 60)


def shortened(lines: tuple[Line, ...]) -> Iterator[tuple[str, Line]]:
    """(ranks, line); in a long list unjudged documents that stand together and add nothing share a line."""
    held: list[Line] = []
    for line in (*lines, None):
        if line is not None and len(lines) > LONG and line.grade is None and not line.adds:
            held.append(line)
            continue
        if len(held) > 2:
            text = f"{count(len(held))} documents"
            yield f"{held[0].rank} to {held[-1].rank}", replace(held[0], doc_id=text, title="", score=None)
        else:
            yield from ((str(one.rank), one) for one in held)
        held = []
        if line is not None:
            yield str(line.rank), line


def grade(line: Line | None) -> str:
    """The grade as it was given, or `unjudged`."""
    if line is None:
        return ""
    return "unjudged" if line.grade is None else bare(line.grade)


def gains(line: Line | None, best: IdealLine | None) -> list[Cell]:
    """Gain and what it is divided by; a rank that returned nothing shows only the latter."""
    if line is None:
        return ["", Value(1 / best.discount) if best is not None and best.discount else ""]
    if line.place is None or line.gain is None:
        return ["", "taken out" if line.place is None else ""]
    return [whole(line.gain), Value(1 / line.discount) if line.discount else "not counted"]


def ideal(best: IdealLine | None) -> list[Cell]:
    """Gain and contribution at this rank of the best order."""
    return ["", ""] if best is None else [whole(best.gain), Value(best.adds)]


def whole(x: float) -> Value:
    """A gain: without decimals where it has none."""
    return Value(x, 0 if float(x).is_integer() else 4)


def sums(result: Explanation, columns: list[Column]) -> tuple[tuple[Cell, ...], ...]:
    """What the lines and the best order add up to."""
    if result.total is None or result.divisor is None:
        return ()
    row: list[Cell] = [""] * len(columns)
    heads = [column.head for column in columns]
    row[0] = "sum"
    row[heads.index("adds")] = Value(result.total)
    if result.ideal:
        row[-1] = Value(result.divisor)
    return (tuple(row),)
