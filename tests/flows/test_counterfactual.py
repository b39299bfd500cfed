"""Counterfactual values of logs with known truth; what a log cannot say is refused, with reasons and bounds."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError, NotEnoughEvidence
from assay.report.describe import describe
from assay.report.html import to_html
from assay.report.text import to_text
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World

SEARCHES = 8_000
DCG = 1 / np.log2(np.arange(2, 12))


@pytest.fixture(scope="module")
def world():
    return World.make(5, queries=60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, world):
    """A log of two rankers with swaps, the same of the first ranker alone, and both rankers as runs."""
    path = tmp_path_factory.mktemp("log")
    log = frame(world, clicks(world, SEARCHES, np.random.default_rng(5), swaps=0.2), 5)
    log.write_parquet(path / "log.parquet")
    first, second = world.lists
    log.filter((pl.col("ranker") == first) & (pl.col("swap") == 0)).write_parquet(path / "first.parquet")
    for name in (first, second):
        write_run(path / f"{name}.run", world, world.lists[name])
    return path


def write_run(path, world, lists):
    rows = [f"{query} Q0 {world.doc_ids[at][doc]} {rank} {100 - rank} run"
            for at, query in enumerate(world.query_ids)
            for rank, doc in enumerate(lists[at], 1) if doc >= 0]  # fmt: skip
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def true_value(world, name, log):
    """Mean over the searches of a log of the discounted attraction of a ranker's list."""
    asked = log.group_by("query_id").agg(n=pl.col("impression_id").n_unique())
    times = dict(zip(asked["query_id"], asked["n"], strict=True))
    whole = sum(times.get(query, 0) * sum(DCG[rank] * world.attraction[at, doc]
                                          for rank, doc in enumerate(world.lists[name][at]) if doc >= 0)
                for at, query in enumerate(world.query_ids))  # fmt: skip
    return whole / sum(times.values())


def test_a_log_of_two_rankers_values_both_and_warns_of_plain_weights(folder, world):
    log = pl.read_parquet(folder / "log.parquet")
    for name in world.lists:
        found = assay.counterfactual(folder / "log.parquet", folder / f"{name}.run")
        truth = true_value(world, name, log)
        assert abs(found.value - truth) < 3 * found.se  # one seed in four hundred would fail
        assert found.low < found.value < found.high
        assert (found.exit_code, found.supported, found.fits) == (0, pytest.approx(1), True)
        assert found.units == log["unit_id"].n_unique()
        plain = assay.counterfactual(folder / "log.parquet", folder / f"{name}.run", estimator="ips")
        assert [reason.rule for reason in plain.reasons] == ["mean weight"]
        assert "several-rankers" in {note.code for note in plain.notes}
        assert (plain.value, plain.low, plain.difference, plain.exit_code) == (None, None, None, 2)


def test_sums_by_person_are_the_estimate(folder, world):
    """The error of plain weights by hand: sums of clicks by person over searches of persons."""
    name = next(iter(world.lists))
    log = pl.read_parquet(folder / "first.parquet")
    known = {k: 1 / k for k in range(1, 11)}
    found = assay.counterfactual(folder / "first.parquet", folder / f"{name}.run", estimator="ips",
                                 propensities=known)  # fmt: skip
    ranks = {(query, world.doc_ids[at][doc]): rank for at, query in enumerate(world.query_ids)
             for rank, doc in enumerate(world.lists[name][at])}  # fmt: skip
    adds = [row["clicked"] * DCG[ranks[row["query_id"], row["doc_id"]]] * row["position"]
            for row in log.iter_rows(named=True)]  # fmt: skip
    by_unit = log.with_columns(adds=pl.Series(adds)).group_by("unit_id").agg(
        x=pl.col("impression_id").n_unique(), y=pl.col("adds").sum()
    )  # fmt: skip
    x, y = by_unit["x"].to_numpy(), by_unit["y"].to_numpy()
    value = y.sum() / x.sum()
    rest = y - value * x
    assert found.value == pytest.approx(value, rel=1e-9)
    assert found.se == pytest.approx(np.sqrt(rest @ rest * len(x) / (len(x) - 1)) / x.sum(), rel=1e-9)
    assert found.mean_weight == pytest.approx(1)


