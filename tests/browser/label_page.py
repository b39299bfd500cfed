"""A server of a workspace, and a rater at the labelling page of one of its projects."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from web.visiting import PASSWORD

CHANGED = """before => {
    const title = document.querySelector("#article .title");
    return document.getElementById("article").hidden || !title || title.textContent !== before;
}"""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def served(folder: Path, port: int | None = None) -> Iterator[str]:
    """The address of a server of the workspace."""
    import uvicorn

    from assay.web.app import create_app

    port = port or free_port()
    server = uvicorn.Server(uvicorn.Config(create_app(str(folder)), port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def signed_in(browser: Any, base: str, name: str = "rater", **context: Any) -> Any:
    """A page of somebody who signed in."""
    page = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | context)).new_page()
    page.goto(f"{base}/")
    page.fill("[name=name]", name)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector(".projects")
    return page


def opened(browser: Any, base: str, name: str = "rater", to: str = "winter", **context: Any) -> Any:
    """A page of the project, of somebody who signed in, with a document on it."""
    page = signed_in(browser, base, name, **context)
    go(page, to)
    return page


def go(page: Any, to: str = "winter") -> None:
    """Opens the project from the list."""
    page.get_by_role("link", name=to, exact=True).click()
    page.wait_for_selector("#article:not([hidden])")


def title(page: Any) -> str:
    """Of the document on the screen."""
    return str(page.text_content("#article .title"))


def seen(page: Any) -> None:
    """Waits until the document was painted: a key counts from then on."""
    page.wait_for_selector("#article[data-seen]")


def press(page: Any, key: str) -> None:
    """A key, and the next document."""
    seen(page)
    before = title(page)
    page.keyboard.press(key)
    page.wait_for_function(CHANGED, arg=before)


def shut(page: Any) -> None:
    """Closes the dialog; a key before it is gone would be the dialog's."""
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")


def told(page: Any, node: str, words: str) -> None:
    """Waits until a line of the page begins so; the page's policy lets functions in, and no text that is evaluated."""
    page.wait_for_function(
        "([node, words]) => document.getElementById(node).textContent.startsWith(words)", arg=[node, words]
    )


def labels(page: Any, project: str = "winter") -> int:
    """How many answers of this rater the server has."""
    rows = page.evaluate("() => fetch(document.body.dataset.base + '/v1/projects').then(a => a.json())")
    return next(int(row["given"]) for row in rows if row["name"] == project)


def outboxes(page: Any) -> list[Any]:
    """What waits in this browser, by place."""
    return list(
        page.evaluate("() => Object.entries(localStorage).filter(([place]) => place.startsWith('assay outbox'))")
    )
