"""A workspace made and looked after: `init`, `doctor`, `config`. Nothing is ever sent home."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, did_you_mean
from assay.flows.ageing import Judgments
from assay.flows.choices import DEFAULT, chosen
from assay.flows.doctor import Check, Checks, doctor, named_measures
from assay.flows.template import QUESTIONS, Question, fill
from assay.results import Note, Result, kept
from assay.settings import Secret, Settings, check
from assay.workspace import FILE, Copies, Paths, Store, Workspace

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench

__all__ = ["QUESTIONS", "Check", "Checks", "Configuration", "Question", "Room", "Setting", "config", "copies",
           "doctor", "init"]  # fmt: skip


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


@kept("room-of-copies")
@dataclass(frozen=True, kw_only=True)
class Room(Result):
    """The room that the copies of runs take.

    Args:
        folder: where they lie.
        copies: how many there are; how many were removed, where that was asked for.
        size_bytes, limit_bytes: what they take (or took), and what all together may take.
        is_on: whether commands make copies here without `--cache`.
        are_removed: whether they were removed.
    """

    folder: str
    copies: int
    size_bytes: int
    limit_bytes: int
    is_on: bool
    are_removed: bool


def init(folder: str | os.PathLike[str] = ".", answers: Mapping[str, str] | None = None, **more: str | None) -> Path:
    """Writes a commented `assay.toml` and gives its path; a file that is there is never overwritten.

    Args:
        folder: where, made when absent.
        answers: name of a question in `QUESTIONS` to its answer; a question without one takes its default.
        **more: the same as arguments; None is no answer.

    Raises:
        InputError: the file is there, an answer is not one that its question allows, or a name is no question.
    """
    target = Path(folder) / FILE
    if target.exists():
        raise InputError("is there already", str(target), "edit it, or move it away first; nothing was written")
    given = {**(answers or {}), **{name: text for name, text in more.items() if text is not None}}
    text = fill(_checked(given))
    settings = Settings.parse(text, str(target), {})
    chosen(Workspace(Path(folder), settings), {}, {})  # what is written is read back before it is written
    from assay.files import replacing

    Path(folder).mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        file.write(text.encode("utf-8"))
    return target


def doubts(path: Path) -> tuple[Note, ...]:
    """What `doctor` would say of the measures in an `assay.toml`, such as a cutoff that is not what is read."""
    checks = named_measures(chosen(Workspace.read(path, {}), {}, {}))
    return tuple(Note(f"{check.name}-{check.state}", f"{check.found}; {check.remedy}", level="warning")
                 for check in checks if check.state != "ok")  # fmt: skip


def _checked(given: Mapping[str, str]) -> dict[str, str]:
    """An answer to every question, in the spelling of the file."""
    from assay.measures.grammar import parse

    names = [question.name for question in QUESTIONS]
    for name in given:
        if name not in names:
            raise InputError(f"unknown answer {name}{did_you_mean(name, names)}", remedy=f"one of {', '.join(names)}")
    answers = {question.name: given.get(question.name, question.default).strip() for question in QUESTIONS}
    for question in QUESTIONS:
        text = answers[question.name]
        if question.choices and text not in question.choices:
            raise InputError(
                f"{text!r} is not one of {', '.join(question.choices)}{did_you_mean(text, question.choices)}",
                f"--{question.name}",
                f"pass --{question.name} {'|'.join(question.choices)}",
            )
    if not (answers["k"].isascii() and answers["k"].isdigit() and int(answers["k"]) >= 1):
        raise InputError(f"{answers['k']!r} is not a whole number from 1", "--k", "pass --k 10")
    answers["k"] = str(int(answers["k"]))
    if answers["rel"]:
        try:
            grade = float(answers["rel"])
        except ValueError:
            grade = math.nan
        if not math.isfinite(grade):
            raise InputError(f"{answers['rel']!r} is not a grade", "--rel", "pass --rel 1")
        answers["rel"] = repr(grade).removesuffix(".0")
    for name in ("primary", "guardrails"):
        measures = parse(re.sub(r"@k\b", f"@{answers['k']}", answers[name])) if answers[name] else []
        answers[name] = " ".join(str(measure) for measure in measures)
        if name == "primary" and len(measures) != 1:
            raise InputError(f"{len(measures)} measures are given", "--primary", "name the one that decides")
    return answers


def config(bench: Workbench | None = None, options: Mapping[str, Any] | None = None) -> Configuration:
    """Every setting that holds here, and where it came from.

    Args:
        bench: whose workspace is meant; that of the current folder when None.
        options: the options of a command, as `choices.chosen` takes them.
    """
    workspace = Workspace.find() if bench is None else bench.workspace
    choices = chosen(workspace, options)
    settings = workspace.settings if workspace is not None else Settings()
    rows = [Setting(section, key, _written(value), choices.origin(f"{section}.{key}"))
            for section, key, value in choices.values()]  # fmt: skip
    for name, model in (("paths", Paths), ("judgments", Judgments), ("store", Store), ("cache", Copies)):
        section = settings.section(name)
        keys = [f.name for f in fields(model)]
        places = section.given(keys)
        values = check(section, model)
        rows += [Setting(name, key, _written(getattr(values, key)), places.get(key, DEFAULT)) for key in keys]
    return Configuration(file=settings.name, settings=tuple(rows))


def copies(bench: Workbench | None = None, *, clear: bool = False) -> Room:
    """How much room the copies of runs take, or took before they were removed, if that is wanted."""
    from assay.flows.workbench import Workbench

    bench = Workbench.open() if bench is None else bench
    cache = bench.copies
    if cache is None:  # those of this user, made by `--cache` outside a workspace, may still be there
        cache = Workbench(workspace=bench.workspace, cache=True).copies
        assert cache is not None, "it was asked for"
    size = sum(artefact.size for artefact, _ in cache.copies())
    count = cache.clear() if clear else len(cache.copies())
    return Room(
        folder=str(cache.folder), copies=count, size_bytes=size, limit_bytes=int(cache.limit),
        is_on=bench.copies is not None, are_removed=clear,
    )  # fmt: skip


def _written(value: Any) -> str:
    """A value as the file would have it; empty when none is set."""
    import json

    if value is None or value == "" or isinstance(value, Secret):
        return str(value) if isinstance(value, Secret) and value.reveal() else ""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key:g} = {gain:g}" for key, gain in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
