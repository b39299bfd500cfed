"""Counterfactual values where segments look at positions differently: each is weighed by its own curve."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.report.describe import describe
from assay.report.text import to_text
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World

DCG = 1 / np.log2(np.arange(2, 12))
WORLD = World.make(5, queries=60)
FIRST, SECOND = WORLD.lists


def log(device, searches, seed, eta, only=None):
    """Searches on a device whose positions are looked at with chance 1 / k ** eta."""
    made = frame(WORLD, clicks(WORLD, searches, np.random.default_rng(seed), eta=eta, swaps=0.2), seed)
    if only is not None:
        made = made.filter((pl.col("ranker") == only) & (pl.col("swap") == 0))
    return made.with_columns(device=pl.lit(device), impression_id=device + pl.col("impression_id"),
                             session_id=device + pl.col("session_id"), unit_id=device + pl.col("unit_id"))  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("segments")
    pl.concat([log("desktop", 9_000, 5, 0.5), log("phone", 9_000, 6, 1.8)]).write_parquet(path / "both.parquet")
    for name in WORLD.lists:
        rows = [f"{query} Q0 {WORLD.doc_ids[at][doc]} {rank} {100 - rank} run"
                for at, query in enumerate(WORLD.query_ids)
                for rank, doc in enumerate(WORLD.lists[name][at], 1)]  # fmt: skip
        (path / f"{name}.run").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def true_value(name, rows):
    """Mean over searches of the discounted attraction of a ranker's list."""
    asked = rows.group_by("query_id").agg(n=pl.col("impression_id").n_unique())
    times = dict(zip(asked["query_id"], asked["n"], strict=True))
    worth = {query: float(DCG @ WORLD.attraction[at, WORLD.lists[name][at]])
             for at, query in enumerate(WORLD.query_ids)}  # fmt: skip
    return sum(n * worth[query] for query, n in times.items()) / sum(times.values())


def test_each_segment_is_weighed_by_its_own_curve(folder):
    rows = pl.read_parquet(folder / "both.parquet")
    for name in WORLD.lists:
        found = assay.counterfactual(folder / "both.parquet", folder / f"{name}.run")
        assert found.exit_code == 0
        assert "for each of desktop, phone" in found.propensities
        assert abs(found.value - true_value(name, rows)) < 3 * found.se
        assert (found.searches, found.all_searches, found.queries) == (18_000, 18_000, 60)
        assert [one.name for one in found.segments] == ["desktop", "phone"]
        for one in found.segments:
            truth = true_value(name, rows.filter(pl.col("device") == one.name))
            assert abs(one.value - truth) < 1.6 * (one.high - one.low) / 2  # 3.1 standard errors
        whole = sum(one.searches * one.value for one in found.segments) / 18_000
        assert found.value == pytest.approx(whole, rel=1e-9)
        codes = {note.code for note in found.notes}
        assert "segments-apart" in codes
        assert "segments-differ" not in codes


