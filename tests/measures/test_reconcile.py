"""The search for conventions: its own arithmetic against the house's, and against sums made by hand."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.measures.grammar import parse
from assay.measures.reconcile import search
from assay.measures.reconcile.tools import TOOLS
from assay.measures.reconcile.ways import AXES, BY_NAME, KNOWN, Ways
from assay.ranking.conventions import Conventions
from assay.tables import Hit, Judgment
from assay.tables.door import block_of

MEASURES = (
    "nDCG@3", "nDCG(gain=exp)@3", "nDCG(ideal=returned)@3", "nDCG(discount=zipf)", "nDCG(judged_only=True)@3",
    "nDCG(gain={1:3,2:9})@3", "DCG@2", "P@3", "P(short=list)@4", "P(rel=2)@3", "R@2", "R(cap=True)@2", "AP", "AP@2",
    "AP(norm=min)@2", "RR", "RR@2", "HitRate@2", "Bpref", "ERR@3", "ERR(max=4)", "RBP(p=0.5)", "RBP(gain=scaled)@3",
)  # fmt: skip

Grades = dict[str, dict[str, float]]


def case(run: Any, qrels: Any, measure: str, conventions: Conventions = Conventions(), query: str | None = None) -> Any:  # noqa: B008 # frozen
    (parsed,) = parse(measure)
    blocks = block_of(run, Hit, "run"), block_of(qrels, Judgment, "qrels")
    return search.case_of(*blocks, parsed, conventions, query)


def value(run: Any, qrels: Any, measure: str, **answers: str) -> float:
    """What some answers give, the others being ours."""
    known = case(run, qrels, measure)
    (found,) = search.compute(known, [(known.base.but(**answers), "one", ())])
    return found.value


@st.composite
def collections(draw: st.DrawFn) -> tuple[Grades, Grades]:
    """A run and judgments of a few queries, with ties, unjudged documents, missing and unknown queries."""
    docs = st.sampled_from("abcdef")
    grades = st.sampled_from([0.0, 1.0, 2.0, 3.0])
    scores = st.sampled_from([1.0, 2.0, 3.0, 3.0 + 1e-9])
    qrels = draw(
        st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(docs, grades, min_size=1), min_size=1)
    )
    run = draw(
        st.dictionaries(st.sampled_from(["q1", "q2", "q9"]), st.dictionaries(docs, scores, min_size=1), min_size=1)
    )
    return run, qrels


@settings(max_examples=150, deadline=None)
@given(
    collections(),
    st.sampled_from(["zero", "skip"]),
    st.sampled_from(["drop", "zero", "one"]),
    st.sampled_from(["docid", "input"]),
    st.sampled_from(["64-bit", "32-bit"]),
)
def test_our_own_answers_give_what_the_house_gives(
    both: tuple[Grades, Grades], missing: str, no_relevant: str, ties: str, scores: str
) -> None:
    run, qrels = both
    if not run.keys() & qrels.keys():
        return
    chosen = {"missing": missing, "no_relevant": no_relevant, "ties": ties, "scores": scores}
    house = assay.evaluate(run, qrels, list(MEASURES), **chosen)
    for j, measure in enumerate(MEASURES):
        known = case(run, qrels, measure, Conventions(**chosen))  # type: ignore[arg-type] # words of the conventions
        (found,) = search.compute(known, [(known.base, "ours", ())])
        mean = house.mean(house.measures[j])
        assert found.value == pytest.approx(mean, abs=1e-12, nan_ok=True), measure
        ours = dict(zip(house.queries, house.values[0, j], strict=True))
        theirs = dict(zip(known.lists.queries, found.values, strict=True))
        for query, expected in ours.items():
            assert theirs[query] == pytest.approx(expected, abs=1e-12, nan_ok=True), (measure, query)


@settings(max_examples=40, deadline=None)
@given(collections())
def test_averaged_ties_are_those_of_the_house(both: tuple[Grades, Grades]) -> None:
    run, qrels = both
    if not run.keys() & qrels.keys():
        return
    for measure in ("nDCG@3", "DCG@2", "nDCG(gain=exp)"):
        known = case(run, qrels, measure, Conventions(ties="expected"))
        (found,) = search.compute(known, [(known.base, "ours", ())])
        mean = assay.evaluate(run, qrels, measure, ties="expected").mean()
        assert found.value == pytest.approx(mean, abs=1e-12, nan_ok=True)


LIST = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
JUDGED = {"q": {"a": 0.0, "b": 3.0, "d": 1.0, "x": 2.0, "y": 1.0}}  # c is unjudged; x and y were not returned
LOG3, LOG5 = math.log2(3), math.log2(5)

BY_HAND = [
    ("nDCG@3", {}, (3 / LOG3) / (3 + 2 / LOG3 + 1 / 2)),
    ("nDCG@3", {"gain": "exp"}, (7 / LOG3) / (7 + 3 / LOG3 + 1 / 2)),
    ("nDCG@3", {"gain": "binary"}, (1 / LOG3) / (1 + 1 / LOG3 + 1 / 2)),
    ("nDCG@3", {"ideal": "uncut"}, (3 / LOG3) / (3 + 2 / LOG3 + 1 / 2 + 1 / LOG5)),
    ("nDCG@3", {"ideal": "returned"}, (3 / LOG3) / (3 + 1 / LOG3)),
    ("nDCG@3", {"ideal": "shown"}, (3 / LOG3) / 3),
    ("nDCG@10", {"ideal": "hits"}, (3 / LOG3 + 1 / LOG5) / (3 + 2 / LOG3 + 1 / 2 + 1 / LOG5)),
    ("nDCG@3", {"ideal": "slots"}, (3 / LOG3) / (1 + 1 / LOG3 + 1 / 2)),
    ("nDCG@3", {"ideal": "none"}, 3 / LOG3),
    ("nDCG@3", {"discount": "first-free"}, 3 / (3 + 2 + 1 / LOG3)),
    ("nDCG@3", {"discount": "zipf"}, (3 / 2) / (3 + 2 / 2 + 1 / 3)),
    ("nDCG@3", {"discount": "none"}, 3 / 6),
    ("DCG@3", {"discount": "natural"}, 3 / math.log(3)),
    ("nDCG@3", {"terms": "floor-2"}, 1.89 / (3 + 1.26 + 0.5)),
    ("nDCG@3", {"cutoff": "none"}, (3 / LOG3 + 1 / LOG5) / (3 + 2 / LOG3 + 1 / 2 + 1 / LOG5)),
    ("nDCG@3", {"listed": "condensed"}, (3 / LOG3 + 1 / 2) / (3 + 2 / LOG3 + 1 / 2)),
    ("P@10", {}, 2 / 10),
    ("P@10", {"short": "list"}, 2 / 4),
    ("P@10", {"short": "judged"}, 2 / 3),
    ("P@2", {"short": "judged"}, 1 / 2),
    ("P@10", {"rel": "any"}, 3 / 10),
    ("P@10", {"rel": "2"}, 1 / 10),
    ("P@10", {"rel": "3"}, 1 / 10),
    ("P@10", {"rel": "adaptive"}, 1 / 10),  # max(3 / 2, 90th percentile of 0 1 1 2 3 = 2.6)
    ("R@2", {}, 1 / 4),
    ("R@2", {"found": "cap"}, 1 / 2),
    ("R@2", {"found": "returned"}, 1 / 2),
    ("AP@4", {}, (1 / 2 + 2 / 4) / 4),
    ("AP@3", {"average": "min"}, (1 / 2) / 3),
    ("AP@4", {"average": "hits"}, (1 / 2 + 2 / 4) / 2),
    ("AP@4", {"average": "k"}, (1 / 2 + 2 / 4) / 4),
    ("AP@8", {"average": "returned"}, (1 / 2 + 2 / 4) / 2),
    ("RR", {}, 1 / 2),
    ("nDCG@3", {"rounding": "2"}, 0.4),
    ("nDCG@3", {"rounding": "floor-2"}, 0.39),
    ("nDCG@3", {"rounding": "ceil-4"}, 0.3975),
]


@pytest.mark.parametrize(("measure", "answers", "expected"), BY_HAND, ids=str)
def test_each_answer_by_hand(measure: str, answers: dict[str, str], expected: float) -> None:
    assert value(LIST, JUDGED, measure, **answers) == pytest.approx(expected, abs=1e-12)


def test_the_best_document_of_the_list_can_be_meant_by_first() -> None:
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1.0, "b": 2.0, "c": 2.0}}
    assert value(run, qrels, "RR") == 1
    assert value(run, qrels, "RR", first="best") == 1 / 2


def test_which_queries_the_mean_is_over() -> None:
    """One found at rank 2, one missing, one without a relevant document, one that nobody judged."""
    run = {"q1": {"b": 2.0, "a": 1.0}, "q3": {"a": 1.0}, "q9": {"z": 1.0}}
    qrels = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 0.0}}
    half = 1 / 2
    expected = {
        ("judged", "out"): half / 2,
        ("judged", "zero"): half / 3,
        ("judged", "one"): (half + 1) / 3,
        ("both", "out"): half,
        ("both", "zero"): half / 2,
        ("both", "one-unseen"): (half + 1) / 2,
        ("both", "skip-unseen"): half,
        ("run", "zero"): half / 3,
        ("run", "out"): half / 2,
        ("found", "zero"): half,
    }
    for (queries, undefined), mean in expected.items():
        found = value(run, qrels, "RR", queries=queries, undefined=undefined)
        assert found == pytest.approx(mean, abs=1e-12), (queries, undefined)


def test_orders_of_equal_scores() -> None:
    run, qrels = {"q": {"b": 1.0, "a": 1.0, "c": 1.0}}, {"q": {"a": 1.0}}
    for order, rank in {"docid": 3, "ascending": 1, "input": 2, "reversed": 2}.items():
        assert value(run, qrels, "RR", order=order) == pytest.approx(1 / rank), order
    mean = (1 + 1 / LOG3 + 1 / 2) / 3
    assert value(run, qrels, "nDCG", order="averaged") == pytest.approx(mean)


def test_scores_too_large_for_32_bits_are_equal_there() -> None:
    run, qrels = {"q": {"a": 2e300, "b": 1e300}}, {"q": {"a": 1.0}}
    assert value(run, qrels, "RR") == 1
    assert value(run, qrels, "RR", scores="32-bit") == 1 / 2


def test_every_answer_has_a_sentence_and_every_axis_says_what_tells() -> None:
    for axis in AXES:
        assert axis.tells
        assert next(iter(axis.answers)) == getattr(Ways(), axis.name) or axis.name == "gain"
        assert len(set(axis.answers.values())) == len(axis.answers)


def test_every_tool_has_a_version_a_source_and_known_measures() -> None:
    for tool in TOOLS:
        assert tool.version
        assert tool.source
        assert tool.uses
        for use in tool.uses:
            assert use.measure in KNOWN
            for name, answer in {**tool.every, **use.answers}.items():
                assert answer in BY_NAME[name].answers, (tool.label, name, answer)
    assert len({tool.label for tool in TOOLS}) == len(TOOLS)
    assert {f.name for f in fields(Ways)} == set(BY_NAME)


def test_tools_with_the_same_answers_stand_in_one_line() -> None:
    found = assay.reconcile(LIST, JUDGED, "nDCG@3", f"{value(LIST, JUDGED, 'nDCG@3', gain='exp'):.6f}")
    first = found.matches[0]
    assert first.kind == "tool"
    assert first.deviations == (("gain", "exp"),)
    assert {tool.split(" ")[0] for tool in first.tools} >= {"ranx", "Elasticsearch", "Quepid"}


def test_what_changes_nothing_here_is_not_named() -> None:
    """LightGBM differs from ours on five axes; on a list without ties where all is returned, on one."""
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1.0, "b": 3.0, "c": 0.0}}
    found = assay.reconcile(run, qrels, "nDCG@3", f"{value(run, qrels, 'nDCG@3', gain='exp'):.8f}")
    assert any(tool.startswith("LightGBM") for tool in found.matches[0].tools)
    assert found.matches[0].sentences == ("the gain is 2^grade - 1",)
    assert any("not returned" in tell for tell in found.alike)


def test_the_query_that_tells_two_conventions_apart_is_named() -> None:
    """P@2 of 0.75 is the mean of 1/2 and 1 (ours) or of 1 and 1/2 (ties the other way round)."""
    run = {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}, "q2": {"a": 1.0, "b": 1.0, "c": 1.0}}
    qrels = {"q1": {"a": 1.0, "b": 1.0, "c": 0.0}, "q2": {"b": 1.0, "c": 1.0, "a": 0.0}}
    found = assay.reconcile(run, qrels, "P@2", "0.7500")
    assert [match.kind for match in found.matches[:2]] == ["ours", "tool"]
    assert found.telling is not None
    assert sorted(found.telling.values[:2]) == [0.5, 1.0]


def test_chance_is_the_density_of_candidates_times_the_step() -> None:
    ways = Ways()
    found = [search.Candidate(ways, "one", (), np.zeros(1), v) for v in (0.41, 0.42, 0.43, 0.43, 0.9)]
    assert search._by_chance(found, 0.42, 0.001) == pytest.approx(3 * 0.001 / 0.1)


def test_made_up_numbers_meet_as_many_candidates_as_is_said() -> None:
    """1,000 numbers drawn evenly: the mean number of hits is what `chance` says, within 4 standard errors."""
    rng = np.random.default_rng(20311)
    docs = [f"d{i}" for i in range(30)]
    run = {
        f"q{q}": dict(zip(rng.permutation(docs)[:12].tolist(), rng.random(12).tolist(), strict=True)) for q in range(8)
    }
    qrels = {f"q{q}": dict(zip(docs, rng.integers(0, 4, 30).astype(float).tolist(), strict=True)) for q in range(8)}
    known = case(run, qrels, "nDCG@5")
    stages = [search.known(known), search._deviating(known, [known.base], "one", 1)]
    found = [candidate for stage in stages for candidate in search.compute(known, stage)]
    center, step = 0.5, 1e-3
    said = search._by_chance(found, center, step)
    distinct = {round(candidate.value, 10): candidate for candidate in found}.values()
    drawn = rng.uniform(center - search.WINDOW, center + search.WINDOW, 1000)
    hits = np.array([sum(search._meets(candidate, v, step) for candidate in distinct) for v in drawn])
    assert abs(hits.mean() - said) <= 4 * hits.std() / math.sqrt(len(drawn)) + 1e-9
    assert said > 0


def test_a_measure_whose_ways_are_not_known_is_refused() -> None:
    with pytest.raises(InputError, match=r"the ways of other tools to Rprec are not known"):
        assay.reconcile(LIST, JUDGED, "Rprec", "0.5")
