"""Logs of one row a search in Spark: lists in one column, taken apart to one row an element."""

from __future__ import annotations

from collections.abc import Sequence


def long(read: str, docs: str, clicks: str | None) -> str:
    """One row for each element, in Spark's dialect: doc_there, clicked_there and position_there beside the rest.

    A row without any document keeps one, so that it is refused and counted. Where one list is longer, the other says
    nothing there.

    Args:
        read: the relation with one row a search.
        docs: the list of documents in SQL, null where there is none.
        clicks: that of clicks; None when no column gives it.
    """
    shown = f"(CASE WHEN SIZE({docs}) > 0 THEN {docs} ELSE ARRAY(NULL) END)"
    clicked = f"TRANSFORM({shown}, one -> 0)" if clicks is None else f"COALESCE({clicks}, ARRAY())"
    pairs = f"TRANSFORM(ARRAYS_ZIP({shown}, {clicked}), one -> STRUCT(one.`0` AS doc, one.`1` AS clicked))"
    return (
        "SELECT listed_rows.*, listed_pair.doc AS doc_there, listed_pair.clicked AS clicked_there, "
        "listed_at + 1 AS position_there "
        f"FROM {read} AS listed_rows LATERAL VIEW POSEXPLODE({pairs}) listed AS listed_at, listed_pair"
    )


def of_json(steps: Sequence[str]) -> str:
    """The list at a path of a line of JSON, its elements as text; null when it is no list."""
    names = [f"`{step.replace('`', '``')}`" for step in steps]
    schema = "ARRAY<STRING>"
    for name in reversed(names):
        schema = f"STRUCT<{name}: {schema}>"
    text = schema.replace("\\", "\\\\").replace("'", "\\'")
    return f"FROM_JSON(line, '{text}')." + ".".join(names)


def of_parquet(path: str) -> str:
    """The list at a path of Parquet."""
    return ".".join(f"`{step.replace('`', '``')}`" for step in path.split("."))
