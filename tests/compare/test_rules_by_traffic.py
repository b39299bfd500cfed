"""Rules that count queries by their traffic: the worked example of head and tail, and intervals by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.stats

from assay.compare.rule import Facts
from assay.compare.rules.quality import Improvement, NonInferiority
from assay.compare.unjudged import Bounds
from assay.errors import InputError
from compare.gated import NDCG, alternating, facts_of


def head_and_tail(n: int, spread: float = 0.01) -> tuple[np.ndarray, np.ndarray]:
    """+4 points on head (80 % of the queries, 60 % of the traffic), -12 on tail (20 %, 40 %)."""
    head, tail = 4 * n // 5, n // 5
    d = np.concatenate([alternating(head, 0.04, spread), alternating(tail, -0.12, spread)])
    return d, np.concatenate([np.full(head, 60 / head), np.full(tail, 40 / tail)])


def weighted(d: np.ndarray, weights: Any, **more: Any) -> Facts:
    facts = facts_of(d, **more)
    scores = replace(facts.comparison.scores, weights=np.asarray(weights, np.float64), _cache={})
    return replace(facts, comparison=replace(facts.comparison, scores=scores))


def by_hand(d: np.ndarray, w: np.ndarray) -> tuple[float, float, float]:
    """Mean and 90 % interval: variance n/(n-1) sum of (w (d - mean) / sum w)^2, t with n - 1."""
    n, share = len(d), w / w.sum()
    mean = float((share * d).sum())
    se = float(np.sqrt(n / (n - 1) * ((share * (d - mean)) ** 2).sum()))
    half = float(scipy.stats.t.ppf(0.95, n - 1)) * se
    return mean, mean - half, mean + half


def test_what_helps_most_queries_and_hurts_most_searches_passes_by_queries_and_fails_by_traffic() -> None:
    d, w = head_and_tail(400)
    by_queries = NonInferiority(measure="nDCG@10", margin=0.01).decide(weighted(d, w))
    assert by_queries.status == "PASS"
    assert by_queries.checks[0].observed == pytest.approx(0.008)
    by_traffic = NonInferiority(measure="nDCG@10", margin=0.01, weights="traffic").decide(weighted(d, w))
    (check,) = by_traffic.checks
    assert by_traffic.status == "FAIL"
    assert check.on == "nDCG@10, all by traffic"
    assert (check.observed, check.low, check.high) == pytest.approx(by_hand(d, w), abs=1e-12)
    assert check.observed == pytest.approx(-0.024)
    assert by_traffic.because.startswith("nDCG@10 by traffic lost more than 0.0100: −0.0240")


def test_a_gain_by_traffic_is_tested_with_the_weights() -> None:
    d, w = head_and_tail(400)
    assert Improvement(measure="nDCG@10", plan=0.01).decide(weighted(d, w)).status == "PASS"
    assert Improvement(measure="nDCG@10", plan=0.01, weights="traffic").decide(weighted(d, w)).status == "FAIL"
    turned = Improvement(measure="nDCG@10", plan=0.01, weights="traffic").decide(weighted(-d, w))
    assert turned.status == "PASS"
    assert turned.checks[0].observed == pytest.approx(0.024)


def test_equal_weights_are_the_plain_rule() -> None:
    d, _ = head_and_tail(400)
    plain = NonInferiority(measure="nDCG@10", margin=0.01).decide(weighted(d, np.ones(400))).checks[0]
    same = NonInferiority(measure="nDCG@10", margin=0.01, weights="traffic").decide(weighted(d, np.full(400, 7.0)))
    assert (same.checks[0].low, same.checks[0].high) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_a_few_heavy_queries_are_no_ground_for_a_claim() -> None:
    """Ten queries with almost all the traffic: (sum w)^2 / sum w^2 = 1090^2 / 100090 = 11.87."""
    w = np.concatenate([np.full(10, 100.0), np.ones(90)])
    outcome = NonInferiority(measure="nDCG@10", margin=0.5, weights="traffic").decide(
        weighted(alternating(100, 0.1, 0.01), w)
    )
    assert outcome.status == "INCONCLUSIVE"
    assert "100 queries are worth 11.9 of equal weight; a claim needs 25" in outcome.because
    assert [remedy.text for remedy in outcome.would_resolve] == [
        "gate on more queries, drawn so that none has most of the traffic, or leave weights out"
    ]


def test_queries_without_a_weight_decide_nothing_above_1_percent() -> None:
    d = alternating(300, 0.1, 0.01)
    w = np.ones(300)
    w[:3] = np.nan
    rule = NonInferiority(measure="nDCG@10", margin=0.02, weights="traffic")
    assert rule.decide(weighted(d, w)).status == "PASS"
    w[3] = np.nan
    outcome = rule.decide(weighted(d, w))
    assert "4 of 300 queries have no weight" in outcome.because
    assert outcome.would_resolve[0].text == "give every query its weight in the topics"


def test_no_traffic_at_all_is_said_with_what_to_do() -> None:
    rule = NonInferiority(measure="nDCG@10", margin=0.02, weights="traffic")
    with pytest.raises(InputError, match="the traffic of no query is known") as caught:
        rule.decide(facts_of(alternating(100, 0.1, 0.01)))
    assert "weight column" in str(caught.value.remedy)


def test_unjudged_documents_are_weighed_too() -> None:
    """One query with 12 of 111 searches could lose 0.5: its unjudged documents take 0.054 from the mean, not 0.005."""
    d, w = alternating(100, 0.05, 0.01), np.ones(100)
    low = d.copy()
    low[0] -= 0.5
    one, every = np.zeros(100), np.ones(100, np.bool_)
    open_ones = np.zeros(100, np.int64)
    open_ones[0] = 2
    bounds = Bounds(NDCG, "old", "new", 10, every, open_ones, d, one, one, one, one, low, d, low, d, every, ~every)
    facts = weighted(d, w, bounds={NDCG: bounds})
    plain = NonInferiority(measure="nDCG@10", margin=0.02).decide(facts)
    assert plain.status == "PASS"
    w[0] = 12.0  # worth 51 queries of equal weight: enough for a claim
    facts = weighted(d, w, bounds={NDCG: bounds})
    found = NonInferiority(measure="nDCG@10", margin=0.0, weights="traffic").decide(facts)
    ends = float((w * low).sum() / w.sum())
    assert found.status == "INCONCLUSIVE"
    assert f"could move the difference to −{abs(ends):.4f}" in found.because
    assert [remedy.number for remedy in found.would_resolve if remedy.kind == "labels"] == [2]
