"""Label Studio's two JSON exports, and judgments made of clicks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.formats.carried import Carried
from assay.tables import Document, Judgment, Pair, Topic
from formats.outside.files import claims, lost, put, read, round_trip, rows, said, same_in, tricky, write
from formats.outside.harness import block

EXPORT = """[
 {"id": 1, "data": {"query": "größe \\"38\\"", "doc_id": 77, "text": "Boots, warm.", "shop": "de"}, "predictions": [],
  "annotations": [
   {"id": 10, "completed_by": {"id": 1, "email": "a@example.org"}, "was_cancelled": false, "lead_time": 12.5,
    "updated_at": "2026-03-01T10:00:00Z", "ground_truth": true,
    "result": [{"id": "x", "from_name": "grade", "to_name": "doc", "type": "choices",
     "value": {"choices": ["Relevant"]}},
               {"id": "y", "from_name": "why", "to_name": "doc", "type": "textarea", "value": {"text": ["warm"]}}]},
   {"id": 11, "completed_by": 2, "was_cancelled": false, "lead_time": 3.5,
    "result": [{"from_name": "grade", "type": "choices", "value": {"choices": ["Not relevant"]}}]},
   {"id": 12, "completed_by": 3, "was_cancelled": true, "result": []}]},
 {"id": 2, "data": {"query": "größe \\"38\\"", "doc_id": "B2"}, "annotations": []}]"""
STARS = """[{"id": 1, "data": {"query": "a", "doc_id": "d"}, "annotations": [
 {"completed_by": 1, "result": [{"from_name": "stars", "type": "rating", "value": {"rating": 3}}]},
 {"completed_by": 2, "result": [{"from_name": "stars", "type": "rating", "value": {"rating": 1}}]}]}]"""
MIN = """[{"id": 1, "query": "a", "doc_id": "d", "text": "t", "rating": 4, "annotator": 1, "annotation_id": 5,
  "created_at": "2026-03-01T10:00:00Z", "updated_at": "2026-03-02T10:00:00Z", "lead_time": 2.5},
 {"id": 2, "query": "a", "doc_id": "e", "annotator": 1, "annotation_id": 6, "created_at": "2026-03-01T10:00:00Z"}]"""
CLICKS = """{"id": "1", "user_query": "größe", "document": "B1", "judgment": 0.85, "judgment_set_id": "s1",
 "judgment_set_type": "implicit", "judgment_set_generator": "coec", "timestamp": "2026-03-01T00:00:00Z"}
{"id": "2", "user_query": "größe", "document": 12345678901234567890, "judgment": "2.385", "judgment_set_id": "s1"}
""".replace(",\n ", ", ")


def test_each_annotator_is_a_rater(tmp_path):
    got = read("label-studio", tmp_path, "e.json", EXPORT, labels="yes-no")
    assert rows(got, Judgment, "query_id", "doc_id", "grade", "rater", "source", "judged_at") == [
        ('größe "38"', "77", 1.0, "a@example.org", "human", "2026-03-01T10:00:00Z"),
        ('größe "38"', "77", 0.0, "2", "human", None),
    ]  # fmt: skip
    assert rows(got, Pair, "query_id", "doc_id") == [('größe "38"', "B2")]
    assert rows(got, Document) == [("77", "", "Boots, warm.")]
    assert lost(got) == {
        "shop of tasks": 1,
        "textarea answers": 1,
        "marks of ground truth": 1,
        "skipped annotations": 1,
    }
    assert got.facts[0].endswith("half of the labels took 8.0 s or less; assay's tables have no place for single times")


def test_a_time_that_is_no_number_is_no_time(tmp_path):
    got = read(
        "label-studio", tmp_path, "e.json", STARS.replace('"completed_by": 1,', '"completed_by": 1, "lead_time": {},')
    )
    assert (len(got.tables[Judgment]), got.facts) == (2, ())


def test_ratings_are_grades_as_they_are(tmp_path):
    got = read("label-studio", tmp_path, "e.json", STARS)
    assert rows(got, Judgment, "grade", "rater") == [(3.0, "1"), (1.0, "2")]


def test_tasks_go_out_and_come_back_with_their_raters(tmp_path):
    got = read("label-studio", tmp_path, "e.json", EXPORT, labels="yes-no")
    gone = write("label-studio", got, tmp_path / "out.json")
    assert {what: one.count for what, one in gone.items()} == {"judged_at of judgments": 1}
    again = read("label-studio", tmp_path, "again.json", (tmp_path / "out.json").read_bytes())
    assert sorted(rows(again, Judgment, "query_id", "doc_id", "grade", "rater")) == sorted(
        rows(got, Judgment, "query_id", "doc_id", "grade", "rater")
    )
    assert rows(again, Pair) == rows(got, Pair)


def test_a_queue_of_pairs_becomes_tasks_that_show_no_system(tmp_path):
    tables = {
        Pair: block(Pair, {"query_id": "q1", "doc_id": "d1", "order": 1, "reason": "pool"}),
        Topic: block(Topic, {"query_id": "q1", "text": "boots"}),
        Document: block(Document, {"doc_id": "d1", "title": "T", "text": "b"}),
    }
    gone = write("label-studio", Carried("x", tables), tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == [
        {"data": {"doc_id": "d1", "title": "T", "text": "b", "query_id": "q1", "query": "boots"}, "annotations": []}
    ]
    assert set(gone) == {"order of pairs", "reason of pairs"}


def test_flat_objects(tmp_path):
    got = read("label-studio-min", tmp_path, "e.json", MIN, labels="1..5")
    assert rows(got, Judgment, "query_id", "doc_id", "grade", "rater", "judged_at") == [
        ("a", "d", 3.0, "1", "2026-03-02T10:00:00Z")
    ]
    assert lost(got) == {"annotations without a grade": 1}


def test_judgments_made_of_clicks_say_so(tmp_path):
    got = read("ubi-judgments", tmp_path, "j.ndjson", CLICKS)
    assert rows(got, Judgment, "query_id", "doc_id", "grade", "source") == [
        ("größe", "B1", 0.85, "clicks"), ("größe", "12345678901234567890", 2.385, "clicks"),
    ]  # fmt: skip
    assert "their source is clicks, not a human" in got.facts[0]


def test_traps_of_text_and_encoding(tmp_path):
    round_trip("label-studio", tricky(), tmp_path / "out.json",
               without={Judgment: ("rater", "source"), Topic: ()}, only=[Judgment, Topic])  # fmt: skip
    same_in("label-studio", STARS, "e.json", tmp_path)
    same_in("label-studio-min", MIN, "e.json", tmp_path)
    same_in("ubi-judgments", CLICKS, "e.ndjson", tmp_path)


@pytest.mark.parametrize(("content", "format"), [
    (EXPORT, "label-studio"), (MIN, "label-studio-min"), (CLICKS, "ubi-judgments"),
])  # fmt: skip
def test_each_file_is_claimed_by_its_own_format(tmp_path, content, format):
    assert claims(put(tmp_path, "file.json", content)) == [format]


def complain(folder: Path, format: str, content: str, options: dict[str, str]) -> str:
    return said(format, folder, "x.json", content, **options)


def _task(annotations: str, data: str = '{"query": "a", "doc_id": "d"}') -> str:
    return f'[{{"data": {data}, "annotations": [{annotations}]}}]'


def _answer(kind: str, value: str, more: str = "") -> str:
    one = f'{{"from_name": "g", "type": "{kind}", "value": {{"{kind}": {value}}}}}'
    return f'{{"completed_by": 1, "result": [{one}{more}]}}'


def _flat(text: str) -> str:
    return f'[{{"query": "a", "doc_id": "d", "annotator": 1, {text}}}]'


BROKEN = [
    (
        "label-studio",
        _task("null"),
        {},
        (
            "x.json: $[0].annotations[0]: expected an object, found null\n"
            '    mend: write [{"data": {"query": TEXT, "doc_id": ID}, "annotations": [{"completed_by": '
            '1, "result": [...]}]}]'
        ),
    ),
    (
        "label-studio",
        "[1]",
        {},
        (
            "x.json: $[0]: expected an object, found the number 1\n"
            '    mend: write [{"data": {"query": TEXT, "doc_id": ID}, "annotations": [{"completed_by": '
            '1, "result": [...]}]}]'
        ),
    ),
    (
        "label-studio",
        '[{"id": 1, "annotations": []}]',
        {},
        (
            "x.json: $[0]: has no key data\n"
            '    mend: write [{"data": {"query": TEXT, "doc_id": ID}, "annotations": [{"completed_by": '
            '1, "result": [...]}]}]'
        ),
    ),
    (
        "label-studio",
        _task("", '{"prompt": "a", "doc_id": "d"}'),
        {},
        (
            "x.json: $[0].data: has no field for the query among prompt, doc_id\n"
            "    mend: name it by --option query=FIELD"
        ),
    ),
    (
        "label-studio",
        _task("", '{"query": "a", "url": "d"}'),
        {},
        (
            "x.json: $[0].data: has no field for the document's id among query, url\n"
            "    mend: name it by --option doc=FIELD"
        ),
    ),
    (
        "label-studio",
        _task("", '{"query": " ", "doc_id": "d"}'),
        {},
        ("x.json: $[0].data: the query is blank\n    mend: leave the task out, or write its query"),
    ),
    (
        "label-studio",
        _task("", '{"query": "a", "doc_id": 1.5}'),
        {},
        ("x.json: $[0].data.doc_id: 1.5 is a decimal number\n    mend: write ids as text or whole numbers"),
    ),
    (
        "label-studio",
        _task('{"completed_by": 1}'),
        {},
        (
            "x.json: $[0].annotations[0]: has no key result\n"
            '    mend: write [{"data": {"query": TEXT, "doc_id": ID}, "annotations": [{"completed_by": '
            '1, "result": [...]}]}]'
        ),
    ),
    (
        "label-studio",
        _task(_answer("choices", '["Good"]')),
        {},
        (
            "x.json: $[0].annotations[0].result[0].value.choices[0]: the grade 'Good' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "label-studio",
        _task(_answer("choices", '["1", "2"]')),
        {},
        (
            "x.json: $[0].annotations[0]: holds 2 grades\n"
            "    mend: let people choose one, or name the control by --option grade=NAME"
        ),
    ),
    (
        "label-studio",
        _task(_answer("rating", "3") + "," + _answer("rating", "2")),
        {},
        (
            "x.json: $[0].annotations[1].result[0].value.rating: document d of query a is judged 2, "
            "and 3 at x.json: $[0].annotations[0].result[0].value.rating\n"
            "    mend: keep one of the two"
        ),
    ),
    (
        "label-studio",
        _task(_answer("rating", "3", ', {"from_name": "h", "type": "rating", "value": {"rating": 1}}')),
        {},
        (
            "x.json: $[0].annotations[0]: holds 2 grades\n"
            "    mend: let people choose one, or name the control by --option grade=NAME"
        ),
    ),
    (
        "label-studio",
        _task(_answer("rating", "{}")),
        {},
        (
            "x.json: $[0].annotations[0].result[0].value.rating: grade {} is not a number\n"
            "    mend: write a number as the grade"
        ),
    ),
    (
        "label-studio",
        '[{"data": {"query": "a", "doc_id": "d"}, "annotations": [}]',
        {},
        (
            "x.json:1: is not JSON: expecting value at column 58\n"
            '    [{"data": {"query": "a", "doc_id": "d"}, "annotations": [}]\n'
            '    mend: write [{"data": {"query": TEXT, "doc_id": ID}, "annotations": [{"completed_by": '
            '1, "result": [...]}]}]'
        ),
    ),
    (
        "label-studio-min",
        '["a"]',
        {},
        (
            "x.json: $[0]: expected an object, found text\n"
            '    mend: write [{"query": TEXT, "doc_id": ID, "grade": 3, "annotator": 1}]'
        ),
    ),
    (
        "label-studio-min",
        '[{"doc_id": "d", "annotator": 1}]',
        {},
        ("x.json: $[0]: has no field for the query among doc_id, annotator\n    mend: name it by --option query=FIELD"),
    ),
    (
        "label-studio-min",
        '[{"query": "a", "annotator": 1}]',
        {},
        (
            "x.json: $[0]: has no field for the document's id among query, annotator\n"
            "    mend: name it by --option doc=FIELD"
        ),
    ),
    (
        "label-studio-min",
        _flat('"grade": "Good"'),
        {},
        (
            "x.json: $[0].grade: the grade 'Good' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "label-studio-min",
        _flat('"grade": {"choices": ["a", "b"]}'),
        {},
        ("x.json: $[0].grade: holds several answers, or none\n    mend: let people choose one grade"),
    ),
    (
        "label-studio-min",
        _flat('"grade": 1, "rating": 2'),
        {},
        (
            "x.json: $[0]: has several fields that could be the grade: grade, rating\n"
            "    mend: name one by --option grade=FIELD"
        ),
    ),
    (
        "label-studio-min",
        _flat('"grade": true'),
        {},
        ("x.json: $[0]: grade is true, not a number\n    mend: write 1 and 0"),
    ),
    (
        "label-studio-min",
        _flat('"query_id": 1.5, "grade": 1'),
        {},
        ("x.json: $[0].query_id: 1.5 is a decimal number\n    mend: write ids as text or whole numbers"),
    ),
    (
        "label-studio-min",
        _flat('"grade": 1')[:-1] + "," + _flat('"grade": 2')[1:],
        {},
        ("x.json: $[1]: document d of query a is judged 2, and 1 at x.json: $[0]\n    mend: keep one of the two"),
    ),
    (
        "label-studio-min",
        _flat('"text": "x", "grade": 1')[:-1] + "," + _flat('"text": "y", "grade": 2')[1:],
        {},
        ("x.json: $[1]: document d has another text than before\n    mend: give each its own id"),
    ),
    (
        "label-studio-min",
        _flat('"grade": 1')[:-1],
        {},
        (
            "x.json:1: is not JSON: expecting ',' delimiter at column 59\n"
            '    [{"query": "a", "doc_id": "d", "annotator": 1, "grade": 1}\n'
            '    mend: write [{"query": TEXT, "doc_id": ID, "grade": 3, "annotator": 1}]'
        ),
    ),
    (
        "ubi-judgments",
        "3",
        {},
        (
            "x.json: $: expected an object, found the number 3\n"
            '    mend: write {"user_query": TEXT, "document": ID, "judgment": 0.85} a line'
        ),
    ),
    (
        "ubi-judgments",
        '{"document": "d", "judgment": 1}',
        {},
        (
            "x.json: $: has no key user_query or query\n"
            '    mend: write {"user_query": TEXT, "document": ID, "judgment": 0.85} a line'
        ),
    ),
    (
        "ubi-judgments",
        '{"user_query": "a", "judgment": 1}',
        {},
        (
            "x.json: $: has no key document or document_id or docid or doc_id\n"
            '    mend: write {"user_query": TEXT, "document": ID, "judgment": 0.85} a line'
        ),
    ),
    (
        "ubi-judgments",
        '{"user_query": "a", "document": "d"}',
        {},
        (
            "x.json: $: has no key judgment or rating\n"
            '    mend: write {"user_query": TEXT, "document": ID, "judgment": 0.85} a line'
        ),
    ),
    (
        "ubi-judgments",
        '{"user_query": 3, "document": "d", "judgment": 1}',
        {},
        (
            "x.json: $.user_query: expected text, found the number 3\n"
            '    mend: write {"user_query": TEXT, "document": ID, "judgment": 0.85} a line'
        ),
    ),
    (
        "ubi-judgments",
        '{"user_query": "a", "document": [], "judgment": 1}',
        {},
        ("x.json: $.document: expected an id, found a list\n    mend: write ids as text or whole numbers"),
    ),
    (
        "ubi-judgments",
        '{"user_query": "a", "document": "d", "judgment": NaN}',
        {},
        ("x.json: $: grade is NaN\n    mend: give every row a grade, or leave the row out"),
    ),
    (
        "ubi-judgments",
        '{"user_query": "a", "document": "d", "judgment": "often"}',
        {},
        (
            "x.json: $: the grade 'often' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "ubi-judgments",
        CLICKS + CLICKS.replace("0.85", "0.5"),
        {},
        ("x.json:3: document B1 of query größe is judged 0.5, and 0.85 at x.json:1\n    mend: keep one of the two"),
    ),
    (
        "ubi-judgments",
        CLICKS.replace('"s1"', '"s2"', 1),
        {},
        ("x.json: holds 2 judgment sets\n    mend: choose one by --option set=ID: s2, s1"),
    ),
    ("ubi-judgments", CLICKS, {"set": "s9"}, ("x.json: has no judgment set s9\n    mend: the sets are s1")),
]


@pytest.mark.parametrize(("format", "content", "options", "expected"), BROKEN)
def test_a_broken_file_says_what_where_and_how_to_mend(tmp_path, format, content, options, expected):
    assert complain(tmp_path, format, content, options) == expected
