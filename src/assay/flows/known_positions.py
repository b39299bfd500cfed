"""Propensities of positions that an estimate rests on: read from a file, or estimated from the log, and tested."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError, NotEnoughEvidence
from assay.files import spelled
from assay.flows.click_lists import DEEPEST, earlier_and_later
from assay.results import Note

if TYPE_CHECKING:
    from assay.clicks.by_segment import BySegment
    from assay.clicks.cells import Cells
    from assay.clicks.misfit import Misfit
    from assay.clicks.pairs import F64
    from assay.clicks.propensity import Propensities
    from assay.clicks.strata import Strata
    from assay.logs.log import Log

DIFFERS = 0.01
"""Below this p of one curve for all segments, each has its own."""

APART = 4.0
"""Standard errors by which propensities that were given may differ from those of the log."""


UNTESTED = Note("untested", "nothing in the log can test the propensities: no document moves between positions often "
                "enough", level="warning")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Positions:
    """Propensities with their errors, and whether the log bears them out.

    Args:
        theta: f64[K], NaN where not known; by place where segments differ, see `clicks.strata`.
        cov: f64[K, K] of log theta; None where only `se` is known, or nothing.
        se: f64[K] of log theta; None where not known.
        freedom: f64[K], degrees of freedom of the errors; None where not known.
        says: where they come from, in words.
        fits: whether the model fits the log; None where it could not be tested.
        misfit: what speaks against them; empty when nothing does.
        notes: what else there is to say.
        segments: where they differ, the propensities of each segment by its number, or why there are none.
        misfits: where they differ, what speaks against those of each segment.
    """

    theta: F64
    cov: F64 | None
    se: F64 | None
    freedom: F64 | None
    says: str
    fits: bool | None
    misfit: str
    notes: list[Note] = field(default_factory=list)
    segments: tuple[Propensities | str, ...] = ()
    misfits: tuple[str, ...] = ()

    def strata(self, cells: Cells) -> Strata:
        """Counts of which each part has one curve."""
        from assay.clicks.strata import as_they_are, by_strata

        return by_strata(cells, self.segments) if self.segments else as_they_are(cells)

    def adds(self, slope: F64) -> tuple[float, float]:
        """What errors of propensities add to a variance, and its degrees of freedom; see `clicks.spread`."""
        from assay.clicks.spread import slope_freedom, slope_variance

        return slope_variance(slope, self.cov, self.se), slope_freedom(slope, self.cov, self.freedom)


def positions_of(
    cells: Cells, log: Log | None, given: str | os.PathLike[str] | Mapping[int, float] | None
) -> Positions:  # fmt: skip
    """The propensities that were given, or those of the log.

    Args:
        cells: of the log.
        log: for whole lists, to which rival models are fitted; None where counts alone are known.
        given: a file, or position to propensity; estimated when None.

    Returns:
        One curve for all; of segments that differ one for each, unless propensities were given.

    Raises:
        InputError: the file cannot be read.
        NotEnoughEvidence: none were given, and the log ties no positions together.
    """
    near = cells.where(cells.position <= DEEPEST)
    own = _estimated(near)
    differ = _differ(near)
    if differ is not None and given is None:
        return _of_segments(near, differ)
    tested = _tested(near, own, log) if not isinstance(own, str) else None
    fits = tested.fits if tested else None
    misfit = "" if fits is not False or tested is None else tested.verdict
    notes = [] if fits is not None else [UNTESTED]
    if differ is not None:
        names = " and ".join(differ.segments)
        notes.append(Note("segments-differ", f"positions are looked at differently in {names}, and one curve stands "
                          "for all: a document that one of them shows more often than the rest is corrected too much "
                          "or too little", level="warning"))  # fmt: skip
    if given is None:
        if isinstance(own, str):
            raise NotEnoughEvidence(own + ", or pass --propensities FILE with those of another log")
        says = f"estimated from this log, {own.queries:,} queries; errors clustered by query"
        return Positions(own.theta, own.cov, None, own.df, says, fits, misfit, notes)
    theta, se = _read(given) if isinstance(given, str | os.PathLike) else (_laid(given), None)
    where = spelled(given) if isinstance(given, str | os.PathLike) else "given"
    if se is None:
        notes.append(Note("exact-propensities", "the propensities say no errors, and are taken as exact",
                          level="warning"))  # fmt: skip
    else:
        notes.append(Note("joint-errors", "the file does not say how errors of positions go together: they are taken "
                          "to be wrong all in one direction, the worst that can be"))  # fmt: skip
    differs = "" if isinstance(own, str) else _apart(theta, se, own)
    speaks = "; ".join(filter(None, (misfit, differs or _too_low(theta, cells))))
    return Positions(theta, None, se, None, f"from {where}", fits, speaks, notes)


def _differ(cells: Cells) -> BySegment | None:
    """Propensities by segment where one curve does not do for all."""
    from assay.clicks.by_segment import by_segment

    if cells.segment is None or len(cells.segments) < 2:
        return None
    try:
        found = by_segment(cells)
    except NotEnoughEvidence:
        return None
    return found if found.p < DIFFERS else None


def _of_segments(cells: Cells, found: BySegment) -> Positions:
    """Each segment by itself, tested by its own counts."""
    from assay.clicks.misfit import misfit
    from assay.clicks.strata import curves

    fits: bool | None = None
    against, notes = [""] * len(found.segments), []
    for at, (name, one) in enumerate(zip(found.segments, found.each, strict=True)):
        if isinstance(one, str):
            notes.append(Note("segment-left-out", f"{name} is left out: {one.splitlines()[0]}", level="warning"))
            continue
        try:
            tested = misfit(cells.of_segment(at), one)
        except NotEnoughEvidence:
            continue
        fits = tested.fits if fits is None else fits and tested.fits
        if not tested.fits:
            against[at] = tested.verdict
    if fits is None:
        notes.append(UNTESTED)
    said = "< 0.0001" if found.p < 0.0001 else f"{found.p:.4f}"
    says = (f"estimated from this log for each of {', '.join(found.segments)}, which differ (p {said}); "
            "errors clustered by query")  # fmt: skip
    laid = curves(found.each)
    misfit_ = "; ".join(f"in {name}, {said}" for name, said in zip(found.segments, against, strict=True) if said)
    return Positions(laid.theta, laid.cov, None, laid.df, says, fits, misfit_, notes, found.each, tuple(against))


def _estimated(cells: Cells) -> Propensities | str:
    """Those of the log, or why there are none."""
    from assay.clicks.propensity import propensity

    try:
        return propensity(cells)
    except NotEnoughEvidence as error:
        return str(error)


def _tested(cells: Cells, own: Propensities, log: Log | None) -> Misfit | None:
    from assay.clicks.misfit import misfit

    parts = earlier_and_later(log) if log is not None and log.has("impression_id") else None
    try:
        return misfit(cells, own, *(parts or (None, None)))
    except NotEnoughEvidence:
        return None


def _apart(theta: F64, se: F64 | None, own: Propensities) -> str:
    """Whether given propensities are others than those of the log, by more than both errors allow."""
    import numpy as np

    deep = min(len(theta), len(own.theta))
    off = np.log(theta[:deep]) - np.log(own.theta[:deep])
    error = np.sqrt(own.se[:deep] ** 2 + (0.0 if se is None else np.nan_to_num(se[:deep]) ** 2))
    far = np.flatnonzero(np.abs(off) > APART * np.where(error > 0, error, np.inf)) + 1
    if not len(far):
        return ""
    at = int(far[0])
    return (f"at position {at} the propensity is {theta[at - 1]:.3f}, while this log says {own.theta[at - 1]:.3f}: "
            "they are of another page or another time")  # fmt: skip


def _too_low(theta: F64, cells: Cells) -> str:
    """Whether more is clicked at a position than is looked at there, by more than chance."""
    import numpy as np

    from assay.clicks.pairs import total

    deep = int(cells.position.max(initial=0))
    shown, clicked = (total(cells.position, of, deep + 1)[1:] for of in (cells.impressions, cells.clicks))
    deep = min(len(theta), deep)
    rate = np.divide(clicked, shown, out=np.zeros(len(shown)), where=shown > 0)[:deep]
    error = np.sqrt(rate * (1 - rate) / np.maximum(shown[:deep], 1))
    far = np.flatnonzero(rate - np.nan_to_num(theta[:deep], nan=1.0) > APART * error) + 1
    if not len(far):
        return ""
    at = int(far[0])
    return (f"at position {at} the propensity is {theta[at - 1]:.2g}, while {rate[at - 1]:.2g} of what stands there is "
            "clicked: nobody clicks what nobody looks at")  # fmt: skip


def _laid(given: Mapping[int, float]) -> F64:
    import numpy as np

    wrong = [position for position in given if isinstance(position, bool) or int(position) != position or position < 1]
    if wrong or not given:
        raise InputError("positions are whole numbers from 1", "propensities", "pass {1: 1.0, 2: 0.5}")
    theta = np.full(max(given), np.nan)
    for position, chance in given.items():
        theta[position - 1] = chance
    return theta


def _read(path: str | os.PathLike[str]) -> tuple[F64, F64 | None]:
    """Propensities and errors of their logarithms from a CSV file."""
    import numpy as np

    name = spelled(path)
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            lines = csv.DictReader(file)
            columns = lines.fieldnames or ()
            rows = [(lines.line_num, row) for row in lines]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot be read as propensities", name, "pass what `assay propensity --out` wrote") from error
    if not {"position", "propensity"} <= set(columns):
        raise InputError(f"has the columns {', '.join(columns) or 'none'}, and not position and propensity",
                         f"{name}:1", "pass what `assay propensity --out` wrote")  # fmt: skip
    found: dict[int, tuple[float, float]] = {}
    for line, row in rows:
        where = f"{name}:{line}"
        try:
            position = int(row["position"])
            chance, error_ = (float(row.get(key) or "nan") for key in ("propensity", "se_log"))
        except (TypeError, ValueError):
            raise InputError("is no position with a propensity", where, "write such as 2,0.5") from None
        if position < 1 or position in found:
            raise InputError(f"position {position} is below 1, or stands twice", where, "leave one out")
        if not (math.isnan(chance) or (0 < chance < math.inf)):
            raise InputError(f"a propensity of {chance:g}", where, "write a number above 0, or leave it empty")
        found[position] = (chance, error_)
    if not found:
        raise InputError("holds no position", name, "pass what `assay propensity --out` wrote")
    theta, se = np.full(max(found), np.nan), np.full(max(found), np.nan)
    for position, (chance, error_) in found.items():
        theta[position - 1], se[position - 1] = chance, error_
    return theta, None if np.isnan(se).all() else se
