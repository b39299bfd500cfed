"""The click trap of a log: queries whose documents stand side by side by raw clicks, by attraction and by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.tables import Document, Topic

if TYPE_CHECKING:
    from assay.clicks.attraction import Attractions
    from assay.clicks.cells import Cells
    from assay.clicks.labelled import TrapQuery
    from assay.clicks.pairs import F64, I64
    from assay.clicks.trap import Compared, Turned
    from assay.flows.human_grades import Human
    from assay.flows.workbench import Workbench

ROWS = 12
"""Documents of a query that are shown."""


@dataclass(frozen=True)
class Documents:
    """What queries ask and documents are called, where that is known."""

    texts: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, bench: Workbench, topics: Any, documents: Any) -> Documents:
        """From tables of topics and documents; none when None."""
        asked = {} if topics is None else _column(bench.table(topics, Topic), "query_id", "text")
        return cls(asked, {} if documents is None else _column(bench.table(documents, Document), "doc_id", "title"))


def _column(table: Any, key: str, value: str) -> dict[str, str]:
    frame = table.polars()
    if value not in frame.columns:
        return {}
    return dict(zip(frame[key], frame[value].fill_null(""), strict=True))


def trap_queries(
    cells: Cells, found: Attractions, grade: F64, human: Human | None, names: Documents, asked: Sequence[int]
) -> tuple[Turned, tuple[TrapQuery, ...]]:
    """What position does to the order of raw rates over all queries, and some queries side by side.

    Args:
        cells: of the log.
        found: attraction of each pair.
        grade: f64[n_pairs], of clicks, NaN for none.
        human: grades of people; None without.
        names: of queries and documents.
        asked: the queries to be shown; when empty the one of which most pairs turn round.
    """
    from assay.clicks.pairs import total
    from assay.clicks.trap import compared, turned

    shown = total(cells.pair, cells.impressions, cells.pairs)
    sums = compared(found, shown, cells.query, None if human is None else human.mean)
    chosen = list(asked) or _most(sums.back, sums.clear)
    queries = tuple(_query(cells, found, grade, human, names, one, sums) for one in chosen)
    return turned(sums), queries


def _most(back: F64, clear: F64) -> list[int]:
    """The query of which most pairs turn round; of equals the one that raw rates order most clearly."""
    import numpy as np

    return [int(np.lexsort((-clear, -back))[0])] if len(back) and clear.any() else []


def _query(
    cells: Cells, found: Attractions, grade: F64, human: Human | None, names: Documents, query: int, sums: Compared
) -> TrapQuery:  # fmt: skip
    import numpy as np

    from assay.clicks.labelled import Trapped, TrapQuery

    here = np.flatnonzero((cells.query == query) & ~np.isnan(found.value))
    raw, corrected = _ranks(found.rate[here]), _ranks(found.value[here])
    rows = []
    for at in np.argsort(corrected)[:ROWS].tolist():
        pair = int(here[at])
        high = float(found.high[pair])
        rows.append(Trapped(
            cells.doc_ids[pair], names.titles.get(cells.doc_ids[pair], ""), float(found.mean_position[pair]),
            float(found.rate[pair]), float(found.value[pair]), float(found.se[pair]), float(found.low[pair]),
            high, int(raw[at]), int(corrected[at]), _some(grade[pair]),
            None if human is None else _some(human.mean[pair]),
        ))  # fmt: skip
    name = cells.query_ids[query]
    text = names.texts.get(name, "")
    return TrapQuery(name, text, int(sums.clear[query]), int(sums.back[query]), len(here), tuple(rows))


def _ranks(values: F64) -> I64:
    """From 1, the largest first; equals in their order."""
    import numpy as np

    ranks = np.empty(len(values), np.int64)
    ranks[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return ranks


def _some(x: float) -> float | None:
    return None if x != x else float(x)  # NaN is not itself
