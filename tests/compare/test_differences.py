"""Baseline against candidates: values by scipy, by hand and by what must hold for any input."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

import assay
from assay.compare.asked import Asked
from assay.compare.columns import columns_of, pairs_of
from assay.compare.comparison import Comparison, Difference
from assay.compare.correction import max_t_of
from assay.compare.differences import differences
from assay.errors import InputError
from assay.flows.compare import compared
from assay.measures.measure import Measure
from assay.measures.scores import Coverage, Scores
from assay.stats.max_t import max_t

F64 = NDArray[np.float64]
NDCG, P, RR = Measure("nDCG") @ 10, Measure("P") @ 10, Measure("RR")


def scores_of(values: dict[str, F64 | list[float]], measures: tuple[Measure, ...] = (NDCG,)) -> Scores:
    """Scores of runs given as (queries,) or (measures, queries)."""
    array = np.array([np.atleast_2d(np.asarray(v, np.float64)) for v in values.values()])
    queries = tuple(f"q{i:03d}" for i in range(array.shape[2]))
    return Scores(
        runs=tuple(values),
        measures=measures,
        queries=queries,
        values=array,
        judged=np.full(array.shape, np.nan),
        coverage=(Coverage(array.shape[2], array.shape[2]),) * len(values),
    )


def made(values: dict[str, F64 | list[float]], measures: tuple[Measure, ...] = (NDCG,), **asked: object) -> Comparison:
    return compared(scores_of(values, measures), next(iter(values)), False, Asked(**asked))  # type: ignore[arg-type] # keyword by keyword


def two(d: F64 | list[float], **asked: object) -> Difference:
    after = np.asarray(d, np.float64)
    return made({"old": np.full(len(after), 0.25), "new": after + 0.25}, (NDCG,), **asked).difference()


def normal(n: int, mean: float, seed: int = 3) -> F64:
    return np.random.default_rng(seed).normal(mean, 0.1, n)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RR", "P@5", "R@10"])
def test_core_against_core_b_is_what_scipy_and_enumeration_give(shared: Path, name: str) -> None:
    want = json.loads((shared / "golden" / "stats_core_vs_core_b.json").read_text("utf-8"))["measures"][name]
    inputs = shared / "golden" / "inputs"
    runs = {"core": str(inputs / "core.run"), "core_b": str(inputs / "core_b.run")}
    found = assay.compare(runs, str(inputs / "core.qrels"), name).difference()
    assert found.n == len(want["queries"])
    assert (found.baseline_mean, found.candidate_mean, found.difference) == pytest.approx(
        (want["mean_core"], want["mean_core_b"], want["mean_difference"]), abs=1e-10
    )
    assert [found.wins, found.losses, found.ties] == want["wins_losses_ties"]
    assert found.interval is not None
    assert [*found.interval] == pytest.approx(want["paired_t"]["ci95_of_mean_difference"], abs=1e-9)
    assert found.tests is not None
    assert found.tests.t is not None
    assert found.tests.t.p == pytest.approx(want["paired_t"]["p_two_sided"], abs=1e-9)
    assert found.tests.effect is not None
    assert found.tests.effect.d_z == pytest.approx(want["cohen_dz"], abs=1e-9)
    assert found.p == pytest.approx(want["randomization_exact"]["p_two_sided"], abs=1e-12)
    assert found.tests.sign_p == pytest.approx(want["sign_test_p_two_sided"], abs=1e-12)
    assert found.tests.wilcoxon is not None
    if not isinstance(want["wilcoxon_exact"], str):  # scipy has no exact p with ties
        assert found.tests.wilcoxon.p == pytest.approx(want["wilcoxon_exact"]["p_two_sided"], abs=1e-12)
    assert not found.claim
    assert found.outcome == "cannot tell"


@pytest.mark.shared
def test_pairs_that_are_defined_on_one_side_only_are_counted_apart(shared: Path) -> None:
    golden = json.loads((shared / "golden" / "stats" / "paired.json").read_text("utf-8"))["nan_pairs"]
    before, after = (np.array(golden[k], dtype=np.float64) for k in ("baseline", "candidate"))
    found = made({"old": before, "new": after}).difference()
    assert found.n == len(golden["pairs_used"])
    assert found.one_sided == golden["only_baseline_defined"] + golden["only_candidate_defined"]
    assert found.undefined == golden["neither"]
    assert found.difference == pytest.approx(golden["mean_difference"], abs=1e-12)
    assert found.p == golden["randomisation_exact"]["p_two_sided"]
    assert len(found.one_sided_queries) == found.one_sided


@pytest.mark.shared
def test_robust03_pairs_are_what_scipy_gives(shared: Path) -> None:
    folder = shared / "data" / "collections" / "robust03"
    facts = json.loads((folder / "facts.json").read_text("utf-8"))["paired_tests"]
    measures = {"map": "AP", "ndcg_cut_10": "nDCG@10"}
    names = list(dict.fromkeys(name for row in facts for name in (row["a"], row["b"])))
    runs = {name: str(next((folder / "runs").glob(f"{name}*"))) for name in names}
    found = assay.compare(
        runs, str(folder / "qrels.txt.gz"), ["AP", "nDCG@10"], all_pairs=True, no_relevant="zero", flips=1000
    )
    for row in facts:
        (d,) = (
            d
            for d in found.differences
            if {d.baseline, d.candidate} == {row["a"], row["b"]} and str(d.measure) == measures[row["measure"]]
        )
        sign = 1 if d.candidate == row["a"] else -1
        assert d.n == row["n"]
        assert d.difference == pytest.approx(sign * row["mean_diff"], abs=2e-4)
        wins = (d.wins, d.losses) if sign == 1 else (d.losses, d.wins)
        # trec_eval prints four decimals, so that a difference below 0.00005 looks like a tie
        assert wins == pytest.approx((row["win"], row["loss"]), abs=2)
        assert d.tests is not None
        assert d.tests.t is not None
        assert d.tests.wilcoxon is not None
        assert d.tests.t.p == pytest.approx(row["t_p"], rel=0.02)
        assert d.tests.wilcoxon.p == pytest.approx(row["wilcoxon_p"], rel=0.05)


@pytest.mark.shared
def test_robust03_tests_of_values_with_four_decimals_are_what_scipy_printed(shared: Path) -> None:
    """The facts were computed from trec_eval's output, so the values are rounded as it prints them."""
    folder = shared / "data" / "collections" / "robust03"
    facts = json.loads((folder / "facts.json").read_text("utf-8"))["paired_tests"]
    names = list(dict.fromkeys(name for row in facts for name in (row["a"], row["b"])))
    runs = {name: str(next((folder / "runs").glob(f"{name}*"))) for name in names}
    scores = assay.evaluate(
        runs, str(folder / "qrels.txt.gz"), "AP nDCG@10", compat="trec_eval-10", missing="zero", no_relevant="zero"
    )
    scores = replace(scores, values=np.round(scores.values, 4), _cache={})
    found = compared(scores, names[0], True, Asked(flips=1000))
    assert len(facts) == 8
    for row in facts:
        measure = {"map": "AP", "ndcg_cut_10": "nDCG@10"}[row["measure"]]
        (d,) = (
            d
            for d in found.differences
            if {d.baseline, d.candidate} == {row["a"], row["b"]} and str(d.measure) == measure
        )
        wins, losses = (d.wins, d.losses) if d.candidate == row["a"] else (d.losses, d.wins)
        assert (wins, losses, d.ties) == (row["win"], row["loss"], row["tie"])
        assert d.tests is not None
        assert d.tests.t is not None
        assert d.tests.wilcoxon is not None
        # six significant digits were printed; below 1e-12 the facts say 0
        assert d.tests.sign_p == pytest.approx(row["sign_p"], rel=1e-5, abs=1e-12)
        assert d.tests.t.p == pytest.approx(row["t_p"], rel=1e-5, abs=1e-12)
        # the facts rank floats as they are, so 0.1 - 0.05 and 0.3 - 0.25 are no tie: scipy gives ours once they are
        x = scores.value(d.measure, d.candidate) - scores.value(d.measure, d.baseline)
        assert scipy.stats.wilcoxon(x).pvalue == pytest.approx(row["wilcoxon_p"], rel=1e-5, abs=1e-12)
        tied = scipy.stats.wilcoxon(np.round(x, 9), correction=False, method="asymptotic").pvalue
        assert d.tests.wilcoxon.p == pytest.approx(tied, abs=1e-12)


