"""What a comparison says: the answer, every measure, every segment, and what hangs on what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report import companions
from assay.report.bounds import lines, noise_lines, table
from assay.report.dossier import ordered
from assay.report.figures import count, number, percent
from assay.report.page import (
    Cell,
    Column,
    Fact,
    Facts,
    Heading,
    Page,
    Part,
    Prose,
    Table,
    Value,
    Whisker,
    view,
)
from assay.report.staged import stage_table, together
from assay.report.verdicts import (
    FEWEST,
    first_lines,
    first_of,
    interval_words,
    method,
    p_head,
    p_value,
    p_words,
    pairs,
    spread,
    verdict,
)
from assay.report.whiskers import shared
from assay.report.words import IN_FACTS, averaging, definitions, made, order, remarks

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison, Difference, Family, Segment, WeightedDifference

SHOWN = 3
"""The worst losses that a terminal names."""
COUNTED = ("wins", "losses", "ties")
LONGEST = 14
"""Letters of a run's name that may stand above a column of numbers; the title of the table names both runs."""
MANY_PAIRS = 6
"""More pairs than this have no table of segments each on a page; the files hold them."""


@view("Comparison")
def page(comparison: Comparison, *, per_query: bool = False, tests: bool = False, page_hint: bool = True) -> Page:
    """The page of a comparison.

    Args:
        comparison: what `compare` gave.
        per_query: whether every query of the primary measure is listed.
        tests: whether every test is listed, with what it supposes.
        page_hint: whether it says how to get the report.
    """
    found = pairs(comparison)
    title = " and ".join([*(c for _, c in found[:3])]) + f" against {comparison.baseline}"
    if comparison.all_pairs:
        title = f"{len(comparison.candidates) + 1} systems, all pairs"
    parts: list[Part | None] = [measures(comparison)]
    for pair in found[:MANY_PAIRS]:
        parts += segments(comparison, pair)
    parts += [table(comparison, pair) for pair in found[:MANY_PAIRS]]
    parts.append(stage_table(comparison))
    if tests:
        parts += [companions.title(comparison), companions.tests_table(comparison), companions.tests_facts(comparison)]
    parts.append(Facts(tuple(facts(comparison, page_hint))))
    if per_query:
        parts += every_query(comparison)
    notes = [note for note in (*comparison.notes, *comparison.scores.notes) if note.code not in IN_FACTS]
    parts.append(remarks(dict.fromkeys(notes)))
    return Page(title, first_lines(comparison.says), tuple(part for part in parts if part), how(comparison))


def measures(comparison: Comparison) -> Table:
    """A row a measure and pair, all differences on one axis."""
    several = len(pairs(comparison)) > 1
    axis = shared([end for found in comparison.differences for end in ends(found)])
    head = f"{comparison.level * 100:g} % interval"
    if several:
        columns = [Column("measure", is_grouped=True), Column("baseline", is_name=True, is_grouped=True),
                   Column("candidate", is_name=True), Column("baseline mean", "right", drop=2),
                   Column("mean", "right", drop=2)]  # fmt: skip
        title = "candidate minus baseline"
    else:
        ((baseline, candidate),) = pairs(comparison) or [("", "")]
        title = f"{candidate} minus {baseline}"
        names = (baseline, candidate)
        if max(map(len, names)) > LONGEST:
            names = ("baseline", "candidate")
        # the baseline's mean follows from the other two numbers, so it is the first of the three to go
        columns = [Column("measure"), *(Column(name, "right", drop=2 - at, gap=2) for at, name in enumerate(names))]
    columns += [Column("difference", "right", gap=2), Column(head, is_drawn=True, axis=axis, gap=1),
                Column(head, is_instead=True), Column(p_head(comparison.family), "right", gap=2),
                *(Column(counted, "right", drop=1 if several else 3, is_instead=True) for counted in COUNTED),
                Column("detectable", "right", drop=3, is_instead=True), Column("")]  # fmt: skip
    rows = []
    for found in comparison.differences:
        who: list[Cell] = [found.baseline, found.candidate] if several else []
        rows.append((str(found.measure), *who, Value(found.baseline_mean), Value(found.candidate_mean),
                     *figures(found, comparison)))  # fmt: skip
    return Table(tuple(columns), tuple(rows), name="Measures", title=title)


def figures(found: Difference, comparison: Comparison) -> tuple[Cell, ...]:
    """What stands behind the means of a difference."""
    low, high = (found.interval.low, found.interval.high) if found.interval and found.claim else (None, None)
    p = family_p(found, comparison.family)
    return (
        Value(found.difference, sign=True),
        Whisker(found.difference, low, high),
        spread(found.interval, found.n, found.no_interval_because, found.claim),
        p,
        f"{found.wins:,}",
        f"{found.losses:,}",
        f"{found.ties:,}",
        Value(found.detectable),
        verdict(found),
    )


def family_p(found: Difference, family: Family) -> str:
    """The p of a difference in its family; its own where nothing is corrected."""
    if not found.in_family:
        return "left out" if p_head(family) != "p" else p_value(found.p)
    if found.adjusted is None and found.p is not None:
        return "not resolvable"
    return p_value(found.adjusted)


