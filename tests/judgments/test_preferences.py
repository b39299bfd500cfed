"""Agreement on preferences, sides, and pairs that came again: figures by hand, and a simulation of the side test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.errors import InputError
from assay.judgments.comparisons import comparisons
from assay.judgments.preferences import PreferenceAgreement, Steadiness, preference_agreement
from assay.tables import Preference
from assay.tables.door import block_of


def agreed(rows: list[dict[str, Any]], **options: Any) -> PreferenceAgreement:
    return preference_agreement(block_of(rows, Preference, "prefs"), resamples=200, **options)


def row(query: str, doc: str, other: str, what: str, rater: str = "", **more: Any) -> dict[str, Any]:
    return {"query_id": query, "doc_id": doc, "other_doc_id": other, "preference": what, "rater": rater or None} | more


def test_the_coefficients_of_four_pairs_by_hand() -> None:
    said = [("first", "first"), ("first", "second"), ("tie", "tie"), ("both-bad", "second")]
    rows = [row(f"q{i}", "a", "b", what, "xy"[j]) for i, both in enumerate(said) for j, what in enumerate(both)]
    found = agreed(rows)
    values = {one.name: one.value for one in found.coefficients}
    assert values["percent"] == 0.5
    # 8 values: first 3, second 2, tie 2, both-bad 1. Observed disagreement 4/8; expected
    # 1 - (3*2 + 2*1 + 2*1 + 0) / (8*7) = 46/56; alpha = 1 - (1/2) / (46/56) = 18/46.
    assert values["alpha, nominal"] == pytest.approx(18 / 46)
    # Gwet: shares 3/8, 2/8, 2/8, 1/8; expected (1/3) * sum p (1 - p) = (1/3) * (15 + 12 + 12 + 7)/64 = 46/192.
    assert values["AC1"] == pytest.approx((0.5 - 46 / 192) / (1 - 46 / 192))
    assert (found.given, found.pairs, found.shared, found.queries, found.opposed) == (8, 4, 4, 4, 1)
    assert [(one.first, one.second) for one in found.disputes] == [(("x",), ("y",))]


def test_documents_may_stand_in_either_order() -> None:
    turned = agreed([row("q", "a", "b", "first", "x"), row("q", "b", "a", "second", "y")])
    assert (turned.shared, turned.opposed, turned.coefficients[0].value) == (1, 0, 1.0)


def test_left_against_right_by_hand() -> None:
    rows = [row("q", f"a{i}", "b", "first", "x", left_doc_id=f"a{i}") for i in range(9)]
    rows += [row("q", "c", "b", "second", "x", left_doc_id="c"), row("q", "d", "b", "tie", "x", left_doc_id="d")]
    found = agreed(rows)
    assert (found.side.left, found.side.right, found.side.share) == (9, 1, 0.9)
    assert found.side.p == pytest.approx(22 / 1024)  # 2 (C(10,0) + C(10,1)) / 2^10
    # Clopper & Pearson for 9 of 10, as tabled: 0.555 to 0.997.
    assert (found.side.low, found.side.high) == (pytest.approx(0.5550, abs=5e-5), pytest.approx(0.9975, abs=5e-5))
    (one,) = found.raters
    assert (one.given, one.ties, one.both_bad, one.corrected) == (11, 1, 0, found.side.p)


def test_the_p_of_raters_is_corrected_for_how_many_there_are() -> None:
    rows = [row("q", f"a{i}", "b", "first", "x", left_doc_id=f"a{i}") for i in range(8)]
    rows += [row("q", f"a{i}", "b", "first", "y", left_doc_id="b" if i % 2 else f"a{i}") for i in range(8)]
    x, y = agreed(rows).raters
    assert (x.side.p, x.corrected) == (pytest.approx(2 / 256), pytest.approx(4 / 256))
    assert (y.side.p, y.corrected) == (1.0, 1.0)


def test_pairs_that_came_again() -> None:
    seen = [
        ("a", "first", "a", 0), ("a", "first", "b", 1),  # the same document, on the other side
        ("c", "first", "c", 0), ("c", "second", "b", 1),  # the same side, the other document
        ("d", "tie", "d", 0), ("d", "first", "b", 1),
        ("e", "first", "b", 1),  # taken back at first sight
    ]  # fmt: skip
    rows = [row("q", doc, "b", what, "x", left_doc_id=left, turn=turn) for doc, what, left, turn in seen]
    found = agreed(rows)
    assert found.again == Steadiness(pairs=3, same=1, same_side=1)
    assert (found.given, found.side.left + found.side.right) == (3, 2)  # what came again is no further preference


def test_adjudicators_are_left_out() -> None:
    rows = [row("q", "a", "b", "first", "x"), row("q", "a", "b", "second", "boss", role="adjudicator")]
    found = agreed(rows)
    assert (found.given, found.shared, found.opposed, [one.name for one in found.raters]) == (1, 0, 0, ["x"])
    assert [note.code for note in found.notes] == ["adjudicated", "no-sides"]
    assert found.deciding.value is None


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([row("q", "a", "b", "frist", "x")], "'frist' is no preference; did you mean first"),
        ([row("q", "a", "a", "first", "x")], "document a of query q is compared with itself"),
        ([row("q", "a", "b", "first", "x"), row("q", "b", "a", "first", "x")], "rater x says a second, different"),
        ([{"query_id": "q", "doc_id": "a", "other_doc_id": "b"}], "says no preference"),
    ],
)
def test_what_cannot_be_counted_is_refused_with_its_place(rows: list[dict[str, Any]], what: str) -> None:
    with pytest.raises(InputError, match=what):
        agreed(rows)


def test_the_side_test_alarms_no_more_often_than_it_says() -> None:
    # 400 raters of 40 pairs who never look at the side: documents win with any chance, the left one is a fair coin.
    rng = np.random.default_rng(20_261_130)
    n, pairs = 400, 40
    wins = rng.random((n, pairs)) < rng.random(pairs)  # the first document
    is_left = rng.random((n, pairs)) < 0.5
    alarms = 0
    for of_one, sides in zip(wins, is_left, strict=True):
        rows = [
            row("q", f"a{i}", "b", "first" if won else "second", "x", left_doc_id=f"a{i}" if left else "b")
            for i, (won, left) in enumerate(zip(of_one, sides, strict=True))
        ]
        side = preference_agreement(block_of(rows, Preference, "prefs"), resamples=1).side
        assert side.p is not None
        alarms += side.p < 0.05
    # An exact test of 40 fair coins rejects at 5 % in 3.85 % of cases: 2 P(X <= 13) = 0.0385.
    assert alarms / n == pytest.approx(0.0385, abs=3 * (0.0385 * 0.9615 / n) ** 0.5)


@pytest.mark.parametrize("n", range(1, 10))
def test_every_pair_is_compared_once(n: int) -> None:
    docs = [f"d{i}" for i in range(n)]
    made = comparisons({"q": docs})
    assert len({frozenset(pair[1:]) for pair in made}) == len(made) == n * (n - 1) // 2
    assert all(doc != other for _, doc, other in made)


@pytest.mark.parametrize("most", [1, 5, 11, 17, 28, 99])
def test_a_budget_is_spent_evenly_and_joins_all_documents(most: int) -> None:
    pools = {"q": [f"d{i}" for i in range(6)], "p": [f"d{i}" for i in range(5)]}
    made = comparisons(pools, most)
    assert len(made) == min(most, 15 + 10)
    for query, docs in pools.items():
        own = [pair[1:] for pair in made if pair[0] == query]
        times = [sum(doc in pair for pair in own) for doc in docs]
        assert max(times) - min(times) <= 2
        if most >= 11:  # the first step of both circles: everybody is joined to everybody by a chain
            reached = {docs[0]}
            for _ in docs:
                reached |= {doc for pair in own if reached & set(pair) for doc in pair}
            assert reached == set(docs)


def test_the_order_of_a_pool_decides_nothing() -> None:
    docs = [f"d{i}" for i in range(8)]
    assert comparisons({"q": docs}, 10) == comparisons({"q": docs[::-1]}, 10)
    assert comparisons({"q": docs}, 10) != comparisons({"q": docs}, 10, b"another")
