"""Labels from clicks: of logs with known truth, with where they come from; what the log cannot say is refused."""

from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError, NotEnoughEvidence
from assay.report.describe import describe
from assay.report.text import to_text
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World

WORLD = World.make(7, queries=30)


def write(path, law="pbm", n=15_000, seed=7):
    frame(WORLD, clicks(WORLD, n, np.random.default_rng(seed), law, swaps=0.2), seed).write_parquet(path)
    return path


def judged():
    """What people would say: the grades of the world, 0 to 4."""
    return {query: {doc: float(grade) for doc, grade in zip(docs, grades.tolist(), strict=True)}
            for query, docs, grades in zip(WORLD.query_ids, WORLD.doc_ids, WORLD.grade, strict=True)}  # fmt: skip


def truth(result):
    place = {query: row for row, query in enumerate(WORLD.query_ids)}
    table = result.table
    return np.array([WORLD.attraction[place[query], WORLD.doc_ids[place[query]].index(doc)]
                     for query, doc in table.select("query_id", "doc_id").iter_rows()])  # fmt: skip


@pytest.fixture(scope="module")
def pbm(tmp_path_factory):
    return write(tmp_path_factory.mktemp("log") / "pbm.parquet")


@pytest.fixture(scope="module")
def found(pbm):
    return assay.qrels_from_clicks(pbm, qrels=judged())


def test_attraction_is_near_the_truth_and_its_error_says_how_near(found):
    table = found.table.with_columns(truth=truth(found)).filter(pl.col("clicks") >= 20)
    assert len(table) > 80
    off = (table["attraction"] - table["truth"]) / table["se"]
    # |z| of 1 on average in squares; the errors of propensities are shared, hence the room
    assert 0.6 < float((off**2).mean() or 0) < 1.6
    inside = ((table["low"] <= table["truth"]) & (table["truth"] <= table["high"].fill_null(9.0))).mean()
    assert inside > 0.88


def test_grades_agree_with_people_far_better_than_one_grade_for_all(found):
    assert found.agreed.queries >= 25
    assert found.agreed.low > found.agreed.guess
    assert found.agreed.kappa > 0.7
    assert found.calibration.startswith("isotonic-")
    assert sum(sum(row) for row in found.agreed.table) == found.agreed.pairs


def test_what_spans_several_grades_stays_unjudged(found):
    assert found.labels == found.qrels.height < found.pairs == found.table.height
    assert found.labels + sum(one.n for one in found.left_out) == found.pairs
    open_ = found.table.filter(pl.col("grade").is_null() & pl.col("attraction").is_not_null())
    cuts = [cut for cut in found.cuts.at if np.isfinite(cut)]
    spans = [sum(low < cut <= (high if high is not None else np.inf) for cut in cuts)
             for low, high in open_.select("low", "high").iter_rows()]  # fmt: skip
    assert min(spans) > 1


def test_every_row_says_where_it_comes_from(tmp_path, pbm):
    result = assay.qrels_from_clicks(pbm, cuts=[0.1, 0.3, 0.5], out=tmp_path / "labels.csv", pairs=tmp_path / "p.csv")
    with (tmp_path / "labels.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == result.labels
    assert {(row["source"], row["rater"], row["model"]) for row in rows} == {("clicks", "clicks", "position-based")}
    assert {row["rubric"] for row in rows} == {result.calibration}
    assert {(row["log_from"][:10], row["log_to"][:10]) for row in rows} == {("2026-01-01", "2026-01-28")}
    assert all(int(row["impressions"]) >= int(row["clicks"]) and float(row["se"]) > 0 for row in rows)
    assert pl.read_csv(tmp_path / "p.csv").height == result.pairs


def test_labels_go_to_evaluate_as_they_are(tmp_path, pbm):
    result = assay.qrels_from_clicks(pbm, cuts=[0.1, 0.3], out=tmp_path / "labels.parquet")
    query = result.qrels["query_id"][0]
    docs = result.qrels.filter(pl.col("query_id") == query)["doc_id"].to_list()
    scores = assay.evaluate({query: {doc: -float(at) for at, doc in enumerate(docs)}}, tmp_path / "labels.parquet",
                            "nDCG@10", missing="skip")  # fmt: skip
    assert scores.mean() == pytest.approx(1.0)  # the file lists documents by falling attraction


def test_cuts_are_compared_with_people(pbm):
    result = assay.qrels_from_clicks(
        pbm, cuts=[0.085, 0.185, 0.35, 0.575], qrels=judged()
    )  # between the means of grades
    assert result.calibration.startswith("cuts-")
    assert result.agreed.kappa > 0.7


def test_given_propensities_give_what_those_of_the_log_give(tmp_path, pbm):
    assay.propensity(pbm, out=tmp_path / "p.csv", rivals=False)
    own, given = (assay.qrels_from_clicks(pbm, cuts=[0.2, 0.4], propensities=file) for file in
                  (None, tmp_path / "p.csv"))  # fmt: skip
    assert given.table["attraction"].to_list() == pytest.approx(own.table["attraction"].to_list(), nan_ok=True)
    wider = (given.table["se"] >= own.table["se"] - 1e-12).drop_nulls()  # joint errors are not in the file
    assert wider.all()


def test_a_model_that_does_not_fit_makes_no_labels(tmp_path):
    log = write(tmp_path / "dbn.parquet", "dbn", 20_000)
    with pytest.raises(NotEnoughEvidence, match=r"no labels: the position-based model does not fit(.|\n)*mend: "):
        assay.qrels_from_clicks(log, cuts=[0.2, 0.4], out=tmp_path / "labels.csv")
    assert not (tmp_path / "labels.csv").exists()
    result = assay.qrels_from_clicks(log, cuts=[0.2, 0.4], out=tmp_path / "labels.csv", despite_misfit="a rehearsal")
    assert set(pl.read_csv(tmp_path / "labels.csv")["despite_misfit"]) == {"a rehearsal"}
    assert describe(result).answer[0].tone == "fail"


def test_grades_of_clicks_are_no_people(pbm, found):
    with pytest.raises(InputError, match="no human judgment of relevance"):
        assay.qrels_from_clicks(pbm, qrels=found.qrels)


def test_propensities_of_one_ranker_that_never_moves_are_not_made_up(tmp_path):
    world = World.make(1, queries=5, noise=(1.0,))
    frame(world, clicks(world, 500, np.random.default_rng(1)), 1).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(NotEnoughEvidence, match="no position is tied to position 1"):
        assay.qrels_from_clicks(tmp_path / "log.parquet", cuts=[0.2])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "nothing says which attraction is which grade"),
        ({"cuts": [0.4, 0.2]}, "not rising"),
        ({"cuts": [0.2], "out": "labels.qrels"}, "does not hold where each label comes from"),
        ({"cuts": [0.2], "queries": ["q0001"]}, "the log has no query 'q0001'; did you mean q001"),
    ],
)
def test_what_cannot_be_read_is_said(pbm, options, says):
    with pytest.raises(InputError, match=says):
        assay.qrels_from_clicks(pbm, **options)


