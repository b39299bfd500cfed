"""A team's columns as the one relation that the queries read: `log`.

Each source becomes a SELECT that gives every field its type; what cannot be read is null, with a flag beside it, so
that the queries can count it. Names of columns and actions are quoted into the text; nothing else of a user's is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from assay.errors import InputError
from assay.logs.fields import BY_NAME
from assay.logs.found_files import LogFiles

COLUMNS = ("app", "kind", "event_id", "impression_id", "unit_id", "session_id", "query_id", "query_text", "doc_id",
           "position", "position_is_bad", "moment", "moment_is_bad", "clicked", "clicked_is_bad", "dwell_s", "value",
           "results", "ranker", "swap", "propensity", "segment", "is_bot", "user_agent", "unread",
           "is_plain", "line_is_bad")  # fmt: skip
"""Of `log`, in this order."""

SQL_TYPES = {"text": "VARCHAR", "whole": "BIGINT", "number": "DOUBLE", "moment": "BIGINT", "flag": "BIGINT"}

GUESSED = ("dwell_s", "value", "results", "swap", "is_bot")
"""Fields without which a row counts: what cannot be read in them is told."""

NO_QUERY = "drawn"
"""The query of rows that are of none, as those of a bandit."""

INTEGERS = ("BIGINT", "INTEGER", "SMALLINT", "TINYINT", "UTINYINT", "USMALLINT", "UINTEGER")
"""Types of columns that hold whole numbers and nothing else."""

_NUMBER = re.compile(r"^\d+(\.\d+)?$")
DIGITS = {10: 1_000_000, 13: 1_000, 16: 1}
"""Digits of a time stamp around now, and the microseconds that one of its units has."""

NAMES_ZONE = "(Z|z|[+-][0-9][0-9](:?[0-9][0-9])?)$"
"""The end of a time of day that says in which zone it is."""

FIRST = (
    "CASE WHEN 10 * sum(CASE WHEN position = 0 THEN 1 ELSE 0 END) > sum(CASE WHEN position = 1 THEN 1 ELSE 0 END) "
    "THEN 0 ELSE min(CASE WHEN position > 0 THEN position END) END"
)
"""The smallest position of some rows. The first place of a list is the one shown most, so that 0 counts only where a
tenth of what stands at 1 stands there: one odd row would move all others by a place."""


@dataclass(frozen=True, slots=True)
class Source:
    """Files of one kind with the path of each field.

    Args:
        files: where the rows are.
        paths: field to dotted path.
        kinds: action to kind.
        kind: what a row is when no column says it; empty when one does.
        bases: the first position of each application, 0 or 1; "" is where rows name none.
        zone: of times that name none; None when all do.
        unit: microseconds that 1 has in the column of times; 0 when times are text.
        types: column to the type that the engine gives it, of files whose columns have one.
        drops: application rows to be left out: all but this one, when it is given.
        is_drawn: whether rows are of no query, which is then `NO_QUERY`.
        filled: columns that are known to hold no empty text, in small letters.
    """

    files: LogFiles
    paths: Mapping[str, str]
    kinds: Mapping[str, str]
    kind: str = ""
    bases: Mapping[str, int] = field(default_factory=dict)
    zone: str | None = None
    unit: int = 0
    types: Mapping[str, str] = field(default_factory=dict)
    drops: str = ""
    is_drawn: bool = False
    filled: frozenset[str] = frozenset()


class Dialect(Protocol):
    """How an engine spells what differs between engines."""

    def value(self, path: str, files: LogFiles) -> str:
        """The value at a dotted path, as it is stored."""

    def text(self, path: str, files: LogFiles) -> str:
        """The value at a dotted path as text."""

    def micros(self, text: str, zone: str | None) -> str:
        """Microseconds since 1970 of a time that is text."""

    def instant(self, value: str, zone: str | None) -> str:
        """Microseconds since 1970 of a time stamp; one without a zone is in the given one."""

    def length(self, path: str, files: LogFiles) -> str:
        """How many elements the list at a path has; null when it is no list."""

    def relation(self, source: Source) -> str:
        """The rows of the files, with `line_is_bad` and, where lists are given, one row an element."""


def quoted(name: str) -> str:
    """A name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def select(source: Source, dialect: Dialect, place: str = "") -> str:
    """The SELECT that gives the columns of `log` for one source.

    Args:
        source: where the rows are.
        dialect: of the engine.
        place: the column of the relation that says where a row stands, which is laid as the id of an event; none if
            empty.
    """
    given = {name: _expression(name, source, dialect) for name in COLUMNS}
    if place:
        given["event_id"] = place
    columns = ",\n    ".join(f"{expression} AS {name}" for name, expression in given.items())
    kept = ""
    if source.drops:  # of a line that cannot be read nobody knows whose it is: it is counted
        broken = " OR line_is_bad" if source.files.kind == "json" else ""
        kept = f"\nWHERE {_app(source, dialect)} = {literal(source.drops)}{broken}"
    return f"SELECT\n    {columns}\nFROM {dialect.relation(source)} AS source{kept}"


