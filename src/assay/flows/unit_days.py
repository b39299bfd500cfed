"""Sums of each person and day under pseudonyms: what an experiment needs of a log, in files that add up over days."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, NotEnoughEvidence
from assay.files import is_beyond, name_of, replacing, spelled
from assay.files.addresses import table_of
from assay.flows.pseudonyms import KEY, UNIT, Pseudonyms, holds
from assay.logs.found_files import part_files

if TYPE_CHECKING:
    import polars as pl

    from assay.logs.log import Reading

SUMS = ("searches", "shown", "shown_clicks", "clicks", "clicked", "first_click_rr", "to_click_s", "to_click_n", "zero",
        "zero_n", "abandoned", "answered", "reformulated", "reformulated_n", "carts", "purchases", "value")  # fmt: skip
"""Columns of `unit_sums` that add up."""

GROUPS = ("app", "day", "ranker", "segment")

READ = ("kinds", "columns", "ordinal_base", "only_app", "session_limit", "bots")
"""Columns that say how the log was read, see `read_by`."""

RULES = ("unit", "within_s", "empty_is_zero", "zone", *READ, KEY)
"""Columns that say how the sums were made: one value each in files that may be added up."""

LACKS = "lacks"
"""The column with the names of measures that the log could not know, which differ from day to day."""


@dataclass(frozen=True, eq=False)
class UnitDays:
    """Sums of units by day, of one file or of several.

    Args:
        frame: `UNIT`, the groups and the sums, one row each.
        unit: what a unit is: "person", "session" or "search".
        within_s: seconds within which a next query counts as a reformulation.
        zone: in which days were cut.
        again: rows whose unit and groups stand in another file too.
        files: how many files have rows.
        lacking: measure to the number of files whose log could not know it.
    """

    frame: pl.DataFrame
    unit: str
    within_s: float
    zone: str
    again: int = 0
    files: int = 1
    lacking: Mapping[str, int] = field(default_factory=dict)

    def moments(self, *by: str) -> list[dict[str, Any]]:
        """The rows that the query `unit_moments` gives: sums over units, with their squares and products."""
        import polars as pl

        from assay.logs.metrics import METRICS

        pairs = sorted({pair for one in METRICS.values()
                        for pair in ((one.over, one.over), (one.under, one.under), (one.over, one.under))})  # fmt: skip
        units = self.frame.group_by(UNIT, *by).agg(pl.col(SUMS).sum())
        sums = [pl.len().alias("units"), *(pl.col(name).sum() for name in SUMS)]
        sums += [(pl.col(one) * pl.col(other)).sum().alias(f"{one}_{other}") for one, other in pairs]
        return (units.group_by(by).agg(sums) if by else units.select(sums)).to_dicts()

    def missing(self) -> dict[str, str]:
        """The measures that the sums do not give, and why."""
        from assay.logs.metrics import METRICS

        total = self.moments()[0]
        happened = {"cart": "carts", "purchase": "purchases", "satisfied": "answered"}
        found = {}
        for name, metric in METRICS.items():
            told = next((happened[need] for need in metric.needs if need in happened), metric.under)
            if not total[told]:
                found[name] = f"no search of these sums has it ({', '.join(metric.needs)})"
        return found

    def known_in_part(self) -> dict[str, int]:
        """Measures over all searches to the number of files whose log could not know them: these searches count 0."""
        from assay.logs.metrics import METRICS

        missing = self.missing()
        return {name: n for name, n in self.lacking.items()
                if name not in missing and METRICS[name].under == "searches"}  # fmt: skip


def check_target(out: str | os.PathLike[str]) -> None:
    """Refuses a name under which sums are not written, before the log is read."""
    if is_beyond(os.fspath(out)) or Path(out).suffix.lower() != ".parquet":
        raise InputError("sums of people and days are written to a file of Parquet", spelled(out),
                         "give it the ending .parquet")  # fmt: skip


def read_by(reading: Reading, names: Pseudonyms) -> dict[str, str]:
    """What was said of how a log is read that changes its sums, as `READ`; a list of bots under the workspace's key."""
    said = [json.dumps(dict(sorted(one.items()))) for one in (reading.kinds, reading.columns, reading.bases)]
    bots = reading.bots
    listed = "" if bots is None else json.dumps([sorted(bots.units), sorted(bots.agents)])
    is_listed = bots is not None and (bots.units or bots.agents)
    kept = "kept" if bots is None else names.of(listed)[:16] if is_listed else ""
    return dict(zip(READ, (*said, reading.app, str(reading.most), kept), strict=True))


