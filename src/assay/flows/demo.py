"""The whole story so far on the bundled example: scores, segments, one query worked out, raters, what is unjudged."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.example import FILES, path
from assay.results import Result

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench

RUNS = ("bm25.run", "dense.run", "two-stage.run")


@dataclass(frozen=True, slots=True)
class Chapter:
    """One step of the story.

    Args:
        heading: the question that it answers.
        command: what to type for the same answer in a folder that holds the files.
        reading: what to look at in the answer.
    """

    heading: str
    command: str
    reading: str


STORY = (
    Chapter(
        "What does each system score?",
        f"assay evaluate {' '.join(RUNS)} judgments.qrels -m nDCG@10,R@20,RR",
        "bm25 loses on R@20: for some queries it does not find what the others find, so no better order could help it.",
    ),
    Chapter(
        "For which queries?",
        f"assay evaluate {' '.join(RUNS)} judgments.qrels -m nDCG@10 --topics topics.csv --by segment",
        "dense is good on tail queries, where people say what they need, and weak on known items, where they type a "
        "model number. Weighted by traffic, bm25 and dense change places.",
    ),
    Chapter(
        "Why does this query score what it scores?",
        "assay explain dense.run judgments.qrels --query q06 --measure nDCG@10 --documents documents.jsonl",
        "A basket and a rack stand above a pannier that answers the query. Documents that nobody judged give no gain; "
        "the second line says what the value would be if they were the worst or the best.",
    ),
    Chapter(
        "Do the two raters see the same?",
        f"assay evaluate {' '.join(RUNS)} ratings.csv -m nDCG@10 --by rater",
        "The same runs by the grades of each rater alone, and by the mean of both. The order of the systems is the "
        "same; how far dense is behind two-stage depends on who judged. bo found something for one query more.",
    ),
    Chapter(
        "How much is unjudged?",
        f"assay evaluate {' '.join(RUNS)} judgments.qrels -m nDCG@10,nDCG:judged_only=True@10",
        "dense gave least to the pool, so least of it is judged. The value over judged documents alone shows how much "
        "that may matter.",
    ),
)
"""The chapters, in the order of the results of `demo`."""


def demo(folder: str | os.PathLike[str] | None = None, bench: Workbench | None = None) -> list[Result]:
    """One result a chapter of `STORY`.

    Args:
        folder: the files are copied there first and read from there; None reads them where they were installed.
        bench: where inputs are found; None is one without a workspace, so that the story is the same in every folder.
    """
    from assay.flows.evaluate import evaluate
    from assay.flows.explain import explain
    from assay.flows.workbench import Workbench

    bench = Workbench() if bench is None else bench
    if folder is not None:
        copy_files(folder)

    def where(name: str) -> str:
        return str(path(name) if folder is None else Path(folder) / name)

    runs, agreed = [where(name) for name in RUNS], where("judgments.qrels")
    typed = [chapter.command for chapter in STORY]
    return [
        evaluate(runs, agreed, "nDCG@10,R@20,RR", bench=bench, command=typed[0]),
        evaluate(runs, agreed, "nDCG@10", topics=where("topics.csv"), by="segment", bench=bench, command=typed[1]),
        explain(
            where("dense.run"), agreed, "q06", "nDCG@10",
            documents=where("documents.jsonl"), bench=bench, command=typed[2],
        ),
        evaluate(runs, where("ratings.csv"), "nDCG@10", by="rater", bench=bench, command=typed[3]),
        evaluate(runs, agreed, "nDCG@10,nDCG(judged_only=True)@10", bench=bench, command=typed[4]),
    ]  # fmt: skip


def copy_files(folder: str | os.PathLike[str]) -> list[Path]:
    """Copies the files of the example into a folder, made when absent; nothing is overwritten."""
    from assay.files import replacing

    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is not a folder", remedy="pass --folder with a new name")
    there = [name for name in FILES if (target / name).exists()]
    if there:
        raise InputError(
            "the file is there already",
            str(target / there[0]),
            "pass --folder with a new name",
            more=[f"{target / name}: the file is there already" for name in there[1:]],
        )
    target.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        with replacing(target / name) as file:
            file.write(path(name).read_bytes())
    return [target / name for name in FILES]
