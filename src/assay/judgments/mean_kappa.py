"""Agreement of more than two raters as the mean of what each two of them agree.

Every two raters with common items have Cohen's kappa with quadratic weights; their mean counts each two alike, however
many items they have in common. A pair of raters without a value (both gave one and the same grade to everything) has no
part in it. Source: Light, Psychol. Bull. 76(5), 1971 (the mean over pairs of raters); Conger, Psychol. Bull. 88(2),
1980; weights: Cohen, Psychol. Bull. 70, 1968. Of two raters it is Cohen's kappa.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.judgments.coefficients import SAME, Coefficient, drawn, ends
from assay.stats.agreement import F64, I64, Ratings, kappa, never_varied

MEAN_KAPPA = "kappa, quadratic, mean of pairs of raters"

MOST_MEETINGS = 1_000
"""Pairs of raters whose mean is taken: 45 raters of everything. With more, alpha is what is held against a limit."""


@dataclass(frozen=True, eq=False, slots=True)
class Meeting:
    """Two raters on what both rated.

    Args:
        a, b: places of the raters.
        queries: i64[n], places of the queries with common items.
        tables: f64[n, k, k], what a said against what b said, of each of these queries.
    """

    a: int
    b: int
    queries: I64
    tables: F64


def meetings(ratings: Ratings, raters: Sequence[int]) -> list[Meeting]:
    """Every two of the raters who rated an item in common, in the order of the raters."""
    own = np.isin(ratings.rater, np.asarray(raters, dtype=np.int64))
    item, rater, code = ratings.item[own], ratings.rater[own], ratings.code[own]
    order = np.lexsort((rater, item))
    item, rater, code = item[order], rater[order], code[order]
    n, k = int(rater.max()) + 1 if len(rater) else 0, ratings.k
    met: list[tuple[I64, I64, I64]] = []
    for apart in range(1, int(np.bincount(item).max()) if len(item) else 0):
        both = np.flatnonzero(item[apart:] == item[:-apart])
        who = rater[both] * n + rater[both + apart]
        met.append((who, ratings.query[item[both]], code[both] * k + code[both + apart]))
    if not met:
        return []
    who, query, said = (np.concatenate(part) for part in zip(*met, strict=True))
    order = np.argsort(who, kind="stable")
    names, starts = np.unique(who[order], return_index=True)
    found = []
    for name, part in zip(names.tolist(), np.split(order, starts[1:]), strict=True):
        queries, at = np.unique(query[part], return_inverse=True)
        flat = np.bincount(at * k * k + said[part], minlength=len(queries) * k * k)
        found.append(Meeting(name // n, name % n, queries, flat.reshape(-1, k, k).astype(np.float64)))
    return found


def mean_kappa(met: Sequence[Meeting], seed: int, resamples: int) -> Coefficient | None:
    """The mean of the quadratic kappas of pairs of raters, with its interval over resampled queries.

    Args:
        met: what `meetings` gave.
        seed: of the resampling.
        resamples: how many.

    Returns:
        None where no two raters have an item in common, or more than `MOST_MEETINGS` have.
    """
    if not met or len(met) > MOST_MEETINGS:
        return None
    wholes = [one.tables.sum(axis=0) for one in met]
    values = np.array([float(kappa(whole, "quadratic")) for whole in wholes])
    known = ~np.isnan(values)
    remark = _remark(wholes, known)
    if not known.any():
        return Coefficient(MEAN_KAPPA, None, remark=SAME)
    queries = np.unique(np.concatenate([one.queries for one in met]))
    return ends(
        MEAN_KAPPA, float(values[known].mean()), lambda: _resampled(met, queries, seed, resamples), len(queries),
        resamples, remark,
    )  # fmt: skip


def _resampled(met: Sequence[Meeting], queries: I64, seed: int, resamples: int) -> F64:
    """The mean in every resample of the queries, over the pairs of raters that have a value there; NaN where none has.

    Each pair of raters is looked at by itself: the tables of all of them together would not fit into memory.
    """
    places = [np.searchsorted(queries, one.queries) for one in met]
    parts = []
    for counts in drawn(len(queries), seed, resamples):
        total, n = np.zeros(len(counts)), np.zeros(len(counts))
        for one, place in zip(met, places, strict=True):
            flat = one.tables.reshape(len(place), -1)
            values = kappa((counts[:, place] @ flat).reshape(-1, *one.tables.shape[1:]), "quadratic")
            known = ~np.isnan(values)
            total[known] += values[known]
            n += known
        parts.append(np.divide(total, n, out=np.full(len(counts), np.nan), where=n > 0))
    return np.concatenate(parts)


def _remark(wholes: Sequence[F64], known: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> str:
    """How many pairs of raters have no value, or one that could not be another."""
    said = []
    if gone := int((~known).sum()):
        said.append(f"{gone} of {len(wholes)} pairs of raters left out: both gave one and the same grade to everything")
    still = sum(is_known and any(never_varied(whole)) for whole, is_known in zip(wholes, known.tolist(), strict=True))
    if still:
        said.append(f"{still} of {len(wholes)} have a rater who never varied: their kappa cannot differ from 0")
    return "; ".join(said)
