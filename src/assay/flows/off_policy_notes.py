"""What a reader of a counterfactual estimate should know beside its number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

from assay.results import Note

if TYPE_CHECKING:
    from assay.clicks.aim import Aim, Seen
    from assay.clicks.strata import Strata

FEW_CLICKS = 30
"""Effective clicks below which an interval from sums may hold the truth less often than it says."""


def left_out_notes(strata: Strata, misfits: Sequence[str]) -> list[Note]:
    """Which segments are left out because their propensities do not fit."""
    return [Note("segment-left-out", f"{name} is left out: {said}", level="warning")
            for name, said in zip(strata.segments, misfits, strict=True)
            if said and not strata.knows(name)]  # fmt: skip


def cautions(
    found: Seen, aimed: Aim, lists: Iterable[str], *, asked: Set[str], measure: str, estimator: str, rankers: int,
    clicks: float, cut: float, is_apart: bool = False,
) -> list[Note]:  # fmt: skip
    """What is odd but lawful about an estimate of a ranking.

    Args:
        found: counts of the log.
        aimed: the ranking.
        lists: the queries that it has.
        asked: queries with searches in the log.
        measure: its name; empty where discounts were given.
        estimator: its name.
        rankers: how many the log names.
        clicks: effective ones.
        cut: share of the weights that a limit takes away.
        is_apart: whether segments have propensities of their own.
    """
    notes = [Note("relative-to-first", "attraction is the chance of a click at position 1, whose propensity counts "
                  "as 1")]  # fmt: skip
    share = 1 - aimed.n / aimed.all_searches
    if share > 0:
        notes.append(Note("queries-absent", f"{100 * share:.1f} % of the searches are of queries that the run does not "
                          "have, and are left out (--missing zero counts them 0)", level="warning"))  # fmt: skip
    if is_apart:
        notes.append(Note("segments-apart", "each segment is weighed by its own propensities and the documents that it "
                          "showed, as a log of its own: nothing is assumed of how segments compare"))  # fmt: skip
    unasked = len(set(lists) - asked)
    if unasked:
        who = "query of the run was" if unasked == 1 else "queries of the run were"
        notes.append(Note("queries-not-asked", f"{unasked:,} {who} never asked", count=unasked))
    if found.unknown:
        notes.append(Note("positions-unknown", f"{found.unknown:,.0f} impressions stand at positions without a "
                          "propensity, and say nothing", level="warning"))  # fmt: skip
    if rankers > 1 and estimator in ("ips", "snips"):
        notes.append(Note("several-rankers", f"{rankers} rankers logged: dividing by propensities of positions alone "
                          "is biased for documents that only some of them show", level="warning"))  # fmt: skip
    if clicks < FEW_CLICKS:
        notes.append(Note("few-clicks", f"clicks are worth {clicks:.0f} of equal weight: an interval from so few is "
                          "too narrow", level="warning"))  # fmt: skip
    if cut > 0.0005:
        how = "too low by that" if estimator == "clipped" else "off by what the model of these is wrong"
        notes.append(Note("clipped", f"the limit takes {100 * cut:.1f} % of the weights away: the estimate is {how}, "
                          "which its interval does not know", level="warning"))  # fmt: skip
    if measure == "nDCG":
        notes.append(Note("ideal-estimated", "the ideal is the best order of estimated attractions, drawn to their "
                          "mean because the highest are too high by chance; the interval also has what they give "
                          "undrawn"))  # fmt: skip
    if measure == "RR":
        notes.append(Note("sum-of-ranks", "RR is taken as the sum of attraction / rank, which can be above 1: clicks "
                          "do not say which document is the first right one"))  # fmt: skip
    return notes
