"""One value at a time: worked out line by line, computed for a list by hand, or described."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, did_you_mean
from assay.flows.choices import chosen
from assay.flows.evaluate import Reading, as_meant, file_of, measures_of, one_grade_a_pair, prepared, source_of
from assay.flows.workbench import Workbench, at_work
from assay.ranking.conventions import Conventions
from assay.tables import Block, Columns, Document, Hit, Judgment

if TYPE_CHECKING:
    from assay.label_maps import LabelMap
    from assay.measures.card import MeasureCard, MeasureCards
    from assay.measures.explain import Explanation
    from assay.ranking.ranking import Judged, Ranking

Row = tuple[int, str, float | None, bool]
"""Rank, document, score, and whether another document of the list has the same score."""


def explain(
    run: Any,
    qrels: Any,
    query: str,
    measure: Any,
    *,
    documents: Any = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    labels: str | LabelMap | None = None,
    bench: Workbench | None = None,
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
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        labels: what the labels of judgments are worth: a named map such as "esci", or "{good:2,bad:0}".
        bench: where inputs are found; the current folder's workspace when None.
        command: how the result was asked for, kept in it.
        **choices: as in `evaluate`.
    """
    from assay.measures.explain import explain as worked_out

    bench = at_work(bench, labels)
    held = chosen(bench.workspace, choices)
    wanted = measures_of(measure, held)
    if len(wanted) != 1:
        raise InputError(f"{len(wanted)} measures were named; one value is explained at a time", remedy="name one")
    reading: Reading = {"format": format, "columns": columns}
    judgments = bench.table(file_of(bench, qrels, "qrels"), Judgment, **reading, name="qrels")
    held, judgments = as_meant(held, judgments)
    judged = wanted[0].judgments(prepared(one_grade_a_pair(judgments, held.conventions), held.conventions))
    query = str(query)  # ids of a dict may be numbers
    if query not in judged.codes:
        raise InputError(
            f"no query {query} in the judgments{did_you_mean(query, judged.queries)}",
            judgments.name,
            "name a judged query",
        )
    ranking, rows = _rows_of(query, bench.blocks(run, **reading), judged, held.conventions)
    titles = None if documents is None else _titles(bench.table(documents, Document, columns=columns))
    found = worked_out(ranking, wanted[0], query, rows, titles=titles, conventions=held.conventions)
    return replace(found, source=source_of(bench, held, command))


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
    wanted = measures_of(measure, held)
    if len(wanted) != 1:
        raise InputError(f"{len(wanted)} measures were named; `score` gives one value", remedy="name one")
    if (shown is None) == (ranked is None):
        raise InputError("a list is needed, once", remedy="pass shown=[grades] or ranked=[document ids]")
    if ranked is not None:
        if relevant is None:
            raise InputError("ranked= needs the relevant documents", remedy='pass relevant={"d1", "d2"}')
        if isinstance(relevant, str):
            raise InputError("relevant= is one text, not a set of documents", remedy="pass relevant={...}")
        listed = relevant if isinstance(relevant, Mapping) else dict.fromkeys(_list(relevant, "relevant"), 1.0)
        grades = {doc: _grade(grade, "relevant") for doc, grade in listed.items()}
        docs = _list(ranked, "ranked")
    else:
        docs, grades = _by_grades(_list(shown, "shown"), None if judged is None else _list(judged, "judged"))
    rows: Columns = {
        "query_id": ["q"] * len(grades),
        "doc_id": list(grades),
        "grade": [float(g) for g in grades.values()],
    }
    hits: Columns = {"query_id": ["q"] * len(docs), "doc_id": docs, "rank": list(range(1, len(docs) + 1))}
    conventions = held.conventions.but(order="rank")
    if not grades:  # nothing is known: the measure is undefined, not the input wrong
        return float("nan")
    known = prepared(Block(rows, lambda i: f"judgment {i + 1}", "judged"), conventions)
    block = Block(hits, lambda i: f"rank {i + 1}", "list")
    return float(scored([block], known, wanted, conventions, "list").values[0, 0, 0])


def _by_grades(
    shown: Sequence[float | str | None], judged: Sequence[float] | None
) -> tuple[list[str], dict[str, float]]:
    """Documents for a list of grades: those that are shown, then those that are only judged."""
    grades: dict[str, float] = {}
    docs = [f"d{i}" for i in range(1, len(shown) + 1)]
    left = [] if judged is None else [_grade(grade, "judged") for grade in judged]
    for doc, grade in zip(docs, shown, strict=True):
        if grade is None or grade == "?":
            continue
        grades[doc] = _grade(grade, "shown")
        if grades[doc] in left:
            left.remove(grades[doc])
        elif judged is not None and grades[doc] > 0:
            raise InputError(
                f"grade {grade} is shown more often than judged= lists it", remedy="judged= holds every known grade"
            )
    return docs, {**grades, **{f"elsewhere-{i}": grade for i, grade in enumerate(left)}}


def _list(values: Any, name: str) -> list[Any]:
    """Any list, tuple, set or array; a text would be taken for its letters."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name}={values!r:.80} is no list", remedy=f"pass {name}=[...]")
    return list(values)


def _grade(value: Any, name: str) -> float:
    try:
        return float(value)
    except (ValueError, TypeError):
        remedy = 'pass numbers; None or "?" is unjudged' if name == "shown" else "pass numbers"
        raise InputError(f"{value!r:.80} in {name}= is no grade", remedy=remedy) from None


def _rows_of(
    query: str, blocks: Iterable[Block], judged: Judged, conventions: Conventions
) -> tuple[Ranking, list[Row]]:
    """The ranking of one query, and all of its rows in their final order, the unjudged among them."""
    from assay.ranking.align import align
    from assay.ranking.align import judged as prepare

    block = _only(query, blocks)
    ranking = align(block, judged, conventions).ranking
    if not len(block):
        return ranking, []
    # Judging every row of the list, the unknown ones below all others, lets `align` place them by its own rules.
    known = {
        judged.docs[i]: float(judged.grade[i]) for i in np.flatnonzero(judged.query == judged.codes[query]).tolist()
    }
    lowest = min(known.values(), default=0.0) - 1.0
    docs = list(dict.fromkeys(block.frame["doc_id"]))
    every: Columns = {
        "query_id": [query] * len(docs),
        "doc_id": docs,
        "grade": [known.get(doc, lowest) for doc in docs],
    }
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
            found = (
                block.polars().filter(mask).select([n for n in names if n in block.columns]).to_dict(as_series=False)
            )
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


def measures(name: str | None = None) -> MeasureCard | MeasureCards:
    """Every measure in a line, or one of them with a worked example."""
    from assay.measures.card import card, cards

    return cards() if name is None else card(name)
