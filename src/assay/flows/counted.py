"""A log, or counts of one, for what is estimated from counts: sums by person where the log names people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.flows.cells import cells_of, holds_cells, without_empty
from assay.flows.click_logs import LogChoices, Paths, nothing_left, opened, read_of

if TYPE_CHECKING:
    from assay.clicks.aim import Aim, Seen
    from assay.clicks.behaviour import LogRead
    from assay.clicks.cells import Cells
    from assay.clicks.counterfactual import Weights
    from assay.clicks.strata import Strata
    from assay.logs.log import Log
    from assay.stats.moments import Moments


class Counted:
    """A log with its cells, or cells alone.

    Args:
        log: files, a folder or a glob; or files of cells.
        choices: how the log is read.

    Raises:
        InputError: neither can be read.
        NotEnoughEvidence: there is nothing to count.
    """

    def __init__(self, log: Paths, choices: LogChoices) -> None:
        from assay.clicks.cells import Cells

        self.log: Log | None = None
        self.read: LogRead | None = None
        self.cells: Cells
        if holds_cells(log):
            self.cells, _ = cells_of(log, choices)
            return
        self.log = opened(log, choices)
        try:
            frame = self.log.run("cells")
            if not frame.height:
                raise nothing_left(self.log)
            self.read = read_of(self.log, choices)
            self.cells = Cells.from_frame(without_empty(frame))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the engine."""
        if self.log is not None:
            self.log.engine.close()

    def known_as(self, query: str) -> str:
        """The name by which a query goes in the cells: another one where it holds personal data."""
        return query if self.log is None else self.log.known_as(query)

    def searches(self, is_apart: bool) -> dict[tuple[str, str | None], float] | None:
        """Searches of each query, by segment if apart (else that is None); None where no column names searches."""
        if self.log is None or not self.log.has("impression_id"):
            return None
        frame = self.log.run("segment_searches" if is_apart else "query_searches")
        segments = frame["segment"].to_list() if is_apart else [None] * len(frame)
        return {(query, segment): float(n)
                for query, segment, n in zip(frame["query_id"], segments, frame["searches"], strict=True)}  # fmt: skip

    def by_person(
        self, weights: Weights, found: Seen, aimed: Aim, is_by_position: bool, strata: Strata
    ) -> tuple[Moments, Moments, Moments] | None:  # fmt: skip
        """Sums by person of the estimate by search, of the estimate by mass, and of the mean weight."""
        import polars as pl

        from assay.clicks.pairs import total
        from assay.stats.moments import Moments

        if self.log is None or not self.log.has("impression_id"):
            return None
        cells = found.cells
        ids = pl.Series(strata.query_ids, dtype=pl.String)
        segments = pl.Series([strata.segment_of(at) for at in range(len(ids))], dtype=pl.String)
        kept = (weights.click != 0) | (weights.shown != 0)
        discount = aimed.discount[cells.pair]
        mass = discount if is_by_position else discount * found.at_cells() / found.exposure[cells.pair]
        self.log.lay("click_weights", {
            "query_id": "VARCHAR", "doc_id": "VARCHAR", "position": "BIGINT", "segment": "VARCHAR",
            "of_click": "DOUBLE", "of_showing": "DOUBLE", "mass": "DOUBLE",
        }, pl.DataFrame({
            "query_id": ids.gather(found.query[cells.pair]),
            "doc_id": pl.Series(cells.doc_ids, dtype=pl.String).gather(cells.pair),
            "position": strata.positions(cells.position), "segment": segments.gather(found.query[cells.pair]),
            "of_click": weights.click, "of_showing": weights.shown, "mass": mass,
        }).filter(kept))  # fmt: skip
        supported = total(found.query, aimed.discount * found.is_supported, len(aimed.searches))
        self.log.lay(
            "search_weights",
            {"query_id": "VARCHAR", "segment": "VARCHAR", "of_search": "DOUBLE", "mass": "DOUBLE"},
            pl.DataFrame({"query_id": ids, "segment": segments, "of_search": weights.search,
                          "mass": supported}).filter(aimed.searches > 0),
        )  # fmt: skip
        row = self.log.run("weighed_moments").row(0, named=True)
        n = row["units"]
        return (
            Moments(n, row["searches"], row["adds"], row["searches_searches"], row["adds_adds"], row["adds_searches"]),
            Moments(n, row["mass"], row["adds"], row["mass_mass"], row["adds_adds"], row["adds_mass"]),
            Moments(n, row["expected"], row["mass"], row["expected_expected"], row["mass_mass"], row["mass_expected"]),
        )  # fmt: skip
