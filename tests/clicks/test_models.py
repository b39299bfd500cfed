"""Click models against enumeration, hand calculation, and worlds of their own making."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from bench.plain_em import plain_pbm

from assay.clicks.coec import shrunk_coec
from assay.clicks.lists import F64, I64, Lists
from assay.clicks.models.cascade import Cascade
from assay.clicks.models.ccm import ClickChain
from assay.clicks.models.chain import Chain, below, posterior
from assay.clicks.models.climb import Walk
from assay.clicks.models.dbn import Dynamic, SimplifiedDynamic
from assay.clicks.models.dcm import DependentClick
from assay.clicks.models.model import CLICK_MODELS, ClickModel, fit, log_likelihood, quality, relevance_auc
from assay.clicks.models.pbm import PositionBased
from assay.clicks.models.ubm import UserBrowsing
from assay.errors import InputError

QUERIES, DOCUMENTS, DEPTH = 20, 8, 6
PAIRS = QUERIES * DOCUMENTS
QUERY = np.repeat(np.arange(QUERIES), DOCUMENTS)


def world(name: str) -> ClickModel:
    """A model with parameters of its own, the same at each call."""
    rng = np.random.default_rng(20261130)
    attraction, satisfaction = rng.beta(1.5, 3, PAIRS), rng.beta(2, 2, PAIRS)
    theta = 1 / np.arange(1, DEPTH + 1) ** 0.7
    between = np.tril(0.9 / (1 + 0.5 * np.abs(np.arange(1, DEPTH + 1)[:, None] - np.arange(DEPTH))))
    made: dict[str, ClickModel] = {
        "pbm": PositionBased(theta, attraction),
        "cascade": Cascade(attraction),
        "dcm": DependentClick(attraction, np.array([0.9, 0.7, 0.6, 0.5, 0.4, 0.3])),
        "sdbn": SimplifiedDynamic(attraction, satisfaction),
        "dbn": Dynamic(attraction, satisfaction, 0.75),
        "ubm": UserBrowsing(between, attraction),
        "ccm": ClickChain(attraction, 0.85, 0.9, 0.2),
    }
    return made[name]


def slates(n: int, rng: np.random.Generator) -> I64:
    """Lists of one query each, in one of its four orders, some short."""
    query, ranker = rng.integers(0, QUERIES, n), rng.integers(0, 4, n)
    orders = np.argsort(np.random.default_rng(1).random((QUERIES, 4, DOCUMENTS)), axis=2)[:, :, :DEPTH]
    order = orders[query, ranker]
    pair: I64 = query[:, None] * DOCUMENTS + order
    pair[rng.random(n) < 0.1, DEPTH - 2 :] = -1
    return pair


def log_of(model: ClickModel, n: int, seed: int) -> Lists:
    rng = np.random.default_rng(seed)
    pair = slates(n, rng)
    return Lists(pair, model.sample(pair, rng), np.ones(n), QUERY).distinct()


WORLDS = ["pbm", "cascade", "dcm", "sdbn", "dbn", "ubm", "ccm"]


def every_outcome(pair: I64) -> Lists:
    clicked = np.array(list(product([False, True], repeat=pair.shape[1])))
    return Lists(np.repeat(pair, len(clicked), axis=0), clicked, np.ones(len(clicked)), QUERY)


@pytest.mark.parametrize("name", WORLDS)
def test_chances_of_all_outcomes_add_up_to_one_and_to_the_marginals(name: str) -> None:
    model, pair = world(name), np.arange(5)[None, :] + DOCUMENTS
    lists = every_outcome(pair)
    chance = model.conditional(lists)
    each = np.where(lists.clicked, chance, 1 - chance).prod(1)
    assert each.sum() == pytest.approx(1, abs=1e-12)
    assert each @ lists.clicked == pytest.approx(model.marginal(pair)[0], abs=1e-12)


@pytest.mark.parametrize("name", [*WORLDS, "global-ctr", "rank-ctr", "document-ctr", "coec"])
def test_samples_come_as_often_as_the_marginals_say(name: str) -> None:
    model = world(name) if name in WORLDS else fit(name, log_of(world("pbm"), 5000, 3))
    pair = np.append(np.arange(5), -1)[None, :]
    n = 40_000
    clicked = model.sample(np.repeat(pair, n, axis=0), np.random.default_rng(4))
    expected = model.marginal(pair)[0]
    assert np.abs(clicked.mean(0) - expected).max() <= 4 * 0.5 / np.sqrt(n)
    assert not clicked[:, 5].any()
    assert expected[5] == 0


@pytest.mark.parametrize("name", CLICK_MODELS.names())
def test_relabelled_documents_and_split_counts_change_no_likelihood(name: str) -> None:
    lists = log_of(world("dbn"), 3000, 5)
    swap = np.random.default_rng(6).permutation(PAIRS)
    other = Lists(np.where(lists.shown, swap[lists.pair], -1), lists.clicked, lists.count, QUERY[np.argsort(swap)])
    one, two = quality(fit(name, lists), lists), quality(fit(name, other), other)
    assert two.by_list == pytest.approx(one.by_list, abs=1e-9)
    halves = Lists(
        *(np.concatenate([of, of]) for of in (lists.pair, lists.clicked)), np.tile(lists.count / 2, 2), QUERY
    )
    assert quality(fit(name, halves), lists).by_list == pytest.approx(one.by_list, abs=1e-9)


def parameters(name: str, model: Any) -> tuple[F64, F64]:
    """What is compared with the truth: numbers of the whole model, and those of each pair."""
    whole, each = {
        "pbm": ("theta", "gamma"), "cascade": (None, "attraction"), "dcm": ("continuation", "attraction"),
        "sdbn": ("satisfaction", "attraction"), "dbn": ("satisfaction", "attraction"), "ubm": ("theta", "gamma"),
        "ccm": (None, "relevance"),
    }[name]  # fmt: skip
    found = np.zeros(0) if whole is None else np.asarray(getattr(model, whole))
    return found[np.tril_indices(DEPTH)] if name == "ubm" else found, getattr(model, each)


LARGE = 40_000
"""Lists of a recovered world: each of 160 pairs is seen about 1,500 times, a share of it has an error of 0.01."""


def distances(name: str, lists: int, seed: int) -> tuple[float, float]:
    """Root mean square errors of a model in its own world: of the pairs' chances, and of its other parameters."""
    truth = world(name)
    log = log_of(truth, lists, seed)
    seen = np.unique(log.pair[log.shown])
    found = fit(name, log, **({} if name == "cascade" else {"gain": 1e-10}))
    (whole, each), (true_whole, true_each) = parameters(name, found), parameters(name, truth)
    if name in ("pbm", "ubm"):  # clicks tell theta and gamma but for one factor
        factor = true_whole[0] / whole[0]
        whole, each = whole * factor, each / factor
    if name == "dcm":  # below the last positions there is little to be clicked
        whole, true_whole = whole[:3], true_whole[:3]
    if name in ("sdbn", "dbn"):  # who is hardly ever clicked, or at the end of lists, cannot show that it satisfies
        above = np.unique(log.pair[:, :-1][log.shown[:, 1:]])
        told = above[true_each[above] > 0.2]
        whole, true_whole = whole[told], true_whole[told]
    each, true_each = each[seen], true_each[seen]
    others = float(np.sqrt(np.mean((whole - true_whole) ** 2))) if len(whole) else 0.0
    return float(np.sqrt(np.mean((each - true_each) ** 2))), others


