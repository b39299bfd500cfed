"""`assay reconcile` and `assay conventions`: why another tool prints another number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, did_you_mean
from assay.flows.choices import Choices, chosen
from assay.flows.evaluate import Reading, as_meant, file_of, measures_of, one_grade_a_pair, prepared, source_of
from assay.flows.run_names import short_names
from assay.flows.workbench import Workbench, at_work
from assay.results import Note
from assay.tables import Block, Hit, Judgment

if TYPE_CHECKING:
    from assay.label_maps import LabelMap
    from assay.measures.reconcile.found import ConventionTable, Reconciled, Row
    from assay.ranking.ranking import Judged

MOST_DIGITS = 12

UNBOUNDED = ("DCG",)
"""Measures with values above 1 that are no percentages."""

HIGHEST = 2.0
"""Above this a value is no sum over documents returned twice, but a percentage."""


def reconcile(
    run: Any,
    qrels: Any,
    measure: Any,
    value: float | str,
    *,
    digits: int | None = None,
    query: str | None = None,
    labels: str | LabelMap | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    command: str = "",
    **choices: Any,
) -> Reconciled:
    """Which conventions give the number that another tool printed, and which tools are known to use them.

    Args:
        run: one run, as in `evaluate`.
        qrels: the judgments; those of the workspace when None.
        measure: what the number is said to be.
        value: the number, as text ("0.4120") or as a number; one above 1 that nothing gives is read as percent.
        digits: how many decimals it is printed with; those of the text when None.
        query: the id of the query that it is the value of; the mean over queries when None.
        labels: what the labels of judgments are worth: a named map such as "esci", or "{good:2,bad:0}".
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found; the current folder's workspace when None.
        command: how the result was asked for, kept in it.
        **choices: as in `evaluate`: what ours is compared under.

    Raises:
        InputError: the number is none, or the ways of the measure are not known.
    """
    from assay.measures.reconcile import search

    wanted, places = _number(value, digits)
    table = _read(run, qrels, measure, query, format, columns, at_work(bench, labels), choices)
    if len(table.measures) != 1:
        raise InputError(
            f"{len(table.measures)} measures were named; one number is reconciled at a time", remedy="name one"
        )
    only = table.measures[0]
    conventions = table.held.conventions
    case = search.case_of(table.run, table.judgments, only, conventions, query)

    def searched(number: float, places: int) -> Reconciled:
        return search.reconcile(case, table.run, table.judged, only, conventions, number, places, table.name)

    found = searched(wanted, places)
    if not found.is_explained and 1 < wanted <= 100 and only.name not in UNBOUNDED:
        percent = searched(wanted / 100, places + 2)
        if percent.is_explained or wanted > HIGHEST:
            text = f"{value} is read as percent: {percent.asked:.{percent.digits}f}"
            found = replace(percent, notes=(Note("read-as-percent", text), *percent.notes))
    return replace(found, source=source_of(table.bench, table.held, command))


def conventions(
    run: Any,
    qrels: Any,
    measures: Any = None,
    *,
    query: str | None = None,
    labels: str | LabelMap | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    command: str = "",
    **choices: Any,
) -> ConventionTable:
    """What every known convention makes of the same run and judgments, side by side.

    Args:
        run: one run, as in `evaluate`.
        qrels: the judgments; those of the workspace when None.
        measures: which ones; those of the settings whose ways are known when None.
        query: the id of one query; means over queries when None.
        labels: what the labels of judgments are worth: a named map such as "esci", or "{good:2,bad:0}".
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found; the current folder's workspace when None.
        command: how the result was asked for, kept in it.
        **choices: as in `evaluate`: what ours is compared under.
    """
    from assay.measures.reconcile import search
    from assay.measures.reconcile.found import ConventionTable
    from assay.measures.reconcile.ways import KNOWN

    table = _read(run, qrels, measures, query, format, columns, at_work(bench, labels), choices)
    named = table.measures if measures is not None else [one for one in table.measures if one.name in KNOWN]
    if not named:
        raise InputError(
            "no measure was named whose ways are known", remedy=f"pass -m nDCG@10; known are {', '.join(KNOWN)}"
        )
    ours: list[float] = []
    rows: list[Row] = []
    same: list[tuple[str, ...]] = []
    notes: dict[Note, None] = {}
    for measure in named:
        case = search.case_of(table.run, table.judgments, measure, table.held.conventions, query)
        found = search.side_by_side(case, table.run, table.judged, measure, table.held.conventions, table.name)
        ours.append(found[0])
        rows += found[1]
        same.append(found[2])
        notes |= dict.fromkeys(found[3])
    return ConventionTable(
        run=table.name,
        measures=tuple(named),
        query=query,
        ours=tuple(ours),
        rows=tuple(rows),
        same=tuple(same),
        notes=tuple(notes),
        source=source_of(table.bench, table.held, command),
    )


@dataclass(frozen=True)
class _Read:
    """What both verbs start from."""

    bench: Workbench
    held: Choices
    name: str
    measures: list[Any]
    run: Block
    judgments: Block
    judged: Judged


def _read(
    run: Any, qrels: Any, measures: Any, query: str | None, format: str | None, columns: Mapping[str, str] | None,
    bench: Workbench, choices: Mapping[str, Any],
) -> _Read:  # fmt: skip
    held = chosen(bench.workspace, choices)
    wanted = measures_of(measures, held)
    reading: Reading = {"format": format, "columns": columns}
    given = bench.table(file_of(bench, qrels, "qrels"), Judgment, **reading, name="qrels")
    held, given = as_meant(held, given)
    judgments = one_grade_a_pair(given, held.conventions)
    judged = prepared(judgments, held.conventions)
    block = bench.table(run, Hit, **reading, name="run")
    if query is not None and query not in judged.codes:
        raise InputError(
            f"no query {query} in the judgments{did_you_mean(query, judged.queries)}",
            judgments.name,
            "name a judged query",
        )
    return _Read(bench, held, short_names([run])[0], wanted, block, judgments, judged)


def _number(value: float | str, digits: int | None) -> tuple[float, int]:
    """The number and its decimals."""
    text = value.strip() if isinstance(value, str) else repr(float(value))
    remedy = "pass it as it was printed, such as 0.4123"
    try:
        number = float(text)
    except ValueError:
        raise InputError(f"{text!r:.40} is no number", "--value", remedy) from None
    if not math.isfinite(number):
        raise InputError(f"{text} is no finite number", "--value", remedy)
    plain = text.lower()
    if digits is None:
        mantissa, _, exponent = plain.partition("e")
        digits = max(1, len(mantissa.partition(".")[2]) - int(exponent or 0))
        digits = min(digits, MOST_DIGITS)
    if not 1 <= digits <= MOST_DIGITS:
        raise InputError(f"{digits} digits", "--digits", f"pass a number of decimals from 1 to {MOST_DIGITS}")
    return number, digits
