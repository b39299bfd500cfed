"""Labels that age: what reports say of them, and how they go back to the raters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.flows.keeping import TENANT, open_store
from assay.flows.labelling import next_items
from assay.flows.people import Person
from assay.flows.workbench import Workbench
from assay.store import queue
from assay.store.judgments import Given
from cli.typed import Shell
from flows.settled import give, runs, settled_project

RUNS = ("before.run", "after.run")
LABELS = """query_id,doc_id,grade,judged_at,doc_hash
q1,q1-d0,2,2020-01-01,v1
q1,q1-d1,0,2020-01-01,v1
q2,q2-d0,1,2099-01-01,v1
q2,q2-d1,0,2099-01-01,
"""
GATE = """[primary]
rule = "improvement"
measure = "DCG@1"
plan = 0.1
why = "a test"

[guardrail.second]
rule = "non_inferiority"
measure = "DCG@2"
margin = 0.5
"""


@pytest.fixture
def aging(assay: Shell) -> Shell:
    """Labels in a file, two of them years old, and documents of which one changed."""
    runs(assay.folder)
    (assay.folder / "labels.csv").write_text(LABELS, "utf-8")
    (assay.folder / "docs.csv").write_text("doc_id,doc_hash\nq1-d0,v2\nq1-d1,v1\nq2-d0,v1\nq2-d1,v1\n", "utf-8")
    (assay.folder / "assay.toml").write_text("[judgments]\nrefresh_days = 180\n", "utf-8")
    return assay


def note(document: Any) -> dict[str, Any] | None:
    found = [one for one in document["notes"] if one["code"] == "stale-labels"]
    return found[0] if found else None


def as_json(said: Any, codes: Sequence[int] = (0,)) -> Any:
    assert said.code in codes, said.err
    return json.loads(said.out)


def test_every_report_says_the_share_of_labels_that_no_longer_hold(aging: Shell) -> None:
    # q1-d0 changed; q1-d1 did not and is too old; of q2-d1 nobody noted a version, and its age is fine
    text = (
        "2 of 4 labels (50 %) no longer hold: 1 of documents that changed, 1 older than they may be; "
        "`assay judgments due` names them"
    )
    line = ("labels.csv", "-m", "DCG@1", "--documents", "docs.csv")
    for verb in ("evaluate", "compare"):
        document = as_json(aging(verb, *RUNS, *line, "--format", "json"))
        assert document["label_ages"] == {"labels": 4, "stale": 2, "share": 0.5, "changed": 1, "old": 1, "unknown": 0}
        found = note(document)
        assert found is not None
        assert (found["text"], found["count"], found["level"]) == (text, 2, "warning")
        assert aging(verb, *RUNS, *line, "--html", "page.html").code == 0
        for page in (" ".join(aging(verb, *RUNS, *line).out.split()), (aging.folder / "page.html").read_text("utf-8")):
            assert "2 of 4 labels (50 %) no longer hold" in page.replace("\u00a0", " ")


def test_a_kept_result_holds_what_was_known_then(aging: Shell) -> None:
    line = ("evaluate", *RUNS, "labels.csv", "-m", "DCG@1", "--documents", "docs.csv")
    assert aging(*line, "-o", "kept.assay").code == 0
    assert as_json(aging("show", "kept.assay", "--format", "json"))["label_ages"]["share"] == 0.5
    (aging.folder / "assay.toml").write_text("[judgments]\nrefresh_days = 36500\n", "utf-8")
    assert aging("rerun", "kept.assay").code == 0  # labels age, and the values are what they were


def test_a_gate_says_it_too(aging: Shell) -> None:
    (aging.folder / "gate.toml").write_text(GATE, "utf-8")
    line = ("gate", *RUNS, "labels.csv", "--documents", "docs.csv")
    document = as_json(aging(*line, "--format", "json"), (0, 1, 2))
    found = note(document)
    assert found is not None
    assert found["count"] == 2
    assert document["comparison"]["label_ages"]["share"] == 0.5
    aging(*line, "--html", "page.html")
    assert "2 of 4 labels (50 %) no longer hold" in (aging.folder / "page.html").read_text("utf-8").replace(
        "\u00a0", " "
    )
    assert "2 of 4 labels (50 %) no longer hold" in " ".join(aging(*line).out.split())


def test_the_rule_of_a_gate_counts_labels_whose_time_is_over(aging: Shell) -> None:
    rule = '\n[guardrail.fresh]\nrule = "stale"\nat_most = 0.1\nk = 2\n'
    (aging.folder / "gate.toml").write_text(GATE + rule, "utf-8")

    def observed(*more: str) -> float | None:
        document = as_json(aging("gate", *RUNS, "labels.csv", "--format", "json", *more), (0, 1, 2))
        (outcome,) = [one for one in document["rules"] if one["rule"] == "stale"]
        found: float | None = outcome["checks"][0]["observed"]
        return found

    assert observed() == 0.5  # q1-d0 and q1-d1 of four are too old
    (aging.folder / "assay.toml").write_text("", "utf-8")
    assert observed() is None  # nothing tells it: nothing is concluded
    (aging.folder / "labels.csv").write_text(LABELS.replace("q2-d1,0,2099-01-01,", "q2-d1,0,2099-01-01,v1"), "utf-8")
    assert observed("--documents", "docs.csv") == 0.25  # q1-d0 changed


def test_labels_that_hold_are_said_to_and_nothing_is_said_where_nothing_is_known(aging: Shell) -> None:
    (aging.folder / "assay.toml").write_text("[judgments]\nrefresh_days = 36500\n", "utf-8")
    found = note(as_json(aging("evaluate", *RUNS, "labels.csv", "-m", "DCG@1", "--format", "json")))
    assert found is not None
    assert (found["text"], found["level"]) == ("0 of 4 labels (0 %) no longer hold", "info")
    (aging.folder / "assay.toml").write_text("", "utf-8")
    assert note(as_json(aging("evaluate", *RUNS, "labels.csv", "-m", "DCG@1", "--format", "json"))) is None
    (aging.folder / "assay.toml").write_text("[judgments]\nrefresh_days = 180\n", "utf-8")
    line = ("evaluate", "bm25.run", "judgments.qrels", "-m", "DCG@1", "--format", "json")
    assert note(as_json(aging(*line))) is None


def test_the_days_of_the_settings_are_those_of_stale_and_are_checked(aging: Shell) -> None:
    assert len(as_json(aging("judgments", "stale", "labels.csv", "--format", "json"))["stale"]) == 2
    assert len(as_json(aging("judgments", "stale", "labels.csv", "--days", "36500", "--format", "json"))["stale"]) == 0
    (aging.folder / "assay.toml").write_text('[judgments]\nrefresh_days = "soon"\n', "utf-8")
    said = aging("judgments", "stale", "labels.csv")
    assert said.code == 3
    assert said.err.startswith("assay.toml:2: refresh_days: 'soon' is not DAYS or SEGMENT=DAYS")


def documents(folder: Path, changed: str = "") -> str:
    rows = [{"doc_id": f"{q}-d{i}", "title": f"New title of {q}-d{i}" if f"{q}-d{i}" == changed else f"Jacket {q}-d{i}",
             "text": "For rain."} for q in ("q1", "q2") for i in range(2)]  # fmt: skip
    (folder / "now.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return "now.jsonl"


@pytest.fixture
def labelled(assay: Shell) -> Shell:
    """A project whose labels are good for 30 days, given on 2026-03-01."""
    settled_project(assay.folder, refresh_days=30)
    runs(assay.folder)
    return assay


def test_labels_of_a_project_age_by_its_days(labelled: Shell) -> None:
    fresh = as_json(labelled("judgments", "due", "winter", "--at", "2026-03-20", "--format", "json"))
    assert (len(fresh["stale"]), fresh["classes"][0]["labels"]) == (0, 9)
    said = labelled("judgments", "due", "winter", "--at", "2026-04-20", "--format", "json")
    found = as_json(said, (1,))
    assert {one["why"] for one in found["stale"]} == {"too old"}
    assert len(found["stale"]) == 9
    told = note(as_json(labelled("evaluate", *RUNS, "project:winter", "-m", "DCG@1", "--format", "json")))
    assert told is not None
    assert told["text"].startswith("9 of 9 labels (100 %) no longer hold: 9 older than they may be")


def test_a_class_of_queries_has_days_of_its_own(assay: Shell) -> None:
    settled_project(assay.folder, refresh_days=365, refresh_classes={"news": 7})
    (assay.folder / "asked.csv").write_text("query_id,text,segment\nq1,a,news\nq2,b,shop\n", "utf-8")
    line = ("judgments", "due", "winter", "--at", "2026-04-20", "--format", "json", "--topics", "asked.csv")
    assert {one["query_id"] for one in as_json(assay(*line), (1,))["stale"]} == {"q1"}


def test_what_is_too_old_goes_back_to_the_raters_once_and_the_new_grade_replaces_the_old(labelled: Shell) -> None:
    line = ("judgments", "due", "winter", "--at", "2026-04-20", "--queue", "winter")
    said = labelled(*line)
    assert (said.code, "4 pairs went back to winter" in said.err) == (1, True)
    assert "0 pairs went back to winter; 4 wait there already" in labelled(*line).err
    before = exported(labelled)
    assert len(before) == 9  # until somebody graded them again, the old labels stand
    with open_store(Workbench.open(str(labelled.folder))) as store:
        items = next_items(store, Person("ann", "rater", TENANT), "winter", 12, b"secret")
        assert sorted(one["document"]["doc_id"] for one in items) == ["q1-d0", "q1-d1", "q2-d0", "q2-d1"]
        one = next(one for one in items if one["document"]["doc_id"] == "q1-d1")
        give(store, Given("new-ann", one["item"], "ann", grade=1.0), "2026-04-21T00:00:00.000Z")
    after = exported(labelled)
    assert [row for row in after if row["doc_id"] == "q1-d1"] == [
        row | {"rater": "ann", "role": "rater", "grade": 1.0, "judged_at": "2026-04-21T00:00:00.000Z", "note": None,
               "took_ms": None}
        for row in before if row["doc_id"] == "q1-d1" and row["rater"] == "ann"
    ]  # fmt: skip
    assert [row for row in after if row["doc_id"] != "q1-d1"] == [row for row in before if row["doc_id"] != "q1-d1"]
    assert "1 pair went back to winter; 3 wait there already" in labelled(*line[:4], "2026-06-20", *line[5:]).err
    assert labelled("db", "check").code == 0


def exported(shell: Shell) -> list[dict[str, Any]]:
    assert shell("judgments", "export", "winter", "out.jsonl").code == 0
    return [json.loads(line) for line in (shell.folder / "out.jsonl").read_text("utf-8").splitlines()]


def test_a_document_that_changed_goes_back_with_its_new_text(labelled: Shell) -> None:
    settled_project(labelled.folder, "spring")  # the documents of the test differ from these by their text
    now = documents(labelled.folder)
    said = labelled("judgments", "due", "spring", "--documents", now, "--queue", "spring", "--format", "json")
    assert {one["why"] for one in as_json(said, (1,))["stale"]} == {"document changed"}
    assert "4 pairs went back to spring" in said.err
    assert "0 pairs went back to spring; 4 wait there already" in labelled(
        "judgments", "due", "spring", "--documents", now, "--queue", "spring"
    ).err  # fmt: skip
    with open_store(Workbench.open(str(labelled.folder))) as store:
        items = next_items(store, Person("dee", "rater", TENANT), "spring", 12, b"secret")
        new = [one for one in items if one["document"]["text"] == "For rain."]
        assert len(new) == 4
        for one in new:
            give(store, Given(f"dee-{one['item']}", one["item"], "dee", grade=2.0))
    told = as_json(labelled("judgments", "due", "spring", "--documents", now, "--format", "json"))
    assert (told["stale"], told["classes"][0]["labels"]) == ([], 4)
    changed = documents(labelled.folder, "q2-d1")
    told = as_json(labelled("judgments", "due", "spring", "--documents", changed, "--format", "json"), (1,))
    assert [one["doc_id"] for one in told["stale"]] == ["q2-d1"]


def test_a_document_seen_anew_by_another_project_makes_labels_stale(labelled: Shell) -> None:
    (labelled.folder / "pairs.csv").write_text("query_id,doc_id\nq1,q1-d0\n", "utf-8")
    (labelled.folder / "rubric.md").write_text("+++\n[grade.0]\nname = 'no'\n[grade.1]\nname = 'yes'\n+++\n", "utf-8")
    made = labelled("label", "create", "summer", "pairs.csv", "--rubric", "rubric.md", "--documents",
                    documents(labelled.folder))  # fmt: skip
    assert made.code == 0, made.err
    found = as_json(labelled("judgments", "stale", "winter", "--at", "2026-03-02", "--format", "json"))
    assert {(one["doc_id"], one["why"]) for one in found["stale"]} == {
        (f"{q}-d{i}", "document changed") for q in ("q1", "q2") for i in range(2)
    }  # fmt: skip


def test_labels_of_a_file_go_to_a_project_that_never_had_them(labelled: Shell) -> None:
    (labelled.folder / "old.csv").write_text(
        "query_id,doc_id,grade,judged_at\nq1,q1-d0,2,2020-01-01\nq9,x,1,2020-01-01\n"
    )
    said = labelled("judgments", "due", "old.csv", "--days", "10", "--queue", "winter")
    assert "2 pairs went back to winter" in said.err
    with open_store(Workbench.open(str(labelled.folder))) as store:
        row = store.write(lambda c: queue.claim(c, {"id": ""}, "nobody", 0, "2026-03-01T00:00:00.000Z", b"")).result()
        assert row == []
        asked = {one["query"]["text"] for one in next_items(store, Person("dee", "rater", TENANT), "winter", 12, b"s")}
    assert "q9" in asked


@pytest.mark.parametrize(
    ("target", "says"), [("none", "there is no project none"), ("closed", "the project is closed")]
)
def test_what_cannot_be_queued_is_said(labelled: Shell, target: str, says: str) -> None:
    if target == "closed":
        settled_project(labelled.folder, "closed")
        assert labelled("label", "close", "closed").code == 0
    said = labelled("judgments", "due", "winter", "--at", "2026-04-20", "--queue", target)
    assert said.code == 3
    assert says in said.err
