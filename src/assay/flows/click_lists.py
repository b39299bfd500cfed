"""Whole lists of a click log, the earlier and the later ones: what click models are fitted to and tested with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from assay.clicks.lists import Lists
    from assay.logs.log import Log

DEEPEST = 62
"""Positions below are left out: nobody estimates what the hundredth position is worth."""

MOST_SEARCHES = 200_000
"""Searches on which models are compared, evenly over time: more change nothing but the time that it takes."""

EARLIER = 2 / 3
"""The share of the log, in the order of time, to which models are fitted; the rest is predicted."""


def earlier_and_later(log: Log, most: int = MOST_SEARCHES) -> tuple[Lists, Lists] | None:
    """The lists of a log, split by time (by chance where it has none), with one numbering of pairs.

    None where either part would be empty.

    Args:
        log: with an id for each search.
        most: searches that are taken, every n-th in the order of time.
    """
    searches = int(log.run("how_many")["searches"][0])
    return _parted(_whole(log.run("list_rows", step=max(1, -(-searches // most)))))


def each_earlier_and_later(
    log: Log, segments: Sequence[str], most: int = MOST_SEARCHES
) -> list[tuple[Lists, Lists] | None]:
    """The same for each segment by itself: its own lists, split by its own time.

    Args:
        log: with an id for each search.
        segments: their names.
        most: searches that are taken of all segments together, each having the same share.
    """
    import polars as pl

    rows = log.run("segment_list_rows", most=max(1, most // len(segments)))
    return [_parted(_whole(rows.filter(pl.col("segment") == name))) for name in segments]


def _parted(lists: pl.DataFrame) -> tuple[Lists, Lists] | None:
    """Lists before and after a moment; None where either part would be empty."""
    from assay.clicks.lists import Lists

    if lists.height < 2:
        return None
    split = lists["place"].quantile(EARLIER)
    parts = [lists.filter(lists["place"] <= split), lists.filter(lists["place"] > split)]
    if not all(part.height for part in parts):
        return None
    earlier, later = Lists.from_frames([part.drop("place") for part in parts])
    return earlier, later


def _whole(rows: pl.DataFrame) -> pl.DataFrame:
    """Whole lists: place, query_id, doc_ids, clicks as a bit mask, count; lists with a hole are left out."""
    import polars as pl

    mask = (pl.col("clicked").cast(pl.Int64) * 2 ** (pl.col("position").cast(pl.Int64) - 1)).sum().cast(pl.Int64)
    return (
        rows.filter(pl.col("position") <= DEEPEST)
        .sort("place", "position")
        .group_by("place", "query_id", maintain_order=True)
        .agg(doc_ids=pl.col("doc_id"), clicks=mask, deepest=pl.col("position").max(), n=pl.len(), count=pl.lit(1.0))
        .filter(pl.col("deepest") == pl.col("n"))
        .select("place", "query_id", "doc_ids", "clicks", "count")
    )
