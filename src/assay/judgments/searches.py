"""What the rows of a query log are: a search each, or documents that a search showed, several rows a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import InputError
from assay.tables import Block

OUTCOMES = ("zero-results", "no-click", "escalated")
"""How a search may have failed."""

COLUMNS = dict(zip(OUTCOMES, ("results", "clicks", "escalated"), strict=True))
"""The column that tells each."""

YES = {"yes": True, "true": True, "1": True, "1.0": True, "no": False, "false": False, "0": False, "0.0": False}

SHOWN = ("doc_id", "position")
"""Columns of rows that are one document each."""


@dataclass(slots=True)
class Search:
    """One search, or one row that sums up many.

    Args:
        row: its first row in the log, from 0.
        text: what was asked.
        count: how often; None is once.
        at: when, by its first row.
        ends: what tells each outcome that the log can tell, in their order.
    """

    row: int
    text: Any
    count: Any
    at: Any
    ends: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Searches:
    """The searches of a log.

    Args:
        told: the outcomes that the log can tell.
        each: the searches; one pass.
        unnamed: rows that name no search where others do: they are not among them.
    """

    told: tuple[str, ...]
    each: Iterator[Search]
    unnamed: int = 0


def searches(log: Block) -> Searches:
    """The searches of a query log.

    Rows with a search id are one search where id and text are the same: asked when its first row says, with the most
    results that any of them names, all their clicks, and escalated where one of them is.

    Args:
        log: rows of `LoggedQuery`.

    Raises:
        InputError: rows are shown documents, and nothing says which are of one search.
    """
    told = [name for name in OUTCOMES if COLUMNS[name] in log.columns]
    if "search_id" in log.columns:
        return _by_id(log, told)
    shown = [name for name in SHOWN if name in log.columns]
    if shown and "count" not in log.columns:
        raise InputError(
            f"has a {' and a '.join(shown)} in each row, and no column says which rows are of one search",
            log.name, "name its column by --columns search_id=COLUMN, or pass a table with one row a search",
        )  # fmt: skip
    return Searches(tuple(told), (Search(row, *cells) for row, cells in enumerate(_cells(log, told))))


def _by_id(log: Block, told: list[str]) -> Searches:
    if "doc_id" in log.columns and "zero-results" not in told:
        docs = _column(log, "doc_id")
        if any(_is_empty(doc) for doc in docs):  # a log that lists no search without documents cannot tell of them
            told = ["zero-results", *told]
    found: dict[tuple[str, Any], Search] = {}
    unnamed = 0
    for row, (name, (text, count, at, ends)) in enumerate(
        zip(_column(log, "search_id"), _cells(log, told), strict=True)
    ):
        if _is_empty(name):
            unnamed += 1
            continue
        known = found.get((str(name), text))
        if known is None:
            found[str(name), text] = Search(row, text, count, at, list(ends))
        else:
            known.ends = [_joined(outcome, *both) for outcome, *both in zip(told, known.ends, ends, strict=True)]
    return Searches(tuple(told), iter(found.values()), unnamed)


def _joined(outcome: str, one: Any, other: Any) -> Any:
    """What two rows of one search say together of how it ended."""
    if one is None or other is None:
        return other if one is None else one
    if outcome == "escalated":  # an answer that is neither is kept, too: it will be refused
        return one if YES.get(str(one).strip().casefold(), True) else other
    return max(float(one), float(other)) if outcome == "zero-results" else float(one) + float(other)


def _cells(log: Block, told: Sequence[str]) -> Iterator[tuple[Any, Any, Any, tuple[Any, ...]]]:
    ends = [_end(log, name) for name in told]
    each: Any = zip(*ends, strict=True) if told else ((),) * len(log)
    return zip(_column(log, "text"), _column(log, "count"), _column(log, "asked_at"), each, strict=True)


def _end(log: Block, outcome: str) -> Any:
    column = COLUMNS[outcome]
    if column in log.columns:
        return _column(log, column)
    return [0.0 if _is_empty(doc) else 1.0 for doc in _column(log, "doc_id")]  # whether the row shows anything


def _column(log: Block, name: str) -> Any:
    if name not in log.columns:
        return [None] * len(log)
    frame: Any = log.frame
    return frame[name] if log.is_small else frame[name].to_list()


def _is_empty(value: Any) -> bool:
    return value is None or not str(value).strip()
