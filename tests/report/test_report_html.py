from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from assay.measures.card import card
from assay.report.describe import describe
from assay.report.html import LONGEST, to_html
from assay.report.markdown import to_markdown
from assay.report.page import Column, Fact, Facts, Heading, Mark, Page, Picture, Prose, Range, Table
from assay.report.position_chart import Line, by_position
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


def test_the_first_number_of_a_row_that_stands_alone_is_named() -> None:
    numbers = Table((Column("position", "right"), Column("CTR", "right")), (("1", "2"),))
    spans = Table((Column("exposure"), Column("clicks")), ((Range(0.9, 0.5), "2"),))
    words = Table((Column("run"), Column("mean")), (("bm25", "2"),))
    text = to_html(Page("t", ("a",), (numbers, spans, words)))
    assert re.findall(r'<th scope="row"(?: data-l="([^"]*)")?', text) == ["position", "exposure", ""]


def folded(rows: tuple[tuple[str, ...], ...], grouped: bool) -> tuple[list[str], list[str]]:
    """Summaries, and the last cell of each row of the page."""
    columns = (Column("measure", is_grouped=grouped), Column("day"))
    text = to_html(Page("t", ("a",), (Table(columns, rows),)))
    return re.findall(r"<summary>([^<]*)</summary>", text), re.findall(r'<td data-l="day">([^<]*)</td>', text)


def test_what_goes_beyond_a_sensible_length_is_folded_by_measure_and_none_is_lost() -> None:
    rows = tuple((measure, f"{measure}{day}") for measure in ("CTR", "RR") for day in range(LONGEST + 3))
    summaries, cells = folded(rows, True)
    assert summaries == ["CTR: 3 more rows", f"RR: {LONGEST + 3} rows"]
    assert cells == [day for _, day in rows]


@pytest.mark.parametrize(("more", "summaries"), [(0, []), (1, ["1 more row"])])
def test_only_rows_beyond_the_limit_are_folded(more: int, summaries: list[str]) -> None:
    rows = tuple(("x", str(day)) for day in range(LONGEST + more))
    assert folded(rows, False) == (summaries, [day for _, day in rows])


def test_a_percent_sign_stays_with_its_number_but_what_is_pasted_stays_as_it_is() -> None:
    made = Facts((Fact("Command", ("assay x --level 95 %",)),))
    text = to_html(Page("t", ("95 % of it",), (Heading("At 95 %", "lead 95 %"), Prose("95 % more")), made))
    assert text.count("95\u00a0%") == 4
    assert "--level 95 %" in text


def test_answers_and_facts_have_the_decimals_of_a_page_and_p_keeps_its_own() -> None:
    text = to_html(Page("t", ("DCG 1.2693 (p < 0.0001)",), (Facts((Fact("Error", ("0.1234, p 0.0312",)),)),)))
    assert "DCG 1.269 (p &lt; 0.0001)" in text
    assert "0.123, p 0.0312" in text


def test_a_chart_stands_beside_its_figures_where_both_have_room() -> None:
    chart = Picture("c", lambda width: by_position([Line("a", (1.0,))], width), 560, is_beside=True)
    table = Table((Column("a"), Column("b")), (("1", "2"),))
    text = to_html(Page("t", ("a",), (chart, table, table)))
    inside = text[text.index('<div class="beside">') :]
    assert inside.index("<figure") < inside.index("<table>")
    assert text.count('<div class="beside">') == 1
    assert text.count("<figure") == 1
    alone = Picture("c", chart.draw)
    assert '<div class="beside">' not in to_html(Page("t", ("a",), (alone, table, chart)))
