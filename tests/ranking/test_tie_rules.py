"""The rules for equal scores against every order of them, on both paths."""

import itertools
import random

import numpy as np
import pytest

from assay.measures.grammar import parse
from assay.measures.score import score
from assay.ranking.align import judged
from assay.ranking.conventions import Conventions
from ranking.naive import PATHS, Case, run_text

MEASURES = parse("P@1,2,4 R@3 RR RR@2 AP nDCG@3 nDCG DCG@2 HitRate@2")


def values(case: Case, path: str, ties: str) -> np.ndarray:
    conventions = Conventions(ties=ties)
    qrels, run = PATHS[path](case)
    return score([run], judged(qrels, conventions), MEASURES, conventions).values[0, :, 0]


def every_order(rows: list[tuple[str, str, float]]) -> list[list[tuple[str, str, float]]]:
    """The rows in every order that equal scores allow, with scores that are all different."""
    groups = [list(group) for _, group in itertools.groupby(rows, key=lambda row: row[2])]
    orders = itertools.product(*(itertools.permutations(group) for group in groups))
    return [
        [(query, doc, -float(rank)) for rank, (query, doc, _) in enumerate(itertools.chain(*order))] for order in orders
    ]


@pytest.mark.parametrize("seed", range(8))
def test_best_worst_and_expected_are_the_extremes_and_the_mean_over_every_order(seed):
    rng = random.Random(seed)
    docs = list("abcdef")
    rng.shuffle(docs)
    qrels = "".join(f"q 0 {doc} {rng.randrange(4)}\n" for doc in docs[:4]) + "q 0 z 1\n"
    rows = sorted((("q", doc, float(rng.randrange(3))) for doc in "abcdef"), key=lambda row: -row[2])
    orders = np.array([values(Case("", qrels, run_text(*order)), "small", "input") for order in every_order(rows)])
    case = Case("", qrels, run_text(*rows))
    for path in PATHS:
        np.testing.assert_allclose(values(case, path, "best"), orders.max(axis=0), atol=1e-12)
        np.testing.assert_allclose(values(case, path, "worst"), orders.min(axis=0), atol=1e-12)
        np.testing.assert_allclose(values(case, path, "expected"), orders.mean(axis=0), atol=1e-12)
