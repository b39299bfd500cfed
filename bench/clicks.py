"""`python -m bench.clicks`: click models on counts beside a plain loop over sessions, DBN, propensities at scale.

Logs are made up, from a seed: queries as frequent as 1 / rank, a few rankings of each.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from assay.clicks.cells import Cells
from assay.clicks.lists import Lists
from assay.clicks.models.dbn import Dynamic
from assay.clicks.models.model import ClickModel, fit
from assay.clicks.models.pbm import PositionBased
from assay.clicks.pairs import F64
from assay.clicks.propensity import propensity
from bench.plain_em import plain_pbm
from bench.store import told

SEED = 20_261_130
DOCUMENTS, DEPTH, STEPS = 15, 10, 50
THETA = 1 / np.arange(1, DEPTH + 1)


def main() -> int:
    """Prints each figure beside its goal; 1 when one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=40_000, help="of the plain loop, which needs a minute for them")
    parser.add_argument("--dbn", type=int, default=1_000_000, help="sessions for DBN")
    parser.add_argument("--impressions", type=int, default=100_000_000, help="in the cells of the propensities")
    parser.add_argument("--only", choices=("pbm", "dbn", "propensity"))
    options = parser.parse_args()
    met: list[bool] = []
    if options.only in (None, "pbm"):
        met += beside_a_plain_loop(options.sessions)
    if options.only in (None, "dbn"):
        met += dbn(options.dbn)
    if options.only in (None, "propensity"):
        met += propensities(options.impressions)
    return 0 if all(met) else 1


def sessions(model: ClickModel, queries: int, n: int, rankings: int) -> Lists:
    """One row a session, not counted together."""
    rng = np.random.default_rng(SEED)
    share = 1 / np.arange(1, queries + 1) ** 0.8
    query = rng.choice(queries, n, p=share / share.sum())
    orders = np.argsort(rng.random((queries, rankings, DOCUMENTS)), axis=2)[:, :, :DEPTH]
    pair = query[:, None] * DOCUMENTS + orders[query, rng.integers(0, rankings, n)]
    return Lists(pair, model.sample(pair, rng), np.ones(n), np.repeat(np.arange(queries), DOCUMENTS))


def attractions(queries: int) -> F64:
    """Chances of a click when examined, skewed as those of documents are."""
    return np.random.default_rng(SEED + 1).beta(1, 3, queries * DOCUMENTS)


def beside_a_plain_loop(n: int) -> list[bool]:
    """PBM by expectation maximisation on cells, and session by session."""
    log = sessions(PositionBased(THETA, attractions(100)), 100, n, 2)
    rows = list(zip(log.pair.tolist(), log.clicked.tolist(), strict=True))
    started = time.perf_counter()
    theta, gamma = plain_pbm(rows, STEPS)
    plain = time.perf_counter() - started
    started = time.perf_counter()
    cells = log.cells()
    counting = time.perf_counter() - started
    started = time.perf_counter()
    found = PositionBased.fit(cells, steps=STEPS, gain=0)
    fitting = time.perf_counter() - started
    apart = max(
        float(np.abs(found.theta - [theta[k] for k in range(DEPTH)]).max()),
        max(abs(found.gamma[pair] - value) for pair, value in gamma.items()),
    )
    times = plain / (counting + fitting)
    what = f"PBM, {n:,} sessions, {STEPS} EM steps"
    return [
        told(f"{what}: plain loop", f"{plain:.2f} s", True, "what it is held against"),
        told(f"{what}: counted in", f"{counting:.3f} s", True, "told only"),
        told(f"{what}: fitted in", f"{fitting:.4f} s", plain / fitting >= 500, "a 500th of the plain loop"),
        told(f"{what}: counting and fitting", f"{times:,.0f} x faster", times >= 500, "at least 500 x"),
        told(f"{what}: largest difference", f"{apart:.1e}", apart <= 1e-9, "at most 1e-9"),
    ]


def dbn(n: int) -> list[bool]:
    """DBN on that many sessions, counted and fitted."""
    queries = max(100, n // 500)
    rng = np.random.default_rng(SEED + 2)
    truth = Dynamic(attractions(queries), rng.beta(2, 2, queries * DOCUMENTS), 0.85)
    log = sessions(truth, queries, n, 3)
    started = time.perf_counter()
    lists = log.distinct()
    found = fit("dbn", lists)
    taken = time.perf_counter() - started
    if not isinstance(found, Dynamic):
        raise TypeError("the model called dbn is another one")
    off = abs(found.continuation - truth.continuation)
    what = f"DBN, {n:,} sessions"
    return [
        told(f"{what}: distinct lists with clicks", f"{len(lists.count):,}", True, "told only"),
        told(f"{what}: counted and fitted", f"{taken:.1f} s", taken < 60, "under 60 s"),
        told(f"{what}: continuation off by", f"{off:.4f}", off < 0.03, "under 0.03 of 0.85"),
    ]


def propensities(impressions: int) -> list[bool]:
    """Newton on as many cells as that many impressions have, each document at four positions."""
    rng = np.random.default_rng(SEED + 3)
    pairs = max(1_000, impressions // 240)
    pair = np.repeat(np.arange(pairs), 4)
    position = np.argsort(rng.random((pairs, DEPTH)), axis=1)[:, :4].ravel() + 1
    n = rng.geometric(4 * pairs / impressions, len(pair)).astype(np.float64)
    gamma = rng.beta(1, 3, pairs)
    clicks = rng.binomial(n.astype(np.int64), THETA[position - 1] * gamma[pair]).astype(np.float64)
    cells = Cells(pair, position, n, clicks, np.arange(pairs) // DOCUMENTS)
    started = time.perf_counter()
    found = propensity(cells)
    taken = time.perf_counter() - started
    off = float(np.abs(found.theta / THETA - 1).max())
    what = f"propensities, {int(n.sum()):,} impressions"
    return [
        told(f"{what}: cells", f"{len(pair):,}", True, "told only"),
        told(f"{what}: fitted in", f"{taken:.1f} s", taken < 10, "under 10 s"),
        told(f"{what}: farthest from the truth", f"{off:.2%}", off < 0.01, "under 1 %"),
    ]


if __name__ == "__main__":
    sys.exit(main())
