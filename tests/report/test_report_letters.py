from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.report.figures import count, number, percent, show
from assay.report.letters import clean, cut, pad, plain, width, wrap
from assay.report.page import Mark, Range, Value


def test_wide_letters_take_two_columns_and_combining_marks_none() -> None:
    assert [width(x) for x in ("abc", "日本", "e\u0301", "👍", "👍🏽", "❤\ufe0f", "👩\u200d🔬", "한")] == [
        3,
        4,
        1,
        2,
        2,
        2,
        2,
        2,
    ]


def test_padding_counts_columns_and_not_letters() -> None:
    assert pad("日本", 6) == "日本  "
    assert pad("ab", 4, "right") == "  ab"


def test_a_name_is_cut_in_the_middle() -> None:
    assert cut("hybrid-candidate-07", 10) == "hybri…e-07"
    assert cut("short", 10) == "short"


@given(st.text(max_size=40), st.integers(3, 30))
def test_a_cut_name_never_takes_more_columns_than_it_may(name: str, columns: int) -> None:
    assert width(cut(clean(name), columns)) <= max(columns, 0)


@given(st.lists(st.text("abcdefg日", min_size=1, max_size=8), min_size=1, max_size=20), st.integers(16, 40))
def test_wrapping_loses_no_word_and_keeps_to_the_width(words: list[str], columns: int) -> None:
    lines = wrap(" ".join(words), columns)
    assert " ".join(lines).split() == words
    assert all(width(line) <= columns for line in lines)


def test_what_would_steer_the_terminal_is_shown_by_its_code() -> None:
    assert clean("a\x1b[31mred\x07\u202eb\n") == "a\\x1b[31mred\\x07\\u202eb\\x0a"
    assert clean("naïve 日本 👩\u200d🔬") == "naïve 日本 👩\u200d🔬"


def test_plain_ascii_replaces_signs_and_leaves_names_alone() -> None:
    assert plain("▲ −0.5 … ─ Järvelin") == "^ -0.5 .. - Järvelin"


def test_numbers_have_a_true_minus_and_commas_and_zero_has_no_sign() -> None:
    assert number(-0.0188, 4, sign=True) == "−0.0188"
    assert number(0.032, 4, sign=True) == "+0.0320"
    assert number(-0.00001, 4, sign=True) == "0.0000"
    assert number(1234.5, 1) == "1,234.5"


def test_what_is_not_known_is_never_zero() -> None:
    assert show(Value(None)) == "n/a"
    assert show(Value(float("nan"))) == "n/a"
    assert show(Range(None, None, why="n/a: n 3")) == "n/a: n 3"
    assert show(Range(0.1, float("nan"))) == "n/a"


def test_intervals_read_low_to_high_and_pages_show_three_decimals() -> None:
    assert show(Range(0.66561, 0.7125)) == "0.6656 to 0.7125"
    assert show(Value(0.66561), 3) == "0.666"
    assert show(Mark("better", "better")) == "better"


def test_counts_and_shares() -> None:
    assert count(1, "query", "queries") == "1 query"
    assert count(12345, "query", "queries") == "12,345 queries"
    assert percent(0.27) == "27\u202f%"
    assert percent(0.001) == "<\u202f1\u202f%"
    assert percent(0.0) == "0\u202f%"
