"""The click trap: which documents a raw click rate puts in an order that turns round when position is taken out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.clicks.attraction import Attractions, Z
from assay.clicks.pairs import F64, I64, total
from assay.results import kept
from assay.stats.clustered import clustered_share
from assay.stats.intervals import t_quantile

MOST = 50
"""Documents of a query that are compared with each other, those shown most often: pairs grow with the square."""


@kept("share of a log")
@dataclass(frozen=True, slots=True)
class Share:
    """A share of pairs of documents, with its 95 % interval clustered by query; None where there is no such pair."""

    share: float | None
    low: float | None
    high: float | None
    n: int
    queries: int


@kept("click trap")
@dataclass(frozen=True, slots=True)
class Turned:
    """What becomes of the order of raw click rates when position is taken out.

    Args:
        turned: of the pairs of one query that raw rates order clearly, those that attraction orders clearly the other
            way round.
        unclear: of the same pairs, those that attraction does not order clearly.
        raw_agrees, corrected_agrees: of the pairs that people grade differently, those that raw rates, and attraction,
            put in the order of people; ties count half. None without human grades.
        gain, gain_low, gain_high: by how much the second is above the first, 95 % interval over queries.
    """

    turned: Share
    unclear: Share
    raw_agrees: float | None
    corrected_agrees: float | None
    gain: float | None
    gain_low: float | None
    gain_high: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Pairs of documents by query, f64[queries] each.

    Args:
        clear: raw rates differ clearly.
        back: of these, attraction differs clearly the other way.
        unclear: of these, attraction does not differ clearly.
        ordered: people grade them differently.
        raw, corrected: of these, raw rates and attraction agree with people; ties count half.
    """

    clear: F64
    back: F64
    unclear: F64
    ordered: F64
    raw: F64
    corrected: F64


def compared(found: Attractions, shown: F64, query: I64, grade: F64 | None = None) -> Compared:
    """Compares the documents of each query with each other, by raw click rate and by attraction.

    Raw rates differ clearly where they are 1.96 standard errors of independent shares apart; attractions where their
    logarithms are, with the errors of the propensities that both share.

    Args:
        found: attraction of each pair of query and document.
        shown: f64[n_pairs], impressions at all positions.
        query: i64[n_pairs].
        grade: f64[n_pairs], of people, NaN where not judged; None without.
    """
    queries = int(query.max(initial=-1)) + 1
    sums = np.zeros((6, queries))
    for one, other in _couples(found, shown, query):
        raw, true, at = _raw(found.rate, shown, one, other), _corrected(found, one, other), query[one]
        clear = np.abs(raw) > Z
        back = clear & (np.abs(true) > Z) & (np.sign(raw) != np.sign(true))
        for row, counted in enumerate((clear, back, clear & (np.abs(true) <= Z))):
            sums[row] += total(at, counted.astype(np.float64), queries)
        if grade is not None:
            people = np.sign(np.nan_to_num(grade[one] - grade[other]))
            sums[3] += total(at, np.abs(people), queries)
            for row, values in ((4, found.rate), (5, found.value)):
                same = (1 + people * np.sign(values[one] - values[other])) / 2
                sums[row] += total(at, same * np.abs(people), queries)
    return Compared(*sums)


def turned(found: Compared) -> Turned:
    """The shares of all queries together, with their intervals."""
    raw, corrected, gain, low, high = _agreeing(found.ordered, found.raw, found.corrected)
    back, unclear = _share(found.back, found.clear), _share(found.unclear, found.clear)
    return Turned(back, unclear, raw, corrected, gain, low, high)


def _couples(found: Attractions, shown: F64, query: I64) -> Iterator[tuple[I64, I64]]:
    """Pairs of documents of one query, each once: those n places apart, for n from 1."""
    kept_ = np.flatnonzero(~np.isnan(found.value))
    order = kept_[np.lexsort((-shown[kept_], query[kept_]))]
    starts = np.flatnonzero(np.diff(query[order], prepend=-1))
    nth = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    order = order[nth < MOST]
    for step in range(1, min(MOST, len(order))):
        same = np.flatnonzero(query[order[:-step]] == query[order[step:]])
        if not len(same):
            return
        yield order[same], order[same + step]


def _raw(rate: F64, shown: F64, one: I64, other: I64) -> F64:
    """f64[n]: how many standard errors raw rates are apart; the pooled share gives the variance."""
    pooled = (rate[one] * shown[one] + rate[other] * shown[other]) / (shown[one] + shown[other])
    error = np.sqrt(pooled * (1 - pooled) * (1 / shown[one] + 1 / shown[other]))
    found: F64 = np.divide(rate[one] - rate[other], error, out=np.zeros(len(one)), where=error > 0)
    return found


def _corrected(found: Attractions, one: I64, other: I64) -> F64:
    """f64[n]: how many standard errors logs of attraction are apart; a document without a click has half a one."""
    clicks = np.maximum(found.clicks, 0.5)
    log = np.log(clicks / found.examined)
    of_shares = np.einsum("pk,pk->p", found.share @ found.cov, found.share)
    of_clicks = np.maximum((found.se * found.examined / clicks) ** 2 - of_shares, 0.0)
    apart = found.share[one] - found.share[other]
    variance = of_clicks[one] + of_clicks[other] + np.einsum("pk,pk->p", apart @ found.cov, apart)
    values: F64 = np.divide(log[one] - log[other], np.sqrt(variance), out=np.zeros(len(one)), where=variance > 0)
    return values


def _share(counts: F64, sizes: F64) -> Share:
    found = clustered_share(counts, sizes)
    return Share(None, None, None, 0, 0) if found is None else Share(
        found.share, found.low, found.high, found.n, found.groups)  # fmt: skip


def _agreeing(ordered: F64, raw: F64, corrected: F64) -> tuple[float | None, ...]:
    """Both shares and their difference with its interval: a ratio of sums over queries, t with n - 1 degrees."""
    has = ordered > 0
    n, whole = int(has.sum()), float(ordered.sum())
    if not n:
        return None, None, None, None, None
    gain = float((corrected - raw).sum()) / whole
    if n < 2:
        return float(raw.sum()) / whole, float(corrected.sum()) / whole, gain, None, None
    rest = (corrected - raw - gain * ordered)[has] / whole
    reach = t_quantile(0.975, n - 1) * float(np.sqrt(n / (n - 1) * (rest**2).sum()))
    return float(raw.sum()) / whole, float(corrected.sum()) / whole, gain, gain - reach, gain + reach
