"""The report of a comparison, worked with by keyboard in a real Chromium: filter, open a query, follow a document."""

import random
from pathlib import Path

import pytest

import assay
from assay.report.redact import redacted
from assay.report.sheet import to_document

pytestmark = pytest.mark.browser

PARTS = ("head", "torso", "tail", "known-item")
N = 160
RULES = """
[primary]
rule = "improvement"
measure = "nDCG@10"
plan = 0.02

[guardrail.segments]
rule = "no_segment_worse"
measure = "nDCG@10"
margin = 0.03

[guardrail.judged]
rule = "judged"
at_least = 0.5
"""


def shop() -> dict[str, object]:
    """A shop in which the candidate helps all segments but the tail, some documents unjudged."""
    draw = random.Random(20261130)
    qrels: dict[str, dict[str, float]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"bm25": {}, "hybrid": {}}
    topics: dict[str, list[object]] = {"query_id": [], "text": [], "weight": [], "segment": []}
    documents: dict[str, list[str]] = {"doc_id": [], "title": []}
    for i in range(N):
        query, part = f"q{i:03d}", PARTS[i % 4]
        docs = [f"P{i:03d}-{j:02d}" for j in range(15)]
        grades = {doc: float(draw.randint(1, 3)) if j < 5 else 0.0 for j, doc in enumerate(docs)}
        lift = {"head": 0.6, "torso": 0.5, "tail": -0.5, "known-item": 0.2}[part]
        runs["bm25"][query] = {doc: grade + draw.gauss(0, 1.2) for doc, grade in grades.items()}
        runs["hybrid"][query] = {doc: grade * (1 + lift) + draw.gauss(0, 1.2) for doc, grade in grades.items()}
        qrels[query] = {doc: grade for doc, grade in grades.items() if draw.random() < 0.85 or doc == docs[0]}
        topics["query_id"].append(query)
        topics["text"].append(f"{draw.choice(['winter', 'rain', 'cold'])} gloves {i}")
        topics["weight"].append(100 - i % 90)
        topics["segment"].append(part)
        for doc in docs:
            documents["doc_id"].append(doc)
            documents["title"].append(f"Gloves for {draw.choice(['winter', 'rain', 'work'])}, model {doc[-2:]}")
    return {"runs": runs, "qrels": qrels, "topics": topics, "documents": documents}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    import polars as pl

    folder = tmp_path_factory.mktemp("reports")
    held = shop()
    found = assay.compare(held["runs"], held["qrels"], "nDCG@10 P@10 RR", topics=pl.DataFrame(held["topics"]),
                          documents=pl.DataFrame(held["documents"]), seed=3)  # fmt: skip
    other = {"third": held["runs"]["hybrid"], **held["runs"]}  # type: ignore[index] # shop gives dicts
    three = assay.compare(other, held["qrels"], "nDCG@10 RR", seed=3)
    old, new = held["runs"].values()  # type: ignore[attr-defined] # shop gives dicts
    stages = {"bm25": [(old, 15), old], "hybrid": [(old, 6), (new, 5), new], "third": [(new, 8), new]}
    staged = assay.compare({"bm25": old, "hybrid": new, "third": new}, held["qrels"], "nDCG@10", stages=stages,
                           topics=pl.DataFrame(held["topics"]), seed=3, unlisted="not-relevant")  # fmt: skip
    rules = folder / "gate.toml"
    rules.write_text(RULES, encoding="utf-8")
    gate = assay.gate(*held["runs"].values(), held["qrels"], str(rules), topics=pl.DataFrame(held["topics"]))  # type: ignore[attr-defined] # shop gives dicts
    written = {}
    for name, text in (("report", to_document(found)), ("redacted", to_document(redacted(found))),
                       ("three", to_document(three)), ("gate", to_document(gate)),
                       ("staged", to_document(staged))):  # fmt: skip
        written[name] = folder / f"{name}.html"
        written[name].write_text(text, encoding="utf-8")
    return written


def opened(browser, path, width=1440, scheme="light", fragment=""):  # type: ignore[no-untyped-def] # playwright may be absent
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url) if not request.url.startswith("file://") else None)
    page.goto(path.as_uri() + fragment)
    page.wait_for_selector("html[data-ready]")
    return page, said


def current(page) -> str:  # type: ignore[no-untyped-def] # playwright may be absent
    return page.inner_text("#rows tr[aria-current] button")


def shown(page) -> str:  # type: ignore[no-untyped-def] # playwright may be absent
    return page.inner_text("#shown")


@pytest.mark.parametrize("name", ["report", "redacted", "three", "staged", "gate"])
@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), (1440, "dark"), (1024, "light"), (720, "light"), (390, "light")]
)
def test_a_report_fits_its_window_and_asks_for_nothing(browser, pages, name, width, scheme) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, said = opened(browser, pages[name], width, scheme)
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("name", ["report", "three", "staged", "gate"])
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (390, "light")])
def test_axe_finds_nothing(browser, pages, name, width, scheme) -> None:  # type: ignore[no-untyped-def] # fixtures
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page, _ = opened(browser, pages[name], width, scheme)
    page.evaluate("document.querySelectorAll('details').forEach(x => { x.open = true; })")  # figures below charts too
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], v["impact"], v["nodes"][0]["html"][:200]) for v in found] == []
    page.close()


