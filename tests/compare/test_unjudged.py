from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.compare.deciding import deciding
from assay.compare.unjudged import Bounds, bounds
from assay.measures.grammar import parse
from assay.measures.measure import Measure
from assay.ranking.conventions import Conventions
from compare.twolists import Query, brute_force, lists_of, unknown

DOCS = "abcdefgh"
GRADES = (0.0, 1.0, 2.0)
EXAMPLES = 200 if os.environ.get("ASSAY_SOAK") else 8


def one(name: str) -> Measure:
    return parse(name)[0]


@st.composite
def queries(draw: st.DrawFn, most: int = 4, docs: str = DOCS) -> Query:
    """Two lists over a few documents, at most `most` of them unjudged."""
    lists = [draw(st.lists(st.sampled_from(docs), unique=True, min_size=1, max_size=6)) for _ in range(2)]
    shown = list(dict.fromkeys(lists[0] + lists[1]))
    open_ones = draw(st.lists(st.sampled_from(shown), unique=True, max_size=most))
    judged = {doc: draw(st.sampled_from(GRADES)) for doc in docs if doc not in open_ones and draw(st.booleans())}
    for doc in shown:  # everything else that is shown is judged
        if doc not in open_ones:
            judged.setdefault(doc, draw(st.sampled_from(GRADES)))
    return {"A": lists[0], "B": lists[1], "judged": judged}


def ends(found: Bounds) -> dict[str, tuple[float, float]]:
    return {
        "A": (found.baseline_low[0], found.baseline_high[0]),
        "B": (found.candidate_low[0], found.candidate_high[0]),
        "diff": (found.low[0], found.high[0]),
    }


def check(measure: Measure, query: Query, depth: int | None, grades: tuple[float, ...] = GRADES) -> None:
    found = bounds(measure, lists_of([query]), levels=grades, depth=depth)
    assert found.is_computed, found.why
    looked = measure.cutoff if depth is None else depth
    tried = grades if measure.about.grades else (0.0, measure.rel or 1.0)
    expected = brute_force(measure, query, tried, looked)
    for side, ours in ends(found).items():
        assert ours == pytest.approx(expected[side], abs=1e-12, nan_ok=True), (side, query)
    assert found.sharp[0]


@pytest.mark.parametrize(
    "name",
    ["P@3", "P@4", "P(short=list)@5", "P", "P(rel=2)@3", "R@2", "R@4", "R", "R(cap=True)@2", "F@3", "F(beta=2)@4",
     "HitRate@2", "HitRate", "RR@3", "RR", "AP@3", "AP", "AP(norm=min)@2", "nDCG@3", "nDCG", "nDCG(gain=exp)@4",
     "nDCG(discount=zipf)@3", "DCG@3", "CG@4", "DCG(gain=exp)@3"],
)  # fmt: skip
@settings(deadline=None, max_examples=EXAMPLES)
@given(query=queries(), depth=st.sampled_from([None, None, 1, 5]))
def test_the_range_is_that_of_every_grade_tried(name: str, query: Query, depth: int | None) -> None:
    check(one(name), query, depth)


@pytest.mark.parametrize("name", ["P@3", "R@3", "nDCG@3", "nDCG(gain=exp)@4"])
@settings(deadline=None, max_examples=15)
@given(query=queries(most=3, docs="abcde"), data=st.data())
def test_the_range_is_sharp_where_ties_are_averaged(name: str, query: Query, data: st.DataObject) -> None:
    from assay.compare.lists import side_by_side
    from assay.ranking.align import judged as prepared
    from assay.ranking.shown import shown
    from assay.tables import Block
    from compare.twolists import judged_block

    conventions = Conventions(ties="expected")
    scores = {side: [data.draw(st.integers(0, 2)) for _ in query[side]] for side in "AB"}

    def lists(judged: dict[str, float]) -> Any:
        known = prepared(judged_block([judged]), conventions)
        return side_by_side(*[
            shown(Block({"query_id": ["q000"] * len(query[s]), "doc_id": query[s], "score": scores[s]}, str, s), known,
                  conventions) for s in "AB"])  # fmt: skip

    measure = one(name)
    found = bounds(measure, lists(query["judged"]), levels=GRADES, depth=9)
    from itertools import product

    docs = unknown(query, None)
    tried = GRADES if measure.about.grades else (0.0, 1.0)
    rows = []
    for labels in product(tried, repeat=len(docs)):
        case = lists({**query["judged"], **dict(zip(docs, labels, strict=True))})
        if measure.name == "P" or measure.has_relevant(case.baseline.judged)[0]:
            rows.append(measure.compute(case.candidate)[0] - measure.compute(case.baseline)[0])
    if rows:
        assert (found.low[0], found.high[0]) == pytest.approx((min(rows), max(rows)), abs=1e-12)
    else:
        assert np.isnan(found.low[0])


