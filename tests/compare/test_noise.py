from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from assay.compare.labels import Labels, labels_of
from assay.compare.noise import agreement_noise, copied, rater_noise, usual_draws
from assay.judgments.aggregate import aggregate
from assay.keys import stream
from assay.measures.grammar import parse
from assay.measures.measure import Measure
from assay.ranking.align import align
from assay.ranking.align import judged as prepared
from assay.ranking.conventions import Conventions
from assay.ranking.ranking import F64, Judged, Ranking
from assay.tables import Block

Given = dict[str, dict[str, list[float]]]
"""Query to document to the labels of its raters."""


def raters(given: Given) -> Block:
    rows = [
        (query, doc, f"r{i}", float(label))
        for query, docs in given.items()
        for doc, labels in docs.items()
        for i, label in enumerate(labels)
    ]
    names = ("query_id", "doc_id", "rater", "grade")
    return Block(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), lambda i: f"labels:{i}", "labels")


def setting(given: Given, runs: dict[str, dict[str, list[str]]]) -> tuple[Labels, Judged, dict[str, Ranking]]:
    block = raters(given)
    judged = prepared(aggregate(block), Conventions())
    labels = labels_of(block, judged)
    assert labels is not None
    made = {}
    for name, lists in runs.items():
        rows = [(query, doc, rank) for query, docs in lists.items() for rank, doc in enumerate(docs, 1)]
        columns = dict(zip(("query_id", "doc_id", "rank"), map(list, zip(*rows, strict=True)), strict=True))
        made[name] = align(Block(columns, lambda i: f"run:{i}", name), judged, Conventions()).ranking
    return labels, judged, made


def by_enumeration(labels: Labels, runs: dict[str, Ranking], measure: Measure) -> list[tuple[float, float]]:
    """Mean and variance of each query's difference over one label a pair, every combination once."""
    judged, out = labels.judged, []
    for q in range(judged.n):
        rows = np.flatnonzero(judged.query == q)
        each = [labels.label[labels.start[i] : labels.start[i] + labels.count[i]] for i in rows]
        grade = np.array(list(product(*each)))
        sets: F64 = np.tile(judged.grade, (len(grade), 1))
        sets[:, rows] = grade
        values = {
            name: measure.compute(copied(r, judged, sets)).reshape(len(grade), -1)[:, q] for name, r in runs.items()
        }
        difference = values["B"] - values["A"]
        out.append((float(difference.mean()), float(difference.var())))
    return out


@pytest.mark.shared
def test_the_noise_floor_is_that_of_the_golden_file(shared: Path) -> None:
    golden = json.loads((shared / "golden/stats/gate_power_noise.json").read_text())["noise_floor"]
    labels, _, runs = setting(golden["labels"], golden["runs"])
    measure = parse(golden["measure"])[0]
    exact = by_enumeration(labels, runs, measure)
    for (mean, variance), expected in zip(exact, golden["per_query"], strict=True):
        assert mean == pytest.approx(expected["mean"], abs=1e-12)
        assert variance == pytest.approx(expected["variance"], abs=1e-12)
    sd = float(np.sqrt(sum(variance for _, variance in exact))) / len(exact)
    assert sd == pytest.approx(golden["sd_of_mean_difference"], abs=1e-12)
    drawn = rater_noise(labels, runs, [measure], [("A", "B")], stream(7, "noise"), draws=40_000, how="one")
    before_factor = (drawn.floors[0].sd or 0.0) * np.sqrt(2 / 3)  # three raters: r / (r - 1) is 3 / 2
    assert before_factor == pytest.approx(golden["sd_of_mean_difference"], rel=0.015)
    assert drawn.floors[0].floor == pytest.approx(1.96 * (drawn.floors[0].sd or 0.0))
    assert drawn.floors[0].is_within


TWO: Given = {
    "q1": {"a": [2, 0], "b": [1, 1], "c": [0, 1]},
    "q2": {"a": [1, 2], "b": [0, 0], "c": [2, 2]},
}
RUNS = {"A": {"q1": ["a", "b", "c"], "q2": ["b", "a", "c"]}, "B": {"q1": ["c", "b", "a"], "q2": ["c", "a", "b"]}}


def test_the_same_labels_are_drawn_for_all_runs() -> None:
    """Two equal lists differ by nothing, whatever the raters say."""
    labels, _, runs = setting(TWO, {"A": RUNS["A"], "B": RUNS["A"]})
    found = rater_noise(labels, runs, parse("nDCG@3 P@1"), [("A", "B")], stream(1, "noise"), draws=200)
    assert [one.sd for one in found.floors] == [0.0, 0.0]


def test_raters_who_agree_make_no_noise() -> None:
    labels, _, runs = setting({"q1": {"a": [2, 2], "b": [0, 0]}}, {"A": {"q1": ["a", "b"]}, "B": {"q1": ["b", "a"]}})
    found = rater_noise(labels, runs, parse("nDCG@2"), [("A", "B")], stream(1, "noise"), draws=50)
    assert found.floors[0].sd == 0.0
    assert found.floors[0].is_within is False


def test_one_label_a_pair_is_the_variance_over_raters_times_two() -> None:
    """P@1 of one query, one document with labels 0 and 1 first in A: the difference is 0 or -1, variance 1/4 x 2."""
    given: Given = {"q1": {"a": [0, 1], "b": [1, 1]}}
    labels, _, runs = setting(given, {"A": {"q1": ["a", "b"]}, "B": {"q1": ["b", "a"]}})
    found = rater_noise(labels, runs, parse("P@1"), [("A", "B")], stream(2, "noise"), draws=20_000, how="one")
    assert found.floors[0].sd == pytest.approx(np.sqrt(0.5), rel=0.02)


