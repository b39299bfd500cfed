"""Who may ask for what: every route there is, tried by every role, so that a new one is tried by being there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.store.schema import ROLES
from web.labelled import HOSTILE, project
from web.visiting import Visitor, key
from web.walked import OPEN, Way, ways

Visit = Callable[..., Visitor]

LEAST = {
    "/": "rater", "/sign-out": "rater", "/label/{project}": "rater", "/metrics": "lead", "/v1/openapi.json": "rater",
    "/v1/projects": "rater", "/v1/projects/{project}/items": "rater", "/v1/grades": "rater", "/v1/undo": "rater",
    "/project/{project}": "lead", "/project/{project}/open": "lead", "/project/{project}/labels.csv": "lead",
    "/adjudicate/{project}": "adjudicator", "/v1/skip": "rater", "/v1/flags": "rater",
    "/v1/projects/{project}/documents": "rater", "/v1/projects/{project}/found": "rater", "/v1/images/{image}": "rater",
    "/pairs/{project}": "rater", "/v1/projects/{project}/pairs": "rater", "/v1/preferences": "rater",
    "/v1/projects/{project}/share": "rater", "/own/{project}": "rater", "/v1/projects/{project}/own": "rater",
    "/v1/projects/{project}/go-on": "rater", "/v1/opened": "rater",
    "/project/{project}/pairs": "lead", "/project/{project}/preferences.csv": "lead",
    "/adjudicate/{project}/undo": "adjudicator", "/adjudicate/{project}/skip": "adjudicator",
}  # fmt: skip
"""What each route needs, written down a second time."""

KNOWN = {"project": "winter", "name": "winter"}
"""What stands for the parameters of a path."""

SHOWS_OTHERS = re.compile(r"agree|dispute|adjudicat|export|progress|raters|pilot|open\b|people|audit|project/")
"""Words in a path behind which stands what others said; no rater comes there."""


@pytest.fixture
def open_app(folder: Path, visit: Visit) -> tuple[Visitor, list[Way], dict[str, dict[str, str]]]:
    """A guest, every way there is, and a key for each role."""
    project(folder)
    keys = {role: {"authorization": f"Bearer {key(folder, role, role)}"} for role in ROLES}
    guest = visit()
    return guest, ways(guest.app), keys


def test_every_route_needs_a_role_but_those_to_come_in_and_health(open_app: tuple[Visitor, list[Way], object]) -> None:
    _, found, _ = open_app
    assert {way.path for way in found if way.role is None} == OPEN
    needed = {way.path: way.role for way in found if way.role is not None}
    assert needed == LEAST  # a new route says here, too, what it needs
    for path, role in needed.items():
        assert role != "rater" or not SHOWS_OTHERS.search(path), f"{path} shows what others said"


def test_each_route_is_closed_to_guests_and_lesser_roles_and_open_to_the_others(
    open_app: tuple[Visitor, list[Way], dict[str, dict[str, str]]],
) -> None:
    guest, found, keys = open_app
    for way in found:
        if way.role is None:
            continue
        path = way.at(**KNOWN)
        assert guest.client.request(way.method, path).status_code == 401, f"{way} as a guest"
        page = guest.client.request(way.method, path, headers={"accept": "text/html"})
        assert page.status_code in (303, 401), f"{way} as a guest with a browser"
        for role in ROLES:
            code = guest.client.request(way.method, path, headers=keys[role]).status_code
            assert code < 500, f"{way} as {role}: {code}"
            if ROLES.index(role) < ROLES.index(way.role):
                assert code == 403, f"{way} as {role}: {code}"
            elif way.path != "/sign-out":
                assert code not in (401, 403), f"{way} as {role}: {code}"


def test_every_write_by_a_session_needs_the_token(open_app: tuple[Visitor, list[Way], object], visit: Visit) -> None:
    _, found, _ = open_app
    who = visit("198.51.100.9")
    assert who.sign_in("admin").status_code == 303
    writes = [way for way in found if way.method not in ("GET", "HEAD")]
    assert len(writes) >= 6
    for way in writes:
        for head in ({}, {"x-csrf-token": "wrong"}):
            answer = who.client.request(way.method, way.at(**KNOWN), headers=head)
            assert answer.status_code == 403, f"{way} with {head}"


def test_a_wrong_key_is_nobody_and_does_not_fall_back_to_the_cookie(visit: Visit) -> None:
    who = visit()
    who.sign_in("admin")
    assert who.get("/metrics", headers={"authorization": "Bearer wrong"}).status_code == 401


def test_no_request_shows_a_rater_what_another_said(
    open_app: tuple[Visitor, list[Way], dict[str, dict[str, str]]], folder: Path
) -> None:
    guest, found, keys = open_app
    words, uids = "quite a distinct note", []
    for item in guest.get("/v1/projects/winter/items?n=4", headers=keys["admin"]).json()["items"]:
        said = {"uid": f"uid-{item['item']}", "item": item["item"], "grade": 2, "note": words}
        assert guest.post("/v1/grades", json=said, headers=keys["admin"]).status_code == 200
        uids.append(said["uid"])
    flag = {"project": "winter", "query_id": "q1", "why": words}
    assert guest.post("/v1/flags", json=flag, headers=keys["admin"]).status_code == 200
    for way in found:
        if way.method == "GET":
            for number in ("1", "2"):
                answer = guest.get(way.at(**KNOWN, item=number), headers=keys["rater"])
                assert words not in answer.text, str(way)
                assert '"admin"' not in answer.text, str(way)
                assert ">admin<" not in answer.text, str(way)
    item = guest.get("/v1/projects/winter/items?n=1", headers=keys["rater"]).json()["items"][0]
    stolen = {"uid": "undo-00000001", "of": uids[0]}
    assert guest.post("/v1/undo", json=stolen, headers=keys["rater"]).status_code == 422
    again = {"uid": uids[0], "item": item["item"], "grade": 0}
    answer = guest.post("/v1/grades", json=again, headers=keys["rater"])  # another's id
    assert answer.status_code in (200, 422)
    assert words not in answer.text


def test_script_in_every_text_is_text_in_every_page(
    open_app: tuple[Visitor, list[Way], dict[str, dict[str, str]]], folder: Path
) -> None:
    project(folder, name=HOSTILE)
    guest, found, keys = open_app
    for item in guest.get("/v1/projects/winter/items?n=4", headers=keys["lead"]).json()["items"]:
        said = {
            "uid": f"uid-{item['item']}",
            "item": item["item"],
            "grade": 2,
            "note": HOSTILE,
        }
        assert guest.post("/v1/grades", json=said, headers=keys["lead"]).status_code == 200
    flag = {"project": "winter", "query_id": "q1", "why": HOSTILE}
    assert guest.post("/v1/flags", json=flag, headers=keys["lead"]).status_code == 200
    pages = 0
    for way in found:
        if way.method != "GET" or way.path == "/sign-out":
            continue
        answer = guest.get(
            way.at(**KNOWN, token=HOSTILE.replace("/", "")), headers=keys["admin"] | {"accept": "text/html"}
        )
        if answer.headers.get("content-type", "").startswith("text/html"):
            pages += 1
            assert "<script>document" not in answer.text, str(way)
            assert "<img src=x" not in answer.text, str(way)
        else:
            assert answer.headers["x-content-type-options"] == "nosniff", str(way)
    assert pages >= 3
