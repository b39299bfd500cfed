"""How much of a difference hangs on documents that nobody judged: ranges, FRAGILE, and the labels that could decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compare.lists import Lists
from assay.compare.ranges import Problem, below_the_lists, posed, scale
from assay.compare.tried import Ends
from assay.compare.tried import ends as labelled
from assay.measures.measure import Measure
from assay.ranking.ranking import F64, I64, Bool, Ranking
from assay.results import kept

NEAR = 1e-12
"""How far a bound must be on the other side of a limit to lie there."""


@kept("bounds")
@dataclass(frozen=True, eq=False)
class Bounds:
    """The range of two values and of their difference, over every grade that unjudged documents could have.

    Every array has one element a judged query, NaN where nothing is defined or was computed.

    Args:
        measure: the measure.
        baseline, candidate: names of the runs.
        depth: unjudged documents down to this rank of either list could have any grade; None looks at whole lists.
        counts: the queries that the means are over, as in the judged data.
        unjudged: unjudged documents of each query in the first ranks of either list.
        now: difference with unjudged documents as not relevant.
        baseline_low, baseline_high, candidate_low, candidate_high, low, high: ranges of both values and the difference.
        inner_low, inner_high: differences that some grades attain, where the range is an outer bound; else its ends.
        sharp: whether the range of the difference is attained.
        may_be_undefined: whether some grades leave the value undefined, because nothing judged is relevant.
        baseline_judged, candidate_judged: mean share of the first k that is judged; None where it cannot be known.
        baseline_condensed, candidate_condensed: means with unjudged documents taken out of the lists; None where the
            measure has no such form.
        why: why nothing was computed; empty when it was.
    """

    measure: Measure
    baseline: str
    candidate: str
    depth: int | None
    counts: Bool
    unjudged: I64
    now: F64
    baseline_low: F64
    baseline_high: F64
    candidate_low: F64
    candidate_high: F64
    low: F64
    high: F64
    inner_low: F64
    inner_high: F64
    sharp: Bool
    may_be_undefined: Bool
    baseline_judged: float | None = None
    candidate_judged: float | None = None
    baseline_condensed: float | None = None
    candidate_condensed: float | None = None
    why: str = ""

    @property
    def is_computed(self) -> bool:
        """Whether the measure has an algorithm."""
        return not self.why

    @property
    def is_sharp(self) -> bool:
        """Whether the range of the mean difference is attained by some grades."""
        return self.is_computed and bool(self.sharp[self.counts].all())

    @property
    def difference(self) -> tuple[float, float] | None:
        """Range of the mean difference; None where it is not computed."""
        return self._means(self.low, self.high)

    @property
    def inner(self) -> tuple[float, float] | None:
        """Mean differences that some grades attain; None where they were not looked for."""
        return self._means(self.inner_low, self.inner_high)

    @property
    def baseline_range(self) -> tuple[float, float] | None:
        """Range of the baseline's mean."""
        return self._means(self.baseline_low, self.baseline_high)

    @property
    def candidate_range(self) -> tuple[float, float] | None:
        """Range of the candidate's mean."""
        return self._means(self.candidate_low, self.candidate_high)

    @property
    def condensed(self) -> float | None:
        """The mean difference of the condensed lists."""
        if self.baseline_condensed is None or self.candidate_condensed is None:
            return None
        return self.candidate_condensed - self.baseline_condensed

    @property
    def n_unjudged(self) -> int:
        """Unjudged documents of all queries that count."""
        return int(self.unjudged[self.counts].sum())

    @property
    def n_undefined(self) -> int:
        """Queries left out that some grades of their unjudged documents would bring in."""
        return int((self.may_be_undefined & (self.unjudged > 0) & ~self.counts).sum())

    def is_fragile(self, limit: float = 0.0) -> bool | None:
        """Whether the range lies on both sides of a limit, so that labels could turn the verdict; None if unknown."""
        ends = self.difference
        return None if ends is None else ends[0] < limit - NEAR and ends[1] > limit + NEAR

    @property
    def says(self) -> str:
        """One sentence without a full stop."""
        ends = self.difference
        if ends is None:
            return f"{self.measure}: range over unjudged documents not computed: {self.why or 'no query counts'}"
        if not self.n_unjudged:
            return f"{self.measure}: everything in the first ranks is judged"
        low, high = (f"{end:+.4f}".replace("-", "−") for end in ends)
        outer = "" if self.is_sharp else " (an outer bound)"
        start = "FRAGILE: " if self.is_fragile() else ""
        text = f"the difference lies between {low} and {high}{outer} whatever the grades of"
        return f"{start}{self.measure}: {text} {self.n_unjudged:,} unjudged documents"

    def _means(self, low: F64, high: F64) -> tuple[float, float] | None:
        if not self.is_computed or not self.counts.any():
            return None
        ends = float(low[self.counts].mean()), float(high[self.counts].mean())
        return ends if np.isfinite(ends).all() else None


