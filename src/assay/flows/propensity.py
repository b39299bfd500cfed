"""`assay propensity`: how likely each position is looked at, with a test whether that is the whole story."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, NotEnoughEvidence, did_you_mean
from assay.files import name_of
from assay.flows.click_lists import DEEPEST, earlier_and_later
from assay.flows.click_logs import LogChoices, Paths, notes_of
from assay.flows.counted import Counted
from assay.flows.known_positions import DIFFERS
from assay.flows.propensity_file import ALL, Rows, write
from assay.flows.segment_tests import pooled_notes, tested_segments, without_curve
from assay.results import Note, Source

if TYPE_CHECKING:
    import polars as pl

    from assay.clicks.by_segment import BySegment
    from assay.clicks.cells import Cells
    from assay.clicks.lists import Lists
    from assay.clicks.misfit import Misfit
    from assay.clicks.pairs import F64
    from assay.clicks.position_bias import Curve, ModelTest, PositionBias, TrustLine
    from assay.clicks.propensity import Propensities


METHODS = ("swaps", "pivot", "adjacent chain", "all pairs")
"""What stands beside the estimate unless something else is asked for."""

ALL_METHODS = (*METHODS, "em", "regression-em", "shuffled")


def propensity(
    log: Paths,
    *,
    out: str | os.PathLike[str] | None = None,
    rivals: bool = True,
    methods: str | Sequence[str] = METHODS,
    features: Any = None,
    trust: bool = False,
    choices: LogChoices | None = None,
    command: str = "",
    **options: Any,
) -> PositionBias:
    """Propensities by position, from documents that were shown at several positions.

    Args:
        log: files, a folder or a glob of what was shown and done; or files of cells.
        out: a CSV file for the propensities, to be given to what needs them.
        rivals: whether other models are held against this one on later lists.
        methods: other methods to set beside: swaps, pivot, adjacent chain, all pairs, em, regression-em (with features)
            and shuffled (where chance decided the place of every document).
        features: of regression-em: a file or a frame with query_id, doc_id and columns of numbers.
        trust: whether lines of trust are fitted, too: what stands high is clicked without merit.
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
    from assay.clicks.position_bias import PositionBias, examined
    from assay.clicks.propensity import propensity as estimate

    choices = LogChoices(**options) if choices is None else choices
    if out is not None and Path(out).suffix.lower() != ".csv":
        raise InputError("propensities are written as CSV", name_of(out), "give the file the ending .csv")
    names = methods_of(methods, features)
    given = _Given(log, choices, rivals)
    try:
        cells = given.cells.where(given.cells.position <= DEEPEST)
        found = estimate(cells)
        apart = _by_segment(cells)
        is_apart = apart is not None and apart.p < DIFFERS
        tested = given.by_segment(cells, apart) if apart is not None and is_apart else given.whole(cells, found, apart)
        segments, homogeneity = _segments(apart)
        notes = [*(notes_of(given.read) if given.read else ()), *_cautions(cells, found), *tested.notes]
        result = PositionBias(
            positions=examined(cells, found), fits=tested.fits, verdict=tested.verdict, tests=tested.tests,
            dispersion=tested.dispersion, queries=found.queries, pairs=_several(cells), is_apart=is_apart,
            method=f"two-way Poisson, Newton in {found.iterations} steps; errors clustered by query",
            segments=segments, homogeneity=homogeneity, checks=tuple(given.checks(cells, names, features)),
            lines=_lines(cells) if trust else (), searches=given.fitted, log=given.read, notes=tuple(notes),
            source=Source(versions=(("assay", __version__),), command=command),
        )  # fmt: skip
    finally:
        given.close()
    if out is not None:
        write(_rows(result, apart), out)
    return result


TOO_FEW = "too few clicks to test the position model"


@dataclass(frozen=True, slots=True)
class Tested:
    """What tests of the model say, see `PositionBias`."""

    fits: bool | None
    verdict: str
    tests: tuple[ModelTest, ...]
    dispersion: float | None
    notes: Sequence[Note]


def _tests(said: Misfit, segment: str = "") -> Iterator[ModelTest]:
    from assay.clicks.position_bias import ModelTest, some

    return (ModelTest(one.name, some(one.p), one.says, one.flags, segment) for one in said.tests)


class _Given(Counted):
    """A log, or cells of one, with what else a log can be asked."""

    def __init__(self, log: Paths, choices: LogChoices, rivals: bool) -> None:
        super().__init__(log, choices)
        self.rivals = rivals
        self.fitted = 0

    def whole(self, cells: Cells, found: Propensities, apart: BySegment | None) -> Tested:
        """One curve tested by all of the log."""
        from assay.clicks.misfit import misfit
        from assay.clicks.position_bias import some

        notes = pooled_notes(cells, apart, apart.each) if apart is not None else []
        earlier, later = self._lists()
        try:
            said = misfit(cells, found, earlier, later)
        except NotEnoughEvidence:
            return Tested(None, TOO_FEW, (), None, notes)
        return Tested(said.fits, said.verdict, tuple(_tests(said)), some(said.dispersion), notes)

    def by_segment(self, cells: Cells, apart: BySegment) -> Tested:
        """The curve of each segment tested by that segment alone."""
        from assay.clicks.position_bias import some

        found = tested_segments(cells, apart.each, self.log, self.rivals)
        self.fitted = found.searches
        each = {name: said for name, one, said in zip(apart.segments, apart.each, found.found, strict=True)
                if not isinstance(one, str)}  # fmt: skip
        untested = [name for name, said in each.items() if said is None]
        against = [f"in {name}, {said.verdict}" for name, said in each.items() if said is not None and not said.fits]
        verdict = "; ".join(against) or (f"{TOO_FEW} in {' and '.join(untested)}" if untested else
                                         "each segment fits a curve of its own")  # fmt: skip
        return Tested(
            False if against else None if untested else True, verdict,
            tuple(test for name, said in each.items() if said is not None for test in _tests(said, name)),
            max((some(said.dispersion) or 0.0 for said in each.values() if said is not None), default=None),
            [*without_curve(apart.segments, apart.each), *found.notes],
        )  # fmt: skip

    def checks(self, cells: Cells, names: Sequence[str], features: Any) -> Iterator[Curve]:
        """What other methods say of the same log."""
        from assay.clicks.harvest import adjacent_chain, all_pairs, from_em, from_shuffled, pivot
        from assay.clicks.position_bias import Curve, some

        ratios = {"pivot": pivot, "adjacent chain": adjacent_chain, "all pairs": all_pairs, "shuffled": from_shuffled}
        for name in names:
            if name == "swaps":
                if (swaps := self._swapped()) is not None:
                    yield swaps
            elif name in ratios:
                yield Curve(name, tuple(map(some, ratios[name](cells).theta)))
            else:
                theta = from_em(cells).theta if name == "em" else _regressed(cells, features)
                yield Curve(name, tuple(map(some, theta / theta[0])))

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
        self.fitted = round(sum(float(part.count.sum()) for part in parts))
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


