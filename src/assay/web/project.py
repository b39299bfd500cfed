"""The page of a project for whoever leads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from assay.flows import exported, labelling, pace
from assay.flows import project as flow
from assay.flows.pairs import PAIRWISE
from assay.flows.people import Person
from assay.flows.pilot import ITSELF
from assay.flows.progress import Progress, is_large, progress_of
from assay.report.views.project import SEARCHED
from assay.web.auth import LEAD, csrf, store_of
from assay.web.behind import Behind
from assay.web.pages import go, page

PAGES = APIRouter(include_in_schema=False)


@PAGES.get("/project/{project}")
def progress(request: Request, project: str, who: Person = LEAD) -> Response:
    """How far a project has come, how much its raters agree, and the pilot's gate; of a large one, as last counted."""
    row = labelling.project_of(store_of(request), who, project)
    if row["mode"] == PAIRWISE:
        return go(request, f"/project/{row['id']}/pairs")
    rubric = labelling.rubric_of(row)
    return page(
        request, "project.html", who=who, csrf=csrf(request), project=row, rubric=rubric, itself=ITSELF, pace=pace,
        searched=SEARCHED, words={one.grade: one for one in rubric.grades},
        values={one.name: dict(one.means) for one in rubric.dimensions}, **_counted(request, who, row),
    )  # fmt: skip


def _counted(request: Request, who: Person, row: Mapping[str, Any]) -> dict[str, Any]:
    """A small project is counted for every request, a large one behind them."""
    store = store_of(request)

    def count() -> Progress:
        return progress_of(store, who, row["id"])

    if not is_large(store, row["id"]):
        return {"found": count(), "as_of": "", "is_counting": False}
    counts: Behind[Progress] = request.app.state.counts
    shown = counts.get(f"{who.tenant} {row['id']} {row['opened_at']}", count)
    if shown is None:
        return {"found": None, "as_of": "", "is_counting": True}
    return {"found": shown.value, "as_of": f"{shown.at:%Y-%m-%d %H:%M:%S} UTC", "is_counting": shown.is_counting}


@PAGES.post("/project/{project}/open")
def open_queue(
    request: Request, project: str, who: Person = LEAD, why: Annotated[str, Form(max_length=500)] = ""
) -> Response:
    """Opens the queue behind the pilot."""
    flow.open_queue(store_of(request), who, project, why)
    return go(request, f"/project/{labelling.project_of(store_of(request), who, project)['id']}")


@PAGES.get("/project/{project}/labels.csv")
def labels(request: Request, project: str, who: Person = LEAD) -> Response:
    """The judgments that stand, as a table."""
    rows = exported.export(store_of(request), who.tenant, project)
    head = {"content-disposition": 'attachment; filename="labels.csv"'}
    return Response(exported.as_csv(rows), media_type="text/csv; charset=utf-8", headers=head)
