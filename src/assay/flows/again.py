"""`assay judgments due --queue PROJECT`: pairs whose labels no longer hold go back to the raters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.keeping import TENANT, now, open_store
from assay.flows.snapshot import document_row, documents_of
from assay.store import audit, growing, projects, queue, rounds

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench
    from assay.judgments.freshness import Freshness


@dataclass(frozen=True, slots=True)
class PutBack:
    """What went back to the raters.

    Args:
        project: its name.
        pairs: that were queued, as new items.
        waiting: pairs that stand in the queue already: nobody has graded their last item.
        judgments: how many are wanted of the new items.
    """

    project: str
    pairs: int
    waiting: int
    judgments: int

    @property
    def says(self) -> str:
        """What happened, as a sentence."""
        waiting = f"; {self.waiting:,} wait{'s' if self.waiting == 1 else ''} there already" if self.waiting else ""
        return f"{self.pairs:,} pair{'' if self.pairs == 1 else 's'} went back to {self.project}{waiting}"


def put_back(bench: Workbench, name: str, stale: Freshness, documents: Any = None, by: str = "the terminal") -> PutBack:
    """Queues the pairs of stale labels again; asked twice, it queues them once.

    What was given stays in the store. Until the first new grade of a pair stands, its old ones do, see
    `flows.exported.export`.

    Args:
        bench: where the store is.
        name: of the project, which need not be the one that the labels are of.
        stale: which labels no longer hold.
        documents: what raters see from now on; what the store saw last of those that are not given.
        by: who asks for it.

    Raises:
        InputError: there is no such project, it is closed, or raters compare documents in it.
    """
    pairs = list(dict.fromkeys((one.query_id, one.doc_id) for one in stale.stale))
    given = documents_of(bench, documents, TENANT)
    at = now()

    def job(connection: Any) -> PutBack:
        project = _open_project(connection, name)
        there = rounds.of_pairs(connection, TENANT, project["id"], pairs)
        wanted = [pair for pair in pairs if pair not in there or there[pair][-1].is_judged]
        held = _snapshots(connection, {doc for _, doc in wanted}, given)
        _ask(connection, project["id"], dict.fromkeys(query for query, _ in wanted))
        place = growing.places(connection, project["id"])
        for query, _ in wanted:
            place.setdefault(query, max(place.values(), default=-1) + 1)
        items = [
            queue.NewItem(query, doc, held[doc], place[query], round=_next(there.get((query, doc), ()), held[doc]))
            for query, doc in wanted
        ]
        n = queue.add(connection, TENANT, project["id"], items, project["raters_each"], at)
        if n:
            audit.note(connection, TENANT, by, "put pairs back", f"{project['name']}: {n}", at)
        return PutBack(project["name"], n, len(pairs) - len(wanted), n * project["raters_each"])

    with open_store(bench) as store:
        return store.write(job).result()


def _open_project(connection: Any, name: str) -> dict[str, Any]:
    project = projects.by_name(connection, TENANT, name)
    if project is None:
        raise InputError(f"there is no project {name}", "--queue", "see `assay label list`")
    if project["ended_at"] is not None:
        raise InputError("the project is closed", name, f"open it again: assay label open {name}")
    if project["mode"] == "pairwise":
        raise InputError("raters of this project compare documents, and give no grades", name, "name another project")
    return project


def _snapshots(connection: Any, docs: set[str], given: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The hash of what raters will see of each document; new snapshots are kept."""
    new = {doc: row for doc, row in given.items() if doc in docs}
    held = growing.latest(connection, TENANT, docs - new.keys())
    new |= {doc: document_row(TENANT, doc, "", "", {}, None) for doc in docs - new.keys() - held.keys()}
    projects.add_documents(connection, new.values())
    return held | {doc: row["doc_hash"] for doc, row in new.items()}


def _ask(connection: Any, project: str, queries: Iterable[str]) -> None:
    """Adds queries that the project does not have; their ids stand for them."""
    known = growing.queries(connection, project)
    rows = [
        {"tenant": TENANT, "project": project, "query_id": query, "text": query} for query in queries
        if query not in known
    ]  # fmt: skip
    projects.add_queries(connection, rows)


def _next(there: Iterable[rounds.Round], doc_hash: str) -> int:
    """The number of the next round with this very document."""
    return max((one.number + 1 for one in there if one.doc_hash == doc_hash), default=0)