@pytest.mark.parametrize("name", WORLDS)
def test_each_model_recovers_its_own_world(name: str) -> None:
    each, others = distances(name, LARGE, 7)
    assert each < 0.03
    assert others < (0.1 if name in ("sdbn", "dbn") else 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_with_25_times_the_lists_the_errors_are_a_fifth(name: str) -> None:
    few, many = distances(name, LARGE, 7), distances(name, 25 * LARGE, 16)
    assert many[0] < 0.35 * few[0]
    assert many[1] <= 0.4 * few[1]


def test_continuations_of_the_reader_are_recovered() -> None:
    dbn = fit("dbn", log_of(world("dbn"), LARGE, 8))
    assert isinstance(dbn, Dynamic)
    assert dbn.continuation == pytest.approx(0.75, abs=0.02)
    ccm = fit("ccm", log_of(world("ccm"), LARGE, 9))
    assert isinstance(ccm, ClickChain)
    assert ccm.after_skip == pytest.approx(0.85, abs=0.02)
    assert ccm.after_poor == pytest.approx(0.9, abs=0.06)
    assert ccm.after_good == pytest.approx(0.2, abs=0.08)


@pytest.mark.parametrize("name", WORLDS)
def test_each_model_wins_in_its_own_world(name: str) -> None:
    early, late = log_of(world(name), LARGE, 10), log_of(world(name), LARGE, 11)
    by_list = {other: quality(fit(other, early), late).by_list for other in CLICK_MODELS.names()}
    assert max(by_list, key=lambda other: by_list[other]) == name, by_list


def test_the_posterior_of_a_reader_is_that_of_enumeration() -> None:
    rng = np.random.default_rng(12)
    chances = Chain(*(rng.uniform(0.1, 0.9, (1, 4)) for _ in range(3)))
    for clicked in product([False, True], repeat=4):
        weight, examined = 0.0, np.zeros(4)
        for end in range(1, 5):  # the last place examined, from 1
            if any(clicked[end:]):
                continue
            chance = 1.0
            for k in range(end):
                chance *= chances.attraction[0, k] if clicked[k] else 1 - chances.attraction[0, k]
                onward = chances.after_click[0, k] if clicked[k] else chances.after_skip[0, k]
                chance *= onward if k < end - 1 else (1 - onward if end < 4 else 1.0)
            weight += chance
            examined[:end] += chance
        row = np.array([clicked])
        found = posterior(chances, row, below(row))
        assert found.examined[0] == pytest.approx(examined / weight, abs=1e-12)
        lists = Lists(np.arange(4)[None, :], row, np.ones(1), np.zeros(4, np.int64))
        assert Walk(lists).read(chances)[1] == pytest.approx(np.log(weight), abs=1e-12)


@pytest.mark.parametrize("name", ["dbn", "ccm", "pbm", "ubm"])
def test_no_step_lowers_the_likelihood(name: str) -> None:
    lists = log_of(world("dbn"), 3000, 13)
    free = {"prior": (0.0, 0.0), "gain": 0}
    after = [
        float(lists.count @ log_likelihood(fit(name, lists, steps=steps, **free), lists)) for steps in range(1, 12)
    ]
    assert (np.diff(after) > -1e-9).all()


def test_counts_give_what_a_plain_em_gives_session_by_session() -> None:
    rng = np.random.default_rng(14)
    pair = slates(400, rng)
    clicked = world("pbm").sample(pair, rng)
    shown = [(row[row >= 0].tolist(), click[row >= 0].tolist()) for row, click in zip(pair, clicked, strict=True)]
    theta, gamma = plain_pbm(shown, 50)
    found = fit("pbm", Lists(pair, clicked, np.ones(400), QUERY), steps=50, gain=0)
    assert isinstance(found, PositionBased)
    assert found.theta == pytest.approx([theta[k] for k in range(DEPTH)], abs=1e-9)
    assert found.gamma == pytest.approx([gamma.get(at, 0.5) for at in range(PAIRS)], abs=1e-9)


def test_the_closed_form_of_sdbn_by_hand() -> None:
    lists = Lists.from_frame(pl.DataFrame({
        "query_id": ["q", "q", "q"], "doc_ids": [["x", "y", "z"]] * 3, "clicks": [0b010, 0b011, 0], "count": [2, 1, 1],
    }))  # fmt: skip
    kept = SimplifiedDynamic.from_counts(lists.cascade(), prior=(0.0, 0.0))
    # x: 1 click of 4 showings; y: 3 of 4, z: shown once down to the last click, in the list without one
    assert kept.attraction == pytest.approx([1 / 4, 3 / 4, 0])
    assert kept.satisfaction[:2] == pytest.approx(
        [0, 1 - 1e-6]
    )  # x was not the last click of its list, y was, three times
    dropped = SimplifiedDynamic.from_counts(lists.cascade(), "dropped", prior=(0.0, 0.0))
    assert dropped.attraction[:2] == pytest.approx([1 / 3, 1 - 1e-6])


def test_perplexity_by_hand() -> None:
    lists = Lists(
        np.array([[0, 1], [0, -1]]), np.array([[True, False], [False, False]]), np.ones(2), np.zeros(2, np.int64)
    )
    model = PositionBased(np.array([0.5, 0.5]), np.array([1.0, 0.5]))
    found = quality(model, lists)
    # position 1: chance 1/2 of what happened, twice; position 2: a skip of chance 3/4, once
    assert found.perplexity.at == pytest.approx([2, 4 / 3])
    assert found.perplexity.mean == pytest.approx(5 / 3)
    assert found.perplexity.pooled == pytest.approx((1 / 2 * 1 / 2 * 3 / 4) ** (-1 / 3))
    assert found.by_list == pytest.approx((np.log(1 / 2 * 3 / 4) + np.log(1 / 2)) / 2)
    assert found.by_place == pytest.approx((np.log(1 / 2 * 3 / 4) / 2 + np.log(1 / 2)) / 2)


def test_the_area_under_the_curve_counts_ties_half() -> None:
    nan = float("nan")
    relevance, grade = np.array([0.9, 0.5, 0.5, 0.1, 0.7, nan]), np.array([2.0, 1, 0, 0, nan, 1])
    # of the pairs (0.9, 0.5) (0.9, 0.1) (0.5, 0.5) (0.5, 0.1) three are right and one is tied
    assert relevance_auc(relevance, grade) == pytest.approx(3.5 / 4)
    assert np.isnan(relevance_auc(relevance, grade, relevant=3))


def test_shrinking_is_strong_where_rates_are_equal_and_weak_where_they_differ() -> None:
    rng = np.random.default_rng(15)
    expected = rng.uniform(1, 20, 4000)
    for strength in (0.5, 3.0):
        clicks = rng.poisson(expected * rng.gamma(strength, 1 / strength, 4000)).astype(float)
        found, a = shrunk_coec(clicks, expected)
        assert a == pytest.approx(strength, rel=0.1)
        assert found[0] == pytest.approx((clicks[0] + a) / (expected[0] + a))
    _, a = shrunk_coec(rng.poisson(expected).astype(float), expected)
    assert a > 100


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(InputError, match="unknown click model dnb; did you mean dbn"):
        fit("dnb", log_of(world("pbm"), 10, 1))
