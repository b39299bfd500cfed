"""From files and kept scores to a comparison: what the flow adds to reading, scoring and testing."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.compare.asked import Asked
from assay.compare.power import check_planned
from assay.errors import InputError
from assay.flows.compare import compare, power
from assay.flows.pool import pool_audit
from assay.flows.staged import given_stages
from assay.measures.scores import Scores
from assay.report.machine import to_machine
from assay.report.views.power import answer

QUERIES = [f"q{i:02d}" for i in range(40)]
QRELS = {q: {"a": 2, "b": 1, "c": 0, "d": 0} for q in QUERIES}
GOOD = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in QUERIES}
BAD = {q: {"c": 3.0, "d": 2.0, "b": 1.0} if i % 2 else {"b": 3.0, "a": 2.0} for i, q in enumerate(QUERIES)}


def kept(path: Path, run: object, **choices: Any) -> str:
    return str(assay.evaluate({path.stem: run}, QRELS, "nDCG@10 P@2", **choices).save(path))


def test_a_better_candidate_is_better_and_the_first_line_says_so() -> None:
    found = assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10 P@2")
    assert found.baseline == "bad"
    assert found.difference().outcome == "better"
    assert found.says[0].code == "better"
    assert found.difference("P@2").wins == 20
    assert found.per_query("nDCG@10").shape == (40,)


def test_the_baseline_can_be_named() -> None:
    found = assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", baseline="good")
    assert (found.baseline, found.candidates) == ("good", ("bad",))
    assert found.difference().outcome == "worse"
    with pytest.raises(InputError, match="no run goood; did you mean good"):
        assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", baseline="goood")


def test_the_difference_of_a_pair_that_is_not_there_is_refused_with_what_is() -> None:
    found = assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10")
    with pytest.raises(InputError, match="no comparison of good with bad on P@2"):
        found.difference("P@2")


def test_one_run_has_nothing_to_be_compared_with() -> None:
    with pytest.raises(InputError, match="there is one run, good, and nothing to compare it with"):
        assay.compare({"good": GOOD}, QRELS, "nDCG@10")


def test_lists_hold_every_document_in_its_place_with_its_grade() -> None:
    run = {"q1": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}, "q2": {"z": 1.0}}
    qrels = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
    found = assay.compare({"one": run, "two": run}, qrels, "nDCG@3")
    first, _ = found.lists
    assert first.start.tolist() == [0, 4, 5]
    assert first.docs.tolist() == ["x", "a", "y", "b", "z"]
    assert np.array_equal(first.grade, [np.nan, 2, np.nan, 0, np.nan], equal_nan=True)


def test_a_kept_comparison_opens_again_and_can_be_looked_at_in_another_way(tmp_path: Path) -> None:
    runs = {"bad": BAD, "good": {q: {**docs, "never-judged": 9.0} for q, docs in GOOD.items()}}
    made = assay.compare(runs, QRELS, "nDCG@10 P@2")
    path = made.save(tmp_path / "made.assay")
    opened = assay.show(path)
    assert (opened.says, opened.differences, opened.family) == (made.says, made.differences, made.family)
    again = compare([str(path)], measures="P@2", interval="bca")
    assert again.primary == assay.P @ 2
    interval = again.difference().interval
    assert interval is not None
    assert interval.method == "bca"
    assert again.difference().p == made.difference("P@2").p
    assert len(again.bounds) == 1
    assert again.lists[0].docs.tolist() == made.lists[0].docs.tolist()


def test_kept_scores_give_the_same_as_the_runs(tmp_path: Path) -> None:
    paths = [kept(tmp_path / "bad.assay", BAD), kept(tmp_path / "good.assay", GOOD)]
    from_files, from_runs = compare(paths), compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10 P@2")
    assert from_files.differences == from_runs.differences
    in_memory = compare([assay.show(path) for path in paths])
    assert in_memory.differences == from_runs.differences


def test_scores_of_other_judgments_are_not_compared(tmp_path: Path) -> None:
    names = []
    for name, grade in (("one", 1), ("two", 2)):
        qrels, run = tmp_path / f"{name}.qrels", tmp_path / f"{name}.run"
        qrels.write_text(f"q1 0 a {grade}\nq1 0 b 0\n", encoding="utf-8")
        run.write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n", encoding="utf-8")
        names.append(str(assay.evaluate(str(run), str(qrels), "nDCG@10").save(tmp_path / f"{name}.assay")))
    with pytest.raises(InputError) as caught:
        compare(names)
    said = str(caught.value)
    assert "one.assay and" in said
    assert "cannot be compared: they differ in judgments: one.qrels (" in said
    assert "two.qrels (" in said


def test_scores_under_other_conventions_or_of_another_major_version_are_not_compared(tmp_path: Path) -> None:
    one = kept(tmp_path / "one.assay", BAD)
    two = kept(tmp_path / "two.assay", GOOD, missing="skip", no_relevant="zero")
    with pytest.raises(InputError) as caught:
        compare([one, two])
    assert "they differ in missing: zero and skip" in str(caught.value)
    assert "also in no-relevant: drop and zero" in str(caught.value)
    scores: Scores = assay.show(kept(tmp_path / "three.assay", GOOD))
    newer = replace(scores, source=replace(scores.source, versions=(("assay", "9.0.0"),)))
    with pytest.raises(InputError, match=r"they differ in assay: \d+\.\d+\.\d+ and 9\.0\.0"):
        compare([one, newer])


def test_a_measure_that_kept_scores_lack_is_refused_with_the_nearest(tmp_path: Path) -> None:
    paths = [kept(tmp_path / "bad.assay", BAD), kept(tmp_path / "good.assay", GOOD)]
    with pytest.raises(InputError, match=r"the kept scores have no nDCG@100; did you mean nDCG@10"):
        compare(paths, measures="nDCG@100")
    with pytest.raises(InputError, match="kept scores are compared as they are, without judgments"):
        compare(paths, QRELS)
    with pytest.raises(InputError, match="stages need the runs"):
        compare(paths, stages="bad=x.run:10")
    with pytest.raises(InputError, match=r"the result .*bad\.assay is given twice"):
        compare([paths[0], paths[0]])


def test_a_kept_result_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "explained.assay"
    assay.explain(GOOD, QRELS, "q00", "nDCG@10").save(path)
    with pytest.raises(InputError, match="holds a Explanation, and scores or a comparison are needed"):
        compare([str(path), str(path)])


@pytest.mark.parametrize(
    ("stages", "text"),
    [
        ("goood=f.run:10", "--stages names goood, which is no run here; did you mean good?"),
        ("good", "--stages 'good' is not NAME=FIRST.run:100,FINAL.run"),
        ("good=f.run:0", "depth 0 of a stage of good is not 1 or more"),
        (
            "good=f.run:10,other.run",
            "the stages of good end in other.run, and the run that is compared is another file",
        ),
        (["good=f.run:10", "good=g.run:10"], "the stages of good are given twice"),
        ({"good": []}, "the stages of good name no first stage"),
    ],
)
def test_stages_that_cannot_be_meant_are_refused(stages: object, text: str) -> None:
    with pytest.raises(InputError) as caught:
        given_stages(stages, {"bad": BAD, "good": GOOD}, "bad")
    assert text in str(caught.value)


def test_stages_are_named_by_run_file_or_role() -> None:
    runs = {"old": "runs/old.run", "new": "runs/new.run"}
    (one,) = given_stages("candidate=first.run:100,runs/new.run", runs, "old")
    assert (one.system, one.firsts) == ("new", (("first.run", 100),))
    both = given_stages(["runs/new.run=a.run:5,runs/new.run", "BASELINE=c.run"], runs, "old")
    assert [(one.system, one.firsts) for one in both] == [("old", (("c.run", None),)), ("new", (("a.run", 5),))]
    (windows,) = given_stages("new=C:\\runs\\first.run:20", runs, "old")
    assert windows.firsts == (("C:\\runs\\first.run", 20),)


def test_a_sample_drawn_with_unequal_chances_is_weighted_by_its_design() -> None:
    """Hajek: the query drawn with chance 0.1 stands for ten, the other for one: (10 x 1 + 1 x 0) / 11."""
    before = {"rare": {"x": 1.0}, "sure": {"x": 1.0}}
    after = {"rare": {"a": 1.0}, "sure": {"x": 1.0}}
    qrels = {"rare": {"a": 1}, "sure": {"a": 1}}
    topics = {"query_id": ["rare", "sure"], "inclusion": [0.1, 1.0]}
    found = assay.compare({"before": before, "after": after}, qrels, "P@1", topics=topics, by=()).difference()
    assert found.difference == 0.5
    assert found.weighted is not None
    assert found.weighted.difference == pytest.approx(10 / 11)
    bad = {"query_id": ["rare", "sure"], "inclusion": [0.0, 1.0]}
    with pytest.raises(InputError, match=r"the chance 0\.0 of query rare to be drawn is not between 0 and 1"):
        assay.compare({"before": before, "after": after}, qrels, "P@1", topics=bad, by=())


def test_head_torso_and_tail_say_where_they_were_cut() -> None:
    topics = {"query_id": QUERIES, "weight": [float(40 - i) for i in range(40)]}
    found = assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", topics=topics)
    assert [segment.name for segment in found.segments] == ["head", "torso", "tail"]
    (note,) = (note for note in found.notes if note.code == "cut-points")
    assert note.text == (
        "head, torso and tail are cut by traffic: the most frequent queries that make up 50 % of it are head, those up "
        "to 80 % torso; head ends at the weight 29, torso ends at the weight 18"
    )  # 820 in all: 40 + ... + 30 = 385 < 410, and 40 + ... + 19 = 649 < 656


def test_an_unknown_segment_column_is_refused_with_the_nearest() -> None:
    topics = {"query_id": QUERIES, "market": ["de"] * 40}
    with pytest.raises(InputError, match="the topics have no column markt; did you mean market"):
        assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", topics=topics, by="markt")


def test_judgments_that_one_system_fed_alone_are_said_to_favour_it() -> None:
    other = {q: {"x": 3.0, "y": 2.0, "a": 1.0} for q in QUERIES}
    found = assay.compare({"fed": GOOD, "new": other}, QRELS, "nDCG@3")
    (says,) = (says for says in found.says if says.code == "one-sided-pool")
    assert says.text == "100 % of fed's first 3 are judged and 33 % of new's: the judgments favour fed"
    assert {says.code for says in found.says} >= {"worse", "fragile"}
    assert found.deciding


def test_raters_that_disagree_give_a_noise_floor() -> None:
    rows = [
        (q, d, g, r) for q in QUERIES for d, gs in (("a", (0, 3)), ("b", (3, 0))) for g, r in zip(gs, "xy", strict=True)
    ]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(("query_id", "doc_id", "grade", "rater"))}
    flipped = {q: {"a": 1.0, "b": 2.0} for q in QUERIES}
    straight = {q: {"a": 2.0, "b": 1.0} for q in QUERIES}
    found = assay.compare({"one": straight, "two": flipped}, columns, "nDCG@1")
    assert found.noise is not None
    assert [says.code for says in found.says if says.code == "within-noise"] == ["within-noise"]


@pytest.mark.shared
def test_power_gives_the_golden_numbers_of_queries_and_detectable_effect(shared: Path) -> None:
    golden = json.loads((shared / "golden" / "stats" / "gate_power_noise.json").read_text("utf-8"))["power"]
    for case in golden:
        n = case["n"]
        sd = 0.25 * np.sqrt(n / (n - 1))  # +-0.25 in turns has this standard deviation
        before = {f"q{i:03d}": {"a": 1.0} for i in range(n)}
        scores = assay.evaluate({"a": before, "b": before}, {q: {"a": 1} for q in before}, "P@1")
        values = scores.values.copy()
        values[1, 0] = values[0, 0] - 0.25 * (-1.0) ** np.arange(n)
        from assay.compare.power import power_of

        (row,) = power_of(replace(scores, values=values), "a", case["d_z"] * sd, 0.8, case["alpha"]).rows
        assert row.sd == pytest.approx(sd, rel=1e-12)
        if case["alternative"] == "two-sided":
            assert row.power == pytest.approx(case["power"], abs=1e-8)
            assert row.queries == case["queries_for_80"]
            assert row.detectable == pytest.approx(case["mde_d_z_at_80"] * sd, rel=1e-5)  # its solver stops there


def test_power_without_spread_says_why_it_has_no_figure() -> None:
    found = power({"a": GOOD, "b": GOOD}, QRELS, "nDCG@10", difference=0.02)
    (row,) = found.rows
    assert (row.detectable, row.queries, row.because) == (None, None, "all differences are equal")
    with pytest.raises(InputError, match="--difference 0 needs no queries to find"):
        power({"a": GOOD, "b": BAD}, QRELS, "nDCG@10", difference=0.0)


def test_a_pool_audit_names_the_run_that_lives_on_its_own_judgments() -> None:
    found = pool_audit({"bad": BAD, "good": GOOD, "odd": {q: {"d": 1.0} for q in QUERIES}}, QRELS, "nDCG@10", depth=1)
    assert {c.run for c in found.contributions} == {"bad", "good", "odd"}
    assert found.contributions[0].unique_judged == 40


def test_only_agreement_known_gives_the_cautious_floor(tmp_path: Path) -> None:
    table = tmp_path / "agreement.csv"
    table.write_text("grade,other,count\n0,0,40\n0,1,10\n1,1,30\n1,2,5\n2,2,15\n", encoding="utf-8")
    runs = {"one": GOOD, "two": {q: {"b": 2.0, "a": 1.0} for q in QUERIES}}
    found = compare(runs, QRELS, "nDCG@2", agreement=str(table)).noise
    assert found is not None
    assert (found.method, found.floors[0].n) == ("agreement", 40)
    assert (found.floors[0].sd or 0) > 0
    always = {"grade": [0.0, 1.0, 2.0], "other": [0.0, 1.0, 2.0], "count": [1.0, 1.0, 1.0]}
    never = compare(runs, QRELS, "nDCG@2", agreement=always).noise
    assert never is not None
    assert never.floors[0].sd == pytest.approx(0, abs=1e-12)


def test_where_nobody_named_a_measure_the_intent_of_most_queries_does() -> None:
    topics = {"query_id": QUERIES, "intent": ["known-item"] * 25 + ["browse"] * 15}
    found = compare({"bad": BAD, "good": GOOD}, QRELS, topics=topics, by=())
    assert str(found.primary) == "RR@10"
    (note,) = (note for note in found.notes if note.code == "primary-by-intent")
    assert note.text == (
        "RR@10 is the primary measure: 25 of 40 queries are known-item: there is one right answer, and only how high "
        "it stands matters"
    )
    assert str(compare({"bad": BAD, "good": GOOD}, QRELS, "P@2", topics=topics, by=()).primary) == "P@2"


def test_columns_of_the_judgments_are_no_segments() -> None:
    with pytest.raises(InputError, match="--by rater is a column of the judgments, and segments are sets of queries"):
        compare({"bad": BAD, "good": GOOD}, QRELS, "P@2", by="rater")


def test_without_stages_of_the_baseline_no_change_is_split_and_the_report_says_for_whom_it_cannot_tell() -> None:
    runs = {"base": BAD, "one": GOOD, "two": GOOD}
    found = compare(runs, QRELS, "nDCG@10", stages={"one": [GOOD], "two": [GOOD]})
    assert found.stages is not None
    assert (len(found.stages.systems), found.stages.changes) == (2, ())
    assert [says.text for says in found.says if says.code == "no-stages"] == [
        "nDCG@10 alone cannot tell which stage failed in base"
    ]


def test_a_frame_holds_every_difference_and_the_repr_its_first_lines() -> None:
    topics = {"query_id": QUERIES, "segment": ["a"] * 20 + ["b"] * 20}
    found = compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10 P@2", topics=topics)
    frame = found.summary
    assert frame.height == 6
    assert frame["segment"].to_list() == ["all", "all", "a", "a", "b", "b"]
    assert frame["outcome"].to_list()[:2] == ["better", "better"]
    assert repr(found).splitlines()[0] == "Comparison of 1 candidate against bad over 40 judged queries"
    assert repr(found).splitlines()[1].startswith("  better: nDCG@10 +")


def test_judged_queries_that_the_topics_lack_are_counted() -> None:
    topics = {"query_id": QUERIES[3:], "market": ["de"] * 37}
    found = assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", topics=topics, by="market")
    (note,) = (note for note in found.scores.notes if note.code == "not-in-topics")
    assert (note.count, note.level) == (3, "warning")
    assert note.text == "3 of 40 judged queries are not in the topics: no segment, no weight"


@pytest.mark.parametrize("difference", [math.inf, math.nan, -math.inf])
def test_power_for_no_difference_is_refused(difference: float) -> None:
    with pytest.raises(InputError, match="is no difference"):
        power({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", difference=difference)


def test_power_says_how_many_queries_in_numbers_that_programs_read() -> None:
    rng = np.random.default_rng(0)
    runs = {name: {q: {d: float(rng.random()) for d in ("a", "b", "c")} for q in QUERIES} for name in ("old", "new")}
    qrels = {q: {"a": 1, "b": 0, "c": 2} for q in QUERIES}
    found = power(runs, qrels, "nDCG@3", difference=0.001)
    (row,) = csv.DictReader(io.StringIO(to_machine(found, "csv").decode()))
    assert found.rows[0].queries is not None
    assert found.rows[0].queries > 1000
    assert int(row["queries needed"]) == found.rows[0].queries
    tiny = power(runs, qrels, "nDCG@3", difference=1e-9)
    assert tiny.rows[0].queries is None
    assert answer(tiny).endswith("; even ten million queries would not show 1e-09.")
    assert answer(power(runs, qrels, "nDCG@3", difference=-0.5)).endswith("queries show −0.5000.")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"alpha": 1e-300}, "alpha 1e-300 is nearer to 0 than t can be computed"),
        ({"level": 1 - 1e-15}, "is nearer to 1 than t can be computed"),
        ({"flips": 10**13}, "--flips 10,000,000,000,000 would take days"),
    ],
)
def test_levels_and_flips_beyond_reckoning_are_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Asked(**asked)


@pytest.mark.parametrize(("chance", "alpha"), [(0.8, 1e-300), (1 - 1e-15, 0.05)])
def test_power_beyond_reckoning_is_refused(chance: float, alpha: float) -> None:
    with pytest.raises(InputError, match="is too near to 0 or 1 to plan for"):
        check_planned(0.02, chance, alpha)


def test_a_column_of_segments_named_twice_is_one() -> None:
    topics = {"query_id": QUERIES, "market": ["de", "fr"] * 20}
    found = assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", topics=topics, by=["market", "market"])
    assert [segment.name for segment in found.segments] == ["de", "fr"]


def test_queries_without_a_weight_are_counted() -> None:
    topics = {"query_id": QUERIES, "weight": [None, *range(1, 40)]}
    found = assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", topics=topics)
    (note,) = (note for note in found.scores.notes if note.code == "no-weight")
    assert note.text == "1 judged query has no weight in the topics: left out of what is weighted"


def test_a_table_of_agreement_without_the_grades_of_the_judgments_is_refused() -> None:
    """It would tell a floor of 0: every label would be drawn as the nearest grade that it knows."""
    table = {"grade": [1, 2], "other": [2, 3], "count": [5, 5]}
    with pytest.raises(InputError, match="says nothing of the grade 0 of the judgments"):
        assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", agreement=table)


def test_a_rater_is_asked_for_where_the_judgments_name_none() -> None:
    with pytest.raises(InputError, match="--raters ana asks for one rater, and the judgments name none"):
        assay.compare({"bad": BAD, "good": GOOD}, QRELS, "nDCG@10", raters="ana")
