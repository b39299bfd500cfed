"""What a comparison of many pairs says first: counts by hand, and not a line for each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.compare.asked import Asked
from assay.compare.comparison import Comparison
from assay.compare.many_lines import TOLD
from assay.flows.compare import compared
from assay.measures.measure import Measure
from assay.measures.scores import Coverage, Part, Scores

NDCG = Measure("nDCG") @ 10
SHIFTS = (0.0, 0.0, 0.0, 0.2, 0.2)
"""Five systems: two are far better than the other three, and alike among themselves."""


def scores_of(shifts: tuple[float, ...], judged: tuple[float, ...] | None = None) -> Scores:
    rng = np.random.default_rng(0)
    hard = rng.random(40)
    values = np.array([[hard + shift + rng.normal(0, 0.02, 40)] for shift in shifts])
    values[:3] -= (values[:3] - hard).mean(axis=2, keepdims=True)
    shares = np.full(values.shape, np.nan) if judged is None else np.array(judged)[:, None, None] * np.ones((1, 1, 40))
    return Scores(
        runs=tuple("abcdefghij"[: len(shifts)]),
        measures=(NDCG,),
        queries=tuple(f"q{i:02d}" for i in range(40)),
        values=values,
        judged=shares,
        coverage=(Coverage(40, 40),) * len(shifts),
    )


def made(scores: Scores, all_pairs: bool = True) -> Comparison:
    return compared(scores, "a", all_pairs, Asked(flips=2000))


def test_of_ten_pairs_six_differ_and_two_systems_lead() -> None:
    found = made(scores_of(SHIFTS))
    assert len(found.differences) == 10 > TOLD
    (says,) = found.says[:-1]  # the last one is about stages
    assert says.code == "pairs"
    assert says.text == "nDCG@10: 6 of 10 pairs differ after correction"
    assert says.detail == "d, e are each better than 3 of the 4 others"


def test_one_leader_is_named_alone_and_none_not_at_all() -> None:
    one = made(scores_of((0.0, 0.0, 0.0, 0.0, 0.3))).says[0]
    assert one.text == "nDCG@10: 4 of 10 pairs differ after correction"
    assert one.detail == "e is better than 4 of the 4 others"
    scores = scores_of(SHIFTS)
    same = replace(scores, values=np.repeat(scores.values[:1], 5, axis=0), _cache={})
    none = made(same).says[0]
    assert (none.text, none.detail) == ("nDCG@10: 0 of 10 pairs differ", "")


def test_a_measure_that_is_better_when_low_has_the_other_leaders() -> None:
    low = replace(scores_of(SHIFTS), measures=(Measure("Unjudged") @ 10,))
    says = made(low).says[0]
    assert says.text == "Unjudged@10: 6 of 10 pairs differ after correction"
    assert says.detail == "a, b, c are each better than 2 of the 4 others"


def test_many_candidates_are_counted_against_the_baseline() -> None:
    shifts = (0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.4, -0.2)
    says = made(scores_of(shifts), all_pairs=False).says[0]
    assert says.code == "candidates"
    assert says.text == (
        "nDCG@10: 4 are better than a after correction, 1 is worse, and of 2 of the 7 candidates it cannot be told"
    )
    assert [name.split()[0] for name in says.detail.removeprefix("most: ").split(", ")] == ["g", "f", "e"]


def test_six_pairs_are_told_one_by_one() -> None:
    found = made(scores_of((0.0, 0.0, 0.0, 0.2)))
    assert [says.code for says in found.says[:-1]] == ["cannot-tell"] * 2 + ["better"] + [
        "cannot-tell",
        "better",
        "better",
    ]


def test_uneven_judgments_are_counted_and_three_are_named() -> None:
    found = made(scores_of(SHIFTS, judged=(1.0, 1.0, 1.0, 1.0, 0.5)))
    (says,) = (says for says in found.says if says.code == "one-sided-pool")
    assert says.text.startswith("the judgments favour one side in 4 of 10 differences")
    assert says.detail == "e against a, e against b, e against c and 1 more"


@pytest.mark.parametrize("heavy", [True, False])
def test_pairs_that_weights_turn_round_are_counted_before_the_answer(heavy: bool) -> None:
    scores = scores_of(SHIFTS)
    values = scores.values.copy()
    values[4, 0, 0] -= 20 * 0.2  # one query on which the last system fails: half of its gain over the others is left
    weights = np.r_[1000.0 if heavy else 1.0, np.ones(39)]
    found = made(replace(scores, values=values, weights=weights, _cache={}))
    turned = [says for says in found.says if says.code == "weights-disagree"]
    assert bool(turned) == heavy
    if heavy:
        assert found.says[0] == turned[0]
        assert turned[0].text == "3 of 10 differences turn round where queries are weighted"
        assert turned[0].detail == "e against a, e against b, e against c"


def test_hidden_losses_of_many_pairs_are_counted() -> None:
    """The last system gains on thirty queries what it loses on ten others."""
    scores = scores_of((0.0, 0.0, 0.0, 0.0, 0.0))
    values = scores.values.copy()
    values[4, 0, :30] += 0.3
    values[4, 0, 30:] -= 0.3
    scores = replace(scores, values=values, _cache={})
    wide = replace(
        scores, queries=tuple(f"q{i:03d}" for i in range(120)), values=np.tile(values, 3),
        judged=np.tile(scores.judged, 3), coverage=(Coverage(120, 120),) * 5, _cache={},
    )  # fmt: skip
    tail = [q for i, q in enumerate(wide.queries) if i % 40 >= 30]
    head = [q for q in wide.queries if q not in set(tail)]
    parts = (Part("segment", "head", wide.only(head)), Part("segment", "tail", wide.only(tail)))
    found = made(replace(wide, parts=parts, _cache={}))
    assert found.says[0].code == "hides-a-loss"
    assert found.says[0].text == "the total hides a loss of a segment in 4 of 10 differences"
