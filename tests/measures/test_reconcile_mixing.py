"""Equal keys in the order in which numba's sort leaves them."""

from __future__ import annotations

import numpy as np
import pytest

from assay.measures.reconcile.mixing import SHORT, mixed, numba_order

# np.argsort compiled by numba 0.68.1, of these keys.
PRINTED = [
    (
        [2, 1, 2, 2, 1, 2, 2, 0, 0, 0, 0, 2, 2, 0, 1],
        [7, 8, 9, 10, 13, 1, 4, 14, 0, 2, 3, 5, 6, 11, 12],
    ),
    (
        [2, 0, 2, 0, 1, 2, 0, 1, 0, 2, 0, 2, 1, 1, 1, 1],
        [1, 3, 10, 6, 8, 14, 13, 12, 15, 4, 7, 9, 5, 11, 2, 0],
    ),
    (
        [2, 2, 3, 3, 3, 2, 2, 1, 3, 1, 0, 3, 0, 3, 2, 0, 0, 1, 0, 0,
         2, 3, 1, 3, 3, 3, 2, 1, 2, 1, 1, 1, 0, 3, 0, 0, 0, 3, 2, 3],
        [18, 16, 15, 12, 32, 10, 35, 36, 19, 34, 31, 7, 30, 9, 22, 29, 27, 17, 28, 38,
         26, 0, 20, 1, 14, 5, 6, 37, 2, 3, 4, 33, 8, 11, 13, 39, 25, 24, 23, 21],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "order"), PRINTED, ids=lambda one: str(len(one)))
def test_it_is_the_order_of_numba(keys: list[int], order: list[int]) -> None:
    assert numba_order([float(key) for key in keys]) == order


@pytest.mark.parametrize("n", [0, 1, SHORT - 1, SHORT, 500])
def test_it_sorts(n: int) -> None:
    keys = np.random.default_rng(n).integers(0, max(1, n // 3), n).astype(float).tolist()
    order = numba_order(keys)
    assert sorted(order) == list(range(n))
    assert [keys[at] for at in order] == sorted(keys)


def test_each_query_is_sorted_by_itself_and_short_lists_keep_the_order_of_the_input() -> None:
    keys, order = PRINTED[1]
    query = np.array([1, 0, 1, 0] + [2] * len(keys))
    key = np.array([5.0, 3.0, 5.0, 3.0, *keys])
    assert mixed(query, key).tolist() == [1, 3, 0, 2, *(4 + at for at in order)]


def test_turned_lists_are_sorted_the_other_way_and_read_backwards() -> None:
    keys, order = PRINTED[1]
    found = mixed(np.zeros(len(keys), np.int64), -np.array(keys, dtype=float), is_turned=True)
    assert found.tolist() == order[::-1]
    assert mixed(np.zeros(3, np.int64), np.array([1.0, 0.0, 1.0]), is_turned=True).tolist() == [1, 2, 0]


def test_long_lists_without_equal_keys_are_plainly_sorted() -> None:
    key = np.random.default_rng(3).permutation(50).astype(float)
    assert mixed(np.zeros(50, np.int64), key).tolist() == np.argsort(key).tolist()
