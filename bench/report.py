"""The report of 6,980 queries: how large the file is, and how quickly a browser paints and filters it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.figures import Figure, Goal
from bench.measure import RunError

if TYPE_CHECKING:
    from pathlib import Path

    from bench.cases import Bench

QUERIES, DOCS, SHOWN = 6_980, 30, 10
SEED = 20_261_130
WORDS = ("winter", "gloves", "rain", "bike", "chain", "lamp", "saddle", "pump", "tyre", "light", "lock", "grips")
MB = 1_000_000 / 2**20
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]
CLICK = """(value) => { const t = performance.now(); document.querySelector(`#kinds [value=${value}]`).click();
  document.querySelector("#rows").offsetHeight; return performance.now() - t; }"""
TYPE = """(words) => { const find = document.querySelector("#find"), t = performance.now(); find.value = words;
  find.dispatchEvent(new Event("input")); document.querySelector("#rows").offsetHeight;
  return performance.now() - t; }"""


def inputs() -> dict[str, Any]:
    """Two runs of a shop, a tenth of the documents unjudged, with the words of queries and titles of documents."""
    import polars as pl

    draw = random.Random(SEED)
    qrels: dict[str, dict[str, float]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"baseline": {}, "candidate": {}}
    topics: dict[str, list[Any]] = {"query_id": [], "text": [], "weight": [], "segment": []}
    documents: dict[str, list[str]] = {"doc_id": [], "title": []}
    for i in range(QUERIES):
        query, docs = f"{1_000_000 + i}", [f"{7_000_000 + i * DOCS + j}" for j in range(DOCS)]
        grades = {doc: float(draw.randint(1, 3)) if j < 4 else 0.0 for j, doc in enumerate(docs)}
        for name, lift in (("baseline", 1.0), ("candidate", 1.2)):
            runs[name][query] = {doc: grade * lift + draw.gauss(0, 1) for doc, grade in grades.items()}
        qrels[query] = {doc: grade for doc, grade in grades.items() if draw.random() < 0.9 or doc == docs[0]}
        topics["query_id"].append(query)
        topics["text"].append(" ".join(draw.choices(WORDS, k=4)))
        topics["weight"].append(draw.randint(1, 4000))
        topics["segment"].append(draw.choice(["head", "torso", "tail"]))
        documents["doc_id"] += docs
        documents["title"] += [" ".join(draw.choices(WORDS, k=8)) for _ in docs]
    frames = {"topics": pl.DataFrame(topics), "documents": pl.DataFrame(documents)}
    return {"runs": runs, "qrels": qrels, **frames}


def report(bench: Bench) -> Iterator[Figure]:
    """Size of the file, first paint and the slowest of the filters; the last two only where there is a Chromium."""
    import assay
    from assay.report.sheet import to_document

    bench.tell("report: 6,980 queries compared and written")
    held = inputs()
    found = assay.compare(held["runs"], held["qrels"], "nDCG@10", topics=held["topics"], documents=held["documents"],
                          seed=1)  # fmt: skip
    page = bench.scratch / "report.html"
    page.write_text(to_document(found), encoding="utf-8")
    size = page.stat().st_size / 2**20
    what = f"report of {QUERIES:,} queries"
    yield Figure(f"{what}, two lists of {SHOWN} with titles", "file", "MiB", size, goal=Goal(8 * MB))
    times = _in_browser(bench, page)
    if times is None:
        bench.tell("report: no Chromium or no playwright, so nothing is said about painting")
        return
    yield Figure(f"{what}, first paint in headless Chromium", "wall", "s", times[0] / 1000, goal=Goal(2.0))
    yield Figure(f"{what}, slowest filter in headless Chromium", "wall", "s", times[1] / 1000, goal=Goal(0.1))


def _in_browser(bench: Bench, page: Path) -> tuple[float, float] | None:
    """Milliseconds to the first paint, and of the slowest filter (each the median of five tries)."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        return None
    paints, filters = [], []
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=FLAGS)
        bench.used["Chromium"] = browser.version
        for _ in range(max(bench.pairs, 1)):
            opened = browser.new_page(viewport={"width": 1440, "height": 900})
            opened.goto(page.as_uri())
            opened.wait_for_selector("html[data-ready]")
            paints.append(float(opened.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")))
            tries = [_filters(opened) for _ in range(5)]
            slow = [median(times) for times in zip(*tries, strict=True)]
            if opened.inner_text("#shown") != f"{QUERIES:,} of {QUERIES:,} queries":
                raise RunError("the report does not show every query")
            filters.append(max(slow))
            opened.close()
        browser.close()
    return median(paints), median(filters)


def _filters(page: Any) -> list[float]:
    """Milliseconds of each filter."""
    clicks = [page.evaluate(CLICK, kind) for kind in ("loss", "win", "flip", "unjudged", "all")]
    return clicks + [page.evaluate(TYPE, words) for words in ("r", "rain", "rain gl", "")]
