"""Measures over subtopics: by hand, by ndeval, ties by trying every order, and what must hold for any list."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.measures.explain import explain
from assay.measures.grammar import parse
from assay.ranking.align import align, judged
from assay.ranking.conventions import Conventions
from assay.ranking.ranking import Ranking
from assay.tables import Block

Grades = dict[tuple[str, str], float]
"""(document, subtopic) to grade."""

JAGUAR: Grades = {
    ("a", "cat"): 1, ("a", "car"): 1, ("b", "cat"): 1, ("c", "team"): 2, ("d", "car"): 0,
}  # fmt: skip
LIST = ("b", "a", "x", "c")

ALL = parse("alpha-DCG@3 alpha-nDCG@3 alpha-nDCG ERR-IA@3 ERR-IA(norm=ideal) ERR-IA(norm=none)@3 NRBP NRBP(norm=ideal) "
            "StRecall@2 P-IA@3 AP-IA AP-IA@2 gERR-IA gERR-IA@2 gERR-IA(max=4)@3")  # fmt: skip
NDEVAL = {
    "alpha-nDCG@5": "alpha-nDCG(alpha={a})@5", "alpha-nDCG@20": "alpha-nDCG(alpha={a})@20",
    "alpha-DCG@5": "alpha-DCG(norm=perfect,alpha={a})@5", "ERR-IA@5": "ERR-IA(alpha={a})@5",
    "nERR-IA@5": "ERR-IA(norm=ideal,alpha={a})@5", "NRBP": "NRBP(alpha={a})", "nNRBP": "NRBP(norm=ideal,alpha={a})",
    "MAP-IA": "AP-IA", "P-IA@5": "P-IA@5", "strec@5": "StRecall@5", "strec@3": "StRecall@3",
}  # fmt: skip


def block(grades: Grades) -> Block:
    rows = {
        "query_id": ["q"] * len(grades),
        "doc_id": [doc for doc, _ in grades],
        "subtopic": [subtopic for _, subtopic in grades],
        "grade": [float(grade) for grade in grades.values()],
    }
    return Block(rows, lambda row: f"qrels:{row + 1}", "qrels")


def ranked(grades: Grades, shown: tuple[str, ...], scores: tuple[float, ...] | None = None, **chosen: Any) -> Ranking:
    conventions = Conventions(**chosen)
    values = [float(-i) for i in range(len(shown))] if scores is None else list(scores)
    run = Block({"query_id": ["q"] * len(shown), "doc_id": list(shown), "score": values}, str, "run")
    return align(run, judged(block(grades), conventions), conventions).ranking


def value(measure: str, r: Ranking) -> float:
    return float(parse(measure)[0].compute(r)[0])


@pytest.mark.parametrize(
    ("measure", "expected", "why"),
    [
        ("alpha-DCG", 1 + 1.5 / np.log2(3) + 1 / np.log2(5), "b: cat; a: cat again 0.5, car 1; c: team"),
        ("alpha-nDCG", (1 + 1.5 / np.log2(3) + 1 / np.log2(5)) / (2 + 1 / np.log2(3) + 0.5 / 2), "a, c, b is best"),
        ("alpha-nDCG@1", 1 / 2, "b serves one, a would serve two"),
        ("ERR-IA(norm=none)", (1 + 1.5 / 2 + 1 / 4) / 2 / 3, "half of the readers of each subtopic stop"),
        ("ERR-IA@2", 1.75 / (3 * (1 + 0.5 / 2)), "divided by three subtopics on every document"),
        ("ERR-IA(norm=ideal)", 2 / (2 + 1 / 2 + 0.5 / 3), "a, c, b is best"),
        ("NRBP", (1 + 1.5 / 2 + 1 / 8) * 0.75 / 3, "Clarke et al. 2009 with alpha = beta = 1/2"),
        ("StRecall@1", 1 / 3, "cat"),
        ("StRecall@2", 2 / 3, "cat, car"),
        ("StRecall", 1.0, "all three"),
        ("P-IA@2", (1 + 0.5 + 0) / 3, "cat 2 of 2, car 1 of 2, team none"),
        ("AP-IA", (1 + 1 / 2 + 1 / 4) / 3, "cat at 1 and 2, car at 2, team at 4"),
        ("gERR-IA", (1 / 4 + 3 / 4 * 1 / 4 / 2 + 1 / 4 / 2 + 3 / 4 / 4) / 3, "1 satisfies 1 / 4, 2 satisfies 3 / 4"),
        ("gERR-IA(max=3)@2", (1 / 8 + 7 / 8 * 1 / 8 / 2 + 1 / 8 / 2) / 3, "of a scale to 3; c stands below"),
        ("alpha-nDCG(rel=2)", (1 / np.log2(5)) / 1, "team alone has a grade of 2"),
        ("alpha-nDCG(alpha=0)", (1 + 2 / np.log2(3) + 1 / np.log2(5)) / (2 + 1 / np.log2(3) + 1 / 2), "no fading"),
        ("alpha-DCG(alpha=1)", 1 + 1 / np.log2(3) + 1 / np.log2(5), "only the first of each subtopic counts"),
    ],
)
def test_the_value_is_the_one_on_paper(measure: str, expected: float, why: str):
    assert value(measure, ranked(JAGUAR, LIST)) == pytest.approx(expected, abs=1e-12), why


@pytest.mark.parametrize("number", range(8))
def test_ndeval_says_the_same(number: int):
    case = json.loads((Path(__file__).parent / "ndeval.json").read_text("utf-8"))["collections"][number]
    qrels = [dict(zip(("query_id", "subtopic", "doc_id", "grade"), row.split(), strict=True)) for row in case["qrels"]]
    run: dict[str, dict[str, float]] = {}
    for query, doc, score in map(str.split, case["run"]):
        run.setdefault(query, {})[doc] = float(score)
    texts = [text.format(a=case["alpha"]) for text in NDEVAL.values()]
    scores = assay.evaluate(run, qrels, texts, no_relevant="zero")
    looked = 0
    for query, theirs in case["values"].items():
        at = scores.queries.index(query)
        for j, name in enumerate(NDEVAL):
            assert scores.values[0, j, at] == pytest.approx(theirs[name], abs=1e-9), f"{name} of {query}"
            looked += 1
    assert looked >= 2 * len(NDEVAL)


TIED = [
    (JAGUAR, ("a", "b", "c", "x", "y"), (2.0, 2.0, 2.0, 2.0, 1.0)),
    (JAGUAR, ("x", "a", "b", "c", "d"), (3.0, 2.0, 2.0, 1.0, 1.0)),
    ({(d, s): 1.0 for d in "abc" for s in "12"} | {("d", "1"): 1.0}, ("a", "b", "c", "d", "x"), (1.0,) * 5),
]


@pytest.mark.parametrize(("grades", "shown", "scores"), TIED)
def test_averaged_ties_are_the_mean_over_all_orders(grades: Grades, shown: tuple[str, ...], scores: tuple[float, ...]):
    score_of = dict(zip(shown, scores, strict=True))
    orders = [order for order in permutations(shown) if sorted(order, key=lambda d: -score_of[d]) == list(order)]
    exact = ranked(grades, shown, scores, ties="expected")
    for measure in ALL:
        mean = np.mean([float(measure.compute(ranked(grades, order))[0]) for order in orders])
        assert float(measure.compute(exact)[0]) == pytest.approx(mean, abs=1e-12), str(measure)


def test_a_large_group_of_ties_keeps_its_digits():
    grades = {(f"r{i}", "s"): 1.0 for i in range(40)}
    shown = tuple([f"r{i}" for i in range(40)] + [f"x{i}" for i in range(960)])
    got = value("alpha-DCG@1", ranked(grades, shown, (1.0,) * 1000, ties="expected"))
    assert got == pytest.approx(40 / 1000, abs=1e-12)


documents = st.sampled_from("abcdef")
judgments = st.dictionaries(
    st.tuples(documents, st.sampled_from("stu")), st.sampled_from([0.0, 1.0, 2.0, -1.0]), min_size=1, max_size=12
)
lists = st.permutations(list("abcdefxy")).flatmap(lambda order: st.integers(1, 8).map(lambda n: tuple(order[:n])))
unhurried = settings(deadline=None, max_examples=60)


@unhurried
@given(judgments, lists)
def test_values_stay_in_their_range(grades: Grades, shown: tuple[str, ...]):
    r = ranked(grades, shown)
    for measure in ALL:
        got = float(measure.compute(r)[0])
        assert np.isnan(got) or got >= 0, str(measure)
        if measure.name not in ("alpha-DCG", "alpha-nDCG") and measure.params.get("norm") != "ideal":
            assert np.isnan(got) or got <= 1 + 1e-12, str(measure)


@unhurried
@given(judgments, lists)
def test_without_fading_and_with_one_subtopic_it_is_binary_ndcg(grades: Grades, shown: tuple[str, ...]):
    one = {(doc, "s"): grade for (doc, _), grade in grades.items()}
    plain = {"q": {doc: float(grade > 0) for (doc, _), grade in one.items()}}
    run = {"q": {doc: float(-i) for i, doc in enumerate(shown)}}
    expected = assay.evaluate(run, plain, "nDCG@4 HitRate@3 P@3 AP").values[0, :, 0]
    got = [value(text, ranked(one, shown)) for text in ("alpha-nDCG(alpha=0)@4", "StRecall@3", "P-IA@3", "AP-IA")]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@unhurried
@given(judgments, lists)
def test_names_of_subtopics_and_the_order_of_rows_change_nothing(grades: Grades, shown: tuple[str, ...]):
    renamed = {(doc, {"s": "z", "t": "y", "u": "x"}[s]): grade for (doc, s), grade in reversed(grades.items())}
    for measure in ALL:
        one, other = measure.compute(ranked(grades, shown)), measure.compute(ranked(renamed, shown))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12, err_msg=str(measure))


@unhurried
@given(judgments)
def test_the_greedy_order_is_worth_1_and_the_best_of_all_hardly_more(grades: Grades):
    r = ranked(grades, ("x",))
    if not (r.judged.relevant() > 0).any():
        return
    from assay.ranking.novelty import best_gains

    rows, _ = best_gains(r.judged, 0.5, None, None)[0]
    order = tuple(r.judged.docs[i] for i in rows.tolist())
    assert value("alpha-nDCG", ranked(grades, order)) == 1.0
    best = max(
        value("alpha-nDCG@3", ranked(grades, one)) for one in permutations(sorted(set(order)), min(3, len(order)))
    )
    assert 1.0 <= best < 1.25


def test_the_highest_grade_counts_where_a_measure_does_not_look_at_subtopics():
    qrels = [{"query_id": "q", "doc_id": d, "subtopic": s, "grade": g}
             for (d, s), g in {("a", "1"): 1, ("a", "2"): 3, ("b", "1"): 0}.items()]  # fmt: skip
    scores = assay.evaluate({"q": {"b": 2, "a": 1}}, qrels, "DCG")
    assert scores.values[0, 0, 0] == pytest.approx(3 / np.log2(3))
    (note,) = [note for note in scores.notes if note.code == "subtopics"]
    assert note.text == (
        "3 judgments by subtopic of 2 pairs: where a measure does not look at subtopics, the highest grade of a pair "
        "counts"
    )


def test_judgments_without_subtopics_are_one_subtopic_and_it_is_said():
    scores = assay.evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "b": 1}}, "alpha-nDCG@2 P@2")
    (note,) = [note for note in scores.notes if note.code == "no-subtopics"]
    assert note.text == "the judgments name no subtopics: every query has one for alpha-nDCG@2"
    assert note.level == "warning"


def test_one_subtopic_with_two_grades_of_a_pair_is_refused():
    grades = [("q", "a", "1", 1), ("q", "a", "2", 2), ("q", "a", "1", 2)]
    rows = {n: [row[i] for row in grades] for i, n in enumerate(("query_id", "doc_id", "subtopic", "grade"))}
    rows["grade"] = [float(grade) for grade in rows["grade"]]
    qrels = Block(rows, lambda row: f"qrels:{row + 1}", "qrels")
    with pytest.raises(InputError, match=r"^qrels:3: q a is judged again for subtopic 1: grade 2 here, 1 at qrels:1"):
        judged(qrels, Conventions())
    kept = judged(qrels, Conventions(duplicates="keep-first"))
    assert kept.grade.tolist() == [2.0]
    assert kept.aspects is not None
    assert kept.aspects.grade.tolist() == [1.0, 2.0]


def test_a_row_without_a_subtopic_is_about_the_query_alone():
    grades: dict[Any, float] = {("a", "1"): 1.0, ("b", None): 3.0}
    r = ranked(grades, ("b", "a"))
    assert value("DCG", r) == pytest.approx(3 + 1 / np.log2(3))
    assert value("StRecall@1", r) == 0.0


def test_raters_are_joined_for_each_subtopic():
    rows = [("a", "1", "anna", 1), ("a", "1", "ben", 3), ("a", "2", "anna", 0), ("a", "2", "ben", 0)]
    qrels = [{"query_id": "q", "doc_id": d, "subtopic": s, "rater": who, "grade": g} for d, s, who, g in rows]
    scores = assay.evaluate({"q": {"a": 1}}, qrels, "DCG StRecall@1")
    assert scores.values[0, :, 0].tolist() == [2.0, 1.0]


def test_negative_grades_as_unjudged_leave_the_others_in_place():
    grades = {("a", "1"): -2.0, ("b", "1"): 1.0, ("b", "2"): 1.0}
    for negative in ("judged", "unjudged"):
        assert value("StRecall", ranked(grades, ("a", "b"), negative=negative)) == 1.0
        assert value("alpha-DCG", ranked(grades, ("a", "b"), negative=negative)) == pytest.approx(2 / np.log2(3))


def test_the_explanation_adds_up_and_names_the_best_order():
    r = ranked(JAGUAR, LIST)
    for measure in ALL:
        found = explain(r, measure, "q")
        assert found.total == pytest.approx(sum(line.adds or 0.0 for line in found.lines)), str(measure)
        expected = found.total if found.divisor is None else found.total / found.divisor
        assert found.value == pytest.approx(expected), str(measure)
    found = explain(r, parse("alpha-nDCG@3")[0], "q")
    assert [line.gain for line in found.lines] == [1.0, 1.5, 0.0]
    assert [line.gain for line in found.ideal] == [2.0, 1.0, 0.5]
    assert found.divided_by == "log2(rank + 1)"
    assert found.closing == "alpha-nDCG@3 = 1.9464 / 2.8809 = 0.6756"
    assert found.bounds == "which subtopics they would be about is not known"


def test_the_trec_form_is_read_and_written(tmp_path: Path):
    from assay.formats.blocks import read_qrels
    from assay.formats.recognise import read, write
    from assay.tables import Judgment

    path = tmp_path / "d.qrels"
    path.write_text("q 1 a 1\nq 2 a 0\nq 1 b 1\n", encoding="utf-8")
    small, large = read(path, Judgment), read_qrels(path)
    assert small.polars().select(sorted(small.columns)).equals(large.polars().select(sorted(large.columns)))
    write(small, tmp_path / "again.qrels", "trec", Judgment)
    assert (tmp_path / "again.qrels").read_bytes() == path.read_bytes()
    for unused in ("q 0 a 1\nq 0 b 2\n", "q 0 a 1\nq Q0 b 2\n", "q 7 a 1\nq 7 b 2\n", "# c\nq  0 a 1\nq Q0 b 2\n"):
        path.write_text(unused, encoding="utf-8")
        assert "subtopic" not in read(path, Judgment).columns
        assert "subtopic" not in read_qrels(path).columns


def test_a_comparison_takes_raters_and_subtopics_together():
    """Rater noise is about pairs: of a rater's labels for the subtopics of one the highest counts."""
    rows = [
        (query, doc, subtopic, rater, grade)
        for query in ("q", "r")
        for doc, subtopic, grades in [("a", "1", (1, 1)), ("a", "2", (0, 3)), ("b", "1", (0, 0)), ("c", "2", (2, 2))]
        for rater, grade in zip(("anna", "ben"), grades, strict=True)
    ]
    rows += [("s", "a", "1", "anna", 1), ("s", "b", "1", "anna", 0)]  # one rater alone
    names = ("query_id", "doc_id", "subtopic", "rater", "grade")
    qrels = [dict(zip(names, row, strict=True)) for row in rows]
    runs = {
        "before": {query: {"b": 2, "a": 1} for query in "qrs"},
        "after": {query: {"a": 2, "c": 1} for query in "qrs"},
    }
    found = assay.compare(runs, qrels, "alpha-nDCG@2 nDCG@2")
    assert found.noise is not None
    assert [str(floor.measure) for floor in found.noise.floors] == ["nDCG@2"]
    assert found.noise.several == 6

    from assay.compare.labels import labels_of

    held = {name: [row[name] for row in qrels] for name in names}
    held["grade"] = [float(grade) for grade in held["grade"]]
    both = Block(held, str, "qrels")
    labels = labels_of(
        both, judged(Block({k: v for k, v in held.items() if k != "rater"}, str), Conventions(duplicates="keep-first"))
    )
    assert labels is not None
    at = next(i for i, doc in enumerate(labels.judged.docs) if doc == "a" and labels.judged.query[i] == 0)
    start = int(labels.start[at])
    assert sorted(labels.label[start : start + int(labels.count[at])].tolist()) == [1.0, 3.0]


