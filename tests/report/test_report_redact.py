"""Codes for ids, in sentences too: ids that are words, query texts, addresses, parts of one another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.report.redact import Codes

CODES = Codes({
    "bike lights": "q1", "bike lights 20": "q2", "7": "q3", "gloves": "q4", "O'Neil (men)": "q5", "what?": "q6",
    "https://shop.example/p(1)": "d1", "https://shop.example/p(12)": "d2", "a:b": "d3", "end.": "d4",
})  # fmt: skip


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("bike lights lost more than 0.05", "q1 lost more than 0.05"),
        ("of bike lights 20, gloves and bike lights.", "of q2, q4 and q1."),
        ("nDCG@10, O'Neil (men)", "nDCG@10, q5"),
        ("judge https://shop.example/p(12); https://shop.example/p(1)", "judge d2; d1"),
        ("a:b is end. and a:bc is not", "d3 is d4 and a:bc is not"),
        ("motorbike lights and bike lightsaber stay", "motorbike lights and bike lightsaber stay"),
        ("7 queries of gloves", "7 queries of q4"),
        ("say what?", "say q6"),
    ],
)
def test_ids_in_a_sentence_are_replaced_and_parts_of_words_are_not(said: str, wanted: str) -> None:
    assert CODES.in_sentence(said) == wanted


def test_numbers_are_ids_where_they_may_be() -> None:
    assert CODES.in_sentence("7 queries", numbers=True) == "q3 queries"
    assert CODES.in_sentence("7", numbers=True) == "q3"
    assert CODES.in_sentence("7") == "7"


@given(st.lists(st.text("ab :.()'\"/é", min_size=1, max_size=6).map(lambda s: f"X{s}Z"), min_size=1, max_size=5))
def test_no_id_survives_between_blanks(ids: list[str]) -> None:
    codes = Codes({name: f"q{i:03d}" for i, name in enumerate(dict.fromkeys(ids))})
    said = " ".join(["first", *ids, "last"])
    assert codes.in_sentence(said) == " ".join(["first", *(codes[name] for name in ids), "last"])
