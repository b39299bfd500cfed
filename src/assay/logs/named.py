"""Named SQL: texts in DuckDB's dialect that shrink a log, composed by what each says it reads.

A text begins with comments: what it gives, and `-- reads:` with the relations that it is built from. A relation that
is another text is put before it as a common table expression; the rest are relations of the engine. Values come as
bound parameters (`$name`), never as text. `-- only:` names the engine of a text that takes the place of another one
there, because it is faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ENGINE = frozenset({"log", "all_rows", "others", "bot_units", "bot_agents", "aside", "nameless", "alike", "offsets",
                    "click_weights", "search_weights", "target"})  # fmt: skip
"""Relations that an engine lays: the rows of the log, or of some of its files; all of its rows; rows of applications
that were not asked for; units and user agents that are bots; the sessions that are left out; some searches that name no
query; the pairs of queries that are alike; by how much the clock of the time zone is ahead of UTC, from when to when;
what clicks and searches add to an estimate, and the chances with which a policy shows documents at positions."""

BESIDE = {
    "aside": {"session_id": "VARCHAR"},
    "nameless": {"impression_id": "VARCHAR"},
    "bot_units": {"unit_id": "VARCHAR"},
    "bot_agents": {"user_agent": "VARCHAR", "bot": "VARCHAR"},
}
"""Those that are laid without a row before anything is asked, with their columns."""

_PARAMETER = re.compile(r"\$([a-z_]+)")


@dataclass(frozen=True, slots=True)
class Query:
    """One named text.

    Args:
        name: its file without the ending.
        text: the statement alone, without the comments at its head.
        about: what it gives, as its comments say.
        reads: the relations that it names.
        only: the one engine that runs it; empty when all do.
    """

    name: str
    text: str
    about: str
    reads: tuple[str, ...]
    only: str = ""


@cache
def named(name: str) -> Query:
    """The text of that name.

    Raises:
        KeyError: there is none.
    """
    place = files("assay.logs").joinpath("queries", f"{name}.sql")
    if not place.is_file():
        raise KeyError(name)
    lines = place.read_text("utf-8").splitlines()
    head = [line[2:].strip() for line in lines if line.startswith("--")]
    reads = next(line.removeprefix("reads:").replace(",", " ").split() for line in head if line.startswith("reads:"))
    only = next((line.removeprefix("only:").strip() for line in head if line.startswith("only:")), "")
    about = " ".join(line for line in head if not line.startswith(("reads:", "only:")))
    text = "\n".join(line for line in lines if not line.startswith("--")).strip()
    return Query(name, text, about, tuple(reads), only)


def names() -> list[str]:
    """The names of all texts, found by listing their folder."""
    folder = files("assay.logs").joinpath("queries")
    return sorted(entry.name.removesuffix(".sql") for entry in folder.iterdir() if entry.name.endswith(".sql"))


def composed(name: str, instead: Mapping[str, str] | None = None, is_kept: bool = True) -> str:
    """The text with everything it is built from, as one statement.

    Args:
        name: of the text.
        instead: relation to the text that takes its place.
        is_kept: whether an engine may keep the rows of what is read twice; else it reads the log again.
    """
    other = instead or {}
    chain = [one for one in dict.fromkeys(_below(name, other)) if one != name]
    how = "AS" if is_kept else "AS NOT MATERIALIZED"
    parts = [f"{one} {how} (\n{named(other.get(one, one)).text}\n)" for one in chain]
    head = f"WITH {', '.join(parts)}\n" if parts else ""
    return head + named(other.get(name, name)).text


def parameters(statement: str) -> list[str]:
    """The names of the parameters that a statement binds."""
    return sorted(set(_PARAMETER.findall(statement)))


def _below(name: str, other: Mapping[str, str]) -> Iterator[str]:
    for one in named(other.get(name, name)).reads:
        if one not in ENGINE:
            yield from _below(one, other)
    yield name
