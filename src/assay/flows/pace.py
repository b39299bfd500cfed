"""How long answers take: the time that is idle is capped."""

from __future__ import annotations

from collections.abc import Sequence

IDLE_S = 120.0
"""An answer that took longer counts as so many seconds in a mean: the rater was elsewhere."""


def mean_s(seconds: Sequence[float]) -> float | None:
    """The mean of what answers took, each capped at `IDLE_S`; None where there is none."""
    return sum(min(one, IDLE_S) for one in seconds) / len(seconds) if seconds else None
