"""What `assay doctor` found and what `assay config show` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.report.figures import count
from assay.report.page import Column, Fact, Facts, Mark, Page, Part, Table, Tone, view
from assay.report.words import remarks

if TYPE_CHECKING:
    from assay.flows.doctor import Checks
    from assay.flows.setup import Configuration, Room

TONES: dict[str, Tone] = {"ok": "pass", "warning": "unsure", "problem": "fail"}


@view("Checks")
def checks(result: Checks, **choices: Any) -> Page:
    """Every check with its mark; what to do about problems and warnings below."""
    columns = (
        Column("part", is_grouped=True),
        Column("looked at", is_name=True),
        Column("", gap=3),
        Column("found", is_prose=True),
    )
    rows = tuple((c.group, c.name, Mark(TONES[c.state], c.state), c.found) for c in result.checks)
    mend = tuple(Fact(c.name, (c.remedy,)) for c in result.checks if c.remedy and c.state != "ok")
    parts: list[Part] = [Table(columns, rows, name="Checks"), *([Facts(mend)] if mend else [])]
    said = remarks(result.notes)
    return Page("assay doctor", (verdict(result),), (*parts, *([said] if said else [])))


def verdict(result: Checks) -> Mark:
    """The first line."""
    warned = f", {count(result.warnings, 'warning')}" if result.warnings else ""
    if result.problems:
        return Mark("fail", f"{count(result.problems, 'problem')}{warned}: a command will fail until it is mended.")
    if result.warnings:
        return Mark(
            "unsure", f"{count(result.warnings, 'warning')}: everything works, and something is not as it should be."
        )
    return Mark("pass", f"All {count(len(result.checks))} checks are fine.")


@view("Configuration")
def configuration(result: Configuration, **choices: Any) -> Page:
    """Every setting with where it came from."""
    columns = (
        Column("section", is_grouped=True),
        Column("setting", is_name=True),
        Column("value", is_prose=True),
        Column("from"),
    )
    rows = tuple((s.section, s.key, s.value, s.origin) for s in result.settings)
    changed = sum(s.origin != "default" for s in result.settings)
    where = f"read from {result.file}" if result.file else "there is no assay.toml here or above"
    differ = "differs" if changed == 1 else "differ"
    answer = f"{count(changed)} of {count(len(rows), 'setting')} {differ} from the default; {where}."
    return Page("assay config", (answer,), (Table(columns, rows, name="Settings"),))


@view("Room")
def room(result: Room, **choices: Any) -> Page:
    """What the copies of runs take, as a sentence, with the folder below."""
    size = f"{result.size_bytes / 1e6:,.0f} MB"
    copies = count(result.copies, "copy", "copies")
    if result.are_removed:
        answer = f"Removed {copies}, {size}."
    else:
        answer = f"{copies}, {size} of {result.limit_bytes / 1e9:g} GB."
        if not result.is_on:
            answer += " No more are made here unless a command has --cache."
    return Page("assay cache", (answer,), (Facts((Fact("Folder", (result.folder,)),)),))
