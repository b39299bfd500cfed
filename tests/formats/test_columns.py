import json

import polars as pl
import pytest

from assay.errors import InputError
from assay.formats.recognise import ALL, read, recognise, write
from assay.tables import Document, Hit, Judgment, Topic

JUDGMENTS = {"query_id": ["q1", "q1", "q2"], "doc_id": ["007", "9", "日本"], "grade": [2.0, 0.0, 0.5]}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def wrote(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def refused(folder, name, content, row=Judgment, **options):
    wrote(folder, name, content)
    with pytest.raises(InputError) as caught:
        read(name, row, **options)
    return str(caught.value)


def rows(block):
    return block.frame if block.is_small else block.frame.to_dict(as_series=False)


CSV = "query_id,doc_id,grade\nq1,007,2\nq1,9,0\nq2,日本,0.5\n"


@pytest.mark.parametrize(
    ("content", "called"),
    [
        (CSV, "csv"),
        (CSV.replace(",", ";"), "csv"),
        (CSV.replace(",", "|"), "csv"),
        (CSV.replace(",", "\t"), "tsv"),
        (CSV.replace("\n", "\r\n"), "csv"),
        (CSV.replace("\n", "\r"), "csv"),
        (CSV.replace("007", '"007"').replace("query_id", '"query_id"'), "csv"),
        (CSV.replace(",", " , "), "csv"),
        ("\ufeff" + CSV, "csv"),
        (CSV.encode("utf-16"), "csv"),
        (CSV.encode("utf-16-le"), "csv"),
        (CSV.replace("q1,9,0", "q1,9,0,,") + ",,\n", "csv"),
        ("\n" + CSV.replace("q1,9", "\n\nq1,9"), "csv"),
    ],
)
def test_csv_and_tsv_in_every_dress_give_the_same_rows(folder, content, called):
    wrote(folder, "a", content)
    assert recognise("a", Judgment) == called
    assert rows(read("a", Judgment)) == JUDGMENTS


def test_the_lines_of_rows_are_right_behind_blank_lines_and_cells_of_several_lines(folder):
    block = read(wrote(folder, "a.csv", 'query_id,doc_id,grade,why\n\nq,a,1,"two\nlines"\n\nq,b,2,x\n'), Judgment)
    assert [block.place(0), block.place(1)] == ["a.csv:3", "a.csv:6"]


def test_what_was_recognised_is_named(folder):
    semicolons = read(wrote(folder, "a.csv", "qid;Doc ID;Rating\ncafé;d;1\n".encode("windows-1252")), Judgment)
    assert rows(semicolons) == {"query_id": ["café"], "doc_id": ["d"], "grade": [1.0]}
    assert semicolons.facts == (
        "a.csv: read as Windows-1252, semicolons between the columns",
        "a.csv: read column qid as query_id, Rating as grade",
    )
    utf16 = read(wrote(folder, "b.tsv", "query_id\tdoc_id\tgrade\nq\td\t1\n".encode("utf-16")), Judgment)
    assert utf16.facts == ("b.tsv: read as UTF-16, tabs between the columns",)
    assert read(wrote(folder, "c.csv", CSV), Judgment).facts == ()


def test_a_file_that_is_utf8_in_one_place_only_is_refused(folder):
    content = "query_id,doc_id,grade\nq,é,1\n".encode() + b"q,\xe9,1\n"
    assert refused(folder, "a.csv", content) == "a.csv:3: byte 0xe9 is not UTF-8\n    mend: save the file as UTF-8"


def test_a_decimal_comma_is_refused_with_its_place(folder):
    assert refused(folder, "a.csv", "query_id;doc_id;grade\nq;d;1\nq;e;0,5\n") == (
        "a.csv:3: grade '0,5' has a decimal comma\n    q;e;0,5\n    mend: write it with a decimal point"
    )
    assert refused(folder, "b.csv", 'query_id,doc_id,grade\nq,d,"1,5"\n').startswith(
        "b.csv:2: grade '1,5' has a decimal comma"
    )


@pytest.mark.parametrize("odd", ["1.23E+12", "1,23E+12", "1e+15", "#N/A", "#REF!", "########"])
def test_an_id_that_a_spreadsheet_has_damaged_is_refused_with_its_place(folder, odd):
    assert refused(folder, "a.csv", f"query_id;doc_id;grade\nq;d;1\nq;{odd};0\n") == (
        f"a.csv:3: doc_id '{odd}' was damaged by a spreadsheet\n"
        f"    q;{odd};0\n"
        "    mend: export the doc_id column as text"
    )


def test_ids_that_end_in_point_zero_are_refused_unless_others_are_versions(folder):
    assert refused(folder, "a.csv", "query_id,doc_id,grade\n1.0,a,1\n2.0,b,0\n3.0,c,0\n4.0,c,0\n") == (
        "a.csv:2: query_id '1.0' ends in .0: a spreadsheet took the id for a number\n"
        "    1.0,a,1\n"
        "    mend: export the query_id column as text\n"
        "\n"
        "a.csv:3: query_id '2.0' ends in .0: a spreadsheet took the id for a number\n"
        "a.csv:4: query_id '3.0' ends in .0: a spreadsheet took the id for a number\n"
        "and 1 more. Nothing was written."
    )
    versions = read(wrote(folder, "b.csv", "query_id,doc_id,grade\nq,1.0,1\nq,1.1,0\n"), Judgment)
    assert versions.frame["doc_id"] == ["1.0", "1.1"]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("q,d", "a.csv:3: expected 3 columns, found 2\n    q,d\n"),
        ("q,d,1,2", "a.csv:3: expected 3 columns, found 4\n    q,d,1,2\n"),
        ('q,"d,1', 'a.csv:3: a quote is not closed\n    q,"d,1\n'),
        ('q,"d"x,1', 'a.csv:3: quotes inside a cell are not doubled\n    q,"d"x,1\n'),
        ("q,,1", "a.csv:3: doc_id is missing\n    q,,1\n"),
        ("q,d,", "a.csv:3: grade is missing\n    q,d,\n"),
        ("q,d,high", "a.csv:3: the grade 'high' is a word\n    q,d,high\n"),
        ("q,d,NaN", "a.csv:3: grade is NaN\n    q,d,NaN\n"),
    ],
)
def test_a_bad_line_is_refused_with_itself(folder, line, text):
    assert refused(folder, "a.csv", f"query_id,doc_id,grade\nq,a,1\n{line}\n").startswith(text)


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (
            "query_id,dcoid,grade",
            "a.csv:1: no column for doc_id among query_id, dcoid, grade; did you mean dcoid?\n"
            "    mend: name the column doc_id, or pass --columns doc_id=dcoid",
        ),
        (
            "query_id,sku,grade",
            "a.csv:1: no column for doc_id among query_id, sku, grade\n"
            "    mend: name the column doc_id, or pass --columns doc_id=NAME",
        ),
        (
            "query_id,doc_id,grade,grade",
            "a.csv:1: 2 columns could be grade: 'grade' and 'grade'\n    mend: give each column a name of its own",
        ),
        ("query_id,doc_id,label,rating", "a.csv:1: 2 columns could be grade: 'label' and 'rating'\n"),
    ],
)
def test_a_header_that_does_not_say_what_is_what_is_refused(folder, header, text):
    cells = ",".join("1" * len(header.split(",")))
    assert refused(folder, "a.csv", f"{header}\n{cells}\n").startswith(text)


