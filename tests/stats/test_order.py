from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.order import tau, tau_ap, top_tau

VALUES = st.lists(st.integers(0, 5), min_size=2, max_size=7)


@pytest.mark.shared
def test_taus_are_those_of_scipy_and_r(shared: Path) -> None:
    golden = json.loads((shared / "golden/stats/rank_correlation.json").read_text())
    truth, estimate, tied = golden["truth"], golden["estimate"], golden["estimate_tied"]
    assert tau(estimate, truth) == pytest.approx(golden["tau_b"], abs=1e-12)
    assert tau(tied, truth) == pytest.approx(golden["tau_b_tied"], abs=1e-12)
    both = golden["tau_AP"]
    assert tau_ap(estimate, truth) == pytest.approx(both["estimate_given_truth"], abs=1e-12)
    assert tau_ap(truth, estimate) == pytest.approx(both["truth_given_estimate"], abs=1e-12)
    assert tau_ap(tied, truth) == pytest.approx(golden["tau_AP_tied"], abs=1e-12)
    top = golden["top_4_tau_b"]
    assert top_tau(truth, estimate, 4) == pytest.approx(top["by_truth"], abs=1e-12)
    assert top_tau(estimate, truth, 4) == pytest.approx(top["by_estimate"], abs=1e-12)


@settings(deadline=None)
@given(VALUES, st.randoms())
def test_tau_is_that_of_scipy_with_ties(values: list[int], shuffled: object) -> None:
    from scipy.stats import kendalltau

    others = list(values)
    shuffled.shuffle(others)  # type: ignore[attr-defined]
    expected = kendalltau(values, others).statistic
    found = tau(values, others)
    assert found is None if np.isnan(expected) else found == pytest.approx(expected, abs=1e-12)


def by_hand(order: list[int], truth: list[float]) -> float:
    """tau_AP of one order without ties in it, by its definition."""
    total = 0.0
    for i in range(1, len(order)):
        above = [1.0 if truth[j] > truth[order[i]] else 0.5 if truth[j] == truth[order[i]] else 0.0 for j in order[:i]]
        total += sum(above) / i
    return 2 / (len(order) - 1) * total - 1


@settings(deadline=None)
@given(st.lists(st.integers(0, 2), min_size=2, max_size=6), st.randoms())
def test_tau_ap_with_ties_is_the_mean_over_their_orders(estimate: list[int], shuffled: object) -> None:
    truth = [float(x) for x in range(len(estimate))]
    shuffled.shuffle(truth)  # type: ignore[attr-defined]
    orders = [
        list(p)
        for p in permutations(range(len(estimate)))
        if sorted(estimate, reverse=True) == [estimate[i] for i in p]
    ]
    found = tau_ap(estimate, truth)
    if len(set(estimate)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(np.mean([by_hand(order, truth) for order in orders]), abs=1e-12)


def test_an_order_of_equals_says_nothing() -> None:
    assert tau([1, 1, 1], [1, 2, 3]) is None
    assert tau_ap([1, 1], [1, 2]) is None
    assert top_tau([3, 2, 1], [1, 2, 3], 2) is None


def test_an_order_upside_down_is_minus_one() -> None:
    assert tau([1, 2, 3], [3, 2, 1]) == -1
    assert tau_ap([1, 2, 3], [3, 2, 1]) == -1


@pytest.mark.shared
def test_taus_between_measures_on_robust03_are_those_of_scipy(shared: Path) -> None:
    folder = shared / "data/collections/robust03"
    facts = json.loads((folder / "facts.json").read_text())
    heads, *rows = [line.split("\t") for line in (folder / "means.tsv").read_text().splitlines()]
    means = {name: [float(row[i]) for row in rows] for i, name in enumerate(heads) if i}
    for pair, expected in facts["kendall_tau_b_between_measures"].items():
        one, other = pair.split("~")
        assert tau(means[one], means[other]) == pytest.approx(expected, abs=5e-5), pair
