"""Rivals of the position model are held against each segment by its own lists: known truth."""

from __future__ import annotations

import os

import numpy as np
import polars as pl
import pytest

import assay
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World

SOAK = os.environ.get("ASSAY_SOAK") == "1"
SEEDS = range(60) if SOAK else range(37, 49)

WORLD = World.make(5, queries=60)


def log(device, n=12_000, law="pbm", seed=5, **options):
    """A log of one device; its searches have ids of their own."""
    found = frame(WORLD, clicks(WORLD, n, np.random.default_rng(seed), law, swaps=0.2, **options), seed)
    return found.with_columns(device=pl.lit(device), impression_id=device + pl.col("impression_id"))


def patient_or_not(rows, share, seed):
    """Clicks of two kinds of people: so many look at every position, the rest at the first alone.

    Each pair and position is clicked with the chance of a position-based model (1 at the top, `share` below), so counts
    cannot tell; but who clicked further down looks at all, which a model that knows the last click sees.
    """
    attraction = pl.DataFrame([
        (query, WORLD.doc_ids[at][doc], float(WORLD.attraction[at, doc]))
        for at, query in enumerate(WORLD.query_ids) for doc in range(len(WORLD.doc_ids[at]))
    ], ["query_id", "doc_id", "attraction"], orient="row")  # fmt: skip
    rng = np.random.default_rng(seed)
    searches = rows.select(pl.col("impression_id").unique(maintain_order=True))
    searches = searches.with_columns(is_patient=pl.Series(rng.random(searches.height) < share))
    joined = rows.join(searches, on="impression_id").join(attraction, on=["query_id", "doc_id"], maintain_order="left")
    looked = (pl.col("position") == 1) | pl.col("is_patient")
    drawn = pl.Series(rng.random(joined.height))
    return joined.with_columns(clicked=(looked & (drawn < pl.col("attraction"))).cast(pl.Int64)).select(rows.columns)


def result_of(tmp_path, *parts):
    pl.concat(parts).write_parquet(tmp_path / "log.parquet")
    result = assay.propensity(tmp_path / "log.parquet")
    assert result.is_apart
    return result


@pytest.fixture(scope="module")
def desktop():
    return log("desktop", eta=0.6)


def test_what_counts_cannot_tell_the_rivals_of_that_segment_do(tmp_path, desktop):
    phone = patient_or_not(log("phone", 12_000, seed=6), 0.3, 61)
    result = result_of(tmp_path, desktop, phone)
    assert {(one.segment, one.name) for one in result.tests if one.is_against} == {("phone", "ubm")}
    assert result.verdict.startswith("in phone, ")
    with_counts = assay.propensity(tmp_path / "log.parquet", rivals=False)
    assert with_counts.fits is True  # what the clicks at each position say of such people


def test_a_cascade_beside_the_model_is_found_alone(tmp_path, desktop):
    result = result_of(tmp_path, desktop, log("phone", law="cascade", seed=7))
    assert {one.segment for one in result.tests if one.is_against} == {"phone"}


def test_the_lists_of_a_segment_are_its_own(tmp_path, desktop):
    """The same clicks as a log of one segment give the same p, but for the level, which segments share."""
    phone = patient_or_not(log("phone", 12_000, seed=6), 0.3, 61)
    both = result_of(tmp_path, desktop, phone)
    for name, part in (("desktop", desktop), ("phone", phone)):
        part.write_parquet(tmp_path / "alone.parquet")
        alone = {one.name: one.p for one in assay.propensity(tmp_path / "alone.parquet").tests}
        mine = {one.name: one.p for one in both.tests if one.segment == name}
        assert mine == pytest.approx(alone, rel=1e-9)


def test_a_segment_with_few_lists_is_named_and_not_held_against_rivals(tmp_path, desktop):
    """270 searches have 90 later ones: 100 are asked for."""
    few = log("tablet", 270, seed=8, eta=1.8)
    result = result_of(tmp_path, desktop, log("phone", seed=6, eta=1.6), few)
    (note,) = [one.text for one in result.notes if one.code == "segments-without-rivals"]
    assert note.startswith(
        "tablet is tested by counts alone, and not against UBM and SDBN: tablet has 90 later lists of "
    )
    assert {one.name for one in result.tests if one.segment == "tablet"} <= {"chi-square", "trust"}
    assert result.searches == 24_000


def test_three_segments_of_which_nothing_says_whether_they_are_alike(tmp_path):
    """One device with swaps, and two whose lists never change: the curve of the first stands for them."""
    still = [log(name, 400, seed=seed).filter(ranker="A", swap=0) for name, seed in (("phone", 6), ("watch", 7))]
    pl.concat([log("desktop", 6_000), *still]).write_parquet(tmp_path / "log.parquet")
    result = assay.propensity(tmp_path / "log.parquet")
    assert not result.is_apart
    (note,) = [one for one in result.notes if one.code == "segments-untested"]
    assert note.level == "warning"
    assert note.text == (
        "whether positions are looked at alike in desktop and phone and watch cannot be tested: phone and watch tie "
        "none together, and one curve stands for all"
    )


def test_lists_without_times_whose_ids_go_by_query_are_parted_by_chance(tmp_path):
    """Parted by id, models would be tested on queries that they never saw, and UBM tells nothing apart there."""
    rows = log("phone", law="dbn", seed=1).drop("at", "device")
    rows.with_columns(impression_id=pl.col("query_id") + "-" + pl.col("impression_id")).write_parquet(
        tmp_path / "log.parquet"
    )
    result = assay.propensity(tmp_path / "log.parquet")
    assert "ubm" in {one.name for one in result.tests if one.is_against}


@pytest.mark.slow
def test_two_curves_that_fit_are_hardly_ever_flagged(tmp_path):
    """Eight tests share 0.4 % of logs: two of 12 are flagged in 0.1 % of runs, three of 60 in 0.2 %.

    The seeds were written down before the mend of a chi-square that flagged 7 of these 60, and 3 of the 12.
    """
    flagged = 0
    for seed in SEEDS:
        world = World.make(1000 + seed, queries=40)
        parts = []
        for device, eta in (("desktop", 0.5), ("phone", 1.8)):
            rng = np.random.default_rng([seed, len(device)])
            rows = frame(world, clicks(world, 3_000, rng, eta=eta, swaps=0.3), seed)
            parts.append(rows.with_columns(device=pl.lit(device), impression_id=device + pl.col("impression_id")))
        flagged += result_of(tmp_path, *parts).fits is False
    assert flagged < (3 if SOAK else 2)
