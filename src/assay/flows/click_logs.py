"""What was typed of a click log to an opened one, and what is kept of how it was read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, NotEnoughEvidence, did_you_mean
from assay.files import spelled
from assay.flows.interactions import moment_of, zone_of
from assay.flows.mistaken import for_a_log
from assay.results import Note
from assay.text import personal_data

if TYPE_CHECKING:
    from assay.clicks.behaviour import LeftOut, LogRead
    from assay.logs.engine import Engine
    from assay.logs.log import Log
    from assay.logs.refusals import Refusal

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

ENGINES = ("duckdb", "spark")
COLUMNS = 20
"""Of a file, so many are named in a message."""


@dataclass(frozen=True, slots=True)
class LogChoices:
    """How a log is to be read, as it was typed.

    Args:
        events: clicks and what else happened, when they stand apart from what was shown.
        columns: field to column or dotted path.
        kinds: action to what it is: search, impression, click, cart, purchase, satisfied.
        ordinal_base: application to its first position, 0 or 1; "" is for all others.
        app: the one application whose rows count.
        time_zone: of times that name none, and of days and the window; UTC for the latter when None.
        since, until: the window, the second left out; a date is the first moment of its day.
        session_limit: searches of a session above which it is set aside; 0 sets none aside.
        bots: a list of units and user agents that are bots', beside what columns and user agents say themselves.
        keep_bots: bots count as people do.
        late_s: seconds after its search from which a click is reported as late.
        is_trusted: rows are known to come once, so that repeated ones are not looked for.
        on: the engine.
        master: the address of Spark.
        memory: the most that the embedded engine may take, such as "4GB".
    """

    events: str | os.PathLike[str] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    ordinal_base: Mapping[str, int] = field(default_factory=dict)
    app: str = ""
    time_zone: str | None = None
    since: str | datetime | None = None
    until: str | datetime | None = None
    session_limit: int = 50
    bots: str | os.PathLike[str] | None = None
    keep_bots: bool = False
    late_s: float = 86_400
    is_trusted: bool = False
    on: str = "duckdb"
    master: str | None = None
    memory: str | None = None


def opened(log: Paths, choices: LogChoices, is_bandit: bool = False) -> Log:
    """The log, opened on the engine that was asked for.

    Args:
        log: files, a folder or a glob.
        choices: how it is read.
        is_bandit: see `Reading`.

    Raises:
        InputError: an option cannot be read, or the log cannot.
        MissingExtra: the engine is not installed.
    """
    from assay.logs.bots import Bots, read_bots
    from assay.logs.log import EVER, Reading, open_log

    zone = zone_of(choices.time_zone or "UTC")
    since, until = (_micros(moment, zone, option) for moment, option in
                    ((choices.since, "--from"), (choices.until, "--to")))  # fmt: skip
    if since is not None and until is not None and since >= until:
        raise InputError("the window ends before it begins", "--to", "name a later day")
    for app, base in choices.ordinal_base.items():
        if base not in (0, 1):
            raise InputError(f"positions start at 0 or 1, not at {base}", f"--ordinal-base {app}={base}", "pass 0 or 1")
    if choices.on not in ENGINES:
        raise InputError(f"no log engine is called {choices.on!r}{did_you_mean(choices.on, ENGINES)}", "--on",
                         "pass --on duckdb or --on spark")  # fmt: skip
    if choices.session_limit < 0:
        raise InputError("a limit below 0 means nothing", "--session-limit", "pass 0 to set no session aside")
    if choices.bots is not None and choices.keep_bots:
        raise InputError("bots are kept, and a list of them is given", "--keep-bots", "leave out one of the two")
    bots = None if choices.keep_bots else Bots() if choices.bots is None else read_bots(choices.bots)
    reading = Reading(
        columns=choices.columns, kinds=choices.kinds, bases=choices.ordinal_base, app=choices.app,
        zone=choices.time_zone, since=EVER[0] if since is None else since, until=EVER[1] if until is None else until,
        most=choices.session_limit, late=int(choices.late_s * 1e6), is_trusted=choices.is_trusted, is_bandit=is_bandit,
        bots=bots,
    )  # fmt: skip
    engine = _engine(choices)
    try:
        found = open_log(log, reading, events=choices.events, engine=engine)
        found.hide(personal_data)
        return found
    except InputError as error:
        engine.close()
        raise for_a_log(error, [log] if isinstance(log, str | os.PathLike) else log) from None
    except BaseException:
        engine.close()
        raise


def _engine(choices: LogChoices) -> Engine:
    if choices.on == "spark":
        from assay.logs.spark import Spark

        return Spark(choices.master)
    if choices.master is not None:
        raise InputError("an address of Spark means nothing to the embedded engine", "--master", "pass --on spark")
    from assay.logs.duck import Duck

    return Duck(choices.memory)


def _micros(moment: str | datetime | None, zone: Any, option: str) -> int | None:
    if moment is None:
        return None
    try:
        return int(moment_of(moment, zone).timestamp() * 1_000_000)
    except InputError:
        raise InputError(f"{moment!r} is no date", option, f"pass {option} 2026-03-01") from None


def read_of(log: Log, choices: LogChoices, by_query: bool = True) -> LogRead:
    """What is kept of how a log was read, and of what was asked of it so far; see `Log.refused`."""
    from assay.clicks.behaviour import LeftOut, LogRead, Recorded
    from assay.logs.zones import moment_name

    happened = log.happened()
    bases = {one.app: one for one in log.bases}
    recorded = []
    for app in dict.fromkeys(one.app for one in happened):
        here = [one for one in happened if one.app == app]
        base = bases.get(app)
        first = [one.first for one in here if one.first is not None]
        last = [one.last for one in here if one.last is not None]
        recorded.append(Recorded(
            app, base.base if base else None, base.is_said if base else False,
            tuple((one.kind, one.n) for one in sorted(here, key=lambda one: (-one.n, one.kind))),
            moment_name(min(first)) if first else "", moment_name(max(last)) if last else "",
        ))  # fmt: skip
    columns = {name: path for source in log.sources for name, path in source.paths.items()}
    left = tuple(LeftOut(one.reason, one.n, one.places, one.seen) for one in log.refused(by_query))
    return LogRead(tuple(recorded), left, tuple(sorted(columns.items())), choices.time_zone or "UTC", choices.on,
                   log.n_hidden)  # fmt: skip


def nothing_left(
    log: Log, what: str = "nothing is left in the log to count", by_query: bool = True
) -> NotEnoughEvidence | InputError:
    """The error of a log of which nothing counts: that no column names the query, or what was left out and why.

    Args:
        log: the log.
        what: there is nothing of.
        by_query: whether what names no query does not count.
    """
    from assay.logs.refusals import WINDOW

    if by_query and not log.has("query_id"):
        return without(log, "query_id", "the query")
    left = log.refused()
    told = [what, *(_said(one) for one in left)]
    if any(one.reason in WINDOW for one in left):
        told.append("mend: pass --from and --to inside the times of the log")
    return NotEnoughEvidence("\n    ".join(told))


def without(log: Log, field: str, what: str, or_else: str = "") -> InputError:
    """The error of a log in which no column names what is asked for.

    Args:
        log: the log.
        field: its name.
        what: in words.
        or_else: another way to mend it.
    """
    source = log.sources[0]
    free = sorted(source.types.keys() - set(source.paths.values()))
    ways = [f"pass --columns {field}=COLUMN with one of {', '.join(free[:COLUMNS])}" if free else
            "pass a log that says it: each of its columns is read as something else", or_else]  # fmt: skip
    return InputError(f"no column names {what}", spelled(source.files.paths[0]), ", or ".join(filter(None, ways)))


def _said(left: LeftOut | Refusal) -> str:
    """How many rows are left out, or count without something, why, and what is known of where they stand."""
    from assay.logs.refusals import counts

    known = "; ".join(filter(None, [left.seen, ", ".join(left.places)]))
    return f"{left.n:,} {'' if counts(left.reason) else 'left out: '}{left.reason}{f' ({known})' if known else ''}"


def notes_of(read: LogRead) -> list[Note]:
    """What a reader should know of how the log was read."""
    from assay.logs.refusals import counts

    notes = []
    bases = [(one.app, one.base, one.is_base_said) for one in read.recorded if one.base is not None]
    for app, base, is_said in bases:
        who = f"{app}: " if app else ""
        how = "as --ordinal-base says" if is_said else "read from the smallest position"
        notes.append(Note("ordinal-base", f"{who}positions count from {base} in the log, {how}"))
    notes += [Note("counted-without" if counts(one.reason) else "left-out", _said(one), count=one.n, level="warning")
              for one in read.left_out]  # fmt: skip
    if read.hidden:
        who = "1 query holds" if read.hidden == 1 else f"{read.hidden:,} queries hold"
        notes.append(Note("hidden", f"{who} an e-mail address, a card, account or phone number: known as hidden-... "
                          "in what is shown and written", count=read.hidden, level="warning"))  # fmt: skip
    return notes
