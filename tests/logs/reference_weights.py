"""The queries of weighed clicks in plain Python; see `reference`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations_with_replacement

from logs.reference import Row, Rows, Tables, grouped, query


@query
def query_searches(t: Tables) -> Rows:
    here = [row for row in t["shown"] if row["query_id"] is not None and row["impression_id"] is not None]
    return [{"query_id": key[0], "searches": len({row["impression_id"] for row in part})}
            for key, part in grouped(here, "query_id").items()]  # fmt: skip


@query
def segment_searches(t: Tables) -> Rows:
    here = [{**row, "segment": row["segment"] or "not named"} for row in t["shown"]
            if row["query_id"] is not None and row["impression_id"] is not None]  # fmt: skip
    return [{"query_id": key[0], "segment": key[1], "searches": len({row["impression_id"] for row in part})}
            for key, part in grouped(here, "query_id", "segment").items()]  # fmt: skip


@query
def weighed_searches(t: Tables) -> Rows:
    people = {row["impression_id"]: row for row in t["searches"]}
    here = [row for row in t["shown"] if row["impression_id"] is not None]
    found = []
    for weights in t["search_weights"]:  # of a query, or of a query in a segment
        asked, segment = weights["query_id"], weights["segment"]
        by_cell = {(row["doc_id"], row["position"]): row for row in t["click_weights"]
                   if (row["query_id"], row["segment"]) == (asked, segment)}  # fmt: skip
        mine = [row for row in here
                if row["query_id"] == asked and segment in (None, row["segment"] or "not named")]  # fmt: skip
        for (search,), part in grouped(mine, "impression_id").items():
            cells = [(row, by_cell.get((row["doc_id"], row["position"]))) for row in part]
            known = [(row, cell) for row, cell in cells if cell is not None]
            adds = sum(row["clicked"] * cell["of_click"] + cell["of_showing"] for row, cell in known)
            person = people.get(search, {"unit_id": None, "session_id": None})
            unit = next(one for one in (person["unit_id"], person["session_id"], search) if one is not None)
            found.append({"unit_id": unit, "adds": adds + weights["of_search"],
                          "mass": sum(cell["mass"] for _, cell in known), "expected": weights["mass"]})  # fmt: skip
    return found


@query
def weighed_units(t: Tables) -> Rows:
    return [{"unit_id": key[0], "searches": float(len(part)),
             **{name: sum(row[name] for row in part) for name in ("adds", "mass", "expected")}}
            for key, part in grouped(t["weighed_searches"], "unit_id").items()]  # fmt: skip


def sums(rows: Rows, names: Iterable[str], products: Iterable[tuple[str, str]]) -> Row:
    found: Row = {"units": len(rows)}
    for name in names:
        found[name] = sum(row[name] for row in rows) if rows else None
    for one, other in products:
        found[f"{one}_{other}"] = sum(row[one] * row[other] for row in rows) if rows else None
    return found


@query
def weighed_moments(t: Tables) -> Rows:
    products = [(name, name) for name in ("searches", "adds", "mass", "expected")]
    products += [("adds", "searches"), ("adds", "mass"), ("mass", "expected")]
    return [sums(t["weighed_units"], ("searches", "adds", "mass", "expected"), products)]


def is_no_place(position: int | None) -> bool:
    return position is not None and not 1 <= position <= 10_000


def drawn(t: Tables) -> Rows:
    since, until = t.values["since"], t.values["until"]
    return [{**row, "is_bad": int(row["position_is_bad"] or row["clicked_is_bad"] or is_no_place(row["position"]))}
            for row in t["known"]
            if row["kind"] == "impression" and not row["line_is_bad"] and not row["moment_is_bad"]
            and row["bot"] is None
            and (row["moment"] is None or since <= row["moment"] < until)]  # fmt: skip


@query
def bandit_cells(t: Tables) -> Rows:
    names = ("doc_id", "position", "propensity", "is_bad")
    return [{**dict(zip(names, key, strict=True)), "impressions": len(part),
             "clicks": sum(row["clicked"] or 0 for row in part)}
            for key, part in grouped(drawn(t), *names).items()]  # fmt: skip


@query
def bandit_units(t: Tables) -> Rows:
    chances = {(row["doc_id"], row["position"]): row["chance"] for row in t["target"]}
    fine = [row for row in drawn(t) if not row["is_bad"] and row["doc_id"] is not None and (row["position"] or 0) >= 1
            and (row["propensity"] or 0) > 0]  # fmt: skip
    weighed = []
    for row in fine:
        weight = chances.get((row["doc_id"], row["position"]), 0.0) / row["propensity"]
        unit = next((row[name] for name in ("unit_id", "session_id", "impression_id") if row[name] is not None), None)
        weighed.append({"unit_id": unit, "weight": weight, "adds": weight * (row["clicked"] or 0)})
    return [{"unit_id": key[0], "shown": float(len(part)), "weight": sum(row["weight"] for row in part),
             "adds": sum(row["adds"] for row in part)}
            for key, part in grouped(weighed, "unit_id").items()]  # fmt: skip


@query
def bandit_moments(t: Tables) -> Rows:
    known = [row for row in t["bandit_units"] if row["unit_id"] is not None]
    products = list(combinations_with_replacement(("shown", "weight", "adds"), 2))
    renamed = {"shown_weight": "weight_shown", "shown_adds": "adds_shown", "weight_adds": "adds_weight"}
    found = sums(known, ("shown", "weight", "adds"), products)
    return [{renamed.get(name, name): value for name, value in found.items()}]
