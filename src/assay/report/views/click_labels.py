"""Labels made of clicks: how many and how good, what position did to the raw order, and what they are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.figures import bare, count, percent
from assay.report.log_read import read
from assay.report.page import Cell, Column, Fact, Facts, Heading, Mark, Page, Part, Picture, Range, Table, Value, view
from assay.report.position_chart import GOES_ON
from assay.report.trap_chart import Row, goes_on, trap
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.clicks.grading import Agreed
    from assay.clicks.labelled import ClickLabels, Trapped, TrapQuery
    from assay.clicks.trap import Share

UNJUDGED = "?"
NOBODY = "–"  # a grade that nobody gave


@view("ClickLabels")
def page(found: ClickLabels) -> Page:
    """The page of labels made of clicks.

    Args:
        found: what `qrels_from_clicks` gave.
    """
    parts: list[Part | None] = [Heading("Which attraction is which grade", too_wide(found)), cuts(found)]
    if found.agreed is not None:
        parts += [Heading("Do they agree with people"), against(found.agreed, found.cuts.levels)]
    for query in found.queries:
        parts += _trap(query)
    parts.append(Facts(tuple(_turned(found))))
    if found.satisfied_by:
        parts += _promises(found)
    parts += [Heading("Where they come from"), Facts(tuple(facts(found))), remarks(found.notes)]
    return Page("Labels from clicks", tuple(answer(found)), tuple(part for part in parts if part), made(found.source))


def answer(found: ClickLabels) -> Iterator[Mark | str]:
    """How many labels there are, and how well they agree."""
    share = found.labels / found.pairs if found.pairs else 0.0
    said = (f"{count(found.labels, 'pair')} of {found.pairs:,} ({percent(share)}) have a grade; the others stay "
            "unjudged.")  # fmt: skip
    if found.despite:
        yield Mark("fail", f"{said} Labels were made all the same: {found.despite}.", "THE POSITION MODEL DOES NOT FIT")
    else:
        yield said
    if found.agreed is not None:
        one = found.agreed
        how = "Graded by cuts that were made from other queries" if is_calibrated(found) else "By these cuts"
        yield (f"{how}, {percent(one.equal)} of {count(one.pairs, 'pair')} get the grade that people gave "
               f"({percent(one.low)} to {percent(one.high)}); one grade for all would reach "
               f"{percent(one.guess)}.")  # fmt: skip
    elif found.judged:
        yield "No pair has both a grade of clicks and one of people: nothing says whether they agree."
    else:
        yield "No human judgments were given: nothing says whether the grades agree with people."


def is_calibrated(found: ClickLabels) -> bool:
    """Whether the cuts come from human grades, and not from whoever asked."""
    return found.calibration.startswith("isotonic")


def too_wide(found: ClickLabels) -> str:
    """How to read the table of cut points: what has a grade, and what has none."""
    reach = "both grades" if len(found.cuts.at) == 1 else "three grades or more"
    return (f"Attraction is the chance of a click when seen. Where its 95 % interval reaches over {reach}, clicks are "
            f"too few to tell which grade it is, and the pair stays unjudged ({UNJUDGED}).")  # fmt: skip


def cuts(found: ClickLabels) -> Table:
    """The cut points and how many labels each grade has."""
    labels = dict(found.grades)
    ends = [0.0, *found.cuts.at]
    rows: list[tuple[Cell, ...]] = []
    for place, level in enumerate(found.cuts.levels):
        start = ends[place]
        from_ = Value(start if start < float("inf") else None, 3, why="never")
        rows.append((bare(level), from_, count(labels.get(level, 0))))
    rows.append((UNJUDGED, Value(None, why=""), count(sum(one.n for one in found.left_out))))
    columns = (Column("grade", "right"), Column("from attraction", "right"), Column("pairs", "right"))
    return Table(columns, tuple(rows), name="Cut points")


def against(agreed: Agreed, levels: tuple[float, ...]) -> Table | None:
    """Human grades by grades of clicks."""
    if len(agreed.table) != len(levels):
        return None
    columns = (Column("people say", "right"), *(Column(f"clicks say {bare(level)}", "right") for level in levels))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (bare(level), *(f"{n:,}" for n in row)) for level, row in zip(levels, agreed.table, strict=True)
    )
    return Table(columns, rows, name="Human grades by grades of clicks")


def _trap(query: TrapQuery) -> tuple[Part, ...]:
    text = f" “{query.text}”" if query.text else ""
    turn = f"{query.back:,} of them clearly {'turns' if query.back == 1 else 'turn'} round when position is taken out."
    lead = f"Raw rates order {count(query.clear, 'pair')} of its documents clearly; {turn}"
    caption = (
        "Most attractive first. Dot: attraction, the chance of a click when seen, with its 95 % interval; hatched: too "
        "wide for a grade. Stroke: raw click rate. The gap between both is what position did."
    )
    rows = tuple(
        Row(one.title or one.doc_id, one.rate, one.attraction, one.low, one.high, one.clicks_say is not None,
            _grade(one.clicks_say, UNJUDGED), _grade(one.people_say, NOBODY)) for one in query.rows
    )  # fmt: skip
    if goes_on(rows):
        caption += f" {GOES_ON}"
    return (Heading(f"The click trap, on one query: {query.query_id}{text}", lead),
            Picture(caption, lambda width: trap(rows, width)), side_by_side(query))  # fmt: skip


def side_by_side(query: TrapQuery) -> Table:
    """The documents of one query by raw order, corrected order and people."""
    columns = (
        Column("document", is_name=True), Column("mean position", "right", drop=3), Column("raw CTR", "right"),
        Column("attraction", "right"), Column("95 % interval", drop=2), Column("raw order", "right", drop=-1),
        Column("corrected", "right"), Column("clicks say", "right"), Column("people say", "right"),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(_row(one) for one in query.rows)
    return Table(columns, rows, name=f"Documents of {query.query_id} by raw clicks, by attraction and by people")


def _row(one: Trapped) -> tuple[Cell, ...]:
    high = Range(one.low, one.high, 3, why=f"from {one.low:.3f}")
    return (one.title or one.doc_id, Value(one.position, 1), Value(one.rate, 3), Value(one.attraction, 3), high,
            str(one.raw_rank), f"{one.rank}{_moved(one.raw_rank - one.rank)}", _grade(one.clicks_say, UNJUDGED),
            _grade(one.people_say, NOBODY))  # fmt: skip


def _moved(by: int) -> str:
    return f" ▲{by}" if by > 0 else f" ▼{-by}" if by < 0 else " ="


def _grade(grade: float | None, otherwise: str) -> str:
    return otherwise if grade is None else bare(round(grade, 2))


def _turned(found: ClickLabels) -> Iterator[Fact]:
    one = found.turned
    if one.turned.share is None:
        yield Fact("Turn round", ("n/a: raw rates order no pair of documents clearly",))
    else:
        yield Fact("Turn round", (
            f"{_share(one.turned)} of the {count(one.turned.n, 'pair')} of documents that raw rates order clearly, "
            f"over {count(one.turned.queries, 'query', 'queries')}, are clearly the other way round when position is "
            f"taken out; {_share(one.unclear)} are no longer clear",
        ))  # fmt: skip
    if one.raw_agrees is not None and one.corrected_agrees is not None and one.gain is not None:
        ends = ""
        if one.gain_low is not None and one.gain_high is not None:
            ends = f", by {one.gain * 100:+.1f} points ({one.gain_low * 100:+.1f} to {one.gain_high * 100:+.1f})"
        yield Fact("Order of people", (
            f"raw rates agree with it on {percent(one.raw_agrees)} of the pairs that people grade differently, "
            f"attraction on {percent(one.corrected_agrees)}{ends}".replace("-", "−"),
        ))  # fmt: skip


def _share(share: Share) -> str:
    if share.share is None or share.low is None or share.high is None:
        return "n/a"
    return f"{share.share * 100:.1f} % ({share.low * 100:.1f} to {share.high * 100:.1f})"


def _promises(found: ClickLabels) -> tuple[Part, ...]:
    whole = "n/a" if found.satisfaction is None else percent(found.satisfaction)
    lead = (f"Satisfied is {found.satisfied_by}; {whole} of all clicks are. {count(found.promised, 'pair')} "
            f"{'attracts' if found.promised == 1 else 'attract'} clearly more than the mean of the log, and "
            f"{'satisfies' if found.promised == 1 else 'satisfy'} clearly less.")  # fmt: skip
    head = Heading("The snippet promises more than the document holds", lead)
    columns = (
        Column("query", is_name=True), Column("document", is_name=True), Column("attraction", "right"),
        Column("95 % interval", drop=2), Column("satisfied", "right"), Column("its 95 % interval", drop=1),
        Column("clicks", "right"),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.query_id, one.doc_id, Value(one.attraction, 3), Range(one.low, one.high, 3), Value(one.satisfaction, 3),
         Range(one.satisfied_low, one.satisfied_high, 3), f"{one.visits:,}") for one in found.promises
    )  # fmt: skip
    return (head, Table(columns, rows, name="Promises")) if rows else (head,)


def facts(found: ClickLabels) -> Iterator[Fact]:
    """What the labels rest on, and what they do not say."""
    for what, file in (("Labels", found.file), ("All pairs", found.pairs_file), ("Project", found.project)):
        if file:
            yield Fact(what, (file,))
    for one in found.left_out:
        yield Fact("Unjudged", (f"{count(one.n, 'pair')}: {one.reason}",))
    yield Fact("Calibration", (found.calibration,))
    if found.agreed is not None:
        one_ = found.agreed
        kappa = "undefined" if one_.kappa is None else f"{one_.kappa:.2f}"
        yield Fact("Agreement", (
            f"kappa with quadratic weights {kappa}; {percent(one_.near)} are one grade off at most; "
            f"{count(one_.judged - one_.pairs, 'pair')} of {one_.judged:,} that people judged have no grade of clicks",
        ))  # fmt: skip
    yield Fact("Positions", (found.positions,))
    yield Fact("Blind to", (
        "relevance: attraction is the chance of a click on what is seen, and a title can promise more than there is; "
        "documents that were never shown",
    ))  # fmt: skip
    if found.log is not None:
        yield from read(found.log)
