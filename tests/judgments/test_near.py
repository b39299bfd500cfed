"""Documents that say nearly the same are found, and no others."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judgments.near import BEGINNING, NEAR, groups, pieces, resemblance

WORDS = [
    "rain", "jacket", "tube", "valve", "presta", "rim", "deep", "light", "wind", "hood", "pocket", "yellow", "blue",
    "warm", "thin", "long", "short", "dry",
]  # fmt: skip


def test_pieces_are_those_of_five_letters_and_resemblance_their_share() -> None:
    one, other = pieces("abcdefg"), pieces("abcdefx")  # abcde bcdef cdefg, and abcde bcdef cdefx
    assert (len(one), len(other)) == (3, 3)
    assert resemblance(one, other) == pytest.approx(2 / 4)
    assert resemblance(one, one) == 1.0
    assert (len(pieces("abc")), len(pieces("aaaaaaaa"))) == (1, 1)


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_resemblance_is_that_of_the_sets(one: str, other: str) -> None:
    def cut(text: str) -> set[str]:
        return {text[at : at + 5] for at in range(max(len(text) - 4, 1))}

    expected = len(cut(one) & cut(other)) / len(cut(one) | cut(other))
    assert resemblance(pieces(one), pieces(other)) == pytest.approx(expected)


def test_the_same_text_in_another_writing_is_near() -> None:
    texts = {"a": "Rain  JACKET, blue!", "b": "rain jacket blue", "c": "Tube for deep rims", "d": "", "e": " \n"}
    assert groups(texts) == {"a": 0, "b": 0}


def test_a_changed_word_is_near_and_another_text_is_not() -> None:
    base = "Inner tube 28 inch with a long Presta valve for deep rims, sold as a single piece in a box"
    texts = {"60": f"{base}, 60 mm", "80": f"{base}, 80 mm", "40": f"{base}, 40 mm", "pump": "Floor pump with gauge"}
    found = groups(texts)
    assert set(found) == {"60", "80", "40"}
    assert len(set(found.values())) == 1


def test_seven_tenths_are_the_border() -> None:
    """Of 22 pieces, 3 differ where the last three letters do, and 4 where the last four do: 19 of 25, and 18 of 26."""
    one = "abcdefghijklmnopqrstuvwxyz"
    assert groups({"one": one, "other": f"{one[:-3]}012"}) == {"one": 0, "other": 0}
    assert groups({"one": one, "other": f"{one[:-4]}0123"}) == {}


def test_a_chain_of_near_ones_is_one_group_and_groups_are_numbered_apart() -> None:
    rng = random.Random(5)
    long = [" ".join(rng.choices(WORDS, k=80)) for _ in range(3)]
    texts = {f"{at}-{n}": f"{long[at]} {n}" for at in range(3) for n in range(4)}
    found = groups(texts)
    assert len(found) == 12
    assert len({found[f"{at}-0"] for at in range(3)}) == 3
    assert all(len({found[f"{at}-{n}"] for n in range(4)}) == 1 for at in range(3))


def test_what_two_texts_share_by_chance_is_not_near_and_what_is_near_is_found() -> None:
    """200 texts of words, and a changed one of each: pairs by all against all are those by sketches."""
    rng = random.Random(11)
    texts: dict[str, str] = {}
    for n in range(200):
        words = rng.choices(WORDS, k=rng.randrange(5, 60))
        texts[f"a{n}"] = " ".join(words)
        words[rng.randrange(len(words))] = "changed"
        texts[f"b{n}"] = " ".join(words)
    cut = {doc: pieces(text[:BEGINNING]) for doc, text in texts.items()}
    expected = {(one, other) for one in texts for other in texts
                if one < other and resemblance(cut[one], cut[other]) >= NEAR}  # fmt: skip
    found = groups(texts)
    assert len(expected) > 100
    assert all(found[one] == found[other] for one, other in expected)
    assert set(found) == {doc for pair in expected for doc in pair}


@given(st.lists(st.text(max_size=12), max_size=8))
def test_the_order_of_documents_changes_no_group(texts: list[str]) -> None:
    def together(pairs: list[tuple[str, str]]) -> set[frozenset[str]]:
        found = groups(dict(pairs))
        return {frozenset(doc for doc, at in found.items() if at == number) for number in found.values()}

    pairs = [(str(n), text) for n, text in enumerate(texts)]
    assert together(pairs) == together(pairs[::-1])
