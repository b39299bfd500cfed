"""Documents of an index as a search engine answers them: `hits.hits[]._source`, or what stands there alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.formats.carried import Look
from assay.formats.nested import Node, paths

INSIDE = "$.hits.hits[]._source"


def sources(values: Sequence[Node]) -> Iterator[Node]:
    """The stored objects in search answers; an object that is no search answer is one itself."""
    for value in values:
        if value.is_dict and (hits := value.get("hits")) is not None and hits.is_dict and hits.has("hits"):
            for hit in hits.need("hits").each():
                yield hit.need("_source")
        elif value.is_dict and value.has("_source"):
            yield value.need("_source")
        else:
            yield value


def is_cut(values: Sequence[Node]) -> str:
    """A sentence when a search answer holds fewer documents than it found; else nothing."""
    for value in values:
        hits = value.get("hits") if value.is_dict else None
        if hits is None or not hits.is_dict or not hits.has("hits"):
            continue
        total = hits.get("total")
        found = total.get("value") if total is not None and total.is_dict else total
        held = len(list(hits.need("hits").each()))
        if found is not None and str(found.value).isdigit() and int(found.value) > held:
            return f"{value.start}: the search answer holds {held:,} of {int(found.value):,} stored objects"
    return ""


def shows(look: Look, *inner: str) -> bool:
    """Whether the beginning of a file shows all these paths, alone, in a list, or inside a search answer."""
    found = paths(look)
    return any(all(f"{start}{path}" in found for path in inner) for start in ("$", "$[]", INSIDE, "$[]._source"))
