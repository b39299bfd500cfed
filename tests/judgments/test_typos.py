"""Slips of the finger, held against a plain distance of two texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judgments.typos import LONG, TIMES, is_slip, typos

WORDS = st.text("abc", min_size=4, max_size=8)


def distance(one: str, other: str) -> int:
    """Optimal string alignment, by the table of the textbook."""
    d = [[max(i, j) if not min(i, j) else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            same = one[i - 1] == other[j - 1]
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (not same))
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1)
    return d[-1][-1]


@given(WORDS, WORDS)
def test_a_slip_is_a_distance_of_one_behind_the_first_letter_of_long_words(one: str, other: str) -> None:
    expected = distance(one, other) == 1 and one[0] == other[0] and max(len(one), len(other)) >= LONG
    assert is_slip(one, other) == is_slip(other, one) == expected


@given(st.dictionaries(st.lists(WORDS, min_size=1, max_size=2).map(" ".join), st.integers(1, 500), max_size=30))
def test_it_finds_what_comparing_all_with_all_finds(counts: dict[str, int]) -> None:
    keys, numbers = list(counts), [float(n) for n in counts.values()]
    expected: dict[str, str] = {}
    for key in sorted(counts, key=lambda key: (-counts[key], key)):
        fits = [
            other
            for other in sorted(counts, key=lambda key: (-counts[key], key))
            if counts[other] >= TIMES * counts[key] and other not in expected and differ_by_one(key, other)
        ]
        if fits:
            expected[key] = fits[0]
    assert {keys[slip]: keys[meant] for slip, meant in typos(keys, numbers).items()} == expected


def differ_by_one(one: str, other: str) -> bool:
    words, others = one.split(), other.split()
    if len(words) != len(others):
        return False
    apart = [(a, b) for a, b in zip(words, others, strict=True) if a != b]
    return len(apart) == 1 and is_slip(*apart[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("jacket", "packet"),  # the first letter is another
        ("boots", "boats"),  # short words have real neighbours
        ("iphone14", "iphone15"),  # digits tell products apart
        ("waterproof", "wateproofs"),  # two slips
        ("防水夹克登山服", "防水夹克登山鞋"),  # one sign is a word
    ],
)
def test_what_may_be_another_thing_stays(one: str, other: str) -> None:
    assert typos([one, other], [1_000.0, 1.0]) == {}


def test_the_rarer_one_is_the_slip_and_only_where_the_other_is_far_more_frequent() -> None:
    assert typos(["jackett", "jacket"], [3.0, 30.0]) == {0: 1}
    assert typos(["jackett", "jacket"], [3.1, 30.0]) == {}
    assert typos(["kurtke", "kurtka", "крутка", "кружка"], [1.0, 10.0, 1.0, 10.0]) == {0: 1, 2: 3}
    assert typos([], []) == {}


def test_a_slip_of_a_slip_is_not_followed() -> None:
    assert typos(["jacket", "jackett", "jacketts"], [1_000.0, 100.0, 1.0]) == {1: 0}
