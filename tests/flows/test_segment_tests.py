"""Which segments are held against rivals, at which level, and what is said of those that cannot be."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import assay
from assay.clicks.by_segment import BySegment, by_segment
from assay.clicks.cells import Cells
from assay.clicks.misfit import LEVEL
from assay.clicks.propensity import propensity
from assay.flows import segment_tests
from assay.flows.click_logs import LogChoices
from assay.flows.counted import Counted
from assay.report.describe import describe
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World

WORLD = World.make(5, queries=60)
TARGET = WORLD.lists["B"]


def on(device, rows):
    """The rows as those of one device, whose searches have ids of their own."""
    return rows.with_columns(device=pl.lit(device), impression_id=device + pl.col("impression_id"))


def log(device, n=3_000, seed=5, law="pbm", world=WORLD, **options):
    return on(device, frame(world, clicks(world, n, np.random.default_rng(seed), law, swaps=0.2, **options), seed))


def scrolled(device, n, seed, eta):
    """Clicks of people who look down to a depth that they had in mind: P(depth >= k) = 1 / k ** eta.

    Counts of a document at a position are those of the position-based model. But a click tells that everything above it
    was looked at, and that somebody is there who may look on, which UBM knows.
    """
    rng = np.random.default_rng(seed)
    found = clicks(WORLD, n, rng, eta=eta, swaps=0.2)
    deepest = np.floor(rng.random(n) ** (-1 / eta))
    attraction = WORLD.attraction[found.query[:, None], found.shown]
    looked = np.arange(1, found.shown.shape[1] + 1) <= deepest[:, None]
    return on(device, frame(WORLD, replace(found, clicked=looked & (rng.random(attraction.shape) < attraction)), seed))


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    path = tmp_path_factory.mktemp("target") / "b.run"
    path.write_text("".join(f"{query} Q0 {WORLD.doc_ids[at][doc]} {rank} {99 - rank} run\n"
                            for at, query in enumerate(WORLD.query_ids)
                            for rank, doc in enumerate(TARGET[at], 1)))  # fmt: skip
    return path


def written(tmp_path, *parts):
    pl.concat(parts).write_parquet(tmp_path / "log.parquet")
    return tmp_path / "log.parquet"


def held(path, rivals=True):
    """The tests of each segment by the curve that its own counts give."""
    given = Counted(path, LogChoices())
    try:
        return segment_tests.tested_segments(given.cells, by_segment(given.cells).each, given.log, rivals)
    finally:
        given.close()


@pytest.mark.parametrize(
    ("phone", "against"),
    [
        (lambda: scrolled("phone", 6_000, 6, 1.2), "UBM predicts later lists better by "),
        (lambda: log("phone", 6_000, 7, "dbn"), "clicks are off by "),
    ],
    ids=["people-who-scroll-to-a-depth", "readers-who-stop-when-satisfied"],
)
def test_no_value_is_told_of_a_segment_that_does_not_fit_and_the_other_keeps_its_own(
    tmp_path, target, phone, against
):  # fmt: skip
    desktop = log("desktop", 6_000, eta=0.6)
    found = assay.counterfactual(written(tmp_path, desktop, phone()), target)
    (note,) = [note for note in found.notes if note.code == "segment-left-out"]
    assert note.text.startswith(f"phone is left out: the position-based model does not fit: {against}")
    assert [(one.name, one.why) for one in found.segments] == [("desktop", ""), ("phone", "propensities")]
    assert found.value is None  # half of the searches are of phones
    assert found.propensities.startswith("estimated from this log for desktop; phone does not fit; segments differ ")
    shown = str(describe(found))
    assert "on 6,000 of the 12,000 searches of the log (desktop)" in shown
    assert "; nothing speaks against the model in desktop" in shown
    alone = assay.counterfactual(written(tmp_path, desktop.drop("device")), target)
    assert found.segments[0].value == pytest.approx(alone.value, rel=1e-9)


def test_counts_alone_do_not_tell_that_people_scroll_to_a_depth(tmp_path, target):
    path = written(tmp_path, log("desktop", 6_000, eta=0.6), scrolled("phone", 6_000, 6, 1.2))
    assay.cells(path, out=tmp_path / "cells.parquet")
    found = assay.counterfactual(tmp_path / "cells.parquet", target)
    assert found.exit_code == 0
    assert found.fits is True
    assert [note.text for note in found.notes if note.code == "segments-without-rivals"] == [
        "desktop and phone are tested by counts alone, and not against UBM and SDBN: nothing says which rows are of "
        "one search"
    ]


@pytest.mark.parametrize(
    ("searches", "queries", "few"),
    [
        (297, 60, "tv has 99 later lists of {queries} queries, fewer than 100 of 10"),  # 2/3 of 297 are 198
        (300, 60, None),
        (900, 9, "tv has 300 later lists of 9 queries, fewer than 100 of 10"),
        (900, 10, None),
    ],
)
def test_a_segment_with_few_later_lists_or_queries_is_named(tmp_path, searches, queries, few):
    tv = log("tv", searches, 8, world=World.make(5, queries=queries), eta=0.6)
    asked = tv.group_by("impression_id").agg(pl.col("at", "query_id").first()).sort("at", "impression_id")
    result = held(written(tmp_path, log("desktop", eta=0.6), tv))
    tests = [[test.name for test in one.tests] for one in result.found]
    assert tests[0] == ["chi-square", "trust", "ubm", "sdbn"]
    if few is None:
        assert tests[1] == tests[0]
        assert result.notes == []
        assert result.searches == 3_000 + searches
    else:
        many = asked.tail(searches // 3)["query_id"].n_unique()
        assert tests[1] == ["chi-square", "trust"]
        assert [note.text for note in result.notes] == [
            f"tv is tested by counts alone, and not against UBM and SDBN: {few.format(queries=many)}"
        ]
        assert result.searches == 3_000


def test_a_segment_without_whole_lists_is_named(tmp_path):
    """No row says what stood at position 3 on a tv."""
    tv = log("tv", 3_000, 8, eta=0.6).filter(pl.col("position") != 3)
    result = held(written(tmp_path, log("desktop", eta=0.6), tv))
    assert [note.text for note in result.notes] == [
        "tv is tested by counts alone, and not against UBM and SDBN: tv has no whole lists to fit models to and to "
        "predict"
    ]


def test_several_segments_with_few_lists_are_named_together(tmp_path):
    parts = [log(name, 240, seed, eta=0.6) for seed, name in enumerate(("tv", "watch"))]
    (note,) = held(written(tmp_path, log("desktop", eta=0.6), *parts)).notes
    assert note.text.startswith("tv and watch are tested by counts alone, and not against UBM and SDBN: tv has 80 ")
    assert "; watch has 80 later lists of " in note.text


def test_segments_that_are_tested_share_the_level(tmp_path):
    """Of three segments one ties no positions together, and is not tested: two share the level of one curve for all."""
    still = log("watch", 600, 9).filter(ranker="A", swap=0)
    result = held(written(tmp_path, log("desktop", eta=0.6), log("phone", seed=6, eta=1.6), still))
    assert result.found[2] is None
    tests = [test for one in result.found[:2] for test in one.tests]
    assert len(tests) == 8
    assert {test.level for test in tests} == {LEVEL / 2}
    assert result.searches == 6_000
    assert result.notes == []  # that watch has no curve is said elsewhere


def test_rivals_that_nobody_asks_for_are_not_missed(tmp_path):
    path = written(tmp_path, log("desktop", eta=0.6), log("tv", 240, 8, eta=0.6))
    result = held(path, rivals=False)
    assert {test.name for one in result.found for test in one.tests} == {"chi-square", "trust"}
    assert result.notes == []
    assert result.searches == 0


KNOWN = propensity(Cells(np.zeros(2, np.int64), np.array([1, 2]), np.full(2, 90.0), np.array([40.0, 20]),
                         np.zeros(1, np.int64)))  # fmt: skip
NAMES = ("desktop", "phone", "watch")
NONE = "no position is tied to position 1"
NO_SHARED = "no position below the first is known in all of them"


@pytest.mark.parametrize(
    ("each", "p", "said"),
    [
        ((KNOWN, KNOWN, KNOWN), 0.4, []),
        ((KNOWN, KNOWN, KNOWN), math.nan,
         [f"alike in desktop and phone and watch cannot be tested: {NO_SHARED}"]),
        ((KNOWN, KNOWN, NONE), 0.4, ["in watch as in desktop and phone cannot be tested: watch ties none together"]),
        ((KNOWN, KNOWN, NONE), math.nan,
         [f"alike in desktop and phone cannot be tested: {NO_SHARED}",
          "in watch as in the rest cannot be tested: watch ties none together"]),
        ((NONE, KNOWN, NONE), math.nan,
         ["alike in desktop and phone and watch cannot be tested: desktop and watch tie none together"]),
    ],
    ids=["all-tested", "no-position-in-common", "one-unknown", "one-unknown-and-none-in-common", "one-known"],
)  # fmt: skip
def test_what_one_curve_for_three_segments_leaves_open(each, p, said):
    cells = Cells(np.zeros(3, np.int64), np.ones(3, np.int64), np.ones(3), np.zeros(3), np.zeros(1, np.int64),
                  segment=np.arange(3), segments=NAMES)  # fmt: skip
    notes = segment_tests.pooled_notes(cells, BySegment(NAMES, each, KNOWN, 1.0, 2, p), each)
    assert [(note.level, note.text) for note in notes] == [
        ("warning", f"whether positions are looked at {one}, and one curve stands for all") for one in said
    ]


def test_two_that_are_alike_and_a_third_that_nothing_ties(tmp_path, target):
    still = log("watch", 600, 9).filter(ranker="A", swap=0)
    parts = log("desktop", eta=1.0), log("phone", seed=6, eta=1.0), still
    found = assay.counterfactual(written(tmp_path, *parts), target)
    assert found.segments == ()
    (note,) = [note for note in found.notes if note.code == "segments-untested"]
    assert note.text == (
        "whether positions are looked at in watch as in desktop and phone cannot be tested: watch ties none together, "
        "and one curve stands for all"
    )
