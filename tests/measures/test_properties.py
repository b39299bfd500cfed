"""What must hold for any ranking, whatever its grades, gaps and ties."""

from __future__ import annotations

import random
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.measures.grammar import parse
from assay.measures.measure import MEASURES, Measure
from assay.measures.score import score
from assay.ranking.align import judged
from assay.ranking.conventions import Conventions
from assay.ranking.discounts import linear
from measures.lists import UNJUDGED, Shown, blocks, ranking, value, values

unhurried = settings(deadline=None, max_examples=40)

ALL = parse(
    "nDCG nDCG@3 nDCG(gain=exp)@5 nDCG(ideal=returned)@3 nDCG(discount=zipf)@4 nDCG(judged_only=True)@3 DCG@3 CG@4 "
    "IDCG@3 P@1,5 P P(short=list)@9 R@3 R R(cap=True)@2 F@3 F(beta=2) HitRate@2 RR RR@3 RankOfFirst AP AP@3 "
    "AP(norm=min)@2 Rprec Bpref ContextPrecision@3 ContextPrecision(form=plain)@3 Judged@3 Unjudged@3 NumRet NumRel "
    "NumRelRet "
    "alpha-DCG@3 alpha-DCG(alpha=0) alpha-nDCG alpha-nDCG@3 alpha-nDCG(alpha=0.8)@4 ERR-IA ERR-IA@3 "
    "ERR-IA(norm=none)@3 gERR-IA@3 NRBP NRBP(beta=0.8) StRecall@2 P-IA@3 AP-IA "
    "ERR ERR@3 ERR(max=4)@4 RBP RBP(p=0.5)@3 RBP(gain=scaled) RBPResidual RBPResidual(p=0.5)@3 infAP IPrec(recall=0.3) "
    "IAP SetAP Rprec(mult=1.5) Compat Compat(p=0.5,normalize=False) INST INST(T=2,max=4) INSQ SDCG@3 BPM@3 NERR@3 "
    "NERR(stop=rank)@3 NERR(stop=patience) NERR(stop=goal) ExpectedUtility ExpectedUtility(reader=INST)"
)
SHARES = [m for m in ALL if m.about.range.startswith("0 to 1") or m.about.range == "0 or 1"]
ORDERED = parse(
    "nDCG nDCG@1,3 nDCG(gain=exp)@5 nDCG(ideal=returned)@3 nDCG(discount=zipf)@4 nDCG(judged_only=True)@3 "
    "nDCG(discount=jarvelin)@4 nDCG(discount=none)@2 DCG@3 CG@2 P@1,3 R@2 R(cap=True)@2 F@3 HitRate@2 RR RR@2 AP AP@2 "
    "AP(norm=min)@3 Rprec Bpref ContextPrecision ContextPrecision(form=plain)@2 NumRelRet@2 "
    "alpha-DCG@3 alpha-nDCG alpha-nDCG@3 ERR-IA@3 NRBP NRBP(norm=ideal) StRecall@2 P-IA@3 AP-IA@2 "
    "ERR ERR@2 RBP(p=0.5)@3 RBP(gain=scaled) IPrec(recall=0.5) IAP Rprec(mult=1.5) Compat Compat(p=0.5) INSQ SDCG@3"
)
"""Measures that a better document further up cannot lower. ContextPrecision@k is none: a hit that enters the first k
late pulls the average of those there down."""

PERFECT = parse(
    "nDCG nDCG@1,3,10 nDCG(gain=exp)@2 nDCG(ideal=returned)@2 nDCG(discount=zipf) R R(cap=True)@3 RR AP AP(norm=min)@2 "
    "Rprec Bpref HitRate@1 ContextPrecision@2 alpha-nDCG alpha-nDCG@3 ERR-IA(norm=ideal)@3 StRecall@1 AP-IA "
    "IPrec(recall=0.5) IAP Compat Compat(p=0.5)"
)

GRADES = st.sampled_from([0, 0, 1, 2, 3, UNJUDGED])
lists = st.builds(
    Shown,
    st.lists(GRADES, min_size=1, max_size=9).map(tuple),
    st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=4).map(tuple),
)


