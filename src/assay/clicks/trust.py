"""Trust bias: a click rate that is an affine function of relevance at each position, not a multiple of it.

People click what stands high even where it is not relevant: P(click at k) = theta_k (e+_k gamma + e-_k (1 - gamma)).
Clicks alone tell this up to the scale and the origin of gamma. Both are fixed by position 1: relevance here is the
click rate that a document has at position 1, and at position k it is clicked with chance alpha_k relevance + beta_k.
Without trust bias beta is 0 everywhere and alpha_k is theta_k; where trust falls with the position, beta is below 0.
An unbiased estimate of relevance is (clicks - beta_k) / alpha_k.

Relevance of each document is hidden; it is integrated out over a grid, whose weights are fitted by where documents
mostly stand. Taking it at its most likely value would flatten alpha, as a regression on a noisy variable does.

Source: Agarwal et al., Addressing trust bias for unbiased learning-to-rank, WWW 2019; the affine form: Vardasbi,
Oosterhuis and de Rijke, When inverse propensity scoring does not work, CIKM 2020; the fit: Kiefer and Wolfowitz, Annals
of Mathematical Statistics 27(4), 1956.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.clicks.cells import Bool, Cells
from assay.clicks.connected import ties
from assay.clicks.pairs import F64, I64, total
from assay.errors import NotEnoughEvidence

GRID = 80
"""Points from 0 to 1 over which relevance is integrated."""

STANDINGS = 5
"""Groups of documents by their mean position, each with relevance of its own distribution."""

FEWEST_PAIRS = 20
"""With fewer documents at a position and elsewhere, a line through their rates says nothing."""

LEAST_SPREAD = 0.03
"""Documents whose relevance spreads less (standard deviation, as click rates at position 1) do not tell a slope."""

FOLDS = 10
"""Groups of queries that are left out in turn for the standard errors."""

MOST_PAIRS = 5_000
"""Of more documents, those are used that were shown most at another than their usual position."""


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """Click rates as lines over relevance.

    Args:
        alpha: f64[K], slopes; 1 at position 1, NaN where they cannot be known.
        beta: f64[K], rates of a document that is never clicked at position 1; 0 at position 1.
        se_alpha, se_beta: f64[K], by leaving out groups of queries in turn; 0 at position 1.
        reasons: for each position why it has no estimate; empty where it has one.
        steps: of expectation maximisation.
    """

    alpha: F64
    beta: F64
    se_alpha: F64
    se_beta: F64
    reasons: tuple[str, ...]
    steps: int


def affine(cells: Cells, steps: int = 1000, tolerance: float = 1e-5) -> Affine:
    """Slope and intercept by position.

    Args:
        cells: of several rankers, or with swapped documents; summed over rankers.
        steps: at most so many.
        tolerance: stop when no slope and no intercept changes by more.

    Raises:
        NotEnoughEvidence: no position is tied to position 1 by documents that were shown at both.
    """
    found = ties(cells)
    if found.tied.sum() < 2 or not found.tied[0]:
        raise NotEnoughEvidence(
            "one ranker's log cannot tell trust from relevance: no position is tied to position 1\n"
            "    mend: add traffic of a second ranker, or swap results at random for some users"
        )
    table = Table(cells, found.tied)
    lines, weights, taken = table.fit(np.ones(len(table.n), bool), None, steps, tolerance)
    reasons = table.reasons(list(found.reasons), lines, weights)
    left_out = [
        table.fit(table.fold != fold, (lines, weights), 100, 10 * tolerance)[0] for fold in np.unique(table.fold)
    ]  # fmt: skip
    se = _jackknife(np.array(left_out))
    known = np.array([not reason for reason in reasons])
    alpha, beta, se_alpha, se_beta = (np.full(cells.depth, np.nan) for _ in range(4))
    for out, of in ((alpha, lines[0]), (beta, lines[1]), (se_alpha, se[0]), (se_beta, se[1])):
        out[table.positions] = of
        out[~known] = np.nan
    return Affine(alpha, beta, se_alpha, se_beta, tuple(reasons), taken)


class Table:
    """Impressions and clicks of the documents that were shown at several tied positions, f64[documents, tied]."""

    def __init__(self, cells: Cells, tied: Bool) -> None:
        one = cells.where(tied[cells.position - 1]).summed()
        places = np.bincount(one.pair, minlength=one.pairs)
        elsewhere = total(one.pair, one.impressions, one.pairs) - _largest(one)
        used = np.flatnonzero(places > 1)
        used = np.sort(used[np.argsort(-elsewhere[used], kind="stable")[:MOST_PAIRS]])
        row = np.full(one.pairs, -1)
        row[used] = np.arange(len(used))
        inside = row[one.pair] >= 0
        self.positions: I64 = np.flatnonzero(tied)
        place = (np.cumsum(tied) - 1)[one.position - 1]
        self.n, self.c = np.zeros((len(used), len(self.positions))), np.zeros((len(used), len(self.positions)))
        self.n[row[one.pair[inside]], place[inside]] = one.impressions[inside]
        self.c[row[one.pair[inside]], place[inside]] = one.clicks[inside]
        self.grid = (np.arange(GRID) + 0.5) / GRID
        standing = self.n @ np.arange(len(self.positions)) / self.n.sum(1)
        order = np.argsort(np.argsort(standing, kind="stable"), kind="stable")
        self.group = order * STANDINGS // len(used)
        self.fold = cells.query[used] % FOLDS

    def fit(self, kept: Bool, start: tuple[F64, F64] | None, steps: int, tolerance: float) -> tuple[F64, F64, int]:
        """Lines f64[2, tied], weights f64[STANDINGS, GRID] and steps taken, over some of the documents."""
        n, c, group = self.n[kept], self.c[kept], self.group[kept]
        rates = c.sum(0) / np.maximum(n.sum(0), 1)
        lines = np.array([rates / max(rates[0], 1e-9), np.zeros(len(rates))]) if start is None else start[0]
        weights = np.full((STANDINGS, GRID), 1 / GRID) if start is None else start[1]
        members = np.zeros((STANDINGS, len(group)))
        members[group, np.arange(len(group))] = 1
        for step in range(1, steps + 1):
            posterior = self.posterior(n, c, weights[group], lines)
            weights = members @ posterior + 1e-9
            weights /= weights.sum(1, keepdims=True)
            better = self.lines(n.T @ posterior, c.T @ posterior, lines)
            change, lines = float(np.abs(better - lines).max()), better
            if change < tolerance:
                return lines, weights, step
        return lines, weights, steps

    def posterior(self, n: F64, c: F64, weights: F64, lines: F64) -> F64:
        """f64[documents, GRID]: how likely each relevance is, given the clicks."""
        chance = self.chance(lines)
        logs = c @ np.log(chance) + (n - c) @ np.log1p(-chance)
        likely: F64 = np.exp(logs - logs.max(1, keepdims=True)) * weights
        share: F64 = likely / likely.sum(1, keepdims=True)
        return share

    def lines(self, n: F64, c: F64, lines: F64) -> F64:
        """One step of Fisher scoring of each position's line, halved until the likelihood rises.

        Args:
            n: f64[tied, GRID], expected impressions at each relevance.
            c: f64[tied, GRID], expected clicks.
            lines: f64[2, tied], where to start; position 1 stays the line of slope 1 through 0.
        """
        chance = np.clip(self.chance(lines), 1e-3, 1 - 1e-3)
        weight = n / (chance * (1 - chance))
        rate = np.divide(c, n, out=np.zeros_like(c), where=n > 0)
        s0, s1, s2 = weight.sum(1), weight @ self.grid, weight @ self.grid**2
        t0, t1 = (weight * rate).sum(1), (weight * rate) @ self.grid
        det = np.maximum(s0 * s2 - s1**2, 1e-12)
        move = np.array([(s0 * t1 - s1 * t0) / det, (s2 * t0 - s1 * t1) / det]) - lines
        move[:, 0] = 0.0
        before = self.value(n, c, lines)
        for _ in range(12):
            lower = self.value(n, c, lines + move) < before
            if not lower.any():
                return lines + move
            move[:, lower] /= 2
        move[:, self.value(n, c, lines + move) < before] = 0.0
        return lines + move

    def value(self, n: F64, c: F64, lines: F64) -> F64:
        """f64[tied]: the log-likelihood of each line."""
        chance = self.chance(lines)
        found: F64 = (c * np.log(chance) + (n - c) * np.log1p(-chance)).sum(1)
        return found

    def chance(self, lines: F64) -> F64:
        """f64[tied, GRID]: the click rate of each position at each relevance."""
        found: F64 = np.clip(lines[0][:, None] * self.grid + lines[1][:, None], 1e-6, 1 - 1e-6)
        return found

    def reasons(self, known: list[str], lines: F64, weights: F64) -> list[str]:
        """Adds to the reasons those of positions with too few, or too similar, documents."""
        relevance = self.posterior(self.n, self.c, weights[self.group], lines) @ self.grid
        for at, position in enumerate(self.positions[1:], start=1):
            here = self.n[:, at] > 0
            middle = np.average(relevance[here], weights=self.n[here, at]) if here.any() else 0.0
            spread = (
                np.sqrt(np.average((relevance[here] - middle) ** 2, weights=self.n[here, at])) if here.any() else 0.0
            )
            if here.sum() < FEWEST_PAIRS:
                known[position] = f"only {here.sum()} documents were shown here and elsewhere"
            elif spread < LEAST_SPREAD:
                known[position] = "the documents shown here are too alike in relevance to tell a slope"
        return known


def _largest(one: Cells) -> F64:
    """f64[n_pairs]: impressions of each pair at its usual position."""
    out = np.zeros(one.pairs)
    np.maximum.at(out, one.pair, one.impressions)
    return out


def _jackknife(left_out: F64) -> F64:
    """Standard errors f64[2, tied] from estimates f64[folds, 2, tied] without one fold each."""
    folds = len(left_out)
    spread: F64 = (folds - 1) / folds * ((left_out - left_out.mean(0)) ** 2).sum(0)
    return np.sqrt(spread) if folds > 1 else np.full(left_out.shape[1:], np.nan)
