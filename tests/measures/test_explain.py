"""A value worked out line by line adds up to the value itself, for every measure; its range is the true one."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measures.explain import Explanation, explain
from assay.measures.grammar import parse
from assay.measures.measure import Measure
from assay.ranking.conventions import Conventions
from assay.results import dump, load
from measures.lists import UNJUDGED, Shown, ranking, values

unhurried = settings(deadline=None, max_examples=60)

ALL = parse(
    "nDCG nDCG@3 nDCG(gain=exp)@5 nDCG(ideal=returned)@3 nDCG(discount=zipf)@4 nDCG(judged_only=True)@3 "
    "nDCG(gain={1:5,2:1})@3 nDCG(discount=none)@2 DCG@3 DCG(judged_only=True)@2 CG@4 IDCG@3 IDCG(ideal=returned)@2 "
    "P@1,5 P P(short=list)@9 P(judged_only=True)@2 P(rel=2)@3 R@3 R R(cap=True)@2 R(judged_only=True)@2 F@3 F(beta=2) "
    "HitRate@2 HitRate RR RR@3 RR(rel=2) RR(judged_only=True)@2 RankOfFirst AP AP@3 AP(norm=min)@2 "
    "AP(judged_only=True)@3 Rprec Rprec(judged_only=True) Bpref Bpref(rel=2) ContextPrecision@3 ContextPrecision "
    "ContextPrecision(form=plain)@3 ContextPrecision(judged_only=True)@2 Judged@3 Judged Unjudged@3 "
    "Unjudged(short=pad)@9 NumRet NumRel NumRelRet NumRelRet@2 "
    "ERR ERR@3 ERR(max=4)@2 ERR(judged_only=True)@3 RBP(p=0.5) RBP(gain=scaled)@3 "
    "RBP(rel=2)@4 RBPResidual(p=0.5)@3 infAP infAP(rel=2) IPrec(recall=0.3) IPrec(recall=0.5,judged_only=True) IAP "
    "IAP(points=3) SetAP SetAP(judged_only=True) Rprec(mult=1.5) Compat Compat(p=0.5,normalize=False) INST "
    "INST(T=2,max=4) INSQ SDCG@3 BPM@3 NERR@3 NERR(stop=rank)@3 NERR(stop=patience) NERR(stop=goal) ExpectedUtility "
    "ExpectedUtility(reader=INST)"
)

FEW = parse(
    "nDCG@3 nDCG(gain=exp)@5 nDCG(judged_only=True)@3 DCG@3 IDCG@3 P(short=list)@9 R@3 F@3 HitRate@2 RR@3 RankOfFirst "
    "AP@3 Rprec Bpref ContextPrecision@3 Judged@3 NumRelRet@2 ERR@3 RBP(p=0.5) infAP IAP SetAP Compat INST SDCG@3"
)
BREADTH = pytest.mark.parametrize(
    "measures", [FEW, pytest.param(ALL, marks=pytest.mark.slow)], ids=["one of each family", "all"]
)

NO_SUM = ("IDCG", "NumRel", "F", "RankOfFirst", "SetAP", "RBPResidual")
"""Measures whose value is something else than a sum over the lines."""

GRADES = st.sampled_from([0, 0, 1, 2, 3, UNJUDGED, UNJUDGED])
lists = st.builds(
    Shown,
    st.lists(GRADES, min_size=1, max_size=7).map(tuple),
    st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=3).map(tuple),
)


def work_out(measure: Measure | str, query: Shown, **conventions: Any) -> Explanation:
    (one,) = parse(measure)
    order = sorted(range(len(query.shown)), key=lambda i: (-(query.scores or [-i for i in range(99)])[i], i))
    scores = query.scores
    rows = [
        (rank, f"d{i + 1}", None if scores is None else scores[i], scores is not None and scores.count(scores[i]) > 1)
        for rank, i in enumerate(order, 1)
    ]
    r = ranking(query, **conventions)
    return explain(r, one, r.judged.queries[0], rows, conventions=Conventions(**conventions))


@BREADTH
@unhurried
@given(query=lists, unlisted=st.sampled_from(["unjudged", "not-relevant"]))
def test_the_lines_add_up_to_the_value(measures: list[Measure], query: Shown, unlisted: str):
    wanted = values(measures, query, unlisted=unlisted)
    for measure, value in zip(measures, wanted, strict=True):
        found = work_out(measure, query, unlisted=unlisted)
        if found.value is None:
            assert found.undefined
            continue
        assert found.value == pytest.approx(value, abs=1e-12), str(measure)
        worth = found.total if found.divisor is None else found.total / found.divisor if found.divisor else 0.0
        assert worth == pytest.approx(value, abs=1e-12), str(measure)
        adds = sum(line.adds for line in found.lines)
        if measure.name not in NO_SUM:
            assert adds == pytest.approx(found.total, abs=1e-12), str(measure)
        assert not found.lines or found.lines[-1].running == pytest.approx(adds, abs=1e-12)
        if found.ideal:
            assert found.ideal[-1].running == pytest.approx(found.divisor or found.total, abs=1e-12), str(measure)


@BREADTH
@unhurried
@given(query=lists, data=st.data())
def test_where_ties_are_averaged_the_total_still_gives_the_value(
    measures: list[Measure], query: Shown, data: st.DataObject
):
    size = len(query.shown)
    scores = data.draw(st.lists(st.sampled_from([3.0, 2.0, 1.0]), min_size=size, max_size=size))
    tied = Shown(query.shown, query.elsewhere, tuple(scores))
    measures = [measure for measure in measures if measure.about.averages_ties]
    for measure, value in zip(measures, values(measures, tied, ties="expected"), strict=True):
        found = work_out(measure, tied, ties="expected")
        if found.value is None:
            continue
        worth = found.total if found.divisor is None else found.total / found.divisor if found.divisor else 0.0
        assert worth == pytest.approx(value, abs=1e-12), str(measure)
        adds = [line.adds for line in found.lines]
        if None in adds:
            assert "mean over all orders" in found.closing
        elif measure.name not in NO_SUM:
            assert sum(adds) == pytest.approx(found.total, abs=1e-12), str(measure)


SPLIT = parse("RR RR@2 HitRate@2 RankOfFirst ERR(max=3) ERR(max=3)@2 Compat(p=0.8) RBP nDCG@2 AP AP@2 P@2 Bpref")


@pytest.mark.parametrize(
    "query",
    [
        Shown((1, 0, 1, UNJUDGED), (1,), (1.0, 1.0, 1.0, 1.0)),
        Shown((0, 3, 1, 1, 2), (0,), (2.0, 2.0, 2.0, 1.0, 1.0)),
        Shown((UNJUDGED, 0, 3, 1), (2,), (3.0, 3.0, 2.0, 2.0)),
        Shown((0, 2, 2, 2), (), (3.0, 2.0, 2.0, 2.0)),
    ],
)
def test_where_ties_are_averaged_each_document_adds_its_mean_over_all_orders(query: Shown):
    groups: dict[float, list[int]] = {}
    for i, score in enumerate(query.scores or ()):
        groups.setdefault(score, []).append(i)
    orders = [sum(parts, ()) for parts in product(*(permutations(groups[s]) for s in sorted(groups, reverse=True)))]
    for measure in SPLIT:
        found = work_out(measure, query, ties="expected")
        adds = {line.doc_id: line.adds for line in found.lines}
        mean = dict.fromkeys(adds, 0.0)
        for order in orders:
            untied = Shown(tuple(query.shown[i] for i in order), query.elsewhere)
            for line in work_out(measure, untied).lines:
                mean[f"d{order[int(line.doc_id[1:]) - 1] + 1}"] += (line.adds or 0.0) / len(orders)
        for doc, added in adds.items():
            assert added == pytest.approx(mean[doc], abs=1e-12), f"{measure}: {doc} of {query}"


UNBOUNDED = ("Judged", "Unjudged", "NumRet", "RBPResidual")


def _assigned(query: Shown, measure: Measure, levels: list[float]) -> list[float]:
    """The value under every assignment of grades to the unjudged documents of the first k; undefined ones left out."""
    upto = len(query.shown) if measure.cutoff is None else measure.cutoff
    holes = [i for i, grade in enumerate(query.shown[:upto]) if grade == UNJUDGED]
    plain = Measure(measure.name, tuple(p for p in measure.changed if p[0] != "judged_only"), measure.cutoff)
    binary = not measure.about.grades
    found = []
    for grades in product([0, measure.rel or 1] if binary else levels, repeat=len(holes)):
        shown = list(query.shown)
        for hole, grade in zip(holes, grades, strict=True):
            shown[hole] = grade
        r = ranking(Shown(tuple(shown), query.elsewhere))
        value = float((plain if holes else measure).compute(r)[0])
        if not np.isnan(value) and measure.has_relevant(r.judged)[0]:
            found.append(value)
    return found


@BREADTH
@settings(deadline=None, max_examples=25)
@given(
    query=st.builds(
        Shown,
        st.lists(st.sampled_from([0, 1, 3, UNJUDGED, UNJUDGED]), min_size=1, max_size=6).map(tuple),
        st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=3).map(tuple),
    )
)
def test_the_range_over_the_unjudged_is_the_one_of_all_assignments(measures: list[Measure], query: Shown):
    for measure in (m for m in measures if m.name not in UNBOUNDED):
        levels = sorted({0.0, *(float(g) for g in (*query.shown, *query.elsewhere) if g != UNJUDGED)})
        every = _assigned(query, measure, levels)
        found = work_out(measure, query)
        ends = [found.best, found.worst] if measure.about.best == "low" else [found.worst, found.best]
        if not every or (len(levels) == 1 and measure.about.grades):
            continue
        assert ends == [pytest.approx(min(every), abs=1e-12), pytest.approx(max(every), abs=1e-12)], str(measure)


def test_a_relevant_document_more_can_lower_the_value():
    found = work_out("nDCG@2", Shown((1, UNJUDGED), (3,)))
    # graded 3 the unjudged one enlarges the ideal by more than it adds
    assert found.worst == pytest.approx(1 / (3 + 1 / np.log2(3)))
    assert found.best == pytest.approx((1 + 3 / np.log2(3)) / (3 + 3 / np.log2(3)))
    assert found.unjudged == 1


def test_the_worked_example_of_the_terminal():
    found = work_out("nDCG@3", Shown((3, 2, UNJUDGED), (3, 0)))
    assert found.closing == "nDCG@3 = 4.2619 / 5.8928 = 0.7232"
    assert [line.grade for line in found.lines] == [3.0, 2.0, None]
    assert [line.gain for line in found.lines] == [3.0, 2.0, 0.0]
    assert [round(1 / line.discount, 4) for line in found.lines] == [1.0, 1.5850, 2.0]
    assert [round(line.adds, 4) for line in found.lines] == [3.0, 1.2619, 0.0]
    assert [(line.grade, round(line.adds, 4)) for line in found.ideal] == [(3, 3.0), (3, 1.8928), (2, 1.0)]
    assert found.divided_by == "log2(rank + 1)"


@pytest.mark.parametrize(
    ("measure", "closing"),
    [
        ("P@5", "P@5 = 3 / 5 = 0.6000"),
        ("R@5", "R@5 = 3 / 4 = 0.7500"),
        ("RR", "RR = 1 / 2 = 0.5000"),
        ("RR@1", "RR@1 = 0"),
        ("AP", "AP = 1.7667 / 4 = 0.4417"),
        ("HitRate@5", "HitRate@5 = 1"),
        ("RankOfFirst", "RankOfFirst = 2"),
        ("F@5", "F@5 = (1 + 1²) × 3 / (1² × 4 + 5) = 0.6667"),
        ("NumRet", "NumRet = 5"),
        ("Judged@5", "Judged@5 = 4 / 5 = 0.8000"),
    ],
)
def test_the_closing_formula_of_other_measures(measure: str, closing: str):
    assert work_out(measure, Shown((0, 3, 2, UNJUDGED, 1), (1,))).closing == closing


def test_lines_stop_at_the_cutoff_and_skip_what_is_taken_out():
    found = work_out("P(judged_only=True)@2", Shown((1, UNJUDGED, 0, UNJUDGED, 1), ()))
    assert [(line.rank, line.place) for line in found.lines] == [(1, 1), (2, None), (3, 2)]
    assert len(work_out("P@2", Shown((1, UNJUDGED, 0, UNJUDGED, 1), ())).lines) == 2
    assert len(work_out("AP", Shown((1, UNJUDGED, 0, UNJUDGED, 1), ())).lines) == 5


def test_equal_scores_are_named_with_the_rule_that_settled_them():
    tied = Shown((1, 0, UNJUDGED, 0), (), (9.0, 5.0, 5.0, 1.0))
    assert work_out("P@2", tied, ties="input").ties == ("ranks 2 to 3 have one score: left in the order of the file",)
    assert work_out("P@2", tied, ties="expected").ties == (
        "ranks 2 to 3 have one score: counted as the mean over all their orders",
    )
    assert [line.is_tied for line in work_out("P@3", tied, ties="input").lines] == [False, True, True]
    assert work_out("P@1", tied).ties == ()


def test_a_value_that_is_undefined_says_why():
    none = Shown((0, UNJUDGED), (0,))
    assert work_out("AP", none).undefined == "no judged document of the query is relevant"
    assert work_out("nDCG", none).undefined == "no judged document of the query has a gain"
    assert work_out("nDCG", none).value is None
    assert work_out("P@2", none, no_relevant="zero").value == 0
    assert work_out("RankOfFirst", Shown((0,), (1,))).undefined == "no relevant document was returned"


def test_absent_pairs_that_are_not_relevant_leave_no_range():
    found = work_out("P@2", Shown((1, UNJUDGED), ()), unlisted="not-relevant")
    assert (found.unjudged, found.worst, found.best) == (0, 0.5, 0.5)


def test_an_unknown_query_is_named():
    r = ranking(Shown((1,)))
    with pytest.raises(InputError, match="no query q0000 in the judgments; did you mean q00000"):
        explain(r, parse("P@1")[0], "q0000")


def test_titles_are_shown_and_rows_may_be_left_out():
    r = ranking(Shown((1, UNJUDGED, 0)))
    found = explain(r, parse("P@3")[0], "q00000", titles={"d1": "a title"})
    assert [(line.doc_id, line.title, line.grade) for line in found.lines] == [
        ("d1", "a title", 1.0),
        ("", "", None),
        ("d3", "", 0.0),
    ]


def test_an_explanation_can_be_kept_and_opened():
    found = work_out("nDCG@3", Shown((3, 2, UNJUDGED), (3, 0)))
    assert load(dump(found)) == found


def test_one_of_many_queries_is_explained_by_its_own_judgments():
    r = ranking(Shown((0, 1)), Shown((3, UNJUDGED, 2), (3,)), Shown((1,)))
    found = explain(r, parse("nDCG@3")[0], "q00001")
    assert found.value == pytest.approx(float(parse("nDCG@3")[0].compute(r)[1]))
    assert found.relevant == 3
    assert found.returned == 3
