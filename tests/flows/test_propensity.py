"""Propensities of logs with known truth, from a log and from cells; what does not fit is said."""

from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError, NotEnoughEvidence
from assay.report.describe import describe
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World


def write(path, law="pbm", n=20_000, swaps=0.2, seed=5, **options):
    world = World.make(seed, queries=60)
    frame(world, clicks(world, n, np.random.default_rng(seed), law, swaps=swaps, **options), seed).write_parquet(path)
    return path


@pytest.fixture(scope="module")
def pbm(tmp_path_factory):
    return write(tmp_path_factory.mktemp("log") / "pbm.parquet")


@pytest.fixture(scope="module")
def found(pbm):
    return assay.propensity(pbm)


def test_the_truth_lies_in_the_intervals(found):
    # 9 intervals of 95 %: that three or more miss has a chance below 1 %
    misses = [one for one in found.positions[1:] if not one.low <= 1 / one.position <= one.high]
    assert len(misses) < 3
    assert found.theta == pytest.approx(1 / np.arange(1, 11), rel=0.35)


def test_what_fits_is_not_flagged(found):
    assert found.fits is True
    assert {test.name for test in found.tests} == {"chi-square", "trust", "ubm", "sdbn"}
    assert not any(test.is_against for test in found.tests)


@pytest.mark.parametrize("law", ["dbn", "trust"])
def test_what_does_not_fit_is_flagged(tmp_path, law):
    result = assay.propensity(write(tmp_path / "log.parquet", law, 30_000))
    assert result.fits is False
    assert describe(result).answer[0].tone == "fail"


def test_one_curve_for_both_devices(found):
    assert [curve.name for curve in found.segments] == ["desktop", "phone"]
    assert found.homogeneity > 0.001  # the law is the same; one seed in a thousand would fail


def test_two_laws_are_two_curves(tmp_path, pbm):
    steep = pl.read_parquet(write(tmp_path / "steep.parquet", eta=2.0, seed=5)).with_columns(device=pl.lit("phone"))
    flat = pl.read_parquet(pbm).with_columns(device=pl.lit("desktop"), impression_id="x" + pl.col("impression_id"))
    pl.concat([steep, flat]).write_parquet(tmp_path / "both.parquet")
    result = assay.propensity(tmp_path / "both.parquet", rivals=False)
    assert result.homogeneity < 1e-6
    assert result.searches == 0
    assert "The segments differ (p < 0.0001): one curve for all is wrong in each." in str(describe(result))


def test_swaps_say_the_same(found):
    swaps = next(curve for curve in found.checks if curve.name == "swaps")
    # 9 intervals: three misses or more have a chance below 1 %
    assert sum(not low <= 1 / k <= high for k, (low, high) in
               enumerate(zip(swaps.lows[1:], swaps.highs[1:], strict=True), 2)) < 3  # fmt: skip


def test_cells_give_what_the_log_gives(tmp_path, pbm, found):
    assay.cells(pbm, out=tmp_path / "c.parquet")
    result = assay.propensity(tmp_path / "c.parquet")
    assert result.theta == pytest.approx(found.theta, rel=1e-12)
    assert result.log is None
    assert {test.name for test in result.tests} == {"chi-square", "trust"}


def test_rows_that_name_no_ranker_or_segment_are_of_one_of_their_own(tmp_path, pbm, found):
    some = pl.col("query_id") < "q030"
    rows = pl.read_parquet(pbm).with_columns(
        ranker=pl.when(some).then("ranker"), device=pl.when(pl.col("device") == "phone").then("device")
    )
    rows.write_parquet(tmp_path / "log.parquet")
    result = assay.propensity(tmp_path / "log.parquet", rivals=False)
    assert result.theta == pytest.approx(found.theta, rel=1e-12)  # rankers are summed over
    assert [curve.name for curve in result.segments] == ["not named", "phone"]
    assert "several-rankers" in {note.code for note in result.notes}
    assay.cells(tmp_path / "log.parquet", out=tmp_path / "c.parquet")
    assert assay.propensity(tmp_path / "c.parquet").theta == pytest.approx(found.theta, rel=1e-12)


def test_a_copy_of_cells_is_not_added_to_them(tmp_path, pbm):
    assay.cells(pbm, out=tmp_path / "c.parquet")
    (tmp_path / "copy.parquet").write_bytes((tmp_path / "c.parquet").read_bytes())
    with pytest.raises(InputError, match=r"copy\.parquet: holds the same counts as .*c\.parquet"):
        assay.propensity([tmp_path / "c.parquet", tmp_path / "copy.parquet"])


def test_the_file_of_propensities(tmp_path, pbm, found):
    assay.propensity(pbm, out=tmp_path / "p.csv", rivals=False)
    with (tmp_path / "p.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["propensity"]) for row in rows] == pytest.approx(found.theta)
    assert rows[0]["low"] == ""


def test_other_methods_and_trust(tmp_path):
    world = World.make(5, queries=60)
    log = frame(world, clicks(world, 20_000, np.random.default_rng(5), "trust", swaps=0.3), 5)
    log.write_parquet(tmp_path / "log.parquet")
    rows = [{"query_id": query, "doc_id": doc, "logit": float(np.log(x / (1 - x)))}
            for query, docs, row in zip(world.query_ids, world.doc_ids, world.attraction, strict=True)
            for doc, x in zip(docs, row, strict=True)]  # fmt: skip
    pl.DataFrame(rows).write_csv(tmp_path / "features.csv")
    found = assay.propensity(tmp_path / "log.parquet", rivals=False, trust=True, methods="em,regression-em",
                             features=tmp_path / "features.csv")  # fmt: skip
    assert [curve.name for curve in found.checks] == ["em", "regression-em"]
    # the law is theta_k (0.98 gamma + (0.35 / k) (1 - gamma)): against position 1 the intercept falls with k
    assert found.lines[0].beta == 0
    assert all(line.beta < 0 for line in found.lines[1:4])


def test_features_that_do_not_do(tmp_path, pbm):
    with pytest.raises(InputError, match="needs features"):
        assay.propensity(pbm, methods="regression-em")
    with pytest.raises(InputError, match="did you mean pivot"):
        assay.propensity(pbm, methods="pivots")
    pl.DataFrame({"query_id": ["q001"], "doc_id": ["d01"], "x": [1.0]}).write_csv(tmp_path / "f.csv")
    with pytest.raises(InputError, match="lacks features of"):
        assay.propensity(pbm, methods="regression-em", features=tmp_path / "f.csv", rivals=False)


def test_one_ranker_that_never_moves_gives_no_estimate(tmp_path):
    world = World.make(1, queries=5, noise=(1.0,))
    frame(world, clicks(world, 500, np.random.default_rng(1)), 1).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(NotEnoughEvidence, match="no position is tied to position 1"):
        assay.propensity(tmp_path / "log.parquet")


def test_nothing_is_written_where_nothing_is_known(tmp_path, pbm):
    with pytest.raises(InputError, match="written as CSV"):
        assay.propensity(pbm, out=tmp_path / "p.json")
    with pytest.raises(NotEnoughEvidence):
        assay.propensity(pbm, out=tmp_path / "p.csv", since="2030-01-01")
    assert not list(tmp_path.iterdir())
