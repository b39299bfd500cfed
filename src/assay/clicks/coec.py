"""Clicks over expected clicks: how often a document was clicked, against what its positions alone would have brought.

Source: Zhang and Jones, Comparing click logs and editorial labels for training query rewriting, WWW 2007 workshop on
query log analysis. Each impression is charged at the position where it was shown, not at the document's best one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


def coec(document: I64, position: I64, impressions: F64, clicks: F64) -> F64:
    """Clicks over expected clicks of each document.

    Args:
        document: i64[n_cells], from 0; documents of different queries are different documents.
        position: i64[n_cells], from 1; every position that occurs has a click rate, the last as well as the first.
        impressions: f64[n_cells], how often the document was shown there.
        clicks: f64[n_cells], how often it was clicked there.

    Returns:
        f64[n_documents]; 1 is what the positions alone explain. NaN where no click was to be expected: the document
        was never shown, or only where nobody ever clicked.

    Raises:
        ValueError: a position is below 1, or there are more clicks than impressions.
    """
    if len(position) and int(position.min()) < 1:
        raise ValueError("positions count from 1")
    if (clicks > impressions).any():
        raise ValueError("there are more clicks than impressions")
    if not len(position):
        return np.zeros(0)
    shown = np.bincount(position, weights=impressions)
    clicked = np.bincount(position, weights=clicks)
    rate = np.divide(clicked, shown, out=np.zeros_like(shown), where=shown > 0)
    documents = int(document.max()) + 1
    expected = np.bincount(document, weights=impressions * rate[position], minlength=documents)
    found = np.bincount(document, weights=clicks, minlength=documents)
    out: F64 = np.full(documents, np.nan)
    np.divide(found, expected, out=out, where=expected > 0)
    return out


def shrunk_coec(clicks: F64, expected: F64) -> tuple[F64, float]:
    """Clicks over expected clicks, drawn towards 1 where little was to be expected.

    Clicks are Poisson with mean expected x rate, and rates gamma with mean 1; the posterior mean is
    (clicks + a) / (expected + a). The strength a is the one that makes the counts likeliest (empirical Bayes).

    Args:
        clicks: f64[n_documents].
        expected: f64[n_documents], clicks that the positions alone would have brought.

    Returns:
        f64[n_documents], 1 where nothing was expected; and a, in expected clicks, from 0.001 to 100,000.
    """
    from scipy.optimize import minimize_scalar
    from scipy.special import gammaln

    def against(log_a: float) -> float:
        a = np.exp(log_a)
        each = gammaln(clicks + a) - gammaln(a) + a * log_a - (clicks + a) * np.log(expected + a)
        return -float(each.sum())

    found = minimize_scalar(against, bounds=(np.log(1e-3), np.log(1e5)), method="bounded")
    strength = float(np.exp(found.x))
    shrunk: F64 = (clicks + strength) / (expected + strength)
    return shrunk, strength
