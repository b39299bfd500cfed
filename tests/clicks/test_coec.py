from __future__ import annotations

import numpy as np
import pytest

from assay.clicks.coec import F64, coec


def of(*cells: tuple[int, int, float, float]) -> F64:
    """Cells of (document, position, impressions, clicks)."""
    document, position, impressions, clicks = (np.array(column) for column in zip(*cells, strict=True))
    return coec(document, position, impressions.astype(float), clicks.astype(float))


def test_every_impression_is_charged_where_it_was_shown() -> None:
    # position 1: 40 of 100, position 2: 10 of 100; document 0 was shown 10 times at 1 and 90 at 2, clicked 31 times
    found = of((0, 1, 10, 10), (1, 1, 90, 30), (0, 2, 90, 10), (1, 2, 10, 0))
    # rates: (10 + 30) / 100 = 0.4 and (10 + 0) / 100 = 0.1; expected of document 0: 10 x 0.4 + 90 x 0.1 = 13
    assert found[0] == pytest.approx(20 / 13)


def test_who_is_clicked_as_its_positions_are_is_one() -> None:
    assert of((0, 1, 100, 40), (0, 2, 100, 10)) == pytest.approx([1.0])
    assert of((0, 1, 50, 20), (1, 1, 50, 20), (0, 3, 10, 1), (1, 3, 10, 1)) == pytest.approx([1.0, 1.0])


def test_where_nobody_clicked_nothing_is_known() -> None:
    found = of((0, 1, 10, 5), (1, 7, 10, 0), (3, 1, 10, 5))
    assert found[0] == pytest.approx(1.0)
    assert np.isnan(found[1])  # shown only where nobody clicks
    assert np.isnan(found[2])  # never shown


def test_counts_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="positions count from 1"):
        of((0, 0, 1, 1))
    with pytest.raises(ValueError, match="more clicks than impressions"):
        of((0, 1, 1, 2))
    assert len(coec(*(np.zeros(0, dtype=np.int64),) * 2, *(np.zeros(0),) * 2)) == 0
