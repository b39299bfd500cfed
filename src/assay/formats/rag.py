"""Samples of question, contexts, answer and reference, as toolkits for retrieval-augmented generation keep them.

Contexts in their order are a run, reference contexts judgments of grade 1. A context without an id gets one made of its
text, so that the same text is the same document. Contexts that were not recorded (null, or no key) and contexts that
were retrieved and are none (an empty list) stay two things: the first is no query of the run, the second one that
returned nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import InputError
from assay.formats.carried import Carried
from assay.formats.gathered import (
    Gathered,
    Losses,
    columns_of,
    gathered,
    many,
    one_run,
    ranked,
    texts,
    unheld,
    untaken,
)
from assay.formats.nested import Node
from assay.keys import fingerprint
from assay.tables import Answer, Document, Hit, Judgment, Topic
from assay.tables.values import shown

HOLDS = (Topic, Hit, Judgment, Document, Answer)
RUN_OPTION = {"run": "what the run of the contexts is called when it is read; which run, when it is written"}


def text_id(text: str) -> str:
    """An id made of a text: the same text has the same id in every file."""
    return f"text-{fingerprint(text)[:16]}"


class Samples:
    """Samples as they are read, and the tables they become."""

    def __init__(self, name: str) -> None:
        self.name, self.losses = name, Losses(name)
        self.run = Gathered(Hit, name, "query_id", "doc_id", "rank")
        self.topics = Gathered(Topic, name, "query_id", "text")
        self.judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
        self.documents = Gathered(Document, name, "doc_id", "title", "text")
        self.answers = Gathered(Answer, name, "query_id", "response", "reference")
        self._texts: dict[str, str] = {}
        self._first: dict[str, Node] = {}
        self._made = self._unrecorded = self._gaps = 0

    def add(
        self, node: Node, question: Node, *, key: Node | None = None, contexts: Node | None = None,
        ids: Node | None = None, references: Node | None = None, reference_ids: Node | None = None,
        response: Node | None = None, reference: Node | None = None,
    ) -> None:  # fmt: skip
        """One sample; what is None was not recorded."""
        text = question.text().strip()
        if not text:
            raise question.fault("the question is blank", "leave the sample out, or write its question")
        query = key.id() if key is not None else text
        if query in self._first:
            named = f"the question '{shown(query)}' is asked" if key is None else f"the id {shown(query)} comes"
            what = f"{named} twice (first at {self._first[query].where})"
            raise node.fault(what, "give each sample an id of its own, or remove one of the two")
        self._first[query] = node
        self.topics.add(node, query, text)
        if response is not None or reference is not None:
            self.answers.add(node, query, _said(response), _said(reference))
        retrieved = self._documents(contexts, ids)
        if retrieved is None:
            self._unrecorded += 1
        elif not retrieved:
            self.run.empty[query] = None
        seen: set[str] = set()
        for rank, (place, doc) in enumerate(retrieved or (), 1):
            if doc in seen:
                self.losses.add("contexts that come again", "a document has one place in a list: its first", place)
                continue
            seen.add(doc)
            self.run.add(place, query, doc, rank)
        told = dict((doc, place) for place, doc in self._documents(references, reference_ids) or ())
        for doc, place in told.items():
            self.judged.add(place, query, doc, 1)
        self._gaps += bool(told) and retrieved is None

    def _documents(self, contexts: Node | None, ids: Node | None) -> list[tuple[Node, str]] | None:
        if ids is None and contexts is None:
            return None
        named = list(ids.each()) if ids is not None else []
        told = list(contexts.each()) if contexts is not None else []
        if ids is not None and contexts is not None and len(named) != len(told):
            raise ids.fault(f"{len(named)} ids for {len(told)} contexts", "give every context one id, or none")
        found = []
        for at, place in enumerate(told or named):
            text, title, own = _context(place) if told else ("", "", None)
            doc = named[at].id() if named else own
            if doc is None:
                doc, self._made = text_id(text), self._made + 1
            if told:
                self._once(place, doc, title, text)
            found.append((place, doc))
        return found

    def _once(self, place: Node, doc: str, title: str, text: str) -> None:
        before = self._texts.get(doc)
        if before is None:
            self._texts[doc] = text
            self.documents.add(place, doc, title, text)
        elif before != text:
            raise place.fault(f"document {shown(doc)} has another text than before", "give each text an id of its own")

    def carried(self, system: str) -> Carried:
        """The tables, with what the user should know."""
        if not len(self.topics):
            raise InputError("holds no sample with a question", self.name, "write it anew, or leave it out")
        facts = []
        if self._made:
            made = many(self._made, "context has", "contexts have")
            facts.append(f"{self.name}: {made} no id; one is made of the text, so a chunk that is cut differently is "
                         "another document")  # fmt: skip
        recorded = len(self.run) or self.run.empty
        if self._unrecorded and recorded:
            gaps = f"{self.name}: contexts were not recorded in {self._unrecorded:,} of {len(self.topics):,} samples"
            facts.append(f"{gaps}; those are not in the run, where samples with an empty list returned nothing")
        if self._gaps and recorded:
            have = many(self._gaps, "of these samples has", "of these samples have")
            facts.append(f"{self.name}: {have} reference contexts, and would count 0 beside a run that lacks it: take "
                         "it out of the judgments before you evaluate")  # fmt: skip
        if len(self.judged):
            facts.append(f"{self.name}: reference contexts are judged relevant (grade 1); other contexts are unjudged")
        tables = gathered(self.topics, self.judged, self.documents, self.answers)
        return Carried(
            self.name, tables, {system: self.run.block()} if recorded else {}, self.losses.all(), tuple(facts)
        )


def _said(node: Node | None) -> str | None:
    return None if node is None else node.text()


def _context(node: Node) -> tuple[str, str, str | None]:
    """The text, title and id of a context, which is text or an object that has one."""
    if not node.is_dict:
        return node.text(), "", None
    text = node.get("text", "content", "page_content", "contents", "passage")
    title, key = node.get("title"), node.get("doc_id", "id", "_id", "document_id")
    if text is None and key is None:
        raise node.fault("has neither a text nor an id", 'write {"id": ID, "text": TEXT}')
    return _said(text) or "", _said(title) or "", key.id() if key is not None else None


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample to be written; None was not recorded.

    Args:
        query_id, question: of the topic.
        ids, contexts: of what was retrieved; contexts are None where a text is not known.
        reference_ids, references: of what is judged relevant, likewise.
        response, reference: the answer, and what it should say.
    """

    query_id: str
    question: str
    ids: list[str] | None
    contexts: list[str] | None
    reference_ids: list[str] | None
    references: list[str] | None
    response: str | None
    reference: str | None


