from __future__ import annotations

import json
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.agreement import (
    Level,
    Ratings,
    Weights,
    alpha,
    disagreement,
    fleiss,
    fleiss_sums,
    gwet,
    gwet_sums,
    kappa,
    never_varied,
    percent,
)
from assay.stats.dawid_skene import dawid_skene

WEIGHTS: tuple[Weights, ...] = ("plain", "linear", "quadratic")
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def ratings(rows: list[list[int | None]], k: int = 4, query: list[int] | None = None) -> Ratings:
    """One list a rater, one place an item; None where the rater said nothing."""
    said = [(i, r, x) for r, row in enumerate(rows) for i, x in enumerate(row) if x is not None]
    item, rater, code = np.array(said, dtype=np.int64).reshape(-1, 3).T
    of_query = np.arange(len(rows[0])) if query is None else np.array(query)
    return Ratings(item, rater, code, of_query, np.arange(k, dtype=np.float64))


def table(a: list[int], b: list[int], k: int = 4) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return ratings([[*a], [*b]], k).table(0, 1).sum(axis=0)


@pytest.mark.shared
def test_every_coefficient_is_that_of_the_reference_programs(shared: Path) -> None:
    golden = json.loads((shared / "golden/stats/agreement.json").read_text())
    query = golden["query_of_item"]
    whole, missing = (ratings(golden[f"ratings_{name}"], 4, query) for name in ("complete", "missing"))
    between = whole.table(0, 1).sum(axis=0)
    for weights in WEIGHTS:
        assert kappa(between, weights) == pytest.approx(golden["kappa_raters_1_2"][weights], abs=1e-12)
    for grade in (1, 2, 3):
        two = whole.at_least(grade).table(0, 1).sum(axis=0)
        assert kappa(two) == pytest.approx(golden["kappa_raters_1_2"][f"boundary_ge_{grade}"], abs=1e-12)
    sums = fleiss_sums(whole)
    assert sums is not None
    assert fleiss(sums.sums.sum(axis=0)) == pytest.approx(golden["fleiss_complete"], abs=1e-12)
    assert fleiss_sums(missing) is None
    together = missing.coincidences.sum(axis=0)
    for level in LEVELS:
        assert alpha(together, missing.grades, level) == pytest.approx(golden["krippendorff_missing"][level], abs=1e-12)
    names = {"plain": "AC1", "linear": "AC2_linear", "quadratic": "AC2_quadratic"}
    for held, part in ((whole, "ratings_complete"), (missing, "ratings_missing")):
        for weights in WEIGHTS:
            expected = golden["gwet_irrCAC_0.4.4"][f"{part}:{names[weights]}"]["value"]
            assert gwet(gwet_sums(held, weights).sum(axis=0), weights) == pytest.approx(expected, abs=1e-8)


@pytest.mark.shared
def test_dawid_and_skene_end_where_two_other_programs_end(shared: Path) -> None:
    golden = json.loads((shared / "golden/stats/agreement.json").read_text())
    held, expected = ratings(golden["ratings_missing"]), golden["dawid_skene"]
    found = dawid_skene(held.item, held.rater, held.code, 60, 4)
    assert found.converged
    assert found.prior == pytest.approx(np.array(expected["prior"]), abs=1e-9)
    assert found.posterior.argmax(axis=1).tolist() == expected["posterior_argmax"]
    assert found.posterior[:10] == pytest.approx(np.array(expected["posterior_first_ten"]), abs=1e-9)


def test_dawid_and_skene_trust_whoever_is_right_more_often() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 600)
    right = (0.95, 0.9, 0.55, 0.1)  # the last swaps the labels
    rows = [np.where(rng.random(600) < share, truth, 1 - truth).tolist() for share in right]
    held = ratings(rows, 2)
    found = dawid_skene(held.item, held.rater, held.code, 600, 2)
    votes = (held.counts.argmax(axis=1) == truth).mean()
    assert (found.posterior.argmax(axis=1) == truth).mean() > max(votes, 0.95)
    diagonal = np.diagonal(found.confusion, axis1=1, axis2=2).mean(axis=1)
    assert diagonal == pytest.approx(np.array(right), abs=0.06)
    assert found.swapped == [3]


def test_a_grade_that_nobody_gave_still_counts_in_the_weights() -> None:
    a, b = [0, 1, 0, 1, 3], [0, 1, 1, 1, 3]
    # observed: one step of 1; expected by hand: (2,2,0,1) x (1,3,0,1) over squared steps is 55, of 5 items
    assert kappa(table(a, b), "quadratic") == pytest.approx(1 - 1 / (55 / 5))
    squeezed = table([0, 1, 0, 1, 2], [0, 1, 1, 1, 2], 3)
    assert kappa(squeezed, "quadratic") == pytest.approx(0.8)


def test_one_rater_who_never_varies_gives_exactly_nothing() -> None:
    one = table([1, 1, 1, 1], [0, 1, 1, 2])
    assert [float(kappa(one, weights)) for weights in WEIGHTS] == [0.0, 0.0, 0.0]
    assert never_varied(one) == (True, False)


def test_where_both_always_say_the_same_nothing_is_defined() -> None:
    both = ratings([[1, 1, 1], [1, 1, 1]])
    assert np.isnan(kappa(both.table(0, 1).sum(axis=0)))
    assert all(np.isnan(alpha(both.coincidences.sum(axis=0), both.grades, level)) for level in LEVELS)
    assert all(np.isnan(gwet(gwet_sums(both, weights).sum(axis=0), weights)) for weights in WEIGHTS)
    assert percent(both.coincidences.sum(axis=0)) == 1.0


