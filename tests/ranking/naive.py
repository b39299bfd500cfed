"""A slow second implementation of the order of a run, row by row, and the texts that all paths are tried on."""

from __future__ import annotations

import itertools
import random
import struct
from dataclasses import dataclass

import polars as pl

from assay.formats.trec import parse_qrels, parse_run
from assay.ranking.align import Aligned, align, judged
from assay.ranking.conventions import Conventions
from assay.ranking.ranking import Judged
from assay.tables import Block


@dataclass(frozen=True)
class Case:
    """A qrels text and a run text, both in TREC format."""

    name: str
    qrels: str
    run: str


def lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def by_hand(case: Case, conventions: Conventions) -> dict[str, list[tuple[str, int, int, int, float]]]:
    """For each judged query of the run: (document, rank, first, last, grade) of the judged rows, by rank."""
    grades: dict[str, dict[str, float]] = {}
    for query, _, doc, grade in lines(case.qrels):
        grades.setdefault(query, {})
        if conventions.negative == "judged" or float(grade) >= 0:
            grades[query].setdefault(doc, float(grade))
    rows: dict[str, list[tuple[str, float]]] = {}
    for query, _, doc, rank, score, *_ in lines(case.run):
        value = -float(rank) if conventions.order == "rank" else float(score)
        if conventions.scores == "32-bit":
            value = struct.unpack("f", struct.pack("f", value))[0]
        if conventions.duplicates == "refuse" or doc not in [d for d, _ in rows.get(query, [])]:
            rows.setdefault(query, []).append((doc, value))
    out = {}
    for query, shown in rows.items():
        if query not in grades:
            continue
        known, hits, rank = grades[query], [], 0
        shown.sort(key=lambda row: -row[1])
        for _, group in itertools.groupby(shown, key=lambda row: row[1]):
            docs = [doc for doc, _ in group]
            if conventions.ties == "docid":
                docs.sort(key=lambda doc: doc.encode(), reverse=True)
            if conventions.ties == "best":
                docs.sort(key=lambda doc: -known.get(doc, float("-inf")))
            if conventions.ties == "worst":
                docs.sort(key=lambda doc: known.get(doc, float("-inf")))
            for place, doc in enumerate(docs):
                if doc in known:
                    hits.append((doc, rank + place + 1, rank + 1, rank + len(docs), known[doc]))
            rank += len(docs)
        out[query] = sorted(hits, key=lambda hit: hit[1])
    return out


def flat(aligned: Aligned, judged: Judged) -> dict[str, list[tuple[str, int, int, int, float]]]:
    """The same of a ranking that assay made."""
    r = aligned.ranking
    out: dict[str, list[tuple[str, int, int, int, float]]] = {
        judged.queries[code]: [] for code in range(judged.n) if r.answered[code]
    }
    first = r.rank if r.first is None else r.first
    last = r.rank if r.last is None else r.last
    for code, rank, low, high, grade, number in zip(
        r.query.tolist(),
        r.rank.tolist(),
        first.tolist(),
        last.tolist(),
        r.grade.tolist(),
        r.judgment.tolist(),
        strict=True,
    ):
        out[judged.queries[code]].append((judged.docs[number], rank, low, high, grade))
    return out


def small(case: Case) -> tuple[Block, Block]:
    return parse_qrels(case.qrels.encode(), "a.qrels"), parse_run(case.run.encode(), "a.run")


def large(case: Case) -> tuple[Block, Block]:
    def framed(block: Block) -> Block:
        frame = pl.DataFrame(dict(block.frame), schema_overrides={"query_id": pl.String, "doc_id": pl.String})
        return Block(frame, block.place, block.name)

    qrels, run = small(case)
    return framed(qrels), framed(run)


def mixed(case: Case) -> tuple[Block, Block]:
    """Small judgments, large run."""
    return small(case)[0], large(case)[1]


def turned(case: Case) -> tuple[Block, Block]:
    """Large judgments, small run."""
    return large(case)[0], small(case)[1]


PATHS = {"small": small, "large": large, "mixed": mixed, "turned": turned}


def aligned(case: Case, path: str, conventions: Conventions) -> tuple[Aligned, Judged]:
    qrels, run = PATHS[path](case)
    prepared = judged(qrels, conventions)
    return align(run, prepared, conventions), prepared


