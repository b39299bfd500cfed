import gzip

import pytest
import zstandard

from assay.errors import InputError
from assay.formats.trec import format_qrels, format_run, parse_qrels, parse_run, read_qrels, read_run

CLEAN = b"q1 Q0 d1 1 0.75 t\nq1 Q0 d2 2 0.5 t\nq2 Q0 d1 1 -1e-3 t\n"
ROWS = {
    "query_id": ["q1", "q1", "q2"],
    "doc_id": ["d1", "d2", "d1"],
    "score": [0.75, 0.5, -0.001],
    "rank": [1, 2, 1],
}


def refused(parse, data, name="a.run", first_line=1):
    with pytest.raises(InputError) as caught:
        parse(data, name, first_line)
    return str(caught.value)


def test_a_clean_run_keeps_every_row_with_its_line():
    block = parse_run(CLEAN, "a.run")
    assert block.frame == ROWS
    assert [block.place(row) for row in range(3)] == ["a.run:1", "a.run:2", "a.run:3"]
    assert block.facts == ()


@pytest.mark.parametrize(
    "data",
    [
        CLEAN.rstrip(b"\n"),
        CLEAN.replace(b"\n", b"\r\n"),
        CLEAN.replace(b"\n", b"\r"),
        CLEAN.replace(b" ", b"\t"),
        CLEAN.replace(b" Q0 ", b"\t Q0  "),
        b"\xef\xbb\xbf" + CLEAN,
        CLEAN.decode().encode("utf-16"),
        CLEAN.replace(b"q1", b"  q1").replace(b" t\n", b" t  \n"),
        CLEAN.replace(b" t\n", b" t more at the end\n"),
        CLEAN.replace(b" ", b"\v"),
        CLEAN + b"\n\n",
    ],
    ids=[
        "no last line feed",
        "CRLF",
        "CR",
        "tabs",
        "mixed",
        "BOM",
        "UTF-16",
        "padded",
        "more fields",
        "VT",
        "blank end",
    ],
)
def test_blanks_line_ends_and_marks_change_nothing(data):
    block = parse_run(data, "a.run")
    assert block.frame == ROWS
    assert [block.place(row) for row in range(3)] == ["a.run:1", "a.run:2", "a.run:3"]


def test_comments_and_blank_lines_are_skipped_and_lines_still_counted():
    data = b"# made by x\r\n\r\nq1 Q0 d#1 1 0.75 t\r\n   # again\r\nq1 Q0 d2 2 0.5 t\r\n"
    block = parse_run(data, "a.run")
    assert block.frame["doc_id"] == ["d#1", "d2"]
    assert [block.place(0), block.place(1)] == ["a.run:3", "a.run:5"]
    assert block.facts == ("a.run: 2 comment lines (starting with #) skipped",)


def test_lines_of_a_part_are_counted_from_its_first():
    block = parse_run(CLEAN, "a.run", first_line=1001)
    assert block.place(2) == "a.run:1003"
    assert refused(parse_run, CLEAN + b"bad\n", "a.run", 1001).startswith("a.run:1004: expected 6 columns")


def test_ids_stay_what_they_are():
    ids = ["007", "9", "10", str(2**63 + 1), "1" * 40, "日本語", "naïve", "a\u00a0b", "x\u2028y", "1e5", "#", "d,e"]
    run = "".join(f"q Q0 {one} {rank} {-rank} t\n" for rank, one in enumerate(ids, 1)).encode()
    assert parse_run(run, "a.run").frame["doc_id"] == ids
    assert parse_run(run.replace(b" Q0", b"  Q0", 1).replace(b" t\n", b" t u\n", 1), "a.run").frame["doc_id"] == ids
    qrels = "".join(f"{one} 0 {one} 1\n" for one in ids if one != "#").encode()
    assert parse_qrels(qrels, "a.qrels").frame["query_id"] == [one for one in ids if one != "#"]


def test_qrels_take_whole_fractional_and_negative_grades():
    block = parse_qrels(b"q 0 a 2\nq 0 b -1\nq 0 c 0.25\nq 0 d +1\n", "a.qrels")
    assert block.frame == {"query_id": ["q"] * 4, "doc_id": list("abcd"), "grade": [2.0, -1.0, 0.25, 1.0]}


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_files_are_read_and_faults_located_in_compressed_ones_too(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    pack = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}[ending]
    (tmp_path / f"a.run{ending}").write_bytes(pack(CLEAN))
    (tmp_path / f"b.run{ending}").write_bytes(pack(b"# c\n\n" + CLEAN + b"q2 Q0 d9 2 nan t\n"))
    (tmp_path / f"a.qrels{ending}").write_bytes(pack(b"q1 0 d1 1\n"))
    assert read_run(f"a.run{ending}").frame == ROWS
    assert read_qrels(f"a.qrels{ending}").frame == {"query_id": ["q1"], "doc_id": ["d1"], "grade": [1.0]}
    with pytest.raises(InputError) as caught:
        read_run(f"b.run{ending}")
    assert str(caught.value) == (
        f"b.run{ending}:6: score is NaN\n    q2 Q0 d9 2 nan t\n    mend: give every row a score, or leave the row out"
    )


