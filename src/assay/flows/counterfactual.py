"""`assay counterfactual`: what a new ranking would have earned on the searches of a log, or why the log cannot say."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, NotEnoughEvidence, did_you_mean
from assay.flows.choices import chosen
from assay.flows.click_logs import LogChoices, Paths, notes_of
from assay.flows.counted import Counted
from assay.flows.discounts import Discounts, discounts_of
from assay.flows.known_positions import Positions, positions_of
from assay.flows.lists import run_as_lists
from assay.flows.off_policy_notes import cautions, left_out_notes
from assay.flows.policy import of_policy
from assay.flows.run_names import short_names
from assay.flows.workbench import Workbench
from assay.results import QUIET, Note, Progress, Source

if TYPE_CHECKING:
    from assay.clicks.aim import Aim, Seen
    from assay.clicks.counterfactual import Estimator, Weights
    from assay.clicks.off_policy import Counterfactual, Estimated, Reason
    from assay.clicks.strata import Strata
    from assay.stats.moments import Moments


def counterfactual(
    log: Paths,
    target: Any,
    *,
    measure: str = "DCG@10",
    discounts: str | Sequence[float] | None = None,
    propensities: str | os.PathLike[str] | Mapping[int, float] | None = None,
    estimator: str | None = None,
    clip: float | None = None,
    missing: str = "skip",
    bandit: bool = False,
    choices: LogChoices | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **options: Any,
) -> Counterfactual:
    """What a ranking would have earned on the searches of a log.

    Args:
        log: files, a folder or a glob of what was shown and done; or files of cells.
        target: the run to be valued; with `bandit` a CSV file of documents with their chances by position.
        measure: DCG, nDCG, CG, P, RR or RBP; what a document is worth is its attraction, the chance that who looks at
            it clicks.
        discounts: of ranks from 1 on, in place of the measure.
        propensities: a file that `propensity` wrote, or position to propensity; estimated from the log when None.
        estimator: "policy-aware", "ips", "snips", "clipped" or "dr"; policy-aware when None, "ips" with `bandit`.
        clip: the most that a click may weigh, of "clipped" (10 when None) and "dr" (any when None).
        missing: searches of queries that the run does not have are left out ("skip") or count 0 ("zero").
        bandit: whether rows are documents that were drawn, with the chance that each had in `propensity`.
        choices: how the log is read; `options` when None.
        bench: where the run is found.
        progress: told how far the work has come.
        command: how the result was asked for, kept in it.
        **options: see `LogChoices`.

    Returns:
        An estimate with its 95 % interval; or the reasons why there is none, and how low and high it may be.

    Raises:
        InputError: an input or an option cannot be read.
        NotEnoughEvidence: nothing of the run was ever asked, or propensities can be neither estimated nor read.
    """
    choices = LogChoices(**options) if choices is None else choices
    bench = Workbench.open() if bench is None else bench
    if bandit:
        from assay.clicks.counterfactual import CLIP

        return of_policy(log, target, estimator or "ips", CLIP if clip is None else clip, choices, command)
    asked = _Asked(discounts_of(measure, discounts), _estimator(estimator), clip, missing)
    asked.check()
    name = short_names([target])[0] if isinstance(target, str | os.PathLike) else "run"
    lists, facts = run_as_lists(bench, target, name, chosen(bench.workspace, {}).conventions, None, None, progress)
    given = Counted(log, choices)
    try:
        positions = positions_of(given.cells, given.log, propensities)
        docs = {given.known_as(query): one.docs for query, one in lists.lists.items()}
        return _valued(given, positions, docs, asked, name, [*facts], Source(
            hashes=bench.inputs(), versions=(("assay", _version()),), command=command))  # fmt: skip
    finally:
        given.close()


def _version() -> str:
    from assay import __version__

    return __version__


def _estimator(name: str | None) -> Estimator:
    from assay.clicks.counterfactual import ESTIMATORS

    if name is None:
        return "policy-aware"
    if name not in ESTIMATORS:
        raise InputError(f"no estimator is called {name!r}{did_you_mean(name, ESTIMATORS)}", "--estimator",
                         f"pass one of {', '.join(ESTIMATORS)}")  # fmt: skip
    return next(one for one in ESTIMATORS if one == name)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for."""

    discounts: Discounts
    estimator: Estimator
    clip: float | None
    missing: str

    def check(self) -> None:
        if self.discounts.is_ideal and self.estimator != "policy-aware":
            raise InputError("the ideal of nDCG is made of attractions, which only policy-aware estimates give",
                             f"--estimator {self.estimator}", "leave it out, or pass --measure DCG@10")  # fmt: skip
        if self.clip is not None and not self.clip >= 1:
            raise InputError(f"no click can weigh less than {self.clip:g}", "--clip", "pass a number from 1")
        if self.missing not in ("skip", "zero"):
            raise InputError(f"{self.missing!r} says nothing of absent queries", "--missing", "pass skip or zero")


