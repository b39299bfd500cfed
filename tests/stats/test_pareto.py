from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.pareto import MANY, exact, inclusion, pareto


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


def test_of_two_things_one_is_drawn_with_a_chance_that_has_a_formula() -> None:
    """The odds of both are logistic, and so apart: P(L1 - L2 < d) = e^d (e^d - 1 - d) / (e^d - 1)^2, e^d = 9 x 9."""
    first = 81 * (80 - np.log(81)) / 80**2
    assert exact(np.array([0.9, 0.1]), 1).tolist() == pytest.approx([first, 1 - first], abs=1e-10)


def test_what_is_equal_or_certain_keeps_its_chance() -> None:
    assert exact(np.full(7, 3 / 7), 3).tolist() == pytest.approx([3 / 7] * 7, abs=1e-10)
    assert exact(np.array([1.0, 0.5, 0.5]), 2).tolist() == pytest.approx([1, 0.5, 0.5], abs=1e-10)
    assert exact(np.ones(3), 5).tolist() == [1, 1, 1]
    assert exact(np.array([1.0, 0.0, 1.0]), 2).tolist() == [1, 0, 1]


def test_small_draws_have_the_exact_chances_and_not_those_that_were_asked_for() -> None:
    rng = np.random.default_rng(11)
    sizes, n, times = np.array([2650.0, 2241.0, 1291.0, 520.0, 400.0, 390.0]), 3, 20_000
    asked = inclusion(sizes, n)
    chance, drawn = exact(asked, n), np.zeros(len(sizes))
    for _ in range(times):
        drawn[pareto(asked, rng.random(len(sizes)), n)] += 1
    some = asked < 1
    error = np.sqrt(chance * (1 - chance) / times)[some]
    assert (np.abs(drawn / times - chance)[some] <= 4 * error).all()
    assert np.abs((drawn / times - asked)[some] / error).max() > 5  # the simulation is fine enough to tell them apart


@given(st.lists(st.integers(1, 50), min_size=2, max_size=30), st.integers(1, 29))
def test_exact_chances_add_up_too_and_rise_with_the_size(sizes: list[int], n: int) -> None:
    asked = inclusion(np.array(sizes, dtype=np.float64), n)
    found = exact(asked, n)
    assert found.sum() == pytest.approx(min(n, len(sizes)), abs=1e-8)
    assert ((found > 0) & (found <= 1 + 1e-9)).all()
    assert (np.diff(found[np.argsort(asked, kind="stable")]) >= -1e-9).all()


@pytest.mark.parametrize(
    ("sizes", "n"), [([100] * 12 + [30, 20, 10], 12), ([100] * 20 + [20, 10], 20), ([100] * 60 + [40, 20, 8], 60)]
)
def test_draws_of_nearly_all_have_the_exact_chances_too(sizes: list[int], n: int) -> None:
    """Many are drawn and few stay out: the chances are as far from those asked for as where few are drawn."""
    rng, times = np.random.default_rng(5), 40_000
    asked = inclusion(np.array(sizes, dtype=np.float64), n)
    chance, drawn = exact(asked, n), np.zeros(len(sizes))
    for luck in rng.random((times, len(sizes))):
        drawn[pareto(asked, luck, n)] += 1
    error = np.sqrt(chance * (1 - chance) / times)
    assert (np.abs(drawn / times - chance) <= 4 * error).all()
    assert np.abs((drawn / times - asked) / error).max() > 5  # the simulation is fine enough to tell them apart


def test_who_is_drawn_and_who_stays_out_are_one_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = inclusion(np.array([100.0] * 60 + [40, 20, 8]), 60)
    few_stay_out = exact(asked, 60)
    monkeypatch.setattr("assay.stats.pareto.TINY", 1.0)  # no look from the other side
    assert exact(asked, 60) == pytest.approx(few_stay_out, abs=1e-10)


@pytest.mark.parametrize(
    ("chances", "times"),  # the worst of thousands of random draws whose variance is just above the limit
    [((0.01, 0.964, 0.001, 0.029), (179, 272, 1105, 37)), ((0.164, 0.016, 0.953), (3, 165, 239))],
)
def test_large_draws_keep_what_was_asked_for(
    chances: tuple[float, ...], times: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`exact` costs time, and from this variance on changes a chance by less than 1 in 1,000 of it."""
    sizes = np.repeat(chances, times)
    n = round(sizes.sum())
    asked = inclusion(sizes, n)
    assert MANY < (asked * (1 - asked)).sum() < MANY + 1
    assert exact(asked, n) is asked
    monkeypatch.setattr("assay.stats.pareto.MANY", np.inf)
    assert 5e-4 < np.abs(exact(asked, n) / asked - 1).max() < 1e-3


def test_chances_of_too_many_things_to_reckon_are_those_asked_for() -> None:
    asked = inclusion(1e6 / np.arange(1, 12_001) ** 1.1, 3)
    assert exact(asked, 3) is asked


def test_a_draw_without_regard_to_the_chances_would_be_seen() -> None:
    rng = np.random.default_rng(2)
    chance = inclusion(rng.pareto(1.2, 60) + 0.2, 20)
    drawn = np.zeros(60)
    for _ in range(2_000):
        drawn[np.argsort(rng.random(60))[:20]] += 1
    assert np.abs(drawn / 2_000 - chance).max() > 0.1
