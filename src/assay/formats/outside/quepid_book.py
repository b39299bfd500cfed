"""Quepid's book JSON: pairs of query and document, each with the judgements of up to three judges.

Every judge is a rater of their own. Quepid copies the mean of a pair's ratings to a case; a book tells them apart,
so that agreement can be looked at first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, spelled_out, table, unheld, untaken
from assay.formats.nested import Node, number, paths, plain, read_tree, to_json
from assay.formats.outgoing import of_topics, queries_of
from assay.formats.quepid import SOURCE, Found, fields_of
from assay.tables import Document, Judgment, Topic

TITLE = "Quepid book JSON"
ANONYMOUS = "Anonymous"
_SHAPE = '{"name": TEXT, "scale": [0, 1], "query_doc_pairs": [{"query_text": TEXT, "doc_id": ID, "judgements": []}]}'
_PAIR = frozenset(("query_text", "doc_id", "position", "document_fields", "information_need", "notes", "options",
                   "judgements", "id"))  # fmt: skip
_SAID = frozenset(("rating", "unrateable", "judge_later", "user_email", "user_name", "explanation", "id", "user_id"))
_LONGEST_QUERY, _LONGEST_DOC = 2048, 500


def read(source: Source, wishes: Wishes) -> Carried:
    """Queries, documents, and every judge's rating."""
    name = name_of(source)
    root = read_tree(source, _SHAPE)
    found, losses, grades = Found(name, "information_need", "notes"), Losses(name), Grades(wishes.labels)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade", "rater")
    scale = _scale(root)
    for pair in root.need("query_doc_pairs").each():
        losses.rest(pair, _PAIR, "pairs")
        query = pair.need("query_text")
        text, doc = query.text().strip(), pair.need("doc_id").id()
        if not text:
            raise query.fault("the query is blank")
        found.query(pair, text, _text(pair, "information_need"), _text(pair, "notes"))
        fields = pair.get("document_fields")
        if fields is not None:
            found.document(fields, doc, fields.dict(), losses)
        if (at := pair.get("position")) is not None:
            losses.add("positions of pairs", "a book does not say which ranking they are of", at)
        if (options := pair.get("options")) is not None and options.value not in ({}, ""):
            losses.add("options of pairs", "they say how the engine is asked, not what is relevant", options)
        judgements = pair.get("judgements", "judgments")
        for one in judgements.each() if judgements is not None else ():
            _judgement(one, text, doc, judged, grades, scale if wishes.labels is None else None, losses)
    more = {key: plain(value) for key, value in root.dict().items() if key != "query_doc_pairs"}
    return Carried(name, gathered(found.topics, judged, found.documents), lost=losses.all(), facts=_facts(name, root),
                   more=more)  # fmt: skip


def _judgement(
    one: Node, text: str, doc: str, judged: Gathered, grades: Grades, scale: set[float] | None, losses: Losses
) -> None:  # fmt: skip
    losses.rest(one, _SAID, "judgements")
    rating = one.get("rating")
    if (said := one.get("explanation")) is not None and said.value != "":
        losses.add("explanations of judges", "assay's judgments have no place for them yet; the book keeps them", said)
    if rating is None:
        if _is_true(one, "unrateable"):
            losses.add("pairs that a judge could not rate", "there is no grade; the pair stays unjudged by them", one)
        elif _is_true(one, "judge_later"):
            losses.add("pairs that a judge put off", "there is no grade yet", one)
        else:
            losses.add("judgements without a rating", "there is no grade", one)
        return
    grade = grades(rating.value, rating)
    value = _number(grade)
    if scale and value is not None and value not in scale:
        listed = ", ".join(f"{x:g}" for x in sorted(scale))
        raise rating.fault(f"the rating {value:g} is not on the book's scale {listed}", "mend the rating or the scale")
    judged.add(rating, text, doc, grade, _text(one, "user_email") or _text(one, "user_name") or ANONYMOUS)


def _number(grade: Any) -> float | None:
    try:
        return float(grade)
    except (TypeError, ValueError):
        return None  # said when the rows are checked


def _is_true(node: Node, key: str) -> bool:
    found = node.get(key)
    return found is not None and found.value is True


