"""A result made again: what its inputs were, what they are now, and which of its numbers differ."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.errors import InputError
from assay.results import Result

WITH_VALUE = ("-o", "--output", "--html", "--charts", "--markdown", "--junit", "--annotate", "--to-label", "--format")
FLAGS = ("--png", "--redact", "--per-query", "--quiet", "--log-json", "-v", "--verbose", "--no-color")
"""Options that write or show: a repetition writes nothing but itself."""
LEFT_OUT = ("source", "notes", "earlier", "label_ages")
"""What may differ between two runs of the same command."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One number or word that differs; None where it was not there.

    Args:
        where: its place in the JSON document of the result.
        before: in the kept result.
        after: in the one made now.
    """

    where: str
    before: Any
    after: Any


@dataclass(frozen=True, kw_only=True)
class Rerun(Result):
    """A kept result beside the same made again.

    Args:
        command: what was run.
        inputs: files whose content differs: (name, hash before, hash now); an empty hash is a file that is not there.
        versions: (package, before, now) of what computed it, where they differ.
        changed: what differs in the result.
    """

    command: str
    inputs: tuple[tuple[str, str, str], ...]
    versions: tuple[tuple[str, str, str], ...]
    changed: tuple[Changed, ...]

    @property
    def is_same(self) -> bool:
        """Whether every number and word is what it was."""
        return not self.changed


def arguments(result: Result) -> list[str]:
    """The recorded command line without its program and without what it wrote.

    Raises:
        InputError: the result does not say how it was made, or read from a pipe.
    """
    command = result.source.command
    words = shlex.split(command)
    if len(words) < 2 or words[0] != "assay":
        raise InputError(
            "the result does not say by which command it was made",
            remedy="only results of the command line can be made again; redacted ones cannot",
        )
    kept, skip = [], False
    for word in words[1:]:
        if skip:
            skip = False
        elif word in WITH_VALUE:
            skip = True
        elif word not in FLAGS and not any(word.startswith(f"{name}=") for name in WITH_VALUE if name.startswith("--")):
            kept.append(word)
    if "-" in kept:
        raise InputError("an input came through a pipe and is gone", command, "run the command again with that input")
    return kept


def compared(before: Result, after: Result) -> Rerun:
    """Two results of one command, side by side.

    Args:
        before: the kept one.
        after: the one made now.
    """
    old, new = dict(before.source.hashes), dict(after.source.hashes)
    names = dict.fromkeys((*old, *new))
    inputs = tuple((name, old.get(name, ""), new.get(name, "")) for name in names if old.get(name) != new.get(name))
    was, now = dict(before.source.versions), dict(after.source.versions)
    versions = tuple((name, was.get(name, ""), now.get(name, "")) for name in dict.fromkeys((*was, *now))
                     if was.get(name) != now.get(name))  # fmt: skip
    left, right = dict(_leaves(_document(before), "")), dict(_leaves(_document(after), ""))
    changed = tuple(Changed(where, left.get(where), right.get(where)) for where in dict.fromkeys((*left, *right))
                    if left.get(where) != right.get(where))  # fmt: skip
    return Rerun(command=before.source.command, inputs=inputs, versions=versions, changed=changed)


def _document(result: Result) -> Any:
    from assay.report.machine import to_json

    choices = {"per_query": True} if type(result).__name__ in ("Scores", "Comparison") else {}
    return json.loads(to_json(result, **choices))


def _leaves(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Every number and word of a document with its place."""
    if isinstance(value, dict):
        for name, entry in value.items():
            if name not in LEFT_OUT:
                yield from _leaves(entry, f"{where}.{name}" if where else name)
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            yield from _leaves(entry, f"{where}[{i}]")
    else:
        yield where, value
