from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.pareto import inclusion, pareto


def test_chances_are_in_proportion_and_what_would_pass_one_is_certain() -> None:
    assert inclusion(np.array([1.0, 2.0, 3.0, 4.0]), 2).tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8])
    # 10 of 16 times 2 passes 1; the others share the place that is left: 1 of 6, 2 of 6, 3 of 6
    assert inclusion(np.array([10.0, 1.0, 2.0, 3.0]), 2).tolist() == pytest.approx([1, 1 / 6, 2 / 6, 3 / 6])
    assert inclusion(np.array([5.0, 1.0]), 7).tolist() == [1.0, 1.0]


@given(st.lists(st.floats(0.01, 1e6), min_size=2, max_size=40), st.integers(1, 39))
def test_chances_add_up_to_the_size(sizes: list[float], n: int) -> None:
    found = inclusion(np.array(sizes), n)
    assert found.sum() == pytest.approx(min(n, len(sizes)))
    assert ((found > 0) & (found <= 1 + 1e-12)).all()
    assert (np.diff(found[np.argsort(sizes)]) >= -1e-12).all()


def test_the_draw_has_the_chances_that_were_asked_for() -> None:
    rng = np.random.default_rng(2)
    chance = inclusion(rng.pareto(1.2, 60) + 0.2, 20)
    drawn = np.zeros(60)
    times = 20_000
    for _ in range(times):
        places = pareto(chance, rng.random(60), 20)
        assert len(set(places.tolist())) == 20
        drawn[places] += 1
    # four standard errors, and the small bias of the method (Rosén 1997, table 1: under 1 % of the chance at this size)
    slack = 4 * np.sqrt(chance * (1 - chance) / times) + 0.01 * chance
    assert (np.abs(drawn / times - chance) <= slack).all()


def test_a_draw_without_regard_to_the_chances_would_be_seen() -> None:
    rng = np.random.default_rng(2)
    chance = inclusion(rng.pareto(1.2, 60) + 0.2, 20)
    drawn = np.zeros(60)
    for _ in range(2_000):
        drawn[np.argsort(rng.random(60))[:20]] += 1
    assert np.abs(drawn / 2_000 - chance).max() > 0.1
