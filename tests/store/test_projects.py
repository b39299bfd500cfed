"""Projects and their documents, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from assay.errors import InputError
from assay.store import projects
from assay.store.database import Store
from assay.store.schema import DOCUMENTS
from store.made import NOW, TENANT, ask, give, project


def document(name: str, title: str = "", text: str = "", doc_hash: str = "h", tenant: str = TENANT) -> dict[str, Any]:
    return {
        "tenant": tenant, "doc_id": name, "doc_hash": doc_hash, "title": title, "text": text, "fields": '{"size": "M"}',
        "captured_at": None,
    }  # fmt: skip


def add(store: Store, *rows: dict[str, Any]) -> None:
    store.write(lambda connection: projects.add_documents(connection, rows)).result()


def found(store: Store, words: str) -> list[str]:
    return [row["doc_id"] for row in projects.search(store, TENANT, words)]


def test_a_search_takes_every_word_as_it_is_written(store: Store) -> None:
    add(
        store, document("a", "Rain jacket", "100% nylon"), document("b", "Rain coat", "under_score!"),
        document("c", "Rain jacket", tenant="other"),
    )  # fmt: skip
    assert found(store, "RAIN") == ["a", "b"]
    assert found(store, "rain NYLON") == ["a"]
    assert found(store, "0%") == ["a"]
    assert found(store, "%") == ["a"]
    assert found(store, "r_s") == ["b"]
    assert found(store, "e!") == ["b"]
    assert found(store, "rain snow") == []


def test_a_document_is_kept_once_a_version_and_found_as_it_is_now(store: Store) -> None:
    add(store, document("a", "old", doc_hash="h1"))
    add(store, document("a", "old", doc_hash="h1"), document("a", "new", doc_hash="h2"))
    assert [row["title"] for row in store.rows(sa.select(DOCUMENTS.c.title).order_by(DOCUMENTS.c.id))] == ["old", "new"]
    assert projects.search(store, TENANT, "old") == []
    assert [row["title"] for row in projects.search(store, TENANT, "e")] == ["new"]
    assert projects.search(store, TENANT, "new")[0]["fields"] == {"size": "M"}


def test_a_rater_sees_the_version_that_the_item_names(store: Store) -> None:
    row = project(store, items=1, queries=1)
    add(store, document("d0", "then", doc_hash="h0"), document("d0", "now", doc_hash="h9"))
    store.write(
        lambda connection: projects.add_queries(
            connection, [{"tenant": TENANT, "project": "p", "query_id": "q0", "text": "rain"}]
        )
    ).result()
    (one,) = projects.shown(store, ask(store, row, "ann"))
    assert (one["document"]["title"], one["query"]["text"], one["other"]) == ("then", "rain", None)


def test_counts_are_of_the_project_and_of_the_rater(store: Store) -> None:
    row = project(store, items=3, wanted=2)
    for item in ask(store, row, "ann", 2):
        give(store, item["id"], "ann")
    ask(store, row, "bob", 1)
    assert projects.counts(store, "p") == {"wanted": 6, "taken": 3, "given": 2}
    assert projects.counts(store, "p", "bob") == {"wanted": 6, "taken": 3, "given": 0}


def test_flags_need_a_query_of_the_project_and_names_are_taken_once(store: Store) -> None:
    row = project(store)
    assert not store.write(lambda connection: projects.has_query(connection, "p", "q0")).result()
    with pytest.raises(InputError, match="there is a project Shop already"):
        store.write(lambda connection: projects.add(connection, row | {"id": "p2"})).result()
    with pytest.raises(InputError, match="did you mean Shop"):
        projects.find(store, TENANT, "Shpo")
    assert projects.find(store, TENANT, "p")["created_at"] == NOW
