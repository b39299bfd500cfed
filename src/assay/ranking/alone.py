"""The ranking of one query by itself, for whoever works out one value."""

from __future__ import annotations

import numpy as np

from assay.errors import InputError, did_you_mean
from assay.ranking.ranking import Judged, Ranking


def of_query(ranking: Ranking, query_id: str) -> Ranking:
    """The ranking of one query alone."""
    judged = ranking.judged
    if query_id not in judged.codes:
        raise InputError(
            f"no query {query_id} in the judgments{did_you_mean(query_id, judged.queries)}",
            remedy="name a judged query",
        )
    code = judged.codes[query_id]
    known = np.flatnonzero(judged.query == code)
    hits = np.flatnonzero(ranking.query == code)
    number = np.full(len(judged.grade), -1, np.int64)
    number[known] = np.arange(len(known))
    alone = Judged(
        queries=[query_id],
        query=np.zeros(len(known), np.int64),
        grade=judged.grade[known],
        docs=[judged.docs[int(i)] for i in known],
        rel=judged.rel,
        unlisted=judged.unlisted,
        notes=judged.notes,
        aspects=None if judged.aspects is None else judged.aspects.of_query(code).renumbered(number),
    )
    return Ranking(
        judged=alone,
        query=np.zeros(len(hits), np.int64),
        rank=ranking.rank[hits],
        grade=ranking.grade[hits],
        judgment=np.searchsorted(known, ranking.judgment[hits]),
        returned=ranking.returned[[code]],
        answered=ranking.answered[[code]],
        first=None if ranking.first is None else ranking.first[hits],
        last=None if ranking.last is None else ranking.last[hits],
    )
