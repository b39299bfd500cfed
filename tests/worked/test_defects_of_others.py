"""Defects that other tools have or had, each as a case: what is right, and that their number can be explained.

The cases are those of issue threads and sources: Quepid (db/scorers), OpenSearch's Search Relevance Workbench (SRW),
Elasticsearch `_rank_eval`, the Rated Ranking Evaluator (RRE), Phoenix, pyvespa, Quaerite, promptfoo and Ragas. Expected
values are worked out by hand beside each case.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.clicks.coec import coec
from assay.errors import InputError

LOG3 = math.log2(3)


def listed(*docs: str, query: str = "q") -> dict[str, dict[str, float]]:
    """A run of one query with its documents in this order."""
    return {query: {doc: float(len(docs) - i) for i, doc in enumerate(docs)}}


def named(run: Any, qrels: Any, measure: str, value: str, tool: str, **options: Any) -> Any:
    """The match that names the tool; fails where none does."""
    found = assay.reconcile(run, qrels, measure, value, **options)
    return next(match for match in found.matches if any(one.startswith(tool) for one in match.tools))


def grades(n: int, grade: float, query: str = "q") -> dict[str, dict[str, float]]:
    return {query: {f"d{i:02}": grade for i in range(1, n + 1)}}


TEN = listed(*(f"d{i:02}" for i in range(1, 11)))


def test_quepid_ndcg_of_a_perfect_page_is_1_with_more_good_documents_than_the_page_holds() -> None:
    """#836, #1242: the ideal summed over all 12 rated documents. Sum of 1 / log2(r + 1) to 10 by that to 12: 0.8922."""
    qrels = grades(12, 3.0)
    assert assay.evaluate(TEN, qrels, "nDCG(gain=exp)@10").mean() == 1.0
    weights = [1 / math.log2(rank + 1) for rank in range(1, 13)]
    theirs = sum(weights[:10]) / sum(weights)
    assert f"{theirs:.4f}" == "0.8922"
    assert named(TEN, qrels, "nDCG@10", "0.8922", "Quepid 8.1 nDCG@10").kind == "tool"


def test_quepid_ap_of_a_query_without_relevant_documents_does_not_make_the_mean_nan() -> None:
    run = {**listed("a", "b", query="q1"), **listed("a", query="q2")}
    qrels = {"q1": {"a": 0.0, "b": 1.0}, "q2": {"a": 0.0}}
    scores = assay.evaluate(run, qrels, "AP@10")
    assert scores.mean() == 1 / 2  # q1 alone: 1/2 / 1; q2 has nothing to find
    assert scores.coverage[0].no_relevant == ("q2",)
    assert assay.evaluate(run, qrels, "AP@10", no_relevant="zero").mean() == 1 / 4


def test_quepid_precision_of_a_short_page_is_divided_by_k() -> None:
    run, qrels = listed("a", "b", "c"), {"q": {"a": 1.0, "b": 1.0, "c": 0.0}}
    assert assay.evaluate(run, qrels, "P@10").mean() == 0.2
    match = named(run, qrels, "P@10", "0.667", "Quepid 8.1 P@10")
    assert match.deviations == (("short", "list"),)


def test_srw_precision_of_a_short_page_is_divided_by_k() -> None:
    run, qrels = listed("a", "b", "c"), {"q": {"a": 1.0, "b": 1.0, "c": 0.0}}
    assert assay.evaluate(run, qrels, "P@10").mean() == 0.2
    assert named(run, qrels, "P@10", "0.67", "Search Relevance Workbench").kind == "tool"


def test_srw_mean_counts_queries_without_results() -> None:
    """#66: {0.8, 0.6, nothing returned} is 1.4 / 3 = 0.467, and 0.70 over the survivors."""
    five = ("a", "b", "c", "d", "e")
    run = {**listed(*five, query="q1"), **listed(*five, query="q2"), "q3": {}}
    qrels = {"q1": dict.fromkeys("abcd", 1.0), "q2": dict.fromkeys("abc", 1.0), "q3": {"a": 1.0}}
    scores = assay.evaluate(run, qrels, "P@5")
    assert scores.mean() == pytest.approx(1.4 / 3)
    assert scores.coverage[0].empty == 1
    match = named(run, qrels, "P@5", "0.70", "Search Relevance Workbench")
    assert ("queries", "nonempty") in match.deviations


