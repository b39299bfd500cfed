"""Judgments as ranx keeps them: JSON of query to document to whole grade, or Parquet with q_id, doc_id, score."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, columns_of, gathered, numbers, pairs, untaken
from assay.formats.nested import read_tree, to_json
from assay.formats.ranx_frames import frame, read_frame
from assay.formats.score_maps import LONG
from assay.tables import Judgment
from assay.tables.values import Literal

TITLE = "a ranx qrels file"
_SHAPE = '{"QUERY_ID": {"DOC_ID": 1}}'


def read(source: Source, wishes: Wishes) -> Carried:
    """Judgments; whole numbers are what ranx asks for, and others are read too."""
    name = name_of(source)
    grades, losses = Grades(wishes.labels), Losses(name)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    block = read_frame(source, Judgment, "grade")
    if block is not None:
        held = columns_of(block)
        for at, (query, doc, grade) in enumerate(zip(held["query_id"], held["doc_id"], held["grade"], strict=True)):
            judged.add(block.place(at), query, doc, grades(f"{grade:g}", block.place(at)) if wishes.labels else grade)
    else:
        for query, node in read_tree(source, _SHAPE, LONG).members():
            docs = node.dict()
            raw: Iterable[Any] = docs.values()
            if wishes.labels is not None or any(type(value) is not Literal for value in raw):
                raw = [grades(value, node.child(doc, value)) for doc, value in docs.items()]
            judged.extend(node, [query] * len(docs), docs, numbers(list(raw)))
            if not docs:
                losses.add("queries without judgments", "such a query says nothing", node)
    if not len(judged):
        raise InputError("holds no judgment", name, f"write {_SHAPE}")
    return Carried(name, gathered(judged), lost=losses.all())


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """Parquet for a name that ends in .parquet, else JSON; ranx takes whole grades only."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    untaken(carried, (Judgment,), TITLE, losses)
    made: dict[str, dict[str, int]] = {}
    for query, docs in judged.items():
        for doc, grade in docs.items():
            if not grade.is_integer():
                what = f"document {doc} of query {query} has the grade {grade:g}"
                raise InputError(what, carried.name, "ranx takes whole grades: choose a map by --labels")
            made.setdefault(query, {})[doc] = int(grade)
    with replacing(target) as file:
        if os.fspath(target).endswith(".parquet"):
            file.write(frame((query, doc, grade) for query, docs in made.items() for doc, grade in docs.items()))
        else:
            file.write(to_json(made))
    return losses.all()


register(
    Outside(
        "ranx-qrels", "ranx qrels (JSON or Parquet)", (Judgment,), read, write,
        source="https://amenra.github.io/ranx/qrels/",
    )
)  # fmt: skip
