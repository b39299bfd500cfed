"""What the lead of a project decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.keeping import now
from assay.flows.labelling import project_of
from assay.flows.people import Person
from assay.flows.pilot import consider
from assay.store import audit, progress

if TYPE_CHECKING:
    from assay.store.database import Store


def open_queue(store: Store, who: Person, name: str, why: str) -> None:
    """Opens the queue behind the pilot for a reason that a lead gives; by agreement it opens by itself.

    Raises:
        InputError: no reason is given, or the queue is open.
    """
    project, why, at = project_of(store, who, name), why.strip(), now()
    if not project["pilot"] or project["opened_at"]:
        raise InputError("the queue is open", project["name"], "there is nothing to open: raters get all pairs")
    if consider(store, project):
        return
    if not why:
        raise InputError(
            "the pilot is not labelled by every rater, or they do not agree enough, or not surely", project["name"],
            "mend the rubric, or say why the queue opens all the same",
        )  # fmt: skip

    def job(connection: Any) -> None:
        if progress.open_queue(connection, project, who.name, why, at):
            audit.note(connection, who.tenant, who.name, "opened the queue", f"{project['name']}: {why}", at)

    store.write(job).result()
