"""Which words of a text are marked for a query: case, accents, scripts without blanks, emoji; in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from browser.label_page import served, signed_in
from web.visiting import workspace

pytestmark = pytest.mark.browser

CASES = [
    # query, language, text, what is marked
    ("rain", "", "Rain, RAINS and rainproof; no train", ["Rain", "RAIN", "rain"]),
    ("rain jackets", "", "a jacket, two jackets, one jacketed man", ["jacket", "jackets"]),
    ("Cafe creme", "", "CAFÉ cre\u0300me, café crème", ["CAFÉ", "cre\u0300me", "café", "crème"]),
    ("straße", "", "STRASSE Straße strasse", ["STRASSE", "Straße", "strasse"]),
    ("ΟΔΟΣ", "", "οδος οδός", ["οδος", "οδός"]),
    ("İstanbul", "tr", "istanbul ISTANBUL", ["istanbul", "ISTANBUL"]),
    ("ёлка", "ru", "Елка и ёлки", ["Елка"]),
    ("28 inch", "", "28-inch 2800 28 inches 128", ["28", "inch", "28", "inch"]),
    ("c++ a b", "", "C++ and c a b", ["C++"]),
    ("3.5mm jack", "", "3.5mm jack, 35mm", ["3.5mm", "jack"]),
    ("ig", "", "ig, IG; igloo big", ["ig", "IG"]),
    ("مطر", "ar", "سترة المَطَر ومطر", ["مَطَر", "مطر"]),
    ("أحمد", "ar", "احمد أحمد", ["احمد", "أحمد"]),
    ("גשם", "he", "מעיל הגשם גֶּשֶׁם", ["גשם", "גֶּשֶׁם"]),
    ("红色雨衣", "zh-Hans", "这件雨衣是红色的，红的", ["雨衣", "红色"]),
    ("雨具の店", "ja", "雨具の専門店。の", ["雨具", "店"]),
    ("เสื้อกันฝน", "th", "ซื้อเสื้อกันฝนสีแดง", ["เสื้อ", "กัน", "ฝน"]),
    ("बारिश", "hi", "बारिश बारिशों बार", ["बारिश"]),  # the vowel sign of the second is not cut off
    ("कि", "hi", "की कि का", ["कि"]),
    ("가방", "ko", "가방이 가반", ["가방"]),
    ("👩 laptop", "", "👩 👩‍💻 👩🏽 laptop", ["👩", "laptop"]),
    ("👩‍💻", "", "👩 👩‍💻 💻", ["👩‍💻"]),
    ("ﬁne", "", "ＦＩＮＥ fine", ["ＦＩＮＥ", "fine"]),
    ("(a.b)* [c", "", "a.b (a.b)*", ["a.b", "a.b"]),
    ("", "", "nothing", []),
]

MARKED = """async ([base, cases]) => {
    const { places, terms } = await import(base + "/static/mark.js");
    return cases.map(([query, language, text]) =>
        places(text, terms(query, language)).map(([start, end]) => text.slice(start, end)));
}"""


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A page of the application."""
    with served(workspace(tmp_path_factory.mktemp("marks"))) as base:
        page = signed_in(browser, base)
        yield page
        page.context.close()


def marked(page: Any, *cases: tuple[str, str, str]) -> list[list[str]]:
    found: list[list[str]] = page.evaluate(MARKED, [page.url.rstrip("/"), [list(case) for case in cases]])
    return found


def test_words_are_marked_as_their_script_writes_them(page: Any) -> None:
    found = marked(page, *((query, language, text) for query, language, text, _ in CASES))
    assert {case[:3]: got for case, got in zip(CASES, found, strict=True)} == {case[:3]: case[3] for case in CASES}


def test_marks_of_a_long_text_take_a_moment(page: Any) -> None:
    text = "Ein Regenmantel für den Weg zur Arbeit, من المطر, 红色雨衣. " * 4_000
    took = page.evaluate(
        """async ([base, text]) => {
            const { places, terms } = await import(base + "/static/mark.js");
            const words = terms("regen arbeit مطر 红色雨衣");
            const start = performance.now();
            const n = places(text, words).length;
            return [n, performance.now() - start];
        }""",
        [page.url.rstrip("/"), text],
    )
    assert took[0] == 4_000 * 5  # regen, arbeit, مطر, 红色, 雨衣
    assert took[1] < 2_000  # 220,000 letters
