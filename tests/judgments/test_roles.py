from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.judgments.aggregate import aggregate
from assay.judgments.agreement import agreement
from assay.judgments.roles import has_adjudicators, rule_of
from assay.judgments.settled import Settled
from assay.report.describe import describe
from assay.report.text import to_text
from assay.tables import Block

ROWS = [
    # query, doc, grade, rater, role
    ("q1", "d1", 0.0, "ana", "rater"),
    ("q1", "d1", 3.0, "bo", "rater"),
    ("q1", "d2", 1.0, "ana", "rater"),
    ("q1", "d2", 2.0, "bo", None),
    ("q1", "d1", 2.0, "cy", "adjudicator"),
    ("q2", "d9", 3.0, "cy", "adjudicator"),
]
NAMES = ("query_id", "doc_id", "grade", "rater", "role")


def block(rows: list[tuple[Any, ...]] = ROWS, small: bool = True, names: tuple[str, ...] = NAMES) -> Block:
    columns = dict(zip(names, (list(cells) for cells in zip(*rows, strict=True)), strict=True))
    kinds = {name: pl.Float64 if name == "grade" else pl.String for name in columns}
    return Block(columns if small else pl.DataFrame(columns, schema=kinds), lambda i: f"a.csv:{i + 2}", "a.csv")


def grades(found: Block) -> dict[tuple[str, str], float]:
    rows = found.polars()
    return dict(zip(zip(rows["query_id"], rows["doc_id"], strict=True), rows["grade"], strict=True))


sizes = pytest.mark.parametrize("small", [True, False], ids=["plain columns", "polars"])


@sizes
@pytest.mark.parametrize(
    ("how", "d1", "d2"),
    [
        ("adjudicated", 2.0, 1.5),  # d2 has 1 and 2, and nobody settled it
        ("adjudicated,majority", 2.0, 1.0),
        ("adjudicated, median", 2.0, 1.5),
        ("adjudicated,bo", 2.0, 2.0),
        ("mean", 1.5, 1.5),  # (0 + 3) / 2: the adjudicator's 2 is no third vote
        ("majority", 0.0, 1.0),
        ("cy", 2.0, None),  # by name, whatever the role
    ],
)
def test_an_adjudicator_decides_or_does_not_count_and_never_is_a_further_vote(
    small: bool, how: str, d1: float, d2: float | None
) -> None:
    found = grades(aggregate(block(small=small), how))
    assert found[("q1", "d1")] == d1
    assert found.get(("q1", "d2")) == d2
    if how != "adjudicated,bo":
        assert found[("q2", "d9")] == 3.0, "a pair that an adjudicator alone graded has that grade"


@sizes
def test_the_facts_say_whose_grades_count(small: bool) -> None:
    assert aggregate(block(small=small), "adjudicated").facts[0] == (
        "2 pairs have the grade of an adjudicator, whatever raters say; the mean of the raters stands elsewhere"
    )
    assert aggregate(block(small=small), "mean").facts[0] == (
        "1 grade of an adjudicator is left out of the mean of the raters; --raters adjudicated lets them decide"
    )


@sizes
def test_each_grade_knows_the_row_that_it_came_from(small: bool) -> None:
    found = aggregate(block(small=small), "adjudicated")
    places = {pair: found.place(i) for i, pair in enumerate(grades(found))}
    assert places == {("q1", "d1"): "a.csv:6", ("q1", "d2"): "a.csv:4", ("q2", "d9"): "a.csv:7"}


def test_judgments_without_roles_cannot_be_adjudicated() -> None:
    with pytest.raises(InputError, match="the judgments name no roles"):
        aggregate(block([row[:4] for row in ROWS[:2]], names=NAMES[:4]), "adjudicated")
    assert not has_adjudicators(block([row[:4] for row in ROWS[:2]], names=NAMES[:4]))


def test_roles_without_an_adjudicator_leave_the_raters() -> None:
    assert grades(aggregate(block(ROWS[:4]), "adjudicated")) == {("q1", "d1"): 1.5, ("q1", "d2"): 1.5}


