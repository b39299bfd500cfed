"""The chart of propensities: no interval hides another, and what is cut says so."""

import re
from itertools import pairwise

import pytest

from assay.report.position_chart import Line, by_position, goes_on
from assay.report.svg import NARROW


def intervals(drawing):
    """Left edge of each thick stroke that stands upright, and its class."""
    found = re.findall(r'<line x1="([\d.]+)" y1="[\d.]+" x2="\1" y2="[\d.]+" class="(\S+)" stroke-width="2.4"', drawing)
    return [(float(x), kind) for x, kind in found]


def line(name, place, high):
    return Line(name, (1.0, 0.5), (1.0, 0.4), (1.0, high), place=place)


def test_intervals_of_two_segments_stand_beside_each_other_in_their_own_colours():
    shown = intervals(by_position([line("desktop", 0, 0.6), line("phone", 1, 0.7)]).svg())
    second = [(x, kind) for x, kind in shown if x > 100]
    assert len({x for x, _ in second}) == 2
    assert {kind for _, kind in second} == {"s-head", "s-torso"}


def test_an_interval_that_is_cut_ends_in_an_arrow():
    cut, whole = (by_position([line("all", -1, high)]).svg() for high in (3.0, 1.2))
    assert cut.count("<path") == whole.count("<path") + 1
    assert "NaN" not in cut


def labels(drawing):
    """Each name with where it stands: x, y."""
    found = re.findall(r'<text x="([\d.]+)" y="([-\d.]+)" class="strong">([^<]+)</text>', drawing)
    return {name: (float(x), float(y)) for x, y, name in found}


def samples(drawing):
    """Height, class and dash of the short line before each name."""
    found = re.findall(
        r'<path d="M[\d.]+ ([\d.]+)h26" class="f-none (\S+)" stroke-width="1.6"(?: stroke-dasharray="([^"]+)")?',
        drawing,
    )
    return {kind: (float(y), dash) for y, kind, dash in found}


FOUR = [line(name, place, 0.6) for place, name in enumerate(("desktop", "phone", "tablet", "voice"))]


@pytest.mark.parametrize("width", [560, NARROW])
def test_each_name_stands_behind_the_colour_and_the_dash_of_its_curve(width):
    drawing = by_position(FOUR, width).svg()
    names, signs = labels(drawing), samples(drawing)
    kinds = ("s-head", "s-torso", "s-tail", "s-known")
    assert [names[one.name][1] - 4 for one in FOUR] == [pytest.approx(signs[kind][0]) for kind in kinds]
    assert len({dash for _, dash in signs.values()}) == 4
    for kind in kinds:
        curve = re.search(rf'<path d="M[\d. ]+L[^"]+" class="f-none {kind}" stroke-width="1.6"([^/]*)/>', drawing)
        assert (signs[kind][1] in curve[1]) if signs[kind][1] else not curve[1]


@pytest.mark.parametrize("end", [0.01, 0.6, 1.0])
def test_names_of_curves_that_end_together_stand_apart_and_above_the_positions(end):
    alike = [Line(name, (1.0, end), place=place) for place, name in enumerate(("a", "b", "c", "d"))]
    heights = sorted(y for _, y in labels(by_position(alike, 560).svg()).values())
    assert all(b - a >= 15.9 for a, b in pairwise(heights))
    assert heights[0] >= 12
    assert heights[-1] <= 204.1


def test_each_name_stands_behind_the_shape_of_its_curve():
    drawing = by_position([Line("a", (1.0, 0.5), place=0), Line("b", (1.0, 0.2), place=1)], 560).svg()
    assert drawing.count('class="f-head"') == 3  # two positions and the sign before the name
    assert drawing.count('class="f-torso"') == 3


def test_a_long_name_is_cut_in_the_middle():
    named = labels(by_position([line("a long name of a segment, phone", 0, 0.6)], 560).svg())
    assert list(named) == ["a long name …ment, phone"]


def test_one_wide_interval_leaves_the_axis_to_the_values():
    drawing = by_position([line("all", -1, 2.8)]).svg()
    ticks = [float(x) for x in re.findall(r'text-anchor="end" class="faint">([\d.]+)<', drawing)]
    assert max(ticks) <= 1.25


@pytest.mark.parametrize(("high", "is_cut"), [(1.2, False), (1.25, False), (1.26, True), (None, False)])
def test_the_caption_speaks_of_an_arrow_only_where_one_is_drawn(high, is_cut):
    shown = Line("all", (1.0, 0.5), (1.0, 0.4), (1.0, high))
    assert goes_on([shown]) is is_cut
    assert (by_position([shown]).svg().count("<path") == 2) is is_cut
