"""What a rater says is sent once and in order, whatever becomes of the connection, the server, the tab, the session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.flows.keeping import open_store
from assay.flows.workbench import Workbench
from assay.store.schema import FLAGS, JUDGMENTS
from browser.label_page import free_port, go, opened, outboxes, press, seen, served, signed_in, title, told
from web.labelled import project
from web.visiting import PASSWORD, workspace

pytestmark = pytest.mark.browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = workspace(tmp_path)
    project(made, docs=6)
    return made


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


def rows(folder: Path, table: Any = JUDGMENTS) -> list[Any]:
    """What the store has, in the order in which it was written."""
    import sqlalchemy as sa

    with open_store(Workbench.open(str(folder))) as store:
        return store.rows(sa.select(table).order_by(table.c.id))


def standing(folder: Path) -> dict[str, float | None]:
    """The grade of each document that was not taken back."""
    found = rows(folder)
    undone = {row["takes_back"] for row in found}
    return {row["doc_id"]: row["grade"] for row in found if row["takes_back"] is None and row["uid"] not in undone}


def doc(page: Any) -> str:
    """The id of the document on the screen."""
    return title(page).removeprefix("Jacket ")


def test_undo_waits_behind_what_it_takes_back(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    first = doc(page)
    press(page, "2")
    told(page, "saved", "saved: grade 2")
    second = doc(page)
    page.context.set_offline(True)
    press(page, "1")
    press(page, "u")  # of what the server may have, for all that the page knows
    assert doc(page) == second
    press(page, "u")
    assert doc(page) == first
    press(page, "0")
    told(page, "saved", "4 not saved yet")
    page.context.set_offline(False)
    told(page, "saved", "saved: grade 0")
    assert [row["takes_back"] is not None for row in rows(folder)] == [False, False, True, True, False]
    assert standing(folder) == {first: 0.0}
    page.context.close()


LOST = """
const fetched = window.fetch;
let n = 0;
window.fetch = async (path, ...more) => {
  const answer = await fetched(path, ...more);
  if (String(path).match(/grades|undo|skip|flags/) && (n += 1) % 2) throw new TypeError("the answer was lost");
  return answer;
};
"""


def test_what_was_heard_and_not_answered_counts_once(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    page.add_init_script(LOST)  # every other answer of the server gets lost, after it has written
    page.reload()
    shown = []
    for key in "201":
        seen(page)
        shown.append((doc(page), float(key)))
        press(page, key)
    told(page, "saved", "saved: grade 1")  # one that was never sent is taken out of the outbox, and no row of either
    press(page, "u")
    page.keyboard.press("f")
    told(page, "saved", "the query is flagged")
    shown.pop()
    assert standing(folder) == dict(shown)
    assert len(rows(folder)) == 4  # three grades and one taken back
    assert len(rows(folder, FLAGS)) == 1
    assert outboxes(page) == []
    page.context.close()


def test_the_server_starts_again_and_gets_everything(browser: Any, folder: Path) -> None:
    port, shown = free_port(), []
    with served(folder, port) as base:
        page = opened(browser, base)
        page.wait_for_timeout(300)
    for key in "210":
        seen(page)
        shown.append((doc(page), float(key)))
        press(page, key)
    told(page, "saved", "3 not saved yet, retrying; kept in this browser")
    assert page.get_attribute("#saving", "data-state") == "offline"
    with served(folder, port):
        told(page, "saved", "saved: grade 0")
        assert page.get_attribute("#saving", "data-state") == "saved"
        assert standing(folder) == dict(shown)
        assert outboxes(page) == []
        page.context.close()


def test_a_living_tab_keeps_its_outbox_and_a_closed_one_leaves_it(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    context = page.context
    context.route("**/v1/grades", lambda route: route.abort())
    first = doc(page)
    press(page, "2")
    told(page, "saved", "1 not saved yet")
    ((place, _),) = outboxes(page)
    assert place.split(" ")[3] == "rater"  # assay outbox PROJECT RATER TAB
    other = context.new_page()
    other.goto(f"{base}/")
    go(other)
    assert doc(other) != first
    press(other, "1")
    told(other, "saved", "1 not saved yet")
    assert len(outboxes(other)) == 2
    page.close(run_before_unload=False)
    other.reload()
    told(other, "saved", "2 not saved yet")
    assert len(outboxes(other)) == 1
    context.unroute("**/v1/grades")
    told(other, "saved", "saved: grade")
    other.wait_for_function("() => !Object.keys(localStorage).length")
    assert sorted(standing(folder).values()) == [1.0, 2.0]  # type: ignore[type-var]
    context.close()


def test_without_locks_what_two_tabs_send_counts_once(browser: Any, base: str, folder: Path) -> None:
    page = signed_in(browser, base)
    context = page.context
    context.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")  # as without https
    go(page)
    context.route("**/v1/grades", lambda route: route.abort())
    first = doc(page)
    press(page, "2")
    told(page, "saved", "1 not saved yet")
    other = context.new_page()
    other.goto(f"{base}/")
    go(other)
    told(other, "saved", "1 not saved yet")  # taken over from a tab that lives
    press(page, "u")
    press(page, "1")
    context.unroute("**/v1/grades")
    told(page, "saved", "saved: grade 1")
    other.wait_for_function("() => !Object.keys(localStorage).length")
    assert standing(folder) == {first: 1.0}
    assert len(rows(folder)) == 3  # two grades, and the first one taken back
    context.close()


def test_what_one_tab_answers_the_other_does_not_ask(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    other = page.context.new_page()
    other.goto(f"{base}/")
    go(other)
    seen(other)
    assert doc(other) == doc(page)  # both hold the same items
    first = doc(page)
    press(page, "2")
    other.wait_for_function("before => document.querySelector('.title').textContent !== before", arg=f"Jacket {first}")
    told(page, "saved", "saved: grade 2")
    assert [row["doc_id"] for row in rows(folder)] == [first]
    page.context.close()


def test_nobody_sends_for_somebody_else(browser: Any, base: str, folder: Path) -> None:
    page = opened(browser, base)
    context = page.context
    context.route("**/v1/grades", lambda route: route.abort())
    first = doc(page)
    press(page, "2")
    told(page, "saved", "1 not saved yet")
    other = context.new_page()  # the same browser: somebody else signs in
    other.goto(f"{base}/")
    other.get_by_role("button", name="Sign out").click()
    other.goto(f"{base}/sign-in")
    sign_in(other, "lead")
    go(other)
    context.unroute("**/v1/grades")
    told(page, "saved", "not saved: ")
    assert rows(folder) == []
    press(other, "1")
    told(other, "saved", "saved: grade 1")
    page.close(run_before_unload=False)
    other.reload()
    seen(other)
    assert len(outboxes(other)) == 1  # the first one's, who comes back
    assert [row["rater"] for row in rows(folder)] == ["lead"]
    other.goto(f"{base}/")
    other.get_by_role("button", name="Sign out").click()
    other.goto(f"{base}/sign-in")
    sign_in(other, "rater")
    go(other)
    told(other, "saved", "saved: grade 2")
    assert [(row["rater"], row["grade"]) for row in rows(folder)] == [("lead", 1.0), ("rater", 2.0)]
    assert rows(folder)[1]["doc_id"] == first
    context.close()


def sign_in(page: Any, name: str) -> None:
    """Signs in at the page for it."""
    page.fill("[name=name]", name)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector(".projects")


def test_no_name_of_a_rater_begins_anothers(browser: Any, base: str) -> None:
    page = signed_in(browser, base)
    made = page.evaluate(
        """async (base) => {
            const { Outbox } = await import(base + "/static/outbox.js");
            const none = { sent() {}, waits() {} };
            const left = new Outbox("p", "ann b", none);
            left.messages = [{ uid: "u", path: "/nowhere", content: {} }];
            left.keep();
            const other = new Outbox("p", "ann", none);
            await new Promise((done) => setTimeout(done, 50));
            const n = await other.adopt();
            const kept = localStorage.getItem(left.place);
            localStorage.clear();
            return [n, kept];
        }""",
        base,
    )
    assert made[0] == 0
    assert json.loads(made[1])[0]["uid"] == "u"
    page.context.close()
