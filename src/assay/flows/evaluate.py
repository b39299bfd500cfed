"""`assay evaluate`: what every run scores, alone and in parts, on one collection or several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from assay.errors import InputError
from assay.files import is_stream
from assay.flows.ageing import ageing, note_on
from assay.flows.by_topics import with_topics
from assay.flows.choices import DEFAULT, Choices, chosen, with_gain
from assay.flows.run_names import short_names
from assay.flows.sampled import Design, sampled
from assay.flows.workbench import Workbench, at_work, is_project, of_row
from assay.ranking.conventions import Conventions
from assay.results import QUIET, Note, Progress, Source
from assay.tables import Block, Hit, Judgment, Topic

if TYPE_CHECKING:
    from assay.flows.exported import Named
    from assay.label_maps import LabelMap
    from assay.measures.collections import Collections
    from assay.measures.measure import Measure
    from assay.measures.score import Scores
    from assay.ranking.ranking import Judged


class Reading(TypedDict):
    """How files are read, where their content does not say it."""

    format: str | None
    columns: Mapping[str, str] | None


JUDGMENT_COLUMNS = ("rater", "source")
"""What `by` may name of the judgments; every other name is a column of the topics."""


def evaluate(
    runs: Any,
    qrels: Any = None,
    measures: Any = None,
    *,
    topics: Any = None,
    documents: Any = None,
    verify: bool = False,
    by: str | Sequence[str] | None = None,
    weighting: str | None = None,
    strata: str | None = None,
    shares: Mapping[str, float] | str | None = None,
    sizes: Mapping[str, int] | str | None = None,
    total: float | None = None,
    average: str | None = None,
    on: str | None = None,
    master: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    labels: str | LabelMap | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **choices: Any,
) -> Scores:
    """Scores one run or several against one set of judgments.

    Args:
        runs: a path, `-`, a dict of dicts {query: {document: score}}, anything with an Arrow stream; or several of
            them, as a list or as a dict of name to run.
        qrels: the judgments, likewise; those of the workspace when None.
        measures: text such as "nDCG@10 R@100", a measure, or a list of either; the settings decide when None.
        topics: a table of queries: text, traffic weight, intent and segment columns.
        documents: the documents as they are now: where judgments say which version they are of (`doc_hash`), the share
            of those that no longer hold is told; see `stale`.
        verify: whether an installed witness (the extra `verify`) recomputes the values; what it says is in `.verified`.
        by: columns whose parts are scored beside the total: of the topics ("segment", "intent", ...) or of the
            judgments ("rater", "source"); by segment, where the topics tell it, when None.
        weighting: how the weighted mean is estimated: "traffic" (column weight), "hajek" or "horvitz-thompson" (column
            inclusion: the chance with which a query was drawn), "stratified" (column stratum, and `shares`); by the
            columns that the topics have when None.
        strata: the column of the topics that holds the stratum; "stratum" when None.
        shares: of the traffic (or of all queries) by stratum, a dict or "head=0.6,tail=0.4".
        sizes: how many queries each stratum has in all, likewise; only where the sample is a large part of them.
        total: traffic of all queries, or their number, which Horvitz-Thompson divides by.
        average: "mean", "geometric" or "median": how the queries become one figure, for measures that do not say it.
        on: "spark" scores runs where they lie: each is a Parquet file, a folder or a glob of them, or an address that
            Spark reads; this machine reads them when None.
        master: the address of Spark; the cores of this machine when None.
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field, such as {"query_id": "qid"}.
        labels: what the labels of judgments are worth: a named map such as "esci", or "{good:2,bad:0}".
        bench: where inputs are found; the current folder's workspace when None.
        progress: told how far the work has come.
        command: how the result was asked for, kept in it.
        **choices: `compat` ("trec_eval-9" or "trec_eval-10": that program's conventions, unless a choice says
            otherwise) and the fields of `ranking.conventions.Conventions`: order, ties, missing, no_relevant,
            unlisted, raters, duplicates, ...; also `gain` and `k`.

    Returns:
        The value of every measure for every judged query and run, with coverage, notes and provenance.

    Raises:
        InputError: the input would give a wrong number, or none.
        EngineError: Spark gave up.
    """
    from assay.judgments.aggregate import split
    from assay.measures.score import Part
    from assay.ranking.segments import SEGMENT, tells_segments

    if on is not None or master is not None:
        from assay.flows.evaluate_on import check_engine

        check_engine(on, master, verify=verify, format=format)
    bench = at_work(bench, labels)
    design = Design(weighting, strata, shares, sizes, total)
    held = chosen(bench.workspace, choices)
    wanted = averaged(measures_of(measures, held), average)
    reading: Reading = {"format": format, "columns": columns}
    named = _named(runs)
    judgments = bench.table(file_of(bench, qrels, "qrels"), Judgment, **reading, name="qrels")
    held, judgments = as_meant(held, judgments)
    parts_by = _names(by)
    is_needed = by is None or any(name not in JUDGMENT_COLUMNS for name in parts_by)
    topics = file_of(bench, topics, "topics", needed=is_needed)
    queries = None if topics is None else bench.table(topics, Topic, name="topics")
    if by is None and queries is not None and tells_segments(queries, held.segments):
        parts_by = [SEGMENT]
    for name in parts_by:
        _check_part(name, judgments, queries)
    is_again = verify or any(name in JUDGMENT_COLUMNS for name in parts_by)
    if is_again and on is None:  # a stream can be read once, and these read again
        named = {name: _again(bench, run, reading) for name, run in named.items()}

    joined = one_grade_a_pair(judgments, held.conventions)
    judged = prepared(joined, held.conventions)
    apart = {
        name: [
            (part, prepared(one_grade_a_pair(rows, held.conventions), held.conventions))
            for part, rows in split(judgments, name)
        ]
        for name in parts_by
        if name in JUDGMENT_COLUMNS
    }
    every = [judged, *(own for parts in apart.values() for _, own in parts)]
    wanted = on_one_scale(wanted, every)
    scored = _scoring(bench, named, every, wanted, held.conventions, reading, progress, on, master)
    scores = scored(judged)
    if queries is not None:
        by_topics = [name for name in parts_by if name not in JUDGMENT_COLUMNS]
        scores = with_topics(scores, queries, by_topics, held, judged)
    scores = sampled(scores, queries, design)
    for name, own in apart.items():
        parts = tuple(Part(name, part, scored(rows)) for part, rows in own)
        scores = replace(scores, parts=(*scores.parts, *parts), _cache={})
    facts = tuple(Note("read", fact) for fact in _facts(joined, queries))
    aged = ageing(bench, judgments, topics=queries, documents=documents)
    notes = (*facts, *([note_on(aged)] if aged else []), *scores.notes)
    scores = replace(scores, labels=aged, notes=notes, source=source_of(bench, held, command), _cache={})
    return _verified(scores, bench, named, joined, held, reading) if verify else scores


def _verified(
    scores: Scores, bench: Workbench, runs: Mapping[str, Any], judgments: Block, held: Choices, reading: Reading
) -> Scores:
    """The scores with what an installed witness says of them."""
    from assay.flows.verify import note, verified

    blocks = {name: bench.table(run, Hit, **reading, name=name) for name, run in runs.items()}
    found = verified(scores, blocks, judgments, held.conventions)
    return replace(scores, verified=found, notes=(*scores.notes, note(found)), _cache={})


def evaluate_collections(
    collections: Mapping[str, tuple[Any, Any]], measures: Any = None, *, bench: Workbench | None = None, **options: Any
) -> Collections:
    """Scores the runs of several collections by the same measures, as BEIR is read.

    Args:
        collections: name to (runs, qrels) of each.
        measures: as in `evaluate`.
        bench: where inputs are found.
        **options: as in `evaluate`, for every collection; nothing is scored apart unless `by` says it.
    """
    from assay.flows.evaluate_on import session
    from assay.measures.collections import Collections

    bench = Workbench.open() if bench is None else bench
    if not collections:
        raise InputError("no collection was given", remedy="pass --collection NAME=RUN,QRELS for each")
    options.setdefault("by", ())  # the topics of a workspace are those of one collection
    with session(options.get("on"), options.get("master")):
        found = [evaluate(runs, qrels, measures, bench=bench, **options) for runs, qrels in collections.values()]
    if len({len(scores.runs) for scores in found}) > 1:
        counts = ", ".join(f"{name} has {len(s.runs)}" for name, s in zip(collections, found, strict=True))
        raise InputError(f"every collection needs the same number of runs: {counts}", remedy="pass as many for each")
    return Collections(names=tuple(collections), scores=tuple(found), source=found[-1].source)


def measures_of(measures: Any, held: Choices) -> list[Measure]:
    """Text, measures or a list of either to measures; the team's own when None."""
    from assay.measures.grammar import parse

    if measures is not None:
        return with_gain(parse(measures), held.wanted.gain)
    for i, one in enumerate(held.measures):
        try:
            parse(one)
        except InputError as error:  # nobody typed it here: say where it stands
            place = held.origin("measures.guardrails" if i else "measures.primary")
            raise InputError(error.what, place, error.remedy) from None
    return with_gain(parse(held.measures), held.wanted.gain)