def test_what_the_log_never_showed_is_bounded_and_refused(folder, world):
    other = list(world.lists)[1]
    assay.propensity(folder / "log.parquet", out=folder / "p.csv", rivals=False)
    found = assay.counterfactual(folder / "first.parquet", folder / f"{other}.run", propensities=folder / "p.csv")
    assert [reason.rule for reason in found.reasons] == ["support"]
    truth = true_value(world, other, pl.read_parquet(folder / "first.parquet"))
    assert found.worst < truth < found.best
    assert found.supported < 0.9
    codes = {note.code for note in found.notes}
    assert {"untested", "joint-errors"} <= codes


@pytest.mark.parametrize("law", ["dbn", "trust"])
def test_propensities_that_do_not_fit_are_refused(tmp_path, folder, world, law):
    log = frame(world, clicks(world, 15_000, np.random.default_rng(6), law, swaps=0.2), 6)
    log.write_parquet(tmp_path / "log.parquet")
    name = next(iter(world.lists))
    found = assay.counterfactual(tmp_path / "log.parquet", folder / f"{name}.run")
    assert "propensities" in [reason.rule for reason in found.reasons]
    assert "does not fit" in found.reasons[-1].says
    assert found.best_means == "whoever looks at a document clicks it"
    assert found.worst < true_value(world, name, log) < found.best
    page = describe(found)
    assert page.answer[0].label == "NO NUMBER"
    assert all(one.value is None for one in found.others)


def test_propensities_of_another_page_are_refused(folder, world):
    name = next(iter(world.lists))
    found = assay.counterfactual(folder / "log.parquet", folder / f"{name}.run",
                                 propensities={k: k**-0.5 for k in range(1, 11)})  # fmt: skip
    assert [reason.rule for reason in found.reasons] == ["propensities"]
    assert "they are of another page or another time" in found.reasons[0].says


def test_more_clicks_than_looks_are_refused_where_no_document_moves_too(folder, world):
    run = folder / f"{next(iter(world.lists))}.run"
    known = {k: 1 / k for k in range(1, 11)}
    fine = assay.counterfactual(folder / "first.parquet", run, propensities=known)
    assert fine.reasons == ()
    tiny = assay.counterfactual(folder / "first.parquet", run, propensities={**known, 2: 1e-6})
    assert (tiny.value, tiny.exit_code) == (None, 2)
    assert [one.rule for one in tiny.reasons] == ["propensities"]
    assert tiny.reasons[0].says.startswith("at position 2 the propensity is 1e-06, while 0.")


