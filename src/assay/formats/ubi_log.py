"""Logs of User Behavior Insights (UBI 1.3) as a query log: a row a search, with its results and clicks.

Read are the fields of the documents that OpenSearch keeps in `ubi_queries` and `ubi_events`, as JSON lines (also as a
bulk request or a dump of hits) or Parquet. Queries and events may stand in one file.
"""

from __future__ import annotations

import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from assay.errors import InputError, did_you_mean
from assay.files import Source, is_empty, is_stream, name_of, open_bytes, read_bytes
from assay.tables import Block

CLICKS = ("click", "watch", "add_to_cart", "purchase")
"""Actions of UBI 1.3 that say that somebody took a result; `view` and `impression` say that it was shown."""

_HITS = ("query_response_hit_ids", "query_response_objects_ids")
_FIELDS = ("query_id", "user_query", "timestamp", "application", "action_name", *_HITS)
_COUNTS = ("count", "frequency", "searches", "volume", "weight")
_BULK = frozenset(("index", "create"))
_PARQUET = b"PAR1"
_HEAD = 1 << 16
_LINES = 6
_SHAPE = '{"query_id": ID, "user_query": TEXT, "timestamp": TIME} or {"action_name": "click", "query_id": ID} a line'

Record = Mapping[str, Any]


@dataclass(slots=True)
class _Search:
    """One search: what the records of one query id and text say together."""

    text: str | None
    at: str | None
    place: str
    results: int | None = None
    clicks: int = 0


@dataclass
class _Log:
    """What was read so far."""

    searches: dict[tuple[str, str], list[_Search]] = field(default_factory=dict)
    actions: Counter[str] = field(default_factory=Counter)
    applications: Counter[str] = field(default_factory=Counter)
    clicks: list[tuple[tuple[str, str], str | None]] = field(default_factory=list)
    heard: dict[tuple[str, str], _Search] = field(default_factory=dict)
    records: int = 0

    def query(self, record: Record, key: tuple[str, str], place: str) -> None:
        """A record of a query: several of one id and text (pages, facets) are one search."""
        text, hits = _text(record, "user_query", place), _length(record, place)
        known = self.searches.setdefault(key, [])
        own = next((one for one in known if one.text == text), None)
        if own is None:
            own = _Search(text, _time(record, place), place)
            known.append(own)
        if hits is not None:
            own.results = hits if own.results is None else max(own.results, hits)

    def event(self, record: Record, key: tuple[str, str], place: str) -> None:
        """A record of an event."""
        action, text = str(record["action_name"]).casefold(), _text(record, "user_query", place)
        self.actions[action] += 1
        if key[1] and text and text.strip():
            self.heard.setdefault(key, _Search(text, _time(record, place), place))
        if action in CLICKS:
            self.clicks.append((key, text))


def is_ubi(source: Source) -> bool:
    """Whether a file begins as a log of UBI does; what is read of standard input can still be read."""
    stream = open_bytes(source)
    peek = getattr(stream, "peek", None)
    head = bytes(peek(_HEAD)) if peek else b""
    if isinstance(source, (str, os.PathLike)) and not is_stream(source):
        stream.close()
    if head.startswith(_PARQUET):
        return _is_ours(dict.fromkeys(_columns(source)))
    for line in head.split(b"\n")[:_LINES]:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            return False
        if str(_of_bulk(record).get("_index", "")).startswith("ubi_"):
            return True
        own = record.get("_source", record)
        if isinstance(own, dict) and _is_ours(own):
            return True
    return False


def _is_ours(record: Record) -> bool:
    is_counted = any(name in record for name in _COUNTS)  # a table of sums: UBI has a record for each search
    return not is_counted and "query_id" in record and ("user_query" in record or "action_name" in record)


def _columns(source: Source) -> list[str]:
    """The names of the columns of a Parquet file; none of a damaged one, of which the reader of tables complains."""
    import polars as pl

    try:
        return list(pl.read_parquet_schema(io.BytesIO(read_bytes(source))))
    except BaseException as error:  # a panic of the library is no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        return []