def averaged(measures: list[Measure], average: str | None) -> list[Measure]:
    """The measures, each once, with this average over queries where they do not say which."""
    if average is None:
        return measures
    return list(dict.fromkeys(m if m.is_given("average") else m(average=average) for m in measures))


def on_one_scale(measures: list[Measure], judgments: Sequence[Judged]) -> list[Measure]:
    """The measures with the highest grade of all these judgments, for those that need the top of the scale."""
    import numpy as np

    levels = np.concatenate([judged.levels for judged in judgments])
    return [measure.on_scale(levels) for measure in measures]


def _named(runs: Any) -> dict[str, Any]:
    """Runs by name. A dict of dicts of numbers is one run; a dict of anything else is name to run."""
    if isinstance(runs, (str, os.PathLike, Block)) or hasattr(runs, "__arrow_c_stream__"):
        runs = [runs]
    elif isinstance(runs, Mapping):
        is_run = all(
            isinstance(x, Mapping) and not any(isinstance(y, Mapping) for y in x.values()) for x in runs.values()
        )
        if runs and not is_run:
            return {str(name): run for name, run in runs.items()}
        runs = [runs]
    elif hasattr(runs, "read"):
        raise InputError(f"an open file ({getattr(runs, 'name', '')}) is no run", remedy="pass its path")
    elif not isinstance(runs, Iterable):
        raise InputError(f"{runs!r:.80} is no run", remedy="pass a path, a dict of dicts, a table, or several of them")
    runs = list(runs)
    if not runs:
        raise InputError("no run was given", remedy="pass at least one run")
    if isinstance(runs[0], Mapping) and len(runs) == 1:
        return {"run": runs[0]}
    return dict(zip(short_names(runs), runs, strict=True))


