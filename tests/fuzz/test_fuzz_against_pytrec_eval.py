"""Random collections with ties, unjudged documents, missing queries and empty results, against trec_eval's code."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay.flows.workbench import Workbench
from assay.formats.blocks import RunBlocks, read_qrels
from assay.measures.score import score
from assay.ranking.align import judged
from assay.ranking.conventions import COMPAT, Conventions
from golden.reference import ABOUT_LENGTH
from golden.witness import Grades, Scores, as_qrels, as_run, pytrec, spelled

EXACT = 1e-12

IDS = ["d1", "d9", "d10", "D2", "007", "7", "7.0", "a-b", "a_b", "é", "Ω1", "日本", "z" * 40, "9223372036854775809",
       "#x", "-"]  # fmt: skip
QUERIES = ["q1", "q2", "q10", "007", "ü", "301"]

GRADES = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3])
SCORES = st.integers(-6, 6).map(lambda k: k / 8)
"""Few and exact in 32 bits, so that ties are many and the witness, which has floats, sees the same scores."""


@st.composite
def judged_runs(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    topics = draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True))
    qrels = {}
    for query in topics:
        grades = draw(st.dictionaries(st.sampled_from(IDS), GRADES, min_size=1, max_size=10))
        if all(grade < 0 for grade in grades.values()):  # the witness dies of a query with negative grades only
            grades["judged"] = 0
        qrels[query] = grades
    returned = set(draw(st.lists(st.sampled_from(QUERIES), unique=True))) | {topics[0]}
    ids = st.sampled_from([*IDS, "new1", "new2"])
    run = {q: draw(st.dictionaries(ids, SCORES, min_size=int(q == topics[0]), max_size=14)) for q in sorted(returned)}
    return qrels, run


PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def _files(folder: Path, qrels: Grades, run: Scores) -> tuple[Path, Path]:
    run_file, qrels_file = folder / "some.run", folder / "some.qrels"
    run_file.write_text(as_run(run), encoding="utf-8")
    qrels_file.write_text(as_qrels(qrels), encoding="utf-8")
    return run_file, qrels_file


Way = Callable[[list[str], dict[str, Any]], Any]


def _ways(folder: Path, qrels: Grades, run: Scores) -> dict[str, Way]:
    """The same run in plain Python, through the stream, cut into many blocks, and as it is in memory."""
    run_file, qrels_file = _files(folder, qrels, run)

    def read_with(small: int) -> Way:
        bench = Workbench(small=small, hashes=False)
        return lambda texts, options: assay.evaluate(run_file, qrels_file, texts, bench=bench, **options)

    def in_blocks(texts: list[str], options: dict[str, Any]) -> Any:
        choices = {name: value for name, value in options.items() if name != "compat"}
        conventions = Conventions().but(**COMPAT.get(options.get("compat", ""), {}) | choices)
        size = max(64, run_file.stat().st_size // 7)
        judgments = judged(read_qrels(qrels_file, size), conventions)
        return score(RunBlocks(run_file, size), judgments, assay.parse(texts), conventions)

    return {
        "plain": read_with(1 << 40),
        "stream": read_with(0),
        "blocks": in_blocks,
        "memory": lambda texts, options: assay.evaluate(run, qrels, texts, bench=Workbench(hashes=False), **options),
    }


def _assert_same(qrels: Grades, run: Scores, folder: Path, *, rel: int = 1, judged_only: bool = False) -> None:
    theirs = pytrec(qrels, run, rel=rel, judged_only=judged_only)
    assert theirs, "the witness has nothing to say"
    names = spelled(next(iter(theirs.values())), judged_only=judged_only)
    if judged_only:
        names = {name: text for name, text in names.items() if not text.startswith(ABOUT_LENGTH)}
    if rel > 1:
        names = {name: text for name, text in names.items() if name not in ("num_rel",)}  # it counts these at level 1
    texts = list(names.values())
    options: dict[str, Any] = {"compat": "trec_eval-9"} | ({"rel": rel} if rel > 1 else {})
    for way, evaluate in _ways(folder, qrels, run).items():
        scores = evaluate(texts, options)
        assert set(scores.queries) == set(qrels)
        for j, (name, text) in enumerate(names.items()):
            for query, value in zip(scores.queries, scores.values[0, j].tolist(), strict=True):
                if query in theirs and math.isnan(theirs[query][name]):
                    assert name.startswith("iprec_at_recall"), name  # of an empty condensed list
                    assert value == 0, (way, query, text, value)
                elif query in theirs:
                    assert abs(value - theirs[query][name]) <= EXACT, (way, query, text, value, theirs[query][name])
                elif not run.get(query):
                    assert math.isnan(value) or query in run, (way, query, text, value)


@settings(PATIENT, max_examples=60)
@given(judged_runs())
def test_any_small_collection_scores_as_the_witness_says(tmp_path: Path, collection: tuple[Grades, Scores]):
    _assert_same(*collection, tmp_path)


@settings(PATIENT, max_examples=40)
@given(judged_runs(), st.sampled_from([1, 2]))
def test_sampled_pools_and_curves_score_as_the_witness_says(
    tmp_path: Path, collection: tuple[Grades, Scores], rel: int
):
    qrels, run = collection
    theirs = pytrec(qrels, run, ["infAP", "11pt_avg"], rel=rel)
    options: dict[str, Any] = {"compat": "trec_eval-9", "negative": "judged"} | ({"rel": rel} if rel > 1 else {})
    for way, evaluate in _ways(tmp_path, qrels, run).items():
        scores = evaluate(["infAP", "IAP(points=11)"], options)
        for j, name in enumerate(("infAP", "11pt_avg")):
            for query, value in zip(scores.queries, scores.values[0, j].tolist(), strict=True):
                relevant = sum(grade >= rel for grade in qrels[query].values())
                if query in theirs and (name == "infAP" or relevant % 10 != 3):  # it takes 2 of 3 for a recall of 0.7
                    assert abs(value - theirs[query][name]) <= EXACT, (way, query, name, value, theirs[query][name])


@settings(PATIENT, max_examples=25)
@given(judged_runs())
def test_a_higher_relevance_level_scores_as_the_witness_says(tmp_path: Path, collection: tuple[Grades, Scores]):
    _assert_same(*collection, tmp_path, rel=2)


@settings(PATIENT, max_examples=25)
@given(judged_runs())
def test_condensed_lists_score_as_the_witness_says(tmp_path: Path, collection: tuple[Grades, Scores]):
    qrels, run = collection
    lifted = {query: {doc: max(grade, 0) for doc, grade in grades.items()} for query, grades in qrels.items()}
    _assert_same(lifted, run, tmp_path, judged_only=True)


def _random(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Forty queries of up to eighty documents, with what real files have."""
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for i in range(40):
        query = f"{rng.integers(1, 1000)}-{i}"
        pool = [f"doc{n}" for n in rng.permutation(200)]
        depth, known = int(rng.integers(1, 80)), int(rng.integers(1, 60))
        width = int(rng.choice([2, 5, 50, 4000]))
        scores = np.float32(rng.integers(0, width, depth) / 16.0)
        if rng.random() > 0.1:
            run[query] = dict(zip(pool[:depth], scores.tolist(), strict=True))
        if rng.random() > 0.1:
            grades = rng.choice([-1, 0, 1, 2, 3], known, p=[0.05, 0.55, 0.25, 0.1, 0.05])
            grades[0] = max(grades[0], 0)
            documents = rng.choice(120, known, replace=False)
            qrels[query] = {pool[n]: int(grade) for n, grade in zip(documents, grades, strict=True)}
    return qrels, run


