"""`assay agree`: how much the raters of a set of judgments agree."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, did_you_mean
from assay.flows.choices import chosen
from assay.flows.evaluate import file_of, project_meant, source_of
from assay.flows.pair_tables import is_preferences
from assay.flows.rater_tables import listed_raters, of_raters, ratings
from assay.flows.workbench import Workbench, at_work
from assay.keys import fingerprint
from assay.tables import Block, Preference, Topic

if TYPE_CHECKING:
    from assay.flows.exported import Named
    from assay.judgments.agreement import RaterAgreement
    from assay.judgments.preferences import PreferenceAgreement
    from assay.label_maps import LabelMap

COLUMNS = ("dimension", "source", "rubric")
"""Columns of the judgments that `by` may name; every other name is a column of the topics."""


def agree(
    qrels: Any = None,
    *,
    grades: Sequence[float] | None = None,
    topics: Any = None,
    by: str | Sequence[str] | None = None,
    raters: str | Sequence[str] | None = None,
    limit: float | None = None,
    seed: int = 0,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    labels: str | LabelMap | None = None,
    bench: Workbench | None = None,
    command: str = "",
    **choices: Any,
) -> RaterAgreement | PreferenceAgreement:
    """How much raters agree: percent, kappas, alpha, AC1 and AC2, with intervals over queries.

    Where raters said which of two documents is better (a table with a column other_doc_id, or a project of pairs): how
    often they chose alike, Krippendorff's alpha, and whether a side draws them.

    Args:
        qrels: judgments with a column `rater`, a row a rating; or a row a pair with no column of grades, where every
            further column is a rater; or the name of a project of the store; those of the workspace when None.
        grades: the rubric's whole list of grades; those of the project's rubric, or taken from what is seen, and said,
            when None.
        topics: a table of queries, for parts by segment; those of the project when None.
        by: columns whose parts are looked at by themselves: of the judgments ("dimension", "source", "rubric") or of
            the topics; by segment, where the topics tell it, when None.
        raters: whose grades count, two or more; everybody's when None.
        limit: the agreement that is asked for; the project's, else 0.6, when None.
        seed: of the resampling.
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        labels: what the labels of judgments are worth: a named map such as "esci", or "{good:2,bad:0}".
        bench: where inputs are found.
        command: how the result was asked for.
        **choices: settings that tell segments.

    Raises:
        InputError: no pair has two ratings, a grade is not on the list, it cannot be told which columns are raters, a
            rater is not there, or grades are asked for where there are preferences.
    """
    from assay.judgments.aggregate import split
    from assay.judgments.agreement import LIMIT, agreement
    from assay.judgments.rows import where
    from assay.ranking.segments import SEGMENT, tells_segments

    bench, chosen_raters = at_work(bench, labels), listed_raters(raters)
    if limit is not None and not 0 < limit <= 1:
        raise InputError(f"a limit of {limit:g} cannot be reached", "--limit", "give a number above 0, up to 1")
    held = chosen(bench.workspace, choices)
    project = project_meant(bench, qrels)
    compared = _preferences(bench, qrels, project, format, columns)
    if compared is not None:
        if grades is not None or by is not None:
            raise InputError("preferences have no grades and no parts", "--grades" if grades is not None else "--by",
                             "leave it out")  # fmt: skip
        from assay.judgments.preferences import preference_agreement

        if chosen_raters is not None:
            compared = of_raters(compared, chosen_raters)
        source = replace(source_of(bench, held, command), conventions=(), seed=seed)
        return replace(preference_agreement(compared, limit=limit or LIMIT, seed=seed), source=source)
    if project is not None:
        qrels = project.judgments(bench)
        grades = project.grades if grades is None else grades
        limit = project.limit if limit is None else limit
        topics = project.topics(bench) if topics is None else topics
    said = bench.label_map()
    if grades is None and said is not None and said.scale:
        grades = said.scale
    judgments, notes = ratings(
        bench, file_of(bench, qrels, "qrels"), raters=chosen_raters, format=format, columns=columns
    )  # fmt: skip
    named = [by] if isinstance(by, str) else list(by or ())
    of_topics = [name for name in named if name not in COLUMNS]
    topics = file_of(bench, topics, "topics", needed=by is None or bool(of_topics))
    queries = None if topics is None else bench.table(topics, Topic, name="topics")
    if by is None and queries is not None and tells_segments(queries, held.segments):
        of_topics = [SEGMENT]
    if of_topics and queries is None:
        raise InputError(f"--by {of_topics[0]} needs a topics table{did_you_mean(of_topics[0], COLUMNS)}", remedy=(
            f"pass --by {'|'.join(COLUMNS)}, or --topics FILE with the column {of_topics[0]}"))  # fmt: skip
    main = judgments
    parts: list[tuple[str, str, Block]] = []
    if "dimension" in judgments.columns:
        dimensions = split(judgments, "dimension")
        main = dict(dimensions).get("relevance", dimensions[0][1])
        parts += [("dimension", value, rows) for value, rows in dimensions if len(dimensions) > 1]
    for name in named:
        if name in COLUMNS and name != "dimension":
            parts += [(name, value, rows) for value, rows in split(main, name)]
    for name in of_topics:
        parts += [
            (name, value, where(main, "query_id", ids.__contains__)) for value, ids in _parts(queries, name, held)
        ]
    result = agreement(
        main, grades=grades, parts=[part for part in parts if len(part[2])], limit=LIMIT if limit is None else limit,
        seed=seed,
    )  # fmt: skip
    source = replace(source_of(bench, held, command), conventions=(), seed=seed)
    return replace(result, source=source, notes=(*notes, *result.notes))


def _parts(topics: Block | None, name: str, held: Any) -> list[tuple[str, set[str]]]:
    from assay.ranking.segments import segments

    assert topics is not None  # a part by the topics was asked for
    return [(value, set(ids)) for value, ids in segments(topics, name, held.segments).items()]


def _preferences(
    bench: Workbench, x: Any, project: Named | None, format: str | None = None, columns: Mapping[str, str] | None = None
) -> Block | None:
    """Preferences, where a project of pairs or a table of them is meant; None where it is judgments.

    Args:
        bench: where inputs are found.
        x: what was passed; the judgments of the workspace when None.
        project: the project that it names, if any.
        format: of the file; recognised from content when None.
        columns: name of the column that holds each field.

    Raises:
        InputError: nobody has said anything in the project.
    """
    if project is not None:
        from assay.flows import pairs
        from assay.flows.keeping import open_store

        if project.row["mode"] != pairs.PAIRWISE:
            return None
        with open_store(bench) as store:
            rows = pairs.export(store, project.row["tenant"], project.name)
        if not rows:
            raise InputError("nobody has said anything yet", project.name, "let raters label: assay serve")
        bench.note_rows(f"project:{project.name}", fingerprint(json.dumps(rows, sort_keys=True)))
        return pairs.as_block(rows)
    source = bench.source(x)
    if (
        x is None
        or source == "-"
        or (source is not None and not os.path.isfile(source))
        or not is_preferences(bench, x)
    ):
        return None
    return bench.table(x, Preference, format=format, columns=columns, name="preferences")