def test_a_pool_audit_leaves_out_subtopics_with_their_pairs():
    from assay.flows.pool import pool_audit

    qrels = [{"query_id": "q", "doc_id": d, "subtopic": s, "grade": g} for (d, s), g in JAGUAR.items()]
    runs = {"one": {"q": {"a": 2, "b": 1}}, "two": {"q": {"b": 2, "c": 1}}}
    audit = pool_audit(runs, qrels, "alpha-nDCG@2", depth=2)
    without = {"one": "a", "two": "c"}  # what each alone brought
    for contribution in audit.contributions:
        left = [row for row in qrels if row["doc_id"] != without[contribution.run]]
        expected = assay.evaluate({"q": runs[contribution.run]["q"]}, left, "alpha-nDCG@2").mean()
        assert contribution.values[0].after == pytest.approx(expected, abs=1e-12), contribution.run


def test_where_ties_are_averaged_each_document_adds_its_mean_over_all_orders():
    shown, scores = ("x", "a", "b", "c"), (3.0, 2.0, 2.0, 2.0)
    orders = [("x", *order) for order in permutations(shown[1:])]
    for text in ("alpha-DCG@3", "ERR-IA", "NRBP"):
        (measure,) = parse(text)
        found = explain(ranked(JAGUAR, shown, scores, ties="expected"), measure, "q")
        for doc in "abc":
            every = [
                next(
                    (line.adds for line in explain(ranked(JAGUAR, order), measure, "q").lines if line.doc_id == doc),
                    0.0,
                )
                for order in orders
            ]
            (mean,) = [line.adds for line in found.lines if line.doc_id == doc]
            assert mean == pytest.approx(np.mean([x or 0.0 for x in every]), abs=1e-12), f"{text} {doc}"