@pytest.mark.parametrize("seed", range(8))
def test_larger_random_collections_score_as_the_witness_says(seed: int, tmp_path: Path):
    qrels, run = _random(seed)
    _assert_same(qrels, run, tmp_path, rel=1 + seed % 2)


@pytest.mark.parametrize("seed", range(4))
def test_scores_that_differ_only_in_64_bits_are_ties_in_32(seed: int, tmp_path: Path):
    rng = np.random.default_rng(100 + seed)
    qrels = {f"q{i}": {f"d{n}": int(g) for n, g in enumerate(rng.integers(0, 3, 12))} for i in range(10)}
    run = {f"q{i}": {f"d{n}": 0.9 + 1e-11 * int(k) for n, k in enumerate(rng.permutation(12))} for i in range(10)}
    _assert_same(qrels, run, tmp_path)
    _assert_sorted_by_64_bits(qrels, run, tmp_path)


def _assert_sorted_by_64_bits(qrels: Grades, run: Scores, folder: Path) -> None:
    for way, evaluate in _ways(folder, qrels, run).items():
        scores = evaluate(["RR"], {"no_relevant": "zero"})
        for query, value in zip(scores.queries, scores.values[0, 0].tolist(), strict=True):
            order = sorted(run[query], key=lambda d: -run[query][d])
            first = next((i for i, d in enumerate(order, 1) if qrels[query].get(d, 0) > 0), None)
            assert value == pytest.approx(1 / first if first else 0.0, abs=EXACT), (way, query)


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_a_file_in_any_order_give_the_same(seed: int, tmp_path: Path):
    qrels, run = _random(seed)
    run_file, qrels_file = _files(tmp_path, qrels, run)
    rows = run_file.read_text(encoding="utf-8").splitlines(keepends=True)
    np.random.default_rng(seed).shuffle(rows)
    shuffled = tmp_path / "shuffled.run"
    shuffled.write_text("".join(rows), encoding="utf-8")
    measures = ["nDCG@10", "P@5", "R@20", "RR", "AP", "Bpref", "Rprec", "NumRet", "Judged@10"]
    tidy = assay.evaluate(run_file, qrels_file, measures)
    for small in (1 << 40, 0):
        other = assay.evaluate(shuffled, qrels_file, measures, bench=Workbench(small=small, hashes=False))
        assert np.array_equal(tidy.values, other.values, equal_nan=True)


