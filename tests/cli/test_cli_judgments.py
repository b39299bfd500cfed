"""assay agree as it is typed."""

from __future__ import annotations

import csv
import json

import pytest

import assay
from assay.flows.rubric import read_rubric
from cli.typed import Shell
from judgments.dimensions import ROWS, RUBRIC


def test_the_answer_stands_first(assay: Shell) -> None:
    said = assay("agree", "ratings.csv", "--grades", "0,1,2,3")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0].startswith("▲ ENOUGH   quadratic kappa of ana and bo is 0.93")
    assert "223 pairs of 223 were rated more than once, of 26 queries; grades 0, 1, 2, 3." in said.out


def test_a_limit_out_of_reach_says_what_to_do(assay: Shell) -> None:
    said = assay("agree", "ratings.csv", "--limit", "0.99")
    assert "TOO LOW" in said.out
    assert "mend the rubric before more is labelled" in " ".join(said.out.split())
    assert assay("agree", "ratings.csv", "--limit", "1.5").code == 3


def test_programs_get_every_number(assay: Shell) -> None:
    document = json.loads(assay("agree", "ratings.csv", "--topics", "topics.csv", "--format", "json").out)
    assert document["kind"] == "rateragreement"
    assert [part["value"] for part in document["parts"]] == ["head", "torso", "tail", "known-item"]
    assert document["pairs"][0]["shared"] == 223
    rows = list(csv.DictReader(assay("agree", "ratings.csv", "--format", "csv").out.splitlines()))
    assert rows[0]["coefficient"] == "percent"


def test_it_is_kept_and_shown_again_and_written_as_a_page(assay: Shell) -> None:
    first = assay("agree", "ratings.csv", "-o", "made.assay", "--html", "made.html")
    assert first.code == 0
    assert assay("show", "made.assay").out == assay("agree", "ratings.csv").out
    assert "quadratic kappa of ana and bo" in (assay.folder / "made.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("judgments.qrels",), "no pair of query and document has two ratings"),
        (("ratings.csv", "--grades", "a,b"), "is not a list of grades"),
        (("ratings.csv", "--grades", "0,1"), "is not on the scale 0, 1"),
        (("ratings.csv", "--by", "sgment", "--topics", "topics.csv"), "sgment"),
        (("ratings.csv", "--by", "segment"), "--by segment needs a topics table"),
        (("ratings.csv", "--by", "sorce"), "--by sorce needs a topics table; did you mean source?"),
        (
            ("ratings.csv", "--by", "nosuch"),
            "mend: pass --by dimension|source|rubric, or --topics FILE with the column nosuch",
        ),
        (("nothing.csv",), "nothing.csv"),
    ],
)
def test_bad_input_is_said(assay: Shell, typed: tuple[str, ...], said: str) -> None:
    found = assay("agree", *typed)
    assert found.code == 3
    assert said in found.err


def test_dimensions_are_parts_and_relevance_is_the_whole() -> None:
    rows = [
        {"query_id": f"q{i}", "doc_id": "d", "rater": who, "grade": float(grade), "dimension": dimension}
        for i in range(12)
        for who, shift in (("a", 0), ("b", 1))
        for dimension, grade in (("relevance", i % 3), ("freshness", (i + shift) % 3))
    ]
    found = assay.agree(rows)
    assert found.pairs[0].coefficients[0].value == 1.0
    assert [(part.by, part.value, part.coefficients[0].value) for part in found.parts] == [
        ("dimension", "freshness", 0.0),
        ("dimension", "relevance", 1.0),
    ]


