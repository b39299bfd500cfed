"""`assay pool audit`: what each run brought to the judgments and would lose without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.flows.choices import chosen
from assay.flows.evaluate import Reading, _named, file_of, measures_of, one_grade_a_pair, prepared, source_of
from assay.flows.workbench import Workbench
from assay.results import QUIET, Progress
from assay.tables import Judgment

if TYPE_CHECKING:
    from assay.compare.pool_audit import PoolAudit


def pool_audit(
    runs: Any,
    qrels: Any = None,
    measures: Any = None,
    *,
    depth: int | None = None,
    within_pool: bool = False,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **choices: Any,
) -> PoolAudit:
    """What each run alone brought to the judgments, and what it would lose had it been left out of the pool.

    Args:
        runs: the runs that fed the pool, as in `evaluate`.
        qrels: the judgments.
        measures: as in `evaluate`.
        depth: how far down each run the pool goes; told by where the judgments end when None.
        within_pool: leaves out judged pairs that no run here shows in its first ranks, before anything else.
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found.
        progress: told how far the work has come.
        command: how the result was asked for.
        **choices: as in `evaluate`.
    """
    from assay.compare.pool_audit import pool_audit as audited
    from assay.ranking.shown import collect

    bench = Workbench.open() if bench is None else bench
    held = chosen(bench.workspace, choices)
    reading: Reading = {"format": format, "columns": columns}
    wanted = measures_of(measures, held)
    judgments = bench.table(file_of(bench, qrels, "qrels"), Judgment, **reading, name="qrels")
    judged = prepared(one_grade_a_pair(judgments, held.conventions), held.conventions)
    wants_rank = held.conventions.order == "rank"
    shown = {
        name: collect(
            bench.blocks(run, **reading, name=name, wants_rank=wants_rank, progress=progress), judged, held.conventions
        )
        for name, run in _named(runs).items()
    }
    found = audited(shown, wanted, depth=depth, within_pool=within_pool)
    return replace(found, source=source_of(bench, held, command))
