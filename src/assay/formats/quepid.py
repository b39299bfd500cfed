"""What the files of Quepid have in common: its guard against formulas, and numbers as it writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from assay.errors import InputError
from assay.formats.carried import Carried, Wishes
from assay.formats.gathered import Gathered, Losses, Place, columns_of
from assay.formats.nested import number, plain
from assay.formats.records import Records
from assay.tables import Document, Topic

SOURCE = "https://github.com/o19s/quepid (docs and app/controllers, version 8.6)"

GUARD: Mapping[str, str] = {
    "guard": "strip (unless given): the one blank that Quepid sets before a query that begins with - = + @ is taken "
    "off on reading and set on writing; keep: queries stay as they are"
}
"""The option that the CSV files have."""

_STARTS = ("-", "=", "+", "@")

LONE = "text"
"""The field of a document whose text is no list of fields."""


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


class Found:
    """Queries and documents, each gathered once."""

    def __init__(self, name: str, *columns: str) -> None:
        self.topics = Gathered(Topic, name, "query_id", "text", *columns)
        self.documents = Gathered(Document, name, "doc_id", "title", "text")
        self._queries: dict[str, None] = {}
        self._docs: dict[str, tuple[str, str]] = {}

    def query(self, place: Place, text: str, *values: str | None) -> str:
        """The id of a query, which is its text."""
        if text not in self._queries:
            self._queries[text] = None
            self.topics.add(place, text, text, *values)
        return text

    def has(self, text: str) -> bool:
        """Whether the query was there before."""
        return text in self._queries

    def document(self, place: Place, doc: str, fields: Mapping[str, object], losses: Losses) -> None:
        """What a document says: its title, and all other fields as lines `name: value`; a lone `text` as it is."""
        said = {key: _as_text(value) for key, value in fields.items() if value not in (None, "", [], {})}
        if not said:
            return
        title = next((said.pop(key) for key in list(said) if key.casefold() in ("title", "name")), "")
        lone = said[LONE] if list(said) == [LONE] else None
        text = "\n".join(f"{key}: {value}" for key, value in said.items()) if lone is None else lone
        made = title.strip(), text.strip()
        if self._docs.setdefault(doc, made) != made:
            losses.add("other texts of a document", "the first is kept", place)
        elif len(self.documents) < len(self._docs):
            self.documents.add(place, doc, *made)


def _as_text(value: object) -> str:
    return str(value) if isinstance(value, (str, int, float)) else json.dumps(plain(value), ensure_ascii=False)


def fields_of(carried: Carried, taken: Sequence[str] = ()) -> dict[str, dict[str, str]]:
    """The fields of every document, as `Found.document` reads them back.

    Args:
        carried: the tables.
        taken: names of columns that stand for something else in the file; a text that uses one stays whole.
    """
    if Document not in carried.tables:
        return {}
    held = columns_of(carried.tables[Document])
    made: dict[str, dict[str, str]] = {}
    for doc, title, text in zip(held["doc_id"], held["title"], held["text"], strict=True):
        made[doc] = {**({"title": title} if title else {}), **_fields(text or "", taken)}
    return made


def _fields(text: str, taken: Sequence[str]) -> dict[str, str]:
    """Lines `name: value` as fields; a text that is anything else is one field."""
    lines = [line.partition(": ") for line in text.split("\n")]
    names = [key for key, _, _ in lines]
    no_names = {"title", "name", *(title.casefold() for title in taken)}
    is_named = (
        len(set(names)) == len(names)
        and names != [LONE]
        and all(
            key and key == key.strip() and value.strip() and key.casefold() not in no_names for key, _, value in lines
        )
    )
    if is_named:
        return {key: value for key, _, value in lines}
    return {LONE: text} if text else {}


def unreturned(carried: Carried, returned: Iterable[str], title: str, losses: Losses) -> None:
    """Counts the documents that a file of returned documents has no place for."""
    docs = set(columns_of(carried.tables[Document])["doc_id"]) if Document in carried.tables else set()
    if gone := docs - set(returned):
        losses.add("documents that no query returned", f"{title} has the returned ones alone", count=len(gone))
