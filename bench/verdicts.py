"""Sign flips, max-T and the bootstrap at the size of MS MARCO dev, and what the same flips cost elsewhere.

python -m bench.verdicts TASK FILE prints what one task found; the cases run that in a process of its own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bench.figures import Figure, Goal
from bench.measure import RunError, Usage, run

if TYPE_CHECKING:
    from bench.cases import Bench

F64 = NDArray[np.float64]

ROOT = Path(__file__).parent.parent
PEERS = Path(__file__).parent / "peers"
QUERIES, DIFFERENCES, SYSTEMS = 6_980, 50, 50
FLIPS, RESAMPLES = 100_000, 10_000
PEER_PERMUTATIONS = 2_000
AGAIN = 20_000
SEED = 20_261_130


def differences() -> F64:
    """10 pairs x 5 measures; half of the queries differ, and on no lattice, which would be exact and cheap."""
    rng = np.random.default_rng(SEED)
    size = (DIFFERENCES, QUERIES)
    found: F64 = (rng.beta(0.5, 3, size) * rng.choice([-1.0, 1.0], size) + 0.001) * (rng.random(size) < 0.5)
    return found


def scores() -> F64:
    """50 systems that differ by little, on queries that differ by much."""
    rng = np.random.default_rng(SEED)
    values: F64 = rng.beta(0.5, 1, QUERIES) + rng.normal(0, 0.1, (SYSTEMS, QUERIES))
    return values + 0.0002 * np.arange(SYSTEMS)[:, None]


def main() -> None:
    """Does one task and prints what it found, with the processor time of the call alone."""
    task, path = sys.argv[1:]
    columns = np.load(path)
    queries = [f"q{at}" for at in range(columns.shape[1])]
    started = process_time()
    found: Any
    if task == "flips":
        from assay.stats.randomisation import randomisation

        tests = randomisation(columns, queries, SEED, FLIPS, at=())
        found = [None if test is None else test.p for test in tests]
    elif task == "pairs":
        from assay.stats.max_t import all_pairs

        pairs = all_pairs(columns, queries, SEED, FLIPS).tests
        found = [pairs.p.tolist(), pairs.adjusted.tolist()]
    else:
        from assay.stats.resample import resampled_intervals

        intervals = resampled_intervals(columns, queries, SEED, resamples=RESAMPLES)
        found = [None if each is None else [each.low, each.high] for each in intervals]
    print(json.dumps({"cpu_s": process_time() - started, "found": found}))


def verdicts(bench: Bench) -> Iterator[Figure]:
    """The three tasks, and the first beside scipy and ranx."""
    bench.data.mkdir(exist_ok=True)
    files = {"flips": differences(), "pairs": scores(), "bootstrap": differences()}
    for name, columns in files.items():
        np.save(bench.data / f"verdicts-{name}.npy", columns)
    for name, what, most in (
        ("flips", "10 pairs x 5 measures x 6,980 queries, 100,000 flips", Goal(8)),
        ("pairs", "1,225 pairs of 50 systems, 100,000 flips, max-T", Goal(12)),
        ("bootstrap", "bootstrap, 10,000 x 50 differences", Goal(2)),
    ):
        bench.tell(what)
        used, seconds = _timed(bench, name, files[name])
        yield Figure(what, "CPU", "s", median(each.cpu_s for each in used), goal=most)
        yield Figure(what, "wall", "s", median(each.wall_s for each in used))
        peak = median(each.peak_bytes for each in used) / 2**20
        yield Figure(what, "peak memory", "MiB", peak, goal=Goal(300) if name == "flips" else None)
        if name == "flips":
            yield from _against_peers(bench, what, median(seconds), files[name][0])


def _timed(bench: Bench, name: str, columns: F64) -> tuple[list[Usage], list[float]]:
    """Runs a task after a run that is not recorded, and checks everything that it says."""
    out = bench.scratch / f"verdicts-{name}.out"
    # by its path and not by -m: the output folder is where it runs
    starter = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from bench.verdicts import main; main()"
    command = [sys.executable, "-c", starter, name, str(bench.data / f"verdicts-{name}.npy")]
    used, seconds, said = [], [], set()
    for again in range(bench.pairs + 1):
        usage, found = run(command, out), json.loads(out.read_text("utf-8"))
        said.add(json.dumps(found["found"]))
        if again:
            used.append(usage)
            seconds.append(float(found["cpu_s"]))
    if len(said) != 1:
        raise RunError(f"{name}: the same seed gave different answers")
    _check(name, columns, json.loads(said.pop()))
    return used, seconds


def _check(name: str, columns: F64, found: Any) -> None:
    """Every value against a plain program with other random numbers, within what chance may do."""
    if name == "bootstrap":
        error = columns.std(axis=1, ddof=1) / np.sqrt(QUERIES)
        ends = (np.array(found) - columns.mean(axis=1)[:, None]) / error[:, None]
        if not (np.abs(ends - [-1.96, 1.96]) < 0.15).all():
            raise RunError("a bootstrap interval of 6,980 queries is far from the normal one")
        return
    if name == "pairs":
        first, second = np.triu_indices(SYSTEMS, 1)
        p, adjusted = np.array(found)
        if not (adjusted >= p).all():
            raise RunError("an adjusted p is below its p")
        some = np.random.default_rng(1).choice(len(first), 40, replace=False)
        columns, p = columns[second[some]] - columns[first[some]], p[some]
    else:
        p = np.array(found)
    _check_drawn(name, columns, p, AGAIN)


def _check_drawn(name: str, columns: F64, p: F64, fewest: float) -> None:
    rng, reached = np.random.default_rng(2), np.zeros(len(columns))
    observed = np.abs(columns.sum(axis=1)) * (1 - 1e-9)
    for _ in range(AGAIN // 500):
        signs = rng.choice([-1.0, 1.0], (columns.shape[1], 500))
        reached += (np.abs(columns @ signs) >= observed[:, None]).sum(axis=1)
    share = reached / AGAIN
    if not (np.abs(p - share) <= 6 * np.sqrt(share * (1 - share) / fewest) + 6 / fewest).all():
        raise RunError(f"{name}: a p differs from that of a plain loop by more than chance")


def _against_peers(bench: Bench, what: str, ours: float, column: F64) -> Iterator[Figure]:
    """One difference and fewer permutations elsewhere, made 50 x 50 times as much: its cost is proportional to both."""
    scale = DIFFERENCES * FLIPS / PEER_PERMUTATIONS
    for library in ("scipy", "ranx"):
        found = _peer(bench, library)
        if found is None:
            bench.tell(f"{library} is left out: not installed in {', '.join(bench.python)}")
            continue
        for each in found:
            _check_drawn(library, column[None], np.array([each["p"]]), 1.5 * PEER_PERMUTATIONS)
        theirs = median(float(each["cpu_s"]) for each in found) * scale
        rest = "its work scaled up from 1 difference x 2,000 permutations"
        yield Figure(f"{what}, against {library} ({rest})", "CPU of the call", "s", ours, theirs, ours / theirs)


def _peer(bench: Bench, library: str) -> list[dict[str, float]] | None:
    from bench.programs import installed

    for interpreter in bench.python:
        version = installed(interpreter, library)
        if version:
            break
    else:
        return None
    bench.used[library] = version
    bench.tell(f"{library}: {PEER_PERMUTATIONS:,} permutations of one difference")
    out = bench.scratch / f"verdicts-{library}.out"
    path = str(bench.data / "verdicts-flips.npy")
    command = [interpreter, str(PEERS / "use_permutations.py"), library, path, "0", str(PEER_PERMUTATIONS)]
    found = []
    for _ in range(bench.pairs):
        run(command, out)
        found.append(json.loads(out.read_text("utf-8")))
    return found


if __name__ == "__main__":
    main()