def run_text(*rows: tuple[str, str, float]) -> str:
    return "".join(f"{query} Q0 {doc} {rank} {score!r} tag\n" for rank, (query, doc, score) in enumerate(rows, 1))


CASES = [
    Case("plain", "q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n", run_text(("q1", "b", 3), ("q1", "a", 2), ("q2", "c", 1))),
    Case("out of order", "q1 0 a 2\nq1 0 b 0\n", run_text(("q1", "x", 1), ("q1", "a", 2), ("q1", "b", 3))),
    Case(
        "all tied", "q1 0 d9 1\nq1 0 d10 0\nq1 0 d11 2\n", run_text(*(("q1", d, 1) for d in ("d11", "d10", "d9", "d1")))
    ),
    Case(
        "ties below others, and before them",
        "q1 0 a 1\nq1 0 b 2\nq1 0 c 0\nq1 0 e 3\n",
        run_text(("q1", "x", 5), ("q1", "a", 4), ("q1", "y", 4), ("q1", "b", 4), ("q1", "c", 1), ("q1", "e", 1)),
    ),
    Case("unjudged only", "q1 0 a 1\n", run_text(("q1", "x", 2), ("q1", "y", 1))),
    Case(
        "missing and unknown queries", "q1 0 a 1\nq2 0 b 1\n", run_text(("q2", "b", 2), ("q3", "a", 1), ("q4", "a", 1))
    ),
    Case(
        "queries in pieces",
        "q1 0 a 1\nq1 0 b 2\nq2 0 a 1\n",
        run_text(("q1", "x", 2), ("q2", "a", 1), ("q1", "a", 3), ("q3", "a", 1), ("q1", "b", 2), ("q2", "z", 4)),
    ),
    Case("descending queries", "q1 0 a 1\nq2 0 a 0\nq3 0 a 2\n", run_text(*((q, "a", 1) for q in ("q3", "q2", "q1")))),
    Case(
        "negative grades", "q1 0 a -1\nq1 0 b 1\nq2 0 c -2\n", run_text(("q1", "a", 1), ("q1", "b", 1), ("q2", "c", 1))
    ),
    Case(
        "ids of any script", "ä 0 Ω 1\nä 0 z 0\n", run_text(("ä", "z", 1), ("ä", "Ω", 1), ("ä", "𝔸", 1), ("ä", "é", 1))
    ),
    Case("near ties", "q1 0 a 1\nq1 0 b 0\n", run_text(("q1", "a", 16777216.1), ("q1", "b", 16777216.4))),
    Case("one document for two queries", "q1 0 a 1\nq2 0 a 0\n", run_text(("q1", "a", 1), ("q2", "a", 1))),
]


def invented(seed: int) -> Case:
    """A random case with everything in it: ties, unjudged, missing, unknown, short, out of order, in pieces."""
    rng = random.Random(seed)
    docs = [rng.choice("abcdeÄΩ") + str(rng.randrange(30)) for _ in range(40)]
    qrels, run = [], []
    for number in range(rng.randrange(1, 7)):
        query = f"q{number}"
        for doc in sorted(set(rng.sample(docs, rng.randrange(1, 12)))):
            qrels.append(f"{query} 0 {doc} {rng.choice([-1, 0, 0, 1, 2, 3])}")
        if rng.random() < 0.8:
            levels = rng.choice([1, 2, 5, 1000])
            shown = sorted(set(rng.sample(docs, rng.randrange(1, 25))))
            rng.shuffle(shown)
            scored = [(query, doc, rng.randrange(levels) / 7) for doc in shown]
            if rng.random() < 0.6:
                scored.sort(key=lambda row: -row[2])
            run += scored
    run += [("unknown", doc, 1.0) for doc in sorted(set(docs[:3]))]
    run += [("nobody", doc, 1.0) for doc in sorted(set(docs[:3]))]
    if rng.random() < 0.3:
        rng.shuffle(run)
    if rng.random() < 0.3:
        rng.shuffle(qrels)
    return Case(f"invented {seed}", "\n".join(qrels) + "\n", run_text(*run))
