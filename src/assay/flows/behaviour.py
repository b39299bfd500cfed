"""`assay behaviour`: what people did with what was shown to them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.files import spelled
from assay.flows import unit_days
from assay.flows.click_logs import LogChoices, Paths, notes_of, nothing_left, opened, read_of, without
from assay.flows.interactions import zone_of
from assay.flows.pseudonyms import made
from assay.flows.rates import GROUPS, TOLD_BY, grouped_rates, groups_of, rates_of
from assay.flows.workbench import Workbench
from assay.results import Note, Source

if TYPE_CHECKING:
    from assay.clicks.behaviour import AtPosition, Behaviour, Dwell, Rate
    from assay.logs.log import Log

LONG = 30.0
"""Seconds from which a visit is long."""


def behaviour(
    log: Paths,
    *,
    by: str | Sequence[str] = (),
    within: float = 60.0,
    queries: int = 20,
    empty_is_zero: bool = False,
    units: str | os.PathLike[str] | None = None,
    choices: LogChoices | None = None,
    bench: Workbench | None = None,
    command: str = "",
    **options: Any,
) -> Behaviour:
    """Behaviour in a log: clicks by position, abandonment, zero results, reformulation, time, carts, purchases.

    Args:
        log: files, a folder or a glob of what was shown and done; or files of sums by person and day, as `units` are.
        by: app, day, ranker or segment; measures are given for all together and for each group.
        within: seconds within which a next, like query counts as a reformulation.
        queries: how many of the most frequent queries are given by themselves.
        empty_is_zero: a search without an impression found nothing, in a log that has no number of results.
        units: where the sums of each person and day are written, under pseudonyms of the workspace; nowhere when None.
        choices: how the log is read; `options` when None.
        bench: whose secret keys the pseudonyms.
        command: how the result was asked for, kept in it.
        **options: see `LogChoices`.

    Returns:
        Every measure that the log can give, with intervals by unit, and why it cannot give the others.

    Raises:
        InputError: the log or an option cannot be read.
        NotEnoughEvidence: no search is left.
    """
    from assay import __version__
    from assay.clicks.behaviour import Behaviour

    choices = LogChoices(**options) if choices is None else choices
    groups = groups_of(by)
    if unit_days.holds_unit_days(log):
        if choices != LogChoices() or units is not None or empty_is_zero:
            raise InputError("these files hold sums of a log that was read: how a log is read means nothing here",
                             os.fspath(log if isinstance(log, str | os.PathLike) else log[0]),
                             "leave out the options of the log, or name the log itself")  # fmt: skip
        return _added(unit_days.read(log), groups, within, command)
    names = None
    if units is not None:
        unit_days.check_target(units)
        names = made(Workbench.open() if bench is None else bench)
    opened_log = opened(log, choices)
    try:
        asked = _Asked(opened_log, groups, int(within * 1e6), empty_is_zero)
        asked.check()
        asked.prepare(choices.time_zone or "UTC")
        rates = asked.rates()
        by_query = tuple(asked.queries(queries))
        read = read_of(opened_log, choices, by_query=False)  # behind what gives queries, some of which get other names
        notes = [*notes_of(read), *_cautions(groups, rates)]
        positions, dwells = tuple(asked.positions()), tuple(asked.dwells())
        if units is not None and names is not None:
            n = unit_days.write(asked.unit_sums(), units, names, asked.unit, within, empty_is_zero, read.zone,
                                unit_days.read_by(opened_log.reading, names), asked.missing)  # fmt: skip
            notes.append(Note("units", f"{n:,} sums of a {asked.unit} and day written to {spelled(units)}, under "
                              "pseudonyms of this workspace"))  # fmt: skip
        return Behaviour(
            log=read, by=tuple(groups), rates=tuple(rates), positions=positions, queries=by_query, dwells=dwells,
            unit=asked.unit, within_s=within, missing=tuple(asked.missing.items()), notes=tuple(notes),
            source=Source(versions=(("assay", __version__),), command=command),
        )  # fmt: skip
    finally:
        opened_log.engine.close()


def _added(days: unit_days.UnitDays, groups: Sequence[str], within: float, command: str) -> Behaviour:
    """Behaviour from sums of persons and days."""
    from assay import __version__
    from assay.clicks.behaviour import Behaviour, LogRead, Recorded
    from assay.logs.zones import day_name

    if within not in (60.0, days.within_s):
        raise InputError(f"the sums count reformulations within {days.within_s:g} s", "--within",
                         "leave it out, or read the log again")  # fmt: skip
    missing = days.missing()
    rates = rates_of(days.moments()[0], (), days.unit, missing)
    if groups:
        rates += grouped_rates(days.moments(*groups), groups, days.unit, missing)
    recorded = []
    for row in sorted(days.moments("app"), key=lambda row: row["app"] or ""):
        mine = days.frame.filter(days.frame["app"].eq_missing(row["app"]))["day"].drop_nulls()
        span = ("", "") if mine.is_empty() else (day_name(int(mine.min())), day_name(int(mine.max())))  # type: ignore[arg-type]
        recorded.append(Recorded(row["app"] or "", None, False, (("search", int(row["searches"])),), *span))
    notes = [Note("unit-days", "from sums of each person and day: clicks by position, dwell and single queries are not "
                  "in them"), *_cautions(groups, rates)]  # fmt: skip
    for name, n in days.known_in_part().items():
        notes.append(Note("known-in-part", f"{name}: {n} of {days.files} files are of a log that had none and may not "
                          "record it; their searches count 0", count=n, level="warning"))  # fmt: skip
    if days.again:
        notes.append(Note("again", f"{days.again:,} sums of a {days.unit} and day stand in more than one file and are "
                          "added up: right for parts of a day, wrong for a day that was counted twice",
                          count=days.again, level="warning"))  # fmt: skip
    return Behaviour(
        log=LogRead(tuple(recorded), (), (), days.zone, "sums"), by=tuple(groups), rates=tuple(rates), positions=(),
        queries=(), dwells=(), unit=days.unit, within_s=days.within_s, missing=tuple(missing.items()),
        notes=tuple(notes), source=Source(versions=(("assay", __version__),), command=command),
    )  # fmt: skip


def _cautions(groups: Sequence[str], rates: Iterable[Rate]) -> list[Note]:
    if "ranker" not in groups:
        return []
    rankers = {value for rate in rates for by, value in rate.group if by == "ranker"}
    if len(rankers) < 2:
        return []
    return [Note("clicks-by-ranker", "click rates of two rankers show who put things higher, not whose documents are "
                 "better: compare rankers by interleaving or an A/B test", level="warning")]  # fmt: skip


class _Asked:
    """The queries behind one answer."""

    def __init__(self, log: Log, groups: Sequence[str], within: int, empty_is_zero: bool) -> None:
        self.log, self.groups = log, groups
        self.values = {"within": within, "empty_are_zero": empty_is_zero}
        self.happened = {one.kind for one in log.happened()}
        self.empty_is_zero = empty_is_zero

    @property
    def unit(self) -> str:
        """What is taken as independent."""
        if self.log.has("unit_id"):
            return "person"
        return "session" if self.log.has("session_id") else "search"

    def check(self) -> None:
        """Refuses a group that no column tells: every search would be of none."""
        for group in self.groups:
            field, what = TOLD_BY[group]
            if not self.log.has(field):
                raise without(self.log, field, what, f"leave {group} out of --by")

    def prepare(self, zone: str) -> None:
        """Lays the pairs of like queries and the offsets of the time zone."""
        from assay.clicks.alike import are_alike
        from assay.logs.zones import offsets

        if not self.log.has("impression_id"):
            raise InputError("behaviour is counted by search, and no column names the search", "--columns",
                             "pass --columns impression_id=COLUMN")  # fmt: skip
        spans = [(one.first, one.last) for one in self.log.happened() if one.first is not None]
        table = offsets(zone_of(zone), min(a for a, _ in spans), max(b or a for a, b in spans)) if spans else []
        self.log.engine.lay("offsets", {"since": "BIGINT", "until": "BIGINT", "ahead": "BIGINT"}, table)
        self.log.lay_pairs("alike", "steps", are_alike, **self.values)

    def rates(self) -> list[Rate]:
        """Every measure over all, then by each group."""
        whole = self._moments()
        if not whole or not whole[0]["searches"]:
            raise nothing_left(self.log, "no search is left in the log", by_query=False)
        rates = [rate for row in whole for rate in rates_of(row, (), self.unit, self.missing)]
        if self.groups:
            rates += grouped_rates(self._moments(*self.groups), self.groups, self.unit, self.missing)
        return rates

    def unit_sums(self) -> Any:
        """The sums of each unit and day, by application, ranker and segment."""
        return self.log.run("unit_sums", **self.values, **{f"by_{one}": one in GROUPS for one in (*GROUPS, "query")})

    def queries(self, most: int) -> list[Rate]:
        """The measures of the most frequent queries."""
        if not most:
            return []
        rows = sorted(self._moments("query"), key=lambda row: (-row["searches"], str(row["query_id"])))
        named = [row for row in rows if row["query_id"] is not None][:most]
        return [rate for row in named for rate in rates_of(row, (("query", row["query_id"]),), self.unit, self.missing)]

    def positions(self) -> list[AtPosition]:
        """Clicks by position, over all and by ranker or segment where those are asked for."""
        found = self._positions(())
        places = tuple(by for by in self.groups if by in ("ranker", "segment"))
        return [*found, *(self._positions(places) if places else [])]

    def dwells(self) -> list[Dwell]:
        """How long clicks held people, recorded and derived apart."""
        import numpy as np

        if "click" not in self.happened or not self.log.has("at"):
            return []
        rows = self.log.run("dwells").sort("is_derived", "tenths")
        return [
            _dwell(bool(flag), rows.filter(rows["is_derived"] == flag), np)
            for flag in rows["is_derived"].unique().sort()
        ]

    @property
    def missing(self) -> dict[str, str]:
        """The measures that the log cannot give, and why."""
        from assay.logs.metrics import METRICS

        return {name: why for name, metric in METRICS.items() if (why := self._lacks(metric.needs))}

    def _lacks(self, needs: Sequence[str]) -> str:
        for need in needs:
            if need == "results":
                if not self.log.has("results") and not self.empty_is_zero:
                    return "no column says how many results a search had (--columns results=COLUMN or --empty-is-zero)"
            elif need in ("click", "cart", "purchase", "satisfied"):
                if need not in self.happened:
                    return f"no event is a {need} (--kinds ACTION={need})"
            elif not self.log.has(need):
                return f"the log has no {need} (--columns {need}=COLUMN)"
        return ""

    def _moments(self, *by: str) -> list[dict[str, Any]]:
        flags = {f"by_{group}": group in by for group in (*GROUPS, "query")}
        return list(self.log.run("unit_moments", **self.values, **flags).iter_rows(named=True))

    def _positions(self, by: tuple[str, ...]) -> list[AtPosition]:
        from assay.clicks.behaviour import AtPosition
        from assay.stats.moments import Moments, share_interval

        flags = {f"by_{group}": group in by for group in ("ranker", "segment")}
        rows = self.log.run("position_moments", **flags).iter_rows(named=True)
        found = []
        for row in sorted(rows, key=lambda row: ([str(row[one] or "") for one in by], row["position"])):
            sums = Moments(row["units"], row["impressions"], row["clicks"], row["impressions_impressions"],
                           row["clicks_clicks"], row["clicks_impressions"])  # fmt: skip
            group = tuple((one, str(row[one] or "none")) for one in by)
            found.append(AtPosition(row["position"], group, int(sums.x), int(sums.y), share_interval(sums)))
        return found


def _dwell(is_derived: bool, rows: Any, np: Any) -> Dwell:
    from assay.clicks.behaviour import Dwell

    tenths, counts = rows["tenths"].to_numpy(), rows["n"].to_numpy()
    ends = np.cumsum(counts)
    lower, median, upper = (float(tenths[np.searchsorted(ends, share * ends[-1])]) / 10 for share in (0.25, 0.5, 0.75))
    return Dwell(is_derived, int(ends[-1]), lower, median, upper, float(counts[tenths > LONG * 10].sum() / ends[-1]))
