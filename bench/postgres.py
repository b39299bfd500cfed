"""A PostgreSQL server of its own, on a socket in a folder of its own; gone when it was used."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def is_installed() -> bool:
    """Whether there is a PostgreSQL to run."""
    return shutil.which("initdb") is not None


@contextmanager
def running(within: str | None = None) -> Iterator[str]:
    """The address of an empty server, which commits durably (`fsync` and `synchronous_commit` are on, as they come).

    Args:
        within: the folder whose disk it writes to; that of temporary files when None.
    """
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-", dir=within)).resolve()
    folder.chmod(0o755)
    data = folder / "data"
    socket = Path(tempfile.mkdtemp(prefix="assay-pg-socket-"))  # its path must be short
    for place in (data, socket):
        place.mkdir(exist_ok=True)
        if os.geteuid() == 0:
            shutil.chown(place, "postgres", "postgres")
    _run(["initdb", "-D", str(data), "-A", "trust", "-U", "assay", "-E", "UTF8"])
    options = f"-c listen_addresses='' -c unix_socket_directories='{socket}'"
    _run(["pg_ctl", "-D", str(data), "-w", "-l", str(data / "log"), "-o", options, "start"])
    try:
        yield f"postgresql://assay@/postgres?host={socket}"
    finally:
        _run(["pg_ctl", "-D", str(data), "-m", "immediate", "stop"])
        for place in (folder, socket):
            shutil.rmtree(place, ignore_errors=True)


def _run(words: list[str]) -> None:
    """PostgreSQL refuses to run as root: then it runs as the user that its package made."""
    if os.geteuid() == 0:
        words = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *words]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd="/")
