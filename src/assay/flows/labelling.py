"""Labelling: a project of pairs, what a rater sees next, and what a rater says of it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows import pace
from assay.flows.keeping import now
from assay.flows.near import alike_of
from assay.flows.pace import MIN_SECONDS
from assay.flows.people import Person
from assay.flows.pilot import consider
from assay.flows.share import counts_of
from assay.flows.snapshot import (
    document_row,
    document_seen,
    documents_of,
    live_page,
    notes_on,
    queries_of,
    query_seen,
)
from assay.keys import coin, fingerprint
from assay.rubric import Rubric
from assay.store import audit, claims, events, judgments, projects, queue
from assay.store.database import Store
from assay.store.judgments import Given
from assay.tables import Pair

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench

REASONS = ("missing content", "ambiguous query", "language", "broken page", "other")
"""Why a rater cannot tell."""

AT_ONCE = 12
"""Items that a page may hold ahead."""

LONGEST_NOTE = 2_000


@dataclass(frozen=True, slots=True)
class Made:
    """A project that was made.

    Args:
        id: of the project.
        name: of the project.
        items: pairs to label.
        queries: of these.
        without_document: pairs whose document nobody gave: raters would see an id alone.
        judgments: how many are wanted in all, with as many raters of each pair as it asks for.
        notes: what whoever made it should know of what raters see.
        pilot: pairs that every rater labels first, however many raters there are.
        raters_each: raters of each other pair.
    """

    id: str
    name: str
    items: int
    queries: int
    without_document: int
    judgments: int
    notes: tuple[str, ...] = ()
    pilot: int = 0
    raters_each: int = 1


def create_project(
    store: Store, bench: Workbench, *, name: str, pairs: Any, rubric: Rubric, rubric_text: str, by: str,
    topics: Any = None, documents: Any = None, raters_each: int = 2, mode: str = "query", pilot: int = 0,
    pilot_limit: float = 0.6, gold: Mapping[tuple[str, str], float] | None = None, gold_share: float = 0.05,
    repeat_share: float = 0.05, needs_enter: bool = False, refresh_days: int | None = None,
    refresh_classes: Mapping[str, int] | None = None, min_seconds: float = MIN_SECONDS, live_links: bool = False,
    tenant: str = "default",
) -> Made:  # fmt: skip
    """Makes a project of pairs.

    Args:
        store: where it is kept.
        bench: where inputs are found.
        name: of the project.
        pairs: what `assay pool make --pairs` wrote, or any table of queries and documents.
        rubric: what the grades mean.
        rubric_text: the whole text of it.
        by: who makes it.
        topics: the queries' texts, and what the person wants; their ids stand for them where there are none.
        documents: what raters see, see `assay.Document`.
        raters_each: raters of a pair.
        mode: "query" (one query after the other) or "mixed".
        pilot: how many pairs every rater labels first.
        pilot_limit: the agreement that opens the queue behind the pilot.
        gold: pairs with known grades, hidden among the others.
        gold_share: of what a rater sees.
        repeat_share: own items that come again.
        needs_enter: whether a grade is confirmed by Enter.
        refresh_days: after how many days a label is due again.
        refresh_classes: the same by the segment of the query, where it is another number.
        min_seconds: an answer that took less is too fast, see `assay.flows.pace`; 0 stops nobody.
        live_links: whether raters may open the live page of a document, where its field `url` names one.
        tenant: whose.

    Raises:
        InputError: there is a project of that name, or nothing to label.
    """
    if mode not in ("query", "mixed"):
        raise InputError(f"unknown mode {mode}", "--mode", "choose query or mixed")
    rows: Any = bench.table(pairs, Pair, name="pairs").frame
    asked = list(dict.fromkeys(zip(map(str, rows["query_id"]), map(str, rows["doc_id"]), strict=True)))
    known = dict(gold or {})
    asked = [pair for pair in asked if pair not in known]
    if not asked:
        raise InputError("there is nothing to label", "pairs", "pass the pairs that `assay pool make` wrote")
    held = documents_of(bench, documents, tenant)
    missing = {doc for _, doc in [*asked, *known]} - held.keys()
    for doc in missing:
        held[doc] = document_row(tenant, doc, "", "", {}, None)
    asks = queries_of(bench, topics)
    project, at = uuid.uuid4().hex[:12], now()
    place = {query: i for i, query in enumerate(dict.fromkeys(query for query, _ in asked))}
    near = alike_of([*asked, *known], held)
    items = [
        queue.NewItem(query, doc, held[doc]["doc_hash"], place[query], is_pilot=i < pilot, alike=near.get((query, doc)))
        for i, (query, doc) in enumerate(_mixed(asked, project) if pilot else asked)
    ]
    items += [
        queue.NewItem(query, doc, held[doc]["doc_hash"], 0, gold=float(grade), alike=near.get((query, doc)))
        for (query, doc), grade in known.items()
    ]
    row = {
        "tenant": tenant, "id": project, "name": name, "rubric": rubric_text, "rubric_version": rubric.version,
        "mode": mode, "raters_each": raters_each, "needs_enter": needs_enter, "pilot": min(pilot, len(asked)),
        "pilot_limit": pilot_limit, "gold_share": gold_share if known else 0.0, "repeat_share": repeat_share,
        "refresh_days": refresh_days, "refresh_classes": json.dumps(dict(refresh_classes or {})), "created_at": at,
        "min_seconds": float(min_seconds), "live_links": live_links,
    }  # fmt: skip
    queries = [
        {"tenant": tenant, "project": project, "query_id": query} | asks(query)
        for query in dict.fromkeys([*place, *(query for query, _ in known)])
    ]

    def job(connection: Any) -> None:
        projects.add(connection, row)
        projects.add_queries(connection, queries)
        projects.add_documents(connection, held.values())
        queue.add(connection, tenant, project, items, raters_each, at)
        audit.note(connection, tenant, by, "made a project", name, at)

    store.write(job).result()
    return Made(project, name, len(asked), len(place), sum(doc in missing for _, doc in [*asked, *known]),
                len(asked) * raters_each, notes_on(held.values()))  # fmt: skip


def _mixed(pairs: list[tuple[str, str]], project: str) -> list[tuple[str, str]]:
    """Pairs in an order of the project's own, so that the pilot is a sample and not the first query."""
    return sorted(pairs, key=lambda pair: coin(project.encode(), "pilot", *pair))


