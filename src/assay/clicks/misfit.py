"""Does the position-based model fit: three tests of its propensities, and a verdict in words.

A propensity is worth as much as the model that it stands for. Where readers stop when satisfied, or trust what stands
high, the fit still gives numbers with small errors; these tests say that they mean something else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from assay.clicks.cells import Bool, Cells
from assay.clicks.lists import Lists
from assay.clicks.models.model import fit, log_likelihood
from assay.clicks.pairs import F64, total
from assay.clicks.propensity import Propensities, attraction
from assay.errors import NotEnoughEvidence

EXPECTED = 5.0
"""Cells with fewer expected clicks do not follow a chi-square."""

LEVEL = 0.001
"""Each test flags a log that fits this seldom, so that the three together do so in 0.3 % of logs."""

RIVALS = ("ubm", "sdbn")


@dataclass(frozen=True, slots=True)
class Test:
    """One test of the model.

    Args:
        name: "chi-square", "trust" or the name of a rival model.
        statistic: see `misfit`.
        p: how often a log that fits has such a statistic; NaN where the test could not be made.
        says: one sentence.
        level: how often it may flag a log that fits.
    """

    name: str
    statistic: float
    p: float
    says: str
    level: float = LEVEL

    @property
    def flags(self) -> bool:
        """Whether it speaks against the model."""
        return self.p < self.level


@dataclass(frozen=True, slots=True)
class Misfit:
    """Whether the position-based model fits.

    Args:
        tests: chi-square, trust, then the rivals if there were later lists.
        dispersion: chi-square over its mean if the model fits; 1 is chance alone. It grows with the log.
        df: its degrees of freedom.
        off: by which share clicks of a cell are off beyond chance, root mean square weighted by expected clicks; 0 is
            chance alone. It does not grow with the log: in a large one a test may flag what does no harm.
        fits: whether no test flags.
        verdict: in words.
    """

    tests: tuple[Test, ...]
    dispersion: float
    df: float
    off: float
    fits: bool
    verdict: str


def misfit(
    cells: Cells, propensities: Propensities, earlier: Lists | None = None, later: Lists | None = None,
    level: float = LEVEL,
) -> Misfit:  # fmt: skip
    """Tests propensities against the cells that they were fitted to, and against rivals on later lists.

    chi-square: sum of (clicks - expected)^2 / variance over cells with at least EXPECTED clicks and skips expected,
    against a scaled chi-square with the mean and variance that it has if the model fits (Satterthwaite, Biometrics
    Bulletin 2(6), 1946).
    trust: whether residuals go with attraction x nearness to the top, beyond what fitted attractions and positions
    allow (Tukey, Biometrics 5(3), 1949, weighted; clustered by query). Below 0: what attracts little is clicked too
    often at the top.
    rivals: mean gain in log-likelihood of a later list over the position-based model, in standard errors by query.

    Args:
        cells: impressions and clicks by pair and position; rankers are summed over.
        propensities: of these cells.
        earlier: lists to fit the models to.
        later: lists to predict, with the same numbering of pairs (`Lists.from_frames`).
        level: how often each test may flag a log that fits; less where several parts of one log are tested.

    Raises:
        NotEnoughEvidence: no test can be made.
    """
    known = ~np.isnan(propensities.theta)
    known = np.append(known, np.zeros(max(0, cells.depth - len(known)), bool))
    table = _Residuals(cells.where(known[cells.position - 1]).summed(), propensities.theta)
    chi, dispersion, df, off = _chi_square(table)
    tests = [chi, _trust(table)]
    if earlier is not None and later is not None:
        tests += _rivals(earlier, later)
    tests = [replace(test, level=level) for test in tests]
    if all(math.isnan(test.p) for test in tests):
        raise NotEnoughEvidence("too few clicks to test the position-based model")
    against = [test for test in tests if test.flags]
    verdict = "; ".join(test.says for test in against)
    words = f"the position-based model does not fit: {verdict}" if against else "nothing speaks against the model"
    return Misfit(tuple(tests), dispersion, df, off, not against, words)


class _Residuals:
    """Expected clicks of each cell and what is left, with weights for two-way fits."""

    def __init__(self, cells: Cells, theta: F64) -> None:
        self.cells, self.depth = cells, cells.depth
        self.theta = theta[: self.depth]
        gamma = attraction(cells, self.theta)
        self.gamma = np.where(np.isnan(gamma), 0.0, gamma)
        self.pair, self.at = cells.pair, cells.position - 1
        self.expected = cells.impressions * self.theta[self.at] * self.gamma[self.pair]
        self.rest = cells.clicks - self.expected
        self.variance = self.expected * np.maximum(1 - self.expected / cells.impressions, 0.0)
        self.examined = total(cells.pair, cells.impressions * self.theta[self.at], cells.pairs)
        clicks = total(self.pair, self.expected, cells.pairs)[self.pair]
        self.share = np.divide(self.expected, clicks, out=np.ones(len(clicks)), where=clicks > 0)


def _chi_square(table: _Residuals) -> tuple[Test, float, float, float]:
    """The test, dispersion, degrees of freedom and `off`."""
    from scipy.stats import chi2

    n = table.cells.impressions
    kept = (table.expected >= EXPECTED) & (n - table.expected >= EXPECTED) & (table.share < 1)
    value = float((table.rest[kept] ** 2 / table.variance[kept]).sum())
    mean, variance = _moments(table, kept)
    first, second = _taken(table, kept)
    mean, variance = mean - first, variance - second
    if mean < 1 or variance <= 0:
        says = "too few cells have enough clicks for a chi-square"
        return Test("chi-square", math.nan, math.nan, says), math.nan, 0.0, math.nan
    scale, df, ratio = variance / (2 * mean), 2 * mean**2 / variance, value / mean
    says = f"clicks are off by {ratio:.2f} times their chance variance"
    weight = float((table.expected[kept] ** 2 / table.variance[kept]).sum())
    off = math.sqrt(max(0.0, value - mean) / weight)
    return Test("chi-square", value, float(chi2.sf(value / scale, df)), says), ratio, df, off


def _moments(table: _Residuals, kept: Bool) -> tuple[float, float]:
    """Mean and variance of the sum of squared residuals over variances, of the kept cells, if the model fits.

    A residual is e = c - s C: its cell's clicks less its share s of its document's. With binomial variances v, adding
    up to w over the document, cov(e_k, e_l) = [k = l] v_k - s_k v_l - s_l v_k + s_k s_l w. A sum of squared normal
    variables has twice the sum of squared covariances for its variance; what binomial counts add stands last.
    """
    v, s = table.variance[kept], table.share[kept]
    pair, pairs = table.pair[kept], table.cells.pairs
    w = total(table.pair, table.variance, pairs)
    a, b, c = (total(pair, of, pairs) for of in (s**2 / v, v, s))
    own = 1 - 2 * s + s**2 * w[pair] / v
    across = 2 * a * b + (a * w) ** 2 + 2 * c**2 - 4 * a * w * c
    same = 4 * s**2 + (s**2 * w[pair] / v) ** 2 - 4 * s**3 * w[pair] / v
    chance = table.expected[kept] / table.cells.impressions[kept]
    beyond_normal = (own**2 * (1 - 6 * chance * (1 - chance)) / v).sum()
    return float(own.sum()), float(2 * (across.sum() - same.sum() + (own**2).sum()) + beyond_normal)


def _taken(table: _Residuals, kept: Bool) -> tuple[float, float]:
    """What the fit of propensities takes from the mean and the variance of the sum over kept cells.

    With H the part of a weighted fit that positions have beyond documents, and P the kept cells, the sum has the
    eigenvalues of P (I - H) P: 1 but for 1 - f, where f are those of the positions' information in kept cells against
    that in all. Of positions of which no cell is kept nothing is taken: where few look further down, these are most.
    """
    from scipy.sparse import csr_array

    pairs, depth, weight = table.cells.pairs, table.depth, table.expected
    places = (table.pair, table.at)
    share = csr_array((table.share, places), shape=(pairs, depth))

    def information(of: F64) -> F64:
        own = csr_array((of, places), shape=(pairs, depth))
        crossed = (own.T @ share).toarray()
        found: F64 = (np.diag(total(table.at, of, depth)) - crossed - crossed.T
                      + (share.multiply(own.sum(axis=1)[:, None]).T @ share).toarray())  # fmt: skip
        return found

    part = np.linalg.pinv(information(weight), hermitian=True) @ information(np.where(kept, weight, 0.0))
    first = float(np.trace(part))
    return first, 2 * (2 * first - float((part * part.T).sum()))


def _trust(table: _Residuals) -> Test:
    from scipy.stats import t

    near = 1 / (table.at + 1)
    bent = _beyond_both(table, table.gamma[table.pair] * near)
    leaning = _leaning(table)
    slope = np.divide(near, table.examined[table.pair], out=np.zeros(len(near)), where=table.expected > 0)
    query = table.cells.query[table.pair]
    by_query = total(query, table.rest * bent - leaning * slope, int(table.cells.query.max(initial=-1)) + 1)
    weight = total(query, table.expected * bent**2, len(by_query))
    spread = float(np.sqrt((by_query**2).sum()))
    worth = float(weight.sum() ** 2 / (weight**2).sum()) if weight.sum() > 0 else 0.0
    if spread == 0 or worth < 3:
        return Test("trust", math.nan, math.nan, "too few queries tell of trust in the top")
    z = float(by_query.sum()) / spread
    where = "less attractive documents are clicked too often" if z < 0 else "attractive documents are clicked too often"
    return Test("trust", z, float(2 * t.sf(abs(z), worth - 1)), f"{where} at the top")


def _leaning(table: _Residuals) -> F64:
    """f64[cells]: covariance of a residual with its document's clicks.

    Clicks at the top spread less than Poisson counts, so that a document with clicks by luck has too few of them there.
    A variance that is estimated by mu (1 - mu / n) is too small by the variance of mu over n, which is added.
    """
    pairs, n, s = table.cells.pairs, table.cells.impressions, table.share
    plain = table.expected * (1 - table.expected / n)
    kept = np.maximum(1 - total(table.pair, s**2 / n, pairs), 0.1)
    whole = (total(table.pair, plain, pairs) / kept)[table.pair]
    leaning: F64 = plain + s**2 * whole / n - s * whole
    return leaning


def _beyond_both(table: _Residuals, values: F64) -> F64:
    """What a weighted fit of document and position effects leaves of values, f64[cells]."""
    from scipy.sparse import csr_array

    pairs, weight = table.cells.pairs, table.expected
    whole = total(table.pair, weight, pairs)

    def centred(of: F64) -> F64:
        middle = np.divide(total(table.pair, weight * of, pairs), whole, out=np.zeros(pairs), where=whole > 0)
        left: F64 = of - middle[table.pair]
        return left

    left = centred(values)
    places = (table.pair, table.at)
    share = csr_array((table.share * np.sqrt(np.maximum(whole, 0))[table.pair], places), shape=(pairs, table.depth))
    bend = np.diag(total(table.at, weight, table.depth)) - (share.T @ share).toarray()
    effects = np.linalg.pinv(bend) @ total(table.at, weight * left, table.depth)
    beyond: F64 = centred(left - effects[table.at])
    return beyond


def _rivals(earlier: Lists, later: Lists) -> list[Test]:
    from scipy.stats import norm

    ours = log_likelihood(fit("pbm", earlier), later)
    query = later.query[later.pair[:, 0]]
    tests = []
    for name in RIVALS:
        gain = log_likelihood(fit(name, earlier), later) - ours
        lists = float(later.count.sum())
        mean = float(later.count @ gain) / lists
        by_query = total(query, later.count * (gain - mean), int(query.max()) + 1)
        se = float(np.sqrt((by_query**2).sum())) / lists
        z = mean / se if se > 0 else 0.0
        says = f"{name.upper()} predicts later lists better by {mean:.4f} a list (log-likelihood)"
        tests.append(Test(name, z, float(norm.sf(z)), says))
    return tests


def halves(lists: Lists, rng: np.random.Generator) -> tuple[Lists, Lists]:
    """Lists drawn apart at random, as earlier and later, where the log has no time.

    Args:
        lists: distinct lists with whole counts.
        rng: says which occurrences go where.
    """
    first = rng.binomial(lists.count.astype(np.int64), 0.5).astype(np.float64)
    return replace(lists, count=first), replace(lists, count=lists.count - first)
