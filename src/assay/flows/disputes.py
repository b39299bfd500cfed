"""Disputes: an adjudicator answers blind, then sees what the raters said; both stay, and the answer settles it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows import labelling, pairs
from assay.flows.keeping import now
from assay.flows.labelling import project_of, rubric_of
from assay.flows.people import Person
from assay.flows.snapshot import document_seen, query_seen
from assay.keys import coin
from assay.store import disputes, judgments, projects
from assay.store.judgments import Given

if TYPE_CHECKING:
    from assay.flows.pairs import Choice
    from assay.store.database import Store

LISTED = 30
"""Disputes that the page names; the others follow when these are settled."""


def waiting(store: Store, who: Person, name: str, secret: bytes) -> list[dict[str, Any]]:
    """What the person may settle: item, the query's text, the title of its document, and whether it was put off.

    In an order of the person's own; what was put off comes last, the earliest first. Pairs that the person has
    labelled as a rater are left to others.
    """
    project = project_of(store, who, name)
    rows = disputes.left(store, who.tenant, project["id"], who.name)
    rows.sort(key=lambda row: (row["put_off"] or 0, coin(secret, "dispute", who.name, str(row["id"]))))
    return [
        {
            "item": row["id"],
            "query": row["text"] or row["query_id"],
            "is_put_off": row["put_off"] is not None,
            "title": "" if row["other_doc_id"] else row["title"] or row["doc_id"],
        }
        for row in rows
    ]


def put_off(store: Store, who: Person, name: str, number: int) -> None:
    """Puts a dispute off: it comes last for the person, on every machine, and stays as it is for others.

    Raises:
        InputError: it is not disputed, or something of the person stands at it.
    """
    project, at = project_of(store, who, name), now()

    def job(connection: Any) -> None:
        _open_dispute(connection, who, project, number)
        disputes.put_off(connection, who.tenant, number, who.name, at)

    store.write(job).result()


def dispute(store: Store, who: Person, name: str, number: int, secret: bytes) -> dict[str, Any]:
    """A disputed pair, without anybody's label.

    Raises:
        InputError: it is not disputed, or something of the person stands at it.
    """
    project = project_of(store, who, name)
    with store.reading() as connection:
        row = _open_dispute(connection, who, project, number)
    return _shown(store, row, who, secret)


def settled(store: Store, who: Person, name: str, number: int, secret: bytes) -> dict[str, Any]:
    """A pair that the person answered as an adjudicator, with what the raters said; nobody sees that before.

    Returns:
        What `dispute` returns, with `own` (the person's judgment) and `labels` (all others); in projects of pairs each
        judgment has `choice`, by the sides that the person sees.

    Raises:
        InputError: the person has not answered it.
    """
    project = project_of(store, who, name)
    with store.reading() as connection:
        row = disputes.item(connection, who.tenant, project["id"], number)
        labels = [] if row is None else disputes.labels(connection, who.tenant, number)
    own = next((one for one in _own(labels, who) if one["role"] == "adjudicator"), None)
    if row is None or own is None:
        raise InputError("give your own answer first", f"item {number}", "go back to the disputes")
    if project["mode"] == pairs.PAIRWISE:
        left, _ = pairs.sides(row, who.name, 0, secret)
        labels = [one | {"choice": pairs.said(one | {"left_doc_id": left})} for one in labels]
        own = next(one for one in labels if one["uid"] == own["uid"])
    others = [one for one in labels if one["uid"] != own["uid"]]
    return _shown(store, row, who, secret) | {"own": own, "labels": others}


def settle(store: Store, who: Person, name: str, given: Given) -> None:
    """Writes an adjudicator's answer on a document: the first one blind, later ones corrections.

    Where the rubric has dimensions each of them is judged, and the grade follows from them.

    Raises:
        InputError: the pair is not disputed, the person has labelled it as a rater, a dimension is missing, or the
            answer is not of the rubric.
    """
    project, at = project_of(store, who, name), now()
    rubric = rubric_of(project)
    if given.cannot_tell is None:
        missing = [one.name for one in rubric.dimensions if one.name not in given.dimensions]
        if missing:
            raise InputError(f"nothing is said of {', '.join(missing)}", "dimensions", "say it of each dimension")
    checked = labelling.checked(replace(given, role="adjudicator"), rubric, project["mode"])

    def job(connection: Any) -> None:
        _may_settle(connection, who, project, given.item)
        judgments.append(connection, who.tenant, checked, project["rubric_version"], at)

    store.write(job).result()


def settle_pair(store: Store, who: Person, name: str, given: Choice, secret: bytes) -> None:
    """Writes an adjudicator's choice of two documents: the first one blind, later ones corrections.

    Raises:
        InputError: as `settle`, and where the sides are not those of the person.
    """
    project, at = pairs.pairwise(store, who, name), now()

    def job(connection: Any) -> None:
        _may_settle(connection, who, project, given.item)
        pairs.append(connection, who.tenant, replace(given, role="adjudicator"), project, secret, at)

    store.write(job).result()


def take_back(store: Store, who: Person, name: str, uid: str, of: str) -> tuple[int, bool]:
    """Takes back one of an adjudicator's own answers.

    Returns:
        Which item, and whether an earlier answer of the person stands there again; else it is a dispute again.

    Raises:
        InputError: there is no such answer of the person.
    """
    project_of(store, who, name)
    number = int(store.write(lambda c: judgments.take_back(c, who.tenant, uid, of, who.name, now())).result()["item"])
    with store.reading() as connection:
        return number, bool(_own(disputes.labels(connection, who.tenant, number), who))


def _open_dispute(connection: Any, who: Person, project: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    row = disputes.item(connection, who.tenant, project["id"], number)
    own = [] if row is None else _own(disputes.labels(connection, who.tenant, number), who)
    if row is None or not row["is_disputed"] or own:
        raise InputError(
            "this one is not disputed, or you have labelled it", f"item {number}", "go back to the disputes"
        )
    return row


def _may_settle(connection: Any, who: Person, project: Mapping[str, Any], number: int) -> None:
    row = disputes.item(connection, who.tenant, project["id"], number)
    if row is None:
        raise InputError("there is no such item", f"item {number}", "go back to the disputes")
    own = {one["role"] for one in _own(disputes.labels(connection, who.tenant, number), who)}
    if own - {"adjudicator"}:
        raise InputError("you labelled this one yourself", f"item {number}", "leave it to another adjudicator")
    if not own and not row["is_disputed"]:
        raise InputError("this one is settled already", f"item {number}", "go back to the disputes")


def _own(labels: list[dict[str, Any]], who: Person) -> list[dict[str, Any]]:
    return [one for one in labels if one["rater"] == who.name]


def _shown(store: Store, row: Mapping[str, Any], who: Person, secret: bytes) -> dict[str, Any]:
    """What an adjudicator sees: the query, and the document or the two documents on sides of the person's own."""
    (seen,) = projects.shown(store, [row])
    by_id = {row["doc_id"]: seen["document"], row["other_doc_id"]: seen["other"]}
    wanted = pairs.sides(row, who.name, 0, secret) if row["other_doc_id"] else (row["doc_id"],)
    return {
        "item": row["id"],
        "query": query_seen(seen["query"]),
        "documents": [document_seen(by_id[doc], doc) for doc in wanted],
    }
