"""From attraction to grades: calibration, cuts, what stays without a grade, agreement; by hand."""

from __future__ import annotations

import numpy as np
import pytest

from assay.clicks.grading import Cuts, agreement, calibrate, cross_validated, cuts_of, folds, graded
from assay.errors import InputError, NotEnoughEvidence

NO_ERROR = np.zeros(4)
RISING = np.array([0.1, 0.2, 0.3, 0.4])


def test_a_cut_lies_between_the_attractions_where_the_fit_passes_the_middle():
    assert calibrate(RISING, NO_ERROR, np.array([0.0, 0.0, 1.0, 1.0])) == Cuts((0.0, 1.0), (0.25,))


def test_what_falls_is_pooled():
    # 0, 1, 0, 1 pools to 0, 1/2, 1/2, 1: the middle is reached between 0.1 and 0.2
    assert calibrate(RISING, NO_ERROR, np.array([0.0, 1.0, 0.0, 1.0])).at == pytest.approx((0.15,))


def test_an_uncertain_attraction_weighs_less():
    # weights 1, 1, 1 / (1 + 3), 1: pooled 1 and 0 give 1 / 1.25 = 0.8; equal weights would give 1/2
    spread = RISING.std()
    unsure = np.array([0, 0, 3**0.5 * spread, 0])
    # a middle at 0.6 tells 0.8 from 1/2
    three = (0.0, 1.2)
    assert calibrate(RISING, unsure, np.array([0.0, 1.0, 0.0, 1.2]), three).at == pytest.approx((0.15,))
    assert calibrate(RISING, NO_ERROR, np.array([0.0, 1.0, 0.0, 1.2]), three).at == pytest.approx((0.35,))


def test_a_grade_that_no_attraction_reaches_is_never_given():
    cuts = calibrate(RISING, NO_ERROR, np.array([0.0, 0.0, 1.0, 1.0]), (0.0, 1.0, 2.0))
    assert cuts.at == (0.25, np.inf)
    assert cuts.place(np.array([0.2, 0.9])).tolist() == [0, 1]


def test_an_interval_over_more_than_one_cut_stays_without_a_grade():
    cuts = cuts_of([0.1, 0.3, 0.5])
    value, low, high = np.array([[0.05, 0.0, 0.09], [0.2, 0.05, 0.29], [0.2, 0.05, 0.31], [0.6, 0.2, np.inf],
                                 [np.nan, np.nan, np.nan], [0.1, 0.1, 0.1]]).T  # fmt: skip
    assert graded(cuts, value, low, high).tolist() == [0, 1, -1, -1, -1, 1]


def test_an_interval_over_the_only_cut_says_nothing():
    found = graded(cuts_of([0.2]), np.array([0.3, 0.3]), np.array([0.1, 0.25]), np.array([0.4, 0.4]))
    assert found.tolist() == [-1, 1]


@pytest.mark.parametrize("cuts", [[], [0.0], [0.2, 0.2], [0.3, 0.1], [float("nan")], [float("inf")]])
def test_cuts_rise(cuts):
    with pytest.raises(InputError, match="not rising numbers above 0"):
        cuts_of(cuts)


def test_no_cut_lies_above_a_chance():
    assert cuts_of([0.5, 1.0]).at == (0.5, 1.0)
    with pytest.raises(InputError, match="attraction is a chance"):
        cuts_of([0.5, 1.01])


def test_agreement_by_hand():
    human, clicks = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, -1])
    found = agreement(human, clicks, np.array([0, 0, 1, 1, 2]), 2)
    assert (found.pairs, found.judged, found.queries, found.table) == (4, 5, 2, ((2, 0), (1, 1)))
    assert found.equal == 0.75
    assert found.kappa == pytest.approx(0.5)  # 1 - 0.25 / 0.5: chance differs in (2 * 1 + 2 * 3) / 16 of pairs
    assert found.guess == 0.5
    assert found.low < 0.75 < found.high
    assert agreement(human, np.full(5, -1), np.zeros(5, np.int64), 2) is None


def test_a_calibration_needs_two_grades_and_ten_queries():
    with pytest.raises(NotEnoughEvidence, match="one grade or one attraction"):
        calibrate(RISING, NO_ERROR, np.ones(4))
    some = np.linspace(0.1, 0.9, 9)
    with pytest.raises(NotEnoughEvidence, match="9 queries"):
        cross_validated(some, some, some, some, some, np.arange(9), list("abcdefghi"), (0.0, 1.0))


def test_folds_are_of_equal_size_and_do_not_depend_on_others():
    names = [f"q{i}" for i in range(23)]
    found = folds(names)
    assert sorted(np.bincount(found).tolist()) == [4, 4, 5, 5, 5]
    assert folds(names[::-1]).tolist() == found[::-1].tolist()


def test_a_perfect_order_is_found_in_queries_that_were_not_looked_at():
    query = np.repeat(np.arange(20), 4)
    value = np.tile([0.1, 0.2, 0.5, 0.6], 20) + query * 1e-4
    grade = np.tile([0.0, 0.0, 1.0, 1.0], 20)
    tight = np.full(80, 1e-3)
    found = cross_validated(value, tight, value - tight, value + tight, grade, query, [f"q{i}" for i in range(20)],
                            (0.0, 1.0))  # fmt: skip
    assert (found.pairs, found.equal, found.kappa) == (80, 1.0, 1.0)
