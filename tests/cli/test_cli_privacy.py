from __future__ import annotations

import gzip
import html
import io
import json
import sqlite3
import zipfile
from pathlib import Path

import polars as pl
import pytest
import sqlalchemy as sa

from assay.flows.keeping import open_store
from assay.flows.workbench import Workbench
from assay.store.judgments import Given
from assay.store.schema import ITEMS
from cli.typed import Shell
from flows.settled import give, settled_project

ANNA = "anna-quite-distinct"


@pytest.fixture
def typed(assay: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    (assay.folder / "assay.toml").write_text("", "utf-8")
    monkeypatch.setattr("assay.cli.people.password", lambda: "a long password")
    assay("people", "add", ANNA, "--role", "lead")
    assay("people", "key", "nightly", "--person", ANNA)
    return assay


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_person_is_found_in_the_store_and_in_files_of_every_packing(typed: Shell) -> None:
    text = f"q1,d1,{ANNA},2\n".encode()
    (typed.folder / "plain.csv").write_bytes(text)
    (typed.folder / "packed.csv.gz").write_bytes(gzip.compress(text))
    with zipfile.ZipFile(typed.folder / "kept.assay", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.json", text)
    pl.DataFrame({"rater": [ANNA, "ben"]}).write_parquet(typed.folder / "rows.parquet")
    (typed.folder / "other.csv").write_text(f"q1,d1,{ANNA}s,2\n", "utf-8")
    said = typed("privacy", "find", ANNA, "--format", "json")
    found = json.loads(said.out)
    assert said.code == 0
    assert found["rows"] == {"api_keys": 1, "audit": 2, "people": 1}
    assert found["files"] == ["kept.assay", "packed.csv.gz", "plain.csv", "rows.parquet"]
    assert found["unread"] == []


def test_a_backup_that_names_the_person_is_found_and_left(typed: Shell) -> None:
    typed("db", "backup", "copy.db")
    assert json.loads(typed("privacy", "find", ANNA, "--format", "json").out)["files"] == ["copy.db"]
    said = typed("privacy", "erase", ANNA, "--yes")
    assert (said.code, "copy.db" in said.out) == (1, True)


def test_a_name_across_two_pieces_of_a_file_is_found(typed: Shell) -> None:
    (typed.folder / "long.txt").write_bytes(b" " * ((1 << 20) - 5) + ANNA.encode() + b"\n")
    assert "long.txt" in json.loads(typed("privacy", "find", ANNA, "--format", "json").out)["files"]


def test_a_damaged_archive_is_said_and_not_fatal(typed: Shell) -> None:
    (typed.folder / "cut.gz").write_bytes(gzip.compress(b"a" * 100)[:-9])
    said = typed("privacy", "find", ANNA)
    assert said.code == 0
    assert "warning: could not be looked into: cut.gz" in said.err


def test_nobody_is_exit_code_1(typed: Shell) -> None:
    said = typed("privacy", "find", "carla")
    assert (said.code, said.out) == (1, "Nothing here names carla.\n")


def test_what_is_known_is_handed_out_without_hashes(typed: Shell) -> None:
    assert typed("privacy", "export", ANNA, "-o", "anna.json").code == 0
    handed = json.loads((typed.folder / "anna.json").read_text("utf-8"))
    assert handed["person"] == ANNA
    assert handed["rows"]["people"][0]["role"] == "lead"
    assert "argon2" not in json.dumps(handed)
    assert typed("privacy", "export", "carla").code == 3


def test_after_an_erase_no_byte_of_the_name_is_in_the_workspace(typed: Shell) -> None:
    assert ANNA.encode() in bytes_of(typed.folder)
    said = typed("privacy", "erase", ANNA, "--yes")
    assert said.code == 0, said.err
    assert said.out.startswith("Changed ")
    assert ANNA.encode() not in bytes_of(typed.folder)
    with sqlite3.connect(typed.folder / ".assay" / "store.db") as store:
        assert store.execute("select count(*) from people").fetchone() == (1,)
        actions = [row[0] for row in store.execute("select action from audit order by id")]
    store.close()
    assert actions == ["added a person", "made a key", "erased a person"]
    assert typed("privacy", "find", ANNA).code == 1


def test_files_that_still_hold_the_name_are_told_and_left(typed: Shell) -> None:
    (typed.folder / "mine.csv").write_text(f"q1,d1,{ANNA},2\n", "utf-8")
    said = typed("privacy", "erase", ANNA, "--yes")
    assert said.code == 1
    assert "mine.csv" in said.out
    assert "note: these files are yours" in said.err
    assert (typed.folder / "mine.csv").exists()


def test_without_yes_it_asks(typed: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert typed("privacy", "erase", ANNA).code == 130
    assert typed("privacy", "find", ANNA).code == 0


def test_what_is_too_old_is_forgotten_by_the_settings(typed: Shell) -> None:
    with sqlite3.connect(typed.folder / ".assay" / "store.db") as store:
        store.execute("update audit set at = '2020-01-01T00:00:00Z' where action = 'made a key'")
    store.close()
    (typed.folder / "assay.toml").write_text("[privacy]\naudit_days = 0\n", "utf-8")
    assert json.loads(typed("privacy", "expire", "--format", "json").out) == {
        "invitations": 0, "api_keys": 0
    }  # fmt: skip
    (typed.folder / "assay.toml").write_text("[privacy]\naudit_days = 10\n", "utf-8")
    assert json.loads(typed("privacy", "expire", "--format", "json").out)["audit"] == 1
    (typed.folder / "assay.toml").write_text("[privacy]\naudit_days = -1\n", "utf-8")
    said = typed("privacy", "expire")
    assert said.code == 3
    assert said.err.startswith("assay.toml:2: audit_days is below 0")


WORDS = 'the seller is "my neighbour" Bartholomew'


def test_after_an_erase_with_remove_only_files_of_ones_own_hold_name_or_words(typed: Shell) -> None:
    settled_project(typed.folder)
    with open_store(Workbench.open(str(typed.folder))) as store:
        item = store.rows(sa.select(ITEMS.c.id).order_by(ITEMS.c.id).limit(1))[0]["id"]
        give(store, Given("by-anna", item, ANNA, "adjudicator", grade=1.0, note=WORDS))
        give(store, Given("by-ben", item, "ben", "adjudicator", grade=1.0, note="no word of hers"))
    assert typed("judgments", "export", "winter", "labels.csv").code == 0
    with zipfile.ZipFile(typed.folder / "kept.assay", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("result.json", json.dumps({"note": WORDS}))
    (typed.folder / "results").mkdir()
    assert typed("agree", "winter", "-o", "results/agreement.assay").code == 0
    (typed.folder / "results" / "raters.txt").write_text(f"{ANNA}\n", "utf-8")
    assert typed("db", "backup", "copies.db").code == 0
    (typed.folder / "page.html").write_text(f"<p>{html.escape(WORDS)}</p>", "utf-8")
    said = typed("privacy", "erase", ANNA, "--yes", "--remove", "--format", "json")
    told = json.loads(said.out)
    assert said.code == 1
    assert told["removed"] == ["copies.db", "kept.assay", "results/raters.txt"]
    assert told["files"] == ["labels.csv", "page.html"]  # what is the user's own is named and left
    assert (typed.folder / "results" / "agreement.assay").exists()  # it names no adjudicator
    for name in told["files"]:
        (typed.folder / name).unlink()
    left = bytes_of(typed.folder)
    assert ANNA.encode() not in left
    assert b"Bartholomew" not in left
    assert typed("db", "check").code == 0
    rows = typed("judgments", "export", "winter", "-").out
    assert rows.count("erased-") == 1
    assert "no word of hers" in rows


def test_files_can_be_removed_after_the_person_was_taken_out(typed: Shell) -> None:
    assert typed("db", "backup", "copy.db").code == 0
    assert typed("privacy", "erase", ANNA, "--yes").code == 1
    said = typed("privacy", "erase", ANNA, "--yes", "--remove")
    assert said.code == 0, said.err
    assert said.out.splitlines() == [f"Changed 0 rows; the store named {ANNA} no more.", "removed        copy.db"]
    assert ANNA.encode() not in bytes_of(typed.folder)
    assert typed("privacy", "erase", ANNA, "--yes", "--remove").code == 3


def test_a_name_is_found_however_a_file_spells_it(typed: Shell) -> None:
    name = 'Zoë "Z"'
    assert typed("people", "add", name).code == 0
    (typed.folder / "coded.json").write_text(json.dumps({"rater": name}), "utf-8")
    (typed.folder / "plain.json").write_text(json.dumps({"rater": name}, ensure_ascii=False), "utf-8")
    (typed.folder / "page.html").write_text(html.escape(f"<{name}>"), "utf-8")
    (typed.folder / "table.csv").write_text('rater,grade\n"Zoë ""Z""",1\n', "utf-8")
    (typed.folder / "other.csv").write_text("rater\nZoë\n", "utf-8")
    assert json.loads(typed("privacy", "find", name, "--format", "json").out)["files"] == [
        "coded.json", "page.html", "plain.json", "table.csv"
    ]  # fmt: skip
