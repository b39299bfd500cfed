"""The JSON-MIN export of Label Studio: one flat object an annotation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, columns_of, gathered, table, texts, unheld, untaken
from assay.formats.label_tasks import OPTIONS, Task
from assay.formats.nested import Node, number, paths, read_values, to_json
from assay.formats.outgoing import queries_of, unused
from assay.tables import Document, Judgment, Topic

TITLE = "Label Studio's JSON-MIN"
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


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """An object a judgment, as if a person had annotated it; a control called as the option `grade` says."""
    losses = Losses(carried.name)
    held, block = table(carried, Judgment, TITLE), carried.tables[Judgment]
    unheld(carried, Judgment, ("query_id", "doc_id", "grade", "rater", "source", "judged_at"), TITLE, losses)
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    unheld(carried, Document, ("doc_id", "title", "text"), TITLE, losses)
    untaken(carried, (Topic, Document, Judgment), TITLE, losses)
    unused(queries_of(carried), held["query_id"], "judgments", TITLE, losses)
    nothing = [None] * len(block)
    raters, times, sources = (held.get(name, nothing) for name in ("rater", "judged_at", "source"))
    if others := sum(source != "human" for source in sources):
        losses.add("judgments that do not say that people made them", f"{TITLE} has people alone", count=others)
    known, documents = texts(carried), _documents(carried, held["doc_id"], losses)
    control = wishes.options.get("grade", "grade")
    made = []
    for at, (query, doc, grade) in enumerate(zip(held["query_id"], held["doc_id"], held["grade"], strict=True)):
        title, text = documents.get(doc, ("", ""))
        one: dict[str, Any] = {"id": at + 1, "query_id": query, "query": known.get(query, query), "doc_id": doc,
                               "title": title, "text": text, control: number(grade)}  # fmt: skip
        one |= {"annotator": _person(raters[at]), "annotation_id": at + 1}
        one |= {"created_at": times[at], "updated_at": times[at]} if times[at] else {}
        made.append(one)
    with replacing(target) as file:
        file.write(to_json(made))
    return losses.all()


def _person(rater: str | None) -> int | str | None:
    """A number where the name is one, as Label Studio numbers its users."""
    return int(rater) if rater and rater.isdecimal() and rater == str(int(rater)) else rater


def _documents(carried: Carried, judged: Sequence[str], losses: Losses) -> dict[str, tuple[str, str]]:
    if Document not in carried.tables:
        return {}
    held = columns_of(carried.tables[Document])
    if gone := set(held["doc_id"]) - set(judged):
        losses.add("documents without judgments", f"{TITLE} has no row for them", count=len(gone))
    return {d: (title, text) for d, title, text in zip(held["doc_id"], held["title"], held["text"], strict=True)}


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
        "label-studio-min", "Label Studio export (JSON-MIN)", (Topic, Document, Judgment), read, write,
        lambda look: {"$[].annotator", "$[].annotation_id"} <= paths(look),
        {**OPTIONS, "grade": "which field holds the grade: grade unless given, on writing"}, "https://labelstud.io/guide/export",
    )
)  # fmt: skip
