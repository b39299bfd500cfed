"""The position-based model is flagged where it is wrong, and not where it is right."""

from __future__ import annotations

import numpy as np
import pytest

from assay.clicks.cells import Cells
from assay.clicks.lists import Lists
from assay.clicks.misfit import Misfit, halves, misfit
from assay.clicks.propensity import attraction, propensity
from assay.errors import NotEnoughEvidence
from clicks.simulated import sessions


def judged(name: str) -> Misfit:
    log = sessions(name)
    cells = log.cells()
    earlier, later = log.rows(slice(0, 40_000)).distinct(), log.rows(slice(40_000, 60_000)).distinct()
    return misfit(cells, propensity(cells), earlier, later)


@pytest.mark.shared
def test_a_log_of_the_model_is_not_flagged() -> None:
    found = judged("pbm_60k")
    assert found.fits is True
    assert found.verdict == "nothing speaks against the model"
    assert [test.name for test in found.tests] == ["chi-square", "trust", "ubm", "sdbn"]
    assert found.dispersion == pytest.approx(1, abs=0.2)
    assert found.off < 0.03


@pytest.mark.shared
def test_readers_who_stop_when_satisfied_are_flagged() -> None:
    found = judged("dbn_60k")
    flags = {test.name for test in found.tests if test.flags}
    assert found.fits is False
    assert flags >= {"chi-square", "ubm"}
    assert found.dispersion > 3
    assert "the position-based model does not fit: clicks are off by" in found.verdict
    assert "UBM predicts later lists better" in found.verdict


@pytest.mark.shared
def test_readers_who_trust_the_top_are_flagged() -> None:
    found = judged("trust_60k")
    flags = {test.name for test in found.tests if test.flags}
    assert found.fits is False
    assert flags == {"chi-square", "trust"}  # UBM and SDBN know no trust, and predict no better
    assert found.tests[1].statistic < 0
    assert "less attractive documents are clicked too often at the top" in found.verdict


@pytest.mark.shared
def test_doubled_clicks_double_the_chi_square_of_a_misfit() -> None:
    cells = sessions("dbn_60k").cells()
    twice = Cells(cells.pair, cells.position, 2 * cells.impressions, 2 * cells.clicks, cells.query)
    one, two = misfit(cells, propensity(cells)), misfit(twice, propensity(twice))
    assert len(one.tests) == 2  # no lists, no rivals
    assert two.tests[0].statistic > 1.9 * one.tests[0].statistic  # and cells that had too few clicks come in


def test_the_size_of_a_misfit_does_not_grow_with_the_log() -> None:
    rng = np.random.default_rng(3)
    pair = np.repeat(np.arange(200), 2)
    position = np.argsort(rng.random((200, 4)), axis=1)[:, :2].ravel() + 1
    gamma = rng.uniform(0.1, 0.6, 200)[pair]
    rate = (0.98 * gamma + 0.35 / position * (1 - gamma)) / position  # trusts the top
    found = []
    for shown in (1e5, 4e5):
        cells = Cells(pair, position, np.full(400, shown), shown * rate, np.arange(200) // 10)
        found.append(misfit(cells, propensity(cells)))
    assert found[1].dispersion == pytest.approx(4 * found[0].dispersion, rel=0.02)
    assert found[1].off == pytest.approx(found[0].off, rel=0.02)
    theta = propensity(cells).theta
    expected = shown * theta[position - 1] * attraction(cells, theta)[pair]
    apart, weight = cells.clicks / expected - 1, expected / (1 - expected / shown)
    assert found[1].off == pytest.approx(np.sqrt(np.average(apart**2, weights=weight)), rel=0.02)


def test_too_few_clicks_are_not_an_answer() -> None:
    cells = Cells(np.array([0, 0]), np.array([1, 2]), np.full(2, 20.0), np.array([4.0, 2]), np.zeros(1, np.int64))
    with pytest.raises(NotEnoughEvidence, match="too few clicks to test"):
        misfit(cells, propensity(cells))


def test_halves_are_the_whole() -> None:
    lists = Lists(np.array([[0, 1], [1, 0]]), np.zeros((2, 2), bool), np.array([1000.0, 7]), np.zeros(2, np.int64))
    first, second = halves(lists, np.random.default_rng(1))
    assert (first.count + second.count == lists.count).all()
    assert abs(first.count[0] - 500) < 5 * np.sqrt(250)
