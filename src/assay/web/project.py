"""The page of a project for whoever leads it, and the queue of disputes for adjudicators."""

from __future__ import annotations

import uuid
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from assay.flows import exported, labelling
from assay.flows import project as flow
from assay.flows.people import Person
from assay.flows.pilot import ITSELF
from assay.store.judgments import Given
from assay.web.auth import ADJUDICATOR, LEAD, csrf, store_of
from assay.web.pages import go, page

PAGES = APIRouter(include_in_schema=False)

Number = Annotated[int, Form(ge=1, le=2**53)]
Grade = Annotated[float, Form(ge=-1_000, le=1_000, allow_inf_nan=False)]
Uid = Annotated[str, Form(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


@PAGES.get("/project/{project}")
def progress(request: Request, project: str, who: Person = LEAD) -> Response:
    """How far a project has come, how much its raters agree, and the pilot's gate."""
    store = store_of(request)
    row = labelling.project_of(store, who, project)
    rubric = labelling.rubric_of(row)
    return page(
        request, "project.html", who=who, csrf=csrf(request), project=row, rubric=rubric,
        words={one.grade: one for one in rubric.grades}, found=flow.progress_of(store, who, project), itself=ITSELF,
        values={one.name: dict(one.means) for one in rubric.dimensions},
    )  # fmt: skip


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


@PAGES.get("/adjudicate/{project}")
def dispute(
    request: Request, project: str, item: Annotated[int | None, Query(ge=1, le=2**53)] = None, who: Person = ADJUDICATOR
) -> Response:
    """The next dispute, without labels; or one that the person has settled, with them."""
    store = store_of(request)
    row = labelling.project_of(store, who, project)
    shown = flow.next_dispute(store, who, project) if item is None else flow.settled(store, who, project, item)
    return page(
        request, "adjudicate.html", who=who, csrf=csrf(request), project=row, rubric=labelling.rubric_of(row),
        shown=shown, is_settled=item is not None, uid=uuid.uuid4().hex,
    )  # fmt: skip


@PAGES.post("/adjudicate/{project}")
def settle(
    request: Request, project: str, item: Number, uid: Uid, grade: Grade, who: Person = ADJUDICATOR,
    note: Annotated[str, Form(max_length=labelling.LONGEST_NOTE)] = "",
) -> Response:  # fmt: skip
    """Writes the adjudicator's grade, and shows what the raters said."""
    store = store_of(request)
    flow.settle(store, who, project, Given(uid, item, who.name, "adjudicator", grade=grade, note=note.strip()))
    return go(request, f"/adjudicate/{labelling.project_of(store, who, project)['id']}?item={item}")
