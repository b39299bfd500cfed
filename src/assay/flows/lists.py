"""A run as lists, for verbs that need no judgments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.flows.workbench import Workbench
from assay.ranking.conventions import Conventions
from assay.results import Note, Progress

if TYPE_CHECKING:
    from assay.ranking.listed import Listed


def run_as_lists(
    bench: Workbench, run: Any, name: str, conventions: Conventions, format: str | None,
    columns: Mapping[str, str] | None, progress: Progress,
) -> tuple[Listed, list[Note]]:  # fmt: skip
    """One run as lists, and what reading it showed."""
    from assay.ranking.listed import listed

    wants_rank = conventions.order == "rank"
    blocks = bench.blocks(run, format=format, columns=columns, name=name, wants_rank=wants_rank, progress=progress)
    found = listed(blocks, conventions)
    parts: list[Any] = blocks if isinstance(blocks, list) else [blocks]
    return found, [Note("read", fact, run=name) for part in parts for fact in part.facts]
