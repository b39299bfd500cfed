"""What people say of the pairs of a click log: human judgments, joined by pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.results import Note

if TYPE_CHECKING:
    from assay.clicks.cells import Cells
    from assay.clicks.pairs import F64
    from assay.tables import Block

MOST_LEVELS = 12
"""Different grades, above which judgments are no grades but values."""


@dataclass(frozen=True, eq=False)
class Human:
    """Human grades of the pairs of some cells.

    Args:
        mean: f64[n_pairs], mean of the raters, NaN where nobody judged.
        levels: the grades that raters gave, ascending.
        notes: what was left out.
    """

    mean: F64
    levels: tuple[float, ...]
    notes: tuple[Note, ...] = ()

    @property
    def nearest(self) -> F64:
        """f64[n_pairs], the level nearest to the mean, the lower of two; NaN where nobody judged."""
        import numpy as np

        levels = np.array(self.levels)
        place = np.abs(np.nan_to_num(self.mean)[:, None] - levels).argmin(axis=1)
        found: F64 = np.where(np.isnan(self.mean), np.nan, levels[place])
        return found


def human_grades(table: Block, cells: Cells, known_as: Callable[[str], str] = str) -> Human:
    """The human grades of pairs; grades made of clicks do not count, as they would agree with themselves.

    Args:
        table: rows of `Judgment`.
        cells: with their names.
        known_as: the name by which a query of the judgments goes in the cells.

    Raises:
        InputError: nothing is left, or there are more different grades than a scale has.
    """
    import numpy as np
    import polars as pl

    frame, notes = table.polars(), []
    for column, is_kept, why in (
        ("source", pl.col("source").is_null() | (pl.col("source") != "clicks"), "were made of clicks"),
        ("dimension", pl.col("dimension").is_null() | (pl.col("dimension") == "relevance"), "are not of relevance"),
    ):
        if column in frame.columns and (left := frame.filter(~is_kept).height):
            frame = frame.filter(is_kept)
            notes.append(Note("judgments-left-out", f"{left:,} judgments {why}, and do not count here", count=left))
    if not frame.height:
        raise InputError("no human judgment of relevance", table.name, "pass judgments of people, or --cuts")
    levels = tuple(float(one) for one in frame["grade"].unique().sort())
    if len(levels) > MOST_LEVELS:
        raise InputError(f"{len(levels)} different grades are no scale", table.name,
                         f"pass judgments with {MOST_LEVELS} grades at most, or --cuts")  # fmt: skip
    means = frame.group_by("query_id", "doc_id").agg(pl.col("grade").mean())
    known: dict[tuple[Any, ...], float] = {
        (known_as(query), doc): grade for query, doc, grade in means.select("query_id", "doc_id", "grade").iter_rows()
    }
    names = [cells.query_ids[one] for one in cells.query.tolist()]
    mean = np.array([known.get(key, np.nan) for key in zip(names, cells.doc_ids, strict=True)], np.float64)
    return Human(mean, levels, tuple(notes))
