from __future__ import annotations

import csv
import json
import runpy
import shutil
from pathlib import Path

import polars as pl
import pytest

from assay import example
from assay.errors import InputError
from assay.flows.simulated import simulate_logs

ROOT = Path(__file__).parent.parent


def rows(name: str) -> list[dict[str, str]]:
    with example.path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def columns(name: str) -> list[list[str]]:
    return [line.split() for line in example.path(name).read_text("utf-8").splitlines()]


def documents() -> dict[str, str]:
    lines = example.path("documents.jsonl").read_text("utf-8").splitlines()
    return {row["doc_id"]: row["title"] for row in map(json.loads, lines)}


def runs() -> list[str]:
    return [name for name in example.FILES if name.endswith(".run")]


def test_every_file_is_there_and_no_other() -> None:
    here = example.path("topics.csv").parent
    found = {entry.name for entry in here.iterdir() if entry.is_file() and entry.suffix != ".py"}
    assert found == set(example.FILES)


def test_an_unknown_file_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match=r"no file bm52\.run; did you mean bm25\.run\?"):
        example.path("bm52.run")


def test_queries_cover_four_segments_with_traffic() -> None:
    topics = rows("topics.csv")
    assert len(topics) == 26
    assert {row["segment"] for row in topics} == {"head", "torso", "tail", "known-item"}
    assert all(float(row["weight"]) > 0 and row["text"] and row["intent"] for row in topics)


def test_both_raters_judge_the_same_pairs_and_the_agreed_grade_is_one_of_theirs() -> None:
    said: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows("ratings.csv"):
        said.setdefault((row["query_id"], row["doc_id"]), {})[row["rater"]] = int(row["grade"])
    agreed = {(query_id, doc_id): int(grade) for query_id, _, doc_id, grade in columns("judgments.qrels")}
    assert said.keys() == agreed.keys()
    for pair, grades in said.items():
        assert set(grades) == {"ana", "bo"}
        assert set(grades.values()) <= {0, 1, 2, 3}
        assert agreed[pair] in grades.values()
    differ = sum(len(set(grades.values())) == 2 for grades in said.values())
    assert 0.1 < differ / len(said) < 0.3


def test_every_id_is_known() -> None:
    known, queries = documents(), {row["query_id"] for row in rows("topics.csv")}
    for name in [*runs(), "judgments.qrels"]:
        for fields in columns(name):
            assert fields[0] in queries
            assert fields[2] in known


def test_the_rare_cases_that_a_reader_must_see_are_in_it() -> None:
    queries = {row["query_id"] for row in rows("topics.csv")}
    best: dict[str, int] = {}
    for query_id, _, _, grade in columns("judgments.qrels"):
        best[query_id] = max(best.get(query_id, 0), int(grade))
    assert best.keys() == queries
    assert [query_id for query_id, grade in best.items() if grade == 0] == ["q20"], "one query has nothing relevant"
    assert queries - {fields[0] for fields in columns("bm25.run")} == {"q18"}, "bm25 finds nothing for one query"
    judged = {(query_id, doc_id) for query_id, _, doc_id, _ in columns("judgments.qrels")}
    for name in runs():
        lines = columns(name)
        assert any((fields[0], fields[2]) not in judged for fields in lines), "each run shows unjudged documents"
        scores = [(fields[0], fields[4]) for fields in lines]
        assert len(set(scores)) < len(scores), "each run has ties"
        assert max(int(fields[3]) for fields in lines) == 20


def test_the_second_stage_reorders_what_the_first_found() -> None:
    pairs = {name: {(f[0], f[2]) for f in columns(name)} for name in ("first.run", "two-stage.run")}
    assert pairs["first.run"] == pairs["two-stage.run"]


@pytest.mark.skipif(not (ROOT / "examples/build").exists(), reason="the builder is not in an installed package")
def test_the_builder_makes_exactly_the_bundled_runs(tmp_path: Path) -> None:
    for name in ("documents.jsonl", "topics.csv"):
        shutil.copy(example.path(name), tmp_path / name)
    build = runpy.run_path(str(ROOT / "examples/build/systems.py"))["build"]
    made = build(tmp_path)
    assert set(made) == set(runs())
    for name, text in made.items():
        assert text == example.path(name).read_text("utf-8")


def test_the_clicks_are_those_of_the_documented_command(tmp_path: Path) -> None:
    made = tmp_path / "clicks.parquet"
    simulate_logs(
        [str(example.path(name)) for name in ("bm25.run", "dense.run")], str(example.path("judgments.qrels")),
        topics=str(example.path("topics.csv")), searches=3_000, swaps=0.2, out=made,
    )  # fmt: skip
    assert pl.read_parquet(made).equals(pl.read_parquet(example.path("clicks.parquet")))