def ends(found: Difference) -> tuple[float | None, ...]:
    """What an axis must reach for a difference."""
    interval = found.interval if found.claim else None
    return (found.difference, interval.low if interval else None, interval.high if interval else None)


def segments(comparison: Comparison, pair: tuple[str, str]) -> Iterator[Part]:
    """The primary measure by segment, a table a column."""
    several = len(pairs(comparison)) > 1
    kinds = list(dict.fromkeys(segment.kind for segment in comparison.segments))
    for kind in kinds:
        chosen = ordered([segment for segment in comparison.segments if segment.kind == kind])
        table = segment_table(comparison, chosen, kind, pair)
        if table is None:
            continue
        if several:
            yield Heading(f"{pair[1]} against {pair[0]}, {comparison.primary} by {kind}")
        yield table
        told = weighted(comparison, pair) if kind == kinds[0] else ""
        said = " ".join(filter(None, (heterogeneity(comparison, kind, pair), told)))
        if said:
            yield Prose(said)


def segment_table(comparison: Comparison, chosen: list[Segment], kind: str, pair: tuple[str, str]) -> Table | None:
    """A row a segment; under 10 queries wins and losses only, under 25 no interval and no claim."""
    has_traffic = any(segment.traffic is not None for segment in chosen)
    columns = [Column(kind, is_name=True), Column("n", "right", gap=4)]
    columns += [Column("traffic", "right", drop=1, gap=2)] if has_traffic else []
    family = comparison.segment_family if comparison.segment_family and comparison.segment_family.size else None
    columns += [Column("difference", "right", gap=2), Column(f"{comparison.level * 100:g} % interval")]
    columns += [Column(p_head(family), "right", drop=2, gap=2)] if family else []
    columns += [Column("detectable", "right", drop=1, gap=2), Column("wins", "right", drop=1, gap=2),
                Column("losses", "right", drop=1, gap=2), Column("", gap=2)]  # fmt: skip
    rows = []
    for segment in chosen:
        found = first_of(segment.differences, pair, comparison.primary)
        if found is None:
            continue
        traffic: list[Cell] = []
        if has_traffic:
            traffic = [percent(segment.traffic) if segment.traffic is not None else "n/a"]
        shown = found.n >= FEWEST
        rows.append((segment.name, f"{found.n:,}", *traffic, Value(found.difference if shown else None, sign=True),
                     spread(found.interval, found.n, found.no_interval_because, found.claim),
                     *((family_p(found, family) if found.claim else "n/a",) if family else ()),
                     Value(found.detectable if shown else None), f"{found.wins:,}", f"{found.losses:,}",
                     verdict(found)))  # fmt: skip
    return Table(tuple(columns), tuple(rows), name=f"By {kind}") if rows else None


def heterogeneity(comparison: Comparison, kind: str, pair: tuple[str, str]) -> str:
    """Whether the segments of a column differ from one another, as a sentence."""
    for test in comparison.heterogeneity:
        if test.kind == kind and (test.baseline, test.candidate) == pair and test.measure == comparison.primary:
            if test.p is None:
                return f"Whether the segments differ cannot be told: {test.why}." if test.why else ""
            verb = "differ" if test.p < comparison.alpha else "were not shown to differ"
            return f"The segments {verb} from one another (Welch's test, {p_words(test.p)})."
    return ""


BY = {
    ("traffic", "traffic"): "Weighted by traffic",
    ("hajek", "traffic"): "Traffic mean by the chances of being drawn (Hajek)",
    ("hajek", "query"): "Mean over all distinct queries by the chances of being drawn (Hajek)",
    ("hajek", "shares"): "By the shares of the strata",
    ("stratified", "shares"): "Stratified, by the shares of the strata",
    ("horvitz-thompson", "traffic"): "Traffic mean by the known total (Horvitz-Thompson)",
    ("horvitz-thompson", "query"): "Mean over all distinct queries by their number (Horvitz-Thompson)",
}
"""What a weighted difference is, by its estimator and what it estimates."""


def by_weight(found: WeightedDifference) -> str:
    """What a weighted difference is called."""
    return BY.get((found.estimator, found.target), "Weighted")


def weighted(comparison: Comparison, pair: tuple[str, str]) -> str:
    """The weighted difference beside the unweighted one, as a sentence."""
    found = first_of(comparison.differences, pair, comparison.primary)
    if found is None or found.weighted is None:
        return ""
    w = found.weighted
    name = by_weight(w)
    if w.difference is None:
        return f"{name}: n/a, {w.why}."
    interval = interval_words(w.interval) or (f"no interval: {w.why}" if w.why else "")
    said = [f"{number(w.difference, 4, sign=True)}{f' ({interval})' if interval else ''}"]
    if w.p is not None:
        said.append(p_words(w.p))
    if w.effective_n:
        said.append(f"worth {number(w.effective_n, 1 if w.effective_n < 10 else 0)} equally weighted queries")
    return f"{name}: {', '.join(said)}."


