"""The queue of disputes: an adjudicator answers blind, sees what the raters said, and may change or take back."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from assay.errors import InputError
from assay.flows import disputes as flow
from assay.flows import labelling, pairs
from assay.flows.people import Person
from assay.rubric import Grade, Rubric
from assay.store.judgments import Given
from assay.web.auth import ADJUDICATOR, csrf, store_of
from assay.web.label import Id, Number, Uid
from assay.web.pages import go, page

PAGES = APIRouter(include_in_schema=False)

Asked = Annotated[int | None, Query(ge=1, le=2**53)]


class Settling(BaseModel):
    """The form of an answer; the value of the dimension at place i of the rubric stands in a field `d<i>`."""

    model_config = ConfigDict(extra="allow")

    uid: Uid
    item: Id
    grade: Number | None = None
    left: str = Field(default="", max_length=1_000)
    choice: Literal["left", "right", "tie", "both-bad"] | None = None
    cannot_tell: Literal["missing content", "ambiguous query", "language", "broken page", "other"] | None = None
    note: str = Field(default="", max_length=labelling.LONGEST_NOTE)


@PAGES.get("/adjudicate/{project}")
def dispute(
    request: Request, project: str, item: Asked = None, dispute: Asked = None, last: Asked = None,
    who: Person = ADJUDICATOR,
) -> Response:  # fmt: skip
    """A dispute without labels: the next, or that of a number; or an answered one with what the raters said."""
    store, secret = store_of(request), request.app.state.secret
    row = labelling.project_of(store, who, project)
    left = flow.waiting(store, who, project, secret)
    numbers = [one["item"] for one in left]
    chosen = dispute if dispute in numbers else next(iter(numbers), None)
    if item is not None:
        shown: dict[str, Any] | None = flow.settled(store, who, project, item, secret)
    else:
        shown = None if chosen is None else flow.dispute(store, who, project, chosen, secret)
    rubric = labelling.rubric_of(row)
    return page(
        request, "adjudicate.html", who=who, csrf=csrf(request), project=row, rubric=rubric, shown=shown, left=left,
        listed=flow.LISTED, is_settled=item is not None, last=last, uid=uuid.uuid4().hex, reasons=labelling.REASONS,
        names={one.grade: one.name for one in rubric.grades},
        means={one.name: dict(one.means) for one in rubric.dimensions},
        between=_between(shown["labels"], rubric) if shown and item is not None else [],
        body=rubric.lines,
    )  # fmt: skip


def _between(labels: Sequence[Mapping[str, Any]], rubric: Rubric) -> list[Grade]:
    """The grades of the rubric from the lowest to the highest that raters gave; none where they gave one."""
    given = [one["grade"] for one in labels if one["role"] != "adjudicator" and one["grade"] is not None]
    if not given or min(given) == max(given):
        return []
    return [one for one in rubric.grades if min(given) <= one.grade <= max(given)]


@PAGES.post("/adjudicate/{project}")
def settle(
    request: Request, project: str, form: Annotated[Settling, Form()], who: Person = ADJUDICATOR
) -> Response:  # fmt: skip
    """Writes the adjudicator's answer, and shows what the raters said."""
    store = store_of(request)
    row = labelling.project_of(store, who, project)
    note = form.note.strip()
    if row["mode"] == pairs.PAIRWISE:
        choice = pairs.Choice(
            form.uid, form.item, who.name, form.left, choice=form.choice, cannot_tell=form.cannot_tell, note=note
        )
        flow.settle_pair(store, who, project, choice, request.app.state.secret)
    else:
        values = {} if form.cannot_tell else _values(form.model_extra or {}, labelling.rubric_of(row))
        grade = None if form.cannot_tell else form.grade
        given = Given(form.uid, form.item, who.name, "adjudicator", grade=grade, dimensions=values,
                      cannot_tell=form.cannot_tell, note=note)  # fmt: skip
        flow.settle(store, who, project, given)
    return go(request, f"/adjudicate/{row['id']}?item={form.item}")


def _values(fields: Mapping[str, Any], rubric: Rubric) -> dict[str, float]:
    """What the form says of each dimension; those that it does not speak of are left out."""
    found = {}
    for i, one in enumerate(rubric.dimensions):
        told = str(fields.get(f"d{i}", "")).strip()
        if not told:
            continue
        try:
            found[one.name] = float(told)
        except ValueError:
            raise InputError(f"{told[:40]!r} is no value of {one.name}", "dimensions", "reload the page") from None
    return found


@PAGES.post("/adjudicate/{project}/skip")
def skip(
    request: Request, project: str, item: Annotated[Id, Form()], who: Person = ADJUDICATOR
) -> Response:  # fmt: skip
    """Puts a dispute off, and shows the next one."""
    store = store_of(request)
    flow.put_off(store, who, project, item)
    return go(request, f"/adjudicate/{labelling.project_of(store, who, project)['id']}")


@PAGES.post("/adjudicate/{project}/undo")
def undo(
    request: Request, project: str, uid: Annotated[Uid, Form()], of: Annotated[Uid, Form()], who: Person = ADJUDICATOR
) -> Response:
    """Takes back one of one's own answers: what it corrected stands again, or the pair is a dispute again."""
    store = store_of(request)
    number, stands = flow.take_back(store, who, project, uid, of)
    shown = "item" if stands else "dispute"
    return go(request, f"/adjudicate/{labelling.project_of(store, who, project)['id']}?{shown}={number}")
