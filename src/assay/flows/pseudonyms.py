"""People of click logs under pseudonyms of the workspace: the same ones on every day, and elsewhere others."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.files import replacing
from assay.flows.keeping import SECRET, secret_of
from assay.keys import pseudonym

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench

KEY = "unit_key"
"""The column by which a file is known to hold pseudonyms of units, with the name of the key that made them."""

UNIT = "unit_id"


class Pseudonyms:
    """Names of units under one key.

    Args:
        secret: of the workspace.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @property
    def key(self) -> str:
        """Which key it is, without a word of it."""
        return pseudonym(self._secret, "key of units")[:8]

    def of(self, unit: str) -> str:
        """The pseudonym of a unit."""
        return pseudonym(self._secret, "unit", unit)


def made(bench: Workbench) -> Pseudonyms:
    """The pseudonyms of the workspace, whose secret is made where there is none.

    Raises:
        InputError: there is no workspace.
    """
    if bench.workspace is None:
        raise InputError("pseudonyms of people are keyed by a workspace, and there is none", "assay.toml",
                         "run `assay init` in a folder for the project, or go to the one where it is")  # fmt: skip
    return Pseudonyms(secret_of(bench))


def known_as(bench: Workbench, name: str) -> tuple[str, ...]:
    """The pseudonym of a name in the files of the workspace; none where it never made any."""
    if bench.workspace is None or not (Path(bench.workspace.root) / SECRET).is_file():
        return ()
    return (made(bench).of(name),)


def holds(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds pseudonyms of units."""
    import polars as pl

    if not os.path.isfile(path) or Path(path).suffix.lower() != ".parquet":
        return False
    try:
        return {UNIT, KEY} <= set(pl.read_parquet_schema(Path(path)))
    except (OSError, pl.exceptions.PolarsError):  # whoever reads it says what is wrong with it
        return False


def nobody() -> str:
    """A name like a pseudonym, that of nobody."""
    return secrets.token_hex(16)


def rename(path: Path, names: dict[str, str]) -> None:
    """Gives units of a file other names; the sums stay.

    Rows are sorted anew: where the old order stayed, the new name would stand where the old one sorted.
    """
    import polars as pl

    frame = pl.read_parquet(path).with_columns(pl.col(UNIT).replace(names)).sort(UNIT, maintain_order=True)
    with replacing(path) as file:
        frame.write_parquet(file, compression="zstd")
