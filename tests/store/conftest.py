"""A store in SQLite and, in the marked suite, in PostgreSQL on a server of its own that starts with the first test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.store.database import Store
from assay.store.schema import TABLES

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.append(ROOT)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server on a socket in a folder of its own."""
    from bench.postgres import is_installed, running

    if not is_installed():
        pytest.skip("PostgreSQL is not installed: no initdb on the path")  # .ci/run has it, and skips nothing
    with running() as address:
        yield address


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'assay.db'}"
    return emptied(request.getfixturevalue("server"))


def emptied(address: str) -> str:
    """The address of a PostgreSQL server in which nothing is any more."""
    engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        TABLES.drop_all(connection)
        connection.execute(sa.text("drop table if exists alembic_version"))
    engine.dispose()
    return address


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        yield opened
