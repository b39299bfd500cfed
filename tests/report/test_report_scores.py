from __future__ import annotations

from dataclasses import replace

import pytest

from assay.measures.collections import Collections
from assay.measures.measure import MEASURES, Measure
from assay.measures.scores import Coverage
from assay.report.describe import describe
from assay.report.text import to_text
from assay.results import Note, Source
from report.by_hand import DOUBT, NDCG, RR, TIES, in_parts, many, scores


def shown(result: object, width: int = 100, **choices: object) -> list[str]:
    return to_text(describe(result, **choices), width).splitlines()


def test_the_page_of_two_runs_reads_as_the_terminal_page_says() -> None:
    lines = shown(scores(notes=(TIES, DOUBT)))
    assert lines == [
        "3 queries, 2 runs. Means with 95 % intervals over queries.",
        "",
        "measure   run       mean   95 % interval      sd    25 %   median    75 %   Judged@10",
        "─────────────────────────────────────────────────────────────────────────────────────",
        "nDCG@10   bm25    0.5000   n/a: n 3        0.500   0.250    0.500   0.750      0.7500",
        "          dense   0.5000   n/a: n 3        0.000   0.500    0.500   0.500      0.7500",
        "RR        bm25    0.4167   n/a: n 3        0.520   0.125    0.250   0.625         n/a",
        "          dense   1.0000   n/a: n 3        0.000   1.000    1.000   1.000         n/a",
        "",
        "Counted    3 of 4 judged queries (1 has no relevant document: listed with --per-query)",
        "           bm25: 0 without results, 0 missing",
        "           dense: 0 without results, 0 missing",
        "Order      score descending, ties by doc_id descending",
        "           bm25: 1 of 4 queries have equal scores inside rank 10",
        "Averaged   a query without a relevant document is left out; a query that the run lacks counts 0",
        "Absent     a pair that the judgments do not list is unjudged: no gain",
        "Relevant   a grade above 0",
        "nDCG@10    linear gain, log2(rank + 1), ideal over all judged documents cut at 10",
        f"RR         {RR.foot()}",
        "Notes      ◆ dense: the rank column contradicts the scores in 2 queries",
        "           ◆ 3 queries: below 25 an interval is no ground to claim anything",
        "           nDCG@10 cannot tell retrieval from ranking: add R at the depth of the first stage",
    ]


def test_an_undefined_value_is_not_averaged_and_never_printed_as_zero() -> None:
    nan = float("nan")
    lines = shown(
        scores([[[nan, nan]]], ("a",), (NDCG,), coverage=(Coverage(judged=2, scored=0, no_relevant=("q1", "q2")),))
    )
    assert lines[4].split() == ["nDCG@10", "a", "n/a", "n/a:", "n", "0", "n/a", "n/a", "n/a", "n/a", "n/a"]
    assert "0 of 2 judged queries (2 have no relevant document" in "\n".join(lines)


def test_an_interval_is_printed_from_ten_queries_and_claimed_from_twenty_five() -> None:
    assert "n/a: n 9" in "\n".join(shown(many(9)))
    twelve = "\n".join(shown(many(12)))
    assert " to " in twelve.splitlines()[4]
    assert "12 queries: below 25 an interval is no ground to claim anything" in twelve
    assert "no ground" not in "\n".join(shown(many(27)))


def test_a_bootstrap_says_so_and_warns_below_fifty_queries() -> None:
    text = "\n".join(shown(many(27), interval="bootstrap", seed=7))
    assert "bootstrap over queries, percentile, seed 7" in text
    assert "covers less than 95 % below 50 queries" in text
    assert "below 50" not in "\n".join(shown(many(51), interval="bootstrap"))


def test_no_interval_leaves_no_column_and_no_promise() -> None:
    lines = shown(many(27), interval="none")
    assert lines[0] == "27 queries, 1 run. Means over queries."
    assert "interval" not in lines[2]


def test_the_level_stands_in_the_head() -> None:
    assert "90 % interval" in shown(many(27), level=0.9)[2]


