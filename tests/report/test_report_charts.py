"""Charts: well-formed, painted by role, zero always drawn, filled only where zero is excluded."""

from __future__ import annotations

import math
import re
import sys
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import MissingExtra
from assay.report import charts, curves, pictures
from assay.report.charts import Effect, Row, Span
from assay.report.curves import Depths, Split
from assay.report.svg import Scale, around, decimals, ticks
from report.comparison_by_hand import comparison

GOOD, BAD, OPEN = Effect(0.03, 0.01, 0.05, -0.02, 0.1), Effect(-0.03, -0.05, -0.01), Effect(0.01, -0.02, 0.04)
DRAWINGS = [
    charts.headline(GOOD, "nDCG@10"), charts.headline(BAD, "P@10", 340), charts.headline(Effect(None), "RR"),
    charts.small(OPEN, -0.1, 0.1), charts.small(GOOD, -0.1, 0.1, threshold=-0.03),
    charts.forest([Row("head", 60, GOOD, 0.4, 0.02), Row("a <b> & c", 12, OPEN, claim=False),
                   Row("all", 72, BAD, is_total=True)], "nDCG@10"),
    charts.ranges([Span("baseline", 0.5, 0.4, 0.7), Span("candidate", 0.6, 0.6, 0.6)], "nDCG@10"),
    charts.decider(OPEN, -0.03, "nDCG@10 on tail"), charts.decider(BAD, 0.0, "nDCG@10", 306),
    curves.every_query([0.3, 0.1, 0.0, -0.2], [0, 1, 2, -1], ["head", "torso", "tail"], "nDCG@10"),
    curves.every_query([math.sin(i) for i in range(2000)], [i % 2 for i in range(2000)], ["a", "b"], "nDCG@10", 340),
    curves.losses([Split("head", "a", 0.6, 0.3, 0.1), Split("head", "b", 0.7, 0.2, 0.1)], "nDCG@10"),
    curves.recall([Depths("a", (1, 10, 100), (0.1, 0.5, 0.9), (0.0, 0.4, 0.8), (0.2, 0.6, 1.0)),
                   Depths("b", (1, 10, 100), (0.2, 0.6, 0.9))], [100, 50]),
]  # fmt: skip


def test_the_band_of_a_recall_curve_has_a_gap_where_there_is_no_interval() -> None:
    nan = math.nan
    line = Depths("a", (1, 2, 5, 10, 20), (0.1, 0.2, 0.3, 0.4, 0.5), (nan, 0.1, 0.2, nan, 0.4), (nan, 0.3, 0.4, nan, 1))
    drawn = curves.recall([line], [20]).svg()
    bands = re.findall(r'<path d="([^"]+)" class="f-band"', drawn)
    assert [band.count("L") for band in bands] == [3]  # the two depths beside one another, there and back
    assert "nan" not in drawn


def test_retrievers_of_a_fusion_are_thin_and_the_baseline_is_dashed() -> None:
    lines = [Depths("baseline", (1, 10), (0.1, 0.5), is_baseline=True),
             Depths("words", (1, 10), (0.1, 0.4), is_part=True),
             Depths("candidate", (1, 10), (0.2, 0.6), is_several=True)]  # fmt: skip
    drawn = curves.recall(lines, [10]).svg()
    found = re.findall(r'class="f-none (s-\w+)" stroke-width="(\w+)"( stroke-dasharray)?', drawn)
    assert found == [("s-base", "2", " stroke-dasharray"), ("s-ink", "1", ""), ("s-ink", "2", "")]


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda d: d.says[:30])
def test_a_drawing_is_well_formed_says_its_finding_and_names_no_colour(drawing):
    text = drawing.svg()
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img"
    assert len(root.get("aria-label")) > 20
    assert not re.search(r"#[0-9a-f]{3,6}\b|rgb\(|style=", text)
    numbers = [float(n) for n in re.findall(r'[xy][12]?="(-?[0-9.]+)"', text)]
    assert all(math.isfinite(n) for n in numbers)
    assert max(numbers) <= max(drawing.width, drawing.height) + 1


