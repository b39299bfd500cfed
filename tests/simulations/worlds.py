"""Where simulated differences come from: their truth is known."""

from __future__ import annotations

import gzip
import os
from functools import cache

import numpy as np

from conftest import SHARED

SOAK = os.environ.get("ASSAY_SOAK") == "1"
"""The sample counts of the full size, instead of the small one."""


def ids(n):
    return [f"q{at}" for at in range(n)]


def normal(rng, samples, n):
    """Normal with mean 0."""
    return rng.normal(0, 0.15, (samples, n))


def heavy(rng, samples, n):
    """Symmetric about 0, continuous, with tails like real differences: many small, few near 1."""
    return rng.choice([-1.0, 1.0], (samples, n)) * rng.beta(0.5, 3, (samples, n))


def discrete(rng, samples, n):
    """Symmetric about 0 in steps of 0.1, half of them 0, as of P@10."""
    return rng.binomial(6, 0.5, (samples, n)) / 10 - 0.3


def skewed(rng, samples, n):
    """Mean 0 and not symmetric: a few large gains pay for many small losses."""
    return rng.beta(0.4, 1.6, (samples, n)) - 0.2


def at_random(differences):
    """A world that draws from recorded differences, with random signs: symmetric about 0."""
    return lambda rng, samples, n: rng.choice([-1.0, 1.0], (samples, n)) * rng.choice(differences, (samples, n))


def centred(differences):
    """A world that draws from recorded differences less their mean: not symmetric."""
    return lambda rng, samples, n: rng.choice(differences - differences.mean(), (samples, n))


@cache
def robust03(measure):
    """Values of the 17 systems: float64 of shape (systems, 100 topics)."""
    rows = []
    for path in sorted((SHARED / "data" / "collections" / "robust03" / "trec_eval").glob("*.txt.gz")):
        with gzip.open(path, "rt") as lines:
            found = {q: float(v) for m, q, v in (line.split() for line in lines) if m == measure and q != "all"}
        rows.append([found[query] for query in sorted(found)])
    return np.array(rows)


def recorded(measure):
    """Differences of all pairs of systems on all topics, as one list."""
    values = robust03(measure)
    first, second = np.triu_indices(len(values), 1)
    return (values[second] - values[first]).ravel()


SESSIONS, DOCUMENTS = 20_000, 15
"""Of a log of clicks, and of each of its queries."""


def two_rankers(seed, queries, depth, unlike):
    """Two rankers, one in five sessions with positions 1 and k exchanged.

    Queries are as frequent as 1 / rank ** 0.8; impressions are their expectations, rounded. Attraction is drawn from
    beta(1, unlike).

    Returns:
        Impressions f64[pairs, depth], and attraction f64[pairs].
    """
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, queries + 1) ** 0.8
    sessions = SESSIONS * share / share.sum()
    gamma = rng.beta(1, unlike, (queries, DOCUMENTS))
    shown = np.zeros((queries, DOCUMENTS, depth))
    at = np.arange(depth)
    for query in range(queries):
        for _ in range(2):
            order = np.argsort(-(gamma[query] + rng.normal(0, 0.15, DOCUMENTS)))[:depth]
            shown[query, order, at] += sessions[query] / 2 * 0.8
            for k in range(1, depth):
                swapped = order.copy()
                swapped[[0, k]] = order[[k, 0]]
                shown[query, swapped, at] += sessions[query] / 2 * 0.2 / (depth - 1)
    return np.round(shown).reshape(-1, depth), gamma.ravel()
