"""How likely positions are looked at, whether that explains the clicks, and what the log cannot say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from assay.report.figures import count
from assay.report.log_read import read
from assay.report.page import Cell, Column, Fact, Facts, Heading, Mark, Page, Part, Picture, Range, Table, Value, view
from assay.report.position_chart import GOES_ON, RAW, Line, by_position, goes_on
from assay.report.words import listed, made, remarks

if TYPE_CHECKING:
    from assay.clicks.position_bias import Curve, Examined, ModelTest, PositionBias, TrustLine

HALF = 560
"""Pixels of a chart with its figures at its side."""
FEW = 4
"""Curves whose figures find room beside their chart."""
NAMES = {"chi-square": "Chi-square", "trust": "Trust in the top", "ubm": "Against UBM", "sdbn": "Against SDBN"}


@view("PositionBias")
def page(found: PositionBias) -> Page:
    """The page of propensities.

    Args:
        found: what `propensity` gave.
    """
    shown = found.positions
    raw = Line(RAW, tuple(_scaled(one, shown[0]) for one in shown), is_faint=True)
    curve = Line("propensity", tuple(one.theta for one in shown), tuple(one.low for one in shown),
                 tuple(one.high for one in shown))  # fmt: skip
    caption = (
        "Propensity relative to position 1, 95 % intervals clustered by query. Dashed: click rate on the same scale; "
        "the gap is what a raw comparison would blame on the documents."
    ) + _arrow([curve])
    parts: list[Part | None] = [
        Heading(
            "How likely a position is looked at",
            "Over all segments, which differ: see each below." if found.is_apart else "",
        ),
        Picture(caption, lambda width: by_position([raw, curve], width), HALF, is_beside=True),
        numbers(shown),
    ]
    if found.segments:
        lines = [_line(one, place) for place, one in enumerate(found.segments) if not one.why]
        parts += [
            Heading("By segment", differs(found)),
            Picture(
                "Propensity relative to position 1, by segment, with 95 % intervals." + _arrow(lines),
                lambda width: by_position(lines, width),
                HALF,
                is_beside=len(lines) <= FEW,
            ),
            side_by_side(found.segments, "By segment", found.is_apart),
        ]
    if found.lines:
        parts += [Heading("Trust in high positions", "The click rate of a document of relevance r is alpha r + beta."),
                  lines_of_trust(found.lines)]  # fmt: skip
    parts += [Heading("By other methods", "From the same log; they use less of it."),
              side_by_side(found.checks, "By other methods"),
              Facts((*tests(found.tests), *facts(found))), remarks(found.notes)]  # fmt: skip
    return Page("Position bias", answer(found), tuple(part for part in parts if part), made(found.source))


def _arrow(lines: Sequence[Line]) -> str:
    return f" {GOES_ON}" if goes_on(lines) else ""


def _scaled(one: Examined, first: Examined) -> float | None:
    return one.rate / first.rate if first.clicks and one.impressions else None


def _line(one: Curve, place: int) -> Line:
    return Line(one.name, one.thetas, one.lows, one.highs, place=place)


def answer(found: PositionBias) -> tuple[Mark | str, ...]:
    """Whether the model fits, and what a click further down is worth."""
    against = [one for one in found.tests if one.is_against]
    if found.fits is None:
        head = Mark("unsure", f"{found.verdict}.", "NOT TESTED")
    elif not found.fits:
        there = " there" if found.is_apart else ""
        what = f"{_against(against)}. Estimates built on these propensities would be wrong{there}."
        head = Mark("fail", what, "THE POSITION MODEL DOES NOT FIT")
    elif found.is_apart:
        differ = f"{listed([one.name for one in found.segments if not one.why])} look at positions differently"
        p = _p(found.homogeneity or 0)
        head = Mark("unsure", f"{differ} (p {p}); each fits a curve of its own.", "NOT ONE CURVE FOR ALL")
    else:
        head = Mark("pass", "nothing in the log speaks against it.", "THE POSITION MODEL FITS")
    if found.is_apart:
        wrong = {one.segment for one in against}
        said = worth_by_segment([one for one in found.segments if one.name not in wrong])
    else:
        said = worth(found.positions) if found.fits is not False else ""
    return (head, said) if said else (head,)


def _against(tests: Sequence[ModelTest]) -> str:
    """What speaks against the model, segment by segment where each is tested alone."""
    found: dict[str, list[str]] = {}
    for one in tests:
        found.setdefault(one.segment, []).append(one.says)
    return "; ".join((f"in {name}, " if name else "") + " and ".join(says) for name, says in found.items())


def worth(shown: Sequence[Examined]) -> str:
    """What clicks further down are worth, each with its interval where it is known; empty where nothing is."""
    said: list[str] = []
    for one in shown:
        if one.position in (2, 5, 10) and one.theta:
            what = f"at position {one.position} is worth {one.weight or 0:.1f}"
            ends = _ends(one.low, one.high)
            said.append(f"one {what}{ends}" if said else f"A click {what} clicks at position 1{ends}")
    return f"{'; '.join(said)}." if said else ""


def worth_by_segment(curves: Sequence[Curve]) -> str:
    """What a click further down is worth in each segment, at the deepest of a few positions that all of them know."""
    able = [one for one in curves if not one.why]
    at = next((k for k in (5, 4, 3, 2) if all(len(one.thetas) >= k and one.thetas[k - 1] for one in able)), 0)
    said = [
        f"{1 / (one.thetas[at - 1] or 1):.1f}{_ends(one.lows[at - 1], one.highs[at - 1])} in {one.name}"
        for one in able[:FEW]
        if at
    ]
    return f"A click at position {at} is worth so many at position 1: {', '.join(said)}." if said else ""


def _ends(low: float | None, high: float | None) -> str:
    return f" ({1 / high:.1f} to {1 / low:.1f})" if low and high else ""


def numbers(shown: Sequence[Examined]) -> Table:
    """The positions in figures."""
    columns = (
        Column("position", "right"), Column("shown", "right", drop=2), Column("clicked", "right", drop=2),
        Column("CTR", "right", drop=1), Column("propensity", "right"), Column("95 % interval"),
        Column("a click weighs", "right", drop=1),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            str(one.position), f"{one.impressions:,}", f"{one.clicks:,}", Value(one.rate), Value(one.theta, 3),
            Range(one.low, one.high, 3, why="fixed" if one.position == 1 else one.why or "n/a"),
            Value(one.weight, 1),
        )
        for one in shown
    )  # fmt: skip
    return Table(columns, rows, name="Propensities")


def side_by_side(curves: Sequence[Curve], name: str, has_intervals: bool = False) -> Table | None:
    """Several curves, one a column, each with its intervals where these are asked for."""
    able = [one for one in curves if not one.why]
    if not able:
        return None
    depth = max(len(one.thetas) for one in able)
    columns = [Column("position", "right")]
    rows: list[list[Cell]] = [[str(k + 1)] for k in range(depth)]
    for one in able:
        columns.append(Column(one.name, "right", is_named=True))
        for k, row in enumerate(rows):
            row.append(Value(_at(one.thetas, k), 3))
        if has_intervals:
            columns.append(Column(f"95 % of {one.name}", is_named=True, drop=1))
            for k, row in enumerate(rows):
                row.append(Range(_at(one.lows, k), _at(one.highs, k), 3) if k else Range(None, None, why="fixed"))
    return Table(tuple(columns), tuple(map(tuple, rows)), name=name)


def _at(values: Sequence[float | None], k: int) -> float | None:
    return values[k] if k < len(values) else None


def lines_of_trust(found: Sequence[TrustLine]) -> Table:
    """Slope and intercept by position."""
    columns = (
        Column("position", "right"), Column("alpha", "right"), Column("95 % interval"), Column("beta", "right"),
        Column("95 % interval of beta"),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (str(one.position), Value(one.alpha, 3, why=one.why or "n/a"),
         Range(one.alpha_low, one.alpha_high, 3, why="fixed" if one.position == 1 else "n/a"), Value(one.beta, 3),
         Range(one.beta_low, one.beta_high, 3, why="fixed" if one.position == 1 else "n/a")) for one in found
    )  # fmt: skip
    return Table(columns, rows, name="Trust in high positions")


def differs(found: PositionBias) -> str:
    """Whether one curve would do for all segments."""
    if found.homogeneity is None:
        return "Too little of each segment to say whether they differ."
    if found.is_apart:
        return f"The segments differ (p {_p(found.homogeneity)}): one curve for all is wrong in each."
    if found.homogeneity < 0.05:
        return f"The segments may differ (p {_p(found.homogeneity)}), not so clearly that they are taken apart."
    return f"Nothing says that the segments differ (p {_p(found.homogeneity)})."


def tests(found: Iterable[ModelTest]) -> Iterable[Fact]:
    """What each test of the model said."""
    for one in found:
        name = NAMES.get(one.name, one.name) + (f", {one.segment}" if one.segment else "")
        if one.p is None:
            yield Fact(name, (f"n/a: {one.says}",))
        elif one.is_against:
            yield Fact(name, (f"{one.says} (p {_p(one.p)})",))
        else:
            yield Fact(name, (f"nothing against the model (p {_p(one.p)})",))


def _p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def facts(found: PositionBias) -> Iterable[Fact]:
    """What the estimate rests on."""
    yield Fact("Rests on", (
        f"{count(found.pairs, 'pair')} of query and document that were shown at several positions, for "
        f"{count(found.queries, 'query', 'queries')}",
    ))  # fmt: skip
    yield Fact("Method", (found.method,))
    if found.searches:
        yield Fact("Rivals", (f"fitted to the first two thirds of {count(found.searches, 'search', 'searches')}, and "
                              "held to the rest",))  # fmt: skip
    if found.log is not None:
        yield from read(found.log)