def test_sums_by_person_of_a_log_by_segment_are_the_estimate(folder):
    """The error by hand: what each search adds by the curve of its own segment, summed by person."""
    rows = pl.read_parquet(folder / "both.parquet")
    found = assay.counterfactual(folder / "both.parquet", folder / f"{FIRST}.run", estimator="policy-aware")
    assert found.units == rows["unit_id"].n_unique()
    clicked = rows["clicked"].to_numpy()
    curve = {}
    for device, part in rows.partition_by("device", as_dict=True).items():
        bias = assay.propensity(assay_cells(folder, device[0], part), rivals=False)
        curve[device[0]] = bias.theta
    theta = np.array([curve[device][k - 1] for device, k in rows.select("device", "position").iter_rows()])
    keys = rows.select("device", "query_id", "doc_id").with_columns(theta=theta, clicked=clicked)
    sums = keys.group_by("device", "query_id", "doc_id").agg(pl.col("theta", "clicked").sum())
    keys = keys.join(sums, on=["device", "query_id", "doc_id"], suffix="_all", how="left", maintain_order="left")
    asked = rows.group_by("device", "query_id").agg(n=pl.col("impression_id").n_unique())
    keys = keys.join(asked, on=["device", "query_id"], how="left", maintain_order="left")
    rank = {(query, WORLD.doc_ids[at][doc]): DCG[place] for at, query in enumerate(WORLD.query_ids)
            for place, doc in enumerate(WORLD.lists[FIRST][at])}  # fmt: skip
    worth = np.array([rank.get(pair, 0.0) for pair in keys.select("query_id", "doc_id").iter_rows()])
    examined, gamma = keys["theta_all"].to_numpy(), keys["clicked_all"].to_numpy() / keys["theta_all"].to_numpy()
    adds = worth * keys["n"].to_numpy() / examined * (clicked - theta * gamma)
    by_list = keys.with_columns(worth=worth * gamma).unique(["device", "query_id", "doc_id"])
    base = by_list.group_by("device", "query_id").agg(base=pl.col("worth").sum())
    searches = rows.with_columns(adds=adds).group_by("unit_id", "impression_id", "device", "query_id").agg(
        pl.col("adds").sum()).join(base, on=["device", "query_id"])  # fmt: skip
    people = searches.group_by("unit_id").agg(x=pl.len(), y=(pl.col("adds") + pl.col("base")).sum())
    x, y = people["x"].to_numpy().astype(float), people["y"].to_numpy()
    rest = y - y.sum() / x.sum() * x
    own = rest @ rest * len(x) / (len(x) - 1) / x.sum() ** 2
    assert found.value == pytest.approx(y.sum() / x.sum(), rel=1e-9)
    assert found.se**2 - found.se_propensities**2 == pytest.approx(own, rel=1e-6)


def assay_cells(folder, device, part):
    path = folder / f"{device}.parquet"
    part.drop("device").write_parquet(path)
    return path


def test_a_segment_that_never_showed_the_documents_is_refused_by_itself(tmp_path, folder):
    """Phones with one ranker's lists alone know no curve; with a twentieth of the searches they are left out."""
    for many, is_refused in ((600, False), (9_000, True)):
        third = log("tablet", many, 7, 1.0, only=FIRST)
        pl.concat([pl.read_parquet(folder / "both.parquet"), third]).write_parquet(tmp_path / "three.parquet")
        found = assay.counterfactual(tmp_path / "three.parquet", folder / f"{SECOND}.run")
        tablet = found.segments[-1]
        assert (tablet.name, tablet.value, tablet.why) == ("tablet", None, "propensities")
        assert tablet.searches == third["impression_id"].n_unique()
        assert "segment-left-out" in {note.code for note in found.notes}
        assert found.all_searches == found.searches + tablet.searches
        assert (found.exit_code == 2) is is_refused
        if is_refused:
            assert found.value is None
            assert found.reasons[0].rule == "propensities"
            assert found.reasons[0].says.startswith("in tablet, with ")
        else:
            assert abs(found.value - true_value(SECOND, pl.read_parquet(folder / "both.parquet"))) < 3 * found.se


def test_support_is_asked_of_each_segment(tmp_path, folder):
    """What desktops alone were shown says nothing of phones, even where both together have all documents."""
    kept = log("phone", 3_000, 8, 1.8).join(
        pl.DataFrame({"query_id": list(WORLD.query_ids), "top": [WORLD.doc_ids[at][WORLD.lists[SECOND][at, 0]]
                                                                for at in range(60)]}), on="query_id",
    ).filter(pl.col("doc_id") != pl.col("top")).drop("top")  # fmt: skip
    pl.concat([log("desktop", 9_000, 5, 0.5), kept]).write_parquet(tmp_path / "log.parquet")
    found = assay.counterfactual(tmp_path / "log.parquet", folder / f"{SECOND}.run")
    desktop, phone = found.segments
    assert desktop.supported == pytest.approx(1)
    assert phone.supported == pytest.approx(1 - DCG[0] / DCG.sum(), abs=0.01)
    assert (phone.value, phone.why) == (None, "support")
    assert found.supported > 0.9  # of both together
    assert found.exit_code == 2
    assert [one.rule for one in found.reasons] == ["support"]
    assert found.reasons[0].says.startswith("in phone, with 25 % of the searches, ")


