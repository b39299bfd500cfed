"""What a run shows that nobody judged: the documents without judgment at its first ranks, beside its ranking.

A ranking holds judged hits alone. Here every row is given a place by the same rules, once, so that the unjudged rows
come out with their ranks and the judged ones are the ranking itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.ranking.align import _answered, _narrow, _organic, _side, align, sort_key
from assay.ranking.conventions import Conventions
from assay.ranking.order import place
from assay.ranking.pieces import ROWS, ByQuery
from assay.ranking.ranking import I64, Bool, Judged, Ranking
from assay.tables import Block


@dataclass(frozen=True, eq=False)
class Shown:
    """A ranking and the unjudged documents at its first ranks, by query and rank.

    Args:
        ranking: the judged hits of the whole run.
        query: code of the query of each unjudged document, ascending.
        rank: its rank.
        first, last: the ranks that its group of equal scores spans, when ties are averaged; None otherwise.
        docs: its id.
        depth: how far down the run they were looked for; None is all of it.
    """

    ranking: Ranking
    query: I64
    rank: I64
    first: I64 | None
    last: I64 | None
    docs: list[str]
    depth: int | None


def shown(block: Block, judged: Judged, conventions: Conventions, depth: int | None = None) -> Shown:
    """The ranking of one block of a run, with its unjudged documents at ranks 1..depth.

    Args:
        block: rows of a run, each query's rows in it whole.
        judged: the judgments.
        conventions: as for `align`.
        depth: how far down unjudged documents are looked for; None looks at all.

    Raises:
        InputError: as `align`.
    """
    side, key = _side(block), sort_key(block, conventions)
    keep, _, gone = _organic(block, conventions)
    joined = side.join(block, judged, key, False, keep)
    rows = np.arange(len(block)) if keep is None else keep
    if joined.repeated:
        if conventions.duplicates == "refuse":
            align(block, judged, conventions)  # says where, and refuses
        rows = rows[~np.isin(rows, [row for row, _ in joined.repeated])]
    if joined.scattered:
        rows = rows[_together(block, rows)]
    if joined.repeated or joined.scattered:
        joined = side.join(block, judged, key, False, rows)
    given = _narrow(joined.rows) if conventions.scores == "32-bit" and key == "score" else joined.rows
    every = len(given.value)
    # Judging every row, the unknown ones below all others, lets `place` settle them by its own rules.
    grade = np.full(every, judged.grade.min(initial=0.0) - 1.0)
    grade[given.hit] = judged.grade[given.judgment]
    as_known = replace(judged, query=np.zeros(every, np.int64), grade=grade, docs=[], _cache={})
    code = np.repeat(given.codes, given.lengths)
    looked = np.flatnonzero(code < judged.n)  # `place` moves hits in their own array
    placed = place(replace(given, hit=looked, judgment=looked.copy()), as_known, conventions.ties).ranking
    judgment = np.full(every, -1, np.int64)
    judgment[given.hit] = given.judgment
    met = judgment[placed.judgment]
    ranking = _answered(_only(placed, met >= 0, judged, met), gone.union(block.empty))
    return Shown(ranking, *_unknown(placed, met < 0, depth, block, rows), depth)


def collect(blocks: Iterable[Block], judged: Judged, conventions: Conventions, depth: int | None = None) -> Shown:
    """As `shown`, of a whole run in blocks; see `measures.score.score` for what they are."""
    parts: list[Shown] = []
    answered = np.zeros(judged.n, np.bool_)
    if conventions.order == "rank" and hasattr(blocks, "wants_rank"):
        blocks.wants_rank = True
    for block in blocks:
        part = shown(block, judged, conventions, depth)
        if (answered & part.ranking.answered).any():
            if not hasattr(blocks, "whole"):
                raise InputError("a query stands in several blocks", block.name, "give each query's rows in one block")
            whole = blocks.whole()
            if whole.is_small or len(whole) <= 2 * ROWS:
                return shown(whole, judged, conventions, depth)
            parts = [shown(piece, judged, conventions, depth) for piece in ByQuery(whole)]
            break
        answered |= part.ranking.answered
        parts.append(part)
    if not parts:
        raise InputError("the run has no rows", getattr(blocks, "name", ""), "check that it is the right file")
    return parts[0] if len(parts) == 1 else _joined(parts, judged, depth)


def _together(block: Block, rows: I64) -> I64:
    """The order that brings each query's rows together, queries by their first row."""
    queries: Any = block.frame["query_id"]
    names = list(queries) if block.is_small else queries.to_list()
    seen: dict[str, int] = {}
    return np.argsort([seen.setdefault(names[row], len(seen)) for row in rows.tolist()], kind="stable")


def _only(placed: Ranking, which: Bool, judged: Judged, met: I64) -> Ranking:
    at = np.flatnonzero(which)
    first = None if placed.first is None else placed.first[at]
    last = None if placed.last is None else placed.last[at]
    judgment = met[at]
    hits = (placed.query[at], placed.rank[at], judged.grade[judgment], judgment)
    return Ranking(judged, *hits, placed.returned, placed.answered, first, last)


def _unknown(
    placed: Ranking, which: Bool, depth: int | None, block: Block, rows: I64
) -> tuple[I64, I64, I64 | None, I64 | None, list[str]]:
    if depth is not None:
        which = which & ((placed.rank if placed.first is None else placed.first) <= depth)
    at = np.flatnonzero(which)
    origin = rows[placed.judgment[at]]
    docs: Any = block.frame["doc_id"]
    ids = [docs[row] for row in origin.tolist()] if block.is_small else docs.gather(origin).to_list()
    first = None if placed.first is None else placed.first[at]
    last = None if placed.last is None else placed.last[at]
    return placed.query[at], placed.rank[at], first, last, ids


def _joined(parts: list[Shown], judged: Judged, depth: int | None) -> Shown:
    rankings = [part.ranking for part in parts]
    query = np.concatenate([r.query for r in rankings])
    order = np.argsort(query, kind="stable")

    def of(name: str) -> Any:
        columns = [getattr(r, name) for r in rankings]
        return None if columns[0] is None else np.concatenate(columns)[order]

    judgment = of("judgment")
    ranking = Ranking(
        judged, query[order], of("rank"), judged.grade[judgment], judgment,
        np.sum([r.returned for r in rankings], axis=0), np.any([r.answered for r in rankings], axis=0),
        of("first"), of("last"),
    )  # fmt: skip
    unknown = np.concatenate([part.query for part in parts])
    place = np.argsort(unknown, kind="stable")

    def also(name: str) -> Any:
        columns = [getattr(part, name) for part in parts]
        return None if columns[0] is None else np.concatenate(columns)[place]

    docs = [doc for part in parts for doc in part.docs]
    ids = [docs[i] for i in place.tolist()]
    return Shown(ranking, unknown[place], also("rank"), also("first"), also("last"), ids, depth)