def test_a_query_that_was_asked_for_stands_side_by_side(pbm):
    result = assay.qrels_from_clicks(pbm, cuts=[0.2, 0.4], qrels=judged(), queries=["q003"])
    (query,) = result.queries
    assert query.query_id == "q003"
    assert [row.rank for row in query.rows] == list(range(1, len(query.rows) + 1))
    assert sorted(row.attraction for row in query.rows)[::-1] == [row.attraction for row in query.rows]
    rates = [row.rate for row in sorted(query.rows, key=lambda row: row.raw_rank)]
    assert rates == sorted(rates)[::-1]
    assert all(row.people_say == judged()["q003"][row.doc_id] for row in query.rows)


def test_position_turns_some_orders_round(found):
    assert 0 < found.turned.turned.share < found.turned.unclear.share
    assert found.turned.turned.low < found.turned.turned.share < found.turned.turned.high
    assert found.turned.corrected_agrees - found.turned.raw_agrees == pytest.approx(found.turned.gain)


def test_what_satisfies_stands_beside_what_attracts(tmp_path, pbm):
    # of the most attractive document, every visit ends after 3 s; of all others after 60 s
    log = pl.read_parquet(pbm)
    bait = log.group_by("doc_id", "query_id").agg(pl.col("clicked").sum()).sort("clicked")[-1]
    is_bait = (pl.col("doc_id") == bait["doc_id"][0]) & (pl.col("query_id") == bait["query_id"][0])
    log.with_columns(dwell=pl.when(is_bait).then(3.0).otherwise(60.0)).write_parquet(tmp_path / "log.parquet")
    result = assay.qrels_from_clicks(tmp_path / "log.parquet", cuts=[0.2, 0.4])
    assert result.satisfied_by == "30 s or more on the document"
    assert [(one.query_id, one.doc_id, one.satisfaction) for one in result.promises] == [
        (bait["query_id"][0], bait["doc_id"][0], 0.0)
    ]
    table = result.table.filter(pl.col("visits") > 0)
    assert sorted(set(table["satisfaction"])) == [0.0, 1.0]
    assert table["visits"].sum() == log["clicked"].sum()
    assert "promises more than the document holds" in str(describe(result).parts)


def test_cells_give_what_the_log_gives(tmp_path, pbm):
    assay.cells(pbm, out=tmp_path / "c.parquet")
    of_log, of_cells = (assay.qrels_from_clicks(one, cuts=[0.2, 0.4]) for one in (pbm, tmp_path / "c.parquet"))
    columns = ["query_id", "doc_id", "grade", "clicks"]
    assert of_cells.qrels.select(columns).equals(of_log.qrels.select(columns))
    assert of_cells.log is None


def test_it_is_kept_and_shown_again(tmp_path, found):
    found.save(tmp_path / "r.assay")
    again = assay.show(tmp_path / "r.assay")
    assert again.cuts == found.cuts
    assert describe(again).parts[1] == describe(found).parts[1]