def test_columns_can_be_named_by_the_user(folder):
    name = wrote(folder, "a.csv", "query,sku,rating,label\nq,d,1,2\n")
    for columns in ({"doc_id": "sku", "grade": "label"}, "doc_id=sku, grade=label"):
        assert rows(read(name, Judgment, columns=columns)) == {"query_id": ["q"], "doc_id": ["d"], "grade": [2.0]}
    for columns, text in {
        "doc_id=skuu": "a.csv:1: no column skuu; did you mean sku?\n    mend: the columns are query, sku, rating, la",
        "docid=sku": "--columns: unknown field docid; did you mean doc_id?\n",
        "doc_id": "--columns: 'doc_id' is not FIELD=COLUMN\n",
        "doc_id=sku,doc_id=label": "--columns: doc_id is given twice\n",
        "doc_id=sku,grade=sku": "--columns: column sku is given to two fields\n",
    }.items():
        with pytest.raises(InputError) as caught:
            read(name, Judgment, columns=columns)
        assert str(caught.value).startswith(text)


def test_topics_keep_their_segments_and_need_no_header(folder):
    block = read(
        wrote(folder, "t.csv", "qid,query,weight,intent,device\n1,red shoes,30,buy,\n2,shoes,,,phone\n"), Topic
    )
    assert rows(block) == {
        "query_id": ["1", "2"],
        "text": ["red shoes", "shoes"],
        "weight": [30.0, None],
        "intent": ["buy", None],
        "device": [None, "phone"],
    }
    bare = read(wrote(folder, "queries.tsv", '1\tred "shoes\n2\t"to be" or not\n3\t"all"\n'), Topic)
    assert rows(bare) == {"query_id": ["1", "2", "3"], "text": ['red "shoes', '"to be" or not', "all"]}
    assert bare.facts == ("queries.tsv: has no header; its two columns are read as query_id and text",)
    assert bare.place(2) == "queries.tsv:3"