def test_cells_give_what_the_log_gives_but_for_people(tmp_path, folder, world):
    name = next(iter(world.lists))
    log = pl.read_parquet(folder / "log.parquet")
    for day, part in enumerate((log[: len(log) // 2], log[len(log) // 2 :])):
        part.write_parquet(tmp_path / f"day{day}.parquet")
        assay.cells(tmp_path / f"day{day}.parquet", out=tmp_path / f"c{day}.parquet")
    whole = assay.counterfactual(folder / "log.parquet", folder / f"{name}.run")
    found = assay.counterfactual([tmp_path / "c0.parquet", tmp_path / "c1.parquet"], folder / f"{name}.run")
    assert found.value == pytest.approx(whole.value, rel=1e-12)
    assert found.units == 0
    assert "people are not known" in found.errors
    assert found.se == pytest.approx(whole.se, rel=0.5)


def test_a_log_that_is_there_twice_halves_the_variance(tmp_path, folder, world):
    """Twice as many people who do the same; one ranker, as such copies spread too little for any test of clicks."""
    name = next(iter(world.lists))
    log = pl.read_parquet(folder / "first.parquet")
    names = ("unit_id", "impression_id", "session_id")
    again = log.with_columns(*(("x" + pl.col(one)).alias(one) for one in names))
    pl.concat([log, again]).write_parquet(tmp_path / "twice.parquet")
    known = {k: 1 / k for k in range(1, 11)}
    one, two = (assay.counterfactual(path, folder / f"{name}.run", propensities=known)
                for path in (folder / "first.parquet", tmp_path / "twice.parquet"))  # fmt: skip
    assert two.value == pytest.approx(one.value)
    assert two.se**2 == pytest.approx(one.se**2 / 2, rel=1e-3)
    assert two.units == 2 * one.units


def test_every_measure_has_its_discounts(tmp_path, folder, world):
    run, log = folder / f"{next(iter(world.lists))}.run", tmp_path / "cells.parquet"
    assay.cells(folder / "log.parquet", out=log)
    values = {}
    for measure in ("P@5", "RR", "CG@3", "RBP(p=0.5)@5", "nDCG@5"):
        values[measure] = assay.counterfactual(log, run, measure=measure).value
    for measure, given in (("P@5", [0.2] * 5), ("RR", 1 / np.arange(1, 11)), ("CG@3", "1,1,1"),
                           ("RBP(p=0.5)@5", 0.5 ** np.arange(1, 6))):  # fmt: skip
        found = assay.counterfactual(log, run, discounts=given)
        assert found.value == pytest.approx(values[measure], rel=1e-12)
    assert 0 < values["nDCG@5"] <= 1


def test_searches_of_queries_that_the_run_lacks(tmp_path, folder, world):
    name = next(iter(world.lists))
    lines = (folder / f"{name}.run").read_text().splitlines()
    query = world.query_ids[0]
    (tmp_path / "part.run").write_text("\n".join(line for line in lines if not line.startswith(f"{query} ")) + "\n")
    left = assay.counterfactual(folder / "log.parquet", tmp_path / "part.run")
    zero = assay.counterfactual(folder / "log.parquet", tmp_path / "part.run", missing="zero")
    assert left.searches < zero.searches == zero.all_searches == SEARCHES
    assert zero.value == pytest.approx(left.value * left.searches / SEARCHES)
    assert "queries-absent" in {note.code for note in left.notes}


def test_it_is_kept_and_shown(tmp_path, folder, world):
    found = assay.counterfactual(folder / "log.parquet", folder / f"{next(iter(world.lists))}.run")
    again = assay.show(found.save(tmp_path / "found.assay"))
    assert replace(again, source=found.source) == found
    assert "policy-aware" in to_text(describe(found), 100)
    assert "<svg" in to_html(describe(found))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measure": "AP"}, "--measure: AP is no sum over ranks"),
        ({"measure": "P"}, "P without a cutoff"),
        ({"measure": "nDCG@10", "estimator": "ips"}, "only policy-aware estimates give"),
        ({"measure": "DCG(gain=exp)@10"}, "clicks have no grades"),
        ({"estimator": "policy"}, "no estimator is called 'policy'; did you mean policy-aware"),
        ({"discounts": "1,x"}, "no list of numbers"),
        ({"discounts": "0,0"}, "not all of them 0"),
        ({"clip": 0.5}, "no click can weigh less than 0.5"),
        ({"missing": "none"}, "'none' says nothing"),
        ({"propensities": {0: 1.0}}, "positions are whole numbers from 1"),
    ],
)
def test_what_means_nothing_is_refused(folder, world, options, said):
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        assay.counterfactual(folder / "log.parquet", folder / f"{next(iter(world.lists))}.run", **options)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rank,p\n1,1\n", "p.csv:1: has the columns rank, p"),
        ("position,propensity\n1,1\n2,x\n", "p.csv:3: is no position with a propensity"),
        ("position,propensity\n1,1\n1,1\n", "p.csv:3: position 1 is below 1, or stands twice"),
        ("position,propensity\n1,0\n", "p.csv:2: a propensity of 0"),
        ("position,propensity\n", "holds no position"),
    ],
)
def test_a_broken_file_of_propensities_has_a_place(tmp_path, folder, world, text, said):
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        assay.counterfactual(folder / "log.parquet", folder / f"{next(iter(world.lists))}.run",
                             propensities=tmp_path / "p.csv")  # fmt: skip


