"""Which query and which document a labelling task is about: the names of its data, as tools and teams spell them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.formats.nested import Node
from assay.tables.names import folded

QUERY_ID = ("query_id", "qid", "topic_id")
QUERY = ("query", "query_text", "question", "user_query", "search_term")
DOC_ID = ("doc_id", "docid", "document_id", "docno", "product_id", "passage_id", "sku")
TITLE = ("title", "name", "document_title", "product_title")
TEXT = ("text", "body", "passage", "content", "document", "description")
OPTIONS = {"query": "which field of the data is the query", "doc": "which field of the data is the document's id"}


class Task:
    """The data of one labelling task.

    Args:
        data: the object that holds its fields.
        options: what the user says of their names.
    """

    def __init__(self, data: Node, options: Mapping[str, str]) -> None:
        self._data = data
        self._keys = {folded(key): key for key in data.dict()}
        self.used: set[str] = set()
        text = self._node((options["query"],) if "query" in options else QUERY)
        key = self._node(QUERY_ID)
        if text is None and key is None:
            raise data.fault(f"has no field for the query among {self._listed()}", _named("query"))
        doc = self._node((options["doc"],) if "doc" in options else DOC_ID)
        if doc is None:
            raise data.fault(f"has no field for the document's id among {self._listed()}", _named("doc"))
        self.query_id = key.id() if key is not None else text.text().strip() if text is not None else ""
        self.query = text.text() if text is not None else ""
        self.doc_id = doc.id()
        title, body = self._node(TITLE), self._node(TEXT)
        self.title = title.text() if title is not None and title.is_text else ""
        self.text = body.text() if body is not None and body.is_text else ""
        if not self.query_id:
            raise data.fault("the query is blank", "leave the task out, or write its query")

    def _node(self, names: tuple[str, ...]) -> Node | None:
        for name in names:
            key = self._keys.get(folded(name))
            if key is not None and self._data.value[key] is not None:
                self.used.add(key)
                return self._data.child(key, self._data.value[key])
        return None

    def _listed(self) -> str:
        return ", ".join(list(self._data.value)[:8]) or "none"


def _named(option: str) -> str:
    return f"name it by --option {option}=FIELD"
