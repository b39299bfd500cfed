import pytest

from assay.errors import InputError
from assay.formats.recognise import read, recognise
from assay.tables import Document, Hit, Judgment, Topic


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def wrote(folder, content):
    (folder / "f").write_bytes(content if isinstance(content, bytes) else content.encode())
    return "f"


@pytest.mark.parametrize(
    ("content", "row", "format"),
    [
        ("q Q0 d 1 0.5 t\n", Hit, "trec"),
        ("q\tQ0\td\t1\t0.5\tt\n", Hit, "trec"),
        ("# a comment, with, commas\nq Q0 d,e 1 0.5 t\n", Hit, "trec"),
        ("\ufeffq 0 d 1\r\n", Judgment, "trec"),
        ("q 0 d 1\n".encode("utf-16"), Judgment, "trec"),
        ("q\td\t1\n", Judgment, "trec"),
        ("qid\tdocno\tscore\n1\t2\t3\n", Hit, "tsv"),
        ("qid,docno,rank\n1,2,3\n", Hit, "csv"),
        ('{"qid": 1, "docno": 2, "rank": 1}\n', Hit, "jsonl"),
        ("1\tsome words\n", Topic, "tsv"),
        ("query_id;text\n1;some words\n", Topic, "csv"),
        ('{"id": 1}', Document, "jsonl"),
    ],
)
def test_the_format_is_known_by_the_content(folder, content, row, format):
    assert recognise(wrote(folder, content), row) == format


def test_a_file_is_recognised_by_its_beginning_alone(folder):
    line = "query-é Q0 document-日本 1 0.5 tag\n"
    assert recognise(wrote(folder, line * 5000), Hit) == "trec"
    assert len(read("f", Hit)) == 5000
    assert recognise(wrote(folder, ("query_id,doc_id,score\n" + "q,é,1\n" * 20000).encode("utf-16")), Hit) == "csv"


def test_two_formats_that_fit_equally_are_refused_and_can_be_chosen(folder):
    wrote(folder, "query_id\tdoc_id\tscore\t2024\t2025\tx\nq\td\t7\t3\t4\t5\n")
    with pytest.raises(InputError) as caught:
        read("f", Hit)
    assert str(caught.value) == (
        "f:1: can be read in 2 ways that fit equally: TSV or TREC lines\n"
        "    mend: say which with --input-format trec, csv or tsv"
    )
    assert read("f", Hit, format="tsv").frame == {"query_id": ["q"], "doc_id": ["d"], "score": [7.0]}
    assert read("f", Hit, format="trec").frame["score"] == [2025.0, 4.0]


@pytest.mark.parametrize(
    ("content", "row", "text"),
    [
        (
            "q Q0 d 1 0.5\nq Q0 e 2 0.4\n",
            Hit,
            "f:1: expected 6 columns (query_id, Q0, doc_id, rank, score, tag), found 5\n",
        ),
        ("q1 0 d1 1\nq1 0 d2\n", Judgment, "f:2: expected 4 columns (query_id, iteration, doc_id, grade), found 3\n"),
        (
            "q,Q0,d,1,0.5,t\n",
            Hit,
            "f:1: no column for query_id (nor for doc_id, score or rank) among q, Q0, d, 1, 0.5, t\n",
        ),
        (
            "qid,docid,scoer\nq,d,1\n",
            Hit,
            "f:1: no column for score or rank among qid, docid, scoer; did you mean scoer?\n",
        ),
        ("some words here\n", Topic, "f:1: is in no format that holds topics\n"),
        ("", Hit, "f: is empty\n"),
        (" \n\n", Hit, "f: holds nothing but blank lines\n"),
        ("query_id,doc_id,score\n", Hit, "f:1: has a header and no rows\n"),
        (b"PK\x03\x04rest", Judgment, "f: is an Excel workbook or a zip archive\n"),
        (b"BZh91AY", Judgment, "f: is compressed with bzip2\n"),
        (bytes(range(256)), Hit, "f:1: is a binary file, not lines of text\n"),
    ],
)
def test_what_fits_nothing_is_refused_with_the_likeliest_reason(folder, content, row, text):
    with pytest.raises(InputError) as caught:
        read(wrote(folder, content), row)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    ("options", "row", "text"),
    [
        (
            {"format": "cvs"},
            Hit,
            "--input-format: unknown format cvs; did you mean csv?\n    mend: choose trec, csv, tsv,",
        ),
        (
            {"format": "trec"},
            Topic,
            "f: topics have no TREC form\n    mend: choose --input-format csv, tsv, jsonl,",
        ),
        ({"format": "trec", "columns": "doc_id=sku"}, Hit, "f: TREC lines have no column names\n"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(folder, options, row, text):
    with pytest.raises(InputError) as caught:
        read(wrote(folder, "q Q0 d 1 0.5 t\n"), row, **options)
    assert str(caught.value).startswith(text)


@pytest.mark.shared
def test_the_files_of_real_collections_are_read(shared):
    data = shared / "data" / "collections"
    assert len(read(data / "vaswani/queries.tsv", Topic)) == 93
    assert len(read(data / "vaswani/docs.jsonl.gz", Document)) == 11_429
    assert len(read(data / "vaswani/qrels.txt", Judgment)) == 2_083
    assert len(read(data / "robust03/qrels.txt.gz", Judgment)) == 128_796
    assert len(read(data / "dbpedia_entity_v2/qrels-v2.txt.gz", Judgment)) == 49_280
    assert len(read(data / "dbpedia_entity_v2/queries-v2.txt", Topic)) == 467
    assert len(read(data / "chorus_ratings/rated.csv", Judgment)) == 3_668
    assert len(read(data / "chorus_ratings/individual_ratings.csv", Judgment, columns="grade=final")) == 3_188
    ratings = read(data / "codesearchnet_annotations/annotations.csv.gz", Judgment, columns="doc_id=url")
    assert len(ratings) == 4_006
    junk = read(data / "trec_eval_tests/results.trunc.gz", Hit)
    assert junk.frame["query_id"][:2] == ["301", "303"]
    commented = read(data / "trec_eval_tests/qrels.test.with-comments.gz", Judgment)
    assert len(commented) == len(read(data / "trec_eval_tests/qrels.test.gz", Judgment))
    assert "CR#93E-1860" in commented.frame["doc_id"]  # a mark inside a line is part of an id


@pytest.mark.parametrize("content", ['{"q1": {"d1": 1, "d2": 3}}\n', '{\n "q1": {"d1": 1},\n "q2": {}\n}\n'])
@pytest.mark.parametrize(("row", "format"), [(Hit, "ranx-run"), (Judgment, "ranx-qrels")])
def test_an_object_of_numbers_is_said_to_need_a_format(folder, content, row, format):
    with pytest.raises(InputError) as caught:
        read(wrote(folder, content), row)
    assert str(caught.value) == (
        "f: is one JSON object of queries, documents and numbers, which several tools write alike\n"
        f"    mend: say which by --input-format {format}"
    )


def test_an_object_on_several_lines_is_no_file_of_lines(folder):
    with pytest.raises(InputError) as caught:
        read(wrote(folder, '{\n  "results": [\n    1\n  ]\n}\n'), Hit)
    assert str(caught.value) == (
        "f: is one JSON object on several lines, in no format that is recognised\n"
        "    mend: say which by --input-format, or write one JSON object a line"
    )


def test_lines_that_begin_with_a_nested_object_are_lines(folder):
    line = '{"fields": {"price": 3}, "doc_id": "d1"}\n'
    assert recognise(wrote(folder, line), Document) == "jsonl"
    assert recognise(wrote(folder, line + line), Document) == "jsonl"
