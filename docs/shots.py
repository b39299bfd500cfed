"""Makes the pictures of the pages that the guides show, in docs/shots/.

python docs/shots.py        needs Chromium, and the tools of the tests
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SHOTS = ROOT / "docs" / "shots"
sys.path.insert(0, str(ROOT / "tests"))

RUBRIC = """\
+++
name = "Shop"
[grade.0]
name = "Not relevant"
definition = "Does not serve the need."
good = "tube for 26-inch wheels"
borderline = "tyre 700 × 28"
[grade.1]
name = "Marginal"
definition = "Related; would need more searching."
good = "tube 700 × 18–25 with long valve"
borderline = "valve extender for a short valve"
[grade.2]
name = "Good"
definition = "Fits, with one small reservation."
good = "right size, 80 mm valve"
borderline = "right size, valve length not stated"
[grade.3]
name = "Exact"
definition = "Fits the need as stated; buy it and be done."
good = "60 mm Presta tube for 700 × 28–42"
borderline = "a tube of the right size sold only in packs of ten"
+++
Judge the document, not its picture.
"""

DIMENSIONS = RUBRIC.replace('name = "Shop"', 'name = "Shop"\nbase = "topicality"').replace(
    "+++\nJudge",
    """\
[dimension.topicality]
means = { 0 = "does not fit", 1 = "related", 2 = "fits, one reservation", 3 = "fits as stated" }
[dimension.freshness]
means = { 0 = "no longer sold", 1 = "current" }
[cap.stale]
dimension = "freshness"
at_most = 0
grade = 1
+++
Judge""",
)

DISPUTED = [
    {"query_id": "tube", "doc_id": "tube-3", "title": "Inner tube 28 inch, 700 × 18–25, 80 mm valve", "language": "en",
     "captured_at": "2026-11-12",
     "text": "Race-weight inner tube for narrow road tyres. The 80 mm Presta valve passes through rims up to 65 mm "
             "deep without an extender.\n\nWeighs 74 g. Not for tyres wider than 25 mm.",
     "fields": {"Size": "700 × 18–25 (ETRTO 18/25-622)", "Valve": "Presta, 80 mm, removable core"}},
]  # fmt: skip

SAID = (("rater", 3.0, "28 inch and an 80 mm valve, as asked.", 21_000),
        ("admin", 0.0, "Too narrow for a touring tyre, unsafe.", 35_000))  # fmt: skip

TOPICS = [
    {"query_id": "tube", "text": "28 inch inner tube long valve", "language": "en",
     "need": "A spare tube for a 28-inch touring wheel whose deep rim needs a valve of 50 mm or more."},
    {"query_id": "jacket", "text": "سترة مطر للدراجة", "language": "ar",
     "need": "سترة خفيفة تقي راكب الدراجة من المطر"},
]  # fmt: skip

DOCUMENTS = [
    {"doc_id": "tube-1", "title": "Inner tube 28 inch, 700 × 28–42, 60 mm valve", "language": "en", "image": "tube.png",
     "captured_at": "2026-11-12",
     "html": "<p>Light butyl inner tube for touring and gravel wheels. The 60 mm Presta valve passes through rims up "
             "to 45 mm deep without an extender. Removable core; the threaded stem comes with a lock ring.</p>"
             "<p>Weighs 128 g. Talcum inside the box keeps it from sticking. <b>Not for tyres below 28 mm.</b></p>",
     "fields": {"Size": "700 × 28–42 (ETRTO 28/42-622)", "Valve": "Presta, 60 mm, removable core",
                "Sold as": "single, boxed", "Price, stock": "6.90, in stock on the day of the snapshot"}},
    {"doc_id": "tube-2", "title": "Valve extender 50 mm, two pieces", "language": "en",
     "text": "Makes a short valve long enough for a deep rim. For tubes with a removable core."},
    {"doc_id": "jacket-1", "title": "سترة المطر الخفيفة لراكبي الدراجات", "language": "ar", "captured_at": "2026-11-12",
     "text": "تحمي هذه السترة من المَطَر والريح، وتطوى في جيبها. مقاس L و XL.\n\n"
             "اللون أصفر مع أشرطة عاكسة، ويدخل iPhone 15 في الجيب الداخلي.",
     "fields": {"المقاس": "L, XL", "السعر": "59.90"}},
]  # fmt: skip

PICTURE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="336" height="264" viewBox="0 0 168 132">
<rect width="168" height="132" fill="#f4f2ec"/><g fill="none" stroke="#454a52" stroke-width="7">
<ellipse cx="84" cy="66" rx="58" ry="46"/><ellipse cx="84" cy="66" rx="40" ry="30" opacity=".45"/></g>
<path d="M84 112v-58" stroke="#17191d" stroke-width="4"/><path d="M80 54h8v-12h-8z" fill="#17191d"/></svg>
"""

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


