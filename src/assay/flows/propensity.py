"""`assay propensity`: how likely each position is looked at, with a test whether that is the whole story."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, NotEnoughEvidence
from assay.files import name_of, replacing
from assay.flows.cells import cells_of, holds_cells
from assay.flows.click_lists import DEEPEST, earlier_and_later
from assay.flows.click_logs import LogChoices, Paths, notes_of, opened, read_of
from assay.results import Note, Source

if TYPE_CHECKING:
    from assay.clicks.cells import Cells
    from assay.clicks.lists import Lists
    from assay.clicks.misfit import Misfit
    from assay.clicks.position_bias import Curve, PositionBias
    from assay.clicks.propensity import Propensities
    from assay.logs.log import Log


def propensity(
    log: Paths,
    *,
    out: str | os.PathLike[str] | None = None,
    rivals: bool = True,
    choices: LogChoices | None = None,
    command: str = "",
    **options: Any,
) -> PositionBias:
    """Propensities by position, from documents that were shown at several positions.

    Args:
        log: files, a folder or a glob of what was shown and done; or files of cells.
        out: a CSV file for the propensities, to be given to what needs them.
        rivals: whether other models are held against this one on later lists.
        choices: how the log is read; `options` when None.
        command: how the result was asked for, kept in it.
        **options: see `LogChoices`.

    Returns:
        Propensities with intervals clustered by query, tests of the model, curves by segment, and other methods.

    Raises:
        InputError: the log or an option cannot be read.
        NotEnoughEvidence: no document ties any position to position 1.
    """
    from assay import __version__
    from assay.clicks.position_bias import ModelTest, PositionBias, examined, some
    from assay.clicks.propensity import propensity as estimate

    choices = LogChoices(**options) if choices is None else choices
    if out is not None and Path(out).suffix.lower() != ".csv":
        raise InputError("propensities are written as CSV", name_of(out), "give the file the ending .csv")
    given = _Given(log, choices, rivals)
    try:
        cells = given.cells.where(given.cells.position <= DEEPEST)
        found = estimate(cells)
        tested = given.misfit(cells, found)
        tests = tested.tests if tested else ()
        segments, homogeneity = _segments(cells)
        notes = [*(notes_of(given.read) if given.read else ()), *_cautions(cells, found)]
        result = PositionBias(
            positions=examined(cells, found), fits=tested.fits if tested else None,
            verdict=tested.verdict if tested else "too few clicks to test the position model",
            tests=tuple(ModelTest(one.name, some(one.p), one.says, one.flags) for one in tests),
            dispersion=some(tested.dispersion) if tested else None, queries=found.queries, pairs=_several(cells),
            method=f"two-way Poisson, Newton in {found.iterations} steps; errors clustered by query",
            segments=segments, homogeneity=homogeneity, checks=tuple(given.checks(cells)), searches=given.searches,
            log=given.read, notes=tuple(notes), source=Source(versions=(("assay", __version__),), command=command),
        )  # fmt: skip
    finally:
        given.close()
    if out is not None:
        _write(result, out)
    return result


class _Given:
    """A log, or cells of one."""

    def __init__(self, log: Paths, choices: LogChoices, rivals: bool) -> None:
        from assay.clicks.cells import Cells
        from assay.flows.cells import without_empty

        self.log: Log | None = None
        self.read = None
        self.searches = 0
        self.rivals = rivals
        if holds_cells(log):
            self.cells, _ = cells_of(log, choices)
            return
        self.log = opened(log, choices)
        try:
            frame = self.log.run("cells")
            if not frame.height:
                raise NotEnoughEvidence("nothing is left in the log to count")
            self.read = read_of(self.log, choices)
            self.cells = Cells.from_frame(without_empty(frame))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the engine."""
        if self.log is not None:
            self.log.engine.close()

    def misfit(self, cells: Cells, found: Propensities) -> Misfit | None:
        """The tests; None where there is too little to test."""
        from assay.clicks.misfit import misfit

        earlier, later = self._lists()
        try:
            return misfit(cells, found, earlier, later)
        except NotEnoughEvidence:
            return None

    def checks(self, cells: Cells) -> list[Curve]:
        """What other methods say of the same log."""
        from assay.clicks.harvest import adjacent_chain, all_pairs, pivot
        from assay.clicks.position_bias import Curve, some

        curves = []
        if (swaps := self._swapped()) is not None:
            curves.append(swaps)
        for name, method in (("pivot", pivot), ("adjacent chain", adjacent_chain), ("all pairs", all_pairs)):
            curves.append(Curve(name, tuple(map(some, method(cells).theta))))
        return curves

    def _swapped(self) -> Curve | None:
        import numpy as np

        from assay.clicks.cells import Cells
        from assay.clicks.harvest import from_swaps
        from assay.clicks.position_bias import Curve, some

        if self.log is None or not self.log.has("swap"):
            return None
        frame = self.log.run("swapped")
        kept = frame.filter((frame["swap"] == 0) | (frame["swap"] > 1)).filter(frame["position"] <= DEEPEST)
        if not (kept["swap"] > 0).any():
            return None
        parts = [Cells.from_frame(part.drop("swap")) for part in kept.partition_by("swap", maintain_order=True)]
        marks = [int(part["swap"][0]) for part in kept.partition_by("swap", maintain_order=True)]
        whole, swap = _stacked(parts, marks)
        found = from_swaps(whole, swap)
        reach = 1.96 * found.se
        lows, highs = (tuple(map(some, found.theta * np.exp(sign * reach))) for sign in (-1, 1))
        return Curve("swaps", tuple(map(some, found.theta)), lows, highs)

    def _lists(self) -> tuple[Lists | None, Lists | None]:
        if self.log is None or not self.rivals or not self.log.has("impression_id"):
            return None, None
        parts = earlier_and_later(self.log)
        if parts is None:
            return None, None
        self.searches = round(sum(float(part.count.sum()) for part in parts))
        return parts


