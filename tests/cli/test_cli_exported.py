"""From labels in the store to a decision: exported, by name, settled disputes and the floor of rater noise."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.flows.keeping import open_store
from assay.store.judgments import Given
from cli.typed import Shell
from flows.settled import give, runs, settled_project

RUNS = ("before.run", "after.run")


@pytest.fixture
def labelled(assay: Shell) -> Shell:
    settled_project(assay.folder)
    runs(assay.folder)
    return assay


def told(said: Any) -> Any:
    assert said.code == 0, said.err
    return json.loads(said.out)


def means(document: Any) -> dict[str, float]:
    return {one["run"]: one["mean"] for one in document["summary"]}


def test_two_raters_and_an_adjudicator_end_to_end(labelled: Shell) -> None:
    said = labelled("judgments", "export", "winter", "labels.csv")
    assert (said.code, said.err) == (0, "labels.csv: 9 rows of 9 judgments\n")
    # settled grades 2, 0, 1.5, 0: before shows 0 and 1.5 first, after 2 and 0
    scored = told(
        labelled("evaluate", *RUNS, "labels.csv", "--raters", "adjudicated", "-m", "DCG@1", "--format", "json")
    )
    assert means(scored) == {"before": 0.75, "after": 1.0}
    # the mean of the raters, 2, 1, 1.5, 0: before shows 1 and 1.5 first
    scored = told(labelled("evaluate", *RUNS, "labels.csv", "--raters", "mean", "-m", "DCG@1", "--format", "json"))
    assert means(scored) == {"before": 1.25, "after": 1.0}
    document = told(
        labelled("compare", *RUNS, "labels.csv", "--raters", "adjudicated", "-m", "DCG@1", "--format", "json")
    )
    (difference,) = document["differences"]
    assert difference["difference"] == pytest.approx(0.25)
    # Beside a 0 raters say 0 twice and 2 once: the settled 0 is drawn as 2 with chance 1/3, variance 8/9. Of q2, the
    # mean of two labels drawn from 1 and 2 has variance 1/8. Two labels a pair: both times 2 / (2 - 1).
    sd = ((8 / 9 * 2 + 1 / 8 * 2) ** 0.5) / 2
    (floor,) = document["noise"]["floors"]
    assert floor["sd"] == pytest.approx(sd, rel=0.05)  # 2,000 draws
    said = labelled("compare", *RUNS, "labels.csv", "-m", "DCG@1").out
    assert "within rater noise" in said
    assert "noise-settled" in {note["code"] for note in document["noise"]["notes"]}


def test_a_project_is_judgments_by_its_name_as_its_file_is(labelled: Shell) -> None:
    labelled("judgments", "export", "winter", "labels.csv")
    line = ("-m", "DCG@1", "--format", "json")
    by_name = told(labelled("evaluate", *RUNS, "project:winter", *line))
    assert means(by_name) == means(told(labelled("evaluate", *RUNS, "labels.csv", *line))) == {
        "before": 0.75, "after": 1.0
    }  # fmt: skip
    assert "project:winter" in {one["name"] for one in by_name["source"]["inputs"]}
    compared = told(labelled("compare", *RUNS, "project:winter", *line))
    assert compared["noise"]["floors"][0]["sd"] > 0
    (labelled.folder / "assay.toml").write_text('[paths]\nqrels = "project:winter"\n', "utf-8")
    assert means(told(labelled("evaluate", *RUNS, "project:winter", *line))) == means(by_name)
    alone = told(labelled("evaluate", RUNS[0], *line))
    assert means(alone) == {"before": 0.75}


def test_agreement_of_a_project_is_on_its_rubric_and_leaves_the_adjudicator_out(labelled: Shell) -> None:
    found = told(labelled("agree", "winter", "--format", "json"))
    assert found == told(labelled("agree", "project:winter", "--format", "json")) | {
        "source": found["source"]
    }  # fmt: skip
    assert found["grades"] == [0.0, 1.0, 2.0]
    (pair,) = found["pairs"]
    values = {one["name"]: one["value"] for one in pair["coefficients"]}
    # (2, 2), (0, 2), (1, 2), (0, 0): the squared distance is 5 / 4 on average, and 2 where raters are independent
    assert values["percent"] == pytest.approx(0.5)
    assert values["kappa, quadratic"] == pytest.approx(1 - 1.25 / 2)
    assert [one["name"] for one in found["raters"]] == ["ann", "bo"]
    assert [note["count"] for note in found["notes"] if note["code"] == "adjudicators-apart"] == [1]
    assert found["settled"] == [
        {"name": "ann", "shared": 1, "same": 1.0, "lean": 0.0}, {"name": "bo", "shared": 1, "same": 0.0, "lean": 2.0},
    ]  # fmt: skip
    labelled("judgments", "export", "winter", "labels.csv")
    assert told(labelled("agree", "labels.csv", "--format", "json", "--grades", "0,1,2"))["pairs"] == found["pairs"]


def test_a_file_of_that_name_stands_before_a_project(labelled: Shell) -> None:
    (labelled.folder / "winter").write_bytes((labelled.folder / "ratings.csv").read_bytes())
    assert len(told(labelled("agree", "winter", "--format", "json"))["raters"]) == 2
    assert told(labelled("agree", "winter", "--format", "json"))["total"]["pairs"] == 223
    assert told(labelled("agree", "project:winter", "--format", "json"))["total"]["pairs"] == 4


def test_a_project_that_is_not_there_is_answered_with_the_nearest(labelled: Shell) -> None:
    said = labelled("evaluate", *RUNS, "project:wintr")
    assert said.code == 3
    assert "there is no project wintr; did you mean winter?" in said.err
    assert labelled("agree", "wintr").code == 3
    said = labelled("judgments", "export", "wintr", "labels.csv")
    assert (said.code, (labelled.folder / "labels.csv").exists()) == (3, False)


def test_asking_for_a_name_makes_no_store(assay: Shell) -> None:
    (assay.folder / "assay.toml").touch()
    assert assay("agree", "wintr").code == 3
    assert not (assay.folder / ".assay" / "store.db").exists()


def test_every_format_holds_the_same_rows(labelled: Shell) -> None:
    held = {}
    for ending in ("csv", "jsonl", "parquet", "arrow"):
        assert labelled("judgments", "export", "winter", f"labels.{ending}").code == 0
        scored = labelled("evaluate", *RUNS, f"labels.{ending}", "-m", "DCG@1", "--format", "json")
        assert means(told(scored)) == {"before": 0.75, "after": 1.0}
        held[ending] = rows_of(labelled.folder / f"labels.{ending}")
    assert held["csv"] == held["jsonl"] == held["parquet"] == held["arrow"]
    (settled,) = [row for row in held["csv"] if row["role"] == "adjudicator"]
    assert settled == {
        "query_id": "q1", "doc_id": "q1-d1", "rater": "cy", "role": "adjudicator", "source": "human",
        "dimension": "relevance", "grade": 0.0, "rubric": "v1", "judged_at": "2026-03-01T00:00:00.000Z",
        "doc_hash": settled["doc_hash"], "note": "of another season", "took_ms": None,
        "is_fast": False, "is_found": False,
    }  # fmt: skip
    assert len(settled["doc_hash"]) == 64
    assert {row["took_ms"] for row in held["csv"] if row["rater"] == "ann"} == {1500.0}


def rows_of(path: Path) -> list[dict[str, Any]]:
    read = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet, "arrow": pl.read_ipc}
    rows: list[dict[str, Any]] = read[path.suffix[1:]](path).to_dicts()
    return sorted(
        ({name: float(cell) if name in ("grade", "took_ms") and cell is not None else cell
          for name, cell in sorted(row.items())} for row in rows),
        key=lambda row: (row["doc_id"], row["rater"]),
    )  # fmt: skip


def test_qrels_hold_one_grade_a_pair_and_say_how_it_came(labelled: Shell) -> None:
    said = labelled("label", "export", "winter", "labels.qrels")
    assert said.code == 0
    lines = sorted((labelled.folder / "labels.qrels").read_text("utf-8").splitlines())
    assert lines == ["q1 0 q1-d0 2", "q1 0 q1-d1 0", "q2 0 q2-d0 1.5", "q2 0 q2-d1 0"]
    assert "labels.qrels: 4 rows of 9 judgments" in said.err
    assert "1 pair has the grade of an adjudicator" in said.err
    labelled("judgments", "export", "winter", "labels.qrels", "--raters", "majority")
    lines = sorted((labelled.folder / "labels.qrels").read_text("utf-8").splitlines())
    assert lines == ["q1 0 q1-d0 2", "q1 0 q1-d1 0", "q2 0 q2-d0 1", "q2 0 q2-d1 0"]  # the lower of two


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (("labels.xlsx",), "the ending says no format"),
        (("labels.csv", "--format", "tsv"), "judgments are not written as tsv"),
        (("labels.csv", "--raters", "mean"), "every rater has rows of their own there"),
        (("labels.qrels", "--everything"), "qrels have no place for the history"),
        (("no/such/labels.csv",), "no/such"),
    ],
)
def test_what_cannot_be_written_is_said(labelled: Shell, line: tuple[str, ...], says: str) -> None:
    said = labelled("judgments", "export", "winter", *line)
    assert said.code == 3
    assert says in said.err


def test_a_project_without_judgments_is_no_table(assay: Shell) -> None:
    from web.labelled import project

    (assay.folder / "assay.toml").touch()
    project(assay.folder)
    for line in (
        ("judgments", "export", "winter", "x.csv"),
        ("agree", "winter"),
        ("evaluate", "bm25.run", "project:winter"),
    ):
        said = assay(*line)
        assert said.code == 3
        assert "yet" in said.err


def test_the_history_tells_what_was_corrected_and_taken_back(labelled: Shell) -> None:
    bench = settled_project(labelled.folder, "spring")
    with open_store(bench) as store:
        from assay.store import judgments

        store.write(
            lambda c: judgments.take_back(c, "default", "undo-1", "spring-ann-q1-d0", "ann", "2026-03-02")
        ).result()
        item = store.write(lambda c: judgments.by_uid(c, "default", "spring-bo-q2-d1")).result()
        assert item is not None
        give(store, Given("spring-bo-again", item["item"], "bo", grade=None, cannot_tell="language"), "2026-03-03")
    assert labelled("judgments", "export", "spring", "all.csv", "--everything").code == 0
    rows = {row["uid"]: row for row in csv.DictReader((labelled.folder / "all.csv").read_text("utf-8").splitlines())}
    assert len(rows) == 11
    assert rows["undo-1"]["takes_back"] == "spring-ann-q1-d0"
    assert [uid for uid, row in rows.items() if row["stands"] == "False"] == [
        "spring-ann-q1-d0", "spring-bo-q2-d1", "undo-1"
    ]  # fmt: skip
    assert rows["spring-bo-again"]["cannot_tell"] == "language"
    said = labelled("judgments", "export", "spring", "-")
    assert len(list(csv.DictReader(io.StringIO(said.out)))) == 7
    for ending in ("jsonl", "parquet"):
        assert labelled("judgments", "export", "spring", f"all.{ending}", "--everything").code == 0
    assert pl.read_parquet(labelled.folder / "all.parquet")["uid"].to_list() == list(rows)


def test_what_a_project_has_judged_is_not_pooled_again(labelled: Shell) -> None:
    assert labelled("pool", "make", *RUNS, "--depth", "2", "--pairs", "all.csv").code == 0
    said = labelled("pool", "make", *RUNS, "--depth", "2", "--qrels", "project:winter", "--format", "json")
    assert said.code == 0, said.err
    assert len((labelled.folder / "all.csv").read_text("utf-8").splitlines()) == 5
    assert json.loads(said.out)["pairs"] == []