def facts(comparison: Comparison, page_hint: bool) -> Iterator[Fact]:
    """Stages, unjudged documents, losses and the method, a line or two each."""
    yield from stages(comparison)
    yield from unjudged(comparison)
    for pair in pairs(comparison)[:1]:
        found = first_of(comparison.differences, pair, comparison.primary)
        if found is not None and found.largest_losses:
            worst = found.largest_losses[:SHOWN]
            yield Fact(
                "Losses",
                (
                    ", ".join(
                        f"{comparison.texts.get(q.query_id, q.query_id)} {number(q.difference, 3, sign=True)}"
                        for q in worst
                    ),
                ),
            )
        if found is not None and found.one_sided:
            what = count(found.one_sided, "query", "queries")
            yield Fact("One-sided", (f"{what} with a value in one system only; left out, and not at random",))
    if not comparison.segments and pairs(comparison) and (told := weighted(comparison, pairs(comparison)[0])):
        yield Fact("Weighted", (told.removesuffix("."),))
    yield Fact("Method", (method(comparison),))
    if comparison.segment_family is not None and comparison.segment_family.size:
        yield Fact("Segments", (second_family(comparison.segment_family, comparison.alpha),))
    reasons: dict[str, list[str]] = {}
    for what, why in left_out(comparison):
        reasons.setdefault(why, []).append(what)
    if reasons:
        said = (f"{why}: {'; '.join(what[:SHOWN])}" + (f" and {len(what) - SHOWN} more" if len(what) > SHOWN else "")
                for why, what in reasons.items())  # fmt: skip
        yield Fact("Left out", tuple(said))
    if page_hint:
        yield Fact("Page", ("--html report.html",))


def second_family(family: Family, alpha: float) -> str:
    """That segments are a family of their own, and what that means for the page as a whole."""
    if family.correction == "none":
        return family.statement
    each = f"each at {100 * alpha:g} %"
    return f"a second family, corrected apart from the totals, {each}: {family.statement}"


def left_out(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """What takes no part in a family, and why; that a segment is small stands in its row."""
    yield from comparison.family.left_out
    if comparison.segment_family is not None:
        small = {d.left_out_because for segment in comparison.segments for d in segment.differences if not d.claim}
        yield from ((what, why) for what, why in comparison.segment_family.left_out if why not in small)


def how(comparison: Comparison) -> Facts:
    """How it was made: the rules for order and averaging, the definitions, the inputs."""
    said = order(comparison.source, (), comparison.scores.notes)
    rules = (*([said] if said else ()), *averaging(comparison.source), *definitions(comparison.scores.measures))
    source = made(comparison.source)
    return Facts((*(source.facts if source else ()), *rules))


def stages(comparison: Comparison) -> Iterator[Fact]:
    """Which stage loses it: over all queries, then the segments where it is another one."""
    if comparison.stages is None:
        for says in comparison.says:
            if says.code == "no-stages":
                yield Fact("Stages", (says.text,))
        return
    said = []
    for system in comparison.candidates:
        own = [stage for stage in comparison.stages.systems if stage.system == system and stage.problem and stage.claim]
        whole = next((stage.problem for stage in own if not stage.kind), "")
        for stage in own:
            if stage.kind and stage.problem == whole:
                continue
            change = next((c for c in comparison.stages.changes if c.candidate == system and (c.kind, c.name) ==
                           (stage.kind, stage.name) and c.sentence), None)  # fmt: skip
            text = f"{stage.name if stage.kind else system}: {stage.problem}"
            text += f"; {change.sentence}" if change and stage.kind else ""
            text += f"; the best order of what was retrieved would reach {number(stage.ceiling.mean, 4)}" if (
                stage.ceiling.mean is not None and stage.problem != "retrieval problem") else ""  # fmt: skip
            said.append(text)
    if said:
        yield Fact("Stages", tuple(said[:MANY_PAIRS]))
    fused = tuple(together(comparison.stages))
    if fused:
        yield Fact("Retrievers", fused[:MANY_PAIRS])


def unjudged(comparison: Comparison) -> Iterator[Fact]:
    """How many of the first documents nobody judged, and what that could do."""
    for pair in pairs(comparison)[:MANY_PAIRS]:
        said = tuple(lines(comparison, pair))
        if said:
            yield Fact("Unjudged", said)
        said = tuple(noise_lines(comparison, pair))
        if said:
            yield Fact("Raters", said)


def every_query(comparison: Comparison) -> Iterator[Part]:
    """Each query's values on the primary measure, worst first."""
    for baseline, candidate in pairs(comparison)[:1]:
        left = comparison.scores.value(comparison.primary, baseline).tolist()
        right = comparison.scores.value(comparison.primary, candidate).tolist()
        rows = [(query, Value(a), Value(b), Value(b - a if a == a and b == b else None, sign=True))
                for query, a, b in zip(comparison.scores.queries, left, right, strict=True)]  # fmt: skip
        rows.sort(key=lambda row: (row[3].x is None, row[3].x or 0.0, row[0]))
        yield Heading("Every query", "worst first")
        columns = (Column("query", is_name=True), Column(baseline, "right"), Column(candidate, "right"),
                   Column("difference", "right"))  # fmt: skip
        yield Table(columns, tuple(rows), name="Every query", tall=True)
