"""The store of a workspace, its secret, and the time: what every verb with people in it needs."""

from __future__ import annotations

import os
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.flows.workbench import Workbench

if TYPE_CHECKING:
    from assay.store.database import Store

TENANT = "default"
"""The tenant of a workspace that names none."""

SECRET = ".assay/secret"


def now() -> str:
    """The time, as the store keeps it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def store_url(bench: Workbench) -> str:
    """Where the store of the workspace lies.

    Raises:
        InputError: there is no workspace.
    """
    if bench.workspace is None:
        raise InputError(
            "judgments of several people need a workspace", "assay.toml",
            "run `assay init` in a folder for the project, or go to the one where it is",
        )  # fmt: skip
    return bench.workspace.store_url


def open_store(bench: Workbench, *, upgrade: bool = False) -> Store:
    """Opens the store of the workspace."""
    from assay.store.database import Store

    return Store.open(prepared_url(bench), upgrade=upgrade)


def prepared_url(bench: Workbench) -> str:
    """Where the store lies; the folder of a file is made."""
    url = store_url(bench)
    if bench.workspace is not None and url.startswith("sqlite:///"):
        Path(bench.workspace.root, ".assay").mkdir(exist_ok=True)
    return url


def secret_of(bench: Workbench) -> bytes:
    """The workspace's own secret: signs sessions, keys pseudonyms and orders; made at first use, for its owner."""
    store_url(bench)  # says that there is no workspace
    assert bench.workspace is not None
    path = Path(bench.workspace.root) / SECRET
    try:
        return path.read_bytes().strip()
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes().strip()
    with os.fdopen(made, "wb") as file:
        value = secrets.token_hex(32).encode()
        file.write(value + b"\n")
    return value