def bounds(
    measure: Measure,
    lists: Lists,
    *,
    names: tuple[str, str] = ("baseline", "candidate"),
    counts: Bool | None = None,
    levels: Sequence[float] | None = None,
    depth: int | None = None,
    without: float = 0.0,
) -> Bounds:
    """The range of the values of two runs, and of their difference, for one measure.

    Args:
        measure: the measure.
        lists: both runs and their unjudged documents, see `lists.side_by_side`; at least as deep as needed here.
        names: what the runs are called.
        counts: the queries that the means are over; those with what the measure needs when None.
        levels: grades of the scale; those of the judgments when None.
        depth: how far down either list a document could have any grade; the measure's own cutoff when None.
        without: value of a query without a relevant document, where such queries count in the means.
    """
    judged = lists.baseline.judged
    n = lists.n
    counted = measure.has_relevant(judged) if counts is None else counts
    found = posed(measure, lists, levels, depth)
    looked = lists.inside(measure.cutoff if depth is None else depth) if isinstance(found, str) else found[0]
    unjudged = np.bincount(looked.query, minlength=n).astype(np.int64)
    now = _now(measure, lists.candidate) - _now(measure, lists.baseline)
    shares = [_judged_share(r, measure.cutoff, counted) for r in (lists.baseline, lists.candidate)]
    condensed = [_condensed(measure, r, counted) for r in (lists.baseline, lists.candidate)]
    ends: dict[str, Any]
    tried: Ends | str = ""
    if isinstance(found, str) and not below_the_lists(measure, lists):
        tried = labelled(measure, looked, scale(lists, levels))
    if isinstance(tried, Ends):
        sharp, why, ends = tried.sharp, "", {name: getattr(tried, name) for name in _ENDS}
    elif isinstance(found, str):
        sharp, why, ends = np.zeros(n, np.bool_), tried or found, dict.fromkeys(_ENDS, np.full(n, np.nan))
    else:
        sharp, why, ends = found[1].attained, "", _ends(found[1])
    if not why:
        _with_undefined(ends, counted & ~measure.has_relevant(judged), without)
    return Bounds(
        measure=measure, baseline=names[0], candidate=names[1], depth=looked.depth, counts=counted, unjudged=unjudged,
        now=now, sharp=sharp, may_be_undefined=~measure.has_relevant(judged), why=why, **ends,
        baseline_judged=shares[0], candidate_judged=shares[1],
        baseline_condensed=condensed[0], candidate_condensed=condensed[1],
    )  # fmt: skip


_ENDS = (
    "baseline_low", "baseline_high", "candidate_low", "candidate_high", "low", "high", "inner_low", "inner_high",
)  # fmt: skip


def _ends(found: Problem) -> dict[str, Any]:
    low, high = found.range(-1.0, 1.0)
    inner_low = np.where(found.attained, low, -found.inner(1.0, -1.0))
    inner_high = np.where(found.attained, high, found.inner(-1.0, 1.0))
    ends = (*found.range(1.0, 0.0), *found.range(0.0, 1.0), low, high, inner_low, inner_high)
    return dict(zip(_ENDS, ends, strict=True))


def _with_undefined(ends: dict[str, F64], which: Bool, without: float) -> None:
    """Lets grades leave some queries without a relevant document: then both values are the same, by rule."""
    for name in _ENDS:
        value = without if name.startswith(("baseline", "candidate")) else 0.0
        end = np.fmin if name.endswith("low") else np.fmax  # these pass over NaN
        ends[name] = np.where(which, end(ends[name], value), ends[name])


def _now(measure: Measure, r: Ranking) -> F64:
    return np.where(measure.has_relevant(r.judged), measure.compute(r), np.nan)


def _judged_share(r: Ranking, cutoff: int | None, counts: Bool) -> float | None:
    if cutoff is None or (r.judged.only_relevant and r.judged.unlisted == "unjudged"):
        return None
    shown = np.minimum(r.returned, cutoff)
    use = counts & (shown > 0)
    if not use.any():
        return None
    if r.judged.unlisted == "not-relevant":
        return 1.0
    return float((r.per_query(r.within(cutoff))[use] / shown[use]).mean())


def _condensed(measure: Measure, r: Ranking, counts: Bool) -> float | None:
    """The mean with unjudged documents taken out; None where the measure has no such form."""
    if "judged_only" not in measure.params:
        return None
    values = measure(judged_only=True).compute(r)[counts]
    return float(values.mean()) if len(values) and np.isfinite(values).all() else None
