"""TREC qrels and run lines, strict, every complaint with file:line; small files without polars.

A clean file is cut at one go and checked as a whole; only when something is odd are the lines looked at one by one.
Both ways take a byte as white space where C's `isspace` does, so that ids of any script stay whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.errors import SHOWN, InputError
from assay.files import Source, name_of, read_bytes
from assay.tables import Block
from assay.tables.values import Odd, number, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.tables import Columns

RUN = ("query_id", "Q0", "doc_id", "rank", "score", "tag")
QRELS = ("query_id", "iteration", "doc_id", "grade")
ORDER = "give runs first, qrels last; to `assay pool audit` qrels first"

_UNUSED = {"0", "Q0"}
_NUMERIC = b"0123456789+-.eE\n"
_BOM = b"\xef\xbb\xbf"


def read_run(source: Source) -> Block:
    """The run in a TREC file: columns query_id, doc_id, score and rank."""
    return parse_run(read_bytes(source), name_of(source))


def read_qrels(source: Source) -> Block:
    """The judgments in a TREC qrels file: columns query_id, doc_id and grade."""
    return parse_qrels(read_bytes(source), name_of(source))


def parse_run(data: bytes, name: str, first_line: int = 1) -> Block:
    """Lines of a TREC run: `query_id Q0 doc_id rank score tag`; what follows the tag is ignored.

    Args:
        data: whole lines.
        name: of the file, for messages.
        first_line: the number that the first of the lines has in the file.
    """
    data = _plain(data, name, first_line)
    clean = None if _has_mark(data) else _cut(data, len(RUN)) or _cut(_tidy(data), len(RUN))
    if clean is not None:
        ids, scores, ranks = clean.texts(0, 2), clean.floats(4), clean.digits(3)
        if ids is not None and scores is not None and ranks is not None:
            columns: Columns = {"query_id": ids[0::2], "doc_id": ids[1::2], "score": scores, "rank": ranks}
            return Block(columns, _from(name, first_line), name)
    lines = _Lines(name, first_line, RUN)
    lines.read(data, (("query_id", 0, _query), ("doc_id", 2, _identity), ("score", 4, _score), ("rank", 3, _rank)))
    return lines.block()


def parse_qrels(data: bytes, name: str, first_line: int = 1, *, subtopics: bool | None = None) -> Block:
    """Lines of TREC qrels: `query_id iteration doc_id grade`, with whole, fractional or negative grades.

    Args:
        data: whole lines.
        name: of the file, for messages.
        first_line: the number that the first of the lines has in the file.
        subtopics: whether the second field is a column too, as in diversity qrels; None keeps it where it differs
            from line to line.
    """
    data = _plain(data, name, first_line)
    clean = None if _has_mark(data) else _cut(data, len(QRELS)) or _cut(_tidy(data), len(QRELS))
    if clean is not None:
        ids, grades = clean.texts(0, 2), clean.floats(3)
        if ids is not None and grades is not None:
            columns: Columns = {"query_id": ids[0::2], "doc_id": ids[1::2], "grade": grades}
            second = clean.texts(1) if subtopics or (subtopics is None and not clean.is_constant(1)) else None
            if second is not None and (subtopics or name_subtopics(second)):
                columns = {**columns, "subtopic": second}
            return Block(columns, _from(name, first_line), name)
    lines = _Lines(name, first_line, QRELS)
    takes = (("query_id", 0, _query), ("subtopic", 1, _identity), ("doc_id", 2, _identity), ("grade", 3, _grade))
    lines.read(data, takes)
    if not (name_subtopics(lines.columns["subtopic"]) if subtopics is None else subtopics):
        del lines.columns["subtopic"]
    return lines.block()


def name_subtopics(iterations: Iterable[str]) -> bool:
    """Whether the second field of qrels says more than that it is unused, which tools write as 0 or Q0."""
    different = set(iterations)
    return len(different) > 1 and not different <= _UNUSED


def _plain(data: bytes, name: str, first_line: int) -> bytes:
    """UTF-8 with line feeds only; refuses what is not text."""
    if first_line == 1:
        if data.startswith(_BOM):
            data = data[len(_BOM) :]
        elif data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            try:
                data = data.decode("utf-16").encode("utf-8")
            except UnicodeError:
                raise InputError("starts like UTF-16 but is not", f"{name}:1", "save it as UTF-8") from None
    if b"\0" in data:
        line = first_line + data.count(b"\n", 0, data.index(b"\0"))
        raise InputError("is a binary file, not lines of text", f"{name}:{line}", "give the text file it was made from")
    if b"\r" in data:  # Windows ends lines with \r\n, old spreadsheets with \r alone
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data


@dataclass(frozen=True, slots=True)
class _Clean:
    """Text whose every line has `width` fields, each followed by one byte that is now a line feed."""

    text: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    width: int

    def take(self, *fields: int) -> bytes:
        """Some fields of every line, each with its line feed: a tenth of the cost of cutting all fields apart."""
        import numpy as np

        wanted = np.zeros(self.width, np.bool_)
        wanted[list(fields)] = True
        wanted = np.tile(wanted, len(self.lengths) // self.width)
        return self.text[np.repeat(wanted, self.lengths)].tobytes()

    def texts(self, *fields: int) -> list[str] | None:
        """Fields as text, or None when they are not UTF-8."""
        try:
            return self.take(*fields)[:-1].decode("utf-8").split("\n")
        except UnicodeDecodeError:
            return None

    def is_constant(self, field: int) -> bool:
        """Whether a field is the same in every line; nothing is cut out to find it."""
        lengths = self.lengths[field :: self.width]
        length = int(lengths[0])
        if not (lengths == length).all():
            return False
        ends = self.lengths.cumsum()[field :: self.width]
        return all((self.text[ends - back] == self.text[ends[0] - back]).all() for back in range(2, length + 1))

    def floats(self, field: int) -> list[float] | None:
        """A field as numbers, or None when one of them is not a finite number, strictly written."""
        raw = self.take(field)
        if raw.translate(None, _NUMERIC):
            return None
        try:
            values = list(map(float, raw.split()))
        except ValueError:
            return None
        return values if max(values) < math.inf and min(values) > -math.inf else None

    def digits(self, field: int) -> list[int] | None:
        """A field as whole numbers from 0, or None when one of them is something else."""
        import numpy as np

        raw = self.take(field)
        if raw.translate(None, b"0123456789\n") or self.lengths[field :: self.width].max() > 19:
            return None
        values: list[int] = np.fromstring(raw, np.int64, sep="\n").tolist()
        return values


def _cut(data: bytes, width: int) -> _Clean | None:
    """The fields of all lines, when every line has exactly `width` of them with single white space between."""
    import numpy as np

    if not data or data[0] <= 0x20 or (b"#" in data and (data[0] == 0x23 or b"\n#" in data)):
        return None
    if not data.endswith(b"\n"):
        data += b"\n"
    text = np.frombuffer(data, np.uint8)
    blanks = np.flatnonzero(text <= 0x20)
    lengths = np.diff(blanks, prepend=-1)
    if len(blanks) % width or lengths.min() < 2:
        return None
    kinds = text[blanks].reshape(-1, width)
    if not (kinds[:, -1] == 0x0A).all() or not ((kinds[:, :-1] == 0x20) | (kinds[:, :-1] == 0x09)).all():
        return None
    text = text.copy()
    text[blanks] = 0x0A
    return _Clean(text, lengths, width)


def _tidy(data: bytes) -> bytes:
    """The same lines with one blank between fields and none around them."""
    data = data.lstrip(b" \t").rstrip(b" \t\n").replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n")


def _from(name: str, first_line: int) -> Callable[[int], str]:
    return lambda row: f"{name}:{first_line + row}"


def _has_mark(data: bytes) -> bool:
    return b"\xef" in data and (data.startswith(_BOM) or b"\n" + _BOM in data)


def _query(raw: bytes) -> str:
    if raw.startswith(_BOM):  # it would become the first letter of an id that looks like another
        raise Odd("the line begins with a byte order mark, as where files were joined", "remove the bytes EF BB BF")
    return _identity(raw)


def _identity(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Odd(f"id '{shown(raw)}' is not UTF-8", "save the file as UTF-8") from None


def _score(raw: bytes) -> float:
    return number(raw.decode("utf-8", "replace"), "score")


def _grade(raw: bytes) -> float:
    return number(raw.decode("utf-8", "replace"), "grade")


def _rank(raw: bytes) -> int:
    if raw.isdigit() and len(raw) < 19:
        return int(raw)
    raise Odd(f"rank '{shown(raw)}' is not a whole number", f"the columns are {' '.join(RUN)}")


@dataclass
class _Lines:
    """The slow way: line by line, keeping the first faults and their number."""

    name: str
    first_line: int
    expected: tuple[str, ...]
    columns: dict[str, list[Any]] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    faults: list[tuple[int, str, str, bytes]] = field(default_factory=list)
    n_faults: int = 0
    n_comments: int = 0

    def read(self, data: bytes, takes: tuple[tuple[str, int, Callable[[bytes], Any]], ...]) -> None:
        width, exact = len(self.expected), self.expected is QRELS
        columns = self.columns = {name: [] for name, _, _ in takes}
        adds = [(columns[name].append, at, convert) for name, at, convert in takes]
        for at_line, line in enumerate(data.split(b"\n"), self.first_line):
            fields = line.split()
            if len(fields) < width or (exact and len(fields) > width):
                if not fields:
                    continue
                if fields[0].startswith(b"#"):
                    self.n_comments += 1
                    continue
                self._fault(at_line, *self._miscount(len(fields)), line)
                continue
            if fields[0].startswith(b"#"):
                self.n_comments += 1
                continue
            try:
                values = [convert(fields[at]) for _, at, convert in adds]
            except Odd as odd:
                self._fault(at_line, odd.what, odd.remedy, line)
                continue
            for (add, _, _), value in zip(adds, values, strict=True):
                add(value)
            self.numbers.append(at_line)

    def _miscount(self, found: int) -> tuple[str, str]:
        what = f"expected {len(self.expected)} columns ({', '.join(self.expected)}), found {found}"
        if self.expected is RUN and found == len(QRELS):
            return what, f"this looks like a qrels file: {ORDER}"
        if self.expected is QRELS and found == len(RUN):
            return what, f"this looks like a run: {ORDER}"
        if found < len(self.expected):
            return what, "add what is missing, or name the columns in a header and pass --input-format csv or tsv"
        return what, "remove what is too much; an id cannot hold white space"

    def _fault(self, number: int, what: str, remedy: str, line: bytes) -> None:
        self.n_faults += 1
        if len(self.faults) < SHOWN:
            self.faults.append((number, what, remedy, line))

    def block(self) -> Block:
        if self.faults:
            (number, what, remedy, line), *others = self.faults
            more = [f"{self.name}:{other}: {why}" for other, why, _, _ in others]
            where = f"{self.name}:{number}"
            raise InputError(what, where, remedy, line=shown(line.strip()), more=more, count=self.n_faults)
        if not self.numbers:
            what = "holds nothing but comment lines" if self.n_comments else "holds nothing but blank lines"
            raise InputError(what, self.name, "write it anew")
        facts = skipped(self.name, self.n_comments)
        numbers, name = self.numbers, self.name
        frame: Columns = self.columns
        return Block(frame, lambda row: f"{name}:{numbers[row]}", name, facts)


def skipped(name: str, comments: int) -> tuple[str, ...]:
    """What is said of comment lines: an id that begins with # would be lost among them."""
    lines = "1 comment line" if comments == 1 else f"{comments:,} comment lines"
    return (f"{name}: {lines} (starting with #) skipped",) if comments else ()


