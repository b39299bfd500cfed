"""Policies on logs of drawn documents: the answers of the Open Bandit sample, hand calculations, and a trap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.clicks.bandit import Drawn, clipped, difference, doubly_robust, ips, mean_weight, policy_bounds, snips
from assay.clicks.cells import F64
from assay.clicks.weights import carried, reasons
from assay.errors import InputError
from conftest import SHARED

OBD = SHARED / "data" / "clicks" / "obd"
ITEMS = {"all": 80, "men": 34}


def drawn(log: str, campaign: str, target: F64) -> Drawn:
    """A sample with the chances of a target, f64[items, 3]."""
    import polars as pl

    frame = pl.read_csv(OBD / f"{log}_{campaign}.csv.gz", columns=["item_id", "position", "click", "propensity_score"])
    by = ["item_id", "position", "propensity_score"]
    cells = frame.group_by(by).agg(n=pl.len(), c=pl.col("click").sum()).sort(by)
    cell = cells["item_id"].to_numpy() * 3 + cells["position"].to_numpy() - 1
    return Drawn(cell.astype(np.int64), np.tile(np.arange(3), len(target)), cells["propensity_score"].to_numpy(),
                 cells["n"].to_numpy().astype(float), cells["c"].to_numpy().astype(float), target.ravel(),
                 np.zeros(3))  # fmt: skip


def empirical(campaign: str) -> F64:
    """How often the file of the other policy shows each item at each position."""
    import polars as pl

    frame = pl.read_csv(OBD / f"bts_{campaign}.csv.gz", columns=["item_id", "position"])
    found = np.zeros((ITEMS[campaign], 3))
    np.add.at(found, (frame["item_id"].to_numpy(), frame["position"].to_numpy() - 1), 1.0)
    return found / found.sum(0)


# campaign, log, on-policy truth, IPS, se, SNIPS, se, mean weight, largest, ESS, clipped at 5 and at 10
ANSWERS = [
    ("all", "random", 0.0042, 0.005035366932711512, 0.001283078, 0.005253072196421469, 0.001336379, 0.958556583,
     9.623153, 2638.873, 0.004940106761, 0.005035366933),
    ("all", "bts", 0.0038, 0.0023596395168460037, 0.000871022, 0.0023337138931618065, 0.000868968, 1.011109170,
     277.7778, 340.378, 0.002080823317, 0.002359639517),
    ("men", "random", 0.0069, 0.005656266700835461, 0.001397600, 0.005739864701951365, 0.001415238, 0.985435545,
     7.484277, 2869.275, 0.005555943076, 0.005656266701),
    ("men", "bts", 0.0046, 0.003008626327256482, 0.000773935, 0.003189423162277403, 0.000827823, 0.943313626,
     178.2531, 655.710, 0.003008626327, 0.003008626327),
]  # fmt: skip


@pytest.mark.shared
@pytest.mark.parametrize("answers", ANSWERS, ids=lambda one: f"{one[0]}-{one[1]}")
def test_the_answers_of_the_open_bandit_sample_to_all_printed_digits(answers: tuple[Any, ...]) -> None:
    campaign, log, truth, value, se, normed, normed_se, mean, largest, ess, at_5, at_10 = answers
    target = empirical(campaign) if log == "random" else np.full((ITEMS[campaign], 3), 1 / ITEMS[campaign])
    found = drawn(log, campaign, target)
    assert ips(found).value == pytest.approx(value, rel=1e-13)
    assert ips(found).se == pytest.approx(se, abs=5e-10)
    assert snips(found).value == pytest.approx(normed, rel=1e-13)
    assert snips(found).se == pytest.approx(normed_se, abs=5e-10)
    assert mean_weight(found).value == pytest.approx(mean, abs=5e-10)
    assert found.weight.max() == pytest.approx(largest, rel=5e-7)
    assert clipped(found, 5).value == pytest.approx(at_5, abs=5e-13)
    assert clipped(found, 10).value == pytest.approx(at_10, abs=5e-13)
    weighed = carried(found.weight, found.impressions, found.clicks, found.propensity)
    assert weighed.ess == pytest.approx(ess, abs=5e-4)
    other = {"random": "bts", "bts": "random"}[log]
    assert drawn(other, campaign, target).clicks.sum() / 10_000 == pytest.approx(truth)
    assert reasons(weighed.ess, mean, mean_weight(found).se, policy_bounds(found).supported) == ()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("campaign", "value", "normed"),
    [("men", 0.004533560000000009, 0.004604232164349611), ("all", 0.00455288, 0.0047758330812309535)],
)
def test_what_obp_0_4_1_says_of_its_own_target(campaign: str, value: float, normed: float) -> None:
    target = np.loadtxt(OBD / f"target_policy_{campaign}.csv", delimiter=",", skiprows=1)[:, 1:]
    found = drawn("random", campaign, target)
    assert ips(found).value == pytest.approx(value, rel=1e-12)
    assert snips(found).value == pytest.approx(normed, rel=1e-12)
    # its own doubly robust value, 0.00454 and 0.00465, has another model of clicks: within a tenth of an error
    assert abs(doubly_robust(found).value - {"men": 0.00453530283, "all": 0.00464797376}[campaign]) < 0.1 * 0.0012


def small() -> Drawn:
    """Two items at one position: shown 60 and 40 times in 100 with chances 0.6 and 0.4, the target turns them round."""
    return Drawn(np.array([0, 1]), np.zeros(2, np.int64), np.array([0.6, 0.4]), np.array([60.0, 40]),
                 np.array([6.0, 8]), np.array([0.4, 0.6]), np.zeros(1))  # fmt: skip


def test_weights_by_hand() -> None:
    log = small()
    assert ips(log).value == pytest.approx((6 * 2 / 3 + 8 * 1.5) / 100)
    assert mean_weight(log).value == pytest.approx(1)
    squares = (6 * 4 / 9 + 8 * 2.25) / 100
    assert ips(log).se == pytest.approx(np.sqrt((squares - 0.16**2) / 99))
    assert snips(log).value == pytest.approx(0.16)
    assert clipped(log, 1).value == pytest.approx((6 * 2 / 3 + 8) / 100)
    assert difference(log).value == pytest.approx(0.16 - 0.14)


def test_doubly_robust_by_hand() -> None:
    log = small()
    prior = 10 * 0.14
    model = np.array([(6 + prior) / 70, (8 + prior) / 50])
    whole = 0.0
    for item, n, clicks, weight, target in ((0, 60, 6, 2 / 3, 0.4), (1, 40, 8, 1.5, 0.6)):
        for click, times in ((1, clicks), (0, n - clicks)):
            own = (clicks - click + prior) / (n - 1 + 10)
            expected = 0.4 * model[0] + 0.6 * model[1] + target * (own - model[item])
            whole += times * (expected + weight * (click - own))
    assert doubly_robust(log).value == pytest.approx(whole / 100)


def test_what_the_log_never_shows_is_bounded() -> None:
    log = replace(small(), target=np.array([0.3, 0.5]), elsewhere=np.array([0.2]))
    ends = policy_bounds(log)
    assert ends.supported == pytest.approx(0.8)
    assert ends.high - ends.low == pytest.approx(0.2 * 0.2)  # the better item is clicked in a fifth of its showings
    assert [one.rule for one in reasons(1000, 1, 0, ends.supported)] == ["support"]


def test_a_log_with_one_weight_above_all_others_is_refused() -> None:
    """10,000 rows; two were shown by a chance of 1 in 50,000, and the target would always show them."""
    log = Drawn(np.array([0, 1]), np.zeros(2, np.int64), np.array([0.9999, 1 / 50_000]), np.array([9_998.0, 2]),
                np.array([50.0, 1]), np.array([0.5, 0.5]), np.zeros(1))  # fmt: skip
    assert log.weight.max() > 20_000
    weighed = carried(log.weight, log.impressions, log.clicks, log.propensity)
    assert weighed.ess == pytest.approx(2, abs=0.5)
    assert "effective sample" in [one.rule for one in reasons(weighed.ess, 1, 0, 1.0)]


def test_a_doubled_log_leaves_estimates_and_halves_variances() -> None:
    one = small()
    twice = replace(one, impressions=2 * one.impressions, clicks=2 * one.clicks)
    for estimate in (ips, snips, difference, mean_weight):
        assert estimate(twice).value == pytest.approx(estimate(one).value)
        assert estimate(twice).se ** 2 == pytest.approx(estimate(one).se ** 2 / 2, rel=0.01)


@pytest.mark.parametrize("chance", [0.0, -0.5, 1.5, np.nan])
def test_a_chance_that_is_none_is_refused(chance: float) -> None:
    with pytest.raises(InputError, match="is no chance above 0"):
        replace(small(), propensity=np.array([0.5, chance]))