OTHERS = 10
"""Documents of the query beside the one that is shown."""


def project(folder: Path, name: str, query: str) -> None:
    """A project of one query, of which some documents are labelled and the first of `DOCUMENTS` comes next."""
    from assay.flows.keeping import open_store
    from assay.flows.labelling import create_project
    from assay.flows.workbench import Workbench
    from assay.rubric import Rubric

    source = folder / "documents.jsonl"
    source.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in DOCUMENTS), "utf-8")
    bench = Workbench.open(str(folder))
    with open_store(bench) as store:
        create_project(
            store, bench, name=name, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, by="docs", topics=TOPICS,
            pairs=[{"query_id": query, "doc_id": f"{query}-{name}"} for name in ("1", *"abcdefghij"[:OTHERS])],
            documents=str(source), needs_enter=True, repeat_share=0.0,
        )  # fmt: skip
        begun(store, name, f"{query}-1")


def begun(store: Any, name: str, shown: str) -> None:
    """Of the documents that are not shown, two thirds are labelled, and the others put off."""
    from assay.flows.labelling import give, next_items, skip
    from assay.flows.people import Person
    from assay.store.judgments import Given

    who = Person("rater", "rater")
    held = next_items(store, who, name, OTHERS + 1, b"docs")
    others = [one for one in held if one["document"]["doc_id"] != shown]
    for n, one in enumerate(others):
        if n < OTHERS * 2 // 3:
            give(store, who, Given(f"docs-{name}-{n}", one["item"], "rater", grade=float(n % 4), took_ms=31_000))
        else:
            skip(store, who, one["item"], 0)


def compared(folder: Path, name: str) -> None:
    """A project of pairs of one query, of which some are compared, and that of two tubes comes next."""
    from assay.flows.keeping import open_store
    from assay.flows.labelling import skip
    from assay.flows.pairs import Choice, create_project, next_pairs, prefer
    from assay.flows.people import Person
    from assay.flows.workbench import Workbench
    from assay.rubric import Rubric

    shown = {"tube-1", "tube-3"}
    source = folder / "compared.jsonl"
    rows = [one for one in DOCUMENTS if one["doc_id"] == "tube-1"] + [
        {key: value for key, value in one.items() if key != "query_id"} for one in DISPUTED
    ]
    source.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows), "utf-8")
    bench = Workbench.open(str(folder))
    asked = [("tube-1", "tube-3"), *((f"tube-{letter}", "tube-k") for letter in "abcdefghij"[:OTHERS])]
    with open_store(bench) as store:
        create_project(
            store, bench, name=name, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, by="docs", topics=TOPICS,
            pairs=[{"query_id": "tube", "doc_id": one, "other_doc_id": other} for one, other in asked],
            documents=str(source), repeat_share=0.0, pilot=0,
        )  # fmt: skip
        who = Person("rater", "rater")
        held = next_pairs(store, who, name, OTHERS + 1, b"docs")
        others = [one for one in held if {one[side]["doc_id"] for side in ("left", "right")} != shown]
        for n, one in enumerate(others):
            if n < OTHERS * 2 // 3:
                choice = ("left", "right", "tie", "both-bad")[n % 4]
                prefer(store, who, Choice(f"docs-{name}-{n}", one["item"], "rater", one["left"]["doc_id"],
                                          choice=choice, took_ms=31_000), b"docs")  # fmt: skip
            else:
                skip(store, who, one["item"], 0)


def shoot_pairs(browser: Any, base: str, to: str) -> None:
    """The page on which two documents are compared."""
    from browser.label_page import signed_in, told

    for name, size, scheme in (
        ("pairs-light", WIDE, "light"), ("pairs-dark", WIDE, "dark"), ("pairs-phone", NARROW, "light"),
    ):  # fmt: skip
        page = signed_in(browser, base, viewport=size, color_scheme=scheme, reduced_motion="reduce")
        page.get_by_role("link", name=to, exact=True).click()
        page.wait_for_selector("#main[data-seen]")
        told(page, "given-of", "of")
        page.screenshot(path=SHOTS / f"{name}.png")
        page.context.close()


