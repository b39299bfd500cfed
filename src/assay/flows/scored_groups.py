"""What the executors of Spark do with the rows of a run: the same checks, order and measures as on one machine.

Rows come as Arrow batches, each query's together. Of a run nothing goes back but one number a query and measure, what
was counted, and what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.measures.measure import Measure
from assay.measures.score import measured
from assay.ranking.align import EXAMPLES, align, sort_key
from assay.ranking.collected import Collected
from assay.ranking.conventions import Conventions
from assay.ranking.pieces import ROWS
from assay.ranking.ranking import Judged, Ranking
from assay.tables import Block, Hit

if TYPE_CHECKING:
    import polars as pl

SCHEMA = ("part int, fault string, facts string, codes binary, returned binary, first_tie binary, values binary, "
          "shares binary")  # fmt: skip
"""What comes back: for each of the judgments one row, with arrays as bytes; or what is wrong."""

FAULT, OTHER = -1, -2
"""What stands for the number of the judgments where something is wrong, and where assay is of another version."""

PLACE = "row "
"""What stands before the number of a row in a message that is made here."""


@dataclass(frozen=True)
class Plan:
    """What every executor is told.

    Args:
        version: of assay where the command was given.
        judged: all the judgments that the run is scored with, each of them apart.
        measures: what is measured, on the scale of all judgments.
        conventions: order, ties and so on.
        name: what the run is called in messages.
    """

    version: str
    judged: tuple[Judged, ...]
    measures: tuple[Measure, ...]
    conventions: Conventions
    name: str

    def bare(self) -> Plan:
        """The plan without what executors work out for themselves."""
        return replace(self, judged=tuple(_bare(judged) for judged in self.judged))


def _bare(judged: Judged) -> Judged:
    return replace(judged, pool=None if judged.pool is None else _bare(judged.pool), _cache={})


@dataclass(frozen=True)
class Fault:
    """What is wrong with some rows.

    Args:
        stage: 0 where rows were checked one by one, 1 where they were put in order, 2 where they were measured.
        what, remedy, line, count: as in `InputError`.
        where: the place, where it is not a row.
        query: whose rows they are; None where there is none, or no row is at fault.
        has_row: whether a row is at fault.
    """

    stage: int
    what: str
    remedy: str
    line: str
    count: int
    where: str
    query: str | None
    has_row: bool


def scored(batches: Iterable[Any], shipped: Any) -> Iterator[Any]:
    """Scores the queries of one part of a run.

    Args:
        batches: of Arrow, with the fields of a row as columns, each query's rows together.
        shipped: holds the plan in `.value`.

    Yields:
        One Arrow batch of `SCHEMA`, or none where there are no rows.
    """
    from assay import __version__

    plan: Plan = shipped.value
    rows: list[dict[str, Any]] = [{"part": OTHER, "fault": __version__}]
    if plan.version == __version__:
        try:
            group = Group(plan)
            for frame in whole_queries(batches):
                group.add(frame)
            rows = group.rows()
        except InputError as error:  # of the measures: what is wrong with rows comes back as such
            rows = [_row_of(_fault(error, 2, None))]
    if rows:
        import pyarrow as pa

        names = ("codes", "returned", "first_tie", "values", "shares")
        kinds = {"part": pa.int32(), "fault": pa.string(), "facts": pa.string()} | dict.fromkeys(names, pa.binary())
        yield pa.RecordBatch.from_pylist(rows, schema=pa.schema(kinds))


def whole_queries(batches: Iterable[Any], least: int = ROWS) -> Iterator[pl.DataFrame]:
    """The rows in frames that end where the query changes, each looked for once so many rows are there."""
    import polars as pl

    held: list[pl.DataFrame] = []
    rows, wanted = 0, least
    for batch in batches:
        frame = pl.DataFrame(pl.from_arrow(batch))
        held.append(frame)
        rows += frame.height
        if rows < wanted:
            continue
        joined = pl.concat(held)
        queries = joined["query_id"]
        others = queries.ne_missing(queries[-1]).arg_true()
        cut = int(others[-1]) + 1 if len(others) else 0
        if cut:
            yield joined.slice(0, cut)
        held = [joined.slice(cut)]
        rows = held[0].height
        wanted = max(least, 2 * rows)  # one query may be larger than a frame
    if rows:
        yield pl.concat(held)


class Group:
    """Some queries of a run, taken in as frames and scored together.

    Args:
        plan: what is to be done.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._judged = {id(one): one for judged in plan.judged for one in _read_by(plan, judged)}
        self._collected = {known: Collected(one) for known, one in self._judged.items()}
        self._faults: list[Fault] = []
        self._columns: set[tuple[str, ...]] = set()
        self._key = ""

    def add(self, frame: pl.DataFrame) -> None:
        """Takes the rows of whole queries."""
        from assay.tables.frames import check_frame

        stage = 0
        try:
            block = check_frame(
                frame, Hit, self._plan.name, lambda row: f"{PLACE}{row}", {name: name for name in frame.columns}
            )
            self._columns.add(tuple(name for name in ("score", "rank") if name in block.columns))
            stage = 1
            if not self._faults:
                self._align(block)
        except InputError as error:
            self._faults.append(_fault(error, stage, frame))

    def _align(self, block: Block) -> None:
        self._key = self._key or sort_key(block, self._plan.conventions)
        for known, judged in self._judged.items():
            self._collected[known].add(align(block, judged, self._plan.conventions))

    def rows(self) -> list[dict[str, Any]]:
        """What goes back."""
        if not self._faults:
            return [self._row(part, judged) for part, judged in enumerate(self._plan.judged) if self._columns]
        stage = min(fault.stage for fault in self._faults)
        found = [fault for fault in self._faults if fault.stage == stage]
        return [_row_of(replace(found[0], count=sum(fault.count for fault in found)))]

    def _row(self, part: int, judged: Judged) -> dict[str, Any]:
        rankings: dict[int, Ranking] = {}
        for one in _read_by(self._plan, judged):
            rankings[id(one)] = self._collected[id(one)].all().ranking
        values, shares = measured(
            lambda known: rankings[id(known)], judged, self._plan.measures, self._plan.conventions
        )
        collected = self._collected[id(judged)]
        ranking, facts = rankings[id(judged)], collected.all().facts
        codes = np.flatnonzero(ranking.answered)
        told = {
            "rows": facts.rows, "unknown": list(facts.unknown[:EXAMPLES]), "n_unknown": facts.n_unknown,
            "dropped": facts.dropped, "left_out": [list(one) for one in facts.left_out], "disagree": facts.disagree,
            "is_compared": collected.is_compared, "key": self._key, "columns": sorted(self._columns),
        }  # fmt: skip
        return {
            "part": part, "facts": json.dumps(told), "codes": codes.tobytes(),
            "returned": ranking.returned[codes].tobytes(), "first_tie": facts.first_tie[codes].tobytes(),
            "values": np.ascontiguousarray(values[:, codes]).tobytes(),
            "shares": np.ascontiguousarray(shares[:, codes]).tobytes(),
        }  # fmt: skip


def _read_by(plan: Plan, judged: Judged) -> list[Judged]:
    """The judgments that the measures read: those given, and those of the pool where one does."""
    return list({id(one): one for one in (judged, *(m.judgments(judged) for m in plan.measures))}.values())


def _row_of(fault: Fault) -> dict[str, Any]:
    return {"part": FAULT, "fault": json.dumps(asdict(fault))}


def _fault(error: InputError, stage: int, frame: pl.DataFrame | None) -> Fault:
    number = error.where.removeprefix(PLACE)
    has_row = frame is not None and error.where.startswith(PLACE) and number.isdigit()
    query = frame["query_id"][int(number)] if frame is not None and has_row else None
    where = "" if has_row else error.where
    return Fault(stage, error.what, error.remedy, error.line, error.count, where,
                 None if query is None else str(query), has_row)  # fmt: skip
