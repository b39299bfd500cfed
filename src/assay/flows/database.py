"""`assay db`: brings the store of the workspace up to date, copies it, looks whether it is sound."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.flows.keeping import open_store

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Looked:
    """One thing that was looked at.

    Args:
        what: it is.
        is_well: whether it is as it should be.
        says: what is wrong.
    """

    what: str
    is_well: bool
    says: str = ""


@dataclass(frozen=True, slots=True)
class Soundness:
    """Whether a store is sound.

    Args:
        name: of the store, without a password.
        looked: what was looked at.
    """

    name: str
    looked: tuple[Looked, ...]

    @property
    def is_well(self) -> bool:
        """Whether all of it is."""
        return all(one.is_well for one in self.looked)


def upgrade(bench: Workbench) -> tuple[str, str | None, str]:
    """Brings the store up to date, or makes it.

    Returns:
        The name of the store, the step that it was at (None for a new one), and the one that it is at.
    """
    from assay.flows.keeping import prepared_url
    from assay.store.upgrade import HEAD, step_at

    before = step_at(prepared_url(bench))
    with open_store(bench, upgrade=True) as store:
        return store.name, before, HEAD


def backup(bench: Workbench, target: str | os.PathLike[str]) -> int:
    """Copies every row of the store into a new SQLite file; how many rows.

    An older store is copied as it is, so that it can be copied before it is brought up to date.

    Raises:
        InputError: the file exists, or its folder does not, or there is no store.
    """
    from assay.flows.keeping import prepared_url
    from assay.store.upgrade import backup as copy

    return copy(prepared_url(bench), Path(target))


def check(bench: Workbench) -> Soundness:
    """Looks whether the database is whole and what it holds belongs together."""
    from assay.store.upgrade import check as look

    with open_store(bench) as store:
        looked = tuple(Looked(one.what, one.is_well, one.says) for one in look(store))
        return Soundness(name=store.name, looked=looked)
