"""A store in SQLite and, in the marked suite, in PostgreSQL on a server of its own that starts with the first test."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.store.database import Store
from assay.store.schema import TABLES


def _as_postgres(words: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root: then it runs as the user that its package made."""
    if os.geteuid() != 0:
        return words
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *words]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server on a socket in a folder of its own."""
    if shutil.which("initdb") is None:
        pytest.skip("PostgreSQL is not installed: no initdb on the path")  # .ci/run has it, and skips nothing
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-"))
    folder.chmod(0o755)
    data, socket = folder / "data", folder / "socket"
    for place in (data, socket):
        place.mkdir()
        if os.geteuid() == 0:
            shutil.chown(place, "postgres", "postgres")
    run = {"check": True, "stdout": subprocess.DEVNULL, "cwd": "/"}
    subprocess.run(_as_postgres(["initdb", "-D", str(data), "-A", "trust", "-U", "assay", "-E", "UTF8"]), **run)  # type: ignore[call-overload]
    options = f"-c listen_addresses='' -c unix_socket_directories='{socket}'"
    start = ["pg_ctl", "-D", str(data), "-w", "-l", str(data / "log"), "-o", options, "start"]
    subprocess.run(_as_postgres(start), **run)  # type: ignore[call-overload]
    try:
        yield f"postgresql://assay@/postgres?host={socket}"
    finally:
        subprocess.run(_as_postgres(["pg_ctl", "-D", str(data), "-m", "immediate", "stop"]), **run)  # type: ignore[call-overload]
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'assay.db'}"
    address: str = request.getfixturevalue("server")
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
