"""Ranges of measures without an algorithm of their own, against every labelling computed from the judgments anew."""

from __future__ import annotations

import os
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.compare import tried
from assay.compare.deciding import deciding
from assay.compare.lists import Lists, side_by_side
from assay.compare.unjudged import Bounds, bounds
from assay.measures.grammar import parse
from assay.measures.measure import Measure
from assay.ranking.align import judged as prepared
from assay.ranking.conventions import Conventions
from assay.ranking.shown import shown
from assay.tables import Block
from compare.test_unjudged import GRADES, queries
from compare.twolists import Query, judged_block, lists_of, unknown

EXAMPLES = 200 if os.environ.get("ASSAY_SOAK") else 12
FAST = settings(
    deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # fmt: skip
AVERAGED = Conventions(ties="expected")
MEASURES = ("Rprec", "RankOfFirst", "ContextPrecision@3", "ContextPrecision", "ContextPrecision(form=plain)@2",
            "R(cap=True)", "F", "F(beta=2)", "nDCG(ideal=returned)@3", "nDCG(ideal=returned,gain=exp)", "Bpref",
            "NumRelRet@2")  # fmt: skip


def one(name: str) -> Measure:
    return parse(name)[0]


def tied(query: Query, scores: dict[str, list[int]]) -> Lists:
    """The two lists by score, with ties averaged."""
    known = prepared(judged_block([query["judged"]]), AVERAGED)
    sides = [
        shown(Block({"query_id": ["q000"] * len(query[s]), "doc_id": query[s], "score": scores[s]}, str, s), known,
              AVERAGED)
        for s in "AB"
    ]  # fmt: skip
    return side_by_side(*sides)


def truth(measure: Measure, query: Query, depth: int | None, lists: Any = None) -> dict[str, tuple[float, float]]:
    """Lowest and highest of every labelling; a value that a labelling leaves undefined is left out of its own range."""
    make = lists or (lambda q: lists_of([q]))
    docs = unknown(query, depth)
    rows = []
    for labels in product(GRADES if measure.about.grades else (0.0, 1.0), repeat=len(docs)):
        case = make({**query, "judged": {**query["judged"], **dict(zip(docs, labels, strict=True))}})
        if measure.has_relevant(case.baseline.judged)[0] or measure.name == "HitRate":
            rows.append([measure.compute(case.baseline)[0], measure.compute(case.candidate)[0]])
    table = np.array(rows).reshape(-1, 2)
    columns = {"A": table[:, 0], "B": table[:, 1], "diff": table[:, 1] - table[:, 0]}
    found = {name: column[np.isfinite(column)] for name, column in columns.items()}
    return {name: (x.min(), x.max()) if len(x) else (np.nan, np.nan) for name, x in found.items()}


def ends(found: Bounds) -> dict[str, tuple[float, float]]:
    return {
        "A": (found.baseline_low[0], found.baseline_high[0]),
        "B": (found.candidate_low[0], found.candidate_high[0]),
        "diff": (found.low[0], found.high[0]),
    }


@pytest.mark.parametrize("name", MEASURES)
@FAST
@given(query=queries(), depth=st.sampled_from([None, 2, 9]))
def test_few_unjudged_documents_have_the_range_of_every_grade(name: str, query: Query, depth: int | None) -> None:
    found = bounds(one(name), lists_of([query]), levels=GRADES, depth=depth)
    assert found.is_computed, found.why
    assert found.sharp[0]
    expected = truth(one(name), query, one(name).cutoff if depth is None else depth)
    for side, ours in ends(found).items():
        assert ours == pytest.approx(expected[side], abs=1e-12, nan_ok=True), (side, query)


@pytest.mark.parametrize("name", [m for m in MEASURES if m != "ContextPrecision(form=plain)@2"])
@FAST
@given(query=queries(most=5), depth=st.sampled_from([None, 9]))
def test_more_have_exact_values_and_an_outer_bound_of_the_difference(
    monkeypatch: pytest.MonkeyPatch, name: str, query: Query, depth: int | None
) -> None:
    """As if there were too many to try every labelling: the same truth, from the labellings that are tried."""
    monkeypatch.setattr(tried, "SPENT", -1)
    measure = one(name)
    found = bounds(measure, lists_of([query]), levels=GRADES, depth=depth)
    expected = truth(measure, query, measure.cutoff if depth is None else depth)
    ours = ends(found)
    for side in "AB":
        assert ours[side] == pytest.approx(expected[side], abs=1e-12, nan_ok=True), (side, query)
    (low, high), (least, most) = ours["diff"], expected["diff"]
    if not np.isfinite([least, most]).all():
        return
    if found.sharp[0]:
        assert (low, high) == pytest.approx((least, most), abs=1e-12), query
    assert low <= least + 1e-12, query
    assert high >= most - 1e-12, query
    assert found.inner_low[0] >= least - 1e-12, query
    assert found.inner_high[0] <= most + 1e-12, query


@pytest.mark.parametrize("name", ["Rprec", "R(cap=True)", "F", "F(beta=2)", "RankOfFirst", "NumRelRet@2"])
@FAST
@given(query=queries(most=6))
def test_these_are_exact_however_many_documents_are_unjudged(
    monkeypatch: pytest.MonkeyPatch, name: str, query: Query
) -> None:
    monkeypatch.setattr(tried, "SPENT", -1)
    found = bounds(one(name), lists_of([query]), depth=9)
    assert found.sharp[0]
    assert ends(found)["diff"] == pytest.approx(truth(one(name), query, 9)["diff"], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("spent", [None, -1])
@pytest.mark.parametrize(
    "name", ["RR", "RR@2", "HitRate@2", "HitRate", "AP", "AP@2", "AP(norm=min)@3", "Rprec", "RankOfFirst",
             "ContextPrecision@2", "nDCG(ideal=returned)@2", "F", "R(cap=True)"],
)  # fmt: skip
@FAST
@given(query=queries(most=4, docs="abcdef"), data=st.data())
def test_ranges_hold_where_ties_are_averaged(
    monkeypatch: pytest.MonkeyPatch, name: str, spent: int | None, query: Query, data: st.DataObject
) -> None:
    if spent is not None:
        monkeypatch.setattr(tried, "SPENT", spent)
    measure = one(name)
    scores = {side: [data.draw(st.integers(0, 2)) for _ in query[side]] for side in "AB"}
    found = bounds(measure, tied(query, scores), levels=GRADES, depth=9)
    expected = truth(measure, query, None, lambda case: tied(case, scores))
    ours = ends(found)
    (low, high), (least, most) = ours["diff"], expected["diff"]
    for side in "AB":
        if np.isfinite(expected[side]).all():
            if spent is None or name != "ContextPrecision@2":  # whose ties may straddle the cutoff: 0 to 1 then
                assert ours[side] == pytest.approx(expected[side], abs=1e-12), (side, query)
            assert ours[side][0] <= expected[side][0] + 1e-12
            assert ours[side][1] >= expected[side][1] - 1e-12
    if np.isfinite([least, most]).all():
        assert low <= least + 1e-12, query
        assert high >= most - 1e-12, query
        if found.sharp[0]:
            assert (low, high) == pytest.approx((least, most), abs=1e-12), query
    if spent is None or name.startswith("AP"):
        assert found.sharp[0]


def test_r_precision_moves_its_own_cutoff() -> None:
    """[x, a] and [a, x], a relevant: with x not relevant R = 1, 0 and 1; with x relevant R = 2 and both are 1."""
    found = bounds(one("Rprec"), lists_of([{"A": ["x", "a"], "B": ["a", "x"], "judged": {"a": 1}}]))
    assert ends(found) == {"A": (0.0, 1.0), "B": (1.0, 1.0), "diff": (0.0, 1.0)}


def test_context_precision_of_one_list_falls_with_a_hit_below_the_first() -> None:
    """[a, b, x], a relevant, b not: 1 with x not relevant; (1/1 + 2/3) / 2 with x relevant."""
    found = bounds(
        one("ContextPrecision@3"), lists_of([{"A": ["a", "b", "x"], "B": ["a"], "judged": {"a": 1, "b": 0}}])
    )
    assert ends(found)["A"] == pytest.approx((5 / 6, 1.0), abs=1e-15)
    assert ends(found)["diff"] == pytest.approx((0.0, 1 / 6), abs=1e-15)


def test_the_best_order_of_what_was_returned_is_each_lists_own() -> None:
    """A = [x, a]: 1 with x = 1 or 0.6309 with x = 0 (a alone at rank 2). B = [a]: always 1."""
    found = bounds(one("nDCG(ideal=returned)@2"), lists_of([{"A": ["x", "a"], "B": ["a"], "judged": {"a": 1}}]))
    assert ends(found)["A"] == pytest.approx((1 / np.log2(3), 1.0), abs=1e-15)
    assert ends(found)["B"] == pytest.approx((1.0, 1.0), abs=1e-15)
    assert ends(found)["diff"] == pytest.approx((0.0, 1 - 1 / np.log2(3)), abs=1e-15)


def test_the_rank_of_the_first_is_compared_where_both_lists_have_one() -> None:
    """A = [x, a, b], B = [b, a], a relevant: ranks 2 and 2 with x not relevant, 1 and 2 with x relevant."""
    query = {"A": ["x", "a", "b"], "B": ["b", "a"], "judged": {"a": 1, "b": 0}}
    assert ends(bounds(one("RankOfFirst"), lists_of([query]))) == {"A": (1.0, 2.0), "B": (2.0, 2.0), "diff": (0.0, 1.0)}


def many(n: int, seed: int, shared: bool) -> Query:
    rng = np.random.default_rng(seed)
    mine = [f"x{i}" for i in range(n)]
    theirs = mine if shared else [f"y{i}" for i in range(n)]
    judged = {"a": 1.0, "b": 0.0, "c": 1.0}
    lists = [[str(d) for d in rng.permutation([*docs, *judged])] for docs in (mine, theirs)]
    return {"A": lists[0], "B": lists[1], "judged": judged}


def test_lists_that_share_no_unjudged_document_have_sharp_ranges_of_any_size() -> None:
    for name in ("ContextPrecision@20", "nDCG(ideal=returned)@20"):
        apart = bounds(one(name), lists_of([many(16, 1, shared=False)]))
        assert apart.is_sharp, name
        assert apart.high[0] == pytest.approx(apart.candidate_high[0] - apart.baseline_low[0], abs=1e-12)
        together = bounds(one(name), lists_of([many(16, 1, shared=True)]))
        assert not together.is_sharp, name
        assert together.low[0] <= together.inner_low[0] <= together.inner_high[0] <= together.high[0]


def test_too_many_to_try_is_said_with_what_to_do() -> None:
    found = bounds(one("ContextPrecision"), lists_of([many(2500, 1, shared=True)]))
    assert not found.is_computed
    assert found.why == "a query has 2,500 unjudged documents: too many to try; --bounds-depth looks at fewer"


def test_a_measure_of_no_grades_says_so() -> None:
    found = bounds(one("Judged@2"), lists_of([{"A": ["a"], "B": ["x"], "judged": {"a": 1}}]))
    assert not found.is_computed
    assert found.why == "it does not depend on grades"
    assert found.difference is None
    assert found.is_fragile() is None
    assert "not computed" in found.says


def test_no_labels_are_named_for_a_measure_that_is_only_tried() -> None:
    assert deciding(one("Rprec"), lists_of([{"A": ["a"], "B": ["x"], "judged": {"a": 1}}])) == ()


def test_labels_decide_ap_where_ties_are_averaged() -> None:
    """A = [a, y], B = [x and a tied], a relevant. By (x, y), A and B are

    (0, 0): 1, 3/4; (1, 0): 1/2, 1; (0, 1): 1, 3/8; (1, 1): 2/3, 2/3. So x = 0 decides for A, x = 1 and y = 0 for B.
    """
    query = {"A": ["a", "y"], "B": ["x", "a"], "judged": {"a": 1}}
    lists = tied(query, {"A": [2, 1], "B": [1, 1]})
    found = bounds(one("AP"), lists, levels=[0, 1])
    assert (found.low[0], found.high[0]) == pytest.approx((-5 / 8, 1 / 2), abs=1e-15)
    sides = deciding(one("AP"), lists, levels=[0, 1])
    assert {side.winner: [(p.doc_id, g) for p, g in zip(side.pairs, side.grades, strict=True)] for side in sides} == {
        "baseline": [("x", 0.0)], "candidate": [("x", 1.0), ("y", 0.0)]}  # fmt: skip
