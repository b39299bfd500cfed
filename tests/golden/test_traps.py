"""The traps: one small input, many tools, many numbers. What each tool printed is found and laid at its door.

The numbers were printed by the tools in the versions of the table (trec_eval 9.0.8 and 10.0, pytrec_eval, ir_measures
0.4.3, ranx 0.3.21, scikit-learn, torchmetrics 1.9.0, LightGBM 4.7.0, XGBoost 3.2.0, RecTools 0.19.0, RePlay 0.22.0,
recommenders 1.2.1, BEIR and MTEB from source, trectools 0.0.50), but for three that follow from what is known of the
tool: Elasticsearch (the formula of its source, and its issue 154362), RBP of ir_measures (which needs cwl-eval beside
it) and the mean over MTEB's list of hits.
"""

from __future__ import annotations

from typing import Any

import pytest

import assay

Q = "q"


def graded(shown: list[float], elsewhere: list[float] = []) -> tuple[Any, Any]:  # noqa: B006 # never changed
    """A run that shows these grades in this order without ties, and further judged documents."""
    docs = [f"d{i:02}" for i in range(len(shown))]
    run = {Q: {doc: float(len(shown) - i) for i, doc in enumerate(docs)}}
    more = {f"e{i:02}": grade for i, grade in enumerate(elsewhere)}
    return run, {Q: {**dict(zip(docs, shown, strict=True)), **more}}


GAIN = graded([3, 2, 3, 0, 1, 2])
IDEAL = graded([0, 3, 2, 0, 1], [1])
ONE_OF_FIVE = graded([3], [3, 3, 3, 3])
ONE = graded([1, 0, 0])
FIVE_OF_EIGHT = graded([1, 1, 1, 1, 1], [1, 1, 1])
TIED = ({Q: {"a": 1.0, "b": 1.0, "c": 1.0}}, {Q: {"a": 1, "b": 0, "c": 0}})
NEAR = ({Q: {"a": 0.90000000005, "b": 0.9}}, {Q: {"a": 1, "b": 0}})
NINE_TEN = ({Q: {"9": 1.0, "10": 1.0}}, {Q: {"9": 1, "10": 0}})
SHORT = graded([1, 1, 0])
FIRST_AND_SEVENTH = graded([1, 0, 0, 0, 0, 0, 1])
COVERAGE = (
    {"c1": {"a": 1.0}, "c3": {"b": 1.0}, "c9": {"z": 1.0}},
    {"c1": {"a": 1}, "c2": {"a": 1}, "c3": {"b": 0}, "c4": {"a": 1}},
)
NOTHING = ({"n1": {"b": 2.0, "a": 1.0}, "n2": {"x": 1.0}}, {"n1": {"a": 1, "b": 0}, "n2": {"x": 0}})
NEGATIVE = graded([-1, 2, 0, 1])
FRACTION = graded([0.9, 1.5, 0.5])
RBP = graded([3, 0, 1])
NO_HIT = ({"a1": {"x": 1.0}, "a2": {"y": 1.0}}, {"a1": {"x": 1}, "a2": {"z": 1}})

