from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from assay.store.upgrade import HEAD
from cli.typed import Shell


@pytest.fixture
def typed(assay: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A workspace, and a password on stdin whenever one is read."""
    (assay.folder / "assay.toml").write_text("", "utf-8")

    class Typed(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:
            return "a long password\n"

    monkeypatch.setattr(sys, "stdin", Typed())
    return assay


def test_without_a_workspace_it_says_what_to_do(assay: Shell) -> None:
    said = assay("people", "list")
    assert said.code == 3
    assert "run `assay init` in a folder for the project" in said.err


def test_people_are_added_listed_changed_and_ended(typed: Shell) -> None:
    assert typed("people", "list").out == "Nobody is there yet: assay people add NAME.\n"
    assert typed("people", "add", "anna", "--role", "lead").out == "Added anna as lead.\n"
    again = typed("people", "add", "anna")
    assert (again.code, again.err.splitlines()[0]) == (3, "name: the name anna is taken")
    typed("people", "role", "anna", "adjudicator")
    (row,) = json.loads(typed("people", "list", "--format", "json").out)
    assert (row["name"], row["role"], row["ended_at"]) == ("anna", "adjudicator", None)
    typed("people", "end", "anna")
    assert json.loads(typed("people", "list", "--format", "json").out)[0]["ended_at"] is not None


def test_a_role_that_there_is_not_is_answered_with_the_nearest(typed: Shell) -> None:
    said = typed("people", "add", "anna", "--role", "rator")
    assert said.code == 3
    assert said.err.startswith("role: unknown role rator; did you mean rater?")


def test_an_invitation_is_a_link_below_the_address_of_the_settings(typed: Shell) -> None:
    (typed.folder / "assay.toml").write_text('[web]\nurl = "https://search.example/assay"\n', "utf-8")
    said = typed("people", "invite", "--name", "ben")
    assert said.out.startswith("https://search.example/assay/invitation/")


def test_a_key_is_told_once(typed: Shell) -> None:
    typed("people", "add", "anna", "--role", "lead")
    key = typed("people", "key", "nightly", "--person", "anna", "--role", "lead").out.strip()
    assert key.startswith("assay_")
    listed = typed("people", "keys").out
    assert "nightly" in listed
    assert key not in listed
    above = typed("people", "key", "more", "--person", "anna", "--role", "admin")
    assert (above.code, "a lead cannot make a key for a admin" in above.err) == (3, True)
    assert typed("people", "end-key", "nightly").code == 0
    assert typed("people", "end-key", "nightly").code == 3


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("port = 70000", "port is none"),
        ('url = "search.example"', "url is no address of pages"),
        ('url = "https://a.example/x/../y"', "url has a path"),
        ('proxies = ["all"]', "proxies: 'all' is neither an address nor a network"),
        ('sign_on = "X-Person"', "sign_on needs proxies"),
        ('sign_on = "X Person"\nproxies = ["127.0.0.1"]', "sign_on is no name of a header"),
    ],
)
def test_a_setting_of_the_server_that_cannot_be_is_refused(typed: Shell, line: str, says: str) -> None:
    (typed.folder / "assay.toml").write_text(f"[web]\n{line}\n", "utf-8")
    said = typed("serve")
    assert said.code == 3
    assert says in said.err
    assert said.err.startswith("assay.toml:2:")


def test_the_store_is_made_copied_and_looked_at(typed: Shell) -> None:
    assert typed("db", "upgrade").out.startswith("Made sqlite:///")
    assert typed("db", "upgrade").out.endswith(f"is at step {HEAD} already.\n")
    typed("people", "add", "anna")
    assert typed("db", "backup", "copy.db").out == "Copied 2 rows to copy.db.\n"  # a person, and a line of the audit
    assert typed("db", "backup", "copy.db").code == 3
    (typed.folder / "assay.toml").write_text('[store]\nurl = "sqlite:///copy.db"\n', "utf-8")
    assert json.loads(typed("people", "list", "--format", "json").out)[0]["name"] == "anna"
    assert json.loads(typed("db", "check", "--format", "json").out)["is_well"] is True


def test_a_store_that_is_not_sound_is_exit_code_1(typed: Shell) -> None:
    import sqlite3

    typed("db", "upgrade")
    with sqlite3.connect(typed.folder / ".assay" / "store.db") as store:
        store.execute("pragma foreign_keys=off")
        store.execute("insert into flags (tenant, project, query_id, rater, why, flagged_at) values (1, 2, 3, 4, 5, 6)")
    store.close()
    said = typed("db", "check")
    assert said.code == 1
    assert "NOT WELL: 1 rows point to nothing" in said.out


@pytest.mark.slow
@pytest.mark.parametrize("ends", [signal.SIGTERM, signal.SIGINT])
def test_the_server_answers_what_is_asked_and_ends_well(tmp_path: Path, ends: signal.Signals) -> None:
    (tmp_path / "assay.toml").write_text("", "utf-8")
    server = subprocess.Popen(
        [sys.executable, "-m", "assay", "serve", "--port", "0"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert server.stderr is not None
    where = server.stderr.readline().split()[3]
    for _ in range(100):
        try:
            assert httpx2.get(f"{where}ready").json() == {"status": "ready"}
            break
        except httpx2.TransportError:
            time.sleep(0.1)
    assert httpx2.get(f"{where}health", headers={"host": "evil.example"}).status_code == 421
    server.send_signal(ends)
    _, said = server.communicate(timeout=60)
    assert server.returncode == 0, said
    assert "Traceback" not in said
    assert not (tmp_path / ".assay" / "store.db-wal").exists()  # closed, not left behind
