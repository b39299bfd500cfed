"""Pages of labels from clicks, of propensities and of the feedback loop in a real Chromium."""

from pathlib import Path

import pytest

import assay
from assay.report.sheet import to_document

pytestmark = pytest.mark.browser

EXAMPLE = Path(assay.__file__).parent / "example"
SIZES = [(1440, "light"), (1440, "dark"), (720, "light"), (390, "light")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("clicks")
    labels = assay.qrels_from_clicks(EXAMPLE / "clicks.parquet", qrels=EXAMPLE / "judgments.qrels",
                                     topics=EXAMPLE / "topics.csv", documents=EXAMPLE / "documents.jsonl",
                                     queries=["q01", "q05"])  # fmt: skip
    loop = assay.simulate_loop(rounds=4, searches=1_000, queries=20)
    bias = assay.propensity(EXAMPLE / "clicks.parquet", trust=True, rivals=False)
    written = {}
    for name, result in (("labels", labels), ("loop", loop), ("bias", bias)):
        written[name] = folder / f"{name}.html"
        written[name].write_text(to_document(result), encoding="utf-8")
    return written


def opened(browser, path, width, scheme):  # type: ignore[no-untyped-def] # playwright may be absent
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: said.append(request.url) if not request.url.startswith("file://") else None)
    page.goto(path.as_uri())
    return page, said


@pytest.mark.parametrize("name", ["labels", "loop", "bias"])
@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_it_fits_its_window_and_asks_for_nothing(browser, pages, name, width, scheme) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, said = opened(browser, pages[name], width, scheme)
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("name", ["labels", "loop", "bias"])
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (390, "light")])
def test_axe_finds_nothing(browser, pages, name, width, scheme) -> None:  # type: ignore[no-untyped-def] # fixtures
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page, _ = opened(browser, pages[name], width, scheme)
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], v["impact"], v["nodes"][0]["html"][:200]) for v in found] == []
    page.close()


@pytest.mark.parametrize(("width", "shown"), [(1440, ".wide-only"), (390, ".narrow-only")])
def test_no_word_of_the_charts_of_propensities_is_cut_or_written_over(browser, pages, width, shown) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["bias"], width, "light")
    charts = page.locator(f"{shown} svg[aria-label^='By position']")
    assert charts.count() == 2  # all together, and by segment
    for chart in charts.all():
        left = chart.evaluate("svg => svg.getBoundingClientRect().left")
        boxes = chart.locator("text").evaluate_all(
            "all => all.map(t => t.getBoundingClientRect()).map(b => [b.left, b.top, b.right, b.bottom])"
        )
        assert min(box[0] for box in boxes) >= left
        clash = [(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :]
                 if a[0] < b[2] - 1 and b[0] < a[2] - 1 and a[1] < b[3] - 2 and b[1] < a[3] - 2]  # fmt: skip
        assert clash == []
    page.close()


@pytest.mark.parametrize(("width", "shown"), [(1440, ".wide-only"), (390, ".narrow-only")])
def test_each_document_of_the_chart_has_its_own_line(browser, pages, width, shown) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["labels"], width, "light")
    charts = page.locator(f"{shown} svg[aria-label^='Chance of a click']")
    assert charts.count() == 2
    assert charts.nth(0).is_visible()
    boxes = (
        charts.nth(0)
        .locator("text")
        .evaluate_all("all => all.map(t => t.getBoundingClientRect()).map(b => [b.left, b.top, b.right, b.bottom])")
    )
    clash = [(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :]
             if a[0] < b[2] - 1 and b[0] < a[2] - 1 and a[1] < b[3] - 2 and b[1] < a[3] - 2]  # fmt: skip
    assert clash == []
    page.close()
