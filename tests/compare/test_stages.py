"""Which stage lost it: worked by hand, by what must hold for any list, and on Vaswani."""

from __future__ import annotations

import math
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
import assay.errors
from assay.compare.lost import lost_in
from assay.compare.stages import Problem, problem
from assay.report.staged import verdict

Run = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]


def listed(*docs: str) -> dict[str, float]:
    return {doc: float(len(docs) - i) for i, doc in enumerate(docs)}


def staged(
    firsts: list[tuple[Run, int | None]], final: Run, qrels: Grades, measure: str = "nDCG@10"
) -> assay.Comparison:
    """The final run compared with itself in another order, which has no stages."""
    other = {q: {doc: -score for doc, score in docs.items()} for q, docs in final.items()}
    runs = {"system": final, "other": other}
    return assay.compare(runs, qrels, measure, stages={"system": [*firsts, final]}, unlisted="not-relevant")


def test_eight_relevant_and_five_retrieved_reach_a_recall_of_five_eighths() -> None:
    """Ceiling: the first five discounts over the first eight, (1 + ... + 1/log2 6) / (1 + ... + 1/log2 9) = 0.7458."""
    qrels = {"q": {f"r{i}": 1 for i in range(8)}}
    first = {"q": listed("x1", "r0", "r1", "x2", "r2", "r3", "r4")}
    final = {"q": listed("r0", "x1", "r1", "r2", "x2", "r3", "r4")}
    found = staged([(first, 7)], final, qrels).stages
    assert found is not None
    (system,) = found.systems
    assert system.recall.mean == 0.625
    discounts = [1 / math.log2(rank + 1) for rank in range(1, 9)]
    assert system.ceiling.mean == pytest.approx(sum(discounts[:5]) / sum(discounts), abs=1e-15)
    assert system.ceiling.mean == pytest.approx(0.7458, abs=5e-5)
    returned = assay.evaluate(final, qrels, "nDCG(ideal=returned)@10").mean()
    assert system.value.mean == pytest.approx((system.ceiling.mean or 0) * returned, abs=1e-12)
    assert system.retrieval_loss.mean == pytest.approx(1 - (system.ceiling.mean or 0))
    assert system.ranking_loss.mean == pytest.approx((system.ceiling.mean or 0) - (system.value.mean or 0))


@st.composite
def reranked(draw: st.DrawFn) -> tuple[Run, Run, Grades]:
    """A first stage, the same documents in another order, and grades of some of them and of others."""
    docs = [f"d{i}" for i in range(draw(st.integers(1, 8)))]
    elsewhere = [f"e{i}" for i in range(draw(st.integers(0, 3)))]
    grades = {doc: draw(st.integers(0, 3)) for doc in [*docs, *elsewhere] if draw(st.booleans())}
    grades["always"] = draw(st.integers(1, 3))
    return {"q": listed(*docs)}, {"q": listed(*draw(st.permutations(docs)))}, {"q": grades}


@settings(max_examples=60, deadline=None)
@given(reranked(), st.integers(1, 6))
def test_the_value_is_the_ceiling_times_the_value_among_the_returned(data: tuple[Run, Run, Grades], k: int) -> None:
    first, final, qrels = data
    found = staged([(first, None)], final, qrels, f"nDCG@{k}").stages
    assert found is not None
    (system,) = found.systems
    value = assay.evaluate(final, qrels, f"nDCG(ideal=returned)@{k}").mean()
    want = (system.ceiling.mean or 0) * (0.0 if math.isnan(value) else value)
    assert system.value.mean == pytest.approx(want, abs=1e-12)
    assert (system.value.mean or 0) <= (system.ceiling.mean or 0) + 1e-12
    assert (system.outside, system.outside_queries) == (0, 0)


def test_two_retrievers_are_shown_each_and_together() -> None:
    qrels = {"q": {"a": 1, "b": 1, "c": 1, "d": 1}}
    words, meaning = {"q": listed("a", "b", "x")}, {"q": listed("b", "c", "d")}
    final = {"q": listed("a", "b", "c")}
    found = staged([(words, 2), (meaning, 2)], final, qrels).stages
    assert found is not None
    (system,) = found.systems
    assert [one.recall.mean for one in system.retrievers] == [0.5, 0.5]
    assert system.recall.mean == 0.75
    assert system.outside == 0


