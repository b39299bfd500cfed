"""The report of a comparison as a file: what stands in it, what may not, and what its script works on."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from assay.report.dossier import TITLE, dossier, fitting, numbered
from assay.report.redact import coded, redacted
from assay.report.sheet import packed, to_document
from assay.report.verdicts import pairs
from report.comparison_by_hand import BASE, CANDIDATE, QUERIES, TEXTS, TITLES, comparison, lists


class Reader(HTMLParser):
    """Every element with its attributes, and the text of scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data


def read(document: str) -> Reader:
    reader = Reader()
    reader.feed(document)
    return reader


def data_of(document: str) -> dict:
    return json.loads(read(document).scripts[0])


def test_the_file_asks_for_nothing_and_runs_only_its_own_script():
    document = to_document(comparison())
    reader = read(document)
    loads = [value for _, attrs in reader.seen for name, value in attrs.items() if name in ("src", "href", "action")]
    assert [value for value in loads if not value.startswith(("#", "data:,"))] == []
    assert "http://" not in document.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in document
    assert not [attrs for _, attrs in reader.seen if any(name.startswith("on") or name == "style" for name in attrs)]
    policy = next(a["content"] for tag, a in reader.seen if tag == "meta" and "http-equiv" in a)
    digest = base64.b64encode(hashlib.sha256(reader.scripts[1].encode("utf-8")).digest()).decode("ascii")
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_verdict_stands_before_everything_else():
    document = to_document(comparison())
    body = re.sub(r"<[^>]+>", " ", document[document.index("<main") :])
    assert " ".join(body.split()).startswith(
        f"{CANDIDATE} (candidate) against {BASE} (baseline) 240 queries Better overall."
    )
    assert "Tail: cannot tell." in document
    assert "nDCG@10 rises from 0.689 to 0.721: <b>+0.032</b>, 95&nbsp;% interval +0.013 to +0.051" in document
    assert "The total may hide a loss on tail queries (27 % of traffic): nDCG@10 −0.019 (−0.056 to +0.021)." in document


def test_every_chart_says_its_finding_to_those_who_hear_it():
    charts = [a for tag, a in read(to_document(comparison())).seen if tag == "svg" and a.get("class") == "chart"]
    said = [a["aria-label"] for a in charts]
    assert all(a["role"] == "img" for a in charts)
    assert any(text.startswith("Difference in nDCG@10: +0.032") for text in said)
    assert any("tail −0.019 (−0.056 to +0.021)" in text for text in said)
    assert any(text.startswith("Per-query difference in nDCG@10, sorted: 1 better, 0 equal, 3 worse") for text in said)


def test_markup_in_ids_texts_and_titles_stays_text():
    document = to_document(comparison())
    assert "<script>alert(1)" not in document
    assert "<b>saddle</b>" not in document
    assert len(read(document).scripts) == 2
    held = data_of(document)
    assert held["texts"][3] == TEXTS["q4"]
    assert TITLES["d3"] in held["titles"]


def test_nothing_in_the_data_can_end_its_element():
    assert "<" not in packed({"a": "</script><!--", "b": "\u2028"})
    assert json.loads(packed({"a": "</script>", "b": "\u2028"})) == {"a": "</script>", "b": "\u2028"}


def test_the_data_holds_both_lists_of_every_query_with_unjudged_apart_from_zero():
    held = dossier(comparison(), pairs(comparison()), TEXTS, TITLES)
    assert held["queries"] == list(QUERIES)
    assert held["segs"] == ["head", "torso", "tail", "known-item"]
    assert held["seg"] == [0, 1, 2, 3]
    first = held["lists"][0]
    names = [held["docs"][place] for place in first["doc"][first["start"][2] : first["start"][3]]]
    assert names == ["d2", "d1", "d3"]
    assert first["grade"] == [3, None, 0, 2, 3, 0]
    assert held["values"][0] == [0.89, 0.759, 0.884, 0.046]
    assert held["best"] == 3
    assert held["rel"] == 1


def test_lists_are_cut_where_the_file_would_grow_too_large():
    many = 40_000
    docs, grades = [[f"d{i}" for i in range(10)]] * 4, [[0.0] * 10] * 4
    small = comparison(lists=(lists(BASE, docs, grades), lists(CANDIDATE, docs, grades)))
    assert dossier(small, pairs(small))["depth"] == 10
    queries = tuple(f"q{i}" for i in range(many))
    values = np.zeros((2, 4, many))
    big = replace(small, scores=replace(small.scores, queries=queries, values=values, judged=values, _cache={}))
    big = replace(big, lists=tuple(lists(run, docs * (many // 4), grades * (many // 4)) for run in (BASE, CANDIDATE)))
    held = dossier(big, pairs(big))
    assert held["depth"] == 3
    assert len(held["lists"][0]["doc"]) == 3 * many


def test_titles_are_cut_where_there_are_very_many():
    assert fitting({"d": "x" * 500}) == TITLE
    assert fitting({str(i): "x" * 200 for i in range(100_000)}) == 30
    assert fitting({str(i): "ж" * 60 for i in range(50_000)}) == 30


def test_a_comparison_without_lists_still_has_its_report():
    bare = comparison(lists=(), texts={}, titles={}, segments=())
    document = to_document(bare)
    assert data_of(document)["lists"] is None
    assert "the lists are not shown" in document


def test_a_redacted_report_holds_no_id_text_title_hash_or_command():
    queries = ("query-alpha", "query-beta", "query-gamma", "query-delta")
    one = comparison()
    named = replace(one, scores=replace(one.scores, queries=queries, _cache={}),
                    texts={"query-alpha": "secret words"})  # fmt: skip
    named = replace(named, lists=(lists(BASE, [["SKU-77"], [], [], []], [[1.0], [], [], []]),
                                  lists(CANDIDATE, [["SKU-78"], [], [], []], [[0.0], [], [], []])))  # fmt: skip
    document = to_document(redacted(named))
    for word in ("query-alpha", "secret words", "SKU-77", "SKU-78", "Winter gloves", "abababab", "judgments.qrels"):
        assert word not in document, word
    assert data_of(document)["docs"] == ["d001", "d002"]
    assert "Better overall." in document


def test_codes_are_the_same_for_the_same_set_and_tell_no_order():
    ids = [f"q{i}" for i in range(50)]
    assert coded(ids, "q") == coded(reversed(ids), "q")
    assert len(set(coded(ids, "q").values())) == 50
    assert list(coded(ids, "q").values()) == sorted(coded(ids, "q").values())
    assert list(coded(ids, "q")) != sorted(ids)


def test_documents_are_named_once():
    names, held = numbered([lists("a", [["x", "y"]], [[1, 0]]), lists("b", [["y", "z"]], [[0, 2]])])
    assert names == ["x", "y", "z"]
    assert [part["doc"] for part in held] == [[0, 1], [1, 2]]


@pytest.mark.parametrize("name", ["sheet.css", "sheet.js"])
def test_the_assets_name_no_colour_of_their_own_and_nothing_outside(name):
    text = files("assay.report").joinpath("assets", name).read_text(encoding="utf-8")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    if name == "sheet.js":
        assert not re.search(r"#[0-9a-f]{6}", text)
        assert "eval(" not in text
        assert "fetch(" not in text