@dataclass(frozen=True, slots=True)
class _Spread:
    """Errors of an estimate.

    Args:
        se: of the estimate.
        reach: from it to the ends of the interval.
        positions: the part of `se` that errors of the propensities have.
        mean_se: of the mean weight.
        units: people; 0 where counts alone are known.
    """

    se: float
    reach: float
    positions: float
    mean_se: float
    units: int


def _spread(
    given: Counted, positions: Positions, strata: Strata, found: Seen, aimed: Aim, weights: Weights, asked: _Asked
) -> _Spread:
    """By person where the log names people, else as counts alone allow it."""
    from assay.clicks.counterfactual import BY_POSITION
    from assay.clicks.spread import chance_variance, reach
    from assay.clicks.weights import mean_weight

    kind = asked.estimator
    more, more_df = positions.adds(weights.slope)
    _, mean_se = mean_weight(kind, found, aimed)
    units, freedom, variance = 0, math.inf, chance_variance(weights, found, aimed, kind)
    by_person = given.by_person(weights, found, aimed, kind in BY_POSITION, strata)
    if by_person is not None:
        per_search, per_mass, masses = by_person
        units, freedom = round(per_search.n), per_search.n - 1
        known = per_search.variance if kind != "snips" else _scaled(per_mass, aimed, found)
        variance = math.nan if known is None else known
        if kind in BY_POSITION:
            mean_se = math.nan if masses.variance is None else math.sqrt(masses.variance)
    half = math.nan if math.isnan(variance) else reach(variance, freedom, more, more_df)
    return _Spread(math.sqrt(variance + more), half, math.sqrt(more), mean_se, units)


def _valued(
    given: Counted, positions: Positions, lists: Mapping[str, Sequence[str]], asked: _Asked, name: str,
    notes: list[Note], source: Source,
) -> Counterfactual:  # fmt: skip
    import numpy as np

    from assay.clicks.aim import aim, rel_hat, seen
    from assay.clicks.counterfactual import bounds, cut_off, estimate, loose_bounds
    from assay.clicks.ideal import between
    from assay.clicks.logged import difference
    from assay.clicks.off_policy import Counterfactual
    from assay.clicks.segment_values import Known, segment_values
    from assay.clicks.weights import mean_weight, of_ranking, reasons

    cells, kind = given.cells, asked.estimator
    strata = positions.strata(cells)
    listed = strata.lists(lists)
    told = given.searches(bool(strata.segments))
    searches, left_out, listed_out = strata.searches(told, lists)
    if any(listed_out.values()) and not any(searches[query] for query in listed):
        raise _only_left_out(strata, listed_out)
    shown = int(np.bincount(cells.query).max(initial=1))
    ranks = asked.discounts.of(max([1, shown, *(len(docs) for docs in lists.values())]))
    aimed = aim(strata.cells, listed, ranks, is_ideal=asked.discounts.is_ideal, searches=searches,
                absent_count=asked.missing == "zero", names=(list(lists), cells.query_ids))  # fmt: skip
    found = seen(strata.seen, positions.theta, aimed)
    weights, ends = estimate(kind, found, aimed, asked.clip), bounds(found, aimed)
    value, low, high = between(found, aimed, weights.value)
    weighed = of_ranking(kind, found, aimed, asked.clip)
    spread, (mean, _) = _spread(given, positions, strata, found, aimed, weights, asked), mean_weight(kind, found, aimed)
    segments, of_segments = segment_values(
        kind,
        asked.clip,
        strata,
        aimed,
        Known(positions.theta, positions.cov, positions.se, positions.freedom, positions.misfits),
        strata.by_place(ranks),
        left_out if asked.missing == "zero" else listed_out,
    )
    against = reasons(weighed.ess, mean, spread.mean_se, ends.supported, positions.against_all, REMEDY, weighed.clicks)
    against += of_segments
    is_fine = not against
    if any(one.rule in ("propensities", "effective sample") for one in against):
        ends = loose_bounds(found, aimed, ends.supported)
    clicked = found.cells.where((aimed.discount > 0)[found.cells.pair])
    logged = difference(found, aimed, strata.by_place(ranks), positions.adds) if is_fine else None
    queries = {strata.query_ids[at] for at in np.flatnonzero(aimed.searches > 0).tolist()}
    somewhere = queries | strata.left_out(told)
    measure = asked.discounts.measure.name if asked.discounts.measure else ""
    notes = [*notes, *(notes_of(given.read) if given.read else ()), *positions.notes,
             *left_out_notes(strata, positions.misfits),
             *cautions(found, aimed, lists, asked=somewhere, measure=measure, estimator=kind,
                       rankers=len(cells.rankers), clicks=weighed.effective_clicks,
                       cut=cut_off(kind, found, aimed, asked.clip), is_apart=bool(segments))]  # fmt: skip
    return Counterfactual(
        target=name, measure=asked.discounts.name, scale="a search", estimator=kind,
        value=_if(is_fine, value), se=_if(is_fine, spread.se), low=_if(is_fine, low - min(spread.reach, low)),
        high=_if(is_fine, high + spread.reach),
        se_propensities=_if(is_fine, spread.positions), errors=_errors(given, spread.units, positions),
        worst=ends.low, best=ends.high,
        worst_means=ends.low_means, best_means=ends.high_means, supported=ends.supported, reasons=against,
        searches=round(aimed.n), all_searches=round(aimed.all_searches + sum(left_out.values())),
        units=spread.units, queries=len(queries), clicks=round(weighed.clicks),
        weighed=float(rel_hat(clicked, found.theta).sum()), ess=weighed.ess,
        effective_clicks=weighed.effective_clicks, mean_weight=mean, mean_weight_se=_if(True, spread.mean_se),
        largest=weighed.largest, largest_share=weighed.share,
        logged=logged.logged if logged else None, difference=logged.value if logged else None,
        difference_low=logged.low if logged else None, difference_high=logged.high if logged else None,
        others=_others(found, aimed, asked, positions, ends.supported, of_segments), tenths=weighed.tenths,
        propensities=positions.says, fits=positions.fits, log=given.read, segments=segments,
        notes=tuple(notes), source=source,
    )  # fmt: skip


