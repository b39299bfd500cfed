"""Ratings of the Rated Ranking Evaluator, in both of its shapes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.tables import Judgment, Topic
from formats.outside.files import claims, lost, put, read, round_trip, rows, said, same_in, tricky, write

NESTED = """{"index": "shop", "id_field": "sku", "topics": [
  {"description": "Jackets", "query_groups": [
    {"name": "rain", "queries": [
       {"template": "t.json", "placeholders": {"$query": "rain jacket", "$lang": "en"}},
       {"template": "t.json", "placeholders": {"$query": "Regenjacke größe M"}}],
     "relevant_documents": {"P3": {"gain": 3}, "P4": {"rating": 0}, "P5": {}}}]},
  {"description": "Boots", "query_groups": [
    {"name": "boots", "queries": [{"placeholders": {"$query": "boots"}}],
     "relevant_documents": {"2": ["P9", 10], "1": ["P1"]}}]}
]}"""
FLAT = """{"id_field": "id", "index": "shop", "template": "t.json", "queries": [
  {"placeholders": {"$query": "boots"}, "relevant_documents": {"P1": {"gain": 3}, "P2": {"gain": 0}}},
  {"placeholders": {"$query": "socks"}, "relevant_documents": {}}]}"""


def test_topics_and_groups(tmp_path):
    got = read("rre", tmp_path, "r.json", NESTED)
    assert rows(got, Topic, "query_id", "intent", "topic") == [
        ("rain jacket", "rain", "Jackets"), ("Regenjacke größe M", "rain", "Jackets"), ("boots", "boots", "Boots"),
    ]  # fmt: skip
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [
        ("rain jacket", "P3", 3.0), ("rain jacket", "P4", 0.0),
        ("Regenjacke größe M", "P3", 3.0), ("Regenjacke größe M", "P4", 0.0),
        ("boots", "P9", 2.0), ("boots", "10", 2.0), ("boots", "P1", 1.0),
    ]  # fmt: skip
    assert lost(got) == {"further placeholders": 1, "documents without a gain": 2}


def test_the_flat_shape(tmp_path):
    got = read("rre", tmp_path, "r.json", FLAT)
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [("boots", "P1", 3.0), ("boots", "P2", 0.0)]
    assert rows(got, Topic, "query_id") == [("boots",), ("socks",)]


def test_queries_of_one_group_are_one_group_again(tmp_path):
    got = read("rre", tmp_path, "r.json", NESTED)
    assert write("rre", got, tmp_path / "out.json") == {}
    made = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    (group,) = made["topics"][0]["query_groups"]
    assert [query["placeholders"]["$query"] for query in group["queries"]] == ["rain jacket", "Regenjacke größe M"]
    assert group["relevant_documents"] == {"P3": {"gain": 3}, "P4": {"gain": 0}}
    again = read("rre", tmp_path, "again.json", json.dumps(made))
    assert (rows(again, Judgment), rows(again, Topic)) == (rows(got, Judgment), rows(got, Topic))


def test_one_text_in_two_groups_stays_two_queries(tmp_path):
    got = read("rre", tmp_path, "r.json", NESTED.replace('"Regenjacke größe M"', '"boots"'))
    assert [query for (query,) in rows(got, Topic, "query_id")] == ["rain jacket", "boots", "boots: boots"]
    assert "1 query has the text of another one" in got.facts[0]


def test_traps_of_text_and_encoding(tmp_path):
    round_trip("rre", tricky(texts=False), tmp_path / "out.json", without={Topic: ("intent", "topic")})
    same_in("rre", NESTED, "r.json", tmp_path)


@pytest.mark.parametrize("content", [NESTED, FLAT])
def test_each_shape_is_claimed(tmp_path, content):
    assert claims(put(tmp_path, "file.json", content)) == ["rre"]


def complain(folder: Path, content: str) -> str:
    return said("rre", folder, "x.json", content)


def _one(docs: str) -> str:
    return f'{{"queries": [{{"placeholders": {{"$query": "a"}}, "relevant_documents": {docs}}}]}}'


BROKEN = [
    (
        "{}",
        (
            "x.json: $: has no key queries or query_groups or topics\n"
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
    (
        '{"topics": {}}',
        (
            "x.json: $.topics: expected a list, found an object\n"
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
    (
        '{"topics": [{"description": "a"}]}',
        (
            "x.json: $.topics[0]: has no key queries or query_groups\n"
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
    (
        '{"queries": [{"placeholder": {"$query": "a"}}]}',
        (
            "x.json: $.queries[0]: has no key placeholders; did you mean placeholder?\n"
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
    (
        '{"queries": [{"placeholders": {"$q": "a", "$lang": "b"}}]}',
        (
            "x.json: $.queries[0].placeholders: has no key $query\n"
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
    (
        '{"queries": [{"placeholders": {"$query": 7}}]}',
        (
            "x.json: $.queries[0].placeholders.$query: expected text, found the number 7\n"
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
    (
        '{"queries": [{"placeholders": {"$query": " "}}]}',
        (
            "x.json: $.queries[0].placeholders.$query: the query is blank\n"
            "    mend: leave the query out, or write its text"
        ),
    ),
    (
        _one('["P1"]'),
        (
            "x.json: $.queries[0].relevant_documents: expected an object, found a list\n"
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
    (
        _one('{"P1": 3}'),
        (
            "x.json: $.queries[0].relevant_documents.P1: expected an object, found the number 3\n"
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
    (
        _one('{"P1": {"gain": "best"}}'),
        (
            "x.json: $.queries[0].relevant_documents.P1.gain: the grade 'best' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        _one('{"P1": {"gain": 1}, "P1": {"gain": 2}}'),
        ("x.json: $.queries[0].relevant_documents: the key P1 appears twice\n    mend: write each key once"),
    ),
    (
        _one('{"3": ["P1"], "2": ["P1"]}'),
        (
            'x.json: $.queries[0].relevant_documents["2"][0]: document P1 of query a is judged 2, and '
            '3 at x.json: $.queries[0].relevant_documents["3"][0]\n'
            "    mend: keep one of the two"
        ),
    ),
    (
        _one('{"3": ["P1"], "2": {"gain": 1}}'),
        (
            'x.json: $.queries[0].relevant_documents["2"]: expected a list, found an object\n'
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
    (
        _one('{"3": [1.5]}'),
        (
            'x.json: $.queries[0].relevant_documents["3"][0]: 1.5 is a decimal number\n'
            "    mend: write ids as text or whole numbers"
        ),
    ),
    (
        _one('{"3": ["P1"'),
        (
            "x.json:1: is not JSON: expecting ',' delimiter at column 81\n"
            '    {"queries": [{"placeholders": {"$query": "a"}, "relevant_documents": {"3": ["P1"}]}\n'
            '    mend: write {"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": '
            '{ID: {"gain": 3}}}]}'
        ),
    ),
]


@pytest.mark.parametrize(("content", "expected"), BROKEN)
def test_a_broken_file_says_what_where_and_how_to_mend(tmp_path, content, expected):
    assert complain(tmp_path, content) == expected
