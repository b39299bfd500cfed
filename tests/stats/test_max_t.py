"""Step-down max-T against multtest's values, a plain loop over all patterns, and its own laws."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.max_t import all_pairs, critical_t, max_t
from assay.stats.paired import t_test
from assay.stats.randomisation import randomisation


def ids(n):
    return [f"q{at}" for at in range(n)]


def columns_of(rows):
    return np.array([[np.nan if v is None else v for v in row] for row in rows]).T


@pytest.fixture
def golden(shared):
    return json.loads((shared / "golden" / "stats" / "paired.json").read_text())["max_t"]


def check(found, wanted):
    assert np.abs(found.statistic) == pytest.approx(wanted["statistic"], abs=1e-12)
    assert found.p == pytest.approx(wanted["raw_p"], abs=1e-12)
    assert found.adjusted == pytest.approx(wanted["step_down"], abs=1e-12)
    assert found.single_step == pytest.approx(wanted["single_step"], abs=1e-12)
    assert (found.exact, found.patterns, found.seed) == (True, 1024, None)


@pytest.mark.shared
def test_studentised_max_t_is_that_of_multtest(golden):
    found = max_t(columns_of(golden["differences"]), ids(10), 0)
    check(found, golden["studentised"])
    assert found.adjusted == pytest.approx(golden["multtest_mt.maxT"]["adjp"], abs=1e-12)


@pytest.mark.shared
def test_the_maximum_of_the_means_themselves_is_the_golden_one(golden):
    check(max_t(columns_of(golden["differences"]), ids(10), 0, studentised=False), golden["unstudentised"])


@pytest.mark.shared
def test_segments_of_different_size_compare_by_t(golden):
    case = golden["with_segments"]
    check(max_t(columns_of(case["differences"]), ids(10), 0), case["studentised"])


def plainly(columns, alternative):
    """Adjusted p by a loop over all patterns, t by its textbook formula."""

    def t(column):
        d = column[~np.isnan(column)]
        if not d.any():
            return 0.0
        if np.ptp(d) < 1e-12:
            return np.copysign(np.inf, d[0])
        return d.mean() / (d.std(ddof=1) / np.sqrt(len(d)))

    side = {"two-sided": abs, "greater": lambda v: v, "less": lambda v: -v}[alternative]
    observed = np.array([side(t(column)) for column in columns])
    order = np.argsort(-observed, kind="stable")
    counts = np.zeros(len(columns))
    patterns = list(product((1, -1), repeat=columns.shape[1]))
    for signs in patterns:
        flipped = np.array([side(t(column * signs)) for column in columns])
        for place, at in enumerate(order):
            counts[at] += flipped[order[place:]].max() >= observed[at] - 1e-7 * max(1, abs(observed[at]))
    out = counts / len(patterns)
    out[order] = np.maximum.accumulate(out[order])
    return out


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.lists(st.integers(-20, 20), min_size=6, max_size=6), min_size=1, max_size=4),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.booleans(),
)
def test_the_adjusted_p_is_that_of_a_loop_over_all_patterns(rows, alternative, holes):
    columns = np.array(rows, dtype=np.float64) / 37
    if holes:
        columns[0, :3] = np.nan
    found = max_t(columns, ids(6), 0, alternative=alternative)
    assert found.adjusted == pytest.approx(plainly(columns, alternative), abs=1e-12)


def test_a_column_of_zeros_is_never_significant_and_one_query_is_not_tested():
    columns = np.random.default_rng(0).normal(0, 1, (4, 60))
    columns[1] = 0
    columns[2, 1:] = np.nan
    found = max_t(columns, ids(60), 0, 2000)
    assert (found.statistic[1], found.adjusted[1]) == (0, 1)
    assert np.isnan([found.statistic[2], found.p[2], found.adjusted[2]]).all()
    assert found.statistic[0] == pytest.approx(t_test(columns[0]).t, rel=1e-12)
    assert (found.patterns, found.exact, found.seed) == (2000, False, 0)


def test_nothing_but_columns_that_cannot_be_tested():
    assert np.isnan(max_t(np.full((2, 5), np.nan), ids(5), 0).adjusted).all()


@pytest.mark.parametrize("studentised", [True, False])
def test_no_order_of_columns_or_queries_changes_a_p(studentised):
    rng = np.random.default_rng(1)
    columns = rng.normal(0.2, 1, (70, 45))
    columns[3, :10] = np.nan
    plain = max_t(columns, ids(45), 2, 3000, studentised=studentised)
    turned, mixed = rng.permutation(70), rng.permutation(45)
    other = max_t(columns[turned][:, mixed], [f"q{at}" for at in mixed], 2, 3000, studentised=studentised)
    assert (plain.adjusted[turned] == other.adjusted).all()
    assert (plain.p[turned] == other.p).all()
    assert (plain.single_step[turned] == other.single_step).all()


def test_one_column_has_the_p_of_the_randomisation_test():
    d = np.random.default_rng(3).normal(0.3, 1, (1, 50))
    (alone,) = randomisation(d, ids(50), 7, 20_000, at=())
    for studentised in (True, False):
        found = max_t(d, ids(50), 7, 20_000, studentised=studentised)
        assert found.p[0] == found.adjusted[0] == alone.p


def test_the_unadjusted_p_is_that_of_the_randomisation_test_in_every_column():
    columns = np.random.default_rng(4).normal(0.1, 1, (6, 40))
    found = max_t(columns, ids(40), 1, 5000)
    assert found.p.tolist() == [p.p for p in randomisation(columns, ids(40), 1, 5000, at=())]
    assert (found.adjusted >= found.p).all()
    assert (found.single_step >= found.adjusted).all()


def test_a_noisy_column_does_not_rule_the_studentised_maximum():
    rng = np.random.default_rng(5)
    columns = np.vstack([0.05 + 0.05 * rng.normal(size=60), rng.normal(0, 5, (20, 60))])
    assert max_t(columns, ids(60), 0, 2000).adjusted[0] < 0.01
    assert max_t(columns, ids(60), 0, 2000, studentised=False).adjusted[0] > 0.9


@pytest.mark.parametrize("studentised", [True, False])
@pytest.mark.parametrize("kind", ["continuous", "lattice"])
def test_all_pairs_from_one_product_are_those_of_the_differences(kind, studentised):
    rng = np.random.default_rng(6)
    scores = rng.random((7, 60)) + 0.1 * np.arange(7)[:, None]
    if kind == "lattice":
        scores = np.rint(scores * 5) / 10
    found = all_pairs(scores, ids(60), 3, 4000, studentised=studentised)
    columns = scores[found.second] - scores[found.first]
    plain = max_t(columns, ids(60), 3, 4000, studentised=studentised)
    assert len(found.first) == 21
    assert found.tests.adjusted.tolist() == plain.adjusted.tolist()
    assert found.tests.p.tolist() == plain.p.tolist()
    assert found.tests.statistic == pytest.approx(plain.statistic, rel=1e-9)


def test_all_pairs_with_undefined_values_are_over_the_queries_that_both_have():
    scores = np.random.default_rng(7).random((4, 50))
    scores[:, 49] = np.nan  # undefined for all: as if it were not there
    plain = all_pairs(scores, ids(50), 0, 1000)
    assert plain.tests.adjusted.tolist() == all_pairs(scores[:, :49], ids(49), 0, 1000).tests.adjusted.tolist()
    scores[2, :5] = np.nan
    holes = all_pairs(scores, ids(50), 0, 1000)
    wanted = t_test(scores[2, 5:49] - scores[0, 5:49]).t
    assert holes.tests.statistic[(holes.first == 0) & (holes.second == 2)] == pytest.approx(wanted, rel=1e-9)


def test_simultaneous_intervals_of_one_column_are_about_those_of_t():
    d = np.random.default_rng(8).normal(0, 1, (1, 200))
    assert critical_t(d, ids(200), 0, 50_000) == pytest.approx(1.972, abs=0.05)
    assert critical_t(d, ids(200), 0, 50_000, alternative="greater") == pytest.approx(1.653, abs=0.05)


def test_simultaneous_intervals_of_independent_columns_are_about_those_of_sidak():
    d = np.random.default_rng(9).normal(0, 1, (20, 400))
    assert critical_t(d, ids(400), 0, 20_000) == pytest.approx(3.04, abs=0.06)  # Phi^-1((1 + .95^(1/20)) / 2) = 3.016
    assert critical_t(np.vstack([d[:1]] * 20), ids(400), 0, 20_000) == pytest.approx(1.966, abs=0.05)


def test_there_is_no_simultaneous_interval_without_a_spread():
    assert critical_t(np.full((2, 30), 0.1), ids(30), 0, 1000) is None
