"""One grade of one rater for one pair: what says it twice is joined, what says two things is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import SHOWN, InputError, did_you_mean
from assay.tables import Block

_WHO = ("dimension", "rater", "source", "rubric")
"""What tells two judgments of one pair apart, where a file says it."""


def distinct_judgments(block: Block, duplicates: str = "refuse") -> Block:
    """The judgments with each pair once for each rater.

    Args:
        block: rows with query_id, doc_id, grade and perhaps dimension, rater, source and rubric.
        duplicates: "refuse" refuses a pair that a rater judged twice with different grades, "keep-first" keeps the
            first of them. A pair that is repeated with the same grade is kept once either way, and counted in a fact.
    """
    if duplicates not in ("refuse", "keep-first"):
        near = did_you_mean(duplicates, ("refuse", "keep-first"))
        raise InputError(f"{duplicates!r} is not refuse or keep-first{near}", "--duplicates", "choose one of the two")
    who = [name for name in _WHO if name in block.columns]
    suspects = _suspects(block, ["query_id", "doc_id", *who])
    if not suspects:
        return block
    grades = _column(block, "grade")
    first: dict[tuple[Any, ...], int] = {}
    repeats: list[int] = []
    conflicts: list[int] = []
    keys = list(zip(*(_column(block, name) for name in ("query_id", "doc_id", *who)), strict=True))
    for row in suspects:
        at = first.setdefault(keys[row], row)
        if at != row:
            (repeats if grades[row] == grades[at] else conflicts).append(row)
    if conflicts and duplicates == "refuse":
        _refuse(block, conflicts, [first[keys[row]] for row in conflicts], grades, keys, "rater" in who)
    return _without(block, sorted((*repeats, *conflicts)), len(repeats), len(conflicts))


def _suspects(block: Block, key: list[str]) -> list[int]:
    """Rows whose key appears more than once, ascending."""
    if isinstance(block.frame, dict):
        keys = list(zip(*(block.frame[name] for name in key), strict=True))
        if len(set(keys)) == len(keys):
            return []
        count: dict[Any, int] = {}
        for one in keys:
            count[one] = count.get(one, 0) + 1
        return [row for row, one in enumerate(keys) if count[one] > 1]
    frame = block.polars()
    rows: list[int] = frame.select(key).is_duplicated().arg_true().to_list()
    return rows


def _column(block: Block, name: str) -> Sequence[Any]:
    if isinstance(block.frame, dict):
        column: Sequence[Any] = block.frame[name]
        return column
    return block.polars()[name].to_list()


def _refuse(
    block: Block,
    rows: list[int],
    firsts: list[int],
    grades: Sequence[Any],
    keys: Sequence[tuple[Any, ...]],
    named: bool,
) -> None:
    def say(row: int, first: int) -> str:
        query, doc = keys[row][:2]
        where = block.place(first)
        before, _, line = where.rpartition(":")
        there = f"line {line}" if before and line.isdigit() else where
        return f"document {doc} of query {query} is judged {grades[row]:g}, but {grades[first]:g} at {there}"

    said = [say(row, first) for row, first in zip(rows[:SHOWN], firsts[:SHOWN], strict=True)]
    remedy = "remove one of the two, or pass --duplicates keep-first"
    if not named:
        remedy += "; judgments of several raters need a column rater"
    raise InputError(
        said[0],
        block.place(rows[0]),
        remedy,
        more=[f"{block.place(row)}: {what}" for row, what in zip(rows[1:SHOWN], said[1:], strict=True)],
        count=len(rows),
    )


def _without(block: Block, drop: list[int], repeats: int, conflicts: int) -> Block:
    gone = set(drop)
    kept = [row for row in range(len(block)) if row not in gone]
    frame: Any
    if isinstance(block.frame, dict):
        frame = {name: [column[row] for row in kept] for name, column in block.frame.items()}
    else:
        frame = block.polars()[kept]
    facts = list(block.facts)
    if repeats:
        rows = "1 judgment is" if repeats == 1 else f"{repeats:,} judgments are"
        facts.append(f"{block.name}: {rows} repeated with the same grade and counted once")
    if conflicts:
        rows = "1 judgment was" if conflicts == 1 else f"{conflicts:,} judgments were"
        facts.append(f"{block.name}: {rows} dropped because an earlier one gives the pair another grade")
    return Block(frame, lambda row: block.place(kept[row]), block.name, tuple(facts))