@unhurried
@given(lists, st.sampled_from(["docid", "expected", "best", "worst"]), st.sampled_from(["unjudged", "not-relevant"]))
def test_values_stay_in_their_range(query: Shown, ties: str, unlisted: str):
    tied = Shown(query.shown, query.elsewhere, tuple(float(i // 3) for i in range(len(query.shown))))
    r = ranking(tied, ties=ties, unlisted=unlisted)
    for measure in (m for m in SHARES if ties != "expected" or m.about.averages_ties):
        got = measure.compute(r)[0]
        assert np.isnan(got) or -1e-12 <= got <= 1 + 1e-12, str(measure)
    for measure in (m for m in ALL if ties != "expected" or m.about.averages_ties):
        assert np.isnan(got := measure.compute(r)[0]) or got >= -1e-12, str(measure)


@unhurried
@given(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=8))
def test_a_perfect_order_gives_one(grades: list[int]):
    assume(max(grades) > 0)
    r = ranking(Shown(tuple(sorted(grades, reverse=True))))
    for measure in PERFECT:
        assert measure.compute(r)[0] == pytest.approx(1.0, abs=1e-12), str(measure)


@unhurried
@given(lists, st.data())
def test_moving_a_better_document_up_never_hurts(query: Shown, data: st.DataObject):
    shown = list(query.shown)
    judged_at = [place for place, grade in enumerate(shown) if grade != UNJUDGED]
    better_below = [(i, j) for i, j in combinations(judged_at, 2) if shown[j] > shown[i]]
    assume(better_below)
    i, j = data.draw(st.sampled_from(better_below))
    shown[i], shown[j] = shown[j], shown[i]
    before, after = ranking(query), ranking(Shown(tuple(shown), query.elsewhere))
    for measure in ORDERED:
        a, b = measure.compute(before)[0], measure.compute(after)[0]
        assert np.isnan(a) == np.isnan(b)
        assert np.isnan(a) or b >= a - 1e-12, str(measure)


@unhurried
@given(lists, st.randoms(use_true_random=False))
def test_renaming_documents_without_ties_changes_nothing(query: Shown, dice: random.Random):
    run, qrels = blocks([query])
    names: dict[str, str] = {}
    for doc in {*run.frame["doc_id"], *qrels.frame["doc_id"]}:
        names[doc] = f"{dice.random()}-{doc}"
    before = _values([run, qrels])
    for block in (run, qrels):
        block.frame["doc_id"][:] = [names[doc] for doc in block.frame["doc_id"]]
    np.testing.assert_array_equal(before, _values([run, qrels]))


@unhurried
@given(st.lists(lists, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(queries: list[Shown], dice: random.Random):
    run, qrels = blocks(queries)
    before = _values([run, qrels])
    for block in (run, qrels):
        rows = list(range(len(block)))
        dice.shuffle(rows)
        for column in block.frame.values():
            column[:] = [column[row] for row in rows]
    order = sorted(range(len(run)), key=lambda row: run.frame["query_id"][row])  # a block holds a query's rows together
    for column in run.frame.values():
        column[:] = [column[row] for row in order]
    np.testing.assert_array_equal(before, _values([run, qrels]))


def _values(both: list[Any], **conventions: Any) -> np.ndarray:
    chosen = Conventions(**conventions)
    return score([both[0]], judged(both[1], chosen), ALL, chosen).values[0]


@unhurried
@given(lists)
def test_recall_never_falls_with_the_cutoff(query: Shown):
    r = ranking(query)
    values = [m.compute(r)[0] for m in parse("R@1,2,3,4,5,6,7,8,9,10 R")]
    assert all(np.isnan(values)) or all(a <= b for a, b in pairwise(values))


@unhurried
@given(lists, st.randoms(use_true_random=False))
def test_precision_and_recall_ignore_the_order_inside_the_cutoff(query: Shown, dice: random.Random):
    head, tail = list(query.shown[:5]), query.shown[5:]
    dice.shuffle(head)
    unordered = parse("P@5 R@5 R(cap=True)@5 F@5 HitRate@5 CG@5 Judged@5 NumRelRet@5")
    _same(unordered, Shown((*head, *tail), query.elsewhere), query)


def _same(measures: list[Measure], one: Shown, other: Shown) -> None:
    for measure, a, b in zip(measures, values(measures, one), values(measures, other), strict=True):
        assert a == pytest.approx(b, abs=1e-14, nan_ok=True), str(measure)


@unhurried
@given(
    st.tuples(st.sampled_from([1, 2, 3]), st.sampled_from([0, UNJUDGED]), st.booleans()),
    st.lists(st.sampled_from([0, UNJUDGED]), min_size=3, max_size=3),
    st.lists(GRADES, max_size=4),
    st.lists(st.sampled_from([0, 1, 2, 3]), max_size=3),
)
def test_exchanging_ranks_1_and_5_leaves_precision_and_moves_the_measures_that_see_order(
    ends: tuple[int, Any, bool], middle: list[Any], tail: list[Any], elsewhere: list[int]
):
    relevant, other_end, relevant_first = ends
    first, fifth = (relevant, other_end) if relevant_first else (other_end, relevant)
    shown = [first, *middle, fifth, *tail]
    query = Shown(tuple(shown), tuple(elsewhere))
    shown[0], shown[4] = shown[4], shown[0]
    other = Shown(tuple(shown), query.elsewhere)
    assert value("P@5", other) == value("P@5", query)
    moved = parse("RR AP nDCG nDCG@5")
    for measure, a, b in zip(moved, values(moved, other), values(moved, query), strict=True):
        assert a < b if relevant_first else a > b, str(measure)


@unhurried
@given(lists, st.sampled_from([1.5, 2.0, np.e, 10.0]))
def test_the_base_of_the_logarithm_does_not_matter_for_ndcg(query: Shown, base: float):
    r = ranking(query)

    def discount(ranks: np.ndarray) -> np.ndarray:
        return np.log(base) / np.log(ranks + 1)

    best = r.judged.best_sum(linear, discount, 5)[0]
    assume(best > 0)
    top = r.top(5)
    by_hand = top.per_query(linear(top.grade) * top.weighted(discount, 5))[0] / best
    assert by_hand == pytest.approx(value("nDCG@5", query), abs=1e-12)


@unhurried
@given(lists, st.sampled_from(["", "gain=exp,", "discount=zipf,"]), st.sampled_from(["", "@1", "@3"]))
def test_the_ideal_over_what_was_returned_never_gives_less(query: Shown, given_: str, cutoff: str):
    a, b = value(f"nDCG({given_}ideal=returned){cutoff}", query), value(f"nDCG({given_}ideal=judged){cutoff}", query)
    assert np.isnan(a) == np.isnan(b)
    assert np.isnan(a) or a >= b - 1e-12


@unhurried
@given(st.lists(lists, min_size=1, max_size=4))
def test_a_query_set_twice_has_the_same_mean(queries: list[Shown]):
    names = [f"a{i}" for i in range(len(queries))]
    once = _values(list(blocks(queries, names)))
    twice = _values(list(blocks([*queries, *queries], [*names, *(f"b{i}" for i in range(len(queries)))])))
    with np.errstate(invalid="ignore"):
        for row, double in zip(once, twice, strict=True):
            kept, both = row[~np.isnan(row)], double[~np.isnan(double)]
            assert len(both) == 2 * len(kept)
            if len(kept):
                assert both.mean() == pytest.approx(kept.mean(), abs=1e-12)


@unhurried
@given(lists)
def test_an_unjudged_tail_changes_nothing_that_has_a_cutoff(query: Shown):
    assume(len(query.shown) >= 5)
    longer = Shown((*query.shown, UNJUDGED, UNJUDGED), query.elsewhere)
    unmoved = ("RR", "AP", "nDCG", "Bpref", "Rprec")
    _same([m for m in ALL if (m.cutoff is not None and m.cutoff <= 5) or m.name in unmoved], longer, query)


@unhurried
@given(lists)
def test_a_cutoff_beyond_the_list_is_the_whole_list(query: Shown):
    whole = parse("R HitRate RR AP CG DCG IDCG nDCG ContextPrecision Judged NumRelRet")
    cut = values([measure @ 1_000_000_000 for measure in whole], query)
    assert cut == pytest.approx(values(whole, query), abs=1e-15, nan_ok=True)


@unhurried
@given(lists)
def test_negative_grades_count_like_grade_0(query: Shown):
    below = Shown(tuple(-2 if grade == 0 else grade for grade in query.shown), query.elsewhere)
    _same([measure for measure in ALL if measure.name != "infAP"], below, query)  # to it they were not judged


@unhurried
@given(lists)
def test_a_run_that_lacks_a_query_scores_0_there(query: Shown):
    run, qrels = blocks([query, Shown((1,))], ["a", "b"])
    absent = [name != "a" for name in run.frame["query_id"]]
    for column in run.frame.values():
        column[:] = [cell for cell, stays in zip(column, absent, strict=True) if stays]
    chosen = Conventions(no_relevant="zero")
    values = score([run], judged(qrels, chosen), ALL, chosen).values[0, :, 0]
    for measure, got in zip(ALL, values, strict=True):
        if measure.name in ("NumRel", "IDCG", "RBPResidual"):
            continue  # these say something of the judgments, or of what is unknown, and not of the run
        assert got == 0 or (measure.name == "RankOfFirst" and np.isnan(got)), str(measure)


def test_the_best_order_is_found_by_counting_and_by_sorting_alike():
    dice = np.random.default_rng(11)
    grades = np.round(dice.random(400), 3)  # more levels than a table of counts is made for
    query = Shown(tuple(grades.tolist()))
    order = np.sort(grades)[::-1]
    for k in (1, 7, 400):
        wanted = (order[:k] / np.log2(np.arange(2, k + 2))).sum()
        assert value(f"IDCG@{k}", query) == pytest.approx(wanted, abs=1e-9)


def test_every_measure_of_the_house_is_held_to_these_properties():
    assert {m.name for m in ALL} == {
        n for n in MEASURES.names() if MEASURES.find(n).function.__module__.startswith("assay.measures.")
    }