def test_a_line_with_a_column_missing_is_shown_with_the_first_three_and_the_count():
    data = CLEAN + b"q1 Q0 d3 3 t\n" * 5
    assert refused(parse_run, data) == (
        "a.run:4: expected 6 columns (query_id, Q0, doc_id, rank, score, tag), found 5\n"
        "    q1 Q0 d3 3 t\n"
        "    mend: add what is missing, or name the columns in a header and pass --input-format csv or tsv\n"
        "\n"
        "a.run:5: expected 6 columns (query_id, Q0, doc_id, rank, score, tag), found 5\n"
        "a.run:6: expected 6 columns (query_id, Q0, doc_id, rank, score, tag), found 5\n"
        "and 2 more. Nothing was written."
    )


def test_lines_that_make_up_for_one_another_are_still_refused():
    data = b"q1 Q0 d1 1 0.75\nt q1 Q0 d2 2 0.5 t\n"
    assert refused(parse_run, data).startswith("a.run:1: expected 6 columns")


@pytest.mark.parametrize(
    ("score", "what"),
    [
        ("nan", "score is NaN"),
        ("-NaN", "score is NaN"),
        ("inf", "score is infinite"),
        ("-Infinity", "score is infinite"),
        ("1e999", "score 1e999 is too large for a 64-bit number"),
        ("1_0", "score '1_0' is not a number"),
        ("0x10", "score '0x10' is not a number"),
        ("0,5", "score '0,5' has a decimal comma"),
        ("1.5.2", "score '1.5.2' is not a number"),
        ("١", "score '١' is not a number"),
        ("1-2", "score '1-2' is not a number"),
        ("n/a", "score 'n/a' is not a number"),
        (".", "score '.' is not a number"),
    ],
)
def test_a_score_that_is_no_finite_number_is_refused(score, what):
    assert refused(parse_run, f"q Q0 d 1 {score} t\n".encode()).startswith(f"a.run:1: {what}\n    q Q0 d 1 {score} t\n")
    assert refused(parse_qrels, f"q 0 d {score}\n".encode()).startswith(f"a.run:1: {what.replace('score', 'grade')}\n")


@pytest.mark.parametrize("rank", ["1.5", "-1", "x", "²", "9" * 40])
def test_a_rank_that_is_no_whole_number_shows_that_columns_have_moved(rank):
    assert refused(parse_run, f"q Q0 d {rank} 3 t\n".encode()) == (
        f"a.run:1: rank '{rank}' is not a whole number\n"
        f"    q Q0 d {rank} 3 t\n"
        "    mend: the columns are query_id Q0 doc_id rank score tag"
    )


def test_a_run_for_qrels_and_qrels_for_a_run_are_told_apart():
    swapped = "mend: this looks like a qrels file: give runs first, qrels last; to `assay pool audit` qrels first"
    assert swapped in refused(parse_run, b"q 0 d 1\n")
    assert refused(parse_qrels, CLEAN, "a.qrels").startswith(
        "a.qrels:1: expected 4 columns (query_id, iteration, doc_id, grade), found 6\n"
        "    q1 Q0 d1 1 0.75 t\n"
        "    mend: this looks like a run: give runs first, qrels last; to `assay pool audit` qrels first\n"
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\n \n", "a.run: holds nothing but blank lines"),
        (b"# only\n", "a.run: holds nothing but comment lines"),
        (CLEAN + b"q\0\1", "a.run:4: is a binary file, not lines of text"),
        (b"q Q0 \xff 1 1 t\n", r"a.run:1: id '\xff' is not UTF-8"),
        (b"\xff\xfeq", "a.run:1: starts like UTF-16 but is not"),
    ],
)
def test_what_is_no_text_with_rows_is_refused(data, text):
    assert refused(parse_run, data).startswith(text)


def test_a_long_line_is_shortened_and_control_characters_are_spelled():
    text = refused(parse_run, b"q \x1b[31m" + b"x" * 500)
    assert text.splitlines()[1] == "    " + ("q \\x1b[31m" + "x" * 500)[:100] + "..."


def test_written_rows_read_back():
    block = parse_run(CLEAN, "a.run")
    assert parse_run(format_run(block.frame), "b.run").frame == ROWS
    without = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [0.1, 0.2]}
    assert format_run(without) == b"q Q0 a 2 0.1 assay\nq Q0 b 1 0.2 assay\n"
    only_ranks = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "rank": [1, 2]}
    assert format_run(only_ranks) == b"q Q0 a 1 -1 assay\nq Q0 b 2 -2 assay\n"
    grades = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "grade": [2.0, -0.5]}
    assert format_qrels(grades) == b"q 0 a 2\nq 0 b -0.5\n"


@pytest.mark.parametrize("odd", ["a b", "", "a\n"])
def test_an_id_that_a_trec_line_cannot_hold_is_not_written(odd):
    with pytest.raises(InputError, match="holds white space"):
        format_qrels({"query_id": ["q"], "doc_id": [odd], "grade": [1.0]})


@pytest.mark.parametrize(
    ("parse", "data"), [(parse_run, b"q1 Q0 d1 1 0.75 t\n"), (parse_qrels, b"q1 0 d1 1\n")], ids=["run", "qrels"]
)
def test_a_byte_order_mark_inside_a_joined_file_is_refused(parse, data):
    mark = b"\xef\xbb\xbf"
    assert parse(mark + data, "a.run").frame["query_id"] == ["q1"]
    said = refused(parse, mark + data + mark + data)
    assert said.startswith("a.run:2: the line begins with a byte order mark, as where files were joined\n")
    assert parse(data.replace(b"d1", mark + b"d1"), "a.run").frame["doc_id"] == ["\ufeffd1"]