def union(sources: Sequence[Source], dialect: Dialect, place: str = "") -> str:
    """The statement of `log`, the rows of all sources; see `select`."""
    return "\nUNION ALL\n".join(select(source, dialect, place) for source in sources)


def union_of_others(sources: Sequence[Source], dialect: Dialect, place: str = "") -> str:
    """The statement of `others`: the application and the place of each row that `select` drops."""
    parts = ["SELECT CAST(NULL AS VARCHAR) AS app, CAST(NULL AS VARCHAR) AS place WHERE FALSE"]
    for source in sources:
        if source.drops:
            app = _app(source, dialect)
            whole = " AND NOT line_is_bad" if source.files.kind == "json" else ""
            parts.append(
                f"SELECT {app} AS app, {place or 'CAST(NULL AS VARCHAR)'} AS place "
                f"FROM {dialect.relation(source)} AS source WHERE COALESCE({app}, '') <> {literal(source.drops)}{whole}"
            )
    return "\nUNION ALL\n".join(parts)


def _expression(name: str, source: Source, dialect: Dialect) -> str:
    if name == "line_is_bad":
        return "line_is_bad" if source.files.kind == "json" else "FALSE"
    if name == "kind":
        return _kind(source, dialect)
    if name == "is_plain":
        return _is_plain(source, dialect)
    if name == "unread":
        return _unread(source, dialect)
    if name == "query_id" and source.is_drawn:
        return literal(NO_QUERY)
    if name.endswith("_is_bad"):
        return _is_bad(name.removesuffix("_is_bad"), source, dialect)
    if name == "position":
        return _position(source, dialect)
    if name == "moment":
        return _moment(source.paths["at"], source, dialect) if "at" in source.paths else "CAST(NULL AS BIGINT)"
    if name == "clicked" and "clicks" in source.paths:
        return _flag_there()
    if name == "doc_id" and "docs" in source.paths:
        return "NULLIF(CAST(doc_there AS VARCHAR), '')"
    path = source.paths.get(name)
    type_ = BY_NAME[name].type
    if path is None:
        return f"CAST(NULL AS {SQL_TYPES[type_]})"
    if type_ == "text":
        return _text(path, source, dialect)
    if type_ == "flag":
        return _flag(path, source, dialect)
    if name == "results":
        return _results(path, source, dialect)
    if type_ == "whole":
        return _whole(path, source, dialect)
    number = _number(path, source, dialect)
    below = f"{number} >= 0 AND " if name == "dwell_s" else ""
    # What is no number is told by its text: engines go by the least and largest values of a file, which leave it out.
    told = source.types.get(path, "").startswith(("DOUBLE", "FLOAT"))
    is_number = f"LOWER({dialect.text(path, source.files)}) NOT LIKE '%nan' AND " if told else ""
    return f"CASE WHEN {is_number}{below}ABS({number}) < 1e15 THEN {number} END"


