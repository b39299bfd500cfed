"""More than two raters: the mean of the quadratic kappas of every two of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from assay.judgments import mean_kappa as module
from assay.judgments.agreement import RaterAgreement, agreement
from assay.judgments.mean_kappa import MEAN_KAPPA
from assay.keys import stream
from assay.tables import Judgment
from assay.tables.door import block_of

A, B, C = (0, 1, 2, 0, 1, 2), (0, 1, 2, 0, 1, 1), (0, 1, 1, 0, 2, 2)
"""By hand, sums of squares: A and B differ by 1 of 7 expected, A and C by 2 of 8, B and C by 3 of 7."""


def agreed(rows: Sequence[tuple[str, str, str | None, float]], **options: object) -> RaterAgreement:
    held = [{"query_id": q, "doc_id": d, "rater": r, "grade": float(g)} for q, d, r, g in rows]
    return agreement(block_of(held, Judgment, "labels.csv"), **options)  # type: ignore[arg-type]


def table(**said: tuple[int | None, ...]) -> list[tuple[str, str, str | None, float]]:
    """Raters by name, one query an item; None where a rater did not rate it."""
    return [(f"q{i}", "d", who, x) for who, given in said.items() for i, x in enumerate(given) if x is not None]


def test_three_raters_by_hand() -> None:
    found = agreed(table(a=A, b=B, c=C), grades=(0, 1, 2))
    assert found.deciding.name == MEAN_KAPPA
    assert found.deciding.value == pytest.approx((6 / 7 + 3 / 4 + 4 / 7) / 3)
    assert "no interval from 6 queries" in found.deciding.remark


def test_pairs_of_raters_count_alike_however_much_they_have_in_common() -> None:
    """d shares two items with a alone, on which they are as far apart as can be: kappa -1 (2 squares of 1 expected)."""
    d = (None, 0, None, 1, None, None)
    found = agreed(table(a=A, b=B, d=d), grades=(0, 1, 2))
    a_d = 1 - 2 / ((1 * 1 * 1 + 1 * 1 * 1) / 2)  # each says 0 once and 1 once, crossed
    b_d = a_d  # b said the same as a of these two
    assert found.deciding.value == pytest.approx((6 / 7 + a_d + b_d) / 3)


def test_raters_who_never_met_and_those_without_a_value_have_no_part() -> None:
    e = (None,) * 6 + (1, 1, 1)
    f = (None,) * 6 + (1, 1, 1)
    found = agreed(table(a=A, b=B, e=e, f=f), grades=(0, 1, 2))
    assert found.deciding.value == pytest.approx(6 / 7)
    assert "1 of 2 pairs of raters left out: both gave one and the same grade to everything" in found.deciding.remark


def test_a_rater_who_never_varied_counts_0_and_it_is_said() -> None:
    found = agreed(table(a=A, b=B, c=(1,) * 6), grades=(0, 1, 2))
    assert found.deciding.value == pytest.approx((6 / 7 + 0 + 0) / 3)
    assert "2 of 3 have a rater who never varied" in found.deciding.remark


def test_two_raters_stay_cohens_kappa_and_nobody_in_particular_alpha() -> None:
    assert agreed(table(a=A, b=B), grades=(0, 1, 2)).deciding.name == "kappa, quadratic"
    nobodies = [(f"q{i}", "d", None, x) for given in (A, B, C) for i, x in enumerate(given)]
    assert agreed(nobodies, grades=(0, 1, 2)).deciding.name == "alpha, interval"


def test_too_many_pairs_of_raters_leave_it_to_alpha_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_MEETINGS", 2)
    found = agreed(table(a=A, b=B, c=C), grades=(0, 1, 2))
    assert found.deciding.name == "alpha, interval"
    assert "many-meetings" in {note.code for note in found.notes}


def holes(seed: int) -> dict[str, list[tuple[int, int, int]]]:
    """Rater to (query, item, grade): five raters, three in four items each, 24 queries of four items."""
    rng = np.random.default_rng(seed)
    said: dict[str, list[tuple[int, int, int]]] = {name: [] for name in "vwxyz"}
    for item in range(96):
        true = int(rng.integers(4))
        for given in said.values():
            if rng.random() < 0.75:
                given.append((item // 4, item, int(np.clip(true + rng.integers(-1, 2), 0, 3))))
    return said


def plain_kappa(a: np.ndarray, b: np.ndarray) -> float:
    """Cohen 1968: 1 less the squares seen over the squares between every grade of a and every grade of b."""
    return 1 - float(np.mean((a - b) ** 2) / np.mean((a[:, None] - b[None, :]) ** 2))


def test_value_and_interval_are_those_of_the_definition_over_the_same_resamples() -> None:
    said = holes(3)
    rows = [(f"q{q}", f"d{i}", who, float(x)) for who, given in said.items() for q, i, x in given]
    found = agreed(rows, grades=(0, 1, 2, 3), resamples=200, seed=7).deciding
    both = []
    for one, other in combinations(said.values(), 2):
        known = {item: x for _, item, x in other}
        both.append(np.array([(q, x, known[item]) for q, item, x in one if item in known]))

    def mean(counts: np.ndarray) -> float:
        return float(np.mean([
            plain_kappa(np.repeat(b[:, 1], counts[b[:, 0]]), np.repeat(b[:, 2], counts[b[:, 0]])) for b in both
        ]))  # fmt: skip

    assert found.value == pytest.approx(mean(np.ones(24, dtype=int)), abs=1e-12)
    draws = stream(7, "agreement over queries").multinomial(24, np.full(24, 1 / 24), size=200)
    low, high = np.percentile([mean(counts) for counts in draws], (2.5, 97.5))
    assert found.low == pytest.approx(low, abs=0.01)
    assert found.high == pytest.approx(high, abs=0.01)


@pytest.mark.shared
def test_three_raters_of_a_shop_have_the_mean_of_the_published_kappas(shared: Path) -> None:
    folder = shared / "data/collections/chorus_ratings"
    facts = json.loads((folder / "facts.json").read_text())
    with (folder / "individual_ratings.csv").open(newline="") as file:
        rows = [
            (line["query"], line["docid"], f"rater_{i}", float(line[f"rater_{i}"]))
            for line in csv.DictReader(file)
            for i in (1, 2, 3)
        ]
    found = agreed(rows, grades=(0, 1, 2, 3), resamples=200).deciding
    assert found.value == pytest.approx(
        np.mean([facts[f"kappa_quadratic_{two}"] for two in ("12", "13", "23")]), abs=1e-6
    )