def test_srw_rounding_does_not_hide_a_difference() -> None:
    """199 and 201 of 250 are 0.796 and 0.804; both round to 0.80."""
    run = listed(*(f"d{i:03}" for i in range(1, 251)))
    before, after = ({"q": {f"d{i:03}": float(i <= n) for i in range(1, 251)}} for n in (199, 201))
    means = [assay.evaluate(run, qrels, "P@250").mean() for qrels in (before, after)]
    assert means[1] - means[0] == pytest.approx(0.008)
    for qrels in (before, after):
        match = named(run, qrels, "P@250", "0.8000", "Search Relevance Workbench")
        assert ("rounding", "2") in match.deviations


def test_srw_a_document_returned_twice_cannot_lift_ndcg_above_1() -> None:
    """#191: grades 1, 1, 1 at ranks 1 to 3 from two documents: (1 + 1/log2 3 + 1/2) / (1 + 1/log2 3) = 1.3066."""
    rows = {"query_id": ["q"] * 3, "doc_id": ["a", "a", "b"], "score": [3.0, 2.0, 1.0]}
    qrels = {"q": {"a": 1.0, "b": 1.0}}
    with pytest.raises(InputError, match="document a of query q was already"):
        assay.evaluate(_frame(rows), qrels, "nDCG@10")
    assert assay.evaluate(_frame(rows), qrels, "nDCG@10", duplicates="keep-first").mean() == 1.0
    theirs = (1 + 1 / LOG3 + 1 / 2) / (1 + 1 / LOG3)
    assert f"{theirs:.2f}" == "1.31"
    match = named(_frame(rows), qrels, "nDCG@10", "1.31", "Search Relevance Workbench")
    assert ("duplicates", "twice") in match.deviations


def _frame(rows: dict[str, list[Any]]) -> Any:
    import polars as pl

    return pl.DataFrame(rows)


def test_srw_judgments_of_one_query_do_not_change_the_precision_of_another() -> None:
    """#394: relevant is at least max(highest / 2, 90th percentile) of the whole list.

    Of the grades 1, 1, 0, 0 that is max(0.5, 1) = 1; with two grades of 4 beside them max(2, 4) = 4.
    """
    run = {**listed("a", "b", "c", "d", query="A"), **listed("x", "y", query="B")}
    alone = {"A": {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0}}
    both = {**alone, "B": {"x": 4.0, "y": 4.0}}
    for qrels in (alone, both):
        assert assay.evaluate(run, qrels, "P@4").only("A").mean() == 0.5
    tool = "Search Relevance Workbench after #394"
    assert named(run, alone, "P@4", "0.50", tool, query="A").kind in ("ours", "tool")
    assert ("rel", "adaptive") in named(run, both, "P@4", "0.00", tool, query="A").deviations


def test_elasticsearch_ideal_is_not_cut_to_the_hits_returned() -> None:
    """#154362: five documents of grade 3, one returned, first: 1 / (sum of 1 / log2(r + 1) to 5) = 0.3392, not 1."""
    run, qrels = listed("d01"), grades(5, 3.0)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, 6))
    assert assay.evaluate(run, qrels, "nDCG(gain=exp)@10").mean() == pytest.approx(1 / ideal)
    assert f"{1 / ideal:.4f}" == "0.3392"
    assert named(run, qrels, "nDCG@10", "1.0000", "Elasticsearch _rank_eval").kind == "tool"
    # With a document of grade 1 returned, the best returned document is not the best judged one.
    run, qrels = listed("low"), {"q": {**qrels["q"], "low": 1.0}}
    assert f"{1 / 7:.4f}" == "0.1429"
    match = named(run, qrels, "nDCG@10", "0.1429", "Elasticsearch _rank_eval")
    assert set(match.deviations) == {("gain", "exp"), ("ideal", "hits")}


