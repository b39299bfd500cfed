from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from assay.errors import InputError
from assay.judgments.agreement import RaterAgreement, agreement
from assay.tables import Judgment
from assay.tables.door import block_of

Row = tuple[str, str, str | None, float]


def agreed(rows: list[Row], **options: object) -> RaterAgreement:
    held = [{"query_id": q, "doc_id": d, "rater": r, "grade": g} for q, d, r, g in rows]
    return agreement(block_of(held, Judgment, "labels.csv"), **options)  # type: ignore[arg-type]


def two(pairs: list[tuple[float, float]]) -> list[Row]:
    """Two raters, one query a pair."""
    return [(f"q{i}", "d", who, grade) for i, pair in enumerate(pairs) for who, grade in zip("ab", pair, strict=True)]


@pytest.mark.shared
def test_three_raters_of_a_shop(shared: Path) -> None:
    folder = shared / "data/collections/chorus_ratings"
    facts = json.loads((folder / "facts.json").read_text())
    rows: list[Row] = []
    with (folder / "individual_ratings.csv").open(newline="") as file:
        for line in csv.DictReader(file):
            rows += [(line["query"], line["docid"], f"rater_{i}", float(line[f"rater_{i}"])) for i in (1, 2, 3)]
    found = agreed(rows, grades=(0, 1, 2, 3), resamples=200)
    for pair, name in zip(found.pairs, ("12", "13", "23"), strict=True):
        same, plain, linear, quadratic = (c.value for c in pair.coefficients)
        assert same == pytest.approx(facts[f"agree_{name}"], abs=1e-6)
        assert plain == pytest.approx(facts[f"kappa_{name}"], abs=1e-6)
        assert linear == pytest.approx(facts[f"kappa_linear_{name}"], abs=1e-6)
        assert quadratic == pytest.approx(facts[f"kappa_quadratic_{name}"], abs=1e-6)
    known = {c.name: c.value for c in found.total.coefficients}
    assert known["kappa, Fleiss"] == pytest.approx(facts["fleiss_kappa"], abs=1e-6)
    for level in ("nominal", "ordinal", "interval"):
        assert known[f"alpha, {level}"] == pytest.approx(facts[f"krippendorff_alpha_{level}"], abs=1e-6)
    assert found.is_enough is True


@pytest.mark.shared
def test_raters_without_names(shared: Path) -> None:
    folder = shared / "data/collections/codesearchnet_annotations"
    facts = json.loads((folder / "facts.json").read_text())
    with gzip.open(folder / "annotations.csv.gz", "rt", newline="") as file:
        rows: list[Row] = [
            (f"{line['language']}: {line['query']}", line["url"], None, float(line["relevance"]))
            for line in csv.DictReader(file)
        ]
    found = agreed(rows, resamples=200)
    total = found.total
    assert (total.ratings, total.pairs, total.shared) == (facts["ratings"], facts["units"], facts["units_with_2plus"])
    known = {c.name: c.value for c in total.coefficients}
    for level in ("nominal", "ordinal", "interval"):
        assert known[f"alpha, {level}"] == pytest.approx(facts[f"krippendorff_alpha_{level}"], abs=1e-6)
    assert (found.raters, found.pairs) == ((), ())
    assert found.is_enough is False
    assert [note.code for note in found.notes] == ["no-raters", "grades-seen"]


@pytest.mark.shared
def test_the_interval_resamples_queries_and_not_pairs(shared: Path) -> None:
    golden = json.loads((shared / "golden/stats/agreement.json").read_text())
    rows: list[Row] = [
        (f"q{query}", f"d{i}", who, float(given[i]))
        for i, query in enumerate(golden["query_of_item"])
        for who, given in zip("ab", golden["ratings_complete"][:2], strict=True)
    ]
    found = agreed(rows, grades=(0, 1, 2, 3), resamples=20_000).pairs[0].coefficients[1]
    low, high = golden["kappa_bootstrap_percentile_95"]["over_queries"]
    # two runs of 40,000 and 20,000 resamples: the tolerance of the file, once for each
    assert (found.low, found.high) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))


def test_under_ten_queries_there_is_a_value_and_no_interval() -> None:
    found = agreed(two([(0, 0), (1, 1), (2, 1), (0, 0), (1, 1), (2, 2), (0, 1), (1, 1), (2, 2)]))
    first = found.deciding
    assert first.value is not None
    assert (first.low, first.high, first.remark) == (None, None, "no interval from 9 queries")
    assert found.is_enough is None


def test_too_many_undefined_resamples_leave_no_interval() -> None:
    rows = two([(0, 0)] * 11 + [(1, 0)])  # a resample without the last query has one grade only
    found = agreed(rows).total.coefficients[2]
    # (11/12)^12 = 35 % of the resamples lack it
    assert found.low is None
    assert found.remark.startswith("no interval: undefined in 3")


