"""Queries that hold personal data: known by a name of ours in all that leaves a log, and by their own inside."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from assay.keys import fingerprint

if TYPE_CHECKING:
    import polars as pl

    from assay.logs.mapping import Source

HINT = r"[0-9@]|[(\[]\s?(?i:at)"
"""What a text without is not looked at: nearly all queries, in a log of any size."""

_IS_ID = re.compile(r"(id|key|hash|code|no|number)$", re.IGNORECASE)


def is_typed(sources: Iterable[Source]) -> bool:
    """Whether what names a query is what people typed, and not an id: by the name of its column."""
    paths = [source.paths["query_id"] for source in sources if "query_id" in source.paths]
    return any(not _IS_ID.search(path) for path in paths)


class Hidden:
    """Gives queries that hold personal data another name: one of the log, so that two logs never share one.

    Args:
        is_personal: whether a text holds personal data.
        files: of the log, by which its names differ from those of other logs.
    """

    def __init__(self, is_personal: Callable[[str], object], files: Iterable[str]) -> None:
        self._is_personal = is_personal
        self._before = f"hidden-{fingerprint(*sorted(files))[:12]}-"
        self.names: dict[str, str] = {}

    def out(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with our names for such queries."""
        import polars as pl

        if frame.schema.get("query_id") != pl.String:
            return frame
        asked = frame["query_id"].drop_nulls().unique()
        for text in asked.filter(asked.str.contains(HINT)).sort():
            if text not in self.names and self._is_personal(text):
                self.names[text] = f"{self._before}{len(self.names) + 1}"
        return self._renamed(frame, self.names)

    def back(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with the queries' own names."""
        return self._renamed(frame, {name: text for text, name in self.names.items()})

    def _renamed(self, frame: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
        import polars as pl

        return frame.with_columns(pl.col("query_id").replace(names)) if names else frame