def test_parts_stand_beside_the_total_with_their_share_of_the_traffic() -> None:
    lines = shown(in_parts())
    start = lines.index("By segment")
    assert lines[start + 2].split() == ["measure", "segment", "n", "traffic", "run", "mean", "weighted", "95", "%",
                                        "interval", "sd", "Judged@10"]  # fmt: skip
    assert [line.split()[:5] for line in lines[start + 4 : start + 7]] == [
        ["nDCG@10", "head", "10", "50", "%"], ["tail", "50", "50", "%", "bm25"], ["all", "60", "100", "%", "bm25"],
    ]  # fmt: skip
    # head: 0, .5, 1 three times and another 0: mean .45; tail: .51; weighted by 5 to 1: half of each
    assert [line.split()[-7:-5] for line in lines[start + 4 : start + 7]] == [
        ["0.4500", "0.4500"], ["0.5100", "0.5100"], ["0.5000", "0.4800"],
    ]  # fmt: skip
    assert any("below 25 queries an interval is no ground to claim anything: head (10)" in line for line in lines)


def test_every_query_is_listed_on_request_with_those_that_do_not_count() -> None:
    coverage = (Coverage(judged=4, scored=3, no_relevant=("q4",), missing=("q2",)), Coverage(judged=4, scored=3))
    lines = shown(scores(coverage=coverage), per_query=True)
    start = lines.index("Every query")
    assert lines[start + 2].split() == ["query", "run", "nDCG@10", "RR"]
    assert [line.split() for line in lines[start + 4 : start + 12]] == [
        ["q1", "bm25", "1.0000", "1.0000"], ["dense", "0.5000", "1.0000"],
        ["q2", "bm25", "0.5000", "0.2500"], ["dense", "0.5000", "1.0000"],
        ["q3", "bm25", "0.0000", "0.0000"], ["dense", "0.5000", "1.0000"],
        ["q4", "bm25", "n/a", "n/a"], ["dense", "n/a", "n/a"],
    ]  # fmt: skip
    assert "No relevant  left out: q4" in lines
    assert "Missing      bm25 lacks q2" in lines


def test_runs_of_one_measure_stand_side_by_side_for_every_query_where_they_fit() -> None:
    both = scores()
    one = replace(both, measures=both.measures[:1], values=both.values[:, :1], judged=both.judged[:, :1], _cache={})
    lines = shown(one, per_query=True)
    start = lines.index("Every query, nDCG@10")
    assert [line.split() for line in (lines[start + 2], *lines[start + 4 : start + 8])] == [
        ["query", "bm25", "dense"],
        ["q1", "1.0000", "0.5000"], ["q2", "0.5000", "0.5000"], ["q3", "0.0000", "0.5000"], ["q4", "n/a", "n/a"],
    ]  # fmt: skip
    long = replace(one, runs=("bm25 with a name that is very long", "dense with a name that is very long"), _cache={})
    assert "Every query" in shown(long, per_query=True)


def test_where_only_relevant_documents_are_listed_the_judged_share_says_so() -> None:
    note = Note("only-relevant-listed", "no judgment has a grade of 0 or less", count=3)
    text = "\n".join(shown(scores(judged=float("nan"), notes=(note,))))
    assert "Judged@10  n/a: only relevant documents are listed" in text


def test_a_run_says_what_it_lacks_and_what_of_it_does_not_count() -> None:
    coverage = (
        Coverage(judged=4, scored=4, missing=("q1",), empty=2, unknown=1, duplicates=3, left_out=(("sponsored", 7),)),
    )
    text = " ".join(" ".join(shown(scores([[[1.0] * 4]], ("a",), (NDCG,), coverage=coverage))).split())
    assert "a: 2 without results (counted as 0), 1 missing (counted as 0), 1 query that nobody judged, " in text
    assert "3 later copies of a document dropped, 7 sponsored rows left out" in text


def test_cutoffs_of_one_definition_share_no_line_with_another() -> None:
    measures = (Measure("nDCG", (), 5), Measure("nDCG", (("gain", "exp"),), 5))
    text = "\n".join(shown(scores([[[1.0], [1.0]]], ("a",), measures, coverage=(Coverage(judged=1, scored=1),))))
    assert "linear gain" in text
    assert "gain 2^grade - 1" in text


