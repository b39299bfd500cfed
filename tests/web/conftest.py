"""The application of a workspace of its own, and people who come to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from store.conftest import emptied, server
from web.visiting import Visitor, workspace

__all__ = ["folder", "server", "visit"]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A workspace whose store is a file of SQLite and, in the marked suite, a database in PostgreSQL."""
    is_file = request.param == "sqlite"
    return workspace(tmp_path, None if is_file else emptied(request.getfixturevalue("server")))


@pytest.fixture
def visit(folder: Path) -> Iterator[Callable[..., Visitor]]:
    """Opens the application once, and gives a new visitor with cookies of its own at each call."""
    from contextlib import ExitStack

    from assay.web.app import create_app

    with ExitStack() as stack:
        apps: dict[str, object] = {}

        def one(address: str = "192.0.2.1", **options: object) -> Visitor:
            if "app" not in apps:
                apps["app"] = create_app(str(folder), **options)  # type: ignore[arg-type]
                first = Visitor(apps["app"], address)
                stack.enter_context(first.client)  # its lifespan opens the store
                return first
            return Visitor(apps["app"], address)

        yield one
