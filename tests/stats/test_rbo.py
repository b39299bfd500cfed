"""Rank-biased overlap: stored reference values, bounds by lists that are really extended, ties by every order."""

from __future__ import annotations

import json
import os
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.rbo import Order, TieRule, rbo, shared_by_depth

SHARED = Path(os.environ.get("ASSAY_SHARED") or Path(__file__).resolve().parents[3] / "shared")


def plain(docs: Any) -> Order:
    return Order.of_groups([[doc] for doc in docs])


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    path = SHARED / "golden" / "stats" / "rank_correlation.json"
    return json.loads(path.read_text("utf-8"))["rbo"]  # type: ignore[no-any-return] # a JSON object


@pytest.mark.shared
@pytest.mark.parametrize("p", ["0.8", "0.9"])
def test_the_reference_value_without_ties(golden: dict[str, Any], p: str):
    got = rbo(plain(golden["S"]), plain(golden["T"]), float(p)).value
    assert got == pytest.approx(golden["ext_no_ties"][p], abs=1e-12)


@pytest.mark.shared
def test_the_reference_values_of_lists_that_are_cut(golden: dict[str, Any]):
    cut = golden["truncated_5"]
    got = rbo(plain(cut["S"]), plain(cut["T"]), 0.9)
    assert got.value == pytest.approx(cut["p0.9_ext"], abs=1e-12)
    assert got.low == pytest.approx(cut["p0.9_min"], abs=1e-12)
    assert got.high == pytest.approx(cut["p0.9_max"], abs=1e-12)
    assert got.residual == pytest.approx(cut["p0.9_max"] - cut["p0.9_min"], abs=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("p", ["0.8", "0.9"])
@pytest.mark.parametrize(("rule", "key"), [("a", "a_expected_over_tie_orders"), ("b", "b"), ("w", "w")])
def test_the_reference_values_with_ties(golden: dict[str, Any], p: str, rule: TieRule, key: str):
    tied = golden["tied"]
    got = rbo(Order.of_groups(tied["S_groups"]), Order.of_groups(tied["T_groups"]), float(p), rule).value
    assert got == pytest.approx(tied[f"p{p}"][key], abs=1e-12)


def test_a_value_that_a_calculator_gives():
    # A_1 = 0, A_2 = 2/2, A_3 = 2/3: 0.5 (0 + 0.5 × 1 + 0.25 × 2/3) + 0.125 × 2/3
    got = rbo(plain("xyz"), plain("yxw"), 0.5).value
    assert got == pytest.approx(0.5 * (0.5 + 0.25 * 2 / 3) + 0.125 * 2 / 3, abs=1e-15)


def series(a: list[str], b: list[str], p: float, depth: int = 700) -> float:
    """The plain definition over lists that go on for long."""
    seen_a, seen_b = set[str](), set[str]()
    total = 0.0
    for d in range(1, depth + 1):
        seen_a.add(a[d - 1] if d <= len(a) else f"only-a-{d}")
        seen_b.add(b[d - 1] if d <= len(b) else f"only-b-{d}")
        total += (1 - p) * p ** (d - 1) * len(seen_a & seen_b) / d
    return total


LISTS = st.permutations(list("abcdefgh")).flatmap(lambda order: st.integers(1, 8).map(lambda n: list(order[:n])))


@given(LISTS, LISTS, st.sampled_from([0.3, 0.8, 0.9]))
def test_the_bounds_are_reached_by_lists_that_go_on(a: list[str], b: list[str], p: float):
    got = rbo(plain(a), plain(b), p)
    assert got.low == pytest.approx(series(a, b, p), abs=1e-9)
    more = [f"both-{i}" for i in range(700)]
    best_a = a + [doc for doc in b if doc not in a] + more
    best_b = b + [doc for doc in a if doc not in b] + more
    assert got.high == pytest.approx(series(best_a, best_b, p), abs=1e-9)
    assert 0 <= got.low <= got.high <= 1
    assert got.low - 1e-12 <= got.value <= got.high + 1e-12


GROUPS = (
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=4)
    .map(
        lambda found: [
            [str(x) for x in dict.fromkeys(group) if x not in {y for before in found[:i] for y in before}]
            for i, group in enumerate(found)
        ]
    )
    .map(lambda found: [group for group in found if group])
)


@given(GROUPS, GROUPS)
def test_ties_are_the_mean_over_all_orders(a: list[list[str]], b: list[list[str]]):
    def orders(groups: list[list[str]]) -> list[list[str]]:
        return [[doc for part in parts for doc in part] for parts in product(*(permutations(g) for g in groups))]

    one, other = orders(a)[:40], orders(b)
    if len(orders(a)) > 40 or len(other) > 40:
        return
    every = [shared_by_depth(plain(x), plain(y)) for x in one for y in other]
    np.testing.assert_allclose(
        shared_by_depth(Order.of_groups(a), Order.of_groups(b)), np.mean(every, axis=0), rtol=0, atol=1e-12
    )
    mean = np.mean([rbo(plain(x), plain(y), 0.8).value for x in one for y in other])
    assert rbo(Order.of_groups(a), Order.of_groups(b), 0.8).value == pytest.approx(mean, abs=1e-12)


@given(GROUPS, GROUPS, st.sampled_from(["a", "w", "b"]), st.floats(0.05, 0.98))
def test_it_is_a_share_symmetric_and_1_for_a_list_and_itself(
    a: list[list[str]], b: list[list[str]], rule: TieRule, p: float
):
    one, other = Order.of_groups(a), Order.of_groups(b)
    got = rbo(one, other, p, rule).value
    assert 0 <= got <= 1
    assert got == pytest.approx(rbo(other, one, p, rule).value, abs=1e-12)
    if rule != "a" or all(len(group) == 1 for group in a):
        assert rbo(one, one, p, rule).value == pytest.approx(1.0, abs=1e-12)


def test_lists_with_nothing_in_common_are_0():
    got = rbo(plain("abc"), plain("xyz"))
    assert got.value == got.low == 0.0


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5, 2.0])
def test_p_is_between_0_and_1(p: float):
    with pytest.raises(ValueError, match="is not between 0 and 1"):
        rbo(plain("a"), plain("a"), p)
