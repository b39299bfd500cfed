"""How far a rater has come: of a query, of the project, and how fast; nothing of what others said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.store import projects, share

if TYPE_CHECKING:
    from assay.flows.people import Person
    from assay.store.database import Store


def counts_of(
    store: Store, project: Mapping[str, Any], rater: str, items: Sequence[Mapping[str, Any]], secret: bytes
) -> list[dict[str, int] | None]:
    """Where each item stands in its query, beside it: `done` answers of `of`; None where queries are mixed.

    Args:
        store: where they are kept.
        project: its row.
        rater: who holds the items.
        items: their rows.
        secret: of the order.
    """
    if project["mode"] == "mixed" or not items:
        return [None] * len(items)
    queries = list(dict.fromkeys(item["query_id"] for item in items))
    with store.reading() as connection:
        found = share.of_queries(connection, project, rater, queries, secret)
    return [dict(zip(("done", "of"), found[item["query_id"]], strict=True)) for item in items]


def share_of(store: Store, who: Person, name: str) -> dict[str, Any]:
    """How far the rater has come in a project.

    Args:
        store: where projects are kept.
        who: the rater.
        name: of the project, or its id.

    Returns:
        `done` answers `of` those that the rater may come to give if nobody else answered meanwhile; `is_rough` where
        `of` is an expectation, as some pairs are shown now and then that it cannot count one by one; `seconds` that
        the rater's last answers took.

    Raises:
        InputError: there is no such project.
    """
    project = projects.find(store, who.tenant, name)
    with store.reading() as connection:
        found = share.of_project(connection, project, who.name)
    more = 0.0
    if not share.is_closed(project):
        golds, again = project["gold_share"], project["repeat_share"]
        in_all = found.pairs / max(1 - golds - again, 0.05)
        more = min(golds * in_all, found.known) + min(again * in_all, found.pairs)
    return {
        "done": found.done, "of": found.pairs + round(more), "is_rough": more > 0,
        "seconds": [round(ms / 1000, 1) for ms in found.took_ms],
    }  # fmt: skip
