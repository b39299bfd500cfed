"""Results that BEIR scripts keep as JSON: query to document to score, or the values of its measures.

The first becomes a run. Values are means over queries that cannot be taken apart again, so they are counted as lost.
"""

from __future__ import annotations

import os
import re

from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Losses, one_run, ranked, scored, untaken
from assay.formats.nested import Node, number, plain, read_tree, to_json
from assay.formats.score_maps import LONG, SHAPE, run_of, stem
from assay.tables import Hit

TITLE = "a BEIR results file"
_MEASURE = re.compile(r"(?:NDCG|MAP|Recall|P|MRR|R_cap|Accuracy)@\d+")


def read(source: Source, wishes: Wishes) -> Carried:
    """One run, called as its file is or as the option `run` says; or nothing but values."""
    name = name_of(source)
    root = read_tree(source, SHAPE, LONG)
    losses = Losses(name)
    values = list(_values(root))
    if values:
        why = "they are means, which no comparison can start from: give the run and the judgments they were made from"
        losses.add("values of measures", why, values[0], count=len(values))
        return Carried(name, lost=losses.all(), more={"values": plain(root.value)})
    run = run_of(root, name)
    return Carried(name, {}, {wishes.options.get("run") or stem(source): run.block()}, losses.all())


def _values(root: Node) -> list[Node]:
    found: list[Node] = []
    for key, node in root.members():
        if not node.is_dict:
            found += [node] * bool(_MEASURE.fullmatch(key))
        elif "@" in "".join(node.dict()):  # every name of a measure has one, and few ids have
            found += [value for title, value in node.members() if _MEASURE.fullmatch(title) and not value.is_dict]
    return found


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """Query to document to score; ranks without scores become falling whole numbers."""
    losses = Losses(carried.name)
    _, block = one_run(carried, TITLE, wishes.options.get("run", ""))
    untaken(carried, (Hit,), TITLE, losses)
    content = {query: {doc: number(score) for doc, score in scored(hits)} for query, hits in ranked(block).items()}
    with replacing(target) as file:
        file.write(to_json(content))
    return losses.all()


def _is_values(look: Look) -> bool:
    return look.is_whole and len(re.findall(rb'"(?:NDCG|MAP|Recall|MRR)@\d+"\s*:\s*[0-9.]', look.head)) > 2


register(
    Outside(
        "beir-results", "BEIR results (JSON: query to document to score)", (Hit,), read, write, _is_values,
        {"run": "what the run is called when it is read; which run, when it is written"},
        "https://github.com/beir-cellar/beir/wiki/Evaluate-your-custom-model",
    )
)  # fmt: skip
