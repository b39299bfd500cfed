"""The data of a report: every query of a comparison with its lists, as small as a browser can still read quickly.

Values have four decimals; documents are named once and pointed at by number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.report.bounds import absent_is_known, find

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison, Lists, Segment

ROWS = 300_000
"""Documents of all lists together; more would make the file larger than it may be, so the lists are cut."""
BYTES = 3_000_000
"""Of all titles together, for the same reason."""
TITLE, SHORT_TITLE = 120, 24
TEXT = 200
PLACES = 4


def dossier(
    comparison: Comparison,
    pairs: Sequence[tuple[str, str]],
    texts: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What the script of the report works on.

    Args:
        comparison: what was compared.
        pairs: (baseline, candidate) of each pair that can be looked at.
        texts: what was searched for, by query id.
        titles: titles of documents, by document id.
    """
    scores = comparison.scores
    runs = list(dict.fromkeys(run for pair in pairs for run in pair))
    kind, names, place = segments(comparison)
    depth, lists = cut_lists(comparison, runs)
    is_known = absent_is_known(comparison)
    docs, data = numbered(lists, 0.0 if is_known else np.nan)
    shown = {doc: titles.get(doc, "") for doc in docs} if titles else {}
    letters = fitting(shown)
    cutoff = comparison.primary.cutoff
    return {
        "measure": str(comparison.primary),
        "k": min(cutoff or depth or 10, depth or 10),
        "depth": depth,
        "runs": runs,
        "queries": list(scores.queries),
        "texts": [(texts.get(query) or "")[:TEXT] for query in scores.queries] if texts else None,
        "segment": kind,
        "segs": names,
        "seg": place if names else None,
        "traffic": None if scores.weights is None else [_number(w) for w in scores.weights.tolist()],
        "values": [[_number(x) for x in scores.value(comparison.primary, run).tolist()] for run in runs],
        "pairs": [_pair(comparison, pair, runs) for pair in pairs],
        "docs": docs,
        "titles": [shown[doc][:letters] for doc in docs] if any(shown.values()) else None,
        "lists": data,
        "known": is_known,
        "rel": relevant_from(lists),
        "best": best_of(lists),
    }


def segments(comparison: Comparison) -> tuple[str, list[str], list[int]]:
    """The first column of segments: its name, its segments, and the segment of each query (-1: none)."""
    kinds = list(dict.fromkeys(segment.kind for segment in comparison.segments))
    chosen = ordered([segment for segment in comparison.segments if kinds and segment.kind == kinds[0]])
    at = {query: i for i, segment in enumerate(chosen) for query in segment.queries}
    return (kinds[0] if kinds else "", [segment.name for segment in chosen],
            [at.get(query, -1) for query in comparison.scores.queries])  # fmt: skip


USUAL = ("head", "torso", "tail", "known-item")


def ordered(chosen: Sequence[Segment]) -> list[Segment]:
    """Segments of the usual names in their usual order, so that each has its own colour in every report."""
    if any(segment.name not in USUAL for segment in chosen):
        return list(chosen)
    return sorted(chosen, key=lambda segment: place_of(segment.name))


def place_of(name: str) -> int:
    """Where a segment of a usual name stands; behind those when it has another."""
    return USUAL.index(name) if name in USUAL else len(USUAL)


def cut_lists(comparison: Comparison, runs: Sequence[str]) -> tuple[int, list[Lists]]:
    """The lists of some runs, down to a depth at which the file stays small; none when a run has none."""
    held = {lists.run: lists for lists in comparison.lists}
    if not comparison.lists or any(run not in held for run in runs):
        return 0, []
    chosen = [held[run] for run in runs]
    depth = min(
        max(lists.depth for lists in chosen), max(ROWS // max(len(runs) * len(comparison.scores.queries), 1), 1)
    )
    return depth, [_down_to(lists, depth) for lists in chosen]


def _down_to(lists: Lists, depth: int) -> Lists:
    """The first documents of lists."""
    from dataclasses import replace

    if lists.depth <= depth:
        return lists
    counts = np.minimum(np.diff(lists.start), depth)
    rank = np.arange(len(lists.grade)) - np.repeat(lists.start[:-1], np.diff(lists.start))
    keep = rank < depth
    start = np.concatenate([[0], np.cumsum(counts)])
    return replace(lists, depth=depth, start=start, docs=lists.docs[keep], grade=lists.grade[keep])


def numbered(lists: Sequence[Lists], absent: float = np.nan) -> tuple[list[str], list[dict[str, Any]] | None]:
    """Every document once, and the lists by number.

    Args:
        lists: of every run.
        absent: the grade of documents that nobody judged; NaN where it is not known.
    """
    if not lists:
        return [], None
    names, numbers = np.unique(np.concatenate([held.docs for held in lists]), return_inverse=True)
    found, begin = [], 0
    for held in lists:
        own = numbers[begin : begin + len(held.docs)]
        begin += len(held.docs)
        grades = [_number(grade) for grade in np.where(np.isnan(held.grade), absent, held.grade).tolist()]
        found.append({"start": held.start.tolist(), "doc": own.tolist(), "grade": grades})
    return [str(name) for name in names], found


def relevant_from(lists: Sequence[Lists]) -> float:
    """The lowest grade above 0 that is shown: what brings gain."""
    grades = [held.grade[held.grade > 0] for held in lists]
    return float(min((g.min() for g in grades if len(g)), default=1.0))


def best_of(lists: Sequence[Lists]) -> float:
    """The highest grade that is shown; 1 where nothing is relevant."""
    grades = [held.grade[held.grade > 0] for held in lists]
    return float(max((g.max() for g in grades if len(g)), default=1.0))


def fitting(titles: Mapping[str, str]) -> int:
    """How many letters of each title there is room for."""
    shown = [title[:TITLE] for title in titles.values()]
    total = sum(len(title.encode("utf-8")) for title in shown)
    letters = max(sum(map(len, shown)), 1)
    return TITLE if total <= BYTES else max(BYTES * letters // (total * len(shown)), SHORT_TITLE)


def _pair(comparison: Comparison, pair: tuple[str, str], runs: Sequence[str]) -> dict[str, Any]:
    found = find(comparison, pair, comparison.primary)
    ends: dict[str, Any] = {"lo": None, "hi": None}
    if found is not None:
        ends = {"lo": [_number(x) for x in found.low.tolist()], "hi": [_number(x) for x in found.high.tolist()]}
    return {"a": runs.index(pair[0]), "b": runs.index(pair[1]), **ends, "lost": lost(comparison, pair)}


LOST = ("", "retrieval", "ranking", "both")
"""What the script calls 0, 1, 2 and 3."""


def lost(comparison: Comparison, pair: tuple[str, str]) -> list[int] | None:
    """The stage that lost each query, as a place in `LOST`; None where the stages of either system are not known."""
    from assay.compare.lost import lost_in

    found = None if comparison.stages is None else lost_in(comparison.stages, *pair)
    return None if found is None else [LOST.index(word) for word in found]


def _number(x: float) -> float | int | None:
    """A number as short as it can be written; null where there is none."""
    if x != x or x in (float("inf"), float("-inf")):
        return None
    rounded = round(x, PLACES)
    return int(rounded) if rounded == int(rounded) else rounded
