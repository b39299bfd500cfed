"""The blocks of one run put together again."""

from __future__ import annotations

import numpy as np

from assay.ranking.align import EXAMPLES, Aligned, Facts
from assay.ranking.ranking import I64, Judged, Ranking


class Collected:
    """Takes the blocks of a run one by one; of each it keeps the judged hits, and for all of them one sum a query.

    Args:
        judged: the judgments.
    """

    def __init__(self, judged: Judged) -> None:
        self.parts = 0
        self.is_compared = True
        """Whether the rank column was compared with the order in every block."""
        self.answered = np.zeros(judged.n, np.bool_)
        self._returned = np.zeros(judged.n, np.int64)
        self._first_tie = np.zeros(judged.n, np.int64)
        self._judged = judged
        self._hits: list[tuple[I64 | None, ...]] = []
        self._left_out: dict[str, int] = {}
        self._unknown: dict[str, None] = {}  # a query that nobody judged may stand in several blocks
        self._rows = self._n_unnamed = self._dropped = 0
        self._disagree: int | None = None
        self._only: Aligned | None = None

    def add(self, part: Aligned) -> None:
        """Takes a block whose queries are in no other block."""
        ranking, facts = part.ranking, part.facts
        self._only = part if self.parts == 0 else None
        self.parts += 1
        self.answered |= ranking.answered
        self._returned += ranking.returned
        self._first_tie += facts.first_tie
        self._hits.append((ranking.query, ranking.rank, ranking.judgment, ranking.first, ranking.last))
        for kind, rows in facts.left_out:
            self._left_out[kind] = self._left_out.get(kind, 0) + rows
        self._unknown.update(dict.fromkeys(facts.unknown))
        self._rows += facts.rows
        self._n_unnamed += facts.n_unknown - len(facts.unknown)
        self._dropped += facts.dropped
        self.is_compared &= facts.disagree is not None
        if facts.disagree is not None:
            self._disagree = (self._disagree or 0) + facts.disagree

    def all(self) -> Aligned:
        """The whole run."""
        if self._only is not None:
            return self._only
        query, rank, judgment, first, last = (_joined([hits[i] for hits in self._hits]) for i in range(5))
        assert query is not None, "there is at least one block"
        assert rank is not None
        assert judgment is not None
        if (query[1:] < query[:-1]).any():
            order = np.argsort(query, kind="stable")
            query, rank, judgment = query[order], rank[order], judgment[order]
            if first is not None and last is not None:
                first, last = first[order], last[order]
        ranking = Ranking(
            self._judged,
            query,
            rank,
            self._judged.grade[judgment],
            judgment,
            self._returned,
            self.answered,
            first,
            last,
        )
        facts = Facts(
            rows=self._rows,
            unknown=tuple(self._unknown)[:EXAMPLES],
            n_unknown=len(self._unknown) + self._n_unnamed,
            dropped=self._dropped,
            left_out=tuple(sorted(self._left_out.items())),
            first_tie=self._first_tie,
            disagree=self._disagree,
            scattered=False,
        )
        return Aligned(ranking, facts)


def _joined(columns: list[I64 | None]) -> I64 | None:
    given = [column for column in columns if column is not None]
    return np.concatenate(given) if len(given) == len(columns) else None
