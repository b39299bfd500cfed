"""A rater's own page, and its JSON: nothing of anybody else but counts, and nothing of any one document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request, Response

from assay.flows import labelling
from assay.flows import own as flow
from assay.flows.pace import IDLE_S
from assay.flows.people import Person
from assay.web.auth import RATER, csrf, store_of
from assay.web.pages import page

WORDS = {"left": "left", "right": "right", "tie": "both alike", "both-bad": "neither"}
"""What the buttons of the page say."""

PAGES = APIRouter(include_in_schema=False)
ROUTES = APIRouter(prefix="/v1", tags=["labelling"])


@PAGES.get("/own/{project}")
def own(request: Request, project: str, who: Person = RATER) -> Response:
    """How far whoever asks has come, how fast, and how the own grades lie beside others."""
    store = store_of(request)
    row = labelling.project_of(store, who, project)
    rubric = labelling.rubric_of(row)
    return page(
        request, "own.html", who=who, csrf=csrf(request), project=row, rules=flow, idle_s=IDLE_S,
        names={f"{one.grade:g}": f"{one.grade:g} {one.name}" for one in rubric.grades} | WORDS,
        found=flow.own_of(store, who, row["id"], request.app.state.secret),
    )  # fmt: skip


@ROUTES.get("/projects/{project}/own")
def own_figures(request: Request, project: str, who: Person = RATER) -> dict[str, Any]:
    """The own figures of whoever asks; a table is null where too little is counted to show it.

    A row of a table is an own grade and how often each of `grades` stood beside it; where two documents are compared,
    an own choice and `choices`, by the sides on which the rater saw them.
    """
    found = asdict(flow.own_of(store_of(request), who, project, request.app.state.secret))
    one, all_of = ("grade", "grades") if found["is_graded"] else ("choice", "choices")
    for name in ("known", "again", "peers"):
        if (told := found[name]) is not None:
            rows = [{one: answer, "counts": counts} for answer, counts in told["rows"].items()]
            found[name] = {all_of: told["answers"], "rows": rows, "same": told["same"], "n": told["n"]}
    return found
