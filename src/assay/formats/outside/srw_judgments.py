"""Judgment lists of OpenSearch's Search Relevance Workbench: what is sent to it, what it stores, and its answers."""

from __future__ import annotations

import os
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, pairs, spelled_out, unheld, untaken
from assay.formats.nested import Node, number, plain, read_values, to_json
from assay.formats.outgoing import queries_of, unused
from assay.formats.search_response import is_cut, shows, sources
from assay.tables import Judgment, Topic

TITLE = "OpenSearch judgment list"
_SHAPE = '{"judgmentRatings": [{"query": TEXT, "ratings": [{"docId": ID, "rating": "3.0"}]}]}'
_LONG = ("$.judgmentRatings", "$.hits.hits[]._source.judgmentRatings", "$[].judgmentRatings")
_SOURCE = {"UBI_JUDGMENT": "clicks", "LLM_JUDGMENT": "model"}
_LIST = frozenset(("judgmentRatings", "id", "timestamp", "name", "description", "type", "status", "metadata"))
_ENTRY = frozenset(("query", "ratings", "failures"))
_LONGEST_NAME = 50


def read(source: Source, wishes: Wishes) -> Carried:
    """One judgment list; of several, the option `list` names one."""
    name = name_of(source)
    values = read_values(source, _SHAPE, _LONG)
    chosen = _chosen(list(sources(values)), wishes.options.get("list"), name)
    losses = Losses(name)
    losses.rest(chosen, _LIST, "the list")
    kind = _kind(chosen)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade", "source")
    topics = Gathered(Topic, name, "query_id", "text")
    grades = Grades(wishes.labels)
    known: set[str] = set()
    for entry in chosen.need("judgmentRatings").each():
        losses.rest(entry, _ENTRY, "a query")
        query = entry.need("query")
        text = query.text().strip()
        if text and text not in known:
            known.add(text)
            topics.add(query, text, text)
        _ratings(entry, text, judged, grades, _SOURCE.get(kind), losses)
        failures = entry.get("failures")
        if failures is not None:
            why = "the model gave no rating; these pairs stay unjudged"
            losses.add("documents that could not be rated", why, failures, count=len(list(failures.each())))
    more = {key: plain(chosen.value[key]) for key in chosen.value if key in _LIST and key != "judgmentRatings"}
    cut = is_cut(values)
    facts = [cut] if cut else []
    if kind in _SOURCE:
        facts.append(f"{name}: the ratings are of the kind {kind}, so their source is {_SOURCE[kind]}, not a human")
    return Carried(name, gathered(topics, judged), lost=losses.all(), facts=tuple(facts), more=more)


def _chosen(lists: list[Node], wanted: str | None, name: str) -> Node:
    for one in lists:
        one.need("judgmentRatings")
    called = [str(one.value.get("name") or one.value.get("id") or at) for at, one in enumerate(lists, 1)]
    if wanted is not None:
        fits = [one for one, title in zip(lists, called, strict=True) if wanted in (title, one.value.get("id"))]
        if len(fits) != 1:
            what = f"{len(fits) or 'no'} judgment list{'s are' if fits else ' is'} called {wanted}"
            raise InputError(what, name, f"the lists are {', '.join(called)}; an id names one too")
        return fits[0]
    if len(lists) != 1:
        what = f"holds {len(lists)} judgment lists" if lists else "holds no judgment list"
        raise InputError(what, name, f"choose one by --option list=NAME: {', '.join(called)}" if lists else _SHAPE)
    return lists[0]


def _kind(chosen: Node) -> str:
    kind = chosen.get("type")
    return kind.text() if kind is not None else ""


def _ratings(
    entry: Node, query: str, judged: Gathered, grades: Grades, source: str | None, losses: Losses
) -> None:  # fmt: skip
    ratings = entry.need("ratings")
    found: list[tuple[Node, Any, Any]] = []
    if ratings.is_dict:  # the documentation's prose: a map from document to rating
        for doc, rating in ratings.members():
            inner = rating.get("rating") if rating.is_dict else rating
            found.append((rating, doc, None if inner is None else inner.value))
    else:
        for one in ratings.each():
            rating_of = one.get("rating")
            found.append((one, one.need("docId").id(), None if rating_of is None else rating_of.value))
    for node, doc, rating in found:
        if rating is None or rating == "":
            losses.add("documents without a rating", "a document that nobody rated is unjudged", node)
            continue
        judged.add(node, query, doc, grades(rating, node), source)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A list to be sent with `PUT _plugins/_search_relevance/judgments`."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    named = spelled_out(carried, list(judged), TITLE)
    if any(query != text for query, text in named.items()):
        losses.add("query ids", f"{TITLE} knows a query by its text alone", count=len(named))
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    unused(queries_of(carried), judged, "judgments", TITLE, losses)
    name = str(wishes.options.get("name") or carried.more.get("name") or carried.name)
    content = {
        "name": name[:_LONGEST_NAME],
        "description": str(carried.more.get("description") or "Judgments written by assay"),
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [
            {"query": named[query], "ratings": [{"docId": d, "rating": str(number(g))} for d, g in docs.items()]}
            for query, docs in judged.items()
        ],
    }
    with replacing(target) as file:
        file.write(to_json(content))
    return losses.all()


register(
    Outside(
        "srw-judgments", "OpenSearch Search Relevance Workbench judgment list (JSON)", (Topic, Judgment), read, write,
        lambda look: shows(look, ".judgmentRatings"),
        {"list": "which of several judgment lists, by name or id", "name": "of the list that is written"},
        "https://docs.opensearch.org/latest/search-plugins/search-relevance/judgments/",
    )
)  # fmt: skip
