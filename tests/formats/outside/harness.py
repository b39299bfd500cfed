"""What the tests of all outside formats share. A format's test file does five things, each in a line or two:

1. `sample("quepid-ratings.csv")` is a small file that we wrote after the documented shape (folder `samples/` here);
   `read(FORMAT, path, labels="esci", split="test")` reads it, `rows(carried, Judgment, "query_id", "grade")` are its
   rows as tuples, `lost(carried)` what it could not carry as {what: count}. Compare them with rows written by hand.
2. `claimed(path)` names the formats that take a file for theirs: assert that it is [FORMAT], and nothing else.
3. `round_trip(FORMAT, carried, folder)` writes the tables, reads them again and compares everything that is not named
   in `without`: `round_trip("msmarco", tricky(), tmp_path / "x", without={Topic: ("weight",)})`. `tricky()` has ids and
   texts with quotes, commas, tabs, line ends, a leading `=`, several scripts and both normal forms; give
   `tricky(blanks=False)` where the format's ids cannot hold white space, `lines=False` where they cannot hold
   line ends.
4. `encoded(text)` are the bytes of one text in every encoding that readers take (UTF-8 with and without mark, UTF-16,
   both line ends); `same_in(FORMAT, text, name, folder)` reads them all and compares. `latin=True` adds Windows-1252,
   which spreadsheets write and JSON never is.
5. Ten broken variants: a list of `Broken(what it shows, content, exact error text)`, and one parametrised test:

    @pytest.mark.parametrize("broken", BROKEN, ids=str)
    def test_a_broken_file_is_refused_with_its_place(broken: Broken, tmp_path: Path) -> None:
        refused(FORMAT, broken, tmp_path)

   The content is text or bytes, written to `broken.file` (so that the text begins `broken.file:2: ...`), or for a
   folder a dict of name to text, written below `broken.file`. The expected text is all that the user sees.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.formats.carried import OUTSIDE, Carried, Wishes
from assay.formats.claims import claims
from assay.formats.gathered import columns_of
from assay.label_maps import parse_label_map
from assay.tables import Block, Hit, Judgment, Topic, as_table

SAMPLES = Path(__file__).parent / "samples"
Content = str | bytes | Mapping[str, str | bytes]


def sample(name: str) -> Path:
    """A small file or folder that we wrote after the documented shape."""
    path = SAMPLES / name
    assert path.exists(), f"there is no sample {name}"
    return path


def read(format: str, path: str | os.PathLike[str], *, labels: str = "", **options: str) -> Carried:
    """A file as the format's reader gives it."""
    outside = OUTSIDE.find(format)
    wishes = Wishes(parse_label_map(labels) if labels else None, options)
    outside.check(wishes)
    return outside.read(os.fspath(path), wishes)


def claimed(path: str | os.PathLike[str]) -> list[str]:
    """The formats that take a file for theirs."""
    return [outside.name for outside in claims(os.fspath(path))]


def rows(carried: Carried, row: type, *fields: str, run: str = "") -> list[tuple[Any, ...]]:
    """The rows of one table (of a run by its name) as tuples, in the order of the file; absent columns are None."""
    runs = list(carried.runs.values())
    table = carried.tables[row] if row is not Hit else carried.runs[run] if run else runs[0]
    held = columns_of(table)
    nothing = [None] * len(table)
    return list(zip(*(held.get(name, nothing) for name in fields), strict=True))


def lost(carried: Carried) -> dict[str, int]:
    """What could not be carried over, with its number."""
    found: dict[str, int] = {}
    for one in carried.lost:
        found[one.what] = found.get(one.what, 0) + one.count
    return found


def round_trip(
    format: str,
    carried: Carried,
    target: Path,
    *,
    without: Mapping[type, Sequence[str]] | None = None,
    only: Iterable[type] | None = None,
    reading: Mapping[str, str] | None = None,
    **options: str,
) -> Carried:
    """Writes tables in a format, reads them again and compares them, whatever the order of rows.

    Args:
        format: the format.
        carried: the tables.
        target: a file or folder that is not there yet.
        without: columns that the format has no place for, by table.
        only: the tables that the format holds; all that are there when None.
        reading: options for reading.
        **options: options for writing.
    """
    outside = OUTSIDE.find(format)
    assert outside.write is not None, f"{format} has no writer"
    wishes = Wishes(None, options)
    outside.check(wishes)
    outside.write(carried, target, wishes)
    again = read(format, target, **(reading or {}))
    kept = set(only) if only is not None else {*carried.tables, *((Hit,) if carried.runs else ())}
    hidden = without or {}
    for row in kept - {Hit}:
        assert row in again.tables, f"{format} gave no {row.__name__} rows back"
        _same(carried.tables[row], again.tables[row], hidden.get(row, ()))
    if Hit in kept:
        assert set(again.runs) == set(carried.runs)
        for name, block in carried.runs.items():
            _same(block, again.runs[name], hidden.get(Hit, ()))
    return again