def _only_left_out(strata: Strata, searches: Mapping[str, float]) -> NotEnoughEvidence:
    names = [name for name in strata.segments if searches.get(name)]
    why = "; ".join(f"{name}: {strata.why[strata.segments.index(name)]}" for name in names)
    return NotEnoughEvidence(
        f"queries of the ranking were asked only in {' and '.join(names)}, of which nothing is known ({why})\n"
        "    mend: pass --propensities FILE with curves for these that fit"
    )


REMEDY = "; searches show only some of the documents: pass --estimator policy-aware"


def _if(is_fine: bool, x: float) -> float | None:
    return x if is_fine and not math.isnan(x) else None


def _scaled(per_mass: Moments, aimed: Aim, found: Seen) -> float:
    """The variance of an estimate that is divided by what was shown."""
    expected = float((aimed.discount * found.is_supported) @ aimed.searches[found.query]) / aimed.n
    return math.nan if per_mass.variance is None else per_mass.variance * expected**2


def _errors(given: Counted, units: int, positions: Positions) -> str:
    more = "" if positions.cov is None and positions.se is None else ", and errors of the propensities"
    if not units:
        return f"counts alone: clicks taken as independent, as people are not known{more}"
    log = given.log
    names = (("unit_id", "people"), ("session_id", "sessions"))
    who = next((said for field, said in names if log is not None and log.has(field)), "searches")
    return f"sums over {units:,} {who}{more}"


def _others(
    found: Seen, aimed: Aim, asked: _Asked, positions: Positions, supported: float, beside: tuple[Reason, ...]
) -> tuple[Estimated, ...]:  # fmt: skip
    from assay.clicks.counterfactual import ESTIMATORS, estimate
    from assay.clicks.ideal import drawn_in
    from assay.clicks.off_policy import Estimated
    from assay.clicks.spread import chance_variance
    from assay.clicks.weights import mean_weight, of_ranking, reasons

    rows = []
    for kind in ESTIMATORS if not aimed.has_ideal else ("policy-aware",):
        one = estimate(kind, found, aimed, asked.clip)
        mean, mean_se = mean_weight(kind, found, aimed)
        weighed = of_ranking(kind, found, aimed, asked.clip)
        against = reasons(weighed.ess, mean, mean_se, supported, positions.against_all, clicks=weighed.clicks) + beside
        variance = chance_variance(one, found, aimed, kind) + positions.adds(one.slope)[0]
        why = ", ".join(dict.fromkeys(reason.rule for reason in against))
        rows.append(Estimated(kind, None if why else one.value, None if why else math.sqrt(variance), mean, why))
    if aimed.has_ideal and not rows[0].why:
        drawn = estimate("policy-aware", drawn_in(found), aimed).value
        rows.append(replace(rows[0], name="policy-aware, drawn to the mean", value=drawn))
    return tuple(rows)