def _results(path: str, source: Source, dialect: Dialect) -> str:
    if _is_list(path, source):
        value = dialect.value(path, source.files)
        return f"CASE WHEN {value} IS NOT NULL THEN CAST(ARRAY_LENGTH({value}) AS BIGINT) END"
    number = f"COALESCE({dialect.length(path, source.files)}, {_whole(path, source, dialect)})"
    return f"CASE WHEN {number} >= 0 THEN {number} END"


def _unread(source: Source, dialect: Dialect) -> str:
    """The names of the fields of a row that hold something that cannot be read, with a blank behind each."""
    found = []
    for name in GUESSED:
        path = source.paths.get(name)
        if path is None or (name == "swap" and _is_integer(path, source)):
            continue
        value = _expression(name, source, dialect)
        odd = f"{value} IS NULL" if name != "is_bot" else f"COALESCE({value}, 2) NOT IN (0, 1)"
        there = f"{dialect.value(path, source.files)}" if _is_list(path, source) else _text(path, source, dialect)
        found.append(f"CASE WHEN {there} IS NOT NULL AND {odd} THEN '{name} ' ELSE '' END")
    return f"NULLIF({' || '.join(found)}, '')" if found else "CAST(NULL AS VARCHAR)"


def _text(path: str, source: Source, dialect: Dialect) -> str:
    """The value at a path as text, null where it is empty. Comparing each text is dear, so only where one can be."""
    text = dialect.text(path, source.files)
    return text if path.lower() in source.filled or _is_integer(path, source) else f"NULLIF({text}, '')"


def _app(source: Source, dialect: Dialect) -> str:
    path = source.paths.get("app")
    return _text(path, source, dialect) if path else "CAST(NULL AS VARCHAR)"


def _kind(source: Source, dialect: Dialect) -> str:
    if "kind" not in source.paths:
        return literal(source.kind)
    action = _text(source.paths["kind"], source, dialect)
    cases = " ".join(f"WHEN {literal(one)} THEN {literal(kind)}" for one, kind in source.kinds.items() if one != kind)
    otherwise = literal(source.kind) if source.kind else "NULL"
    return f"CASE WHEN {action} IS NULL THEN {otherwise} ELSE CASE LOWER({action}) {cases} ELSE {action} END END"


def _is_plain(source: Source, dialect: Dialect) -> str:
    """Whether a row is what it is without an action that says so, such as the row of a search in UBI."""
    return f"({_text(source.paths['kind'], source, dialect)} IS NULL)" if "kind" in source.paths else "TRUE"


def _position(source: Source, dialect: Dialect) -> str:
    if "docs" in source.paths:
        return "CAST(position_there AS BIGINT)"
    path = source.paths.get("position")
    if path is None:
        return "CAST(NULL AS BIGINT)"
    first = _whole(path, source, dialect)
    bases = dict(source.bases)
    plain = bases.pop("", 1)
    if len(set(bases.values()) | {plain}) <= 1 or not bases:
        base = next(iter(bases.values()), plain)
        return first if base == 1 else f"{first} + {1 - base}"
    cases = " ".join(f"WHEN {literal(app)} THEN {1 - base}" for app, base in bases.items())
    return f"{first} + CASE {_app(source, dialect)} {cases} ELSE {1 - plain} END"


def _whole(path: str, source: Source, dialect: Dialect) -> str:
    if _is_integer(path, source):
        return f"CAST({dialect.value(path, source.files)} AS BIGINT)"
    number = _number(path, source, dialect)
    return f"CASE WHEN {number} = FLOOR({number}) AND ABS({number}) < 1e15 THEN TRY_CAST({number} AS BIGINT) END"


def _number(path: str, source: Source, dialect: Dialect) -> str:
    if source.types.get(path, "").startswith(("DOUBLE", "FLOAT", "BIGINT", "INTEGER", "SMALLINT", "TINYINT")):
        return f"CAST({dialect.value(path, source.files)} AS DOUBLE)"
    return f"TRY_CAST({dialect.text(path, source.files)} AS DOUBLE)"


