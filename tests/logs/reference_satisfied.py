"""The query of what followed clicks, in plain Python; see `reference`."""

from __future__ import annotations

from logs.reference import Rows, Tables, grouped, query


@query
def satisfied_pairs(t: Tables) -> Rows:
    visits = {(row["impression_id"], row["query_id"], row["doc_id"]) for row in t["shown"]
              if row["clicked"] == 1 and row["query_id"] is not None and row["impression_id"] is not None}  # fmt: skip
    clicks = [row for row in t["impressions"] if row["clicked"] == 1]
    clicks += [row for row in t["events"] if row["kind"] == "click"]
    bought = {(row["impression_id"], row["doc_id"]) for row in t["events"] if row["kind"] == "purchase"}
    found = []
    for search, asked, doc in visits:
        dwells = [row["dwell_s"] for row in clicks if (row["impression_id"], row["doc_id"]) == (search, doc)
                  and row["dwell_s"] is not None and row["dwell_s"] >= 0]  # fmt: skip
        is_bought = (search, doc) in bought
        is_long = bool(dwells) and max(dwells) >= t.values["long"]
        found.append({"query_id": asked, "doc_id": doc, "bought": is_bought, "timed": bool(dwells),
                      "satisfied": bool(dwells) and (is_long or is_bought)})  # fmt: skip
    return [{"query_id": key[0], "doc_id": key[1], "clicks": len(part),
             **{name: sum(row[name] for row in part) for name in ("bought", "timed", "satisfied")}}
            for key, part in grouped(found, "query_id", "doc_id").items()]  # fmt: skip
