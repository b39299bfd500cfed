"""What a change did to retrieval and to ranking, in words."""

from __future__ import annotations

from assay.measures.measure import Measure


def said(
    recalls: tuple[float | None, float | None],
    values: tuple[float | None, float | None],
    measure: Measure,
    margin: float,
) -> str:
    """What a change did to the two stages; empty where there is nothing to say."""
    if None in recalls or None in values:
        return ""
    (old, new), (before, after) = recalls, values
    assert old is not None and new is not None and before is not None and after is not None  # noqa: PT018 # one fact
    ended = f"{measure} {_moves(before, after)} from {before:.4f} to {after:.4f}"
    if abs(new - old) <= margin:
        return f"retrieval recall stays at {new:.4f} ({old:.4f} before), and {ended}: the order alone moved it"
    brought = f"retrieval recall {_moves(old, new)} from {old:.4f} to {new:.4f}"
    if (new - old) * (after - before) >= 0:
        return f"{brought}, and {ended}"
    return f"{brought} while {ended}" if new < old else f"{brought}, yet {ended}"


def _moves(before: float, after: float) -> str:
    return "falls" if after < before else "rises" if after > before else "stays"
