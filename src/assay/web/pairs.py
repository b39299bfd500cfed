"""The page on which raters prefer one of two documents, and its JSON; undo, skip and flags are shared."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from assay.flows import labelling, pace, pairs
from assay.flows.people import Person
from assay.flows.pilot import ITSELF
from assay.flows.progress import is_large
from assay.report.views.preferences import side_words
from assay.web.auth import LEAD, RATER, csrf, store_of
from assay.web.behind import Behind
from assay.web.claims import Claim, claimed, handed
from assay.web.label import Uid
from assay.web.pages import page

PAGES = APIRouter(include_in_schema=False)
ROUTES = APIRouter(prefix="/v1", tags=["labelling by pairs"])


class Preferred(BaseModel):
    """What a rater says of two documents: which one serves better, or why nobody can tell."""

    uid: Uid
    item: Claim
    left: str = Field(min_length=1, max_length=1_000, description="id of the document that was on the left")
    choice: Literal["left", "right", "tie", "both-bad"] | None = None
    cannot_tell: Literal["missing content", "ambiguous query", "language", "broken page", "other"] | None = None
    note: str = Field(default="", max_length=labelling.LONGEST_NOTE)
    took_ms: int | None = Field(default=None, ge=0, le=86_400_000)


@PAGES.get("/pairs/{project}")
def label(request: Request, project: str, who: Person = RATER) -> Response:
    """The page on which the pairs of one project are labelled."""
    row = pairs.pairwise(store_of(request), who, project)
    rubric = labelling.rubric_of(row)
    return page(
        request, "pairs.html", who=who, csrf=csrf(request), project=row, rubric=rubric, reasons=labelling.REASONS,
        pace=pace, body=rubric.lines,
    )  # fmt: skip


@ROUTES.get("/projects/{project}/pairs")
def items(
    request: Request, project: str, n: Annotated[int, Query(ge=1, le=labelling.AT_ONCE)] = 6, who: Person = RATER
) -> dict[str, Any]:
    """The next pairs of whoever asks, each with its two documents on the sides of this rater.

    `waits` says why nothing comes: "pilot" until the raters agree on the pilot, "pace" where the last answers came
    faster than anybody reads, until whoever asks says to go on; else it is empty.
    """
    store = store_of(request)
    found = pairs.next_pairs(store, who, project, n, request.app.state.secret)
    waits = "" if found else labelling.waits_for(store, who, project)
    return {"items": [handed(request, who, one) for one in found], "rater": who.name, "waits": waits}


@ROUTES.post("/preferences")
def give(request: Request, answer: Preferred, who: Person = RATER) -> dict[str, Any]:
    """Writes a choice; it is durable when this returns. The same uid sent again counts once."""
    said = answer.model_dump() | claimed(request, who, answer.item)
    given = pairs.prefer(store_of(request), who, pairs.Choice(rater=who.name, **said), request.app.state.secret)
    return handed(request, who, given)


@PAGES.get("/project/{project}/pairs")
def progress(request: Request, project: str, who: Person = LEAD) -> Response:
    """How far a project of pairs has come, how much its raters agree, and whether a side draws them."""
    store = store_of(request)
    row = pairs.pairwise(store, who, project)

    def count() -> pairs.Progress:
        return pairs.progress_of(store, who, row["id"])

    if is_large(store, row["id"]):
        counts: Behind[pairs.Progress] = request.app.state.counts
        shown = counts.get(f"{who.tenant} {row['id']} pairs {row['opened_at']}", count)
        found, as_of = (None, None) if shown is None else (shown.value, shown.at)
    else:
        found, as_of = count(), None
    return page(
        request, "pairs-project.html", itself=ITSELF, pace=pace, who=who, csrf=csrf(request), project=row, found=found,
        as_of=f"{as_of:%Y-%m-%d %H:%M:%S} UTC" if as_of else "",
        side=side_words(found.agreement.side) if found and found.agreement else "",
    )  # fmt: skip


@PAGES.get("/project/{project}/preferences.csv")
def preferences(request: Request, project: str, who: Person = LEAD) -> Response:
    """The preferences that stand, as a table."""
    store = store_of(request)
    rows = pairs.export(store, who.tenant, pairs.pairwise(store, who, project)["id"])
    head = {"content-disposition": 'attachment; filename="preferences.csv"'}
    return Response(pairs.as_csv(rows), media_type="text/csv; charset=utf-8", headers=head)
