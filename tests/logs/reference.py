"""Every named query in plain Python: what the engines are held against. Rows are dicts; an absent value is None."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

Row = dict[str, Any]
Rows = list[Row]

QUERIES: dict[str, Callable[[Tables], Rows]] = {}


class Tables:
    """The relations of the engine, the parameters, and the queries by name."""

    def __init__(self, values: Row, **relations: Rows) -> None:
        empty: Rows = []
        beside = {"all_rows": relations["log"], "bot_units": empty, "bot_agents": empty, "others": empty}
        self.values, self.relations = values, beside | relations
        self._made: dict[str, Rows] = {}

    def __getitem__(self, name: str) -> Rows:
        if name in self.relations:
            return self.relations[name]
        if name not in self._made:
            self._made[name] = QUERIES[name](self)
        return self._made[name]


def query(function: Callable[[Tables], Rows]) -> Callable[[Tables], Rows]:
    QUERIES[function.__name__] = function
    return function


def grouped(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], Rows]:
    found: dict[tuple[Any, ...], Rows] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return found


def first_of(values: Iterable[Any]) -> Any:
    known = [value for value in values if value is not None]
    return min(known) if known else None


def last_of(values: Iterable[Any]) -> Any:
    known = [value for value in values if value is not None]
    return max(known) if known else None


def low(row: Row, *names: str) -> tuple[Any, ...]:
    """A key that sorts as SQL does when nulls come last."""
    return tuple((row[name] is None, 0 if row[name] is None else row[name]) for name in names)


def reason(row: Row) -> str | None:
    if row["bot"] is not None:
        return row["bot"]
    if row["line_is_bad"]:
        return "a line that is no JSON object"
    if row["kind"] is None:
        return "a row that does not say what happened"
    if row["moment_is_bad"]:
        return "a time that cannot be read or names no time zone"
    if row["kind"] != "impression":
        if row["impression_id"] is None:
            return "an event that names no search"
        if row["kind"] == "click" and row["doc_id"] is None:
            return "a click that names no document"
        return None
    if row["doc_id"] is None:
        return "an impression that names no document"
    if row["impression_id"] is None and row["query_id"] is None:
        return "an impression that names neither query nor search"
    if row["position_is_bad"]:
        return "an impression whose position is no whole number"
    if row["position"] is None:
        return "an impression without a position"
    if row["position"] < 1:
        return "an impression before the first position"
    if row["position"] > 10_000:
        return "an impression below position 10,000"
    if row["clicked_is_bad"]:
        return "an impression whose click is neither 0 nor 1"
    return None


FLAGS = ("position_is_bad", "moment_is_bad", "clicked_is_bad", "line_is_bad")


@query
def rows(t: Tables) -> Rows:
    found = []
    for row in t["known"]:
        moment = row["moment"]
        if moment is None or t.values["since"] <= moment < t.values["until"]:
            kept = {name: value for name, value in row.items() if name not in (*FLAGS, "propensity", "bot")}
            found.append({**kept, "clicked": row["clicked"] or 0, "refused": reason(row)})
    return found


def good(t: Tables) -> Rows:
    return [row for row in t["rows"] if row["refused"] is None]


def bare(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "is_plain"}


@query
def impressions_as_they_are(t: Tables) -> Rows:
    return [bare(row) for row in good(t) if row["kind"] == "impression"]


@query
def impressions(t: Tables) -> Rows:
    here = t["impressions_as_they_are"]
    parts = grouped((row for row in here if row["impression_id"] is not None), "impression_id", "doc_id", "position")
    once = [min(part, key=lambda row: (*low(row, "event_id"), -row["clicked"])) for part in parts.values()]
    return once + [row for row in here if row["impression_id"] is None]


@query
def events(t: Tables) -> Rows:
    parts: dict[Any, Rows] = defaultdict(list)
    for row in good(t):
        if row["kind"] not in ("search", "impression"):
            by_what = (row["impression_id"], row["kind"], row["doc_id"], row["moment"])
            parts[row["event_id"] if row["event_id"] is not None else by_what].append(row)
    order = ("moment", "impression_id", "kind", "doc_id", "value", "dwell_s")
    return [bare(min(part, key=lambda row: low(row, *order))) for part in parts.values()]


@query
def searches(t: Tables) -> Rows:
    here = [row for row in good(t) if row["kind"] in ("search", "impression") and row["impression_id"] is not None]
    found = []
    for (impression_id,), part in grouped(here, "impression_id").items():
        names = ("app", "unit_id", "session_id", "query_id", "query_text", "moment", "ranker", "segment")
        found.append({
            "impression_id": impression_id, **{name: first_of(row[name] for row in part) for name in names},
            "results": last_of(row["results"] for row in part),
            "shown": len({row["doc_id"] for row in part if row["kind"] == "impression"}),
        })  # fmt: skip
    return found


@query
def heavy(t: Tables) -> Rows:
    parts = grouped((row for row in t["searches"] if row["session_id"] is not None), "session_id")
    return [{"session_id": key[0], "searches": len(part)} for key, part in parts.items()
            if len(part) > t.values["most"]]  # fmt: skip


@query
def clicked(t: Tables) -> Rows:
    parts = grouped((row for row in t["events"] if row["kind"] == "click"), "impression_id", "doc_id")
    return [{"impression_id": key[0], "doc_id": key[1], "moment": first_of(row["moment"] for row in part)}
            for key, part in parts.items()]  # fmt: skip


def is_aside(t: Tables, session: Any) -> bool:
    return session is not None and any(row["session_id"] == session for row in t["aside"])


@query
def shown(t: Tables) -> Rows:
    by_id = {row["impression_id"]: row for row in t["searches"]}
    clicks = {(row["impression_id"], row["doc_id"]) for row in t["clicked"]}
    found = []
    for row in t["impressions"]:
        search = by_id.get(row["impression_id"], {}) if row["impression_id"] is not None else {}
        if is_aside(t, search.get("session_id")):
            continue
        is_clicked = row["clicked"] == 1 or (row["impression_id"], row["doc_id"]) in clicks
        found.append({
            "impression_id": row["impression_id"], "doc_id": row["doc_id"], "position": row["position"],
            "query_id": search.get("query_id") if row["query_id"] is None else row["query_id"],
            "ranker": search.get("ranker") if row["ranker"] is None else row["ranker"],
            "swap": row["swap"], "segment": row["segment"], "clicked": int(is_clicked),
        })  # fmt: skip
    return found


@query
def shown_by_row(t: Tables) -> Rows:
    names = ("impression_id", "query_id", "doc_id", "position", "ranker", "swap", "segment", "clicked")
    return [{name: row[name] for name in names} for row in t["impressions"]]


@query
def cells(t: Tables) -> Rows:
    names = ("query_id", "doc_id", "position", "ranker", "segment")
    parts = grouped((row for row in t["shown"] if row["query_id"] is not None), *names)
    return [{**dict(zip(names, key, strict=True)), "impressions": len(part), "clicks": sum(r["clicked"] for r in part)}
            for key, part in parts.items()]  # fmt: skip


@query
def again(t: Tables) -> Rows:
    here = (row for row in t["rows"] if row["kind"] == "impression" and row["position"] is not None)
    parts = grouped((row for row in here if row["impression_id"] is not None), "impression_id").values()
    return [{"searches": sum(len({row["position"] for row in part}) < len(part) for part in parts)}]


@query
def unnamed(t: Tables) -> Rows:
    here = [row for row in t["rows"] if row["kind"] == "impression" and row["impression_id"] is not None]
    return [{name: sum(row[name] is None for row in here) if here else None for name in ("query_id", "ranker")}]


@query
def cells_by_hash(t: Tables) -> Rows:
    return cells(t)


@query
def by_position(t: Tables) -> Rows:
    names = ("position", "ranker", "segment")
    return [{**dict(zip(names, key, strict=True)), "impressions": len(part), "clicks": sum(r["clicked"] for r in part)}
            for key, part in grouped(t["shown"], *names).items()]  # fmt: skip


@query
def ranked_clicks(t: Tables) -> Rows:
    here = [row for row in t["shown"] if row["query_id"] is not None and row["impression_id"] is not None]
    found = []
    for part in grouped(here, "impression_id").values():
        places = [row["position"] for row in part if row["clicked"] == 1]
        for row in part:
            kept = {name: row[name] for name in ("query_id", "doc_id", "position", "ranker", "segment", "clicked")}
            above = last_of(place for place in places if place < row["position"])
            found.append({**kept, "first_click": first_of(places), "last_click": last_of(places), "click_above": above})
    return found


@query
def cascade(t: Tables) -> Rows:
    found = []
    for key, part in grouped(t["ranked_clicks"], "query_id", "doc_id", "position").items():
        position = key[2]
        firsts = [row["first_click"] for row in part]
        lasts = [row["last_click"] for row in part]
        found.append({
            "query_id": key[0], "doc_id": key[1], "position": position, "impressions": len(part),
            "clicks": sum(row["clicked"] for row in part),
            "to_first": sum(one is not None and position <= one for one in firsts),
            "to_last": sum(one is not None and position <= one for one in lasts),
            "first_clicks": firsts.count(position), "last_clicks": lasts.count(position),
            "without_click": lasts.count(None),
        })  # fmt: skip
    return found


@query
def cascade_by_hash(t: Tables) -> Rows:
    return cascade(t)


@query
def last_click_cells(t: Tables) -> Rows:
    rows_ = ({**row, "click_above": row["click_above"] or 0} for row in t["ranked_clicks"])
    names = ("query_id", "doc_id", "position", "click_above")
    return [{**dict(zip(names, key, strict=True)), "impressions": len(part), "clicks": sum(r["clicked"] for r in part)}
            for key, part in grouped(rows_, *names).items()]  # fmt: skip


@query
def swapped(t: Tables) -> Rows:
    rows_ = ({**row, "swap": row["swap"] or 0} for row in t["shown"] if row["query_id"] is not None)
    names = ("query_id", "doc_id", "position", "swap")
    return [{**dict(zip(names, key, strict=True)), "impressions": len(part), "clicks": sum(r["clicked"] for r in part)}
            for key, part in grouped(rows_, *names).items()]  # fmt: skip


@query
def how_many(t: Tables) -> Rows:
    return [{"searches": len(t["searches"])}]


def by_chance(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@query
def list_rows(t: Tables) -> Rows:
    ordered = sorted(t["searches"], key=lambda row: (low(row, "moment"), by_chance(row["impression_id"])))
    places = {row["impression_id"]: place for place, row in enumerate(ordered, start=1)}
    names = ("query_id", "doc_id", "position", "clicked")
    return [{"place": places[row["impression_id"]], **{name: row[name] for name in names}}
            for row in t["shown"]
            if row["query_id"] is not None and places.get(row["impression_id"], 1) % t.values["step"] == 0
            and row["impression_id"] is not None]  # fmt: skip


@query
def segment_list_rows(t: Tables) -> Rows:
    """Of n searches of a segment those are taken at which place x most / n passes a whole number."""
    ordered = sorted(t["searches"], key=lambda row: (low(row, "moment"), by_chance(row["impression_id"])))
    most, taken = t.values["most"], {}
    for (segment,), part in grouped(({**row, "segment": row["segment"] or "not named"} for row in ordered),
                                    "segment").items():  # fmt: skip
        for place, row in enumerate(part, start=1):
            if len(part) <= most or place * most // len(part) > (place - 1) * most // len(part):
                taken[row["impression_id"]] = (segment, place)
    names = ("query_id", "doc_id", "position", "clicked")
    return [{"segment": segment, "place": place, **{name: row[name] for name in names}}
            for row in t["shown"] if row["query_id"] is not None
            for segment, place in [taken.get(row["impression_id"], (None, 0))]
            if segment is not None and (row["segment"] or "not named") == segment]  # fmt: skip


@query
def tally(t: Tables) -> Rows:
    names = ("app", "kind", "refused", "unread")
    return [{**dict(zip(names, key, strict=True)), "n": len(part), "first": first_of(row["moment"] for row in part),
             "last": last_of(row["moment"] for row in part)}
            for key, part in grouped(t["rows"], *names).items()]  # fmt: skip


@query
def without_query(t: Tables) -> Rows:
    return [{"impressions": sum(row["query_id"] is None for row in t["shown"])}]


@query
def searches_without_query(t: Tables) -> Rows:
    found = {row["impression_id"] for row in t["shown"] if row["query_id"] is None}
    return [{"impression_id": one} for one in sorted(found - {None})[:3]]


@query
def aside_impressions(t: Tables) -> Rows:
    by_id = {row["impression_id"]: row["session_id"] for row in t["searches"]}
    return [{"impressions": sum(is_aside(t, by_id.get(row["impression_id"])) for row in t["impressions"])}]


@query
def refused_places(t: Tables) -> Rows:
    nameless = {row["impression_id"] for row in t["nameless"]}
    found: dict[str | None, list[str]] = defaultdict(list)
    for row in t["rows"]:
        why = row["refused"]
        if why is None and row["kind"] == "impression" and row["impression_id"] in nameless:
            why = "impressions whose search names no query"
        if row["event_id"] is not None:
            for one in (why, row["unread"] if row["refused"] is None else None):
                found[one].append(row["event_id"])
    found["rows of other applications"] = [row["place"] for row in t["others"] if row["place"] is not None]
    found.pop(None, None)
    return [{"reason": why, "place": one} for why, places in found.items() for one in sorted(places)[:3]]


@query
def outside(t: Tables) -> Rows:
    moments = [row["moment"] for row in t["log"] if row["moment"] is not None]
    before = [moment for moment in moments if moment < t.values["since"]]
    after = [moment for moment in moments if moment >= t.values["until"]]
    spans = {"before_first": first_of(before), "before_last": last_of(before), "after_first": first_of(after),
             "after_last": last_of(after)}  # fmt: skip
    is_some = bool(t["log"])
    return [{"before": len(before) if is_some else None, "after": len(after) if is_some else None, **spans}]


@query
def repeated(t: Tables) -> Rows:
    here = good(t)
    shows = sum(row["kind"] == "impression" for row in here)
    others = sum(row["kind"] not in ("search", "impression") for row in here)
    asked = [(row["impression_id"], row["is_plain"]) for row in here if row["kind"] == "search"]
    return [{"impressions": shows - len(t["impressions"]), "events": others - len(t["events"]),
             "searches": len(asked) - len(set(asked))}]  # fmt: skip


@query
def unmatched(t: Tables) -> Rows:
    if not t["clicked"]:
        return [{"without_impression": None, "before_search": None, "late": None}]
    seen = {(row["impression_id"], row["doc_id"]) for row in t["impressions"]}
    began = {row["impression_id"]: row["moment"] for row in t["searches"]}
    gaps = [row["moment"] - began[row["impression_id"]] for row in t["clicked"]
            if row["moment"] is not None and began.get(row["impression_id"]) is not None]  # fmt: skip
    return [{
        "without_impression": sum((row["impression_id"], row["doc_id"]) not in seen for row in t["clicked"]),
        "before_search": sum(gap < 0 for gap in gaps), "late": sum(gap > t.values["late"] for gap in gaps),
    }]  # fmt: skip
