"""A rule file to rules: one primary, at least one guardrail, every key known, every rule with a threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from assay.compare.gate import OnInconclusive, Rules, Written
from assay.compare.rule import RULES, Role
from assay.errors import InputError, did_you_mean
from assay.settings import Section, Settings, check

SECTIONS = ("gate", "primary", "guardrail")
OWN = ("rule", "advisory", "why")
"""Keys that every rule may have beside its own."""
SIZES = ("margin", "plan", "min_gain", "limit")
"""Keys of rules on a measure that are sizes in its units."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The section [gate].

    Args:
        on_inconclusive: what INCONCLUSIVE does to the build: "fail" (exit code 2) or "warn" (exit code 0).
    """

    on_inconclusive: OnInconclusive = "fail"


def read_rules(text: str, name: str = "gate.toml") -> Rules:
    """The rules of a rule file.

    Args:
        text: TOML with [primary], [guardrail.NAME] for each guardrail, and [gate].
        name: what the file is called in messages.

    Raises:
        InputError: what is wrong, with the line.
    """
    settings = Settings.parse(text, name, {})  # no variable changes what a change is held to
    settings.only(SECTIONS)
    gate = check(settings.section("gate"), Gate)
    if "primary" not in settings.tree:
        raise InputError(
            "names no primary measure", name, "write [primary] with the one rule that the change is made for"
        )
    primary = settings.tree["primary"]
    tables = [key for key, value in primary.items() if isinstance(value, dict)]
    if tables:
        raise InputError(
            f"names a rule {tables[0]} inside [primary], and there is exactly one primary rule",
            _place(settings, ("primary", tables[0])),
            f"write [guardrail.{tables[0]}] for what must not get worse",
        )
    guardrails = settings.tree.get("guardrail", {})
    for key, value in guardrails.items():
        if not isinstance(value, dict):
            raise InputError(
                f"the key {key} stands in no guardrail", _place(settings, ("guardrail", key)),
                "write [guardrail.NAME] above it, NAME being what the team calls the rule",
            )  # fmt: skip
    if not guardrails:
        raise InputError(
            "has no guardrail, and a gain on one measure may be a loss on all others", name,
            "write at least one [guardrail.NAME], such as a non_inferiority of R@100",
        )  # fmt: skip
    written = [_written(settings, ("guardrail", key), value, "guardrail") for key, value in guardrails.items()]
    first = _written(settings, ("primary",), primary, "primary")
    kind = getattr(first.rule, "rule", "")
    if kind not in ("improvement", "non_inferiority"):
        raise InputError(
            f"the primary rule is {kind}, which is no comparison of one measure", first.place,
            'write rule = "improvement", or "non_inferiority" where the change is meant to change nothing',
        )  # fmt: skip
    return Rules(first, tuple(written), gate.on_inconclusive, name, text)


def measures_named(rules: Rules) -> list[str]:
    """The measures that the rules name, as they spell them; the primary one first."""
    return list(dict.fromkeys(m for w in rules.all if (m := getattr(w.rule, "measure", ""))))


def check_measures(rules: Rules) -> None:
    """Refuses a measure that is none, or several, with the line of its rule."""
    from assay.measures.grammar import parse

    for written in rules.all:
        text = getattr(written.rule, "measure", "")
        if not text:
            continue
        try:
            found = parse(text)
        except InputError as error:
            raise InputError(error.what, written.place, error.remedy) from None
        if len(found) != 1:
            raise InputError(
                f"measure {text!r} names {len(found)} measures", written.place, "write a rule for each of them"
            )
        if found[0].about.range in ("0 to 1", "0 or 1"):
            _check_sizes(written, str(found[0]))


def _check_sizes(written: Written, measure: str) -> None:
    """Refuses a size as large as the measure's whole range: 2 where 2 % was meant would let everything through."""
    for key in SIZES:
        value = getattr(written.rule, key, None)
        if value is not None and (value > 1 if key == "limit" else value >= 1):
            meant = f"; {value:g} % is {value / 100:g}" if value < 100 else ""
            raise InputError(
                f"{key} = {value:g} can never be reached: {measure} lies between 0 and 1", written.place,
                f"write {key} in units of the measure{meant}",
            )  # fmt: skip


def _written(settings: Settings, path: tuple[str, ...], values: Mapping[str, Any], role: Role) -> Written:
    heading = ".".join(path)
    place = _place(settings, path)
    if "rule" not in values:
        raise InputError(f"[{heading}] does not say its rule", place, f"write rule = one of {', '.join(RULES.names())}")
    kind = values["rule"]
    if not isinstance(kind, str) or kind not in RULES:
        close = did_you_mean(str(kind), RULES.names())
        raise InputError(
            f"unknown rule {kind}{close}",
            _place(settings, (*path, "rule")),
            f"the rules are {', '.join(RULES.names())}",
        )
    model = RULES.find(kind)
    known = [f.name for f in fields(model)]
    for key in values:
        if key not in known and key not in OWN:
            raise InputError(
                f"unknown key {key} in [{heading}]{did_you_mean(key, [*known, *OWN])}", _place(settings, (*path, key)),
                f"the keys of {kind} are {', '.join([*known, *OWN])}",
            )  # fmt: skip
    missing = [f.name for f in fields(model) if f.default is MISSING and f.name not in values]
    thresholds = [key for key in missing if key in getattr(model, "thresholds", ())]
    if thresholds:
        about = _about(model, thresholds[0])
        raise InputError(
            f"the rule {kind} in [{heading}] has no threshold", place, f"write {thresholds[0]} = ...: {about}"
        )
    if missing:
        raise InputError(
            f"[{heading}] has no {missing[0]}", place, f"write {missing[0]} = ...: {_about(model, missing[0])}"
        )
    own = Section(
        heading, {key: value for key, value in values.items() if key not in OWN}, place,
        {p[len(path) :]: f"{settings.name}:{line}" for p, line in settings.lines.items() if p[: len(path)] == path},
        {}, "",
    )  # fmt: skip
    advisory, why = values.get("advisory", False), values.get("why", "")
    if not isinstance(advisory, bool):
        raise InputError(f"advisory {advisory!r} is not true or false", _place(settings, (*path, "advisory")), "")
    if advisory and role == "primary":
        raise InputError(
            "the primary rule cannot be advisory", _place(settings, (*path, "advisory")),
            "leave advisory out: something has to decide",
        )  # fmt: skip
    if not isinstance(why, str):
        raise InputError(f"why {why!r} is not text", _place(settings, (*path, "why")), 'write why = "..."')
    return Written(path[-1], role, check(own, model), advisory, why, place)


def _about(model: type[Any], key: str) -> str:
    """What the docstring of a rule says of a key."""
    import inspect
    import re

    found = re.search(rf"^\s*{key}: (.*?)(?=^\s*\w+: |\Z)", inspect.getdoc(model) or "", re.MULTILINE | re.DOTALL)
    return re.sub(r"\s+", " ", found[1]).strip().rstrip(".") if found else "see the reference"


def _place(settings: Settings, path: tuple[str, ...]) -> str:
    while path and path not in settings.lines:
        path = path[:-1]
    return f"{settings.name}:{settings.lines[path]}" if path else settings.name
