"""The document ids of a search engine's hits: `_id` alone where there is one index, else with the index before it."""

from __future__ import annotations

from assay.formats.nested import Node


class DocIds:
    """Names documents by `_id`; an id says one document within one index only."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._indices: dict[str, None] = {}

    def see(self, hit: Node) -> None:
        """Looks at one hit; all are seen before the first is named."""
        index = hit.get("_index")
        if index is not None:
            self._indices[index.text()] = None

    def of(self, hit: Node) -> str:
        """The id of a hit."""
        doc = hit.need("_id").id()
        return doc if len(self._indices) < 2 else f"{hit.need('_index').text()}/{doc}"

    @property
    def only(self) -> str:
        """The one index; empty where there are none or several."""
        return next(iter(self._indices)) if len(self._indices) == 1 else ""

    def facts(self) -> tuple[str, ...]:
        """What is said where several indices make ids longer."""
        if len(self._indices) < 2:
            return ()
        few = ", ".join(list(self._indices)[:3])
        return (f"{self._name}: documents come from {len(self._indices)} indices ({few}), so an id is INDEX/ID",)
