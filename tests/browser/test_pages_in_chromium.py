"""The pages that `--html` writes, opened from disk in a real Chromium: light, dark, narrow and on paper."""

from pathlib import Path

import pytest

import assay
from assay.example import path
from assay.report.describe import describe
from assay.report.html import to_html

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    runs = [str(path(name)) for name in ("bm25.run", "dense.run", "two-stage.run")]
    qrels, topics = str(path("judgments.qrels")), str(path("topics.csv"))
    hostile = {"q1": {"<script>document.title='owned'</script>": 2.0, "<img src=x onerror=alert(1)>": 1.0}}
    results = {
        "scores": assay.evaluate(runs, qrels, "nDCG@10 P@10 R@20 RR", topics=topics, by="segment"),
        "explanation": assay.explain(runs[1], qrels, "q19", "nDCG@10", documents=str(path("documents.jsonl"))),
        "collections": assay.evaluate_collections({"one": (runs, qrels), "two": (runs, qrels)}, "nDCG@10 RR"),
        "hostile": assay.explain(hostile, {"q1": {"<b>x</b>": 1}}, "q1", "nDCG@10"),
    }
    written = {}
    for name, result in results.items():
        written[name] = folder / f"{name}.html"
        written[name].write_text(to_html(describe(result)), encoding="utf-8")
    return written


def opened(browser, page_path: Path, width: int = 1440, scheme: str = "light"):  # type: ignore[no-untyped-def] # playwright may be absent
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url) if not request.url.startswith("file://") else None)
    page.goto(page_path.as_uri())
    return page, said


NAMES = ["scores", "explanation", "collections", "hostile"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), (1440, "dark"), (1024, "light"), (390, "light"), (390, "dark")]
)
def test_a_page_fits_its_window_and_asks_for_nothing(browser, pages, name, width, scheme) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, said = opened(browser, pages[name], width, scheme)
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, pages, name, scheme) -> None:  # type: ignore[no-untyped-def] # fixtures
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page, _ = opened(browser, pages[name], scheme=scheme)
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], v["impact"], v["nodes"][0]["html"]) for v in found] == []
    page.close()


def test_markup_in_ids_is_text(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, said = opened(browser, pages["hostile"])
    assert said == []
    assert page.title() != "owned"
    assert "<script>document.title='owned'</script>" in page.inner_text("body")
    page.close()


def test_a_page_prints_on_paper_in_light(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["scores"], scheme="dark")
    page.emulate_media(media="print")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    numbers = [int(n) for n in ground[ground.index("(") + 1 : -1].split(",")[:3]]
    assert min(numbers) >= 240 or ground == "rgba(0, 0, 0, 0)"
    page.close()
