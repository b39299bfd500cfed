"""The JSON export of Label Studio: tasks with the annotations of several people, who become raters."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, columns_of, gathered, texts, unheld, untaken
from assay.formats.label_tasks import OPTIONS, Task
from assay.formats.nested import Node, number, paths, read_values, to_json
from assay.formats.outgoing import queries_of, unused
from assay.label_maps import as_number
from assay.tables import Document, Judgment, Pair, Topic

TITLE = "a Label Studio file"
_SHAPE = '[{"data": {"query": TEXT, "doc_id": ID}, "annotations": [{"completed_by": 1, "result": [...]}]}]'
_GRADES = ("choices", "rating", "number", "taxonomy")
_WAYS = ("doc_id", "title", "text", "query_id", "query")


def read(source: Source, wishes: Wishes) -> Carried:
    """One judgment an annotation; what people cancelled is counted and left out."""
    name = name_of(source)
    found = _Found(name, wishes)
    for task in read_values(source, _SHAPE):
        found.task(task)
    if len(found.controls) > 1 and "grade" not in wishes.options:
        called = ", ".join(sorted(found.controls))
        raise InputError(
            f"has several controls that could be the grade: {called}", name, "name one by --option grade=NAME"
        )
    facts = []
    if found.times:
        facts.append(f"{name}: half of the labels took {statistics.median(found.times):.1f} s or less; assay's tables "
                     "have no place for single times")  # fmt: skip
    if not len(found.judged):
        facts.append(f"{name}: holds no judgment yet; its tasks are pairs to be judged")
    tables = gathered(found.topics, found.documents, found.judged, found.pairs)
    return Carried(name, tables, lost=found.losses.all(), facts=tuple(facts))


class _Found:
    """What the tasks hold."""

    def __init__(self, name: str, wishes: Wishes) -> None:
        self.losses = Losses(name)
        self.controls: set[str] = set()
        self.times: list[float] = []
        self.topics = Gathered(Topic, name, "query_id", "text")
        self.documents = Gathered(Document, name, "doc_id", "title", "text")
        self.pairs = Gathered(Pair, name, "query_id", "doc_id")
        self.judged = Gathered(Judgment, name, "query_id", "doc_id", "grade", "rater", "source", "judged_at")
        self._options, self._grades = wishes.options, Grades(wishes.labels)
        self._known: dict[tuple[type, str], tuple[str, ...]] = {}

    def task(self, node: Node) -> None:
        data = node.need("data")
        about = Task(data, self._options)
        self._once(self.topics, data, about.query_id, about.query)
        if about.title or about.text:
            self._once(self.documents, data, about.doc_id, about.title, about.text)
        for key, value in data.members():
            if key not in about.used and value.value not in (None, "", [], {}):
                self.losses.add(f"{key} of tasks", "assay's tables have no place for it", value)
        if node.value.get("predictions"):
            self.losses.add("predictions", "a model's guess before labelling is no judgment", node.need("predictions"))
        before = len(self.judged)
        annotations = node.get("annotations", "completions")
        for at, annotation in enumerate(annotations.each() if annotations is not None else (), 1):
            self._annotation(annotation, about, f"unnamed-{at}")
        if len(self.judged) == before:
            self.pairs.add(node, about.query_id, about.doc_id)

    def _once(self, rows: Gathered, place: Node, one: str, *texts: str) -> None:
        before = self._known.get((rows.row, one))
        if before is None:
            self._known[rows.row, one] = texts
            rows.add(place, one, *texts)
        elif before != texts:
            what = f"{'query' if rows.row is Topic else 'document'} {one} has another text than in a task before"
            raise place.fault(what, "give each its own id")

    def _annotation(self, node: Node, about: Task, unnamed: str) -> None:
        if node.dict().get("was_cancelled") is True:
            self.losses.add("skipped annotations", "the person gave no answer", node)
            return
        grades = list(self._answers(node))
        if not grades:
            self.losses.add("annotations without a grade", "no choice or rating is in them", node)
            return
        if len(grades) > 1:
            raise node.fault(
                f"holds {len(grades)} grades", "let people choose one, or name the control by --option grade=NAME"
            )
        time = node.get("lead_time")
        if time is not None and (seconds := as_number(str(time.value))) is not None:
            self.times.append(seconds)
        if node.value.get("ground_truth") is True:
            self.losses.add("marks of ground truth", "the judgment is kept, its mark is not", node)
        at = node.get("updated_at", "created_at")
        rater = _person(node.get("completed_by")) or unnamed
        raw, place = grades[0]
        self.judged.add(place, about.query_id, about.doc_id, self._grades(raw, place), rater, "human",
                        at.text() if at is not None else None)  # fmt: skip

    def _answers(self, node: Node) -> Iterator[tuple[Any, Node]]:
        wanted = self._options.get("grade")
        for result in node.need("result").each():
            kind = result.need("type").text()
            control = result.get("from_name")
            named = control.text() if control is not None else kind
            if wanted is not None and named != wanted:
                self.losses.add(f"answers of {named}", "the grade is another control's", result)
            elif kind not in _GRADES:
                self.losses.add(f"{kind} answers", "they are no grade", result)
            else:
                self.controls.add(named)
                yield from _values(result.need("value"), kind)


def _values(value: Node, kind: str) -> Iterator[tuple[Any, Node]]:
    said = value.need(kind)
    if kind == "taxonomy":
        for path in said.each():
            yield list(path.each())[-1].value, path
    elif said.is_list:
        for one in said.each():
            yield one.value, one
    else:
        yield said.value, said


def _person(node: Node | None) -> str | None:
    if node is None:
        return None
    if node.is_dict:
        node = node.need("email", "id", "username")
    return node.id()


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """Tasks to be imported: a task a pair, with the ratings of its judgments as annotations of a control `grade`."""
    losses = Losses(carried.name)
    known = texts(carried)
    documents = _documents(carried)
    tasks: dict[tuple[str, str], dict[str, Any]] = {}
    for row in (Pair, Judgment):
        held = columns_of(carried.tables[row]) if row in carried.tables else {}
        for query, doc in zip(held.get("query_id", ()), held.get("doc_id", ()), strict=True):
            title, text = documents.get(doc, ("", ""))
            data = dict(zip(_WAYS, (doc, title, text, query, known.get(query, query)), strict=True))
            tasks.setdefault((query, doc), {"data": data, "annotations": []})
    if not tasks:
        raise InputError(f"{TITLE} needs pairs or judgments, and there are none", carried.name, "give a queue of pairs")
    control = wishes.options.get("grade", "grade")
    held = columns_of(carried.tables[Judgment]) if Judgment in carried.tables else {}
    for at, (query, doc) in enumerate(zip(held.get("query_id", ()), held.get("doc_id", ()), strict=True)):
        result = {
            "from_name": control,
            "to_name": "doc",
            "type": "rating",
            "value": {"rating": number(held["grade"][at])},
        }
        annotation: dict[str, Any] = {"result": [result], "was_cancelled": False}
        rater = held["rater"][at] if "rater" in held else None
        if rater is not None:
            annotation["completed_by"] = int(rater) if rater.isdigit() else {"email": rater}
        tasks[query, doc]["annotations"].append(annotation)
    unheld(carried, Judgment, ("query_id", "doc_id", "grade", "rater", "source"), TITLE, losses)
    unheld(carried, Pair, ("query_id", "doc_id"), TITLE, losses)
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    unheld(carried, Document, ("doc_id", "title", "text"), TITLE, losses)
    untaken(carried, (Topic, Document, Judgment, Pair), TITLE, losses)
    unused(queries_of(carried), (query for query, _ in tasks), "pairs", TITLE, losses)
    if gone := set(documents) - {doc for _, doc in tasks}:
        losses.add("documents without pairs", f"{TITLE} has no row for them", count=len(gone))
    with replacing(target) as file:
        file.write(to_json(list(tasks.values())))
    return losses.all()


def _documents(carried: Carried) -> dict[str, tuple[str, str]]:
    if Document not in carried.tables:
        return {}
    held = columns_of(carried.tables[Document])
    return {d: (title, text) for d, title, text in zip(held["doc_id"], held["title"], held["text"], strict=True)}


register(
    Outside(
        "label-studio", "Label Studio export (JSON)", (Topic, Document, Judgment, Pair), read, write,
        lambda look: {"$[]", "$[].data", "$[].annotations"} <= paths(look),
        {**OPTIONS, "grade": "which control holds the grade, where there are several"},
        "https://labelstud.io/guide/task_format",
    )
)  # fmt: skip