def test_a_log_without_propensities_says_what_to_do(folder, world):
    with pytest.raises(NotEnoughEvidence, match="or pass --propensities FILE"):
        assay.counterfactual(folder / "first.parquet", folder / f"{next(iter(world.lists))}.run")
    (folder / "other.run").write_text("elsewhere Q0 d 1 1 run\n")
    with pytest.raises(NotEnoughEvidence, match="no query of the ranking was asked"):
        assay.counterfactual(folder / "log.parquet", folder / "other.run")


# Policies.


def policy(path, rows, chances, people=False):
    names = ["item_id", "position", "click", "propensity_score", *(["user_id"] if people else [])]
    (path / "log.csv").write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n")
    lines = ["item_id,p_position1", *(f"{item},{chance}" for item, chance in chances.items())]
    (path / "target.csv").write_text("\n".join(lines) + "\n")
    return assay.counterfactual(path / "log.csv", path / "target.csv", bandit=True)


ROWS = [("a", 1, int(i < 6), 0.6, f"u{i // 3}") for i in range(60)] + [("b", 1, int(i < 8), 0.4, f"u{i // 2}")
                                                                     for i in range(40)]  # fmt: skip


def test_a_policy_by_hand(tmp_path):
    found = policy(tmp_path, [row[:4] for row in ROWS * 2], {"a": 0.4, "b": 0.6})
    assert found.value == pytest.approx((6 * 2 / 3 + 8 * 1.5) / 100)
    assert found.logged == pytest.approx(0.14)
    assert (found.searches, found.units, found.exit_code) == (200, 0, 0)
    assert found.errors == "rows taken as independent"


def test_the_error_of_a_policy_is_by_person_where_people_are_named(tmp_path):
    found = policy(tmp_path, ROWS * 2, {"a": 0.4, "b": 0.6}, people=True)
    shown, adds = {}, {}
    for item, _, click, chance, who in ROWS * 2:
        shown[who] = shown.get(who, 0) + 1
        adds[who] = adds.get(who, 0) + click * {"a": 0.4, "b": 0.6}[item] / chance
    x, y = np.array([*shown.values()], float), np.array([adds[who] for who in shown])
    rest = y - y.sum() / x.sum() * x
    assert found.units == len(x) == 20
    assert found.se == pytest.approx(np.sqrt(rest @ rest * len(x) / (len(x) - 1)) / x.sum())


def test_a_log_that_two_rows_carry_is_refused(tmp_path):
    rows = [("a", 1, int(i < 50), 0.9999) for i in range(9_998)] + [("b", 1, 1, 2e-5), ("b", 1, 0, 2e-5)]
    found = policy(tmp_path, rows, {"a": 0.5, "b": 0.5})
    assert found.largest > SEARCHES
    assert found.ess == pytest.approx(2, abs=0.5)
    assert "effective sample" in [reason.rule for reason in found.reasons]
    assert (found.value, found.worst, found.best, found.exit_code) == (None, 0, 1, 2)


def test_no_click_is_no_evidence_of_none(tmp_path, folder, world):
    found = policy(tmp_path, [(item, place, 0, chance) for item, place, _, chance, _ in ROWS * 2], {"a": 0.4, "b": 0.6})
    assert (found.value, found.worst, found.best) == (None, 0, 1)
    assert found.reasons[0].says.startswith("nobody clicked")
    silent = pl.read_parquet(folder / "first.parquet").with_columns(clicked=pl.lit(0))
    silent.write_parquet(tmp_path / "silent.parquet")
    run = folder / f"{next(iter(world.lists))}.run"
    known = {k: 1 / k for k in range(1, 11)}
    found = assay.counterfactual(tmp_path / "silent.parquet", run, propensities=known)
    assert [reason.rule for reason in found.reasons] == ["effective sample"]
    assert found.value is None
    assert found.worst == 0 < found.best