@settings(deadline=None, max_examples=20)
@given(st.lists(queries(), min_size=2, max_size=5), st.sampled_from(["nDCG@3", "P@3", "R@3", "RR", "AP", "HitRate@2"]))
def test_many_queries_at_once_give_what_each_gives_alone(cases: list[Query], name: str) -> None:
    together = bounds(one(name), lists_of(cases), levels=GRADES)
    for i, case in enumerate(cases):
        alone = bounds(one(name), lists_of([case]), levels=GRADES)
        for column in ("low", "high", "baseline_low", "candidate_high"):
            assert getattr(together, column)[i] == pytest.approx(getattr(alone, column)[0], abs=1e-12, nan_ok=True)


def test_the_range_of_the_mean_is_the_mean_of_the_ranges_over_the_queries_that_count() -> None:
    cases = [
        {"A": ["a", "x"], "B": ["x", "a"], "judged": {"a": 1}},
        {"A": ["y"], "B": ["z"], "judged": {"a": 0}},  # nothing relevant is known: not averaged
    ]
    found = bounds(one("P@1"), lists_of(cases))
    assert found.counts.tolist() == [True, False]
    assert found.difference == (-1.0, 0.0)
    assert found.n_undefined == 1
    assert found.may_be_undefined.tolist() == [False, True]


def test_separate_ranges_would_claim_a_flip_that_cannot_happen() -> None:
    """x stands in both lists at one rank: whatever it is, both values move together."""
    found = bounds(one("P@2"), lists_of([{"A": ["a", "x"], "B": ["b", "x"], "judged": {"a": 1, "b": 0}}]))
    assert found.difference == (-0.5, -0.5)
    assert found.is_fragile() is False
    assert found.baseline_high[0] == 1.0 > found.candidate_low[0] == 0.0


def test_all_zero_and_all_top_are_not_the_range() -> None:
    """[a, ?] with a = 1: nDCG@2 is 1 when ? = 0, and 0.80 when ? = 3, less than 1."""
    found = bounds(one("nDCG@2"), lists_of([{"A": ["a", "x"], "B": ["a", "x"], "judged": {"a": 1}}]), levels=[0, 3])
    assert found.baseline_low[0] == pytest.approx((1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3)), abs=1e-12)
    assert found.baseline_high[0] == 1.0


def test_fragile_is_a_range_on_both_sides_of_the_limit() -> None:
    found = bounds(one("P@2"), lists_of([{"A": ["a", "x"], "B": ["b", "y"], "judged": {"a": 1, "b": 1}}]))
    assert found.difference == (-0.5, 0.5)
    assert found.is_fragile() is True
    assert found.is_fragile(limit=-0.5) is False
    assert "FRAGILE" in found.says


def test_judged_shares_and_condensed_lists_stand_beside_the_range() -> None:
    query = {"A": ["a", "x", "c"], "B": ["y", "z", "a"], "judged": {"a": 1, "c": 1}}
    found = bounds(one("P@2"), lists_of([query]))
    assert (found.baseline_judged, found.candidate_judged) == (0.5, 0.0)
    assert (found.baseline_condensed, found.candidate_condensed) == (1.0, 0.5)
    assert found.condensed == -0.5


def test_without_unjudged_documents_the_range_is_the_value() -> None:
    query = {"A": ["a", "b"], "B": ["b", "a"], "judged": {"a": 2, "b": 1}}
    for name in ("nDCG@2", "P@1", "R@1", "RR", "AP", "HitRate@1"):
        found = bounds(one(name), lists_of([query]))
        assert found.low[0] == pytest.approx(found.now[0], abs=1e-15)
        assert found.high[0] == pytest.approx(found.now[0], abs=1e-15)


def many(n: int, seed: int) -> Query:
    rng = np.random.default_rng(seed)
    docs = [f"d{i:02}" for i in range(n + 6)]
    judged = {doc: float(rng.integers(0, 2)) for doc in docs[:6]}
    lists = [[docs[i] for i in rng.permutation(len(docs))] for _ in range(2)]
    return {"A": lists[0], "B": lists[1], "judged": {**judged, docs[0]: 1.0}}


def test_ap_of_many_unjudged_is_an_outer_bound_with_an_inner_value_inside() -> None:
    query = many(17, 5)
    found = bounds(one("AP"), lists_of([query]))
    assert not found.is_sharp
    assert found.low[0] <= found.inner_low[0] <= found.now[0] <= found.inner_high[0] <= found.high[0]
    assert "outer bound" in found.says


