"""The randomised Tukey test against a plain count of all shuffles, and its laws."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from assay.stats.exchange import exchanged_pairs
from assay.stats.randomisation import randomisation


def ids(n):
    return [f"q{at}" for at in range(n)]


def test_few_shuffles_are_all_counted():
    scores = np.array([[1, 2, 5], [2, 2, 3], [9, 1, 4]]) / 7
    found = exchanged_pairs(scores, ids(3), 0)
    largest = []
    for shuffle in product(*(permutations(column) for column in scores.T)):
        means = np.mean(shuffle, axis=0)
        largest.append(means.max() - means.min())
    means = scores.mean(axis=1)
    wanted = [np.mean(np.array(largest) >= abs(means[b] - means[a]) - 1e-9) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert (found.exact, found.permutations, found.seed) == (True, 216, None)
    assert found.adjusted == pytest.approx(wanted, abs=1e-12)
    assert found.differences == pytest.approx([means[1] - means[0], means[2] - means[0], means[2] - means[1]])


def test_two_systems_are_the_randomisation_test():
    scores = np.random.default_rng(0).random((2, 14))
    found = exchanged_pairs(scores, ids(14), 0)
    (plain,) = randomisation(scores[1:] - scores[:1], ids(14), 0)
    assert found.exact
    assert found.adjusted[0] == pytest.approx(plain.p, abs=1e-12)


def test_no_order_of_systems_or_queries_changes_a_p():
    rng = np.random.default_rng(1)
    scores = rng.random((5, 40)) + 0.05 * np.arange(5)[:, None]
    plain = exchanged_pairs(scores, ids(40), 3, 3000)
    mixed = rng.permutation(40)
    turned = exchanged_pairs(scores[::-1][:, mixed], [f"q{at}" for at in mixed], 3, 3000)
    pairs = {(4 - b, 4 - a): p for a, b, p in zip(turned.first, turned.second, turned.adjusted, strict=True)}
    assert [pairs[a, b] for a, b in zip(plain.first, plain.second, strict=True)] == plain.adjusted.tolist()
    assert (plain.exact, plain.permutations, plain.seed) == (False, 3000, 3)
    assert plain.adjusted[(plain.first == 0) & (plain.second == 4)] == plain.adjusted.min()


def test_queries_that_a_system_lacks_are_left_out():
    scores = np.random.default_rng(2).random((3, 30))
    scores[1, 20:] = np.nan
    few = exchanged_pairs(scores[:, :20], ids(20), 0, 500)
    assert exchanged_pairs(scores, ids(30), 0, 500).adjusted.tolist() == few.adjusted.tolist()
    assert np.isnan(exchanged_pairs(np.full((3, 4), np.nan), ids(4), 0).adjusted).all()
