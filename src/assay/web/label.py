"""The labelling page, and the JSON that it speaks: the next items, what is said of them, undo, skip, flags."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel, Field

from assay.flows import finding, labelling, pace, share, snapshot
from assay.flows.pairs import PAIRWISE
from assay.flows.people import Person
from assay.store.judgments import Given
from assay.web.auth import RATER, csrf, store_of
from assay.web.claims import Claim, claimed, handed
from assay.web.pages import go, page

PAGES = APIRouter(include_in_schema=False)
ROUTES = APIRouter(prefix="/v1", tags=["labelling"])

Uid = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Number = Annotated[float, Field(ge=-1_000, le=1_000, allow_inf_nan=False)]
Id = Annotated[int, Field(ge=1, le=2**53)]

LIKE_A_FILE = {
    "Cache-Control": "private, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
"""A picture asks for nothing, wherever it is opened."""


class Answer(BaseModel):
    """What a rater says of one item: a grade, dimensions from which it follows, or why there is none."""

    uid: Uid
    item: Claim
    grade: Number | None = None
    dimensions: dict[Annotated[str, Field(max_length=80)], Number] = Field(default_factory=dict, max_length=20)
    cannot_tell: Literal["missing content", "ambiguous query", "language", "broken page", "other"] | None = None
    note: str = Field(default="", max_length=labelling.LONGEST_NOTE)
    took_ms: int | None = Field(default=None, ge=0, le=86_400_000)


class Undo(BaseModel):
    """Which answer is taken back; `uid` names this undoing."""

    uid: Uid
    of: Uid


class Skip(BaseModel):
    """Which item is put off."""

    item: Claim


class Opened(BaseModel):
    """Which item's live page was opened; `uid` names this opening."""

    uid: Uid
    item: Claim


class Flag(BaseModel):
    """Which query is bad, and why."""

    project: str = Field(min_length=1, max_length=80)
    query_id: str = Field(min_length=1, max_length=1_000)
    why: str = Field(default="", max_length=500)


class Found(BaseModel):
    """A document that the rater looked for, and for which query."""

    query_id: str = Field(min_length=1, max_length=1_000)
    doc_id: str = Field(min_length=1, max_length=4_000)
    doc_hash: str = Field(min_length=1, max_length=64)


@PAGES.get("/")
def first(request: Request, who: Person = RATER) -> Response:
    """The projects of whoever is signed in."""
    rows = labelling.overview(store_of(request), who)
    return page(request, "projects.html", who=who, csrf=csrf(request), projects=rows)


@PAGES.get("/label/{project}")
def label(request: Request, project: str, who: Person = RATER) -> Response:
    """The page on which one project is labelled."""
    row = labelling.project_of(store_of(request), who, project)
    if row["mode"] == PAIRWISE:
        return go(request, f"/pairs/{row['id']}")
    rubric = labelling.rubric_of(row)
    return page(
        request, "label.html", who=who, csrf=csrf(request), project=row, rubric=rubric, reasons=labelling.REASONS,
        pace=pace, body=rubric.lines,
    )  # fmt: skip


@ROUTES.get("/projects")
def projects(request: Request, who: Person = RATER) -> list[dict[str, Any]]:
    """The projects that are open, each with how many judgments it wants and how many were given."""
    return labelling.overview(store_of(request), who)


@ROUTES.get("/projects/{project}/items")
def items(
    request: Request, project: str, n: Annotated[int, Query(ge=1, le=labelling.AT_ONCE)] = 6, who: Person = RATER
) -> dict[str, Any]:
    """The next items of whoever asks: claimed now, or claimed before and not answered.

    `waits` says why nothing comes: "pilot" until the raters agree on the pilot, "pace" where the last answers came
    faster than anybody reads, until whoever asks says to go on.
    """
    store = store_of(request)
    found = labelling.next_items(store, who, project, n, request.app.state.secret)
    waits = "" if found else labelling.waits_for(store, who, project)
    return {"items": [handed(request, who, one) for one in found], "rater": who.name, "waits": waits}


@ROUTES.get("/projects/{project}/share")
def own_share(request: Request, project: str, who: Person = RATER) -> dict[str, Any]:
    """How many answers whoever asks has given of how many, and how long the last ones took."""
    return share.share_of(store_of(request), who, project)


@ROUTES.get("/projects/{project}/documents")
def documents(
    request: Request, project: str, q: Annotated[str, Query(min_length=1, max_length=200)], who: Person = RATER
) -> dict[str, Any]:
    """Documents that hold all the words, as raters see them; no query, no grade, no system."""
    return {"documents": labelling.search_documents(store_of(request), who, project, q)}


@ROUTES.post("/projects/{project}/found")
def add_found(request: Request, project: str, asked: Found, who: Person = RATER) -> dict[str, Any]:
    """Adds a document that the rater looked for to the rater's own list."""
    secret = request.app.state.secret
    told = finding.add_found(store_of(request), who, project, asked.query_id, asked.doc_id, asked.doc_hash, secret)
    return told | {"item": told["item"] and handed(request, who, told["item"])}


@ROUTES.get("/images/{image}", response_class=Response)
def image(request: Request, image: Annotated[str, Path(pattern="^[0-9a-f]{64}$")], who: Person = RATER) -> Response:
    """The picture of a document, as it was captured; its name is its hash, so a browser may keep it."""
    found = snapshot.picture(store_of(request), who.tenant, image)
    if found is None:
        raise HTTPException(404, "there is no such picture")
    kind, content = found
    return Response(content, media_type=kind, headers=LIKE_A_FILE)


@ROUTES.post("/grades")
def give(request: Request, answer: Answer, who: Person = RATER) -> dict[str, Any]:
    """Writes an answer; it is durable when this returns. The same uid sent again counts once."""
    said = answer.model_dump() | claimed(request, who, answer.item)
    given = labelling.give(store_of(request), who, Given(rater=who.name, role="rater", **said))
    return handed(request, who, given)


@ROUTES.post("/projects/{project}/go-on")
def go_on(request: Request, project: str, who: Person = RATER) -> dict[str, bool]:
    """Goes on after a stop for answers that came too fast."""
    labelling.go_on(store_of(request), who, project)
    return {"goes_on": True}


@ROUTES.post("/opened")
def opened(request: Request, asked: Opened, who: Person = RATER) -> dict[str, bool]:
    """Notes that the live page of an item was opened; the same uid sent again counts once."""
    labelling.opened(store_of(request), who, asked.uid, claimed(request, who, asked.item)["item"])
    return {"noted": True}


@ROUTES.post("/undo")
def undo(request: Request, asked: Undo, who: Person = RATER) -> dict[str, Any]:
    """Takes back one of one's own answers; the item comes again."""
    return handed(request, who, labelling.undo(store_of(request), who, asked.uid, asked.of))


@ROUTES.post("/skip")
def skip(request: Request, asked: Skip, who: Person = RATER) -> dict[str, bool]:
    """Puts an item off."""
    return {"skipped": labelling.skip(store_of(request), who, **claimed(request, who, asked.item))}


@ROUTES.post("/flags")
def flag(request: Request, asked: Flag, who: Person = RATER) -> dict[str, bool]:
    """Says that a query is bad."""
    labelling.flag(store_of(request), who, asked.project, asked.query_id, asked.why)
    return {"flagged": True}
