"""Counterfactual values of rankings: by hand, against the table of the data folder, and laws that estimates keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.clicks.aim import Aim, Seen, aim, rel_hat, seen
from assay.clicks.cells import F64, Cells
from assay.clicks.counterfactual import ESTIMATORS, bounds, cut_off, estimate, limit, loose_bounds
from assay.clicks.ideal import drawn_in
from assay.clicks.logged import against_log
from assay.clicks.spread import chance_variance, reach, slope_freedom, slope_variance
from assay.clicks.weights import mean_weight, of_ranking, reasons
from assay.errors import InputError, NotEnoughEvidence
from clicks.simulated import DEPTH, DOCUMENTS, sessions, truth

DCG = 1 / np.log2(np.arange(1, DEPTH + 1) + 1)
HALF = np.array([1.0, 0.5])


def cells(rows: list[tuple[str, str, int, float, float]]) -> Cells:
    import polars as pl

    return Cells.from_frame(
        pl.DataFrame(rows, schema=["query_id", "doc_id", "position", "impressions", "clicks"], orient="row")
    )


# one query, 100 searches: ranker X shows a, b (60 times), ranker Y shows c, a (40 times)
MIXED = cells([("q", "a", 1, 60, 30), ("q", "b", 2, 60, 6), ("q", "c", 1, 40, 8), ("q", "a", 2, 40, 10)])


def of(log: Cells, lists: dict[str, list[str]], discounts: F64, theta: F64, **options: Any) -> tuple[Seen, Aim]:
    aimed = aim(log, lists, discounts, **options)
    return seen(log, theta, aimed), aimed


def test_a_click_at_a_propensity_of_0_16_weighs_6_25() -> None:
    log = cells([("q", "a", 1, 10, 2), ("q", "b", 2, 10, 1)])
    assert rel_hat(log, np.array([1.0, 0.16])).tolist() == [2.0, 6.25]


def test_every_estimator_by_hand() -> None:
    found, aimed = of(MIXED, {"q": ["a", "c"]}, HALF, HALF)
    # exposure of a: 0.6 x 1 + 0.4 x 0.5 = 0.8, so 40 clicks are an attraction of 0.5; c: 0.4, and 8 clicks are 0.2
    assert found.exposure.tolist() == pytest.approx([0.8, 0.3, 0.4])
    assert found.attraction.tolist() == pytest.approx([0.5, 0.2, 0.2])
    values = {kind: estimate(kind, found, aimed, 2.0).value for kind in ESTIMATORS}
    assert values["policy-aware"] == pytest.approx(0.5 + 0.5 * 0.2)
    assert values["ips"] == pytest.approx((30 / 1 + 10 / 0.5 + 0.5 * 8 / 1) / 100)
    # a was shown always, c in 40 of 100: (1 + 0.5 x 0.4) of 1.5
    assert mean_weight("ips", found, aimed)[0] == pytest.approx(1.2 / 1.5)
    assert values["snips"] == pytest.approx(0.54 / 0.8)
    assert values["clipped"] == pytest.approx((40 * 1.25 + 0.5 * 8 * 2.0) / 100)  # 1 / 0.4 is cut to 2
    assert cut_off("clipped", found, aimed, 2.0) == pytest.approx(0.5 * 0.2 / 1.5)  # a fifth of what c weighs
    assert [limit(kind, None) for kind in ("policy-aware", "clipped", "dr")] == [np.inf, 10, np.inf]
    assert mean_weight("policy-aware", found, aimed) == (1.0, 0.0)


def test_doubly_robust_puts_the_model_where_weights_are_cut() -> None:
    found, aimed = of(MIXED, {"q": ["a", "c", "z"]}, np.array([1, 0.5, 0.25]), HALF)
    dr = estimate("dr", found, aimed, 2.0)
    # trusted by examinations 80, 30, 40 of 10 more: a 8/9, b 3/4, c 4/5
    everywhere = (8 / 9 * 0.5 + 0.75 * 0.2 + 0.8 * 0.2) / (8 / 9 + 0.75 + 0.8)
    mean = (8 / 9 * 0.5 + 0.75 * 0.2 + 0.8 * 0.2 + everywhere) / (8 / 9 + 0.75 + 0.8 + 1)
    model_c = (8 + 10 * mean) / 50
    c = model_c + 2 * (8 - 40 * model_c) / 100  # of 40 showings at position 1
    assert dr.value == pytest.approx(0.5 + 0.5 * c + 0.25 * mean)


def test_doubly_robust_without_a_limit_adds_a_model_of_what_was_never_shown_alone() -> None:
    found, aimed = of(MIXED, {"q": ["a", "c"]}, HALF, HALF)
    assert estimate("dr", found, aimed).value == pytest.approx(estimate("policy-aware", found, aimed).value)


def test_ndcg_is_divided_by_the_best_order_of_attractions() -> None:
    found, aimed = of(MIXED, {"q": ["c", "a"]}, HALF, HALF, is_ideal=True)
    assert estimate("policy-aware", found, aimed).value == pytest.approx((0.2 + 0.5 * 0.5) / (0.5 + 0.5 * 0.2))


def test_attractions_are_drawn_to_their_mean_by_hand() -> None:
    found, _ = of(MIXED, {"q": ["c", "a"]}, HALF, HALF, is_ideal=True)
    trusted = np.array([80 / 90, 30 / 40, 40 / 50])
    mean = (trusted[0] * 0.5 + trusted[1] * 0.2 + trusted[2] * 0.2) / trusted.sum()
    noise = np.array([mean / 80, mean / 30, mean / 40])
    off = np.array([0.5, 0.2, 0.2]) - mean
    spread = (trusted * (off**2 - noise)).sum() / trusted.sum()
    drawn = drawn_in(found)
    assert drawn.attraction.tolist() == pytest.approx((mean + spread / (spread + noise) * off).tolist())
    assert drawn.attraction[0] < 0.5
    flat = seen(cells([("q", "a", 1, 100, 20), ("q", "b", 2, 100, 10)]), HALF,
                aim(cells([("q", "a", 1, 100, 20), ("q", "b", 2, 100, 10)]), {"q": ["a"]}, HALF))  # fmt: skip
    assert drawn_in(flat).attraction.tolist() == pytest.approx([0.2, 0.2])


def test_each_estimate_is_the_sum_of_what_clicks_showings_and_searches_add() -> None:
    for lists in ({"q": ["a", "c"]}, {"q": ["c", "b", "z"]}):
        for kind in ESTIMATORS:
            found, aimed = of(MIXED, lists, np.array([1, 0.5, 0.25]), HALF)
            one = estimate(kind, found, aimed, 2.0)
            whole = one.click @ found.cells.clicks + one.shown @ found.cells.impressions + one.search @ aimed.searches
            assert whole / aimed.n / one.divisor == pytest.approx(one.value, rel=1e-12)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_slope_is_the_derivative_in_log_propensities(kind: Any) -> None:
    # the model of doubly robust estimates is taken as it is: it is left alone here by a limit that cuts nothing
    found, aimed = of(MIXED, {"q": ["a", "c"]}, HALF, HALF)
    one = estimate(kind, found, aimed, 50.0)
    for k in range(2):
        step = np.zeros(2)
        step[k] = 1e-6
        up, down = (estimate(kind, *of(MIXED, {"q": ["a", "c"]}, HALF, HALF * np.exp(s)), 50.0).value
                    for s in (step, -step))  # fmt: skip
        assert one.slope[k] == pytest.approx((up - down) / 2e-6, rel=1e-6)


def test_errors_of_propensities_by_hand() -> None:
    slope = np.array([-1.0, -2.0])
    cov = np.array([[0.0, 0.0], [0.0, 0.04]])
    assert slope_variance(slope, cov, None) == pytest.approx(4 * 0.04)
    assert slope_variance(slope, None, np.array([np.nan, 0.2])) == pytest.approx((2 * 0.2) ** 2)
    assert slope_variance(slope, None, None) == 0
    three = np.diag([0.0, 0.04, 0.01])
    assert slope_freedom(np.array([-1.0, -2, -4]), three, np.array([9, 10, 30])) == pytest.approx(20)  # alike: .4, .4
    assert slope_freedom(slope, None, None) == np.inf


def test_the_reach_of_two_parts_by_hand() -> None:
    # (1 + 3)^2 / (1/4 + 9/6) = 9.142857 degrees of freedom; t(0.975) there is 2.2568 (R 4.3: qt(.975, 64/7))
    assert reach(1.0, 4, 3.0, 6) == pytest.approx(2 * 2.2568, abs=2e-4)
    assert reach(1.0, np.inf) == pytest.approx(1.959964, abs=1e-5)


def test_the_variance_of_one_cell_is_that_of_a_binomial() -> None:
    log = cells([("q", "a", 1, 100, 30)])
    found, aimed = of(log, {"q": ["a"]}, np.ones(1), np.ones(1))
    for kind in ("policy-aware", "ips"):
        one = estimate(kind, found, aimed)
        assert chance_variance(one, found, aimed, kind) == pytest.approx(0.3 * 0.7 / 99)


def test_what_was_never_seen_is_bounded() -> None:
    found, aimed = of(MIXED, {"q": ["a", "z"]}, HALF, HALF)
    ends = bounds(found, aimed)
    assert ends.supported == pytest.approx(1 / 1.5)
    assert ends.low == pytest.approx(0.5)
    assert ends.high == pytest.approx(0.5 + 0.5 * 0.5)  # a has 80 of 150 examinations, and more than the best 5 %
    assert [one.rule for one in reasons(1000, 1, 0, ends.supported)] == ["support"]
    loose = loose_bounds(found, aimed, ends.supported)
    assert (loose.low, loose.high) == (pytest.approx(0.4), pytest.approx(1.5))  # 40 clicks of 100 showings; all click


def test_a_document_at_positions_without_a_propensity_has_no_support() -> None:
    log = cells([("q", "a", 1, 50, 10), ("q", "b", 2, 50, 5), ("q", "c", 3, 50, 9)])
    found, aimed = of(log, {"q": ["a", "c"]}, HALF, np.array([1.0, 0.5]))
    assert found.unknown == 50
    assert found.is_supported.tolist() == [True, True, False]
    with pytest.raises(InputError, match="position 2: a propensity of 0"):
        seen(log, np.array([1.0, 0.0]), aimed)


def test_a_propensity_of_a_millionth_is_refused() -> None:
    log = cells([("q", "a", 1, 1e5, 3e4), ("q", "b", 2, 1e5, 1)])
    found, aimed = of(log, {"q": ["b", "a"]}, HALF, np.array([1.0, 1e-6]))
    weighed = of_ranking("policy-aware", found, aimed, 10.0)
    assert weighed.ess == pytest.approx(1e5, rel=1e-4)  # all showings of b are equal: its clicks tell, and are few
    assert weighed.effective_clicks == pytest.approx(1, rel=0.1)
    rare = cells([("q", "a", 1, 1e5, 3e4), ("q", "b", 2, 1, 0), ("q", "c", 2, 1e5 - 1, 50)])
    found, aimed = of(rare, {"q": ["b", "a"]}, HALF, np.array([1.0, 1e-6]))
    weighed = of_ranking("policy-aware", found, aimed, 10.0)
    assert weighed.ess < 2
    assert [one.rule for one in reasons(weighed.ess, 1, 0, 1.0)] == ["effective sample"]


def test_what_the_log_showed_is_valued_alike() -> None:
    found, aimed = of(MIXED, {"q": ["a", "c"]}, HALF, HALF)
    one = against_log(found, aimed, HALF)
    logged = (60 * (0.5 + 0.5 * 0.2) + 40 * (0.2 + 0.5 * 0.5)) / 100
    assert one.logged == pytest.approx(logged)
    assert one.difference == pytest.approx(0.6 - logged)
    ideal = of(MIXED, {"q": ["a", "c"]}, HALF, HALF, is_ideal=True)
    assert against_log(*ideal, HALF).logged == pytest.approx(logged / 0.6)
    assert against_log(*ideal, HALF).difference == pytest.approx(1 - logged / 0.6)


def test_one_ranker_is_not_told_apart_from_itself() -> None:
    log = cells([("q", "a", 1, 60, 30), ("q", "b", 2, 60, 6)])
    one = against_log(*of(log, {"q": ["a", "b"]}, HALF, HALF), HALF)
    assert (one.difference, one.variance) == (0.0, 0.0)


def test_queries_that_the_ranking_lacks_are_left_out_or_count_0() -> None:
    log = cells([("q", "a", 1, 60, 30), ("r", "a", 1, 40, 30)])
    left, zero = (of(log, {"q": ["a"]}, np.ones(1), np.ones(1), absent_count=count)[1] for count in (False, True))
    assert (left.n, zero.n) == (60, 100)
    assert left.all_searches == 100
    with pytest.raises(NotEnoughEvidence, match="no query of the ranking was asked in the log: the ranking has '"):
        aim(log, {"s": ["a"]}, np.ones(1))
    with pytest.raises(InputError, match="query q: a document stands twice"):
        aim(log, {"q": ["a", "a"]}, np.ones(2))


# Laws.


def made(seed: int = 3, queries: int = 20) -> tuple[Cells, dict[str, list[str]]]:
    """Two rankers over eight documents, five positions."""
    rng = np.random.default_rng(seed)
    rows, lists = [], {}
    for query in range(queries):
        gamma = rng.beta(1, 3, 8)
        for _ in range(2):
            order = rng.permutation(8)[:5]
            n = int(rng.integers(200, 900)) * 2
            rows += [(f"q{query:02d}", f"d{d}", k + 1, n, float(rng.binomial(n, gamma[d] / (k + 1)) // 2 * 2))
                     for k, d in enumerate(order)]  # fmt: skip
        lists[f"q{query:02d}"] = [f"d{d}" for d in rng.permutation(8)[:5]]
    return cells(rows), lists


THETA = 1 / np.arange(1, 6)


def everything(log: Cells, lists: dict[str, list[str]]) -> list[tuple[float, float]]:
    found, aimed = of(log, lists, DCG[:5], THETA)
    rows = []
    for kind in ESTIMATORS:
        one = estimate(kind, found, aimed)
        rows.append((one.value, chance_variance(one, found, aimed, kind)))
    ideal = of(log, lists, DCG[:5], THETA, is_ideal=True)
    one = estimate("policy-aware", *ideal)
    ends = bounds(found, aimed)
    return [*rows, (one.value, chance_variance(one, *ideal, "policy-aware")), (ends.low, 0.0), (ends.high, 0.0),
            (ends.supported, 0.0)]  # fmt: skip


def test_a_doubled_log_leaves_estimates_and_halves_variances() -> None:
    log, lists = made()
    twice = replace(log, impressions=2 * log.impressions, clicks=2 * log.clicks)
    for place, (one, other) in enumerate(zip(everything(log, lists), everything(twice, lists), strict=True)):
        # the model of doubly robust estimates trusts a longer log more
        assert other[0] == pytest.approx(one[0], rel=2e-3 if ESTIMATORS[min(place, 4)] == "dr" else 1e-12)
        assert other[1] == pytest.approx(one[1] / 2, rel=0.01)


def test_a_query_split_into_two_equal_ones_changes_nothing() -> None:
    log, lists = made()
    frame = log.frame()
    import polars as pl

    half = frame.with_columns(pl.col("impressions") / 2, pl.col("clicks") / 2)
    split = Cells.from_frame(pl.concat([half, half.with_columns(query_id=pl.col("query_id") + "x")]))
    both = {**lists, **{query + "x": docs for query, docs in lists.items()}}
    for place, (one, other) in enumerate(zip(everything(log, lists), everything(split, both), strict=True)):
        assert other[0] == pytest.approx(one[0], rel=5e-3 if ESTIMATORS[min(place, 4)] == "dr" else 1e-12)
        assert other[1] == pytest.approx(one[1], rel=0.02)


def test_names_and_the_order_of_rows_change_nothing() -> None:
    import polars as pl

    log, lists = made()
    docs = {f"d{at}": f"x{7 - at}" for at in range(8)}
    queries = {query: f"a{99 - at}" for at, query in enumerate(lists)}
    frame = log.frame().with_columns(pl.col("doc_id").replace(docs), pl.col("query_id").replace(queries))
    shuffled = Cells.from_frame(frame.sample(fraction=1.0, shuffle=True, seed=1))
    renamed = {queries[query]: [docs[doc] for doc in order] for query, order in lists.items()}
    assert everything(shuffled, renamed) == [pytest.approx(pair, rel=1e-10) for pair in everything(log, lists)]


def test_days_that_are_merged_give_what_one_pass_gives() -> None:
    first, lists = made()
    second, _ = made(4)
    rows = [*first.frame().iter_rows(), *second.frame().iter_rows()]
    assert everything(first + second, lists) == [pytest.approx(pair, rel=1e-12)
                                                 for pair in everything(cells(rows), lists)]  # fmt: skip


# The simulated logs of the data folder; the table of its README.


def simulated(kept: Any, ranker: str) -> tuple[Seen, Aim]:
    gamma = truth()["gamma"]
    log = replace(sessions("pbm_60k").cells(kept), query_ids=[f"{query:03d}" for query in range(len(gamma))],
                  doc_ids=[str(doc) for _ in gamma for doc in range(DOCUMENTS)])  # fmt: skip
    lists = {f"{query:03d}": list(map(str, docs)) for query, docs in enumerate(truth()[f"ranking_{ranker}"])}
    return of(log, lists, DCG, np.array(truth()["theta"]))


def true_value(aimed: Aim, ranker: str, found: Seen | None = None) -> float:
    gamma, whole = truth()["gamma"], 0.0
    for query, docs in enumerate(truth()[f"ranking_{ranker}"]):
        for rank, doc in enumerate(docs):
            is_counted = found is None or found.is_supported[query * DOCUMENTS + doc]
            whole += is_counted * aimed.searches[query] * DCG[rank] * gamma[query][doc]
    return float(whole / aimed.n)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("is_alone", "ranker", "n", "ips", "true", "seen_alone", "supported"),
    [
        (True, "A", 24_216, 1.2112, 1.2061, 1.2061, 1.0),
        (True, "B", 24_216, 0.9517, 1.0178, 0.9479, 0.7734),
        (False, "A", 60_000, 1.1513, 1.2052, 1.2052, 1.0),
        (False, "B", 60_000, 0.9822, 1.0176, 1.0176, 1.0),
    ],
)
def test_the_table_of_the_data_folder(
    is_alone: bool, ranker: str, n: int, ips: float, true: float, seen_alone: float, supported: float
) -> None:
    log = sessions("pbm_60k")
    found, aimed = simulated((log.ranker == 0) & (log.swap == 0) if is_alone else slice(None), ranker)
    assert aimed.n == n
    assert estimate("ips", found, aimed).value == pytest.approx(ips, abs=5e-5)
    assert true_value(aimed, ranker) == pytest.approx(true, abs=5e-5)
    assert true_value(aimed, ranker, found) == pytest.approx(seen_alone, abs=5e-5)
    ends = bounds(found, aimed)
    assert ends.supported == pytest.approx(supported, abs=5e-5)
    assert ends.low - 0.02 < true < ends.high + 0.02  # two standard errors
    mean, se = mean_weight("ips", found, aimed)
    rules = [one.rule for one in reasons(1e4, mean, se, ends.supported)]
    assert rules == (["support"] if ranker == "B" and is_alone else [] if is_alone else ["mean weight"])


@pytest.mark.shared
@pytest.mark.parametrize(("ranker", "value", "true"), [("A", 1.2104, 1.2052), ("B", 1.0182, 1.0176)])
def test_exposure_makes_a_log_of_two_rankers_unbiased(ranker: str, value: float, true: float) -> None:
    found, aimed = simulated(slice(None), ranker)
    one = estimate("policy-aware", found, aimed)
    assert one.value == pytest.approx(value, abs=5e-5)
    assert abs(one.value - true) < 3 * np.sqrt(chance_variance(one, found, aimed, "policy-aware"))
    other = estimate("ips", found, aimed)
    assert abs(other.value - true) > 5 * np.sqrt(chance_variance(other, found, aimed, "ips"))
