"""The measures of behaviour by name: what is divided by what, which way is better, and one sentence each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Metric:
    """A ratio of two sums over searches.

    Args:
        name: as it is typed and shown.
        over, under: columns of `unit_moments` that are divided.
        better: which way is better; "neither" where it depends.
        about: one sentence.
        unit: of the value.
        needs: fields of the log without which it says nothing.
    """

    name: str
    over: str
    under: str
    better: Literal["up", "down", "neither"]
    about: str
    unit: Literal["share", "number", "seconds"] = "share"
    needs: tuple[str, ...] = ()


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("CTR", "shown_clicks", "shown", "neither",
               "shown documents that were clicked; it falls when more are shown, and rises when better stand higher"),
        Metric("click rate", "clicked", "searches", "up", "searches with a click"),
        Metric("clicks a search", "clicks", "searches", "neither", "clicked documents a search", "number"),
        Metric("first-click RR", "first_click_rr", "searches", "up",
               "1 / position of the highest click, 0 without one", "number"),
        Metric("time to click", "to_click_s", "to_click_n", "down",
               "from the search to its first click, of searches with one", "seconds", ("at", "click")),
        Metric("zero results", "zero", "zero_n", "down", "searches that found nothing", needs=("results",)),
        Metric("abandonment", "abandoned", "searches", "down", "searches without a click and no known answer"),
        Metric("good abandonment", "answered", "searches", "up", "searches that were answered without a click",
               needs=("satisfied",)),
        Metric("reformulation", "reformulated", "reformulated_n", "down",
               "searches that were soon followed by a like one, of those in a session", needs=("session_id", "at")),
        Metric("carts a search", "carts", "searches", "up", "documents put into a cart", "number", ("cart",)),
        Metric("purchases a search", "purchases", "searches", "up", "documents bought", "number", ("purchase",)),
        Metric("value a search", "value", "searches", "up", "what purchases were worth", "number", ("purchase",)),
    )
}  # fmt: skip
"""In the order in which they are shown."""
