"""Counterfactual values of logs with segments that cannot say: which are left out, when, and what is said of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay

QUERIES = [f"q{n:02d}" for n in range(50)]


def searches(device, query, n, *, second=0.5, is_turned=True):
    """Searches for a query with two documents, mostly in one order; position 2 is looked at with that chance."""
    rng = np.random.default_rng([ord(device[0]), *query.encode()])
    attracts = dict(zip(("d1", "d2"), rng.uniform(0.2, 0.6, 2), strict=True))
    rows = []
    for at in range(n):
        for place, doc in enumerate(("d2", "d1") if is_turned and at % 4 == 0 else ("d1", "d2"), 1):
            is_clicked = bool(rng.random() < attracts[doc] * (second if place == 2 else 1))
            rows.append((f"{device} {query} {at}", f"{device} {at}", device, query, doc, place, is_clicked))
    return rows


def written(path, rows):
    names = ["impression_id", "unit_id", "device", "query_id", "doc_id", "position", "clicked"]
    pl.DataFrame(rows, names, orient="row").write_parquet(path)
    return path


def run(path, queries):
    path.write_text("".join(f"{query} Q0 {doc} {rank} {9 - rank} run\n" for query in queries
                            for rank, doc in enumerate(("d1", "d2"), 1)))  # fmt: skip
    return path


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Desks and phones ask 50 queries and "a" with 104 searches each; tablets 50 and "t" with 4, in one order."""
    rows = [row for device in ("desk", "phone") for query in [*QUERIES, "a"] for row in searches(device, query, 104)]
    rows += [row for query in [*QUERIES, "t"] for row in searches("tablet", query, 4, is_turned=False)]
    return written(tmp_path_factory.mktemp("left") / "log.parquet", rows)


@pytest.fixture(scope="module")
def curves(tmp_path_factory):
    path = tmp_path_factory.mktemp("curves") / "p.csv"
    path.write_text("segment,position,propensity\ndesk,1,1\ndesk,2,0.5\nphone,1,1\nphone,2,0.5\n")
    return path


def test_a_segment_that_is_left_out_weighs_by_the_queries_of_the_run(tmp_path, log, curves):
    """Tablets never asked "a": a run of "a" has none of their searches, but all of them where absent ones count."""
    target = run(tmp_path / "a.run", ["a"])
    found = assay.counterfactual(log, target, propensities=curves)
    assert {one.name: one.searches for one in found.segments} == {"desk": 104, "phone": 104, "tablet": 0}
    assert found.exit_code == 0
    assert found.all_searches == 2 * 51 * 104 + 51 * 4
    zero = assay.counterfactual(log, target, propensities=curves, missing="zero")
    assert {one.name: one.searches for one in zero.segments} == {"desk": 5304, "phone": 5304, "tablet": 204}


def test_errors_of_a_file_by_segment_are_those_of_the_same_curve_for_all(tmp_path):
    """The difference to the log rises with the error of one position and falls with that of the other: none cancels."""
    rows = [row for query in QUERIES for row in searches("desk", query, 104)]
    target = run(tmp_path / "all.run", QUERIES)
    found = []
    for name, column in (("segment,", "desk,"), ("", "")):
        curve = tmp_path / "p.csv"
        curve.write_text(f"{name}position,propensity,se_log\n{column}1,1,0.1\n{column}2,0.5,0.2\n")
        found.append(assay.counterfactual(written(tmp_path / "log.parquet", rows), target, propensities=curve))
    one, plain = found
    assert one.value == pytest.approx(plain.value, rel=1e-12)
    assert one.se_propensities == pytest.approx(plain.se_propensities, rel=1e-12)
    assert one.difference_high - one.difference == pytest.approx(plain.difference_high - plain.difference, rel=1e-9)
