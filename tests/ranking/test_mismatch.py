"""What is said of ids that have nothing in common."""

from __future__ import annotations

import pytest

from assay.ranking.mismatch import why_nothing_in_common


@pytest.mark.parametrize(
    ("run", "judged", "said"),
    [
        (["q01", "q02", "q03"], ["1", "2"], "a prefix or zeros"),
        (["AbC"], ["abc", "xyz"], "upper and lower case"),
        (["q01", "q12", "q30", "q44"], ["12-inch", "lamp", "tent"], "the same collection"),  # one by chance
        (["q01"], ["hiking boots", "lamp"], "--ids-from"),
        (["q01"], ["q77", "q78"], "the same collection"),
    ],
)
def test_the_likeliest_slip_is_said(run: list[str], judged: list[str], said: str) -> None:
    what, mend = why_nothing_in_common(run, judged)
    assert "have no query in common" in what
    assert said in mend
