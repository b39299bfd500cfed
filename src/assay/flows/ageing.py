"""What tells whether labels still hold, wherever it lies: days and snapshots of a project, settings, documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.workbench import Workbench, is_project
from assay.results import LabelAges, Note
from assay.settings import check
from assay.tables import Block, Document

if TYPE_CHECKING:
    from assay.flows.exported import Named

_OURS = re.compile(r"[0-9a-f]{64}")

STALE = "stale-labels"
"""The note that says the share of labels that no longer hold."""


@dataclass(frozen=True, slots=True)
class Judgments:
    """The section [judgments].

    Args:
        refresh_days: for how many days labels are good: 180, or "180,news=7" by the segment of the query; empty is
            for ever.
    """

    refresh_days: int | str = ""

    def __post_init__(self) -> None:
        if self.refresh_days != "":
            try:
                parse_days(self.refresh_days)
            except InputError as error:
                raise ValueError(f"refresh_days: {error.what}") from None


@dataclass(frozen=True, slots=True)
class Known:
    """What tells whether labels hold.

    Args:
        days: class of queries to the days for which labels are good; "" is for all others.
        documents: rows of `Document` as they are now, with `doc_hash`; None where nobody has them.
        segments: query id to its class.
    """

    days: Mapping[str, float] = field(default_factory=dict)
    documents: Block | None = None
    segments: Mapping[str, str] = field(default_factory=dict)


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


def known(
    bench: Workbench, judgments: Block, *, days: Mapping[str, float] | None = None, topics: Block | None = None,
    documents: Any = None,
) -> Known:  # fmt: skip
    """What tells whether these labels hold.

    Args:
        bench: where settings, documents and the store are.
        judgments: rows of `Judgment`; those of a project have its name.
        days: as in `Known`; those of the project, or of the settings, when None.
        topics: queries with a column segment; those of the project when None.
        documents: as they are now; those of the settings, or what the store of the project saw last, when None.
    """
    project = _project(bench, judgments)
    if days is None:
        days = _days(bench) if project is None else project.refresh_days or _days(bench)
    if project is not None and topics is None and any(days):
        topics = project.topics(bench)
    return Known(days, _documents(bench, judgments, documents, project), segments_of(topics))


def _project(bench: Workbench, judgments: Block) -> Named | None:
    if not is_project(judgments.name):
        return None
    from assay.flows.exported import named

    return named(bench, judgments.name)


def _days(bench: Workbench) -> dict[str, float]:
    if bench.workspace is None:
        return {}
    said = check(bench.workspace.settings.section("judgments"), Judgments).refresh_days
    return parse_days(said) if said != "" else {}


def _documents(bench: Workbench, judgments: Block, documents: Any, project: Named | None) -> Block | None:
    if "doc_hash" not in judgments.columns:
        return None
    if documents is None and project is not None:
        return project.seen_last(bench)
    if documents is None and bench.workspace is not None:
        found = bench.workspace.file("documents")
        documents = None if found is None else str(found)
    return None if documents is None else versions(bench, judgments, documents)


def versions(bench: Workbench, judgments: Block, documents: Any) -> Block:
    """Documents with the version of each: what their column doc_hash says, and the hash of what raters see of them.

    A label holds where it names either: whoever labelled elsewhere knows the first, a project of ours the second.
    """
    block = bench.table(documents, Document, name="documents")
    frame: Any = block.frame
    own = "doc_hash" in block.columns
    names, hashes = (list(frame["doc_id"]), list(frame["doc_hash"])) if own else ([], [])
    if not own or any(one and _OURS.fullmatch(str(one)) for one in judgments.frame["doc_hash"]):
        from assay.flows.keeping import TENANT
        from assay.flows.snapshot import documents_of

        held = documents_of(bench, documents, TENANT)
        names += held
        hashes += [row["doc_hash"] for row in held.values()]
    return Block({"doc_id": names, "doc_hash": hashes}, block.place, block.name, block.facts)


def segments_of(topics: Block | None) -> dict[str, str]:
    """The class of each query, where the topics have that column."""
    if topics is None or "segment" not in topics.columns:
        return {}
    frame: Any = topics.frame
    return {str(q): str(s or "") for q, s in zip(frame["query_id"], frame["segment"], strict=True)}


def ageing(
    bench: Workbench, judgments: Block, *, topics: Block | None = None, documents: Any = None
) -> LabelAges | None:
    """How many labels no longer hold; None where nothing tells it."""
    if not {"judged_at", "doc_hash"} & set(judgments.columns):
        return None
    told = known(bench, judgments, topics=topics, documents=documents)
    if not told.days and told.documents is None:
        return None
    from assay.judgments.freshness import freshness

    found = freshness(of_grades(judgments), told.documents, limits=told.days, segments=told.segments)
    changed, old, unknown = (sum(getattr(one, name) for one in found.classes) for name in ("changed", "old", "unknown"))
    return LabelAges(found.labels, changed, old, unknown)


def of_grades(judgments: Block) -> Block:
    """The rows of the grade, where dimensions stand beside it: a judgment is one label."""
    from assay.judgments.aggregate import RELEVANCE, values
    from assay.judgments.rows import where

    held = [name or RELEVANCE for name in values(judgments, "dimension")] if "dimension" in judgments.columns else []
    if RELEVANCE not in held:
        return judgments
    return where(judgments, "dimension", lambda name: (name or RELEVANCE) == RELEVANCE)


def note_on(found: LabelAges) -> Note:
    """What a report says of labels that no longer hold."""
    text = f"{found.stale:,} of {found.labels:,} labels ({(found.share or 0.0) * 100:.0f} %) no longer hold"
    why = [f"{found.changed:,} of documents that changed"] if found.changed else []
    why += [f"{found.old:,} older than they may be"] if found.old else []
    text += f": {', '.join(why)}" if why else ""
    text += f"; of {found.unknown:,} it is not known" if found.unknown else ""
    if found.stale:
        text += "; `assay judgments due` names them"
    return Note(STALE, text, count=found.stale, level="warning" if found.stale else "info")
