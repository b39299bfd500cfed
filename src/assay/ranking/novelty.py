"""Gains that fade as a subtopic comes again, and the order of the judged documents that gathers most of them.

A document counts for every subtopic that it is relevant to, and counts less where documents above were about the same
one: by 1 - alpha for each of them. So a list can be summed subtopic by subtopic, each as if it were a query.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from assay.ranking.aspects import BySubtopic
from assay.ranking.ranking import F64, I64, Judged


def novelty(p: BySubtopic, alpha: float, discount: Any, cutoff: int | None, rel: float | None) -> F64:
    """What each relevant hit of each subtopic adds, in the order of `p.ranking.relevant(rel)`.

    Where ties are averaged, what a group of equal scores adds is given to its hits in equal parts.
    """
    hits = p.ranking.relevant(rel)
    keep = 1.0 - alpha
    if not hits.is_averaged:
        return np.power(keep, hits.position()) * hits.weighted(discount, cutoff)
    groups = hits.groups()
    each = np.zeros(len(groups.hits))
    rows = zip(groups.first.tolist(), groups.size.tolist(), groups.hits.tolist(), groups.before.tolist(), strict=True)
    for i, (first, size, found, before) in enumerate(rows):
        weight = discount(np.arange(first, first + size, dtype=np.float64))
        if cutoff is not None:
            weight[max(cutoff - first + 1, 0) :] = 0.0
        each[i] = keep**before * float((weight * _seen_before(size, found, keep)).mean())
    return np.repeat(each, groups.hits)


def _seen_before(size: int, found: int, keep: float) -> F64:
    """Mean of keep to the power of the fellows above, for each place of a group in random order.

    Of the `found` - 1 fellows of a document at place j (from 0) of `size`, a hypergeometric number stands above it.
    """
    if found == 1:
        return np.ones(size)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, size + 1)))])

    def choose(n: Any, k: Any) -> Any:
        return logs[n] - logs[k] - logs[n - k]

    above = np.arange(size)[:, None]
    fellows = np.arange(found)[None, :]
    possible = (fellows <= above) & (above - fellows <= size - found)
    at, x = np.broadcast_arrays(above, fellows)
    at, x = at[possible], x[possible]
    chance = np.zeros(possible.shape)
    chance[possible] = np.exp(choose(found - 1, x) + choose(size - found, at - x) - choose(size - 1, at))
    chance /= chance.sum(axis=1, keepdims=True)
    return chance @ np.power(keep, np.arange(found))


def best_gains(judged: Judged, alpha: float, cutoff: int | None, rel: float | None) -> list[tuple[I64, F64]]:
    """The judgments of each query in the best order that a greedy search finds, and the gain of each there.

    At each rank the document that adds most is taken; of several the one whose id is highest by bytes, as runs with
    equal scores are ordered. The best order of all would take a search of every order (it is NP-hard), and a list can
    so be worth a little more than this one.
    """
    key = ("diverse", alpha, cutoff, rel)
    if key not in judged._cache:
        judged._cache[key] = _best_gains(judged, alpha, cutoff, rel)
    return judged._cache[key]  # type: ignore[no-any-return] # the cache holds what _best_gains gave


def _best_gains(judged: Judged, alpha: float, cutoff: int | None, rel: float | None) -> list[tuple[I64, F64]]:
    aspects, keep = judged.aspects, 1.0 - alpha
    if aspects is None:
        found = []
        relevant = np.flatnonzero(judged.is_relevant(judged.grade, rel))
        order = relevant[np.argsort(judged.query[relevant], kind="stable")]
        ends = np.cumsum(judged.relevant(rel))
        for end, count in zip(ends.tolist(), judged.relevant(rel).tolist(), strict=True):
            rows = order[end - count : end][:cutoff]
            found.append((rows, np.power(keep, np.arange(len(rows)))))
        return found
    use = np.flatnonzero(judged.is_relevant(aspects.grade, rel))
    owner = aspects.owner[aspects.subtopic[use]]
    use = use[np.argsort(owner, kind="stable")]
    bounds = np.searchsorted(np.sort(owner), np.arange(judged.n + 1))
    return [_greedy(judged, use[low:high], keep, cutoff) for low, high in pairwise(bounds.tolist())]


def _greedy(judged: Judged, rows: I64, keep: float, cutoff: int | None) -> tuple[I64, F64]:
    aspects = judged.aspects
    assert aspects is not None, "asked for by whoever has subtopics"
    judgments, doc = np.unique(aspects.judgment[rows], return_inverse=True)
    _, subtopic = np.unique(aspects.subtopic[rows], return_inverse=True)
    docs = judged.docs
    if len(docs):
        names = [docs[i] for i in judgments.tolist()]
        order = np.array(sorted(range(len(names)), key=names.__getitem__, reverse=True), np.int64)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        judgments, doc = judgments[order], place[doc]
    covers = np.zeros((len(judgments), int(subtopic.max(initial=-1)) + 1))
    covers[doc, subtopic] = 1.0
    worth = np.ones(covers.shape[1])
    left = np.ones(len(judgments), np.bool_)
    picked, gains = list[int](), list[float]()
    for _ in range(len(judgments) if cutoff is None else min(cutoff, len(judgments))):
        gain = np.where(left, covers @ worth, -1.0)
        best = int(gain.argmax())
        picked.append(best)
        gains.append(float(gain[best]))
        left[best] = False
        worth *= np.where(covers[best] > 0, keep, 1.0)
    return judgments[picked], np.array(gains, np.float64)
