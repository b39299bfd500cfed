"""Pages of click commands: what is not known is said so and nothing else is, and words say what they refer to."""

import re
from types import SimpleNamespace

import pytest

from assay.clicks.off_policy import SegmentValue, Tenth
from assay.clicks.position_bias import Examined
from assay.report.page import Page
from assay.report.svg import Drawing
from assay.report.text import to_text
from assay.report.trap_chart import Row, goes_on, trap
from assay.report.views.behaviour import measures
from assay.report.views.click_labels import side_by_side, too_wide
from assay.report.views.click_models import FULL
from assay.report.views.counterfactual import answer as answer_of_value
from assay.report.views.counterfactual import segments
from assay.report.views.propensity import answer
from assay.report.weight_chart import by_weight


def printed(table, width):
    return to_text(Page("", ("",), (table,)), width).splitlines()[2:]


def rows(*each):
    return segments(SimpleNamespace(segments=each))


def test_of_a_segment_without_a_curve_nothing_is_printed_as_if_it_were_known():
    table = rows(SegmentValue("phone", 40, None, None, None, None, None, "propensities"))
    assert printed(table, 110)[-1].split() == ["phone", "40", *["n/a"] * 6, "propensities"]


def test_a_segment_refused_for_its_support_says_how_little_it_has():
    table = rows(SegmentValue("phone", 40, None, None, None, 0.0, 12.0, "support"))
    assert printed(table, 110)[-1].split() == ["phone", "40", *["n/a"] * 5, "0", "%", "support"]


def test_a_segment_stands_beside_what_the_log_showed_in_it():
    table = rows(SegmentValue("phone", 40, 1.25, 1.0, 1.5, 1.0, 50.0, "", 1.0, 0.25, 0.125, 0.375))
    head, _, row = printed(table, 120)
    assert re.split(" {3,}", head)[4:] == ["log showed", "difference", "95 % of it", "supported"]
    assert re.split(" {3,}", row)[4:] == ["1.0000", "+0.2500", "+0.1250 to +0.3750", "100 %"]


def weighed(*each, searches=60):
    return SimpleNamespace(segments=each, scale="a search", searches=searches, all_searches=100, fits=True,
                           propensities="estimated", measure="DCG@10", target="new", value=None,
                           reasons=(SimpleNamespace(rule="support"),))  # fmt: skip


def test_the_head_says_of_which_searches_it_speaks():
    desk, tv = (SegmentValue(name, 30, None, None, None, 0.5, 50.0, "support") for name in ("desk", "tv"))
    phone = SegmentValue("phone", 40, None, None, None, None, None, "propensities")
    unasked = SegmentValue("watch", 0, None, None, None, None, None, "not asked")
    of = "DCG@10 of new on {} of the log{} cannot be told: support."
    for found, expected in (
        (weighed(desk, tv, searches=100), of.format("the 100 searches", "")),
        (weighed(desk, tv, phone), of.format("60 of the 100 searches", " (desk and tv)")),
        (weighed(desk, tv, unasked), of.format("60 of the 100 searches", "")),  # of queries that the run does not have
    ):
        assert answer_of_value(found)[0].text == expected


def test_long_names_of_segments_leave_a_table_at_80_columns():
    name = "phone app (Android, layout of the year 2026, logged in, from an advertisement)"
    shown = printed(rows(SegmentValue(name, 3000, 1.14, 1.07, 1.21, 0.96, 50.0)), 80)
    assert len(shown) == 3
    assert max(map(len, shown)) <= 80
    assert shown[-1].startswith("phone app")
    assert "…" in shown[-1]
    assert "1.0700 to 1.2100" in shown[-1]


@pytest.mark.parametrize("width", [80, 70, 60])
def test_documents_of_one_query_are_a_line_each_down_to_60_columns(width):
    one = SimpleNamespace(title="Front light, 600 lumen and more", doc_id="d1", position=2.5, rate=0.1, attraction=0.5,
                          low=0.4, high=0.6, raw_rank=12, rank=10, clicks_say=3, people_say=2)  # fmt: skip
    shown = printed(side_by_side(SimpleNamespace(query_id="q", rows=(one, one))), width)
    assert len(shown) == 4
    assert max(map(len, shown)) <= width
    assert "10 ▲2" in shown[-1]


def test_shares_that_are_known_are_not_hatched(monkeypatch):
    def refuse(*args):
        raise AssertionError("hatched")

    monkeypatch.setattr(Drawing, "hatched", refuse)
    drawing = by_weight([Tenth(high=0.9, low=0.5, impressions=9, clicks=3, weight=0.4, value=0.6)], "propensity").svg()
    assert drawing.count('class="f-base"') == 2  # the bar, and its sign beside "estimate"


def test_names_on_a_phone_stand_clear_of_the_zero_line():
    drawing = trap([Row("Saddle", 0.1, 0.2, 0.1, 0.3, True, "3", "2")], 340).svg()
    zero = float(re.search(r'x1="([\d.]+)"[^>]*class="s-strong"', drawing)[1])
    name = float(re.search(r'<text x="([\d.]+)"[^>]*>Saddle', drawing)[1])
    assert name - zero >= 4


@pytest.mark.parametrize(("high", "is_cut"), [(0.25, False), (0.27, False), (0.9, True), (None, False)])
def test_the_caption_of_the_trap_speaks_of_an_arrow_only_where_one_is_drawn(high, is_cut):
    rows = [Row("Saddle", 0.1, 0.2, 0.1, high, True, "3", "2")]  # the axis ends at 0.25, at most at 0.275
    assert goes_on(rows) is is_cut
    assert ("<path" in trap(rows).svg()) is is_cut


def biased(fits, low=0.34, high=0.385):
    at = Examined(position=5, impressions=9, clicks=3, theta=0.36, low=low, high=high, se=0.03)
    return SimpleNamespace(fits=fits, verdict="", tests=(), positions=(at,), segments=(), is_apart=False)


def test_what_a_click_further_down_is_worth_reads_as_a_sentence():
    said = answer(biased(True))[1]
    assert said == "A click at position 5 is worth 2.8 clicks at position 1 (2.6 to 2.9)."
    assert answer(biased(True, None, None))[1] == "A click at position 5 is worth 2.8 clicks at position 1."


def test_a_model_that_does_not_fit_says_nothing_of_the_worth_of_clicks():
    assert len(answer(biased(False))) == 1


def test_each_law_of_clicks_stands_for_itself():
    assert not [said for said in FULL.values() if "same" in said]


def test_what_a_measure_is_divided_by_has_its_unit():
    rates = [SimpleNamespace(measure=name, group=(), value=0.5, interval=None, why="one unit", n=n)
             for name, n in (("CTR", 20.0), ("click rate", 2.0))]  # fmt: skip
    shown = printed(measures(rates, (), "Measures"), 100)
    assert shown[-2].endswith("20 documents shown")
    assert shown[-1].endswith("2 searches")


@pytest.mark.parametrize(("cuts", "reach"), [((0.3,), "both grades"), ((0.1, 0.3), "three grades or more")])
def test_what_an_interval_must_reach_over_to_leave_a_pair_unjudged(cuts, reach):
    found = SimpleNamespace(cuts=SimpleNamespace(at=cuts))
    assert f"its 95 % interval reaches over {reach}, clicks are too few" in too_wide(found)
