"""A wrong output is refused, however it is wrong; a goal is judged as it is written."""

import re

import polars as pl
import pytest
from bench.cases import Bench
from bench.check import Answer, check_count, check_means, check_queries
from bench.figures import Figure, Goal, markdown, plain
from bench.generate import SHAPES, Files
from bench.measure import RunError, Usage
from bench.programs import Program
from bench.side_by_side import Series, alternate, once, ratio

EXPECTED = pl.DataFrame(
    {"query_id": ["1", "2", "3"], "P@10": [0.1, 0.2, float("nan")], "AP": [0.5, 0.25, float("nan")]}
)
CSV = Answer({"P@10": "P@10", "AP": "AP"}, "csv", 2, each=1e-9)
LINES = Answer({"P_10": "P@10", "map": "AP"}, "lines", 3, each=6e-5, undefined="zero")
RIGHT_CSV = """run,measure,query_id,value,judged
a,P@10,1,0.1,
a,P@10,2,0.2,
a,P@10,3,,
a,AP,1,0.5,
a,AP,2,0.25,
a,AP,3,,
"""
RIGHT_LINES = "".join(
    f"{name}\t{query}\t{value}\n"
    for query, values in (("1", (0.1, 0.5, 1)), ("2", (0.2, 0.25, 1)), ("3", (0, 0, 0)), ("all", (0.1, 0.25, 2)))
    for name, value in zip(("P_10   ", "map   ", "num_rel_ret"), values, strict=True)
)


def test_right_outputs_pass(tmp_path):
    out = tmp_path / "out"
    out.write_text(RIGHT_CSV)
    check_queries(out, CSV, EXPECTED, "assay")
    out.write_text(RIGHT_LINES)
    check_queries(out, LINES, EXPECTED, "trec_eval")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("a,AP,2,0.25,\n", "a,AP,2,0.2500001,\n", "AP"),
        ("a,AP,2,0.25,\n", "", "5 values, expected 2 for each of 3 queries"),
        ("a,AP,2,0.25,\n", "a,AP,1,0.5,\n", "not those of the qrels"),
        ("a,AP,2,0.25,\n", "a,AP,4,0.25,\n", "not those of the qrels"),
        ("a,AP,3,,\n", "a,AP,3,0.0,\n", "undefined for other queries"),
        ("a,AP,1,0.5,\na,AP,2,0.25,\n", "a,AP,1,0.25,\na,AP,2,0.5,\n", "largest difference of AP"),
        ("a,P@10,1,0.1,\n", "a,P@10,1,,\n", "undefined for other queries"),
    ],
)
def test_a_planted_error_in_a_table_is_refused(tmp_path, old, new, says):
    assert old in RIGHT_CSV
    out = tmp_path / "out"
    out.write_text(RIGHT_CSV.replace(old, new))
    with pytest.raises(RunError, match=re.escape(says)):
        check_queries(out, CSV, EXPECTED, "assay")


def test_a_planted_error_in_lines_is_refused(tmp_path):
    out = tmp_path / "out"
    out.write_text(RIGHT_LINES.replace("map   \t2\t0.25", "map   \t2\t0.2502"))
    with pytest.raises(RunError, match="mean of map"):
        check_queries(out, LINES, EXPECTED, "trec_eval")


def test_an_empty_output_is_refused(tmp_path):
    out = tmp_path / "out"
    out.touch()
    with pytest.raises(RunError, match="empty"):
        check_queries(out, CSV, EXPECTED, "assay")


def test_wrong_means_and_wrong_counts_are_refused(tmp_path):
    out = tmp_path / "out"
    out.write_text("measure,mean\nP@10,0.15\nAP,0.375\n")
    names = {"P@10": "P@10", "AP": "AP"}
    check_means(out, names, EXPECTED, "assay")
    out.write_text("measure,mean\nP@10,0.15\nAP,0.3751\n")
    with pytest.raises(RunError, match="mean of AP"):
        check_means(out, names, EXPECTED, "assay")
    out.write_text("measure,mean\nP@10,0.15\n")
    with pytest.raises(RunError, match="lines are not"):
        check_means(out, names, EXPECTED, "assay")
    out.write_text("99\n")
    check_count(out, 99, "parse only")
    with pytest.raises(RunError, match="counted 99, the run has 100 rows"):
        check_count(out, 100, "parse only")


def _program(tmp_path, words, says="ok"):
    def check(out, made):
        if out.read_text() != says:
            raise RunError("wrong")

    return Program("echo", "1", lambda made: ["printf", words], check), Files(
        SHAPES["M"], tmp_path / "r", tmp_path / "q"
    )


def test_every_timed_run_is_checked_and_one_wrong_run_ends_the_comparison(tmp_path):
    good, bad = _program(tmp_path, "ok"), _program(tmp_path, "no")
    once(*good, tmp_path)
    first, second = alternate(good, good, 2, tmp_path, lambda _: None)
    assert (len(first.runs), len(second.runs)) == (2, 2)
    with pytest.raises(RunError, match="wrong"):
        alternate(good, bad, 2, tmp_path, lambda _: None)


def test_ratios_are_the_median_over_the_pairs_and_figures_below_the_floor_are_suspicious(tmp_path):
    program, made = _program(tmp_path, "ok")
    ours = Series(program, made, tuple(Usage(cpu, 1.0, 2**20) for cpu in (1.0, 2.0, 9.0)))
    theirs = Series(program, made, tuple(Usage(cpu, 1.0, 2**20) for cpu in (2.0, 2.0, 10.0)))
    assert ratio(ours, theirs, lambda used: used.cpu_s) == 0.9
    assert (ours.cpu_s, theirs.cpu_s, ours.peak_mib) == (2.0, 2.0, 1.0)
    bench = Bench(tmp_path, tmp_path, ("M",), 3, (), lambda _: None, floors={"M": 1.5})
    assert bench.doubt(ours, theirs) == ""
    bench.floors["M"] = 2.5
    assert "suspicious: echo is below the parse floor" in bench.doubt(ours, theirs)


def test_a_goal_limits_the_ratio_where_there_is_one_and_the_figure_itself_otherwise():
    goal = Goal(0.27, 0.22)
    verdicts = [Figure("M", "CPU", "s", 2, 8, r, goal).verdict for r in (0.2, 0.25, 0.271)]
    assert verdicts == ["reached, and more", "reached", "not reached"]
    assert Figure("S", "CPU", "s", 0.29, goal=Goal(0.3)).verdict == "reached"
    assert Figure("S", "CPU", "s", 0.31, goal=Goal(0.3)).verdict == "not reached"
    assert Figure("S", "wall", "s", 0.31).verdict == ""


def test_the_tables_show_the_figure_the_goal_and_the_verdict():
    figures = [
        Figure("M, against trec_eval", "CPU", "s", 1.5, 6.0, 0.25, Goal(0.27, 0.22)),
        Figure("S", "wall", "s", 0.1),
    ]
    for text in (plain(figures), markdown(figures)):
        assert "≤ 0.27 (go for 0.22)" in text
        assert "1.50 s" in text
        assert "0.250" in text
        assert "reached" in text
