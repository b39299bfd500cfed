"""Corrections of families against R's and statsmodels' golden values and scipy."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.stats.multiple import benjamini_hochberg, flips_needed, holm, why_left_out

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=30).map(np.array)


@pytest.mark.shared
def test_holm_and_benjamini_hochberg_are_the_golden_ones(shared):
    case = json.loads((shared / "golden" / "stats" / "paired.json").read_text())["families"]
    p = np.array(case["p"])
    assert holm(p) == pytest.approx(case["holm"], abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(case["benjamini_hochberg"], abs=1e-12)


@given(SHARES)
def test_benjamini_hochberg_is_scipys(p):
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p), abs=1e-12)


@given(SHARES)
def test_holm_rejects_what_the_textbook_steps_reject(p):
    rejected = np.zeros(len(p), dtype=bool)
    for step, at in enumerate(np.argsort(p, kind="stable")):
        if p[at] * (len(p) - step) > 0.05:
            break
        rejected[at] = True
    assert ((holm(p) <= 0.05) == rejected).all()


@given(SHARES, st.randoms())
def test_order_changes_no_adjusted_p_and_it_lies_between_p_and_bonferroni(p, random):
    order = np.array(random.sample(range(len(p)), len(p)))
    for adjust in (holm, benjamini_hochberg):
        assert (adjust(p)[order] == adjust(p[order])).all()
        assert (adjust(p) >= p - 1e-15).all()
        assert (adjust(p) <= np.minimum(1, len(p) * p) + 1e-12).all()


def test_absent_hypotheses_take_no_part():
    assert np.array_equal(holm(np.array([0.02, np.nan, 0.01])), [0.02, np.nan, 0.02], equal_nan=True)
    assert np.array_equal(benjamini_hochberg(np.array([np.nan])), [np.nan], equal_nan=True)


def test_holm_needs_ten_flips_for_each_part_of_its_first_step():
    assert flips_needed(1225) == 245_000
    assert flips_needed(50) == 10_000
    assert flips_needed(3, 0.1) == 300


def test_columns_that_are_left_out_say_why():
    d = np.zeros((4, 30))
    d[0, :12] = 0.1
    d[1, :9] = -0.1
    d[2, :] = 0.1
    d[2, 6:] = np.nan
    d[3, :10] = 1e-10
    assert why_left_out(d) == (
        "", "9 nonzero differences, below 10", "6 queries, below 25", "0 nonzero differences, below 10",
    )  # fmt: skip
