"""`assay privacy`: what is known about a person is found, handed out and taken away; what is too old is forgotten."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.flows import pseudonyms
from assay.flows.gate_journal import JOURNAL
from assay.flows.keeping import TENANT, now, open_store, prepared_url
from assay.settings import check

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench

HISTORY = ".git"
"""A folder of earlier versions, packed: nothing here looks into it."""


@dataclass(frozen=True, slots=True)
class Privacy:
    """The section [privacy]; 0 keeps for ever.

    Args:
        audit_days: how long the lines of who did what are kept.
        invitations_days: how long invitations are kept after they are over.
        api_keys_days: how long keys are kept after they have ended.
        flags_days: how long flags at queries are kept.
        events_days: how long stops for speed and openings of live pages are kept, which the page of a project counts.
        notes_days: how long notes at judgments are kept; the judgments stay.
    """

    audit_days: int = 365
    invitations_days: int = 30
    api_keys_days: int = 365
    flags_days: int = 0
    events_days: int = 0
    notes_days: int = 0

    def __post_init__(self) -> None:
        for one in fields(self):
            if getattr(self, one.name) < 0:
                raise ValueError(f"{one.name} is below 0")


@dataclass(frozen=True, slots=True)
class Known:
    """What names a person.

    Args:
        rows: of the store, by table.
        files: of the workspace that hold the name, or are called by it.
        unread: files that could not be looked into.
        elsewhere: rows of the store that hold the name and are not about persons, by column.
    """

    rows: dict[str, list[dict[str, Any]]]
    files: tuple[str, ...]
    unread: tuple[str, ...] = ()
    elsewhere: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Erased:
    """What was taken away.

    Args:
        stands_now: the name that stands there now; empty where files alone named the person.
        changed: rows by table.
        files: of the workspace that still hold the name or the person's words: nothing here changes files that people
            keep.
        unread: files that could not be looked into.
        removed: files that were removed, as was asked for.
        renamed: files with sums of people that lead to nobody now, as was asked for.
        elsewhere: rows of the store that still hold the name, as what is not about persons does, by column.
    """

    stands_now: str
    changed: dict[str, int]
    files: tuple[str, ...]
    unread: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    elsewhere: dict[str, int] = field(default_factory=dict)


def find(bench: Workbench, name: str) -> Known:
    """What the workspace holds about a person."""
    from assay.store import privacy

    with open_store(bench) as store:
        rows, elsewhere = privacy.found(store, TENANT, name), privacy.elsewhere(store, TENANT, name)
    files, unread = _files(bench, name, *pseudonyms.known_as(bench, name))
    return Known(rows, files, unread, elsewhere)


def export(bench: Workbench, name: str) -> bytes:
    """What the store holds about a person, as JSON to hand out.

    Raises:
        InputError: nothing names that person.
    """
    from assay.errors import InputError
    from assay.store import audit, privacy

    with open_store(bench) as store:
        rows = privacy.found(store, TENANT, name)
        if not rows:
            raise InputError(f"nothing here names {name}", "the store", "look at the spelling: assay people list")
        at = now()
        line = (TENANT, "the terminal", "handed out what is known", name, at)
        store.write(lambda connection: audit.note(connection, *line)).result()
    return json.dumps({"person": name, "at": at, "rows": rows}, ensure_ascii=False, indent=2).encode() + b"\n"


def erase(bench: Workbench, name: str, *, remove: bool = False) -> Erased:
    """Takes a person out of the store; judgments stay, and lead to nobody.

    Whoever was taken out before may still stand in files: these are told again, and removed where that is asked for.
    The person's words are no longer known then.

    Args:
        bench: where the workspace is.
        name: of the person.
        remove: whether what assay can make again or copied goes too, where it holds the name or the person's words:
            kept results, copies of runs, copies of the store. Sums of people and days stay, under a name that leads to
            nobody. Other files are told and left.

    Raises:
        InputError: nothing names that person, or somebody else has the store open.
    """
    from assay.store import audit, privacy

    as_unit = pseudonyms.known_as(bench, name)
    with open_store(bench) as store:
        words, nobody = privacy.words(store, TENANT, name), ""
        changed: dict[str, int] = {}
        if privacy.found(store, TENANT, name) or not _files(bench, name, *as_unit)[0]:
            nobody, changed = privacy.erase(store, TENANT, name)
            line = (TENANT, "the terminal", "erased a person", nobody, now())
            store.write(lambda connection: audit.note(connection, *line)).result()
        elsewhere = privacy.elsewhere(store, TENANT, name)
    privacy.scrub(prepared_url(bench))
    files, unread = _files(bench, name, *words, *as_unit)
    assert bench.workspace is not None  # the store was opened
    root = bench.workspace.root
    renamed = tuple(file for file in files if remove and pseudonyms.holds(root / file))
    stands_for = dict.fromkeys(as_unit, pseudonyms.nobody())  # the same in all files: days of one person stay together
    for file in renamed:
        pseudonyms.rename(root / file, stands_for)
    removed = tuple(file for file in files if remove and file not in renamed and _is_ours(bench, file))
    for file in removed:
        (root / file).unlink()
    if renamed:
        files, unread = _files(bench, name, *words, *as_unit)
    left = tuple(file for file in files if file not in removed)
    return Erased(nobody, changed, left, unread, removed, renamed, elsewhere)


def _is_ours(bench: Workbench, file: str) -> bool:
    """Whether assay wrote a file and can do without it: a kept result, a copy of a run, a copy of the store."""
    assert bench.workspace is not None  # the store was opened
    path = bench.workspace.root / file
    if path.name == JOURNAL:  # how often one asked for a verdict is evidence, and nobody can make it again
        return False
    if path.suffix == ".assay" or bench.workspace.folder("results") in path.parents:
        return True
    if Path(os.path.abspath(bench.workspace.root), ".assay", "cache") in Path(os.path.abspath(path)).parents:
        return True
    with path.open("rb") as opened:
        if not opened.read(16).startswith(b"SQLite format 3"):
            return False
    from assay.store.privacy import is_store

    return is_store(path)


def expire(bench: Workbench) -> dict[str, int]:
    """Forgets what is older than the section [privacy] says; how many rows, by what they are."""
    from assay.store import privacy

    bench_settings = bench.workspace.settings if bench.workspace is not None else None
    url = prepared_url(bench)  # says that there is no workspace
    assert bench_settings is not None
    rules = check(bench_settings.section("privacy"), Privacy)
    today = datetime.now(UTC)
    days = {one.name.removesuffix("_days"): getattr(rules, one.name) for one in fields(rules)}
    before = {
        name: (today - timedelta(days=n)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        for name, n in days.items()
        if n
    }
    with open_store(bench) as store:
        gone = privacy.expire(store, TENANT, before)
    privacy.scrub(url)  # also what an earlier run could not clean while somebody had the store open
    return gone


def _files(bench: Workbench, *texts: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files of the workspace in which a text stands as a word, and those that cannot be read; see `bytes_within`."""
    from assay.flows.bytes_within import Sought, holds

    assert bench.workspace is not None  # the store was opened
    root = Path(bench.workspace.root)
    sought = Sought.of(texts)
    url = prepared_url(bench)
    own = os.path.realpath(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None
    held, unread = [], []
    for path in sorted(root.rglob("*")):
        shown = path.relative_to(root).as_posix()
        if shown == HISTORY:
            unread.append(f"{HISTORY} (earlier versions of files)")
        if path.is_symlink() or not path.is_file() or shown.startswith(f"{HISTORY}/"):
            continue
        if own is not None and os.path.realpath(path) in (own, own + "-wal", own + "-shm"):
            continue  # its rows were looked at
        try:
            if sought.is_in_name(shown) or holds(path, sought):
                held.append(shown)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a damaged archive has as many names as there are formats; polars panics
            unread.append(f"{shown} ({type(error).__name__})")
    return tuple(held), tuple(unread)
