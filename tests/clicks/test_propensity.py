"""Propensities against the truth of simulated logs, the reference answers, and laws that any estimate must keep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from assay.clicks.by_segment import by_segment
from assay.clicks.cells import F64, Cells
from assay.clicks.propensity import Propensities, attraction, propensity
from assay.errors import NotEnoughEvidence
from clicks.simulated import DEPTH, sessions, truth, two_way

# tables of the data folder's README: two-way Poisson, iterated to 1e-12
TWO_WAY = {
    "pbm_60k": [0.502536, 0.352430, 0.248094, 0.200865, 0.173541, 0.140166, 0.117341, 0.104729, 0.094294],
    "dbn_60k": [0.668601, 0.422111, 0.328160, 0.239352, 0.179802, 0.144064, 0.106045, 0.106862, 0.072913],
    "trust_60k": [0.413366, 0.239737, 0.154160, 0.111851, 0.086315, 0.072011, 0.053154, 0.046974, 0.036053],
}
PBM_SE = [0.0158, 0.0219, 0.0279, 0.0313, 0.0347, 0.0383, 0.0443, 0.0490, 0.0555]

THETA = np.array([1, 0.6, 0.4, 0.25, 0.2])


def log(seed: int = 1, theta: F64 = THETA, queries: int = 60, times: int = 1) -> Cells:
    """Two rankers over 15 documents a query, some of which both show at different positions."""
    rng = np.random.default_rng(seed)
    shown = np.zeros((queries * 15, len(theta)))
    for query in range(queries):
        for _ in range(2):
            shown[query * 15 + rng.permutation(8)[: len(theta)], np.arange(len(theta))] += times * rng.integers(50, 400)
    return two_way(theta, rng.beta(1, 3, queries * 15), shown, rng)


def model_se(found: Propensities) -> F64:
    variance: F64 = np.diag(found.model_cov)
    return np.sqrt(variance)


@pytest.mark.shared
@pytest.mark.parametrize("name", TWO_WAY)
def test_both_solvers_give_the_reference(name: str) -> None:
    cells = sessions(name).cells()
    newton, ipf = propensity(cells), propensity(cells, "ipf", tolerance=1e-12)
    assert newton.theta[1:] == pytest.approx(TWO_WAY[name], abs=6e-7)
    assert ipf.theta == pytest.approx(newton.theta, abs=1e-10)
    assert newton.iterations < 10
    if name == "pbm_60k":
        assert ipf.iterations == 47


@pytest.mark.shared
def test_standard_errors_are_the_reference_and_calibrated() -> None:
    found = propensity(sessions("pbm_60k").cells())
    se = model_se(found)
    assert se[1:] == pytest.approx(PBM_SE, abs=6e-5)
    off = (np.log(found.theta) - np.log(truth()["theta"]))[1:]
    assert (np.abs(off) < 3 * se[1:]).all()
    squares = float(((off / se[1:]) ** 2).sum())
    assert squares == pytest.approx(12.9, abs=0.05)
    assert chi2.ppf(0.005, DEPTH - 1) < squares < chi2.ppf(0.995, DEPTH - 1)


@pytest.mark.shared
def test_sessions_in_any_order_and_summed_over_rankers_give_one_answer() -> None:
    whole = sessions("pbm_60k")
    order = np.random.default_rng(2).permutation(len(whole.swap))
    shuffled = propensity(whole.cells(order))
    by_ranker = propensity(whole.cells_by("ranker"))
    for other in (shuffled, by_ranker):
        assert other.theta == pytest.approx(propensity(whole.cells()).theta, abs=1e-10)
        assert other.cov == pytest.approx(propensity(whole.cells()).cov, abs=1e-10)


def test_a_doubled_log_leaves_estimates_and_halves_variances() -> None:
    cells = log()
    one = propensity(cells)
    twice = propensity(replace(cells, impressions=2 * cells.impressions, clicks=2 * cells.clicks))
    assert twice.theta == pytest.approx(one.theta, abs=1e-9)
    assert twice.model_cov == pytest.approx(one.model_cov / 2, rel=1e-6)
    copied = propensity(copy_of_queries(cells))  # the second half as queries of their own: independent clusters
    assert copied.theta == pytest.approx(one.theta, abs=1e-9)
    assert copied.model_cov == pytest.approx(one.model_cov / 2, rel=1e-6)
    assert np.diag(copied.cov)[1:] == pytest.approx(np.diag(one.cov)[1:] / 2, rel=0.05)  # but for the small sample


def copy_of_queries(cells: Cells) -> Cells:
    """Every query twice, the second time under another name."""
    return Cells(
        np.concatenate([cells.pair, cells.pair + cells.pairs]),
        *(np.tile(of, 2) for of in (cells.position, cells.impressions, cells.clicks)),
        np.concatenate([cells.query, cells.query + cells.query.max() + 1]),
    )


def test_other_names_of_documents_and_queries_change_nothing() -> None:
    cells = log()
    rng = np.random.default_rng(3)
    pairs, queries = rng.permutation(cells.pairs), rng.permutation(int(cells.query.max()) + 1)
    renamed = replace(cells, pair=pairs[cells.pair], query=queries[cells.query][np.argsort(pairs)])
    assert propensity(renamed).theta == pytest.approx(propensity(cells).theta, abs=1e-10)
    assert propensity(renamed).cov == pytest.approx(propensity(cells).cov, abs=1e-10)


def test_a_query_split_into_two_equal_ones_changes_no_estimate() -> None:
    cells = log(times=2)
    even = replace(cells, clicks=2 * np.floor(cells.clicks / 2))
    halves = copy_of_queries(replace(even, impressions=even.impressions / 2, clicks=even.clicks / 2))
    assert propensity(halves).theta == pytest.approx(propensity(even).theta, abs=1e-9)
    assert propensity(halves).model_cov == pytest.approx(propensity(even).model_cov, rel=1e-6)


def test_two_documents_by_hand() -> None:
    # shown alike at both positions: theta is the ratio of clicks, and the variance of its logarithm 1/c1 + 1/c2
    cells = Cells(
        np.array([0, 0, 1, 1]),
        np.array([1, 2, 1, 2]),
        np.full(4, 100.0),
        np.array([30.0, 10, 50, 30]),
        np.array([0, 1]),
    )
    found = propensity(cells)
    assert found.theta == pytest.approx([1, 40 / 80])
    assert found.model_cov[1, 1] == pytest.approx(1 / 80 + 1 / 40)
    # slopes by query: 10 - 40/3 and 30 - 80/3 clicks at position 2, the curvature is 40 x 2/9 + 80 x 2/9; the queries
    # have 1/3 and 2/3 of it, and are worth 1 / (1/9 + 4/9) equal ones
    assert found.cov[1, 1] == pytest.approx((10 / 3) ** 2 * (1 / (1 - 1 / 3) + 1 / (1 - 2 / 3)) / (80 / 3) ** 2)
    assert found.df[1] == pytest.approx(1)  # 9/5 - 1, but at least 1
    assert attraction(cells, found.theta) == pytest.approx([40 / 150, 80 / 150])
    low, high = found.interval()
    assert low[0] == high[0] == 1
    assert low[1] < 0.5 < high[1]


def test_what_is_not_tied_to_position_1_has_no_estimate_and_a_reason() -> None:
    cells = log()
    far = Cells(
        np.concatenate([cells.pair, [900, 900, 901, 902]]), np.concatenate([cells.position, [8, 9, 10, 1]]),
        np.concatenate([cells.impressions, [100, 100, 100, 100]]), np.concatenate([cells.clicks, [9, 3, 0, 5]]),
        np.append(cells.query, [60, 60, 60]),
    )  # fmt: skip
    found = propensity(far)
    assert found.theta[:5] == pytest.approx(propensity(cells).theta)
    assert np.isnan(found.theta[5:]).all()
    assert np.isnan(found.cov[7, 7])
    assert np.isnan(found.interval()[1][8])
    assert found.reasons == (
        *[""] * 5, "never shown", "never shown", *["no clicked document ties it to position 1"] * 2,
        "no click at this position",
    )  # fmt: skip


def test_a_chain_of_few_clicks_is_called_weak() -> None:
    cells = Cells(
        np.array([0, 0, 1, 1]), np.array([1, 2, 2, 3]), np.full(4, 100.0), np.array([40.0, 20, 25, 4]), np.array([0, 1])
    )
    found = propensity(cells)
    assert found.ties.tolist() == [np.inf, 20, 4]  # position 3 hangs on 4 clicks of document 1
    assert found.weak().tolist() == [3]
    assert found.weak(fewest=4).tolist() == []


def test_a_document_clicked_at_one_of_two_positions_only_does_not_tie_them() -> None:
    # clicks of document 0 are all at position 1: any theta_2 however small fits, and document 1 is at 2 alone
    cells = Cells(
        np.array([0, 0, 1]), np.array([1, 2, 2]), np.full(3, 100.0), np.array([40.0, 0, 20]), np.zeros(2, np.int64)
    )
    with pytest.raises(NotEnoughEvidence, match="no position is tied to position 1"):
        propensity(cells)


def test_a_log_that_cannot_tell_is_refused() -> None:
    one = Cells(np.arange(4), np.arange(1, 5), np.full(4, 100.0), np.full(4, 10.0), np.zeros(4, np.int64))
    with pytest.raises(NotEnoughEvidence, match="add traffic of a second ranker"):
        propensity(one)
    with pytest.raises(NotEnoughEvidence, match="no click at position 1"):
        propensity(replace(one, clicks=np.array([0.0, 1, 1, 1])))
    with pytest.raises(NotEnoughEvidence, match="did not converge in 3 steps"):
        propensity(log(), "ipf", most=3)
    with pytest.raises(NotEnoughEvidence, match="no click at position 1"):
        propensity(one.where(np.zeros(4, bool)))


def test_errors_clustered_by_query_need_two_queries() -> None:
    cells = Cells(np.array([0, 0]), np.array([1, 2]), np.full(2, 100.0), np.array([40.0, 20]), np.zeros(1, np.int64))
    found = propensity(cells)
    assert found.queries == 1
    assert np.isnan(found.se[1])
    assert found.model_cov[1, 1] == pytest.approx(1 / 40 + 1 / 20)


def test_a_propensity_of_a_millionth_is_found() -> None:
    theta = np.array([1, 0.5, 1e-6])
    pair, at = np.divmod(np.arange(60), 3)
    n = np.where(at == 2, 1e9, 1e4)
    rng = np.random.default_rng(5)
    clicks = rng.poisson(n * theta[at] * rng.uniform(0.1, 0.4, 20)[pair]).astype(float)
    found = propensity(Cells(pair, at + 1, n, clicks, np.arange(20)))
    assert abs(np.log(found.theta[2] / 1e-6)) < 4 * model_se(found)[2]


def with_segments(parts: list[Cells]) -> Cells:
    number = np.repeat(np.arange(len(parts)), [len(part.pair) for part in parts])
    columns = [np.concatenate([getattr(part, name) for part in parts]) for name in
               ("pair", "position", "impressions", "clicks")]  # fmt: skip
    return Cells(*columns, parts[0].query, segment=number, segments=["desktop", "phone"])


def test_segments_with_one_theta_are_not_told_apart_and_others_are() -> None:
    same = by_segment(with_segments([log(11), log(12)]))
    assert same.segments == ("desktop", "phone")
    assert same.df == 4
    assert same.p > 0.01
    steep = by_segment(with_segments([log(11), log(12, theta=THETA**1.3)]))
    assert steep.p < 1e-6
    desktop, phone = steep.each
    assert isinstance(desktop, Propensities)
    assert isinstance(phone, Propensities)
    assert desktop.theta == pytest.approx(propensity(log(11)).theta)
    assert phone.theta[4] < desktop.theta[4]


def test_the_statistic_is_twice_the_gain_in_likelihood() -> None:
    # one document a segment at both positions: 30 of 40 clicks at position 1, and 10 of 40; together 40 of 80
    cells = Cells(
        np.zeros(4, np.int64), np.array([1, 2, 1, 2]), np.full(4, 100.0), np.array([30.0, 10, 10, 30]),
        np.zeros(1, np.int64), segment=np.array([0, 0, 1, 1]),
    )  # fmt: skip
    found = by_segment(cells)
    free = 2 * (30 * np.log(0.75) + 10 * np.log(0.25))
    assert found.statistic == pytest.approx(2 * (free - 80 * np.log(0.5)), rel=1e-8)
    assert found.df == 1
    assert found.p == pytest.approx(chi2.sf(found.statistic, 1))


def test_positions_that_a_segment_ties_by_way_of_another_are_not_compared() -> None:
    # on desktops 3 is tied to 1 by way of 2 alone, and phones never show 2: nothing compares 3 with 1 on both
    pair, position = np.array([0, 0, 1, 1, 0, 0]), np.array([1, 2, 2, 3, 1, 3])
    cells = Cells(pair, position, np.full(6, 100.0), np.full(6, 10.0), np.zeros(2, np.int64),
                  segment=np.array([0, 0, 0, 0, 1, 1]))  # fmt: skip
    found = by_segment(cells)
    assert all(isinstance(one, Propensities) for one in found.each)
    assert (found.df, np.isnan(found.p)) == (0, True)


def test_a_segment_without_an_estimate_says_why() -> None:
    one = Cells(np.arange(3), np.arange(1, 4), np.full(3, 100.0), np.full(3, 10.0), log().query)
    found = by_segment(with_segments([log(), one]))
    assert "no position is tied" in str(found.each[1])
    assert np.isnan(found.p)
    with pytest.raises(NotEnoughEvidence, match="the cells know no segments"):
        by_segment(log())
