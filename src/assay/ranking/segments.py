"""Which queries are looked at apart: by a column of the topics, by traffic (head, torso, tail), or one right answer."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, Protocol

import numpy as np

from assay.errors import SHOWN, InputError, did_you_mean
from assay.ranking.ranking import F64, Judged
from assay.tables import Block

SEGMENT = "segment"
KNOWN_ITEM = "known-item"
ONE_RELEVANT = "one-relevant"


class Rules(Protocol):
    """How segments are told.

    Attributes:
        column: the column that holds the segment; where the topics lack it, traffic tells head, torso and tail.
        head: the most frequent queries that make up this share of the traffic are "head".
        torso: those up to this share are "torso", the others "tail".
        known_item: "COLUMN=VALUE" (VALUE may hold `*` and `?`), "one-relevant", or empty for none.
    """

    @property
    def column(self) -> str: ...  # noqa: D102 # said above
    @property
    def head(self) -> float: ...  # noqa: D102
    @property
    def torso(self) -> float: ...  # noqa: D102
    @property
    def known_item(self) -> str: ...  # noqa: D102


def segments(topics: Block, name: str, rules: Rules, judged: Judged | None = None) -> dict[str, list[str]]:
    """The parts of the queries by one column, or by the rules when it is "segment".

    Args:
        topics: columns query_id, weight when known, and any others.
        name: the column; "segment" stands for `rules.column`, or for head, torso and tail where the topics have no
            such column, and for known-item queries beside them.
        rules: see `Rules`.
        judged: the judgments, for known-item queries by "one-relevant".

    Returns:
        Part to its query ids. Parts stand in the order in which the topics name them; queries without a value are in
        a part of their own, the last. Known-item queries are in their segment too.
    """
    ids = query_ids(topics)
    column = rules.column if name == SEGMENT else name
    if column in topics.columns:
        parts = _by_column(ids, _texts(topics, column), column)
    elif name == SEGMENT and "weight" in topics.columns:
        parts = by_traffic(ids, _weights(topics), rules.head, rules.torso)
    else:
        others = [known for known in topics.columns if known not in ("query_id", "text", "weight")]
        raise InputError(
            f"the topics have no column {column}{did_you_mean(column, others)}",
            topics.name,
            f"the columns to go by are {', '.join(others)}" if others else "add a column that names the segment",
        )
    if name == SEGMENT and rules.known_item:
        found = _known_items(topics, ids, rules.known_item, judged)
        if found:
            parts[KNOWN_ITEM] = list(dict.fromkeys([*parts.get(KNOWN_ITEM, []), *found]))
    return parts


def tells_segments(topics: Block, rules: Rules) -> bool:
    """Whether the topics tell the segment of a query: by the column of the rules, or by traffic."""
    return rules.column in topics.columns or (
        "weight" in topics.columns and any(weight is not None and weight > 0 for weight in topics.frame["weight"])
    )


def by_traffic(ids: Sequence[str], weights: F64, head: float, torso: float) -> dict[str, list[str]]:
    """Head, torso and tail: the most frequent queries that make up each share of the traffic.

    A query belongs to the part in which its traffic begins, so the most frequent one is always in the head; equal
    traffic is settled by id. Queries without a weight are in none.
    """
    known = [(-float(weight), name) for name, weight in zip(ids, weights, strict=True) if weight == weight]
    total = -sum(weight for weight, _ in known)
    if not total > 0:
        raise InputError("no query has a weight above 0", remedy="give the traffic of each query in the column weight")
    parts: dict[str, list[str]] = {"head": [], "torso": [], "tail": []}
    before = 0.0
    for weight, name in sorted(known):
        share = before / total
        part = "head" if share < head - 1e-12 else "torso" if share < torso - 1e-12 else "tail"
        parts[part].append(name)
        before -= weight
    return {part: names for part, names in parts.items() if names}


def weights(topics: Block, queries: Sequence[str]) -> F64 | None:
    """The traffic of each query, float64 of shape (queries,): NaN where the topics do not say it; None when nowhere."""
    ids = query_ids(topics)
    if "weight" not in topics.columns:
        return None
    known = dict(zip(ids, _weights(topics).tolist(), strict=True))
    found = np.array([known.get(query, np.nan) for query in queries], dtype=np.float64)
    return None if np.isnan(found).all() else found


def query_ids(topics: Block) -> list[str]:
    """The ids of the topics; one that comes twice is refused."""
    ids: list[str] = list(topics.frame["query_id"])
    if len(set(ids)) < len(ids):
        seen: dict[str, int] = {}
        twice = [(row, seen[name]) for row, name in enumerate(ids) if seen.setdefault(name, row) != row]
        said = [f"query {ids[row]} was already at {topics.place(first)}" for row, first in twice[:SHOWN]]
        raise InputError(
            said[0],
            topics.place(twice[0][0]),
            "keep one line a query",
            more=[f"{topics.place(row)}: {text}" for (row, _), text in zip(twice[1:SHOWN], said[1:], strict=True)],
            count=len(twice),
        )
    return ids


def _by_column(ids: list[str], values: list[str | None], column: str) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    rest = []
    for name, value in zip(ids, values, strict=True):
        if value:
            parts.setdefault(value, []).append(name)
        else:
            rest.append(name)
    return {**parts, f"(no {column})": rest} if rest else parts


def _known_items(topics: Block, ids: list[str], rule: str, judged: Judged | None) -> list[str]:
    if rule == ONE_RELEVANT:
        if judged is None:
            raise InputError("known-item queries by one-relevant need judgments", remedy="pass the judgments")
        single = {judged.queries[code] for code in np.flatnonzero(judged.relevant() == 1).tolist()}
        return [name for name in ids if name in single]
    column, equals, pattern = rule.partition("=")
    if not equals or column not in topics.columns:
        raise InputError(
            f"known-item queries are told by {rule!r}, and the topics have no column {column}"
            f"{did_you_mean(column, topics.columns)}",
            topics.name,
            "write COLUMN=VALUE with a column of the topics, such as intent=known-item",
        )
    return [name for name, x in zip(ids, _texts(topics, column), strict=True) if x and fnmatchcase(x, pattern)]


def _texts(topics: Block, column: str) -> list[str | None]:
    return [None if value is None else _text(value) for value in topics.frame[column]]


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _weights(topics: Block) -> F64:
    values = [np.nan if value is None else value for value in topics.frame["weight"]]
    return np.array(values, dtype=np.float64)