def test_a_set_is_drawn_written_and_refreshed(assay: Shell) -> None:
    rows = ["query,count", *(f"query {i},{1000 // i}" for i in range(1, 60)), "jo@example.org,7"]
    (assay.folder / "log.csv").write_text("\n".join(rows) + "\n", "utf-8")
    said = assay("sample", "log.csv", "--strata", "head:2,torso:4,tail:6", "--write", "set.csv")
    assert (said.code, said.err) == (0, "")
    assert "12 queries drawn of 59" in said.out.replace("\n", " ")
    assert "e-mail 1" in said.out
    written = (assay.folder / "set.csv").read_text("utf-8")
    assert written.splitlines()[0] == "query_id,text,weight,segment,stratum,inclusion,set,replaces"
    assert "example.org" not in written + said.out
    first = json.loads(assay("sample", "log.csv", "--strata", "head:2,torso:4,tail:6", "--format", "json").out)
    again = json.loads(assay("sample", "log.csv", "--size", "15", "--refresh", "set.csv", "--write", "next.csv",
                             "--format", "json").out)  # fmt: skip
    assert again["refresh"]["before"] == 12
    assert (again["replaces"], again["refresh"]["replaces"]) == (first["version"], first["version"])
    rows = list(csv.DictReader((assay.folder / "next.csv").read_text("utf-8").splitlines()))
    assert {(row["set"], row["replaces"]) for row in rows} == {(again["version"], first["version"])}
    assert f"succeeds {first['version']}" in assay("sample", "log.csv", "--size", "15", "--refresh", "set.csv").out
    (assay.folder / "set.csv").write_text(written.replace("query 1,", "query one,"), "utf-8")
    said = assay("sample", "log.csv", "--size", "15", "--refresh", "set.csv")
    assert "set.csv is not as it was written" in " ".join(said.out.split())
    assert assay("sample", "log.csv", "--size", "9", "--write", "log.csv").code == 3
    assert assay("sample", "log.csv", "--strata", "head:x").err.startswith("--strata: 'head:x' is not NAME:NUMBER")


def test_every_text_that_counts_as_another_is_written_with_its_rule(assay: Shell) -> None:
    rows = ["query,count", "rain jacket,200", "Rain Jacket,20", "rain jackets,10", "rain jackett,3", "jo@x.example,9"]
    (assay.folder / "log.csv").write_text("\n".join(rows) + "\n", "utf-8")
    typed = ("sample", "log.csv", "--size", "3", "--near", "plurals,typos")
    said = assay(*typed, "--folds", "folds.csv")
    assert said.code == 0
    assert "form 1, plurals 1, typos 1" in " ".join(said.out.split())
    assert (assay.folder / "folds.csv").read_text("utf-8").splitlines() == [
        "text,counts_as,rule,searches",
        "Rain Jacket,rain jacket,form,20.0",
        "rain jackets,rain jacket,plurals,10.0",
        "rain jackett,rain jacket,typos,3.0",
    ]
    document = json.loads(assay(*typed, "--format", "json").out)
    assert document["folds"] == [["form", 1, 20.0], ["plurals", 1, 10.0], ["typos", 1, 3.0]]
    assert [one["text"] for one in document["spellings"]] == ["Rain Jacket", "rain jackets", "rain jackett"]
    assert "_spellings" not in document
    assert assay(*typed, "--folds", "log.csv", "--write", "set.csv").code == 3
    assert not (assay.folder / "set.csv").exists()
    assert "did you mean plurals?" in assay("sample", "log.csv", "--size", "3", "--near", "plural").err


def test_a_pool_is_written_for_labelling(assay: Shell) -> None:
    typed = ("pool", "make", "bm25.run", "dense.run", "--qrels", "judgments.qrels", "--depth", "5")
    said = assay(*typed, "--pairs", "pairs.csv", "--raters-each", "2", "--currency", "EUR")
    assert (said.code, said.err) == (0, "")
    rows = list(csv.DictReader((assay.folder / "pairs.csv").read_text("utf-8").splitlines()))
    assert list(rows[0]) == ["query_id", "doc_id", "order", "reason"]
    assert f"{2 * len(rows)} judgments" in said.out
    assert "EUR" in said.out
    assert assay(*typed, "--pairs", "judgments.qrels").code == 3
    assert assay(*typed, "--price", "x").err.startswith("--price: 'x' is no price")
    assert assay(*typed, "-o", "kept.assay").code == 0
    assert assay("show", "kept.assay").out == assay(*typed).out


def test_a_pool_of_judged_pairs_and_one_of_judgments_of_other_queries_say_so(assay: Shell) -> None:
    typed = ("pool", "make", "bm25.run", "dense.run", "--depth", "1", "--qrels")
    assert assay(*typed, "judgments.qrels").out.startswith("Nothing is left to judge for 26 queries.\n")
    (assay.folder / "other.csv").write_text("query_id,doc_id,grade\nhelm,LMP-01,1\n", "utf-8")
    said = assay(*typed, "other.csv", "--price", "2")
    assert "no query in common" in said.out
    assert " USD at 2.00 a judgment." in " ".join(said.out.split())
    assert "pass --also hand=list.csv" in assay("pool", "make", "bm25.run", "--also", "list.csv").err


