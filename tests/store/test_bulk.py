"""Many rows at once, on both databases: those that are there stay as they are, and the new ones are counted."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from assay.store.bulk import MANY, insert_new
from assay.store.database import Store
from assay.store.schema import ITEMS
from store.made import NOW, TENANT, project

NAMES = ("place", "tenant", "project", "query_id", "doc_id", "doc_hash", "wanted", "gold", "is_pilot", "created_at")


def row(doc: str, place: int = 0, gold: float | None = None, of: str = "p") -> tuple[Any, ...]:
    return place, TENANT, of, "q", doc, "h", 2, gold, gold is not None, NOW


def added(store: Store, rows: list[tuple[Any, ...]]) -> int:
    return store.write(lambda connection: insert_new(connection, ITEMS, NAMES, rows)).result()


def there(store: Store) -> dict[str, tuple[int, float | None, bool]]:
    return {one["doc_id"]: (one["place"], one["gold"], one["is_pilot"]) for one in store.rows(sa.select(ITEMS))}


@pytest.mark.parametrize("n", [3, MANY + 200])
def test_what_is_there_stays_and_what_is_new_is_counted(store: Store, n: int) -> None:
    project(store, items=0)
    assert added(store, []) == 0
    assert added(store, [row(f"d{i}", i) for i in range(n)]) == n
    assert added(store, [row(f"d{i}", 7_000) for i in range(2, n + 2)]) == 2
    assert there(store) == {f"d{i}": (i if i < n else 7_000, None, False) for i in range(n + 2)}


@pytest.mark.parametrize("n", [3, MANY + 200])
def test_a_row_that_comes_twice_counts_once(store: Store, n: int) -> None:
    project(store, items=0)
    assert added(store, [row(f"d{i}") for i in range(n)] + [row("d1", 9)]) == n
    assert there(store)["d1"] == (0, None, False)


@pytest.mark.parametrize("n", [0, MANY])
def test_texts_come_through_as_they_are(store: Store, n: int) -> None:
    project(store, items=0)
    odd = [
        "a\tb",
        "a\nb",
        "\\N",
        "\\",
        "a\\tb",
        "null",
        "",
        " ",
        '"',
        "'",
        "%s",
        ":name",
        "\\.",
        "नमस्ते 🙂",
        "\r\n",
        "x,y",
    ]
    assert added(store, [row(doc, 3, 0.1) for doc in odd] + [row(f"d{i}") for i in range(n)]) == len(odd) + n
    found = there(store)
    assert {doc: found[doc] for doc in odd} == dict.fromkeys(odd, (3, 0.1, True))


@pytest.mark.parametrize("n", [1, MANY])
def test_rows_that_the_database_refuses_are_refused_together(store: Store, n: int) -> None:
    project(store, items=0)
    with pytest.raises(sa.exc.IntegrityError):
        added(store, [row(f"d{i}") for i in range(n)] + [row("x", of="none")])
    assert there(store) == {}
    assert added(store, [row("d0")]) == 1
