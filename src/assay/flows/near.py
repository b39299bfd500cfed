"""Which documents of a query say nearly the same: a queue sets them apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.store import growing


def alike_of(pairs: Iterable[tuple[str, str]], held: Mapping[str, Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """One number for pairs of a query whose documents say nearly the same; others are left out.

    Args:
        pairs: of query and document.
        held: rows of the store by document, see `assay.flows.snapshot.documents_of`.
    """
    by_query: dict[str, dict[str, str]] = {}
    for query, doc in pairs:
        by_query.setdefault(query, {})[doc] = _text(held[doc]["title"], held[doc]["text"])
    return _numbered(by_query)


def mark(connection: Any, project: str, queries: Iterable[str]) -> None:
    """Numbers the documents of queries anew, when some were added: those that are there and the new ones.

    Args:
        connection: inside a write.
        project: its id.
        queries: which.
    """
    first = growing.next_alike(connection, project)
    items: dict[tuple[str, str], list[int]] = {}
    texts: dict[str, dict[str, str]] = {}
    for item, query, doc, title, text in growing.texts(connection, project, queries):
        items.setdefault((query, doc), []).append(item)
        texts.setdefault(query, {})[doc] = _text(title, text)  # as it looks last
    found = _numbered(texts, first)
    growing.set_alike(connection, {item: found.get(pair) for pair, held in items.items() for item in held})


def join(connection: Any, project: str, query: str, doc: str) -> None:
    """Numbers one document of a query that came while people label: the others are held against it alone.

    Args:
        connection: inside a write.
        project: its id.
        query: of which.
        doc: which came.
    """
    from assay.judgments.near import near_to

    items: dict[str, list[int]] = {}
    texts: dict[str, str] = {}
    for item, _, name, title, text in growing.texts(connection, project, [query]):
        items.setdefault(name, []).append(item)
        texts[name] = _text(title, text)  # as it looks last
    near = near_to(texts.pop(doc), texts)
    if not near:
        return
    held = growing.alike(connection, project, query)
    joined = {number for name in near for item in items[name] if (number := held[item]) is not None}
    number = min(joined, default=growing.next_alike(connection, project))
    of_them = {item for item, number in held.items() if number in joined}
    of_them.update(item for name in [doc, *near] for item in items[name])
    growing.set_alike(connection, dict.fromkeys(of_them, number))


def _text(title: str, text: str) -> str:
    return f"{title} {text}"


def _numbered(texts: Mapping[str, Mapping[str, str]], first: int = 0) -> dict[tuple[str, str], int]:
    """Numbers from `first`, which no two queries share."""
    from assay.judgments.near import groups

    found: dict[tuple[str, str], int] = {}
    for query, docs in texts.items():
        near = groups(docs) if len(docs) > 1 else {}
        found |= {(query, doc): first + number for doc, number in near.items()}
        first += max(near.values(), default=-1) + 1
    return found
