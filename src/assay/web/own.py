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
        names={one.grade: one.name for one in rubric.grades},
        found=flow.own_of(store, who, row["id"], request.app.state.secret),
    )  # fmt: skip


@ROUTES.get("/projects/{project}/own")
def own_figures(request: Request, project: str, who: Person = RATER) -> dict[str, Any]:
    """The own figures of whoever asks; a table is null where too little is counted to show it.

    A row of a table is an own grade and how often each of `grades` stood beside it.
    """
    found = asdict(flow.own_of(store_of(request), who, project, request.app.state.secret))
    for name in ("known", "again", "peers"):
        if found[name] is not None:
            rows = [{"grade": grade, "counts": counts} for grade, counts in found[name]["rows"].items()]
            found[name] |= {"rows": rows}
    return found
