"""OpenSearch's Search Relevance Workbench: judgment lists, query sets, experiment results."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from assay.tables import Answer, Judgment, Topic
from formats.outside.files import claims, hits, lost, put, read, round_trip, rows, said, same_in, tricky, write

SENT = """{
  "name": "ESCI", "description": "made by people", "type": "IMPORT_JUDGMENT",
  "judgmentRatings": [
    {"query": "red \\"dress\\", größe 38", "ratings": [{"docId": "B1", "rating": "3.000"},
      {"docId": 77, "rating": "0"}]},
    {"query": "boots", "ratings": []}
  ]
}"""
STORED = """{"took": 3, "hits": {"total": {"value": 2}, "hits": [{"_id": "j-1", "_source": {
  "id": "j-1", "timestamp": "2026-03-01T00:00:00.000Z", "name": "by a model", "type": "LLM_JUDGMENT",
  "status": "COMPLETED", "metadata": {"modelId": "m"}, "judgmentRatings": [
    {"query": "boots", "ratings": {"B1": 0.75, "B2": {"rating": "0.5"}, "B3": null}, "failures": [{"docId": "B9"}]}
  ]}}]}}"""
QUERIES = """{"name": "top", "sampling": "manual", "querySetQueries": [
  {"queryText": "boots", "referenceAnswer": "Shoes above the ankle.", "segment": "head"},
  {"queryText": "socks#\\nWorn in shoes."}, {"queryText": "boots"}]}"""
PAIRWISE = """{"id": "e1", "type": "PAIRWISE_COMPARISON", "status": "COMPLETED", "querySetId": "s", "results": [
  {"queryText": "boots", "metrics": [{"metric": "jaccard", "value": 0.5}], "snapshots": [
    {"searchConfigurationId": "base", "docIds": ["B2", "B1"]}, {"searchConfigurationId": "new", "docIds": []}]}]}"""
POINTWISE = """{"searchConfigurationId": "base", "searchText": "boots", "documentIds": ["B2", "B1"],
 "metrics": [{"metric": "NDCG@8", "value": 0.61}, {"metric": "MAP@8", "value": 0.5}]}"""


def test_a_judgment_list_as_it_is_sent(tmp_path):
    got = read("srw-judgments", tmp_path, "j.json", SENT)
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [
        ('red "dress", größe 38', "B1", 3.0),
        ('red "dress", größe 38', "77", 0.0),
    ]
    assert rows(got, Topic, "query_id") == [('red "dress", größe 38',), ("boots",)]
    assert got.more["name"] == "ESCI"
    assert got.lost == ()
    assert got.tables[Judgment].place(1) == f"{tmp_path}/j.json: $.judgmentRatings[0].ratings[1]"


def test_a_stored_list_with_its_ratings_in_a_map(tmp_path):
    got = read("srw-judgments", tmp_path, "j.json", STORED)
    assert rows(got, Judgment, "doc_id", "grade", "source") == [("B1", 0.75, "model"), ("B2", 0.5, "model")]
    assert lost(got) == {"documents without a rating": 1, "documents that could not be rated": 1}
    assert got.facts == (
        f"{tmp_path}/j.json: the search answer holds 1 of 2 stored objects",
        f"{tmp_path}/j.json: the ratings are of the kind LLM_JUDGMENT, so their source is model, not a human",
    )


def test_a_judgment_list_goes_out_and_comes_back(tmp_path):
    got = read("srw-judgments", tmp_path, "j.json", SENT)
    assert {what: one.count for what, one in write("srw-judgments", got, tmp_path / "out.json").items()} == {
        "queries without judgments": 1
    }
    made = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert made["name"] == "ESCI"
    assert made["judgmentRatings"][0]["ratings"] == [{"docId": "B1", "rating": "3"}, {"docId": "77", "rating": "0"}]
    again = read("srw-judgments", tmp_path, "again.json", (tmp_path / "out.json").read_text(encoding="utf-8"))
    assert rows(again, Judgment) == rows(got, Judgment)


def test_traps_of_text_and_encoding(tmp_path):
    round_trip("srw-judgments", tricky(texts=False), tmp_path / "out.json")
    round_trip("srw-queries", tricky(texts=False), tmp_path / "q.json", only=[Topic])
    same_in("srw-judgments", SENT, "j.json", tmp_path)
    same_in("srw-queries", '{"queryText": "größe"}\n{"queryText": "b"}\n', "q.ndjson", tmp_path)
    same_in("srw-experiment", PAIRWISE, "e.json", tmp_path)


def test_a_query_set_with_references_and_segments(tmp_path):
    got = read("srw-queries", tmp_path, "q.json", QUERIES)
    assert rows(got, Topic, "query_id", "text", "segment") == [("boots", "boots", "head"), ("socks", "socks", None)]
    assert rows(got, Answer) == [("boots", "Shoes above the ankle."), ("socks", "Worn in shoes.")]
    assert lost(got) == {"queries that come again": 1}
    assert "1 query with the answer behind" in got.facts[0]


@pytest.mark.parametrize("name", ["out.ndjson", "out.json"])
def test_a_query_set_goes_out_and_comes_back(tmp_path, name):
    got = read("srw-queries", tmp_path, "q.json", QUERIES)
    write("srw-queries", got, tmp_path / name)
    again = read("srw-queries", tmp_path, "again", (tmp_path / name).read_bytes())
    assert rows(again, Topic) == rows(got, Topic)
    assert rows(again, Answer) == rows(got, Answer)


def test_snapshots_become_runs(tmp_path):
    got = read("srw-experiment", tmp_path, "e.json", PAIRWISE)
    assert hits(got, "base") == [("boots", "B2", 1), ("boots", "B1", 2)]
    assert (len(got.runs["new"]), got.runs["new"].empty) == (0, ("boots",))
    assert lost(got) == {"values of overlap": 1}


def test_stored_evaluations_become_a_run_of_each_configuration(tmp_path):
    two = POINTWISE.replace("\n", " ") + "\n" + POINTWISE.replace("\n", " ").replace("base", "new") + "\n"
    got = read("srw-experiment", tmp_path, "e.ndjson", two)
    assert hits(got, "new") == [("boots", "B2", 1), ("boots", "B1", 2)]
    assert lost(got) == {"values of measures": 4}


def test_no_values_are_no_loss(tmp_path):
    content = '[{"searchText": "boots", "documentIds": ["a"], "judgmentIds": [], "metrics": []}]'
    assert lost(read("srw-experiment", tmp_path, "e.json", content)) == {}


def test_an_experiment_that_only_names_its_results_says_so(tmp_path):
    text = '{"querySetId": "s", "searchConfigurationList": ["c"], "results": [{"evaluationId": "x", "queryText": "a"}]}'
    got = read("srw-experiment", tmp_path, "e.json", text)
    assert got.runs == {}
    assert lost(got) == {"results that are only named": 1}
    assert "holds no documents" in got.facts[0]


@pytest.mark.parametrize(
    ("content", "format"),
    [(SENT, "srw-judgments"), (STORED, "srw-judgments"), (QUERIES, "srw-queries"), (PAIRWISE, "srw-experiment"),
     (POINTWISE, "srw-experiment"), ('{"queryText": "a"}\n{"queryText": "b"}\n', "srw-queries")],
)  # fmt: skip
def test_each_file_is_claimed_by_its_own_format(tmp_path, content, format):
    assert claims(put(tmp_path, "file.json", content)) == [format]


@pytest.mark.shared
def test_the_esci_list_of_the_workbench(shared, tmp_path):
    folder = shared / "data/collections/esci_ubi"
    packed = (folder / "esci_us_judgments.json.gz").read_bytes()
    got = read(
        "srw-judgments", tmp_path, "j.json", packed, labels="{100:3,10:2,1:1,0:0,100.000:3,10.000:2,1.000:1,0.000:0}"
    )
    raw = json.loads(gzip.decompress(packed))
    assert len(got.tables[Judgment]) == sum(len(entry["ratings"]) for entry in raw["judgmentRatings"]) == 6678
    assert set(rows(got, Judgment, "grade")) == {(3.0,), (2.0,), (1.0,), (0.0,)}
    assert len(read("srw-queries", tmp_path, "q", (folder / "esci_us_queryset.json").read_bytes()).tables[Topic]) == 150


def complain(folder: Path, format: str, content: str) -> str:
    return said(format, folder, "x.json", content)


def _list(entry: str) -> str:
    return f'{{"judgmentRatings": [{entry}]}}'


BROKEN = [
    (
        "srw-judgments",
        "{}",
        (
            "x.json: $: has no key judgmentRatings\n"
            '    mend: write {"judgmentRatings": [{"query": TEXT, "ratings": [{"docId": ID, "rating": '
            '"3.0"}]}]}'
        ),
    ),
    (
        "srw-judgments",
        '{"judgmentRatings": {"boots": 1}}',
        (
            "x.json: $.judgmentRatings: expected a list, found an object\n"
            '    mend: write {"judgmentRatings": [{"query": TEXT, "ratings": [{"docId": ID, "rating": '
            '"3.0"}]}]}'
        ),
    ),
    (
        "srw-judgments",
        _list('{"ratings": []}'),
        (
            "x.json: $.judgmentRatings[0]: has no key query\n"
            '    mend: write {"judgmentRatings": [{"query": TEXT, "ratings": [{"docId": ID, "rating": '
            '"3.0"}]}]}'
        ),
    ),
    (
        "srw-judgments",
        _list('{"query": 7, "ratings": []}'),
        (
            "x.json: $.judgmentRatings[0].query: expected text, found the number 7\n"
            '    mend: write {"judgmentRatings": [{"query": TEXT, "ratings": [{"docId": ID, "rating": '
            '"3.0"}]}]}'
        ),
    ),
    (
        "srw-judgments",
        _list('{"query": "a", "rating": []}'),
        (
            "x.json: $.judgmentRatings[0]: has no key ratings; did you mean rating?\n"
            '    mend: write {"judgmentRatings": [{"query": TEXT, "ratings": [{"docId": ID, "rating": '
            '"3.0"}]}]}'
        ),
    ),
    (
        "srw-judgments",
        _list('{"query": "a", "ratings": [{"docID": "d", "rating": 1}]}'),
        (
            "x.json: $.judgmentRatings[0].ratings[0]: has no key docId; did you mean docID?\n"
            '    mend: write {"judgmentRatings": [{"query": TEXT, "ratings": [{"docId": ID, "rating": '
            '"3.0"}]}]}'
        ),
    ),
    (
        "srw-judgments",
        _list('{"query": "a", "ratings": [{"docId": 1.5, "rating": 1}]}'),
        (
            "x.json: $.judgmentRatings[0].ratings[0].docId: 1.5 is a decimal number\n"
            "    mend: write ids as text or whole numbers"
        ),
    ),
    (
        "srw-judgments",
        _list('{"query": "a", "ratings": [{"docId": "d", "rating": "good"}]}'),
        (
            "x.json: $.judgmentRatings[0].ratings[0]: the grade 'good' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "srw-judgments",
        _list('{"query": "a", "ratings": [{"docId": "d", "rating": "3,0"}]}'),
        (
            "x.json: $.judgmentRatings[0].ratings[0]: grade '3,0' has a decimal comma\n"
            "    mend: write it with a decimal point"
        ),
    ),
    (
        "srw-judgments",
        _list('{"query": "a", "ratings": [{"docId": "d", "rating": NaN}]}'),
        (
            "x.json: $.judgmentRatings[0].ratings[0]: grade is NaN\n"
            "    mend: give every row a grade, or leave the row out"
        ),
    ),
    (
        "srw-judgments",
        _list('{"query": "a", "ratings": {"d": 1, "d": 2}}'),
        ("x.json: $.judgmentRatings[0].ratings: the key d appears twice\n    mend: write each key once"),
    ),
    (
        "srw-judgments",
        _list('{"query": "a", "ratings": [{"docId": "d", "rating": 1}, {"docId": "d", "rating": 2}]}'),
        (
            "x.json: $.judgmentRatings[0].ratings[1]: document d of query a is judged 2, and 1 at "
            "x.json: $.judgmentRatings[0].ratings[0]\n"
            "    mend: keep one of the two"
        ),
    ),
    (
        "srw-judgments",
        '[{"name": "x", "judgmentRatings": []}, {"name": "y", "judgmentRatings": []}]',
        ("x.json: holds 2 judgment lists\n    mend: choose one by --option list=NAME: x, y"),
    ),
    (
        "srw-judgments",
        '{"judgmentRatings": [',
        (
            "x.json:1: is not JSON: expecting value at column 22\n"
            '    {"judgmentRatings": [\n'
            '    mend: write {"judgmentRatings": [{"query": TEXT, "ratings": [{"docId": ID, "rating": '
            '"3.0"}]}]}'
        ),
    ),
    (
        "srw-queries",
        '{"querySetQueries": "boots"}',
        (
            "x.json: $.querySetQueries: expected a list, found text\n"
            '    mend: write {"querySetQueries": [{"queryText": TEXT}]}, or one {"queryText": TEXT} a '
            "line"
        ),
    ),
    (
        "srw-queries",
        '{"querySetQueries": [{"querytext": "boots"}]}',
        (
            "x.json: $.querySetQueries[0]: has no key queryText; did you mean querytext?\n"
            '    mend: write {"querySetQueries": [{"queryText": TEXT}]}, or one {"queryText": TEXT} a '
            "line"
        ),
    ),
    (
        "srw-queries",
        '{"querySetQueries": [{"queryText": ""}]}',
        (
            "x.json: $.querySetQueries[0].queryText: the query is blank\n"
            "    mend: leave the entry out, or write its text"
        ),
    ),
    (
        "srw-queries",
        '{"querySetQueries": [{"queryText": "a", "referenceAnswer": 3}]}',
        (
            "x.json: $.querySetQueries[0].referenceAnswer: expected text, found the number 3\n"
            '    mend: write {"querySetQueries": [{"queryText": TEXT}]}, or one {"queryText": TEXT} a '
            "line"
        ),
    ),
    (
        "srw-queries",
        '{"querySetQueries": [{"queryText": "a", "facets": ["x"]}]}',
        (
            "x.json: $.querySetQueries[0].facets: expected text or a number in a field of a query\n"
            '    mend: write {"querySetQueries": [{"queryText": TEXT}]}, or one {"queryText": TEXT} a '
            "line"
        ),
    ),
    (
        "srw-queries",
        '{"queryText": "a"}\n"b"\n',
        (
            "x.json:2: expected an object, found text\n"
            '    mend: write {"querySetQueries": [{"queryText": TEXT}]}, or one {"queryText": TEXT} a '
            "line"
        ),
    ),
    (
        "srw-queries",
        '{"queryText": "a"}\n{"queryText": "b"\n',
        (
            "x.json:2: is not JSON: expecting ',' delimiter at column 18\n"
            '    {"queryText": "b"\n'
            '    mend: write {"querySetQueries": [{"queryText": TEXT}]}, or one {"queryText": TEXT} a '
            "line"
        ),
    ),
    (
        "srw-queries",
        '{"queryText": "a"}\n{"queryText": null}\n',
        (
            "x.json:2: queryText is null\n"
            '    mend: write {"querySetQueries": [{"queryText": TEXT}]}, or one {"queryText": TEXT} a '
            "line"
        ),
    ),
    (
        "srw-queries",
        '[{"querySetQueries": []}, {"querySetQueries": []}]',
        ("x.json: holds 2 query sets\n    mend: choose one by --option set=NAME: 1, 2"),
    ),
    (
        "srw-queries",
        "queryText\nboots\n",
        (
            "x.json:1: is not JSON: expecting value at column 1\n"
            "    queryText\n"
            '    mend: write {"querySetQueries": [{"queryText": TEXT}]}, or one {"queryText": TEXT} a '
            "line"
        ),
    ),
    (
        "srw-experiment",
        "{}",
        (
            "x.json: $: has no key results or documentIds\n"
            '    mend: write {"results": [{"queryText": TEXT, "snapshots": [{"searchConfigurationId": '
            'ID, "docIds": [ID]}]}]}'
        ),
    ),
    (
        "srw-experiment",
        '{"results": {}}',
        (
            "x.json: $.results: expected a list, found an object\n"
            '    mend: write {"results": [{"queryText": TEXT, "snapshots": [{"searchConfigurationId": '
            'ID, "docIds": [ID]}]}]}'
        ),
    ),
    (
        "srw-experiment",
        '{"results": [{"queryText": "a"}]}',
        (
            "x.json: $.results[0]: has no key evaluationId or evaluationResults\n"
            '    mend: write {"results": [{"queryText": TEXT, "snapshots": [{"searchConfigurationId": '
            'ID, "docIds": [ID]}]}]}'
        ),
    ),
    (
        "srw-experiment",
        '{"results": [{"queryText": "a", "snapshots": [{"docIds": []}]}]}',
        (
            "x.json: $.results[0].snapshots[0]: has no key searchConfigurationId\n"
            '    mend: write {"results": [{"queryText": TEXT, "snapshots": [{"searchConfigurationId": '
            'ID, "docIds": [ID]}]}]}'
        ),
    ),
    (
        "srw-experiment",
        '{"results": [{"snapshots": [{"searchConfigurationId": "c", "docIds": []}]}]}',
        (
            "x.json: $.results[0]: has no key queryText or query_text\n"
            '    mend: write {"results": [{"queryText": TEXT, "snapshots": [{"searchConfigurationId": '
            'ID, "docIds": [ID]}]}]}'
        ),
    ),
    (
        "srw-experiment",
        '{"results": [{"queryText": "a", "snapshots": [{"searchConfigurationId": "c"}]}]}',
        (
            "x.json: $.results[0].snapshots[0]: has no key docIds\n"
            '    mend: write {"results": [{"queryText": TEXT, "snapshots": [{"searchConfigurationId": '
            'ID, "docIds": [ID]}]}]}'
        ),
    ),
    (
        "srw-experiment",
        '{"searchText": "a", "documentIds": "d1"}',
        (
            "x.json: $.documentIds: expected a list, found text\n"
            '    mend: write {"results": [{"queryText": TEXT, "snapshots": [{"searchConfigurationId": '
            'ID, "docIds": [ID]}]}]}'
        ),
    ),
    (
        "srw-experiment",
        '{"searchText": "a", "documentIds": ["d1", {}]}',
        ("x.json: $.documentIds[1]: expected an id, found an object\n    mend: write ids as text or whole numbers"),
    ),
    (
        "srw-experiment",
        '{"searchText": "a", "documentIds": ["d"]}\n{"searchText": "a", "documentIds": ["d"]}\n',
        (
            "x.json:2: $.documentIds: the query 'a' of experiment was there before, at x.json:1: "
            "$.documentIds\n"
            "    mend: keep one of them"
        ),
    ),
    (
        "srw-experiment",
        '{"searchText": "a", "documentIds": ["d"], "metrics": 3}',
        (
            "x.json: $.metrics: expected a list, found the number 3\n"
            '    mend: write {"results": [{"queryText": TEXT, "snapshots": [{"searchConfigurationId": '
            'ID, "docIds": [ID]}]}]}'
        ),
    ),
]


@pytest.mark.parametrize(("format", "content", "expected"), BROKEN)
def test_a_broken_file_says_what_where_and_how_to_mend(tmp_path, format, content, expected):
    assert complain(tmp_path, format, content) == expected