def test_a_query_with_an_empty_list_counts_as_zero_and_not_as_missing():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    scores = assay.evaluate({"q1": {"a": 1.0}, "q2": {}}, qrels, ["RR", "nDCG@10"], missing="error")
    assert scores.values[0].tolist() == [[1.0, 0.0], [1.0, 0.0]]


def test_the_blocks_of_this_test_are_several(tmp_path: Path):
    run_file, _ = _files(tmp_path, *_random(0))
    assert len(list(RunBlocks(run_file, run_file.stat().st_size // 7))) > 3


@st.composite
def tied_lists(draw: st.DrawFn) -> tuple[dict[str, int], list[list[str]]]:
    """Grades, and groups of documents with equal scores, of which all orders together are at most a few hundred."""
    sizes = draw(st.sampled_from([(3,), (4,), (5,), (1, 3), (2, 2), (3, 2), (4, 1), (2, 1, 3), (3, 3), (1, 4, 2)]))
    docs = draw(st.permutations([doc for doc in IDS if doc != "-"]))
    ends = np.cumsum(sizes).tolist()
    groups = [docs[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    grades = {
        doc: grade for doc in docs[: ends[-1] + 2] if (grade := draw(st.sampled_from([None, 0, 1, 2]))) is not None
    }
    return grades or {docs[0]: 1}, groups


@settings(PATIENT, max_examples=40)
@given(tied_lists())
def test_averaged_ties_are_the_mean_of_the_witness_over_all_orders(
    tmp_path: Path, lists: tuple[dict[str, int], list[list[str]]]
):
    grades, groups = lists
    orders = [sum(order, ()) for order in itertools.product(*(itertools.permutations(group) for group in groups))]
    theirs = pytrec(
        {f"o{i}": grades for i in range(len(orders))},
        {f"o{i}": {doc: float(-rank) for rank, doc in enumerate(order)} for i, order in enumerate(orders)},
    )
    assert len(theirs) == len(orders)
    names = {name: text for name, text in spelled(theirs["o0"]).items() if not text.startswith("IPrec")}
    run = {"q": {doc: float(-place) for place, group in enumerate(groups) for doc in group}}
    for way, evaluate in _ways(tmp_path, {"q": grades}, run).items():
        values = evaluate(list(names.values()), {"compat": "trec_eval-9", "ties": "expected"}).values[0, :, 0]
        for (name, text), value in zip(names.items(), values.tolist(), strict=True):
            mean = np.mean([theirs[f"o{i}"][name] for i in range(len(orders))])
            assert abs(value - mean) <= EXACT, (way, text, value, mean)
