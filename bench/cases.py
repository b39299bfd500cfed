"""The comparisons that are made, and the figures asked for."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from bench import copies, programs
from bench.bounds import unjudged
from bench.figures import Figure, Goal
from bench.generate import SHAPES, Files, files
from bench.measure import RunError, Usage, environment, run
from bench.programs import Program
from bench.reference import expected
from bench.report import report
from bench.side_by_side import Series, alternate, once, ratio
from bench.verdicts import verdicts

ROOT = Path(__file__).parent.parent
ROOM_FOR_H = 6 * 2**30

CPU_OF_TREC_EVAL = {"M": Goal(0.27, 0.22), "L": Goal(0.11, 0.09), "XL": Goal(0.42, 0.30)}
PEAK_OF_TREC_EVAL = {"M": Goal(0.6)}
CPU_OF_PEER = {"pytrec_eval": Goal(1 / 4), "ir_measures": Goal(1 / 15), "ranx": Goal(1 / 13)}
CPU_OF_PARSING = {"M": Goal(1.6), "XL": Goal(3.2, 2.0)}
HARDER = {"M-shuffled": "lines shuffled", "M-ties": "half tied", "M-irregular": "mixed blanks, CR LF"}


@dataclass(slots=True)
class Bench:
    """What a whole run of the benchmark needs.

    Args:
        data: folder of the generated files.
        scratch: folder of the outputs.
        sizes: of S, M, L, XL.
        pairs: how often each comparison is repeated.
        python: interpreters in which peers are looked for.
        tell: says what is happening.
        used: every program that took part, for the foot of the table.
        floors: processor time of parsing alone, by size.
    """

    data: Path
    scratch: Path
    sizes: tuple[str, ...]
    pairs: int
    python: tuple[str, ...]
    tell: Callable[[str], None]
    used: dict[str, str] = field(default_factory=dict)
    floors: dict[str, float] = field(default_factory=dict)

    def files(self, name: str) -> Files:
        """The files of a shape, with the expected values beside them."""
        if not (self.data / f"{name}.json").exists():
            self.tell(f"{name}: writing the files")
        made = files(SHAPES[name], self.data)
        expected(made)
        return made

    def compare(self, ours: tuple[Program, Files], theirs: tuple[Program, Files]) -> tuple[Series, Series]:
        """Both in turn; remembers who took part."""
        for program, _ in (ours, theirs):
            self.used[program.name] = program.version
        return alternate(ours, theirs, self.pairs, self.scratch, self.tell)

    def doubt(self, *series: Series) -> str:
        """Says so when a program that must read every row used less processor than reading alone (S is too small)."""
        for one in series:
            shape = one.made.shape
            size = shape.of.name if shape.of else shape.name
            if one.program.reads_rows and size in self.floors and one.cpu_s < self.floors[size]:
                return f"suspicious: {one.program.name} is below the parse floor of {self.floors[size]:.2f} s"
        return ""


def cpu(used: Usage) -> float:
    """User and system seconds."""
    return used.cpu_s


def wall(used: Usage) -> float:
    """Seconds on the clock."""
    return used.wall_s


def peak(used: Usage) -> float:
    """Largest resident memory."""
    return float(used.peak_bytes)


def three(
    bench: Bench, what: str, ours: Series, theirs: Series, cpu_goal: Goal | None, peak_goal: Goal | None = None
) -> Iterator[Figure]:
    """Processor, wall clock and memory of one comparison."""
    doubt = bench.doubt(ours, theirs)
    yield Figure(what, "CPU", "s", ours.cpu_s, theirs.cpu_s, ratio(ours, theirs, cpu), cpu_goal, doubt)
    yield Figure(what, "wall", "s", ours.wall_s, theirs.wall_s, ratio(ours, theirs, wall))
    yield Figure(what, "peak memory", "MiB", ours.peak_mib, theirs.peak_mib, ratio(ours, theirs, peak), peak_goal)


def against_parsing(bench: Bench, size: str) -> Iterator[Figure]:
    """Against polars reading three columns. Runs first: the other cases take its figure as the floor."""
    made = bench.files(size)
    ours, theirs = bench.compare((programs.product(), made), (programs.floor(), made))
    bench.floors[size] = theirs.cpu_s
    yield from three(bench, f"{size}, against parsing alone", ours, theirs, CPU_OF_PARSING.get(size))


def against_trec_eval(bench: Bench, size: str) -> Iterator[Figure]:
    """Against the C program."""
    other = programs.trec_eval()
    if other is None:
        bench.tell("trec_eval is left out: TREC_EVAL does not name it")
        return
    made = bench.files(size)
    ours, theirs = bench.compare((programs.product(), made), (other, made))
    what = f"{size}, against trec_eval"
    yield from three(bench, what, ours, theirs, CPU_OF_TREC_EVAL.get(size), PEAK_OF_TREC_EVAL.get(size))


def against_peer(bench: Bench, module: str) -> Iterator[Figure]:
    """Against a Python peer on M, its import included."""
    other = programs.peer(module, bench.python)
    if other is None:
        bench.tell(f"{module} is left out: not installed in {', '.join(bench.python)}")
        return
    made = bench.files("M")
    ours, theirs = bench.compare((programs.product(), made), (other, made))
    yield from three(bench, f"M, against {module}", ours, theirs, CPU_OF_PEER[module])


def in_memory(bench: Bench) -> Iterator[Figure]:
    """Tables and dicts ready, one process, against pytrec_eval."""
    if programs.peer("pytrec_eval", (sys.executable,)) is None:
        bench.tell("in memory is left out: pytrec_eval is not installed beside assay")
        return
    made = bench.files("M")
    bench.tell("M: in memory")
    command = [sys.executable, "-m", "bench.inmemory", str(made.run), str(made.qrels)]
    command += [str(made.run.with_suffix(".expected.parquet")), str(bench.pairs)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"status {done.returncode} from bench.inmemory\n{done.stderr.strip()[-2_000:]}")
    pairs = json.loads(done.stdout)
    ours, theirs = median(a for a, _ in pairs), median(b for _, b in pairs)
    yield Figure(
        "M in memory, against pytrec_eval", "CPU", "s", ours, theirs, median(a / b for a, b in pairs), Goal(1 / 3)
    )


def harder(bench: Bench, name: str) -> Iterator[Figure]:
    """A file that is harder to read, against the clean one; both by the product."""
    bench.files("M")
    ours, theirs = bench.compare((programs.product(), bench.files(name)), (programs.product(), bench.files("M")))
    yield from three(bench, f"M, {HARDER[name]}, against clean", ours, theirs, Goal(4))


def small(bench: Bench) -> Iterator[Figure]:
    """S without and with intervals."""
    made = bench.files("S")
    ours, theirs = bench.compare((programs.product(), made), (programs.product_means(), made))
    yield Figure("S, every query, no interval", "CPU", "s", ours.cpu_s, goal=Goal(0.30))
    yield Figure("S, every query, no interval", "wall", "s", ours.wall_s)
    yield Figure("S, means and intervals", "CPU", "s", theirs.cpu_s, goal=Goal(0.40))
    yield Figure("S, means and intervals", "wall", "s", theirs.wall_s)


def start_up(bench: Bench) -> Iterator[Figure]:
    """--help and --version."""
    for option in ("--help", "--version"):
        out = bench.scratch / f"start{option}.out"
        command = [sys.executable, "-m", "assay", option]
        bench.tell(f"assay {option}")
        run(command, out)
        runs = []
        for _ in range(3 * bench.pairs):
            runs.append(run(command, out))
            if "assay" not in out.read_text("utf-8"):
                raise RunError(f"assay {option} did not name itself")
        yield Figure(f"assay {option}", "wall", "s", median(map(wall, runs)), goal=Goal(0.15))
        yield Figure(f"assay {option}", "CPU", "s", median(map(cpu, runs)))


def huge(bench: Bench) -> Iterator[Figure]:
    """98 million rows, once."""
    bench.files("M")
    if not (bench.data / "H.json").exists() and shutil.disk_usage(bench.data).free < ROOM_FOR_H:
        raise RunError(f"H needs {ROOM_FOR_H / 2**30:.0f} GiB on the disk of {bench.data}")
    made = bench.files("H")
    bench.tell(f"H: {made.shape.rows / 1e6:.1f} million rows")
    used = once(programs.product(), made, bench.scratch)
    yield Figure("H, 97.7 million rows", "CPU", "s", used.cpu_s, goal=Goal(22))
    yield Figure("H, 97.7 million rows", "wall", "s", used.wall_s)
    yield Figure("H, 97.7 million rows", "peak memory", "MiB", used.peak_bytes / 2**20, goal=Goal(400))


Case = Callable[[Bench], Iterator[Figure]]


def cases(sizes: tuple[str, ...], with_huge: bool) -> dict[str, Case]:
    """Every case by name, in the order in which they run."""
    found: dict[str, Case] = {"start": start_up}
    if "S" in sizes:
        found["small"] = small
    for size in sizes:
        if size != "S":
            found[f"parse-{size}"] = partial(against_parsing, size=size)
    for size in sizes:
        found[f"trec_eval-{size}"] = partial(against_trec_eval, size=size)
    if "M" in sizes:
        for name in HARDER:
            found[name] = partial(harder, name=name)
        found["in-memory"] = in_memory
        for module in CPU_OF_PEER:
            found[module] = partial(against_peer, module=module)
    found |= copies.cases(sizes)
    found["verdicts"] = verdicts
    found["report"] = report
    found["unjudged"] = unjudged
    if with_huge:
        found["huge"] = huge
    return found
