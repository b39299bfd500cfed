"""A count against a limit: exact intervals, and what they say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.compare.rule import LEVEL, Check, Relation, Status
from assay.stats.clustered import clustered_share
from assay.stats.intervals import clopper_pearson

F64 = NDArray[np.float64]


def share_check(on: str, relation: Relation, limit: float, count: int, n: int, of: str) -> Check:
    """`count` of `n` against a limit: PASS when the 90 % interval lies inside, FAIL when it lies outside.

    A limit of 0 or 1 that the count meets exactly passes: no interval ever reaches it, and what is asked is then about
    these `n` alone.

    Args:
        on: what the share is.
        relation: "at most" or "at least".
        limit: from 0 to 1.
        count: how many.
        n: of how many.
        of: what these are.
    """
    if n == 0:
        because = f"{on} is not known: there are no {of}"
        return Check(on, relation, limit, None, None, None, "share", 0, "INCONCLUSIVE", because, of)
    return _decided(on, relation, limit, count, n, clopper_pearson(count, n, LEVEL), of, of)


def _decided(
    on: str, relation: Relation, limit: float, count: int, n: int, ends: tuple[float, float], said: str, of: str
) -> Check:
    share, (low, high) = count / n, ends
    is_upper = relation == "at most"
    status: Status = "INCONCLUSIVE"
    if (limit == 0 and is_upper) or (limit == 1 and not is_upper):
        status = "PASS" if share == limit else "FAIL"
    elif high <= limit if is_upper else low >= limit:
        status = "PASS"
    elif low > limit if is_upper else high < limit:
        status = "FAIL"
    words = {"PASS": "is", "FAIL": "is not", "INCONCLUSIVE": "may not be"}[status]
    because = f"{on} {words} {relation} {limit:g}: {count:,} of {n:,} {said}"
    return Check(on, relation, limit, share, low, high, "share", n, status, because, of)


def grouped_check(on: str, relation: Relation, limit: float, counts: F64, sizes: F64, of: str) -> Check:
    """As `share_check` for documents or labels, which come by query: those of one query are alike.

    The interval is over queries like these, so ten documents of one query are worth less than ten of ten queries.

    Args:
        on: what the share is.
        relation: "at most" or "at least".
        limit: from 0 to 1.
        counts: float64 of shape (queries,), how many of each query.
        sizes: float64 of shape (queries,), of how many.
        of: what these are.
    """
    plain = share_check(on, relation, limit, int(counts.sum()), int(sizes.sum()), of)
    found = clustered_share(counts, sizes, LEVEL)
    if found is None:
        return plain
    worth = f"{of} of {found.groups:,} {'query' if found.groups == 1 else 'queries'}"
    if round(found.effective_n) < found.n:
        worth += f", worth {found.effective_n:,.0f} independent ones"
    return _decided(on, relation, limit, int(counts.sum()), found.n, (found.low, found.high), worth, of)


def is_share(key: str, value: float) -> None:
    """Refuses what is no share."""
    if not 0 <= value <= 1:
        raise ValueError(f"{key} is a share from 0 to 1")
