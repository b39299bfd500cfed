"""Raters, and adjudicators who settle what raters dispute: who of them gives a pair its grade.

A grade of an adjudicator is no further vote. Either it decides, and the raters' grades of that pair do not count, or
the raters' grades count and it does not. A pair that an adjudicator alone graded has that grade either way.
"""

from __future__ import annotations

from typing import Any

from assay.errors import InputError
from assay.judgments.rows import pair_of, picked, where
from assay.tables import Block

ADJUDICATOR = "adjudicator"
"""The role of who settles disputes."""

ADJUDICATED = "adjudicated"
"""The rule by which an adjudicator's grade decides where there is one."""


def rule_of(how: str) -> tuple[bool, str]:
    """Whether adjudicators decide, and how raters' grades become one.

    >>> rule_of("adjudicated,median"), rule_of("adjudicated"), rule_of("majority")
    ((True, 'median'), (True, 'mean'), (False, 'majority'))
    """
    first, _, rest = how.partition(",")
    if first.strip() != ADJUDICATED:
        return False, how
    return True, rest.strip() or "mean"


def has_adjudicators(block: Block) -> bool:
    """Whether some row was given by an adjudicator."""
    if "role" not in block.columns:
        return False
    frame: Any = block.frame
    return ADJUDICATOR in (frame["role"] if block.is_small else frame["role"].unique())


def apart(block: Block) -> tuple[Block, Block]:
    """The rows of raters, and those of adjudicators; each may be empty."""
    if not has_adjudicators(block):
        return block, where(block, "query_id", lambda _: False)
    return (
        where(block, "role", lambda role: role != ADJUDICATOR), where(block, "role", lambda role: role == ADJUDICATOR),
    )  # fmt: skip


def raters_alone(block: Block) -> tuple[Block, int]:
    """The rows without those of adjudicators where a rater graded the pair too; how many were left out."""
    return _without(block, is_settling=True)


def settled_first(block: Block) -> tuple[Block, int]:
    """The rows without those of raters where an adjudicator graded the pair too; how many were left out.

    Raises:
        InputError: the judgments do not say who is an adjudicator.
    """
    if "role" not in block.columns:
        raise InputError(
            f"--raters {ADJUDICATED} asks for an adjudicator's grades, and the judgments name no roles", block.name,
            "pass judgments with a column role, such as `assay judgments export` writes, or another --raters",
        )  # fmt: skip
    return _without(block, is_settling=False)


def of_rater(block: Block, name: str, *, and_settled: bool = False) -> Block:
    """The rows of one rater, and those of adjudicators where these decide."""
    frame: Any = block.frame
    if isinstance(frame, dict):
        roles = frame["role"] if and_settled else [None] * len(block)
        rows = zip(frame["rater"], roles, strict=True)
        return picked(block, [i for i, (rater, role) in enumerate(rows) if name == rater or role == ADJUDICATOR])
    mask = frame["rater"].eq_missing(name)
    return picked(block, mask | frame["role"].eq_missing(ADJUDICATOR) if and_settled else mask)


def _without(block: Block, *, is_settling: bool) -> tuple[Block, int]:
    """The block without its settling rows, or without the others, where a pair has rows of both kinds."""
    if not has_adjudicators(block):
        return block, 0
    names = pair_of(block)
    frame: Any = block.frame
    if isinstance(frame, dict):
        pairs = list(zip(*(frame[name] for name in names), strict=True))
        own = [role == ADJUDICATOR for role in frame["role"]]
        others = {pair for pair, is_own in zip(pairs, own, strict=True) if is_own != is_settling}
        kept = [i for i, pair in enumerate(pairs) if own[i] != is_settling or pair not in others]
        return picked(block, kept), len(pairs) - len(kept)
    import polars as pl

    is_own = pl.col("role").eq_missing(ADJUDICATOR)
    out = is_own if is_settling else ~is_own
    mask = frame.select((~out | ~(~out).any().over(*names)).alias("kept"))["kept"]
    return picked(block, mask), int((~mask).sum())
