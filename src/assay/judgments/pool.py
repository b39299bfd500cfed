"""Which pairs of query and document to judge.

The first documents of every run, what people clicked, lists by hand, and a random share from below; minus what is
judged already. A pair names neither system nor rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator

from assay.errors import InputError
from assay.keys import coin
from assay.ranking.ranking import Judged
from assay.ranking.shown import Shown
from assay.results import Note, Result, kept
from assay.tables import Pair

Queue = Literal["query", "move-to-front"]

POOLED, TAIL = "pool", "random tail"
FEWEST_RUNS = 2


@kept("pool-source")
@dataclass(frozen=True, slots=True)
class PoolSource:
    """What one run or list brings to the pool.

    Args:
        name: of the run, or the reason of a list.
        is_run: whether it is a run.
        shown: documents in its first ranks (of a list: its pairs).
        judged: those that are judged already.
        pairs: those that are in this pool.
        alone: pairs that nothing else brings.
        queries: queries for which it has anything.
    """

    name: str
    is_run: bool
    shown: int
    judged: int
    pairs: int
    alone: int
    queries: int


@kept("budget")
@dataclass(frozen=True, slots=True)
class Budget:
    """What judging a pool takes.

    Args:
        pairs: of query and document.
        raters: for each pair.
        minutes: for one judgment.
        low, high: price of one judgment.
        currency: of the prices.
    """

    pairs: int
    raters: int = 1
    minutes: float = 1.0
    low: float = 0.5
    high: float = 3.0
    currency: str = "USD"

    @property
    def judgments(self) -> int:
        """How many."""
        return self.pairs * self.raters

    @property
    def hours(self) -> float:
        """Of work in all."""
        return self.judgments * self.minutes / 60

    @property
    def prices(self) -> tuple[float, float]:
        """The lowest and the highest sum."""
        return self.judgments * self.low, self.judgments * self.high


@kept("pool")
@dataclass(frozen=True, kw_only=True)
class Pool(Result):
    """Pairs to judge.

    Args:
        pairs: in the order in which they are judged.
        depth: how far down each run the pool goes.
        queue: how they are ordered.
        queries: how many queries there are.
        without: queries for which there is nothing to judge and nothing is judged.
        sources: what brings them.
        budget: what judging them takes.
        fewest, median, most: pairs of a query.
        seed: of the order inside a query and of the random tail.
    """

    pairs: tuple[Pair, ...]
    depth: int
    queue: Queue
    queries: int
    without: tuple[str, ...]
    sources: tuple[PoolSource, ...]
    budget: Budget
    fewest: int
    median: float
    most: int
    seed: int


@dataclass(frozen=True, slots=True)
class Listed:
    """Pairs from elsewhere: clicked documents, lists by hand, what would decide a comparison.

    Args:
        reason: why they are wanted; it stands in the pool.
        pairs: (query_id, doc_id), those wanted most first.
        comes_first: whether they stand before everything else.
    """

    reason: str
    pairs: Sequence[tuple[str, str]]
    comes_first: bool = False


def pool(
    runs: Mapping[str, Shown], *, depth: int, lists: Sequence[Listed] = (),
    known: frozenset[tuple[str, str]] = frozenset(), queue: Queue = "query", tail: float = 0.0,
    at_most: int | None = None, budget: Budget | None = None, seed: int = 0, rng: Generator | None = None,
) -> Pool:  # fmt: skip
    """The pairs to judge.

    Args:
        runs: name to ranking with its unjudged documents, all of one set of judgments; deeper than `depth` where a
            random tail is wanted.
        depth: how far down each run the pool goes.
        lists: pairs from elsewhere.
        known: (query_id, doc_id) pairs that are judged, to be left out of the lists.
        queue: "query": query by query, documents in an order that tells nothing; "move-to-front": the next document of
            the list that was right most often so far (Cormack, Palmer and Clarke, SIGIR 1998).
        tail: pairs drawn from below the depth, as a share of those above it.
        at_most: no more pairs than these: those of the lists that come first, then those at the smallest ranks.
        budget: raters, minutes and prices; the defaults when None.
        seed: of the order inside a query.
        rng: for the random tail.
    """
    if not runs:
        raise InputError("no run was given", remedy="pass the runs that shall feed the pool")
    judged = next(iter(runs.values())).ranking.judged
    best: dict[tuple[int, str], int] = {}
    below: dict[tuple[int, str], None] = {}
    brought: dict[str, set[tuple[int, str]]] = {}
    for name, run in runs.items():
        own = brought[name] = set()
        for query, rank, doc in zip(run.query.tolist(), run.rank.tolist(), run.docs, strict=True):
            if rank <= depth:
                own.add((query, doc))
                best[query, doc] = min(rank, best.get((query, doc), rank))
            else:
                below[query, doc] = None
    reason = dict.fromkeys(best, POOLED)
    first: dict[tuple[int, str], int] = {}
    code = {name: i for i, name in enumerate(judged.queries)}
    unknown = 0
    for one in lists:
        own = brought[one.reason] = set()
        for query_id, doc in one.pairs:
            if (query_id, doc) in known:
                continue
            if query_id not in code:
                unknown += 1
                continue
            pair = (code[query_id], doc)
            own.add(pair)
            if one.comes_first:
                first.setdefault(pair, len(first))
                reason[pair] = one.reason
            reason.setdefault(pair, one.reason)
            best.setdefault(pair, 0)  # somebody asked for it: it is not cut off before what only a run brings
    drawn = _tail([pair for pair in below if pair not in best], round(tail * len(best)), rng)
    for pair in drawn:
        best[pair], reason[pair] = depth + 1, TAIL
    luck = {pair: _luck(seed, judged, pair) for pair in best}
    chosen = sorted(best, key=lambda pair: (first.get(pair, len(first)), best[pair], luck[pair]))[:at_most]
    kept_pairs = set(chosen)
    ordered = _ordered(queue, chosen, runs, depth, first, luck)
    counts = np.bincount(np.array([q for q, _ in chosen], np.int64), minlength=len(judged.queries))
    has_judgments = np.bincount(np.array(_known(code, known), np.int64), minlength=len(judged.queries))
    without = tuple(judged.queries[i] for i in np.flatnonzero((counts == 0) & (has_judgments == 0)).tolist())
    pairs = tuple(Pair(judged.queries[query], doc, i, reason[query, doc]) for i, (query, doc) in enumerate(ordered, 1))
    sources = tuple(_source(name, brought, kept_pairs, runs.get(name), lists, depth) for name in brought)
    some = counts[counts > 0]
    return Pool(
        pairs=pairs, depth=depth, queue=queue, queries=len(judged.queries), without=without, sources=sources, seed=seed,
        budget=replace(Budget(0) if budget is None else budget, pairs=len(pairs)),
        fewest=int(some.min()) if len(some) else 0, median=float(np.median(some)) if len(some) else 0.0,
        most=int(some.max()) if len(some) else 0,
        notes=tuple(_notes(runs, unknown, len(best) - len(pairs), tail > 0 and not drawn)),
    )  # fmt: skip


def _known(code: Mapping[str, int], known: frozenset[tuple[str, str]]) -> list[int]:
    """The query of each known pair."""
    return [code[query] for query, _ in known if query in code]


def _luck(seed: int, judged: Judged, pair: tuple[int, str]) -> int:
    """A number that hangs on the pair alone: the order inside a query tells nothing of ranks."""
    return coin(str(seed).encode(), "pool", judged.queries[pair[0]], pair[1])


def _tail(pairs: list[tuple[int, str]], n: int, rng: Generator | None) -> list[tuple[int, str]]:
    if not n or not pairs:
        return []
    assert rng is not None  # a random tail is drawn with random numbers
    return [pairs[i] for i in rng.choice(len(pairs), size=min(n, len(pairs)), replace=False).tolist()]


def _ordered(
    queue: Queue, pairs: Sequence[tuple[int, str]], runs: Mapping[str, Shown], depth: int,
    first: Mapping[tuple[int, str], int], luck: Mapping[tuple[int, str], int],
) -> list[tuple[int, str]]:  # fmt: skip
    ahead = sorted((pair for pair in pairs if pair in first), key=first.__getitem__)
    rest = [pair for pair in pairs if pair not in first]
    if queue == "query":
        return ahead + sorted(rest, key=lambda pair: (pair[0], luck[pair]))
    wanted: dict[int, set[str]] = {}
    for query, doc in rest:
        wanted.setdefault(query, set()).add(doc)
    moved = {query: _moved(query, docs, runs, depth) for query, docs in wanted.items()}
    rounds = [(i, query, doc) for query, docs in moved.items() for i, doc in enumerate(docs)]
    return ahead + [(query, doc) for _, query, doc in sorted(rounds)]


def _moved(query: int, wanted: set[str], runs: Mapping[str, Shown], depth: int) -> list[str]:
    """One query's documents: always the next of the list with the highest priority.

    Every list begins with the same priority and loses one at each document that is not relevant; a document that nobody
    judged costs a turn as well, until its label is known. So a pool made anew after each batch moves on.
    """
    lists = [_list(run, query, depth) for run in runs.values()]
    priority, at = [0] * len(lists), [0] * len(lists)
    found: dict[str, None] = {}
    while any(at[i] < len(lists[i]) for i in range(len(lists))):
        i = max((i for i in range(len(lists)) if at[i] < len(lists[i])), key=lambda i: (priority[i], -at[i], -i))
        doc, is_relevant = lists[i][at[i]]
        at[i] += 1
        if is_relevant is not True:
            priority[i] -= 1
        if is_relevant is None and doc in wanted:
            found.setdefault(doc)
    return [*found, *sorted(wanted - found.keys())]


def _list(run: Shown, query: int, depth: int) -> list[tuple[str, bool | None]]:
    """The first documents of a run for one query, each with whether it is relevant; None is unjudged."""
    rows = range(*np.searchsorted(run.query, [query, query + 1]).tolist())
    made: list[tuple[int, str, bool | None]] = [(int(run.rank[i]), run.docs[i], None) for i in rows]
    r = run.ranking
    hits = range(*np.searchsorted(r.query, [query, query + 1]).tolist())
    is_relevant = r.judged.is_relevant(r.grade)
    made += [(int(r.rank[i]), "", bool(is_relevant[i])) for i in hits]
    return [(doc, right) for rank, doc, right in sorted(made, key=lambda row: row[0]) if rank <= depth]


def _source(
    name: str, brought: Mapping[str, set[tuple[int, str]]], kept_pairs: set[tuple[int, str]], run: Shown | None,
    lists: Sequence[Listed], depth: int,
) -> PoolSource:  # fmt: skip
    own = brought[name] & kept_pairs
    others: set[tuple[int, str]] = set().union(*(pairs for other, pairs in brought.items() if other != name))
    queries = {query for query, _ in brought[name]}
    if run is None:
        shown = sum(len(one.pairs) for one in lists if one.reason == name)
        judged = shown - len(brought[name])
    else:
        met = run.ranking.rank <= depth
        judged = int(met.sum())
        shown = judged + len(brought[name])
        queries |= set(run.ranking.query[met].tolist())
    return PoolSource(name, run is not None, shown, judged, len(own), len(own - others), len(queries))


def _notes(runs: Mapping[str, Shown], unknown: int, cut: int, has_no_tail: bool) -> list[Note]:
    notes = []
    if len(runs) < FEWEST_RUNS:
        text = "one run alone feeds the pool: whatever another finds will be unjudged; pool both before comparing"
        notes.append(Note("one-sided", text, level="warning"))
    if unknown:
        notes.append(Note("unknown-queries", f"{unknown:,} listed pairs are of queries that are not asked for"))
    if cut:
        notes.append(Note("cut", f"{cut:,} pairs are left out by --at-most: the deepest ranks first"))
    if has_no_tail:
        notes.append(Note("no-tail", "no run goes deeper than the pool: there is no tail to draw from"))
    return notes