def test_what_a_policy_would_show_elsewhere_is_refused(tmp_path):
    found = policy(tmp_path, [row[:4] for row in ROWS * 2], {"a": 0.3, "b": 0.5, "z": 0.2})
    assert found.supported == pytest.approx(0.8)
    assert "support" in [reason.rule for reason in found.reasons]


def test_rows_that_cannot_be_read_are_counted(tmp_path):
    found = policy(tmp_path, [*(row[:4] for row in ROWS * 2), ("a", "x", 1, 0.5)], {"a": 0.4, "b": 0.6})
    assert found.searches == 200
    assert [(one.reason, one.n, one.places) for one in found.log.left_out] == [
        ("an impression whose position is no whole number", 1, (f"{tmp_path}/log.csv:202",))
    ]


def test_rows_of_a_policy_are_refused_once_with_their_places(tmp_path):
    lines = [json.dumps({"item_id": doc, "position": place, "click": click, "propensity": chance, "at": at})
             for doc, place, click, chance, at in (*((*row[:4], "2026-03-01T12:00:00Z") for row in ROWS * 2),
                                                   ("a", 1, 1, 0.5, "noon"), ("a", 1, 7, 0.5, ""))]  # fmt: skip
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([*lines, "{broken", '{"position": 1}']) + "\n", encoding="utf-8")
    (tmp_path / "target.csv").write_text("doc_id,position,chance\na,1,0.4\nb,1,0.6\n", encoding="utf-8")
    found = assay.counterfactual(path, tmp_path / "target.csv", bandit=True)
    assert found.searches == 200
    first = len(ROWS) * 2
    assert [(one.reason, one.n, one.places) for one in found.log.left_out] == [
        ("a time that cannot be read or names no time zone", 3,
         tuple(f"{path}:{first + n}" for n in (1, 2, 4))),
        ("a line that is no JSON object", 1, (f"{path}:{first + 3}",)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("chances", "said"),
    [
        ({"a": 0.4, "b": 0.4}, "add up to 0.8 and not to 1"),
        ({"a": 1.4, "b": -0.4}, "target.csv:2: document a at position 1 has the chance 1.4"),
        ({"a": "x", "b": 1}, "target.csv:2: is no document with a position and a chance"),
    ],
)
def test_a_broken_policy_has_a_place(tmp_path, chances, said):
    with pytest.raises(InputError, match=said):
        policy(tmp_path, [row[:4] for row in ROWS], chances)


def test_a_policy_needs_chances_in_the_log_too(tmp_path):
    with pytest.raises(InputError, match="a propensity of 0 is no chance"):
        policy(tmp_path, [("a", 1, 1, 0.0), ("a", 1, 1, 0.5)], {"a": 1})
    with pytest.raises(InputError, match="no document, no position or no propensity"):
        policy(tmp_path, [("a", 1, 1, ""), ("a", 1, 1, 0.5)], {"a": 1})
    (tmp_path / "bare.csv").write_text("item_id,position,click\na,1,1\n")
    with pytest.raises(InputError, match="no column gives the chance"):
        assay.counterfactual(tmp_path / "bare.csv", tmp_path / "target.csv", bandit=True)
    (tmp_path / "long.csv").write_text("doc_id,position,chance\na,2,1\n")
    (tmp_path / "log.csv").write_text("item_id,position,click,propensity\na,1,1,0.5\n")
    with pytest.raises(InputError, match="says nothing of position 1"):
        assay.counterfactual(tmp_path / "log.csv", tmp_path / "long.csv", bandit=True)


def test_it_is_written_as_json(assay_json):
    said = json.loads(assay_json)
    assert said["value"] is None


@pytest.fixture
def assay_json(folder, world):
    from assay.report.machine import to_machine

    found = assay.counterfactual(folder / "log.parquet", folder / f"{next(iter(world.lists))}.run", estimator="snips")
    return to_machine(found, "json")
