"""A document that a rater looked for, in the queue of a project."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from assay.errors import InputError
from assay.flows.finding import add_found
from assay.flows.people import Person
from assay.store import found, queue
from assay.store.database import Store
from assay.store.schema import DOCUMENTS, ITEMS
from store.made import NOW, TENANT, ask, project

ROW = {"doc_hash": "h", "title": "Jacket", "text": ""}


def add(store: Store, row: dict[str, object], query: str, doc: str) -> tuple[dict[str, object], str]:
    wanted = {"doc_id": doc, "doc_hash": "h"}
    return store.write(lambda connection: found.add(connection, row, "ann", query, wanted, NOW)).result()


def test_it_stands_where_the_other_documents_of_its_query_do(store: Store) -> None:
    row = project(store, items=6, wanted=2, queries=3)
    item, state = add(store, row, "q1", "new")
    assert (state, item["is_new"], item["place"], item["is_found"], item["wanted"]) == ("added", True, 1, True, 2)
    assert [one["id"] for one in ask(store, row, "ann", 1)] == [item["id"]]  # it is held already
    assert [one["doc_id"] for one in ask(store, row, "ben", 6)][2:5].count("new") == 1  # the third to fifth are of q1


def test_a_pair_with_several_looks_is_given_as_it_looks_last(store: Store) -> None:
    row = project(store, items=2, wanted=2, queries=1)
    later = queue.NewItem("q0", "d0", "later", 0)
    store.write(lambda connection: queue.add(connection, TENANT, "p", [later], 2, NOW)).result()
    item, state = add(store, row, "q0", "d0")
    assert (state, item["is_new"], item["doc_hash"]) == ("added", False, "later")
    assert add(store, row, "q0", "d0")[1] == "held"
    assert len(store.rows(sa.select(ITEMS))) == 3


def test_a_document_of_another_tenant_or_another_look_is_none(store: Store) -> None:
    rows = [ROW | {"tenant": tenant, "doc_id": "d"} for tenant in (TENANT, "others")]
    rows.append(ROW | {"tenant": "others", "doc_id": "theirs"})
    store.write(lambda connection: connection.execute(sa.insert(DOCUMENTS), rows)).result()
    with store.reading() as connection:
        assert found.document(connection, TENANT, "d", "h") == {"doc_id": "d", "doc_hash": "h"}
        assert found.document(connection, TENANT, "theirs", "h") is None
        assert found.document(connection, TENANT, "d", "other") is None


@pytest.mark.parametrize("changes", [{"ended_at": NOW}, {"mode": "pairwise"}])
def test_nothing_is_added_to_a_project_that_is_closed_or_compares_two_documents(
    store: Store, changes: dict[str, str]
) -> None:
    project(store, **changes)
    row = ROW | {"tenant": TENANT, "doc_id": "d"}
    store.write(lambda connection: connection.execute(sa.insert(DOCUMENTS).values(row))).result()
    with pytest.raises(InputError, match="documents cannot be added to this project"):
        add_found(store, Person("ann", "rater", TENANT), "Shop", "q1", "d", "h", b"secret")
    assert "d" not in {one["doc_id"] for one in store.rows(sa.select(ITEMS))}
