"""Trust bias: a click rate that is an affine function of relevance at each position, not a multiple of it.

People click what stands high even where it is not relevant: P(click at k) = theta_k (e+_k gamma + e-_k (1 - gamma)).
Clicks alone tell this up to the scale and the origin of gamma. Both are fixed by position 1: relevance here is the
click rate that a document has at position 1, and at position k it is clicked with chance alpha_k relevance + beta_k.
Without trust bias beta is 0 everywhere and alpha_k is theta_k; where trust falls with the position, beta is below 0.
An unbiased estimate of relevance is (clicks - beta_k) / alpha_k.

Relevance of each document is hidden. It is estimated from the other positions of the document, with an error that
clicks tell without bias, and the equations of a straight line are corrected by that error: taken as exact, relevance
would flatten alpha, as a regression on a noisy variable does. Nothing is assumed of how relevance is distributed, or of
how rankers place documents. Equations are weighed by impressions and rates of positions, never by a document's clicks.

Source: Agarwal et al., Addressing trust bias for unbiased learning-to-rank, WWW 2019; the affine form: Vardasbi,
Oosterhuis and de Rijke, When inverse propensity scoring does not work, CIKM 2020; corrected equations: Fuller,
Measurement error models, Wiley 1987, chapter 3; errors: the jackknife over clusters in one step (CR3), Bell and
McCaffrey, Survey Methodology 28(2), 2002.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.clicks.cells import Bool, Cells
from assay.clicks.connected import ties
from assay.clicks.pairs import F64, I64, total
from assay.errors import NotEnoughEvidence
from assay.stats.intervals import t_quantile

FEWEST_PAIRS = 20
"""With fewer documents at a position and elsewhere, a line through their rates says nothing."""

LEAST_SPREAD = 0.03
"""Documents whose relevance spreads less (standard deviation, as click rates at position 1) do not tell a slope."""

MOST_PAIRS = 5_000
"""Of more documents, those are used that were shown most at another than their usual position."""

FARTHEST = 0.3
"""Most that a step of Newton's method moves a slope or an intercept."""

H = 1e-5
"""Of central differences; the equations are smooth in slopes and intercepts."""


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """Click rates as lines over relevance.

    Args:
        alpha: f64[K], slopes; 1 at position 1, NaN where they cannot be known.
        beta: f64[K], rates of a document that is never clicked at position 1; 0 at position 1.
        se_alpha, se_beta: f64[K], clustered by query; 0 at position 1.
        queries: how many the lines rest on; their number less one is the degrees of freedom.
        reasons: for each position why it has no estimate; empty where it has one.
        steps: of Newton's method.
    """

    alpha: F64
    beta: F64
    se_alpha: F64
    se_beta: F64
    queries: int
    reasons: tuple[str, ...]
    steps: int

    def reach(self, level: float = 0.95) -> float:
        """How many standard errors an interval reaches to either side."""
        return t_quantile(0.5 + level / 2, max(1, self.queries - 1))


