"""What a ranking would have earned on a log: the number with its interval, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.report.figures import count
from assay.report.log_read import read
from assay.report.page import Cell, Column, Fact, Facts, Heading, Mark, Page, Part, Picture, Range, Table, Value, view
from assay.report.weight_chart import by_weight
from assay.report.words import listed, made, remarks

if TYPE_CHECKING:
    from assay.clicks.off_policy import Counterfactual


@view("Counterfactual")
def page(found: Counterfactual) -> Page:
    """The page of a counterfactual estimate.

    Args:
        found: what `counterfactual` gave.
    """
    caption = (
        "Each pair of bars is a tenth of the impressions, the likeliest to be looked at first: its share of all "
        "weights, and of the estimate."
    )
    parts: list[Part | None] = []
    if found.reasons:
        parts += [Heading("Why there is no number"), why(found)]
    if found.worst < found.best:
        parts += [Heading("How low, how high", "Worst cases of what the log does not say."), bounds(found)]
    if found.segments:
        parts += [Heading("By segment", "Each by its own propensities; intervals as counts alone allow."),
                  segments(found)]  # fmt: skip
    parts += [
        Heading("By estimator", "From the same log; errors as counts alone allow."),
        estimators(found),
    ]
    if found.tenths:
        chart = Picture(caption, lambda width: by_weight(found.tenths, _chance(found), width), 560,
                        is_beside=True)  # fmt: skip
        parts += [Heading("Who carries the estimate"), chart, tenths(found)]
    parts += [Facts(tuple(facts(found))), remarks(found.notes)]
    return Page("Counterfactual", answer(found), tuple(part for part in parts if part), made(found.source))


def answer(found: Counterfactual) -> tuple[Cell, ...]:
    """The number with what it is compared to, or that there is none."""
    what = f"{found.measure} of {found.target} on {_searched(found)}"
    if found.value is None:
        rules = ", ".join(one.rule for one in found.reasons)
        return (Mark("unsure", f"{what} cannot be told: {rules}.", "NO NUMBER"),)
    head = f"{what}: {found.value:.4f} ({_span(found.low, found.high)}), {found.estimator}."
    if found.difference is None or found.difference_low is None or found.difference_high is None:
        return (head,)
    tone, label = "unsure", "NOT TOLD APART"
    if found.difference_low > 0:
        tone, label = "better", "MORE"
    elif found.difference_high < 0:
        tone, label = "worse", "LESS"
    said = (f"than what the log showed ({found.logged:.4f}): {found.difference:+.4f} "
            f"({found.difference_low:+.4f} to {found.difference_high:+.4f}).")  # fmt: skip
    return (head, Mark(tone, said if label != "NOT TOLD APART" else said.replace("than", "from", 1), label))  # type: ignore[arg-type] # a tone


def _searched(found: Counterfactual) -> str:
    """On what the ranking was valued: on all of the log, or on which part."""
    things = "searches" if found.scale == "a search" else "showings"
    if found.searches == found.all_searches:
        return f"the {found.searches:,} {things} of the log"
    of = f" ({listed(_weighed(found))})" if _has_left_out(found) else ""
    return f"{found.searches:,} of the {found.all_searches:,} {things} of the log{of}"


def _weighed(found: Counterfactual) -> list[str]:
    return [one.name for one in found.segments if one.supported is not None]


def _has_left_out(found: Counterfactual) -> bool:
    """Whether searches of some segments do not count, as these have no curve that fits."""
    return any(one.supported is None and one.searches for one in found.segments)


def _span(low: float | None, high: float | None) -> str:
    return "error not known" if low is None or high is None else f"{low:.4f} to {high:.4f}"


def why(found: Counterfactual) -> Table:
    """Each rule that refuses."""
    rows: tuple[tuple[Cell, ...], ...] = tuple((one.rule, one.says) for one in found.reasons)
    return Table((Column("rule"), Column("what was found", is_prose=True)), rows, name="Reasons")


def bounds(found: Counterfactual) -> Table:
    """Worst cases of what was never seen."""
    columns = (Column("if", is_prose=True), Column("value", "right"))
    rows: tuple[tuple[Cell, ...], ...] = (
        (found.worst_means, Value(found.worst)),
        (found.best_means, Value(found.best)),
    )
    return Table(columns, rows, name="Bounds")


def segments(found: Counterfactual) -> Table:
    """What the ranking would have earned in each segment."""
    is_refused = any(one.why for one in found.segments)
    columns = (
        Column("segment", is_name=True), Column("searches", "right", drop=1), Column("value", "right"),
        Column("95 % interval"), Column("log showed", "right", drop=2), Column("difference", "right"),
        Column("95 % of it"), Column("supported", "right", drop=3),
        *((Column("refused by", is_prose=True),) if is_refused else ()),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.name, f"{one.searches:,}", Value(one.value), Range(one.low, one.high), Value(one.logged),
         Value(one.difference, sign=True), Range(one.difference_low, one.difference_high, sign=True),
         "n/a" if one.supported is None else f"{100 * one.supported:.0f} %",
         *((one.why,) if is_refused else ()))
        for one in found.segments
    )  # fmt: skip
    return Table(columns, rows, name="Segments")


def estimators(found: Counterfactual) -> Table:
    """What each estimator says."""
    columns = (Column("estimator"), Column("value", "right"), Column("error", "right"),
               Column("mean weight", "right", drop=1), Column("refused by", is_prose=True))  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.name, Value(one.value), Value(one.se), Value(one.mean_weight), one.why) for one in found.others
    )
    return Table(columns, rows, name="Estimators")


def tenths(found: Counterfactual) -> Table:
    """Impressions by how likely they are looked at."""
    columns = (Column(_chance(found)), Column("impressions", "right"), Column("clicks", "right"),
               Column("of the weights", "right"), Column("of the estimate", "right"))  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (Range(one.high, one.low, 4), f"{one.impressions:,}", f"{one.clicks:,}", f"{100 * one.weight:.1f} %",
         f"{100 * one.value:.1f} %")
        for one in found.tenths
    )  # fmt: skip
    return Table(columns, rows, name="Impressions by weight")


def _chance(found: Counterfactual) -> str:
    """What weights are one over."""
    return "propensity" if found.scale != "a search" or found.estimator in ("ips", "snips") else "exposure"


def facts(found: Counterfactual) -> Iterable[Fact]:
    """What the estimate rests on."""
    yield Fact("Clicks", (f"{found.clicks:,} on its documents, which weigh {found.weighed:,.0f} together; worth "
                          f"{found.effective_clicks:,.0f} of equal weight",))  # fmt: skip
    yield Fact("Impressions", (f"worth {found.ess:,.0f} of equal weight (100 at least)",))
    error = "" if found.mean_weight_se is None else f" (error {found.mean_weight_se:.4f})"
    yield Fact("Mean weight", (f"{found.mean_weight:.4f}{error}",))
    yield Fact("Largest weight", (f"{found.largest:,.1f} times the mean, {100 * found.largest_share:.2g} % of all",))
    yield Fact("Supported", (f"{100 * found.supported:.1f} % of the discounts fall on documents with evidence (90 % at "
                             "least)",))  # fmt: skip
    if found.scale == "a search":
        yield Fact("Searches", (f"{found.searches:,} of {found.all_searches:,}, of "
                                f"{count(found.queries, 'query', 'queries')}",))  # fmt: skip
    yield Fact("Propensities", (found.propensities + _fits(found),))
    more = ""
    if found.se and found.se_propensities:
        more = f"; the propensities have {100 * (found.se_propensities / found.se) ** 2:.0f} % of the variance"
    yield Fact("Error", (found.errors + more,))
    if found.log is not None:
        yield from read(found.log)


def _fits(found: Counterfactual) -> str:
    if found.fits is None:
        return ""
    if not found.fits:
        return "; their model does not fit"
    whose = f"the model in {listed(_weighed(found))}" if _has_left_out(found) else "their model"
    return f"; nothing speaks against {whose}"