def test_elasticsearch_and_ours_agree_where_enough_is_returned() -> None:
    """All five at ranks 6 to 10: 1.5951 / 2.9485 = 0.541."""
    run, qrels = listed(*(f"u{i}" for i in range(5)), *(f"d0{i}" for i in range(1, 6))), grades(5, 3.0)
    weights = [1 / math.log2(rank + 1) for rank in range(1, 11)]
    expected = sum(weights[5:]) / sum(weights[:5])
    assert assay.evaluate(run, qrels, "nDCG(gain=exp)@10").mean() == pytest.approx(expected)
    assert f"{expected:.3f}" == "0.541"


def test_rre_ndcg_stays_at_1_with_more_than_ten_relevant_documents() -> None:
    """#71: an ideal of too few documents gave values above 1."""
    assert assay.evaluate(TEN, grades(11, 1.0), "nDCG@10").mean() == 1.0
    assert assay.evaluate(TEN, grades(40, 3.0), "nDCG(gain=exp)@10").mean() == 1.0


def test_rre_gains_are_not_cut_to_two_decimals() -> None:
    """Grades 1, 3, 2: (1 + 7/log2 3 + 3/2) / (7 + 3/log2 3 + 1/2) = 0.7364; RRE (1 + 4.41 + 1.50) / 9.39, cut: 0.73."""
    run, qrels = listed("a", "b", "c"), {"q": {"a": 1.0, "b": 3.0, "c": 2.0}}
    expected = (1 + 7 / LOG3 + 3 / 2) / (7 + 3 / LOG3 + 1 / 2)
    assert assay.evaluate(run, qrels, "nDCG(gain=exp)@10").mean() == pytest.approx(expected)
    assert f"{expected:.4f}" == "0.7364"
    assert math.floor(100 * (1 + 4.41 + 1.5) / (7 + 1.89 + 0.5)) == 73
    assert named(run, qrels, "nDCG@10", "0.7300", "Rated Ranking Evaluator").kind == "tool"


def test_phoenix_relevant_documents_that_were_not_retrieved_count() -> None:
    """One relevant document first, four more not retrieved: 1 / 2.9485 = 0.3392, where the returned list gives 1."""
    run, qrels = listed("d01", "u"), grades(5, 1.0)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, 6))
    assert assay.evaluate(run, qrels, "nDCG@10").mean() == pytest.approx(1 / ideal)
    assert assay.evaluate(run, qrels, "R@10").mean() == 1 / 5
    match = named(run, qrels, "nDCG@10", "1.0000", "Phoenix")
    assert match.deviations == (("ideal", "returned"),)


def test_phoenix_precision_takes_the_first_ranks_whatever_the_order_of_the_rows() -> None:
    qrels = {"q": {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0}}
    rows: dict[str, list[Any]] = {"query_id": ["q"] * 4, "doc_id": ["a", "b", "c", "d"], "rank": [1, 2, 3, 4]}
    turned = {name: values[::-1] for name, values in rows.items()}
    for frame in (rows, turned):
        assert assay.evaluate(_frame(frame), qrels, "P@2").mean() == 1.0


@pytest.mark.parametrize("first", ["q1", "q2"])
def test_pyvespa_mixed_judgments_keep_every_measure_whichever_query_comes_first(first: str) -> None:
    """Grade 1 alone in one query, 1 and 3 in the other: RR of q1 1/2, nDCG of q2 (1 + 3/log2 3) / (3 + 1/log2 3)."""
    run = {**listed("u", "a", query="q1"), **listed("x", "y", query="q2")}
    qrels = {"q1": {"a": 1.0}, "q2": {"x": 1.0, "y": 3.0}}
    order = [first, *(query for query in qrels if query != first)]
    scores = assay.evaluate(run, {query: qrels[query] for query in order}, "RR nDCG R@2 P@2")
    assert scores.only("q1").mean("RR") == 1 / 2
    assert scores.only("q2").mean("nDCG") == pytest.approx((1 + 3 / LOG3) / (3 + 1 / LOG3))
    assert scores.mean("R@2") == 1.0
    assert scores.mean("P@2") == (1 / 2 + 1) / 2


