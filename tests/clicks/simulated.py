"""The simulated logs of the data folder, and their truth."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from assay.clicks.cells import F64, I64, Cells
from assay.clicks.lists import Lists
from conftest import SHARED

DEPTH = 10
DOCUMENTS = 15


@cache
def truth() -> dict[str, Any]:
    with (SHARED / "data" / "clicks" / "sim" / "truth.json").open(encoding="utf-8") as lines:
        found: dict[str, Any] = json.load(lines)
    return found


@dataclass(frozen=True)
class Sessions:
    """One row a session, in the order of the file: not counted together as `Lists` are."""

    lists: Lists
    ranker: I64
    swap: I64

    def rows(self, kept: Any) -> Lists:
        return self.lists.where(kept)

    def cells(self, kept: Any = slice(None)) -> Cells:
        return self.rows(kept).cells()

    def cells_by(self, kind: str) -> Cells:
        """Cells by ranker, or by swap as the segment."""
        values = self.ranker if kind == "ranker" else self.swap
        parts = [self.cells(values == value) for value in np.unique(values)]
        number = np.repeat(np.arange(len(parts)), [len(part.pair) for part in parts])
        whole = Cells(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("pair", "position", "impressions", "clicks")
            ),
            self.lists.query,
        )
        return replace(whole, ranker=number) if kind == "ranker" else replace(whole, segment=number)


@cache
def sessions(name: str) -> Sessions:
    frame = pl.read_parquet(SHARED / "data" / "clicks" / "sim" / f"{name}.parquet")
    documents = frame.select([f"d{at}" for at in range(1, DEPTH + 1)]).to_numpy().astype(np.int64)
    query = frame["query_id"].to_numpy().astype(np.int64)
    queries = len(truth()["grade"])
    lists = Lists(
        query[:, None] * DOCUMENTS + documents,
        frame.select([f"c{at}" for at in range(1, DEPTH + 1)]).to_numpy() > 0,
        np.ones(len(query)),
        np.repeat(np.arange(queries), DOCUMENTS),
    )
    ranker = (frame["ranker"] == "B").to_numpy().astype(np.int64)
    return Sessions(lists, ranker, frame["swap_with"].to_numpy().astype(np.int64))


def two_way(theta: F64, gamma: F64, shown: F64, rng: np.random.Generator) -> Cells:
    """Cells drawn from theta[k] gamma[pair]; shown: impressions f64[pairs, K]; every pair is a query of ten."""
    pair, at = np.nonzero(shown)
    impressions = shown[pair, at]
    clicks = rng.binomial(impressions.astype(np.int64), theta[at] * gamma[pair]).astype(float)
    return Cells(pair, at + 1, impressions, clicks, np.arange(len(gamma)) // DOCUMENTS)