def test_a_clear_gain_is_better_and_a_clear_loss_worse() -> None:
    d = normal(60, 0.08)
    assert two(d).outcome == "better"
    assert two(-d).outcome == "worse"
    assert two(d - d.mean()).outcome == "cannot tell"


def test_a_measure_that_is_better_when_low_turns_the_verdict_round() -> None:
    d = normal(60, 0.08)
    found = made({"old": np.full(60, 0.25), "new": d + 0.25}, (Measure("Unjudged") @ 10,)).difference()
    assert (found.outcome, found.wins > found.losses) == ("worse", True)


def test_below_25_queries_nothing_is_claimed_and_every_number_is_there() -> None:
    found = two(normal(24, 0.2))
    assert (found.claim, found.in_family, found.outcome) == (False, False, "cannot tell")
    assert found.left_out_because == "24 queries; a claim needs 25"
    assert found.p is not None
    assert found.interval is not None
    assert found.adjusted is None


def test_a_column_with_few_nonzero_differences_is_left_out_and_named() -> None:
    d = np.zeros(60)
    d[:9] = 0.2
    made_of = made({"old": np.zeros(60), "new": d})
    assert made_of.difference().because == "9 queries differ; a claim needs 10"
    assert made_of.family.left_out == (("new - old, nDCG@10", "9 queries differ; a claim needs 10"),)
    assert made_of.family.size == 0


