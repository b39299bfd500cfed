"""What of a log does not count, and why, with the places of the first rows: what is read is counted or stands here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.logs.found_files import first_bad_lines
from assay.logs.mapping import Source
from assay.logs.tally import reasons
from assay.logs.tally import unread as tally_unread

if TYPE_CHECKING:
    from assay.logs.log import Log

NO_OBJECT = "a line that is no JSON object"
"""A reason, as `rows` says it."""

NO_QUERY = "impressions whose search names no query"
OTHERS = "rows of other applications"
"""Reasons, as `refused_places` says them."""

WINDOW = ("before the window", "after the window")
LATE = "clicks long after their search, which count"
UNREAD = "rows that count without their "
"""A reason, and how others begin, of rows that count for all that."""

APPS = 3
"""Of the applications that were not asked for, so many are named."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Rows that do not count, or not with all they hold (see `counts`), and why.

    Args:
        reason: in words.
        n: how many.
        places: where the first ones stand, when that is known.
        seen: what was seen of them instead: their times, or their applications.
    """

    reason: str
    n: int
    places: tuple[str, ...] = ()
    seen: str = ""


def refusals(log: Log, window: Mapping[str, int], by_query: bool) -> list[Refusal]:
    """What is left out, each with one row at least.

    Args:
        log: the log.
        window: since and until, in microseconds since 1970.
        by_query: whether queries are told apart, so that what names none does not count.
    """
    return [one for one in _all(log, window, by_query) if one.n]


def counts(reason: str) -> bool:
    """Whether rows that are told of for a reason count for all that."""
    return reason == LATE or reason.startswith(UNREAD)


def has_events(sources: Sequence[Source]) -> bool:
    """Whether rows can be clicks, and not only impressions that say whether they were clicked."""
    return any("kind" in source.paths or source.kind == "click" for source in sources)


def _all(log: Log, window: Mapping[str, int], by_query: bool) -> Iterator[Refusal]:
    counted, odd = reasons(log.tally()), tally_unread(log.tally())
    others = list(log.run("other_apps").sort("app").iter_rows()) if log.reading.app else []
    unread = dict(log.engine.rejected())
    if (broken := unread.pop(NO_OBJECT, None)) is not None:  # not even text
        counted = {**counted, NO_OBJECT: counted.get(NO_OBJECT, 0) + broken.n}
    nameless = _nameless(log) if by_query else 0
    is_looked_up = nameless or odd or others or counted.keys() - {NO_OBJECT}
    places = log.engine.refused_places(**window) if is_looked_up else {}
    for reason, n in counted.items():
        yield Refusal(reason, n, _bad_lines(log) if reason == NO_OBJECT else places.get(reason, ()))
    yield Refusal(NO_QUERY, nameless, places.get(NO_QUERY, ()))
    for fields, n in odd.items():
        what = ", ".join(fields.split())
        yield Refusal(f"{UNREAD}{what}, which cannot be read", n, places.get(fields, ()))
    yield Refusal(OTHERS, sum(n for _, n in others), places.get(OTHERS, ()), _named(others))
    for why, one in unread.items():
        yield Refusal(why, one.n, one.places)
    yield Refusal("files that are no .parquet, .csv, .tsv or .jsonl", len(log.unread), log.unread[:3])
    if log.has("at"):
        row = log.run("outside").row(0, named=True)
        for side, reason in zip(("before", "after"), WINDOW, strict=True):
            span = [row[f"{side}_first"], row[f"{side}_last"]]
            yield Refusal(reason, row[side] or 0, seen=" to ".join(map(_moment, span)) if row[side] else "")
    yield from _again(log)
    if has_events(log.sources):
        row = log.run("unmatched").row(0, named=True)
        yield Refusal("clicked documents that their search never showed", row["without_impression"] or 0)
        yield Refusal("clicks before their search", row["before_search"] or 0)
        yield Refusal(LATE, row["late"] or 0)
    if log.heavy:
        yield Refusal(f"sessions of more than {log.reading.most} searches, set aside", log.heavy)
        yield Refusal("impressions of these sessions", int(log.run("aside_impressions")["impressions"][0]))


def _again(log: Log) -> Iterator[Refusal]:
    """What comes again, where it is looked for and was found to."""
    if not log.has("impression_id") or log.reading.is_trusted or log.reading.is_bandit:
        return
    if not (log.may_repeat or has_events(log.sources)):
        return
    row = log.run("repeated").row(0, named=True)
    yield Refusal("impressions that come again", row["impressions"])
    yield Refusal("events that come again", row["events"])
    yield Refusal("searches that come again", row["searches"])


def _named(others: Sequence[tuple[str | None, int]]) -> str:
    """The applications that were not asked for, the largest first."""
    largest = sorted(others, key=lambda one: (-one[1], one[0] or ""))
    more = f" and {len(largest) - APPS} more" if len(largest) > APPS else ""
    return ", ".join(f"{app or 'without a name'} {n:,}" for app, n in largest[:APPS]) + more


def _moment(micros: int) -> str:
    from assay.logs.zones import moment_name

    try:
        return moment_name(micros)
    except OverflowError:  # what is no time can be any number
        return "the end of time" if micros > 0 else "the beginning of time"


def _nameless(log: Log) -> int:
    """How many impressions are of a search that names no query; the first of these searches are laid beside the log."""
    if not log.may_lack or not log.has("impression_id") or log.reading.is_bandit:
        return 0
    if log.has("query_id") and not log.run("unnamed")["query_id"][0]:
        return 0
    n = int(log.run("without_query")["impressions"][0])
    if n:
        log.engine.lay("nameless", {"impression_id": "VARCHAR"}, log.run("searches_without_query"))
    return n


def _bad_lines(log: Log) -> tuple[str, ...]:
    files = [source.files for source in log.sources if source.files.kind == "json"]
    return tuple(first_bad_lines(tuple(path for one in files for path in one.paths if "://" not in path)))
