"""The position-based model is flagged where it is wrong, and not where it is right."""

from __future__ import annotations

import numpy as np
import pytest

from assay.clicks.cells import Cells
from assay.clicks.lists import Lists
from assay.clicks.misfit import Misfit, halves, misfit
from assay.clicks.propensity import propensity
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


def test_too_few_clicks_are_not_an_answer() -> None:
    cells = Cells(np.array([0, 0]), np.array([1, 2]), np.full(2, 20.0), np.array([4.0, 2]), np.zeros(1, np.int64))
    with pytest.raises(NotEnoughEvidence, match="too few clicks to test"):
        misfit(cells, propensity(cells))


def test_halves_are_the_whole() -> None:
    lists = Lists(np.array([[0, 1], [1, 0]]), np.zeros((2, 2), bool), np.array([1000.0, 7]), np.zeros(2, np.int64))
    first, second = halves(lists, np.random.default_rng(1))
    assert (first.count + second.count == lists.count).all()
    assert abs(first.count[0] - 500) < 5 * np.sqrt(250)