def _stacked(parts: list[Cells], marks: list[int]) -> tuple[Cells, Any]:
    """Cells of several parts side by side, with the mark of each cell."""
    import numpy as np

    from assay.clicks.cells import Cells

    starts = np.cumsum([0, *(part.pairs for part in parts)])
    queries = np.cumsum([0, *(int(part.query.max()) + 1 if part.pairs else 0 for part in parts)])
    joined = Cells(
        np.concatenate([part.pair + start for part, start in zip(parts, starts, strict=False)]),
        np.concatenate([part.position for part in parts]), np.concatenate([part.impressions for part in parts]),
        np.concatenate([part.clicks for part in parts]),
        np.concatenate([part.query + start for part, start in zip(parts, queries, strict=False)]),
    )  # fmt: skip
    return joined, np.repeat(marks, [len(part.position) for part in parts])


def _segments(cells: Cells) -> tuple[tuple[Curve, ...], float | None]:
    from assay.clicks.by_segment import by_segment
    from assay.clicks.position_bias import curve, some

    if cells.segment is None or len(cells.segments) < 2:
        return (), None
    found = by_segment(cells)
    return tuple(curve(name, one) for name, one in zip(found.segments, found.each, strict=True)), some(found.p)


def _several(cells: Cells) -> int:
    """Pairs that were shown at several positions."""
    import numpy as np

    whole = cells.summed()
    return int((np.bincount(whole.pair, minlength=1) > 1).sum())


def _cautions(cells: Cells, found: Propensities) -> list[Note]:
    import numpy as np

    notes = []
    weak = found.weak()
    if len(weak):
        places = ", ".join(map(str, weak.tolist()))
        notes.append(Note("weak-ties", f"few clicks tie positions {places} to position 1", level="warning"))
    unknown = [at + 1 for at in np.flatnonzero(np.isnan(found.theta)).tolist()]
    if unknown:
        notes.append(Note("no-ties", f"positions {', '.join(map(str, unknown))} have no estimate", level="warning"))
    if cells.ranker is not None and len(cells.rankers) > 1:
        notes.append(Note("several-rankers", "several rankers logged: dividing clicks by these propensities alone is "
                          "biased for documents that only some of them show"))  # fmt: skip
    return notes


def _write(result: PositionBias, out: str | os.PathLike[str]) -> None:
    rows = ["position,propensity,low,high,se_log"]
    for one in result.positions:
        values: Mapping[str, float | None] = {"theta": one.theta, "low": one.low, "high": one.high, "se": one.se}
        rows.append(",".join([str(one.position), *("" if x is None else repr(x) for x in values.values())]))
    with replacing(out) as file:
        file.write(("\n".join(rows) + "\n").encode())