def test_documents_that_no_first_stage_brought_are_counted_and_warned_about() -> None:
    qrels = {"q": {"a": 1}, "p": {"b": 1}}
    first = {"q": listed("a", "y", "z"), "p": listed("b", "w")}
    final = {"q": listed("z", "a", "never"), "p": listed("b")}
    found = staged([(first, 2)], final, qrels)
    assert found.stages is not None
    (system,) = found.stages.systems
    assert (system.outside, system.outside_queries) == (2, 1)  # z is below the depth, "never" is nowhere
    (note,) = (note for note in found.notes if note.code == "outside-the-depth")
    assert note.text.startswith("2 documents of 1 queries are in the final list of system and in no first stage")


def test_a_first_stage_of_other_queries_is_refused() -> None:
    first, final = {"other": listed("a")}, {"q": listed("a")}
    with pytest.raises(assay.errors.InputError, match="names no query that is judged, such as q") as caught:
        staged([(first, 1)], final, {"q": {"a": 1}})
    assert caught.value.where == "a first stage of system"


def test_final_lists_that_reach_more_than_the_ceiling_are_no_verdict_on_it() -> None:
    """The first stage answered one query of thirty: whatever it is, it is not the stage of this system."""
    queries = [f"q{i}" for i in range(30)]
    found = staged([({"q0": listed("a")}, 1)], {q: listed("a") for q in queries}, {q: {"a": 1} for q in queries})
    assert found.stages is not None
    (system,) = found.stages.systems
    assert (system.ceiling.mean, system.value.mean) == (pytest.approx(1 / 30), 1.0)
    assert not system.claim
    assert verdict(system).text == "not its stages"


def test_recall_against_depth_ends_at_the_recall_of_the_stage() -> None:
    qrels = {"q": {"a": 1, "c": 1, "z": 1}}
    found = staged([({"q": listed("a", "b", "c", "d")}, 4)], {"q": listed("a", "c")}, qrels).stages
    assert found is not None
    (curve,) = found.curves
    assert curve.depths.tolist() == [1, 2, 3, 4]
    assert curve.recall == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3])
    assert curve.recall[-1] == pytest.approx(found.systems[0].recall.mean)


def every_order(run: Run) -> list[Run]:
    """The run with its equal scores broken in every way."""
    docs = run["q"]
    groups = [[d for d in docs if docs[d] == score] for score in sorted(set(docs.values()), reverse=True)]
    orders = product(*(permutations(group) for group in groups))
    return [{"q": listed(*[doc for group in order for doc in group])} for order in orders]


@st.composite
def with_ties(draw: st.DrawFn) -> Run:
    docs = [f"d{i}" for i in draw(st.lists(st.integers(0, 6), unique=True, min_size=2, max_size=5))]
    return {"q": {doc: float(draw(st.integers(0, 1))) for doc in docs}}


@settings(max_examples=30, deadline=None)
@given(with_ties(), st.integers(1, 4), st.lists(st.integers(0, 3), min_size=7, max_size=7), st.integers(1, 5))
def test_with_ties_averaged_recall_and_ceiling_are_means_over_every_order(
    first: Run, depth: int, grades: list[int], k: int
) -> None:
    """Which of the equals across the depth were read is not known: every order of them is tried."""
    qrels = {"q": {f"d{i}": grade for i, grade in enumerate(grades)} | {"always": 2}}
    final = {"q": listed("always", "d0")}
    tried = [staged([(order, depth)], final, qrels, f"nDCG@{k}").stages for order in every_order(first)]
    systems = [one.systems[0] for one in tried if one is not None]
    other = {"q": {doc: -score for doc, score in final["q"].items()}}
    found = assay.compare(
        {"system": final, "other": other}, qrels, f"nDCG@{k}", stages={"system": [(first, depth), final]},
        unlisted="not-relevant", ties="expected",
    ).stages  # fmt: skip
    assert found is not None
    assert found.systems[0].recall.mean == pytest.approx(np.mean([one.recall.mean for one in systems]), abs=1e-12)
    assert found.systems[0].ceiling.mean == pytest.approx(np.mean([one.ceiling.mean for one in systems]), abs=1e-12)
    curves = [one.curves[0].recall for one in tried if one is not None]
    assert found.curves[0].recall == pytest.approx(np.mean(curves, axis=0), abs=1e-12)


