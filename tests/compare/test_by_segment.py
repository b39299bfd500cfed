"""By segment: what the total hides, weights, and whether segments differ; by R and by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.compare.asked import Asked
from assay.compare.by_segment import heterogeneity
from assay.compare.columns import columns_of
from assay.compare.comparison import Comparison
from assay.flows.compare import compared
from assay.measures.measure import Measure
from assay.measures.scores import Coverage, Part, Scores

F64 = NDArray[np.float64]
NDCG = Measure("nDCG") @ 10


def parted(parts: dict[str, F64], traffic: dict[str, float] | None = None, base: float = 0.5) -> Scores:
    """Scores of "old" and "new" whose differences in each segment are given, and each segment's share of traffic."""
    d = np.concatenate(list(parts.values()))
    queries = tuple(f"q{i:03d}" for i in range(len(d)))
    weights = None
    if traffic is not None:
        weights = np.concatenate([np.full(len(parts[name]), traffic[name] / len(parts[name])) for name in parts])
    values = np.stack([np.full(len(d), base), base + d])[:, None]
    scores = Scores(
        runs=("old", "new"), measures=(NDCG,), queries=queries, values=values, judged=np.full(values.shape, np.nan),
        coverage=(Coverage(len(d), len(d)),) * 2, weights=weights,
    )  # fmt: skip
    found, start = [], 0
    for name, own in parts.items():
        found.append(Part("segment", name, scores.only(queries[start : start + len(own)])))
        start += len(own)
    return replace(scores, parts=tuple(found), _cache={})


def made(scores: Scores) -> Comparison:
    return compared(scores, "old", False, Asked(flips=20_000))


def test_four_percent_on_head_and_minus_twelve_on_tail_is_said_first() -> None:
    """Tail is 20 % of the queries and 40 % of the traffic: 0.8 x 4 - 0.2 x 12 = +0.8, 0.6 x 4 - 0.4 x 12 = -2.4."""
    scores = parted({"head": np.full(160, 0.04), "tail": np.full(40, -0.12)}, {"head": 0.6, "tail": 0.4})
    found = made(scores)
    total = found.difference()
    assert total.difference == pytest.approx(0.008, abs=1e-12)
    assert total.weighted is not None
    assert total.weighted.difference == pytest.approx(-0.024, abs=1e-12)
    assert found.says[0].text == (
        "nDCG@10 +0.0080 over queries, but −0.0240 weighted by traffic; tail queries (40 % of traffic, 20 % of the "
        "queries) −0.1200"
    )
    assert found.says[1].code == "hides-a-loss"
    assert found.says[1].text == "the total hides a loss on tail queries (40 % of traffic)"


def test_of_a_segment_under_10_queries_wins_and_losses_alone_are_said_first() -> None:
    scores = parted({"head": np.full(36, 0.04), "tail": np.full(9, -0.12)}, {"head": 0.6, "tail": 0.4})
    assert made(scores).says[0].text == (
        "nDCG@10 +0.0080 over queries, but −0.0240 weighted by traffic; tail queries (40 % of traffic, 20 % of the "
        "queries) 0 wins, 9 losses, 0 ties"
    )


def test_a_loss_beyond_the_simultaneous_interval_is_hidden_and_a_noisy_one_may_be() -> None:
    rng = np.random.default_rng(2)
    head, tail = rng.normal(0.1, 0.05, 100), rng.normal(-0.1, 0.05, 40)
    found = made(parted({"head": head, "tail": tail}))
    assert [says.code for says in found.says[:2]] == ["hides-a-loss", "better"]
    noisy = rng.normal(0.0, 0.3, 30)
    maybe = made(parted({"head": head, "tail": noisy - noisy.mean() - 0.02}))
    assert [says.code for says in maybe.says if says.code.endswith("hide") or says.code.startswith("hides")] == [
        "may-hide"
    ]


