"""The whole way in a real Chromium: two raters and an adjudicator come by invitation, label a small pool by keyboard,
disagree, settle and export; `evaluate` and `compare` use what they said.

Twenty-five queries (a claim needs as many) with a document for rain, which `after` shows first, and one for sun, which
`before` shows first:

| documents              | ann | bo | cy, adjudicator | settled, else the mean |
|------------------------|-----|----|-----------------|------------------------|
| rain 03                | 3   | 2  |                 | 2.5                    |
| rain, the other 24     | 3   | 3  |                 | 3                      |
| sun 01                 | 0   | 3  | 0               | 0                      |
| sun 02                 | 0   | 3  | 2               | 2                      |
| sun, the other 23      | 0   | 0  |                 | 0                      |
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from assay.cli.main import run
from browser.label_page import press, seen, served, told

pytestmark = pytest.mark.browser

PASSWORD = "a long password"
QUERIES = [f"{i:02}" for i in range(1, 26)]
RATERS = {"ann": {}, "bo": {"rain 03": 2, "sun 01": 3, "sun 02": 3}}
SETTLED = {"sun 01": 0, "sun 02": 2}
RUNS = ("before.run", "after.run")


def write_inputs(folder: Path) -> None:
    """Two runs, topics and documents."""
    for name, kinds in (("before", ("sun", "rain")), ("after", ("rain", "sun"))):
        lines = [
            f"q{q} Q0 {kind}-{q} {rank} {9 - rank} {name}\n" for q in QUERIES for rank, kind in enumerate(kinds, 1)
        ]
        (folder / f"{name}.run").write_text("".join(lines), "utf-8")
    (folder / "topics.csv").write_text("query_id,text\n" + "".join(f"q{q},rain jacket {q}\n" for q in QUERIES), "utf-8")
    documents = [
        {"doc_id": f"{kind}-{q}", "title": f"{kind} {q}", "text": f"For {kind}, in any size."}
        for q in QUERIES
        for kind in ("rain", "sun")
    ]
    (folder / "documents.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents), "utf-8")
    (folder / "assay.toml").write_text("[store]\n", "utf-8")


def clean(page: Any) -> None:
    """Neither axe nor the width of the window finds anything."""
    from axe_playwright_python.sync_playwright import Axe

    assert [(one["id"], one["impact"]) for one in Axe().run(page).response["violations"]] == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def begun(browser: Any, base: str, link: str, name: str) -> Any:
    """A page of somebody who opened the link of an invitation and chose a name, by keyboard."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(base + urlsplit(link.strip()).path)
    clean(page)
    page.locator("[name=name]").focus()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector(".projects")
    clean(page)
    return page


def follow(page: Any, link: str) -> None:
    """Opens a link of the page by keyboard."""
    page.get_by_role("link", name=link, exact=True).focus()
    page.keyboard.press("Enter")


def label(page: Any, others: dict[str, int]) -> None:
    """Grades all documents by keyboard: rain 3, sun 0, and those named otherwise."""
    follow(page, "winter")
    for i in range(2 * len(QUERIES)):
        seen(page)
        if i == 0:
            clean(page)
        shown = str(page.text_content("#article .title"))
        press(page, str(others.get(shown, 3 if shown.startswith("rain") else 0)))
    told(page, "wait", "Nothing is left")


def settle(page: Any) -> None:
    """Settles all disputes by keyboard."""
    follow(page, "Disputes of winter")
    for _ in SETTLED:
        page.wait_for_selector("body[data-ready] h1:text('Your answer first')")
        clean(page)
        assert not {"ann", "bo"} & set(page.locator("main").inner_text().split())  # blind until one's own answer stands
        page.keyboard.press(str(SETTLED[str(page.locator(".documents .title").text_content())]))
        page.keyboard.press("Enter")
        page.wait_for_selector("body[data-ready] h1:text('Settled')")
        assert {"ann", "bo"} <= set(page.locator("main").inner_text().split())
        clean(page)
        page.keyboard.press("Enter")
    page.wait_for_selector("h1:text('No dispute is left for you')")


def exported(page: Any, folder: Path) -> str:
    """What the lead's page hands out, opened by keyboard."""
    follow(page, "Progress of winter")
    page.wait_for_selector("text=0 disputed, 2 settled")
    clean(page)
    with page.expect_download() as coming:
        follow(page, "Judgments as CSV")
    coming.value.save_as(folder / "labels.csv")
    return (folder / "labels.csv").read_text("utf-8")


def test_from_two_runs_to_a_settled_comparison(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def assay(line: str) -> str:
        capsys.readouterr()
        code = run(line.split())
        said, complaint = capsys.readouterr()
        assert code == 0, complaint
        return said

    def compared(qrels: str) -> Any:
        return json.loads(assay(f"compare before.run after.run {qrels} -m DCG@1 --format json"))

    def means(line: str) -> dict[str, float]:
        found = json.loads(assay(f"evaluate before.run after.run {line} -m DCG@1 --format json"))
        return {one["run"]: one["mean"] for one in found["summary"]}

    monkeypatch.chdir(tmp_path)
    write_inputs(tmp_path)
    assay("pool make before.run after.run --depth 2 --pairs pairs.csv")
    assay("rubric init --plain")
    assay(
        "label create winter pairs.csv --rubric rubric.md --topics topics.csv --documents documents.jsonl"
        " --pilot 0 --repeats 0 --min-seconds 0"
    )
    roles = {"ann": "rater", "bo": "rater", "cy": "adjudicator", "di": "lead"}
    links = {name: assay(f"people invite --role {role}") for name, role in roles.items()}
    with served(tmp_path) as base:
        pages = {name: begun(browser, base, link, name) for name, link in links.items()}
        for name, others in RATERS.items():
            label(pages[name], others)
        pages["cy"].reload()
        settle(pages["cy"])
        pages["di"].reload()
        handed_out = exported(pages["di"], tmp_path)
        for page in pages.values():
            page.context.close()

    assert handed_out.count("\n") == 1 + 50 + 50 + 2
    assay("judgments export winter typed.csv")
    assert (tmp_path / "typed.csv").read_text("utf-8") == handed_out
    settled = {"before": pytest.approx(2 / 25), "after": pytest.approx((24 * 3 + 2.5) / 25)}
    for qrels in ("labels.csv", "project:winter"):
        assert means(f"{qrels} --raters adjudicated") == settled
        found = compared(qrels)
        (difference,) = found["differences"]
        assert difference["difference"] == pytest.approx((24 * 3 + 2.5 - 2) / 25)
        (floor,) = found["noise"]["floors"]
        assert 0 < floor["sd"] < difference["difference"]  # three of 50 pairs were not graded alike
        assert "noise-settled" in {note["code"] for note in found["noise"]["notes"]}
    assert means("labels.csv --raters mean") == {"before": pytest.approx((1.5 + 1.5) / 25), "after": settled["after"]}
    said = assay("compare before.run after.run project:winter -m DCG@1")
    assert said.startswith("▲ BETTER")
    assert "differences up to this can come from who labelled: DCG@1" in said
