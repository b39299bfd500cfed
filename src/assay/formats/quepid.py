"""What the files of Quepid have in common: its guard against formulas, and numbers as it writes them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.errors import InputError
from assay.formats.carried import Wishes
from assay.formats.gathered import Losses
from assay.formats.nested import number
from assay.formats.records import Records

SOURCE = "https://github.com/o19s/quepid (docs and app/controllers, version 8.6)"

GUARD: Mapping[str, str] = {
    "guard": "strip (unless given): the one blank that Quepid sets before a query that begins with - = + @ is taken "
    "off on reading and set on writing; keep: queries stay as they are"
}
"""The option that the CSV files have."""

_STARTS = ("-", "=", "+", "@")


def guards(wishes: Wishes) -> bool:
    """Whether the blank before a formula is Quepid's guard."""
    said = wishes.options.get("guard", "strip")
    if said not in ("strip", "keep"):
        raise InputError(f"guard={said} is not strip or keep", "--option", "pass --option guard=keep")
    return said == "strip"


class Guard:
    """Takes the guard off queries, and counts how often.

    Exactly one blank before `- = + @` is taken off. With `guard=keep` it stays as `%20`: an id of assay has no
    white space at its ends.
    """

    def __init__(self, wishes: Wishes) -> None:
        self.is_on = guards(wishes)
        self._found: dict[str, None] = {}

    def __call__(self, query: str) -> str:
        """The query as somebody typed it."""
        if query[:1] != " " or not query[1:].startswith(_STARTS):
            return query.strip()
        self._found[query] = None
        return query[1:].strip() if self.is_on else "%20" + query[1:].strip()

    def facts(self, name: str) -> tuple[str, ...]:
        """What was done to how many queries."""
        if not self._found:
            return ()
        n = len(self._found)
        queries = "1 query begins" if n == 1 else f"{n:,} queries begin"
        done = "it is taken off" if self.is_on else "it is kept, as %20"
        return (f"{name}: {queries} with a blank before - = + or @, Quepid's guard against formulas; {done}",)


def guarded(query: str, wishes: Wishes) -> str:
    """The query as Quepid exports it: with one blank before `- = + @`, never with two."""
    if query.startswith("%20") and query[3:].startswith(_STARTS):  # read with guard=keep
        return " " + query[3:]
    return " " + query if guards(wishes) and query.startswith(_STARTS) else query


def grade_text(grade: float) -> str:
    """A grade as text: whole ones without a point."""
    return str(number(grade))


def unknown_columns(records: Records, known: tuple[int | None, ...], losses: Losses) -> None:
    """Counts the cells of the columns that the reader does not know."""
    for at, title in enumerate(records.header):
        if at in known:
            continue
        cells = [line for line, cells in records.rows if cells[at].strip()]
        if cells:
            losses.add(f"cells of the column {title or at + 1}", "assay's tables have no place for it", cells[0],
                       count=len(cells))  # fmt: skip
