"""Judgments out of the store and pairs back into it, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.flows.again import put_back
from assay.flows.exported import export, history
from assay.flows.keeping import TENANT, open_store
from assay.flows.labelling import next_items
from assay.flows.people import Person
from assay.flows.snapshot import document_row
from assay.flows.takeout import take_out
from assay.flows.workbench import Workbench
from assay.store import growing, projects
from assay.store.judgments import Given
from flows.settled import AFTER, BEFORE, give, settled_project


@pytest.fixture
def bench(url: str, tmp_path: Path) -> Workbench:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "assay.toml").write_text(f'[store]\nurl = "{url}"\n', "utf-8")
    return settled_project(folder, refresh_days=30)


def test_a_project_is_used_by_its_name_and_as_its_file(bench: Workbench, tmp_path: Path) -> None:
    runs = {"before": BEFORE, "after": AFTER}
    found = assay.compare(runs, "project:winter", "DCG@1", bench=bench)
    assert found.differences[0].difference == pytest.approx(0.25)
    assert found.noise is not None
    take_out(bench, "winter", tmp_path / "labels.parquet")
    again = assay.compare(runs, tmp_path / "labels.parquet", "DCG@1")
    assert again.differences[0].difference == found.differences[0].difference
    assert assay.agree("winter", bench=bench).pairs[0].coefficients[0].value == pytest.approx(0.5)


def test_an_id_alone_in_another_project_is_no_new_version(bench: Workbench) -> None:
    with open_store(bench) as store, store.reading() as connection:
        docs = {doc for _, doc in growing.pairs(connection, projects.by_name(connection, TENANT, "winter")["id"])}
        before = growing.latest(connection, TENANT, docs)
    bare = [document_row(TENANT, doc, "", "", {}, None) for doc in [*docs, "new"]]
    with open_store(bench) as store:
        store.write(lambda connection: projects.add_documents(connection, bare)).result()
        with store.reading() as connection:
            after = growing.latest(connection, TENANT, [*docs, "new"])
    assert before == {doc: hash_ for doc, hash_ in after.items() if doc != "new"}
    assert after["new"] == bare[-1]["doc_hash"]  # nobody ever gave more of it


def test_what_is_due_goes_back_and_a_new_grade_replaces_the_old_ones(bench: Workbench) -> None:
    due = assay.stale("winter", at="2026-04-20", bench=bench)
    assert len(due.stale) == 9
    assert (put_back(bench, "winter", due).pairs, put_back(bench, "winter", due).waiting) == (4, 4)
    with open_store(bench) as store:
        one = next_items(store, Person("dee", "rater", TENANT), "winter", 1, b"secret")[0]
        give(store, Given("dee-1", one["item"], "dee", grade=1.0), "2026-04-21T00:00:00.000Z")
        doc = one["document"]["doc_id"]
        rows = export(store, TENANT, "winter")
        assert [(row["rater"], row["grade"]) for row in rows if row["doc_id"] == doc] == [("dee", 1.0)]
        assert len(history(store, TENANT, "winter")) == 10
    assert put_back(bench, "winter", assay.stale("winter", at="2026-06-20", bench=bench)).pairs == 1