TRAPS: list[tuple[str, Any, str, str, str]] = [
    ("T1", GAIN, "nDCG@6", "0.9608", "trec_eval 9.0.8 ndcg_cut.6"),
    ("T1", GAIN, "nDCG@6", "0.9608", "scikit-learn"),
    ("T1", GAIN, "nDCG@6", "0.9488", "ranx 0.3.21 ndcg_burges@6"),
    ("T1", GAIN, "nDCG@6", "0.9488", "LightGBM"),
    ("T1", GAIN, "nDCG@6", "0.9488", "Elasticsearch"),
    ("T1", GAIN, "nDCG@6", "1.0000", "recommenders 1.2.1 ndcg_at_k(k=6)"),
    ("T2", IDEAL, "nDCG@5", "0.6316", "trec_eval 10.0 ndcg_cut.5"),
    ("T2", IDEAL, "nDCG@5", "0.6316", "ranx 0.3.21 ndcg@5"),
    ("T2", IDEAL, "nDCG@5", "0.6887", "scikit-learn"),
    ("T2", IDEAL, "nDCG@5", "0.6887", "torchmetrics"),
    ("T3", ONE_OF_FIVE, "nDCG@10", "0.3392", "trec_eval 9.0.8 ndcg_cut.10"),
    ("T3", ONE_OF_FIVE, "nDCG@10", "1.0000", "Elasticsearch"),
    ("T4", ONE, "nDCG@10", "0.2201", "RecTools 0.19.0 NDCG(10)"),
    ("T5", FIVE_OF_EIGHT, "nDCG@5", "1.0000", "trec_eval 9.0.8 ndcg_cut.5"),
    ("T5", FIVE_OF_EIGHT, "nDCG@5", "0.7458", "trec_eval 9.0.8 ndcg"),
    ("T6", TIED, "RR", "0.333", "trec_eval 9.0.8 recip_rank"),
    ("T6", TIED, "RR@10", "0.333", "MTEB"),
    ("T6", TIED, "RR@10", "1.000", "ir_measures 0.4.3 RR@10"),
    ("T6", TIED, "RR@10", "1.000", "ranx 0.3.21 mrr@10"),
    ("T6", TIED, "RR@10", "1.000", "BEIR"),
    ("T6", TIED, "RR@10", "0.333", "ranx from plain dicts"),
    ("T6", TIED, "nDCG@3", "0.5000", "trec_eval 9.0.8 ndcg_cut.3"),
    ("T6", TIED, "nDCG@3", "0.7103", "scikit-learn"),
    ("T6", TIED, "nDCG@3", "0.7103", "torchmetrics"),
    ("T6", TIED, "nDCG@3", "1.0000", "XGBoost"),
    ("T7", NINE_TEN, "RR", "1.0", "trec_eval 9.0.8 recip_rank"),
    ("T7", NINE_TEN, "RR@10", "0.5", "ir_measures 0.4.3 RR@10"),
    ("T8", NEAR, "RR", "0.5", "trec_eval 9.0.8 recip_rank"),
    ("T8", NEAR, "RR", "0.5", "pytrec_eval"),
    ("T8", NEAR, "RR", "1.0", "trec_eval 10.0 recip_rank"),
    ("T8", NEAR, "RR@5", "1.0", "ir_measures 0.4.3 RR@5"),
    ("T10", SHORT, "P@10", "0.200", "trec_eval 9.0.8 P.10"),
    ("T10", SHORT, "P@10", "0.667", "torchmetrics 1.9.0 RetrievalPrecision(top_k=10, adaptive_k=True)"),
    ("T10", SHORT, "P@10", "0.667", "XGBoost 3.2.0 pre@10"),
    ("T10", SHORT, "P@10", "0.667", "ranx 0.3.21 precision"),
    ("T11", FIVE_OF_EIGHT, "R@5", "0.625", "trec_eval 9.0.8 recall.5"),
    ("T11", FIVE_OF_EIGHT, "R@5", "1.000", "BEIR ef83d29 R_cap@5"),
    ("T12", FIVE_OF_EIGHT, "AP@5", "0.625", "RecTools 0.19.0 MAP(5)"),
    ("T12", FIVE_OF_EIGHT, "AP@5", "1.000", "RecTools 0.19.0 MAP(5, divide_by_k=True)"),
    ("T12", FIVE_OF_EIGHT, "AP@5", "1.000", "RePlay 0.22.0 MAP(5)"),
    ("T12", FIVE_OF_EIGHT, "AP@5", "1.000", "LightGBM 4.7.0 map@5"),
    ("T13", FIRST_AND_SEVENTH, "AP@5", "0.5", "trec_eval 9.0.8 map_cut.5"),
    ("T13", FIRST_AND_SEVENTH, "AP@5", "0.5", "XGBoost 3.2.0 map@5"),
    ("T13", FIRST_AND_SEVENTH, "AP@5", "1.0", "torchmetrics 1.9.0 RetrievalMAP(top_k=5)"),
    ("T14", ONE, "AP@10", "0.1", "RecTools 0.19.0 MAP(10, divide_by_k=True)"),
    ("T15", COVERAGE, "AP@10", "0.500", "trec_eval 9.0.8 map_cut.10"),
    ("T15", COVERAGE, "AP@10", "0.500", "BEIR ef83d29 MAP@10"),
    ("T15", COVERAGE, "AP@10", "0.250", "trec_eval -c 9.0.8 map_cut.10"),
    ("T15", COVERAGE, "AP@10", "0.250", "ir_measures 0.4.3 AP@10"),
    ("T15", COVERAGE, "RR@10", "0.250", "BEIR ef83d29 MRR@10"),
    ("T15", COVERAGE, "AP@10", "0.333", "trectools 0.0.50 get_map(depth=10)"),
    ("T16", NOTHING, "nDCG@5", "0.3155", "trec_eval 9.0.8 ndcg_cut.5"),
    ("T16", NOTHING, "nDCG@5", "0.3155", "XGBoost 3.2.0 ndcg@5-"),
    ("T16", NOTHING, "nDCG@5", "0.8155", "LightGBM 4.7.0 ndcg@5"),
    (
        "T16",
        NOTHING,
        "nDCG@5",
        "0.6309",
        "torchmetrics 1.9.0 RetrievalNormalizedDCG(top_k=5, empty_target_action='skip')",
    ),
    ("T19", NEGATIVE, "nDCG@4", "0.6433", "trec_eval 9.0.8 ndcg_cut.4"),
    ("T19", NEGATIVE, "nDCG@4", "0.3148", "torchmetrics"),
    ("T19", NEGATIVE, "Bpref", "0.50", "trec_eval 9.0.8 bpref"),
    ("T19", NEGATIVE, "Bpref", "0.25", "ranx 0.3.21 bpref"),
    ("T20", FRACTION, "nDCG@3", "0.9045", "scikit-learn"),
    ("T20", FRACTION, "nDCG@3", "0.6309", "trec_eval 9.0.8 ndcg_cut.3"),
    ("T20", FRACTION, "nDCG@3", "0.6309", "ranx 0.3.21 ndcg@3"),
    ("T21", RBP, "RBP(p=0.8)", "0.328", "ir_measures 0.4.3 RBP"),
    ("T21", RBP, "RBP(p=0.8)", "0.728", "ranx 0.3.21 rbp.80"),
    ("T22", graded([1, 3, 2]), "nDCG@3", "0.8175", "trec_eval 9.0.8 ndcg_cut.3"),
    ("T26", NO_HIT, "HitRate@1", "1.0", "MTEB a905523 accuracy_at_1"),
]


@pytest.mark.parametrize(
    ("name", "both", "measure", "value", "tool"), TRAPS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_the_number_of_the_trap_is_laid_at_the_tool(name: str, both: Any, measure: str, value: str, tool: str) -> None:
    found = assay.reconcile(*both, measure, value)
    named = [one for match in found.matches for one in match.tools]
    assert any(one == tool or one.startswith(f"{tool} ") or one.startswith(f"{tool}(") for one in named), named
