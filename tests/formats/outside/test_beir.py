"""BEIR folders, BEIR results and ranx files: the Python benchmarks' own shapes."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from assay.errors import InputError
from assay.tables import Document, Hit, Judgment, Topic
from formats.outside.files import claims, hits, lost, put, read, round_trip, rows, said, same_in, tricky, write
from formats.outside.harness import block

CORPUS = (
    '{"_id": "d1", "title": "Käse", "text": "A \\"cheese\\",\\nyellow.", "metadata": {"url": "x"}}\n'
    '{"_id": 12345678901234567890, "text": "b"}\n'
)
QUERIES = (
    '{"_id": "q1", "text": "what is 起司?", "metadata": {"kind": "head", "tree": {"a": 1}}}\n'
    '{"_id": "q2", "text": "=1+1"}\n'
)
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\t12345678901234567890\t2\n"
FOLDER = {"corpus.jsonl": CORPUS, "queries.jsonl": QUERIES, "qrels/test.tsv": QRELS, "qrels/dev.tsv": QRELS}


def test_a_folder(tmp_path):
    got = read("beir", tmp_path, "set", FOLDER)
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [
        ("q1", "d1", 1.0),
        ("q1", "12345678901234567890", 2.0),
    ]
    assert rows(got, Topic, "query_id", "text", "kind") == [("q1", "what is 起司?", "head"), ("q2", "=1+1", None)]
    assert rows(got, Document) == [("d1", "Käse", 'A "cheese",\nyellow.'), ("12345678901234567890", "", "b")]
    assert lost(got) == {"nested metadata of queries": 1, "metadata of documents": 1}
    assert got.unlisted == "not-relevant"
    assert [fact.replace(f"{tmp_path}/", "") for fact in got.facts] == [
        "set: of 2 queries, 1 without a judgment in this split; BEIR leaves those out",
        "set/qrels/test.tsv: no document is judged not relevant (grade 0), so a pair that is absent is taken as not "
        "relevant, as this format's own tools do; the files cannot say which absent documents somebody looked at",
    ]


def test_a_grade_0_says_that_absent_pairs_are_unjudged(tmp_path):
    got = read("beir", tmp_path, "set", FOLDER | {"qrels/test.tsv": QRELS + "q2\td1\t0\n"})
    assert (got.unlisted, got.facts) == ("unjudged", ())


def test_a_split_without_a_header_keeps_its_first_judgment(tmp_path):
    got = read("beir", tmp_path, "set", {"qrels/test.tsv": "q1\td1\t1\nq1\td2\t0\n"})
    assert len(got.tables[Judgment]) == 2
    assert "has no header; BEIR's own loader would lose its first judgment" in got.facts[0]


def test_a_folder_goes_out_and_comes_back(tmp_path):
    got = read("beir", tmp_path, "set", FOLDER, split="dev")
    assert write("beir", got, tmp_path / "out") == {}
    assert sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*")) == [
        "corpus.jsonl", "qrels/dev.tsv", "queries.jsonl",
    ]  # fmt: skip
    again = read("beir", tmp_path, "out", {}, split="dev")
    for row in (Topic, Judgment, Document):
        assert rows(again, row) == rows(got, row)
    with pytest.raises(InputError, match="is there already, and is not empty"):
        write("beir", got, tmp_path / "out")
    assert not list(tmp_path.glob(".*"))


def test_results_become_a_run(tmp_path):
    got = read("beir-results", tmp_path, "bm25.json", '{"q1": {"d1": 1.5, "d2": 3}, "q2": {}}')
    assert hits(got, "bm25") == [("q1", "d1", 1.5), ("q1", "d2", 3.0)]
    assert got.runs["bm25"].empty == ("q2",)
    for format in ("beir-results", "ranx-run"):
        write(format, got, tmp_path / "out.json")
        assert json.loads((tmp_path / "out.json").read_text()) == {"q2": {}, "q1": {"d2": 3, "d1": 1.5}}


def test_values_are_not_taken_for_a_run(tmp_path):
    text = '{"ndcg": {"NDCG@1": 0.5, "NDCG@10": 0.6}, "map": {"MAP@10": 0.1}}'
    got = read("beir-results", tmp_path, "r.json", text)
    assert (got.runs, lost(got)) == ({}, {"values of measures": 3})
    assert got.more["values"]["ndcg"] == {"NDCG@1": 0.5, "NDCG@10": 0.6}
    assert claims(put(tmp_path, "r.json", text)) == ["beir-results"]


def test_ranx_files_both_ways(tmp_path):
    got = read("ranx-qrels", tmp_path, "q.json", '{"q1": {"d1": 2, "d2": 0}}')
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [("q1", "d1", 2.0), ("q1", "d2", 0.0)]
    assert got.unlisted == "unjudged"
    write("ranx-qrels", got, tmp_path / "q.parquet")
    assert pl.read_parquet(tmp_path / "q.parquet").to_dicts() == [
        {"q_id": "q1", "doc_id": "d1", "score": 2}, {"q_id": "q1", "doc_id": "d2", "score": 0},
    ]  # fmt: skip
    again = read("ranx-qrels", tmp_path, "again.parquet", (tmp_path / "q.parquet").read_bytes())
    assert rows(again, Judgment, "query_id", "doc_id", "grade") == rows(got, Judgment, "query_id", "doc_id", "grade")
    run = read("ranx-run", tmp_path, "new.json", '{"q1": {"d1": 0.5}}')
    write("ranx-run", run, tmp_path / "r.parquet")
    assert hits(read("ranx-run", tmp_path, "r2.parquet", (tmp_path / "r.parquet").read_bytes()), "r2") == [
        ("q1", "d1", 0.5)
    ]


def test_ranks_without_scores_become_falling_numbers(tmp_path):
    from assay.formats.carried import Carried

    run = block(Hit, {"query_id": "q", "doc_id": "b", "rank": 2}, {"query_id": "q", "doc_id": "a", "rank": 1})
    write("ranx-run", Carried("x", {}, {"r": run}), tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text()) == {"q": {"a": 2, "b": 1}}


def test_traps_of_text_and_encoding(tmp_path):
    round_trip("beir", tricky(blanks=False), tmp_path / "out")
    round_trip("ranx-qrels", tricky(), tmp_path / "q.json", only=[Judgment])
    round_trip("ranx-run", tricky(run=True), tmp_path / "bm25.json", only=[Hit], without={Hit: ("rank",)})
    same_in("ranx-qrels", '{"größe": {"d": 1}}', "q.json", tmp_path)
    same_in("beir-results", '{"größe": {"d": 1}}', "q.json", tmp_path)
    with pytest.raises(InputError, match="holds a tab or a line end"):
        write("beir", tricky(), tmp_path / "not")
    assert not (tmp_path / "not").exists()


def test_a_folder_is_claimed(tmp_path):
    assert claims(put(tmp_path, "set", FOLDER)) == ["beir"]


@pytest.mark.shared
def test_entity_queries_as_a_beir_folder(shared, tmp_path):
    from assay.formats.carried import Carried
    from assay.formats.trec import read_qrels

    qrels = read_qrels(shared / "data/collections/dbpedia_entity_v2/qrels-v2.txt.gz")
    write("beir", Carried("x", {Judgment: qrels}), tmp_path / "out")
    got = read("beir", tmp_path, "out", {})
    assert len(got.tables[Judgment]) == 49280
    assert got.unlisted == "unjudged"


def complain(folder: Path, format: str, content: str | bytes | dict[str, str]) -> str:
    return said(format, folder, "x", content)


def _set(**files: str) -> dict[str, str]:
    names = {"corpus": "corpus.jsonl", "queries": "queries.jsonl", "qrels": "qrels/test.tsv"}
    return {"qrels/test.tsv": QRELS, **{names[key]: content for key, content in files.items()}}


BROKEN = [
    ("beir", "a file", ("x: is a file, not a folder\n    mend: give the folder that holds the files")),
    (
        "beir",
        {"corpus.jsonl": CORPUS},
        (
            "x: has no folder qrels\n"
            "    mend: give the folder that holds corpus.jsonl, queries.jsonl and the folder qrels"
        ),
    ),
    (
        "beir",
        {"qrels/readme.txt": "x"},
        ("x/qrels: holds no file SPLIT.tsv\n    mend: write the judgments to qrels/test.tsv"),
    ),
    (
        "beir",
        {"qrels/train.tsv": QRELS, "qrels/dev.tsv": QRELS},
        ("x/qrels: holds several splits\n    mend: choose one by --option split=NAME: dev, train"),
    ),
    (
        "beir",
        _set(qrels="query-id\tcorpus-id\tscore\nq1\td1\n"),
        (
            "x/qrels/test.tsv:2: expected 3 columns with tabs between (query-id, corpus-id, score), "
            "found 2\n"
            "    q1\td1\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "beir",
        _set(qrels="query-id corpus-id score\nq1 d1 1\n"),
        (
            "x/qrels/test.tsv:2: expected 3 columns with tabs between (query-id, corpus-id, score), "
            "found 1\n"
            "    q1 d1 1\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "beir",
        _set(qrels="query-id\tcorpus-id\tscore\nq1\td1\tyes\n"),
        (
            "x/qrels/test.tsv:2: the grade 'yes' is a word\n"
            "    mend: say what labels are worth: --labels yes-no, or your own map as --labels "
            "'{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "beir",
        _set(qrels="query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t0\n"),
        (
            "x/qrels/test.tsv:3: document d1 of query q1 is judged 0, and 1 at x/qrels/test.tsv:2\n"
            "    mend: keep one of the two"
        ),
    ),
    (
        "beir",
        _set(qrels="query-id\tcorpus-id\tscore\n"),
        ("x/qrels/test.tsv:1: has a header and no rows\n    mend: write it anew, or leave it out"),
    ),
    (
        "beir",
        _set(qrels="query-id\tcorpus-id\tscore\n\td1\t1\n"),
        ("x/qrels/test.tsv:2: query_id is missing\n    mend: give every row a query_id, or leave the row out"),
    ),
    (
        "beir",
        _set(queries='{"_id": "q1"}\n'),
        ('x/queries.jsonl:1: has no key text\n    mend: write {"_id": ID, "text": TEXT} a line'),
    ),
    (
        "beir",
        _set(queries='{"_id": "q1", "text": "a"}\n{"_id": "q1", "text": "b"}\n'),
        ("x/queries.jsonl:2: query_id q1 appears twice (first at x/queries.jsonl:1)\n    mend: remove one of the two"),
    ),
    (
        "beir",
        _set(queries='{"_id": "q1", "text": "a"\n'),
        (
            "x/queries.jsonl:1: is not JSON: expecting ',' delimiter at column 26\n"
            '    {"_id": "q1", "text": "a"\n'
            '    mend: write {"_id": ID, "text": TEXT} a line'
        ),
    ),
    (
        "beir",
        _set(corpus='{"_id": 1.5, "text": "a"}\n'),
        ("x/corpus.jsonl:1: $._id: 1.5 is a decimal number\n    mend: write ids as text or whole numbers"),
    ),
    (
        "beir",
        _set(corpus='{"_id": "d", "title": ["a"]}\n'),
        (
            "x/corpus.jsonl:1: $.title: expected text, found a list\n"
            '    mend: write {"_id": ID, "title": TEXT, "text": TEXT} a line'
        ),
    ),
    (
        "beir-results",
        "[]",
        ('x: $: expected an object, found a list\n    mend: write {"QUERY_ID": {"DOC_ID": NUMBER}}'),
    ),
    (
        "beir-results",
        '{"q1": [["d1", 1.5]]}',
        ('x: $.q1: expected an object, found a list\n    mend: write {"QUERY_ID": {"DOC_ID": NUMBER}}'),
    ),
    (
        "beir-results",
        '{"q1": {"d1": "high"}}',
        ("x: $.q1.d1: score 'high' is not a number\n    mend: write a number as the score"),
    ),
    (
        "beir-results",
        '{"q1": {"d1": NaN}}',
        ("x: $.q1.d1: score is NaN\n    mend: give every row a score, or leave the row out"),
    ),
    ("beir-results", '{"q1": {"d1": Infinity}}', ("x: $.q1.d1: score is infinite\n    mend: write a finite score")),
    ("beir-results", '{"q1": {"d1": null}}', ("x: no row has a score or a rank\n    mend: give every row a score")),
    ("beir-results", '{"q1": {"d1": true}}', ("x: $.q1.d1: score is true, not a number\n    mend: write 1 and 0")),
    (
        "beir-results",
        '{"q1": {"": 1}}',
        ('x: $.q1[""]: doc_id is missing\n    mend: give every row a doc_id, or leave the row out'),
    ),
    (
        "beir-results",
        '{"q1": {"d1": 1, "d1": 2}}',
        ("x: $.q1: the key d1 appears twice\n    mend: write each key once"),
    ),
    (
        "beir-results",
        '{"q1": {"d1": 1}, "q2"}',
        (
            "x:1: is not JSON: expecting ':' delimiter at column 23\n"
            '    {"q1": {"d1": 1}, "q2"}\n'
            '    mend: write {"QUERY_ID": {"DOC_ID": NUMBER}}'
        ),
    ),
    ("ranx-run", "{}", ('x: holds no query\n    mend: write {"QUERY_ID": {"DOC_ID": NUMBER}}')),
    (
        "ranx-run",
        '["q1"]',
        ('x: $: expected an object, found a list\n    mend: write {"QUERY_ID": {"DOC_ID": NUMBER}}'),
    ),
    (
        "ranx-run",
        '{"q1": {"d1": {"score": 1}}}',
        ("x: $.q1.d1: score {'score': '1'} is not a number\n    mend: write a number as the score"),
    ),
    (
        "ranx-run",
        '{"q1": {"d1": "1,5"}}',
        ("x: $.q1.d1: score '1,5' has a decimal comma\n    mend: write it with a decimal point"),
    ),
    (
        "ranx-run",
        '{"q1": {"d1": 1e999}}',
        ("x: $.q1.d1: score 1e999 is too large for a 64-bit number\n    mend: write a finite score"),
    ),
    (
        "ranx-run",
        '{"q1": 3}',
        ('x: $.q1: expected an object, found the number 3\n    mend: write {"QUERY_ID": {"DOC_ID": NUMBER}}'),
    ),
    (
        "ranx-run",
        '{" ": {"d1": 3}}',
        ('x: $[" "].d1: query_id is missing\n    mend: give every row a query_id, or leave the row out'),
    ),
    (
        "ranx-run",
        '{"q1": {"\\ud800": 3}}',
        (
            'x: $.q1["\\ud800"]: holds text that is not valid Unicode (half of a surrogate pair)\n'
            "    mend: write it anew as UTF-8"
        ),
    ),
    (
        "ranx-run",
        b"PAR1 and no more",
        ("x: is not a whole Parquet file: its footer is missing\n    mend: write or copy it again"),
    ),
    (
        "ranx-run",
        "q1 Q0 d1 1 3.5 tag\n",
        (
            "x:1: is not JSON: expecting value at column 1\n"
            "    q1 Q0 d1 1 3.5 tag\n"
            '    mend: write {"QUERY_ID": {"DOC_ID": NUMBER}}'
        ),
    ),
    ("ranx-qrels", "{}", ('x: holds no judgment\n    mend: write {"QUERY_ID": {"DOC_ID": 1}}')),
    (
        "ranx-qrels",
        '{"q1": ["d1"]}',
        ('x: $.q1: expected an object, found a list\n    mend: write {"QUERY_ID": {"DOC_ID": 1}}'),
    ),
    (
        "ranx-qrels",
        '{"q1": {"d1": "yes"}}',
        (
            "x: $.q1.d1: the grade 'yes' is a word\n"
            "    mend: say what labels are worth: --labels yes-no, or your own map as --labels "
            "'{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "ranx-qrels",
        '{"q1": {"d1": null}}',
        ("x: $.q1.d1: grade is missing\n    mend: give every row a grade, or leave the row out"),
    ),
    (
        "ranx-qrels",
        '{"q1": {"d1": []}}',
        ("x: $.q1.d1: grade [] is not a number\n    mend: write a number as the grade"),
    ),
    (
        "ranx-qrels",
        '{"q1": {"d1": 1}}\n{"q2": {"d1": 1}}\n',
        (
            "x:2: is not JSON: something follows the JSON value at column 1\n"
            '    {"q2": {"d1": 1}}\n'
            '    mend: write {"QUERY_ID": {"DOC_ID": 1}}'
        ),
    ),
    ("ranx-qrels", '{"q1": {}}', ('x: holds no judgment\n    mend: write {"QUERY_ID": {"DOC_ID": 1}}')),
    (
        "ranx-qrels",
        '{"q1": {"d1": 1',
        (
            "x:1: is not JSON: expecting ',' delimiter at column 16\n"
            '    {"q1": {"d1": 1\n'
            '    mend: write {"QUERY_ID": {"DOC_ID": 1}}'
        ),
    ),
    (
        "ranx-qrels",
        '{"q1": {"d1": 0x10}}',
        (
            "x:1: is not JSON: expecting ',' delimiter at column 16\n"
            '    {"q1": {"d1": 0x10}}\n'
            '    mend: write {"QUERY_ID": {"DOC_ID": 1}}'
        ),
    ),
    (
        "ranx-qrels",
        b"PAR1",
        ("x: is not a whole Parquet file: its footer is missing\n    mend: write or copy it again"),
    ),
]


@pytest.mark.parametrize(("format", "content", "expected"), BROKEN)
def test_a_broken_file_says_what_where_and_how_to_mend(tmp_path, format, content, expected):
    assert complain(tmp_path, format, content) == expected
