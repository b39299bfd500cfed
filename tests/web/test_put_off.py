"""What was put off in one tab and answered in another counts as any other answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from web.labelled import project
from web.visiting import Visitor, key

Visit = Callable[..., Visitor]


def test_an_item_that_was_put_off_and_answered_from_another_tab_is_answered(folder: Path, visit: Visit) -> None:
    project(folder, raters_each=1)
    who = visit()
    one, two = ({"authorization": f"Bearer {key(folder, name, name)}"} for name in ("rater", "adjudicator"))
    items = who.get("/v1/projects/winter/items?n=12", headers=one).json()["items"]
    n, put_off = len(items), items[0]["item"]
    assert who.post("/v1/skip", json={"item": put_off}, headers=one).json() == {"skipped": True}
    given = {"uid": "other-tab-1", "item": put_off, "grade": 1}
    assert who.post("/v1/grades", json=given, headers=one).status_code == 200
    assert who.get("/v1/projects/winter/items?n=12", headers=two).json()["items"] == []  # one rater each
    assert len(who.get("/v1/projects/winter/items?n=12", headers=one).json()["items"]) == n - 1
    (row,) = who.get("/v1/projects", headers=one).json()
    assert (row["given"], row["taken"]) == (1, n)
