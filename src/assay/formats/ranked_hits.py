"""The document ids of a search engine's hits: `_id` alone where there is one index, else with the index before it."""

from __future__ import annotations

from collections.abc import Callable

from assay.errors import InputError
from assay.formats.carried import Carried, Wishes
from assay.formats.nested import Node


class DocIds:
    """Names documents by `_id`; an id says one document within one index only."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._indices: dict[str, None] = {}
        self._by_id = False

    def of(self, hit: Node) -> str:
        """The id of a hit, with its index before it once several were seen."""
        held = hit.dict()
        index = held.get("_index")
        if index is not None and index not in self._indices:
            self._indices[hit.need("_index").text()] = None
        doc = held.get("_id")
        if type(doc) is not str or not doc.strip():
            doc = hit.need("_id").id()
        if len(self._indices) > 1:
            return f"{hit.need('_index').text()}/{doc}"
        self._by_id = True
        return doc

    def again(self) -> bool:
        """Whether some were named before a second index was seen, so that all have to be named once more."""
        again, self._by_id = self._by_id and len(self._indices) > 1, False
        return again

    @property
    def indices(self) -> list[str]:
        """Every index, in the order in which it came."""
        return list(self._indices)

    def facts(self) -> tuple[str, ...]:
        """What is said where several indices make ids longer."""
        if len(self._indices) < 2:
            return ()
        few = ", ".join(list(self._indices)[:3])
        return (f"{self._name}: documents come from {len(self._indices)} indices ({few}), so an id is INDEX/ID",)


def placed(carried: Carried, wishes: Wishes, title: str) -> Callable[[str], dict[str, str]]:
    """What names a document as an engine does, `_index` and `_id`: ids that were read as INDEX/ID are taken apart."""
    known = carried.more.get("indices") or []
    index = wishes.options.get("index") or (known[0] if len(known) == 1 else None)
    if not index and len(known) < 2:
        raise InputError(f"{title} needs the name of an index", carried.name, "say it by --option index=NAME")

    def place(doc: str) -> dict[str, str]:
        for one in known if not index else ():
            if doc.startswith(f"{one}/"):
                return {"_index": one, "_id": doc.removeprefix(f"{one}/")}
        if not index:
            raise InputError(f"document {doc} is in none of the indices {', '.join(known)}", carried.name,
                             "say the index by --option index=NAME")  # fmt: skip
        return {"_index": index, "_id": doc}

    return place
