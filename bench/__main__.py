"""`python -m bench`: makes the files, runs everything side by side, prints the table."""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench.cases import Bench, cases
from bench.figures import Figure, markdown, plain
from bench.measure import RunError, told_environment

DATA = Path(__file__).with_name("data")
BEGIN, END = "<!-- figures: written by `python -m bench --write` -->", "<!-- end of figures -->"


def main() -> int:
    """Gives the exit status: 0 when every run was right, whether or not a goal was reached; 3 when one was not."""
    options = _options()
    pairs = 1 if options.quick else options.pairs
    sizes = tuple(options.sizes.split(","))
    started = time.monotonic()
    loads: list[float] = []

    def tell(what: str) -> None:
        loads.append(os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0)
        print(f"[{time.monotonic() - started:5.0f} s] {what}", file=sys.stderr, flush=True)

    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as scratch:
        bench = Bench(DATA, Path(scratch), sizes, pairs, (sys.executable, *options.peer_python), tell)
        wanted = {
            name: case
            for name, case in cases(sizes, options.huge).items()
            if not options.only or any(name.startswith(word) for word in options.only)
        }
        try:
            for case in wanted.values():
                figures += case(bench)
        except RunError as problem:
            print(f"the benchmark failed, no figure counts: {problem}", file=sys.stderr)
            if figures:
                print("measured before, to look for the fault only:\n" + plain(figures), file=sys.stderr)
            return 3
    foot = _foot(bench, loads)
    print(plain(figures))
    print("\n".join(foot))
    if options.write:
        _write(options.write, figures, foot)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--sizes", default="S,M,L,XL", help="which sizes (S,M,L,XL)")
    parser.add_argument("--pairs", type=int, default=5, help="how often each comparison is repeated (5)")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="only the cases whose names begin so; may be repeated",
    )
    parser.add_argument("--huge", action="store_true", help="also 97.7 million rows (needs 4 GB on the disk)")
    parser.add_argument("--quick", action="store_true", help="one pair each: to see that it runs, not for figures")
    parser.add_argument(
        "--peer-python", action="append", default=[], metavar="PATH", help="another interpreter to look for peers in"
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page (docs/benchmarks.md)")
    options = parser.parse_args()
    unknown = set(options.sizes.split(",")) - {"S", "M", "L", "XL"}
    if unknown:
        parser.error(f"unknown sizes {', '.join(sorted(unknown))}; there are S, M, L and XL")
    return options


def _foot(bench: Bench, loads: list[float]) -> list[str]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0
    peers = [f"{name} {number}" for name, number in bench.used.items() if number and "assay," not in name]
    libraries = [f"{name} {version(name)}" for name in ("numpy", "polars")]
    env = [f"{key}={value}" for key, value in told_environment().items()]
    return [
        f"{datetime.now(UTC):%Y-%m-%d}, `python -m bench {shlex.join(_told(sys.argv[1:]))}`".replace(" `", " `", 1),
        f"medians of {bench.pairs} alternating pairs; ratio is assay divided by the other, median over the pairs",
        f"{cores} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}, "
        f"load {min(loads, default=0):.1f} to {max(loads, default=0):.1f} (the benchmark itself makes about 1)",
        ", ".join(dict.fromkeys([*peers, *libraries])),
        f"set in the environment: {', '.join(env) if env else 'nothing that changes threads or memory'}",
    ]


def _told(words: list[str]) -> list[str]:
    """The command without the paths of this machine."""
    return [Path(word).name if os.sep in word and not word.startswith("docs") else word for word in words]


def _write(page: Path, figures: list[Figure], foot: list[str]) -> None:
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{page} has no place for the figures: {BEGIN} ... {END}")
    lines = "\n".join(f"- {line}" for line in foot)
    page.write_text(f"{before}{BEGIN}\n\n{markdown(figures)}\n\n{lines}\n\n{END}{after}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
