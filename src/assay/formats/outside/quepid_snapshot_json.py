"""A snapshot as Quepid's API answers it: documents by the number of the query, and the queries beside them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Losses, gathered, one_run, ranked, unheld, untaken
from assay.formats.nested import Node, paths, plain, read_tree, to_json
from assay.formats.outgoing import by_text, hits_unheld, queries_of, unused
from assay.formats.quepid import SOURCE, Found, fields_of, unreturned
from assay.tables import Document, Hit, Topic

TITLE = "Quepid snapshot JSON"
_SHAPE = '{"name": TEXT, "docs": {QUERY: [{"id": ID}]}, "queries": [{"query_id": QUERY, "query_text": TEXT}]}'
_DOC = frozenset(("id", "explain", "rated_only", "fields", "position"))
_OWN = frozenset(("id", "time", "scorer", "try", "has_snapshot_file"))
"""What belongs to a snapshot, and is written back."""
_SKIPPED = frozenset(("docs", "queries", "scores"))


def read(source: Source, wishes: Wishes) -> Carried:
    """One run, in the order of the documents."""
    name = name_of(source)
    root = read_tree(source, _SHAPE)
    if root.is_dict and root.has("snapshot") and not root.has("docs"):
        root = root.need("snapshot")
    found, losses = Found(name), Losses(name)
    texts = _texts(root)
    run = Gathered(Hit, name, "query_id", "doc_id", "rank")
    unnamed, numbers = 0, dict[str, str]()
    for number, docs in root.need("docs").members():
        text = texts.get(number)
        unnamed += text is None
        query = found.query(docs, text or number)
        numbers[query] = number
        rank = 0
        for doc in docs.each():
            losses.rest(doc, _DOC, "documents")
            said = doc.need("id").id()
            fields = doc.get("fields")
            if fields is not None and fields.is_dict:
                found.document(fields, said, fields.dict(), losses)
            if (why := doc.get("explain")) is not None and why.value != "":
                losses.add("explanations of scores", "the engine can explain again", why)
            only = doc.get("rated_only")
            if only is not None and only.value is True:
                losses.add("rated documents that were not returned", "they are no part of the ranking", doc)
                continue
            rank += 1
            run.add(doc, query, said, rank)
        if not rank:
            run.empty[query] = None
    if (scores := root.get("scores")) is not None and scores.value not in ([], {}):
        losses.add("values of the scorer", "assay evaluate computes them again", scores,
                   count=len(scores.value) if isinstance(scores.value, (list, dict)) else 1)  # fmt: skip
    title = root.get("name")
    system = title.text().strip() if title is not None and title.is_text else ""
    facts = (f"{name}: {unnamed:,} queries have no text here and keep their number as id",) if unnamed else ()
    more = {key: plain(value) for key, value in root.dict().items() if key not in _SKIPPED} | {"numbers": numbers}
    return Carried(name, gathered(found.topics, found.documents), {system or "snapshot": run.block()}, losses.all(),
                   facts, more=more)  # fmt: skip


def _texts(root: Node) -> dict[str, str]:
    """The text of every query by its number."""
    queries = root.get("queries")
    made: dict[str, str] = {}
    for one in queries.each() if queries is not None else ():
        number, text = one.get("query_id", "id"), one.get("query_text", "text")
        if number is not None and text is not None:
            made[number.id()] = text.text().strip()
    return made


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """One run as a snapshot, with the queries by their number: the one that was read, or 1, 2, ..."""
    losses = Losses(carried.name)
    system, run = one_run(carried, TITLE, wishes.options.get("run", ""))
    hits = {query: [doc for doc, _, _ in docs] for query, docs in ranked(run).items()}
    topics = by_text(carried, [one for one in queries_of(carried, hits) if one in hits], TITLE, losses)
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    unheld(carried, Document, ("doc_id", "title", "text"), TITLE, losses)
    hits_unheld([run], ("rank",), TITLE, losses)
    untaken(carried, (Topic, Hit, Document), TITLE, losses)
    left = [block for name, block in carried.runs.items() if name != system]
    if left:
        losses.add("hits of other runs", f"{TITLE} holds one run", count=sum(map(len, left)))
    unused(queries_of(carried), hits, "hits", TITLE, losses)
    unreturned(carried, (doc for docs in hits.values() for doc in docs), TITLE, losses)
    numbers, fields = _numbers(list(topics), carried.more.get("numbers") or {}), fields_of(carried)
    own = {key: value for key, value in carried.more.items() if key in _OWN}
    content: dict[str, Any] = {"id": None, "name": system, "time": None, **own, "scores": []}
    content["docs"] = {str(numbers[query]): [_doc(doc, fields.get(doc, {})) for doc in hits[query]] for query in topics}
    content["queries"] = [{"query_id": numbers[query], "query_text": text} for query, text in topics.items()]
    with replacing(target) as file:
        file.write(to_json(content))
    return losses.all()


def _doc(doc: str, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"id": doc, "explain": None, "rated_only": False, "fields": dict(fields)}


def _numbers(queries: Sequence[str], known: Mapping[str, str]) -> dict[str, int | str]:
    """A number for every query; those that were read stay when all have one."""
    if all(query in known for query in queries):
        return {query: int(known[query]) if known[query].isdecimal() else known[query] for query in queries}
    return {query: at for at, query in enumerate(queries, 1)}


register(
    Outside(
        "quepid-snapshot-json", "Quepid snapshot of the API (JSON)", (Topic, Hit, Document), read, write,
        lambda look: any({f"{start}.docs", f"{start}.name"} <= paths(look)
                         and {f"{start}.queries", f"{start}.scores", f"{start}.scorer"} & paths(look)
                         for start in ("$", "$.snapshot")),
        {"run": "which run is written, where there are several"}, SOURCE,
    )
)  # fmt: skip
