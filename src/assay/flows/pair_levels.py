"""Preferences as judgments of levels: what trec_eval reads as preference qrels, and measures as a dimension."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.tables import Judgment
from assay.tables.door import block_of

if TYPE_CHECKING:
    from assay.tables import Block

WORTH = {"first": (3, 1), "second": (1, 3), "tie": (2, 2), "both-bad": (0, 0)}
"""Levels of the first and the second document in a preference qrels file. Only their order counts, and 0:
that is not relevant."""


def as_levels(rows: Sequence[Mapping[str, Any]]) -> Block:
    """Preferences as judgments of the dimension preference: two rows each, in a group of their own.

    The group is the rater and the number of the pair: `trec_eval -R prefs` takes what is in one group for consistent
    and for transitive, and a rater's preferences need be neither. The mean of a document's levels over all its groups
    is 1 and twice the share of comparisons that it wins, a tie counting one half; where neither document serves, both
    get 0.
    """
    from urllib.parse import quote

    found = []
    for number, row in enumerate((row for row in rows if not row["turn"]), 1):
        group = f"{quote(str(row['rater'] or 'rater'), safe='')}.{number}/0"
        for doc, level in zip((row["doc_id"], row["other_doc_id"]), WORTH[row["preference"]], strict=True):
            found.append({"query_id": row["query_id"], "doc_id": doc, "grade": float(level), "rater": group,
                          "dimension": "preference"})  # fmt: skip
    return block_of(found, Judgment, "preferences")


def write_levels(rows: Sequence[Mapping[str, Any]], target: str | os.PathLike[str]) -> None:
    """Writes preferences as a preference qrels file of trec_eval."""
    from assay.flows.convert import write_outside
    from assay.formats.carried import Carried

    write_outside(Carried("preferences", {Judgment: as_levels(rows)}), target, "trec-prefs")
