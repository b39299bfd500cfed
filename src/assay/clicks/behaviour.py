"""What people did with what was shown to them, by measure, by position and by query."""

from __future__ import annotations

from dataclasses import dataclass

from assay.results import Result, kept
from assay.stats.intervals import Interval


@kept("behaviour rate")
@dataclass(frozen=True, slots=True)
class Rate:
    """One measure in one group.

    Args:
        measure: its name.
        group: (by, value) of the group, such as ("day", "2026-03-01"); empty for all together.
        value: the ratio; None where nothing was divided by.
        interval: by units; None where `why` says why not.
        n: what the measure is divided by: searches, or documents that were shown.
        units: people (or sessions, or searches, where nobody is named).
        why: there is no interval; empty when there is.
    """

    measure: str
    group: tuple[tuple[str, str], ...]
    value: float | None
    interval: Interval | None
    n: float
    units: int
    why: str = ""


@kept("behaviour at a position")
@dataclass(frozen=True, slots=True)
class AtPosition:
    """How often what stood at one position was clicked.

    Args:
        position: from 1.
        group: as in `Rate`.
        impressions, clicks: how many.
        interval: of clicks by impressions, by units; None below two.
    """

    position: int
    group: tuple[tuple[str, str], ...]
    impressions: int
    clicks: int
    interval: Interval | None

    @property
    def rate(self) -> float:
        """Clicks by impressions."""
        return self.clicks / self.impressions


@kept("dwell")
@dataclass(frozen=True, slots=True)
class Dwell:
    """How long clicked documents held people.

    Args:
        is_derived: whether it is the time until the next search or click of the session, where the log records none.
        n: clicks.
        lower, median, upper: quartiles in seconds.
        long_share: share of them above 30 seconds.
    """

    is_derived: bool
    n: int
    lower: float
    median: float
    upper: float
    long_share: float


@kept("left out of a log")
@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows that do not count, and why.

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


@kept("recorded in a log")
@dataclass(frozen=True, slots=True)
class Recorded:
    """What an application recorded, and how its positions count.

    Args:
        app: its name; empty where rows name none.
        base: the position that its log gives to the first document, 0 or 1; None where it shows none.
        is_base_said: whether that was given, and not read from the smallest position.
        kinds: (what happened, how often), the most frequent first.
        first, last: when, in ISO 8601 and UTC; empty where rows have no time.
    """

    app: str
    base: int | None
    is_base_said: bool
    kinds: tuple[tuple[str, int], ...]
    first: str
    last: str


@kept("log in numbers")
@dataclass(frozen=True, slots=True)
class LogRead:
    """How a log was read.

    Args:
        recorded: by application.
        left_out: what does not count, and why.
        columns: (field, column of the log).
        zone: of times that name none, and of days.
        engine: what the queries ran on.
        hidden: queries that hold personal data, which stand under other names.
    """

    recorded: tuple[Recorded, ...]
    left_out: tuple[LeftOut, ...]
    columns: tuple[tuple[str, str], ...]
    zone: str
    engine: str
    hidden: int = 0


@kept("behaviour")
@dataclass(frozen=True, kw_only=True)
class Behaviour(Result):
    """Behaviour in a log.

    Args:
        log: how it was read.
        by: what it is grouped by, such as ("day",).
        rates: every measure that the log can give, over all and by group.
        positions: clicks by position, over all and by group.
        queries: the most frequent queries, each with its measures.
        dwells: recorded and derived, where there are any.
        unit: what intervals take as independent: "person", "session" or "search".
        within_s: seconds within which a next query counts as a reformulation.
        missing: (measure, why the log cannot give it).
    """

    log: LogRead
    by: tuple[str, ...]
    rates: tuple[Rate, ...]
    positions: tuple[AtPosition, ...]
    queries: tuple[Rate, ...]
    dwells: tuple[Dwell, ...]
    unit: str
    within_s: float
    missing: tuple[tuple[str, str], ...]

    def rate(self, measure: str, **group: str) -> Rate:
        """One measure, over all or in one group (`day="2026-03-01"`).

        Raises:
            KeyError: the log has no such measure or group.
        """
        for rate in self.rates:
            if rate.measure == measure and dict(rate.group) == group:
                return rate
        raise KeyError((measure, group))
