"""A rater adds a document that the search of the page found to the own list."""

from __future__ import annotations

from typing import Any

from assay.errors import InputError
from assay.flows import near, pace
from assay.flows.keeping import now
from assay.flows.labelling import item_seen, project_of
from assay.flows.people import Person
from assay.flows.share import counts_of
from assay.store import audit, found, projects
from assay.store.database import Store


def add_found(
    store: Store, who: Person, name: str, query_id: str, doc_id: str, doc_hash: str, secret: bytes
) -> dict[str, Any]:
    """Adds a document that the rater looked for to the rater's own list; asked twice, it counts once.

    A pair that the project does not have yet is queued for its other raters too, marked as found. Nobody learns from
    the answer whether a system found the document.

    Args:
        store: where projects are kept.
        who: the rater.
        name: of the project, or its id.
        query_id: for which it was looked.
        doc_id: of the document.
        doc_hash: how it looked.
        secret: of the order.

    Returns:
        `state` ("added", "labelled" or "enough", see `store.found.add`), and the `item` where the rater holds it.

    Raises:
        InputError: the project does not ask the query, holds no such document, has ended, compares two documents, or
            waits for its raters to agree on the pilot; or the rater was stopped for answers that came too fast.
    """
    project, at = project_of(store, who, name), now()
    if project["mode"] == "pairwise" or project["ended_at"] is not None:
        raise InputError("documents cannot be added to this project", "project", "ask the lead of the project")

    def job(connection: Any) -> tuple[dict[str, Any], str] | None:
        if pace.stop(connection, project, who.name, at):
            return None  # and refused below: what is noted of the stop stays
        if not projects.has_query(connection, project["id"], query_id):
            raise InputError(f"the project asks no query {query_id}", "query_id", "reload the page")
        doc = found.document(connection, who.tenant, doc_id, doc_hash)
        if doc is None:
            raise InputError(f"there is no document {doc_id} that looks so", "doc_id", "look for it again")
        if project["pilot"] and not project["opened_at"]:
            raise InputError("the pilot is labelled as it is", "project", "add documents when the queue is open")
        row, state = found.add(connection, project, who.name, query_id, doc, at)
        if row["is_new"]:
            near.join(connection, project["id"], query_id, doc["doc_id"])
        if state == "added":
            audit.note(connection, who.tenant, who.name, "found a document", f"{name}: {query_id} {doc_id}", at)
        return row, state

    told = store.write(job).result()
    if told is None:
        raise InputError(pace.STOP, "project", "look at the rubric, and go on")
    row, state = told
    if state not in ("added", "held"):
        return {"state": state, "item": None}
    (seen,) = projects.shown(store, [row])
    (count,) = counts_of(store, project, who.name, [row], secret)
    return {"state": "added", "item": item_seen(project, row, seen, count)}
