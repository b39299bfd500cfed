"""Ratings of the Rated Ranking Evaluator: topics, query groups and queries, or the flat list that other tools write.

Judgments belong to a group, whose queries are ways to say one need: the group becomes the intent of its queries.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import (
    Gathered,
    Grades,
    Losses,
    columns_of,
    gathered,
    many,
    pairs,
    spelled_out,
    unheld,
    untaken,
)
from assay.formats.nested import Node, number, paths, plain, read_tree, to_json
from assay.formats.outgoing import queries_of, unused
from assay.tables import Judgment, Topic

TITLE = "an RRE ratings file"
_SHAPE = '{"queries": [{"placeholders": {"$query": TEXT}, "relevant_documents": {ID: {"gain": 3}}}]}'
_LONG = ("$.queries", "$.query_groups", "$.topics[].queries", "$.topics[].query_groups")
_WHOLE = frozenset(("index", "corpora_file", "id_field", "template", "query_placeholder", "topics", "query_groups",
                    "queries"))  # fmt: skip
_TOPIC = frozenset(("description", "query_groups", "queries", "name"))
_GROUP = frozenset(("name", "description", "queries", "relevant_documents"))
_QUERY = frozenset(("template", "placeholders", "relevant_documents"))
_SAID = "$query"


@dataclass(frozen=True, slots=True)
class _Group:
    """Queries that share one set of judgments, or each with its own."""

    node: Node
    topic: str | None
    name: str | None


def read(source: Source, wishes: Wishes) -> Carried:
    """Either shape; gains as `{"id": {"gain": 3}}`, as `{"id": {"rating": 3}}`, or as `{"3": ["id"]}`."""
    name = name_of(source)
    root = read_tree(source, _SHAPE, _LONG)
    losses = Losses(name)
    losses.rest(root, _WHOLE, "the file")
    said = root.get("query_placeholder")
    placeholder = said.text() if said is not None else _SAID
    topics = Gathered(Topic, name, "query_id", "text", "intent", "topic")
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    grades = Grades(wishes.labels)
    known: set[str] = set()
    renamed = 0
    for group in _groups(root, losses):
        shared = group.node.get("relevant_documents")
        for query in group.node.need("queries").each():
            losses.rest(query, _QUERY, "a query")
            text = _text(query, placeholder, losses)
            key = text
            if key in known:
                key, renamed = f"{group.name or group.topic or len(known)}: {text}", renamed + 1
            known.add(key)
            topics.add(query, key, text, group.name, group.topic)
            own = query.get("relevant_documents") or shared
            if own is None:
                losses.add("queries without judgments", "they are kept as topics", query)
                continue
            for doc, raw, place in _gains(own, losses):
                judged.add(place, key, doc, grades(raw, place))
    facts = []
    if renamed:
        facts.append(
            f"{name}: {many(renamed, 'query has', 'queries have')} the text of another one: the id is 'GROUP: TEXT'"
        )
    more = {key: plain(root.value[key]) for key in root.value if key in _WHOLE - {"topics", "query_groups", "queries"}}
    return Carried(name, gathered(topics, judged), lost=losses.all(), facts=tuple(facts), more=more)


def _groups(root: Node, losses: Losses) -> Iterator[_Group]:
    topics = root.get("topics")
    if topics is not None:
        for topic in topics.each():
            losses.rest(topic, _TOPIC, "a topic")
            yield from _of(topic, _named(topic), losses)
    else:
        yield from _of(root, None, losses)


def _of(node: Node, topic: str | None, losses: Losses) -> Iterator[_Group]:
    groups = node.get("query_groups")
    if groups is None:
        node.need("queries", "query_groups", *(() if topic else ("topics",)))
        yield _Group(node, topic, None)
        return
    for group in groups.each():
        losses.rest(group, _GROUP, "a query group")
        if group.has("description") and group.has("name"):
            losses.add("descriptions of query groups", "a group is known by its name", group)
        yield _Group(group, topic, _named(group))


def _named(node: Node) -> str | None:
    said = node.get("name", "description")
    return None if said is None else said.text()


def _text(query: Node, placeholder: str, losses: Losses) -> str:
    held = query.need("placeholders")
    if not held.has(placeholder) and len(held.dict()) == 1:  # one placeholder of another name can only be the text
        placeholder = next(iter(held.value))
    node = held.need(placeholder)
    text = node.text().strip()
    if not text:
        raise node.fault("the query is blank", "leave the query out, or write its text")
    others = len(held.value) - 1
    if others:
        losses.add("further placeholders", "a topic has one text", query, count=others)
    return text


def _gains(held: Node, losses: Losses) -> Iterator[tuple[str, Any, Node]]:
    first = next(iter(held.dict().values()), None)
    if isinstance(first, list):  # gain to ids; RRE too looks at the first value alone
        for gain, docs in held.members():
            for doc in docs.each():
                yield doc.id(), gain, doc
        return
    for key, said in held.members():
        found = said.get("gain", "rating")
        if found is None:
            losses.add("documents without a gain", "RRE counts them as half of the best; here they are unjudged", said)
            continue
        yield key, found.value, found


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """Topics and query groups; queries of one intent with the same judgments become one group."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    named = spelled_out(carried, list(judged), TITLE)
    if any(query != text for query, text in named.items()):
        losses.add("query ids", f"{TITLE} knows a query by its text alone", count=len(named))
    segments = columns_of(carried.tables[Topic]) if Topic in carried.tables else {}
    intents = dict(zip(segments["query_id"], segments["intent"], strict=True)) if "intent" in segments else {}
    about = dict(zip(segments["query_id"], segments["topic"], strict=True)) if "topic" in segments else {}
    unheld(carried, Topic, ("query_id", "text", "intent", "topic"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    unused(queries_of(carried), judged, "judgments", TITLE, losses)
    template = wishes.options.get("template") or carried.more.get("template") or "template.json"
    placeholder = carried.more.get("query_placeholder") or _SAID
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    for query, docs in judged.items():
        gains = tuple((doc, number(grade)) for doc, grade in docs.items())
        name = intents.get(query) or named[query]
        group = groups.setdefault((about.get(query), name, gains), {
            "name": name, "queries": [], "relevant_documents": {doc: {"gain": gain} for doc, gain in gains},
        })  # fmt: skip
        group["queries"].append({"template": template, "placeholders": {placeholder: named[query]}})
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for (topic, _, _), group in groups.items():
        by_topic.setdefault(topic or "all", []).append(group)
    content = {
        "index": wishes.options.get("index") or carried.more.get("index") or "index",
        "id_field": carried.more.get("id_field") or "id",
        "topics": [{"description": topic, "query_groups": inner} for topic, inner in by_topic.items()],
    }
    if "query_placeholder" in carried.more:
        content["query_placeholder"] = placeholder
    with replacing(target) as file:
        file.write(to_json(content))
    return losses.all()


def _is_rre(found: frozenset[str]) -> bool:
    return any(f"{start}.placeholders" in found for start in (
        "$.queries[]", "$.query_groups[].queries[]", "$.topics[].queries[]", "$.topics[].query_groups[].queries[]",
    ))  # fmt: skip


register(
    Outside(
        "rre", "Rated Ranking Evaluator ratings (JSON)", (Topic, Judgment), read, write,
        lambda look: _is_rre(paths(look)),
        {"index": "the name of the index, for writing", "template": "the file of the query template, for writing"},
        "https://github.com/SeaseLtd/rated-ranking-evaluator/wiki",
    )
)  # fmt: skip