def test_retrievers_with_ties_across_their_depths_are_averaged_over_drawn_orders() -> None:
    """Two retrievers, each reads one of two equals: a, b and b, c. Every order: recall and ceiling of the union."""
    first, second = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 1.0, "c": 1.0}}
    qrels, final = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": listed("a", "b", "c")}
    found = assay.compare(
        {"system": final, "other": {"q": listed("c", "b")}}, qrels, "nDCG@10",
        stages={"system": [(first, 1), (second, 1), final]}, unlisted="not-relevant", ties="expected",
    ).stages  # fmt: skip
    assert found is not None
    # read are a+b, a+c, b+b or b+c: two documents in three of the four orders, one in the fourth
    assert found.systems[0].recall.mean == pytest.approx((2 / 3 * 3 + 1 / 3) / 4, abs=1e-12)
    two, three = 1 + 1 / math.log2(3), 1 + 1 / math.log2(3) + 1 / 2
    spread = abs(two - 1) / three * math.sqrt(3 / 16 / 2000)
    assert found.systems[0].ceiling.mean == pytest.approx((3 * two + 1) / 4 / three, abs=4 * spread)
    assert found.systems[0].outside == 0


def test_without_averaged_ties_the_order_of_equals_decides_what_was_read() -> None:
    """Ties by doc_id descending put b above a: b was read."""
    qrels, final = {"q": {"a": 1}}, {"q": listed("a", "b")}
    found = staged([({"q": {"a": 1.0, "b": 1.0}}, 1)], final, qrels).stages
    assert found is not None
    assert found.systems[0].recall.mean == 0.0
    assert found.systems[0].outside == 1


def test_several_retrievers_have_a_curve_together_with_its_interval() -> None:
    """Of a, b, c, d the first brings a, b and the second b, c; at depth 1 a and b, at depth 2 a, b and c."""
    queries = ["p", "q", "r"]
    qrels = {q: {"a": 1, "b": 1, "c": 1, "d": 1} for q in queries}
    words = {q: listed("a", "b") for q in queries}
    meaning = {q: listed("b", "c") for q in queries}
    meaning["r"] = listed("b", "x")
    final = {q: listed("a", "b", "c") for q in queries}
    found = staged([(words, 2), (meaning, 2)], final, qrels).stages
    assert found is not None
    together = found.curves[-1]
    assert [curve.retriever for curve in found.curves[:-1]] == ["first stage 1", "first stage 2"]
    assert (together.retriever, together.depths.tolist()) == ("", [1, 2])
    assert together.recall == pytest.approx([0.5, (0.75 + 0.75 + 0.5) / 3])
    assert np.isnan([together.low[0], together.high[0]]).all()  # all queries are equal there
    # t of 97.5 % with 2 degrees of freedom is 0.95 sqrt(2 / (1 - 0.95^2)) = 4.3027; standard error 1/12
    assert together.low[1] == pytest.approx(2 / 3 - 0.95 * math.sqrt(2 / (1 - 0.95**2)) / 12, abs=1e-12)
    assert together.high[1] == 1.0  # cut to what a recall can be


