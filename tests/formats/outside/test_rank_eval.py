"""Elasticsearch's ranking evaluation API: request and answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.tables import Judgment, Topic
from formats.outside.files import claims, hits, lost, put, read, round_trip, rows, said, same_in, tricky, write

REQUEST = """{
  "requests": [
    {"id": "q1", "request": {"query": {"bool": {"must": {"match": {"title": {"query": "Käse \\"alt\\""}}}}}},
     "ratings": [{"_index": "shop", "_id": "P3", "rating": 3}, {"_index": "shop", "_id": 17, "rating": 0}]},
    {"id": "q2", "template_id": "t", "params": {"query_string": "boots", "size": 3},
     "ratings": [{"_index": "shop", "_id": "P3", "rating": 1}]}
  ],
  "templates": [{"id": "t", "template": {"source": {"query": {"match": {"title": "{{query_string}}"}}}}}],
  "metric": {"precision": {"k": 10, "ignore_unlabeled": true}}
}"""
ANSWER = """{"metric_score": 0.42, "details": {
  "q1": {"metric_score": 0.84, "unrated_docs": [{"_index": "shop", "_id": "P9"}],
         "hits": [{"hit": {"_index": "shop", "_id": "P9", "_score": 2.5}, "rating": null},
                  {"hit": {"_index": "shop", "_id": "P3", "_score": 1.5}, "rating": 3}]},
  "q2": {"metric_score": 0.0, "unrated_docs": [], "hits": []}},
 "failures": {"q3": {"error": {"type": "parsing_exception"}}}}"""


def test_a_request(tmp_path):
    got = read("rank-eval", tmp_path, "r.json", REQUEST)
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [
        ("q1", "P3", 3.0),
        ("q1", "17", 0.0),
        ("q2", "P3", 1.0),
    ]
    assert rows(got, Topic) == [("q1", 'Käse "alt"'), ("q2", "boots")]
    assert got.lost == ()
    assert "leave unrated documents out" in got.facts[0]


def test_a_request_goes_out_with_the_bodies_that_came_in(tmp_path):
    got = read("rank-eval", tmp_path, "r.json", REQUEST)
    assert write("rank-eval", got, tmp_path / "out.json") == {}
    made, first = json.loads((tmp_path / "out.json").read_text(encoding="utf-8")), json.loads(REQUEST)
    first["requests"][0]["ratings"][1]["_id"] = "17"
    assert made == first


def test_ids_of_several_indices_say_the_index(tmp_path):
    two = REQUEST.replace('"shop", "_id": 17', '"blog", "_id": "P3"')
    got = read("rank-eval", tmp_path, "r.json", two)
    assert [doc for doc, *_ in rows(got, Judgment, "doc_id")] == ["shop/P3", "blog/P3", "shop/P3"]
    assert got.facts[0].endswith("documents come from 2 indices (shop, blog), so an id is INDEX/ID")


def test_an_answer_becomes_run_and_judgments(tmp_path):
    got = read("rank-eval-answer", tmp_path, "a.json", ANSWER)
    assert hits(got, "rank_eval") == [("q1", "P9", 2.5, 1), ("q1", "P3", 1.5, 2)]
    assert got.runs["rank_eval"].empty == ("q2",)
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [("q1", "P3", 3.0)]
    assert lost(got) == {"queries that failed": 1, "values of the metric": 2}
    assert got.more["scores"] == {"q1": 0.84, "q2": 0.0}
    assert [fact.split(": ", 1)[1] for fact in got.facts] == [
        "1 of 2 returned documents had no rating; they are unjudged here, and most of its metrics count them as not "
        "relevant",
        "holds the ratings of returned documents alone; recall and nDCG need those of the request",
        "1 query failed (q3); its own mean leaves that out",
    ]


def test_hits_without_a_score_keep_their_order(tmp_path):
    got = read("rank-eval-answer", tmp_path, "a.json", ANSWER.replace("1.5", "null"), run="new")
    assert hits(got, "new") == [("q1", "P9", 1), ("q1", "P3", 2)]


def test_traps_of_text_and_encoding(tmp_path):
    round_trip("rank-eval", tricky(), tmp_path / "out.json", index="shop")
    same_in("rank-eval", REQUEST, "r.json", tmp_path)
    same_in("rank-eval-answer", ANSWER, "a.json", tmp_path)


def test_what_the_api_refuses_is_not_written(tmp_path):
    got = read("rank-eval", tmp_path, "r.json", REQUEST.replace('"rating": 1}', '"rating": 1.5}'))
    with pytest.raises(InputError, match="document P3 of query q2 has the grade"):
        write("rank-eval", got, tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(("content", "format"), [(REQUEST, "rank-eval"), (ANSWER, "rank-eval-answer")])
def test_each_file_is_claimed_by_its_own_format(tmp_path, content, format):
    assert claims(put(tmp_path, "file.json", content)) == [format]


def complain(folder: Path, format: str, content: str) -> str:
    return said(format, folder, "x.json", content)


def _one(ratings: str, more: str = "") -> str:
    return f'{{"requests": [{{"id": "q", "ratings": {ratings}{more}}}]}}'


def _hit(text: str) -> str:
    return f'{{"details": {{"q": {{"hits": [{text}]}}}}}}'


BROKEN = [
    (
        "rank-eval",
        "[]",
        (
            "x.json: $: expected an object, found a list\n"
            '    mend: write {"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, '
            '"_id": ID, "rating": 3}]}]}'
        ),
    ),
    (
        "rank-eval",
        '{"request": []}',
        (
            "x.json: $: has no key requests; did you mean request?\n"
            '    mend: write {"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, '
            '"_id": ID, "rating": 3}]}]}'
        ),
    ),
    (
        "rank-eval",
        '{"requests": [{"ratings": []}]}',
        (
            "x.json: $.requests[0]: has no key id\n"
            '    mend: write {"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, '
            '"_id": ID, "rating": 3}]}]}'
        ),
    ),
    (
        "rank-eval",
        '{"requests": [{"id": "q"}]}',
        (
            "x.json: $.requests[0]: has no key ratings\n"
            '    mend: write {"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, '
            '"_id": ID, "rating": 3}]}]}'
        ),
    ),
    (
        "rank-eval",
        _one('{"P3": 1}'),
        (
            "x.json: $.requests[0].ratings: expected a list, found an object\n"
            '    mend: write {"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, '
            '"_id": ID, "rating": 3}]}]}'
        ),
    ),
    (
        "rank-eval",
        _one('[{"_index": "s", "rating": 1}]'),
        (
            "x.json: $.requests[0].ratings[0]: has no key _id; did you mean _index?\n"
            '    mend: write {"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, '
            '"_id": ID, "rating": 3}]}]}'
        ),
    ),
    (
        "rank-eval",
        _one('[{"_index": "s", "_id": "P3"}]'),
        (
            "x.json: $.requests[0].ratings[0]: has no key rating\n"
            '    mend: write {"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, '
            '"_id": ID, "rating": 3}]}]}'
        ),
    ),
    (
        "rank-eval",
        _one('[{"_index": "s", "_id": "P3", "rating": "high"}]'),
        (
            "x.json: $.requests[0].ratings[0]: the grade 'high' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "rank-eval",
        _one('[{"_index": "s", "_id": 1e3, "rating": 1}]'),
        ("x.json: $.requests[0].ratings[0]._id: 1e3 is a decimal number\n    mend: write ids as text or whole numbers"),
    ),
    (
        "rank-eval",
        _one('[{"_index": 5, "_id": "P3", "rating": 1}]'),
        (
            "x.json: $.requests[0].ratings[0]._index: expected text, found the number 5\n"
            '    mend: write {"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, '
            '"_id": ID, "rating": 3}]}]}'
        ),
    ),
    (
        "rank-eval",
        _one('[{"_id": "a", "rating": 1}, {"_id": "a", "rating": 2}]'),
        (
            "x.json: $.requests[0].ratings[1]: document a of query q is judged 2, and 1 at x.json: "
            "$.requests[0].ratings[0]\n"
            "    mend: keep one of the two"
        ),
    ),
    (
        "rank-eval",
        '{"requests": [{"id": "q", "ratings": []}, {"id": "q", "ratings": []}]}',
        (
            "x.json: $.requests[1]: query_id q appears twice (first at x.json: $.requests[0])\n"
            "    mend: remove one of the two"
        ),
    ),
    (
        "rank-eval",
        _one("[", ""),
        (
            "x.json:1: is not JSON: expecting value at column 39\n"
            '    {"requests": [{"id": "q", "ratings": [}]}\n'
            '    mend: write {"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, '
            '"_id": ID, "rating": 3}]}]}'
        ),
    ),
    (
        "rank-eval-answer",
        "{}",
        (
            "x.json: $: has no key details\n"
            '    mend: write {"details": {QUERY_ID: {"hits": [{"hit": {"_index": NAME, "_id": ID, '
            '"_score": 1.5}, "rating": 3}]}}}'
        ),
    ),
    (
        "rank-eval-answer",
        '{"details": []}',
        (
            "x.json: $.details: expected an object, found a list\n"
            '    mend: write {"details": {QUERY_ID: {"hits": [{"hit": {"_index": NAME, "_id": ID, '
            '"_score": 1.5}, "rating": 3}]}}}'
        ),
    ),
    (
        "rank-eval-answer",
        '{"details": {"q": {"hit": []}}}',
        (
            "x.json: $.details.q: has no key hits; did you mean hit?\n"
            '    mend: write {"details": {QUERY_ID: {"hits": [{"hit": {"_index": NAME, "_id": ID, '
            '"_score": 1.5}, "rating": 3}]}}}'
        ),
    ),
    (
        "rank-eval-answer",
        '{"details": {"q": {"hits": {}}}}',
        (
            "x.json: $.details.q.hits: expected a list, found an object\n"
            '    mend: write {"details": {QUERY_ID: {"hits": [{"hit": {"_index": NAME, "_id": ID, '
            '"_score": 1.5}, "rating": 3}]}}}'
        ),
    ),
    (
        "rank-eval-answer",
        _hit('{"_id": "d"}'),
        (
            "x.json: $.details.q.hits[0]: has no key hit\n"
            '    mend: write {"details": {QUERY_ID: {"hits": [{"hit": {"_index": NAME, "_id": ID, '
            '"_score": 1.5}, "rating": 3}]}}}'
        ),
    ),
    (
        "rank-eval-answer",
        _hit('{"hit": {"id": "d"}}'),
        (
            "x.json: $.details.q.hits[0].hit: has no key _id; did you mean id?\n"
            '    mend: write {"details": {QUERY_ID: {"hits": [{"hit": {"_index": NAME, "_id": ID, '
            '"_score": 1.5}, "rating": 3}]}}}'
        ),
    ),
    (
        "rank-eval-answer",
        _hit('{"hit": {"_id": "d", "_score": "high"}}'),
        ("x.json: $.details.q.hits[0].hit: score 'high' is not a number\n    mend: write a number as the score"),
    ),
    (
        "rank-eval-answer",
        _hit('{"hit": {"_id": "d", "_score": NaN}}'),
        ("x.json: $.details.q.hits[0].hit: score is NaN\n    mend: give every row a score, or leave the row out"),
    ),
    (
        "rank-eval-answer",
        _hit('{"hit": {"_id": "d", "_score": 1}, "rating": {}}'),
        ("x.json: $.details.q.hits[0]: grade {} is not a number\n    mend: write a number as the grade"),
    ),
    (
        "rank-eval-answer",
        '{"details": {"q": {"hits": []}}, "failures": ["q2"]}',
        (
            "x.json: $.failures: expected an object, found a list\n"
            '    mend: write {"details": {QUERY_ID: {"hits": [{"hit": {"_index": NAME, "_id": ID, '
            '"_score": 1.5}, "rating": 3}]}}}'
        ),
    ),
    (
        "rank-eval-answer",
        '{"details": {"q": {"hits": []}, "q": {"hits": []}}}',
        ("x.json: $.details: the key q appears twice\n    mend: write each key once"),
    ),
]


@pytest.mark.parametrize(("format", "content", "expected"), BROKEN)
def test_a_broken_file_says_what_where_and_how_to_mend(tmp_path, format, content, expected):
    assert complain(tmp_path, format, content) == expected
