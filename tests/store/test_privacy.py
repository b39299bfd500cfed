from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.errors import InputError
from assay.store import audit, judgments, people, privacy
from assay.store.database import Store
from assay.store.schema import AUDIT, EVENTS, FLAGS, INVITATIONS, JUDGMENTS, PEOPLE, TABLES
from store.made import NOW, TENANT, ask, give, project

ANNA = "anna-quite-distinct"
WORDS = "my neighbour Bartholomew sells these"


def fill(store: Store) -> None:
    """A project that anna and ben labelled, with all that can name a person."""
    row = project(store, items=4, wanted=2, opened_by=ANNA, opened_why=WORDS)
    for rater in (ANNA, "ben"):
        for item in ask(store, row, rater, 4):
            give(store, item["id"], rater, grade=float(item["id"] % 3), note=WORDS if rater == ANNA else "fine",
                 uid=f"u{rater[0]}{item['id']}")  # fmt: skip

    def job(connection: sa.Connection) -> None:
        people.add(connection, TENANT, ANNA, "lead", "hash", NOW)
        people.add(connection, TENANT, "ben", "rater", "hash", NOW)
        people.make_key(connection, TENANT, f"key of {ANNA}", ANNA, "lead", NOW)
        people.invite(connection, TENANT, "rater", ANNA, ANNA, NOW)
        audit.note(connection, TENANT, "ben", "added a person", f"{ANNA}, lead", NOW)
        audit.note(connection, TENANT, ANNA, "signed in", "", NOW)
        audit.note(connection, TENANT, "ben", "said", f"{ANNA}s is another word", NOW)
        flag = {"tenant": TENANT, "project": "p", "query_id": "q0", "rater": ANNA, "why": WORDS, "flagged_at": NOW}
        connection.execute(sa.insert(FLAGS).values(**flag))
        event = {"tenant": TENANT, "uid": "e1", "project": "p", "rater": ANNA, "kind": "stopped", "at": NOW}
        connection.execute(sa.insert(EVENTS).values(**event))

    store.write(job).result()


def everything(store: Store) -> str:
    return repr([store.rows(sa.select(table)) for table in TABLES.sorted_tables])


def test_every_column_that_may_name_a_person_is_known() -> None:
    named = {f"{column.table.name}.{column.name}" for column, _ in privacy.WHOSE}
    hints = ("rater", "person", "_by", "name")
    there = {
        f"{table.name}.{column.name}"
        for table in TABLES.sorted_tables
        for column in table.c
        if column.name.endswith(hints) and (table.name, column.name) not in (("projects", "name"), ("api_keys", "name"))
    }
    assert there <= named


def test_what_is_known_is_found_and_holds_no_hash(store: Store) -> None:
    fill(store)
    rows = privacy.found(store, TENANT, ANNA)
    assert {table: len(held) for table, held in rows.items()} == {
        "judgments": 4, "claims": 4, "flags": 1, "projects": 1, "audit": 2, "people": 1, "api_keys": 1,
        "invitations": 1, "events": 1,
    }  # fmt: skip
    assert "hash" not in rows["people"][0].values()
    assert "password" not in rows["people"][0]
    assert privacy.found(store, TENANT, "ann") == {}


def test_after_an_erase_nothing_names_the_person_and_counts_stay(store: Store, url: str) -> None:
    fill(store)
    before = [(row["item"], row["grade"]) for row in judgments.current(store, TENANT, "p")]
    nobody, changed = privacy.erase(store, TENANT, ANNA)
    assert changed["judgments"] == 4
    left = everything(store).replace(f"{ANNA}s is another word", "")
    assert ANNA not in left
    assert WORDS not in left
    after = judgments.current(store, TENANT, "p")
    assert [(row["item"], row["grade"]) for row in after] == before
    assert [row["rater"] for row in after].count(nobody) == 4
    assert [row["note"] for row in after if row["rater"] == "ben"] == ["fine"] * 4
    (person,) = store.rows(sa.select(PEOPLE).where(PEOPLE.c.name == nobody))
    assert person["ended_at"] is not None
    assert person["password"] is None


def test_a_reason_stays_a_reason_without_its_words(store: Store) -> None:
    row = project(store, items=2, wanted=1)
    first, second = ask(store, row, ANNA, 2)
    give(store, first["id"], ANNA, grade=None, cannot_tell=WORDS)
    give(store, second["id"], ANNA, grade=1.0)
    privacy.erase(store, TENANT, ANNA)
    held = {row["item"]: row["cannot_tell"] for row in store.rows(sa.select(JUDGMENTS))}
    assert held == {first["id"]: "erased", second["id"]: None}