def test_the_same_note_of_several_runs_takes_one_line() -> None:
    notes = tuple(Note("x", "it is odd", run) for run in ("bm25", "dense"))
    assert "Notes      ◆ 3 queries: below 25 an interval is no ground to claim anything" in shown(scores(notes=notes))
    assert "           bm25, dense: it is odd" in shown(scores(notes=notes))


def test_collections_stand_side_by_side_with_the_mean_of_their_means() -> None:
    one, other = many(27), scores([[[0.0] * 30]], ("dense",), (NDCG,), coverage=(Coverage(judged=30, scored=30),))
    lines = shown(Collections(names=("fiqa", "nfcorpus"), scores=(one, other)))
    assert lines[0] == "2 collections. The mean counts each collection once."
    assert lines[2].split() == ["measure", "run", "fiqa", "nfcorpus", "mean"]
    assert lines[4].split()[-3:] == ["0.5000", "0.0000", "0.2500"]


@pytest.mark.parametrize("columns", [40, 60, 72, 80, 100, 120])
def test_the_page_keeps_to_the_width(columns: int) -> None:
    assert max(map(len, shown(in_parts(), columns))) <= columns


def test_a_result_without_a_view_is_our_own_slip() -> None:
    with pytest.raises(TypeError, match="no view for int"):
        describe(3)


def test_every_measure_has_its_definition_below_the_table() -> None:
    for name in MEASURES.names():
        for measure in [Measure(name)] + ([Measure(name, (), 10)] if MEASURES.find(name).takes_cutoff else []):
            made = scores([[[0.5] * 30]], ("a",), (measure,), coverage=(Coverage(judged=30, scored=30),))
            text = " ".join(" ".join(shown(made)).split())
            assert f"{measure} {measure.foot()}" in text


def test_quartiles_stand_behind_the_spread_and_go_first_where_room_is_short() -> None:
    made = scores([[[0.0, 0.5, 1.0, float("nan")]]], ("a",), (RR,), coverage=(Coverage(judged=4, scored=3),))
    assert shown(made)[2].split()[-6:] == ["sd", "25", "%", "median", "75", "%"]
    assert shown(made)[4].split()[-4:] == ["0.500", "0.250", "0.500", "0.750"]
    assert "median" not in shown(made, 70)[2]
    assert "median" in "\n".join(shown(made, 62, quartiles=True))


def test_each_run_says_what_ordered_it() -> None:
    auto = Source(conventions=(("order", "auto"), ("ties", "docid")))
    same = (Coverage(judged=4, scored=3, order="score"),) * 2
    assert "Order      score descending, ties by doc_id descending" in shown(scores(source=auto, coverage=same))
    apart = (Coverage(judged=4, scored=3, order="score"), Coverage(judged=4, scored=3, order="rank"))
    lines = shown(scores(source=auto, coverage=apart))
    assert "Order      score descending (bm25), rank as received (dense), ties by doc_id descending" in lines


def test_what_is_relevant_is_said_with_the_level_and_what_a_negative_grade_is() -> None:
    def said(**choices: str) -> str:
        source = Source(conventions=tuple({"rel": "qrels", "negative": "judged", **choices}.items()))
        return next(line for line in shown(scores(source=source)) if line.startswith("Relevant"))

    assert said() == "Relevant   a grade above 0"
    assert said(rel="2.0") == "Relevant   a grade of 2 or more"
    assert said(negative="unjudged") == "Relevant   a grade above 0; a grade below 0 is unjudged"


def test_a_value_of_the_final_list_stands_beside_recall_or_says_what_it_cannot_tell() -> None:
    warning = "nDCG@10 cannot tell retrieval from ranking: add R at the depth of the first stage"
    assert any(warning in line for line in shown(scores()))
    assert not any(warning in line for line in shown(scores(measures=(NDCG, Measure("R", (), 100)))))
    assert not any(
        "cannot tell" in line for line in shown(scores(measures=(Measure("P", (), 5), Measure("P", (), 10))))
    )


def test_queries_without_a_relevant_document_say_what_became_of_them() -> None:
    source = Source(conventions=(("no_relevant", "zero"),))
    assert "No relevant  counted as 0: q4" in shown(scores(source=source), per_query=True)