def test_swapping_the_runs_turns_the_sign_and_keeps_p() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.random(40), rng.random(40)
    one, other = made({"a": a, "b": b}).difference(), made({"b": b, "a": a}).difference()
    assert one.difference == pytest.approx(-(other.difference or 0), abs=1e-15)
    assert (one.p, one.adjusted, one.wins, one.losses) == (other.p, other.adjusted, other.losses, other.wins)


def test_neither_the_order_of_measures_nor_of_candidates_changes_a_number() -> None:
    rng = np.random.default_rng(6)
    base, one, other = rng.random((2, 60)), rng.random((2, 60)), rng.random((2, 60))
    straight = made({"base": base, "one": one, "other": other}, (NDCG, RR))
    turned = made({"base": base[::-1], "other": other[::-1], "one": one[::-1]}, (RR, NDCG))
    for d in straight.differences:
        same = turned.difference(d.measure, d.candidate)
        assert (d.p, d.adjusted, d.difference, d.interval) == (same.p, same.adjusted, same.difference, same.interval)


def test_the_same_seed_gives_the_same_and_another_seed_hardly_moves_p() -> None:
    d = normal(60, 0.02)
    assert two(d, seed=7) == two(d, seed=7)
    assert two(d, seed=7).p == pytest.approx(two(d, seed=8).p, abs=0.01)


def test_holm_over_the_measures_multiplies_the_smallest_p_by_their_number() -> None:
    rng = np.random.default_rng(8)
    base = rng.random((3, 60))
    shift = np.array([[0.06], [0.03], [0.0]])
    found = made({"old": base, "new": base + shift + rng.normal(0, 0.1, (3, 60))}, (NDCG, P, RR))
    ps = sorted(d.p or 0 for d in found.differences)
    adjusted = sorted(d.adjusted or 0 for d in found.differences)
    by_hand = np.maximum.accumulate([min(1.0, ps[0] * 3), min(1.0, ps[1] * 2), ps[2]])
    assert adjusted == pytest.approx(list(by_hand), abs=1e-15)
    assert found.family.statement == "Holm over 3 hypotheses (3 measures)"