@pytest.mark.slow
def test_ap_of_seventeen_unjudged_lies_between_the_inner_value_and_the_outer_bound() -> None:
    """Every labelling of one document more than are tried: the truth by trying the two grades of the 17th."""
    for seed in range(4):
        query = many(17, seed)
        outer = bounds(one("AP"), lists_of([query]))
        doc = unknown(query, None)[0]
        halves = [bounds(one("AP"), lists_of([{**query, "judged": {**query["judged"], doc: g}}])) for g in (0.0, 1.0)]
        assert all(half.is_sharp for half in halves)
        low, high = min(half.low[0] for half in halves), max(half.high[0] for half in halves)
        assert outer.low[0] - 1e-12 <= low <= outer.inner_low[0] + 1e-12
        assert outer.inner_high[0] - 1e-12 <= high <= outer.high[0] + 1e-12


@pytest.mark.shared
def test_ranges_are_those_of_the_golden_file(shared: Path) -> None:
    golden = json.loads((shared / "golden/stats/bounds.json").read_text())
    for case in golden["cases"]:
        lists = lists_of([{key: case[key] for key in ("A", "B", "judged")}])
        for name, expected in case["measures"].items():
            found = bounds(one(f"{name}@{case['cutoff']}"), lists, levels=case["grades"])
            for side, ours in ends(found).items():
                assert ours == pytest.approx(expected[side], abs=1e-12), (case["why"], name, side)
            if name != "P":  # P is 0, not undefined, without a relevant document
                assert found.may_be_undefined[0] == expected["may_be_undefined"]
    for case in golden["large_ndcg"]:
        lists = lists_of([{key: case[key] for key in ("A", "B", "judged")}])
        for name in ("nDCG", "nDCG(gain=exp)"):
            found = bounds(one(f"{name}@{case['cutoff']}"), lists, levels=case["grades"])
            assert found.unjudged[0] == case["unjudged"]
            for side, ours in ends(found).items():
                assert ours == pytest.approx(case[name][side], abs=1e-12)


@pytest.mark.shared
def test_wrong_answers_of_the_golden_file_are_not_ours(shared: Path) -> None:
    """The traps: separate ranges subtracted, and all zero / all top."""
    golden = json.loads((shared / "golden/stats/bounds.json").read_text())
    naive = differs = 0
    for case in golden["cases"]:
        lists = lists_of([{key: case[key] for key in ("A", "B", "judged")}])
        for name, expected in case["measures"].items():
            found = bounds(one(f"{name}@{case['cutoff']}"), lists, levels=case["grades"])
            naive += 1
            differs += ends(found)["diff"] != pytest.approx(expected["naive_separate_diff"], abs=1e-9)
    assert differs > naive / 4


