"""The chart of propensities: no interval hides another, and what is cut says so."""

import re

from assay.report.position_chart import Line, by_position


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
