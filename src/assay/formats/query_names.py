"""Queries that another tool knows by their text alone, given the ids that a team's own topics have for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.errors import SHOWN, InputError
from assay.formats.carried import Carried
from assay.formats.gathered import columns_of
from assay.tables import Block, Topic
from assay.tables.values import shown


def named_by(carried: Carried, topics: Block) -> Carried:
    """The same tables with the query ids of the topics, where a query has the text of one of them.

    Texts are compared without case, and with single blanks between words. A query whose text no topic has keeps the
    text as its id, and is counted in a fact.

    Raises:
        InputError: two topics have the same text, or no query has the text of a topic.
    """
    held = columns_of(topics)
    ids: dict[str, str] = {}
    for at, (query, text) in enumerate(zip(held["query_id"], held["text"], strict=True)):
        if not text:
            continue
        if ids.setdefault(_plain(text), query) != query:
            what = f"topics {shown(ids[_plain(text)])} and {shown(query)} have the same text '{shown(text)}'"
            raise InputError(what, topics.place(at), "keep one of them, or import without --ids-from")
    blocks = [*carried.tables.values(), *carried.runs.values()]
    texts = _texts(carried)
    queries = {query for block in blocks for query in _queries(block)}
    named = {query: ids[_plain(texts.get(query, query))] for query in queries if _plain(texts.get(query, query)) in ids}
    if not named:
        first = ", ".join(f"'{shown(one)}'" for one in sorted(queries)[:SHOWN])
        raise InputError(f"no query has the text of a topic of {topics.name}: the queries are {first}, ...",
                         carried.name, "give the topics of the same query set")  # fmt: skip
    rest = sorted(queries - set(named))
    facts = [f"{carried.name}: {len(named):,} of {len(queries):,} queries have the id of the topic with their text"]
    if rest:
        few = ", ".join(f"'{shown(one)}'" for one in rest[:SHOWN])
        facts.append(f"{carried.name}: no topic has the text of {len(rest):,} queries, which keep it as id: {few}")
    tables = {row: _with(block, named) for row, block in carried.tables.items()}
    runs = {system: _with(block, named) for system, block in carried.runs.items()}
    return replace(carried, tables=tables, runs=runs, facts=(*carried.facts, *facts))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _texts(carried: Carried) -> Mapping[str, str]:
    if Topic not in carried.tables:
        return {}
    held = columns_of(carried.tables[Topic])
    return {query: text for query, text in zip(held["query_id"], held["text"], strict=True) if text}


def _queries(block: Block) -> list[str]:
    return [*(block.frame["query_id"] if "query_id" in block.columns else ()), *block.empty]


def _with(block: Block, named: Mapping[str, str]) -> Block:
    if "query_id" not in block.columns:
        return block
    held = {name: list(values) for name, values in columns_of(block).items()}
    held["query_id"] = [named.get(one, one) for one in held["query_id"]]
    return replace(block, frame=held, empty=tuple(named.get(one, one) for one in block.empty))
