"""Pairs that come to a project that is under way, to be labelled or hidden with their known answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from assay.store import audit, growing, projects, queue, rounds
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
        again: of these, pairs that were there with an older snapshot of a document.
        there: pairs that were there already, and stay as they are.
        queries: new ones.
        without_document: new pairs whose document nobody gave, now or before.
        judgments: how many more are wanted.
        notes: what whoever added should know of what raters see.
        known: pairs whose answer is known, hidden now.
        known_there: such pairs that the project had already, and that stay as they are.
        older: pairs that stay as they are, though the store has a later snapshot of a document, which was not given.
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
    older: int = 0


def add_pairs(
    store: Store, bench: Workbench, *, name: str, pairs: Any = None, gold: Any = None, gold_share: float | None = None,
    comparisons: int | None = None, topics: Any = None, documents: Any = None, who: Person = TERMINAL,
) -> Added:  # fmt: skip
    """Adds pairs to a project that is under way. What is there stays, with its labels.

    A pair that is there is added again where a document of it is given and looks other than it did last: the older item
    goes to nobody else, and its labels stand until the new one has some. A document that is not given is taken as the
    store has it, where the pair is new. Added pairs are never of the pilot: those that decide are chosen once.

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
    is_pairwise = project["mode"] == PAIRWISE
    _check(project, has_pairs=pairs is not None, has_gold=gold is not None, comparisons=comparisons)
    key: Callable[..., tuple[str, ...]] = unordered if is_pairwise else _same
    known: dict[Any, Any] = {}
    if gold is not None:
        known = known_preferences(bench, gold) if is_pairwise else known_grades(bench, gold, rubric_of(project))
    hidden = {key(*pair) for pair in known}
    asked = [pair for pair in _asked(bench, pairs, is_pairwise, comparisons) if key(*pair) not in hidden]
    given, asks = documents_of(bench, documents, tenant), queries_of(bench, topics)

    def job(connection: Any) -> Added:
        there: set[Any] = (held_pairs.compared if is_pairwise else growing.pairs)(connection, project["id"])
        renewed = _renewed(connection, project, [pair for pair in asked if key(*pair) in there], given)
        wanted = [*(pair for pair in asked if key(*pair) not in there), *renewed.rounds]
        secret = {pair: answer for pair, answer in known.items() if key(*pair) not in there}
        docs = {doc for _, *both in [*wanted, *secret] for doc in both}
        hashes, shown, bare = _with_documents(connection, tenant, docs, given)
        queries = list(dict.fromkeys(query for query, *_ in [*wanted, *secret]))
        new = _with_queries(connection, project, queries, asks)
        items = _items(connection, project, wanted, hashes, renewed.rounds)
        n = queue.add(connection, tenant, project["id"], items, project["raters_each"], at)
        rounds.retire(connection, renewed.replaced)
        m = queue.add(
            connection, tenant, project["id"], _hidden(secret, hashes, is_pairwise), project["raters_each"], at
        )
        if not is_pairwise:
            near.mark(connection, project["id"], queries)
        if gold_share is not None:
            projects.set_gold_share(connection, project["id"], gold_share)
        elif m and not project["gold_share"]:
            projects.set_gold_share(connection, project["id"], GOLD_SHARE)
        what = f"{project['name']}: {n}" + (f", and {m} whose answer is known" if m else "")
        audit.note(connection, tenant, who.name, "added pairs", what, at)
        return Added(
            project["name"], n, len(renewed.rounds), len(asked) - n, len(new),
            sum(any(doc in bare for doc in both) for _, *both in wanted), n * project["raters_each"],
            notes_on(shown.values()), m, len(known) - m, renewed.older,
        )  # fmt: skip

    return store.write(job).result()


def _check(project: Mapping[str, Any], *, has_pairs: bool, has_gold: bool, comparisons: int | None) -> None:
    name = project["name"]
    if project["ended_at"] is not None:
        raise InputError("the project is closed", name, f"open it again: assay label open {name}")
    if not has_pairs and not has_gold:
        raise InputError("there is nothing to add", name, "name a table of pairs, or known ones by --gold FILE")
    if comparisons is not None and project["mode"] != PAIRWISE:
        raise InputError("documents are compared two by two in other projects", "--comparisons", "leave it out")