def test_segments_are_kept_and_shown(tmp_path, folder):
    found = assay.counterfactual(folder / "both.parquet", folder / f"{FIRST}.run")
    again = assay.show(found.save(tmp_path / "found.assay"))
    assert again.segments == found.segments
    text = to_text(describe(found), 110)
    assert "By segment" in text
    assert f"{found.segments[1].value:.4f}" in text


def test_cells_by_segment_give_what_the_log_gives(tmp_path, folder):
    assay.cells(folder / "both.parquet", out=tmp_path / "c.parquet")
    of_log, of_cells = (assay.counterfactual(one, folder / f"{SECOND}.run")
                        for one in (folder / "both.parquet", tmp_path / "c.parquet"))  # fmt: skip
    assert of_cells.value == pytest.approx(of_log.value, rel=1e-12)
    assert [one.value for one in of_cells.segments] == pytest.approx([one.value for one in of_log.segments])


def test_a_file_of_propensities_holds_a_curve_for_each_segment_that_differs(tmp_path, folder):
    assay.propensity(folder / "both.parquet", out=tmp_path / "p.csv", rivals=False)
    lines = (tmp_path / "p.csv").read_text().splitlines()
    assert lines[0] == "segment,position,propensity,low,high,se_log"
    assert [line.split(",")[0] for line in lines[1:]] == [""] * 10 + ["desktop"] * 10 + ["phone"] * 10
    run = folder / f"{SECOND}.run"
    own, found = (assay.counterfactual(folder / "both.parquet", run, propensities=given)
                  for given in (None, tmp_path / "p.csv"))  # fmt: skip
    assert found.value == pytest.approx(own.value, rel=1e-12)
    assert found.se > own.se  # errors of a curve are taken to be wrong in one direction
    assert found.propensities == f"from {tmp_path / 'p.csv'} for each of desktop, phone"
    assert "joint-errors" in {note.code for note in found.notes}
    labels = [assay.qrels_from_clicks(folder / "both.parquet", cuts=[0.2, 0.4], propensities=given).table
              for given in (None, tmp_path / "p.csv")]  # fmt: skip
    assert labels[1]["attraction"].to_list() == pytest.approx(labels[0]["attraction"].to_list(), rel=1e-12)
    assert set(labels[1]["model"]) == {"position-based, by segment"}


def test_curves_of_the_wrong_segment_are_refused(tmp_path, folder):
    assay.propensity(folder / "both.parquet", out=tmp_path / "p.csv", rivals=False)
    text = (tmp_path / "p.csv").read_text()
    (tmp_path / "swapped.csv").write_text(text.replace("desktop,", "x,").replace("phone,", "desktop,")
                                          .replace("x,", "phone,"))  # fmt: skip
    run = folder / f"{SECOND}.run"
    found = assay.counterfactual(folder / "both.parquet", run, propensities=tmp_path / "swapped.csv")
    assert (found.value, found.exit_code) == (None, 2)
    assert [one.rule for one in found.reasons] == ["propensities"]
    assert found.reasons[0].says.startswith("in desktop, at position 2 the propensity is ")
    assert [one.why for one in found.segments] == ["propensities", "propensities"]


def test_segments_of_the_file_and_of_the_log_have_to_meet(tmp_path, folder):
    (tmp_path / "p.csv").write_text("segment,position,propensity\ntv,1,1\ntv,2,0.5\n")
    run = folder / f"{FIRST}.run"
    with pytest.raises(InputError, match="has propensities of 'tv', and the log has 'desktop', 'phone'"):
        assay.counterfactual(folder / "both.parquet", run, propensities=tmp_path / "p.csv")
    bare = tmp_path / "bare.parquet"
    pl.read_parquet(folder / "both.parquet").drop("device").write_parquet(bare)
    with pytest.raises(InputError, match="has propensities of segments, and the log names no segment"):
        assay.counterfactual(bare, run, propensities=tmp_path / "p.csv")
    (tmp_path / "p.csv").write_text("segment,position,propensity\nphone,1,1\nphone,1,0.5\n")
    with pytest.raises(InputError, match=r"p\.csv:3: position 1 is below 1, or stands twice"):
        assay.counterfactual(folder / "both.parquet", run, propensities=tmp_path / "p.csv")
