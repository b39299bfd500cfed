"""Labels that no longer hold: the document changed since, or the time is over for which such labels are good."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from assay.errors import InputError, did_you_mean
from assay.results import Note, Result, kept
from assay.tables import Block

CHANGED, OLD, UNKNOWN = "document changed", "too old", "not known"
EVERY = ""
"""The class of queries that have none of their own."""


@kept("stale-label")
@dataclass(frozen=True, slots=True)
class StaleLabel:
    """A judgment that no longer holds.

    Args:
        query_id, doc_id: of the pair.
        why: "document changed" or "too old".
        judged_at: when it was given; empty where the judgments do not say it.
        age_days: how old it is; None where that is not known.
        segment: the class of its query.
    """

    query_id: str
    doc_id: str
    why: str
    judged_at: str = ""
    age_days: float | None = None
    segment: str = ""


@kept("stale-class")
@dataclass(frozen=True, slots=True)
class StaleClass:
    """Labels of one class of queries.

    Args:
        segment: the class; empty for all others.
        refresh_days: for how many days they are good; None for ever.
        labels: how many there are.
        changed: of documents that changed.
        old: of those that did not, too old.
        unknown: neither time nor version is known.
    """

    segment: str
    refresh_days: float | None
    labels: int
    changed: int
    old: int
    unknown: int


@kept("freshness")
@dataclass(frozen=True, kw_only=True)
class Freshness(Result):
    """Which labels no longer hold.

    Args:
        at: the moment that ages are counted to.
        classes: by class of queries.
        stale: every label that does not hold, the oldest first.
    """

    at: str
    classes: tuple[StaleClass, ...]
    stale: tuple[StaleLabel, ...]

    @property
    def labels(self) -> int:
        """How many labels were looked at."""
        return sum(one.labels for one in self.classes)

    @property
    def share(self) -> float | None:
        """Share of the labels that do not hold; None where there are none."""
        return len(self.stale) / self.labels if self.labels else None


def freshness(
    judgments: Block, documents: Block | None = None, *, limits: Mapping[str, float] | None = None,
    segments: Mapping[str, str] | None = None, at: datetime | None = None,
) -> Freshness:  # fmt: skip
    """Which labels no longer hold.

    Args:
        judgments: rows of `Judgment`; `judged_at` tells their age, `doc_hash` the document that was seen.
        documents: rows of `Document` as they are now, with `doc_hash`; a document whose version has several names has a
            row for each.
        limits: class of queries to the days for which its labels are good; "" is for all others.
        segments: query id to its class.
        at: the moment that ages are counted to; now when None.

    Raises:
        InputError: neither documents nor limits can tell anything, or a time cannot be read.
    """
    limits, segments = dict(limits or {}), segments or {}
    moment = datetime.now(UTC) if at is None else at
    if documents is None and not limits:
        raise InputError(
            "nothing tells when a label goes stale", remedy="pass --documents as they are now, or --days 180, or both"
        )
    found: list[StaleLabel] = []
    counts: dict[str, list[int]] = {}
    ahead = 0
    for query, doc, why, judged_at, age in _each(judgments, documents, limits, segments, moment):
        own = segments.get(query, EVERY)
        count = counts.setdefault(own if own in limits else EVERY, [0, 0, 0, 0])
        count[0] += 1
        ahead += age is not None and age < -1  # --at names the beginning of its day
        if why in (CHANGED, OLD):
            count[1 if why == CHANGED else 2] += 1
            found.append(StaleLabel(query, doc, why, judged_at, age, own))
        elif why == UNKNOWN:
            count[3] += 1
    classes = tuple(
        StaleClass(name, limits.get(name), *count) for name, count in sorted(counts.items(), key=lambda item: item[0])
    )
    unknown = sum(one.unknown for one in classes)
    notes = [*_of_no_query(limits, segments), *_of_the_future(ahead)]
    if unknown:
        labels, they = ("label", "it is") if unknown == 1 else ("labels", "they are")
        text = f"of {unknown:,} {labels} neither the age nor the document's version is known: {they} not called stale"
        notes.append(Note("unknown-age", text, count=unknown, level="warning"))
    order = sorted(found, key=lambda one: (-(one.age_days or 0.0), one.query_id, one.doc_id))
    return Freshness(
        at=moment.isoformat(timespec="seconds").replace("+00:00", "Z"), classes=classes, stale=tuple(order),
        notes=tuple(notes),
    )  # fmt: skip


def _of_no_query(limits: Mapping[str, float], segments: Mapping[str, str]) -> list[Note]:
    """What is said of days for a class that no query has: its labels age as all others do."""
    known = sorted(set(segments.values()) - {EVERY})
    strange = [name for name in limits if name and name not in known] if known else []
    said = "the days of {} hold for no label: no query is of that class{}"
    return [Note("no-such-class", said.format(name, did_you_mean(name, known)), level="warning") for name in strange]


def _of_the_future(labels: int) -> list[Note]:
    if not labels:
        return []
    text = f"{labels:,} label{' is' if labels == 1 else 's are'} dated later than that: a clock was wrong, or --at is"
    return [Note("later", text, count=labels, level="warning")]


def states(
    judgments: Block, documents: Block | None, limits: Mapping[str, float], segments: Mapping[str, str],
    at: datetime | None = None,
) -> list[str]:  # fmt: skip
    """What is known of each row: `CHANGED`, `OLD`, `UNKNOWN`, or empty where the label holds; see `freshness`."""
    moment = datetime.now(UTC) if at is None else at
    return [why for _, _, why, _, _ in _each(judgments, documents, limits, segments, moment)]


def _each(
    judgments: Block, documents: Block | None, limits: Mapping[str, float], segments: Mapping[str, str], at: datetime
) -> Iterator[tuple[str, str, str, str, float | None]]:
    """(query_id, doc_id, state, judged_at, age in days) of each row."""
    frame: Any = judgments.frame
    present = _present(documents)

    def cells(name: str) -> Sequence[Any]:
        return list(frame[name]) if name in judgments.columns else [None] * len(judgments)

    rows = zip(cells("query_id"), cells("doc_id"), cells("judged_at"), cells("doc_hash"), strict=True)
    for row, (query, doc, judged_at, seen) in enumerate(rows):
        own = segments.get(str(query), EVERY)
        limit = limits.get(own if own in limits else EVERY)
        age = None if not judged_at else _age(str(judged_at), at, judgments.place(row))
        now = present.get(str(doc), set())
        why = ""
        if seen and now and str(seen) not in now:
            why = CHANGED
        elif limit is not None and age is not None and age > limit:
            why = OLD
        elif (limit is None or age is None) and not (seen and now):
            why = UNKNOWN
        yield str(query), str(doc), why, str(judged_at or ""), age


def _present(documents: Block | None) -> dict[str, set[str]]:
    """The names of the version of each document as it is now; none where the table does not say it."""
    if documents is None:
        return {}
    if "doc_hash" not in documents.columns:
        raise InputError(
            "the documents have no column doc_hash", documents.name, "pass documents that say their version"
        )
    frame: Any = documents.frame
    found: dict[str, set[str]] = {}
    for doc, now in zip(frame["doc_id"], frame["doc_hash"], strict=True):
        names = found.setdefault(str(doc), set())
        if now:
            names.add(str(now))
    return found


def _age(text: str, at: datetime, place: str) -> float:
    """Days between a time and a moment; a time without a zone is taken as UTC."""
    try:
        then = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"{text!r} is no time in ISO 8601", place, "write 2026-03-02 or 2026-03-02T10:00:00Z"
        ) from None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return (at - then).total_seconds() / 86_400
