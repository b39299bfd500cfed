from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zipfile
from pathlib import Path

import polars as pl
import pytest

from cli.typed import Shell

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