def affine(cells: Cells, most: int = 100, tolerance: float = 1e-8) -> Affine:
    """Slope and intercept by position.

    Args:
        cells: of several rankers, or with swapped documents; summed over rankers.
        most: steps of Newton's method.
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
    reasons, usable = list(found.reasons), found.tied.copy()
    while usable.sum() > 1:
        table = Table(cells, usable)
        told = table.reasons(table.start)  # what cannot be told would keep the others from settling
        if not told:
            lines, steps, settled = table.solve(most, tolerance)
            told = (
                table.reasons(lines) if settled else {int(table.positions[-1]): "the lines down to here do not settle"}
            )
            if not told:
                return _placed(table, lines, steps, cells.depth, reasons)
        for position, why in told.items():
            reasons[position], usable[position] = why, False
    nothing = np.where(np.arange(cells.depth) == 0, 0.0, np.nan)
    return Affine(nothing + (np.arange(cells.depth) == 0), nothing, nothing, nothing, 0, tuple(reasons), 0)


def _placed(table: Table, lines: F64, steps: int, depth: int, reasons: list[str]) -> Affine:
    se, queries = table.errors(lines)
    alpha, beta, se_alpha, se_beta = (np.full(depth, np.nan) for _ in range(4))
    for out, of in ((alpha, lines[0]), (beta, lines[1]), (se_alpha, se[0]), (se_beta, se[1])):
        out[table.positions] = of
    return Affine(alpha, beta, se_alpha, se_beta, queries, tuple(reasons), steps)


class Table:
    """Impressions and clicks of the documents that were shown at several usable positions, f64[documents, usable]."""

    def __init__(self, cells: Cells, usable: Bool) -> None:
        one = cells.where(usable[cells.position - 1]).summed()
        places = np.bincount(one.pair, minlength=one.pairs)
        elsewhere = total(one.pair, one.impressions, one.pairs) - _largest(one)
        used = np.flatnonzero(places > 1)
        used = np.sort(used[np.argsort(-elsewhere[used], kind="stable")[:MOST_PAIRS]])
        row = np.full(one.pairs, -1)
        row[used] = np.arange(len(used))
        inside = row[one.pair] >= 0
        self.positions: I64 = np.flatnonzero(usable)
        place = (np.cumsum(usable) - 1)[one.position - 1]
        self.n, clicks = np.zeros((len(used), len(self.positions))), np.zeros((len(used), len(self.positions)))
        self.n[row[one.pair[inside]], place[inside]] = one.impressions[inside]
        clicks[row[one.pair[inside]], place[inside]] = one.clicks[inside]
        self.rate = np.divide(clicks, self.n, out=np.zeros_like(clicks), where=self.n > 0)
        # the variance of a rate, without bias: two impressions at least
        self.noise = np.where(self.n >= 2, self.rate * (1 - self.rate) / np.maximum(self.n - 1, 1), 0.0)
        mean = np.clip(clicks.sum(0) / np.maximum(self.n.sum(0), 1), 1e-6, 1 - 1e-6)
        self.each = mean * (1 - mean)
        self.start = np.array([mean / mean[0], np.zeros(len(mean))])
        _, self.query = np.unique(one.query[used], return_inverse=True)

    def elsewhere(self, lines: F64, at: int) -> tuple[F64, F64, F64]:
        """Relevance of each document by its other positions f64[documents], its error's variance, and its weight."""
        alpha, beta = lines
        weight = np.where(self.n >= 2, self.n * alpha**2 / self.each, 0.0)
        weight[:, at] = 0.0
        whole = weight.sum(1)
        kept = np.where(whole > 0, whole, 1.0)
        relevance: F64 = (weight * (self.rate - beta) / alpha).sum(1) / kept
        variance: F64 = (weight**2 * self.noise / alpha**2).sum(1) / kept**2
        return relevance, variance, whole

    def weights(self, lines: F64, at: int, whole: F64) -> F64:
        """f64[documents]: of the equations of one position, 0 where a document tells nothing of it."""
        known = (whole > 0) & (self.n[:, at] > 0)
        spread = self.each[at] / np.maximum(self.n[:, at], 1) + lines[0][at] ** 2 / np.where(known, whole, 1.0)
        return np.where(known, 1 / spread, 0.0)

    def equations(self, lines: F64) -> F64:
        """f64[2 (usable - 1), documents]: what each document adds; the sums are 0 at the solution."""
        out = []
        for at in range(1, len(self.positions)):
            relevance, variance, whole = self.elsewhere(lines, at)
            weight = self.weights(lines, at, whole)
            off = self.rate[:, at] - lines[0][at] * relevance - lines[1][at]
            out += [weight * off, weight * (off * relevance + lines[0][at] * variance)]
        return np.array(out)

    def moved(self, lines: F64, by: F64) -> F64:
        """The lines f64[2, usable] with all but those of position 1 moved, by: f64[2 (usable - 1)]."""
        out = lines.copy()
        out[:, 1:] += by.reshape(-1, 2).T
        return out

    def slopes(self, lines: F64) -> F64:
        """f64[2 (usable - 1) twice, documents]: derivatives of the equations."""
        size = 2 * (len(self.positions) - 1)
        steps = H * np.eye(size)
        return np.stack(
            [(self.equations(self.moved(lines, one)) - self.equations(self.moved(lines, -one))) / (2 * H)
             for one in steps], axis=1)  # fmt: skip

    def solve(self, most: int, tolerance: float) -> tuple[F64, int, bool]:
        """The lines, the steps taken, and whether they settled."""
        lines = self.start
        for step in range(1, most + 1):
            slope = self.slopes(lines).sum(2)
            try:
                move = -np.linalg.solve(slope, self.equations(lines).sum(1))
            except np.linalg.LinAlgError:
                return lines, step, False
            move *= min(1.0, FARTHEST / max(float(np.abs(move).max()), 1e-300))
            lines = self.moved(lines, move)
            if not np.isfinite(lines).all() or (np.abs(lines[0]) < 1e-6).any():
                return lines, step, False
            if np.abs(move).max() < tolerance:
                return lines, step, bool((lines[0] > 0).all())
        return lines, most, False

    def errors(self, lines: F64) -> tuple[F64, int]:
        """Standard errors f64[2, usable], and how many queries they rest on."""
        adds, slopes = self.equations(lines), self.slopes(lines)
        queries, size = int(self.query.max()) + 1, len(adds)
        by_query = np.zeros((queries, size))
        np.add.at(by_query, self.query, adds.T)
        parts = np.zeros((queries, size, size))
        np.add.at(parts, self.query, slopes.transpose(2, 0, 1))
        left_out = np.linalg.solve(parts.sum(0)[None] - parts, by_query[:, :, None])[:, :, 0]
        spread = (queries - 1) / queries * (left_out**2).sum(0)
        se = np.zeros((2, len(self.positions)))
        se[:, 1:] = np.sqrt(spread).reshape(-1, 2).T
        return se, queries

    def reasons(self, lines: F64) -> dict[int, str]:
        """Positions from 0 with too few, or too similar, documents."""
        found = {}
        for at, position in enumerate(self.positions.tolist()):
            if at == 0:
                continue
            relevance, variance, whole = self.elsewhere(lines, at)
            weight = self.weights(lines, at, whole)
            here = weight > 0
            if here.sum() < FEWEST_PAIRS:
                found[position] = f"only {int(here.sum())} documents were shown here and elsewhere"
                continue
            middle = np.average(relevance, weights=weight)
            if np.average((relevance - middle) ** 2 - variance, weights=weight) < LEAST_SPREAD**2:
                found[position] = "the documents shown here are too alike in relevance to tell a slope"
        return found


def _largest(one: Cells) -> F64:
    """f64[n_pairs]: impressions of each pair at its usual position."""
    out = np.zeros(one.pairs)
    np.maximum.at(out, one.pair, one.impressions)
    return out