def test_more_votes_make_less_noise() -> None:
    labels, _, runs = setting(TWO, RUNS)
    sizes = [
        rater_noise(labels, runs, parse("DCG@3"), [("A", "B")], stream(3, "noise"), draws=8000, votes=k).floors[0].sd
        for k in (1, 2)
    ]
    assert sizes[0] is not None
    assert sizes[1] is not None
    assert sizes[1] == pytest.approx(sizes[0] / np.sqrt(2), rel=0.04)  # DCG is linear in the grades


def test_a_majority_of_three_is_drawn_as_a_majority() -> None:
    given: Given = {"q1": {"a": [0, 0, 1], "b": [1, 1, 1]}}
    labels, _, runs = setting(given, {"A": {"q1": ["a", "b"]}, "B": {"q1": ["b", "a"]}})
    found = rater_noise(labels, runs, parse("P@1"), [("A", "B")], stream(4, "noise"), draws=20_000, how="majority")
    p = 3 * (1 / 3) ** 2 * (2 / 3) + (1 / 3) ** 3  # two or three of three draws say 1
    assert found.floors[0].sd == pytest.approx(np.sqrt(p * (1 - p) * 3 / 2), rel=0.02)


def test_a_draw_without_a_relevant_document_is_drawn_again() -> None:
    given: Given = {"q1": {"a": [0, 1], "b": [0, 0]}}
    labels, _, runs = setting(given, {"A": {"q1": ["a", "b"]}, "B": {"q1": ["b", "a"]}})
    found = rater_noise(labels, runs, parse("RR"), [("A", "B")], stream(5, "noise"), draws=1000, how="one")
    assert found.floors[0].sd == 0.0  # only a = 1 is left
    assert 400 < found.redrawn < 600
    assert any(note.code == "noise-redrawn" for note in found.notes)


def test_single_labels_are_drawn_as_the_others_disagree() -> None:
    """Raters of p and q differ half of the time; s has one label and is drawn from them."""
    given: Given = {"q1": {"p": [0, 1], "q": [1, 0], "s": [1]}}
    labels, _, runs = setting(given, {"A": {"q1": ["s", "p", "q"]}, "B": {"q1": ["p", "s", "q"]}})
    grades, table = labels.agreement
    assert grades.tolist() == [0.0, 1.0]
    assert table.tolist() == [[0.0, 1.0], [1.0, 0.0]]  # whenever one says 1, the other says 0
    found = rater_noise(labels, runs, parse("P@1"), [("A", "B")], stream(6, "noise"), draws=2000, how="one")
    assert (found.several, found.single) == (2, 1)
    assert any(note.code == "noise-single" for note in found.notes)


def test_a_table_of_agreement_alone_gives_the_cautious_floor() -> None:
    """Of 10 second labels beside a 1, 2 are 0: P@1 of the first document flips with chance 0.2."""
    judged = prepared(
        Block({"query_id": ["q"] * 2, "doc_id": ["a", "b"], "grade": [1.0, 1.0]}, str, "qrels"), Conventions()
    )
    lists = {"A": ["a", "z"], "B": ["z", "a"]}
    runs = {
        name: align(
            Block({"query_id": ["q"] * 2, "doc_id": docs, "rank": [1, 2]}, str, name), judged, Conventions()
        ).ranking
        for name, docs in lists.items()
    }
    table = np.array([[8.0, 2.0], [2.0, 8.0]])
    found = agreement_noise(judged, (0.0, 1.0), table, runs, parse("DCG@1"), [("A", "B")], stream(8, "n"), draws=20_000)
    p = (0.2 - 0.04) / (1 - 0.04)  # a is 0, given that not both are
    assert found.floors[0].sd == pytest.approx(np.sqrt(p * (1 - p)), rel=0.02)
    assert found.method == "agreement"


def test_labels_of_one_rater_make_no_floor() -> None:
    block = raters({"q1": {"a": [1], "b": [0]}})
    judged = prepared(aggregate(block), Conventions())
    assert labels_of(block, judged) is None


def test_a_large_table_gives_what_a_small_one_gives() -> None:
    block = raters(TWO)
    judged = prepared(aggregate(block), Conventions())
    large = Block(block.polars(), block.place, block.name)
    known = prepared(aggregate(large), Conventions())
    one, other = labels_of(block, judged), labels_of(large, known)
    assert one is not None
    assert other is not None
    assert one.agreement[1].tolist() == other.agreement[1].tolist()


def test_equal_seeds_give_equal_floors() -> None:
    labels, _, runs = setting(TWO, RUNS)
    found = [
        rater_noise(labels, runs, parse("nDCG@3"), [("A", "B")], stream(9, "noise"), draws=100).floors for _ in range(2)
    ]
    assert found[0] == found[1]


def test_very_many_labels_are_drawn_less_often() -> None:
    def of(n: int) -> Judged:
        return Judged(["q"], np.zeros(n, np.int64), np.zeros(n), [])

    assert [usual_draws(of(n)) for n in (0, 100, 20_000, 50_000, 1_000_000)] == [2000, 2000, 2000, 800, 200]