def test_losses_are_filtered_a_query_opened_and_a_document_followed_by_keyboard(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, said = opened(browser, pages["report"])
    assert shown(page) == f"{N} of {N} queries"
    page.keyboard.press("Shift+L")
    assert page.get_attribute("#kinds [value=loss]", "aria-pressed") == "true"
    losses = int(page.inner_text("#kinds [value=loss] .count"))
    assert 0 < losses < N
    assert shown(page) == f"{losses} of {N} queries"
    first = current(page)
    page.keyboard.press("j")
    assert current(page) != first
    page.keyboard.press("k")
    assert current(page) == first
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == first
    assert page.inner_text("#one h2") == first
    page.keyboard.press("m")  # the first document that moved
    before = page.evaluate("document.activeElement.closest('li').dataset.doc")
    side = page.evaluate("document.activeElement.closest('#left') ? 'left' : 'right'")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('li').dataset.doc") == before
    assert page.evaluate("document.activeElement.closest('#left') ? 'left' : 'right'") != side
    assert page.locator("#one li.same").count() == 2
    assert said == []
    page.close()


def test_keys_find_wins_losses_words_and_help(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["report"])
    page.keyboard.press("w")
    assert "+" in page.inner_text("#rows tr[aria-current] td.up")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "find"
    page.keyboard.type("rain gloves")
    some = int(shown(page).split()[0])
    assert 0 < some < N
    page.keyboard.press("j")  # typing is not a command
    assert page.input_value("#find") == "rain glovesj"
    assert page.is_visible("#none")
    page.keyboard.press("Escape")
    assert shown(page).startswith(f"{N} of")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")
    assert not page.is_visible("#help")
    page.close()


def test_the_table_sorts_by_every_column_and_filters_by_segment(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["report"])
    page.select_option("#segment", label="tail")
    assert shown(page) == f"{N // 4} of {N} queries"
    assert set(page.locator("#rows td .seg").all_inner_texts()) == {"tail"}
    for column in page.locator("#rows th[data-col]:not([data-col=drawn])").all():
        column.locator("button").click()
        assert column.get_attribute("aria-sort") in ("ascending", "descending")
    page.click("#rows th[data-col=candidate] button")
    values = [float(x) for x in page.locator("#rows tr[data-i] td:nth-child(5)").all_inner_texts()]
    assert values in (sorted(values), sorted(values, reverse=True))
    page.close()


def test_losses_are_filtered_by_the_stage_that_lost_them_by_keyboard(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, said = opened(browser, pages["staged"])
    page.focus("#lost")
    page.keyboard.type("not")  # the entry that begins so
    page.keyboard.press("Enter")
    some = int(shown(page).split()[0])
    assert 0 < some < N
    words = page.locator("#rows tr[data-i] td:last-child").all_inner_texts()
    assert set(words) == {"not retrieved"}
    assert all(cell.startswith("−") for cell in page.locator("#rows td.down").all_inner_texts())
    page.select_option("#lost", label="ranked low")
    assert set(page.locator("#rows tr[data-i] td:last-child").all_inner_texts()) == {"ranked low"}
    page.click("#rows tr[data-i] button")
    assert "Loss: ranked low" in page.inner_text("#one-facts")
    page.select_option("#lost", label="all")
    assert shown(page) == f"{N} of {N} queries"
    assert said == []
    page.close()


def test_every_candidate_has_its_stages_drawn_with_bands(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["staged"])
    drawn = page.locator("section:has(h2:text-is('Which stage loses it'))")
    assert drawn.count() == 2
    for i, words in ((0, "hybrid against bm25"), (1, "third against bm25")):
        assert words in drawn.nth(i).inner_text()
        assert drawn.nth(i).locator(".wide-only path.f-band").count() == 2  # baseline and candidate
    assert "first stage 2" in drawn.nth(0).locator(".wide-only svg[aria-label^=Recall]").get_attribute("aria-label")
    page.close()


def test_nothing_is_called_unjudged_where_absent_pairs_are_not_relevant(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["staged"])
    assert page.locator("#rows th[data-col=unjudged], #kinds [value=unjudged], .chip.gu").count() == 0
    page.close()


def test_every_candidate_has_its_unjudged_documents_drawn(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["three"])
    drawn = page.locator("section:has(h2:text-is('What hangs on unjudged documents'))")
    assert [drawn.nth(i).locator("figure").count() for i in range(drawn.count())] == [1, 1]
    page.close()


def test_only_the_rows_in_the_window_are_made(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["report"])
    assert page.locator("#rows tr[data-i]").count() < 60
    page.evaluate("document.querySelector('#rows').scrollTop = 1e6")
    page.wait_for_selector(f'#rows tr[aria-rowindex="{N + 1}"]')
    page.close()


def test_grades_are_chips_and_unjudged_is_hatched_not_zero(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["report"])
    page.click("#kinds [value=unjudged]")
    page.keyboard.press("j")
    hatched = page.locator("#one .hits .gu").first
    assert "unjudged" in hatched.inner_text()
    assert "gradient" in hatched.evaluate("x => getComputedStyle(x).backgroundImage")
    page.close()


def test_a_permalink_opens_its_query(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["report"], fragment="#q=q042")
    assert page.inner_text("#one h2").endswith("gloves 42")
    assert current(page).endswith("gloves 42")
    page.close()


def test_another_pair_of_systems_can_be_looked_at(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, said = opened(browser, pages["three"])
    before = page.inner_text("#kinds [value=win] .count")
    page.select_option("#pair", index=1)
    assert page.inner_text("#kinds [value=win] .count") != before
    assert said == []
    page.close()


def test_on_paper_the_controls_go_and_the_rows_unroll(browser, pages) -> None:  # type: ignore[no-untyped-def] # fixtures
    page, _ = opened(browser, pages["report"], scheme="dark")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#rows tr[data-i]").count() == N
    assert not page.is_visible("#find")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    numbers = [int(x) for x in ground[ground.index("(") + 1 : -1].split(",")[:3]]
    assert min(numbers) >= 240
    page.close()
