"""Plain samples of retrieval-augmented generation: question, contexts, answer, reference, one object a line.

A context is a text, or an object with id, title and text; what is relevant is named by ids or by texts.
"""

from __future__ import annotations

import os
from typing import Any

from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Losses
from assay.formats.nested import paths, read_values, to_json_line
from assay.formats.rag import HOLDS, RUN_OPTION, Samples, text_id, to_samples
from assay.formats.score_maps import stem

TITLE = "a file of plain samples"
_SHAPE = '{"question": TEXT, "contexts": [TEXT], "answer": TEXT, "reference": TEXT} a line'
_KEY = ("id", "query_id", "question_id")
_CONTEXTS, _IDS = ("contexts", "retrieved_contexts", "passages"), ("context_ids", "retrieved_context_ids")
_RIGHT, _RIGHT_IDS = ("reference_contexts",), ("reference_context_ids", "relevant_ids", "relevant_doc_ids")
_ANSWER, _REFERENCE = ("answer", "response"), ("reference", "reference_answer", "ground_truth", "expected_answer")
_KNOWN = frozenset((*_KEY, "question", "query", *_CONTEXTS, *_IDS, *_RIGHT, *_RIGHT_IDS, *_ANSWER, *_REFERENCE))


def read(source: Source, wishes: Wishes) -> Carried:
    """Every sample."""
    samples = Samples(name_of(source))
    for node in read_values(source, _SHAPE):
        samples.losses.rest(node, _KNOWN, "a sample")
        samples.add(
            node, node.need("question", "query"), key=node.get(*_KEY), contexts=node.get(*_CONTEXTS),
            ids=node.get(*_IDS), references=node.get(*_RIGHT), reference_ids=node.get(*_RIGHT_IDS),
            response=node.get(*_ANSWER), reference=node.get(*_REFERENCE),
        )  # fmt: skip
    return samples.carried(wishes.options.get("run") or stem(source))


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """One object a line; ids are written where they are not made of the texts."""
    losses = Losses(carried.name)
    lines = []
    for sample in to_samples(carried, TITLE, losses, wishes.options.get("run", "")):
        one: dict[str, Any] = {"question": sample.question}
        if sample.query_id != sample.question:
            one = {"id": sample.query_id, **one}
        if sample.ids is None:
            one["contexts"] = None
        elif sample.contexts is None:
            one["context_ids"] = sample.ids
        else:
            one["contexts"] = [
                text if doc == text_id(text) else {"id": doc, "text": text}
                for doc, text in zip(sample.ids, sample.contexts, strict=True)
            ]
        if sample.reference_ids is not None:
            if sample.references is not None and sample.reference_ids == [text_id(text) for text in sample.references]:
                one["reference_contexts"] = sample.references
            else:
                one["reference_context_ids"] = sample.reference_ids
        one |= {key: said for key, said in (("answer", sample.response), ("reference", sample.reference)) if said}
        lines.append(to_json_line(one))
    with replacing(target) as file:
        file.write("".join(lines).encode("utf-8"))
    return losses.all()


def _is_plain(found: frozenset[str]) -> bool:
    has_truth = any(f"{start}.{key}" in found for start in ("$", "$[]") for key in ("ground_truth", "ground_truths"))
    return not has_truth and any({f"{start}.question", f"{start}.contexts"} <= found for start in ("$", "$[]"))


register(
    Outside(
        "rag-jsonl", "plain samples of question, contexts, answer and reference (JSON lines)", HOLDS, read, write,
        lambda look: _is_plain(paths(look)), RUN_OPTION,
    )
)  # fmt: skip