def _of_bulk(record: Record) -> Record:
    """What a line of a bulk request says of the document that follows."""
    if len(record) == 1:
        ((name, told),) = record.items()
        if name in _BULK and isinstance(told, dict):
            return told
    return {}


def read_ubi(source: Source, events: Source | None = None, application: str = "") -> Block:
    """Searches of a log of UBI.

    Args:
        source: its queries, or queries and events.
        events: its events, where they stand in a file of their own.
        application: whose records count; those of all when empty.

    Returns:
        Rows of `LoggedQuery`, one a search; `results` where a query names its hits, `clicks` where an event is one.

    Raises:
        InputError: a line is no JSON object or a field is of the wrong type, with its place; or nothing was asked.
    """
    log = _Log()
    for one in (source, *([] if events is None else [events])):
        for record, place in _records(one):
            _take(log, record, place, application)
    name = name_of(source)
    if application and application not in log.applications:
        known = sorted(log.applications)
        what = f"holds nothing of the application {application}{did_you_mean(application, known)}"
        raise InputError(what, name, f"choose {', '.join(known)}" if known else "leave --application out")
    facts = _facts(log, name, application)
    if not log.searches:  # events alone: each query id that names its query is a search
        log.searches = {key: [one] for key, one in log.heard.items()}
    searches = [one for known in log.searches.values() for one in known]
    if not searches:
        raise InputError("holds no query of UBI", name, f"pass lines such as {_SHAPE}")
    lost = sum(not _click(log, key, text) for key, text in log.clicks)
    if lost:
        facts.append(f"{name}: {lost:,} clicks name a query id that no query has: they are left out")
    columns: dict[str, Sequence[Any]] = {
        "text": [one.text for one in searches],
        "asked_at": [one.at for one in searches],
    }
    if any(one.results is not None for one in searches):
        columns["results"] = [None if one.results is None else float(one.results) for one in searches]
    if log.clicks:
        columns["clicks"] = [float(one.clicks) for one in searches]
    return Block(columns, lambda row: searches[row].place, name, facts=tuple(facts))


def read_ubi_actions(sources: Sequence[Source], application: str = "") -> Block:
    """Documents that people took in answer to a query.

    Args:
        sources: files of events, and of queries where events do not name what was asked.
        application: whose records count; those of all when empty.

    Returns:
        Rows of `LoggedAction`, one an event whose action is one of `CLICKS`.

    Raises:
        InputError: as `read_ubi`, or no event of these can be told.
    """
    asked: dict[tuple[str, str], str] = {}
    events: list[tuple[tuple[str, str], str | None, str, str, str]] = []
    for source in sources:
        for record, place in _records(source, ("event_attributes",)):
            app, text = str(record.get("application") or ""), _text(record, "user_query", place)
            if application and app != application:
                continue
            key, action = (app, str(record.get("query_id"))), str(record.get("action_name") or "").casefold()
            if text and text.strip():
                asked.setdefault(key, text)
            doc = _object(record)
            if action in CLICKS and doc is not None:
                events.append((key, text, doc, action, place))
    known = [(text or asked.get(key, ""), doc, action, place) for key, text, doc, action, place in events]
    told = [one for one in known if one[0].strip()]
    name = name_of(sources[0])
    if not told:
        raise InputError(f"holds no {', '.join(CLICKS)} whose query is known", name, "pass the queries of UBI as well")
    lost = len(known) - len(told)
    facts = (f"{name}: of {lost:,} clicks the query is not known: they are left out",) if lost else ()
    columns = {field_: [one[at] for one in told] for at, field_ in enumerate(("text", "doc_id", "action"))}
    return Block(columns, lambda row: told[row][3], name, facts=facts)


def _object(record: Record) -> str | None:
    """The id of what an event is about."""
    about: Any = record.get("event_attributes")
    for name in ("object", "object_id"):
        about = about.get(name) if isinstance(about, dict) else None
    return str(about) if isinstance(about, (str, int)) and not isinstance(about, bool) and str(about) else None


