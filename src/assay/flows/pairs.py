"""Labelling by pairs: which of two documents serves a query better, for each rater on sides of their own."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows import labelling, pace
from assay.flows.keeping import now
from assay.flows.labelling import Made, project_of
from assay.flows.pace import MIN_SECONDS
from assay.flows.pair_tables import is_preferences
from assay.flows.pilot import Gate, Late, consider, gate_of, latecomers
from assay.flows.share import counts_of
from assay.flows.snapshot import document_row, document_seen, documents_of, notes_on, queries_of, query_seen
from assay.keys import coin
from assay.store import audit, counted, events, judgments, progress, projects, queue
from assay.store import pairs as held_pairs
from assay.store.judgments import Given
from assay.tables import Pair, Preference, formulas
from assay.tables.door import block_of

if TYPE_CHECKING:
    from assay.flows.people import Person
    from assay.flows.workbench import Workbench
    from assay.judgments.preferences import PreferenceAgreement
    from assay.rubric import Rubric
    from assay.store.database import Store
    from assay.tables import Block

PAIRWISE = "pairwise"

CHOICES = ("left", "right", "tie", "both-bad")
"""What a rater says of two documents."""

KNOWN = ("first", "second", "tie", "both-bad")
"""What is said of two documents whichever side they stand on; the store keeps a known answer by its place here."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a rater says of two documents.

    Args:
        uid: made by the client, once for each answer: the same answer sent again counts once.
        item: which item was on the screen.
        rater: who.
        left: id of the document that was on the left.
        turn: 0, or 1 for a hidden repeat.
        choice: one of `CHOICES`; None where the rater cannot tell.
        cannot_tell: why.
        note: what else the rater says.
        took_ms: from showing to answering.
        role: the rater's: rater or adjudicator.
        is_fast: whether that is less than the project asks for.
    """

    uid: str
    item: int
    rater: str
    left: str
    turn: int = 0
    choice: str | None = None
    cannot_tell: str | None = None
    note: str = ""
    took_ms: int | None = None
    role: str = "rater"
    is_fast: bool = False


def create_project(
    store: Store, bench: Workbench, *, name: str, pairs: Any, rubric: Rubric, rubric_text: str, by: str,
    topics: Any = None, documents: Any = None, raters_each: int = 2, most: int | None = None,
    repeat_share: float = 0.05, gold: Mapping[tuple[str, str, str], str] | None = None, gold_share: float = 0.05,
    pilot: int = 0, pilot_limit: float = 0.6, min_seconds: float = MIN_SECONDS, tenant: str = "default",
) -> Made:  # fmt: skip
    """Makes a project of pairs of documents.

    Args:
        store: where it is kept.
        bench: where inputs are found.
        name: of the project.
        pairs: a table of query_id, doc_id and other_doc_id; or a pool (query_id, doc_id), whose documents are compared
            two by two, see `assay.judgments.comparisons`.
        rubric: what makes a document serve.
        rubric_text: the whole text of it.
        by: who makes it.
        topics: the queries' texts, and what the person wants; their ids stand for them where there are none.
        documents: what raters see, see `assay.Document`.
        raters_each: raters of a pair.
        most: how many pairs are made of a pool; every pair of a query's documents when None.
        repeat_share: own pairs that come again, with their sides swapped.
        gold: query, document and other document to one of `KNOWN`: hidden among the others.
        gold_share: of what a rater sees.
        pilot: how many pairs every rater compares first.
        pilot_limit: the agreement (alpha, nominal) that opens the queue behind the pilot.
        min_seconds: an answer that took less is too fast, see `assay.flows.pace`; 0 stops nobody.
        tenant: whose.

    Raises:
        InputError: there is a project of that name, nothing to compare, or a document is compared with itself.
    """
    known = dict(gold or {})
    hidden = {unordered(*pair) for pair in known}
    asked = [pair for pair in asked_of(bench, pairs, most) if unordered(*pair) not in hidden]
    if not asked:
        raise InputError("every pair is known already", "--gold", "pass pairs that are to be compared")
    held = documents_of(bench, documents, tenant)
    missing = {doc for _, *both in [*asked, *known] for doc in both} - held.keys()
    for doc in missing:
        held[doc] = document_row(tenant, doc, "", "", {}, None)
    asks = queries_of(bench, topics)
    project, at = uuid.uuid4().hex[:12], now()
    place = {query: i for i, query in enumerate(dict.fromkeys(query for query, _, _ in asked))}
    hashes = {doc: row["doc_hash"] for doc, row in held.items()}
    if pilot:  # a sample, and not the first query
        asked.sort(key=lambda pair: coin(project.encode(), "pilot", *pair))
    items = [
        queue.NewItem(query, doc, hashes[doc], place[query], other, hashes[other], is_pilot=i < pilot)
        for i, (query, doc, other) in enumerate(asked)
    ] + gold_items(known, hashes)
    row = {
        "tenant": tenant, "id": project, "name": name, "rubric": rubric_text, "rubric_version": rubric.version,
        "mode": PAIRWISE, "raters_each": raters_each, "needs_enter": False,
        "pilot": min(pilot, len(asked)), "pilot_limit": pilot_limit, "gold_share": gold_share if known else 0.0,
        "repeat_share": repeat_share, "created_at": at, "min_seconds": float(min_seconds),
    }  # fmt: skip
    queries = [
        {"tenant": tenant, "project": project, "query_id": query} | asks(query)
        for query in dict.fromkeys([*place, *(query for query, _, _ in known)])
    ]

    def job(connection: Any) -> None:
        projects.add(connection, row)
        projects.add_queries(connection, queries)
        projects.add_documents(connection, held.values())
        queue.add(connection, tenant, project, items, raters_each, at)
        audit.note(connection, tenant, by, "made a project", name, at)

    store.write(job).result()
    without = sum(doc in missing or other in missing for _, doc, other in asked)
    return Made(project, name, len(asked), len(place), without, len(asked) * raters_each, notes_on(held.values()))


def unordered(query: str, doc: str, other: str) -> tuple[str, str, str]:
    """Two documents of a query, whichever stands first."""
    return (query, doc, other) if doc <= other else (query, other, doc)


def gold_items(known: Mapping[tuple[str, str, str], str], hashes: Mapping[str, str]) -> list[queue.NewItem]:
    """Hidden items of pairs whose answer is known."""
    return [
        queue.NewItem(query, doc, hashes[doc], 0, other, hashes[other], gold=float(KNOWN.index(answer)))
        for (query, doc, other), answer in known.items()
    ]


def asked_of(bench: Workbench, pairs: Any, most: int | None) -> list[tuple[str, str, str]]:
    """(query, document, other document), each pair of documents once, whichever stands first."""
    from assay.judgments.comparisons import comparisons

    if is_preferences(bench, pairs):
        if most is not None:
            raise InputError("the pairs are named one by one", "--comparisons",
                             "pass a pool (query_id, doc_id), or leave --comparisons out")  # fmt: skip
        rows = bench.table(pairs, Preference, name="pairs")
        names = ("query_id", "doc_id", "other_doc_id")
        named = list(zip(*(map(str, _columns(rows)[name]) for name in names), strict=True))
        for at, (query, doc, other) in enumerate(named):
            if doc == other:
                raise InputError(f"document {doc} of query {query} is compared with itself", rows.place(at),
                                 "name two documents")  # fmt: skip
        return list({unordered(*pair): pair for pair in named}.values())
    pool = _columns(bench.table(pairs, Pair, name="pairs"))
    docs: dict[str, list[str]] = {}
    for query, doc in dict.fromkeys(zip(map(str, pool["query_id"]), map(str, pool["doc_id"]), strict=True)):
        docs.setdefault(query, []).append(doc)
    found = comparisons(docs, most)
    if not found:
        raise InputError("no query has two documents to compare", "pairs", "pass a pool with two documents a query")
    return found


def _columns(rows: Block) -> Mapping[str, Sequence[object]]:
    return rows.frame  # type: ignore[return-value] # columns by name, either way


def sides(item: Mapping[str, Any], rater: str, turn: int, secret: bytes) -> tuple[str, str]:
    """The ids of the left and the right document: by a coin for each rater and item, swapped in a repeat.

    Args:
        item: its row.
        rater: who sees it.
        turn: 0, or 1 for a hidden repeat.
        secret: of the coin.
    """
    is_swapped = bool(coin(secret, "side", item["project"], rater, str(item["id"])) & 1) ^ bool(turn)
    both = (item["doc_id"], item["other_doc_id"])
    return (both[1], both[0]) if is_swapped else both


def next_pairs(store: Store, who: Person, name: str, n: int, secret: bytes) -> list[dict[str, Any]]:
    """The next pairs of a rater, as the page shows them: no system, no rank, no other's choice, no place.

    Args:
        store: where they are kept.
        who: the rater.
        name: of the project, or its id.
        n: how many to hold, at most `labelling.AT_ONCE`.
        secret: of the order and of the sides.
    """
    project, at = pairwise(store, who, name), now()
    if project["ended_at"] is not None:
        return []
    held = labelling.claimed(store, project, who, n, at, secret)
    if held is None:
        return []
    if not held and consider(store, project):  # the pilot was compared, and nobody has looked since
        return next_pairs(store, who, name, n, secret)
    shown = projects.shown(store, held)
    counts = counts_of(store, project, who.name, held, secret)
    return [
        {"item": item["id"], "turn": item["turn"], "query": query_seen(one["query"]), "count": count}
        | _two(item, one, sides(item, who.name, item["turn"], secret))
        for item, one, count in zip(held, shown, counts, strict=True)
    ]


def _two(item: Mapping[str, Any], one: Mapping[str, Any], shown: tuple[str, str]) -> dict[str, Any]:
    by_id = {item["doc_id"]: one["document"], item["other_doc_id"]: one["other"]}
    left, right = (document_seen(by_id[doc], doc) for doc in shown)
    return {"left": left, "right": right}


def pairwise(store: Store, who: Person, name: str) -> dict[str, Any]:
    """The row of a project that is labelled by pairs.

    Raises:
        InputError: it is labelled document by document.
    """
    project = project_of(store, who, name)
    if project["mode"] != PAIRWISE:
        raise InputError(f"{project['name']} is labelled document by document", "project", "open its own page")
    return project


def prefer(store: Store, who: Person, given: Choice, secret: bytes) -> dict[str, Any]:
    """Writes what a rater says of two documents; answered when it is durable, and the same answer twice counts once.

    Raises:
        InputError: nothing or two things are said, the sides are not those of this rater, or the rater does not hold
            the item.
    """
    with store.reading() as connection:
        project = judgments.project_of(connection, who.tenant, given.item)
        given = replace(given, is_fast=pace.is_fast(connection, project, given.item, given.took_ms))
    project, at = pairwise(store, who, project["id"]), now()
    row = store.write(lambda connection: append(connection, who.tenant, given, project, secret, at)).result()
    consider(store, project)
    return {"uid": row["uid"], "item": row["item"], "turn": row["turn"], "choice": said(row)}


def append(
    connection: Any, tenant: str, given: Choice, project: Mapping[str, Any], secret: bytes, at: str
) -> dict[str, Any]:
    """Writes a choice inside a write; the row of the judgment."""
    item = judgments.item_of(connection, tenant, given.item)
    left, right = sides(item, given.rater, given.turn, secret)
    if given.left != left:
        raise InputError("your page shows other sides", f"item {given.item}", "reload the page")
    if (given.choice is None) == (given.cannot_tell is None) or given.choice not in (None, *CHOICES):
        raise InputError("an answer says one thing: a choice, or why none can be made", "choice",
                         f"send one of {', '.join(CHOICES)}, or cannot_tell")  # fmt: skip
    if given.cannot_tell is not None and given.cannot_tell not in labelling.REASONS:
        raise InputError(f"{given.cannot_tell!r} is no reason", "cannot_tell",
                         f"choose {', '.join(labelling.REASONS)}")  # fmt: skip
    chosen = {"left": left, "right": right}.get(given.choice or "")
    preference = given.choice if chosen is None else "first" if chosen == item["doc_id"] else "second"
    row = Given(
        given.uid, given.item, given.rater, given.role, given.turn, preference=preference, left_doc_id=left,
        cannot_tell=given.cannot_tell, note=given.note, took_ms=given.took_ms,
        is_fast=given.is_fast,
    )  # fmt: skip
    return judgments.append(connection, tenant, row, project["rubric_version"], at)


def said(row: Mapping[str, Any]) -> str | None:
    """A judgment of two documents in its rater's own words: left, right, tie, both-bad; None where nothing was said."""
    preference: str | None = row["preference"]
    if preference not in ("first", "second"):
        return preference
    return "left" if (preference == "first") == (row["left_doc_id"] == row["doc_id"]) else "right"


