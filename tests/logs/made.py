"""Small logs, as files of every kind, and what is asked of them."""

from __future__ import annotations

import json

import polars as pl

ROWS = [("s1", "red", "d1", 1, 1), ("s1", "red", "d2", 2, 0), ("s2", "blue", "d1", 1, 0), ("s2", "blue", "d3", 2, 1)]
NAMES = ("search_id", "query", "doc_id", "rank", "click")
CELLS = [("blue", "d1", 1, 1, 0), ("blue", "d3", 2, 1, 1), ("red", "d1", 1, 1, 1), ("red", "d2", 2, 1, 0)]
LISTS = [{"search_id": "s1", "query": "red", "docs": ["d1", "d2"], "clicks": [1, 0]},
         {"search_id": "s2", "query": "blue", "docs": ["d1", "d3"], "clicks": [0, 1]}]  # fmt: skip


def cells(log):
    frame = log.run("cells").select("query_id", "doc_id", "position", "impressions", "clicks")
    return sorted(frame.rows())


def refused(log):
    return {one.reason: one.n for one in log.refused()}


def frame(rows=ROWS, names=NAMES):
    return pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows])


def lines(rows=ROWS, names=NAMES):
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path