def test_each_query_says_which_stage_lost_it() -> None:
    """One relevant document: gone from retrieval; one place lower; half each of two; no loss."""
    queries = ["gone", "lower", "both", "won", "same"]
    qrels = {q: {"a": 1} for q in queries} | {"both": {"a": 1, "b": 1}}
    before = {q: listed("a", "b", "c") for q in queries} | {"won": listed("b", "a")}
    after = {"gone": listed("x", "y"), "lower": listed("b", "a"), "both": listed("x", "a", "c"), "won": listed("a"),
             "same": listed("a")}  # fmt: skip
    runs = {"old": before, "new": after}
    found = assay.compare(
        runs, qrels, "nDCG@10", stages={"old": [(before, 3)], "new": [(after, 3)]}, unlisted="not-relevant"
    ).stages
    assert found is not None
    order = sorted(queries)
    # both: the ceiling falls by 0.387 (one of two), the order costs 0.226 more (rank 2 instead of 1)
    assert dict(zip(order, lost_in(found, "old", "new") or (), strict=True)) == {
        "gone": "retrieval", "lower": "ranking", "both": "both", "won": "", "same": ""}  # fmt: skip
    assert lost_in(found, "old", "other") is None


@pytest.mark.parametrize(
    ("retrieval", "ranking", "said"),
    [
        (0.21, 0.1, "retrieval problem"),
        (0.2, 0.1, "both"),
        (0.1, 0.2, "both"),
        (0.1, 0.21, "ranking problem"),
        (0.02, 0.02, ""),
        (0.03, 0.0, "retrieval problem"),
        (None, 0.1, ""),
    ],
)
def test_a_stage_is_the_problem_when_it_loses_more_than_twice_the_other(
    retrieval: float | None, ranking: float | None, said: Problem
) -> None:
    assert problem(retrieval, ranking, 0.02) == said


def test_stages_are_told_for_each_segment() -> None:
    rng = np.random.default_rng(1)
    queries = [f"q{i:02d}" for i in range(30)]
    qrels = {q: {f"r{i}": 1 for i in range(4)} for q in queries}
    first = {q: listed(*(["r0", "r1", "r2", "r3"] if i < 15 else ["r0", "x", "y"])) for i, q in enumerate(queries)}
    final = {q: listed(*rng.permutation(list(docs))) for q, docs in first.items()}
    topics = {"query_id": queries, "segment": ["easy"] * 15 + ["hard"] * 15}
    other = {q: {d: -s for d, s in docs.items()} for q, docs in final.items()}
    found = assay.compare(
        {"a": final, "b": other}, qrels, "nDCG@10", topics=topics, stages={"a": [first], "b": [first]}
    ).stages
    assert found is not None
    told = {(stage.system, stage.name): stage for stage in found.systems}
    assert told["a", "easy"].recall.mean == 1.0
    assert told["a", "hard"].recall.mean == 0.25
    assert told["a", "hard"].problem == "retrieval problem"
    assert told["a", "all"].claim
    assert not told["a", "hard"].claim
    assert [change.name for change in found.changes] == ["all", "easy", "hard"]


@pytest.mark.shared
def test_vaswani_trades_recall_for_ndcg_and_the_first_sentence_says_it(shared: Path) -> None:
    folder = shared / "data" / "collections" / "vaswani"
    first, before, after = (
        str(folder / "runs" / f"{name}.run.gz") for name in ("bm25", "bm25-top100-minilm", "bm25-top20-minilm")
    )
    found = assay.compare(
        [before, after],
        str(folder / "qrels.txt"),
        "nDCG@10",
        unlisted="not-relevant",
        stages=[f"bm25-top100-minilm={first}:100,{before}", f"bm25-top20-minilm={first}:20,{after}"],
    )
    assert found.says[0].text == (
        "retrieval recall falls from 0.6210 to 0.3019 while nDCG@10 rises from 0.4735 to 0.4806"
    )
    assert found.says[1].code == "cannot-tell"
    assert found.stages is not None
    wide, narrow = found.stages.systems
    assert (wide.recall.mean, narrow.recall.mean) == pytest.approx((0.6210, 0.3019), abs=5e-5)
    assert (wide.value.mean, narrow.value.mean) == pytest.approx((0.4735, 0.4806), abs=5e-5)
    recalls = assay.evaluate([first], str(folder / "qrels.txt"), "R@100 R@20", unlisted="not-relevant")
    assert (wide.recall.mean, narrow.recall.mean) == pytest.approx(
        (recalls.mean("R@100"), recalls.mean("R@20")), abs=1e-12
    )
