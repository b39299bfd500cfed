from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

import assay
from assay.errors import InputError
from assay.flows.ageing import parse_days
from assay.judgments.freshness import Freshness, freshness
from assay.tables import Document, Judgment
from assay.tables.door import block_of

AT = datetime(2026, 7, 1, tzinfo=UTC)


def label(doc: str, judged_at: str | None = None, doc_hash: str | None = None, query: str = "q1") -> dict[str, Any]:
    return {"query_id": query, "doc_id": doc, "grade": 1.0, "judged_at": judged_at, "doc_hash": doc_hash}


def fresh(*labels: dict[str, Any], documents: list[dict[str, Any]] | None = None, **options: Any) -> Freshness:
    now = None if documents is None else block_of(documents, Document, "docs.jsonl")
    return freshness(block_of(list(labels), Judgment, "labels.csv"), now, at=AT, **options)


def told(found: Freshness) -> list[tuple[str, str]]:
    return [(one.doc_id, one.why) for one in found.stale]


def test_a_label_goes_stale_when_its_document_changed() -> None:
    found = fresh(label("a", doc_hash="1"), label("b", doc_hash="1"), label("gone", doc_hash="1"), label("c"),
                  documents=[{"doc_id": "a", "doc_hash": "1"}, {"doc_id": "b", "doc_hash": "2"},
                             {"doc_id": "c", "doc_hash": "3"}])  # fmt: skip
    assert told(found) == [("b", "document changed")]
    assert (found.labels, found.share) == (4, 0.25)
    # of c nobody noted which version was seen, and gone is not among the documents
    assert [note.count for note in found.notes] == [2]


def test_a_label_goes_stale_when_its_time_is_over() -> None:
    # 2026-07-01 is 181 days after 2026-01-01 and 180 after 2026-01-02
    found = fresh(label("a", "2026-01-01"), label("b", "2026-01-02T00:00:00Z"), label("c", "2026-06-30"),
                  limits={"": 180})  # fmt: skip
    assert told(found) == [("a", "too old")]
    assert found.stale[0].age_days == pytest.approx(181)


def test_a_class_of_queries_has_days_of_its_own() -> None:
    found = fresh(label("a", "2026-06-20"), label("b", "2026-06-20", query="n1"), label("c", "2026-06-28", query="n2"),
                  limits={"": 180, "news": 7}, segments={"n1": "news", "n2": "news"})  # fmt: skip
    assert told(found) == [("b", "too old")]
    assert [(one.segment, one.labels, one.old) for one in found.classes] == [("", 1, 0), ("news", 2, 1)]


def test_days_of_a_class_that_no_query_has_are_told() -> None:
    options: dict[str, Any] = {"segments": {"q1": "news"}}
    found = fresh(label("a", "2026-06-20"), limits={"": 180, "nwes": 7}, **options)
    said = "the days of nwes hold for no label: no query is of that class; did you mean news?"
    assert [(note.level, note.text) for note in found.notes] == [("warning", said)]
    assert not fresh(label("a", "2026-06-20"), limits={"": 180, "news": 70}, **options).notes


def test_labels_of_the_future_are_told() -> None:
    found = fresh(label("a", "2026-07-03"), label("b", "2026-07-01T12:00:00Z"), limits={"": 180})
    said = "1 label is dated later than that: a clock was wrong, or --at is"
    assert (told(found), [note.text for note in found.notes]) == ([], [said])


def test_a_changed_document_is_told_before_its_age_and_the_oldest_first() -> None:
    found = fresh(label("a", "2026-01-01", "1"), label("b", "2025-01-01"), limits={"": 30},
                  documents=[{"doc_id": "a", "doc_hash": "2"}])  # fmt: skip
    assert told(found) == [("b", "too old"), ("a", "document changed")]


def test_times_with_a_zone_are_counted_in_it() -> None:
    found = fresh(label("a", "2026-06-30T02:00:00+02:00"), limits={"": 1})
    assert told(found) == []  # exactly one day
    assert told(fresh(label("a", "2026-06-30T01:59:00+02:00"), limits={"": 1})) == [("a", "too old")]


@pytest.mark.parametrize(
    ("given", "expected"), [("180", {"": 180.0}), ("180,news=7", {"": 180.0, "news": 7.0}), (30, {"": 30.0})]
)
def test_days_as_they_are_typed(given: Any, expected: dict[str, float]) -> None:
    assert parse_days(given) == expected


@pytest.mark.parametrize("given", ["x", "news=", "=7", "-1", "7,8", "nan", "inf"])
def test_days_that_are_none(given: str) -> None:
    with pytest.raises(InputError, match="is not DAYS or SEGMENT=DAYS"):
        parse_days(given)


def test_what_cannot_be_told_is_refused() -> None:
    with pytest.raises(InputError, match="nothing tells when a label goes stale"):
        fresh(label("a"))
    with pytest.raises(InputError, match=r"labels\.csv, row 1: 'soon' is no time"):
        fresh(label("a", "soon"), limits={"": 1})
    with pytest.raises(InputError, match="have no column doc_hash"):
        fresh(label("a"), documents=[{"doc_id": "a"}])
    with pytest.raises(InputError, match="the days name segments"):
        assay.stale([label("a", "2026-01-01")], days="news=7")
    with pytest.raises(InputError, match="'never' is no day"):
        assay.stale([label("a", "2026-01-01")], days=7, at="never")


def test_labels_of_a_project_are_looked_at_as_they_come_out() -> None:
    found = assay.stale([label("a", "2026-06-01T10:00:00.000Z", "1")], days="10", at="2026-07-01")
    assert (found.labels, len(found.stale)) == (1, 1)