def test_segments_that_read_differently_have_propensities_of_their_own(tmp_path, pbm):
    steep = clicks(WORLD, 15_000, np.random.default_rng(8), eta=2.0, swaps=0.2)
    phone = frame(WORLD, steep, 8).with_columns(device=pl.lit("phone"), impression_id="p" + pl.col("impression_id"))
    desktop = pl.read_parquet(pbm).with_columns(device=pl.lit("desktop"))
    pl.concat([phone, desktop]).write_parquet(tmp_path / "both.parquet")
    result = assay.qrels_from_clicks(tmp_path / "both.parquet", cuts=[0.2, 0.4])  # one curve for both does not fit
    assert "for each of desktop, phone" in result.positions
    assert set(result.table["model"]) == {"position-based, by segment"}
    table = result.table.with_columns(truth=truth(result)).filter(pl.col("clicks") >= 20)
    off = (table["attraction"] - table["truth"]) / table["se"]
    assert 0.6 < float((off**2).mean() or 0) < 1.6
    assert result.table["impressions"].sum() == pl.read_parquet(tmp_path / "both.parquet").height
    same = assay.qrels_from_clicks(pbm, cuts=[0.2, 0.4])  # both devices read alike there
    assert set(same.table["model"]) == {"position-based"}


def test_one_curve_that_was_given_for_segments_that_differ_is_said(tmp_path, pbm):
    steep = clicks(WORLD, 15_000, np.random.default_rng(8), eta=2.0, swaps=0.2)
    phone = frame(WORLD, steep, 8).with_columns(device=pl.lit("phone"), impression_id="p" + pl.col("impression_id"))
    desktop = pl.read_parquet(pbm).with_columns(device=pl.lit("desktop"))
    pl.concat([phone, desktop]).write_parquet(tmp_path / "both.parquet")
    given = {k: 1 / k for k in range(1, 11)}
    result = assay.qrels_from_clicks(tmp_path / "both.parquet", cuts=[0.2, 0.4], propensities=given,
                                     despite_misfit="two kinds of page")  # fmt: skip
    (note,) = [note for note in result.notes if note.code == "segments-differ"]
    assert "desktop and phone" in note.text


def test_purchases_satisfy_where_dwell_is_not_known(tmp_path, pbm):
    log = pl.read_parquet(pbm)
    clicked = log.filter(pl.col("clicked") == 1).select("impression_id", "doc_id", "at")
    bought = clicked.filter(pl.int_range(pl.len()) % 4 == 0).with_columns(kind=pl.lit("purchase"))
    pl.concat([clicked.with_columns(kind=pl.lit("click")), bought]).write_parquet(tmp_path / "events.parquet")
    log.drop("clicked").write_parquet(tmp_path / "shown.parquet")
    result = assay.qrels_from_clicks(tmp_path / "shown.parquet", cuts=[0.2, 0.4], events=tmp_path / "events.parquet")
    assert result.satisfied_by == "a purchase"
    assert result.satisfaction == pytest.approx(0.25, abs=1e-3)  # every fourth
    assert result.table["visits"].sum() == clicked.height
    assert result.promised < 0.05 * result.pairs  # purchases have nothing to do with the document


def test_more_clicks_than_looks_are_said_and_what_no_chance_explains_has_no_label(tmp_path):
    rows = [("q", "a", 1, 100, 30), ("q", "b", 2, 4, 3), ("q", "c", 2, 400, 300), ("q", "d", 2, 2000, 200),
            ("q", "e", 1, 9, 9)]  # fmt: skip
    names = ["query_id", "doc_id", "position", "impressions", "clicks"]
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(tmp_path / "cells.parquet")
    result = assay.qrels_from_clicks(tmp_path / "cells.parquet", cuts=[0.15, 0.25], propensities={1: 1, 2: 0.5},
                                     out=tmp_path / "labels.csv")  # fmt: skip
    table = {row["doc_id"]: row for row in result.table.iter_rows(named=True)}
    assert [(table[doc]["looks"], table[doc]["clicks"]) for doc in "abcde"] == [
        (100, 30), (2, 3), (200, 300), (1000, 200), (9, 9)]  # fmt: skip
    assert [table[doc]["clicks_by_looks"] for doc in "abcde"] == [0.3, 1.5, 1.5, 0.2, 1]
    assert [table[doc]["attraction"] for doc in "abcde"] == [0.3, 1, None, 0.2, 1]
    assert [table[doc]["grade"] for doc in "abcde"] == [2, 2, None, 1, 2]
    assert [(one.reason, one.n) for one in result.left_out] == [
        ("clicked clearly more often than they can have been looked at by these propensities", 1)]  # fmt: skip
    (note,) = [one for one in result.notes if one.code == "attraction-at-1"]
    assert note.count == 1  # b; e was clicked each time that it was looked at, and no more
    assert note.text.startswith("1 pair has more clicks than it was looked at by estimate, by no more than chance")
    assert "clicked clearly more often" in to_text(describe(result), 100)
