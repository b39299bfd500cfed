"""What a rater sees of the own work: each answer enters once, among others, and nothing shows it alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.flows import batches
from assay.flows.batches import Key, Said, beside_others, standing
from assay.flows.own import Sides, Table, sides_of, table
from assay.flows.pace import IDLE_S, mean_s
from assay.store.own import Own


def said(n: int, item: int, grade: float | None, turn: int = 0, rater: str = "me") -> Own:
    return Own(f"u{n}", item, turn, grade, None if grade is not None else "language", 1_000, None, n, rater)


def back(of: int, item: int, turn: int = 0, n: int = 0, rater: str = "me") -> Own:
    return Own(f"b{of}", item, turn, None, None, None, f"u{of}", n, rater)


def grade(row: Own) -> Said | None:
    return row.grade


def settled(rows: Sequence[Own], batch: int) -> dict[Key, Said]:
    return batches.settled(rows, grade, batch)


def beside(rows: Sequence[Own], batch: int = 2, left_out: Container[Key] = ()) -> list[tuple[int, Said, Said]]:
    mine, others = ([row for row in rows if (row.rater == "me") == own] for own in (True, False))
    return beside_others(mine, others, grade, grade, lambda key: key not in left_out, batch)


def test_answers_are_counted_when_a_batch_of_their_grade_is_full() -> None:
    rows = [said(1, 1, 2.0), said(2, 2, 0.0), said(3, 3, None), said(4, 4, 2.0), said(5, 1, 2.0, turn=1)]
    assert settled(rows[:4], batch=3) == {}
    assert settled(rows, batch=3) == {(1, 0): 2.0, (4, 0): 2.0, (1, 1): 2.0}


def test_what_is_taken_back_or_changed_before_counts_as_it_stands_and_after_not_at_all() -> None:
    rows = [said(1, 1, 2.0), back(1, 1), said(2, 2, 2.0)]
    assert settled(rows, batch=2) == {}
    assert settled([*rows, said(3, 1, 2.0)], batch=2) == {(2, 0): 2.0, (1, 0): 2.0}
    full = [said(1, 1, 2.0), said(2, 2, 2.0)]
    assert settled([*full, back(2, 2), said(3, 2, 0.0), said(4, 3, 0.0)], batch=2) == {(1, 0): 2.0, (2, 0): 2.0}
    changed = [said(1, 1, 2.0), said(2, 1, 0.0), said(3, 2, 0.0)]
    assert settled(changed, batch=2) == {(1, 0): 0.0, (2, 0): 0.0}
    assert settled([said(1, 1, 2.0), said(2, 1, 0.0), back(2, 1), said(3, 2, 2.0)], batch=2) == {
        (1, 0): 2.0, (2, 0): 2.0,
    }  # fmt: skip


ROWS = st.lists(st.tuples(st.integers(1, 9), st.sampled_from([0.0, 1.0, None, "back"])), max_size=80)


@given(ROWS)
def test_the_figures_grow_by_whole_batches_and_nothing_leaves_them(moves: list[tuple[int, float | str | None]]) -> None:
    rows: list[Own] = []
    last: dict[int, int] = {}
    for n, (item, what) in enumerate(moves):
        if what != "back":
            rows.append(said(n, item, what if isinstance(what, float) else None))
            last[item] = n
        elif item in last:
            rows.append(back(last.pop(item), item))
    states = [settled(rows[:n], batch=3) for n in range(len(rows) + 1)]
    for before, after in pairwise(states):
        assert before.items() <= after.items()
        assert len(after) - len(before) in (0, 3)
    assert all(n % 3 == 0 for n in Counter(states[-1].values()).values())


def test_what_stands_is_the_latest_that_was_not_taken_back() -> None:
    rows = [said(1, 1, 2.0), said(2, 1, 0.0), said(3, 2, 1.0), back(3, 2), said(4, 1, 1.0), back(4, 1)]
    assert {key: row.uid for key, row in standing(rows).items()} == {(1, 0): "u2"}


def test_a_table_counts_own_grades_beside_others_and_needs_enough_of_them() -> None:
    pairs = [(2.0, 2.0)] * 7 + [(2.0, 0.0)] * 3 + [(0.0, 0.0)] * 9 + [(0.0, 1.0)] * 2 + [(1.0, 1.0)]
    assert table(pairs, (0.0, 1.0, 2.0), fewest=5) == Table(
        (0.0, 1.0, 2.0), {0.0: (9, 2, 0), 1.0: (0, 1, 0), 2.0: (3, 0, 7)}, same=17, n=22
    )
    assert table(pairs, (0.0, 1.0, 2.0), fewest=23) is None
    assert table([], (0.0, 1.0), fewest=1) is None


def test_idle_time_is_capped_in_a_mean() -> None:
    assert IDLE_S == 120
    assert mean_s([10.0, 20.0, 3_600.0]) == pytest.approx(50.0)
    assert mean_s([]) is None


def test_what_peers_say_is_counted_when_a_batch_of_it_is_full_whoever_answers_last() -> None:
    mine = [said(1, 1, 2.0), said(2, 2, 2.0)]
    first = said(3, 1, 0.0, rater="ann")
    second = said(4, 2, 1.0, rater="ann")
    assert beside([*mine, first]) == []  # one peer's answer alone stays hidden
    assert beside([*mine, first, second]) == [(1, 2.0, 0.0), (2, 2.0, 1.0)]
    assert beside([*mine, first, said(5, 1, 1.0, rater="ben")]) == [(1, 2.0, 0.0), (1, 2.0, 1.0)]
    early = [said(1, 1, 0.0, rater="ann"), said(2, 2, 1.0, rater="ann"), said(3, 1, 2.0), said(4, 2, 2.0)]
    assert beside(early) == [(1, 2.0, 0.0), (2, 2.0, 1.0)]
    assert beside(early[:3]) == []
    assert beside(early, left_out=[(1, 0)]) == []
    assert beside([said(1, 1, 0.0, rater="ann"), said(2, 2, 1.0, rater="ann"), said(3, 1, 2.0), said(4, 2, 0.0)]) == []


def test_what_a_peer_takes_back_or_changes_counts_as_it_stands_when_the_batch_is_full_and_not_later() -> None:
    mine = [said(1, 1, 2.0), said(2, 2, 2.0)]
    changed = [*mine, said(3, 1, 0.0, rater="ann"), said(4, 1, 1.0, rater="ann")]
    assert beside(changed) == []  # one pair, whatever is said of it
    assert beside([*changed, said(5, 2, 2.0, rater="ann")]) == [(1, 2.0, 1.0), (2, 2.0, 2.0)]
    gone = [*mine, said(3, 1, 0.0, rater="ann"), back(3, 1, n=4, rater="ann"), said(5, 2, 2.0, rater="ann")]
    assert beside(gone) == []
    full = [*mine, said(3, 1, 0.0, rater="ann"), said(4, 2, 2.0, rater="ann")]
    later = [back(4, 2, n=5, rater="ann"), said(6, 1, 2.0, rater="ann"), back(2, 2, n=7), said(8, 2, None)]
    assert beside([*full, *later]) == beside(full) == [(1, 2.0, 0.0), (2, 2.0, 2.0)]


TALK = st.lists(st.tuples(st.sampled_from(["me", "ann", "ben"]), st.integers(1, 9),
                          st.sampled_from([0.0, 1.0, None, "back"])), max_size=100)  # fmt: skip


@given(TALK)
def test_the_figures_of_peers_grow_by_whole_batches_and_nothing_leaves_them(
    moves: list[tuple[str, int, float | str | None]],
) -> None:
    rows: list[Own] = []
    last: dict[tuple[str, int], int] = {}
    for n, (rater, item, what) in enumerate(moves, 1):
        if what != "back":
            rows.append(said(n, item, what if isinstance(what, float) else None, rater=rater))
            last[rater, item] = n
        elif (rater, item) in last:
            rows.append(back(last.pop((rater, item)), item, n=n, rater=rater))
    states = [Counter(beside(rows[:n], batch=3)) for n in range(len(rows) + 1)]
    for before, after in pairwise(states):
        assert before <= after
    for now in states:
        assert all(n % 3 == 0 for n in Counter(own for _, own, _ in now.elements()).values())


def test_sides_stand_beside_what_chance_alone_makes_of_them() -> None:
    """Of ten tosses, at most 1 is heads 11 times of 1,024, at most 2 56 times, at most 7 968 and at most 8 1,013."""
    answers = ["left"] * 9 + ["right"] + ["tie"] * 3 + ["both-bad"]
    assert sides_of(answers) == Sides(left=9, right=1, tie=3, both_bad=1, low=2, high=8)
    assert sides_of(["tie"]) == Sides(0, 0, 1, 0)
