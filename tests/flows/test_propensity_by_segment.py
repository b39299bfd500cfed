"""Propensities where segments look at positions differently: each has a curve of its own, and is tested by it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay.clicks.position_bias import Curve, ModelTest, PositionBias
from assay.report.describe import describe
from assay.report.views.propensity import answer, side_by_side, worth_by_segment
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World

WORLD = World.make(5, queries=60)


def log(device, n=12_000, law="pbm", seed=5, **options):
    """A log of one device; its searches have ids of their own."""
    found = frame(WORLD, clicks(WORLD, n, np.random.default_rng(seed), law, **options), seed)
    return found.with_columns(device=pl.lit(device), impression_id=device + pl.col("impression_id"))


def found_in(tmp_path, *parts, **options):
    pl.concat(parts).write_parquet(tmp_path / "log.parquet")
    return assay.propensity(tmp_path / "log.parquet", **options)


@pytest.fixture(scope="module")
def desktop():
    return log("desktop", eta=0.6, swaps=0.2)


@pytest.fixture(scope="module")
def two_curves(tmp_path_factory, desktop):
    return found_in(tmp_path_factory.mktemp("log"), desktop, log("phone", eta=1.6, swaps=0.2, seed=6))


def test_two_laws_are_two_curves_that_fit(two_curves):
    assert two_curves.is_apart
    assert two_curves.fits is True
    assert two_curves.verdict == "each segment fits a curve of its own"
    assert [(one.segment, one.name) for one in two_curves.tests] == [
        (segment, name) for segment in ("desktop", "phone") for name in ("chi-square", "trust", "ubm", "sdbn")
    ]


def test_one_curve_over_both_would_not_have_fitted(tmp_path, two_curves, desktop):
    # the same clicks as one segment: what the tests by segment keep from being said
    one = found_in(tmp_path, desktop, log("phone", eta=1.6, swaps=0.2, seed=6).with_columns(device=pl.lit("desktop")))
    assert not one.is_apart
    assert one.fits is False


def test_the_answer_gives_no_curve_for_all(two_curves):
    head, worth = answer(two_curves)
    assert (head.tone, head.label) == ("unsure", "NOT ONE CURVE FOR ALL")
    assert head.text == "desktop and phone look at positions differently (p < 0.0001); each fits a curve of its own."
    assert worth.startswith("A click at position 5 is worth so many at position 1: ")
    assert worth.endswith(" in phone.")


def test_the_curve_of_each_segment_is_that_of_its_law(two_curves):
    for one, eta in zip(two_curves.segments, (0.6, 1.6), strict=True):
        k = np.arange(2, 6)
        low, high = np.array(one.lows[1:5], float), np.array(one.highs[1:5], float)
        # 4 intervals of 95 %: that two or more miss has a chance of 1.4 %
        assert ((low > k**-eta) | (high < k**-eta)).sum() < 2


def test_only_the_segment_that_does_not_fit_is_named(tmp_path, desktop):
    result = found_in(tmp_path, desktop, log("phone", law="dbn", seed=7, swaps=0.2))
    assert result.is_apart
    assert result.fits is False
    assert {one.segment for one in result.tests if one.is_against} == {"phone"}
    assert result.verdict.startswith("in phone, ")
    head, worth = answer(result)
    assert head.text.startswith("in phone, clicks are off by ")
    assert head.text.endswith(" Estimates built on these propensities would be wrong there.")
    assert worth.endswith(" in desktop.")  # and nothing of phone, whose curve means nothing
    assert "phone" not in worth


def test_dispersion_is_that_of_the_worst_segment(tmp_path, desktop):
    alone = found_in(tmp_path, log("phone", law="dbn", seed=7, swaps=0.2))
    result = found_in(tmp_path, desktop, log("phone", law="dbn", seed=7, swaps=0.2))
    assert result.dispersion == pytest.approx(alone.dispersion, rel=1e-9)


def test_a_segment_without_a_curve_is_named_and_not_tested(tmp_path, desktop):
    only = log("watch", 200, seed=8).filter(ranker="A")  # one ranker, and nothing ever moves
    result = found_in(tmp_path, desktop, log("phone", eta=1.6, swaps=0.2, seed=6), only)
    assert result.is_apart
    assert {one.segment for one in result.tests} == {"desktop", "phone"}
    assert next(one for one in result.segments if one.name == "watch").why
    assert [note.text for note in result.notes if note.code == "segment-without-curve"] == [
        "watch has no curve: no position is tied to position 1: no clicked document was shown at several positions"
    ]
    assert "watch" not in answer(result)[0].text


def test_counts_alone_say_that_rivals_were_not_held_against_segments(tmp_path, desktop):
    pl.concat([desktop, log("phone", eta=1.6, swaps=0.2, seed=6)]).write_parquet(tmp_path / "log.parquet")
    assay.cells(tmp_path / "log.parquet", out=tmp_path / "cells.parquet")
    result = assay.propensity(tmp_path / "cells.parquet")
    assert result.is_apart
    assert {one.name for one in result.tests} == {"chi-square", "trust"}
    assert [note.text for note in result.notes if note.code == "segments-without-rivals"] == [
        "desktop and phone are tested by counts alone, and not against UBM and SDBN: nothing says which rows are of "
        "one search"
    ]


def test_the_page_gives_each_segment_its_intervals(two_curves):
    table = side_by_side(two_curves.segments, "By segment", has_intervals=True)
    assert [column.head for column in table.columns] == [
        "position", "desktop", "95 % of desktop", "phone", "95 % of phone"
    ]  # fmt: skip
    assert [(cell.low, cell.why) for cell in (table.rows[0][2], table.rows[0][4])] == [(None, "fixed")] * 2
    desktop = two_curves.segments[0]
    assert (table.rows[3][2].low, table.rows[3][2].high) == (desktop.lows[3], desktop.highs[3])
    shown = str(describe(two_curves))
    assert "Over all segments, which differ: see each below." in shown
    assert "Chi-square, phone" in shown


CURVES = (
    Curve("desktop", (1.0, 0.5, 0.4, 0.3, 0.25), (1.0, 0.4, 0.3, 0.2, 0.2), (1.0, 0.6, 0.5, 0.4, 0.5)),
    Curve("phone", (1.0, 0.2, None, None, 0.1), (1.0, 0.1, None, None, None), (1.0, 0.4, None, None, None)),
)


def test_the_worth_of_a_click_by_segment():
    # 1 / 0.25 with 1 / 0.5 to 1 / 0.2; 1 / 0.1 of which no interval is known
    assert worth_by_segment(CURVES) == (
        "A click at position 5 is worth so many at position 1: 4.0 (2.0 to 5.0) in desktop, 10.0 in phone."
    )
    short = Curve("watch", (1.0, 0.25), (1.0, 0.2), (1.0, 0.5))
    assert worth_by_segment((*CURVES, short)) == (
        "A click at position 2 is worth so many at position 1: 2.0 (1.7 to 2.5) in desktop, 5.0 (2.5 to 10.0) in "
        "phone, 4.0 (2.0 to 5.0) in watch."
    )
    assert worth_by_segment((Curve("tv", (), why="no position is tied to position 1"),)) == ""
    assert worth_by_segment((*CURVES, Curve("tv", (1.0,), (1.0,), (1.0,)))) == ""  # no position that all know


def bias(**changed):
    base = dict(
        positions=(), fits=True, verdict="", tests=(), dispersion=None, queries=60, pairs=9, method="",
        segments=CURVES, homogeneity=1e-9, checks=(), lines=(), searches=0, log=None, is_apart=True,
    )  # fmt: skip
    return PositionBias(**{**base, **changed})


def test_of_many_segments_the_first_are_named():
    many = [Curve(f"s{i}", (1.0, 0.5), (1.0, 0.4), (1.0, 0.6)) for i in range(6)]
    head, worth = answer(bias(segments=tuple(many)))
    assert head.text.startswith("s0, s1, s2 and 3 more look at positions differently")
    assert worth.endswith("2.0 (1.7 to 2.5) in s3.")


def test_what_speaks_against_several_segments_is_told_one_by_one():
    tests = [ModelTest("chi-square", 0.0, "A", True, "desktop"), ModelTest("ubm", 0.0, "B", True, "phone"),
             ModelTest("trust", 0.0, "C", True, "desktop"), ModelTest("sdbn", 0.9, "D", False, "phone")]  # fmt: skip
    head, *rest = answer(bias(fits=False, tests=tuple(tests)))
    assert head.text == (
        "in desktop, A and C; in phone, B. Estimates built on these propensities would be wrong there."
    )
    assert rest == []  # no segment is left of which a click's worth could be told


def test_a_segment_that_could_not_be_tested_is_no_fit():
    head, *_ = answer(bias(fits=None, verdict="too few clicks to test the position model in phone"))
    assert (head.label, head.text) == ("NOT TESTED", "too few clicks to test the position model in phone.")
