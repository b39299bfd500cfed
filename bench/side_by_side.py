"""Two programs in turn, A B A B, so that what else the machine does falls on both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.generate import Files
from bench.measure import Usage, run
from bench.programs import Program


@dataclass(frozen=True, slots=True)
class Series:
    """The runs of one program on one pair of files; each figure is a median."""

    program: Program
    made: Files
    runs: tuple[Usage, ...]

    @property
    def cpu_s(self) -> float:
        """User and system seconds."""
        return median(used.cpu_s for used in self.runs)

    @property
    def wall_s(self) -> float:
        """Seconds on the clock."""
        return median(used.wall_s for used in self.runs)

    @property
    def peak_mib(self) -> float:
        """Largest resident memory."""
        return median(used.peak_bytes for used in self.runs) / 2**20


def once(program: Program, made: Files, scratch: Path) -> Usage:
    """One run with its output checked.

    Raises:
        RunError: bad status or wrong output.
    """
    out = scratch / f"{program.name.replace(' ', '-').replace(',', '')}.{made.shape.name}.out"
    out.unlink(missing_ok=True)
    used = run(program.command(made), out)
    program.check(out, made)
    return used


def alternate(
    first: tuple[Program, Files], second: tuple[Program, Files], pairs: int, scratch: Path, tell: Callable[[str], None]
) -> tuple[Series, Series]:
    """Runs both in turn. One run of each before is not recorded: it compiles bytecode and warms the file cache."""
    for program, made in (first, second):
        tell(f"{made.shape.name}: {program.name}, not recorded")
        once(program, made, scratch)
    runs: tuple[list[Usage], list[Usage]] = ([], [])
    for pair in range(pairs):
        for place, (program, made) in enumerate((first, second)):
            tell(f"{made.shape.name}: {program.name}, {pair + 1} of {pairs}")
            runs[place].append(once(program, made, scratch))
    return Series(*first, tuple(runs[0])), Series(*second, tuple(runs[1]))


def ratio(ours: Series, theirs: Series, quantity: Callable[[Usage], float]) -> float:
    """The median over the pairs of ours divided by theirs."""
    return median(quantity(a) / quantity(b) for a, b in zip(ours.runs, theirs.runs, strict=True))
