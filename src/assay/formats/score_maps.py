"""Query to document to number, as one JSON object: the shape in which several Python tools keep runs and qrels."""

from __future__ import annotations

import os
from collections.abc import Iterator

from assay.files import Source, name_of
from assay.formats.gathered import Gathered
from assay.formats.nested import Node
from assay.tables import Hit

SHAPE = '{"QUERY_ID": {"DOC_ID": NUMBER}}'


def scores(root: Node) -> Iterator[tuple[str, Node, list[tuple[str, Node]]]]:
    """Each query with its place and its documents."""
    for query, docs in root.members():
        yield query, docs, list(docs.members())


def run_of(root: Node, name: str) -> Gathered:
    """The rows of a run; queries with no document are those that returned nothing."""
    run = Gathered(Hit, name, "query_id", "doc_id", "score")
    for query, _, docs in scores(root):
        for doc, score in docs:
            run.add(score, query, doc, score.value)
        if not docs:
            run.empty[query] = None
    return run


def stem(source: Source) -> str:
    """The name of a run after its file: what stands before the first dot."""
    return os.path.basename(name_of(source)).split(".")[0] or "run"