def file_of(bench: Workbench, x: Any, name: str, needed: bool = True) -> Any:
    """What was given, or the workspace's own file of that name; for judgments also a project of the store, as rows."""
    if x is None and name == "qrels" and bench.workspace is not None and is_project(bench.workspace.paths.qrels):
        x = bench.workspace.paths.qrels
    if name == "qrels" and is_project(x) and not bench.has_file(x):
        from assay.flows.exported import judgments_of

        return judgments_of(bench, x)
    if name == "qrels" and isinstance(x, str) and not bench.has_file(x) and project_meant(bench, x) is not None:
        raise InputError("no such file, but a project of that name", x, f"name the project: project:{x}")
    if x is not None or bench.workspace is None:
        if x is None and name == "qrels":
            raise InputError("no judgments were given", remedy="pass the runs first and the judgments last")
        return x
    found = bench.workspace.file(name)
    if found is None and name == "qrels" and needed:
        raise InputError(
            "no judgments were given", remedy='pass them last, or name them in assay.toml: [paths] qrels = "FILE"'
        )
    return str(found) if found is not None and needed else None


def project_meant(bench: Workbench, x: Any) -> Named | None:
    """The project that is meant by its bare name or by `project:NAME`; None where a file is, or nothing was given."""
    if x is None and bench.workspace is not None:
        x = bench.workspace.paths.qrels
    if not isinstance(x, str) or not x or bench.has_file(x) or not (is_project(x) or bench.workspace is not None):
        return None
    from assay.flows.exported import named

    return named(bench, x)


def _names(by: Any) -> list[str]:
    given = [by] if isinstance(by, str) else () if by is None else by
    if not isinstance(given, Iterable) or not all(isinstance(name, str) for name in given):
        raise InputError(f"by={by!r:.80} names no columns", remedy='pass by="segment", or a list of names')
    return list(dict.fromkeys(name.strip() for name in given if name.strip()))


