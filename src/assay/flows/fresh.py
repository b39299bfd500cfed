"""`assay judgments stale` and `due`: labels that no longer hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.ageing import known, of_grades, parse_days
from assay.flows.choices import chosen
from assay.flows.evaluate import file_of, project_meant, source_of
from assay.flows.workbench import Workbench
from assay.tables import Judgment, Topic

if TYPE_CHECKING:
    from assay.judgments.freshness import Freshness


def stale(
    qrels: Any = None,
    *,
    documents: Any = None,
    days: Mapping[str, float] | str | float | None = None,
    topics: Any = None,
    at: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    command: str = "",
) -> Freshness:
    """Which labels no longer hold, because the document changed or the time is over.

    Args:
        qrels: judgments with `judged_at` and `doc_hash`, or the name of a project of the store; those of the workspace
            when None.
        documents: the documents as they are now; without a column `doc_hash` their version is the hash of what raters
            see of them. Those of the settings, or what the project's store saw last, when None.
        days: for how many days labels are good: a number, or "180,news=7" by the segment of the query; those of the
            project, or of the section [judgments] of assay.toml, when None.
        topics: queries with a column segment, where `days` names segments.
        at: the day that ages are counted to; now when None.
        format: of the judgments; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found.
        command: how the result was asked for.

    Raises:
        InputError: nothing tells when a label goes stale, or a time cannot be read.
    """
    from assay.judgments.freshness import freshness

    bench = Workbench.open() if bench is None else bench
    limits = None if days is None else parse_days(days)
    project = project_meant(bench, qrels)
    qrels = file_of(bench, qrels, "qrels") if project is None else project.judgments(bench)
    judgments = bench.table(qrels, Judgment, format=format, columns=columns, name="qrels")
    topics = file_of(bench, topics, "topics", needed=project is None)
    table = None if topics is None else bench.table(topics, Topic, name="topics")
    told = known(bench, judgments, days=limits, topics=table, documents=documents)
    if any(told.days):
        if table is None and project is None:
            raise InputError("the days name segments", "--topics", "pass topics with a column segment")
        if not told.segments:
            name = table.name if table is not None else "the project"
            raise InputError("the queries have no segments", name, "leave segments out of the days")
    found = freshness(of_grades(judgments), told.documents, limits=told.days, segments=told.segments, at=_moment(at))
    source = source_of(bench, chosen(bench.workspace, {}), command)
    return replace(found, source=replace(source, conventions=()))


def _moment(at: str | None) -> datetime | None:
    if at is None:
        return None
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        raise InputError(f"{at!r} is no day", "--at", "write 2026-03-02") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