@pytest.mark.shared
def test_the_outer_bounds_of_ap_are_those_of_the_golden_file(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound of more documents than are tried, on cases whose true range is known and lies within it."""
    monkeypatch.setattr("assay.compare.precision.TRIED", 0)
    golden = json.loads((shared / "golden/stats/bounds.json").read_text())
    wider = 0
    for case in golden["cases"]:
        expected = case["measures"]["AP"]
        found = bounds(one(f"AP@{case['cutoff']}"), lists_of([{k: case[k] for k in ("A", "B", "judged")}]),
                       levels=case["grades"])  # fmt: skip
        assert not found.sharp[0]
        assert ends(found)["diff"] == pytest.approx(expected["diff_outer_bound"], abs=1e-12), case["why"]
        wider += expected["diff_outer_bound"] != pytest.approx(expected["diff"], abs=1e-9)
    assert wider >= 3


@pytest.mark.shared
def test_the_labels_that_decide_are_those_of_the_golden_file(shared: Path) -> None:
    golden = json.loads((shared / "golden/stats/bounds.json").read_text())
    for case in golden["deciding"]["cases"]:
        lists = lists_of(case["queries"])
        every = np.ones(lists.n, np.bool_)
        found = bounds(one(case["measure"]), lists, levels=case["grades"], counts=every)
        assert found.difference == pytest.approx(case["difference_now_bounds"], abs=1e-12)
        sides = deciding(one(case["measure"]), lists, levels=case["grades"], counts=every)
        assert len(sides[0].pairs) == case["greedy_length"] == case["fewest_labels_that_could_decide"]
        for side in sides:
            expected = case["greedy_for_B" if side.winner == "candidate" else "greedy_for_A"]
            ours = {(int(p.query_id[1:]), p.doc_id, g) for p, g in zip(side.pairs, side.grades, strict=True)}
            assert ours == {(query, doc, grade) for (query, doc), grade in expected}
            assert side.decided


@pytest.mark.parametrize("name", ["P@2", "P@3", "R@3", "RR", "HitRate@2", "nDCG@3", "AP@3"])
@settings(deadline=None, max_examples=20)
@given(cases=st.lists(queries(most=2), min_size=1, max_size=3))
def test_labels_that_decide_do_decide(name: str, cases: list[Query]) -> None:
    """After the named labels, the range lies on the winner's side; for P no smaller set could do that."""
    measure, lists = one(name), lists_of(cases)
    counts = measure.has_relevant(lists.baseline.judged)
    before = bounds(measure, lists, levels=GRADES)
    if not before.is_fragile():
        return
    sides = deciding(measure, lists, levels=GRADES)
    assert len(sides) == 2
    for side in sides:
        if not side.decided:
            continue
        labelled = [dict(case, judged=dict(case["judged"])) for case in cases]
        for pair, grade in zip(side.pairs, side.grades, strict=True):
            labelled[int(pair.query_id[1:])]["judged"][pair.doc_id] = grade
        low, high = bounds(measure, lists_of(labelled), levels=GRADES, counts=counts).difference or (0.0, 0.0)
        assert low > 0 if side.winner == "candidate" else high < 0
        assert [pair.order for pair in side.pairs] == list(range(1, len(side.pairs) + 1))
        if measure.name == "P":
            assert side.is_fewest
            assert len(side.pairs) == fewest(before, measure.cutoff or 1, side.winner == "candidate")


def fewest(found: Bounds, k: int, for_candidate: bool) -> int:
    """P: each label moves one end of the mean by 1 / (k n)."""
    low, high = found.difference or (0.0, 0.0)
    missing = -low if for_candidate else high
    return int(np.floor(missing * k * found.counts.sum() + 1e-9)) + 1


def test_a_search_that_ends_early_says_more_are_needed() -> None:
    cases = [{"A": ["a", "x1", "x2"], "B": ["a", "y1", "y2"], "judged": {"a": 1}} for _ in range(4)]
    short = deciding(one("P@3"), lists_of(cases), most=3)
    assert [side.decided for side in short] == [False, False]
    assert "at least 9 labels are needed" in short[0].says
    enough = deciding(one("P@3"), lists_of(cases))
    assert [len(side.pairs) for side in enough] == [9, 9]
    assert "at least 9 labels could decide for" in enough[0].says


def test_pairs_to_label_name_no_system_but_in_their_reason_and_are_a_table(tmp_path: Path) -> None:
    from assay.formats.recognise import read, write
    from assay.tables import Pair

    cases = [{"A": ["a", "x"], "B": ["y", "a"], "judged": {"a": 1}}]
    found = deciding(one("P@1"), lists_of(cases), names=("old", "new"))
    pairs = [pair for side in found for pair in side.pairs]
    write(pairs, tmp_path / "pairs.csv", "csv", Pair)
    again = read(tmp_path / "pairs.csv", Pair)
    assert list(again.frame["query_id"]) == [pair.query_id for pair in pairs]
    assert list(again.frame["doc_id"]) == [pair.doc_id for pair in pairs]


def test_a_measure_without_a_cutoff_needs_whole_lists() -> None:
    lists = lists_of([{"A": ["a", "x", "y"], "B": ["y", "a"], "judged": {"a": 1}}], depth=2)
    assert "name a cutoff" in bounds(one("RR"), lists).why
    assert bounds(one("RR@2"), lists).is_computed


def test_ranges_are_kept_in_a_file() -> None:
    from assay.kept import dump, load

    found = bounds(one("nDCG@2"), lists_of([{"A": ["a", "x"], "B": ["y", "a"], "judged": {"a": 1}}]))
    again = load(dump(found), "bounds.assay")
    assert again.difference == found.difference
    assert again.says == found.says


def test_queries_without_a_relevant_document_that_count_as_zero_may_stay_zero() -> None:
    """Nothing is judged relevant: whatever x is, or nothing; [x] against [y] gives -1, 0 or 1."""
    lists = lists_of([{"A": ["x"], "B": ["y"], "judged": {"b": 0}}, {"A": ["b"], "B": ["b"], "judged": {"b": 0}}])
    every = np.array([True, True])
    for name in ("RR@1", "nDCG@1", "R@1", "AP@1"):
        found = bounds(one(name), lists, counts=every, levels=GRADES)
        assert found.difference == (-0.5, 0.5), name
        assert found.baseline_range == (0.0, 0.5), name
        assert found.is_fragile()
    as_one = bounds(one("RR@1"), lists, counts=every, without=1.0)
    assert as_one.baseline_range == (0.5, 1.0)
    assert as_one.difference == (-0.5, 0.5)
