"""Weighted means by the design of the sample, against R's survey package and by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import assay
from assay.compare.asked import Asked
from assay.compare.comparison import WeightedDifference
from assay.errors import InputError
from assay.flows.compare import compared
from assay.flows.sampled import Design, sampled, spelt
from assay.flows.workbench import Workbench
from assay.kept import dump, load
from assay.measures.measure import Measure
from assay.measures.scores import Coverage, Part, Scores
from assay.report.machine import to_machine
from assay.tables import Block, Topic

NDCG = Measure("nDCG") @ 10


def scores_of(values: Any) -> Scores:
    """A baseline of zeros and a run with these values."""
    y = np.asarray(values, np.float64)
    array = np.array([np.zeros_like(y), y])[:, None, :]
    array[0, 0, np.isnan(y)] = np.nan
    return Scores(
        runs=("old", "new"),
        measures=(NDCG,),
        queries=tuple(f"q{i:03d}" for i in range(len(y))),
        values=array,
        judged=np.full(array.shape, np.nan),
        coverage=(Coverage(len(y), len(y)),) * 2,
    )


def topics_of(scores: Scores, **columns: Any) -> Block:
    frame = pl.DataFrame({"query_id": list(scores.queries), **{k: list(v) for k, v in columns.items()}})
    return Workbench().table(frame, Topic, name="topics")


def weighed(scores: Scores) -> WeightedDifference:
    found = compared(scores, "old", False, Asked()).difference().weighted
    assert found is not None
    return found


def interval_of(mean: float, se: float, df: float) -> tuple[float, float]:
    half = float(stats.t.ppf(0.975, df)) * se
    return pytest.approx((mean - half, mean + half), abs=1e-9)  # type: ignore[return-value] # compares as it


@pytest.fixture
def golden(shared: Path) -> Any:
    return json.loads((shared / "golden" / "stats" / "weights.json").read_text())


@pytest.mark.shared
def test_a_stratified_difference_and_mean_are_those_of_r(golden: Any) -> None:
    case = golden["stratified"]
    plain = scores_of(case["value"])
    design = Design("stratified", "layer", case["traffic_share"])
    scores = sampled(plain, topics_of(plain, layer=case["stratum"]), design)
    found = weighed(scores)
    assert found.difference == pytest.approx(case["mean"], abs=1e-12)
    assert found.interval is not None
    assert tuple(found.interval) == interval_of(case["mean"], case["se"], case["satterthwaite_df"])
    assert (found.estimator, found.target) == ("stratified", "shares")
    assert scores.mean(NDCG, "new", weighted=True) == pytest.approx(case["mean"], abs=1e-12)
    assert tuple(scores.interval(NDCG, "new", weighted=True) or ()) == tuple(found.interval)
    finite = sampled(plain, topics_of(plain, layer=case["stratum"]), replace(design, sizes=case["queries_in_stratum"]))
    df = case["satterthwaite_df"]
    ours = weighed(finite).interval
    assert ours is not None
    assert ours.high - ours.low < found.interval.high - found.interval.low
    half = (ours.high - ours.low) / 2
    assert half / case["se_with_fpc"] == pytest.approx(float(stats.t.ppf(0.975, df)), rel=0.05)


@pytest.mark.shared
@pytest.mark.parametrize(("weighting", "key"), [(None, "hajek"), ("horvitz-thompson", "horvitz_thompson")])
def test_queries_drawn_by_their_chances_give_the_traffic_mean_of_r(
    golden: Any, weighting: str | None, key: str
) -> None:
    case, drawn = golden["pps_without_replacement_poisson"], golden["pps_with_replacement"]
    at = case["selected"]
    traffic = [drawn["traffic"][i] for i in at]
    plain = replace(scores_of([drawn["value"][i] for i in at]), weights=np.array(traffic, np.float64))
    topics = topics_of(plain, weight=traffic, inclusion=[case["inclusion"][i] for i in at])
    total = float(sum(drawn["traffic"])) if weighting else None
    found = weighed(sampled(plain, topics, Design(weighting, total=total)))
    mean = case[f"traffic_mean_{key}"]
    se = case["ht_se_poisson" if weighting else "hajek_se_with_replacement_formula"]
    assert found.difference == pytest.approx(mean, abs=1e-12)
    assert found.interval is not None
    assert tuple(found.interval) == interval_of(mean, se, len(at) - 1)
    assert (found.estimator, found.target) == (weighting or "hajek", "traffic")


def test_head_gains_and_the_tail_pays_by_the_shares_of_the_strata() -> None:
    """+4 % on the head, -12 % on the tail; the tail is 20 % of the test queries and 40 % of the traffic."""
    plain = scores_of([0.04] * 80 + [-0.12] * 20)
    topics = topics_of(plain, stratum=["head"] * 80 + ["tail"] * 20)
    made = compared(sampled(plain, topics, Design("stratified", shares="head=0.6, tail=0.4")), "old", False, Asked())
    found = made.difference()
    assert found.difference == pytest.approx(0.008)
    assert found.weighted is not None
    assert found.weighted.difference == pytest.approx(-0.024)
    assert found.weighted.interval is None
    assert found.weighted.why == "all values of each stratum are equal"
    assert made.says[0].code == "weights-disagree"
    assert made.says[0].text == "nDCG@10 +0.0080 over queries, but −0.0240 by the shares of the strata"


def test_in_a_segment_the_shares_are_not_known_and_its_queries_keep_their_weights() -> None:
    """Two strata of 30 and 10 queries with shares 1/2 and 1/2; a segment of 10 from each weighs them 1 : 3."""
    rng = np.random.default_rng(0)
    y = rng.random(40)
    plain = scores_of(y)
    half = [*range(10), *range(30, 40)]
    part = plain.only([plain.queries[i] for i in half])
    plain = replace(plain, parts=(Part("kind", "some", part),), _cache={})
    topics = topics_of(plain, stratum=["a"] * 30 + ["b"] * 10)
    made = compared(sampled(plain, topics, Design("stratified", shares={"a": 1, "b": 1})), "old", False, Asked())
    whole, some = made.difference().weighted, made.segments[0].differences[0].weighted
    assert whole is not None
    assert some is not None
    assert whole.difference == pytest.approx((y[:30].mean() + y[30:].mean()) / 2, abs=1e-12)
    assert some.difference == pytest.approx((y[:10].sum() + 3 * y[30:].sum()) / 40, abs=1e-12)
    assert (some.estimator, made.segments[0].traffic) == ("hajek", pytest.approx(10 / 60 + 1 / 2))


def test_p_of_a_weighted_difference_flips_the_signs_of_what_queries_count() -> None:
    rng = np.random.default_rng(1)
    d, w = rng.normal(0.05, 0.1, 12), rng.integers(1, 50, 12).astype(float)
    plain = replace(scores_of(d), weights=w)
    found = weighed(sampled(plain, topics_of(plain, weight=w), Design("traffic")))
    want = stats.permutation_test(
        (w * d,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert found.p == pytest.approx(float(want.pvalue), abs=1e-12)
    scaled = replace(scores_of(d), weights=w * 1e-9)
    assert weighed(sampled(scaled, topics_of(scaled, weight=w), Design())).p == found.p
    assert (found.estimator, found.target) == ("traffic", "traffic")


def test_horvitz_thompson_has_no_value_where_a_sampled_query_has_none() -> None:
    plain = scores_of([0.1, np.nan, *[0.3] * 30])
    topics = topics_of(plain, inclusion=[0.5] * 32)
    found = weighed(sampled(plain, topics, Design("horvitz-thompson", total=64)))
    assert (found.difference, found.interval) == (None, None)
    assert found.why == "1 sampled query has no value, and the known total counts them"
    known = scores_of([0.1, *[0.3] * 30])
    ours = weighed(sampled(known, topics_of(known, inclusion=[0.5] * 31), Design("horvitz-thompson", total=64)))
    assert ours.difference == pytest.approx((0.1 + 30 * 0.3) / 0.5 / 64)
    assert ours.target == "query"


def test_a_design_is_kept_with_the_scores() -> None:
    plain = scores_of(np.random.default_rng(2).random(40))
    topics = topics_of(plain, stratum=["a"] * 20 + ["b"] * 20)
    scores = sampled(plain, topics, Design("stratified", shares="a=3,b=1", sizes="a=100,b=200"))
    again = load(dump(scores))
    assert again.mean(NDCG, "new", weighted=True) == scores.mean(NDCG, "new", weighted=True)
    assert again.interval(NDCG, "new", weighted=True) == scores.interval(NDCG, "new", weighted=True)
    assert any("stratified by stratum (a 75 %, b 25 %)" in note.text for note in scores.notes)


def test_evaluate_takes_the_design_as_compare_does() -> None:
    qrels = {f"q{i}": {"a": 1.0, "b": 0.0} for i in range(30)}
    run = {q: {"a": 1.0, "b": 2.0} if i < 10 else {"a": 2.0, "b": 1.0} for i, q in enumerate(qrels)}
    topics = pl.DataFrame({"query_id": list(qrels), "kind": ["head"] * 10 + ["tail"] * 20, "inclusion": [0.5] * 30})
    scores = assay.evaluate(
        run, qrels, "RR", topics=topics, weighting="stratified", strata="kind", shares={"head": 0.9, "tail": 0.1}
    )
    assert scores.mean(weighted=True) == pytest.approx(0.9 * 0.5 + 0.1 * 1)
    assert assay.evaluate(run, qrels, "RR", topics=topics).mean(weighted=True) == pytest.approx(25 / 30)


@pytest.mark.parametrize(
    ("design", "columns", "text"),
    [
        ({"weighting": "stratifed"}, {}, "did you mean stratified"),
        ({"weighting": "stratified"}, {}, "needs the share of each stratum"),
        ({"shares": "a=1"}, {}, "--shares tells the weighting stratified, which was not asked for"),
        ({"total": 5.0}, {}, "--total tells the weighting horvitz-thompson"),
        ({"weighting": "horvitz-thompson"}, {}, "divides by the traffic of all queries"),
        ({"weighting": "horvitz-thompson", "total": -1.0}, {}, "divides by the traffic of all queries"),
        ({"weighting": "traffic"}, {}, "--weighting traffic needs a column weight in the topics"),
        ({"weighting": "hajek"}, {}, "--weighting hajek needs a column inclusion in the topics"),
        (
            {"weighting": "stratified", "shares": "a=1"},
            {"strata": "ab"},
            "column stratum that tells the strata; did",
        ),
        ({"weighting": "stratified", "shares": "a=x"}, {"stratum": "ab"}, "is not a number of 0 or more"),
        ({"weighting": "stratified", "shares": "a=nan"}, {"stratum": "ab"}, "is not a number of 0 or more"),
        ({"weighting": "stratified", "shares": "a"}, {"stratum": "ab"}, "is not a number of 0 or more"),
        ({"weighting": "stratified", "shares": "a=0,b=0"}, {"stratum": "ab"}, "adds up to nothing"),
        ({"weighting": "stratified", "shares": "a=1"}, {"stratum": "ab"}, "the share of the stratum b is not known"),
        ({"weighting": "stratified", "shares": "head=1"}, {"stratum": ["heads", "tail"]}, "did you mean heads"),
        (
            {"weighting": "stratified", "shares": "a=1,b=1", "sizes": "a=0,b=3"},
            {"stratum": "ab"},
            "the stratum a has 0 queries in all, and 1 of them are judged",
        ),
        (
            {"weighting": "hajek"},
            {"inclusion": [0.5, None]},
            "1 judged query has no chance of being drawn (inclusion): q001",
        ),
        (
            {"weighting": "stratified", "shares": "a=1"},
            {"stratum": ["a", None]},
            "1 judged query has no stratum (column stratum): q001",
        ),
        ({"weighting": "hajek"}, {"inclusion": [0.5, 1.5]}, "the chance 1.5 of query q001 to be drawn is not between"),
    ],
)
def test_a_design_that_cannot_be_is_refused(design: dict[str, Any], columns: dict[str, Any], text: str) -> None:
    plain = scores_of([0.1, 0.2])
    with pytest.raises(InputError) as caught:
        sampled(plain, topics_of(plain, **columns), Design(**design))
    assert text in str(caught.value)


def test_a_weighting_without_topics_is_refused_and_no_weighting_changes_nothing() -> None:
    plain = scores_of([0.1, 0.2])
    with pytest.raises(InputError, match="--weighting hajek needs a topics table"):
        sampled(plain, None, Design("hajek"))
    assert sampled(plain, None, Design()) is plain
    assert sampled(plain, topics_of(plain), Design()) is plain


def test_a_query_of_unknown_chance_leaves_no_weighted_mean_and_is_named() -> None:
    plain = scores_of([0.1, 0.2, np.nan, 0.3])
    made = sampled(plain, topics_of(plain, inclusion=[0.5, None, None, 0.5]), Design())
    assert made.weights is None
    (note,) = made.notes
    assert (note.level, note.count) == ("warning", 1)  # the third has no value and counts in no mean
    assert note.text == "1 judged query has no chance of being drawn (inclusion): no weighted mean"
    assert compared(made, "old", False, Asked()).difference().weighted is None


def test_horvitz_thompson_refuses_a_query_of_unknown_traffic() -> None:
    plain = replace(scores_of([0.1, 0.2]), weights=np.array([3.0, np.nan]))
    topics = topics_of(plain, weight=[3.0, None], inclusion=[0.5, 0.5])
    with pytest.raises(InputError, match="1 judged query has no weight, and the known total counts them: q001"):
        sampled(plain, topics, Design("horvitz-thompson", total=20))
    assert weighed(sampled(plain, topics, Design())).difference == pytest.approx(0.1)


def test_shares_may_hold_an_equals_sign_in_their_names() -> None:
    assert spelt("kind=head=0.5, tail = 2", "shares") == {"kind=head": 0.5, "tail": 2.0}


@pytest.mark.shared
def test_json_of_evaluate_gives_the_interval_of_the_stratified_mean_of_r(golden: Any) -> None:
    case = golden["stratified"]
    plain = scores_of(case["value"])
    scores = sampled(
        plain, topics_of(plain, stratum=case["stratum"]), Design("stratified", shares=case["traffic_share"])
    )
    line = next(line for line in json.loads(to_machine(scores, "json"))["summary"] if line["run"] == "new")
    ends = interval_of(case["mean"], case["se"], case["satterthwaite_df"])
    assert (line["weighted_low"], line["weighted_high"]) == ends
    assert line["weighted"] == pytest.approx(case["mean"], abs=1e-12)
