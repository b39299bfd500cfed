"""ties="expected" is the exact mean over all orders of equal scores: every order is tried."""

from __future__ import annotations

import random
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.measures.grammar import parse
from measures.lists import UNJUDGED, Shown, ranking

MEASURES = parse(
    "P@1,2,3,5,10 P(short=list)@4,9 P P(judged_only=True)@2 P(rel=2)@3 R@1,3,5 R R(cap=True)@2 R(cap=True) "
    "R(judged_only=True)@2 F@2,4 F(beta=2)@3 F HitRate@1,2,3,5 HitRate(rel=2)@2 HitRate(judged_only=True)@1 HitRate "
    "RR@1,2,4 RR RR(rel=2) RR(judged_only=True) RR(judged_only=True)@2 RankOfFirst RankOfFirst(judged_only=True) "
    "AP@1,2,3,4,6 AP AP(norm=min)@3 AP(rel=2)@4 AP(judged_only=True) AP(judged_only=True)@2 "
    "ContextPrecision@1,2,3,4,5 ContextPrecision ContextPrecision(form=plain)@3 ContextPrecision(rel=2)@3 "
    "ContextPrecision(judged_only=True)@2 CG@2,4 CG DCG@1,3,5 DCG DCG(discount=zipf)@3 DCG(gain=exp)@2 nDCG@1,2,3,5,10 "
    "nDCG nDCG(gain=exp)@3 nDCG(ideal=returned)@3 nDCG(judged_only=True)@2 nDCG(gain={1:5,2:1})@3 IDCG@3 "
    "IDCG(ideal=returned)@3 Rprec Rprec(rel=2) Rprec(judged_only=True) Bpref Bpref(rel=2) Judged@1,2,3 Judged "
    "ERR ERR@1,2,4 ERR(max=4) ERR(judged_only=True)@2 RBP RBP(p=0.5)@2 RBP(gain=scaled)@3 RBPResidual "
    "RBPResidual(p=0.5)@2 INSQ SDCG@3 SetAP Rprec(mult=1.5) Compat Compat(p=0.5) Compat(p=0.7,normalize=False) "
    "Unjudged@2 Unjudged(short=pad)@9 NumRet NumRel NumRelRet NumRelRet@2 "
    "alpha-DCG@1,3 alpha-nDCG@2 alpha-nDCG(alpha=0.9) ERR-IA@2 ERR-IA(norm=none)@3 gERR-IA@3 NRBP "
    "StRecall@2 P-IA@3 AP-IA@4 AP-IA"
)


def orders(query: Shown) -> list[Shown]:
    """The query in every order that its scores allow, without ties."""
    by_score: dict[float, list[Any]] = {}
    for grade, score in zip(query.shown, query.scores or (), strict=True):
        by_score.setdefault(score, []).append(grade)
    groups = [list(permutations(by_score[score])) for score in sorted(by_score, reverse=True)]
    return [Shown(tuple(g for part in parts for g in part), query.elsewhere) for parts in product(*groups)]


def check(query: Shown, **conventions: Any) -> None:
    exact = ranking(query, ties="expected", **conventions)
    every = ranking(*orders(query), ties="input", **conventions)
    for measure in MEASURES:
        mean = float(np.mean(measure.compute(every)))
        got = float(measure.compute(exact)[0])
        assert got == pytest.approx(mean, abs=1e-12, nan_ok=True), f"{measure} of {query}"


GRADES = st.sampled_from([0, 0, 1, 1, 2, 3, UNJUDGED, UNJUDGED])


@st.composite
def tied_queries(draw: st.DrawFn) -> Shown:
    shown = draw(st.lists(GRADES, min_size=1, max_size=6))
    scores = draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=len(shown), max_size=len(shown)))
    return Shown(tuple(shown), tuple(draw(st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=3))), tuple(scores))


@given(tied_queries(), st.sampled_from(["unjudged", "not-relevant"]))
@settings(max_examples=60, deadline=None)
def test_the_expected_value_is_the_mean_over_all_orders(query: Shown, unlisted: str):
    check(query, unlisted=unlisted)


@pytest.mark.parametrize(
    "shown",
    [
        (1, 0, 1, UNJUDGED, 2, 0, UNJUDGED),
        (UNJUDGED, UNJUDGED, 1, UNJUDGED, UNJUDGED),
        (1, 1, 1, 1, 0),
        (0, 0, 0, 2),
        (3, 2, 1, 0, UNJUDGED, 1, 2),
    ],
)
def test_one_group_of_all_documents_straddles_every_cutoff(shown: tuple[Any, ...]):
    check(Shown(shown, (1, 0), (1.0,) * len(shown)))


@pytest.mark.parametrize("unlisted", ["unjudged", "not-relevant"])
def test_two_groups_and_single_documents(unlisted: str):
    check(Shown((0, 1, UNJUDGED, 2, 1, 0, UNJUDGED, 1), (3,), (9, 7, 7, 7, 5, 3, 3, 3)), unlisted=unlisted)
    check(Shown((1, 1, 0, UNJUDGED, 1, 0), (), (2, 2, 2, 1, 1, 1)), unlisted=unlisted)


def test_without_equal_scores_the_expected_value_is_the_value():
    query = Shown((0, 3, UNJUDGED, 1, 2, 0, 1), (2, 1), (7, 6, 5, 4, 3, 2, 1))
    exact, plain = ranking(query, ties="expected"), ranking(query, ties="docid")
    for measure in MEASURES:
        np.testing.assert_allclose(measure.compute(exact), measure.compute(plain), rtol=0, atol=1e-14)


def test_queries_do_not_touch_each_other():
    dice = random.Random(7)
    queries = [
        Shown(
            tuple(dice.choice([0, 0, 1, 2, UNJUDGED]) for _ in range(length)),
            (1,),
            tuple(float(dice.randint(1, 3)) for _ in range(length)),
        )
        for length in [1, 5, 0, 8, 3, 12, 2, 30]
    ]
    together = ranking(*queries, ties="expected")
    for measure in (one.on_scale(together.judged.levels) for one in MEASURES):  # the one thing that they share
        alone = [float(measure.compute(ranking(query, ties="expected"))[0]) for query in queries]
        np.testing.assert_allclose(measure.compute(together), alone, rtol=0, atol=1e-13, err_msg=str(measure))


def test_a_thousand_tied_documents_keep_twelve_digits():
    shown = tuple([1] * 7 + [0] * 400 + [UNJUDGED] * 593)
    exact = ranking(Shown(shown, (1, 1), (1.0,) * len(shown)), ties="expected")
    # 1000 documents, 7 relevant: E[1/rank of the first], by exact fractions
    from fractions import Fraction
    from math import comb

    first = sum(Fraction(comb(1000 - i - 1, 6), comb(1000, 7)) / (i + 1) for i in range(994))
    each = sum(Fraction(1, t) * (1 + Fraction(6 * (t - 1), 999)) for t in range(1, 1001)) / 1000
    miss = Fraction(comb(993, 10), comb(1000, 10))
    for text, wanted in [("RR", first), ("AP", 7 * each / 9), ("HitRate@10", 1 - miss), ("P@10", Fraction(7, 1000))]:
        (measure,) = parse(text)
        assert float(measure.compute(exact)[0]) == pytest.approx(float(wanted), abs=1e-12)
