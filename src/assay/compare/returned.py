"""The range of nDCG where the best order is that of the returned documents: each list has an ideal of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.compare.lists import Lists, Places
from assay.compare.ranges import running
from assay.compare.ratio import highest_ratio
from assay.measures.measure import Measure
from assay.ranking.discounts import discount_function, gain_function
from assay.ranking.ranking import F64, Ranking


def ratio_of_returned(measure: Measure, lists: Lists, r: Ranking, places: Places, levels: F64) -> tuple[F64, F64]:
    """The lowest and highest nDCG(ideal=returned) of one list, float64 of shape (n,); NaN where none is defined.

    Args:
        measure: with its gain, discount and cutoff.
        lists: the unjudged documents of both lists.
        r: one of the lists.
        places: where it shows the unjudged documents.
        levels: grades of the scale, from 0.
    """
    gain: Any = gain_function(measure.params["gain"])  # type: ignore[arg-type] # a gain by its declaration
    worth = np.unique(gain(levels))
    discount, cutoff, n = discount_function(str(measure.params["discount"])), measure.cutoff, lists.n
    adds = lists.weights(discount, cutoff)[0 if places is lists.in_baseline else 1]
    here = np.flatnonzero(places.rank > 0)
    query, adds = lists.query[here], adds[here]
    known = gain(r.grade)
    total = r.per_query(known * r.weighted(discount, cutoff))
    above = np.stack([np.bincount(r.query[known >= x], minlength=n) for x in worth[1:]], axis=1)
    deepest = int(above[:, 0].max(initial=0)) + int(np.bincount(query, minlength=1).max(initial=0))
    steps = discount(np.arange(1, deepest + 1, dtype=np.float64))
    if cutoff is not None:
        steps[cutoff:] = 0.0
    best = np.concatenate([[0.0], np.cumsum(steps)])

    def highest(sign: float) -> F64:
        order = np.lexsort((-sign * adds, query))
        gained = running(query, sign * adds[order], n)
        return highest_ratio(sign * total, query, gained, np.diff(worth), above, best)

    low, high = -highest(-1.0), highest(1.0)
    elsewhere = measure.has_relevant(r.judged)
    elsewhere[lists.query[places.rank == 0]] = True  # an unjudged document of the other list could have a gain
    nothing = elsewhere & (above[:, 0] == 0)  # no gain among those returned: the value is 0, by rule
    low = np.where(nothing, 0.0, low)
    return np.clip(low, 0.0, 1.0), np.clip(np.where(nothing & np.isnan(high), 0.0, high), 0.0, 1.0)
