"""How often the tests of the position-based model flag a log of that model.

Full size: 2,000 logs; the small size 300. Each test flags at 0.1 %, two of them at most 0.2 % of logs, and three Monte
Carlo standard errors beyond. At 5 % the chi-square, which stands on small counts, may reject up to 9 %. Seeds were
written down before the first run.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.clicks.misfit import misfit
from assay.clicks.propensity import propensity
from simulations.test_propensity_simulations import DEPTH, design, drawn
from simulations.worlds import SOAK

pytestmark = pytest.mark.slow

LOGS = 2000 if SOAK else 300


@pytest.mark.parametrize("steep", [1.0, 2.5])
def test_a_log_of_the_model_is_hardly_ever_flagged(steep):
    """Also where few look further down, so that most positions have no cell with enough clicks for a chi-square."""
    shown, gamma = design(621)
    theta = np.arange(1, DEPTH + 1) ** -steep
    rng = np.random.default_rng(622)
    p, fits = [], []
    for _ in range(LOGS):
        cells = drawn(shown, gamma, rng, theta)
        found = misfit(cells, propensity(cells))
        p.append([test.p for test in found.tests])
        fits.append(found.fits)
    chi, trust = (np.array(p) <= 0.05).mean(0)
    assert 1 - np.mean(fits) <= 0.002 + 3 * math.sqrt(0.002 / LOGS)
    assert trust <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / LOGS)
    assert chi <= 0.09 + 3 * math.sqrt(0.09 * 0.91 / LOGS)