def _text(node: Node, key: str) -> str | None:
    found = node.get(key)
    return (found.text().strip() or None) if found is not None else None


def _scale(root: Node) -> set[float]:
    held = root.get("scale")
    if held is None:
        return set()
    made = {_number(one.value) for one in held.each()}
    if None in made:
        raise held.fault("the scale is not a list of numbers")
    return {value for value in made if value is not None}


def _facts(name: str, root: Node) -> tuple[str, ...]:
    labels = root.get("scale_with_labels")
    if labels is None:
        return ()
    said = ", ".join(f"{grade} {word.value}" for grade, word in labels.members() if word.value not in (None, ""))
    return (f"{name}: its scale is {said}",) if said else ()


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A book as Quepid's "Import book" takes it. Judges must be users of that Quepid, or it makes them when told to."""
    losses = Losses(carried.name)
    held = table(carried, Judgment, TITLE)
    block = carried.tables[Judgment]
    topics = spelled_out(carried, queries_of(carried, held["query_id"]), TITLE)
    if any(query != text for query, text in topics.items()):
        losses.add("query ids", f"{TITLE} knows a query by its text alone", count=len(topics))
    unheld(carried, Topic, ("query_id", "text", "information_need", "notes"), TITLE, losses)
    unheld(carried, Judgment, ("query_id", "doc_id", "grade", "rater"), TITLE, losses)
    untaken(carried, (Topic, Judgment, Document), TITLE, losses)
    needs, notes, fields = of_topics(carried, "information_need"), of_topics(carried, "notes"), fields_of(carried)
    pairs: dict[tuple[str, str], dict[str, Any]] = {}
    raters = held.get("rater", [None] * len(block))
    for at, (query, doc, grade, rater) in enumerate(
        zip(held["query_id"], held["doc_id"], held["grade"], raters, strict=True)
    ):
        _short(topics[query], doc, block.place(at))
        own = pairs.setdefault((query, doc), {
            "query_text": topics[query], "doc_id": doc, "position": None, "document_fields": fields.get(doc, {}),
            "information_need": needs.get(query), "notes": notes.get(query), "options": {}, "judgements": [],
        })  # fmt: skip
        own["judgements"].append(
            {"rating": number(grade), "unrateable": False, "judge_later": False,
             "user_email": None if rater in (None, "", ANONYMOUS) else rater, "explanation": None}
        )  # fmt: skip
    without = [query for query in topics if query not in {query for query, _ in pairs}]
    if without:
        losses.add("queries without judgments", "a book holds pairs alone", count=len(without))
    unused = set(fields) - {doc for _, doc in pairs}
    if unused:
        losses.add("documents without judgments", "a book holds pairs alone", count=len(unused))
    with replacing(target) as file:
        file.write(to_json({**_head(carried, wishes, held["grade"]), "query_doc_pairs": list(pairs.values())}))
    return losses.all()


def _short(query: str, doc: str, place: str) -> None:
    if len(query) > _LONGEST_QUERY:
        raise InputError(f"the query has {len(query):,} letters, and a book takes 2,048", place, "leave the pair out")
    if len(doc) > _LONGEST_DOC:
        raise InputError(f"the doc_id has {len(doc):,} letters, and a book takes 500", place, "leave the pair out")


def _head(carried: Carried, wishes: Wishes, grades: Any) -> Mapping[str, Any]:
    """Name and scale: those that were read, or the whole grades from 0 to the highest one."""
    known = carried.more if "scale" in carried.more else {}  # what another format left there is none of a book's
    top = int(max(grades))
    made = {"name": carried.name, "show_rank": False, "support_implicit_judgements": False,
            "scale": list(range(min(0, int(min(grades))), top + 1)), "scale_with_labels": {}, **known}  # fmt: skip
    return {**made, "name": wishes.options["name"]} if "name" in wishes.options else made


register(
    Outside(
        "quepid-book", "Quepid book (JSON)", (Topic, Judgment, Document), read, write,
        lambda look: "$.query_doc_pairs" in paths(look), {"name": "of the book that is written"}, SOURCE,
    )
)  # fmt: skip
