"""Labels from clicks in the store: a project of their own, taken out as they went in, handed out to nobody."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assay.clicks.grading import cuts_of
from assay.errors import InputError, NotEnoughEvidence
from assay.flows import labelling, leading
from assay.flows.click_project import check_project, keep_labels, rubric_text
from assay.flows.exported import export
from assay.flows.keeping import TENANT, open_store
from assay.flows.people import Person
from assay.flows.progress import progress_of
from assay.flows.workbench import Workbench
from assay.rubric import Rubric

CUTS = cuts_of([0.1, 0.5])
LABELS = pl.DataFrame({
    "query_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d1"], "grade": [2.0, 0.0, 1.0],
    "rubric": "cuts-0123", "judged_at": "2026-01-28T23:00:00Z", "model": "position-based",
    "log_from": "2026-01-01T00:00:00Z", "log_to": "2026-01-28T23:00:00Z", "impressions": [100, 90, 80],
    "clicks": [60, 3, 20], "attraction": [0.6, 0.033, 0.25], "se": [0.05, 0.02, 0.05], "low": [0.5, 0.01, 0.17],
    "high": [0.69, 0.09, None], "despite_misfit": pl.Series([None] * 3, dtype=pl.String),
})  # fmt: skip
DOCUMENTS = pl.DataFrame({"doc_id": ["d1", "d2"], "title": ["a saddle", "a cover"]})


@pytest.fixture
def bench(url: str, tmp_path: Path) -> Workbench:
    (tmp_path / "assay.toml").write_text(f'[store]\nurl = "{url}"\n', encoding="utf-8")
    return Workbench.open(tmp_path)


def test_labels_come_out_as_they_went_in(bench: Workbench) -> None:
    assert keep_labels(bench, "January", LABELS, CUTS, "cuts-0123", None, DOCUMENTS) == 3
    with open_store(bench) as store:
        rows = export(store, TENANT, "January")
        assert {(row["query_id"], row["doc_id"], row["grade"]) for row in rows} == {
            ("q1", "d1", 2.0), ("q1", "d2", 0.0), ("q2", "d1", 1.0)
        }  # fmt: skip
        assert {(row["rater"], row["role"], row["source"]) for row in rows} == {("clicks", "model", "clicks")}
        assert {row["judged_at"] for row in rows} == {"2026-01-28T23:00:00Z"}
        assert {row["rubric"] for row in rows} == {Rubric.parse(rubric_text(CUTS, "cuts-0123")).version}
        first = next(row for row in rows if (row["query_id"], row["doc_id"]) == ("q2", "d1"))
        assert first["note"] == (
            "cuts-0123, position-based model; 20 clicks in 80 impressions; attraction 0.25 (se 0.05, 0.17 to ?); "
            "log 2026-01-01T00:00:00Z to 2026-01-28T23:00:00Z"
        )


def test_nobody_is_asked_for_them_also_when_the_project_is_opened(bench: Workbench) -> None:
    keep_labels(bench, "January", LABELS, CUTS, "cuts-0123", None, None)
    with open_store(bench) as store:
        who = Person("mia", "rater", TENANT)
        found = progress_of(store, who, "January")
        assert (found.wanted, found.given, found.disputed) == (3, 3, 0)
        leading.open_project(store, "January")
        assert labelling.next_items(store, who, "January", 5, b"secret") == []


def test_the_rubric_says_which_attraction_is_which_grade() -> None:
    rubric = Rubric.parse(rubric_text(CUTS, "cuts-0123"))
    assert rubric.scale == (0.0, 1.0, 2.0)
    assert [grade.definition for grade in rubric.grades] == [
        "attraction from 0 to below 0.1", "attraction from 0.1 to below 0.5", "attraction from 0.5"
    ]  # fmt: skip


def test_a_name_is_taken_once_and_nothing_is_no_project(bench: Workbench) -> None:
    keep_labels(bench, "January", LABELS, CUTS, "cuts-0123", None, None)
    with pytest.raises(InputError, match="there is a project January already"):
        check_project(bench, "January")
    with pytest.raises(InputError, match="there is a project January already"):
        keep_labels(bench, "January", LABELS, CUTS, "cuts-0123", None, None)
    with pytest.raises(NotEnoughEvidence, match="no pair has a grade"):
        keep_labels(bench, "February", LABELS.clear(), CUTS, "cuts-0123", None, None)


def test_a_missing_workspace_is_said_before_anything_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import assay

    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="need a workspace"):
        assay.qrels_from_clicks("no-such-log.parquet", cuts=[0.2], project="January")
