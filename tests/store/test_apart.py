"""Documents that are alike do not follow each other, wherever some order can do that."""

from __future__ import annotations

from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from assay.store.queue import Open, _apart


def adjacent(alike: tuple[int | None, ...], before: int | None) -> int:
    """How often one follows another that it is alike."""
    return sum(one is not None and one == other for one, other in pairwise((before, *alike)))


def order(alike: list[int | None], before: int | None = None, n: int = 99) -> list[int]:
    return [one.id for one in _apart([Open(0, at, one) for at, one in enumerate(alike)], before, n)]


def test_the_first_that_is_not_alike_the_one_before_comes_next() -> None:
    assert order([1, 1, None, 2, None]) == [0, 2, 1, 3, 4]
    assert order([None, None, None]) == [0, 1, 2]
    assert order([1, 2, 3], before=1) == [1, 0, 2]


def test_more_than_half_come_before_they_would_follow_each_other() -> None:
    assert order([2, 2, 1, 1, 1]) == [2, 0, 3, 1, 4]
    assert order([1, 1, 1]) == [0, 1, 2]  # nothing else is left


@given(st.lists(st.sampled_from([None, 1, 2, 3]), max_size=7), st.sampled_from([None, 1, 2]))
def test_none_follow_each_other_where_an_order_without_that_exists(alike: list[int | None], before: int | None) -> None:
    found = order(alike, before)
    assert sorted(found) == list(range(len(alike)))
    if any(adjacent(one, before) == 0 for one in permutations(alike)):
        assert adjacent(tuple(alike[at] for at in found), before) == 0


@given(st.lists(st.sampled_from([None, 1, 2]), max_size=10), st.integers(1, 4))
def test_one_after_the_other_is_the_same_order(alike: list[int | None], n: int) -> None:
    left, before, found = [Open(0, at, one) for at, one in enumerate(alike)], None, []
    while left:
        chosen = _apart(left, before, n)
        found += chosen
        before = chosen[-1].alike
        left = [one for one in left if one not in chosen]
    assert [one.id for one in found] == order(alike)