def format_run(columns: Columns, tag: str = "assay") -> bytes:
    """Rows of a run as TREC lines; where there are only ranks, the score is minus the rank.

    Args:
        columns: query_id, doc_id and score or rank.
        tag: the last field of every line.
    """
    queries, docs = _fields(columns, "query_id"), _fields(columns, "doc_id")
    ranks = columns.get("rank")
    scores = columns["score"] if "score" in columns else [-rank for rank in columns["rank"]]
    if ranks is None:
        ranks = _ranks(columns["query_id"], scores)
    rows = zip(queries, docs, ranks, scores, strict=True)
    return "".join(f"{q} Q0 {d} {rank} {score!r} {tag}\n" for q, d, rank, score in rows).encode("utf-8")


def format_qrels(columns: Columns) -> bytes:
    """Judgments as TREC lines; whole grades are written as whole numbers, and the second field is the subtopic."""
    queries, docs = _fields(columns, "query_id"), _fields(columns, "doc_id")
    grades = [int(grade) if grade.is_integer() else grade for grade in columns["grade"]]
    subtopics = _fields(columns, "subtopic") if "subtopic" in columns else ["0"] * len(queries)
    rows = zip(queries, subtopics, docs, grades, strict=True)
    return "".join(f"{q} {s} {d} {g!r}\n" for q, s, d, g in rows).encode("utf-8")


def _fields(columns: Columns, name: str) -> list[str]:
    """Ids that a TREC line can hold."""
    ids = list(columns[name])
    for row, one in enumerate(ids):
        if one is None:
            raise InputError(f"a row has no {name}", f"row {row + 1}", "write CSV or JSON lines")
        if one.startswith("#") and name == "query_id":
            raise InputError(f"{name} '{shown(one)}' would be a comment", f"row {row + 1}", "write CSV or JSON lines")
        if len(one.encode("utf-8").split()) != 1 or one != one.strip(" \t\r\n\v\f"):
            raise InputError(f"{name} '{shown(one)}' holds white space", f"row {row + 1}", "write CSV or JSON lines")
    return ids


def _ranks(queries: list[str] | Any, scores: Any) -> list[int]:
    """Ranks from 1 by falling score; equal scores keep their order."""
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    seen: dict[str, int] = {}
    ranks = [0] * len(scores)
    for row in order:
        seen[queries[row]] = ranks[row] = seen.get(queries[row], 0) + 1
    return ranks
