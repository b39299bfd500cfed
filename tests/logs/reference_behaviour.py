"""The queries of behaviour in plain Python; see `reference`."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from logs.reference import Row, Rows, Tables, first_of, good, grouped, is_aside, low, query

DAY = 86_400_000_000


@query
def session_searches(t: Tables) -> Rows:
    kept = [row for row in t["searches"] if not is_aside(t, row["session_id"])]
    after: dict[str, Row] = {}
    for (session,), part in grouped(kept, "session_id").items():
        ordered = sorted(part, key=lambda row: low(row, "moment", "impression_id"))
        if session is not None:
            after |= {row["impression_id"]: then for row, then in pairwise(ordered)}
    names = ("impression_id", "app", "unit_id", "session_id", "query_id", "moment", "ranker", "segment", "results",
             "shown")  # fmt: skip
    return [{**{name: row[name] for name in names}, "query_text": text(row),
             "next_moment": after[row["impression_id"]]["moment"] if row["impression_id"] in after else None,
             "next_text": text(after[row["impression_id"]]) if row["impression_id"] in after else None}
            for row in kept]  # fmt: skip


def text(row: Row) -> str | None:
    return row["query_id"] if row["query_text"] is None else row["query_text"]


def is_soon(t: Tables, row: Row) -> bool:
    if row["moment"] is None or row["next_moment"] is None:
        return False
    return row["next_moment"] - row["moment"] <= t.values["within"]


@query
def steps(t: Tables) -> Rows:
    here = [row for row in t["session_searches"] if is_soon(t, row) and row["query_text"] is not None
            and row["next_text"] is not None and row["query_text"] != row["next_text"]]  # fmt: skip
    return [{"query_text": key[0], "next_text": key[1], "n": len(part)}
            for key, part in grouped(here, "query_text", "next_text").items()]  # fmt: skip


@query
def clicked_documents(t: Tables) -> Rows:
    clicks = {(row["impression_id"], row["doc_id"]): row["moment"] for row in t["clicked"]}
    found, seen = [], set()
    here = (row for row in t["impressions"] if row["impression_id"] is not None)
    for key, part in grouped(here, "impression_id", "doc_id").items():
        seen.add(key)
        if any(row["clicked"] == 1 for row in part) or key in clicks:
            found.append({"impression_id": key[0], "doc_id": key[1], "moment": clicks.get(key),
                          "position": min(row["position"] for row in part)})  # fmt: skip
    return found + [{"impression_id": key[0], "doc_id": key[1], "position": None, "moment": moment}
                    for key, moment in clicks.items() if key not in seen]  # fmt: skip


@query
def clicks_of_searches(t: Tables) -> Rows:
    return [{"impression_id": key[0], "clicks": len(part),
             "shown_clicks": sum(r["position"] is not None for r in part),
             "first_position": first_of(r["position"] for r in part),
             "first_moment": first_of(r["moment"] for r in part)}
            for key, part in grouped(t["clicked_documents"], "impression_id").items()]  # fmt: skip


@query
def gains_of_searches(t: Tables) -> Rows:
    found = []
    for (impression_id,), part in grouped(t["events"], "impression_id").items():
        kinds = [row["kind"] for row in part]
        found.append({
            "impression_id": impression_id, "carts": kinds.count("cart"), "purchases": kinds.count("purchase"),
            "value": float(sum(row["value"] or 0 for row in part if row["kind"] == "purchase")),
            "is_satisfied": int("satisfied" in kinds),
        })  # fmt: skip
    return found


@query
def searched(t: Tables) -> Rows:
    clicks = {row["impression_id"]: row for row in t["clicks_of_searches"]}
    gains = {row["impression_id"]: row for row in t["gains_of_searches"]}
    alike = {(row["query_text"], row["next_text"]) for row in t["alike"]}
    return [_searched(t, row, clicks.get(row["impression_id"]), gains.get(row["impression_id"]), alike)
            for row in t["session_searches"]]  # fmt: skip


def _searched(t: Tables, row: Row, clicks: Row | None, gains: Row | None, alike: set[tuple[str, str]]) -> Row:
    moment = row["moment"]
    first = clicks["first_moment"] if clicks else None
    position = clicks["first_position"] if clicks else None
    is_satisfied = bool(gains and gains["is_satisfied"])
    empty = int(row["shown"] == 0) if t.values["empty_are_zero"] else None
    is_known = row["session_id"] is not None and moment is not None
    is_again = is_soon(t, row) and (row["query_text"], row["next_text"]) in alike
    unit = next((row[name] for name in ("unit_id", "session_id") if row[name] is not None), row["impression_id"])
    return {
        "impression_id": row["impression_id"], "unit_id": unit, "app": row["app"], "query_id": row["query_id"],
        "ranker": row["ranker"], "segment": row["segment"], "day": day(t, moment), "shown": row["shown"],
        "clicks": clicks["clicks"] if clicks else 0, "shown_clicks": clicks["shown_clicks"] if clicks else 0,
        "is_clicked": int(clicks is not None),
        "first_click_rr": 0.0 if position is None else 1 / position,
        "to_click_s": (first - moment) / 1e6 if None not in (first, moment) and first >= moment else None,
        "is_zero": empty if row["results"] is None else int(row["results"] == 0),
        "is_abandoned": int(clicks is None and not is_satisfied), "is_answered": int(clicks is None and is_satisfied),
        "is_reformulated": int(is_again) if is_known else None,
        "carts": gains["carts"] if gains else 0, "purchases": gains["purchases"] if gains else 0,
        "value": gains["value"] if gains else 0.0,
    }  # fmt: skip


def day(t: Tables, moment: int | None) -> int | None:
    if moment is None:
        return None
    ahead = next((row["ahead"] for row in t["offsets"] if row["since"] <= moment < row["until"]), None)
    return None if ahead is None else (moment + ahead) // DAY


GROUPS = ("app", "day", "ranker", "segment", "query_id")


@query
def unit_sums(t: Tables) -> Rows:
    flags = {name: t.values[f"by_{name.removesuffix('_id')}"] for name in GROUPS}
    rows = [{**row, **{name: row[name] if flag else None for name, flag in flags.items()}} for row in t["searched"]]
    found = []
    for key, part in grouped(rows, "unit_id", *GROUPS).items():
        names = {"shown": "shown", "clicks": "clicks", "shown_clicks": "shown_clicks", "clicked": "is_clicked",
                 "first_click_rr": "first_click_rr",
                 "to_click_s": "to_click_s", "zero": "is_zero", "abandoned": "is_abandoned",
                 "answered": "is_answered", "reformulated": "is_reformulated", "carts": "carts",
                 "purchases": "purchases", "value": "value"}  # fmt: skip
        known = {"to_click_n": "to_click_s", "zero_n": "is_zero", "reformulated_n": "is_reformulated"}
        found.append({
            **dict(zip(("unit_id", *GROUPS), key, strict=True)), "searches": float(len(part)),
            **{name: float(sum(row[of] or 0 for row in part)) for name, of in names.items()},
            **{name: float(sum(row[of] is not None for row in part)) for name, of in known.items()},
        })  # fmt: skip
    return found


@query
def unit_moments(t: Tables) -> Rows:
    found = []
    over = {"abandoned": "searches", "answered": "searches", "carts": "searches", "clicked": "searches",
            "first_click_rr": "searches", "purchases": "searches", "reformulated": "reformulated_n",
            "to_click_s": "to_click_n", "value": "searches", "zero": "zero_n"}  # fmt: skip
    products = [*over.items(), ("clicks", "searches"), ("shown_clicks", "shown")]
    names = sorted({name for pair in products for name in pair})
    for key, part in grouped(t["unit_sums"], *GROUPS).items():
        found.append({
            **dict(zip(GROUPS, key, strict=True)), "units": len(part),
            **{name: sum(row[name] for row in part) for name in names},
            **{f"{name}_{name}": sum(row[name] ** 2 for row in part) for name in names},
            **{f"{y}_{x}": sum(row[y] * row[x] for row in part) for y, x in products},
        })  # fmt: skip
    return found


@query
def unit_positions(t: Tables) -> Rows:
    began = {row["impression_id"]: row for row in t["searches"]}
    parts: dict[tuple[object, ...], Rows] = defaultdict(list)
    for row in t["shown"]:
        search = began.get(row["impression_id"], {}) if row["impression_id"] is not None else {}
        known = (search.get("unit_id"), search.get("session_id"), row["impression_id"])
        unit = next((one for one in known if one is not None), None)
        by = tuple(row[name] if t.values[f"by_{name}"] else None for name in ("ranker", "segment"))
        parts[(unit, row["position"], *by)].append(row)
    names = ("unit_id", "position", "ranker", "segment")
    return [{**dict(zip(names, key, strict=True)), "impressions": float(len(part)),
             "clicks": float(sum(row["clicked"] for row in part))} for key, part in parts.items()]  # fmt: skip


@query
def position_moments(t: Tables) -> Rows:
    names = ("position", "ranker", "segment")
    return [{
        **dict(zip(names, key, strict=True)), "units": len(part),
        "impressions": sum(r["impressions"] for r in part), "clicks": sum(r["clicks"] for r in part),
        "impressions_impressions": sum(r["impressions"] ** 2 for r in part),
        "clicks_clicks": sum(r["clicks"] ** 2 for r in part),
        "clicks_impressions": sum(r["clicks"] * r["impressions"] for r in part),
    } for key, part in grouped(t["unit_positions"], *names).items()]  # fmt: skip


@query
def moments_of_sessions(t: Tables) -> Rows:
    every = [{**row, "is_search": 0} for row in t["events"] if row["kind"] == "click" and row["moment"] is not None]
    searches = [row for row in good(t) if row["kind"] in ("search", "impression") and row["moment"] is not None]
    for (session, impression_id), part in grouped(searches, "session_id", "impression_id").items():
        every.append({"kind": "search", "dwell_s": None, "session_id": session, "impression_id": impression_id,
                      "moment": first_of(row["moment"] for row in part), "is_search": 1, "doc_id": None,
                      "event_id": None})  # fmt: skip
    found = []
    order = ("moment", "is_search", "impression_id", "kind", "doc_id", "event_id", "dwell_s")
    for (session,), part in grouped(every, "session_id").items():
        ordered = sorted(part, key=lambda row: low(row, *order))
        for place, row in enumerate(ordered):
            then = ordered[place + 1] if session is not None and place + 1 < len(ordered) else None
            found.append({"kind": row["kind"], "dwell_s": row["dwell_s"],
                          "until_next": then["moment"] - row["moment"] if then else None})  # fmt: skip
    return found


@query
def dwells(t: Tables) -> Rows:
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for row in t["moments_of_sessions"]:
        if row["kind"] != "click":
            continue
        if row["dwell_s"] is not None and row["dwell_s"] >= 0:
            counts[0, int(row["dwell_s"] * 10 // 1)] += 1
        elif row["dwell_s"] is None and row["until_next"] is not None:
            counts[1, row["until_next"] // 100_000] += 1
    return [{"is_derived": key[0], "tenths": key[1], "n": n} for key, n in counts.items()]