def _check_part(name: str, judgments: Block, queries: Block | None) -> None:
    """Refuses a part that no table has a column for."""
    if name in JUDGMENT_COLUMNS:
        if name not in judgments.columns:
            raise InputError(f"the judgments have no column {name}", judgments.name, "pass judgments with that column")
    elif queries is None:
        raise InputError(f"--by {name} needs a topics table", remedy=f"pass --topics FILE with a column {name}")


def _again(bench: Workbench, run: Any, reading: Reading) -> Any:
    """The run as something that can be read several times."""
    return bench.table(run, Hit, **reading) if is_stream(run) else run


def as_meant(held: Choices, judgments: Block) -> tuple[Choices, Block]:
    """The choices with what the judgments say of themselves, where nobody chose: that is among their facts then.

    Their format may say what an absent pair is, and their roles that disputes were settled.
    """
    from assay.judgments.roles import ADJUDICATED, has_adjudicators

    said, facts = {}, []
    if judgments.unlisted and held.origin("conventions.unlisted") == DEFAULT:
        said["unlisted"] = judgments.unlisted
        meaning = judgments.unlisted.replace("-", " ")
        facts.append(f"{judgments.name}: an absent pair is {meaning}; --unlisted unjudged says otherwise")
    if held.origin("conventions.raters") == DEFAULT and has_adjudicators(judgments):
        said["raters"] = ADJUDICATED
        facts.append(f"{judgments.name}: disputes were settled; --raters mean leaves adjudicators out")
    if not said:
        return held, judgments
    held = replace(held, conventions=held.conventions.but(**said))
    unlisted = "" if "unlisted" in said else judgments.unlisted
    return held, replace(judgments, facts=(*judgments.facts, *facts), unlisted=unlisted)


def one_grade_a_pair(judgments: Block, conventions: Conventions) -> Block:
    """The grades of several raters as one; what that did is among the facts of the block."""
    from assay.judgments.aggregate import aggregate

    return aggregate(judgments, conventions.raters, duplicates=conventions.duplicates, dimension=conventions.dimension)


def prepared(judgments: Block, conventions: Conventions) -> Judged:
    """The judgments, one grade a pair, ready for every run."""
    from assay.ranking.align import judged

    return judged(judgments, conventions)


def _scoring(
    bench: Workbench, runs: Mapping[str, Any], judgments: list[Judged], measures: list[Measure],
    conventions: Conventions, reading: Reading, progress: Progress, on: str | None, master: str | None,
) -> Callable[[Judged], Scores]:  # fmt: skip
    """What scores the runs by one of these judgments: here, or by all of them at once where the runs lie."""
    if on is None:
        return lambda judged: _scored(bench, runs, judged, measures, conventions, reading, progress)
    from assay.flows.evaluate_on import scored_on_spark

    columns = of_row(reading["columns"], Hit)
    found = scored_on_spark(bench, runs, judgments, measures, conventions, columns, master, progress)
    held = {id(judged): scores for judged, scores in zip(judgments, found, strict=True)}
    return lambda judged: held[id(judged)]


def _scored(
    bench: Workbench, runs: Mapping[str, Any], judged: Judged, measures: list[Measure], conventions: Conventions,
    reading: Reading, progress: Progress,
) -> Scores:  # fmt: skip
    from assay.measures.score import join, score

    found = []
    for name, run in runs.items():
        wants_rank = conventions.order == "rank"
        blocks = bench.blocks(run, **reading, name=name, wants_rank=wants_rank, progress=progress)
        scores = score(blocks, judged, measures, conventions, name)
        facts = [Note("read", fact, run=name) for part in _parts(blocks) for fact in part.facts]
        found.append(replace(scores, notes=(*facts, *scores.notes), _cache={}))
    return join(found)


def _parts(blocks: Any) -> list[Any]:
    """What knows what reading showed: every block in memory, or the stream as a whole."""
    return blocks if type(blocks) is list else [blocks]


def _facts(judgments: Block, topics: Block | None) -> list[str]:
    return [*judgments.facts, *(topics.facts if topics is not None else ())]


def source_of(bench: Workbench, held: Choices, command: str) -> Source:
    """How the result was made."""
    from assay import __version__

    return Source(
        hashes=bench.inputs(),
        versions=(("assay", __version__),),
        conventions=held.conventions.pairs(),
        command=command,
    )
