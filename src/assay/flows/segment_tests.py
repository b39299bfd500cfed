"""Tests of the position-based model where each segment has a curve of its own, and what is said where it has none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.errors import NotEnoughEvidence
from assay.flows.click_lists import each_earlier_and_later
from assay.results import Note

if TYPE_CHECKING:
    from assay.clicks.by_segment import BySegment
    from assay.clicks.cells import Cells
    from assay.clicks.lists import Lists
    from assay.clicks.misfit import Misfit
    from assay.clicks.propensity import Propensities
    from assay.logs.log import Log

FEW_LISTS = 100
"""Later lists of a segment below which rivals are not held against the model: it would hardly ever tell."""

FEW_QUERIES = 10
"""Queries of these below which an error by query is not to be relied on."""


@dataclass(frozen=True, slots=True)
class TestedSegments:
    """Tests of each segment by itself.

    Args:
        found: of each segment, by its number; None where no test could be made, or nothing was to be tested.
        notes: which segments were not held against rivals, and why.
        searches: lists on which rivals were fitted and tested, over all segments.
    """

    found: tuple[Misfit | None, ...]
    notes: list[Note] = field(default_factory=list)
    searches: int = 0


def tested_segments(
    cells: Cells, own: Sequence[Propensities | str], log: Log | None, rivals: bool
) -> TestedSegments:  # fmt: skip
    """Each segment tested by its own counts, and against rivals on its own earlier and later lists.

    The level of each test is shared by the segments, so that all together flag a log that fits as seldom as one curve
    for all does.

    Args:
        cells: of the log.
        own: the propensities that the log gives each segment, or why there is nothing to test.
        log: for whole lists; None where counts alone are known.
        rivals: whether rivals are asked for.
    """
    from assay.clicks.misfit import LEVEL, misfit

    has_lists = rivals and log is not None and log.has("impression_id")
    asked = [at for at, one in enumerate(own) if not isinstance(one, str)]
    parts: Sequence[tuple[Lists, Lists] | None] = [None] * len(own)
    if has_lists and log is not None and asked:
        parts = each_earlier_and_later(log, cells.segments)
    found: list[Misfit | None] = [None] * len(own)
    without, searches = [], 0
    for at in asked:
        mine, lists = own[at], parts[at]
        assert not isinstance(mine, str)  # it would not have been asked
        few = _few(lists)
        earlier, later = lists if lists is not None and not few else (None, None)
        try:
            found[at] = misfit(cells.of_segment(at), mine, earlier, later, level=LEVEL / len(asked))
        except NotEnoughEvidence:
            continue
        if few:
            without.append((cells.segments[at], few))
        elif lists is not None:
            searches += round(sum(float(part.count.sum()) for part in lists))
    return TestedSegments(tuple(found), _without_rivals(without, has_lists) if rivals else [], searches)


def _few(lists: tuple[Lists, Lists] | None) -> str:
    """Why a segment is not held against rivals; empty where it is."""
    import numpy as np

    if lists is None:
        return "no whole lists to fit models to and to predict"
    later = lists[1]
    many = round(float(later.count.sum()))
    queries = len(np.unique(later.query[later.pair[:, 0]]))
    if many >= FEW_LISTS and queries >= FEW_QUERIES:
        return ""
    lists_, of = "list" if many == 1 else "lists", "query" if queries == 1 else "queries"
    return (f"{many:,} later {lists_} of {queries:,} {of}, "
            f"fewer than {FEW_LISTS} of {FEW_QUERIES}")  # fmt: skip


def _without_rivals(without: Sequence[tuple[str, str]], has_lists: bool) -> list[Note]:
    if not without:
        return []
    names = " and ".join(name for name, _ in without)
    why = ("; ".join(f"{name} has {few}" for name, few in without) if has_lists
           else "nothing says which rows are of one search")  # fmt: skip
    tells = "is" if len(without) == 1 else "are"
    return [Note("segments-without-rivals", f"{names} {tells} tested by counts alone, and not against UBM and SDBN: "
                 f"{why}")]  # fmt: skip


def pooled_notes(cells: Cells, found: BySegment | None, each: Sequence[Propensities | str]) -> list[Note]:
    """What could not be tested where one curve stands for all segments.

    Args:
        cells: of the log.
        found: the test whether one curve does for all; None where it could not be made.
        each: the propensities of each segment, or why there are none.
    """
    if cells.segment is None or len(cells.segments) < 2:
        return []
    unknown = [name for name, one in zip(cells.segments, each, strict=True) if isinstance(one, str)]
    known = [name for name in cells.segments if name not in unknown]
    notes = []
    if len(known) > 1 and (found is None or math.isnan(found.p)):
        why = "no position below the first is known in all of them"
        notes.append(_untested(f"alike in {' and '.join(known)}", why))
        if unknown:
            notes.append(_untested(f"in {' and '.join(unknown)} as in the rest", _tie_none(unknown)))
    elif len(known) > 1 and unknown:
        notes.append(_untested(f"in {' and '.join(unknown)} as in {' and '.join(known)}", _tie_none(unknown)))
    elif unknown:
        notes.append(_untested(f"alike in {' and '.join(cells.segments)}", _tie_none(unknown)))
    return notes


def _tie_none(unknown: Sequence[str]) -> str:
    return f"{' and '.join(unknown)} {'ties' if len(unknown) == 1 else 'tie'} none together"


def _untested(how: str, why: str) -> Note:
    return Note("segments-untested", f"whether positions are looked at {how} cannot be tested: {why}, and one curve "
                "stands for all", level="warning")  # fmt: skip


def without_curve(segments: Sequence[str], each: Sequence[Propensities | str]) -> list[Note]:
    """Which segments have no curve where each has its own."""
    return [Note("segment-without-curve", f"{name} has no curve: {one.splitlines()[0]}", level="warning")
            for name, one in zip(segments, each, strict=True) if isinstance(one, str)]  # fmt: skip
