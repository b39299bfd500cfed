"""What one run of a program used: processor, wall clock, peak memory, of itself and of its children."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launch.py")
SLOWING = ("OPENBLAS_", "OMP_", "MKL_", "NUMBA_", "POLARS_", "RAYON_", "MALLOC_")  # told beside the figures
DROPPED = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONOPTIMIZE")


class RunError(Exception):
    """A program under measurement ended badly or gave a wrong output; nothing of it may be printed as a figure."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run used."""

    cpu_s: float
    wall_s: float
    peak_bytes: int


def environment() -> dict[str, str]:
    """The environment of every timed run, ours and the peers' alike: bytecode may be kept, no settings of ours."""
    return {key: value for key, value in os.environ.items() if key not in DROPPED and not key.startswith("ASSAY_")}


def told_environment() -> dict[str, str]:
    """The variables in force that are known to change how fast numerical libraries start or run."""
    return {key: value for key, value in sorted(environment().items()) if key.startswith(SLOWING)}


def run(command: Sequence[str], out: Path, limit_s: int = 1_800, env: Mapping[str, str] | None = None) -> Usage:
    """Runs a command with its standard output in a file.

    Raises:
        RunError: it did not end with status 0.
    """
    err, told = out.with_suffix(".err"), out.with_suffix(".usage")
    told.unlink(missing_ok=True)
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), str(out), str(err), str(told), str(limit_s)]
    subprocess.run([*launcher, *command], check=True, cwd=out.parent, env=dict(env or environment()))
    numbers = json.loads(told.read_text("utf-8"))
    if numbers["status"] != 0:
        said = err.read_text("utf-8", "replace").strip()[-2_000:]
        raise RunError(f"status {numbers['status']} from: {' '.join(command)}\n{said}")
    return Usage(numbers["user_s"] + numbers["system_s"], numbers["wall_s"], numbers["peak_bytes"])