def disputed(folder: Path, name: str) -> None:
    """A project of one document, of which two raters say opposite things."""
    from assay.flows.keeping import open_store
    from assay.flows.labelling import create_project, give, next_items
    from assay.flows.people import Person
    from assay.flows.workbench import Workbench
    from assay.rubric import Rubric
    from assay.store.judgments import Given

    bench = Workbench.open(str(folder))
    pairs = [{key: one[key] for key in ("query_id", "doc_id")} for one in DISPUTED]
    source = folder / "disputed.jsonl"
    source.write_text("".join(
        json.dumps({key: value for key, value in one.items() if key != "query_id"}, ensure_ascii=False) + "\n"
        for one in DISPUTED), "utf-8")  # fmt: skip
    with open_store(bench) as store:
        create_project(
            store, bench, name=name, pairs=pairs, topics=TOPICS, documents=str(source), repeat_share=0.0, by="docs",
            rubric=Rubric.parse(DIMENSIONS), rubric_text=DIMENSIONS,
        )  # fmt: skip
        for rater, fit, note, took_ms in SAID:
            for n, one in enumerate(next_items(store, Person(rater, "rater"), name, 1, b"docs")):
                give(store, Person(rater, "rater"), Given(
                    f"docs-{name}-{rater}-{n}", one["item"], rater, note=note, took_ms=took_ms,
                    dimensions={"topicality": fit, "freshness": 1.0}))  # fmt: skip


def shoot_disputes(browser: Any, base: str) -> None:
    """A dispute before the adjudicator's answer and after it."""
    from browser.label_page import signed_in

    for name, to, size, scheme in (
        ("dispute-light", "winter-1", WIDE, "light"), ("dispute-dark", "winter-2", WIDE, "dark"),
        ("dispute-phone", "winter-3", NARROW, "light"),
    ):  # fmt: skip
        page = signed_in(browser, base, "adjudicator", viewport=size, color_scheme=scheme, reduced_motion="reduce")
        page.goto(f"{base}/adjudicate/{to}")
        page.wait_for_selector("body[data-ready] h1:text('Your answer first')")
        if name == "dispute-light":
            page.screenshot(path=SHOTS / "dispute-blind.png")
        for key in ("1", "1", "n"):
            page.keyboard.press(key)
        page.keyboard.type("Right valve, wrong width: does not fit the wheel asked for.")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        page.wait_for_selector("body[data-ready] h1:text('Settled')")
        page.screenshot(path=SHOTS / f"{name}.png")
        page.context.close()


def shoot(browser: Any, base: str) -> None:
    """The labelling page, as it looks."""
    from browser.label_page import opened, seen, told

    for name, to, size, scheme in (
        ("label-light", "tubes", WIDE, "light"), ("label-dark", "tubes", WIDE, "dark"),
        ("label-phone", "tubes", NARROW, "light"), ("label-from-right", "jackets", WIDE, "light"),
        ("label-find", "tubes", WIDE, "light"),
    ):  # fmt: skip
        page = opened(browser, base, to=to, viewport=size, color_scheme=scheme, reduced_motion="reduce")
        seen(page)
        told(page, "given-of", "of")
        page.keyboard.press("3")
        if name == "label-find":
            page.keyboard.press("/")
            page.keyboard.type("valve")
            page.keyboard.press("Enter")
            told(page, "find-says", "2 documents")
        page.wait_for_timeout(300)
        page.screenshot(path=SHOTS / f"{name}.png")
        page.context.close()


def main() -> None:
    """Makes every picture anew."""
    from playwright.sync_api import sync_playwright

    from browser.conftest import FLAGS
    from browser.label_page import served
    from web.visiting import workspace

    found = shutil.which("chromium") or os.environ.get("CHROMIUM")
    SHOTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as running:
        folder = workspace(Path(name))
        browser = running.chromium.launch(executable_path=found, args=FLAGS)
        page = browser.new_page(viewport={"width": 336, "height": 264})
        page.set_content(f"<style>body {{ margin: 0 }}</style>{PICTURE}")
        page.screenshot(path=folder / "tube.png")
        page.close()
        project(folder, "tubes", "tube")
        project(folder, "jackets", "jacket")
        with served(folder) as base:
            shoot(browser, base)
            compared(folder, "close tubes")
            shoot_pairs(browser, base, "close tubes")
            for number in (1, 2, 3):  # later: the search of the labelling page finds their document too
                disputed(folder, f"winter-{number}")
            shoot_disputes(browser, base)
        browser.close()


if __name__ == "__main__":
    main()
