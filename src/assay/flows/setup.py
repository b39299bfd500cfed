"""A workspace made and looked after: `init`, `doctor`, `config`. Nothing is ever sent home."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.results import Result, kept

State = Literal["ok", "warning", "problem"]


@kept("check")
@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `assay doctor` looked at.

    Args:
        group: which part it belongs to: "packages", "extras", "workspace", "files" or "terminal".
        name: what was looked at, such as "polars" or "assay.toml".
        state: "ok", "warning" (works, and something is not as it should be) or "problem" (a command will fail).
        found: what was found, as a short phrase.
        remedy: what the user can do about it; empty when there is nothing to do.
    """

    group: str
    name: str
    state: State
    found: str
    remedy: str = ""


@kept("checks")
@dataclass(frozen=True, kw_only=True)
class Checks(Result):
    """What `assay doctor` found, in the order of looking."""

    checks: tuple[Check, ...]

    @property
    def problems(self) -> int:
        """How many checks found a problem."""
        return sum(check.state == "problem" for check in self.checks)

    @property
    def warnings(self) -> int:
        """How many checks found a warning."""
        return sum(check.state == "warning" for check in self.checks)

    @property
    def exit_code(self) -> int:
        """1 when a check found a problem, else 0."""
        return 1 if self.problems else 0


@kept("setting")
@dataclass(frozen=True, slots=True)
class Setting:
    """One value that holds, and where it came from.

    Args:
        section: the table of `assay.toml` it belongs to, such as "conventions".
        key: its name there, such as "ties".
        value: the value as text; a secret is never shown.
        origin: `assay.toml:12`, `ASSAY_TIES`, `--ties` or "default".
    """

    section: str
    key: str
    value: str
    origin: str


@kept("configuration")
@dataclass(frozen=True, kw_only=True)
class Configuration(Result):
    """Every setting that holds here, and where it came from.

    Args:
        file: the `assay.toml` that was read; empty when there is none.
        settings: the values, in the order of the sections.
    """

    file: str = ""
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that `assay init` asks.

    Args:
        name: the argument of `init` and the option that gives the answer without asking.
        text: the question.
        default: the answer when the user only presses Enter.
        choices: the answers that are allowed; empty when any text is.
        why: one sentence on what the answer changes.
    """

    name: str
    text: str
    default: str
    choices: tuple[str, ...] = ()
    why: str = ""
