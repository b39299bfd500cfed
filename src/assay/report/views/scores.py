"""What runs score: means with their spread, each part beside the total, and every query on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assay.report.figures import count, percent
from assay.report.page import Cell, Column, Drawn, Fact, Facts, Heading, Page, Part, Range, Table, Value, view
from assay.report.reading import CLAIM, FEWEST, Line, Reading, line
from assay.report.verification import verification
from assay.report.words import IN_FACTS, averaging, definitions, ids, made, order, remarks, tied
from assay.results import Note
from assay.stats.intervals import BOOTSTRAP_FROM

if TYPE_CHECKING:
    from assay.measures.measure import Measure
    from assay.measures.scores import Coverage, Scores

ALL = "all"
SIDE_BY_SIDE = 60
"""Columns of a terminal that the runs may take beside one another in the table of every query."""
SHORT = {"all values are equal": "all equal"}
"""Reasons for no interval as short as a column wants them."""


@view("Scores")
def page(scores: Scores, **choices: Any) -> Page:
    """The page of scores.

    Args:
        scores: what `evaluate` gave.
        choices: the fields of `Reading`.
    """
    reading = Reading(**choices)
    said = [line(scores, measure, run, reading) for measure in scores.measures for run in scores.runs]
    parts: list[Part | None] = [means(said, reading, head_judged(scores)), *by_part(scores, reading)]
    if reading.per_query:
        parts += every_query(scores)
    if scores.verified is not None:
        parts += verification(scores.verified)
    notes = [*(note for note in scores.notes if note.code not in IN_FACTS), *few(said, scores, reading)]
    notes += stages(scores.measures)
    parts += [Facts(tuple(facts(scores, reading))), remarks(notes)]
    title = f"{', '.join(scores.runs[:4])}{' …' if len(scores.runs) > 4 else ''}"
    return Page(title, (answer(scores, reading),), tuple(part for part in parts if part), made(scores.source))


def answer(scores: Scores, reading: Reading) -> str:
    """The first line."""
    counted = max((coverage.scored for coverage in scores.coverage), default=0)
    runs = count(len(scores.runs), "run")
    what = averages(scores.measures)
    how = (
        f"{what} with {reading.level * 100:g} % intervals over queries."
        if reading.interval != "none"
        else f"{what} over queries."
    )
    return f"{count(counted, 'query', 'queries')}, {runs}. {how}"


def averages(measures: Sequence[Measure]) -> str:
    """What the figures are, as the head of a table."""
    kinds = {measure.average for measure in measures}
    names = {"mean": "Means", "geometric": "Geometric means", "median": "Medians"}
    return names[kinds.pop()] if len(kinds) == 1 else "Averages"


def head_average(measures: Iterable[Measure]) -> str:
    """`mean`, or `average` where some measure has another."""
    return "mean" if all(measure.average == "mean" for measure in measures) else "average"


def head_judged(scores: Scores) -> str:
    """`Judged@10`, or `judged@k` where the cutoffs differ; empty when no measure has one."""
    cutoffs = {m.cutoff for m in scores.measures if m.cutoff is not None}
    return f"Judged@{cutoffs.pop()}" if len(cutoffs) == 1 else "Judged@k" if cutoffs else ""


def means(said: list[Line], reading: Reading, judged: str, name: str = "Means") -> Table:
    """One row a measure and run."""
    is_drawn = all(0 <= entry.mean <= 1 for entry in said if entry.mean is not None)
    columns = [Column("measure", is_grouped=True), Column("run", is_name=True)]
    columns += [Column(head_average(entry.measure for entry in said), "right")]
    columns += [Column("from 0 to 1", is_drawn=True)] if is_drawn else []
    rows = []
    for entry in said:
        enough = entry.n >= FEWEST
        drawn = Drawn(entry.mean, entry.low if enough else None, entry.high if enough else None)
        row: list[Cell] = [str(entry.measure), entry.run, Value(entry.mean), *([drawn] if is_drawn else [])]
        rows.append((*row, *figures(entry, reading, judged, reading.quartiles is not False)))
    behind = figures_columns(reading, judged, None if reading.quartiles is False else 0 if reading.quartiles else 9)
    return Table((*columns, *behind), tuple(rows), name=name)


def figures_columns(reading: Reading, judged: str, quartiles: int | None = None) -> list[Column]:
    """Interval, spread and judged share: what stands behind a mean. `quartiles` is when they may go; None for none."""
    found = [Column(reading.name)] if reading.interval != "none" else []
    found.append(Column("sd", "right", drop=3))
    if quartiles is not None:
        found += [Column(head, "right", drop=quartiles) for head in ("25 %", "median", "75 %")]
    return [*found, Column(judged, "right", drop=2)] if judged else found


def figures(entry: Line, reading: Reading, judged: str, quartiles: bool = False) -> list[Cell]:
    """The cells of `figures_columns`."""
    found: list[Cell] = [interval(entry)] if reading.interval != "none" else []
    found.append(Value(entry.sd, 3))
    found += [Value(q, 3) for q in (entry.q25, entry.median, entry.q75)] if quartiles else []
    return [*found, Value(entry.judged)] if judged else found


def interval(entry: Line) -> Range:
    """The interval; where there are too few queries for one, that is what stands there."""
    if entry.n < FEWEST:
        return Range(None, None, why=f"n/a: n {entry.n}")
    return Range(entry.low, entry.high, why=f"n/a: {SHORT.get(entry.why, entry.why)}" if entry.why else "n/a")


def by_part(scores: Scores, reading: Reading) -> Iterator[Part]:
    """A table for each kind of part, the total in its last rows."""
    for kind in dict.fromkeys(part.kind for part in scores.parts):
        chosen = [part for part in scores.parts if part.kind == kind]
        wants = scores.weights is None and kind not in ("rater", "source")
        lead = "Traffic is not known: pass --topics with a column weight." if wants else ""
        yield Heading(f"By {kind}", lead)
        yield part_table(kind, [(part.name, part.scores) for part in chosen], scores, reading)


def part_table(kind: str, parts: list[tuple[str, Scores]], scores: Scores, reading: Reading) -> Table:
    """One row a part, measure and run; traffic-weighted beside unweighted where the traffic is known."""
    from assay.report.rows import share_of

    has_traffic = scores.weights is not None
    judged = head_judged(scores)
    columns = [
        Column("measure", is_grouped=True),
        Column(kind, is_name=True, is_grouped=True),
        Column("n", "right", is_grouped=True),
    ]
    columns += [Column("traffic", "right", drop=1, is_grouped=True)] if has_traffic else []
    columns += [Column("run", is_name=True), Column(head_average(scores.measures), "right")]
    columns += [Column("weighted", "right")] if has_traffic else []
    columns += figures_columns(reading, judged)
    rows = []
    for measure in scores.measures:
        for name, own in [*parts, (ALL, scores)]:
            for run in scores.runs:
                entry = line(own, measure, run, reading)
                share = share_of(own, scores)
                row: list[Cell] = [str(measure), name, count(entry.n)]
                row += [percent(share) if share is not None else "n/a"] if has_traffic else []
                row += [run, Value(entry.mean)]
                row += [Value(entry.weighted)] if has_traffic else []
                rows.append((*row, *figures(entry, reading, judged)))
    return Table(tuple(columns), tuple(rows), name=f"By {kind}")


def every_query(scores: Scores) -> list[Part]:
    """One row a query, runs of one measure side by side; else a row a query and run. Then the queries left out."""
    head = "Every query"
    columns = [Column("query", is_grouped=True, is_name=True, mono=True)]
    values = scores.values.tolist()
    rows: list[tuple[Cell, ...]] = []
    if len(scores.measures) == 1 and len(scores.runs) > 1 and sum(len(run) + 3 for run in scores.runs) <= SIDE_BY_SIDE:
        head = f"Every query, {scores.measures[0]}"
        columns += [Column(run, "right") for run in scores.runs]
        for q, query_id in enumerate(scores.queries):
            rows.append((query_id, *(Value(values[r][0][q]) for r in range(len(scores.runs)))))
    else:
        columns += [Column("run", is_name=True)] if len(scores.runs) > 1 else []
        columns += [Column(str(measure), "right") for measure in scores.measures]
        for q, query_id in enumerate(scores.queries):
            for r, run in enumerate(scores.runs):
                names = (query_id, run) if len(scores.runs) > 1 else (query_id,)
                rows.append((*names, *(Value(values[r][m][q]) for m in range(len(scores.measures)))))
    found: list[Part] = [Heading(head), Table(tuple(columns), tuple(rows), name=head, tall=True)]
    lists = []
    without = scores.coverage[0].no_relevant if scores.coverage else ()
    if without:
        rule = dict(scores.source.conventions).get("no_relevant", "drop")
        fate = {"drop": "left out", "zero": "counted as 0", "one": "counted as 1"}[rule]
        lists.append(Fact("No relevant", (f"{fate}: {ids(without, 1000)}",)))
    for run, coverage in zip(scores.runs, scores.coverage, strict=True):
        if coverage.missing:
            lists.append(Fact("Missing", (f"{run} lacks {ids(coverage.missing, 1000)}",)))
    return [*found, Facts(tuple(lists))] if lists else found


def facts(scores: Scores, reading: Reading) -> Iterator[Fact]:
    """What was counted, in which order, and what each measure means here."""
    if scores.coverage:
        yield Fact("Counted", tuple(counted(scores)))
    said = order(scores.source, used(scores), scores.notes)
    if said:
        yield said
    yield from averaging(scores.source)
    yield from definitions(scores.measures)
    if head_judged(scores) and any(note.code == "only-relevant-listed" for note in scores.notes):
        yield Fact(head_judged(scores), ("n/a: only relevant documents are listed",))
    if reading.interval == "bootstrap":
        yield Fact("Interval", (f"bootstrap over queries, percentile, seed {reading.seed}",))


def used(scores: Scores) -> Iterator[tuple[str, str]]:
    """What ordered each run."""
    return ((run, coverage.order) for run, coverage in zip(scores.runs, scores.coverage, strict=True))


def counted(scores: Scores) -> Iterator[str]:
    """`240 of 246 judged queries (6 have no relevant document: listed with --per-query)`, then a line a run."""
    first = scores.coverage[0]
    without = len(first.no_relevant)
    text = f"{count(first.scored)} of {count(first.judged)} judged queries"
    if without:
        text += f" ({count(without)} {'has' if without == 1 else 'have'} no relevant document: listed with --per-query)"
    yield text
    for run, coverage in zip(scores.runs, scores.coverage, strict=True):
        if len(scores.runs) > 1 or has_gaps(coverage):
            yield f"{run}: {gaps(coverage, scores)}"


def has_gaps(coverage: Coverage) -> bool:
    """Whether a run leaves anything to say."""
    return bool(coverage.missing or coverage.empty or coverage.unknown or coverage.duplicates or coverage.left_out)


def gaps(coverage: Coverage, scores: Scores) -> str:
    """What a run lacks and what of it does not count."""
    rule = dict(scores.source.conventions).get("missing", "zero")
    worth = {"zero": " (counted as 0)", "skip": " (left out)"}.get(rule, "")
    missing = len(coverage.missing)
    said = [f"{count(coverage.empty)} without results{' (counted as 0)' if coverage.empty else ''}",
            f"{count(missing)} missing{worth if missing else ''}"]  # fmt: skip
    if coverage.unknown:
        said.append(f"{count(coverage.unknown, 'query', 'queries')} that nobody judged")
    if coverage.duplicates:
        said.append(f"{count(coverage.duplicates, 'later copy', 'later copies')} of a document dropped")
    said += [f"{count(rows)} {kind} rows left out" for kind, rows in coverage.left_out]
    return ", ".join(said)


def few(said: list[Line], scores: Scores, reading: Reading) -> Iterator[Note]:
    """Warnings where an interval rests on too few queries to claim anything from it."""
    if reading.interval == "none" or not said:
        return
    smallest = min(entry.n for entry in said)
    sizes = {part.name: max(part.scores.n(m, r) for m in scores.measures for r in scores.runs) for part in scores.parts}
    small = [f"{name} ({count(n)})" for name, n in sizes.items() if n < CLAIM]
    if smallest < CLAIM:
        text = f"{count(smallest, 'query', 'queries')}: below {CLAIM} an interval is no ground to claim anything"
        yield Note("few-queries", text, count=smallest, level="warning")
    elif small:
        text = f"below {CLAIM} queries an interval is no ground to claim anything: {', '.join(small)}"
        yield Note("few-queries", text, count=len(small), level="warning")
    if reading.interval == "bootstrap" and smallest < BOOTSTRAP_FROM:
        text = f"a bootstrap interval covers less than {reading.level * 100:g} % below {BOOTSTRAP_FROM} queries"
        yield Note("bootstrap-few-queries", text, count=smallest, level="warning")


def stages(measures: Sequence[Measure]) -> Iterator[Note]:
    """What a value of the final list cannot tell, unless recall stands beside it."""
    ordered = [str(measure) for measure in measures if measure.about.sees != "no"]
    if ordered and not any(measure.name == "R" for measure in measures):
        text = f"{ordered[0]} cannot tell retrieval from ranking: add R at the depth of the first stage"
        yield Note("no-recall", text)


@view("Collections")
def collections(result: Any, **choices: Any) -> Page:
    """Several collections side by side: a column each, the mean of their means at the end."""
    reading = Reading(**choices)
    columns = [Column("measure", is_grouped=True), Column("run", is_name=True)]
    columns += [Column(name, "right") for name in result.names] + [Column("mean", "right")]
    rows = []
    for measure in result.measures:
        for r in range(len(result.scores[0].runs)):
            names = list(dict.fromkeys(scores.runs[r] for scores in result.scores))
            each = [Value(scores.mean(measure, scores.runs[r])) for scores in result.scores]
            rows.append(
                (str(measure), names[0] if len(names) == 1 else f"run {r + 1}", *each, Value(result.mean(measure, r)))
            )
    size = count(len(result.names), "collection")
    parts: list[Part | None] = [Table(tuple(columns), tuple(rows), name="Means by collection")]
    for name, scores in zip(result.names, result.scores, strict=True):
        own = [line(scores, measure, run, reading) for measure in scores.measures for run in scores.runs]
        parts += [Heading(name, answer(scores, reading)), means(own, reading, head_judged(scores), f"Means of {name}")]
        if reading.per_query:
            parts += every_query(scores)
        if scores.verified is not None:
            parts += verification(scores.verified, name)
        ties = tied(scores.notes)
        parts.append(Facts((Fact("Counted", tuple(counted(scores))), *([Fact("Ties", ties)] if ties else []))))
        parts.append(remarks(note for note in scores.notes if note.code not in IN_FACTS))
    source = result.scores[0].source
    said_order = order(source, [pair for scores in result.scores for pair in used(scores)])
    shared = [*([said_order] if said_order else []), *averaging(source), *definitions(result.measures)]
    parts += [Facts(tuple(shared)), remarks(stages(result.measures))]
    return Page(
        ", ".join(result.names),
        (f"{size}. The mean counts each collection once.",),
        tuple(part for part in parts if part),
        made(result.source),
    )
