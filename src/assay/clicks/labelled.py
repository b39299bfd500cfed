"""Labels made of clicks, in a form that is kept and shown: their number, cuts, agreement with people, and the trap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.clicks.behaviour import LeftOut, LogRead
from assay.clicks.grading import Agreed, Cuts
from assay.clicks.promises import Promise
from assay.clicks.trap import Turned
from assay.results import Result, kept

if TYPE_CHECKING:
    import polars as pl


@kept("document in the click trap")
@dataclass(frozen=True, slots=True)
class Trapped:
    """A document of one query, by raw clicks, by attraction and by people.

    Args:
        doc_id: which.
        title: of it; empty where not known.
        position: mean, by impressions.
        rate: raw clicks by impressions.
        attraction, se, low, high: the chance of a click when seen; `high` is None where anything is possible.
        raw_rank, rank: by rate and by attraction, from 1, among the documents of the query.
        clicks_say: the grade of clicks; None where it stays unjudged.
        people_say: the human grade; None where there is none.
    """

    doc_id: str
    title: str
    position: float
    rate: float
    attraction: float
    se: float
    low: float
    high: float | None
    raw_rank: int
    rank: int
    clicks_say: float | None
    people_say: float | None


@kept("query in the click trap")
@dataclass(frozen=True, slots=True)
class TrapQuery:
    """One query with its documents, the most attractive first.

    Args:
        query_id: which.
        text: what was asked; empty where not known.
        clear: pairs of its documents that raw rates order clearly.
        back: of these, those that turn round.
        documents: how many it has.
        rows: the first of them.
    """

    query_id: str
    text: str
    clear: int
    back: int
    documents: int
    rows: tuple[Trapped, ...]


@kept("labels from clicks")
@dataclass(frozen=True, kw_only=True)
class ClickLabels(Result):
    """Labels made of clicks; the tables are `qrels` and `pairs`.

    Args:
        file: where the labels are; empty where nowhere.
        pairs_file: where all pairs are; empty likewise.
        pairs: pairs of query and document that the log showed.
        grades: (grade, labels), ascending.
        left_out: pairs without a label, and why.
        cuts: attractions at which grades change.
        calibration: tells these cuts from others: how they were made, and a hash.
        judged: human judgments of pairs with a known attraction.
        agreed: how the grades agree with people; None without judgments, or where no pair has both.
        positions: where the propensities come from, in words.
        misfit: what speaks against the position model; empty where nothing does.
        despite: why labels were made all the same; empty where there is no need.
        turned: what position does to the order of raw rates.
        queries: some queries side by side.
        satisfied_by: what counts as satisfied; empty where the log does not say.
        satisfaction: share of all visits that satisfied; None likewise.
        promised: pairs that attract clearly more than the mean and satisfy clearly less.
        promises: the first of them.
        log: how it was read; None where cells were given.
        project: of the store that holds the labels; empty where none does.
    """

    file: str
    pairs_file: str
    pairs: int
    grades: tuple[tuple[float, int], ...]
    left_out: tuple[LeftOut, ...]
    cuts: Cuts
    calibration: str
    judged: int
    agreed: Agreed | None
    positions: str
    misfit: str
    despite: str
    turned: Turned
    queries: tuple[TrapQuery, ...]
    satisfied_by: str
    satisfaction: float | None
    promised: int
    promises: tuple[Promise, ...]
    log: LogRead | None
    project: str = ""
    _pairs: Any = field(default=None, repr=False, compare=False)

    @property
    def labels(self) -> int:
        """How many there are."""
        return sum(n for _, n in self.grades)

    @property
    def table(self) -> pl.DataFrame:
        """Every pair, with a grade where it has one. Not there in a result that was kept and opened again."""
        return self._pairs  # type: ignore[no-any-return] # the flow gives a frame

    @property
    def qrels(self) -> pl.DataFrame:
        """The labels: the pairs that have a grade. Not there in a result that was kept and opened again."""
        return self.table.filter(self.table["grade"].is_not_null())
