"""Rows gathered one by one from another tool's file, each with its place; and what could not be carried over."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.errors import SHOWN, InputError
from assay.formats.carried import Carried, Lost, Unlisted
from assay.formats.nested import Node
from assay.formats.trails import Trail, where
from assay.label_maps import LabelMap, fitting, how
from assay.tables import Block, Hit, Judgment, Topic
from assay.tables.plain import check_columns
from assay.tables.values import NUMBER, Literal, shown

_NUMBERS = frozenset(("grade", "score"))

_MANY = 50_000
"""Rows from which on loading polars pays."""

Place = Node | int | str
"""A JSON value, a line of the file, or the place in words."""


class Gathered:
    """Rows of one table, as a reader finds them.

    Args:
        row: the class of the rows.
        name: of the source.
        fields: what every row has, in the order in which `add` takes it.
    """

    def __init__(self, row: type, name: str, *fields: str) -> None:
        self.row, self.name, self.fields = row, name, fields
        self._columns: list[list[Any]] = [[] for _ in fields]
        self._over: list[Trail | None] = []  # the container of a row, where its place is a key in one
        self._places: list[int | str] = []
        self.empty: dict[str, None] = {}
        """Queries of a run that returned nothing."""

    def __len__(self) -> int:
        return len(self._places)

    def add(self, place: Place, *values: Any) -> None:
        """One more row."""
        over = None
        if isinstance(place, Node):  # the way alone, so that the value need not be kept
            over, place = place.stand
        self._over.append(over)
        self._places.append(place)
        for column, value in zip(self._columns, values, strict=True):
            column.append(value)

    def extend(self, node: Node, *columns: Iterable[Any]) -> None:
        """The rows of one object, a key each.

        Args:
            node: the object.
            *columns: the values of each field, as many as the object has keys.
        """
        keys = list(node.dict())
        self._over += [node.trail] * len(keys)
        self._places += keys
        for column, values in zip(self._columns, columns, strict=True):
            column.extend(values)

    def drop_where_absent(self, field: str) -> None:
        """Leaves a field out of all rows when one row has no value for it."""
        at = self.fields.index(field)
        if any(value is None for value in self._columns[at]):
            self.fields = (*self.fields[:at], *self.fields[at + 1 :])
            del self._columns[at]

    def place(self, row: int) -> str:
        """Where a row stands."""
        over, place = self._over[row], self._places[row]
        return said(place, self.name) if over is None else where((over, place))

    def block(self, *facts: str) -> Block:
        """The rows, checked. A run may have none, when its queries returned nothing."""
        held = dict(zip(self.fields, self._columns, strict=True))
        if not self._places and self.empty and self.row is Hit:
            return Block(held, self.place, self.name, facts, tuple(self.empty))
        for name in _NUMBERS.intersection(held):
            held[name] = numbers(held[name])
        checked = check_columns(held, self.row, self.name, self.place, where=self.name)
        if self.row is Judgment:
            _one_grade(checked)
        return Block(checked.frame, self.place, self.name, facts, tuple(self.empty))


def said(place: Place, name: str) -> str:
    """A place in words."""
    return place.where if isinstance(place, Node) else f"{name}:{place}" if isinstance(place, int) else place


def numbers(values: Iterable[Any]) -> list[Any]:
    """The numbers of a JSON file as floats; as they came where one of them is not finite, or something else."""
    values = list(values)
    if set(map(type, values)) == {Literal}:
        floats = list(map(float, values))
        if all(map(math.isfinite, floats)):
            return floats
    return values


def gathered(*tables: Gathered) -> dict[type, Block]:
    """The tables that have rows."""
    return {table.row: table.block() for table in tables if len(table)}


def _one_grade(block: Block) -> None:
    """Refuses a pair that one rater judged twice with different grades."""
    held: Mapping[str, Sequence[Any]] = block.frame  # type: ignore[assignment] # as it was gathered
    keys = [held[name] for name in ("query_id", "doc_id", "rater", "subtopic", "dimension") if name in held]
    if _are_distinct(keys):
        return
    first: dict[tuple[Any, ...], int] = {}
    faults: list[tuple[int, int]] = []
    count = 0
    for at, key in enumerate(zip(*keys, strict=True)):
        before = first.setdefault(key, at)
        if before != at and held["grade"][before] != held["grade"][at]:
            count += 1
            if len(faults) < SHOWN:
                faults.append((before, at))
    if not faults:
        return

    def what(before: int, at: int) -> str:
        query, doc = shown(held["query_id"][at]), shown(held["doc_id"][at])
        one, other = held["grade"][before], held["grade"][at]
        return f"document {doc} of query {query} is judged {other:g}, and {one:g} at {block.place(before)}"

    more = [f"{block.place(at)}: {what(before, at)}" for before, at in faults[1:]]
    before, at = faults[0]
    raise InputError(what(before, at), block.place(at), "keep one of the two", more=more, count=count)


def _are_distinct(keys: Sequence[Sequence[Any]]) -> bool:
    """Whether no pair comes twice, where that can be seen without a table of all of them; else False."""
    if len(keys[0]) < _MANY:
        return False
    import polars as pl

    mixed = pl.Series(keys[0], dtype=pl.String).hash(0)
    for at, key in enumerate(keys[1:], 1):
        mixed = mixed ^ pl.Series(key, dtype=pl.String).hash(at)
    return bool(mixed.n_unique() == len(mixed))


class Grades:
    """Labels to grades as the user says; each label is looked up once."""

    def __init__(self, labels: LabelMap | None) -> None:
        self._labels = labels
        self._known: dict[Any, Any] = {}

    def __call__(self, raw: Any, place: Place, name: str = "") -> Any:
        """The grade of a label, or the number as it is written."""
        if self._labels is None:
            if isinstance(raw, str) and raw.strip() and not NUMBER.fullmatch(raw.strip()) and _is_word(raw):
                raise InputError(f"the grade '{shown(raw)}' is a word", said(place, name), how(fitting([raw])))
            return raw
        if raw is None or (isinstance(raw, str) and not raw.strip()):
            return None
        key = raw if isinstance(raw, (str, int, float)) else str(raw)
        if key not in self._known:
            self._known[key] = self._labels.grade(raw, said(place, name))
        return self._known[key]


def _is_word(raw: str) -> bool:
    return raw.strip("+- ").casefold() not in ("nan", "inf", "infinity") and not raw.strip()[:1].isdigit()


def many(count: int, one: str, several: str) -> str:
    """`1 query has` or `2,000 queries have`."""
    return f"{count:,} {one if count == 1 else several}"


class Losses:
    """What could not be carried over, counted by kind, in the order in which it came up."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._found: dict[tuple[str, str], tuple[int, list[str]]] = {}

    def add(self, what: str, why: str, place: Place | None = None, count: int = 1) -> None:
        """One more thing, or several."""
        before, places = self._found.get((what, why), (0, []))
        if place is not None and len(places) < SHOWN:
            places.append(said(place, self._name))
        self._found[what, why] = (before + count, places)

    def rest(self, node: Node, known: frozenset[str], of: str) -> None:
        """Every key of an object that the reader does not know."""
        for key, value in node.dict().items():
            if key not in known and value not in (None, "", [], {}):
                self.add(f"{shown(key)} of {of}", "assay's tables have no place for it", node.child(key, value))

    def all(self) -> tuple[Lost, ...]:
        """All of them."""
        return tuple(Lost(what, count, why, tuple(at)) for (what, why), (count, at) in self._found.items())


