"""Query to document to number, as one JSON object: the shape in which several Python tools keep runs and qrels."""

from __future__ import annotations

import os

from assay.files import Source, name_of
from assay.formats.gathered import Gathered, numbers
from assay.formats.nested import Node
from assay.tables import Hit

LONG = ("$",)
"""Where the queries stand, for `read_tree`."""

SHAPE = '{"QUERY_ID": {"DOC_ID": NUMBER}}'


def run_of(root: Node, name: str) -> Gathered:
    """The rows of a run; queries with no document are those that returned nothing."""
    run = Gathered(Hit, name, "query_id", "doc_id", "score")
    for query, node in root.members():
        docs = node.dict()
        run.extend(node, [query] * len(docs), docs, numbers(docs.values()))
        if not docs:
            run.empty[query] = None
    return run


def stem(source: Source) -> str:
    """The name of a run after its file: what stands before the first dot."""
    return os.path.basename(name_of(source)).split(".")[0] or "run"
