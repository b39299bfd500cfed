"""Numbers that other tools printed for small lists of ours: which tool, which version, which call, and how."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay.flows.evaluate import one_grade_a_pair
from assay.measures.grammar import parse
from assay.measures.reconcile import search
from assay.ranking.conventions import Conventions
from assay.tables import Block

HERE = Path(__file__).parent / "reconcile"


@dataclass(frozen=True)
class Printed:
    """One number of one tool."""

    tool: str
    version: str
    input: str
    measure: str
    call: str
    value: float
    decimals: int

    @property
    def step(self) -> float:
        """What the last decimal that is trusted is worth."""
        return 10.0**-self.decimals


def read(path: Path) -> list[Printed]:
    """The numbers of one tool."""
    text = tomllib.loads(path.read_text(encoding="utf-8"))
    about = {name: text[name] for name in ("tool", "version", "decimals")}
    return [Printed(**about, **one) for one in text["printed"]]


FILES = sorted(path for path in HERE.glob("*.toml") if path.name != "inputs.toml")


@cache
def inputs() -> dict[str, tuple[Block, Block]]:
    """Run and judgments of each input by its name."""
    text = tomllib.loads((HERE / "inputs.toml").read_text(encoding="utf-8"))
    return {name: (_run(entry["run"]), _qrels(entry["qrels"])) for name, entry in text.items()}


def _rows(text: str) -> Iterator[list[str]]:
    return (line.split() for line in text.strip().splitlines())


def _qrels(text: str) -> Block:
    rows = list(_rows(text))
    columns: dict[str, list[Any]] = {"query_id": [row[0] for row in rows], "doc_id": [row[1] for row in rows],
                                     "grade": [float(row[2]) for row in rows]}  # fmt: skip
    return Block(columns, lambda row: f"judgment {row + 1}", "qrels")


def _run(text: str) -> Block:
    """Ranks count the rows of each query in the order of the file."""
    rows = list(_rows(text))
    queries = [row[0] for row in rows]
    ranks = [queries[: at + 1].count(query) for at, query in enumerate(queries)]
    columns: dict[str, list[Any]] = {"query_id": [row[0] for row in rows], "doc_id": [row[1] for row in rows],
                                     "score": [float(row[2]) for row in rows], "rank": ranks}  # fmt: skip
    return Block(columns, lambda row: f"row {row + 1}", "run")


def case(printed: Printed) -> search.Case:
    """What is searched for a number."""
    run, qrels = inputs()[printed.input]
    (measure,) = parse(printed.measure)
    return search.case_of(run, one_grade_a_pair(qrels, Conventions()), measure, Conventions())