def test_of_many_segments_that_may_lose_the_largest_losses_are_named_and_the_others_counted() -> None:
    rng = np.random.default_rng(4)
    parts = {"won": rng.normal(0.5, 0.05, 60)}
    for i in range(6):
        noise = rng.normal(0.0, 0.3, 25)
        parts[f"s{i}"] = noise - noise.mean() - 0.01 * (i + 1)  # loses 0.01 to 0.06 on average, within its noise
    told = [says.text for says in made(parted(parts)).says if says.code == "may-hide"]
    assert [text.split(" on ")[1] for text in told] == ["s5 queries", "s4 queries", "s3 queries", "3 more segments"]


def test_nothing_is_hidden_where_the_total_itself_falls() -> None:
    rng = np.random.default_rng(3)
    found = made(parted({"head": rng.normal(-0.1, 0.05, 60), "tail": rng.normal(-0.2, 0.05, 30)}))
    assert not [says for says in found.says if says.code in ("hides-a-loss", "may-hide")]


def test_simultaneous_intervals_are_wider_than_those_of_each_segment_alone() -> None:
    rng = np.random.default_rng(4)
    found = made(parted({name: rng.normal(0.02, 0.1, 40) for name in ("a", "b", "c", "d")}))
    for segment in found.segments:
        (d,) = segment.differences
        assert d.interval is not None
        assert d.simultaneous is not None
        assert d.simultaneous.low < d.interval.low < d.interval.high < d.simultaneous.high
        assert d.simultaneous.method == "max-t"


def test_a_segment_says_its_size_traffic_and_what_it_can_detect() -> None:
    rng = np.random.default_rng(5)
    scores = parted({"head": rng.normal(0, 0.1, 75), "tail": rng.normal(0, 0.1, 25)}, {"head": 0.9, "tail": 0.1})
    head, tail = made(scores).segments
    assert (len(head.queries), head.share) == (75, 0.75)
    assert head.traffic == pytest.approx(0.9)
    assert (head.differences[0].detectable or 1) < (tail.differences[0].detectable or 0)


def test_small_segments_make_no_claim_and_stay_out_of_the_family() -> None:
    rng = np.random.default_rng(6)
    found = made(parted({"head": rng.normal(0.1, 0.1, 60), "tail": rng.normal(-0.5, 0.1, 9)}))
    assert found.segment_family is not None
    assert found.segment_family.size == 1
    assert found.segment_family.left_out == (("new - old, nDCG@10, tail", "9 queries; a claim needs 25"),)
    assert found.segments[1].differences[0].outcome == "cannot tell"


@pytest.mark.shared
def test_heterogeneity_and_the_traffic_mean_are_those_of_r_and_statsmodels(shared: Path) -> None:
    golden = json.loads((shared / "golden" / "stats" / "gate_power_noise.json").read_text("utf-8"))["segments"]
    parts = {name: np.array(values) for name, values in golden["differences"].items()}
    scores = parted(parts, golden["traffic_share"])
    found = made(scores)
    (test,) = found.heterogeneity
    assert test.f == pytest.approx(golden["welch_F"], abs=1e-9)
    assert (test.df1, test.df2) == pytest.approx(tuple(golden["df"]), abs=1e-9)
    assert test.p == pytest.approx(golden["p_welch"], abs=1e-9)
    total = found.difference()
    assert total.difference == pytest.approx(golden["mean_unweighted"], abs=1e-12)
    assert total.weighted is not None
    assert total.weighted.difference == pytest.approx(golden["mean_traffic"], abs=1e-12)


def test_overlapping_segments_have_no_test_of_heterogeneity() -> None:
    scores = parted({"a": np.arange(10.0), "b": np.arange(12.0)})
    (column,) = columns_of(scores, [("old", "new")], [("", "all", np.ones(22, np.bool_))])
    found = heterogeneity(column, "segment", {"a": np.arange(10.0), "b": np.arange(12.0)}, overlap=True)
    assert (found.p, found.why) == (None, "segments share queries")