def _flag(path: str, source: Source, dialect: Dialect) -> str:
    if source.types.get(path) == "BOOLEAN" or _is_integer(path, source):
        return f"CAST({dialect.value(path, source.files)} AS BIGINT)"
    return _flag_of(f"LOWER({dialect.text(path, source.files)})")


def _flag_there() -> str:
    return _flag_of("LOWER(CAST(clicked_there AS VARCHAR))")


def _flag_of(text: str) -> str:
    return f"CASE WHEN {text} IN ('1', '1.0', 'true') THEN 1 WHEN {text} IN ('0', '0.0', 'false') THEN 0 END"


def _moment(path: str, source: Source, dialect: Dialect) -> str:
    if source.unit:
        number = _number(path, source, dialect)
        return f"CAST({number} * {source.unit} AS BIGINT)"
    if source.types.get(path, "").startswith(("TIMESTAMP", "DATE")):
        is_zoned = source.types[path] == "TIMESTAMP WITH TIME ZONE"
        return dialect.instant(dialect.value(path, source.files), None if is_zoned else source.zone)
    return dialect.micros(dialect.text(path, source.files), source.zone)


def _is_bad(name: str, source: Source, dialect: Dialect) -> str:
    path = source.paths.get("at" if name == "moment" else name)
    if name == "clicked" and "clicks" in source.paths:
        return f"({_flag_there()} IS NULL)"  # also where the list of clicks is shorter than that of documents
    if path is None or (name == "position" and _lists(source)):
        return "FALSE"
    there = f"{_text(path, source, dialect)} IS NOT NULL"
    if name == "position":
        return "FALSE" if _is_integer(path, source) else f"({there} AND {_whole(path, source, dialect)} IS NULL)"
    if name == "moment":
        return f"({_moment(path, source, dialect)} IS NULL)"
    if _is_integer(path, source):
        value = dialect.value(path, source.files)  # so, and not NOT IN, engines see by the smallest and largest value
        return f"({value} IS NOT NULL AND ({value} < 0 OR {value} > 1))"
    return f"({there} AND {_flag(path, source, dialect)} IS NULL)"


def _lists(source: Source) -> bool:
    return "docs" in source.paths


def _is_list(path: str, source: Source) -> bool:
    type_ = source.types.get(path, "")
    return type_.endswith("[]") or type_.startswith("array<")


def _is_integer(path: str, source: Source) -> bool:
    return source.types.get(path, "") in INTEGERS


def unit_of(values: Sequence[str], where: str) -> int:
    """Microseconds that 1 has in a column of numbers.

    Args:
        values: some of them, as text.
        where: the column, for the message.

    Raises:
        InputError: a number of a length that no time around now has.
    """
    for value in values:
        digits = len(value.partition(".")[0])
        if digits not in DIGITS:
            raise InputError(f"{value} is no time in seconds, milliseconds or microseconds since 1970", where,
                             "map another column with --columns at=COLUMN")  # fmt: skip
        return DIGITS[digits]
    return 1


def check_zone(values: Sequence[str], zone: str | None, where: str) -> None:
    """Whether times that are text say in which zone they are, or one was named for those that do not.

    Args:
        values: some of them.
        zone: the time zone that was named; None when none was.
        where: the column, for the message.

    Raises:
        InputError: one says none and none was named, or none of them is a time.
    """
    readable = [moment for value in values if (moment := _moment_of(value)) is not None]
    if values and not readable:
        raise InputError(f"{values[0]!r} is no time", where, "map another column with --columns at=COLUMN")
    bare = next((moment for moment in readable if moment.tzinfo is None), None)
    if bare is not None and zone is None:
        raise InputError(f"{bare.isoformat(' ')!r} does not say in which time zone", where,
                         "pass --time-zone, such as UTC")  # fmt: skip


def _moment_of(value: str) -> datetime | None:
    if _NUMBER.match(value):
        unit = DIGITS.get(len(value.partition(".")[0]))
        return datetime.fromtimestamp(float(value) * unit / 1e6, UTC) if unit else None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None
