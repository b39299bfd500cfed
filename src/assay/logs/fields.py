"""What a row of a click log can say, and under which names teams write it.

One relation holds everything that happened: a search, a document that was shown, a click, a purchase. Which of them a
row is says its `kind`. Times are microseconds since 1970 in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.errors import InputError, did_you_mean, nearest
from assay.logs import wide

Type = Literal["text", "whole", "number", "moment", "flag", "texts", "flags"]


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that a row can say.

    Args:
        name: ours.
        type: what it holds; "texts" and "flags" are lists with one value a rank, from the top.
        also: other names by which a column is recognised, when nothing else was said.
        ubi: its path in User Behavior Insights 1.3; empty when UBI has none.
    """

    name: str
    type: Type
    also: tuple[str, ...] = ()
    ubi: str = ""


FIELDS: tuple[Field, ...] = (
    Field("app", "text", ("application",), "application"),
    Field("kind", "text", ("action", "action_name", "event", "event_type"), "action_name"),
    Field("event_id", "text", (), "event_id"),
    Field("impression_id", "text", ("search_id", "request_id", "serp_id"), "query_id"),
    Field("unit_id", "text", ("user_id", "client_id", "visitor_id"), "client_id"),
    Field("session_id", "text", ("session",), "session_id"),
    Field("query_id", "text", ("query_key",), "user_query"),
    Field("query_text", "text", ("query", "user_query"), "user_query"),
    Field("doc_id", "text", ("document_id", "object_id", "item_id", "product_id"),
          "event_attributes.object.object_id"),
    Field("position", "whole", ("rank", "ordinal"), "event_attributes.position.ordinal"),
    Field("at", "moment", ("timestamp", "shown_at", "time"), "timestamp"),
    Field("clicked", "flag", ("click", "clicks", "is_click")),
    Field("dwell_s", "number", ("dwell",), "event_attributes.dwell_time"),
    Field("value", "number", ("revenue", "price"), "event_attributes.value"),
    Field("results", "whole", ("n_results", "num_results", "hits"), "query_response_hit_ids"),
    Field("ranker", "text", ("ranker_id", "arm", "variant"), "event_attributes.ranker"),
    Field("swap", "whole", ("swap_with",)),
    Field("propensity", "number", ("propensity_score",)),
    Field("segment", "text", ("device", "layout")),
    Field("is_bot", "flag", ("is_robot",)),
    Field("user_agent", "text", ("useragent", "http_user_agent")),
    Field("docs", "texts", ("doc_ids", "documents")),
    Field("clicks", "flags", ("clicked_list",)),
)  # fmt: skip

SOME = 20
"""Columns of a file that are named in a message."""

BY_NAME: dict[str, Field] = {field.name: field for field in FIELDS}

UBI_ATTRIBUTES = ("query_attributes.", "event_attributes.", "")
"""Where User Behavior Insights leaves room for what it does not name; what the query says holds for all its events."""

KINDS: dict[str, tuple[str, ...]] = {
    "search": ("query", "search_submit"),
    "impression": ("view", "display", "item_impression", "product_impression"),
    "click": ("product_click", "item_click", "result_click", "click_through"),
    "cart": ("add_to_cart", "addtocart", "cart_add"),
    "purchase": ("buy", "order", "checkout", "transaction", "product_purchase"),
    "escalate": ("escalation", "support_ticket"),
}
"""What happened, and the actions that are recognised as it; any other action keeps its name."""


def found(columns: frozenset[str], said: Mapping[str, str], where: str = "") -> dict[str, str]:
    """The path of each field among the columns of a file.

    Args:
        columns: dotted paths that the file has, such as "event_attributes.object.object_id".
        said: field to path, as the user gave them; an empty path leaves the field out, `{n}` stands for the number of
            a position.
        where: the file, for messages.

    Returns:
        Field to path, for the fields that the file has.

    Raises:
        InputError: a field is unknown, or a path that was named is not in the file.
    """
    said = wide.said(said, columns)
    for name, path in said.items():
        if name not in BY_NAME:
            raise InputError(f"a log has no field {name!r}{did_you_mean(name, BY_NAME)}", "--columns",
                             f"the fields are {', '.join(_nearest_first(name, BY_NAME))}")  # fmt: skip
        if path and wide.NUMBER not in path and path not in columns:
            known = _nearest_first(path, sorted(columns))
            raise InputError(f"has no column {path!r} for {name}{did_you_mean(path, known)}", where or "--columns",
                             f"pass --columns {name}=COLUMN with one of {_some(known)}")  # fmt: skip
    mapped = ubi(columns) if is_ubi(columns) else named(columns)
    return {name: path for name, path in {**mapped, **said}.items() if path}


def _nearest_first(name: str, names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*nearest(name, names), *names]))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SOME]) + (f" and {len(names) - SOME} more" if len(names) > SOME else "")


def is_ubi(columns: frozenset[str]) -> bool:
    """Whether the columns are those of User Behavior Insights: queries, events, or both in one file."""
    return "client_id" in columns and bool({"user_query", "action_name"} & columns) and "query_id" in columns


def ubi(columns: frozenset[str]) -> dict[str, str]:
    """The fields of User Behavior Insights 1.3 that a file has."""
    mapped = {field.name: field.ubi for field in FIELDS if field.ubi and field.ubi in columns}
    for name in ("is_bot", "user_agent"):
        place = next((f"{before}{name}" for before in UBI_ATTRIBUTES if f"{before}{name}" in columns), None)
        if place is not None:
            mapped[name] = place
    return mapped


def named(columns: frozenset[str]) -> dict[str, str]:
    """Fields by their own name or by another that is common, in any case of letters."""
    low = {column.lower(): column for column in sorted(columns, reverse=True)}
    hits = {field.name: next((low[name] for name in (field.name, *field.also) if name in low), "") for field in FIELDS}
    if not hits["doc_id"] and not hits["docs"]:
        hits.update(wide.recognised(columns))
    if hits["query_id"] == "":
        hits["query_id"] = hits["query_text"]
    return {name: path for name, path in hits.items() if path}


def kinds(said: Mapping[str, str]) -> dict[str, str]:
    """What each action is: those that are recognised, and `action=kind` as the user gave it."""
    known = {action: kind for kind, actions in KINDS.items() for action in (kind, *actions)}
    return {**known, **said}
