"""Measures of behaviour from sums over units: of a log that is open, or of days that were counted before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from assay.clicks.behaviour import Rate
    from assay.stats.intervals import Interval
    from assay.stats.moments import Moments

TOLD_BY = {
    "app": ("app", "the application"),
    "day": ("at", "the time"),
    "ranker": ("ranker", "the ranker"),
    "segment": ("segment", "the segment"),
}
"""Each group with the field of a log that tells it, and what that is in words."""

GROUPS = tuple(TOLD_BY)


def groups_of(by: str | Sequence[str]) -> list[str]:
    """What was asked to group by.

    Raises:
        InputError: behaviour is not grouped by that.
    """
    from assay.logs.fields import BY_NAME

    groups = [by] if isinstance(by, str) else list(by)
    for group in groups:
        if group in GROUPS:
            continue
        read_as = next((one for one, (field, _) in TOLD_BY.items() if group in BY_NAME[field].also), "")
        way = (
            f"pass --by {read_as}: a column {group} is read as one"
            if read_as
            else f"pass --by {'|'.join(GROUPS)}; segments of another column by --by segment --columns segment=COLUMN"
        )
        raise InputError(f"a log is not grouped by {group!r}{did_you_mean(group, GROUPS)}", "--by", way)  # fmt: skip
    return groups


def rates_of(
    row: Mapping[str, Any], group: tuple[tuple[str, str], ...], unit: str, missing: Collection[str]
) -> list[Rate]:
    """Every measure of one row of `unit_moments`.

    Args:
        row: sums over units, with squares and products.
        group: what they are of.
        unit: what is taken as independent.
        missing: measures that the log cannot give.
    """
    from assay.clicks.behaviour import Rate
    from assay.logs.metrics import METRICS

    found = []
    for name, metric in METRICS.items():
        if name not in missing:
            sums = _moments(row, metric.over, metric.under)
            interval, why = _interval(sums, unit, metric.unit == "share", metric.over != "value")
            found.append(Rate(name, group, sums.ratio, interval, sums.x, int(sums.n), why))
    return found


def grouped_rates(
    rows: Sequence[Mapping[str, Any]], groups: Sequence[str], unit: str, missing: Collection[str]
) -> list[Rate]:
    """The measures of each group, in the order of their names."""
    ordered = sorted(rows, key=lambda row: [str(row[by] or "") for by in groups])
    return [rate for row in ordered for rate in rates_of(row, _group(row, groups), unit, missing)]


def _group(row: Mapping[str, Any], groups: Sequence[str]) -> tuple[tuple[str, str], ...]:
    from assay.logs.zones import day_name

    named = []
    for by in groups:
        value = row[by]
        text = "none" if value is None else day_name(value) if by == "day" else str(value)
        named.append((by, text))
    return tuple(named)


def _moments(row: Mapping[str, Any], over: str, under: str) -> Moments:
    """The six sums of one measure in one row of `unit_moments`."""
    from assay.stats.moments import Moments

    return Moments(
        n=float(row["units"]), x=float(row[under]), y=float(row[over]), xx=float(row[f"{under}_{under}"]),
        yy=float(row[f"{over}_{over}"]), xy=float(row[f"{over}_{under}"]),
    )  # fmt: skip


def _interval(sums: Moments, unit: str, is_share: bool, is_positive: bool) -> tuple[Interval | None, str]:
    from assay.stats.moments import ratio_interval, share_interval

    if not sums.x:
        return None, "nothing to count"
    if sums.n < 2:
        return None, f"one {unit} only"
    if not sums.y and not is_share:
        return None, "none happened"
    if is_share:
        return share_interval(sums), ""
    found = ratio_interval(sums)
    if found is not None and is_positive:
        found = replace(found, low=max(found.low, 0.0))
    return found, ""
