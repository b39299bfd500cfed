"""Propensities of positions that an estimate rests on: read from a file, or estimated from the log, and tested."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.errors import InputError, NotEnoughEvidence
from assay.files import spelled
from assay.flows.click_lists import DEEPEST, earlier_and_later
from assay.flows.propensity_file import ALL, Curve, read
from assay.flows.segment_tests import pooled_notes, tested_segments
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


def _untested(of: str = "") -> Note:
    return Note("untested", f"nothing in the log can test the propensities{of}: no document moves between positions "
                "often enough", level="warning")  # fmt: skip


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
        """Counts of which each part has one curve; without segments that it does not fit, where it fits others."""
        from assay.clicks.strata import as_they_are, by_strata

        against = self.misfits if self.is_partly_fit else ()
        return by_strata(cells, self.segments, against) if self.segments else as_they_are(cells)

    @property
    def is_partly_fit(self) -> bool:
        """Whether nothing speaks against the propensities of some segment."""
        return any(not isinstance(one, str) and not said
                   for one, said in zip(self.segments, self.misfits, strict=True))  # fmt: skip

    @property
    def against_all(self) -> str:
        """What speaks against the value of all: a segment that does not fit is left out where another one does."""
        return "" if self.is_partly_fit else self.misfit

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
        One curve for all; one for each segment where they differ, or where the file has such.

    Raises:
        InputError: the file cannot be read.
        NotEnoughEvidence: none were given, and the log ties no positions together.
    """
    near = cells.where(cells.position <= DEEPEST)
    own = _estimated(near)
    apart = _by_segment(near)
    differ = apart if apart is not None and apart.p < DIFFERS else None
    if differ is not None and given is None:
        said = "< 0.0001" if differ.p < 0.0001 else f"{differ.p:.4f}"
        return _of_segments(near, differ.each, differ.each, "estimated from this log",
                            f"; segments differ (p {said}); errors clustered by query", [], log)  # fmt: skip
    curves, where = _given(given)
    if set(curves) - {ALL} and near.segment is not None:
        return _of_file(near, curves, where, log)
    tested = _tested(near, own, log) if not isinstance(own, str) else None
    fits = tested.fits if tested else None
    misfit = "" if fits is not False or tested is None else tested.verdict
    notes = [] if fits is not None else [_untested()]
    if differ is not None or set(curves) - {ALL}:
        notes.append(_differently(differ.segments if differ is not None else sorted(set(curves) - {ALL})))
    else:
        notes += _pooled(near, apart)
    if given is None:
        if isinstance(own, str):
            raise NotEnoughEvidence(own + ", or pass --propensities FILE with those of another log")
        says = f"estimated from this log, {own.queries:,} queries; errors clustered by query"
        return Positions(own.theta, own.cov, None, own.df, says, fits, misfit, notes)
    if ALL not in curves:
        raise InputError("has propensities of segments, and the log names no segment", where,
                         "say which column it is: --columns segment=COLUMN")  # fmt: skip
    theta, se = curves[ALL].theta, curves[ALL].se
    notes.append(_on_errors(se))
    differs = "" if isinstance(own, str) else _apart(theta, se, own)
    speaks = "; ".join(filter(None, (misfit, differs or _too_low(theta, cells))))
    return Positions(theta, None, se, None, f"from {where}", fits, speaks, notes)


def _by_segment(cells: Cells) -> BySegment | None:
    """Propensities by segment, tested whether one curve would do for all; None where there is nothing to compare."""
    from assay.clicks.by_segment import by_segment

    if cells.segment is None or len(cells.segments) < 2:
        return None
    try:
        return by_segment(cells)
    except NotEnoughEvidence:
        return None


def _differently(names: Sequence[str]) -> Note:
    return Note("segments-differ", f"positions are looked at differently in {' and '.join(names)}, and one curve "
                "stands for all: a document that one of them shows more often than the rest is corrected too much or "
                "too little", level="warning")  # fmt: skip


def _pooled(cells: Cells, found: BySegment | None) -> list[Note]:
    """What could not be tested where one curve stands for all segments."""
    if found is not None:
        return pooled_notes(cells, found, found.each)
    return pooled_notes(cells, None, [_estimated(cells.of_segment(at)) for at in range(len(cells.segments))])


def _given(given: str | os.PathLike[str] | Mapping[int, float] | None) -> tuple[dict[str, Curve], str]:
    """Curves by segment, and where they come from."""
    if given is None:
        return {}, ""
    if isinstance(given, str | os.PathLike):
        return read(given), spelled(given)
    return {ALL: Curve(_laid(given), None)}, "given"


