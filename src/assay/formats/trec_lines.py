"""Lines of TREC's less usual judgments: fields with white space between, `#` begins a comment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from assay.errors import InputError
from assay.files import Source, replacing
from assay.formats.carried import Carried
from assay.formats.tabbed import Tabbed
from assay.formats.trec import skipped
from assay.formats.trec_ids import needs_code
from assay.tables.values import shown


class Lines:
    """The lines of a file that have as many fields as they should."""

    def __init__(self, source: Source, fields: Sequence[str]) -> None:
        self._lines = Tabbed(source, None)
        self.name, self._fields = self._lines.name, fields
        self.facts = self._lines.facts

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        found = False
        for at, cells in self._lines.rows(self._fields, comments=True):
            found = True
            yield at, cells
        if not found:
            raise InputError("holds nothing but comment lines", self.name, "write it anew")
        self.facts = (*self.facts, *skipped(self.name, self._lines.comments))


def write_lines(target: str | os.PathLike[str], carried: Carried, lines: Iterable[Sequence[str]]) -> None:
    """Writes fields as lines; an id that white space would cut is refused."""
    made = []
    for fields in lines:
        for one in fields:
            if needs_code(one):
                what = f"the id '{shown(one)}' holds white space, or would be a comment"
                raise InputError(what, carried.name, "write CSV or JSON lines, or give ids without blanks")
        made.append(" ".join(fields) + "\n")
    with replacing(target) as file:
        file.write("".join(made).encode("utf-8"))
