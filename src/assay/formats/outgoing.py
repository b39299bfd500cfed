"""What writers take out of tables, and what they count as left behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.formats.carried import Carried
from assay.formats.gathered import Losses, columns_of, spelled_out
from assay.tables import Block, Topic


def queries_of(carried: Carried, *more: Iterable[str]) -> list[str]:
    """Every query: those of the topics first, in their order."""
    named = columns_of(carried.tables[Topic])["query_id"] if Topic in carried.tables else ()
    return list(dict.fromkeys((*named, *(query for part in more for query in part))))


def of_topics(carried: Carried, column: str) -> dict[str, str]:
    """A column of the topics by query; empty where there is none."""
    if Topic not in carried.tables:
        return {}
    held = columns_of(carried.tables[Topic])
    return {query: value for query, value in zip(held["query_id"], held.get(column, ()), strict=False) if value}


def by_text(carried: Carried, queries: Sequence[str], title: str, losses: Losses) -> dict[str, str]:
    """`spelled_out`, with the ids that get lost counted."""
    made = spelled_out(carried, queries, title)
    if any(query != text for query, text in made.items()):
        losses.add("query ids", f"{title} knows a query by its text alone", count=len(made))
    return made


def hits_unheld(runs: Iterable[Block], kept: Sequence[str], title: str, losses: Losses) -> None:
    """Counts the columns of runs that a format has no place for."""
    for name in ("score", "rank", "kind"):
        held = [value for run in runs if name in run.columns and name not in kept for value in run.frame[name]]
        if count := sum(value is not None for value in held):
            losses.add(f"{name}s of hits", f"{title} has no place for them", count=count)


def unused(queries: Iterable[str], used: Iterable[str], without: str, title: str, losses: Losses) -> None:
    """Counts the queries that a format cannot name, because nothing is said of them: `without` judgments, or hits."""
    known = set(used)
    if count := sum(query not in known for query in queries):
        losses.add(f"queries without {without}", f"{title} has no row for them", count=count)
