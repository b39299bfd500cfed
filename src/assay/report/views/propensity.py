"""How likely positions are looked at, whether that explains the clicks, and what the log cannot say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from assay.report.figures import count
from assay.report.log_read import read
from assay.report.page import Cell, Column, Fact, Facts, Heading, Mark, Page, Part, Picture, Range, Table, Value, view
from assay.report.position_chart import GOES_ON, RAW, Line, by_position, goes_on
from assay.report.words import made, remarks

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
        Heading("How likely a position is looked at"),
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
            side_by_side(found.segments, "By segment"),
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
    if found.fits is None:
        head = Mark("unsure", f"{found.verdict}.", "NOT TESTED")
    elif found.fits:
        head = Mark("pass", "nothing in the log speaks against it.", "THE POSITION MODEL FITS")
    else:
        said = "; ".join(one.says for one in found.tests if one.is_against)
        head = Mark("fail", f"{said}. Estimates built on these propensities would be wrong.",
                    "THE POSITION MODEL DOES NOT FIT")  # fmt: skip
    said = worth(found.positions) if found.fits is not False else ""
    return (head, said) if said else (head,)


def worth(shown: Sequence[Examined]) -> str:
    """What clicks further down are worth, each with its interval where it is known; empty where nothing is."""
    said: list[str] = []
    for one in shown:
        if one.position in (2, 5, 10) and one.theta:
            ends = f" ({1 / one.high:.1f} to {1 / one.low:.1f})" if one.low and one.high else ""
            what = f"at position {one.position} is worth {one.weight or 0:.1f}"
            said.append(f"one {what}{ends}" if said else f"A click {what} clicks at position 1{ends}")
    return f"{'; '.join(said)}." if said else ""


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


def side_by_side(curves: Sequence[Curve], name: str) -> Table | None:
    """Several curves, one a column."""
    able = [one for one in curves if not one.why]
    if not able:
        return None
    depth = max(len(one.thetas) for one in able)
    columns = (Column("position", "right"), *(Column(one.name, "right", is_named=True) for one in able))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (str(k + 1), *(Value(one.thetas[k] if k < len(one.thetas) else None, 3) for one in able)) for k in range(depth)
    )
    return Table(columns, rows, name=name)


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
    if found.homogeneity < 0.05:
        return f"The segments differ (p {_p(found.homogeneity)}): one curve for all is wrong in each."
    return f"Nothing says that the segments differ (p {_p(found.homogeneity)})."


def tests(found: Iterable[ModelTest]) -> Iterable[Fact]:
    """What each test of the model said."""
    for one in found:
        name = NAMES.get(one.name, one.name)
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
