"""The small path and the stream: one answer, one set of notes, one error with one place, also for nasty files."""

from __future__ import annotations

import gzip
import random
import warnings
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.flows.evaluate import evaluate
from assay.flows.workbench import Workbench
from assay.formats import blocks

DOCS = ["d1", "d2", "d10", "9", "10", "007", "é", "日本", "x" * 300, "a#b", '"q"', "a,b", "=cmd|x", "-d", "\x1b[31m",
        "\u202e", "😀", "\xa0", "a\x85b", "\ufeff", "\x01", "d\x1f", "\u2028", "\x1c", "None", "nan",
        "1e5", "#x"]  # fmt: skip
QUERIES = ["q1", "q2", "q3", "#q", "10", "9", "007", "é", "q'", "\xa0q", "q\x1c", "-q"]
SCORES = ["1", "2", "3", "0.5", "-1", "-0.0", "0", "1e3", "1e-320", "1e308", "+4", ".5", "5.", "00012",
          "1.0000000000000001", "16777217", "16777216", "123456789012345678901234567890"]  # fmt: skip
GRADES = ["0", "1", "2", "3", "-1", "0.5", "1e0", "+1", "-0"]
WRONG = ["nan", "1e999", "1_0", "x", "inf", "0x1", "1,5", "١"]
BLANKS = [" "] * 20 + ["  ", "\t", " \t", "\v", "\f"]
CHOICES: dict[str, list[Any]] = {
    "ties": ["docid", "input", "expected", "best", "worst"], "order": ["auto", "score", "rank"],
    "scores": ["64-bit", "32-bit"], "missing": ["zero", "skip", "error"], "no_relevant": ["drop", "zero", "one"],
    "unlisted": ["unjudged", "not-relevant"], "duplicates": ["refuse", "keep-first"],
    "negative": ["judged", "unjudged"], "rel": [0, -1, 1, 2, 0.5],
}  # fmt: skip
MEASURES = "nDCG@3 nDCG P@2 R@5 RR AP Bpref Judged@4 Rprec NumRet RankOfFirst P(judged_only=True)@3"


def lines(rng: random.Random, queries: list[str], values: list[str], *, is_run: bool) -> list[str]:
    found = []
    for query in queries:
        docs = rng.sample(DOCS, rng.randint(1, 12))
        for rank, doc in enumerate(docs, 1):
            fields = (
                [query, "Q0", doc, str(rank), rng.choice(values), "t"]
                if is_run
                else [query, "0", doc, rng.choice(values)]
            )
            found.append("".join(f"{field}{rng.choice(BLANKS)}" for field in fields[:-1]) + fields[-1])
            if is_run and rng.random() < 0.05:
                found[-1] += " more"
    if rng.random() < 0.3:
        rng.shuffle(found)
    if rng.random() < 0.2:
        found.insert(rng.randint(0, len(found)), rng.choice(["# a comment", "", "  "]))
    return found


def content(rng: random.Random, found: list[str]) -> bytes:
    ends = rng.choice(["\n"] * 5 + ["\r\n", "\r"])
    data = (ends.join(found) + ends * (rng.random() < 0.8)).encode()
    return b"\xef\xbb\xbf" + data if rng.random() < 0.1 else data


def outcome(run: Path, qrels: Path, small: int, choices: dict[str, Any]) -> list[str]:
    """Everything that is said; the stream compares rank numbers in its first block only."""
    try:
        scores = evaluate([run], qrels, MEASURES, bench=Workbench(small=small), **choices)
    except InputError as error:
        return [str(error).replace("comments and blank lines", "comment lines")]
    notes = [str(note) for note in scores.notes if note.code != "rank-against-score"]
    return [repr(scores.values.tolist()), repr(scores.judged.tolist()), repr(scores.coverage), *notes]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))])
@pytest.mark.parametrize("is_lawful", [True, False])
def test_a_file_says_the_same_by_both_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, is_lawful: bool
) -> None:
    rng = random.Random(7000 + seed)
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    for _ in range(25):
        queries = rng.sample(QUERIES, rng.randint(1, 5))
        data = {
            run: lines(rng, queries, SCORES, is_run=True),
            qrels: lines(rng, [*rng.sample(queries, rng.randint(1, len(queries))), "zz"], GRADES, is_run=False),
        }
        if not is_lawful:
            for _ in range(rng.randint(1, 5)):
                query, value = rng.choice(queries), rng.choice(WRONG)
                faulty = (
                    [f"{query} Q0 new 1 {value} t", f"{query} Q0 new 1"],
                    [f"{query} 0 new {value}", f"{query} 0 new"],
                )
                which = rng.randrange(2)
                wrong = data[(run, qrels)[which]]
                wrong.insert(rng.randint(0, len(wrong)), rng.choice(faulty[which]))
        for file, found in data.items():
            text = content(rng, found)
            file.write_bytes(gzip.compress(text) if rng.random() < 0.3 else text)
        choices = {name: rng.choice(values) for name, values in CHOICES.items() if rng.random() < 0.25}
        expected = outcome(run, qrels, 1 << 30, choices)
        for size in (1 << 23, rng.choice([60, 200, 500])):
            monkeypatch.setattr(blocks.RunBlocks.__init__, "__defaults__", (size,))
            monkeypatch.setattr(blocks.read_qrels, "__defaults__", (size,))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert outcome(run, qrels, 0, choices) == expected, (choices, size, run.read_bytes())
