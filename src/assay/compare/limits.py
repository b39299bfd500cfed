"""Evidence of a difference against a limit: interval, queries enough, both sides defined, unjudged documents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compare.columns import NO_VALUE, Column
from assay.compare.comparison import CLAIM
from assay.compare.differences import ONE_SIDED
from assay.compare.first_lines import signed
from assay.compare.rule import F64, LEVEL, Bool, Check, Facts, Outcome, Relation, Remedy, Status, decided
from assay.compare.unjudged import NEAR
from assay.errors import InputError, did_you_mean
from assay.measures.measure import Measure
from assay.stats.intervals import t_interval
from assay.stats.power import queries_to_pass
from assay.stats.weighted import hajek

POWER = 0.8
"""Chance to pass that queries are planned for."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The difference on one measure over one set of queries; above 0 is better whatever the measure.

    Args:
        n: pairs.
        mean: None without a pair.
        low, high: 90 % t interval; the value itself where all differences are equal; None below two pairs.
        sd: standard deviation; None below two pairs or where all are equal.
        is_constant: all differences are equal.
        unusable_because: why nothing may be concluded; empty when something may.
    """

    n: int
    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    is_constant: bool
    unusable_because: str

    @property
    def one_sided_because(self) -> str:
        """Why, where values on one side only are the reason."""
        return self.unusable_because if "one side only" in self.unusable_because else ""

    @property
    def usable(self) -> bool:
        """Whether something may be concluded."""
        return not self.unusable_because

    def lies_above(self, limit: float) -> bool:
        """Whether the lower end does."""
        return self.usable and self.low is not None and self.low > limit

    def lies_below(self, limit: float) -> bool:
        """Whether the upper end does."""
        return self.usable and self.high is not None and self.high < limit


def every_query(facts: Facts, measure: str) -> tuple[Column, str]:
    """The differences of all queries, and what they are about."""
    return column_of(facts, measure)


def column_of(
    facts: Facts, measure: str, segment: str = "", *, kind: str | None = None, name: str = ""
) -> tuple[Column, str]:
    """The differences of one measure over all queries or a segment, and what they are about.

    Args:
        facts: the change.
        measure: as the rule file spells it.
        segment: the name of a segment of any column; all queries when empty.
        kind: the column of the segment, when `name` is given instead.
        name: the segment in that column.
    """
    found = facts.measures[measure]
    scores = facts.comparison.scores
    if kind is None and segment:
        kind, name = _segment(facts, segment)
    which = np.ones(len(scores.queries), np.bool_) if kind is None else facts.sets[kind, name]
    column = Column(
        facts.baseline, facts.candidate, found, kind or "", name if kind is not None else "all", which,
        scores.value(found, facts.baseline), scores.value(found, facts.candidate),
    )  # fmt: skip
    if not column.direction:
        raise InputError(
            f"neither high nor low values of {found} are good, so no rule can be about it",
            remedy="name another measure",
        )
    return column, where_of(column)


def where_of(column: Column, weights: F64 | None = None) -> str:
    """`nDCG@10, tail`, `nDCG@10, all by traffic`."""
    turned = "" if column.direction > 0 else " (lower is better: gains are above 0)"
    return f"{column.measure}, {column.name}{'' if weights is None else ' by traffic'}{turned}"


def weights_of(facts: Facts, weights: str) -> F64 | None:
    """What each query counts in a rule with `weights = "traffic"`; None where all count alike.

    Weights of a sample are traffic over the chance to be drawn. A query without traffic counts nothing.
    """
    if not weights:
        return None
    held = facts.comparison.scores.weights
    if held is None or not (np.nan_to_num(held) > 0).any():
        raise InputError(
            'the rule says weights = "traffic", and the traffic of no query is known',
            remedy="pass --topics with a weight column, or leave weights out",
        )
    return held


def _segment(facts: Facts, segment: str) -> tuple[str, str]:
    found = [(kind, name) for kind, name in facts.sets if name == segment]
    if len(found) == 1:
        return found[0]
    names = list(dict.fromkeys(name for _, name in facts.sets))
    if found:
        kinds = " and ".join(kind for kind, _ in found)
        raise InputError(f"the segment {segment} is in {kinds}", remedy="compare --by one of them")
    raise InputError(
        f"there is no segment {segment}{did_you_mean(segment, names)}",
        remedy=f"the segments are {', '.join(names)}" if names else "pass --topics with a segment column",
    )


def seen(facts: Facts, column: Column, weights: F64 | None = None) -> Seen:
    """What is seen of a column of differences, and whether anything may be concluded from it.

    Args:
        facts: the change.
        column: the differences.
        weights: what each query counts; all alike when None. The mean and its interval are then Hajek's, and the claim
            needs queries that are worth 25 of equal weight.
    """
    d = column.known * column.direction
    n, total = len(d), int(column.which.sum())
    one_sided = int((column.which & (np.isnan(column.before) != np.isnan(column.after))).sum())
    why = ""
    if one_sided > ONE_SIDED * total:
        why = f"{one_sided:,} of {total:,} queries have a value on one side only, and such a loss is not random"
    elif not n:
        why = NO_VALUE
    elif n < CLAIM:
        why = f"{n} {'query' if n == 1 else 'queries'}; a claim needs {CLAIM}"
    if not n:
        return Seen(0, None, None, None, None, False, why)
    if weights is not None:
        return _by_weight(column, weights, why)
    mean = float(d.mean())
    if n > 1 and d.max() == d.min():  # no spread, no t: every query says the same
        return Seen(n, mean, mean, mean, None, True, why)
    interval = t_interval(d, LEVEL)
    if interval is None:
        return Seen(n, mean, None, None, None, False, why)
    return Seen(n, mean, interval.low, interval.high, float(d.std(ddof=1)), False, why)


def _by_weight(column: Column, weights: F64, why: str) -> Seen:
    unknown = int((column.pairs & np.isnan(weights)).sum())
    found = hajek(np.where(column.pairs, column.d * column.direction, np.nan), np.nan_to_num(weights))
    if not why and unknown > ONE_SIDED * len(column.known):
        why = f"{unknown:,} of {len(column.known):,} queries have no weight"
    elif not why and found.effective_n < CLAIM:
        why = f"{found.n:,} queries are worth {found.effective_n:.1f} of equal weight; a claim needs {CLAIM}"
    if found.mean is None:
        return Seen(0, None, None, None, None, False, why or "no query has a weight")
    interval = found.interval(LEVEL)
    if interval is None or found.se is None:
        is_constant = found.n > 1
        end = found.mean if is_constant else None
        return Seen(found.n, found.mean, end, end, None, is_constant, why)
    return Seen(found.n, found.mean, interval.low, interval.high, found.se * math.sqrt(found.n), False, why)


def decided_by(
    rule: Any, facts: Facts, column: Column, where: str, found: Seen, status: Status, why: str, *, limit: float,
    relation: Relation, plan: float, margin: float, weights: F64 | None = None,
) -> Outcome:  # fmt: skip
    """The outcome of a rule that looks at one column of differences."""
    check, remedies = difference_check(
        facts, column, where, found, status, why, limit=limit, relation=relation, plan=plan, margin=margin,
        who="queries" if column.name == "all" and not column.kind else f"{column.name} queries", weights=weights,
    )  # fmt: skip
    return decided(rule, check.status, check.because, (check,), tuple(remedies))


def difference_check(
    facts: Facts, column: Column, on: str, found: Seen, status: Status, why: str, *, limit: float, relation: Relation,
    plan: float, margin: float, who: str, which: Bool | None = None, is_sentence: bool = False,
    weights: F64 | None = None,
) -> tuple[Check, list[Remedy]]:  # fmt: skip
    """One difference against its limit, after what unjudged documents could do to it.

    Args:
        facts: the change.
        column: the differences.
        on: what they are about.
        found: what is seen of them.
        status: what that says.
        why: the same in words that follow the subject.
        limit: where unjudged documents would turn the status.
        relation: how the difference must lie to the limit.
        plan: the true difference that queries are planned for.
        margin: what may be lost.
        who: the queries, in words.
        which: these queries alone count; the pairs of the column when None.
        is_sentence: `why` needs no subject.
        weights: what each query counts; all alike when None.
    """
    subject = f"{column.measure}" if column.name == "all" and not column.kind else f"{column.measure} on {who}"
    subject += "" if weights is None else " by traffic"
    because = why if is_sentence else f"{subject} {why}{_figures(found)}"
    remedies: list[Remedy] = []
    if not found.usable:
        status, because = "INCONCLUSIVE", f"{subject} tells nothing: {found.unusable_because}"
        if found.n < CLAIM:
            remedies.append(queries_remedy(who, column.measure, found, plan, margin))
        elif found.one_sided_because:
            remedies.append(Remedy("captures", "capture the queries that failed again, or find out why they fail"))
        elif found.unusable_because.endswith("no weight"):
            remedies.append(Remedy("input", "give every query its weight in the topics"))
        else:
            text = f"gate on more {who}, drawn so that none has most of the traffic, or leave weights out"
            remedies.append(Remedy("queries", text))
    elif status == "INCONCLUSIVE":
        remedies.append(queries_remedy(who, column.measure, found, plan, margin))
    counted = column.pairs if which is None else which
    if counted.any():
        doubt, labels = _unjudged(facts, column, counted, status, limit, weights)
        remedies[:0] = labels
        if doubt and status != "INCONCLUSIVE":
            status, because = "INCONCLUSIVE", f"{subject} hangs on unjudged documents: {doubt}"
    check = Check(on, relation, limit, found.mean, found.low, found.high, "difference", found.n, status, because)
    return check, remedies if status == "INCONCLUSIVE" else []


def _figures(found: Seen) -> str:
    if found.mean is None:
        return ""
    between = "" if found.low is None or found.is_constant else f" ({signed(found.low)} to {signed(found.high)})"
    return f": {signed(found.mean)}{between}"


def _unjudged(
    facts: Facts, column: Column, counted: Bool, status: Status, limit: float, weights: F64 | None
) -> tuple[str, list[Remedy]]:
    """What unjudged documents could do against the limit, in words; empty when they cannot turn the status."""
    bounds = facts.bounds.get(column.measure)
    if bounds is None:
        if not facts.bounds_unknown_because or all_judged(facts, column, counted):
            return "", []
        why = f"what they could do is not known: {facts.bounds_unknown_because}"
        return why, [Remedy("input", facts.bounds_remedy)]
    unjudged = int(bounds.unjudged[counted].sum())
    if not unjudged:
        return "", []
    share = np.where(counted, 1.0 if weights is None else np.nan_to_num(weights), 0.0)
    share /= share.sum()
    low, high = (float((share * ends)[share > 0].sum()) * column.direction for ends in (bounds.low, bounds.high))
    low, high = min(low, high), max(low, high)
    if not bounds.is_computed or not np.isfinite([low, high]).all():
        why = f"{unjudged:,} of them, and their range is not computed: {bounds.why or 'a value may be undefined'}"
        return why, [Remedy("labels", f"judge the {unjudged:,} documents for {column.measure}", unjudged)]
    turns = low <= limit - NEAR if status == "PASS" else high >= limit + NEAR
    if status == "INCONCLUSIVE":
        turns = low < limit - NEAR and high > limit + NEAR
    if not turns:
        return "", []
    outer = "" if bool(bounds.sharp[counted].all()) else " (an outer bound)"
    why = f"they could move the difference to {signed(low)} or {signed(high)}{outer}, allowed {signed(limit)}"
    if weights is not None:  # the search for the fewest labels counts all queries alike
        unjudged = int(bounds.unjudged[share > 0].sum())
        text = f"judge the {unjudged:,} documents for {column.measure}, those of the queries with most traffic first"
        return why, [Remedy("labels", text, unjudged)]
    return why, _labels(facts, column, counted, limit)


def all_judged(facts: Facts, column: Column, counted: Bool) -> bool:
    """Whether every document in the first ranks of both runs is judged, where that is known."""
    scores = facts.comparison.scores
    at = scores.measures.index(column.measure)
    return all(bool((scores.judged[scores.runs.index(run), at][counted] == 1).all())
               for run in (column.baseline, column.candidate))  # fmt: skip


def _labels(facts: Facts, column: Column, counted: Bool, limit: float) -> list[Remedy]:
    if facts.deciding is None:
        return []
    sides = facts.deciding(column.measure, counted, limit * column.direction)
    if not sides:
        return []
    first = sides[0]
    n = len(first.pairs)
    if not first.decided:
        least = max(first.at_least, n + 1)
        return [
            Remedy(
                "labels",
                f"judge at least {least:,} documents for {column.measure}, these first",
                least,
                None,
                first.pairs,
            )
        ]
    about = "" if first.is_fewest else "about "
    text = (
        f"judge at least {about}{n:,} {'document' if n == 1 else 'documents'} for {column.measure}, these first: "
        f"enough if they come out for {first.winner}"
    )
    return [Remedy("labels", text, n, None, first.pairs)]


def queries_remedy(who: str, measure: Measure, found: Seen, plan: float, margin: float) -> Remedy:
    """How many fresh queries give 80 % power at the planned difference; never at the observed one."""
    if found.sd is None:
        return Remedy(
            "queries", f"gate on at least {CLAIM} {who} for {measure}: the spread of these says nothing", CLAIM
        )
    if plan + margin <= 0:
        return Remedy("queries", f"no number of {who} shows that nothing at all is lost: allow a margin above 0")
    needed = queries_to_pass(plan, found.sd, margin, POWER)
    if needed is None:
        return Remedy("queries", f"no number of {who} is enough for a margin of {margin:.4f}: allow more")
    needed = max(needed, CLAIM)
    true = "if nothing changes" if plan == 0 else f"if the true gain is {plan:.4f}"
    if needed <= found.n:
        text = f"gate on {needed:,} fresh {who} for {measure}: so many pass in 80 % of cases {true}, and these did not"
        return Remedy("queries", text, needed, 0)
    more = needed - found.n
    text = f"gate on {needed:,} fresh {who} for {measure}, {more:,} more than these: they pass in 80 % of cases {true}"
    return Remedy("queries", text, needed, more)
