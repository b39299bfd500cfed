from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from assay.measures.card import card
from assay.report.describe import describe
from assay.report.html import to_html
from assay.report.markdown import to_markdown
from assay.report.page import Column, Mark, Page, Prose, Table
from report.by_hand import DOUBT, in_parts, scores

VOID = {"meta", "link", "line", "circle", "path", "br", "input"}


class Tree(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


PAGES = [scores(notes=(DOUBT,)), in_parts(), card("nDCG")]


@pytest.mark.parametrize("result", PAGES)
def test_the_page_is_whole_and_loads_and_runs_nothing(result: object) -> None:
    tree = Tree(to_html(describe(result)))
    names = {(tag, name) for tag, name, _ in tree.attributes}
    assert not {name for _, name in names} & {"style", "src", "srcset", "onclick", "onload"}
    assert {value for tag, name, value in tree.attributes if name == "href"} == {"data:,", "#main"}
    assert "script" not in {tag for tag, _ in names}


def test_the_policy_allows_the_style_of_the_page_and_nothing_else() -> None:
    text = to_html(describe(scores()))
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style.group(1).encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in text
    assert "http" not in style.group(1)
    assert "@import" not in style.group(1)


def test_names_from_files_are_text_and_never_markup() -> None:
    evil = '<img src=x onerror="alert(1)">&'
    page = Page(evil, (evil, Mark("worse", evil)), (Prose(evil), Table((Column(evil),), ((evil,),), name=evil)))
    text = to_html(page)
    Tree(text)
    assert "<img" not in text
    assert text.count("&lt;img") == 9  # title, crumb, heading, two answers, prose, name, head, cell


def test_pages_show_three_decimals_and_draw_intervals_with_their_figures_as_label() -> None:
    text = to_html(describe(in_parts()))
    assert "0.500" in text
    assert "0.5000" not in text
    assert re.search(r'aria-label="0\.500, 0\.\d{3} to 0\.\d{3}"', text)


def test_a_notebook_shows_any_result_in_a_box_of_its_own() -> None:
    text = scores()._repr_html_()
    Tree(text)
    assert text.startswith('<div class="assay guest"><style>')
    outside = re.sub(r"/\*.*?\*/", "", re.search(r"<style>(.*?)</style>", text, re.DOTALL).group(1), flags=re.DOTALL)  # type: ignore[union-attr]
    for selector in re.findall(r"(?:^|[};])\s*([^{}@;]+)\{", outside):
        if not selector.strip().startswith(("from", "to")):
            assert ".assay" in selector, selector


def test_every_colour_stands_in_the_tokens() -> None:
    from importlib.resources import files

    css = files("assay.report").joinpath("assets/report.css").read_text(encoding="utf-8")
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb\(|hsl\(", css)


def test_rows_name_themselves_and_repeat_their_group_for_those_who_hear_it() -> None:
    text = to_html(describe(scores()))
    assert text.count('<th scope="row">') == 4
    assert '<th scope="row"><span class="again">nDCG@10</span></th>' in text


def test_markdown_keeps_the_answer_first_and_escapes_names() -> None:
    page = Page("t", ("3 queries",), (Table((Column("run"), Column("x", "right")), (("a|b_*c*", "1"),)),))
    assert to_markdown(page) == "**3 queries**\n\n| run | x |\n| --- | ---: |\n| a\\|b\\_\\*c\\* | 1 |\n"


def test_markdown_of_scores_has_a_table_and_how_it_was_made() -> None:
    text = to_markdown(describe(scores(notes=(DOUBT,))))
    assert "| nDCG@10 | bm25 | 0.5000 | n/a: n 3 | 0.500 |" in text
    assert "- ◆ dense: the rank column" in text
    assert "<details><summary>How this was made</summary>" in text


def test_markdown_of_strangers_ids_keeps_its_cells_and_sends_nothing_to_the_terminal() -> None:
    ids = ["a|b", "`|`", "\x1b[31m", "\u202egnp", "&lt;"]
    table = Table((Column("query", mono=True), Column("note")), tuple((one, one) for one in ids))
    lines = to_markdown(Page("t", ("x",), (table,))).splitlines()[4:]
    assert lines == [
        r"| `a\|b` | a\|b |",
        r"| `` `\|` `` | \`\|\` |",
        r"| `\x1b[31m` | \\x1b\[31m |",
        r"| `\u202egnp` | \\u202egnp |",
        r"| `&lt;` | \&lt; |",
    ]
