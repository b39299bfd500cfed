"""A snapshot as Quepid's API answers it: documents by the number of the query, and the queries beside them."""

from __future__ import annotations

from assay.files import Source, name_of
from assay.formats.carried import Carried, Outside, Wishes, register
from assay.formats.gathered import Gathered, Losses, gathered
from assay.formats.nested import Node, paths, plain, read_tree
from assay.formats.quepid import SOURCE, Found
from assay.tables import Document, Hit, Topic

_SHAPE = '{"name": TEXT, "docs": {QUERY: [{"id": ID}]}, "queries": [{"query_id": QUERY, "query_text": TEXT}]}'
_DOC = frozenset(("id", "explain", "rated_only", "fields", "position"))
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
    unnamed = 0
    for number, docs in root.need("docs").members():
        text = texts.get(number)
        unnamed += text is None
        query = found.query(docs, text or number)
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
    more = {key: plain(value) for key, value in root.dict().items() if key not in _SKIPPED}
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


register(
    Outside(
        "quepid-snapshot-json", "Quepid snapshot of the API (JSON)", (Topic, Hit, Document), read, None,
        lambda look: any({f"{start}.docs", f"{start}.name"} <= paths(look)
                         and {f"{start}.queries", f"{start}.scores", f"{start}.scorer"} & paths(look)
                         for start in ("$", "$.snapshot")),
        {}, SOURCE,
    )
)  # fmt: skip
