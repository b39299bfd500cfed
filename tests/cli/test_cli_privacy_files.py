"""Where a name may hide in a workspace: beside other bytes, in what is noted about a table, in names of files."""

from __future__ import annotations

import bz2
import json
import lzma
import sqlite3
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

from cli.typed import Shell

BOB = "bob"
"""A short name, which is also the beginning of another one."""


@pytest.fixture
def typed(assay: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    (assay.folder / "assay.toml").write_text("", "utf-8")
    monkeypatch.setattr("assay.cli.people.password", lambda: "a long password")
    for name, role in ((BOB, "rater"), ("bobby", "rater"), ("lea", "lead")):
        assay("people", "add", name, "--role", role)
    return assay


def told(typed: Shell, name: str = BOB) -> list[str]:
    return list(json.loads(typed("privacy", "find", name, "--format", "json").out)["files"])


def left_by_a_log(path: Path, text: str) -> None:
    """The log of a SQLite file that was copied while somebody wrote."""
    other = path.with_name("other.db")
    connection = sqlite3.connect(other)
    connection.execute("pragma journal_mode=wal")
    connection.execute("create table t (a text, b text, c text)")
    connection.execute("insert into t values ('q1', ?, 'x')", (text,))
    connection.commit()
    path.write_bytes(other.with_name("other.db-wal").read_bytes())
    connection.close()
    other.unlink()


def test_a_name_is_found_where_no_blank_stands_beside_it(typed: Shell) -> None:
    folder = typed.folder
    names = ["xx", BOB, "bobby", "yy"] * 300
    for packing in ("uncompressed", "lz4", "zstd"):
        feather.write_feather(pa.table({"rater": names}), str(folder / f"{packing}.arrow"), compression=packing)
    pl.DataFrame({"rater": names}).write_ipc_stream(folder / "stream.arrows")
    parquet.write_table(pa.table({"x": [1]}).replace_schema_metadata({"note": "made by bob"}), folder / "noted.parquet")
    pl.DataFrame({"raters": [["lea", BOB]]}).write_parquet(folder / "lists.parquet")
    pl.DataFrame({"rater": pl.Series([BOB, "lea"]).cast(pl.Categorical)}).write_parquet(folder / "categories.parquet")
    (folder / "wide.csv").write_text(f"rater,grade\n{BOB},1\n", "utf-16")
    (folder / "packed.csv.bz2").write_bytes(bz2.compress(b"q1,bob,1\n"))
    (folder / "packed.csv.xz").write_bytes(lzma.compress(b"q1,bob,1\n"))
    (folder / "joined.csv").write_text("q1,by_bob_1\n", "utf-8")
    (folder / "labels_bob.txt").write_text("nothing inside\n", "utf-8")
    for clean in ("bobby.txt", "kebob.csv"):
        (folder / clean).write_text("bobby eats kebobs\n", "utf-8")
    pl.DataFrame({"rater": ["bobby", "kebob"]}).write_parquet(folder / "clean.parquet")
    (folder / "clean-wide.csv").write_text("rater\nbobby\n", "utf-16")
    assert told(typed) == [
        "categories.parquet", "joined.csv", "labels_bob.txt", "lists.parquet", "lz4.arrow", "noted.parquet",
        "packed.csv.bz2", "packed.csv.xz", "stream.arrows", "uncompressed.arrow", "wide.csv", "zstd.arrow",
    ]  # fmt: skip


def test_a_name_is_found_in_the_log_of_a_copy(typed: Shell) -> None:
    left_by_a_log(typed.folder / "copy.db-wal", "bartholomew")
    assert told(typed, "bartholomew") == ["copy.db-wal"]
    assert told(typed, "bartholomeu") == []


@pytest.mark.parametrize("command", [("find",), ("erase", "--yes"), ("erase", "--yes", "--remove")])
def test_a_table_that_cannot_be_shown_as_text_is_said_to_be_unread(typed: Shell, command: tuple[str, ...]) -> None:
    """polars ends in a panic, which is no ordinary error, where a list or a record holds bytes."""
    verb, *options = command
    pl.DataFrame({"raters": [[b"bob"]]}).write_parquet(typed.folder / "lists.parquet")
    pl.DataFrame({"rater": [{"name": b"bob"}]}).write_parquet(typed.folder / "records.parquet")
    (typed.folder / "raters.txt").write_text("bob\n", "utf-8")
    said = typed("privacy", verb, BOB, *options)
    assert said.code == (1 if verb == "erase" else 0), said.err
    assert said.out.splitlines()[-1].split() == ["file", "raters.txt"]
    for name in ("lists.parquet", "records.parquet"):
        assert f"could not be looked into: {name} (PanicException)" in said.err


def test_the_history_of_a_folder_is_said_to_be_unread(typed: Shell) -> None:
    (typed.folder / ".git").mkdir()
    (typed.folder / ".git" / "packed").write_bytes(b"bob")
    said = typed("privacy", "find", BOB)
    assert "could not be looked into: .git (earlier versions of files)" in said.err
    assert told(typed) == []


def test_the_journal_of_gates_is_told_and_never_removed(typed: Shell) -> None:
    """It says how often one asked for a verdict: nobody can make that again."""
    (typed.folder / "results").mkdir()
    line = json.dumps({"runs": ["bob.run", "new.run"]}) + "\n"
    (typed.folder / "results" / "gates.jsonl").write_text(line, "utf-8")
    (typed.folder / "results" / "raters.txt").write_text("bob\n", "utf-8")
    said = json.loads(typed("privacy", "erase", BOB, "--yes", "--remove", "--format", "json").out)
    assert (said["removed"], said["files"]) == (["results/raters.txt"], ["results/gates.jsonl"])
    assert (typed.folder / "results" / "gates.jsonl").read_text("utf-8") == line


def test_the_name_of_anothers_key_loses_it_and_that_of_a_project_is_told(typed: Shell) -> None:
    assert typed("people", "key", "lent to bob", "--person", "lea").code == 0
    assert typed("rubric", "init", "--plain").code == 0
    (typed.folder / "pairs.csv").write_text("query_id,doc_id\nq1,d1\nq2,d2\n", "utf-8")
    made = typed("label", "create", "bob-asks", "pairs.csv", "--rubric", "rubric.md", "--pilot", "0")
    assert made.code == 0, made.err
    said = typed("privacy", "erase", BOB, "--yes")
    assert said.code == 1
    assert said.out.splitlines()[1].split() == ["projects.name", "1", "row", "with", "the", "name", "as", "a", "word"]
    assert "the store keeps the name where it is a word of a project, query or document" in said.err
    held = (typed.folder / ".assay" / "store.db").read_bytes()
    assert b"lent to bob" not in held
    assert b"lent to erased-" in held
    assert b"bobby" in held
    assert typed("privacy", "find", BOB).code == 0  # the project is still told
