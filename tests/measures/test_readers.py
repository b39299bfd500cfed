"""Readers by their definitions, written out slowly; by cwl-eval's stored numbers; and what must hold for any list."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measures.grammar import parse
from measures.lists import UNJUDGED, Shown, ranking, value

unhurried = settings(deadline=None, max_examples=60)

GRADES = st.sampled_from([0, 0, 1, 2, 3, UNJUDGED])
lists = st.builds(
    Shown,
    st.lists(GRADES, min_size=1, max_size=12).map(tuple),
    st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=3).map(tuple),
)
DEPTH = 1000


def gains(query: Shown, top: float) -> list[float]:
    return [0.0 if grade == UNJUDGED else max(grade, 0) / top for grade in query.shown]


def err_slowly(query: Shown, cutoff: int, top: float) -> float:
    """Chapelle et al. 2009, algorithm 2."""
    arrives, total = 1.0, 0.0
    for rank, grade in enumerate(query.shown[:cutoff], 1):
        satisfied = 0.0 if grade == UNJUDGED else (2 ** max(grade, 0) - 1) / 2**top
        total += arrives * satisfied / rank
        arrives *= 1 - satisfied
    return total


def cwl_slowly(gain: list[float], go_on: Any, depth: int = DEPTH) -> tuple[float, float]:
    """Gain per document and in total: rank i is seen with the product of the chances to go on above it."""
    chance, seen, found, total = 1.0, 0.0, 0.0, 0.0
    for i in range(1, depth + 1):
        g = gain[i - 1] if i <= len(gain) else 0.0
        seen += chance
        total += chance * g
        found += g
        chance *= go_on(i, g, found)
    return total / seen, total


def inst_rule(target: float) -> Any:
    def go_on(i: int, _: float, found: float) -> float:
        return ((i + target + (target - found) - 1) / (i + target + (target - found))) ** 2

    return go_on


RULES = {
    "INST(T=1,max=3)": inst_rule(1),
    "INST(T=2.5,max=3)": inst_rule(2.5),
    "INSQ(T=2,max=3)": lambda i, g, found: ((i + 3) / (i + 4)) ** 2,
    "NERR(stop=patience,p=0.7,max=3)": lambda i, g, found: 0.7 * (1 - g),
    "NERR(stop=goal,T=1,max=3)": lambda i, g, found: ((i + 1) / (i + 2)) ** 2 * (1 - g),
}


@unhurried
@given(lists, st.integers(1, 12), st.sampled_from([3, 4]))
def test_err_is_its_own_recursion(query: Shown, cutoff: int, top: int):
    wanted = err_slowly(query, cutoff, top)
    assert value(f"ERR(max={top})@{cutoff}", query) == pytest.approx(wanted, abs=1e-14)


@unhurried
@given(lists, st.sampled_from([0.1, 0.5, 0.8, 0.95]))
def test_rbp_and_its_residual_are_the_ends_of_what_the_unjudged_allow(query: Shown, p: float):
    weight = [(1 - p) * p**i for i in range(len(query.shown))]
    worth = [grade != UNJUDGED and grade > 0 for grade in query.shown]
    open_ = [grade == UNJUDGED for grade in query.shown]
    low = sum(w for w, good in zip(weight, worth, strict=True) if good)
    high = low + sum(w for w, free in zip(weight, open_, strict=True) if free) + p ** len(query.shown)
    assert value(f"RBP(p={p})", query) == pytest.approx(low, abs=1e-14)
    assert value(f"RBPResidual(p={p})", query) == pytest.approx(high - low, abs=1e-14)
    scaled = sum(w * g for w, g in zip(weight, gains(query, 4), strict=True))
    assert value(f"RBP(p={p},gain=scaled,max=4)", query) == pytest.approx(scaled, abs=1e-14)


@unhurried
@given(lists, st.sampled_from(list(RULES)))
def test_readers_that_go_on_by_chance_are_the_sum_over_their_ranks(query: Shown, text: str):
    wanted, _ = cwl_slowly(gains(query, 3), RULES[text])
    assert value(text, query) == pytest.approx(wanted, rel=1e-12, abs=1e-15)


@unhurried
@given(lists, st.integers(1, 12))
def test_readers_that_stop_at_a_rank_are_the_sum_over_the_ranks_above(query: Shown, k: int):
    gain = gains(query, 3)
    rules = {
        "BPM(T=1,max=3)": lambda i, g, found: float(found < 1 - 1e-12),
        "NERR(stop=cut,max=3)": lambda i, g, found: 1 - g,
        "NERR(stop=rank,max=3)": lambda i, g, found: i / (i + 1) * (1 - g),
    }
    for text, rule in rules.items():
        assert value(f"{text}@{k}", query) == pytest.approx(cwl_slowly(gain, rule, k)[0], rel=1e-12), text
    scaled = sum(g / np.log2(i + 1) for i, g in enumerate(gain[:k], 1))
    wanted = scaled / sum(1 / np.log2(i + 1) for i in range(1, k + 1))
    assert value(f"SDCG(max=3)@{k}", query) == pytest.approx(wanted, abs=1e-14)


@unhurried
@given(lists)
def test_the_total_of_a_reader_is_the_gain_of_all_that_is_seen(query: Shown):
    gain = gains(query, 3)
    for text, rule in (
        ("ExpectedUtility(reader=RBP,p=0.6,max=3)", lambda i, g, found: 0.6),
        ("ExpectedUtility(reader=INST,T=2,max=3)", inst_rule(2)),
        ("ExpectedUtility(reader=INSQ,T=1,max=3)", lambda i, g, found: ((i + 1) / (i + 2)) ** 2),
    ):
        assert value(text, query) == pytest.approx(cwl_slowly(gain, rule)[1], rel=1e-12, abs=1e-15), text


CWL = (  # cwl-eval 1.0.12, max_n 1000: expected utility, expected total utility
    ((3, UNJUDGED, 1, 0, 2), "INST", "T=1", 0.6699401123947977, 1.0612233287981858),
    ((3, UNJUDGED, 1, 0, 2), "INST", "T=3", 0.26661106024644515, 1.3712936293589557),
    ((3, UNJUDGED, 1, 0, 2), "INSQ", "T=2", 0.2905524846841111, 1.3147830692869662),
    ((3, UNJUDGED, 1, 0, 2), "RBP", "p=0.9", 0.17073999999999995, 1.7074000000000003),
    ((0, 0, 3, 3, 3, 2), "INST", "T=1", 0.23935180089115232, 0.499387829635739),
    ((0, 0, 3, 3, 3, 2), "INST", "T=3", 0.2966210354045106, 1.4911399324380368),
    ((0, 0, 3, 3, 3, 2), "INSQ", "T=2", 0.254719441357239, 1.1526040993533073),
    ((0, 0, 3, 3, 3, 2), "RBP", "p=0.9", 0.25887599999999994, 2.5887600000000006),
)


@pytest.mark.parametrize(("shown", "reader", "option", "rate", "total"), CWL)
def test_cwl_eval_says_the_same(shown: tuple[Any, ...], reader: str, option: str, rate: float, total: float):
    scaled = ",gain=scaled" if reader == "RBP" else ""
    assert value(f"{reader}({option}{scaled})", Shown(shown)) == pytest.approx(rate, rel=1e-12)
    # it weighs what was found by the chance to stop, and no reader who is left at rank 1000 stops there
    assert value(f"ExpectedUtility(reader={reader},{option})", Shown(shown)) == pytest.approx(total, rel=1e-4)


def test_the_residual_of_cwl_eval_is_what_is_unknown():
    assert value("RBPResidual(p=0.9)", Shown((3, UNJUDGED, 1, 0, 2))) == pytest.approx(0.68049, abs=1e-14)
    assert value("RBPResidual(p=0.9)", Shown((0, 0, 3, 3, 3, 2))) == pytest.approx(0.531441, abs=1e-14)


def compat_slowly(query: Shown, p: float) -> float:
    """Clarke et al. 2021: the most that any ideal ranking overlaps, each tried."""
    ids = [f"d{i}" for i in range(len(query.shown))]
    good = [(float(g), i) for g, i in zip(query.shown, ids, strict=True) if g != UNJUDGED and g > 0]
    good += [(float(g), f"e{i}") for i, g in enumerate(query.elsewhere) if g > 0]
    if not good:
        return float("nan")
    depth = max(len(ids), len(good))

    def overlap(one: list[str], other: list[str]) -> float:
        return sum(p ** (d - 1) * len({*one[:d]} & {*other[:d]}) / d for d in range(1, depth + 1))

    ideals = [order for order in permutations(good) if all(a[0] >= b[0] for a, b in pairwise(order))]
    names = [[doc for _, doc in order] for order in ideals]
    return max(overlap(ids, ideal) for ideal in names) / overlap(names[0], names[0])


@unhurried
@given(
    st.builds(
        Shown,
        st.lists(GRADES, min_size=1, max_size=5).map(tuple),
        st.lists(st.sampled_from([0, 1, 3]), min_size=1, max_size=2).map(tuple),
    ),
    st.sampled_from([0.3, 0.8, 0.95]),
)
def test_compatibility_is_the_overlap_with_the_nearest_of_all_ideal_rankings(query: Shown, p: float):
    assert value(f"Compat(p={p})", query) == pytest.approx(compat_slowly(query, p), abs=1e-12, nan_ok=True)


def test_the_top_of_the_scale_is_that_of_all_queries():
    r = ranking(Shown((1,)), Shown((3, 1)))
    assert parse("ERR@1")[0].compute(r).tolist() == [1 / 8, 7 / 8]
    assert parse("RBP(gain=scaled)@1")[0].compute(r) == pytest.approx([0.2 / 3, 0.2])


@pytest.mark.parametrize(
    "text", ["ERR(max=2)", "RBP(gain=scaled,max=2)", "INST(max=2)", "INSQ(max=2)", "SDCG(max=2)@3"]
)
def test_a_grade_above_the_stated_top_is_refused(text: str):
    with pytest.raises(InputError, match="the judgments have grade 3, above max=2"):
        value(text, Shown((3, 1)))


def test_err_of_grades_to_a_hundred():
    assert value("ERR", Shown((100, 100, 50))) == pytest.approx(1, abs=1e-12)
    assert value("ERR", Shown((99, 100))) == pytest.approx(1 / 2 + 1 / 2 / 2, abs=1e-12)
    assert value("ERR", Shown((99, 100), (), (1.0, 1.0)), ties="expected") == pytest.approx(0.875, abs=1e-12)


def test_a_grade_whose_power_is_no_number_is_refused():
    with pytest.raises(InputError, match="ERR of grade 2000: 2\\^grade is too large"):
        value("ERR", Shown((2000, 1)))


@pytest.mark.parametrize("name", ["SDCG", "BPM", "NERR", "NERR(stop=rank)"])
def test_a_reader_who_stops_at_a_rank_needs_one(name: str):
    with pytest.raises(InputError, match="needs a cutoff: its reader stops there"):
        value(name, Shown((3, 1)))


def test_readers_go_on_below_a_thousand_ranks_in_no_list_of_any_length():
    long = Shown((0,) * 1000 + (1,))
    assert value("INST", long) == 0
    assert value("INSQ", long) == 0
    assert value("RBP(p=0.99)", long) > 0
    many = ranking(*[Shown((1, 0))] * 1030)  # more queries than are laid out at once
    assert len(set(parse("INST")[0].compute(many).tolist())) == 1
