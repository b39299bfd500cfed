"""Ragas, DeepEval and plain samples: questions, contexts, answers and references as tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.formats.rag import text_id
from assay.tables import Answer, Document, Hit, Judgment, Topic
from formats.outside.files import claims, hits, lost, put, read, round_trip, rows, said, same_in, tricky, write

RAGAS = """{"user_input": "Wie groß ist \\"Käse\\"?", "retrieved_contexts": ["Groß,\\nrund.", "b"],
 "response": "Groß.",
 "retrieved_context_ids": ["c1", 12345678901234567890], "reference_context_ids": ["c1", "c9"],
 "reference": "Sehr groß."}
{"user_input": "=1+1", "retrieved_contexts": [], "response": "2"}
{"user_input": "not recorded", "retrieved_contexts": null, "persona_name": "tester"}
{"user_input": [{"type": "human", "content": "hello"}]}
""".replace(",\n ", ", ")
LEGACY = """[{"question": "a", "contexts": ["x", "y", "x"], "answer": "A", "ground_truths": ["G", "H"]},
 {"question": "b", "contexts": ["y"], "answer": "B", "ground_truths": []}]"""
DEEPEVAL = """[{"input": "a", "actual_output": "A", "expected_output": "E", "retrieval_context": ["x", "y"],
  "context": ["y", "z"], "tags": ["t"]}, {"input": "b", "actual_output": "B", "expected_output": null,
  "retrieval_context": null}]"""
KEPT = """{"testRunData": {"testFile": "t.py", "testCases": [{"name": "test_case_0", "input": "a", "actualOutput": "A",
  "retrievalContext": ["x"], "metricsData": [{"name": "Faithfulness", "score": 0.5}]}]}}"""
PLAIN = """{"id": 7, "question": "a", "contexts": [{"id": "d1", "title": "T", "text": "x"}, "y"],\
 "relevant_ids": ["d1"]}
{"id": 8, "question": "a", "contexts": [], "answer": "A", "reference": "R"}
"""


def test_samples_with_ids(tmp_path):
    got = read("ragas", tmp_path, "base.jsonl", RAGAS)
    first = 'Wie groß ist "Käse"?'
    assert hits(got, "base") == [(first, "c1", 1), (first, "12345678901234567890", 2)]
    assert got.runs["base"].empty == ("=1+1",)
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [(first, "c1", 1.0), (first, "c9", 1.0)]
    assert rows(got, Answer) == [(first, "Groß.", "Sehr groß."), ("=1+1", "2", None)]
    assert rows(got, Document, "doc_id", "text") == [("c1", "Groß,\nrund."), ("12345678901234567890", "b")]
    assert lost(got) == {"persona_name of a sample": 1, "conversations": 1}
    assert [fact.split(": ", 1)[1] for fact in got.facts] == [
        "contexts were not recorded in 1 of 3 samples; those are not in the run, where samples with an empty list "
        "returned nothing",
        "reference contexts are judged relevant (grade 1); other contexts are unjudged",
    ]
    assert got.unlisted == "unjudged"


def test_a_sample_with_references_and_without_a_record_is_a_warning(tmp_path):
    text = '{"user_input": "a", "retrieved_contexts": ["x"]}\n{"user_input": "b", "reference_contexts": ["y"]}\n'
    got = read("ragas", tmp_path, "r.jsonl", text)
    assert [query for (query,) in rows(got, Judgment, "query_id")] == ["b"]
    assert "1 of these samples has reference contexts, and would count 0" in got.facts[2]


def test_names_of_before_and_ids_made_of_texts(tmp_path):
    got = read("ragas", tmp_path, "old.json", LEGACY)
    assert hits(got, "old") == [("a", text_id("x"), 1), ("a", text_id("y"), 2), ("b", text_id("y"), 1)]
    assert rows(got, Answer) == [("a", "A", "G"), ("b", "B", None)]
    assert lost(got) == {"contexts that come again": 1, "further references": 1}
    assert "4 contexts have no id; one is made of the text" in got.facts[0]


def test_contexts_that_were_not_recorded_and_those_that_are_none_stay_two_things(tmp_path):
    got = read("ragas", tmp_path, "base.jsonl", RAGAS)
    write("ragas", got, tmp_path / "out.jsonl")
    made = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["retrieved_contexts"] for one in made] == [["Groß,\nrund.", "b"], [], None]
    again = read("ragas", tmp_path, "base.jsonl", (tmp_path / "out.jsonl").read_bytes())
    for row in (Topic, Judgment, Answer, Document):
        assert rows(again, row) == rows(got, row)
    assert (hits(again, "base"), again.runs["base"].empty) == (hits(got, "base"), got.runs["base"].empty)


def test_deepeval_cases(tmp_path):
    got = read("deepeval", tmp_path, "cases.json", DEEPEVAL)
    assert hits(got, "cases") == [("a", text_id("x"), 1), ("a", text_id("y"), 2)]
    assert rows(got, Judgment, "doc_id") == [(text_id("y"),), (text_id("z"),)]
    assert rows(got, Answer) == [("a", "A", "E"), ("b", "B", None)]
    assert lost(got) == {"tags of a test case": 1}
    write("deepeval", got, tmp_path / "out.json")
    first, second = json.loads((tmp_path / "out.json").read_text())
    assert first == {"input": "a", "actual_output": "A", "expected_output": "E", "retrieval_context": ["x", "y"],
                     "context": ["y", "z"]}  # fmt: skip
    assert second == {
        "input": "b",
        "actual_output": "B",
        "expected_output": None,
        "retrieval_context": None,
        "context": None,
    }


def test_what_deepeval_keeps_of_a_test_run(tmp_path):
    got = read("deepeval", tmp_path, "kept.json", KEPT)
    assert hits(got, "kept") == [("a", text_id("x"), 1)]
    assert lost(got) == {"metricsData of a test case": 1}


def test_plain_samples_with_objects_and_ids(tmp_path):
    got = read("rag-jsonl", tmp_path, "s.jsonl", PLAIN)
    assert rows(got, Topic) == [("7", "a"), ("8", "a")]
    assert hits(got, "s") == [("7", "d1", 1), ("7", text_id("y"), 2)]
    assert rows(got, Judgment, "query_id", "doc_id") == [("7", "d1")]
    assert rows(got, Document) == [("d1", "T", "x"), (text_id("y"), "", "y")]
    write("rag-jsonl", got, tmp_path / "out.jsonl")
    again = read("rag-jsonl", tmp_path, "s.jsonl", (tmp_path / "out.jsonl").read_bytes())
    assert (hits(again, "s"), rows(again, Judgment)) == (hits(got, "s"), rows(got, Judgment))


def test_ids_and_grades_that_have_no_place_are_counted(tmp_path):
    got = read("rag-jsonl", tmp_path, "s.jsonl", PLAIN)
    gone = write("deepeval", got, tmp_path / "out.json")
    assert {what: one.count for what, one in gone.items()} == {
        "title of documents": 1, "query ids": 2, "ids of documents": 3,
    }  # fmt: skip


def test_traps_of_text_and_encoding(tmp_path):
    without = {Hit: ("score",), Judgment: ("grade",)}
    only = [Topic, Hit]
    round_trip("ragas", tricky(run=True), tmp_path / "bm25.jsonl", only=only, without=without)
    round_trip("rag-jsonl", tricky(run=True), tmp_path / "bm25b.jsonl", only=only, without=without,
               reading={"run": "bm25"})  # fmt: skip
    round_trip("deepeval", tricky(texts=False), tmp_path / "d.json", only=[Topic])
    same_in("ragas", RAGAS, "r.jsonl", tmp_path)
    same_in("deepeval", DEEPEVAL, "d.json", tmp_path)
    same_in("rag-jsonl", PLAIN, "p.jsonl", tmp_path)


@pytest.mark.parametrize(("content", "format"), [
    (RAGAS, "ragas"), (LEGACY, "ragas"), (DEEPEVAL, "deepeval"), (KEPT, "deepeval"), (PLAIN, "rag-jsonl"),
])  # fmt: skip
def test_each_file_is_claimed_by_its_own_format(tmp_path, content, format):
    assert claims(put(tmp_path, "file.json", content)) == [format]


def complain(folder: Path, format: str, content: str) -> str:
    return said(format, folder, "x.json", content)


BROKEN = [
    ("ragas", "[]", ("x.json: holds no sample with a question\n    mend: write it anew, or leave it out")),
    (
        "ragas",
        '{"retrieved_contexts": []}',
        (
            "x.json: $: has no key user_input or question\n"
            '    mend: write {"user_input": TEXT, "retrieved_contexts": [TEXT], "response": TEXT, '
            '"reference": TEXT} a line'
        ),
    ),
    (
        "ragas",
        '{"user_input": 3}',
        (
            "x.json: $.user_input: expected text, found the number 3\n"
            '    mend: write {"user_input": TEXT, "retrieved_contexts": [TEXT], "response": TEXT, '
            '"reference": TEXT} a line'
        ),
    ),
    (
        "ragas",
        '{"user_input": " "}',
        ("x.json: $.user_input: the question is blank\n    mend: leave the sample out, or write its question"),
    ),
    (
        "ragas",
        '{"user_input": "a", "retrieved_contexts": "x"}',
        (
            "x.json: $.retrieved_contexts: expected a list, found text\n"
            '    mend: write {"user_input": TEXT, "retrieved_contexts": [TEXT], "response": TEXT, '
            '"reference": TEXT} a line'
        ),
    ),
    (
        "ragas",
        '{"user_input": "a", "retrieved_contexts": ["x", 3]}',
        (
            "x.json: $.retrieved_contexts[1]: expected text, found the number 3\n"
            '    mend: write {"user_input": TEXT, "retrieved_contexts": [TEXT], "response": TEXT, '
            '"reference": TEXT} a line'
        ),
    ),
    (
        "ragas",
        '{"user_input": "a", "retrieved_contexts": ["x"], "retrieved_context_ids": ["1", "2"]}',
        ("x.json: $.retrieved_context_ids: 2 ids for 1 contexts\n    mend: give every context one id, or none"),
    ),
    (
        "ragas",
        '{"user_input": "a", "retrieved_contexts": ["x", "y"], "retrieved_context_ids": ["1", "1"]}',
        (
            "x.json: $.retrieved_contexts[1]: document 1 has another text than before\n"
            "    mend: give each text an id of its own"
        ),
    ),
    (
        "ragas",
        '{"user_input": "a", "reference_context_ids": [1.5]}',
        ("x.json: $.reference_context_ids[0]: 1.5 is a decimal number\n    mend: write ids as text or whole numbers"),
    ),
    (
        "ragas",
        '{"user_input": "a"}\n{"user_input": "a"}\n',
        (
            "x.json:2: the question 'a' is asked twice (first at x.json:1)\n"
            "    mend: give each sample an id of its own, or remove one of the two"
        ),
    ),
    (
        "ragas",
        '{"user_input": "a", "response": ["x"]}',
        (
            "x.json: $.response: expected text, found a list\n"
            '    mend: write {"user_input": TEXT, "retrieved_contexts": [TEXT], "response": TEXT, '
            '"reference": TEXT} a line'
        ),
    ),
    (
        "ragas",
        '{"user_input": "a"}\n{"user_input": "b"\n',
        (
            "x.json:2: is not JSON: expecting ',' delimiter at column 19\n"
            '    {"user_input": "b"\n'
            '    mend: write {"user_input": TEXT, "retrieved_contexts": [TEXT], "response": TEXT, '
            '"reference": TEXT} a line'
        ),
    ),
    (
        "deepeval",
        '{"input": {}}',
        (
            "x.json: $.input: expected text, found an object\n"
            '    mend: write [{"input": TEXT, "actual_output": TEXT, "expected_output": TEXT, '
            '"retrieval_context": [TEXT], "context": [TEXT]}]'
        ),
    ),
    (
        "deepeval",
        '[{"actual_output": "A"}]',
        (
            "x.json: $[0]: has no key input\n"
            '    mend: write [{"input": TEXT, "actual_output": TEXT, "expected_output": TEXT, '
            '"retrieval_context": [TEXT], "context": [TEXT]}]'
        ),
    ),
    (
        "deepeval",
        '[{"input": ""}]',
        ("x.json: $[0].input: the question is blank\n    mend: leave the sample out, or write its question"),
    ),
    (
        "deepeval",
        '[{"input": "a", "retrieval_context": "x"}]',
        (
            "x.json: $[0].retrieval_context: expected a list, found text\n"
            '    mend: write [{"input": TEXT, "actual_output": TEXT, "expected_output": TEXT, '
            '"retrieval_context": [TEXT], "context": [TEXT]}]'
        ),
    ),
    (
        "deepeval",
        '[{"input": "a", "retrieval_context": [null]}]',
        (
            "x.json: $[0].retrieval_context[0]: expected text, found null\n"
            '    mend: write [{"input": TEXT, "actual_output": TEXT, "expected_output": TEXT, '
            '"retrieval_context": [TEXT], "context": [TEXT]}]'
        ),
    ),
    (
        "deepeval",
        '[{"input": "a", "context": [{}]}]',
        ('x.json: $[0].context[0]: has neither a text nor an id\n    mend: write {"id": ID, "text": TEXT}'),
    ),
    (
        "deepeval",
        '[{"input": "a", "actual_output": 7}]',
        (
            "x.json: $[0].actual_output: expected text, found the number 7\n"
            '    mend: write [{"input": TEXT, "actual_output": TEXT, "expected_output": TEXT, '
            '"retrieval_context": [TEXT], "context": [TEXT]}]'
        ),
    ),
    (
        "deepeval",
        '[{"input": "a"}, {"input": "a"}]',
        (
            "x.json: $[1]: the question 'a' is asked twice (first at x.json: $[0])\n"
            "    mend: give each sample an id of its own, or remove one of the two"
        ),
    ),
    (
        "deepeval",
        '{"goldens": []}',
        ("x.json: holds no sample with a question\n    mend: write it anew, or leave it out"),
    ),
    (
        "deepeval",
        '{"test_cases": [1]}',
        (
            "x.json: $.test_cases[0]: expected an object, found the number 1\n"
            '    mend: write [{"input": TEXT, "actual_output": TEXT, "expected_output": TEXT, '
            '"retrieval_context": [TEXT], "context": [TEXT]}]'
        ),
    ),
    (
        "deepeval",
        '[{"input": "a"',
        (
            "x.json:1: is not JSON: expecting ',' delimiter at column 15\n"
            '    [{"input": "a"\n'
            '    mend: write [{"input": TEXT, "actual_output": TEXT, "expected_output": TEXT, '
            '"retrieval_context": [TEXT], "context": [TEXT]}]'
        ),
    ),
    (
        "rag-jsonl",
        "{}",
        (
            "x.json: $: has no key question or query\n"
            '    mend: write {"question": TEXT, "contexts": [TEXT], "answer": TEXT, "reference": TEXT} '
            "a line"
        ),
    ),
    (
        "rag-jsonl",
        '{"question": ["a"]}',
        (
            "x.json: $.question: expected text, found a list\n"
            '    mend: write {"question": TEXT, "contexts": [TEXT], "answer": TEXT, "reference": TEXT} '
            "a line"
        ),
    ),
    (
        "rag-jsonl",
        '{"question": "a", "contexts": {"1": "x"}}',
        (
            "x.json: $.contexts: expected a list, found an object\n"
            '    mend: write {"question": TEXT, "contexts": [TEXT], "answer": TEXT, "reference": TEXT} '
            "a line"
        ),
    ),
    (
        "rag-jsonl",
        '{"question": "a", "contexts": [{"score": 1}]}',
        ('x.json: $.contexts[0]: has neither a text nor an id\n    mend: write {"id": ID, "text": TEXT}'),
    ),
    (
        "rag-jsonl",
        '{"question": "a", "contexts": [{"id": 1.5, "text": "x"}]}',
        ("x.json: $.contexts[0].id: 1.5 is a decimal number\n    mend: write ids as text or whole numbers"),
    ),
    (
        "rag-jsonl",
        '{"question": "a", "contexts": [{"id": 1, "text": "x"}, {"id": 1, "text": "y"}]}',
        ("x.json: $.contexts[1]: document 1 has another text than before\n    mend: give each text an id of its own"),
    ),
    (
        "rag-jsonl",
        '{"question": "a", "relevant_ids": "d1"}',
        (
            "x.json: $.relevant_ids: expected a list, found text\n"
            '    mend: write {"question": TEXT, "contexts": [TEXT], "answer": TEXT, "reference": TEXT} '
            "a line"
        ),
    ),
    (
        "rag-jsonl",
        '{"id": [], "question": "a"}',
        ("x.json: $.id: expected an id, found a list\n    mend: write ids as text or whole numbers"),
    ),
    (
        "rag-jsonl",
        '{"id": 1, "question": "a"}\n{"id": 1, "question": "b"}\n',
        (
            "x.json:2: the id 1 comes twice (first at x.json:1)\n"
            "    mend: give each sample an id of its own, or remove one of the two"
        ),
    ),
    (
        "rag-jsonl",
        '{"question": "a", "reference": {"text": "R"}}',
        (
            "x.json: $.reference: expected text, found an object\n"
            '    mend: write {"question": TEXT, "contexts": [TEXT], "answer": TEXT, "reference": TEXT} '
            "a line"
        ),
    ),
    (
        "rag-jsonl",
        "question\na\n",
        (
            "x.json:1: is not JSON: expecting value at column 1\n"
            "    question\n"
            '    mend: write {"question": TEXT, "contexts": [TEXT], "answer": TEXT, "reference": TEXT} '
            "a line"
        ),
    ),
]


@pytest.mark.parametrize(("format", "content", "expected"), BROKEN)
def test_a_broken_file_says_what_where_and_how_to_mend(tmp_path, format, content, expected):
    assert complain(tmp_path, format, content) == expected
