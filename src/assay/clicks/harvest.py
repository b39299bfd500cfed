"""Propensities from positions that were changed on purpose, or by several rankers: simple ratios, as cross-checks.

`propensity` uses the same interventions and all their weight. Where these disagree with it by more than their errors,
an assumption is broken: queries drifted, or a ranker was chosen by what the user wanted.

Source: swaps: Joachims, Swaminathan and Schnabel, Unbiased learning-to-rank with biased feedback, WSDM 2017;
harvesting: Agarwal et al., Estimating position bias without intrusive interventions, WSDM 2019.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.clicks.cells import Cells
from assay.clicks.em import CERTAIN, GAIN, Prior, Product, two_coins
from assay.clicks.pairs import F64, I64, total
from assay.errors import InputError, NotEnoughEvidence


@dataclass(frozen=True, slots=True, eq=False)
class Ratios:
    """Examination against position 1, by ratios.

    Args:
        theta: f64[K], 1 at position 1; NaN where a ratio has no clicks above or below it.
        se: f64[K], standard error of log theta; NaN where not known, and for harvested ratios.
        pairs: f64[K], how many showings (of swaps), or query-document pairs (harvested), the ratio rests on.
    """

    theta: F64
    se: F64
    pairs: F64


def from_swaps(cells: Cells, swap: I64) -> Ratios:
    """The document ranked first, shown at position k in swapped lists, against itself at position 1 in unswapped ones.

    Args:
        cells: impressions and clicks by pair and position, apart for each swap.
        swap: i64[n], which position was exchanged with the first in these lists; 0 where none was.

    Raises:
        InputError: a swap is not given for each cell, or is with a position that does not occur.
    """
    if len(swap) != len(cells.position):
        raise InputError(f"{len(swap)} swaps for {len(cells.position)} cells", where="swap")
    if len(swap) and (int(swap.min()) < 0 or int(swap.max()) > cells.depth or (swap == 1).any()):
        raise InputError("a swap is with no position from 2 on", where="swap", remedy="0 stands for no swap")
    return from_shuffled(cells.where(cells.position == np.maximum(swap, 1)))


def from_shuffled(cells: Cells) -> Ratios:
    """Click rates against that of position 1, where chance decided which document was where (RandTopN).

    The variance of the log ratio is (1 - p_k) / (n_k p_k) + (1 - p_1) / (n_1 p_1).
    """
    n, c = (total(cells.position - 1, of, cells.depth) for of in (cells.impressions, cells.clicks))
    rate = np.divide(c, n, out=np.full(len(n), np.nan), where=(n > 0) & (c > 0))
    variance = (1 - rate) / (n * rate) if len(n) else rate
    se = np.sqrt(variance + variance[:1])
    se[:1] = 0.0
    return Ratios(rate / rate[:1], se, n)


class Shared:
    """For each two positions, clicks at each of them of the documents that were shown at both.

    A document counts as often as its query was asked: its click rates are weighted by the lists of its query, which is
    1 / (share of lists that show it there) for each click, as in the paper.

    Attributes:
        clicks, skips: f64[K, K]; [k, l]: at k, of documents that were shown at k and at l, positions from 0.
        pairs: f64[K, K], how many such documents there are.
    """

    def __init__(self, cells: Cells) -> None:
        from scipy.sparse import csr_array

        one = cells.summed()
        first = one.position == 1
        lists = total(one.query[one.pair[first]], one.impressions[first], int(one.query.max(initial=-1)) + 1)
        weight, rate = lists[one.query[one.pair]], one.clicks / one.impressions
        places, shape = (one.pair, one.position - 1), (one.pairs, one.depth)
        shown = csr_array((np.ones(len(one.pair)), places), shape=shape)

        def both(values: F64) -> F64:
            found: F64 = (csr_array((values, places), shape=shape).T @ shown).toarray()
            return found

        self.clicks, self.skips, self.pairs = (
            both(weight * rate),
            both(weight * (1 - rate)),
            both(np.ones(len(one.pair))),
        )


def pivot(cells: Cells) -> Ratios:
    """Each position against position 1, from the documents that were shown at both."""
    shared = Shared(cells)
    above, below = shared.clicks[:, 0], shared.clicks[0, :]
    theta = _ratio(above, below)
    return Ratios(theta, np.full(len(theta), np.nan), shared.pairs[0].copy())


def adjacent_chain(cells: Cells) -> Ratios:
    """Products of ratios of neighbouring positions; a missing link leaves all below it without an estimate."""
    shared = Shared(cells)
    k = np.arange(cells.depth - 1)
    steps = _ratio(shared.clicks[k + 1, k], shared.clicks[k, k + 1])
    theta = np.cumprod(np.concatenate([np.ones(min(1, cells.depth)), steps]))
    links = np.minimum.accumulate(np.concatenate([[np.inf], shared.pairs[k + 1, k]]))
    return Ratios(theta, np.full(len(theta), np.nan), links[: cells.depth])


def all_pairs(cells: Cells) -> Ratios:
    """All ratios at once: the likeliest theta where each two positions have a relevance r_kl = r_lk of their own.

    Maximises sum over k != l of clicks_kl log(theta_k r_kl) + skips_kl log(1 - theta_k r_kl). A pair of positions has a
    parameter by its place in the triangle of pairs; numbering it by k x l would let (1, 6) and (2, 3) share one.

    Raises:
        NotEnoughEvidence: no document was shown at two positions and clicked.
    """
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    shared, depth = Shared(cells), cells.depth
    k, other = np.nonzero((shared.pairs > 0) & ~np.eye(depth, dtype=bool))
    clicks, skips = shared.clicks[k, other], shared.skips[k, other]
    if not clicks.sum():
        raise NotEnoughEvidence("no clicked document was shown at several positions")
    ends = np.minimum(k, other) * depth + np.maximum(k, other)
    pairs, r = np.unique(ends, return_inverse=True)
    scale = float((clicks + skips).sum())

    def loss(x: F64) -> tuple[float, F64]:
        theta, relevance = x[:depth][k], x[depth:][r]
        logs = log_expit(theta) + log_expit(relevance)
        chance = np.exp(logs)
        none = np.maximum(1 - chance, 1e-12)
        slope = clicks - skips * chance / none
        down = np.concatenate([
            total(k, slope * expit(-theta), depth), total(r, slope * expit(-relevance), len(pairs)),
        ])  # fmt: skip
        return -float((clicks * logs + skips * np.log(none)).sum()) / scale, -down / scale

    found = minimize(loss, np.zeros(depth + len(pairs)), jac=True, method="L-BFGS-B",
                     options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10})  # fmt: skip
    theta = expit(found.x[:depth])
    linked = shared.clicks.sum(1) - np.diag(shared.clicks)
    theta[linked == 0] = np.nan
    return Ratios(theta / theta[0], np.full(depth, np.nan), (shared.pairs - np.diag(np.diag(shared.pairs))).sum(0))


def _ratio(above: F64, below: F64) -> F64:
    found: F64 = np.full(len(above), np.nan)
    np.divide(above, below, out=found, where=(above > 0) & (below > 0))
    return found


def from_em(cells: Cells, steps: int = 5000, gain: float = GAIN, prior: Prior = (0.0, 0.0)) -> Product:
    """Examination and attraction by expectation maximisation of single clicks; for parity with other tools.

    Only ratios of theta are known from clicks. PyClick is steps=50, gain=0, prior=(1, 2); it has seldom converged then.
    """
    certain = CERTAIN if prior[0] else 1.0
    counts = (cells.pair, cells.position - 1, cells.impressions, cells.clicks, cells.pairs, cells.depth)
    return two_coins(*counts, steps=steps, gain=gain, prior=prior, certain=certain)
