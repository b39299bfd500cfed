"""Rules on the evidence: enough is judged, both fed the pool, raters agree enough, labels are fresh and human."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.compare.first_lines import signed
from assay.compare.limits import column_of, seen
from assay.compare.rule import F64, Bool, Check, Facts, Outcome, Remedy, Status, decided, rule
from assay.compare.shares import grouped_check, is_share
from assay.errors import InputError
from assay.ranking.ranking import Ranking

CONTRIBUTED = 0.95
"""Share of the documents that a run alone shows from which it counts as pooled."""
UNKNOWN = 0.01
"""Share of labels of which something is not known above which nothing is concluded."""


@rule("judged")
@dataclass(frozen=True, kw_only=True)
class EnoughJudged:
    """Enough of what the candidate shows first is judged.

    Args:
        at_least: the share of the documents in the first k.
        k: how far down; the cutoff of the primary measure when 0.
    """

    label: ClassVar[str] = "enough is judged"
    thresholds: ClassVar[tuple[str, ...]] = ("at_least",)

    at_least: float
    k: int = 0

    def __post_init__(self) -> None:
        is_share("at_least", self.at_least)

    def decide(self, facts: Facts) -> Outcome:
        """By the interval of the share of documents over queries."""
        k = _depth(facts, self.k)
        on = f"Judged@{k}, {facts.candidate}"
        ranking = facts.rankings.get(facts.candidate)
        if ranking is None:
            return _unknown(self, on, "at least", self.at_least, "kept scores hold no lists")
        if ranking.judged.only_relevant and ranking.judged.unlisted == "unjudged":
            remedy = Remedy("input", "say what an absent pair means: --unlisted not-relevant, if that is so")
            return _unknown(self, on, "at least", self.at_least, "the judgments list relevant documents alone", remedy)
        judged, shown = _judged(ranking, k)
        check = grouped_check(on, "at least", self.at_least, judged, shown, "shown documents")
        missing = int((shown - judged).sum())
        remedy = Remedy("labels", f"judge the {missing:,} documents of {facts.candidate} that nobody judged", missing)
        return decided(self, check.status, check.because, (check,), (remedy,))


@rule("pool")
@dataclass(frozen=True, kw_only=True)
class Pool:
    """The judgments do not favour one side: both systems fed the pool, or their judged shares hardly differ.

    Args:
        limit: by how much the judged shares of the first k may differ.
        k: how far down; the cutoff of the primary measure when 0.
    """

    label: ClassVar[str] = "both fed the pool"
    thresholds: ClassVar[tuple[str, ...]] = ("limit",)

    limit: float
    k: int = 0

    def __post_init__(self) -> None:
        is_share("limit", self.limit)

    def decide(self, facts: Facts) -> Outcome:
        """PASS when nearly all that each alone shows is judged, or the shares differ by less than the limit."""
        k = _depth(facts, self.k)
        on = f"Judged@{k}, difference"
        runs = (facts.baseline, facts.candidate)
        rankings = [facts.rankings.get(run) for run in runs]
        if facts.own is None or rankings[0] is None or rankings[1] is None:
            return _unknown(self, on, "at most", self.limit, "kept scores hold no lists")
        shares, missing = [], 0
        for ranking in rankings:
            assert ranking is not None, "looked at above"
            judged, shown = _judged(ranking, k)
            shares.append(float(judged.sum() / max(shown.sum(), 1)))
            missing += int((shown - judged).sum())
        apart = shares[1] - shares[0]
        own = [facts.own(run, k) for run in runs]
        fed = all(judged >= CONTRIBUTED * total for total, judged in own)
        status: Status = "PASS" if fed or abs(apart) < self.limit else "INCONCLUSIVE"
        favoured = runs[1] if apart > 0 else runs[0]
        because = (
            f"both systems fed the pool: {own[0][1]:,} of {own[0][0]:,} and {own[1][1]:,} of {own[1][0]:,} documents "
            "that only one shows are judged"
            if fed
            else f"the judged shares differ by {abs(apart):.4f}"
            + ("" if status == "PASS" else f", allowed {self.limit:.4f}: the judgments favour {favoured}")
        )
        check = Check(on, "at most", self.limit, abs(apart), None, None, "share", k, status, because, "ranks")
        text = f"judge the documents of the first {k} of both that nobody judged, at most {missing:,}"
        remedy = Remedy("labels", text, missing)
        return decided(self, status, because, (check,), (remedy,) if status != "PASS" else ())


@rule("noise_floor")
@dataclass(frozen=True, kw_only=True)
class NoiseFloor:
    """The difference is larger than what disagreement between raters alone produces.

    Args:
        measure: the measure.
        times: how many standard deviations of that noise the difference must reach; 1.96 is the usual floor.
    """

    label: ClassVar[str] = "beyond rater noise"
    thresholds: ClassVar[tuple[str, ...]] = ("times",)

    measure: str
    times: float

    def __post_init__(self) -> None:
        if not 0 < self.times < float("inf"):
            raise ValueError("times is above 0")

    def decide(self, facts: Facts) -> Outcome:
        """INCONCLUSIVE within the noise: no label set of this kind can tell such a difference."""
        column, where = column_of(facts, self.measure)
        remedy = Remedy("raters", "let a second rater judge a sample of the pairs")
        noise = facts.comparison.noise
        if noise is None:
            because = "rater noise is not known: no pair has labels of two raters"
            return _unknown(self, where, "at least", self.times, because, remedy, whole=True)
        found = noise.floor(column.measure, facts.baseline, facts.candidate)
        if found is None or found.sd is None or found.difference is None:
            return _unknown(self, where, "at least", self.times, "no query counts", remedy)
        if one_sided := seen(facts, column).one_sided_because:
            again = Remedy("captures", "capture the queries that failed again, or find out why they fail")
            return _unknown(self, where, "at least", self.times, one_sided, again)
        floor = self.times * found.sd
        size = abs(found.difference)
        status: Status = "PASS" if size > 0 and size >= floor else "INCONCLUSIVE"
        beyond = "beyond" if status == "PASS" else "within"
        because = f"{column.measure} {signed(found.difference)} is {beyond} rater noise, {floor:.4f}"
        check = Check(where, "at least", floor, size, None, None, "difference", found.n, status, because)
        more = Remedy("raters", "let more raters judge each pair, or mend the rubric: their disagreement hides this")
        return decided(self, status, because, (check,), (more,) if status != "PASS" else ())


@rule("stale")
@dataclass(frozen=True, kw_only=True)
class Stale:
    """Few labels are of a text that has changed since, or older than such labels may be.

    Args:
        at_most: their share among the judged documents in the first k of either system.
        k: how far down; the cutoff of the primary measure when 0.
    """

    label: ClassVar[str] = "labels are fresh"
    thresholds: ClassVar[tuple[str, ...]] = ("at_most",)

    at_most: float
    k: int = 0

    def __post_init__(self) -> None:
        is_share("at_most", self.at_most)

    def decide(self, facts: Facts) -> Outcome:
        """By the interval of the share of labels over queries."""
        k = _depth(facts, self.k)
        on = f"stale share, first {k} of both"
        text = "give judgments with doc_hash or judged_at, and the documents by --documents, or days in [judgments]"
        remedy = Remedy("input", text)
        if facts.labels.is_stale is None:
            because = "whether labels are stale is not known: judgments need a doc_hash or judged_at to hold against"
            return _unknown(self, on, "at most", self.at_most, because, remedy, whole=True)
        which = _labels_shown(facts, k, (facts.baseline, facts.candidate))
        stale = facts.labels.is_stale[which]
        unknown = int(np.isnan(stale).sum())
        if unknown > UNKNOWN * len(stale):
            because = f"whether labels are stale is not known for {unknown:,} of {len(stale):,} labels"
            return _unknown(self, on, "at most", self.at_most, because, remedy, whole=True)
        known = stale[~np.isnan(stale)]
        counts, sizes = _by_query(facts, which, stale)
        check = grouped_check(on, "at most", self.at_most, counts, sizes, "labels")
        n = int(known.sum())
        again = Remedy("labels", f"judge the {n:,} stale pairs again: assay judgments due", n)
        return decided(self, check.status, check.because, (check,), (again,))


@rule("human_share")
@dataclass(frozen=True, kw_only=True)
class HumanShare:
    """Enough of the labels of what the candidate shows first come from people.

    Args:
        at_least: their share among the judged documents in the first k.
        k: how far down; the cutoff of the primary measure when 0.
    """

    label: ClassVar[str] = "people judged the top"
    thresholds: ClassVar[tuple[str, ...]] = ("at_least",)

    at_least: float
    k: int = 0

    def __post_init__(self) -> None:
        is_share("at_least", self.at_least)

    def decide(self, facts: Facts) -> Outcome:
        """By the interval of the share of labels over queries."""
        k = _depth(facts, self.k)
        on = f"human share of labels, first {k} of {facts.candidate}"
        if facts.labels.is_human is None:
            remedy = Remedy("input", "give judgments with the column source: human, model or clicks")
            because = "who gave the labels is not known: the judgments name no source"
            return _unknown(self, on, "at least", self.at_least, because, remedy, whole=True)
        which = _labels_shown(facts, k, (facts.candidate,))
        human = facts.labels.is_human[which]
        counts, sizes = _by_query(facts, which, human.astype(np.float64))
        check = grouped_check(on, "at least", self.at_least, counts, sizes, "labels")
        others = int((~human).sum())
        remedy = Remedy("labels", f"let people judge the {others:,} documents that only others judged", others)
        return decided(self, check.status, check.because, (check,), (remedy,))


def _depth(facts: Facts, k: int) -> int:
    if k < 0:
        raise InputError(f"k {k} counts ranks", remedy="write k = 10, or leave it out")
    found = k or facts.comparison.primary.cutoff
    if not found:
        raise InputError(f"{facts.comparison.primary} has no cutoff, so the rule needs a k", remedy="write k = 10")
    return found


def _judged(ranking: Ranking, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Judged and shown documents in the first k of each query."""
    shown = np.minimum(ranking.returned, k).astype(np.float64)
    return (shown if ranking.judged.unlisted == "not-relevant" else ranking.count(k)), shown