def absent(judgments: Block | None, name: str) -> tuple[Unlisted, tuple[str, ...]]:
    """What an absent pair means where a format's tools write relevant documents only."""
    if judgments is None:
        return "unjudged", ()
    grades = columns_of(judgments)["grade"]
    if any(grade <= 0 for grade in grades):
        return "unjudged", ()
    fact = (
        f"{name}: no document is judged not relevant (grade 0), so a pair that is absent is taken as not relevant, as "
        "this format's own tools do; the files cannot say which absent documents somebody looked at"
    )
    return "not-relevant", (fact,)


def columns_of(block: Block) -> Mapping[str, Sequence[Any]]:
    """The rows as plain columns."""
    if isinstance(block.frame, dict):
        return block.frame
    held: dict[str, list[Any]] = block.polars().to_dict(as_series=False)
    return held


def table(carried: Carried, row: type, title: str) -> Mapping[str, Sequence[Any]]:
    """The columns of a table that a writer cannot do without."""
    if row not in carried.tables:
        what = {"Judgment": "judgments", "Topic": "topics", "Hit": "runs", "Document": "documents"}
        named = what.get(row.__name__, row.__name__)
        raise InputError(f"{title} needs {named}, and there are none", carried.name, f"give {named} too")
    return columns_of(carried.tables[row])


def texts(carried: Carried) -> dict[str, str]:
    """The text of every query: what its topic says, else its id."""
    if Topic not in carried.tables:
        return {}
    held = columns_of(carried.tables[Topic])
    return {query: text or query for query, text in zip(held["query_id"], held["text"], strict=True)}


