"""Shares of documents that come by query: by hand, against Clopper-Pearson, and how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.compare.shares import grouped_check, share_check
from assay.stats.clustered import clustered_share
from assay.stats.intervals import clopper_pearson


def test_three_groups_by_hand() -> None:
    """Share 6/9; z = (-1, 0, 1)/9, variance 3/2 x 2/81 = 1/27, independent (2/9)/8 = 1/36: a design effect of 4/3."""
    found = clustered_share(np.array([1.0, 2, 3]), np.array([3.0, 3, 3]), 0.9)
    assert found is not None
    worth = 9 * 3 / 4 * (1.8595480375 / 2.9199855804) ** 2  # t at 95 % with 8 and 2 degrees of freedom, from a table
    assert found.effective_n == pytest.approx(worth, rel=1e-9)
    count = worth * 2 / 3
    assert found.low == pytest.approx(float(stats.beta(count, worth - count + 1).ppf(0.05)), rel=1e-9)
    assert found.high == pytest.approx(float(stats.beta(count + 1, worth - count).ppf(0.95)), rel=1e-9)
    assert (found.share, found.n, found.groups) == (pytest.approx(2 / 3), 9, 3)


@pytest.mark.parametrize(("count", "n"), [(7, 40), (0, 12), (12, 12), (1, 2)])
def test_groups_of_one_are_clopper_pearson(count: int, n: int) -> None:
    found = clustered_share(np.r_[np.ones(count), np.zeros(n - count)], np.ones(n))
    assert found is not None
    assert found.effective_n == pytest.approx(n)
    assert (found.low, found.high) == pytest.approx(clopper_pearson(count, n), abs=1e-12)


def test_documents_of_a_query_that_are_all_alike_are_worth_about_one() -> None:
    found = clustered_share(np.r_[np.full(30, 10.0), np.zeros(20)], np.full(50, 10.0), 0.9)
    assert found is not None
    assert 45 < found.effective_n < 52
    plain = clopper_pearson(300, 500, 0.9)
    assert found.low < plain[0] < plain[1] < found.high


def test_where_all_are_judged_each_query_is_worth_one() -> None:
    found = clustered_share(np.full(50, 10.0), np.full(50, 10.0), 0.9)
    assert found is not None
    assert (found.effective_n, found.high) == (50, 1.0)
    assert found.low == pytest.approx(0.05 ** (1 / 50))


def test_groups_of_none_are_left_out_and_nothing_is_not_known() -> None:
    assert clustered_share(np.zeros(3), np.zeros(3)) is None
    with_empty = clustered_share(np.array([2.0, 0, 1]), np.array([4.0, 0, 4]))
    assert with_empty == clustered_share(np.array([2.0, 1]), np.array([4.0, 4]))
    one = clustered_share(np.array([2.0]), np.array([10.0]))
    assert one is not None
    assert (one.effective_n, one.groups) == (1.0, 1)


def test_it_holds_the_share_of_all_queries_in_90_percent_of_samples_and_the_plain_one_does_not() -> None:
    """50 queries of 10 documents whose judged share varies like Beta(4, 1): 2,000 samples, limit 3 standard errors."""
    rng, held, plainly = np.random.default_rng(20261130), 0, 0
    for _ in range(2000):
        counts = rng.binomial(10, rng.beta(4, 1, 50)).astype(np.float64)
        found = clustered_share(counts, np.full(50, 10.0), 0.9)
        assert found is not None
        held += found.low <= 0.8 <= found.high
        low, high = clopper_pearson(int(counts.sum()), 500, 0.9)
        plainly += low <= 0.8 <= high
    error = np.sqrt(0.09 / 2000)
    assert held / 2000 >= 0.9 - 3 * error
    assert plainly / 2000 < 0.9 - 3 * error


def test_a_check_by_query_says_what_the_documents_are_worth() -> None:
    judged, shown = np.r_[np.full(45, 10.0), np.zeros(5)], np.full(50, 10.0)
    check = grouped_check("Judged@10, new", "at least", 0.85, judged, shown, "shown documents")
    assert check.because == (
        "Judged@10, new may not be at least 0.85: 450 of 500 shown documents of 50 queries, worth 47 independent ones"
    )
    assert share_check("Judged@10, new", "at least", 0.85, 450, 500, "shown documents").status == "PASS"
    assert (check.status, check.n, check.observed) == ("INCONCLUSIVE", 500, 0.9)
    whole = grouped_check("Judged@10, new", "at least", 1.0, shown, shown, "shown documents")
    assert whole.status == "PASS"
    assert grouped_check("share", "at most", 0.5, np.zeros(0), np.zeros(0), "labels").status == "INCONCLUSIVE"
