"""How often a log of two segments that fit a curve each is flagged in either of them, rivals and all.

Full size: 2,000 logs; the small size 100. Each log is of its own world: desktops look far down a page and phones do
not. Eight tests (chi-square, trust, UBM and SDBN, of two segments) share 0.4 %, as four tests of one curve for all
have, and three Monte Carlo standard errors beyond are allowed. At 5 % each test may reject 5 %, but chi-square, which
stands on small counts, up to 9 %. Seeds were written down before the first run.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from assay.clicks.by_segment import by_segment
from assay.clicks.misfit import LEVEL
from assay.flows import segment_tests
from assay.flows.click_logs import LogChoices
from assay.flows.counted import Counted
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World
from simulations.worlds import SOAK

pytestmark = pytest.mark.slow

LOGS = 2000 if SOAK else 100
SEARCHES, QUERIES = 1_500, 40
ETAS = {"desktop": 0.6, "phone": 1.6}
TESTS = ["chi-square", "trust", "ubm", "sdbn"]


def log(world, rng, seed):
    parts = [frame(world, clicks(world, SEARCHES, rng, eta=eta, swaps=0.3), seed).with_columns(
        device=pl.lit(name), impression_id=name + pl.col("impression_id")) for name, eta in ETAS.items()]  # fmt: skip
    return pl.concat(parts)


def by_segments(path, is_swapped=False):
    given = Counted(path, LogChoices())
    try:
        each = by_segment(given.cells).each
        return segment_tests.tested_segments(given.cells, each[::-1] if is_swapped else each, given.log, rivals=True)
    finally:
        given.close()


def test_segments_that_fit_a_curve_each_are_hardly_ever_flagged(tmp_path):
    rng = np.random.default_rng(842)
    p, fits = [], []
    for at in range(LOGS):
        log(World.make(841_000 + at, queries=QUERIES), rng, at).write_parquet(tmp_path / "log.parquet")
        result = by_segments(tmp_path / "log.parquet")
        assert result.notes == []
        assert result.searches == 2 * SEARCHES
        assert [[test.name for test in one.tests] for one in result.found] == [TESTS, TESTS]
        p.append([[test.p for test in one.tests] for one in result.found])
        fits.append(all(one.fits for one in result.found))
    level = 4 * LEVEL
    assert 1 - np.mean(fits) <= level + 3 * math.sqrt(level * (1 - level) / LOGS)
    for segment in (np.array(p) <= 0.05).mean(0):
        for name, share in zip(TESTS, segment, strict=True):
            most = 0.09 if name == "chi-square" else 0.05
            assert share <= most + 3 * math.sqrt(most * (1 - most) / LOGS), name


def test_the_simulation_sees_curves_that_are_given_to_the_other_segment(tmp_path):
    log(World.make(841_000, queries=QUERIES), np.random.default_rng(842), 0).write_parquet(tmp_path / "log.parquet")
    assert [one.fits for one in by_segments(tmp_path / "log.parquet", is_swapped=True).found] == [False, False]