def test_more_than_fifty_hypotheses_take_max_t_and_the_family_says_so() -> None:
    rng = np.random.default_rng(9)
    values: dict[str, F64 | list[float]] = {f"run{i:02d}": rng.random(40) for i in range(52)}
    found = made(values, flips=2000)
    assert (found.family.correction, found.family.size) == ("max-t", 51)
    assert found.family.statement.startswith("max-T (Westfall and Young, studentised, under sign symmetry) over 51")
    assert all(d.adjusted is not None and d.adjusted >= (d.p or 0) - 0.02 for d in found.differences)


def test_holm_with_too_few_flips_is_not_resolvable_rather_than_not_significant() -> None:
    values: dict[str, F64 | list[float]] = {"old": np.zeros(60)}
    values |= {f"new{i}": normal(60, 0.2, seed=i) for i in range(60)}
    found = made(values, flips=2000, correction="holm")
    assert found.family.needed == 12_000  # ten times 60 hypotheses over 5 %
    assert not found.family.is_resolvable
    first = found.differences[0]
    assert (first.adjusted, first.outcome) == (None, "cannot tell")
    assert first.because == "not resolvable with 2,000 flips; 12,000 would do"


def test_benjamini_hochberg_and_no_correction_come_by_name() -> None:
    rng = np.random.default_rng(11)
    base = rng.random((2, 60))
    values: dict[str, F64 | list[float]] = {"old": base, "new": base + rng.normal(0.03, 0.1, (2, 60))}
    plain = made(values, (NDCG, RR), correction="none")
    assert [d.adjusted for d in plain.differences] == [d.p for d in plain.differences]
    rate = made(values, (NDCG, RR), correction="bh")
    want = scipy.stats.false_discovery_control([d.p or 0 for d in plain.differences])
    assert [d.adjusted for d in rate.differences] == pytest.approx(list(want), abs=1e-15)


def test_all_pairs_are_compared_once_each_and_the_baseline_is_no_hypothesis() -> None:
    assert pairs_of(["a", "b", "c"], "b", False) == [("b", "a"), ("b", "c")]
    assert pairs_of(["a", "b", "c"], "b", True) == [("b", "a"), ("b", "c"), ("a", "c")]


def test_all_pairs_of_many_systems_get_the_same_p_from_the_product_of_all_as_column_by_column() -> None:
    rng = np.random.default_rng(12)
    scores = scores_of({f"run{i:02d}": rng.random(40) for i in range(12)})
    pairs = pairs_of(scores.runs, "run03", True)
    columns = columns_of(scores, pairs, [("", "all", np.ones(40, np.bool_))])
    matrix, members, asked = np.array([c.d for c in columns]), np.ones(66, np.bool_), Asked(flips=2000)
    together = max_t_of(columns, matrix, members, scores.queries, asked)
    apart = max_t(matrix, scores.queries, asked.seed, asked.flips)
    assert together.adjusted == pytest.approx(apart.adjusted, abs=1e-12)
    found = compared(scores, "run03", True, asked)
    assert [d.adjusted for d in found.differences] == pytest.approx(list(apart.adjusted), abs=1e-12)
    assert found.family.statement.endswith("over 66 hypotheses (1 measure, 66 pairs of runs)")


def test_a_value_on_one_side_only_in_more_than_one_percent_makes_it_unclear() -> None:
    after = normal(60, 0.3) + 0.25
    after[0] = math.nan
    found = made({"old": np.full(60, 0.25), "new": after}).difference()
    assert found.outcome == "cannot tell"
    assert found.because == "1 query has a value on one side only, and such a loss is not random"


