"""`assay evaluate` and its neighbours: what every run scores, one value explained, one list scored by hand."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, did_you_mean
from assay.flows.choices import Choices, chosen, with_gain
from assay.flows.workbench import Workbench, short_names
from assay.ranking.conventions import Conventions
from assay.results import QUIET, Note, Progress, Source
from assay.tables import Block, Document, Hit, Judgment, Topic

if TYPE_CHECKING:
    from assay.measures.collections import Collections
    from assay.measures.explain import Explanation
    from assay.measures.measure import Measure
    from assay.measures.score import Scores
    from assay.ranking.ranking import Judged, Ranking

Row = tuple[int, str, float | None, bool]
"""Rank, document, score, and whether another document of the list has the same score."""

JUDGMENT_COLUMNS = ("rater", "source")
"""What `by` may name of the judgments; every other name is a column of the topics."""


def evaluate(
    runs: Any,
    qrels: Any = None,
    measures: Any = None,
    *,
    topics: Any = None,
    by: str | Sequence[str] = (),
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
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
        by: columns whose parts are scored beside the total: of the topics ("segment", "intent", ...) or of the
            judgments ("rater", "source").
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field, such as {"query_id": "qid"}.
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
    """
    from assay.judgments.aggregate import split
    from assay.measures.score import Part

    bench = Workbench.open() if bench is None else bench
    held = chosen(bench.workspace, choices)
    wanted = _measures(measures, held)
    reading = {"format": format, "columns": columns}
    named = _named(runs)
    judgments = bench.table(_file(bench, qrels, "qrels"), Judgment, **reading, name="qrels")
    parts_by = [name.strip() for name in ([by] if isinstance(by, str) else by) if name.strip()]
    topics = _file(bench, topics, "topics", needed=any(name not in JUDGMENT_COLUMNS for name in parts_by))
    queries = None if topics is None else bench.table(topics, Topic, name="topics")
    for name in parts_by:
        _check_part(name, judgments, queries)
    if parts_by:  # a stream can be read once, and parts read every run again
        named = {name: _again(bench, run, reading) for name, run in named.items()}

    def scored(rows: Block) -> Scores:
        return _scored(bench, named, _prepared(rows, held.conventions), wanted, held.conventions, reading, progress)

    total = scored(judgments)
    if queries is not None:
        total = _with_topics(total, queries, [name for name in parts_by if name not in JUDGMENT_COLUMNS], held)
    for name in parts_by:
        if name in JUDGMENT_COLUMNS:
            parts = tuple(Part(name, value, scored(rows)) for value, rows in split(judgments, name))
            total = replace(total, parts=(*total.parts, *parts), _cache={})
    facts = tuple(Note("read", fact) for fact in _facts(judgments, queries))
    return replace(total, notes=(*facts, *total.notes), source=_source(bench, held, command), _cache={})


def evaluate_collections(
    collections: Mapping[str, tuple[Any, Any]], measures: Any = None, *, bench: Workbench | None = None, **options: Any
) -> Collections:
    """Scores the runs of several collections by the same measures, as BEIR is read.

    Args:
        collections: name to (runs, qrels) of each.
        measures: as in `evaluate`.
        bench: where inputs are found.
        **options: as in `evaluate`, for every collection.
    """
    from assay.measures.collections import Collections

    bench = Workbench.open() if bench is None else bench
    if not collections:
        raise InputError("no collection was given", remedy="pass --collection NAME=RUN,QRELS for each")
    found = [evaluate(runs, qrels, measures, bench=bench, **options) for runs, qrels in collections.values()]
    if len({len(scores.runs) for scores in found}) > 1:
        counts = ", ".join(f"{name} has {len(s.runs)}" for name, s in zip(collections, found, strict=True))
        raise InputError(f"every collection needs the same number of runs: {counts}", remedy="pass as many for each")
    return Collections(names=tuple(collections), scores=tuple(found), source=found[-1].source)


