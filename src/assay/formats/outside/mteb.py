"""What MTEB keeps of a task: result JSON, whose scores are shown and not carried, and predictions, which are runs.

A score of MTEB is a mean over queries; nothing can be compared with it, or recomputed from it. Predictions can.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from assay.errors import InputError, did_you_mean
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Losses, one_run, ranked, scored, untaken
from assay.formats.nested import Node, number, paths, plain, read_tree, to_json
from assay.formats.outgoing import hits_unheld
from assay.formats.score_maps import run_of, stem
from assay.tables import Block, Hit

TITLE = "an MTEB file"
_SHAPE = (
    '{"task_name": NAME, "scores": {SPLIT: [{"main_score": 0.5, "hf_subset": NAME}]}}, or {QUERY_ID: {DOC_ID: SCORE}}'
)
_WHY = "a score is a mean over queries: save the predictions too, and give them with the judgments"
_FACTS = 6
_MARKS = frozenset(("task_name", "mteb_version", "mteb_dataset_name"))
"""What only result files have."""


def read(source: Source, wishes: Wishes) -> Carried:
    """Scores as facts; predictions as a run, of the subset and split that the options name where there are several."""
    name = name_of(source)
    root = read_tree(source, _SHAPE)
    losses = Losses(name)
    if root.has("scores") or root.has("mteb_version") or root.has("mteb_dataset_name"):
        facts = [f"{name}: {title} is {value}" for title, value in _scores(root, losses)]
        if not facts:
            raise root.fault("holds no score")
        shown = facts[:_FACTS] + ([f"{name}: and {len(facts) - _FACTS} more"] if len(facts) > _FACTS else [])
        return Carried(name, lost=losses.all(), facts=tuple(shown), more=plain(root.value))
    runs: dict[str, Block] = {}
    found = _predictions(root, wishes, name)
    run = run_of(found, name)
    if not len(run) and not run.empty:
        raise root.fault("holds no query")
    runs[wishes.options.get("run") or stem(source)] = run.block()
    return Carried(name, {}, runs)


def _scores(root: Node, losses: Losses) -> Iterator[tuple[str, Any]]:
    task = str(root.value.get("task_name") or root.value.get("mteb_dataset_name") or "the task")
    scores = root.get("scores")
    if scores is None:  # before version 1.11, each split stood at the top
        for split, held in root.members():
            if held.is_dict:
                main = held.get("main_score", "ndcg_at_10")
                _count(held, losses)
                yield f"{task}, {split}, main score", "not said" if main is None else main.value
        return
    for split, subsets in scores.members():
        for one in subsets.each():
            _count(one, losses)
            yield f"{task}, {split}, {one.value.get('hf_subset', 'default')}, main score", one.need("main_score").value


def _count(held: Node, losses: Losses) -> None:
    values = [value for key, value in held.members() if key not in ("hf_subset", "languages") and not value.is_dict]
    losses.add("values of measures", _WHY, held, count=len(values))


def _predictions(root: Node, wishes: Wishes, name: str) -> Node:
    """What holds query to document to score: the file itself, or one subset and split of it."""
    at = root
    for option in ("subset", "split"):
        parts = {key: node for key, node in at.members() if key != "mteb_model_meta"}
        first = next(iter(parts.values()), None)
        inner = next((node for _, node in first.members()), None) if first is not None and first.is_dict else None
        if inner is None or not inner.is_dict:
            return at
        wanted = wishes.options.get(option)
        if wanted is not None and wanted not in parts:
            what = f"has no {option} {wanted}{did_you_mean(wanted, parts)}"
            raise InputError(what, at.where, f"the {option}s are {', '.join(parts)}")
        if wanted is None and len(parts) > 1:
            raise InputError(
                f"holds several {option}s", at.where, f"choose one by --option {option}=NAME: {', '.join(parts)}"
            )
        at = parts[wanted] if wanted is not None else next(iter(parts.values()))
    return at


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """One run as predictions of a subset and split; ranks without scores become falling whole numbers.

    Without a run, the result file that was read, as it was.
    """
    losses = Losses(carried.name)
    if not carried.runs and _MARKS & set(carried.more):
        untaken(carried, (), TITLE, losses)
        content = dict(carried.more)
    else:
        system, run = one_run(carried, TITLE, wishes.options.get("run", ""))
        hits_unheld([run], ("score", "rank"), TITLE, losses)
        untaken(carried, (Hit,), TITLE, losses)
        if left := sum(len(block) for name, block in carried.runs.items() if name != system):
            losses.add("hits of other runs", f"{TITLE} holds one run", count=left)
        hits = {query: {doc: number(score) for doc, score in scored(docs)} for query, docs in ranked(run).items()}
        subset, split = wishes.options.get("subset", "default"), wishes.options.get("split", "test")
        content = {"mteb_model_meta": {"model_name": system, "revision": None}, subset: {split: hits}}
    with replacing(target) as file:
        file.write(to_json(content))
    return losses.all()


register(
    Outside(
        "mteb", "MTEB results or predictions (JSON)", (Hit,), read, write,
        lambda look: bool({"$.mteb_version", "$.mteb_model_meta"} & paths(look)),
        {"subset": "which subset of predictions: default unless given, on writing",
         "split": "which split of them: test unless given, on writing",
         "run": "what the run is called when it is read; which run, when it is written"},
        "https://embeddings-benchmark.github.io/mteb/api/results/",
    )
)  # fmt: skip
