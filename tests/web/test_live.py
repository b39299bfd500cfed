"""The live page of a document: only where the project lets raters open it, only the web, and every opening is noted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nh3
import pytest
import sqlalchemy as sa

from assay.flows.keeping import open_store
from assay.flows.labelling import create_project
from assay.flows.snapshot import live_page
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store.schema import EVENTS
from web.labelled import RUBRIC
from web.test_pace import Rater
from web.visiting import Visitor, key

Visit = Callable[..., Visitor]
PAGE = "https://shop.example/p/1?size=L&colour=red#top"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "ftp://shop.example/1", "//shop.example/1", "/p/1", "shop.example", "",
     "http://", "https://", "https://ann:secret@shop.example/", "https://shop.example/a b", "https://shop.example/\n1",
     "java\nscript:alert(1)", "https://shop.example\\@evil.example", "https://shop.example:99999/", "https://[::1/",
     "https://shop.example/" + "a" * 2_000, 'https://shop.example/"onclick=x', "https:/shop.example", "\u202ehttps://x"],
)  # fmt: skip
def test_what_is_no_page_of_the_web_is_no_link(address: str) -> None:
    assert live_page({"url": address}) == ""


@pytest.mark.parametrize(
    "address",
    [PAGE, "http://shop.example", "HTTPS://Shop.example:8443/ä", "https://[2001:db8::1]/1", " https://x.example/ "],
)
def test_a_page_of_the_web_is_a_link_that_the_sanitiser_keeps_too(address: str) -> None:
    found = live_page({"size": "L", "URL": address})
    assert found == address.strip()
    kept = nh3.clean(f'<a href="{found.replace("&", "&amp;")}">x</a>', url_schemes={"http", "https"}, link_rel=None)
    assert 'href="' in kept


def project(folder: Path, **options: Any) -> None:
    bench = Workbench.open(str(folder))
    pairs = [{"query_id": "q", "doc_id": f"d{n}"} for n in range(4)]
    texts = [{"doc_id": f"d{n}", "title": "A jacket", "fields": f'{{"url": "{url}"}}'}
             for n, url in enumerate((PAGE, PAGE, "javascript:alert(1)", ""))]  # fmt: skip
    with open_store(bench) as store:
        create_project(
            store, bench, name="winter", pairs=pairs, documents=texts, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC,
            by="test", **({"repeat_share": 0.0, "min_seconds": 0} | options),
        )  # fmt: skip


def events(folder: Path) -> list[dict[str, Any]]:
    with open_store(Workbench.open(str(folder))) as store:
        return store.rows(sa.select(EVENTS).order_by(EVENTS.c.id))


def opens(who: Rater, item: str, uid: str = "opening-1") -> Any:
    return who.guest.post("/v1/opened", json={"uid": uid, "item": item}, headers=who.head)


def test_no_live_page_is_told_or_noted_unless_the_project_says_so(folder: Path, visit: Visit) -> None:
    project(folder)
    who = Rater(visit(), folder)
    items = who.asks(12)["items"]
    assert not any("live" in one["document"] for one in items)
    answer = opens(who, items[0]["item"])
    assert (answer.status_code, answer.json()["what"]) == (422, "the raters of this project open no live pages")
    assert events(folder) == []


def test_each_opening_is_noted_once_and_counted_for_the_lead(folder: Path, visit: Visit) -> None:
    project(folder, live_links=True)
    guest = visit()
    who, other = Rater(guest, folder), Rater(guest, folder, "adjudicator")
    items = {one["document"]["doc_id"]: one for one in who.asks(12)["items"]}
    assert {doc: one["document"].get("live") for doc, one in items.items()} == {
        "d0": PAGE, "d1": PAGE, "d2": None, "d3": None,
    }  # fmt: skip
    for uid in ("opening-1", "opening-1", "opening-2"):
        assert opens(who, items["d0"]["item"], uid).json() == {"noted": True}
    assert opens(other, items["d0"]["item"]).status_code == 422  # the word of another rater
    assert [(row["rater"], row["kind"], "opening" in row["uid"]) for row in events(folder)] == [
        ("rater", "opened", False)] * 2  # fmt: skip
    who.gives(items["d0"], 3_000)
    head = {"authorization": f"Bearer {key(folder, 'lead', 'lead')}"}
    page = guest.get("/project/winter", headers=head).text
    assert "live pages" in page
    assert re.search(r'dir="auto">rater</th>.*<td class="num">2</td></tr>', page)
    assert "opened" not in guest.get("/v1/projects/winter/items?n=12", headers=other.head).text


def test_openings_go_with_the_person(folder: Path, visit: Visit) -> None:
    from assay.flows.keeping import TENANT
    from assay.store.privacy import erase, found

    project(folder, live_links=True)
    who = Rater(visit(), folder)
    assert opens(who, who.asks()["items"][0]["item"], "rater-opened-1").status_code == 200
    with open_store(Workbench.open(str(folder))) as store:
        assert len(found(store, TENANT, "rater")["events"]) == 1
        erase(store, TENANT, "rater")
        assert not any("rater" in str(value) for row in store.rows(sa.select(EVENTS)) for value in row.values())
