"""`assay qrels from-interactions`: judgments and a history from a log of what people did."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.files import name_of
from assay.flows.workbench import Workbench
from assay.results import Note, Source
from assay.tables import Interaction, Judgment

if TYPE_CHECKING:
    import polars as pl

    from assay.judgments.holdout import Holdout

ENDINGS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
           ".arrow": "arrow", ".qrels": "trec", ".txt": "trec"}  # fmt: skip
"""What a file is written as."""


def qrels_from_interactions(
    log: Any,
    split_at: str | datetime,
    *,
    out: str | os.PathLike[str] | None = None,
    history: str | os.PathLike[str] | None = None,
    grades: Mapping[str, float] | str | None = None,
    seen: str = "drop",
    min_history: int = 1,
    timezone: str = "UTC",
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    force: bool = False,
    bench: Workbench | None = None,
    command: str = "",
) -> Holdout:
    """Judgments from interactions: a query is a person, and what they did from a moment on is relevant to them.

    Args:
        log: who did something with what, and when: a path, `-`, or a table with user_id, doc_id, at, kind, value.
        split_at: the moment, such as "2026-03-01" or "2026-03-01T06:00+01:00"; what happens at it is held out.
        out: where the judgments are written; nowhere when None.
        history: where the events before the moment are written; nowhere when None.
        grades: kind of event to grade, other kinds being left out; "value" takes the column of values; every event is
            1 when None.
        seen: items that a person met before are left out ("drop") or judged too ("keep").
        min_history: people with fewer distinct items before the moment are left out.
        timezone: of times (and a `split_at`) that name none.
        format: of the log; recognised from content when None.
        columns: name of the column that holds each field.
        force: write over files that are there.
        bench: where the log is found.
        command: how the result was asked for, kept in it.

    Returns:
        What was held out and left out; its `qrels` and `history` are the tables.

    Raises:
        InputError: a time or an option cannot be read, a file is there already, or nothing is held out.
    """
    from assay import __version__
    from assay.judgments.holdout import VALUE, holdout

    zone = zone_of(timezone)
    moment = moment_of(split_at, zone)
    if seen not in ("drop", "keep"):
        raise InputError(f"--seen {seen!r} is not drop or keep", remedy="pass --seen drop")
    if isinstance(grades, str) and grades != VALUE:
        raise InputError(f"--grade {grades!r} is no list of KIND=GRADE", remedy="pass --grade purchase=3,click=1")
    if isinstance(min_history, bool) or min_history < 0:
        raise InputError(f"--min-history {min_history} is not a whole number from 0", remedy="pass --min-history 1")
    bench = Workbench.open() if bench is None else bench
    targets = _targets(out, history, force=force)
    events = bench.table(log, Interaction, format=format, columns=columns, name="log")
    found = holdout(
        events, moment, timezone=zone, zone=timezone, grades=grades, seen=seen,  # type: ignore[arg-type] # one of two
        min_history=min_history,
    )  # fmt: skip
    written = []
    for (what, target, kind), table in zip(targets, (found.qrels, found.history), strict=True):
        if target is not None:
            _write(table, target, kind, what)
            written.append((what, name_of(target)))
    source = Source(hashes=bench.inputs(), versions=(("assay", __version__),), command=command)
    notes = (*(Note("read", fact) for fact in events.facts), *found.notes)
    return replace(found, files=tuple(written), notes=notes, source=source)


def zone_of(name: str) -> tzinfo:
    """The time zone of that name, such as UTC or Europe/Berlin."""
    from zoneinfo import ZoneInfo

    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise InputError(f"no time zone is called {name!r}", remedy="pass --time-zone UTC or Europe/Berlin") from None


def moment_of(text: str | datetime, zone: tzinfo) -> datetime:
    """The moment that was meant; without a zone it is in the given one."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else text
    except ValueError:
        raise InputError(f"--split-at {text!r} is no date", remedy="pass --split-at 2026-03-01") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)


def _targets(out: Any, history: Any, *, force: bool) -> list[tuple[str, Any, str]]:
    """(what, file, format) of what is to be written, looked at before anything is read."""
    found = []
    for what, target in (("qrels", out), ("history", history)):
        kind = "csv"
        if target is not None and os.fspath(target) != "-":
            ending = Path(target).suffix.lower()
            kind = ENDINGS.get(ending, "")
            if not kind or (kind == "trec" and what == "history"):
                endings = ", ".join(one for one, name in ENDINGS.items() if name != "trec" or what == "qrels")
                raise InputError(f"what to write a {what} file with the ending {ending!r} as is not known",
                                 name_of(target), f"give it the ending {endings}")  # fmt: skip
        found.append((what, target, kind))
    if out is not None and history is not None and os.path.realpath(out) == os.path.realpath(history):
        raise InputError("judgments and history would be one file", name_of(out), "give them two names")
    there = [name_of(target) for _, target, _ in found if target is not None and _is_file(target)]
    if there and not force:  # such as judgments that people made, under the name that is written unless given
        raise InputError("is there already", there[0], "pass --force to write over it, or --out and --history",
                         more=[f"{name}: is there already" for name in there[1:]])  # fmt: skip
    return found


def _is_file(target: Any) -> bool:
    return os.fspath(target) != "-" and os.path.isfile(target)


def _write(table: pl.DataFrame, target: Any, kind: str, what: str) -> None:
    if what == "qrels":
        from assay.formats.recognise import write

        write(table, target, kind, Judgment)
        return
    from assay.files import replacing
    from assay.formats.columns import to_bytes

    with replacing(target) as file:
        file.write(to_bytes(table, kind))