def test_a_topic_or_document_that_appears_twice_is_refused(folder):
    assert refused(folder, "t.csv", "query_id,text\n1,a\n2,b\n1,c\n", Topic) == (
        "t.csv:4: query_id 1 appears twice (first at t.csv:2)\n    1,c\n    mend: remove one of the two"
    )
    assert refused(folder, "d.jsonl", '{"id": "a"}\n{"id": "a"}\n', Document).startswith(
        "d.jsonl:2: doc_id a appears twice (first at d.jsonl:1)"
    )


def test_json_lines_keep_the_text_of_numbers(folder):
    long = "9" * 40
    content = f'{{"_id": {long}, "title": "t", "text": "a\\u2028b"}}\n\n{{"_id": "007", "text": "x"}}\n'
    block = read(wrote(folder, "docs.jsonl", content), Document)
    assert rows(block) == {"doc_id": [long, "007"], "title": ["t", ""], "text": ["a\u2028b", "x"]}
    assert block.place(1) == "docs.jsonl:3"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"qid": 1.0, "docid": "d", "rel": 1}', "query_id 1.0 is a decimal number"),
        ('{"qid": true, "docid": "d", "rel": 1}', "query_id True is a truth value, not an id"),
        ('{"qid": ["q"], "docid": "d", "rel": 1}', "query_id ['q'] is a list, not an id"),
        ('{"qid": "q", "docid": "d", "rel": NaN}', "NaN is not a number"),
        ('{"qid": "q", "docid": "d", "rel": true}', "grade is true, not a number"),
        ('{"qid": "q", "docid": "d"}', "grade is missing"),
        ('{"qid": "q", "qid": "r", "docid": "d", "rel": 1}', "the key qid appears twice"),
        ('{"qid": "\\ud800", "docid": "d", "rel": 1}', "holds text that is not valid Unicode"),
        ('{"qid": "q", "docid": "d", "rel": 1, "\\ud800": 1}', "holds text that is not valid Unicode"),
        ('{"qid": "q", "docid"', "is not JSON: expecting ':' delimiter at column 21"),
        ("[1]", "expected a JSON object, found [1]"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_bad_json_line_is_refused_with_its_place(folder, line, text):
    content = '{"qid": "a", "docid": "d", "rel": 1}\n' + line + "\n"
    assert refused(folder, "q.jsonl", content).startswith(f"q.jsonl:2: {text}\n")


def test_whole_json_documents_are_told_from_json_lines(folder):
    assert refused(folder, "q.json", '[{"qid": 1}]').startswith("q.json:1: is a JSON list, not JSON lines\n")
    whole = refused(folder, "q.json", json.dumps({"q": {"d": 1}}, indent=1))  # a shape that other tools write
    assert whole.startswith("q.json: is one JSON object of queries, documents and numbers")
    assert "--input-format" in whole


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_typed_files_give_ids_as_text_and_refuse_what_is_none(folder, format):
    def save(**columns):
        frame = pl.DataFrame(columns)
        (frame.write_parquet if format == "parquet" else frame.write_ipc)(f"a.{format}")
        assert recognise(f"a.{format}", Judgment) == format

    save(qid=pl.Series([2**63 + 1, 9], dtype=pl.UInt64), docid=["007", "x"], rel=pl.Series([1, 0], dtype=pl.Int8))
    block = read(f"a.{format}", Judgment)
    assert rows(block) == {"query_id": [str(2**63 + 1), "9"], "doc_id": ["007", "x"], "grade": [1.0, 0.0]}
    assert block.place(1) == f"a.{format}, row 2"
    for qid, rel, text in (
        ([1.0, 2.5], [1, 0], "row 1: query_id 1.0 is a decimal number"),
        (["q", None], [1, 0], "row 2: query_id is missing"),
        (["q", ""], [1, 0], "row 2: query_id is missing"),
        (["q", "r"], [1.0, float("nan")], "row 2: grade is NaN"),
        (["q", "r"], [float("inf"), 1.0], "row 1: grade is infinite"),
        (["q", "r"], [1, None], "row 2: grade is missing"),
        (["q", "r"], ["1", "high"], "row 2: the grade 'high' is a word"),
        (["q", "r"], [True, False], "row 1: grade is true, not a number"),
        (["q", "r"], [[1], [2]], "row 1: grade [1] is not a number"),
    ):
        save(qid=qid, docid=["a", "b"], rel=rel)
        with pytest.raises(InputError) as caught:
            read(f"a.{format}", Judgment)
        assert str(caught.value).startswith(f"a.{format}, {text}\n")


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_a_typed_file_that_is_not_whole_is_refused(folder, format):
    write(pl.DataFrame(JUDGMENTS), f"a.{format}", format)
    content = (folder / f"a.{format}").read_bytes()
    assert refused(folder, f"b.{format}", content[: len(content) // 2]).startswith(f"b.{format}: is not a whole ")


def test_an_arrow_stream_is_read_as_well_as_an_arrow_file(folder):
    pl.DataFrame(JUDGMENTS).write_ipc_stream("a.arrows")
    assert rows(read("a.arrows", Judgment)) == JUDGMENTS


@pytest.mark.parametrize("format", ALL)
@pytest.mark.parametrize("ending", ["", "-"])
def test_what_is_written_reads_back(folder, format, ending, capfdbinary):
    run = {"query_id": ["q1", "q1"], "doc_id": ["007", "日本"], "score": [0.1, -1e-300], "rank": [1, 2]}
    for table, row in ((JUDGMENTS, Judgment), (run, Hit)):
        write(table, ending or "out", format, row)
        if ending:
            (folder / "out").write_bytes(capfdbinary.readouterr().out)
        assert recognise("out", row) == format
        assert rows(read("out", row)) == table


def test_a_large_csv_file_is_read_and_refused_as_a_small_one(folder, monkeypatch):
    from assay.formats import delimited

    small = read(wrote(folder, "a.csv", CSV.replace(",", ";")), Judgment)
    monkeypatch.setattr(delimited, "_LARGE", 1)
    large = read("a.csv", Judgment)
    assert not large.is_small
    assert rows(large) == rows(small) == JUDGMENTS
    assert large.facts == small.facts
    assert [large.place(row) for row in range(3)] == ["a.csv:2", "a.csv:3", "a.csv:4"]
    for line in ("q,d", "q,d,x", "q,,1", "q,1.23E+12,1", 'q,"d,1', "q,d,"):
        text = refused(folder, "b.csv", f"query_id,doc_id,grade\n\nq,a,1\n{line}\n")
        assert text.startswith("b.csv:4: ")
        assert f"\n    {line}\n" in text
