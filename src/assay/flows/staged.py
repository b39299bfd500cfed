"""`--stages NAME=FIRST.run:100,FINAL.run`: which first stages each system has, and how deep the next one reads."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import InputError, did_you_mean
from assay.ranking.shown import Shown

EXAMPLE = "write --stages NAME=FIRST.run:100,FINAL.run"


@dataclass(frozen=True, slots=True)
class Given:
    """The stages of one system as they were given: (run, depth) of each first stage."""

    system: str
    firsts: tuple[tuple[Any, int | None], ...]


BASELINE, CANDIDATE = "baseline", "candidate"


def given_stages(stages: Any, runs: Mapping[str, Any], baseline: str) -> tuple[Given, ...]:
    """The stages of each system, the baseline first.

    Args:
        stages: text "NAME=FIRST:100,FINAL", several of them, or a dict of name to (run, depth) pairs and runs.
        runs: the final runs by name.
        baseline: the run that the others are compared with.
    """
    if not stages:
        return ()
    if isinstance(stages, Mapping):
        items = [(str(name), value) for name, value in stages.items()]
    else:
        items = [_split(text) for text in ([stages] if isinstance(stages, str) else stages)]
    found: dict[str, Given] = {}
    for name, value in items:
        system = _system(name, runs, baseline)
        if system in found:
            raise InputError(f"the stages of {system} are given twice", remedy="give the stages of each system once")
        found[system] = Given(system, _firsts(value, system, runs[system]))
    return tuple(found[name] for name in sorted(found, key=lambda name: name != baseline))


def _split(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise InputError(f"--stages {text!r} is not NAME=FIRST.run:100,FINAL.run", remedy=EXAMPLE)
    return name.strip(), value


def _system(name: str, runs: Mapping[str, Any], baseline: str) -> str:
    """The run that was meant: its name, its file, or the words baseline and candidate."""
    others = [run for run in runs if run != baseline]
    if name in runs:
        return name
    for run, source in runs.items():
        if isinstance(source, (str, os.PathLike)) and _same(name, source):
            return run
    if name.lower() == BASELINE:
        return baseline
    if name.lower() == CANDIDATE and len(others) == 1:
        return others[0]
    raise InputError(
        f"--stages names {name}, which is no run here{did_you_mean(name, [*runs, BASELINE, CANDIDATE])}",
        remedy=f"the runs are {', '.join(runs)}",
    )


def _firsts(value: Any, system: str, final: Any) -> tuple[tuple[Any, int | None], ...]:
    """The first stages; the last entry without a depth is the final run and must be the one that is compared."""
    if isinstance(value, str):
        pieces: Sequence[Any] = [_depth(piece.strip()) for piece in value.split(",") if piece.strip()]
    else:
        pieces = [piece if _is_pair(piece) else (piece, None) for piece in value]
    entries = [(run, None if depth is None else _checked(depth, system)) for run, depth in pieces]
    if len(entries) > 1 and entries[-1][1] is None:
        last = entries.pop()[0]
        if not _same(last, final):
            raise InputError(
                f"the stages of {system} end in {last}, and the run that is compared is another file",
                remedy="let the stages end in the run that is compared, or leave it out",
            )
    if not entries:
        raise InputError(f"the stages of {system} name no first stage", remedy=EXAMPLE)
    return tuple(entries)


def _is_pair(piece: Any) -> bool:
    return isinstance(piece, tuple) and len(piece) == 2 and (piece[1] is None or isinstance(piece[1], int))


def _depth(piece: str) -> tuple[str, int | None]:
    run, sign, depth = piece.rpartition(":")
    return (run, int(depth)) if sign and run and depth.isascii() and depth.isdigit() else (piece, None)


def _checked(depth: Any, system: str) -> int:
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise InputError(f"depth {depth} of a stage of {system} is not 1 or more", remedy=EXAMPLE)
    return depth


def _same(a: Any, b: Any) -> bool:
    """Whether two inputs are the same run."""
    if not isinstance(a, (str, os.PathLike)) or not isinstance(b, (str, os.PathLike)):
        return a is b
    if os.fspath(a) == os.fspath(b):
        return True
    return os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)


def check_answers(found: Shown, run: Any, system: str) -> None:
    """Refuses a first stage of other queries."""
    if not found.ranking.answered.any():
        name = os.fspath(run) if isinstance(run, (str, os.PathLike)) else f"a first stage of {system}"
        raise InputError(
            f"names no query that is judged, such as {found.ranking.judged.queries[0]}: it is no stage of {system}",
            name, "give the first stage that answered these queries",
        )  # fmt: skip
