"""`assay judgments stale` and `due`: labels that no longer hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.choices import chosen
from assay.flows.evaluate import file_of, source_of
from assay.flows.workbench import Workbench
from assay.tables import Document, Judgment, Topic

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
        qrels: judgments with `judged_at` and `doc_hash`; those of the workspace when None.
        documents: the documents as they are now, with `doc_hash`.
        days: for how many days labels are good: a number, or "180,news=7" by the segment of the query.
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
    limits = parse_days(days)
    judgments = bench.table(file_of(bench, qrels, "qrels"), Judgment, format=format, columns=columns, name="qrels")
    now = None if documents is None else bench.table(documents, Document, name="documents")
    segments: dict[str, str] = {}
    if any(limits):
        topics = file_of(bench, topics, "topics")
        if topics is None:
            raise InputError("--days names segments", "--topics", "pass topics with a column segment")
        table = bench.table(topics, Topic, name="topics")
        if "segment" not in table.columns:
            raise InputError("the topics have no column segment", table.name, "leave segments out of --days")
        frame: Any = table.frame
        segments = {str(q): str(s or "") for q, s in zip(frame["query_id"], frame["segment"], strict=True)}
    found = freshness(judgments, now, limits=limits, segments=segments, at=_moment(at))
    source = source_of(bench, chosen(bench.workspace, {}), command)
    return replace(found, source=replace(source, conventions=()))


def parse_days(given: Mapping[str, float] | str | float | None) -> dict[str, float]:
    """`180,news=7` as days by segment; the number without a name is for all others."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name): float(value) for name, value in given.items()}
    made: dict[str, float] = {}
    for part in str(given).split(","):
        name, equals, number = part.strip().rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf") or (equals and not name) or name in made:
            raise InputError(f"{part.strip()!r} is not DAYS or SEGMENT=DAYS", "--days", "write --days 180,news=7")
        made[name] = value
    return made


def _moment(at: str | None) -> datetime | None:
    if at is None:
        return None
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        raise InputError(f"{at!r} is no day", "--at", "write 2026-03-02") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