def _labels_shown(facts: Facts, k: int, runs: tuple[str, ...]) -> Bool:
    """Which labels are of documents in the first k of any of the runs."""
    rankings = [facts.rankings[run] for run in runs if run in facts.rankings]
    shown = np.zeros(len(rankings[0].judged.grade) if rankings else 0, np.bool_)
    for ranking in rankings:
        shown[ranking.judgment[ranking.within(k) > 0]] = True
    return shown


def _by_query(facts: Facts, which: Bool, counts: F64) -> tuple[F64, F64]:
    """How many of the chosen labels of each query count, and how many are known; NaN in `counts` is not known."""
    known = ~np.isnan(counts)
    rankings = list(facts.rankings.values())
    if not rankings:
        return np.zeros(0), np.zeros(0)
    query = rankings[0].judged.query[which][known]
    return np.bincount(query, counts[known]).astype(np.float64), np.bincount(query).astype(np.float64)


def _unknown(
    rule: object, on: str, relation: str, threshold: float, why: str, remedy: Remedy | None = None, whole: bool = False
) -> Outcome:
    because = why if whole else f"{on} is not known: {why}"
    remedy = remedy or Remedy("input", "give the runs and the judgments instead of kept scores")
    unit = "sd" if relation == "at least" and threshold > 1 else "share"
    check = Check(on, relation, threshold, None, None, None, unit, 0, "INCONCLUSIVE", because)  # type: ignore[arg-type] # a relation
    return decided(rule, "INCONCLUSIVE", because, (check,), (remedy,))