def explain(
    run: Any,
    qrels: Any,
    query: str,
    measure: Any,
    *,
    documents: Any = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **choices: Any,
) -> Explanation:
    """One value worked out line by line, and what it would be if the unjudged were worst and best.

    Args:
        run: one run, as in `evaluate`.
        qrels: the judgments; those of the workspace when None.
        query: the id of the query.
        measure: one measure.
        documents: a table of documents, for their titles.
        format, columns, bench, progress, command, **choices: as in `evaluate`.
    """
    from assay.measures.explain import explain as worked_out

    bench = Workbench.open() if bench is None else bench
    held = chosen(bench.workspace, choices)
    wanted = _measures(measure, held)
    if len(wanted) != 1:
        raise InputError(f"{len(wanted)} measures were named; one value is explained at a time", remedy="name one")
    reading = {"format": format, "columns": columns}
    judgments = bench.table(_file(bench, qrels, "qrels"), Judgment, **reading, name="qrels")
    judged = _prepared(judgments, held.conventions)
    if query not in judged.codes:
        raise InputError(f"no query {query} in the judgments{did_you_mean(query, judged.queries)}", judgments.name)
    ranking, rows = _rows_of(query, bench.blocks(run, **reading), judged, held.conventions)
    titles = None if documents is None else _titles(bench.table(documents, Document, columns=columns))
    found = worked_out(ranking, wanted[0], query, rows, titles=titles, conventions=held.conventions)
    return replace(found, source=_source(bench, held, command))


def score(
    *,
    measure: Any,
    shown: Sequence[float | str | None] | None = None,
    judged: Sequence[float] | None = None,
    ranked: Sequence[str] | None = None,
    relevant: Iterable[str] | Mapping[str, float] | None = None,
    **choices: Any,
) -> float:
    """One list scored by hand.

    Args:
        measure: one measure, such as "nDCG(gain=exp)@5".
        shown: grades in rank order; None or "?" is unjudged.
        judged: every grade known for the query, those of the list included; the grades of the list when None.
        ranked: document ids in rank order, instead of grades.
        relevant: the relevant documents, or a dict of document to grade.
        **choices: fields of `ranking.conventions.Conventions`.

    Returns:
        The value; NaN where the measure is undefined.

    >>> score(shown=[2, 3, 0, 1, 2], judged=[3, 2, 2, 1, 0], measure="nDCG(gain=exp)@5")   # doctest: +ELLIPSIS
    0.832242...
    >>> score(ranked=["d3", "d1"], relevant={"d1"}, measure="P@2")
    0.5
    """
    from assay.measures.score import score as scored

    held = chosen(None, choices)
    wanted = _measures(measure, held)
    if len(wanted) != 1:
        raise InputError(f"{len(wanted)} measures were named; `score` gives one value", remedy="name one")
    if (shown is None) == (ranked is None):
        raise InputError("a list is needed, once", remedy="pass shown=[grades] or ranked=[document ids]")
    if ranked is not None:
        if relevant is None:
            raise InputError("ranked= needs the relevant documents", remedy='pass relevant={"d1", "d2"}')
        if isinstance(relevant, str):
            raise InputError("relevant= is one text, not a set of documents", remedy="pass relevant={...}")
        grades = dict(relevant) if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1.0)
        docs = list(ranked)
    else:
        docs, grades = _by_grades(shown or (), judged)
    rows = {"query_id": ["q"] * len(grades), "doc_id": list(grades), "grade": [float(g) for g in grades.values()]}
    hits = {"query_id": ["q"] * len(docs), "doc_id": docs, "rank": list(range(1, len(docs) + 1))}
    conventions = held.conventions.but(order="rank")
    if not grades:  # nothing is known: the measure is undefined, not the input wrong
        return float("nan")
    prepared = _prepared(Block(rows, lambda i: f"judgment {i + 1}", "judged"), conventions)
    block = Block(hits, lambda i: f"rank {i + 1}", "list")
    return float(scored([block], prepared, wanted, conventions, "list").values[0, 0, 0])


