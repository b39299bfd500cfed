"""The page of a comparison on a terminal and in a pull request, against the sample that was drawn by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.compare.comparison import Family
from assay.report.describe import describe
from assay.report.markdown import to_markdown
from assay.report.page import Axis, Whisker
from assay.report.sheet import to_document
from assay.report.text import to_text
from assay.report.whiskers import axis_head, axis_numbers, place, shared, whisker
from report.comparison_by_hand import BASE, CANDIDATE, MEASURES, comparison, difference

AXIS = Axis(-0.05, 0.10, (-0.05, 0.0, 0.05, 0.10), 31)


def lines(width: int = 100, **choices: bool) -> list[str]:
    return to_text(describe(comparison()), width, **choices).splitlines()


def test_the_first_lines_are_the_answer_and_what_may_turn_it_over():
    said = lines()
    assert said[0] == "▲ BETTER overall    nDCG@10 +0.0320 (+0.0130 to +0.0510), p 0.0011"
    assert said[1].startswith(
        "◆ MAY HIDE A LOSS   the total may hide a loss on tail queries (27 % of traffic); nDCG@10"
    )
    assert any(
        line == "◆ FRAGILE           unjudged documents could move the difference to −0.0015 or +0.1605"
        for line in said[:5]
    )


def test_a_measure_has_its_means_difference_drawing_p_and_verdict_in_one_line():
    ndcg = next(line for line in lines() if line.startswith("nDCG@10"))
    assert ndcg.split()[:4] == ["nDCG@10", "0.6890", "0.7210", "+0.0320"]
    assert "●" in ndcg
    assert ndcg.endswith("0.0022   ▲ better")
    rr = next(line for line in lines() if line.startswith("RR"))
    assert "○" in rr
    assert "┼" in rr  # zero lies inside
    assert rr.endswith("◆ cannot tell")
    assert next(line for line in lines() if line.startswith("R@100")).endswith("< 0.0001   ▲ better")


def test_the_correction_is_named_where_its_numbers_stand():
    head = next(line for line in lines() if line.startswith("measure"))
    assert "p (Holm, 4)" in head
    assert "│" in head
    assert any(line.startswith("hybrid-07 minus bm25-12") and "0" in line for line in lines())


def test_totals_and_segments_are_said_to_be_two_families():
    second = Family("holm", 16, 100_000, 7, 3_200, "Holm over 16 hypotheses (4 measures, 4 segments)")
    said = " ".join(to_text(describe(comparison(segment_family=second, alpha=0.025)), 100).split())
    assert "100,000 sign flips, Holm over 4 measures, seed 7" in said
    assert "a second family, corrected apart from the totals, each at 2.5 %: Holm over 16 hypotheses" in said
    page = to_document(comparison(segment_family=second, alpha=0.025))
    for where in ("Measures", "How this was made"):
        after = page[page.index(f">{where}</h2>") :]
        assert "second family, corrected apart from the totals, each at 2.5\u00a0%: Holm over 16" in after


def test_segments_have_size_interval_detectable_effect_and_a_verdict():
    tail = next(line for line in lines() if line.startswith("tail"))
    assert tail.split() == ["tail", "80", "27", "%", "−0.0188", "−0.0555", "to", "+0.0212", "0.0551", "31",
                            "49", "◆", "cannot", "tell"]  # fmt: skip
    said = "The segments differ from one another (Welch's test, p 0.0004). "
    said += "Weighted by traffic: +0.0369 (+0.0180 to +0.0560), "
    assert said + "worth 100 equally weighted queries." in " ".join(lines())


def test_losses_method_and_the_way_to_the_report_follow():
    said = "\n".join(lines())
    assert "cassette 11-42 −0.297" in said
    assert "t intervals over queries, 100,000 sign flips, Holm over 4 measures, seed 7" in said
    assert "--html report.html" in said
    assert "nDCG alone cannot tell which stage failed" in said


def test_at_80_columns_the_drawing_goes_and_its_figures_stay():
    said = "\n".join(lines(80))
    assert "●" not in said
    assert "+0.0130 to +0.0510" in said
    assert max(map(len, said.splitlines())) <= 80
    ndcg = next(line for line in said.splitlines() if line.startswith("nDCG@10"))  # one line, as at 100 columns
    assert ndcg.split()[-8:] == ["0.7210", "+0.0320", "+0.0130", "to", "+0.0510", "0.0022", "▲", "better"]


def test_below_60_columns_a_measure_is_a_block():
    said = to_text(describe(comparison()), 50)
    assert max(map(len, said.splitlines())) <= 50
    assert "▲ BETTER overall" in said
    assert "+0.0130 to +0.0510" in said


def test_plain_ascii_draws_the_same_with_other_signs():
    said = to_text(describe(comparison()), 100, ascii=True)
    assert said.isascii()
    assert "^ BETTER overall" in said
    assert "--*--" in said
    assert "? cannot tell" in said


def test_under_10_queries_only_wins_and_losses_are_shown_and_under_25_no_claim():
    few = comparison().segments[0]
    small = difference(MEASURES[0], 0.7, 0.8, 0.1234, 0.05, 0.19, 0.01, "cannot tell", 9, wins=7, losses=2)
    some = difference(MEASURES[0], 0.7, 0.8, 0.2345, 0.05, 0.19, 0.01, "cannot tell", 24)
    parts = tuple(type(few)("segment", name, (), 0.1, None, (d,)) for name, d in (("nine", small), ("many", some)))
    said = to_text(describe(comparison(segments=parts)), 100).splitlines()
    nine = next(line for line in said if line.startswith("nine"))
    assert "0.1234" not in nine
    assert nine.split()[1:4] == ["9", "n/a", "n/a:"]
    assert nine.endswith("7       2  no claim: n 9")
    many = next(line for line in said if line.startswith("many"))
    assert "+0.2345" in many
    assert "+0.0500 to" not in many
    assert many.endswith("no claim: n 24")


def test_markdown_says_the_answer_first_and_holds_every_figure():
    said = to_markdown(describe(comparison()))
    assert said.startswith("**▲ BETTER overall**: nDCG@10 +0.0320")
    assert (
        "| nDCG@10 | 0.6890 | 0.7210 | +0.0320 | +0.0130 to +0.0510 | 0.0022 | 138 | 86 | 16 | 0.0270 | ▲ better |"
        in said
    )
    assert "<details><summary>How this was made</summary>" in said


def test_several_candidates_each_have_their_row_and_segments():
    other = "dense-03"
    more = tuple(difference(m, 0.6, 0.5, -0.1, -0.2, -0.05, 0.001, "worse", candidate=other) for m in MEASURES)
    one = comparison()
    both = comparison(candidates=(CANDIDATE, other), differences=(*one.differences, *more))
    said = to_text(describe(both), 120)
    assert "dense-03" in said
    assert "▼ worse" in said
    assert f"{CANDIDATE} against {BASE}, nDCG@10 by segment" in said


@given(st.floats(-0.2, 0.2), st.floats(0, 0.1), st.floats(0, 0.1))
def test_a_drawn_interval_is_filled_exactly_when_zero_is_outside(x, below, above):
    line = whisker(Whisker(x, x - below, x + above), AXIS)
    assert len(line) == AXIS.columns
    assert ("●" in line) == (not x - below <= 0 <= x + above)
    assert ("○" in line) != ("●" in line)
    if "●" in line:
        assert line[place(0.0, AXIS)] == "│"  # what excludes zero does not cover it


def test_a_value_without_an_interval_is_hollow_and_a_threshold_is_dotted():
    line = whisker(Whisker(0.05, threshold=-0.03), AXIS)
    assert line[place(0.05, AXIS)] == "○"
    assert line[place(-0.03, AXIS)] == "┆"
    assert "─" not in line
    assert set(whisker(Whisker(None), AXIS)) == {" ", "│"}


def test_the_axis_has_its_numbers_over_its_ticks():
    head, numbers = axis_head(AXIS), axis_numbers(AXIS, 0)
    assert head[place(0.0, AXIS)] == "│"
    assert [head[place(t, AXIS)] for t in (-0.05, 0.05, 0.10)] == ["┊", "┊", "┊"]
    assert numbers[place(0.0, AXIS)] == "0"
    assert "+0.05" in numbers


@pytest.mark.parametrize("values", [[0.01, 0.02], [-3.0, 1.0], [None, None], [0.0], [1e-9]])
def test_a_shared_axis_holds_zero_and_every_end(values):
    axis = shared(values)
    assert axis.low < 0.0 < axis.high
    assert all(axis.low <= value <= axis.high for value in values if value is not None)


def test_long_names_of_runs_do_not_push_the_numbers_out_of_the_table():
    long = "bm25-top100-then-a-cross-encoder"
    one = comparison()
    found = tuple(
        type(d)(**({n: getattr(d, n) for n in type(d).__slots__} | {"candidate": long})) for d in one.differences
    )
    said = to_text(describe(comparison(candidates=(long,), differences=found, segments=())), 100)
    head = next(line for line in said.splitlines() if line.startswith("measure"))
    assert head.split()[:3] == ["measure", "baseline", "candidate"]
    assert f"{long} minus {BASE}" in said