def test_ids_that_a_client_made_of_the_name_go_and_undoing_holds(store: Store) -> None:
    row = project(store, items=2, wanted=1)
    first, second = ask(store, row, ANNA, 2)
    for item in (first, second):
        give(store, item["id"], ANNA, uid=f"{ANNA.upper()}_{item['id']:06}", grade=1.0)
    of = f"{ANNA.upper()}_{first['id']:06}"
    store.write(lambda c: judgments.take_back(c, TENANT, f"undo-{ANNA}", of, ANNA, NOW)).result()
    before = [(row["item"], row["grade"]) for row in judgments.current(store, TENANT, "p")]
    privacy.erase(store, TENANT, ANNA)
    assert ANNA not in everything(store).lower()
    assert [(row["item"], row["grade"]) for row in judgments.current(store, TENANT, "p")] == before == [
        (second["id"], 1.0)
    ]  # fmt: skip


def test_somebody_whom_nothing_names_is_not_erased(store: Store) -> None:
    with pytest.raises(InputError, match="nothing here names carla"):
        privacy.erase(store, TENANT, "carla")


def test_another_tenants_person_of_that_name_stays(store: Store) -> None:
    fill(store)
    store.write(lambda connection: people.add(connection, "other", ANNA, "rater", None, NOW)).result()
    privacy.erase(store, TENANT, ANNA)
    assert [row["tenant"] for row in store.rows(sa.select(PEOPLE).where(PEOPLE.c.name == ANNA))] == ["other"]


def test_no_byte_stays_in_the_files_of_the_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'assay.db'}"
    with Store.open(url) as store:
        fill(store)
        store.write(lambda c: c.execute(sa.delete(AUDIT).where(AUDIT.c.what.contains("another word")))).result()
    with Store.open(url) as store:
        held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert ANNA.encode() in held
        privacy.erase(store, TENANT, ANNA)
    privacy.scrub(url)
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert ANNA.encode() not in held
    assert WORDS.encode() not in held


def test_scrubbing_leaves_every_row(store: Store, url: str) -> None:
    fill(store)
    before = everything(store)
    store.engine.dispose()
    privacy.scrub(url)
    assert everything(store) == before


def test_what_is_too_old_goes_and_the_rest_stays(store: Store) -> None:
    fill(store)
    late = "2026-06-01T00:00:00Z"
    store.write(lambda connection: audit.note(connection, TENANT, "ben", "signed in", "", late)).result()
    cut: dict[str, Any] = dict.fromkeys(privacy.AGES, "2026-05-01T00:00:00Z")
    gone = privacy.expire(store, TENANT, cut)
    assert gone == {"audit": 3, "invitations": 1, "api_keys": 0, "flags": 1, "events": 1, "notes": 8}
    assert [row["at"] for row in store.rows(sa.select(AUDIT))] == [late]
    assert store.rows(sa.select(INVITATIONS)) == []
    assert len(judgments.current(store, TENANT, "p")) == 8
    assert {row["note"] for row in store.rows(sa.select(JUDGMENTS))} == {""}
    assert privacy.expire(store, TENANT, cut)["notes"] == 0


@pytest.mark.postgres
@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_no_byte_stays_in_the_tables_of_a_server(store: Store, url: str) -> None:
    """Its log of writes is the server's own, and goes with its next backups."""
    fill(store)
    store.write(lambda c: c.execute(sa.delete(AUDIT).where(AUDIT.c.what.contains("another word")))).result()
    with privacy.without_writer(url) as connection:
        connection.execute(sa.text("ANALYZE"))  # the commonest values of each column go into the statistics
        base = Path(connection.execute(sa.text("show data_directory")).scalar_one(), "base")

    def held() -> bytes:
        with privacy.without_writer(url) as connection:
            connection.execute(sa.text("CHECKPOINT"))
        return b"".join(path.read_bytes() for path in base.rglob("*") if path.is_file())

    before = held()
    assert ANNA.encode() in before
    assert WORDS.encode() in before
    privacy.erase(store, TENANT, ANNA)
    store.engine.dispose()
    privacy.scrub(url)
    after = held()
    assert ANNA.encode() not in after
    assert WORDS.encode() not in after
    assert len(judgments.current(store, TENANT, "p")) == 8


def test_own_words_are_those_of_the_person_alone(store: Store) -> None:
    fill(store)
    assert privacy.words(store, TENANT, ANNA) == (f"key of {ANNA}", WORDS)
    assert privacy.words(store, TENANT, "ben") == ()  # "fine" is anybody's word
