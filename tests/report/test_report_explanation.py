"""A worked value on paper: titles that were asked for stay, and a query without results says so."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.report.describe import describe
from assay.report.letters import width
from assay.report.text import to_text

QRELS = {"q1": {"d1": 3, "d2": 1}, "q2": {"d1": 1}}
RUN = {"q1": {"d1": 3.0, "d9": 2.0, "d2": 1.0}}
DOCUMENTS = [
    {"doc_id": "d1", "title": "Panniers with a roll top and a very long name"},
    {"doc_id": "d2", "title": "Rear rack"},
]


def page(query: str, columns: int, **more: object) -> str:
    return to_text(describe(assay.explain(RUN, QRELS, query, "nDCG@3", **more)), columns)


@pytest.mark.parametrize("columns", [80, 100])
def test_titles_that_were_asked_for_are_shown_at_every_usual_width(columns: int, tmp_path: Path) -> None:
    file = tmp_path / "documents.csv"
    file.write_text("doc_id,title\n" + "".join(f"{d['doc_id']},{d['title']}\n" for d in DOCUMENTS), encoding="utf-8")
    said = page("q1", columns, documents=file)
    assert "Panniers with a" in said
    assert "Rear rack" in said
    assert max(map(width, said.splitlines())) <= columns


def test_the_discount_stays_where_there_are_no_titles() -> None:
    assert "log2(rank + 1)     adds" in page("q1", 80)


def test_a_query_that_the_run_lacks_says_so() -> None:
    assert "nothing: the run has no results for this query; 1 judged relevant" in page("q2", 100)
    assert "--missing skip leaves it out of the mean" in " ".join(page("q2", 100, missing="skip").split())
    assert "nothing:" not in page("q1", 100)
