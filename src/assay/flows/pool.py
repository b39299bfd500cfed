"""`assay pool`: which pairs to judge, and what each run brought to the judgments and would lose without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import NoRowsError
from assay.flows.choices import Choices, chosen
from assay.flows.evaluate import Reading, _named, as_meant, file_of, measures_of, one_grade_a_pair, prepared, source_of
from assay.flows.taken import taken
from assay.flows.workbench import Workbench
from assay.keys import stream
from assay.results import QUIET, Note, Progress
from assay.tables import Block, Hit, Judgment, Pair, Topic, formulas

if TYPE_CHECKING:
    from assay.compare.pool_audit import PoolAudit
    from assay.judgments.pool import Budget, Listed, Pool, Queue

TAIL_DEPTH = 5
"""How many times deeper than the pool a random tail is drawn from."""

NOBODY = "\0"
"""A document that no run can hold: it lets a query without judgments be asked for."""


def pool_audit(
    runs: Any,
    qrels: Any = None,
    measures: Any = None,
    *,
    depth: int | None = None,
    within_pool: bool = False,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **choices: Any,
) -> PoolAudit:
    """What each run alone brought to the judgments, and what it would lose had it been left out of the pool.

    Args:
        runs: the runs that fed the pool, as in `evaluate`.
        qrels: the judgments.
        measures: as in `evaluate`.
        depth: how far down each run the pool goes; told by where the judgments end when None.
        within_pool: leaves out judged pairs that no run here shows in its first ranks, before anything else.
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found.
        progress: told how far the work has come.
        command: how the result was asked for.
        **choices: as in `evaluate`.
    """
    from assay.compare.pool_audit import pool_audit as audited
    from assay.ranking.shown import collect

    bench = Workbench.open() if bench is None else bench
    held = chosen(bench.workspace, choices)
    reading: Reading = {"format": format, "columns": columns}
    wanted = measures_of(measures, held)
    judgments = bench.table(file_of(bench, qrels, "qrels"), Judgment, **reading, name="qrels")
    held, judgments = as_meant(held, judgments)
    judged = prepared(one_grade_a_pair(judgments, held.conventions), held.conventions)
    wants_rank = held.conventions.order == "rank"
    shown = {
        name: collect(
            bench.blocks(run, **reading, name=name, wants_rank=wants_rank, progress=progress), judged, held.conventions
        )
        for name, run in _named(runs).items()
    }
    found = audited(shown, wanted, depth=depth, within_pool=within_pool)
    return replace(found, source=source_of(bench, held, command))


def pool(
    runs: Any,
    qrels: Any = None,
    *,
    depth: int = 10,
    topics: Any = None,
    lists: Mapping[str, Any] | None = None,
    log: Sequence[Any] = (),
    application: str = "",
    taken_at_least: int = 1,
    first: Any = None,
    queue: Queue = "query",
    tail: float = 0.0,
    at_most: int | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **choices: Any,
) -> Pool:
    """The pairs of query and document to judge: what the runs show first and nobody judged.

    Args:
        runs: the runs that feed the pool, as in `evaluate`; both sides of every comparison that is planned.
        qrels: judgments that exist; their pairs are left out. None: nothing is judged yet.
        depth: how far down each run the pool goes.
        topics: the queries that are asked for; those of the runs when None.
        lists: why to a table of pairs: {"clicked": "clicks.csv", "by hand": "list.csv"}.
        log: what people did: a table of query, document and action, or the events (and queries) of UBI. Clicked and
            bought documents join the pool, of queries whose text is that of a topic.
        application: of UBI: whose records count; those of all when empty.
        taken_at_least: how often a document was clicked or bought.
        first: a table of pairs that stand before everything else: what `assay compare --to-label` wrote.
        queue: "query" or "move-to-front".
        tail: pairs drawn at random from below the depth (to five times the depth), as a share of those above it.
        at_most: no more pairs than these.
        budget: raters, minutes and prices of a judgment.
        seed: of the order inside a query and of the tail.
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found.
        progress: told how far the work has come.
        command: how the result was asked for.
        **choices: as in `evaluate`.

    Raises:
        InputError: a run cannot be read, or no query is asked for.
    """
    from assay.judgments.pool import Listed
    from assay.judgments.pool import pool as pooled
    from assay.ranking.mismatch import why_nothing_in_common
    from assay.ranking.shown import collect

    bench = Workbench.open() if bench is None else bench
    held = chosen(bench.workspace, choices)
    reading: Reading = {"format": format, "columns": columns}
    named = {name: bench.table(run, Hit, **reading, name=name) for name, run in _named(runs).items()}
    rows = None if qrels is None else file_of(bench, qrels, "qrels")
    judgments = None if rows is None else bench.table(rows, Judgment, **reading, name="qrels")
    asked = None if topics is None else bench.table(topics, Topic, name="topics")
    known = _pairs(judgments) if judgments is not None else []
    deciding, notes = _deciding(bench, first)
    found = [Listed("deciding", deciding, True)] if deciding else []
    for why, pairs in (lists or {}).items():
        found.append(Listed(why, list(dict.fromkeys(_pairs(bench.table(pairs, Pair, columns=columns, name=why))))))
    if log:
        more, said = taken(bench, log, asked, application, taken_at_least)
        found += more
        notes += said
    queries = _asked(asked, named, found)
    if judgments is not None and not {query for query, _ in known} & set(queries):
        what, _ = why_nothing_in_common(list(queries), sorted({query for query, _ in known}))
        notes.append(Note("other-queries", f"{what}: no pair is left out", level="warning"))
    judged = prepared(_with_all(queries, judgments, held), held.conventions)
    to = depth * TAIL_DEPTH if tail else depth
    shown = {name: collect([run], judged, held.conventions, to) for name, run in named.items()}
    made = pooled(
        shown, depth=depth, lists=found, known=frozenset(known), queue=queue, tail=tail, at_most=at_most, budget=budget,
        seed=seed, rng=stream(seed, "random tail") if tail else None,
    )  # fmt: skip
    source = replace(source_of(bench, held, command), seed=seed)
    return replace(made, source=source, notes=(*notes, *made.notes))


def _deciding(bench: Workbench, first: Any) -> tuple[list[tuple[str, str]], list[Note]]:
    """Pairs that stand before all others; a table without rows says that nothing would decide."""
    if first is None:
        return [], []
    try:
        return _pairs(bench.table(first, Pair, name="pairs")), []
    except NoRowsError as error:
        return [], [Note("none-first", f"{error.where} holds no pairs: none stands before the others")]


def _pairs(rows: Block) -> list[tuple[str, str]]:
    frame: Any = rows.frame
    return list(zip(map(str, frame["query_id"]), map(str, frame["doc_id"]), strict=True))


def _asked(topics: Block | None, runs: Mapping[str, Block], lists: Sequence[Listed]) -> list[str]:
    """The queries that are asked for: those of the topics, or of every run and list."""
    sources: list[Any] = [run.frame for run in runs.values()] if topics is None else [topics.frame]
    queries = dict.fromkeys(str(query) for frame in sources for query in frame["query_id"])
    if topics is None:
        queries |= dict.fromkeys(query for one in lists for query, _ in one.pairs)
    return list(queries)


def _with_all(queries: Sequence[str], judgments: Block | None, held: Choices) -> Block:
    """The judgments of the queries that are asked for, and one of a document that nobody has where there is none."""
    rows: dict[str, list[tuple[str, float, int]]] = {query: [] for query in queries}
    joined = None if judgments is None else one_grade_a_pair(judgments, held.conventions)
    if joined is not None:
        frame: Any = joined.frame
        for row, (query, doc, grade) in enumerate(zip(frame["query_id"], frame["doc_id"], frame["grade"], strict=True)):
            if str(query) in rows:
                rows[str(query)].append((str(doc), float(grade), row))
    flat = [(query, *one) for query, own in rows.items() for one in own or [(NOBODY, 0.0, -1)]]
    names = ("query_id", "doc_id", "grade")
    *cells, at = zip(*flat, strict=True)
    columns = {name: list(values) for name, values in zip(names, cells, strict=True)}
    if joined is None:
        return Block(columns, lambda row: f"row {row + 1}", "")
    place = joined.place
    return Block(columns, lambda row: place(at[row]), joined.name)


def as_csv(found: Pool) -> bytes:
    """The pairs as a table: query_id, doc_id, order, reason."""
    rows = ([pair.query_id, pair.doc_id, pair.order, pair.reason] for pair in found.pairs)
    return formulas.as_csv(("query_id", "doc_id", "order", "reason"), rows)


def budget_of(raters: int, minutes: float, price: str, currency: str) -> Budget:
    """What is known of the cost of a judgment; prices as they are typed, `0.50:3.00`."""
    from assay.errors import InputError
    from assay.judgments.pool import Budget

    low, _, high = price.partition(":")
    try:
        ends = float(low), float(high or low)
    except ValueError:
        ends = (-1.0, -1.0)
    if not 0 <= ends[0] <= ends[1] < float("inf"):
        raise InputError(f"{price!r} is no price", "--price", "write the lowest and the highest, 0.50:3.00")
    return Budget(0, raters, minutes, *ends, currency)