@dataclass(frozen=True, slots=True)
class _Renewed:
    """Pairs of which a document looks otherwise now.

    Args:
        rounds: each pair as the project has it, to the number of its next round.
        replaced: items that they were so far.
        older: other pairs, of which the store has a later snapshot that was not given.
    """

    rounds: Mapping[tuple[str, ...], int]
    replaced: Sequence[int]
    older: int


def _renewed(
    connection: Any, project: Mapping[str, Any], pairs: Sequence[tuple[str, ...]], given: Mapping[str, Any]
) -> _Renewed:
    old = rounds.of_queries(connection, project["id"], {query for query, *_ in pairs})
    latest = growing.latest(connection, project["tenant"], {doc for _, *both in pairs for doc in both} - given.keys())
    latest |= {doc: row["doc_hash"] for doc, row in given.items()}
    found: dict[tuple[str, ...], int] = {}
    replaced: list[int] = []
    older = 0
    for query, *both in pairs:
        if (rows := old.get((query, *sorted(both)))) is None:
            continue  # it is hidden, with a known answer
        last = rows[-1]
        now = tuple(latest.get(doc, was) for doc, was in zip(last.docs, last.hashes, strict=True))
        if any(doc in given and latest[doc] != was for doc, was in zip(last.docs, last.hashes, strict=True)):
            alike = [row.number for row in rows if (row.docs, row.hashes[0]) == (last.docs, now[0])]
            found[(query, *last.docs)] = max(alike, default=-1) + 1
            replaced += [row.item for row in rows]
        else:
            older += now != last.hashes
    return _Renewed(found, replaced, older)


def _with_documents(
    connection: Any, tenant: str, docs: set[str], given: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, Any], set[str]]:
    """Keeps what raters see of documents: the hash of each, the rows that were kept, and the ids that nobody gave."""
    held = growing.latest(connection, tenant, docs - given.keys())
    bare = docs - given.keys() - held.keys()
    shown = {doc: row for doc, row in given.items() if doc in docs}
    shown |= {doc: document_row(tenant, doc, "", "", {}, None) for doc in bare}
    projects.add_documents(connection, shown.values())
    return held | {doc: row["doc_hash"] for doc, row in shown.items()}, shown, bare


def _with_queries(
    connection: Any, project: Mapping[str, Any], queries: Sequence[str], asks: Callable[[str], dict[str, Any]]
) -> list[str]:
    """Keeps the queries that the project does not have, and gives them."""
    told = growing.queries(connection, project["id"])
    new = [query for query in queries if query not in told]
    projects.add_queries(
        connection,
        [{"tenant": project["tenant"], "project": project["id"], "query_id": query} | asks(query) for query in new],
    )
    return new


def _items(
    connection: Any, project: Mapping[str, Any], wanted: Sequence[tuple[str, ...]], hashes: Mapping[str, str],
    again: Mapping[tuple[str, ...], int],
) -> list[queue.NewItem]:  # fmt: skip
    """Pairs to be labelled, those of new queries behind the others; `again` has the rounds of those that come again."""
    place = growing.places(connection, project["id"])
    for query, *_ in wanted:
        place.setdefault(query, max(place.values(), default=-1) + 1)
    return [
        queue.NewItem(
            query,
            doc,
            hashes[doc],
            place[query],
            *((other[0], hashes[other[0]]) if other else ("", "")),
            round=again.get((query, doc, *other), 0),
        )
        for query, doc, *other in wanted
    ]


def _hidden(secret: Mapping[Any, Any], hashes: Mapping[str, str], is_pairwise: bool) -> list[queue.NewItem]:
    if is_pairwise:
        return gold_items(secret, hashes)
    return [queue.NewItem(query, doc, hashes[doc], 0, gold=float(grade)) for (query, doc), grade in secret.items()]


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
