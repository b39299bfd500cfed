from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text import fold, folded, personal_data, tokens


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("rain  jacket ", "rain jacket", "exact"),
        ("Rain Jacket", "rain jacket", "form"),
        ('"rain jacket"', "rain jacket!", "form"),
        ("ｒａｉｎ jacket", "rain jacket", "form"),
        ("cafe\u0301", "café", "form"),
        ("STRASSE", "straße", "form"),
        ("jacket rain", "rain jacket jacket", "words"),
        ("雨衣！", "雨衣", "form"),
    ],
)
def test_queries_that_are_one(one: str, other: str, rule: str) -> None:
    assert fold(one, rule) == fold(other, rule)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("Rain", "rain", "exact"),
        ("jacket rain", "rain jacket", "form"),
        ("c++", "c", "form"),
        ("c#", "c", "form"),
        ("3.5mm", "35mm", "form"),
        ("ab-12", "ab12", "form"),
        ("50%", "50", "form"),
        ("boots", "boot", "words"),
        ("café", "cafe", "words"),
    ],
)
def test_queries_that_stay_two(one: str, other: str, rule: str) -> None:
    assert fold(one, rule) != fold(other, rule)  # type: ignore[arg-type]


@given(st.text(max_size=30), st.sampled_from(["exact", "form", "words"]))
def test_folding_twice_changes_nothing(text: str, rule: str) -> None:
    once = fold(text, rule)  # type: ignore[arg-type]
    assert fold(once, rule) == once  # type: ignore[arg-type]
    assert bool(once) == bool(text.split())


def test_a_query_of_punctuation_is_not_nothing() -> None:
    assert fold("???") == "???"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mail jo@example.org please", "e-mail"),
        ("4111 1111 1111 1111", "card"),
        ("5500-0000-0000-0004", "card"),
        ("+49 30 901820", "phone"),
        ("+4930901820", "phone"),
        ("call 030 901820 12", "phone"),
        ("(555) 010-9999 44", "phone"),
        ("0171-5550199", "phone"),
        ("GB82 WEST 1234 5698 7654 32", "IBAN"),
        ("de89370400440532013000", "IBAN"),
        ("jo＠example.org", "e-mail"),
    ],
)
def test_personal_data_is_found(text: str, kind: str) -> None:
    assert personal_data(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "rain jacket", "SKU-12345678", "4006381333931", "iphone 15", "195/65 r15 91h", "2026-11-30", "3.5 mm jack",
        "1 2 3 4 5", "0.5 l bottle", "@work", "10.5", "7x9 frame", "gtin 04006381333931", "1920 1080", "DE12 3456",
    ],
)  # fmt: skip
def test_what_a_shop_is_asked_is_not_personal(text: str) -> None:
    assert personal_data(text) is None


def test_places_of_equal_texts() -> None:
    assert folded(["A", "b", "a "]) == {"a": [0, 2], "b": [1]}
    assert tokens("Rain-jacket, 2 雨衣") == ["rain", "jacket", "2", "雨衣"]
