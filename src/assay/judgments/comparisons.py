"""Which documents of a pool are compared two by two, when not every two of them can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.keys import coin


def comparisons(
    pools: Mapping[str, Sequence[str]], most: int | None = None, key: bytes = b""
) -> list[tuple[str, str, str]]:
    """Pairs of documents of one query.

    The documents of a query stand in a circle, in an order that the key alone decides. Everybody is first compared with
    the next one, so that every two documents are joined by a chain of comparisons; then with the next but one, and so
    on, in every query alike, until all pairs are there or the budget is spent. The numbers of comparisons of two
    documents of a query then differ by two at most.

    Args:
        pools: the documents of each query, each once.
        most: how many pairs in all; every pair when None.
        key: of the order.

    Returns:
        (query, document, other document), by query in the order of the pools.
    """
    circles = {query: sorted(docs, key=lambda doc: coin(key, "circle", query, doc)) for query, docs in pools.items()}
    left = sum(len(docs) * (len(docs) - 1) // 2 for docs in circles.values())
    left = left if most is None else min(left, most)
    found: dict[str, list[tuple[str, str, str]]] = {query: [] for query in circles}
    step = 1
    while left > 0:
        for query, docs in circles.items():
            n = len(docs)
            if 2 * step > n:
                continue
            new = n // 2 if 2 * step == n else n if n > 1 else 0
            new = min(new, left)
            found[query] += [(query, docs[i], docs[(i + step) % n]) for i in range(new)]
            left -= new
        step += 1
    return [pair for pairs in found.values() for pair in pairs]