def _on_errors(se: F64 | None) -> Note:
    if se is None:
        return Note("exact-propensities", "the propensities say no errors, and are taken as exact", level="warning")
    return Note("joint-errors", "the file does not say how errors of positions go together: they are taken to be "
                "wrong all in one direction, the worst that can be")  # fmt: skip


def _of_file(cells: Cells, curves: Mapping[str, Curve], where: str, log: Log | None) -> Positions:
    """A curve from a file for each segment of the log."""
    from assay.clicks.by_segment import by_segment

    if not set(curves) & set(cells.segments):
        theirs, ours = (", ".join(sorted(map(repr, names))) for names in (set(curves) - {ALL}, cells.segments))
        raise InputError(f"has propensities of {theirs}, and the log has {ours}", where,
                         "name segments as the log does")  # fmt: skip
    each = tuple(curves[name].known() if name in curves else f"{where} has no propensities of it"
                 for name in cells.segments)  # fmt: skip
    try:
        own: tuple[Propensities | str, ...] = by_segment(cells).each
    except NotEnoughEvidence as error:
        own = (str(error),) * len(each)
    errors = [curves[name].se for name in cells.segments if name in curves]
    first = next((se for se in errors if se is None), errors[0])
    return _of_segments(cells, each, own, f"from {where}", "", [_on_errors(first)], log)


def _of_segments(
    cells: Cells, each: tuple[Propensities | str, ...], own: tuple[Propensities | str, ...], origin: str, more: str,
    notes: list[Note], log: Log | None,
) -> Positions:  # fmt: skip
    """Each segment by itself, tested by its own counts and lists.

    Args:
        cells: of the log.
        each: the propensities of each segment, or why there are none.
        own: those of the log itself.
        origin: where they come from.
        more: what is said of them behind the segments.
        notes: what else there is to say.
        log: for whole lists; None where counts alone are known.
    """
    import numpy as np

    from assay.clicks.strata import curves

    tests = tested_segments(cells, [one if isinstance(one, str) else mine
                                    for one, mine in zip(each, own, strict=True)], log, rivals=True)  # fmt: skip
    fits: dict[str, bool | None] = {}
    against = []
    for at, name in enumerate(cells.segments):
        one, mine = each[at], own[at]
        if isinstance(one, str):
            notes.append(Note("segment-left-out", f"{name} is left out: {one.splitlines()[0]}", level="warning"))
            against.append("")
            continue
        tested = tests.found[at]
        fits[name] = tested.fits if tested else None
        speaks = [tested.verdict] if tested and not tested.fits else []
        if one is not mine:
            speaks.append(_apart(one.theta, one.se, mine) if not isinstance(mine, str) else "")
            speaks.append(_too_low(one.theta, cells.of_segment(at)))
        against.append("; ".join(dict.fromkeys(filter(None, speaks))))
    untested = [name for name, one in fits.items() if one is None]
    if untested:
        notes.append(_untested(f" of {' and '.join(untested)}" if len(untested) < len(fits) else ""))
    notes += tests.notes
    all_fit = _all_fit(fits, dict(zip(cells.segments, against, strict=True)))
    laid = curves(each)
    se = None if all(one is mine for one, mine in zip(each, own, strict=True)) else np.sqrt(np.diag(laid.cov))
    misfit = "; ".join(f"in {name}, {said}" for name, said in zip(cells.segments, against, strict=True) if said)
    cov = laid.cov if se is None else None
    says = f"{origin} for {_weighed(cells.segments, each, against)}{more}"
    return Positions(laid.theta, cov, _unless_exact(se), laid.df, says, all_fit, misfit, notes,
                     each, tuple(against))  # fmt: skip


def _weighed(names: Sequence[str], each: Sequence[Propensities | str], against: Sequence[str]) -> str:
    """Which segments are weighed by curves of their own, and why the others are not."""
    weighed, others = [], []
    for name, one, said in zip(names, each, against, strict=True):
        if isinstance(one, str):
            others.append(f"{name} has no curve")
        elif said:
            others.append(f"{name} does not fit")
        else:
            weighed.append(name)
    mine = f"each of {', '.join(weighed)}" if len(weighed) > 1 else weighed[0] if weighed else "no segment"
    return "; ".join([mine, *others])


def _all_fit(fits: Mapping[str, bool | None], against: Mapping[str, str]) -> bool | None:
    """Whether the model fits the segments that are weighed; None where some of them could not be tested."""
    weighed = [one for name, one in fits.items() if not against[name]] or list(fits.values())
    if False in weighed:
        return False
    return None if None in weighed or not weighed else True


def _unless_exact(se: F64 | None) -> F64 | None:
    return se if se is not None and (se > 0).any() else None


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
