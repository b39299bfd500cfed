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