def pairs(carried: Carried, title: str, losses: Losses) -> dict[str, dict[str, float]]:
    """Query to document to its one grade, for formats that hold no more; a pair with several grades is refused."""
    held = table(carried, Judgment, title)
    block = carried.tables[Judgment]
    made: dict[str, dict[str, float]] = {}
    rows = zip(held["query_id"], held["doc_id"], held["grade"], strict=True)
    for at, (query, doc, grade) in enumerate(rows):
        of_query = made.setdefault(query, {})
        if of_query.setdefault(doc, grade) != grade:
            what = f"document {shown(doc)} of query {shown(query)} has the grades {of_query[doc]:g} and {grade:g}"
            remedy = f"{title} holds one grade a pair: settle them, or give the judgments of one rater and one subtopic"
            raise InputError(what, block.place(at), remedy)
    unheld(carried, Judgment, ("query_id", "doc_id", "grade"), title, losses)
    return made


def unheld(carried: Carried, row: type, kept: Sequence[str], title: str, losses: Losses) -> None:
    """Counts the columns of a table that a format has no place for."""
    if row not in carried.tables:
        return
    for name, values in columns_of(carried.tables[row]).items():
        if name in kept or (name == "dimension" and set(values) <= {"relevance"}):
            continue
        count = sum(value is not None and value != "" for value in values)
        if count:
            losses.add(f"{name} of {row.__name__.lower()}s", f"{title} has no place for it", count=count)


def untaken(carried: Carried, taken: Sequence[type], title: str, losses: Losses) -> None:
    """Counts the tables and runs that a format has no place for."""
    for row, block in carried.tables.items():
        if row not in taken:
            losses.add(f"{row.__name__.lower()}s", f"{title} has no place for them", count=len(block))
    if Hit not in taken:
        for system, block in carried.runs.items():
            losses.add(f"hits of the run {system}", f"{title} has no place for runs", count=len(block))


def one_run(carried: Carried, title: str, wanted: str = "") -> tuple[str, Block]:
    """The run to be written: the only one, or the one that the option `run` names."""
    if wanted:
        if wanted not in carried.runs:
            raise InputError(f"there is no run {wanted}", carried.name, f"the runs are {', '.join(carried.runs)}")
        return wanted, carried.runs[wanted]
    if len(carried.runs) != 1:
        what = f"{title} holds one run, and there are {len(carried.runs)}"
        raise InputError(
            what, carried.name, "give one run" + (", or name one by --option run=NAME" if carried.runs else "")
        )
    return next(iter(carried.runs.items()))


def ranked(block: Block) -> dict[str, list[tuple[str, float | None, int | None]]]:
    """Query to its documents in rank order with score and rank; queries that returned nothing have an empty list.

    Ordered by falling score, equal ones by rank; by rank alone where there are no scores.
    """
    held = columns_of(block)
    made: dict[str, list[tuple[str, float | None, int | None]]] = {query: [] for query in block.empty}
    nothing = [None] * len(block)
    scores, ranks = held.get("score", nothing), held.get("rank", nothing)
    for query, doc, score, rank in zip(held["query_id"], held["doc_id"], scores, ranks, strict=True):
        made.setdefault(query, []).append((doc, score, rank))
    has_scores = "score" in held
    order: Callable[[Any], Any] = (lambda hit: (-hit[1], hit[2] or 0)) if has_scores else (lambda hit: hit[2])
    for hits in made.values():
        hits.sort(key=order)
    return made


def scored(hits: Sequence[tuple[str, float | None, int | None]]) -> Iterator[tuple[str, float]]:
    """Documents with a score: their own; where there are ranks only, the number of documents from theirs to the end."""
    for at, (doc, score, _) in enumerate(hits):
        yield doc, score if score is not None else float(len(hits) - at)


def spelled_out(carried: Carried, queries: Sequence[str], title: str) -> dict[str, str]:
    """Query id to its text, for formats that know a query by its text alone; two queries of one text are refused."""
    known = texts(carried)
    made = {query: known.get(query, query) for query in queries}
    if len(set(made.values())) < len(made):
        owner: dict[str, str] = {}
        for query, text in made.items():
            if owner.setdefault(text, query) != query:
                what = f"queries {shown(owner[text])} and {shown(query)} have the same text '{shown(text)}'"
                raise InputError(what, carried.name, f"{title} knows a query by its text alone: join the two first")
    return made
