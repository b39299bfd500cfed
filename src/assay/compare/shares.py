"""A count against a limit: exact intervals, and what they say."""

from __future__ import annotations

from assay.compare.rule import LEVEL, Check, Relation, Status
from assay.stats.intervals import clopper_pearson


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
    share = count / n
    low, high = clopper_pearson(count, n, LEVEL)
    is_upper = relation == "at most"
    status: Status = "INCONCLUSIVE"
    if (limit == 0 and is_upper) or (limit == 1 and not is_upper):
        status = "PASS" if share == limit else "FAIL"
    elif high <= limit if is_upper else low >= limit:
        status = "PASS"
    elif low > limit if is_upper else high < limit:
        status = "FAIL"
    words = {"PASS": "is", "FAIL": "is not", "INCONCLUSIVE": "may not be"}[status]
    because = f"{on} {words} {relation} {limit:g}: {count:,} of {n:,} {of}"
    return Check(on, relation, limit, share, low, high, "share", n, status, because, of)


def is_share(key: str, value: float) -> None:
    """Refuses what is no share."""
    if not 0 <= value <= 1:
        raise ValueError(f"{key} is a share from 0 to 1")
