"""Stages as a table: what was retrieved, what the best order of it would reach, and what each stage loses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.report.page import Cell, Column, Mark, Range, Table, Value

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison
    from assay.compare.stages import Estimate, Stage, Stages

ALL = "all"
CLAIM, FEWEST = 25, 10
"""Queries from which there is a claim, and below which no mean stands alone."""


def stage_table(comparison: Comparison, pair: tuple[str, str] | None = None) -> Table | None:
    """One row a system and set of queries; None where nobody said what the stages are.

    Args:
        comparison: what was compared.
        pair: these systems alone; all when None.
    """
    found = comparison.stages
    chosen = [stage for stage in found.systems if pair is None or stage.system in pair] if found else []
    if found is None or not chosen:
        return None
    fused = any(len(stage.retrievers) > 1 for stage in chosen)
    columns = [
        Column("system", is_name=True, is_grouped=True),
        Column("queries", is_name=True, gap=2),
        Column("n", "right", gap=2),
        *([Column("each recall", drop=2, gap=2)] if fused else []),
        Column("recall", "right", gap=2),
        Column("ceiling", "right", gap=2),
        Column(str(found.measure), "right", gap=2),
        Column("retrieval loss", "right", drop=1, gap=2),
        Column("from, to", drop=3, gap=2),
        Column("ranking loss", "right", drop=1, gap=2),
        Column("from, to", drop=3, gap=2),
        Column("problem", gap=2),
    ]
    systems = dict.fromkeys(stage.system for stage in chosen)
    ordered = [stage for system in systems for stage in chosen if stage.system == system]
    return Table(tuple(columns), tuple(tuple(row(stage, fused)) for stage in ordered), name="Stages")


def each_recall(stage: Stage) -> str:
    """The recall of each retriever by itself."""
    return ", ".join(f"{one.name} {one.recall.mean:.4f}" for one in stage.retrievers if one.recall.mean is not None)


def together(stages: Stages) -> Iterator[str]:
    """Of each system with several retrievers: what each finds, and what they find together."""
    for stage in stages.systems:
        if not stage.kind and len(stage.retrievers) > 1 and stage.value.n >= FEWEST and stage.recall.mean is not None:
            yield f"{stage.system}: recall {each_recall(stage)}; {stage.recall.mean:.4f} together"


def row(stage: Stage, fused: bool) -> list[Cell]:
    """The cells of one system on one set of queries."""
    each = each_recall(stage)
    enough = stage.value.n >= FEWEST
    means = (stage.recall, stage.ceiling, stage.value)
    cells: list[Cell] = [stage.system, stage.name if stage.kind else ALL, f"{stage.value.n:,}"]
    cells += [each if enough else "n/a"] if fused else []
    cells += [mean(one, enough) for one in means]
    for loss in (stage.retrieval_loss, stage.ranking_loss):
        cells += [mean(loss, enough), between(loss, enough)]
    return [*cells, verdict(stage)]


def mean(estimate: Estimate, enough: bool) -> Value:
    """The mean; too few queries have none."""
    return Value(estimate.mean if enough else None, 4)


def between(estimate: Estimate, enough: bool) -> Range:
    """The interval; too few queries have none."""
    interval = estimate.interval if enough else None
    return Range(*(interval if interval is not None else (None, None)))


def verdict(stage: Stage) -> Mark:
    """Which stage loses more; too few queries make no claim."""
    if (
        stage.ranking_loss.mean is not None
        and stage.ranking_loss.mean < 0
        and not stage.claim
        and stage.value.n >= CLAIM
    ):
        return Mark("unsure", "not its stages")
    if not stage.claim:
        return Mark("plain", f"no claim: n {stage.value.n}")
    return Mark("unsure" if stage.problem else "plain", stage.problem or "nothing to mend")
