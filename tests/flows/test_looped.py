"""The feedback loop: raw clicks keep an early winner that is worse, corrected clicks find the better document."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.simulate.loop import loop
from assay.simulate.worlds import World


def two(attractions):
    """One query with two documents, of which the early ranking shows the first one first."""
    return World(np.zeros((1, 2), np.int64), np.array([attractions]), {"early": np.array([[0, 1]])}, np.ones(1),
                 ("q",), ("q",), (("winner", "better"),))  # fmt: skip


def test_raw_clicks_keep_the_worse_document_first_and_corrected_ones_do_not():
    # at position 2 half are looked at: the raw rates are 0.30 and 0.25, the attractions 0.30 and 0.50
    ends = {way: loop(two([0.3, 0.5]), way, 10, 5_000, np.random.default_rng(1)).rounds for way in ("raw", "corrected")}
    assert [one.winner_first for one in ends["raw"]] == [1.0] * 10
    assert [one.winner_first for one in ends["corrected"]] == [1.0] + [0.0] * 9
    assert ends["corrected"][-1].best_first == 1.0
    # 0.3 + 0.5 / 2 and 0.5 + 0.3 / 2 clicks a search
    assert (ends["raw"][-1].clicks, ends["corrected"][-1].clicks) == (pytest.approx(0.55), pytest.approx(0.65))
    assert ends["raw"][-1].share_of_best == pytest.approx(0.55 / 0.65)


def test_a_document_that_is_much_better_wins_also_by_raw_clicks():
    # 0.20 and 0.60 / 2
    last = loop(two([0.2, 0.6]), "raw", 3, 5_000, np.random.default_rng(1)).rounds[-1]
    assert last.best_first == 1.0


def test_without_a_swap_corrected_clicks_learn_nothing_and_change_nothing():
    found = loop(two([0.3, 0.5]), "corrected", 3, 1_000, np.random.default_rng(1), swaps=0.0)
    assert [one.winner_first for one in found.rounds] == [1.0, 1.0, 1.0]
    assert found.propensities == ()


def test_the_whole_loop_is_the_same_for_the_same_seed():
    small = {"rounds": 4, "searches": 1_500, "queries": 20, "seed": 3}
    one, other = (assay.simulate_loop(**small) for _ in range(2))
    assert one.ways == other.ways
    raw, corrected = one.ways
    assert raw.rounds[0] == corrected.rounds[0]
    assert corrected.rounds[-1].winner_first < raw.rounds[-1].winner_first
    assert corrected.rounds[-1].share_of_best > raw.rounds[-1].share_of_best
    assert corrected.propensities[1] == pytest.approx(0.5, rel=0.2)  # 1 / 2


@pytest.mark.parametrize("wrong", [{"rounds": 0}, {"documents": 1}, {"swaps": 1.5}])
def test_what_means_nothing_is_refused(wrong):
    with pytest.raises(InputError):
        assay.simulate_loop(**wrong)
