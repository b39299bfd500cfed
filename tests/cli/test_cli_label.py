"""assay label as it is typed."""

from __future__ import annotations

import json

import pytest

from assay.flows.keeping import open_store
from assay.flows.workbench import Workbench
from assay.store import judgments, projects, queue
from cli.typed import Shell

NOW = "2026-03-01T00:00:00Z"


@pytest.fixture
def made(assay: Shell) -> Shell:
    """A workspace with a rubric and pairs of twelve queries."""
    (assay.folder / "assay.toml").write_text("", "utf-8")
    assay("rubric", "init")
    rows = ["query_id,doc_id", *(f"q{i:02},{doc}" for i in range(1, 13) for doc in ("LMP-05", "LCK-03"))]
    (assay.folder / "pairs.csv").write_text("\n".join(rows) + "\n", "utf-8")
    return assay


def create(shell: Shell, *more: str) -> str:
    typed = ("label", "create", "winter", "pairs.csv", "--rubric", "rubric.md", "--topics", "topics.csv")
    said = shell(*typed, "--documents", "documents.jsonl", "--repeats", "0", *more)
    assert said.code == 0, said.err
    return " ".join((said.out + said.err).split())


def label(shell: Shell, rater: str, grades: dict[str, float]) -> None:
    """A rater labels all that is handed out, by the document's id."""
    with open_store(Workbench.open(str(shell.folder))) as store:
        row = projects.find(store, "default", "winter")
        held = store.write(lambda c: queue.claim(c, row, rater, 50, NOW, b"secret")).result()
        for one in held:
            given = judgments.Given(f"{rater}-{one['id']}", one["id"], rater, grade=grades[one["doc_id"]])
            store.write(lambda c, given=given: judgments.append(c, "default", given, "v", NOW)).result()  # type: ignore[misc]


def test_a_project_is_made_looked_at_opened_and_closed(made: Shell) -> None:
    said = create(made, "--pilot", "24", "--pilot-limit", "0.9", "--refresh-days", "180,head=30")
    assert "winter: 24 pairs of 12 queries, 48 judgments wanted" in said
    assert "every rater labels the same 24 pairs first; the others wait until the raters agree" in said
    label(made, "ann", {"LMP-05": 3, "LCK-03": 0})
    label(made, "bo", {"LMP-05": 2, "LCK-03": 0})
    out = made("label", "status", "winter").out
    words = " ".join(out.split())
    assert "Good for all others 180 days; head 30 days" in words
    assert "the lower end of their agreement reaches 0.90: all have labelled it, and do not agree enough" in words
    # by hand: half the pairs 3 against 2, half 0 against 0: 1 - (12/24) / mean squared distance of all against all,
    # (0 and 2: 4, 3 and 0: 9, 3 and 2: 1, 0 and 0: 0) / 4 = 3.5
    assert f"kappa, quadratic {1 - 0.5 / 3.5:.2f}" in words
    assert "2 relevant: " in words
    assert "3 perfect: " in words
    refused = made("label", "open", "winter")
    assert (refused.code, refused.err.splitlines()[0][:24]) == (3, "winter: the pilot is not")
    assert made("label", "open", "winter", "--why", "talked over").out == "winter: the queue behind the pilot is open\n"
    assert "by the terminal: talked over" in " ".join(made("label", "status", "winter").out.split())
    assert made("label", "close", "winter").code == 0
    listed = [line.split() for line in made("label", "list").out.splitlines()]
    assert " ".join(listed[2]) == "id project given or claimed wanted"
    assert listed[-1][1:] == ["winter", "0", "0", "behind", "the", "pilot,", "closed"]
    assert "Closed nothing more is handed out" in " ".join(made("label", "status", "winter").out.split())
    assert made("label", "open", "winter").out == "winter is open again\n"


def test_what_create_wants_is_what_status_and_list_count_and_the_pilot(made: Shell) -> None:
    # 24 pairs by 3 raters are 72; a pilot of 10 is 30 of these, and 14 pairs by 3 are behind it
    said = create(made, "--pilot", "10", "--raters-each", "3")
    assert (
        "72 judgments wanted: 30 of the pilot's 10 pairs, with 3 raters (every further one labels them, too), and 42 "
        "behind it" in said
    )
    status = " ".join(made("label", "status", "winter").out.split())
    assert status.startswith(
        "winter: 0 of 42 judgments behind the pilot, which every rater labels: it has 10 of the 24 pairs."
    )
    assert json.loads(made("label", "status", "winter", "--format", "json").out)["piloted"] == 10
    row = made("label", "list").out.splitlines()[-1].split()
    assert row[1:] == ["winter", "0", "42", "behind", "the", "pilot"]


def test_without_a_pilot_all_judgments_are_of_one_kind(made: Shell) -> None:
    assert "24 pairs of 12 queries, 48 judgments wanted next:" in create(made, "--pilot", "0")
    assert made("label", "status", "winter").out.startswith("winter: 0 of 48 judgments, of 24 pairs. ")
    assert made("label", "list").out.splitlines()[-1].split()[1:] == ["winter", "0", "48"]


def test_programs_get_the_state_as_json(made: Shell) -> None:
    create(made, "--pilot", "0")
    label(made, "ann", {"LMP-05": 3, "LCK-03": 0})
    document = json.loads(made("label", "status", "winter", "--format", "json").out)
    assert (document["kind"], document["given"], document["wanted"], document["pilot"]) == (
        "projectstate",
        24,
        48,
        None,
    )
    assert document["raters"][0] == {
        "name": "ann", "grades": 24, "cannot_tell": 0, "median_s": None, "gold_met": 0, "gold": 0, "same_again": 0,
        "repeats": 0, "pilot_left": None,
    }  # fmt: skip
    assert made("label", "status", "winter", "-o", "state.assay").code == 0
    assert made("show", "state.assay").out == made("label", "status", "winter").out
    assert made("label", "status", "wintre").err.startswith("project: there is no project wintre; did you mean winter?")


def test_pairs_are_added_and_what_is_there_stays(made: Shell) -> None:
    create(made, "--raters-each", "1")
    (made.folder / "more.csv").write_text("query_id,doc_id\nq01,LMP-05\nq01,BAG-01\nq99,nothing\n", "utf-8")
    said = made("label", "add", "winter", "more.csv", "--documents", "documents.jsonl")
    assert said.code == 0
    first, second = said.out.splitlines()
    assert first == "winter: 2 pairs added, 2 judgments more wanted; 1 were there and stay; 1 queries are new"
    assert second.startswith("1 of them have no document")


def test_known_grades_come_from_a_file_and_are_checked(made: Shell) -> None:
    (made.folder / "gold.csv").write_text("query_id,doc_id,grade\nq01,LMP-05,3\nq02,LMP-05,9\n", "utf-8")
    typed = ("label", "create", "winter", "pairs.csv", "--rubric", "rubric.md", "--gold", "gold.csv")
    refused = made(*typed)
    assert refused.code == 3
    assert refused.err.startswith("gold.csv:3: 9 is no grade of the rubric")
    (made.folder / "gold.csv").write_text("query_id,doc_id,grade\nq01,LMP-05,3\n", "utf-8")
    assert "23 pairs of 12 queries" in made(*typed, "--gold-share", "0.1").out
