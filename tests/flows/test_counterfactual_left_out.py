"""Counterfactual values of logs with segments that cannot say: which are left out, when, and what is said of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import NotEnoughEvidence
from assay.report.describe import describe

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


@pytest.mark.parametrize(("searched", "is_refused"), [(8, False), (52, True)])
def test_a_segment_whose_curve_does_not_fit_is_left_out_and_counts_towards_the_tenth(tmp_path, searched, is_refused):
    """A tenth of what its curve says look at its position 2; 8 of 216 searches are 3.7 %, 52 of 260 are 20 %."""
    rows = [row for device in ("desk", "phone") for query in QUERIES for row in searches(device, query, 104)]
    alone = written(tmp_path / "alone.parquet", rows)
    rows += [row for query in QUERIES for row in searches("tv", query, searched, second=0.05)]
    curve = tmp_path / "p.csv"
    curve.write_text("segment,position,propensity\n" + "".join(
        f"{name},1,1\n{name},2,0.5\n" for name in ("desk", "phone", "tv")))  # fmt: skip
    target = run(tmp_path / "all.run", QUERIES)
    found = assay.counterfactual(written(tmp_path / "log.parquet", rows), target, propensities=curve)
    assert (found.exit_code == 2) is is_refused
    assert [one.why for one in found.segments] == ["", "", "propensities"]
    assert found.segments[2].searches == 50 * searched
    assert any(note.text.startswith("tv is left out: ") for note in found.notes)
    if is_refused:
        assert [one.rule for one in found.reasons] == ["propensities"]
        assert found.reasons[0].says.startswith("in tv, with 20 % of the searches, ")
        assert {one.value for one in found.others} == {None}
    else:
        plain = assay.counterfactual(alone, target, propensities=curve)
        assert found.value == pytest.approx(plain.value, rel=1e-12)
        assert found.fits is True
        assert found.propensities == f"from {curve} for each of desk, phone; tv does not fit"
        shown = str(describe(found))
        assert f"on {2 * 5200:,} of the {2 * 5200 + 50 * searched:,} searches of the log (desk and phone)" in shown
        assert "; nothing speaks against the model in desk and phone" in shown


def test_each_segment_stands_beside_what_its_own_log_showed(tmp_path):
    """By the same curve a log of that segment alone gives the same value, the same log and the same difference."""
    parts = {name: [row for query in QUERIES for row in searches(name, query, 104)] for name in ("desk", "phone")}
    curve = tmp_path / "p.csv"
    curve.write_text("segment,position,propensity,se_log\n" + "".join(
        f"{name},1,1,0.1\n{name},2,0.5,0.2\n" for name in parts))  # fmt: skip
    target = run(tmp_path / "all.run", QUERIES)
    both = assay.counterfactual(written(tmp_path / "log.parquet", [*parts["desk"], *parts["phone"]]), target,
                                propensities=curve)  # fmt: skip
    for one in both.segments:
        alone = assay.counterfactual(written(tmp_path / "log.parquet", parts[one.name]), target, propensities=curve)
        for name in ("value", "logged", "difference", "difference_low", "difference_high"):
            assert getattr(one, name) == pytest.approx(getattr(alone, name), rel=1e-9)
    for name in ("logged", "difference"):  # as many searches each
        mean = sum(getattr(one, name) for one in both.segments) / 2
        assert getattr(both, name) == pytest.approx(mean, rel=1e-9)


def test_queries_that_only_a_segment_without_a_curve_asked_were_asked(tmp_path, log, curves):
    found = assay.counterfactual(log, run(tmp_path / "a.run", ["a", "t", "z"]), propensities=curves)
    assert [note.text for note in found.notes if note.code == "queries-not-asked"] == [
        "1 query of the run was never asked"  # z: tablets asked t
    ]
    tablet = found.segments[2]
    assert (tablet.name, tablet.searches, tablet.supported, tablet.ess, tablet.logged) == (
        "tablet",
        4,
        None,
        None,
        None,
    )
    assert found.propensities == f"from {curves} for each of desk, phone; tablet has no curve"


def test_where_a_run_was_asked_only_where_nothing_can_be_said_the_reason_is_told(tmp_path, log, curves):
    target = run(tmp_path / "t.run", ["t"])
    for missing in ("skip", "zero"):
        with pytest.raises(NotEnoughEvidence, match=r"only in tablet.*: .*p\.csv has no propensities"):
            assay.counterfactual(log, target, propensities=curves, missing=missing)


def test_the_reason_of_a_segment_without_a_curve_is_that_of_the_file(tmp_path, log):
    (tmp_path / "p.csv").write_text("segment,position,propensity\ndesk,1,1\ndesk,2,0.5\n")
    found = assay.counterfactual(log, run(tmp_path / "a.run", ["a"]), propensities=tmp_path / "p.csv")
    assert found.exit_code == 2
    (reason,) = found.reasons
    assert reason.says == f"in phone, with 50 % of the searches, {tmp_path / 'p.csv'} has no propensities of it"


def test_one_curve_for_segments_that_nothing_tests_is_said(tmp_path):
    """Phones show one order: their documents are weighed by the curve of desks."""
    rows = [row for query in QUERIES for row in searches("desk", query, 104)]
    rows += [row for query in QUERIES for row in searches("phone", query, 104, second=0.1, is_turned=False)]
    found = assay.counterfactual(written(tmp_path / "log.parquet", rows), run(tmp_path / "a.run", QUERIES))
    (note,) = [note for note in found.notes if note.code == "segments-untested"]
    assert note.level == "warning"
    assert note.text == ("whether positions are looked at alike in desk and phone cannot be tested: phone ties none "
                         "together, and one curve stands for all")  # fmt: skip
    (tmp_path / "p.csv").write_text("segment,position,propensity\n,1,1\n,2,0.5\ndesk,1,1\ndesk,2,0.5\nphone,1,1\n")
    bare = pl.read_parquet(tmp_path / "log.parquet").drop("device")
    bare.write_parquet(tmp_path / "bare.parquet")
    found = assay.counterfactual(tmp_path / "bare.parquet", tmp_path / "a.run", propensities=tmp_path / "p.csv")
    (note,) = [note for note in found.notes if note.code == "segments-differ"]
    assert note.text.startswith("positions are looked at differently in desk and phone, and one curve stands for all: ")


def test_the_model_fits_by_segment_where_each_was_tested(tmp_path, curves):
    """Phones with one order cannot be tested: nothing is known of the fit, and a note names them."""
    for is_turned in (True, False):
        rows = [row for query in QUERIES for row in searches("desk", query, 104)]
        rows += [row for query in QUERIES for row in searches("phone", query, 104, is_turned=is_turned)]
        log = written(tmp_path / "log.parquet", rows)
        found = assay.counterfactual(log, run(tmp_path / "a.run", QUERIES), propensities=curves)
        assert found.exit_code == 0
        assert found.fits is (True if is_turned else None)
        said = [note.text for note in found.notes if note.code == "untested"]
        assert len(said) == (0 if is_turned else 1)
        assert all("test the propensities of phone: " in text for text in said)
        assert "segments-without-rivals" not in {note.code for note in found.notes}
