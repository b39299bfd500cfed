"""A query log as traffic: which queries were asked how often, and how that went.

Queries that differ in form alone are one; what holds personal data is left out before anything else is done with it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any

import numpy as np

from assay.errors import InputError, did_you_mean
from assay.judgments.searches import YES, Searches, searches
from assay.judgments.typos import typos
from assay.kept import kept
from assay.ranking.ranking import F64
from assay.tables import Block
from assay.text import Fold, Near, fold, personal_data, same_by

DAY = len("2026-03-02")


@dataclass(frozen=True, slots=True)
class Window:
    """The days that count.

    Args:
        first, last: both included; None is open.
        zone: in which days begin, and in which a time without a zone is meant; None refuses times without one.

    Raises:
        InputError: the first day comes after the last.
    """

    first: date | None = None
    last: date | None = None
    zone: tzinfo | None = None

    def __post_init__(self) -> None:
        if self.first is not None and self.last is not None and self.first > self.last:
            raise InputError(f"{self.first} comes after {self.last}", "--from, --to", "let --from be the earlier day")

    @property
    def is_open(self) -> bool:
        """Whether every row counts."""
        return self.first is None and self.last is None

    def day_of(self, text: str, place: str) -> date:
        """The day of a time; a day alone is that day in whichever zone."""
        if len(text) == DAY and (at_day := _as_day(text)) is not None:
            return at_day
        try:
            at = datetime.fromisoformat(text.removesuffix("Z") if text.endswith("+00:00Z") else text)
        except ValueError:
            raise InputError(
                f"{text!r} is no time in ISO 8601", place, "write 2026-03-02T10:00:00Z, or leave --from and --to out"
            ) from None
        if at.tzinfo is None:
            if self.zone is None:
                raise InputError(f"{text!r} has no time zone", place, "say which is meant by --time-zone Europe/Berlin")
            at = at.replace(tzinfo=self.zone)
        return at.astimezone(self.zone or UTC).date()

    def has(self, day: date) -> bool:
        """Whether a day lies inside."""
        return (self.first is None or day >= self.first) and (self.last is None or day <= self.last)


@kept("spelling")
@dataclass(frozen=True, slots=True)
class Spelling:
    """A text that counts as another one.

    Args:
        text: as it was asked.
        counts_as: the most frequent form of its query.
        rule: the first by which the two are one: of `assay.text.FOLDS`, then of `NEAR`.
        searches: how often it was asked.
    """

    text: str
    counts_as: str
    rule: str
    searches: float


@dataclass(eq=False)
class Traffic:
    """Distinct queries with what became of them.

    Args:
        keys: what the forms of each query have in common.
        texts: its most frequent form, the first of several such.
        count: f64[n], how often it was asked.
        outcomes: name to f64[n], how many of these ended so; only those that the log can tell.
        rows: rows that were read.
        forms: distinct texts before folding.
        outside: how often queries were asked outside the window.
        empty: rows without a query.
        unnamed: rows that name no search where others do: left out.
        personal: kind of personal data to how many distinct texts held it.
        spellings: every text that counts as another one, the most frequent first.
        meant: key of a slip of the finger to the key of the query that was meant.
    """

    keys: list[str]
    texts: list[str]
    count: F64
    outcomes: dict[str, F64]
    rows: int
    forms: int
    outside: float = 0.0
    empty: int = 0
    unnamed: int = 0
    personal: dict[str, int] = field(default_factory=dict)
    spellings: tuple[Spelling, ...] = ()
    meant: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.keys)


def traffic(
    log: Block, *, rule: Fold = "form", near: Collection[Near] = (), window: Window | None = None
) -> Traffic:  # fmt: skip
    """The distinct queries of a log.

    Args:
        log: rows of `LoggedQuery`.
        rule: when two texts are one query, see `assay.text.FOLDS`.
        near: further rules, see `assay.text.NEAR`.
        window: the days that count; all when None.

    Raises:
        InputError: a time cannot be read, `escalated` is neither yes nor no, rows are shown documents of which nothing
            says which are of one search, or nothing is left.
    """
    window = Window() if window is None else window
    asked = searches(log)
    told = asked.told
    days: list[date] = []
    by_text, outside, empty = _by_text(log, asked, window, days)
    found = Traffic([], [], np.zeros(0), {}, len(log), len(by_text), outside, empty)
    found.unnamed = asked.unnamed
    sums: dict[str, list[float]] = {}
    forms: dict[str, dict[str, float]] = {}
    for text, figures in by_text.items():
        kind = personal_data(text)
        if kind is not None:
            found.personal[kind] = found.personal.get(kind, 0) + 1
            continue
        _join(sums, forms, fold(text, rule, near), figures, {" ".join(text.split()): figures[0]})
    if "typos" in near:
        found.meant = _slips(sums)
        for slip, meant in found.meant.items():
            _join(sums, forms, meant, sums.pop(slip), forms.pop(slip))
    keys = [key for key, figures in sums.items() if figures[0] > 0]
    if not keys:
        raise InputError("holds no query that can be sampled", log.name, _why_nothing(found, days))
    found.keys, found.texts = keys, [max(forms[key], key=lambda text: forms[key][text]) for key in keys]
    found.spellings = _spellings(found, forms, rule, near)
    columns: F64 = np.array([sums[key] for key in keys], dtype=np.float64)
    found.count = columns[:, 0]
    with np.errstate(over="ignore"):
        if not np.isfinite(found.count.sum()):
            raise InputError("the counts add up to more than a number can hold", log.name, "mend the largest counts")
    found.outcomes = {name: columns[:, i] for i, name in enumerate(told, 1)}
    return found


def _join(
    sums: dict[str, list[float]], forms: dict[str, dict[str, float]], key: str, figures: Sequence[float],
    texts: Mapping[str, float],
) -> None:  # fmt: skip
    """Counts figures and texts with those of a key."""
    known = sums.setdefault(key, [0.0] * len(figures))
    for i, figure in enumerate(figures):
        known[i] += figure
    own = forms.setdefault(key, {})
    for text, count in texts.items():
        own[text] = own.get(text, 0.0) + count


def _slips(sums: Mapping[str, Sequence[float]]) -> dict[str, str]:
    keys = [key for key, figures in sums.items() if figures[0] > 0]
    return {keys[slip]: keys[meant] for slip, meant in typos(keys, [sums[key][0] for key in keys]).items()}


def _spellings(
    found: Traffic, forms: Mapping[str, Mapping[str, float]], rule: Fold, near: Collection[Near]
) -> tuple[Spelling, ...]:
    rows = [
        Spelling(text, best, same_by(text, best, rule, near), count)
        for key, best in zip(found.keys, found.texts, strict=True)
        for text, count in forms[key].items()
        if text != best
    ]
    return tuple(sorted(rows, key=lambda one: (-one.searches, one.counts_as, one.text)))


def _why_nothing(found: Traffic, days: Sequence[date]) -> str:
    if found.outside and days:
        span = f"is of {days[0]}" if days[0] == days[-1] else f"runs from {days[0]} to {days[-1]}"
        return f"widen --from and --to: the log {span}"
    if found.personal:
        return "every query holds personal data; see --columns if another column was meant"
    return "pass a log with a query in each row"


def _by_text(
    log: Block, found: Searches, window: Window, days: list[date]
) -> tuple[dict[str, list[float]], float, int]:
    """Exact text to [count, count of each outcome]; how much lay outside the window; searches without a text.

    `days` takes the first and the last day outside the window.
    """
    by_text: dict[str, list[float]] = {}
    told, outside, empty = found.told, 0.0, 0
    for one in found.each:
        times = 1.0 if one.count is None else float(one.count)
        if not window.is_open:
            if one.at is None:
                raise InputError("has no time", log.place(one.row), "name the column by --columns asked_at=COLUMN")
            day = window.day_of(str(one.at), log.place(one.row))
            if not window.has(day):
                outside += times
                days[:] = [min([day, *days]), max([day, *days])]
                continue
        if one.text is None or not str(one.text).strip():
            empty += 1
            continue
        known = by_text.setdefault(str(one.text), [0.0] * (1 + len(told)))
        known[0] += times
        for i, (name, value) in enumerate(zip(told, one.ends, strict=True), 1):
            if _ended(name, value, one.ends, told, log, one.row):
                known[i] += times
    return by_text, outside, empty


def _ended(name: str, value: Any, ends: Sequence[Any], told: Sequence[str], log: Block, row: int) -> bool:
    if value is None:
        return False
    if name == "zero-results":
        return float(value) == 0
    if name == "no-click":  # where nothing was shown there was nothing to click: that is another failure
        results = ends[told.index("zero-results")] if "zero-results" in told else None
        return float(value) == 0 and (results is None or float(results) > 0)
    said = YES.get(str(value).strip().casefold())
    if said is None:
        raise InputError(f"escalated is {value!r}", log.place(row), "write yes or no, true or false, 1 or 0")
    return said


def _as_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def day(text: str | None, option: str) -> date | None:
    """A day as it is typed, 2026-03-02."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is no day", option, "write 2026-03-02") from None


def zone(text: str | None) -> tzinfo | None:
    """A time zone by its name."""
    if text is None:
        return None
    from zoneinfo import ZoneInfo, available_timezones

    if text == "UTC":
        return UTC
    known = available_timezones()
    if not known:
        raise InputError("this machine has no data on time zones", "--time-zone", "pip install tzdata, or write UTC")
    if text not in known:
        raise InputError(
            f"unknown time zone {text}{did_you_mean(text, known)}", "--time-zone", "write Europe/Berlin, or UTC"
        )
    return ZoneInfo(text)
