"""Pairs that come to a project that is under way, to be labelled or hidden with their known answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows import near
from assay.flows.keeping import TENANT, now
from assay.flows.known import known_grades, known_preferences
from assay.flows.labelling import project_of, rubric_of
from assay.flows.pairs import PAIRWISE, asked_of, gold_items, unordered
from assay.flows.people import Person
from assay.flows.snapshot import document_row, documents_of, notes_on, queries_of
from assay.store import audit, growing, projects, queue
from assay.store import pairs as held_pairs
from assay.tables import Pair

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench
    from assay.store.database import Store

TERMINAL = Person("the terminal", "lead", TENANT)
"""Who acts from a command line: whoever may write in the workspace."""

GOLD_SHARE = 0.05
"""Of what a rater sees that is hidden pairs, where a project had none and nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class Added:
    """What was added to a project.

    Args:
        name: of the project.
        pairs: new items.
        again: of these, pairs that were there with an older snapshot of their document.
        there: pairs that were there already, and stay as they are.
        queries: new ones.
        without_document: new pairs whose document nobody gave, now or before.
        judgments: how many more are wanted.
        notes: what whoever added should know of what raters see.
        known: pairs whose answer is known, hidden now.
        known_there: such pairs that the project had already, and that stay as they are.
    """

    name: str
    pairs: int
    again: int
    there: int
    queries: int
    without_document: int
    judgments: int
    notes: tuple[str, ...] = ()
    known: int = 0
    known_there: int = 0


def add_pairs(
    store: Store, bench: Workbench, *, name: str, pairs: Any = None, gold: Any = None, gold_share: float | None = None,
    comparisons: int | None = None, topics: Any = None, documents: Any = None, who: Person = TERMINAL,
) -> Added:  # fmt: skip
    """Adds pairs to a project that is under way. What is there stays, with its labels.

    A pair of query and document that is there is added again where its document is given and looks other than before;
    two documents that are compared stay as they are. A document that is not given is taken as the store has it. Added
    pairs are never of the pilot: those that decide are chosen once.

    Args:
        store: where it is kept.
        bench: where inputs are found.
        name: of the project.
        pairs: what `assay pool make --pairs` wrote; where documents are compared, also a table that names two each.
        gold: a table of pairs whose grade, or preference, is known: hidden among the others. One that is there to be
            labelled stays so.
        gold_share: of what a rater sees that is hidden; that of the project, or `GOLD_SHARE` where it has none.
        comparisons: how many pairs of documents are made of a pool.
        topics: the texts of new queries.
        documents: what raters see.
        who: adds them.

    Raises:
        InputError: there is no such project, it is closed, there is nothing to add, or a known answer is none.
    """
    project, at, tenant = project_of(store, who, name), now(), who.tenant
    if project["ended_at"] is not None:
        raise InputError("the project is closed", name, f"open it again: assay label open {name}")
    if pairs is None and gold is None:
        raise InputError("there is nothing to add", name, "name a table of pairs, or known ones by --gold FILE")
    is_pairwise = project["mode"] == PAIRWISE
    if comparisons is not None and not is_pairwise:
        raise InputError("documents are compared two by two in other projects", "--comparisons", "leave it out")
    key: Callable[..., tuple[str, ...]] = unordered if is_pairwise else _same
    known: dict[Any, Any] = {}
    if gold is not None:
        known = known_preferences(bench, gold) if is_pairwise else known_grades(bench, gold, rubric_of(project))
    hidden = {key(*pair) for pair in known}
    asked = [pair for pair in _asked(bench, pairs, is_pairwise, comparisons) if key(*pair) not in hidden]
    given, asks = documents_of(bench, documents, tenant), queries_of(bench, topics)

    def job(connection: Any) -> Added:
        there: set[Any] = (held_pairs.compared if is_pairwise else growing.pairs)(connection, project["id"])
        wanted = [pair for pair in asked if key(*pair) not in there or (not is_pairwise and pair[1] in given)]
        secret = {pair: answer for pair, answer in known.items() if key(*pair) not in there}
        docs = {doc for _, *both in [*wanted, *secret] for doc in both}
        held = growing.latest(connection, tenant, docs - given.keys())
        bare = {doc: document_row(tenant, doc, "", "", {}, None) for doc in docs - given.keys() - held.keys()}
        shown = {doc: row for doc, row in given.items() if doc in docs} | bare
        projects.add_documents(connection, shown.values())
        held |= {doc: row["doc_hash"] for doc, row in shown.items()}
        place = growing.places(connection, project["id"])
        for query, *_ in wanted:
            place.setdefault(query, max(place.values(), default=-1) + 1)
        told = growing.queries(connection, project["id"])
        queries = dict.fromkeys(query for query, *_ in [*wanted, *secret])
        new = [query for query in queries if query not in told]
        projects.add_queries(
            connection, [{"tenant": tenant, "project": project["id"], "query_id": query} | asks(query) for query in new]
        )
        items = [
            queue.NewItem(query, doc, held[doc], place[query], *((other[0], held[other[0]]) if other else ("", "")))
            for query, doc, *other in wanted
        ]
        n = queue.add(connection, tenant, project["id"], items, project["raters_each"], at)
        golds = gold_items(secret, held) if is_pairwise else [
            queue.NewItem(query, doc, held[doc], 0, gold=float(grade)) for (query, doc), grade in secret.items()
        ]  # fmt: skip
        m = queue.add(connection, tenant, project["id"], golds, project["raters_each"], at)
        if not is_pairwise:
            near.mark(connection, project["id"], queries)
        if m or gold_share is not None:
            share = project["gold_share"] or GOLD_SHARE if gold_share is None else gold_share
            projects.set_gold_share(connection, project["id"], share)
        what = f"{project['name']}: {n}" + (f", and {m} whose answer is known" if m else "")
        audit.note(connection, tenant, who.name, "added pairs", what, at)
        first = sum(key(*pair) not in there for pair in wanted)
        return Added(
            project["name"], n, n - first, len(asked) - n, len(new),
            sum(any(doc in bare for doc in both) for _, *both in wanted), n * project["raters_each"],
            notes_on(shown.values()), m, len(known) - m,
        )  # fmt: skip

    return store.write(job).result()


def _same(*pair: str) -> tuple[str, ...]:
    return pair


def _asked(bench: Workbench, pairs: Any, is_pairwise: bool, comparisons: int | None) -> list[tuple[str, ...]]:
    """The pairs of a table, each once."""
    if pairs is None:
        return []
    if is_pairwise:
        return list(asked_of(bench, pairs, comparisons))
    rows: Any = bench.table(pairs, Pair, name="pairs").frame
    return list(dict.fromkeys(zip(map(str, rows["query_id"]), map(str, rows["doc_id"]), strict=True)))