def _take(log: _Log, record: Record, place: str, application: str) -> None:
    app = str(record.get("application") or "")
    log.applications[app] += 1
    if application and app != application:
        return
    log.records += 1
    query = record.get("query_id")
    if query is not None and not isinstance(query, (str, int)):
        raise InputError(f"query_id is {query!r}", place, "write it as text")
    is_event = bool(record.get("action_name"))
    key = (app, "" if query is None else str(query))
    if is_event:
        log.event(record, key, place)
    elif "user_query" in record:
        log.query(record, key if key[1] else (app, f"\0{place}"), place)


def _click(log: _Log, key: tuple[str, str], text: str | None) -> bool:
    """Counts a click with its search: that of its text, else the last of its query id."""
    known = log.searches.get(key)
    if not known:
        return False
    next((one for one in known if one.text == text), known[-1]).clicks += 1
    return True


def _facts(log: _Log, name: str, application: str) -> list[str]:
    facts = []
    named = {app: n for app, n in log.applications.items() if app}
    if len(named) > 1 and not application:
        told = ", ".join(f"{app} {n:,}" for app, n in sorted(named.items()))
        facts.append(f"{name}: records of {len(named)} applications count ({told}); --application chooses one")
    if log.actions and not log.clicks:
        told = ", ".join(f"{action} {n:,}" for action, n in log.actions.most_common(6))
        facts.append(f"{name}: no event is {', '.join(CLICKS)}, so nothing says what was clicked; there are {told}")
    split = sum(len(known) > 1 for known in log.searches.values())
    if split:
        facts.append(f"{name}: {split:,} query ids stand for several texts; each text counts as a search")
    return facts


def _text(record: Record, name: str, place: str) -> str | None:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name} is {value!r}", place, "write it as text")
    return value


def _length(record: Record, place: str) -> int | None:
    """How many hits a query names; None where it names none, as then nothing is known of them."""
    for name in _HITS:
        hits = record.get(name)
        if hits is not None:
            if not isinstance(hits, (list, tuple)):
                raise InputError(f"{name} is no list", place, 'write ["P3", "P1"]')
            return len(hits)
    return None


def _time(record: Record, place: str) -> str | None:
    """When it was asked, in ISO 8601; whole numbers are milliseconds since 1970."""
    value = record.get("timestamp")
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value / 1_000, UTC).isoformat()
        except (ValueError, OverflowError, OSError):
            pass
    raise InputError(f"timestamp is {value!r}", place, "write 2026-03-02T10:00:00Z, or milliseconds since 1970")


def _records(source: Source, more: Sequence[str] = ()) -> Iterator[tuple[Record, str]]:
    """The records of a file, each with its place; of Parquet the columns that are used, and `more`."""
    name = name_of(source)
    stream = open_bytes(source)
    peek = getattr(stream, "peek", None)
    if peek and bytes(peek(4)).startswith(_PARQUET):
        yield from _of_parquet(read_bytes(source), name, (*_FIELDS, *more))
        return
    any_line = False
    with stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            any_line = True
            place = f"{name}:{number}"
            record = _parsed(line, place)
            if not _of_bulk(record):
                yield record, place
    if not any_line:
        raise is_empty(source)


def _parsed(line: bytes, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", place, "save the file as UTF-8") from None
    except (ValueError, RecursionError):
        raise InputError("is no JSON object", place, f"write one object a line: {_SHAPE}") from None
    own = record.get("_source", record) if isinstance(record, dict) else record
    if not isinstance(own, dict):
        raise InputError("is no JSON object", place, f"write one object a line: {_SHAPE}")
    return own


def _of_parquet(data: bytes, name: str, columns: Sequence[str]) -> Iterator[tuple[Record, str]]:
    from assay.formats.columns import read_frame

    frame = read_frame(data, name, "parquet")
    held = frame.select([column for column in columns if column in frame.columns])
    for row, record in enumerate(held.iter_rows(named=True), 1):
        yield record, f"{name}, row {row}"
