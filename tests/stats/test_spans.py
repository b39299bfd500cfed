"""Columns of all pairs are made of a few, and what is made of them is the same."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats import signs
from assay.stats.max_t import all_pairs, max_t
from assay.stats.randomisation import randomisation
from assay.stats.signs import query_keys, random_signs, signed_sums, whole
from assay.stats.spans import spans


def ids(n):
    return [f"q{at}" for at in range(n)]


def all_differences(rng, systems=14, n=50):
    scores = rng.random((systems, n)) * rng.random(n)
    first, second = np.triu_indices(systems, 1)
    return scores, scores[second] - scores[first]


def test_all_pairs_of_systems_are_made_of_one_column_less_than_there_are_systems():
    _, columns = all_differences(np.random.default_rng(0))
    found = spans(columns, 1e-14)
    assert len(found.basis) == 13
    out = np.empty_like(columns)
    found.expand(columns[found.basis], out)
    assert np.abs(out - columns).max() < 1e-14


def test_two_measures_with_some_columns_left_out_are_found_too():
    rng = np.random.default_rng(1)
    columns = np.vstack([all_differences(rng)[1], all_differences(rng)[1]])
    columns = np.delete(columns, rng.choice(182, 12, replace=False), axis=0)
    assert len(spans(columns, 1e-14).basis) < 60


@pytest.mark.parametrize("size", [2.0**-10, 1.0, 2.0**32])
def test_they_are_found_at_any_size_of_the_values(size):
    scores = np.rint(all_differences(np.random.default_rng(5), n=3000)[0] * 2**20) * size
    first, second = np.triu_indices(len(scores), 1)
    columns = scores[second] - scores[first]
    assert len(spans(columns, 0.0).basis) == 13


@pytest.mark.parametrize("columns", [np.zeros((30, 5)), np.random.default_rng(2).normal(0, 1, (100, 40))])
def test_few_or_unrelated_columns_are_left_as_they_are(columns):
    assert spans(columns, 1e-14) is None


def test_the_sums_and_every_p_are_those_of_the_columns_themselves(monkeypatch):
    scores, columns = all_differences(np.random.default_rng(3))
    numbers, scale = whole(columns)
    assert np.abs(numbers).sum(axis=1).max() < 2**52
    assert np.abs(numbers / scale - columns).max() < 1e-13
    drawn = random_signs(query_keys(ids(50), 0), 1000)
    sums = np.hstack([block.copy() for block in signed_sums(numbers, drawn)])
    assert (sums == numbers @ (2.0 * drawn.bits(0, 1000) - 1)).all()
    quick = randomisation(columns, ids(50), 0, 3000), max_t(columns, ids(50), 0, 3000).adjusted.tolist()
    assert quick[1] == all_pairs(scores, ids(50), 0, 3000).tests.adjusted.tolist()
    monkeypatch.setattr(signs, "spans", lambda columns, slack: None)
    assert quick == (randomisation(columns, ids(50), 0, 3000), max_t(columns, ids(50), 0, 3000).adjusted.tolist())
