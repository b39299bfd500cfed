"""Datasets of Ragas: single-turn samples as JSON lines or a JSON list, with the names of today or those before 0.2."""

from __future__ import annotations

import os
from typing import Any

from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Losses
from assay.formats.nested import Node, paths, read_values, to_json, to_json_line
from assay.formats.rag import HOLDS, RUN_OPTION, Samples, text_id, to_samples
from assay.formats.score_maps import stem

TITLE = "a Ragas dataset"
_SHAPE = '{"user_input": TEXT, "retrieved_contexts": [TEXT], "response": TEXT, "reference": TEXT} a line'
_KNOWN = frozenset(("id", "user_input", "retrieved_contexts", "reference_contexts", "retrieved_context_ids",
                    "reference_context_ids", "response", "reference", "question", "contexts", "answer", "ground_truth",
                    "ground_truths"))  # fmt: skip


def read(source: Source, wishes: Wishes) -> Carried:
    """Every single-turn sample; conversations are counted and left out."""
    samples = Samples(name_of(source))
    for node in read_values(source, _SHAPE):
        samples.losses.rest(node, _KNOWN, "a sample")
        question = node.need("user_input", "question")
        if question.is_list:
            samples.losses.add("conversations", "a topic is one question", node)
            continue
        samples.add(
            node, question, key=node.get("id"), contexts=node.get("retrieved_contexts", "contexts"),
            ids=node.get("retrieved_context_ids"), references=node.get("reference_contexts"),
            reference_ids=node.get("reference_context_ids"), response=node.get("response", "answer"),
            reference=_reference(node, samples.losses),
        )  # fmt: skip
    return samples.carried(wishes.options.get("run") or stem(source))


def _reference(node: Node, losses: Losses) -> Node | None:
    found = node.get("reference", "ground_truth", "ground_truths")
    if found is None or not found.is_list:
        return found
    each = list(found.each())
    if len(each) > 1:
        losses.add("further references", "an answer has one reference: the first is kept", found, count=len(each) - 1)
    return each[0] if each else None


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A JSON list for a name that ends in .json, else JSON lines."""
    losses = Losses(carried.name)
    made = []
    for sample in to_samples(carried, TITLE, losses, wishes.options.get("run", "")):
        one: dict[str, Any] = {"user_input": sample.question, "retrieved_contexts": sample.contexts}
        if sample.query_id != sample.question:
            one["id"] = sample.query_id
        if _need_ids(sample.ids, sample.contexts):
            one["retrieved_context_ids"] = sample.ids
        if sample.reference_ids is not None:
            one["reference_contexts"] = sample.references
            if _need_ids(sample.reference_ids, sample.references):
                one["reference_context_ids"] = sample.reference_ids
        one |= {key: said for key, said in (("response", sample.response), ("reference", sample.reference)) if said}
        made.append(one)
    with replacing(target) as file:
        is_list = os.fspath(target).endswith(".json")
        file.write(to_json(made) if is_list else "".join(map(to_json_line, made)).encode("utf-8"))
    return losses.all()


def _need_ids(ids: list[str] | None, contexts: list[str] | None) -> bool:
    """Whether ids say more than the texts they could be made of."""
    return ids is not None and (contexts is None or ids != [text_id(text) for text in contexts])


def _is_ragas(look: Look) -> bool:
    found = paths(look)
    for start in ("$", "$[]"):
        has = {path.removeprefix(f"{start}.") for path in found}
        if "user_input" in has and has & {"retrieved_contexts", "response", "reference", "reference_contexts"}:
            return True
        if {"question", "contexts"} <= has and has & {"ground_truth", "ground_truths"}:
            return True
    return False


register(
    Outside(
        "ragas", "Ragas dataset (JSON lines or JSON)", HOLDS, read, write, _is_ragas, RUN_OPTION,
        "https://docs.ragas.io/en/stable/concepts/components/eval_sample/",
    )
)  # fmt: skip
