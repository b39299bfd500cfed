"""The JSON-MIN export of Label Studio: one flat object an annotation."""

from __future__ import annotations

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered
from assay.formats.label_tasks import OPTIONS, Task
from assay.formats.nested import Node, paths, read_values
from assay.tables import Document, Judgment, Topic

_SHAPE = '[{"query": TEXT, "doc_id": ID, "grade": 3, "annotator": 1}]'
_OWN = frozenset(("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "inner_id", "agreement"))
_GRADE = ("grade", "rating", "relevance", "choice", "label", "judgment")


def read(source: Source, wishes: Wishes) -> Carried:
    """One judgment an object; those without an answer are counted and left out."""
    name = name_of(source)
    losses, grades = Losses(name), Grades(wishes.labels)
    topics, documents = Gathered(Topic, name, "query_id", "text"), Gathered(Document, name, "doc_id", "title", "text")
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade", "rater", "source", "judged_at")
    queries, docs = dict[str, str](), dict[str, tuple[str, str]]()
    for node in read_values(source, _SHAPE):
        about = Task(node, wishes.options)
        if queries.setdefault(about.query_id, about.query) != about.query:
            raise node.fault(f"query {about.query_id} has another text than before", "give each its own id")
        if len(queries) > len(topics):
            topics.add(node, about.query_id, about.query)
        if about.title or about.text:
            said = (about.title, about.text)
            if docs.setdefault(about.doc_id, said) != said:
                raise node.fault(f"document {about.doc_id} has another text than before", "give each its own id")
            if len(docs) > len(documents):
                documents.add(node, about.doc_id, *said)
        key = _grade_key(node, wishes.options.get("grade"), name)
        for other, value in node.members():
            if other not in about.used and other not in _OWN and other != key and value.value not in (None, "", [], {}):
                losses.add(f"{other} of tasks", "assay's tables have no place for it", value)
        answer = node.get(key) if key else None
        if answer is None:
            losses.add("annotations without a grade", "no choice or rating is in them", node)
            continue
        if answer.is_dict or answer.is_list:
            raise answer.fault("holds several answers, or none", "let people choose one grade")
        rater, at = node.get("annotator", "completed_by"), node.get("updated_at", "created_at")
        judged.add(node, about.query_id, about.doc_id, grades(answer.value, answer), rater.id() if rater else None,
                   "human", at.text() if at is not None else None)  # fmt: skip
    return Carried(name, gathered(topics, documents, judged), lost=losses.all())


def _grade_key(node: Node, wanted: str | None, name: str) -> str | None:
    if wanted is not None:
        return wanted
    held = [key for key in _GRADE if node.has(key)]
    if len(held) > 1:
        raise InputError(f"has several fields that could be the grade: {', '.join(held)}", node.where,
                         "name one by --option grade=FIELD")  # fmt: skip
    return held[0] if held else None


register(
    Outside(
        "label-studio-min", "Label Studio export (JSON-MIN)", (Topic, Document, Judgment), read, None,
        lambda look: {"$[].annotator", "$[].annotation_id"} <= paths(look),
        {**OPTIONS, "grade": "which field holds the grade"}, "https://labelstud.io/guide/export",
    )
)  # fmt: skip