def methods_of(methods: str | Sequence[str], features: Any) -> list[str]:
    """The names of the other methods, checked."""
    names = [part.strip() for part in methods.split(",") if part.strip()] if isinstance(methods, str) else list(methods)
    for name in names:
        if name not in ALL_METHODS:
            raise InputError(f"no method is called {name!r}{did_you_mean(name, ALL_METHODS)}", "--methods",
                             f"there are {', '.join(ALL_METHODS)}")  # fmt: skip
    if "regression-em" in names and features is None:
        raise InputError("regression-em needs features of documents", "--methods", "pass --features FILE")
    return names


def _regressed(cells: Cells, features: Any) -> F64:
    """Propensities by regression-EM, each pair's features by its names."""
    import numpy as np
    import polars as pl

    from assay.clicks.regression_em import regression_em

    table = features if isinstance(features, pl.DataFrame) else _read_features(features)
    numbers = [name for name, type_ in table.schema.items() if type_.is_numeric()]
    if not {"query_id", "doc_id"} <= set(table.columns) or not numbers:
        raise InputError("has no query_id, doc_id and column of numbers", name_of(features), "add them")
    pairs = pl.DataFrame({"query_id": [cells.query_ids[one] for one in cells.query.tolist()], "doc_id": cells.doc_ids})
    rows = pairs.join(
        table.unique(["query_id", "doc_id"]), on=["query_id", "doc_id"], how="left", maintain_order="left"
    )
    absent = rows[numbers[0]].null_count()
    if absent:
        raise InputError(f"lacks features of {absent:,} of {rows.height:,} pairs of the log", name_of(features),
                         "add a row for each pair")  # fmt: skip
    return regression_em(cells, rows.select(numbers).to_numpy().astype(np.float64)).theta


def _read_features(path: Any) -> pl.DataFrame:
    import polars as pl

    text = {"query_id": pl.String, "doc_id": pl.String}
    try:
        if Path(path).suffix.lower() == ".parquet":
            return pl.read_parquet(Path(path)).with_columns(pl.col("query_id", "doc_id").cast(pl.String))
        return pl.read_csv(Path(path), schema_overrides=text)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"cannot be read: {str(error).splitlines()[0]}", name_of(path),
                         "give it as .csv or .parquet with query_id and doc_id") from None  # fmt: skip


def _lines(cells: Cells) -> tuple[TrustLine, ...]:
    import numpy as np

    from assay.clicks.position_bias import TrustLine, some
    from assay.clicks.trust import affine

    found = affine(cells)
    reach = found.reach() * np.array([found.se_alpha, found.se_beta])
    reach[reach == 0] = np.nan  # position 1 is fixed
    (alpha, beta), (low, high) = (found.alpha, found.beta), ([found.alpha, found.beta] + s * reach for s in (-1, 1))
    rows = zip(alpha, beta, found.se_alpha, found.se_beta, low[0], high[0], low[1], high[1], found.reasons, strict=True)
    return tuple(
        TrustLine(
            at, some(a), some(b), some(se_a), some(se_b), some(a_low), some(a_high), some(b_low), some(b_high), why
        )
        for at, (a, b, se_a, se_b, a_low, a_high, b_low, b_high, why) in enumerate(rows, start=1)
    )


def _by_segment(cells: Cells) -> BySegment | None:
    from assay.clicks.by_segment import by_segment

    return None if cells.segment is None or len(cells.segments) < 2 else by_segment(cells)


def _segments(found: BySegment | None) -> tuple[tuple[Curve, ...], float | None]:
    from assay.clicks.position_bias import curve, some

    if found is None:
        return (), None
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


def _rows(result: PositionBias, apart: BySegment | None) -> Rows:
    """The curve for all; then that of each segment where they differ."""
    from assay.clicks.position_bias import some

    for one in result.positions:
        yield ALL, one.position, one.theta, one.low, one.high, one.se
    if apart is None or not apart.p < DIFFERS:
        return
    for name, found in zip(apart.segments, apart.each, strict=True):
        if isinstance(found, str):
            continue
        yield name, 1, some(found.theta[0]), None, None, None  # position 1 is fixed, and has no error
        for at, (theta, low, high, se) in enumerate(zip(found.theta, *found.interval(), found.se, strict=True)):
            if at:
                yield name, at + 1, some(theta), some(low), some(high), some(se)
