"""Quepid's case JSON: queries with notes and information needs, one rating a document, and how the case searches."""

from __future__ import annotations

import os
from typing import Any

from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, columns_of, gathered, pairs, spelled_out, unheld, untaken
from assay.formats.nested import Node, number, paths, plain, read_tree, to_json
from assay.formats.outgoing import of_topics, queries_of
from assay.formats.quepid import SOURCE, Found
from assay.tables import Judgment, Topic

TITLE = "Quepid case JSON"
_SHAPE = '{"case_name": TEXT, "queries": [{"query_text": TEXT, "ratings": [{"doc_id": ID, "rating": NUMBER}]}]}'
_QUERY = frozenset(("query_text", "ratings", "information_need", "notes", "arranged_at", "arranged_next", "options",
                    "query_id", "id"))  # fmt: skip
_RATING = frozenset(("doc_id", "rating", "user_email", "user_id"))


def read(source: Source, wishes: Wishes) -> Carried:
    """Queries and ratings; who rated is the rater. The case's settings are kept for writing it again."""
    name = name_of(source)
    root = read_tree(source, _SHAPE)
    found, losses, grades = Found(name, "information_need", "notes"), Losses(name), Grades(wishes.labels)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade", "rater")
    for entry in root.need("queries").each():
        losses.rest(entry, _QUERY, "queries")
        if (options := entry.get("options")) is not None and options.value not in ({}, ""):
            losses.add("options of queries", "they say how the engine is asked, not what is relevant", options)
        query = entry.need("query_text")
        text = query.text().strip()
        if not text:
            raise query.fault("the query is blank")
        if found.has(text):
            raise query.fault(f"the query '{text}' is there twice", "join the two in Quepid, and export again")
        found.query(entry, text, said(entry, "information_need"), said(entry, "notes"))
        ratings = entry.get("ratings")
        for rating in ratings.each() if ratings is not None else ():
            losses.rest(rating, _RATING, "ratings")
            value = rating.get("rating")
            if value is None or value.value == "":
                losses.add("documents without a rating", "a document that nobody rated is unjudged", rating)
                continue
            judged.add(rating, text, rating.need("doc_id").id(), grades(value.value, value), said(rating, "user_email"))
    more = {key: plain(value) for key, value in root.dict().items() if key != "queries"}
    return Carried(name, gathered(found.topics, judged), lost=losses.all(), more=more)


def said(node: Node, key: str) -> str | None:
    """Text under a key; None where it is absent or blank."""
    found = node.get(key)
    return (found.text().strip() or None) if found is not None else None


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A case as Quepid's "Import case" takes it; without a search endpoint, which Quepid asks for."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    topics = spelled_out(carried, queries_of(carried, judged), TITLE)
    if any(query != text for query, text in topics.items()):
        losses.add("query ids", f"{TITLE} knows a query by its text alone", count=len(topics))
    unheld(carried, Topic, ("query_id", "text", "information_need", "notes"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    needs, notes, raters = of_topics(carried, "information_need"), of_topics(carried, "notes"), _raters(carried)
    queries: list[dict[str, Any]] = []
    for at, (query, text) in enumerate(topics.items()):
        ratings = [
            {"doc_id": doc, "rating": number(grade), "user_email": raters.get((query, doc))}
            for doc, grade in judged.get(query, {}).items()
        ]
        said_of = {"notes": notes.get(query), "information_need": needs.get(query)}
        place = {"arranged_at": at, "arranged_next": None}
        queries.append({**place, "query_text": text, "options": {}, **said_of, "ratings": ratings})
    content: dict[str, Any] = {"case_name": str(wishes.options.get("name") or carried.more.get("case_name")
                                                or carried.name)}  # fmt: skip
    if "case_name" in carried.more:  # what another format left there is none of a case's
        content |= {key: value for key, value in carried.more.items() if key not in content}
    content.setdefault("scorer", {"name": wishes.options.get("scorer", "nDCG@10")})
    with replacing(target) as file:
        file.write(to_json({**content, "queries": queries}))
    return tuple(one for one in losses.all() if one.what != "rater of judgments")


def _raters(carried: Carried) -> dict[tuple[str, str], str]:
    held = columns_of(carried.tables[Judgment])
    if "rater" not in held:
        return {}
    return {(q, d): r for q, d, r in zip(held["query_id"], held["doc_id"], held["rater"], strict=True) if r}


register(
    Outside(
        "quepid-case", "Quepid case (JSON)", (Topic, Judgment), read, write,
        lambda look: {"$.case_name", "$.queries"} <= paths(look)
        or {"$.queries[].query_text", "$.queries[].ratings"} <= paths(look),
        {"name": "of the case that is written", "scorer": "of the case that is written: nDCG@10 unless given"}, SOURCE,
    )
)  # fmt: skip
