"""A request to the ranking evaluation API of Elasticsearch (also in OpenSearch): ratings become judgments."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, pairs, texts, unheld, untaken
from assay.formats.nested import Node, number, paths, plain, read_tree, to_json
from assay.formats.outgoing import queries_of, unused
from assay.formats.ranked_hits import DocIds, placed
from assay.tables import Judgment, Topic

TITLE = "a _rank_eval request"
_SHAPE = '{"requests": [{"id": ID, "request": {...}, "ratings": [{"_index": NAME, "_id": ID, "rating": 3}]}]}'
_WHOLE = frozenset(("requests", "metric", "templates", "max_concurrent_searches"))
_ENTRY = frozenset(("id", "request", "template_id", "params", "ratings", "summary_fields"))
_WORDS = ("multi_match", "query_string", "simple_query_string", "combined_fields")


def read(source: Source, wishes: Wishes) -> Carried:
    """Ratings of every request; a request's own body is kept, and written back."""
    name = name_of(source)
    root = read_tree(source, _SHAPE, ("$.requests",))
    return _read(root, name, wishes, DocIds(name))


def _read(root: Node, name: str, wishes: Wishes, docs: DocIds) -> Carried:
    losses = Losses(name)
    losses.rest(root, _WHOLE, "the request")
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    topics = Gathered(Topic, name, "query_id", "text")
    grades, bodies = Grades(wishes.labels), {}
    for request in root.need("requests").each():
        losses.rest(request, _ENTRY, "a request")
        query = request.need("id").id()
        bodies[query] = {key: plain(value) for key, value in request.value.items() if key not in ("id", "ratings")}
        topics.add(request, query, _text(request))
        for rating in request.need("ratings").each():
            judged.add(rating, query, docs.of(rating), grades(rating.raw("rating"), rating))
    if docs.again():
        return _read(root, name, wishes, docs)
    more = {key: plain(root.value[key]) for key in root.value if key in _WHOLE and key != "requests"}
    more |= {"requests": bodies, "indices": docs.indices}
    return Carried(name, gathered(topics, judged), lost=losses.all(), facts=(*docs.facts(), *_facts(root)), more=more)


def _facts(root: Node) -> Iterator[str]:
    metric = root.get("metric")
    for title, options in metric.members() if metric is not None else ():
        if options.is_dict and options.value.get("ignore_unlabeled") is True:
            yield (
                f"{root.start}: asks {title} to leave unrated documents out; assay does so where the measure says so, "
                "not by the judgments"
            )


def _text(request: Node) -> str:
    """The words of a query, where the request has one text only."""
    params = request.get("params")
    if params is not None:
        words = {node.value for _, node in params.members() if node.is_text}
    else:
        body = request.get("request")
        words = set(_searched(body)) if body is not None else set()
    return str(words.pop()) if len(words) == 1 else ""


def _searched(body: Node) -> Iterator[str]:
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.is_list:
            waiting += node.each()
        elif node.is_dict:
            for key, inner in node.members():
                if key in _WORDS and inner.is_dict:
                    said = inner.get("query")
                    if said is not None and said.is_text:
                        yield said.value
                elif key in ("match", "match_phrase") and inner.is_dict:
                    for _, field in inner.members():
                        said = field.get("query") if field.is_dict else field
                        if said is not None and said.is_text:
                            yield said.value
                else:
                    waiting.append(inner)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A request to be sent to `INDEX/_rank_eval`, with the bodies that were read, or a search of all fields."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    place = placed(carried, wishes, TITLE)
    known, bodies = texts(carried), carried.more.get("requests") or {}
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    unused(queries_of(carried), judged, "judgments", TITLE, losses)
    requests = []
    for query, docs in judged.items():
        for doc, grade in docs.items():
            if grade < 0 or not grade.is_integer():
                what = f"document {doc} of query {query} has the grade {grade:g}"
                raise InputError(what, carried.name, "_rank_eval takes whole grades from 0: choose a map by --labels")
        body = bodies.get(query) or {"request": {"query": {"multi_match": {"query": known.get(query, query)}}}}
        ratings = [{**place(doc), "rating": number(grade)} for doc, grade in docs.items()]
        requests.append({"id": query, **body, "ratings": ratings})
    content: dict[str, Any] = {"requests": requests}
    if "templates" in carried.more:
        content["templates"] = carried.more["templates"]
    content["metric"] = carried.more.get("metric") or {"dcg": {"k": 10, "normalize": True}}
    with replacing(target) as file:
        file.write(to_json(content))
    return losses.all()


register(
    Outside(
        "rank-eval", "Elasticsearch _rank_eval request (JSON)", (Topic, Judgment), read, write,
        lambda look: {"$.requests[]", "$.requests[].ratings"} <= paths(look),
        {"index": "the name of the index, for writing"},
        "https://www.elastic.co/docs/reference/elasticsearch/rest-apis/search-rank-eval",
    )
)  # fmt: skip
