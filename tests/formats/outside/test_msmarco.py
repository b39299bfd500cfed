"""MS MARCO's TSV files, ir_datasets' exports and MTEB's results."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.formats.carried import Carried
from assay.tables import Document, Hit, Judgment, Pair, Topic
from formats.outside.files import claims, hits, lost, put, read, round_trip, rows, said, same_in, tricky, write
from formats.outside.harness import block

COLLECTION = 'd1\t"Wool" is\u2028warm.\nd2\ta "quote, open\nd3\t\n'
QUERIES = 'q1\twhat is "wool\nq2\t=1+1 größe\n'
QRELS = "q1\t0\td1\t1\nq2\t0\td2\t1\n"
RUN = "q1\td2\t1\nq1\td1\t2\n"
TOP = 'q1\td1\twhat is "wool\t"Wool" is warm.\nq1\td2\twhat is "wool\tb\nq2\td1\tx\t"Wool" is warm.\n'
FOLDER = {"collection.tsv": COLLECTION, "queries.dev.tsv": QUERIES, "qrels.dev.tsv": QRELS, "run.tsv": RUN,
          "queries.train.tsv": "t1\ta\n", "qrels.train.tsv": "t1\t0\td1\t1\n"}  # fmt: skip


def test_a_folder_of_one_split(tmp_path):
    got = read("msmarco", tmp_path, "set", FOLDER, split="dev")
    assert rows(got, Document, "doc_id", "text") == [
        ("d1", '"Wool" is\u2028warm.'),
        ("d2", 'a "quote, open'),
        ("d3", ""),
    ]
    assert rows(got, Topic, "query_id", "text") == [("q1", 'what is "wool'), ("q2", "=1+1 größe")]
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [("q1", "d1", 1.0), ("q2", "d2", 1.0)]
    assert hits(got, "run", "query_id", "doc_id", "rank") == [("q1", "d2", 1), ("q1", "d1", 2)]
    assert got.unlisted == "not-relevant"


@pytest.mark.parametrize(
    ("name", "content", "row"),
    [("collection.tsv", COLLECTION, Document), ("queries.dev.small.tsv", QUERIES, Topic), ("x", QRELS, Judgment),
     ("x", "q1 0 d1 1\n", Judgment)],
)  # fmt: skip
def test_a_part_is_known_by_its_columns_or_its_name(tmp_path, name, content, row):
    assert list(read("msmarco", tmp_path, name, content).tables) == [row]


def test_candidates_are_pairs_and_no_run(tmp_path):
    got = read("msmarco", tmp_path, "top1000.dev.tsv", TOP)
    assert rows(got, Pair, "query_id", "doc_id") == [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
    assert rows(got, Document, "doc_id", "text") == [("d1", '"Wool" is warm.'), ("d2", "b")]
    assert got.runs == {}
    assert "candidates for reranking in no order" in got.facts[0]


def test_a_folder_goes_out_and_comes_back(tmp_path):
    got = read("msmarco", tmp_path, "set", FOLDER, split="dev")
    assert write("msmarco", got, tmp_path / "out") == {}
    assert (tmp_path / "out/collection.tsv").read_text(encoding="utf-8") == COLLECTION
    assert (tmp_path / "out/queries.tsv").read_text(encoding="utf-8") == QUERIES
    again = read("msmarco", tmp_path, "out", {})
    for row in (Topic, Judgment, Document):
        assert rows(again, row) == rows(got, row)
    assert hits(again, "run") == hits(got, "run")


def test_one_part_is_written_to_one_file(tmp_path):
    got = read("msmarco", tmp_path, "set", FOLDER, split="dev")
    gone = write("msmarco", got, tmp_path / "q.tsv", part="qrels")
    assert (tmp_path / "q.tsv").read_text() == QRELS
    assert {what: one.count for what, one in gone.items()} == {"topics": 2, "documents": 3, "hits of the run run": 2}
    with pytest.raises(InputError, match="one file holds one part"):
        write("msmarco", got, tmp_path / "r.tsv")


def test_line_ends_and_titles_become_one_line(tmp_path):
    docs = block(Document, {"doc_id": "d", "title": "T", "text": "a\tb\r\nc"})
    gone = write("msmarco", Carried("x", {Document: docs}), tmp_path / "collection.tsv")
    assert (tmp_path / "collection.tsv").read_text() == "d\tT. a b c\n"
    assert set(gone) == {"tabs and line ends in texts", "titles"}


def test_ir_datasets_folder(tmp_path):
    folder = {
        "docs.tsv": 'd1\tKäse\t"a\n', "queries.jsonl": '{"query_id": 7, "text": "größe", "lang": "de"}\n',
        "qrels.txt": "7 0 d1 1\n", "scoreddocs.txt": "7 Q0 d1 0 2.5 run\n7 Q0 d2 1 1.5 run\n",
    }  # fmt: skip
    got = read("ir_datasets", tmp_path, "set", folder, **{"doc-fields": "doc_id,title,text"})
    assert rows(got, Document) == [("d1", "Käse", '"a')]
    assert rows(got, Topic) == [("7", "größe")]
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [("7", "d1", 1.0)]
    assert hits(got, "scoreddocs", "doc_id", "score") == [("d1", 2.5), ("d2", 1.5)]
    assert lost(got) == {"lang of a query": 1}
    assert claims(tmp_path / "set") == ["ir_datasets"]
    write("ir_datasets", got, tmp_path / "out")
    again = read("ir_datasets", tmp_path, "out", {})
    assert rows(again, Document) == rows(got, Document)
    assert hits(again, "scoreddocs", "doc_id", "score") == hits(got, "scoreddocs", "doc_id", "score")


RESULT = """{"dataset_revision": "r", "task_name": "SciFact", "mteb_version": "1.34.0", "evaluation_time": 3.5, 
 "scores":
 {"test": [{"ndcg_at_10": 0.71, "map_at_10": 0.6, "main_score": 0.71, 
  "hf_subset": "default", "languages": ["eng"]}]}}"""


def test_scores_are_shown_and_counted_as_lost(tmp_path):
    got = read("mteb", tmp_path, "SciFact.json", RESULT)
    assert got.facts == (f"{tmp_path}/SciFact.json: SciFact, test, default, main score is 0.71",)
    assert (got.tables, got.runs, lost(got)) == ({}, {}, {"values of measures": 3})
    assert got.more["scores"]["test"][0]["main_score"] == 0.71
    old = '{"mteb_version": "1.2", "mteb_dataset_name": "SciFact", "test": {"ndcg_at_10": 0.5, "map_at_10": 0.4}}'
    assert read("mteb", tmp_path, "old.json", old).facts[0].endswith("SciFact, test, main score is 0.5")


def test_predictions_become_a_run(tmp_path):
    flat = read("mteb", tmp_path, "p.json", '{"q1": {"d1": 0.5, "d2": 0.25}}')
    deep = read(
        "mteb", tmp_path, "p.json", '{"mteb_model_meta": {}, "default": {"test": {"q1": {"d1": 0.5, "d2": 0.25}}}}'
    )
    assert hits(flat, "p") == hits(deep, "p") == [("q1", "d1", 0.5), ("q1", "d2", 0.25)]
    two = '{"mteb_model_meta": {}, "en": {"test": {"q": {"a": 1}}}, "de": {"test": {"q": {"b": 1}}}}'
    assert hits(read("mteb", tmp_path, "p.json", two, subset="de"), "p") == [("q", "b", 1.0)]


def test_traps_of_text_and_encoding(tmp_path):
    round_trip("msmarco", tricky(blanks=False), tmp_path / "out")
    round_trip("msmarco", tricky(blanks=False, run=True), tmp_path / "bm25.tsv", only=[Hit], without={Hit: ("score",)},
               part="run")  # fmt: skip
    round_trip("ir_datasets", tricky(blanks=False), tmp_path / "irds")
    same_in("msmarco", COLLECTION.replace("\u2028", " "), "collection.tsv", tmp_path)
    same_in("msmarco", QRELS.replace("q1", "größe"), "qrels.tsv", tmp_path)
    same_in("mteb", '{"größe": {"d1": 0.5}}', "p.json", tmp_path)


@pytest.mark.parametrize(("name", "content", "format"), [
    ("set", FOLDER, "msmarco"), ("collection.tsv", COLLECTION, "msmarco"), ("top1000.dev.tsv", TOP, "msmarco"),
    ("SciFact.json", RESULT, "mteb"),
])  # fmt: skip
def test_each_is_claimed_by_its_own_format(tmp_path, name, content, format):
    assert claims(put(tmp_path, name, content)) == [format]


@pytest.mark.shared
def test_a_real_collection_through_the_tab_files(shared, tmp_path):
    """Vaswani: binary judgments without a grade 0, so absent pairs count as not relevant."""
    from assay.formats.trec import read_qrels

    folder = shared / "data/collections/vaswani"
    qrels = read_qrels(folder / "qrels.txt")
    queries = read("msmarco", tmp_path, "queries.tsv", (folder / "queries.tsv").read_bytes())
    assert len(queries.tables[Topic]) == 93
    write("msmarco", Carried("vaswani", {Judgment: qrels, **queries.tables}), tmp_path / "out")
    again = read("msmarco", tmp_path, "out", {})
    assert (len(again.tables[Judgment]), again.unlisted) == (2083, "not-relevant")
    assert rows(again, Topic, "query_id", "text") == rows(queries, Topic, "query_id", "text")


def complain(folder: Path, format: str, name: str, content: str | bytes | dict[str, str]) -> str:
    return said(format, folder, name, content)


BROKEN = [
    (
        "msmarco",
        "x.tsv",
        "a\tb\n",
        (
            "x.tsv: has two columns, which are a collection or queries\n"
            "    mend: say which it is by --option part=PART: collection, queries, qrels, run, top1000"
        ),
    ),
    (
        "msmarco",
        "x.tsv",
        "one column\n",
        (
            "x.tsv: has one column\n"
            "    mend: say which it is by --option part=PART: collection, queries, qrels, run, top1000"
        ),
    ),
    (
        "msmarco",
        "collection.tsv",
        "d1\ta\tb\tc\td\n",
        (
            "collection.tsv: has 5 columns\n"
            "    mend: say which it is by --option part=PART: collection, queries, qrels, run, top1000"
        ),
    ),
    (
        "msmarco",
        "collection.tsv",
        "d1\ta\nd2 b\n",
        (
            "collection.tsv:2: expected 2 columns with tabs between (pid, passage), found 1\n"
            "    d2 b\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "msmarco",
        "collection.tsv",
        "d1\ta\nd1\tb\n",
        ("collection.tsv:2: doc_id d1 appears twice (first at collection.tsv:1)\n    mend: remove one of the two"),
    ),
    (
        "msmarco",
        "collection.tsv",
        b"d1\t\xff\n",
        ("collection.tsv:1: byte 0xff is not UTF-8\n    mend: save the file as UTF-8"),
    ),
    (
        "msmarco",
        "queries.tsv",
        "q1\ta\n\tb\n",
        ("queries.tsv:2: query_id is missing\n    mend: give every row a query_id, or leave the row out"),
    ),
    (
        "msmarco",
        "qrels.tsv",
        "q1\t0\td1\t1\nq1\t0\td2\thigh\n",
        (
            "qrels.tsv:2: the grade 'high' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "msmarco",
        "qrels.tsv",
        "q1\t0\td1\t1\nq1\t0\td1\t0\n",
        ("qrels.tsv:2: document d1 of query q1 is judged 0, and 1 at qrels.tsv:1\n    mend: keep one of the two"),
    ),
    (
        "msmarco",
        "run.tsv",
        "q1\td1\t1\nq1\td2\t1.5\n",
        ("run.tsv:2: rank 1.5 is not a whole number\n    mend: write whole numbers as the rank"),
    ),
    (
        "msmarco",
        "top1000.tsv",
        "q1\td1\ta\tb\nq2\td1\ta\tc\n",
        ("top1000.tsv:2: passage d1 has another text here than before\n    c\n    mend: keep one text an id"),
    ),
    (
        "msmarco",
        "set",
        {"readme.md": "x"},
        (
            "set: holds no file with a name of MS MARCO\n"
            "    mend: name them collection.tsv, queries.dev.tsv, qrels.dev.tsv"
        ),
    ),
    (
        "msmarco",
        "set",
        {"qrels.dev.tsv": QRELS, "qrels.train.tsv": QRELS},
        ("set: holds several splits\n    mend: choose one by --option split=NAME: dev, train"),
    ),
    ("ir_datasets", "x", "a file", ("x: is a file, not a folder\n    mend: give the folder that holds the files")),
    (
        "ir_datasets",
        "x",
        {"readme.md": "x"},
        (
            "x: holds none of ir_datasets' parts\n"
            "    mend: save what `ir_datasets export` prints as docs.jsonl, queries.jsonl, qrels.txt, "
            "scoreddocs.txt"
        ),
    ),
    (
        "ir_datasets",
        "x",
        {"docs.tsv": "d1\ttitle\ttext\n"},
        (
            "x/docs.tsv:1: has 3 columns and no header, where doc_id, text are 2\n"
            "    mend: name its columns, such as --option doc-fields=doc_id,title,text"
        ),
    ),
    (
        "ir_datasets",
        "x",
        {"docs.tsv": "d1\ta\nd2\n"},
        (
            "x/docs.tsv:2: expected 2 columns with tabs between (doc_id, text), found 1\n"
            "    d2\n"
            "    mend: give every line all columns, and no more"
        ),
    ),
    (
        "ir_datasets",
        "x",
        {"docs.jsonl": '{"id": "d", "text": "a"}\n'},
        ('x/docs.jsonl:1: has no key doc_id\n    mend: write {"doc_id": ID, "text": TEXT} a line'),
    ),
    (
        "ir_datasets",
        "x",
        {"docs.jsonl": '{"doc_id": "d", "text": ["a"]}\n'},
        ('x/docs.jsonl:1: $.text: expected text, found a list\n    mend: write {"doc_id": ID, "text": TEXT} a line'),
    ),
    (
        "ir_datasets",
        "x",
        {"queries.jsonl": '{"query_id": "q", "text": "a"\n'},
        (
            "x/queries.jsonl:1: is not JSON: expecting ',' delimiter at column 30\n"
            '    {"query_id": "q", "text": "a"\n'
            '    mend: write {"query_id": ID, "text": TEXT} a line'
        ),
    ),
    (
        "ir_datasets",
        "x",
        {"queries.tsv": "q1\ta\nq1\tb\n"},
        ("x/queries.tsv:2: query_id q1 appears twice (first at x/queries.tsv:1)\n    mend: remove one of the two"),
    ),
    (
        "ir_datasets",
        "x",
        {"qrels.txt": "q1 0 d1\n"},
        (
            "x/qrels.txt:1: expected 4 columns (query_id, iteration, doc_id, grade), found 3\n"
            "    q1 0 d1\n"
            "    mend: add what is missing, or name the columns in a header and pass --input-format "
            "csv or tsv"
        ),
    ),
    (
        "ir_datasets",
        "x",
        {"qrels.txt": "q1 0 d1 yes\n"},
        ("x/qrels.txt:1: grade 'yes' is not a number\n    q1 0 d1 yes\n    mend: write a number as the grade"),
    ),
    (
        "ir_datasets",
        "x",
        {"scoreddocs.txt": "q1 0 d1 1\n"},
        (
            "x/scoreddocs.txt:1: expected 6 columns (query_id, Q0, doc_id, rank, score, tag), found 4\n"
            "    q1 0 d1 1\n"
            "    mend: this looks like a qrels file: give runs first, qrels last; to `assay pool audit` qrels first"
        ),
    ),
    (
        "mteb",
        "x.json",
        "[]",
        (
            "x.json: $: expected an object, found a list\n"
            '    mend: write {"task_name": NAME, "scores": {SPLIT: [{"main_score": 0.5, "hf_subset": '
            "NAME}]}}, or {QUERY_ID: {DOC_ID: SCORE}}"
        ),
    ),
    (
        "mteb",
        "x.json",
        "{}",
        (
            "x.json: $: holds no query\n"
            '    mend: write {"task_name": NAME, "scores": {SPLIT: [{"main_score": 0.5, "hf_subset": '
            "NAME}]}}, or {QUERY_ID: {DOC_ID: SCORE}}"
        ),
    ),
    (
        "mteb",
        "x.json",
        '{"mteb_version": "1", "scores": []}',
        (
            "x.json: $.scores: expected an object, found a list\n"
            '    mend: write {"task_name": NAME, "scores": {SPLIT: [{"main_score": 0.5, "hf_subset": '
            "NAME}]}}, or {QUERY_ID: {DOC_ID: SCORE}}"
        ),
    ),
    (
        "mteb",
        "x.json",
        '{"mteb_version": "1", "scores": {"test": {}}}',
        (
            "x.json: $.scores.test: expected a list, found an object\n"
            '    mend: write {"task_name": NAME, "scores": {SPLIT: [{"main_score": 0.5, "hf_subset": '
            "NAME}]}}, or {QUERY_ID: {DOC_ID: SCORE}}"
        ),
    ),
    (
        "mteb",
        "x.json",
        '{"mteb_version": "1", "scores": {"test": [{"ndcg_at_10": 1}]}}',
        (
            "x.json: $.scores.test[0]: has no key main_score\n"
            '    mend: write {"task_name": NAME, "scores": {SPLIT: [{"main_score": 0.5, "hf_subset": '
            "NAME}]}}, or {QUERY_ID: {DOC_ID: SCORE}}"
        ),
    ),
    (
        "mteb",
        "x.json",
        '{"mteb_version": "1", "scores": {}}',
        (
            "x.json: $: holds no score\n"
            '    mend: write {"task_name": NAME, "scores": {SPLIT: [{"main_score": 0.5, "hf_subset": '
            "NAME}]}}, or {QUERY_ID: {DOC_ID: SCORE}}"
        ),
    ),
    (
        "mteb",
        "x.json",
        '{"mteb_version": "1"}',
        (
            "x.json: $: holds no score\n"
            '    mend: write {"task_name": NAME, "scores": {SPLIT: [{"main_score": 0.5, "hf_subset": '
            "NAME}]}}, or {QUERY_ID: {DOC_ID: SCORE}}"
        ),
    ),
    (
        "mteb",
        "x.json",
        '{"q1": ["d1"]}',
        (
            "x.json: $.q1: expected an object, found a list\n"
            '    mend: write {"task_name": NAME, "scores": {SPLIT: [{"main_score": 0.5, "hf_subset": '
            "NAME}]}}, or {QUERY_ID: {DOC_ID: SCORE}}"
        ),
    ),
    (
        "mteb",
        "x.json",
        '{"q1": {"d1": "best"}}',
        ("x.json: $.q1.d1: score 'best' is not a number\n    mend: write a number as the score"),
    ),
    (
        "mteb",
        "x.json",
        '{"en": {"test": {"q": {"a": 1}}}, "de": {"test": {"q": {"a": 1}}}}',
        ("x.json: $: holds several subsets\n    mend: choose one by --option subset=NAME: en, de"),
    ),
    (
        "mteb",
        "x.json",
        '{"en": {"test": {"q": {"a": 1}}, "dev": {"q": {"a": 1}}}}',
        ("x.json: $.en: holds several splits\n    mend: choose one by --option split=NAME: test, dev"),
    ),
]


@pytest.mark.parametrize(("format", "name", "content", "expected"), BROKEN)
def test_a_broken_file_says_what_where_and_how_to_mend(tmp_path, format, name, content, expected):
    assert complain(tmp_path, format, name, content) == expected