def export(store: Store, tenant: str, name: str) -> list[dict[str, Any]]:
    """What stands in a project of pairs, of each the last round; hidden repeats have the turn 1, gold is left out."""
    project = projects.find(store, tenant, name)
    rows = held_pairs.preferences(store, tenant, project["id"])
    told = held_pairs.last_round([row for row in rows if row["preference"] is not None and row["gold"] is None])
    names = [name for name in COLUMNS if name != "rubric"]
    return [{name: row[name] for name in names} | {"rubric": row["rubric_version"]} for row in told]


def gold_met(store: Store, tenant: str, project: str) -> dict[str, tuple[int, int]]:
    """For each rater, how many hidden pairs got the known answer, of those that got any."""
    found: dict[str, tuple[int, int]] = {}
    for row in held_pairs.preferences(store, tenant, project):
        if row["gold"] is not None and row["preference"] is not None and row["role"] != "adjudicator":
            met, every = found.get(row["rater"], (0, 0))
            found[row["rater"]] = (met + (row["preference"] == KNOWN[int(row["gold"])]), every + 1)
    return found


COLUMNS = ("query_id", "doc_id", "other_doc_id", "preference", "rater", "left_doc_id", "turn", "role", "source",
           "rubric", "judged_at", "doc_hash", "other_doc_hash", "note", "took_ms", "is_fast")  # fmt: skip


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Preferences as CSV."""
    return formulas.as_csv(COLUMNS, ([row[name] for name in COLUMNS] for row in rows))


def as_block(rows: Sequence[Mapping[str, Any]]) -> Block:
    """Preferences as a checked table.

    Raises:
        InputError: there are none.
    """
    return block_of([dict(row) for row in rows], Preference, "preferences")


def agreement_of(store: Store, who: Person, name: str) -> PreferenceAgreement | None:
    """How much the raters of a project agree; None where nobody has said anything."""
    rows = export(store, who.tenant, name)
    if not any(row["role"] != "adjudicator" and not row["turn"] for row in rows):
        return None
    from assay.judgments.preferences import preference_agreement

    return preference_agreement(as_block(rows))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a project of pairs has come.

    Args:
        pairs: of documents.
        wanted: answers that the project wants.
        taken: of these, given or held by a rater.
        disputed: pairs on which raters prefer opposite documents and that nobody has settled.
        agreement: of the raters; None where nobody has said anything.
        flags: queries that raters found bad.
        gate: where the pilot stands; None where it keeps nothing closed.
        late: raters who came when the queue was open, each against the consensus of those before.
        gold: rater to hidden pairs that got the known answer, and those that got any.
        fast: rater to answers that stand and were too fast.
        stops: rater to how often the rater was stopped for them.
    """

    pairs: int
    wanted: int
    taken: int
    disputed: int
    agreement: PreferenceAgreement | None
    flags: tuple[Mapping[str, Any], ...]
    gate: Gate | None = None
    late: tuple[Late, ...] = ()
    gold: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    fast: Mapping[str, int] = field(default_factory=dict)
    stops: Mapping[str, int] = field(default_factory=dict)


def progress_of(store: Store, who: Person, name: str) -> Progress:
    """How far a project of pairs has come, how much its raters agree, and whether a side draws them."""
    project = pairwise(store, who, name)
    items = [row for row in progress.items(store, project["id"]) if row["gold"] is None]
    counts = projects.counts(store, project["id"])
    with store.reading() as connection:
        stood = counted.said(connection, who.tenant, project["id"])
        beside = events.counts(connection, project["id"])
    return Progress(
        len(items), counts["wanted"], counts["taken"], sum(bool(row["is_disputed"]) for row in items),
        agreement_of(store, who, project["id"]), tuple(progress.flags(store, project["id"])),
        gate_of(store, project) if project["pilot"] and not project["opened_at"] else None, latecomers(store, project),
        gold_met(store, who.tenant, project["id"]),
        Counter(row.rater for row in stood if row.is_fast and row.role != "adjudicator"),
        {rater: n for (rater, kind), n in beside.items() if kind == events.STOPPED},
    )  # fmt: skip