@pytest.mark.shared
def test_the_edges_are_those_of_the_reference_programs(shared: Path) -> None:
    edges = json.loads((shared / "golden/stats/agreement.json").read_text())["edges"]
    still, same = edges["constant_rater"], edges["both_constant_same"]
    assert kappa(table(still["a"], still["b"])) == still["kappa"]
    both = ratings([same["a"], same["b"]])
    assert (same["kappa"], same["alpha"], same["AC1"]) == (None, None, None)
    assert np.isnan(kappa(both.table(0, 1).sum(axis=0)))
    assert np.isnan(alpha(both.coincidences.sum(axis=0), both.grades))
    assert np.isnan(gwet(gwet_sums(both, "plain").sum(axis=0)))
    absent = edges["missing_level_in_data"]
    found = kappa(table(absent["a"], absent["b"]), "quadratic")
    assert found == pytest.approx(absent["quadratic_labels_0_to_3"], abs=1e-12)
    skewed = edges["skewed_paradox"]
    counts = np.array(skewed["confusion"], dtype=np.float64)
    assert (percent(counts), kappa(counts)) == pytest.approx((skewed["agreement"], skewed["kappa"]), abs=1e-12)
    a, b = (np.repeat(np.indices((2, 2))[axis].ravel(), counts.ravel().astype(int)).tolist() for axis in (0, 1))
    assert gwet(gwet_sums(ratings([a, b], 2), "plain").sum(axis=0)) == pytest.approx(skewed["AC1"], abs=1e-8)


def test_skewed_ratings_agree_and_have_no_kappa() -> None:
    skewed = table([0] * 123 + [1] * 2, [0] * 118 + [1] * 5 + [0] * 2, 2)
    assert skewed.tolist() == [[118, 5], [2, 0]]
    assert percent(skewed) == pytest.approx(0.944)
    expected = (123 * 120 + 2 * 5) / 125**2
    assert kappa(skewed) == pytest.approx((0.944 - expected) / (1 - expected))
    held = ratings([[0] * 123 + [1] * 2, [0] * 118 + [1] * 5 + [0] * 2], 2)
    q = (2 / 125 + 5 / 125) / 2
    chance = 2 * q * (1 - q)
    assert gwet(gwet_sums(held, "plain").sum(axis=0)) == pytest.approx((0.944 - chance) / (1 - chance))


GRADES = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=12)


@given(GRADES)
def test_alpha_of_two_raters_is_a_pairwise_sum(items: list[list[int]]) -> None:
    rows = [[item[r] for item in items] for r in range(3)]
    held = ratings(rows)
    every = [x for item in items for x in item]
    # straight from the definition: mean disagreement within items over mean disagreement of any two ratings
    within = np.mean([(a - b) ** 2 for item in items for a, b in combinations(item, 2)])
    anyhow = np.mean([(a - b) ** 2 for a, b in combinations(every, 2)])
    found = alpha(held.coincidences.sum(axis=0), held.grades, "interval")
    if anyhow == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(1 - within / anyhow, abs=1e-12)


@given(GRADES, st.randoms(use_true_random=False))
def test_neither_the_order_of_items_nor_that_of_raters_matters(items: list[list[int]], mixed: object) -> None:
    again = list(items)
    mixed.shuffle(again)  # type: ignore[attr-defined]
    for order in ([0, 1, 2], [2, 0, 1]):
        a, b = ratings([[item[r] for item in items] for r in range(3)]), ratings([[i[r] for i in again] for r in order])
        for level in LEVELS:
            values = [alpha(x.coincidences.sum(axis=0), x.grades, level) for x in (a, b)]
            assert values[0] == pytest.approx(values[1], abs=1e-12, nan_ok=True)
        for weights in WEIGHTS:
            values = [gwet(gwet_sums(x, weights).sum(axis=0), weights) for x in (a, b)]
            assert values[0] == pytest.approx(values[1], abs=1e-12, nan_ok=True)


@given(GRADES)
def test_nothing_is_above_one_and_only_full_agreement_is_one(items: list[list[int]]) -> None:
    held = ratings([[item[r] for item in items] for r in range(2)])
    agreed = all(item[0] == item[1] for item in items)
    values = [kappa(held.table(0, 1).sum(axis=0), weights) for weights in WEIGHTS]
    values += [alpha(held.coincidences.sum(axis=0), held.grades, level) for level in LEVELS]
    for value in values:
        if not np.isnan(value):
            assert value <= 1 + 1e-12
            assert (value > 1 - 1e-12) == agreed
    assert kappa(held.table(0, 1).sum(axis=0)) == pytest.approx(
        kappa(held.table(1, 0).sum(axis=0)), abs=1e-12, nan_ok=True
    )


def test_two_grades_leave_nothing_to_weigh() -> None:
    assert all((disagreement(2, weights) == [[0, 1], [1, 0]]).all() for weights in WEIGHTS)


def test_ordinal_distances_are_those_of_mid_ranks() -> None:
    held = ratings([[0, 0, 1, 3, 3, 2], [0, 1, 1, 3, 2, 2]])
    o = held.coincidences.sum(axis=0)
    n = o.sum(axis=0)
    cost = np.zeros((4, 4))
    for c, k in permutations(range(4), 2):
        low, high = min(c, k), max(c, k)
        cost[c, k] = (n[low : high + 1].sum() - (n[c] + n[k]) / 2) ** 2
    expected = 1 - (n.sum() - 1) * (o * cost).sum() / (np.outer(n, n) * cost).sum()
    assert alpha(o, held.grades, "ordinal") == pytest.approx(expected, abs=1e-12)
