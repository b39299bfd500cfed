"""The randomisation test: the three ways to its p agree with one another, with brute force and with scipy."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.stats import randomisation as module
from assay.stats.intervals import clopper_pearson
from assay.stats.randomisation import randomisation
from assay.stats.signs import every_sign, lattice_steps, query_keys, random_signs, signed_sums, whole


def ids(n):
    return [f"q{at}" for at in range(n)]


def alone(d, **options):
    (found,) = randomisation(np.array(d, dtype=np.float64)[None], ids(len(d)), 0, **options)
    return found


def brute(d):
    sums = [sum(s * v for s, v in zip(signs, d, strict=True)) for signs in product((1, -1), repeat=len(d))]
    return np.mean([abs(s) >= abs(sum(d)) - 1e-9 * sum(abs(v) for v in d) for s in sums])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1, 1).map(lambda v: round(v, 3)), min_size=1, max_size=10))
def test_the_exact_p_is_the_count_of_all_patterns(d):
    assert alone(d).p == brute(d)


def test_four_tenths_that_do_not_sum_to_zero_in_floats_have_p_one():
    assert sum([0.1, 0.1, 0.1, -0.3]) != 0
    assert alone([0.1, 0.1, 0.1, -0.3]).p == 1


def test_up_to_twenty_differences_are_counted_and_agree_with_scipy():
    d = np.random.default_rng(1).normal(0.2, 1, 16)
    theirs = stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=100_000, vectorized=True)
    assert alone(d).p == pytest.approx(theirs.pvalue, abs=1e-12)
    twenty = alone(np.append(d, [0.1, -0.2, 0.3, 0.07]))
    assert (twenty.method, twenty.patterns, twenty.resolution) == ("exact", 2**20, 2**-19)


def test_a_lattice_of_any_size_is_added_up_exactly():
    rng = np.random.default_rng(2)
    d = rng.integers(-3, 4, 24) / 10
    d[np.flatnonzero(d == 0)] = 0.1
    found = alone(d)
    assert found.method == "lattice"
    assert found.count is None
    ways = {0: 1}  # in whole numbers, one difference at a time
    for step in np.rint(d * 10).astype(int).tolist():
        wider = {}
        for total, count in ways.items():
            for to in (total + step, total - step):
                wider[to] = wider.get(to, 0) + count
        ways = wider
    observed = abs(round(float(d.sum()) * 10))
    assert found.p == pytest.approx(sum(c for s, c in ways.items() if abs(s) >= observed) / 2**24, rel=1e-12)


def test_a_large_lattice_loses_nothing_to_what_is_left_out():
    rng = np.random.default_rng(3)
    d = rng.integers(-5, 6, 3000).astype(np.float64)
    steps = np.rint(d[d != 0]).astype(np.int64)
    ways = np.ones(1)  # every coin by itself, nothing left out
    for size in np.abs(steps).tolist():
        ways = np.concatenate([ways, np.zeros(size)]) + np.concatenate([np.zeros(size), ways])
        ways /= 2
    sums = 2 * np.arange(len(ways)) - np.abs(steps).sum()
    wanted = ways[np.abs(sums) >= abs(steps.sum())].sum()
    assert alone(d / 10).p == pytest.approx(wanted, rel=1e-11)


def test_all_wins_on_a_lattice_have_the_smallest_p_there_is():
    found = alone([0.1] * 60)
    assert found.p == pytest.approx(2**-59, rel=1e-12)
    assert found.resolution == 2**-59
    assert 0 < alone([0.1] * 3000).p < 1e-25  # what was left out counts as reaching: never 0


@pytest.mark.parametrize(
    ("values", "steps"),
    [([0.1, -0.3], 10), ([1, -2, 0], 1), ([0.5, 1 / 3], 6), ([0.123, 0.5], 1000), ([np.sqrt(0.5)], None), ([0.0], 1)],
)
def test_a_lattice_is_found_by_its_steps(values, steps):
    assert lattice_steps(np.array(values, dtype=np.float64)) == steps


def test_drawn_patterns_agree_with_counted_ones_within_their_interval(monkeypatch):
    d = np.random.default_rng(4).normal(0.25, 1, 18)
    exact = alone(d)
    monkeypatch.setattr(module, "EXACT", 0)
    drawn = alone(d, at=())
    assert (exact.method, drawn.method) == ("exact", "monte-carlo")
    assert drawn.low <= exact.p <= drawn.high
    assert (drawn.low, drawn.high) == clopper_pearson(drawn.count, 100_000, 0.99)
    assert drawn.p == (drawn.count + 1) / 100_001
    assert drawn.resolution == 1 / 100_001


def test_ties_in_drawn_sums_count_as_reaching(monkeypatch):
    d = np.random.default_rng(6).integers(-4, 5, 200) / 10 + 0.0
    exact = alone(d)
    monkeypatch.setattr(module, "LATTICE_WORK", 0)
    drawn = alone(d, at=())
    assert (exact.method, drawn.method) == ("lattice", "monte-carlo")
    low, high = clopper_pearson(drawn.count, 100_000, 0.9999)
    assert low <= exact.p <= high  # without the ties it would be lower by their share, 0.035


def test_a_p_near_the_level_is_drawn_a_million_times():
    d = np.random.default_rng(0).normal(0, 1, 40)
    plain = alone(d, at=())
    assert plain.patterns == 100_000
    assert plain.at is None
    near = alone(d, at=(plain.p,))
    assert near.patterns == 1_000_000
    assert near.at in (None, plain.p)
    far = alone(d, at=(plain.p + 0.05,))
    assert (far.patterns, far.p) == (100_000, plain.p)


def test_a_p_at_the_level_is_said_to_be_at_it():
    d = np.random.default_rng(0).normal(0, 1, 40)
    million = alone(d, flips=1_000_000, at=())
    assert alone(d, at=(million.p,)) == replace(million, at=million.p)  # the first 100,000 are among the million


def test_one_sided_is_half_of_two_sided_for_the_better_and_never_small_for_the_worse():
    d = np.abs(np.random.default_rng(1).normal(0, 1, 12))
    better, worse = alone(d), alone(-d)
    assert better.p_greater == better.p / 2
    assert worse.p_greater == 1 - worse.p / 2


def test_no_column_and_no_order_changes_another_columns_p():
    rng = np.random.default_rng(7)
    columns = rng.normal(0, 1, (5, 60))
    columns[2, 10:] = rng.integers(-5, 6, 50) / 10
    columns[3, :20] = np.nan
    queries = ids(60)
    plain = randomisation(columns, queries, 3, 5000)
    turned = randomisation(columns[::-1], queries, 3, 5000)[::-1]
    assert plain == turned
    assert plain == tuple(randomisation(columns[[at]], queries, 3, 5000)[0] for at in range(5))
    order = rng.permutation(60)
    shuffled = randomisation(columns[:, order], [queries[at] for at in order], 3, 5000)
    assert plain == shuffled
    assert plain != randomisation(columns, queries, 4, 5000)


def test_a_query_without_a_pair_anywhere_is_as_if_it_were_not_there():
    columns = np.random.default_rng(9).normal(0, 1, (2, 40))
    wider = np.hstack([columns, np.full((2, 3), np.nan)])
    assert randomisation(columns, ids(40), 0, 2000) == randomisation(wider, ids(43), 0, 2000)


def test_the_number_of_threads_changes_no_p():
    program = (
        "import numpy as np; from assay.stats.randomisation import randomisation;"
        "from assay.stats.max_t import all_pairs;"
        "d = np.random.default_rng(0).normal(0, 1, (70, 700)); q = [str(i) for i in range(700)];"
        "print([t.count for t in randomisation(d, q, 5, 3000, at=())]);"
        "print(all_pairs(d[:12], q, 5, 3000).tests.adjusted.tolist())"
    )
    out = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "OPENBLAS_NUM_THREADS": n},
            capture_output=True, text=True, check=True,
        ).stdout
        for n in ("1", "2")
    }  # fmt: skip
    assert len(out) == 1


def test_whole_numbers_keep_the_sums_exact_in_any_order():
    d = np.random.default_rng(1).normal(0, 1e-3, (3, 5000))
    numbers, scale = whole(d)
    assert (numbers == np.rint(numbers)).all()
    assert np.abs(numbers).sum(axis=1).max() < 2**52
    assert np.abs(numbers / scale - d).max() < 1e-12 * np.abs(d).sum(axis=1).min()
    assert (numbers.sum(axis=1) == numbers[:, ::-1].sum(axis=1)).all()


def test_signs_are_fair_and_belong_to_their_query():
    keys = query_keys(ids(300), 0)
    bits = random_signs(keys, 6400).bits(0, 6400)
    assert set(np.unique(bits)) == {0, 1}
    means = bits.mean(axis=1)
    assert abs(means - 0.5).max() < 5 * 0.5 / 80
    together = np.corrcoef(bits.astype(np.float64)) - np.eye(300)
    assert abs(together).max() < 5.5 / 80  # the largest of 44,850
    assert (random_signs(keys[::-1].copy(), 6400).bits(0, 6400)[::-1] == bits).all()
    assert (random_signs(keys, 6400).bits(100, 900) == bits[:, 100:900]).all()
    assert (random_signs(query_keys(ids(300), 1), 640).bits(0, 640) != bits[:, :640]).mean() == pytest.approx(
        0.5, abs=0.01
    )


def test_signed_sums_are_those_of_the_signs():
    numbers = np.random.default_rng(2).integers(-9, 10, (120, 37)).astype(np.float64)
    for signs, start in (
        (random_signs(query_keys(ids(37), 1), 9000), 0),
        (random_signs(query_keys(ids(37), 1), 777), 333),
    ):
        wanted = numbers @ (2.0 * signs.bits(start, signs.count) - 1)
        found = np.hstack([block.copy() for block in signed_sums(numbers, signs, start)])
        assert (found == wanted).all()
    few = numbers[:, :6]
    every = np.hstack([block.copy() for block in signed_sums(few, every_sign(6))])
    assert sorted(every[0].tolist()) == sorted(
        sum(s * v for s, v in zip(p, few[0], strict=True)) for p in product((1, -1), repeat=6)
    )
