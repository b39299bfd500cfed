"""Visitors of the application: a browser's cookies, forms and what was answered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from assay.flows.keeping import open_store
from assay.flows.people import add_person, make_key, named
from assay.flows.workbench import Workbench
from assay.store.schema import ROLES

PASSWORD = "a long password"


def workspace(folder: Path, store: str | None = None) -> Path:
    """A workspace with one person of each role, who is called as the role is; `store` is the address of its store."""
    (folder / "assay.toml").write_text("" if store is None else f'[store]\nurl = "{store}"\n', "utf-8")
    with open_store(Workbench.open(str(folder))) as opened:
        for role in ROLES:
            add_person(opened, role, role, PASSWORD, by="test")
    return folder


def key(folder: Path, person: str, role: str) -> str:
    """A key by which a program speaks for a person."""
    with open_store(Workbench.open(str(folder))) as store:
        return make_key(store, f"{person} as {role}", named(store, person), role)


class Visitor:
    """One browser."""

    def __init__(self, app: Any, address: str = "192.0.2.1", **options: Any) -> None:
        self.app = app
        self.client = TestClient(
            app, client=(address, 50_000), follow_redirects=False, raise_server_exceptions=False, **options
        )

    def get(self, path: str, **more: Any) -> Any:
        return self.client.get(path, **more)

    def post(self, path: str, **more: Any) -> Any:
        return self.client.post(path, **more)

    def token(self, path: str = "/sign-in") -> str:
        """The token in the form of a page."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.get(path).text)
        assert found is not None
        return found[1]

    def sign_in(self, name: str, password: str = PASSWORD, **more: Any) -> Any:
        """Types name and password into the form."""
        return self.post("/sign-in", data={"name": name, "password": password, "csrf": self.token()}, **more)

    def token_of_session(self) -> str:
        """The token of whoever is signed in: any page of the application that has a form shows it."""
        return self.token()