def test_500_queries_with_20_documents_each_are_10000_judgments_told_before_anybody_starts(assay: Shell) -> None:
    for name, first in (("one", 0), ("two", 10)):
        lines = (f"q{q} Q0 d{first + i} {i + 1} {10 - i} t\n" for q in range(500) for i in range(10))
        (assay.folder / f"{name}.run").write_text("".join(lines), "utf-8")
    said = assay("pool", "make", "one.run", "two.run", "--depth", "10", "--pairs", "pairs.csv")
    words = " ".join(said.out.split())
    assert "10,000 pairs to judge for 500 queries of 500." in words
    assert "With 1 rater each that is 10,000 judgments: 166.7 hours of work at 1 min, and 5,000 to 30,000 USD" in words
    assert "A query 20 pairs where there are any" in words
    typed = ("--raters-each", "2", "--minutes", "0.5", "--price", "0.80:1", "--currency", "EUR")
    words = " ".join(assay("pool", "make", "one.run", "two.run", "--depth", "10", *typed).out.split())
    # by hand: 2 x 10,000 judgments of half a minute; 0.80 and 1.00 EUR each
    assert "20,000 judgments: 166.7 hours of work at 0.5 min, and 16,000 to 20,000 EUR at 0.80 to 1.00" in words
    lines = (assay.folder / "pairs.csv").read_text("utf-8").splitlines()
    assert (len(lines), lines[0]) == (10_001, "query_id,doc_id,order,reason")