def test_filled_excludes_zero_and_hollow_does_not():
    assert "f-better" in charts.small(GOOD, -0.1, 0.1).svg()
    assert "f-worse" in charts.small(BAD, -0.1, 0.1).svg()
    assert "f-paper s-ink2" in charts.small(OPEN, -0.1, 0.1).svg()
    assert "f-paper s-ink2" in charts.small(Effect(0.03), -0.1, 0.1).svg()  # no interval: nothing is excluded


def test_what_is_not_known_is_hatched_and_only_that():
    assert "s-hatch" in charts.headline(GOOD, "nDCG@10").svg()
    assert "s-hatch" not in charts.headline(OPEN, "nDCG@10").svg()


def test_under_25_queries_no_interval_is_drawn():
    with_claim = charts.forest([Row("tail", 30, GOOD)], "nDCG@10").svg()
    without = charts.forest([Row("tail", 20, GOOD, claim=False)], "nDCG@10").svg()
    assert "s-better" in with_claim
    assert "s-better" not in without
    assert "too few queries" in without


def test_the_sorted_differences_count_better_equal_and_worse():
    said = curves.every_query([0.2, -0.1, 0.0, 1e-12, 0.3], [-1] * 5, [], "RR").says
    assert said == "Per-query difference in RR, sorted: 2 better, 2 equal, 1 worse"


def test_thousands_of_queries_stay_small():
    values = [math.cos(i) for i in range(6980)]
    text = curves.every_query(values, [i % 4 for i in range(6980)], ["a", "b", "c", "d"], "nDCG@10").svg()
    assert len(text) < 60_000


@given(st.floats(-1e3, 1e3), st.floats(1e-6, 1e3), st.integers(2, 8))
def test_ticks_are_round_ascending_and_inside(low, span, most):
    at = ticks(low, low + span, most)
    assert at == sorted(at)
    assert len(at) <= most + 2
    assert all(low - span * 1e-6 <= tick <= low + span * (1 + 1e-6) for tick in at)


def test_a_scale_keeps_what_lies_outside_at_its_edge():
    scale = Scale(0.0, 1.0, 10.0, 110.0)
    assert (scale(-5), scale(0.25), scale(7)) == (10.0, 35.0, 110.0)


def test_the_span_of_differences_holds_zero():
    low, high = around([0.02, 0.05])
    assert low < 0 < 0.05 < high
    assert around([], zero=False) == (-1.0, 1.0)
    assert decimals([0.0, 0.05, 0.1]) == 2
    assert decimals([0.0, 5.0]) == 0


def test_every_chart_of_a_comparison_is_a_file_that_stands_alone():
    found = pictures.files(comparison())
    assert set(found) == {"difference.svg", "queries.svg", "segments.svg"}
    for data in found.values():
        root = ElementTree.fromstring(data)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        used = set(re.findall(rb"\b([fs]-[a-z0-9]+)", data.partition(b"</style>")[2]))
        defined = set(re.findall(rb"\.([fs]-[a-z0-9]+)", data.partition(b"</style>")[0]))
        assert used <= defined


def test_a_png_without_what_draws_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=r"assay\[report\]"):
        pictures.png("<svg/>")


def test_a_png_is_a_png():
    pytest.importorskip("vl_convert", reason="the extra `report` is not installed")
    for data in pictures.files(comparison(), "png").values():
        assert data.startswith(b"\x89PNG")


def test_long_names_are_cut_in_the_middle_on_every_chart() -> None:
    names = ("shop-search-2026-07-hybrid", "shop-search-2026-07-rerank")  # alike but for their ends
    drawings = (
        charts.forest([Row(name, 60, GOOD) for name in names], "nDCG@10"),
        charts.ranges([Span(name, 0.5, 0.4, 0.7) for name in names], "nDCG@10"),
        curves.every_query([0.5, -0.5], [0, 1], names, "nDCG@10"),
        curves.losses([Split("all", name, 0.5, 0.2, 0.3) for name in names], "nDCG@10"),
    )
    for drawing in drawings:
        shown = re.findall(r">(shop[^<]*)<", drawing.svg())
        assert [name[-3:] for name in shown] == ["rid", "ank"]
        assert all("…" in name for name in shown)