def _same(one: Block, other: Block, without: Sequence[str]) -> None:
    assert _sorted(one, without) == _sorted(other, without)


def _sorted(block: Block, without: Sequence[str]) -> list[tuple[tuple[str, Any], ...]]:
    """The rows without the columns that say nothing, sorted."""
    held = columns_of(block)
    plain = {"dimension": "relevance", "text": "", "title": ""}
    made = []
    for at in range(len(block)):
        row = [(name, values[at]) for name, values in held.items() if name not in without]
        made.append(tuple(sorted((k, v) for k, v in row if v is not None and v != plain.get(k))))
    return sorted(made, key=repr)


def block(row: type, *records: Mapping[str, Any]) -> Block:
    """Rows written by hand, as a block."""
    frame = as_table(list(records), row)
    return Block(frame.to_dict(as_series=False), lambda at: f"row {at + 1}", "by hand")


_QUERIES = [
    'rain "jacket", blue',
    "käse 起司 🧀",
    "cafe\u0301",
    "caf\u00e9",
    "=1+1",
    "-5 degrees",
    "+1 for rain",
    "@home",
    "50% off",
    "tab\tbed",
]
_WITH_LINES = "two\nlines"
_DOCS = ['SKU,"1"', "https://shop.example/p?id=1&c=a b", "Ünï-2", "0012", "100%"]


def tricky(*, blanks: bool = True, lines: bool = True, texts: bool = True, run: bool = False) -> Carried:
    """Tables whose ids and texts are hard to write: separators, quotes, line ends, formulas, scripts, normal forms.

    Args:
        blanks: whether ids have white space in them.
        lines: whether ids have line ends in them.
        texts: whether queries have a text of their own, else it is their id.
        run: whether there is a run too.
    """
    queries = [*_QUERIES, *([_WITH_LINES] if lines else [])]
    docs = list(_DOCS)
    if not blanks:
        queries, docs = [_joined(one) for one in queries], [_joined(one) for one in docs]
    topics = [{"query_id": one, "text": f"{one} what?" if texts else one} for one in queries]
    judged = [
        {"query_id": query, "doc_id": doc, "grade": float((i + j) % 4)}
        for i, query in enumerate(queries)
        for j, doc in enumerate(docs)
    ]
    hits = [
        {"query_id": query, "doc_id": doc, "score": float(len(docs) - j), "rank": j + 1}
        for query in queries
        for j, doc in enumerate(docs)
    ]
    tables: dict[type, Block] = {Topic: block(Topic, *topics), Judgment: block(Judgment, *judged)}
    return Carried("tricky", tables, {"bm25": block(Hit, *hits)} if run else {})


def _joined(text: str) -> str:
    return "_".join(text.split())


def encoded(text: str, *, latin: bool = False) -> dict[str, bytes]:
    """One text as bytes, in every encoding and with every line end that readers take."""
    windows = text.replace("\r\n", "\n").replace("\n", "\r\n")
    made = {
        "UTF-8": text.encode("utf-8"),
        "UTF-8 with a mark": text.encode("utf-8-sig"),
        "UTF-8, Windows line ends": windows.encode("utf-8"),
        "UTF-16": text.encode("utf-16"),
        "UTF-16, big end first, Windows line ends": b"\xfe\xff" + windows.encode("utf-16-be"),
        "without the last line end": text.rstrip("\n").encode("utf-8"),
    }
    if latin:
        made["Windows-1252"] = text.encode("windows-1252")
    return made


def same_in(format: str, text: str, name: str, folder: Path, *, latin: bool = False, **options: str) -> None:
    """Reads one text in every encoding, and compares the tables with those of UTF-8."""
    first: Carried | None = None
    for way, data in encoded(text, latin=latin).items():
        path = folder / name
        path.write_bytes(data)
        found = read(format, path, **options)
        first = first or found
        for row, table in first.tables.items():
            assert _sorted(found.tables[row], ()) == _sorted(table, ()), way
        for run, table in first.runs.items():
            assert _sorted(found.runs[run], ()) == _sorted(table, ()), way


@dataclass(frozen=True)
class Broken:
    """A file that must be refused.

    Args:
        shows: what is broken in it, for the name of the test.
        content: of the file; of a folder, a dict of name to content.
        error: all that the user is told.
        labels: a label map, by name.
        options: of the format.
    """

    shows: str
    content: Content
    error: str
    labels: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.shows


def refused(format: str, broken: Broken, folder: Path, name: str = "broken.file") -> None:
    """Reads a broken file, and compares what the user is told with the exact text."""
    target = folder / name
    if isinstance(broken.content, Mapping):
        for inner, content in broken.content.items():
            (target / inner).parent.mkdir(parents=True, exist_ok=True)
            _put(target / inner, content)
    else:
        _put(target, broken.content)
    with contextlib.chdir(folder), pytest.raises(InputError) as caught:
        read(format, name, labels=broken.labels, **broken.options)
    assert str(caught.value) == broken.error


def _put(path: Path, content: str | bytes) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