def test_evaluate_shows_what_the_rule_changed(assay: Shell) -> None:
    (assay.folder / "rubric.md").write_text(RUBRIC, "utf-8")
    lines = ["query_id,doc_id,rater,dimension,grade", *(",".join(str(x) for x in row.values()) for row in ROWS)]
    (assay.folder / "dimensions.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (assay.folder / "one.run").write_text("q Q0 a 1 3 t\nq Q0 c 2 2 t\nq Q0 b 3 1 t\n", "utf-8")
    refused = assay("evaluate", "one.run", "dimensions.csv", "-m", "DCG@1")
    assert refused.code == 3
    assert "let `assay rubric apply` work out the grade" in refused.err
    said = assay("rubric", "apply", "dimensions.csv", "--rubric", "rubric.md", "--write", "graded.csv")
    assert said.code == 0
    assert "4 judgments graded by rubric" in said.out
    values = [
        assay("evaluate", "one.run", "graded.csv", "-m", "DCG@1", *more, "--format", "csv").out.splitlines()[1]
        for more in ((), ("--dimension", "topicality"))
    ]
    assert ",2.0," in values[0]  # the mean of 1 (held down) and 3
    assert ",3.0," in values[1]
    wrong = assay("evaluate", "one.run", "graded.csv", "-m", "DCG@1", "--dimension", "topicalty")
    assert "did you mean topicality?" in wrong.err
    assert assay("rubric", "apply", "dimensions.csv", "--rubric", "rubric.md", "--write", "rubric.md").code == 3


def test_the_file_is_written_once_and_shown(assay: Shell) -> None:
    assert assay("rubric", "init").code == 0
    again = assay("rubric", "init")
    assert (again.code, again.err.splitlines()[0]) == (3, "rubric.md: exists already")
    shown = assay("rubric", "show", "rubric.md")
    assert shown.out.startswith("Relevance: 4 grades, version ")
    assert assay("rubric", "show", "rubric.md", "-o", "kept.assay").code == 0
    assert assay("show", "kept.assay").out == shown.out
    (assay.folder / "latin.md").write_bytes(RUBRIC.encode() + b"caf\xe9\n")
    assert assay("rubric", "show", "latin.md").err.startswith("latin.md:16: is not UTF-8")


def test_a_plain_rubric_has_the_same_grades_and_takes_one_key(assay: Shell) -> None:
    assert assay("rubric", "init").code == 0
    assert assay("rubric", "init", "plain.md", "--plain").code == 0
    usual, plain = (read_rubric(assay.folder / name) for name in ("rubric.md", "plain.md"))
    assert plain.grades == usual.grades
    assert (plain.dimensions, plain.base, plain.caps) == ((), "", ())
    assert "topicality" not in plain.body


def test_the_labels_of_the_rubric_that_init_writes_are_grades_and_its_list_is_the_scale(assay: Shell) -> None:
    """By hand: (3 + 1 / log2 3) / (3 + 1 / log2 3) for the order as it is, (1 + 3 / log2 3) / the same when turned."""
    assert assay("rubric", "init").code == 0
    (assay.folder / "RULES").write_bytes((assay.folder / "rubric.md").read_bytes())
    (assay.folder / "words.csv").write_text("query_id,doc_id,grade\nq,a,Perfect\nq,b,marginal\n", "utf-8")
    (assay.folder / "turned.run").write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n", "utf-8")
    for rubric in ("rubric.md", "RULES"):
        said = assay("evaluate", "turned.run", "words.csv", "--labels", rubric, "-m", "nDCG@2", "--format", "csv")
        assert said.code == 0, said.err
        assert float(next(csv.DictReader(said.out.splitlines()))["mean"]) == pytest.approx(
            2.892789 / 3.630930, abs=1e-6
        )
    two = "query_id,doc_id,rater,grade\n" + "".join(f"q{i},d,{who},marginal\n" for i in range(3) for who in ("a", "b"))
    (assay.folder / "two.csv").write_text(two, "utf-8")
    assert "grades 0, 1, 2, 3." in assay("agree", "two.csv", "--labels", "rubric.md").out
    assert "did you mean esci" in assay("agree", "two.csv", "--labels", "escl").err


def test_high_agreement_is_claimed_only_where_raters_say_the_same(assay: Shell) -> None:
    def told(first: int, second: int) -> str:
        lines = [f"q{i},d,ana,{first}\nq{i},d,bo,{second if i else first + second}\n" for i in range(20)]
        (assay.folder / "two.csv").write_text("query_id,doc_id,rater,grade\n" + "".join(lines), "utf-8")
        return " ".join(assay("agree", "two.csv", "--grades", "0,1,2,3").out.split())

    assert "nearly all ratings are one grade" in told(1, 1)  # 19 of 20 alike, and alpha below 0
    assert "nearly all ratings are one grade" not in told(1, 2)  # none alike


def test_what_is_missing_is_not_a_dash_and_is_explained_once(assay: Shell) -> None:
    rows = "q1,d1,ana,1\nq1,d1,bo,2\nq1,d2,ana,0\nq1,d2,bo,0\nq2,d9,ana,3\n"  # nobody else rated q2 d9
    (assay.folder / "one.csv").write_text("query_id,doc_id,rater,grade\n" + rows, "utf-8")
    said = assay("agree", "one.csv")
    told = [" ".join(line.split()) for line in said.out.splitlines()]
    assert "percent 0.500 n/a" in told  # d2 of d1 and d2: the same; one query has no interval
    assert "3 1.000 n/a n/a 1.000" in told  # on the two pairs nobody gave a 3
    assert not any(cell == "-" for line in told for cell in line.split())
    few = "no interval (n/a) where fewer than 10 queries have pairs that several rated: resampling so few says nothing"
    one_side = "no alpha (n/a) at a step where every rating is on one side"
    for why in (few, one_side):
        assert " ".join(told).count(why) == 1
        assert why in assay("agree", "one.csv", "--format", "csv").err
    assert "n/a" not in assay("agree", "ratings.csv").out  # of 26 queries every interval is there


def test_a_rater_without_a_side_is_explained(assay: Shell) -> None:
    head = "query_id,doc_id,other_doc_id,rater,preference,left_doc_id\n"
    rows = "q1,a,b,ana,first,a\nq1,a,b,bo,tie,a\nq2,a,b,ana,first,b\nq2,a,b,bo,tie,b\n"
    (assay.folder / "pairs.csv").write_text(head + rows, "utf-8")
    told = [" ".join(line.split()) for line in assay("agree", "pairs.csv").out.splitlines()]
    assert "bo 2 0 0 n/a n/a n/a 0 0 0" in told
    assert "no share of the left (n/a) where a rater chose no document of a known side" in " ".join(told)


def test_due_ends_with_1_when_a_label_is_due(assay: Shell) -> None:
    (assay.folder / "labels.csv").write_text("query_id,doc_id,grade,judged_at\nq01,LMP-05,3,2026-01-01\n", "utf-8")
    said = assay("judgments", "stale", "labels.csv", "--days", "30", "--at", "2026-07-01")
    assert said.code == 0
    assert "1 of 1 label (100" in said.out
    assert "too old" in said.out
    assert assay("judgments", "due", "labels.csv", "--days", "30", "--at", "2026-07-01").code == 1
    assert assay("judgments", "due", "labels.csv", "--days", "300", "--at", "2026-07-01").code == 0
    assert assay("judgments", "due", "labels.csv").code == 3
