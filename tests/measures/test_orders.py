"""The mean over all orders of equal scores, against every permutation gone through one by one."""

from __future__ import annotations

from itertools import permutations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measures import orders
from assay.measures.grammar import parse
from measures.lists import UNJUDGED, Shown, ranking, value
from measures.test_properties import unhurried

MEASURES = [
    str(measure) for measure in parse(
        "infAP infAP(rel=2) IPrec(recall=0) IPrec(recall=0.3) IPrec(recall=0.5) IPrec(recall=0.5,judged_only=True) "
        "IPrec(recall=1) IAP IAP(points=3) INST INST(T=2) INST(judged_only=True) BPM(T=1)@3 BPM(T=2)@4 NERR@3 "
        "NERR(stop=rank)@4 NERR(stop=patience) NERR(stop=goal)@3 ExpectedUtility ExpectedUtility(reader=INST) "
        "ExpectedUtility(reader=INSQ)"
    )
]  # fmt: skip


def over_every_order(name: str, query: Shown, **conventions: str) -> float:
    """The mean of the values of all permutations inside the groups of equal scores, which stand together."""
    assert query.scores is not None
    groups = [[i for i, score in enumerate(query.scores) if score == one] for one in dict.fromkeys(query.scores)]
    found = []
    for chosen in product(*(permutations(group) for group in groups)):
        order = [i for group in chosen for i in group]
        found.append(value(name, Shown(tuple(query.shown[i] for i in order), query.elsewhere), **conventions))
    return float(np.mean(found))


lists = st.builds(
    lambda shown, elsewhere, sizes: Shown(
        tuple(shown), tuple(elsewhere),
        tuple(float(-group) for group, size in enumerate(sizes) for _ in range(size))[: len(shown)],
    ),
    st.lists(st.sampled_from([-1, 0, 0, 1, 2, 3, UNJUDGED]), min_size=1, max_size=6),
    st.lists(st.sampled_from([0, 1, 3]), min_size=1, max_size=3),
    st.lists(st.integers(1, 4), min_size=6, max_size=6),
)  # fmt: skip


@unhurried
@given(lists, st.sampled_from(["unjudged", "not-relevant"]))
def test_the_mean_is_that_over_every_permutation(query: Shown, unlisted: str):
    for name in MEASURES:
        expected = over_every_order(name, query, unlisted=unlisted)
        assert value(name, query, unlisted=unlisted, ties="expected") == pytest.approx(
            expected, abs=1e-12, nan_ok=True
        ), name


def test_one_relevant_document_among_equals_by_hand():
    tied = Shown((1, 0), (), (1.0, 1.0))
    assert value("IPrec(recall=0.5)", tied, ties="expected") == (1 + 1 / 2) / 2
    assert value("IAP", tied, ties="expected") == pytest.approx((1 + 1 / 2) / 2, abs=1e-15)
    assert value("BPM(T=1)@2", tied, ties="expected") == (1 / 1 + 1 / 2) / 2
    assert value("ExpectedUtility(p=0.5)", tied, ties="expected") == (1 + 0.5) / 2
    second = 1 / 2 + 1 / 2 * 1 * (1e-5 / (1 + 2e-5))  # one judged document above, and it is not relevant
    assert value("infAP", tied, ties="expected") == pytest.approx((1 + second) / 2, abs=1e-15)


def test_interpolated_precision_needs_no_list_of_orders():
    """One relevant document among 40 equals: the mean of 1 / rank, though the orders are 40!."""
    query = Shown((1, *[0] * 39), (), (1.0,) * 40)
    expected = sum(1 / rank for rank in range(1, 41)) / 40
    assert value("IPrec(recall=1)", query, ties="expected") == pytest.approx(expected, abs=1e-12)
    assert value("infAP", query, ties="expected") == pytest.approx(
        sum(1 / k + (k - 1) / k * 1e-5 / (k - 1 + 2e-5) if k > 1 else 1.0 for k in range(1, 41)) / 40, abs=1e-12
    )


def test_too_many_orders_are_refused_with_what_to_do():
    query = Shown((1, 2) * 10, (), (1.0,) * 20)
    assert comb(20, 10) == 184_756
    with pytest.raises(InputError) as refused:
        value("INST", query, ties="expected")
    assert str(refused.value) == (
        "query q00000: its equal scores have 184,756 orders that differ, too many for INST\n"
        "    mend: pass --ties docid, best, worst or input, or leave the measure out"
    )
    assert np.isfinite(value("INST", query, ties="best"))
    assert np.isfinite(value("ExpectedUtility", query, ties="expected"))  # whose reader goes on by rank alone


def test_too_large_a_group_is_refused_for_interpolated_precision(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(orders, "MOST_STEPS", 100)
    with pytest.raises(InputError, match="one of its groups of equal scores holds 20 documents, too many for IAP"):
        value("IAP", Shown((1, 0) * 10, (), (1.0,) * 20), ties="expected")


def test_only_the_queries_with_ties_are_averaged():
    plain, tied = Shown((3, 0, 2), (1,)), Shown((3, 0, 2), (1,), (1.0, 1.0, 0.0))
    both = ranking(plain, tied, ties="expected")
    for measure in parse("INST IPrec(recall=0.5) infAP"):
        first, second = measure.compute(both).tolist()
        assert first == value(str(measure), plain)
        assert second == pytest.approx(over_every_order(str(measure), tied), abs=1e-12)
        assert measure.steps(ranking(tied, ties="expected")).total > 0
