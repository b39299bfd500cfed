"""`assay qrels from-clicks`: labels from clicks with position taken out, or why the log cannot give them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, NotEnoughEvidence, did_you_mean
from assay.files import name_of, replacing, spelled
from assay.flows.click_logs import LogChoices, Paths, notes_of
from assay.flows.click_project import check_project, keep_labels
from assay.flows.counted import Counted
from assay.flows.human_grades import Human, human_grades
from assay.flows.known_positions import Positions, positions_of
from assay.flows.trap_queries import Documents, trap_queries
from assay.flows.workbench import Workbench
from assay.results import Note, Source
from assay.tables import Judgment

if TYPE_CHECKING:
    import polars as pl

    from assay.clicks.attraction import Attractions
    from assay.clicks.cells import Cells
    from assay.clicks.grading import Agreed, Cuts
    from assay.clicks.labelled import ClickLabels, TrapQuery
    from assay.clicks.pairs import F64, I64
    from assay.clicks.promises import Promise, Satisfactions
    from assay.clicks.trap import Turned

ENDINGS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
"""What labels are written as: formats that hold where each comes from."""

SHOWN = 20
"""Promises that a page lists."""


def qrels_from_clicks(
    log: Paths,
    *,
    out: str | os.PathLike[str] | None = None,
    pairs: str | os.PathLike[str] | None = None,
    qrels: Any = None,
    cuts: Sequence[float] | None = None,
    propensities: str | os.PathLike[str] | Mapping[int, float] | None = None,
    despite_misfit: str = "",
    queries: Sequence[str] = (),
    topics: Any = None,
    documents: Any = None,
    project: str | None = None,
    choices: LogChoices | None = None,
    bench: Workbench | None = None,
    command: str = "",
    **options: Any,
) -> ClickLabels:
    """Labels from clicks: attraction by pair with position taken out, as grades where the log tells enough.

    Args:
        log: files, a folder or a glob of what was shown and done; or files of cells.
        out: where the labels are written, as .csv, .tsv, .jsonl or .parquet; nowhere when None.
        pairs: where all pairs are written, also those without a grade; nowhere when None.
        qrels: human judgments, on which grades are calibrated; with `cuts` they only say how well these agree.
        cuts: attractions from which grades 1, 2, ... are given.
        propensities: a file that `propensity` wrote, or position to propensity; estimated from the log when None.
        despite_misfit: why labels shall be made although the position model does not fit; kept in each row.
        queries: ids of queries whose documents are shown side by side; the one with most that turns round when empty.
        topics: what is asked, by query id.
        documents: titles, by document id.
        project: a name, under which the labels are kept in the store of the workspace as a closed project of their own.
        choices: how the log is read; `options` when None.
        bench: where judgments are found.
        command: how the result was asked for, kept in it.
        **options: see `LogChoices`.

    Returns:
        Labels with where they come from; its `qrels` and `table` are frames.

    Raises:
        InputError: an input or an option cannot be read.
        NotEnoughEvidence: the position model does not fit, there are no propensities, or too little to calibrate on.
    """
    choices = LogChoices(**options) if choices is None else choices
    bench = Workbench.open() if bench is None else bench
    if project is not None:
        check_project(bench, project)
    made = _cuts(cuts, qrels)
    kinds = [_kind(target) for target in (out, pairs)]
    table = None if qrels is None else bench.table(qrels, Judgment)
    names = Documents.read(bench, topics, documents)
    given = Counted(log, choices)
    try:
        positions = positions_of(given.cells, given.log, propensities)
        if positions.misfit and not despite_misfit.strip():
            raise NotEnoughEvidence(
                f"no labels: {positions.misfit}\n    mend: look at `assay propensity`, or give "
                "the reason why labels shall be made all the same: --despite-misfit REASON"
            )
        cells = given.cells
        human = None if table is None else human_grades(table, cells, given.known_as)
        found = _attractions(cells, positions)
        graded = _graded(found, cells.query, cells.query_ids, human, made)
        after = _satisfactions(given)
        asked = _asked([given.known_as(query) for query in queries], cells.query_ids)
    finally:
        given.close()
    source = Source(hashes=bench.inputs(), versions=(("assay", _version()),), command=command)
    parts = _Parts(given, positions, found, graded, human, after, despite_misfit.strip() if positions.misfit else "")
    frame = _frame(parts)
    trap = trap_queries(cells, found, graded.grade, human, names, asked)
    result = replace(_result(parts, frame, trap, source, out, pairs), project=project or "")
    if project is not None:
        keep_labels(bench, project, result.qrels, graded.cuts, result.calibration, topics, documents)
    for target, kind, rows in ((out, kinds[0], result.qrels), (pairs, kinds[1], frame)):
        if target is not None:
            _write(rows, target, kind)
    return result


def _version() -> str:
    from assay import __version__

    return __version__


@dataclass(frozen=True, eq=False)
class _Graded:
    """Grades f64[n_pairs], NaN for none, and how they were made."""

    grade: F64
    cuts: Cuts
    how: str
    agreed: Agreed | None
    judged: int


@dataclass(frozen=True, eq=False)
class _Parts:
    """What a result is made of."""

    given: Counted
    positions: Positions
    found: Attractions
    graded: _Graded
    human: Human | None
    after: Satisfactions | None
    despite: str


def _cuts(cuts: Sequence[float] | None, qrels: Any) -> Cuts | None:
    from assay.clicks.grading import cuts_of

    if cuts is None and qrels is None:
        raise InputError("nothing says which attraction is which grade", "--qrels, --cuts",
                         "pass --qrels with human judgments, or --cuts such as 0.05,0.2,0.4")  # fmt: skip
    return None if cuts is None else cuts_of(cuts)


def _kind(target: Any) -> str:
    if target is None:
        return ""
    ending = Path(target).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{ending or 'a file without ending'} does not hold where each label comes from",
                         name_of(target), f"give it the ending {', '.join(ENDINGS)}")  # fmt: skip
    return ENDINGS[ending]


def _asked(queries: Sequence[str], known: Sequence[str]) -> list[int]:
    place = {name: at for at, name in enumerate(known)}
    for query in queries:
        if query not in place:
            raise InputError(f"the log has no query {query!r}{did_you_mean(query, known)}", "--query",
                             "name a query_id of the log")  # fmt: skip
    return [place[query] for query in dict.fromkeys(queries)]


def _attractions(cells: Cells, positions: Positions) -> Attractions:
    """With one curve for all, or one for each segment where they differ."""
    from assay.clicks.attraction import attractions
    from assay.clicks.by_segment import attractions_by_segment

    if positions.segments:
        return attractions_by_segment(cells, positions.segments)
    return attractions(cells, positions.theta, _covariance(positions), positions.freedom)


def _covariance(positions: Positions) -> F64:
    """f64[K, K] of log propensities; of single errors as if all were wrong in one direction, the widest there is."""
    import numpy as np

    if positions.cov is not None:
        return positions.cov
    if positions.se is None:
        return np.zeros((len(positions.theta),) * 2)
    se = positions.se.copy()
    se[:1] = np.nan_to_num(se[:1])  # position 1 is fixed, and has no error
    return np.outer(se, se)


def _graded(found: Attractions, query: I64, names: Sequence[str], human: Human | None, cuts: Cuts | None) -> _Graded:
    """Grades by cut points or by people, and how they agree with people."""
    import numpy as np

    from assay.clicks.grading import agreement, calibrate, cross_validated, graded

    both = np.zeros(len(found.value), bool) if human is None else ~np.isnan(human.mean) & ~np.isnan(found.value)
    agreed, how = None, "cuts"
    if cuts is None and human is not None:
        agreed = cross_validated(found.value[both], found.se[both], found.low[both], found.high[both],
                                 human.mean[both], query[both], names, human.levels)  # fmt: skip
        cuts, how = calibrate(found.value[both], found.se[both], human.mean[both], human.levels), "isotonic"
    assert cuts is not None  # one of both is given
    place = graded(cuts, found.value, found.low, found.high)
    if how == "cuts" and human is not None and both.any():
        levels = np.unique([*cuts.levels, *human.levels])
        mine = np.where(place[both] < 0, -1, np.searchsorted(levels, np.array(cuts.levels)[place[both]]))
        theirs = np.searchsorted(levels, human.nearest[both]).astype(np.int64)
        agreed = agreement(theirs, mine.astype(np.int64), query[both], len(levels))
    grade = np.where(place < 0, np.nan, np.array(cuts.levels)[place])
    return _Graded(grade, cuts, how, agreed, int(both.sum()))


def _satisfactions(given: Counted) -> Satisfactions | None:
    """What followed clicks, where the log says so: dwell, or purchases."""
    import numpy as np

    from assay.clicks.promises import LONG_S, Satisfactions

    log = given.log
    if log is None or given.read is None or not log.has("impression_id"):
        return None
    has_purchases = any(kind == "purchase" and n for one in given.read.recorded for kind, n in one.kinds)
    if not has_purchases and not log.has("dwell_s"):
        return None
    frame = log.run("satisfied_pairs", long=LONG_S)
    is_timed = bool(frame.height and frame["timed"].sum())
    if not is_timed and not has_purchases:
        return None
    visits, satisfied = ("timed", "satisfied") if is_timed else ("clicks", "bought")
    place = {key: at for at, key in enumerate(zip(frame["query_id"], frame["doc_id"], strict=True))}
    names = [given.cells.query_ids[one] for one in given.cells.query.tolist()]
    rows = np.array([place.get(key, -1) for key in zip(names, given.cells.doc_ids, strict=True)], np.int64)
    counts = [np.append(frame[name].to_numpy().astype(np.float64), 0.0)[rows] for name in (visits, satisfied)]
    long = f"{LONG_S:g} s or more on the document" + (", or a purchase" if has_purchases else "")
    return Satisfactions(counts[0], counts[1], long if is_timed else "a purchase")


def _frame(parts: _Parts) -> pl.DataFrame:
    """Every pair with a grade where it has one, and where both come from."""
    import numpy as np
    import polars as pl

    cells, found, graded = parts.given.cells, parts.found, parts.graded
    first, last = _window(parts.given)
    columns: dict[str, Any] = {
        "query_id": pl.Series(cells.query_ids, dtype=pl.String).gather(cells.query),
        "doc_id": pl.Series(cells.doc_ids, dtype=pl.String),
        "grade": graded.grade,
        "rater": pl.repeat("clicks", cells.pairs, eager=True), "source": pl.repeat("clicks", cells.pairs, eager=True),
        "rubric": pl.repeat(_calibration(graded), cells.pairs, eager=True),
        "judged_at": _same(last, cells.pairs),
        "model": pl.repeat("position-based" + ", by segment" * bool(parts.positions.segments), cells.pairs, eager=True),
        "log_from": _same(first, cells.pairs), "log_to": _same(last, cells.pairs),
        "impressions": found.impressions.astype(np.int64), "clicks": found.clicks.astype(np.int64),
        "looks": found.examined, "clicks_by_looks": _by_looks(found),
        "attraction": found.value, "se": found.se, "low": found.low, "high": found.high,
        "mean_position": found.mean_position, "click_rate": found.rate,
        "satisfaction": np.full(cells.pairs, np.nan) if parts.after is None else parts.after.share,
        "visits": np.zeros(cells.pairs, np.int64) if parts.after is None else parts.after.visits.astype(np.int64),
        "despite_misfit": _same(parts.despite, cells.pairs),
    }  # fmt: skip
    if parts.after is None:
        del columns["satisfaction"], columns["visits"]
    frame = pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
    return frame.sort("query_id", "attraction", "doc_id", descending=[False, True, False], nulls_last=True)


def _same(text: str, n: int) -> Any:
    import polars as pl

    return pl.repeat(text or None, n, dtype=pl.String, eager=True)


def _window(given: Counted) -> tuple[str, str]:
    """The first and last moment of the log, in ISO 8601; empty where it has no times."""
    recorded = given.read.recorded if given.read is not None else ()
    first, last = [one.first for one in recorded if one.first], [one.last for one in recorded if one.last]
    return min(first, default=""), max(last, default="")


def _calibration(graded: _Graded) -> str:
    return f"{graded.how}-{graded.cuts.name}"


def _result(
    parts: _Parts, frame: pl.DataFrame, trap: tuple[Turned, tuple[TrapQuery, ...]], source: Source, out: Any, pairs: Any
) -> ClickLabels:  # fmt: skip
    import numpy as np

    from assay.clicks.behaviour import LeftOut
    from assay.clicks.labelled import ClickLabels

    found, graded, cells = parts.found, parts.graded, parts.given.cells
    kept, n = np.unique(graded.grade[~np.isnan(graded.grade)], return_counts=True)
    beyond = int(found.is_beyond.sum())
    unseen = int(np.isnan(found.value).sum()) - beyond
    wide = cells.pairs - unseen - beyond - int(n.sum())
    reach = "both" if len(graded.cuts.at) == 1 else "three or more"
    left = (LeftOut(f"too few clicks to tell which grade: the 95 % interval of attraction reaches over {reach}", wide),
            LeftOut("clicked clearly more often than they can have been looked at by these propensities", beyond),
            LeftOut("shown only at positions whose propensity is not known", unseen))  # fmt: skip
    promised, promises = _promises(parts)
    read = parts.given.read
    notes = [*(notes_of(read) if read else ()), *parts.positions.notes, *(parts.human.notes if parts.human else ())]
    if parts.despite:
        notes.append(Note("despite-misfit", f"labels were made although {parts.positions.misfit}: {parts.despite}",
                          level="warning"))  # fmt: skip
    notes += _above(found)
    mean = parts.after.mean if parts.after is not None else float("nan")
    return ClickLabels(
        file=spelled(out) if out is not None else "", pairs_file=spelled(pairs) if pairs is not None else "",
        pairs=cells.pairs, grades=tuple((float(g), int(m)) for g, m in zip(kept, n, strict=True)),
        left_out=tuple(one for one in left if one.n), cuts=graded.cuts, calibration=_calibration(graded),
        judged=graded.judged, agreed=graded.agreed, positions=parts.positions.says, misfit=parts.positions.misfit,
        despite=parts.despite, turned=trap[0], queries=trap[1],
        satisfied_by=parts.after.by if parts.after is not None else "",
        satisfaction=None if np.isnan(mean) else mean, promised=promised, promises=promises, log=read,
        notes=tuple(notes), source=source, _pairs=frame,
    )  # fmt: skip


def _by_looks(found: Attractions) -> F64:
    """Clicks by estimated looks, as counted: above 1 where there are more clicks than that."""
    import numpy as np

    by: F64 = np.divide(found.clicks, found.examined, out=np.full(len(found.clicks), np.nan), where=found.examined > 0)
    return by


def _above(found: Attractions) -> list[Note]:
    """That some pairs have more clicks than looks, and what stands for them."""
    n = int((found.is_above & ~found.is_beyond).sum())
    if not n:
        return []
    who = "pair has more clicks than it was" if n == 1 else "pairs have more clicks than they were"
    return [Note("attraction-at-1", f"{n:,} {who} looked at by estimate, by no more than chance: 1 is taken, the "
                 "likeliest value of a chance, and clicks by looks stand beside it", count=n)]  # fmt: skip


def _promises(parts: _Parts) -> tuple[int, tuple[Promise, ...]]:
    from assay.clicks.promises import Promise, promising

    if parts.after is None:
        return 0, ()
    found, after, cells = parts.found, parts.after, parts.given.cells
    chosen = promising(found, after)
    low, high = after.interval()
    return len(chosen), tuple(
        Promise(cells.query_ids[cells.query[at]], cells.doc_ids[at], float(found.value[at]), float(found.low[at]),
                float(found.high[at]), float(after.share[at]), float(low[at]), float(high[at]), int(after.visits[at]))
        for at in chosen[:SHOWN].tolist()
    )  # fmt: skip


def _write(rows: pl.DataFrame, target: str | os.PathLike[str], kind: str) -> None:
    from assay.formats.columns import to_bytes

    with replacing(target) as file:
        file.write(to_bytes(rows, kind))