def _by_grades(
    shown: Sequence[float | str | None], judged: Sequence[float] | None
) -> tuple[list[str], dict[str, float]]:
    """Documents for a list of grades: those that are shown, then those that are only judged."""
    grades: dict[str, float] = {}
    docs = [f"d{i}" for i in range(1, len(shown) + 1)]
    left = [] if judged is None else [float(grade) for grade in judged]
    for doc, grade in zip(docs, shown, strict=True):
        if grade is None or grade == "?":
            continue
        try:
            grades[doc] = float(grade)
        except ValueError:
            raise InputError(f"{grade!r} in shown= is no grade", remedy='pass numbers; None or "?" is unjudged') from None
        if grades[doc] in left:
            left.remove(grades[doc])
        elif judged is not None and grades[doc] > 0:
            raise InputError(
                f"grade {grade} is shown more often than judged= lists it", remedy="judged= holds every known grade"
            )
    return docs, {**grades, **{f"elsewhere-{i}": grade for i, grade in enumerate(left)}}


def _measures(measures: Any, held: Choices) -> list[Measure]:
    """Text, measures or a list of either to measures; the team's own when None."""
    from assay.measures.grammar import parse
    from assay.measures.measure import Measure

    given = held.measures if measures is None else [measures] if isinstance(measures, (str, Measure)) else measures
    found: dict[Measure, None] = {}
    for one in given:
        found.update(dict.fromkeys([one] if isinstance(one, Measure) else parse(one)))
    if not found:
        raise InputError("no measure was named", remedy="pass -m nDCG@10; `assay measures` lists all of them")
    return with_gain(found, held.wanted.gain)


def _named(runs: Any) -> dict[str, Any]:
    """Runs by name. A dict of dicts of numbers is one run; a dict of anything else is name to run."""
    if isinstance(runs, (str, os.PathLike, Block)) or hasattr(runs, "__arrow_c_stream__"):
        runs = [runs]
    elif isinstance(runs, Mapping):
        is_run = all(isinstance(x, Mapping) and not any(isinstance(y, Mapping) for y in x.values()) for x in runs.values())
        if runs and not is_run:
            return {str(name): run for name, run in runs.items()}
        runs = [runs]
    runs = list(runs)
    if not runs:
        raise InputError("no run was given", remedy="pass at least one run")
    if isinstance(runs[0], Mapping) and len(runs) == 1:
        return {"run": runs[0]}
    return dict(zip(short_names(runs), runs, strict=True))


def _file(bench: Workbench, x: Any, name: str, needed: bool = True) -> Any:
    """What was given, or the workspace's own file of that name."""
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


def _check_part(name: str, judgments: Block, queries: Block | None) -> None:
    """Refuses a part that no table has a column for."""
    if name in JUDGMENT_COLUMNS:
        if name not in judgments.columns:
            raise InputError(
                f"the judgments have no column {name}", judgments.name, "pass judgments with that column"
            )
    elif queries is None:
        raise InputError(f"--by {name} needs a topics table", remedy=f"pass --topics FILE with a column {name}")


def _again(bench: Workbench, run: Any, reading: Mapping[str, Any]) -> Any:
    """The run as something that can be read several times."""
    return bench.table(run, Hit, **reading) if run == "-" else run


def _prepared(judgments: Block, conventions: Conventions) -> Judged:
    """The judgments, one grade a pair, ready for every run."""
    from assay.judgments.aggregate import aggregate
    from assay.ranking.align import judged

    return judged(aggregate(judgments, conventions.raters), conventions)


def _scored(
    bench: Workbench, runs: Mapping[str, Any], judged: Judged, measures: list[Measure], conventions: Conventions,
    reading: Mapping[str, Any], progress: Progress,
) -> Scores:  # fmt: skip
    from assay.measures.score import join, score

    found = []
    for name, run in runs.items():
        blocks = bench.blocks(run, **reading, name=name)
        found.append(score(blocks, judged, measures, conventions, name))
    return join(found)


