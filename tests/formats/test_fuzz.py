"""Broken files by the thousand: each ends in rows or in an error with a place, and rows are never other rows.

The samples are written by hand, not by our writers. `ASSAY_SOAK=1` multiplies the numbers by 50.
"""

import gzip
import io
import os
import random

import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.formats.recognise import ALL, read, recognise
from assay.formats.trec import parse_qrels, parse_run
from assay.tables import Document, Hit, Judgment, Topic

SOAK = 50 if os.environ.get("ASSAY_SOAK") else 1
EXAMPLES = settings(max_examples=75 * SOAK, deadline=None)
ROWS = (Hit, Judgment, Topic, Document)

SAMPLES = {
    "run": b"q1 Q0 d1 1 9.5 t\nq1 Q0 d2 2 9.25 tag\nq2\tQ0\td\xc3\xa91\t1\t-1e-3\ttag\r\n# note\n\nq2 Q0 d3 2 -2 t x\n",
    "qrels": b"q1 0 d1 1\nq1 0 d2 0\n q2  0\td1 -1\nq2 0 d3 0.5",
    "csv": b'query_id,doc_id,grade,rater\r\nq1,"d,1",2,a\r\nq1,d2,0,b\r\n"q ""2""",d3,1.5,\r\n',
    "score csv": b"qid;docno;score;rank\nq1;007;0.75;1\nq1;9;0.5;2\n",
    "1252": "query;docid;rating\ncafé;d1;1\nköln;d2;0\n".encode("windows-1252"),
    "utf-16": "query_id\tdoc_id\tgrade\nq1\t日本\t1\nq2\td2\t0\n".encode("utf-16"),
    "topics": b"qid\tquery\tweight\tintent\n1\tred shoes\t3\tbuy\n2\tblue\t0.5\t\n",
    "bare topics": b'1\tred "shoes"\n2\t"blue" ones\n',
    "jsonl": b'{"qid": 1, "docid": "d1", "rel": 2}\n{"qid": "q", "docid": "d2", "rel": 0.5, "rater": null}\n',
    "docs": b'{"_id": "d1", "title": "t", "text": "a\\u00e9b"}\n{"_id": 7, "text": "\xe6\x97\xa5"}\n',
    "comma trec": b"q1,Q0,d1,1,0.5,t\n",
}
PIECES = [
    *b"\0 \t\r\n,;|\"'#{}[]:\\.-+eE09\xff\xe9\x80\xc3\x1a\x0b",
    *(b"nan", b"inf", b"1e999", b"1_0", b"\xef\xbb\xbf", b"\xff\xfe", b"\\ud800", b"NaN", b"null", b"true", b"1.0"),
    *(b"1.23E+12", b"0,5", b"\r\n\r\n", b"\n\n", b'""', b"  ", b"\xe2\x80\xa8", b"\xc2\xa0", b"[" * 2000, b"9" * 400),
]


def typed_samples():
    frame = pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "grade": [1.0, 0.0, 2.0]})
    for save in ("write_parquet", "write_ipc", "write_ipc_stream"):
        held = io.BytesIO()
        getattr(frame, save)(held)
        yield save, held.getvalue()


