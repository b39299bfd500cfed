"""Query sets of OpenSearch's Search Relevance Workbench: as they are sent or stored, or one entry a line."""

from __future__ import annotations

import os
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Losses, columns_of, gathered, many, table, untaken
from assay.formats.nested import Node, plain, read_values, to_json, to_json_line
from assay.formats.search_response import is_cut, shows, sources
from assay.tables import Answer, Topic

TITLE = "OpenSearch query set"
_SHAPE = '{"querySetQueries": [{"queryText": TEXT}]}, or one {"queryText": TEXT} a line'
_SET = frozenset(("querySetQueries", "id", "timestamp", "name", "description", "sampling", "querySetSize",
                  "ubiQueriesIndex"))  # fmt: skip
_ENTRY = frozenset(("queryText", "referenceAnswer"))
_JOIN = "#\n"
"""What stood between the text and the reference answer in servers that stored them as one string."""


def read(source: Source, wishes: Wishes) -> Carried:
    """The queries of one set; of several, the option `set` names one."""
    name = name_of(source)
    values = read_values(source, _SHAPE)
    found = list(sources(values))
    losses = Losses(name)
    more: dict[str, Any] = {}
    if any(value.is_dict and value.has("querySetQueries") for value in found):
        chosen = _chosen(found, wishes.options.get("set"), name)
        losses.rest(chosen, _SET, "the set")
        more = {key: plain(chosen.value[key]) for key in chosen.value if key in _SET and key != "querySetQueries"}
        found = list(chosen.need("querySetQueries").each())
    segments = list(dict.fromkeys(key for entry in found for key in entry.dict() if key not in _ENTRY))
    segments = [key for key in segments if key not in ("query_id", "text")]
    topics = Gathered(Topic, name, "query_id", "text", *segments)
    answers = Gathered(Answer, name, "query_id", "reference")
    joined = 0
    known: set[str] = set()
    for entry in found:
        text, reference, was_joined = _split(entry)
        joined += was_joined
        if text in known:
            losses.add("queries that come again", "a query is one row of the topics", entry)
            continue
        known.add(text)
        topics.add(entry, text, text, *(_cell(entry, key) for key in segments))
        if reference is not None:
            answers.add(entry, text, reference)
    cut = is_cut(values)
    facts = [cut] if cut else []
    if joined:
        facts.append(
            f"{name}: {many(joined, 'query', 'queries')} with the answer behind '#' and a line feed; both kept"
        )
    return Carried(name, gathered(topics, answers), lost=losses.all(), facts=tuple(facts), more=more)


def _chosen(found: list[Node], wanted: str | None, name: str) -> Node:
    called = [str(one.value.get("name") or one.value.get("id") or at) for at, one in enumerate(found, 1)]
    fits = [one for one, title in zip(found, called, strict=True) if wanted in (None, title, one.value.get("id"))]
    if len(fits) == 1:
        return fits[0]
    what = f"holds {len(found)} query sets" if wanted is None else f"{len(fits)} query sets are called {wanted}"
    raise InputError(what, name, f"choose one by --option set=NAME: {', '.join(called)}")


def _split(entry: Node) -> tuple[str, str | None, bool]:
    node = entry.need("queryText")
    text, answer = node.text(), entry.get("referenceAnswer")
    joined = _JOIN in text
    behind = ""
    if joined:
        text, _, behind = text.partition(_JOIN)
    if not text.strip():
        raise node.fault("the query is blank", "leave the entry out, or write its text")
    reference = answer.text() if answer is not None else behind.strip() or None
    return text.strip(), reference, joined


def _cell(entry: Node, key: str) -> str | None:
    value = entry.value.get(key)
    if isinstance(value, (dict, list)):
        raise entry.child(key, value).fault("expected text or a number in a field of a query", f"write {_SHAPE}")
    return None if value is None else str(value)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A query set: one entry a line where the name ends in .ndjson, .jsonl or .txt, else for `PUT /query_sets`."""
    losses = Losses(carried.name)
    held = table(carried, Topic, TITLE)
    answers = columns_of(carried.tables[Answer]) if Answer in carried.tables else {}
    references = dict(zip(answers.get("query_id", ()), answers.get("reference", ()), strict=False))
    extra = [key for key in held if key not in ("query_id", "text")]
    entries = []
    for at, query in enumerate(held["query_id"]):
        entry = {"queryText": held["text"][at] or query}
        if references.get(query):
            entry["referenceAnswer"] = references[query]
        entry |= {key: str(held[key][at]) for key in extra if held[key][at] is not None}
        entries.append(entry)
    if any(query != (text or query) for query, text in zip(held["query_id"], held["text"], strict=True)):
        losses.add("query ids", f"{TITLE} knows a query by its text alone", count=len(entries))
    untaken(carried, (Topic, Answer), TITLE, losses)
    if os.fspath(target).endswith((".ndjson", ".jsonl", ".txt")):
        content = "".join(to_json_line(entry) for entry in entries).encode("utf-8")
    else:
        name = str(wishes.options.get("name") or carried.more.get("name") or carried.name)
        description = str(carried.more.get("description") or "Queries written by assay")
        made = {"name": name[:50], "description": description[:250], "sampling": "manual", "querySetQueries": entries}
        content = to_json(made)
    with replacing(target) as file:
        file.write(content)
    return losses.all()


register(
    Outside(
        "srw-queries", "OpenSearch Search Relevance Workbench query set (JSON, or one entry a line)", (Topic, Answer),
        read, write, lambda look: shows(look, ".querySetQueries") or shows(look, ".queryText"),
        {"set": "which of several query sets, by name or id", "name": "of the set that is written"},
        "https://docs.opensearch.org/latest/search-plugins/search-relevance/query-sets/",
    )
)  # fmt: skip