def rubric_of(project: Mapping[str, Any]) -> Rubric:
    """The rubric of a project, as it stands in the store."""
    return Rubric.parse(project["rubric"], f"rubric of {project['name']}")


def project_of(store: Store, who: Person, name: str) -> dict[str, Any]:
    """A project that the person may see, by name or id."""
    return projects.find(store, who.tenant, name)


def overview(store: Store, who: Person) -> list[dict[str, Any]]:
    """The projects of a person, each with how much is done."""
    rows = [row for row in projects.every(store, who.tenant) if row["ended_at"] is None]
    return [
        {"id": row["id"], "name": row["name"], "has_pilot": row["pilot"] > 0}
        | projects.counts(store, row["id"], who.name)
        for row in rows
    ]


def next_items(store: Store, who: Person, name: str, n: int, secret: bytes) -> list[dict[str, Any]]:
    """The next items of a rater, as the page shows them: no system, no rank, no other's label, no place.

    Args:
        store: where they are kept.
        who: the rater.
        name: of the project, or its id.
        n: how many to hold, at most `AT_ONCE`.
        secret: of the order.
    """
    project, at = project_of(store, who, name), now()
    if project["mode"] == "pairwise":
        raise InputError("this project is labelled by pairs", "project", "ask for its pairs")
    if project["ended_at"] is not None:
        return []
    held = claimed(store, project, who, n, at, secret)
    if held is None:
        return []
    if not held and consider(store, project):  # the pilot was labelled, and nobody has looked since
        return next_items(store, who, name, n, secret)
    seen = projects.shown(store, held)
    counts = counts_of(store, project, who.name, held, secret)
    return [item_seen(project, *one) for one in zip(held, seen, counts, strict=True)]


def claimed(
    store: Store, project: dict[str, Any], who: Person, n: int, at: str, secret: bytes
) -> list[dict[str, Any]] | None:
    """The items that a rater holds from now on, at most `AT_ONCE`; None where the rater is stopped."""
    n = max(1, min(n, AT_ONCE))

    def job(connection: Any) -> list[dict[str, Any]] | None:
        if pace.stop(connection, project, who.name, at):
            return None
        return queue.claim(connection, project, who.name, n, at, secret)[:n]

    return store.write(job).result()


def item_seen(
    project: Mapping[str, Any], item: Mapping[str, Any], shown: Mapping[str, Any], count: Mapping[str, int] | None
) -> dict[str, Any]:
    """An item as a rater gets it.

    Args:
        project: its row.
        item: its row, with its `turn`.
        shown: its query and document, see `store.projects.shown`.
        count: where it stands in its query.
    """
    doc = document_seen(shown["document"], item["doc_id"])
    if project["live_links"] and (live := live_page(doc["fields"])):
        doc["live"] = live
    return {"item": item["id"], "turn": item["turn"], "query": query_seen(shown["query"]), "document": doc,
            "count": count}  # fmt: skip


def give(store: Store, who: Person, given: Given) -> dict[str, Any]:
    """Writes what a rater says; answered when it is durable, and the same answer twice counts once.

    Raises:
        InputError: the grade is not of the rubric, nothing or two things are said, or the rater does not hold the item.
    """
    with store.reading() as connection:
        project = judgments.project_of(connection, who.tenant, given.item)
        given = replace(given, is_fast=pace.is_fast(connection, project, given.item, given.took_ms))
    given = checked(given, rubric_of(project), project["mode"])
    at = now()

    def job(connection: Any) -> dict[str, Any]:
        return judgments.append(connection, who.tenant, given, project["rubric_version"], at)

    row = store.write(job).result()
    consider(store, project)
    return {"uid": row["uid"], "item": row["item"], "turn": row["turn"], "grade": row["grade"]}