def broken(data, chance):
    """The bytes with one to four things changed: bytes, pieces, lines or the length."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(data))
        kind = chance.randrange(7)
        piece = chance.choice(PIECES)
        piece = bytes([piece]) if isinstance(piece, int) else piece
        if kind == 0:
            data[at:at] = piece
        elif kind == 1:
            data[at : at + len(piece)] = piece
        elif kind == 2:
            del data[at : at + chance.randint(1, 8)]
        elif kind == 3:
            del data[at:]
        elif kind == 4 and data:
            data[at - 1] ^= 1 << chance.randrange(8)
        elif kind == 5:
            lines = bytes(data).split(b"\n")
            chance.shuffle(lines)
            data = bytearray(b"\n".join(lines))
        else:
            data[at:at] = data[at : at + chance.randint(1, 40)]
    return bytes(data)


def outcome(data, row, format=None, columns=None):
    """Rows, or the error with its place; anything else fails the test."""
    source = io.BytesIO(data)
    source.name = "broken"
    block = or_error(lambda: read(source, row, format=format, columns=columns))
    if isinstance(block, InputError):
        assert block.where.startswith(("broken", "--")), str(block)
        str(block).encode("utf-8")
    else:
        check(block, row)


def or_error(do):
    try:
        return do()
    except InputError as error:
        return error


def check(block, row):
    """What is accepted is whole: text ids, finite numbers, a place for every row."""
    frame = block.frame if block.is_small else block.frame.to_dict(as_series=False)
    assert len(block) > 0
    assert {len(column) for column in frame.values()} == {len(block)}
    for name in ("query_id", "doc_id"):
        for one in frame.get(name, ()):
            assert isinstance(one, str)
            assert one
            one.encode("utf-8")
    for name in {Hit: ["score"], Judgment: ["grade"]}.get(row, []):
        assert all(isinstance(one, float) and abs(one) < float("inf") for one in frame.get(name, ()))
    places = [block.place(at) for at in range(len(block))]
    assert len(set(places)) == len(places)
    assert row is not Hit or "score" in frame or "rank" in frame
    block.polars()


@pytest.mark.parametrize("name", [*SAMPLES, "write_parquet", "write_ipc", "write_ipc_stream"])
def test_a_broken_file_ends_in_rows_or_in_an_error_with_a_place(name):
    chance = random.Random(f"assay {name}")
    typed = dict(typed_samples())
    whole = SAMPLES.get(name) or typed[name]
    for number in range((60 if name in typed else 300) * SOAK):
        data = broken(whole, chance)
        row = ROWS[number % 4]
        outcome(data, row)
        outcome(data, row, format=chance.choice(ALL))
        if number % 10 == 0:
            outcome(data, Judgment, columns="doc_id=docid,grade=rating")


@pytest.mark.parametrize("pack", [lambda data: gzip.compress(data, mtime=0), zstandard.compress])
def test_a_broken_compressed_file_ends_in_rows_or_in_an_error_with_a_place(pack):
    chance = random.Random("assay packed")
    whole = pack(SAMPLES["run"] * 50)
    for _ in range(300 * SOAK):
        outcome(broken(whole, chance), Hit)


@EXAMPLES
@given(data=st.binary(max_size=300), row=st.sampled_from(ROWS), format=st.sampled_from([None, *ALL]))
def test_any_bytes_end_in_rows_or_in_an_error_with_a_place(data, row, format):
    outcome(data, row, format)


CELLS = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ["q1", "d1", "1", "0.5", "nan", "1.0", '"', ""]
)


@EXAMPLES
@given(
    header=st.lists(
        st.sampled_from(["query_id", "qid", "doc_id", "docno", "grade", "score", "text", "x", ""]), max_size=5
    ),
    lines=st.lists(st.lists(CELLS, max_size=5), max_size=5),
    separator=st.sampled_from(",;\t|"),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    codec=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    row=st.sampled_from(ROWS),
)
def test_any_cells_end_in_rows_or_in_an_error_with_a_place(header, lines, separator, ending, codec, row):
    text = ending.join(separator.join(cells) for cells in [header, *lines])
    outcome(text.encode(codec), row)


FIELDS = st.sampled_from(
    [b"q1", b"d1", b"\xc3\xa9", b"\xff", b"1", b"-1", b"0.5", b"1e3", b"nan", b"inf", b"1_0", b"#"]
)
BLANKS = st.sampled_from([b" ", b"\t", b"  ", b" \t", b"\v", b"\r"])


@st.composite
def trec_lines(draw):
    """Lines of about the right number of fields, with white space of all kinds, and what a plain reading gives."""
    lines = draw(st.lists(st.lists(FIELDS, min_size=0, max_size=8), max_size=6))
    return b"\n".join(draw(BLANKS).join(fields) for fields in lines)


def slowly(data, width, exact, numbers):
    """A reading of TREC lines without any shortcut: rows, or None where one line is not right."""
    found = []
    for line in data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        if len(fields) < width or (exact and len(fields) > width):
            return None
        try:
            ids = [fields[0].decode(), fields[2].decode()]
            if any(fields[at].lower().strip(b"+-") in (b"nan", b"inf") or b"_" in fields[at] for at in numbers):
                return None
            values = [float(fields[at]) for at in numbers]
        except ValueError:
            return None
        if width == 6 and not fields[3].isdigit():
            return None
        found.append((*ids, *values))
    return found or None


@settings(EXAMPLES, max_examples=200 * SOAK)
@given(data=trec_lines())
def test_the_quick_and_a_plain_reading_of_trec_lines_agree(data):
    for parse, width, exact, numbers, names in (
        (parse_run, 6, False, (4, 3), ("score", "rank")),
        (parse_qrels, 4, True, (3,), ("grade",)),
    ):
        expected = slowly(data, width, exact, numbers)
        block = or_error(lambda parse=parse: parse(data, "f"))
        if expected is None:
            assert isinstance(block, InputError)
            assert block.where
        else:
            columns = (block.frame[name] for name in ("query_id", "doc_id", *names))
            assert expected == list(zip(*columns, strict=True))


@pytest.mark.parametrize("name", SAMPLES)
def test_recognition_says_the_same_of_a_file_as_reading_it(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chance = random.Random(f"recognise {name}")
    for number in range(30 * SOAK):
        (tmp_path / "broken").write_bytes(broken(SAMPLES[name], chance))
        row = ROWS[number % 4]
        format = or_error(lambda row=row: recognise("broken", row))
        if isinstance(format, InputError):
            assert format.where
            assert isinstance(or_error(lambda row=row: read("broken", row)), InputError)
        else:
            assert format in ALL