def test_who_is_milder_than_the_others() -> None:
    rows: list[Row] = []
    for i in range(12):
        rows += [
            (f"q{i}", "d", "mild", min(3, i % 3 + 1)),
            (f"q{i}", "d", "fair", i % 3),
            (f"q{i}", "d", "plain", i % 3),
        ]
    by_name = {one.name: one for one in agreed(rows, grades=(0, 1, 2, 3)).raters}
    assert by_name["mild"].lean == pytest.approx(1.0)
    assert by_name["fair"].lean == pytest.approx(-0.5)
    assert by_name["mild"].mean == pytest.approx(2.0)


def test_a_rater_who_never_varied_is_named() -> None:
    found = agreed(two([(1, i % 3) for i in range(12)]), grades=(0, 1, 2))
    kappa = found.pairs[0].coefficients[3]
    assert (kappa.value, kappa.remark) == (0.0, "a never varied: kappa cannot differ from 0")
    assert "a never varied" in found.raters[0].kappa.remark


def test_two_raters_who_never_varied_and_never_agreed_are_both_named() -> None:
    found = agreed(two([(2, 3)] * 12), grades=(0, 1, 2, 3))
    kappa = found.pairs[0].coefficients[3]
    assert (kappa.value, kappa.remark) == (0.0, "a and b never varied: kappa cannot differ from 0")
    same = agreed(two([(2, 2)] * 12), grades=(0, 1, 2, 3)).pairs[0].coefficients[3]
    assert (same.value, same.remark) == (None, "both gave one and the same grade to everything")


def test_where_one_grade_alone_occurs_only_the_percentage_is_told() -> None:
    total = {one.name: one for one in agreed(two([(2, 2)] * 12), grades=(0, 1, 2, 3)).total.coefficients}
    assert total.pop("percent").value == 1.0
    assert {one.value for one in total.values()} == {None}
    assert total["AC1"].remark == "only one grade occurs: there is nothing to agree about beyond chance"


def test_the_widest_spread_is_disputed_first_and_agreement_is_not() -> None:
    rows = [*two([(0, 0), (1, 2), (0, 3)]), ("q2", "d", "c", 0.0)]
    found = agreed(rows, grades=(0, 1, 2, 3)).disputes
    assert [(one.query_id, one.grades) for one in found] == [("q2", (0.0, 0.0, 3.0)), ("q1", (1.0, 2.0))]
    assert found[0].raters == ("a", "c", "b")


def test_bad_labels_are_refused_with_their_place() -> None:
    with pytest.raises(InputError, match=r"labels.csv, row 2: grade 5 is not on the scale 0, 1, 2, 3"):
        agreed(two([(0, 5)]), grades=(0, 1, 2, 3))
    with pytest.raises(InputError, match="no pair of query and document has two ratings"):
        agreed([("q", "d", "a", 1.0), ("q", "e", "b", 1.0)])
    with pytest.raises(InputError, match="rater a gives document d for query q a second, different grade"):
        agreed([("q", "d", "a", 1.0), ("q", "d", "a", 2.0), ("q", "d", "b", 2.0)])
    with pytest.raises(InputError, match="a scale needs two grades"):
        agreed(two([(0, 1)]), grades=(1,))
    for endless in (float("inf"), float("nan")):
        with pytest.raises(InputError, match="a grade is a finite number"):
            agreed(two([(0, 1)]), grades=(0, 1, endless))


def test_the_same_grade_twice_counts_once() -> None:
    once, twice = two([(0, 1), (1, 1)]), [*two([(0, 1), (1, 1)]), ("q0", "d", "a", 0.0)]
    assert agreed(once).total == agreed(twice).total


def test_fractions_are_a_scale_of_what_is_seen() -> None:
    assert agreed(two([(0.5, 0.5), (0.1, 1.0)])).grades == (0.1, 0.5, 1.0)
    assert agreed(two([(-1, 2), (0, 2)])).grades == (-1.0, 0.0, 1.0, 2.0)
    with pytest.raises(InputError, match="202 different grades are no scale"):
        agreed(two([(i / 1000, (i + 500) / 1000) for i in range(101)]))


def test_the_same_seed_gives_the_same_intervals() -> None:
    rng = np.random.default_rng(1)
    rows = two([tuple(rng.integers(0, 4, 2).astype(float)) for _ in range(40)])  # type: ignore[misc]
    assert agreed(rows, seed=3, resamples=300) == agreed(rows, seed=3, resamples=300)
    assert agreed(rows, seed=3, resamples=300).total != agreed(rows, seed=4, resamples=300).total