def waits_for(store: Store, who: Person, name: str) -> str:
    """What keeps a project from handing out more: "pace", "pilot" or nothing.

    "pace" is that the rater was stopped for answers that came too fast, "pilot" that the raters do not agree on it yet.
    """
    project = project_of(store, who, name)
    with store.reading() as connection:
        if pace.is_stopped(connection, project, who.name):
            return "pace"
    return "pilot" if project["pilot"] and project["opened_at"] is None else ""


def go_on(store: Store, who: Person, name: str) -> None:
    """Hands out more to a rater who was stopped; nothing happens where nobody was."""
    project, at = project_of(store, who, name), now()
    store.write(lambda connection: pace.go_on(connection, project, who.name, at)).result()


def opened(store: Store, who: Person, uid: str, item: int) -> None:
    """Notes that a rater opened the live page of a document; the same uid again counts once.

    Raises:
        InputError: the project lets nobody open it, or the rater never had the item.
    """
    at = now()
    with store.reading() as connection:
        project = judgments.project_of(connection, who.tenant, item)
    if not project["live_links"]:
        raise InputError("the raters of this project open no live pages", "item", "label what the page shows")

    def job(connection: Any) -> None:
        if not claims.had(connection, item, who.name):
            raise InputError("nobody gave you this item", f"item {item}", "ask for the next one")
        # The hash of an id that a client made: an id may hold a name.
        events.note(connection, who.tenant, project["id"], who.name, events.OPENED, at, item=item,
                    uid=fingerprint(who.name, uid)[:32])  # fmt: skip

    store.write(job).result()


def checked(given: Given, rubric: Rubric, mode: str) -> Given:
    """The answer, with the grade that follows from its dimensions.

    Raises:
        InputError: it is not of the rubric, says nothing or two things, or the project is labelled by pairs.
    """
    if mode == "pairwise":
        raise InputError("this project is labelled by pairs", "grade", "send a preference to /v1/preferences")
    if given.cannot_tell is not None and given.cannot_tell not in REASONS:
        raise InputError(f"{given.cannot_tell!r} is no reason", "cannot_tell", f"choose {', '.join(REASONS)}")
    if len(given.note) > LONGEST_NOTE:
        raise InputError("the note is too long", "note", f"write at most {LONGEST_NOTE:,} letters")
    if given.dimensions:
        known = {one.name: [value for value, _ in one.means] for one in rubric.dimensions}
        for name, value in given.dimensions.items():
            if name not in known or (known[name] and value not in known[name]):
                raise InputError(f"{name} {value:g} is not of the rubric", "dimensions", "reload the page")
        given = replace(given, grade=rubric.grade_of(given.dimensions))
    said = [given.grade is not None, given.cannot_tell is not None]
    if sum(said) != 1:
        raise InputError("an answer says one thing: a grade, or why none can be given", "grade", "send one of them")
    if given.grade is not None and given.grade not in rubric.scale:
        raise InputError(f"{given.grade:g} is no grade of the rubric", "grade",
                         f"choose {', '.join(f'{g:g}' for g in rubric.scale)}")  # fmt: skip
    return given


def undo(store: Store, who: Person, uid: str, of: str) -> dict[str, Any]:
    """Takes back one of the rater's own judgments, and gives the item back."""
    at = now()
    row = store.write(lambda c: judgments.take_back(c, who.tenant, uid, of, who.name, at)).result()
    return {"uid": uid, "item": row["item"], "turn": row["turn"]}


def skip(store: Store, who: Person, item: int, turn: int) -> bool:
    """Puts an item off: it comes again when nothing else is left."""
    at = now()
    return store.write(lambda c: claims.end(c, item, who.name, turn, "skipped", at)).result()


def flag(store: Store, who: Person, name: str, query_id: str, why: str) -> None:
    """Notes that a query is bad.

    Raises:
        InputError: the project does not ask that query.
    """
    project, at = project_of(store, who, name), now()

    def job(connection: Any) -> None:
        if not projects.has_query(connection, project["id"], query_id):
            raise InputError(f"the project asks no query {query_id}", "query_id", "reload the page")
        projects.flag(connection, who.tenant, project["id"], query_id, who.name, why, at)

    store.write(job).result()


def search_documents(store: Store, who: Person, name: str, words: str) -> list[dict[str, Any]]:
    """Documents that hold all the words in title or text, as a rater sees them: at most `projects.MOST_FOUND`.

    Raises:
        InputError: there is no such project.
    """
    project = project_of(store, who, name)
    found = projects.search(store, project["tenant"], words) if words.strip() else []
    return [document_seen(row, row["doc_id"]) for row in found]
