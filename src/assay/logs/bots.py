"""Bots in a log: rows that a column calls so, whose user agent names one, or that stand in a list."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.files import name_of
from assay.files.reading import open_bytes

if TYPE_CHECKING:
    from assay.logs.engine import Engine
    from assay.logs.mapping import Source

CALLS_ITSELF_ONE = re.compile(r"(?<!cu)bots?(?![a-z])|crawl|spider|slurp|scrap(er|y)|headless", re.IGNORECASE)
"""Words of user agents that say what they are: Googlebot, bingbot/2.0, AhrefsBot, Baiduspider, HeadlessChrome. A Cubot
is a telephone. Programs such as curl say nothing of who sits behind them: a shop's own server may ask for people."""

NAMES_ONE = "a row of a bot: its user agent says so"
LISTED = "a row of a bot: the list has its user agent"

AGENT, UNIT = "agent:", "unit:"


@dataclass(frozen=True)
class Bots:
    """What counts as a bot beside the column that says so.

    Args:
        units: ids of people or programs.
        agents: patterns of whole user agents, in which `*` stands for anything; small and large letters are alike.
        where: the list that names them, for messages.
    """

    units: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    where: str = "--bots"

    def why(self, agent: str) -> str | None:
        """Why a user agent is a bot's; None when it is none."""
        if CALLS_ITSELF_ONE.search(agent):
            return NAMES_ONE
        return LISTED if self._patterns is not None and self._patterns.fullmatch(agent) else None

    @cached_property
    def _patterns(self) -> re.Pattern[str] | None:
        if not self.agents:
            return None
        either = "|".join(".*".join(map(re.escape, pattern.split("*"))) for pattern in self.agents)
        return re.compile(either, re.IGNORECASE | re.DOTALL)


def read_bots(path: str | os.PathLike[str]) -> Bots:
    """A list of bots: one id of a unit a line, or `agent: ` and a pattern; lines that begin with # say nothing.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or names nobody.
    """
    name = name_of(path)
    units: dict[str, None] = {}
    agents: dict[str, None] = {}
    with open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                said = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                raise InputError("is not UTF-8", f"{name}:{number}", "save the file as UTF-8") from None
            if not said or said.startswith("#"):
                continue
            kind = next((one for one in (AGENT, UNIT) if said.startswith(one)), "")
            value = said.removeprefix(kind).strip()
            if not value or (kind == AGENT and not value.strip("*")):
                raise InputError(f"names {'every user agent' if value else 'nobody'}", f"{name}:{number}",
                                 "write an id, or a pattern as agent: *monitor*", line=said)  # fmt: skip
            (agents if kind == AGENT else units)[value] = None
    if not units and not agents:
        raise InputError("names no bot", name, "write one id a line, or leave out --bots")
    return Bots(tuple(units), tuple(agents), name)


def laid(engine: Engine, sources: Sequence[Source], bots: Bots) -> bool:
    """Lays what names bots beside a log that is attached; whether a row of it can be a bot's.

    Args:
        engine: with the log.
        sources: of the log.
        bots: what counts as one.

    Raises:
        InputError: a list is given, and no column holds what it names.
    """
    names = {name for source in sources for name in source.paths}
    wanted = (("unit_id", bots.units, "the people"), ("user_agent", bots.agents, "the user agent"))
    for name, listed, what in wanted:
        if listed and name not in names:
            raise InputError(f"names {listed[0]}, and no column of the log gives {what}", bots.where,
                             f"say which one does: --columns {name}=COLUMN")  # fmt: skip
    if bots.units:
        engine.lay("bot_units", {"unit_id": "VARCHAR"}, [(unit,) for unit in bots.units])
    agents: list[tuple[str, str]] = []
    if "user_agent" in names:
        there = engine.run("user_agents")["user_agent"]
        agents = [(agent, why) for agent in there if (why := bots.why(agent)) is not None]
        engine.lay("bot_agents", {"user_agent": "VARCHAR", "bot": "VARCHAR"}, agents)
    return bool(bots.units or agents or "is_bot" in names)


def is_told_by_events(sources: Sequence[Source], bots: Bots) -> bool:
    """Whether only events say who is a bot: then theirs are the searches, too, which they would leave as abandoned."""
    telling = {"is_bot", "user_agent", *(("unit_id",) if bots.units else ())}
    return not any(telling & source.paths.keys() for source in sources if source.kind != "click")
