"""Which column of a source is which field of a row: exact names, other tools' names, or what the user says.

A guess that has two answers is refused; a name that is not our own is said in a fact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from itertools import chain
from typing import Any, Literal, get_args, get_type_hints

from assay.errors import InputError, did_you_mean, nearest
from assay.tables.rows import (
    Answer,
    Document,
    Hit,
    Interaction,
    Item,
    Judgment,
    LoggedAction,
    LoggedQuery,
    Pair,
    RatedPair,
    Topic,
)

Kind = Literal["id", "text", "number", "whole", "fields"]

# Two tiers a field: names that can mean nothing else, then names that do when nothing better is there.
_QUERY_ID = (("qid", "queryid", "topic_id", "topicid", "topic", "q_id", "query_no", "qno"), ("query",))
_DOC_ID = (
    ("docid", "docno", "document_id", "documentid", "document", "doc", "did", "corpus_id", "product_id"),
    ("id",),
)
_ITEM_ID = (*_DOC_ID[0], "item_id", "itemid", "item", "movie_id", "movieid", "asin", "sku")

SYNONYMS: dict[type, dict[str, tuple[tuple[str, ...], ...]]] = {
    Topic: {
        "query_id": (*_QUERY_ID, ("_id", "id")),
        "text": (("query_text", "querytext", "question", "search_term"), ("query",), ("title", "keywords")),
        "weight": (("traffic", "frequency", "freq", "volume"), ("count",)),
    },
    Judgment: {
        "query_id": _QUERY_ID,
        "doc_id": _DOC_ID,
        "grade": (
            ("rel", "relevance", "rating", "label", "judgment", "judgement", "relevance_grade", "relevance_label"),
            ("score", "relevant", "gain"),
        ),
        "rater": (("annotator", "assessor", "rater_id", "judge"), ()),
        "subtopic": (("subtopic_id", "subtopicid", "aspect"), ()),
    },
    Hit: {
        "query_id": _QUERY_ID,
        "doc_id": _DOC_ID,
        "score": (("sim", "similarity", "retrieval_score"), ()),
        "rank": (("position",), ()),
    },
    Pair: {"query_id": _QUERY_ID, "doc_id": _DOC_ID},
    RatedPair: {"query_id": _QUERY_ID, "doc_id": _DOC_ID},
    LoggedQuery: {
        "text": (
            ("query", "user_query", "query_text", "querytext", "search_term", "searchterm", "keywords"),
            ("term",),
        ),
        "count": (("frequency", "freq", "volume", "searches", "traffic", "weight"), ("n",)),
        "asked_at": (("timestamp", "time", "date", "searched_at"), ("at",)),
        "results": (("num_results", "result_count", "hits", "total_hits"), ()),
        "clicks": (("clicked", "click_count"), ()),
        "escalated": (("escalation",), ()),
        "search_id": (("impression_id",), ("request_id", "serp_id")),
        "doc_id": (("docid", "docno", "document_id", "documentid"), ("product_id", "item_id", "object_id")),
        "position": ((), ()),
    },
    LoggedAction: {
        "text": (
            ("query", "user_query", "query_text", "querytext", "search_term", "searchterm", "keywords"),
            ("term",),
        ),
        "doc_id": (_ITEM_ID, ("_id", "id")),
        "action": (("action_name", "event", "event_type", "eventtype", "action_type", "kind"), ("type",)),
        "count": (("frequency", "freq", "clicks", "times"), ("n",)),
    },
    Item: {
        "doc_id": (_ITEM_ID, ("_id", "id")),
        "category": (("categories", "genre", "genres", "category_id"), ("type",)),
    },
    Interaction: {
        "user_id": (("userid", "user", "customer_id", "customerid", "visitor_id", "visitorid", "uid"), ("session_id",)),
        "doc_id": (_ITEM_ID, ("id",)),
        "at": (("timestamp", "time", "datetime", "event_time", "created_at", "interacted_at"), ("date",)),
        "kind": (("event", "event_type", "eventtype", "action", "action_type"), ("type",)),
        "value": (("rating", "weight"), ()),
    },
    Document: {
        "doc_id": (_DOC_ID[0], ("_id", "id")),
        "title": (("name", "headline"), ()),
        "text": (("body", "contents", "content", "passage"), ("description",)),
        "html": (("body_html", "html_body"), ()),
        "image": (("picture", "image_file"), ()),
        "language": (("lang",), ()),
    },
    Answer: {
        "query_id": _QUERY_ID,
        "response": (("answer", "actual_output"), ()),
        "reference": (("reference_answer", "ground_truth", "expected_output"), ()),
    },
}
ONE_OF: dict[type, tuple[str, ...]] = {Hit: ("score", "rank")}
"""Fields of which a row needs one at least."""

KEY: dict[type, str] = {Topic: "query_id", Document: "doc_id", Item: "doc_id", Answer: "query_id"}
"""Tables that say one thing about each id."""

_CLICK_LOG = frozenset({"impression_id", "clicked", "is_click"})
"""Columns of clicks, which no judgments have."""

KEEPS_MORE = (Topic, Item, RatedPair)
"""Tables whose further columns are kept, as text."""


PANDAS_INDEX = "__index_level_"
"""How pandas names an index without a name when it becomes a column."""


@dataclass(frozen=True, slots=True)
class Column:
    """One field of a row, as the checks need it.

    Args:
        name: of the field.
        kind: of the values.
        required: true when every row must have a value.
        low: the lowest number allowed.
        default: what stands where a value is absent.
    """

    name: str
    kind: Kind
    required: bool
    low: float | None = None
    default: Any = None


@cache
def columns_of(row: type) -> tuple[Column, ...]:
    """The fields of a row class."""
    from annotated_types import Ge

    hints = get_type_hints(row, localns={"Ge": Ge}, include_extras=True)
    made = []
    for field in fields(row):
        hint = hints[field.name]
        low = None
        parts = {part for part in (hint, *get_args(hint)) if not isinstance(part, (int, float))}
        for part in list(parts):
            parts.update(inner for inner in get_args(part))
            for mark in getattr(part, "__metadata__", ()):
                low = getattr(mark, "ge", low)
        kind: Kind = "number" if float in parts else "whole" if int in parts else "text"
        if field.name in ("query_id", "doc_id", "user_id"):
            kind = "id"
        if field.name == "fields":
            kind = "fields"
        default = None if field.default is MISSING else field.default
        made.append(Column(field.name, kind, field.default is MISSING, low, default))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Match:
    """Where each field is found.

    Args:
        fields: field to index of its column.
        rest: index of every other column.
        facts: sentences about guesses.
        missing: fields without which the rows say nothing.
    """

    fields: dict[str, int]
    rest: tuple[int, ...]
    facts: tuple[str, ...]
    missing: tuple[str, ...]


def parse_columns(text: str) -> dict[str, str]:
    """What `--columns query_id=qid,doc_id=sku` says: field to column."""
    chosen: dict[str, str] = {}
    for part in text.split(","):
        field, equals, column = (piece.strip() for piece in part.partition("="))
        if not (equals and field and column):
            raise InputError(
                f"'{part.strip()}' is not FIELD=COLUMN", "--columns", "write --columns query_id=qid,grade=rating"
            )
        if field in chosen:
            raise InputError(f"{field} is given twice", "--columns", "give each field once")
        chosen[field] = column
    return chosen


def folded(name: str) -> str:
    """A column name without what people vary: case, blanks, hyphens."""
    return "_".join(name.strip().casefold().replace("-", " ").replace("_", " ").split()) if name.strip("_") else name


def has_known_name(line: str) -> bool:
    """Whether some cell of a line, however it is cut, is a name that columns have."""
    known = {name for row in SYNONYMS.values() for field, tiers in row.items() for name in (field, *chain(*tiers))}
    return any(folded(cell.strip().strip('"')) in known for cell in re.split("[,;|\t]", line))


def match(
    found: Sequence[str], row: type, name: str, chosen: Mapping[str, str] | None = None, where: str = ""
) -> Match:
    """Finds the fields of a row among column names; see `Match.missing` for what is not there.

    Args:
        found: the names of the columns, in order.
        row: the class of the rows.
        name: of the source, for facts.
        chosen: field to column, as the user says.
        where: the place of the names, for messages; the source when empty.
    """
    where = where or name
    taken = _chosen(found, row, where, chosen or {})
    plain = ["_id" if column == "_id" else folded(column) for column in found]
    guesses: list[str] = []
    for tier in range(4):
        for column in columns_of(row):
            if column.name in taken:
                continue
            names = _tier(row, column.name, tier)
            fits = [at for at, own in enumerate(plain) if own in names and at not in taken.values()]
            if len(fits) > 1:
                both = " and ".join(repr(found[at]) for at in fits)
                raise InputError(
                    f"{len(fits)} columns could be {column.name}: {both}",
                    where,
                    "give each column a name of its own"
                    if len({found[at] for at in fits}) < len(fits)
                    else f"pass --columns {column.name}={found[fits[0]]}",
                )
            if fits:
                taken[column.name] = fits[0]
                if tier:
                    guesses.append(f"{found[fits[0]]} as {column.name}")
    rest = tuple(at for at in range(len(found)) if at not in taken.values())
    missing = [column.name for column in columns_of(row) if column.required and column.name not in taken]
    one_of = ONE_OF.get(row, ())
    if one_of and not any(field in taken for field in one_of):
        missing.append(" or ".join(one_of))
    facts = (f"{name}: read column {', '.join(guesses)}",) if guesses else ()
    return Match(taken, rest, facts, tuple(missing))


def _tier(row: type, field: str, tier: int) -> tuple[str, ...]:
    tiers = ((field,), *SYNONYMS.get(row, {}).get(field, ()))
    return tiers[tier] if tier < len(tiers) else ()


def _chosen(found: Sequence[str], row: type, where: str, chosen: Mapping[str, str]) -> dict[str, int]:
    known = [column.name for column in columns_of(row)]
    taken: dict[str, int] = {}
    for field, column in chosen.items():
        if field not in known:
            raise InputError(
                f"unknown field {field}{did_you_mean(field, known)}", "--columns", f"the fields are {', '.join(known)}"
            )
        at = [i for i, own in enumerate(found) if own == column] or [
            i for i, own in enumerate(found) if folded(own) == folded(column)
        ]
        if len(at) != 1:
            what = (
                f"no column {column}{did_you_mean(column, found)}"
                if not at
                else f"{len(at)} columns are called {column}"
            )
            remedy = f"the columns are {listed(found)}; --columns holds for every input with a header"
            raise InputError(what, where, remedy)
        if at[0] in taken.values():
            raise InputError(f"column {column} is given to two fields", "--columns", "give each column once")
        taken[field] = at[0]
    return taken


def require(found: Sequence[str], row: type, matched: Match, where: str) -> None:
    """Refuses rows that lack a column, with the column that may be meant."""
    if not matched.missing:
        return
    field = matched.missing[0]
    first = field.split(" or ")[0]
    rest = [found[at] for at in matched.rest if found[at].strip()]
    near = {column: n for n in _all_names(row, first) for column in nearest(n, rest, 1)}
    closest = next(iter(nearest(first, near, 1) or near), "")
    also = f" (nor for {', '.join(matched.missing[1:])})" if matched.missing[1:] else ""
    guess = f"; did you mean {closest}?" if closest else ""
    remedy = f"name the column {first}, or pass --columns {first}={closest or 'NAME'}"
    if row is Judgment and not _CLICK_LOG.isdisjoint(map(folded, found)):
        remedy = "this looks like a log of clicks: `assay qrels from-clicks` makes judgments of it"
    raise InputError(f"no column for {field}{also} among {listed(found)}{guess}", where, remedy)


def _all_names(row: type, field: str) -> list[str]:
    return [field, *(name for tier in SYNONYMS.get(row, {}).get(field, ()) for name in tier)]


def field_of(row: type, name: str) -> str:
    """The field of a table that a column of this name holds; empty where none does."""
    return next((field for field in SYNONYMS.get(row, {}) if folded(name) in _all_names(row, field)), "")


def listed(names: Sequence[str], most: int = 8) -> str:
    """Column names for a message, shortened when there are many."""
    shown = [name if len(name) <= 40 else f"{name[:40]}..." for name in names[:most]]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown) + more