def test_two_adjudicators_of_one_pair_are_joined_as_raters_are() -> None:
    rows = [*ROWS, ("q1", "d1", 3.0, "dee", "adjudicator")]
    assert grades(aggregate(block(rows), "adjudicated"))[("q1", "d1")] == 2.5


def test_an_adjudicators_two_grades_of_one_pair_are_refused() -> None:
    with pytest.raises(InputError, match="rater cy gives document d1 for query q1 a second, different grade"):
        aggregate(block([*ROWS, ("q1", "d1", 3.0, "cy", "adjudicator")]), "adjudicated")


@sizes
def test_an_adjudicator_stands_above_the_model_of_dawid_and_skene(small: bool) -> None:
    # three raters agree on everything but d0, where two say 0: the model says 0, the adjudicator 2
    rows: list[tuple[Any, ...]] = [
        ("q", f"d{i}", 2.0 if i % 2 or (i == 0 and rater == "c") else 0.0, rater, "rater")
        for i in range(12) for rater in "abc"
    ]  # fmt: skip
    rows.append(("q", "d0", 2.0, "judge", "adjudicator"))
    plain = grades(aggregate(block(rows, small), "dawid-skene"))
    found = grades(aggregate(block(rows, small), "adjudicated,dawid-skene"))
    assert plain[("q", "d0")] == 0.0
    assert found == plain | {("q", "d0"): 2.0}


def test_a_rule_is_taken_apart() -> None:
    assert rule_of("adjudicated") == (True, "mean")
    assert rule_of("adjudicated,") == (True, "mean")
    assert rule_of("adjudicated,dawid-skene") == (True, "dawid-skene")
    assert rule_of("ana,bo") == (False, "ana,bo")


@given(
    st.dictionaries(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), st.integers(0, 3), min_size=1),
    st.sets(st.sampled_from("abcd")),
)
def test_small_and_large_sets_give_the_same(votes: dict[tuple[str, str], int], settled: set[str]) -> None:
    rows: list[tuple[Any, ...]] = [("q", doc, float(g), rater, "rater") for (doc, rater), g in votes.items()]
    rows += [("q", doc, 1.0, "judge", "adjudicator") for doc in sorted(settled)]
    for how in ("adjudicated", "mean", "adjudicated,majority"):
        assert grades(aggregate(block(rows, True), how)) == grades(aggregate(block(rows, False), how))
        if how != "mean":
            assert all(grades(aggregate(block(rows), how))[("q", doc)] == 1.0 for doc in settled)


def test_adjudicators_are_no_raters_of_an_agreement_and_stand_apart() -> None:
    raters = [("q1", f"d{i}", float(a), "ana", "rater") for i, a in enumerate((0, 1, 2, 3))]
    raters += [("q1", f"d{i}", float(b), "bo", "rater") for i, b in enumerate((0, 1, 3, 1))]
    judge: list[tuple[Any, ...]] = [("q1", "d2", 2.0, "cy", "adjudicator"), ("q1", "d3", 2.0, "cy", "adjudicator")]
    found = agreement(block([*raters, *judge]), grades=[0, 1, 2, 3])
    plain = agreement(block(list(raters)), grades=[0, 1, 2, 3])
    assert (found.total, found.pairs, found.raters) == (plain.total, plain.pairs, plain.raters)
    assert found.total.coefficients[0].value == 0.5  # d0 and d1 of four
    assert [note.count for note in found.notes if note.code == "adjudicators-apart"] == [2]
    # ana said 2 and 3 where the adjudicator said 2 and 2; bo 3 and 1
    assert found.settled == (Settled("ana", 2, 0.5, 0.5), Settled("bo", 2, 0.0, 0.0))
    assert plain.settled == ()
    page = to_text(describe(found))
    assert "2 grades of adjudicators take no part in any coefficient" in page
    assert "Against the adjudicator" in page


def test_an_adjudicator_and_one_rater_are_no_two_raters() -> None:
    rows = [("q1", "d1", 0.0, "ana", "rater"), ("q1", "d1", 3.0, "cy", "adjudicator")]
    with pytest.raises(InputError, match="no pair of query and document has two ratings"):
        agreement(block(rows))
