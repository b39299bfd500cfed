"""Quepid's ratings JSON: a list of queries, each with a map from document to rating."""

from __future__ import annotations

import os

from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, pairs, spelled_out, unheld, untaken
from assay.formats.nested import number, paths, read_tree, to_json
from assay.formats.outgoing import queries_of
from assay.formats.quepid import SOURCE, Found
from assay.tables import Judgment, Topic

TITLE = "Quepid ratings JSON"
_SHAPE = '{"queries": [{"query": TEXT, "ratings": {DOCUMENT: NUMBER}}]}'
_KNOWN = frozenset(("query", "ratings"))


def read(source: Source, wishes: Wishes) -> Carried:
    """Queries and their ratings."""
    name = name_of(source)
    found, losses, grades = Found(name), Losses(name), Grades(wishes.labels)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    root = read_tree(source, _SHAPE)
    losses.rest(root, frozenset(("queries",)), "the file")
    for entry in root.need("queries").each():
        losses.rest(entry, _KNOWN, "queries")
        text = entry.need("query").text().strip()
        if not text:
            raise entry.need("query").fault("the query is blank")
        found.query(entry, text)
        ratings = entry.get("ratings")
        for doc, rating in ratings.members() if ratings is not None else ():
            if rating.value is None or rating.value == "":
                losses.add("documents without a rating", "a document that nobody rated is unjudged", rating)
            else:
                judged.add(rating, text, doc, grades(rating.value, rating))
    return Carried(name, gathered(found.topics, judged), lost=losses.all())


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """The same shape."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    topics = spelled_out(carried, queries_of(carried, judged), TITLE)
    if any(query != text for query, text in topics.items()):
        losses.add("query ids", f"{TITLE} knows a query by its text alone", count=len(topics))
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    content = [
        {"query": text, "ratings": {doc: number(grade) for doc, grade in judged.get(query, {}).items()}}
        for query, text in topics.items()
    ]
    with replacing(target) as file:
        file.write(to_json({"queries": content}))
    return losses.all()


register(
    Outside(
        "quepid-ratings-json", "Quepid ratings (JSON)", (Topic, Judgment), read, write,
        lambda look: {"$.queries[].query", "$.queries[].ratings"} <= paths(look), {}, SOURCE,
    )
)  # fmt: skip
