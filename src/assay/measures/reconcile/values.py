"""The value of each query, and the mean, under any answers: plain sums over padded tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.measures.reconcile.lists import F64, I64, Bool, Lists, View
from assay.measures.reconcile.ways import GAINS, Asked, Ways


@dataclass(frozen=True, eq=False)
class PerQuery:
    """One value a query of either side.

    Args:
        value: float64 of shape (n,); 0 where the run has nothing.
        nothing: no judged document of the query is relevant (or has gain).
        unseen: the run has the query, and none of the documents that it returned is.
    """

    value: F64
    nothing: Bool
    unseen: Bool


def per_query(lists: Lists, view: View, asked: Asked, ways: Ways) -> PerQuery:
    """The value of each query under the answers of the part "value"."""
    level = _level(lists, asked, ways)
    cutoff = asked.cutoff if ways.cutoff == "k" else None
    width = view.grade.shape[1]
    ranks = np.arange(1, width + 1)
    inside = ranks <= (width if cutoff is None else cutoff)
    if asked.name in GAINS:
        worth, pool = _gain(view.grade, asked, ways, level), _gain(view.pool, asked, ways, level)
        value = _discounted(view, worth, inside, ways)
        if asked.name == "nDCG":
            value = _over(value, _ideal(view, worth, pool, cutoff, ways))
        return PerQuery(value, _none(pool > 0), lists.answered & _none(worth > 0))
    if asked.name == "ERR":
        value = _err(view, inside, asked, ways, lists)
        return PerQuery(value, _none(view.pool > 0), lists.answered & _none(view.grade > 0))
    relevant, known = _relevant(view.grade, level), _relevant(view.pool, level)
    hits, all_relevant = relevant & inside, known.sum(axis=1)
    value = _counted(view, hits, relevant, all_relevant, cutoff, asked, ways, lists)
    return PerQuery(value, all_relevant == 0, lists.answered & _none(relevant))


def _counted(
    view: View, hits: Bool, relevant: Bool, all_relevant: I64, cutoff: int | None, asked: Asked, ways: Ways,
    lists: Lists,
) -> F64:  # fmt: skip
    """The measures that only ask which documents are relevant."""
    found = hits.sum(axis=1)
    k = view.returned if cutoff is None else np.full(lists.n, cutoff)
    shown = np.minimum(k, view.returned)
    if asked.name == "P":
        judged = (~np.isnan(view.grade[:, :cutoff])).sum(axis=1)
        return _over(found, {"pad": k, "list": shown, "judged": judged}[ways.short])
    if asked.name == "HitRate":
        return np.where(found > 0, 1.0, 0.0)
    if asked.name == "R":
        divisors = {"all": all_relevant, "cap": np.minimum(all_relevant, k), "returned": relevant.sum(axis=1)}
        return _over(found, divisors[ways.found])
    if asked.name == "AP":
        precision = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
        capped = all_relevant if cutoff is None else np.minimum(all_relevant, k)
        seen = relevant.sum(axis=1)
        divisors = {"all": all_relevant, "min": capped, "hits": found, "k": k,
                    "returned": seen if cutoff is None else np.minimum(seen, k)}  # fmt: skip
        return _over((precision * hits).sum(axis=1), divisors[ways.average])
    if asked.name == "RR":
        if ways.first == "best":
            grade = np.where(hits, view.grade, -np.inf)
            hits = hits & (grade == grade.max(axis=1, initial=-np.inf)[:, None])
        return np.where(hits.any(axis=1), 1.0 / (hits.argmax(axis=1) + 1), 0.0)
    if asked.name == "RBP":
        weight = (1 - asked.patience) * asked.patience ** np.arange(hits.shape[1])
        return _sum(weight * _scaled(view, hits, asked, ways, lists))
    return _bpref(view, relevant, all_relevant)


def _bpref(view: View, relevant: Bool, all_relevant: I64) -> F64:
    """Each relevant hit loses by the judged non-relevant ones above it (trec_eval's m_bpref.c)."""
    others = (~np.isnan(view.pool)).sum(axis=1) - all_relevant
    wrong = ~np.isnan(view.grade) & ~relevant
    above = np.cumsum(wrong, axis=1)
    least = np.minimum(all_relevant, others)[:, None]
    loss = np.minimum(above, all_relevant[:, None]) / np.maximum(least, 1)
    return _over((relevant * np.where(above > 0, 1 - loss, 1.0)).sum(axis=1), all_relevant)


def _scaled(view: View, hits: Bool, asked: Asked, ways: Ways, lists: Lists) -> F64:
    """What each document is worth in RBP."""
    if ways.scale == "binary":
        return np.where(hits, 1.0, 0.0)
    inside = np.arange(1, hits.shape[1] + 1) <= (asked.cutoff or hits.shape[1])
    grade = np.where(inside, np.maximum(np.nan_to_num(view.grade), 0.0), 0.0)
    return grade if ways.scale == "raw" else grade / np.maximum(_highest(view, asked, ways, lists), 1e-300)


def _highest(view: View, asked: Asked, ways: Ways, lists: Lists) -> F64:
    """The highest grade of the scale, float64 of shape (n, 1)."""
    if ways.scale == "4" or (ways.scale == "asked" and asked.highest is not None):
        return np.full((lists.n, 1), 4.0 if ways.scale == "4" else asked.highest)
    best = np.nan_to_num(view.pool).max(axis=1, initial=0.0)
    return best[:, None] if ways.scale == "query" else np.full((lists.n, 1), best.max(initial=0.0))


def _err(view: View, inside: Bool, asked: Asked, ways: Ways, lists: Lists) -> F64:
    """The reader stops at each document with a chance that its grade sets (Chapelle et al., CIKM 2009)."""
    worth = np.exp2(np.maximum(np.nan_to_num(view.grade), 0.0)) - 1
    stops = np.minimum(worth / np.exp2(_highest(view, asked, ways, lists)), 1.0) * inside
    goes_on = np.cumprod(np.concatenate([np.ones((lists.n, 1)), 1 - stops], axis=1), axis=1)[:, :-1]
    return _sum(goes_on * stops / np.arange(1, stops.shape[1] + 1))


def _level(lists: Lists, asked: Asked, ways: Ways) -> float | None:
    """The lowest relevant grade; None is any grade above 0."""
    if ways.rel == "asked":
        return asked.rel
    if ways.rel == "adaptive":
        grades = lists.pool[1]
        return max(0.5 * float(grades.max()), float(np.percentile(grades, 90))) if len(grades) else None
    return {"above-0": None, "2": 2.0, "3": 3.0, "any": -np.inf}[ways.rel]


def _relevant(grade: F64, level: float | None) -> Bool:
    known = ~np.isnan(grade)
    with np.errstate(invalid="ignore"):
        return known & (grade > 0 if level is None else grade >= level)


def _gain(grade: F64, asked: Asked, ways: Ways, level: float | None) -> F64:
    known = np.nan_to_num(grade)
    if ways.gain == "binary":
        return _relevant(grade, level).astype(np.float64)
    if ways.gain == "map" and asked.gains is not None:
        return np.where(np.isnan(grade), 0.0, asked.gains(known.ravel()).reshape(known.shape))
    if ways.gain == "exp":
        known = np.exp2(np.minimum(known, 1000.0)) - 1
    if ways.gain == "level":
        known = np.where(_relevant(grade, level), known, 0.0)
    return known if ways.negative == "signed" else np.maximum(known, 0.0)


def _discounts(n: int, ways: Ways) -> F64:
    ranks = np.arange(1, n + 1, dtype=np.float64)
    if ways.discount == "first-free":
        return 1.0 / np.maximum(1.0, np.log2(ranks))
    if ways.discount == "zipf":
        return 1.0 / ranks
    if ways.discount == "none":
        return np.ones(n)
    return 1.0 / (np.log(ranks + 1) if ways.discount == "natural" else np.log2(ranks + 1))


def _discounted(view: View, worth: F64, inside: Bool, ways: Ways) -> F64:
    weight = _discounts(worth.shape[1], ways) * inside
    if view.first is None or view.last is None:
        return _sum(_terms(worth * weight, ways))
    sums = np.concatenate([[0.0], np.cumsum(weight)])
    mean = (sums[view.last] - sums[view.first - 1]) / (view.last - view.first + 1)
    return _sum(_terms(worth * mean, ways))


def _terms(terms: F64, ways: Ways) -> F64:
    return np.floor(terms * 100 + 1e-9) / 100 if ways.terms == "floor-2" else terms


def _ideal(view: View, worth: F64, pool: F64, cutoff: int | None, ways: Ways) -> F64:
    n = len(worth)
    if ways.ideal == "none":
        return np.ones(n)
    if ways.ideal == "slots":
        k = worth.shape[1] if cutoff is None else cutoff
        return np.full(n, _discounts(k, ways).sum())
    lists = {"returned": worth, "shown": worth[:, :cutoff]}
    best: F64 = -np.sort(-lists.get(ways.ideal, pool), axis=1)
    upto = np.full(n, best.shape[1] if cutoff is None or ways.ideal == "uncut" else cutoff)
    if ways.ideal == "hits":
        upto = np.minimum(upto, view.returned)
    use = np.arange(1, best.shape[1] + 1) <= upto[:, None]
    return _sum(_terms(best * _discounts(best.shape[1], ways) * use, ways))


def _none(table: Bool) -> Bool:
    """Which rows hold nothing that is true."""
    none: Bool = np.logical_not(table.any(axis=1))
    return none


def _sum(table: F64) -> F64:
    total: F64 = table.sum(axis=1)
    return total


def _over(numerator: F64 | I64, denominator: F64 | I64) -> F64:
    out = np.zeros(len(numerator))
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def rounded(found: PerQuery, ways: Ways) -> F64:
    """The value of each query as it is shown: what is undefined is NaN, 0 or 1."""
    value = found.value
    if ways.undefined == "out":
        value = np.where(found.nothing, np.nan, value)
    elif ways.undefined == "one":
        value = np.where(found.nothing, 1.0, value)
    elif ways.undefined == "one-unseen":
        value = np.where(found.unseen | found.nothing, 1.0, value)
    elif ways.undefined == "skip-unseen":
        value = np.where(found.unseen | found.nothing, np.nan, value)
    if ways.rounding == "floor-2":
        return np.floor(value * 100 + 1e-9) / 100
    if ways.rounding == "ceil-4":
        return np.ceil(value * 1e4 - 1e-9) / 1e4
    if ways.rounding != "none":
        places = 10.0 ** int(ways.rounding)
        return np.floor(value * places + 0.5 + 1e-9) / places  # half up, as tools do
    return value


def counted(lists: Lists, value: F64, ways: Ways) -> Bool:
    """Which queries the mean is over."""
    sets = {
        "judged": lists.judged,
        "both": lists.judged & lists.answered,
        "run": lists.answered,
        "nonempty": lists.judged & (lists.returned > 0),
        "found": lists.judged & (np.nan_to_num(value) > 0),
    }
    which = sets[ways.queries].copy()
    if ways.queries == "run":
        return which & (~np.isnan(value) | ~lists.judged)
    return which & ~np.isnan(value)


def mean(lists: Lists, value: F64, ways: Ways) -> float:
    """The mean over the queries that count; NaN when none does."""
    which = counted(lists, value, ways)
    known = np.where(lists.judged, value, 0.0)  # a query that nobody judged has no relevant document to find
    return float(known[which].mean()) if which.any() else float("nan")