def _with_topics(scores: Scores, topics: Block, parts_by: list[str], held: Choices) -> Scores:
    """The scores with the traffic of their queries, and their parts by columns of the topics."""
    from assay.measures.score import Part
    from assay.ranking.segments import segments, weights

    scores = replace(scores, weights=weights(topics, scores.queries), _cache={})
    parts = []
    for name in parts_by:
        for value, queries in segments(topics, name, held.segments).items():
            part = scores.only(queries)
            if part.queries:
                parts.append(Part(name, value, part))
    return replace(scores, parts=tuple(parts), _cache={})


def _rows_of(query: str, blocks: Iterable[Block], judged: Judged, conventions: Conventions) -> tuple[Ranking, list[Row]]:
    """The ranking of one query, and all of its rows in their final order, the unjudged among them."""
    from assay.ranking.align import align
    from assay.ranking.align import judged as prepare

    block = _only(query, blocks)
    ranking = align(block, judged, conventions).ranking
    if not len(block):
        return ranking, []
    # Judging every row of the list, the unknown ones below all others, lets `align` place them by its own rules.
    known = {judged.docs[i]: float(judged.grade[i]) for i in np.flatnonzero(judged.query == judged.codes[query]).tolist()}
    lowest = min(known.values(), default=0.0) - 1.0
    docs = list(dict.fromkeys(block.frame["doc_id"]))
    every = {"query_id": [query] * len(docs), "doc_id": docs, "grade": [known.get(doc, lowest) for doc in docs]}
    placed = align(block, prepare(Block(every, block.place), conventions.but(negative="judged")), conventions).ranking
    scores: dict[str, float | None] = {}
    if "score" in block.columns:
        for doc, value in zip(block.frame["doc_id"], block.frame["score"], strict=True):
            scores.setdefault(doc, value)
    counts = Counter(scores.values())
    shown = [(rank, docs[i]) for rank, i in zip(placed.rank.tolist(), placed.judgment.tolist(), strict=True)]
    return ranking, [(rank, doc, scores.get(doc), counts[scores.get(doc)] > 1) for rank, doc in shown]


def _only(query: str, blocks: Iterable[Block]) -> Block:
    """The rows of one query of a run, as plain columns; each knows its place in the run."""
    names = [field.name for field in fields(Hit)]
    columns: dict[str, list[Any]] = {}
    places: list[str] = []
    label = ""
    for block in blocks:
        label = label or block.name
        if block.is_small:
            at = [i for i, name in enumerate(block.frame["query_id"]) if name == query]
            found = {name: [block.frame[name][i] for i in at] for name in names if name in block.columns}
        else:
            mask = block.polars()["query_id"] == query
            at = mask.arg_true().to_list()
            found = block.polars().filter(mask).select([n for n in names if n in block.columns]).to_dict(as_series=False)
        for name, values in found.items():
            columns.setdefault(name, []).extend(values)
        places += [block.place(i) for i in at]
    columns = columns or {"query_id": [], "doc_id": [], "score": []}
    return Block(columns, places.__getitem__, label)


def _titles(documents: Block) -> dict[str, str]:
    names = documents.columns
    column = next((name for name in ("title", "text") if name in names), None)
    if column is None:
        return {}
    frame = documents.frame
    return {str(doc): str(title or "") for doc, title in zip(frame["doc_id"], frame[column], strict=True)}


def _facts(judgments: Block, topics: Block | None) -> list[str]:
    return [*judgments.facts, *(topics.facts if topics is not None else ())]


def _source(bench: Workbench, held: Choices, command: str) -> Source:
    from assay import __version__

    return Source(
        hashes=bench.inputs(),
        versions=(("assay", __version__),),
        conventions=held.conventions.pairs(),
        command=command,
    )