def test_the_interval_by_name_is_that_of_scipy_within_resampling_error() -> None:
    d = normal(80, 0.05)
    for name, scipys in (("bootstrap", "percentile"), ("bca", "BCa")):
        found = two(d, interval=name).interval
        want = scipy.stats.bootstrap(
            (d,), np.mean, n_resamples=40_000, method=scipys, rng=np.random.default_rng(1)
        ).confidence_interval
        assert found is not None
        assert [*found] == pytest.approx([want.low, want.high], abs=0.001)
        assert found.method == name


def test_equal_differences_have_no_interval_and_say_why() -> None:
    found = two([0.1] * 30)
    assert (found.interval, found.no_interval_because) == (None, "all differences are equal")
    assert found.p == pytest.approx(2 / 2**30)
    assert found.outcome == "better"


def test_a_larger_tie_changes_what_is_counted_and_no_test() -> None:
    d = normal(60, 0.02)
    plain, coarse = two(d), two(d, tie=0.05)
    assert coarse.ties == int((np.abs(d) <= 0.05).sum()) > plain.ties
    assert (plain.p, plain.nonzero) == (coarse.p, coarse.nonzero)


def test_the_largest_wins_and_losses_are_named_in_order() -> None:
    found = two([0.0, 0.1, -0.3, 0.25, -0.05, 0.1])
    assert [q.query_id for q in found.largest_wins] == ["q003", "q001", "q005"]
    assert [q.query_id for q in found.largest_losses] == ["q002", "q004"]
    assert found.largest_losses[0].difference == pytest.approx(-0.3)
    assert found.largest_losses[0].candidate == pytest.approx(-0.05)


def test_traffic_weighs_the_difference_and_the_effective_number_is_said() -> None:
    scores = replace(scores_of({"old": [0.0, 0.0], "new": [0.2, -0.1]}), weights=np.array([1.0, 3.0]))
    (found,), _ = differences(columns_of(scores, [("old", "new")], [("", "all", np.ones(2, bool))]), scores, Asked())
    assert found.weighted is not None
    assert found.weighted.difference == pytest.approx((0.2 - 0.3) / 4)
    assert found.weighted.effective_n == pytest.approx(16 / 10)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"correction": "hollm"}, "--family 'hollm' is not one of holm, max-t, bh, tukey, none; did you mean holm?"),
        ({"interval": "normal"}, "--interval 'normal' is not one of t, bootstrap, bca"),
        ({"flips": 0}, "--flips counts sign patterns and is at least 1"),
        ({"flips": "many"}, "--flips 'many' is not a whole number"),
        ({"flips": 1e5}, "--flips 100000.0 is not a whole number"),
        ({"seed": "a"}, "--seed 'a' is not a whole number"),
        ({"seed": -1}, "--seed -1 is below 0"),
        ({"zeros": "prat"}, "--wilcoxon-zeros 'prat' is not one of wilcox, pratt; did you mean pratt?"),
        ({"tie": -1.0}, "--tie -1.0 is below 0"),
        ({"tie": math.nan}, "--tie nan is no difference"),
        ({"alpha": 1.0}, "alpha 1.0 is not between 0 and 1"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_nearest(asked: dict[str, object], text: str) -> None:
    with pytest.raises(InputError) as caught:
        Asked(**asked)  # type: ignore[arg-type] # wrong on purpose
    assert text in str(caught.value)


def test_where_no_query_has_a_value_the_answer_says_so():
    """Grades of 0 alone: every value is undefined, and nothing was won, lost or tied."""
    run = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(30)}
    found = assay.compare([run, {q: {"b": 1.0} for q in run}], {q: {"a": 0, "b": 0} for q in run}, ["nDCG@10"])
    says = found.says[0]
    assert (says.code, says.text) == ("cannot-tell", "nDCG@10 has no value")
    assert says.detail == "no query has a value in both runs, as when no judged document is relevant"
