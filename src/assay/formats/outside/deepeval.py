"""Test cases and goldens of DeepEval: a JSON list, a data set with `goldens`, or the kept results of a test run.

`retrieval_context` is what was retrieved, `context` what should have been. Neither has ids.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Losses
from assay.formats.nested import Node, paths, read_values, to_json
from assay.formats.rag import HOLDS, RUN_OPTION, Samples, text_id, to_samples
from assay.formats.score_maps import stem

TITLE = "a DeepEval data set"
_SHAPE = (
    '[{"input": TEXT, "actual_output": TEXT, "expected_output": TEXT, "retrieval_context": [TEXT], "context": [TEXT]}]'
)
_WHERE = ("goldens", "test_cases", "testCases", "testRunData")
_KNOWN = frozenset(("input", "actual_output", "actualOutput", "expected_output", "expectedOutput", "retrieval_context",
                    "retrievalContext", "context", "name", "success", "order", "runDuration"))  # fmt: skip


def read(source: Source, wishes: Wishes) -> Carried:
    """Every test case; what DeepEval's own metrics said of it is counted and left behind."""
    samples = Samples(name_of(source))
    for value in read_values(source, _SHAPE):
        for node in _cases(value):
            samples.losses.rest(node, _KNOWN, "a test case")
            samples.add(
                node, node.need("input"), contexts=node.get("retrieval_context", "retrievalContext"),
                references=node.get("context"), response=node.get("actual_output", "actualOutput"),
                reference=node.get("expected_output", "expectedOutput"),
            )  # fmt: skip
    return samples.carried(wishes.options.get("run") or stem(source))


def _cases(value: Node) -> Iterator[Node]:
    inner = value.get(*_WHERE)
    if inner is None:
        yield value
    elif inner.is_dict:
        yield from _cases(inner)
    else:
        yield from inner.each()


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A list of test cases; a context is its text, or its id where the text is not known."""
    losses = Losses(carried.name)
    made = []
    for sample in to_samples(carried, TITLE, losses, wishes.options.get("run", "")):
        if sample.query_id != sample.question:
            losses.add("query ids", f"{TITLE} knows a query by its text alone", sample.query_id)
        one: dict[str, Any] = {"input": sample.question, "actual_output": sample.response,
                               "expected_output": sample.reference}  # fmt: skip
        for key, ids, texts in (("retrieval_context", sample.ids, sample.contexts),
                                ("context", sample.reference_ids, sample.references)):  # fmt: skip
            one[key] = ids if texts is None else texts
            if ids and texts is None:
                losses.add("contexts without a text", "their id stands in its place", sample.query_id, count=len(ids))
            elif ids and texts and ids != [text_id(text) for text in texts]:
                losses.add(
                    "ids of documents", f"{TITLE} knows a context by its text alone", sample.query_id, count=len(ids)
                )
        made.append(one)
    with replacing(target) as file:
        file.write(to_json(made))
    return losses.all()


def _is_deepeval(look: Look) -> bool:
    found = paths(look)
    named = (
        "actual_output",
        "actualOutput",
        "expected_output",
        "expectedOutput",
        "retrieval_context",
        "retrievalContext",
    )
    return any(
        f"{start}.input" in found and any(f"{start}.{name}" in found for name in named)
        for start in ("$", "$[]", *(f"$.{key}[]" for key in _WHERE), "$.testRunData.testCases[]")
    )


register(
    Outside(
        "deepeval", "DeepEval test cases or goldens (JSON)", HOLDS, read, write, _is_deepeval, RUN_OPTION,
        "https://deepeval.com/docs/evaluation-datasets",
    )
)  # fmt: skip