def write(
    sums: pl.DataFrame, out: str | os.PathLike[str], names: Pseudonyms, unit: str, within_s: float, is_zero: bool,
    zone: str, read: Mapping[str, str], lacks: Iterable[str],
) -> int:  # fmt: skip
    """Writes the rows of `unit_sums`, each unit under its pseudonym; gives their number.

    Args:
        sums: the rows.
        out: a file of Parquet.
        names: the pseudonyms.
        unit: what a unit is.
        within_s: seconds within which a next query counts as a reformulation.
        is_zero: whether searches without an impression found nothing.
        zone: in which days were cut.
        read: see `read_by`.
        lacks: the measures that the log could not know.
    """
    import polars as pl

    ids = sums[UNIT].unique()
    mapped = pl.DataFrame({UNIT: ids, "pseudonym": [names.of(one) for one in ids]},
                          schema={UNIT: pl.String, "pseudonym": pl.String})  # fmt: skip
    frame = sums.join(mapped, on=UNIT, how="left").select(
        pl.col("pseudonym").alias(UNIT), "app", pl.col("day").cast(pl.Int32).cast(pl.Date), "ranker", "segment", *SUMS,
        unit=pl.lit(unit), within_s=pl.lit(within_s), empty_is_zero=pl.lit(is_zero), zone=pl.lit(zone),
        unit_key=pl.lit(names.key), lacks=pl.lit(";".join(lacks)),
        **{name: pl.lit(value) for name, value in read.items()},
    ).sort(UNIT, *GROUPS)  # fmt: skip # the order of a log says who came when
    with replacing(out) as file:
        frame.write_parquet(file, compression="zstd")
    return frame.height


def holds_unit_days(log: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> bool:
    """Whether what was named are files that `write` wrote, or folders of them."""
    given = [log] if isinstance(log, str | os.PathLike) else list(log)
    return all(holds(file) for path in given for file in _files(path) or [os.fspath(path)])


def read(log: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> UnitDays:
    """The sums of all files.

    Raises:
        InputError: a file stands twice, or files were made by other rules or under another key.
        NotEnoughEvidence: there is no row.
    """
    import polars as pl

    given = [log] if isinstance(log, str | os.PathLike) else list(log)
    paths = [file for path in given for file in _files(path)]
    seen: dict[tuple[int, int], str] = {}
    for path in paths:
        entry = os.stat(path)
        if (entry.st_dev, entry.st_ino) in seen:
            raise InputError("is the same file as another one: its sums would be added twice", spelled(path),
                             "name each day once")  # fmt: skip
        seen[entry.st_dev, entry.st_ino] = path
    frames = [_read(path) for path in paths]
    for (one, first), (other, second) in combinations(zip(paths, frames, strict=True), 2):
        if first.height and first.equals(second):
            raise InputError(f"holds the same sums as {spelled(one)}: they would be added twice", spelled(other),
                             "name each day once")  # fmt: skip
    _check_rules(paths, frames)
    frame = pl.concat(frames, how="vertical_relaxed")
    if not frame.height:
        raise NotEnoughEvidence(f"{spelled(paths[0])} holds no sums")
    keys = frame.select(pl.struct(UNIT, *GROUPS).n_unique()).item()
    rules = frame.select(RULES).row(0, named=True)
    frame = frame.with_columns(pl.col("day").cast(pl.Int32))
    told = [one[LACKS].unique() for one in frames if one.height]
    lacking = Counter(name for one in told for name in {part for text in one for part in text.split(";") if part})
    return UnitDays(frame, rules["unit"], rules["within_s"], rules["zone"], frame.height - keys, len(told), lacking)


def _files(path: str | os.PathLike[str]) -> list[str]:
    return [] if table_of(path) else part_files(path)


def _read(path: str) -> pl.DataFrame:
    import polars as pl

    wanted = [UNIT, *GROUPS, *SUMS, *RULES, LACKS]
    try:
        return pl.read_parquet(path, columns=wanted, glob=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError("is damaged, or holds no sums of people and days", spelled(path), "write it again",
                         line=str(error).splitlines()[0]) from None  # fmt: skip


def _check_rules(paths: Sequence[str], frames: Sequence[pl.DataFrame]) -> None:
    first: tuple[Any, ...] | None = None
    for path, frame in zip(paths, frames, strict=True):
        for rules in frame.select(RULES).unique(maintain_order=True).iter_rows():
            first = rules if first is None else first
            odd = next((name for name, one, other in zip(RULES, first, rules, strict=True) if one != other), None)
            if odd == KEY:
                raise InputError("names people by another key: the same person would be counted as two", name_of(path),
                                 "add up files of one workspace, made under one secret")  # fmt: skip
            if odd is not None:
                raise InputError(f"was made with another {odd} than the files before it", name_of(path),
                                 "count all days by the same rules")  # fmt: skip
