"""What is run side by side: the product, the peers that are installed, and the floor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from bench.check import Answer, check_count, check_means, check_queries
from bench.generate import Files
from bench.reference import MEASURES, expected

PEERS = Path(__file__).with_name("peers")
TREC_EVAL = {
    "ndcg_cut.10": "nDCG@10",
    "P.10": "P@10",
    "recall.100": "R@100",
    "recip_rank": "RR",
    "map": "AP",
    "ndcg": "nDCG",
    "bpref": "Bpref",
    "Rprec": "Rprec",
}
TREC_EVAL_ALSO = ("unj.10", "num_rel_ret")  # it has no exponential gain and no judged share: as near to ten as it comes
PYTREC_EVAL = {name.replace(".", "_"): ours for name, ours in TREC_EVAL.items()}
IR_MEASURES = {name: name for name in MEASURES if "gain" not in name}
RANX = {"ndcg@10": "nDCG@10", "precision@10": "P@10", "recall@100": "R@100", "mrr": "RR", "map": "AP"}
RANX_TIES = 3e-3  # it leaves tied documents in the order of an unstable sort


@dataclass(frozen=True, slots=True)
class Program:
    """One thing that can be run and timed.

    Args:
        name: for the table.
        version: as it says of itself.
        command: the command for a pair of files.
        check: reads the output of a run and raises RunError when it is wrong.
        reads_rows: whether it must parse every row, so that less processor than the floor is not believable.
    """

    name: str
    version: str
    command: Callable[[Files], list[str]]
    check: Callable[[Path, Files], None]
    reads_rows: bool = True


def _queries(answer: Answer, who: str) -> Callable[[Path, Files], None]:
    return lambda output, made: check_queries(output, answer, expected(made), who)


def product(
    measures: Sequence[str] = MEASURES, *, name: str = "assay", more: Sequence[str] = (), reads_rows: bool = True
) -> Program:
    """`assay evaluate`, every query, without intervals; with more options under another name."""
    answer = Answer({name: name for name in measures}, "csv", len(measures), each=1e-9)
    options = ["-m", ",".join(measures), "--per-query", "--format", "csv", "--interval", "none", *more]
    return Program(
        name,
        installed(sys.executable, "assay"),
        lambda made: [sys.executable, "-m", "assay", "evaluate", str(made.run), str(made.qrels), *options],
        _queries(answer, name),
        reads_rows,
    )


def product_means() -> Program:
    """`assay evaluate`, the means with their intervals."""
    options = ["-m", ",".join(MEASURES), "--format", "csv"]
    return Program(
        "assay, means and intervals",
        installed(sys.executable, "assay"),
        lambda made: [sys.executable, "-m", "assay", "evaluate", str(made.run), str(made.qrels), *options],
        lambda output, made: check_means(output, {name: name for name in MEASURES}, expected(made), "assay"),
    )


def trec_eval() -> Program | None:
    """The program at TREC_EVAL; None where the variable is not set."""
    path = os.environ.get("TREC_EVAL")
    if not path:
        return None
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    names = [*TREC_EVAL, *TREC_EVAL_ALSO]
    options = ["-q", *(word for name in names for word in ("-m", name))]
    answer = Answer(PYTREC_EVAL, "lines", len(names), each=6e-5, undefined="zero")  # it prints four decimals
    return Program(
        "trec_eval",
        (said.stdout + said.stderr).strip().rpartition(" ")[2],
        lambda made: [path, *options, str(made.qrels), str(made.run)],
        _queries(answer, "trec_eval"),
    )


def peer(module: str, python: Sequence[str]) -> Program | None:
    """A Python peer, run by the first of these interpreters that can import it; None where none can."""
    names, each, mean = {
        "pytrec_eval": (PYTREC_EVAL, None, 5e-5),  # scores in 32 bits: single queries may differ
        "ir_measures": (IR_MEASURES, None, 5e-5),
        "ranx": (RANX, None, RANX_TIES),
    }[module]
    answer = Answer(names, "lines", len(MEASURES), each=each, mean=mean, undefined="zero")
    for interpreter in python:
        version = installed(interpreter, {"pytrec_eval": "pytrec-eval-terrier"}.get(module, module))
        if version:
            start = [interpreter, str(PEERS / f"use_{module}.py")]
            return Program(module, version, partial(_run_qrels, start), _queries(answer, module))
    return None


def _run_qrels(start: list[str], made: Files) -> list[str]:
    return [*start, str(made.run), str(made.qrels)]


def floor() -> Program:
    """Polars reads the three needed columns and nothing else happens."""
    return Program(
        "polars, parse only",
        pl.__version__,
        lambda made: [sys.executable, str(PEERS / "parse_only.py"), str(made.run)],
        lambda output, made: check_count(output, made.shape.rows, "parse only"),
    )


def installed(interpreter: str, distribution: str) -> str:
    """The installed version of a distribution in an interpreter; empty where it is not there."""
    code = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
    said = subprocess.run([interpreter, "-c", code, distribution], capture_output=True, text=True, check=False)
    return said.stdout.strip() if said.returncode == 0 else ""
