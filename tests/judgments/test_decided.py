"""What decides whether raters agree enough, counted by itself."""

from __future__ import annotations

import numpy as np
import pytest

from assay.judgments import coefficients
from assay.judgments.agreement import agreement, decided
from assay.judgments.mean_kappa import MEAN_KAPPA
from assay.judgments.ratings import coded
from assay.tables import Judgment
from assay.tables.door import block_of

SCALE = [0.0, 1.0, 2.0, 3.0]


def given(raters: int, seed: int = 5) -> list[dict[str, object]]:
    """Raters who see the same grade seven times in ten, of 300 pairs of 30 queries; some pairs have one rating."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for i in range(300):
        true = int(rng.integers(4))
        for rater in range(raters if i % 7 else 1):
            grade = true if rng.random() < 0.7 else int(rng.integers(4))
            rows.append({"query_id": f"q{i // 10}", "doc_id": f"d{i}", "rater": f"r{rater}", "grade": float(grade)})
    return rows


@pytest.mark.parametrize("raters", [2, 3, 5])
def test_it_is_the_coefficient_that_the_whole_agreement_is_held_against(raters: int) -> None:
    block = block_of(given(raters), Judgment, "judgments")
    whole = agreement(block, grades=SCALE, limit=0.5)
    held = coded(block, np.array(SCALE))
    found = decided(held.ratings, held.raters, 0.5)
    assert found is not None
    assert found.deciding == whole.deciding
    assert found.deciding.name == ("kappa, quadratic" if raters == 2 else MEAN_KAPPA)
    assert found.is_enough == whole.is_enough


def test_without_a_pair_that_two_rated_nothing_is_decided() -> None:
    held = coded(block_of(given(1), Judgment, "judgments"), np.array(SCALE))
    assert decided(held.ratings, held.raters) is None


def test_many_queries_are_resampled_a_part_at_a_time_to_the_same_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    held = coded(block_of(given(3), Judgment, "judgments"), np.array(SCALE))
    whole = decided(held.ratings, held.raters)
    monkeypatch.setattr(coefficients, "AT_ONCE", 700)  # 23 of the 5,000 resamples at once, and a rest
    assert decided(held.ratings, held.raters) == whole