def to_samples(carried: Carried, title: str, losses: Losses, wanted: str = "") -> Iterator[Sample]:
    """The tables as samples, a query each; what has no place is counted."""
    known = texts(carried)
    runs = ranked(one_run(carried, title, wanted)[1]) if carried.runs else {}
    relevant = _relevant(carried, title, losses)
    documents = _texts(carried)
    answers = columns_of(carried.tables[Answer]) if Answer in carried.tables else {}
    nothing: Sequence[Any] = [None] * len(answers.get("query_id", ()))
    said = {
        query: (response, reference)
        for query, response, reference in zip(
            answers.get("query_id", ()),
            answers.get("response", nothing),
            answers.get("reference", nothing),
            strict=True,
        )
    }
    unheld(carried, Topic, ("query_id", "text"), title, losses)
    unheld(carried, Document, ("doc_id", "text"), title, losses)
    untaken(carried, HOLDS, title, losses)
    used = {doc for hits in runs.values() for doc, _, _ in hits} | {doc for docs in relevant.values() for doc in docs}
    if gone := set(documents) - used:
        losses.add("documents of no sample", f"{title} has the contexts of its samples alone", count=len(gone))
    if "score" in {name for block in carried.runs.values() for name in block.columns}:
        losses.add("scores", "contexts are in order, without a score", count=sum(map(len, carried.runs.values())))
    queries = dict.fromkeys([*known, *runs, *relevant, *said])
    if not queries:
        raise InputError(f"{title} needs topics, and there are none", carried.name, "give topics too")
    for query in queries:
        ids = [doc for doc, _, _ in runs[query]] if query in runs else None
        right = relevant.get(query)
        response, reference = said.get(query, (None, None))
        yield Sample(
            query, known.get(query, query), ids, _all_known(ids, documents), right, _all_known(right, documents),
            response, reference,
        )  # fmt: skip


def _relevant(carried: Carried, title: str, losses: Losses) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    if Judgment not in carried.tables:
        return found
    held = columns_of(carried.tables[Judgment])
    for query, doc, grade in zip(held["query_id"], held["doc_id"], held["grade"], strict=True):
        if grade <= 0:
            losses.add("judgments of grade 0", f"{title} names relevant contexts only")
            continue
        if grade != 1:
            losses.add("grades above or between 0 and 1", f"in {title} a context is relevant or not")
        docs = found.setdefault(query, [])
        if doc not in docs:
            docs.append(doc)
    unheld(carried, Judgment, ("query_id", "doc_id", "grade"), title, losses)
    return found


def _texts(carried: Carried) -> Mapping[str, str]:
    if Document not in carried.tables:
        return {}
    held = columns_of(carried.tables[Document])
    return dict(zip(held["doc_id"], held["text"], strict=True))


def _all_known(ids: list[str] | None, documents: Mapping[str, str]) -> list[str] | None:
    if ids is None or any(doc not in documents for doc in ids):
        return None
    return [documents[doc] for doc in ids]