def test_quaerite_two_systems_on_the_same_queries_are_compared_in_pairs() -> None:
    """Values spread from 0.1 to 0.9; the candidate is a little better in every one. Unpaired, that is nothing."""
    rng = np.random.default_rng(7)
    many = 30
    before, after, qrels = {}, {}, {}
    for q in range(many):
        relevant = int(rng.integers(1, 9))
        docs = [f"d{i}" for i in range(10)]
        before[f"q{q:02}"] = {doc: float(10 - i) for i, doc in enumerate(docs)}
        after[f"q{q:02}"] = {**{doc: float(10 - i) for i, doc in enumerate(docs[:9])}, "new": 1.0}
        qrels[f"q{q:02}"] = {**{doc: float(i < relevant) for i, doc in enumerate(docs)}, "new": 1.0}
    found = assay.compare({"before": before, "after": after}, qrels=qrels, measures="P@10")
    values = [assay.evaluate(run, qrels, "P@10").value() for run in (before, after)]
    unpaired = float(stats.ttest_ind(*values).pvalue)
    assert unpaired > 0.05
    paired = found.difference().p
    assert paired is not None
    assert paired < 0.001


def test_promptfoo_a_context_without_anything_relevant_fails() -> None:
    """#5164: relevant / relevant is always 1."""
    qrels = {"q": {"a": 1.0, "b": 0.0, "c": 0.0}}
    assert assay.evaluate(listed("b", "c"), qrels, "ContextPrecision(form=plain)@2").mean() == 0
    assert assay.evaluate(listed("a", "c"), qrels, "ContextPrecision(form=plain)@2").mean() == 1 / 2


def test_ragas_an_empty_context_is_worth_nothing_and_the_same_input_gives_the_same_value() -> None:
    """#583: an empty context once scored 1, and values changed from run to run."""
    run = {**listed("a", query="q1"), "q2": {}}
    qrels = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0}}
    first = assay.evaluate(run, qrels, "R@5 ContextPrecision@5")
    assert first.only("q2").mean("R@5") == 0
    assert first.only("q2").mean("ContextPrecision@5") == 0
    assert first.only("q1").mean("R@5") == 1 / 2
    again = assay.evaluate(run, qrels, "R@5 ContextPrecision@5")
    assert again.values.tobytes() == first.values.tobytes()


CELLS = (  # document, position, impressions, clicks: of 1,000 impressions 400 are clicked at 1, and 100 at 2
    (0, 1, 10, 6), (1, 1, 990, 394), (0, 2, 90, 25), (1, 2, 910, 75),
)  # fmt: skip


def test_srw_a_pair_shown_at_several_ranks_is_charged_at_each_of_them() -> None:
    """It was charged at its best rank: 31 clicks / (100 x 0.4) = 0.775."""
    found = coec(*(np.array(column) for column in zip(*CELLS, strict=True)))
    assert found[0] == pytest.approx(31 / (10 * 0.4 + 90 * 0.1))  # 2.385
    assert found[0] == pytest.approx(2.385, abs=5e-4)


def test_srw_the_last_rank_has_a_click_rate_when_positions_count_from_1() -> None:
    """Its table of ranks ended before the last one, so that a document seen there alone was rated 0."""
    cells = [(document, position, 100.0, 10.0) for document, position in ((0, 1), (1, 2), (2, 3), (3, 3))]
    found = coec(*(np.array(column) for column in zip(*cells, strict=True)))
    assert found.tolist() == [1.0, 1.0, 1.0, 1.0]
