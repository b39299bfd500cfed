"""Days in a time zone: by how much its clock is ahead of UTC, and when that changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

MICROSECONDS = 1_000_000
_HOUR = 3_600


def offsets(zone: tzinfo, first: int, last: int) -> list[tuple[int, int, int]]:
    """The offsets of a time zone.

    Args:
        zone: the time zone.
        first: microseconds since 1970, the first moment that is to be covered.
        last: the last one.

    Returns:
        (from, to, ahead) in microseconds, without gap or overlap; the offset changes at full hours of UTC or, as in
        some zones, at quarters of one.
    """
    start = first // (_HOUR * MICROSECONDS) * _HOUR
    end = last // (_HOUR * MICROSECONDS) * _HOUR + _HOUR
    spans: list[list[int]] = [[start, end, _ahead(zone, start)]]
    day = start
    while day < end:
        after = min(day + 24 * _HOUR, end)
        if _ahead(zone, after) != spans[-1][2]:
            change = _change(zone, day, after)
            spans[-1][1] = change
            spans.append([change, end, _ahead(zone, change)])
            day = change
        else:
            day = after
    return [(a * MICROSECONDS, b * MICROSECONDS, ahead * MICROSECONDS) for a, b, ahead in spans]


@cache
def put_back(zone: str) -> tuple[int, ...]:
    """By how many seconds the clock of a zone is put back, in any year from 1990 to 2050, the most first.

    Args:
        zone: its name, such as Europe/Berlin.
    """
    first, last = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) * MICROSECONDS for year in (1990, 2051))
    ahead = [here for *_, here in offsets(ZoneInfo(zone), first, last)]
    return tuple(
        sorted({(before - after) // MICROSECONDS for before, after in pairwise(ahead) if after < before}, reverse=True)
    )


def day_name(day: int) -> str:
    """A day, counted from 1970-01-01, as 2026-03-01."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day)).date().isoformat()


def moment_name(microseconds: int) -> str:
    """A moment in ISO 8601, in UTC."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _ahead(zone: tzinfo, seconds: int) -> int:
    offset = datetime.fromtimestamp(seconds, UTC).astimezone(zone).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0


def _change(zone: tzinfo, low: int, high: int) -> int:
    """The first second in (low, high] with another offset than `low`."""
    before = _ahead(zone, low)
    while high - low > 1:
        middle = (low + high) // 2
        if _ahead(zone, middle) == before:
            low = middle
        else:
            high = middle
    return high
