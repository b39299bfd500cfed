"""What people read in the place of ids: the words of queries, the titles of documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.compare.comparison import Lists
    from assay.tables import Block

LONGEST = 300
"""Letters of a title that are kept; where there are no titles, the text stands for them."""


def texts_of(topics: Block | None, queries: Iterable[str]) -> dict[str, str]:
    """What was searched for, by query id; empty where the topics do not say it."""
    if topics is None or "text" not in topics.columns:
        return {}
    wanted = set(queries)
    pairs = zip(topics.frame["query_id"], topics.frame["text"], strict=True)
    return {str(query): str(text) for query, text in pairs if text and str(query) in wanted}


def titles_of(documents: Block | None, lists: Iterable[Lists]) -> dict[str, str]:
    """Titles of the documents that some lists show, by document id; empty where no table of documents was given."""
    if documents is None:
        return {}
    column = next((name for name in ("title", "text") if name in documents.columns), None)
    if column is None:
        return {}
    wanted = {str(doc) for held in lists for doc in held.docs}
    pairs = zip(documents.frame["doc_id"], documents.frame[column], strict=True)
    return {str(doc): " ".join(str(title).split())[:LONGEST] for doc, title in pairs if title and str(doc) in wanted}
