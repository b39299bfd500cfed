"""The charts of a comparison, each by its name: what a report shows, and what is written as SVG or PNG."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.errors import MissingExtra
from assay.report import charts, curves
from assay.report.bounds import find
from assay.report.charts import Effect, Row, Span
from assay.report.curves import Depths, Split
from assay.report.dossier import ordered, place_of, segments
from assay.report.svg import Drawing, standalone
from assay.report.verdicts import FEWEST, first_of, pairs

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison, Difference

Draw = Callable[[float], Drawing]
Pair = tuple[str, str]

WIDTHS = {"difference": 550, "queries": 720, "segments": 470, "stages": 720, "recall": 470, "unjudged": 520}
"""The charts, and how wide each is on a page."""


def pictures(comparison: Comparison, pair: Pair) -> dict[str, Draw]:
    """The charts that there is something for, each a function of its width.

    Args:
        comparison: what `compare` gave.
        pair: baseline and candidate.
    """
    d = first_of(comparison.differences, pair, comparison.primary)
    found: dict[str, Draw] = {}
    if d is not None and d.n:
        effect, measure = effect_of(comparison, d), str(d.measure)
        found["difference"] = lambda width: charts.headline(effect, measure, width)
        found["queries"] = _queries(comparison, pair)
        rows = forest_rows(comparison, pair, d)
        if len(rows) > 1:
            found["segments"] = lambda width: charts.forest(rows, measure, width)
    splits, lines = stage_splits(comparison, pair), recall_lines(comparison, pair)
    if splits and comparison.stages is not None:
        measured = str(comparison.stages.measure)
        found["stages"] = lambda width: curves.losses(splits, measured, width)
    if lines:
        reads = [line.depths[-1] for line in lines if not line.is_several]
        found["recall"] = lambda width: curves.recall(lines, reads, width)
    spans = value_spans(comparison, pair)
    if spans:
        found["unjudged"] = lambda width: charts.ranges(spans, str(comparison.primary), width)
    return found


def effect_of(comparison: Comparison, d: Difference) -> Effect:
    """A difference as charts draw it."""
    interval = d.interval if d.claim else None
    low, high = (interval.low, interval.high) if interval is not None else (None, None)
    found = find(comparison, (d.baseline, d.candidate), d.measure)
    if found is None or not found.n_unjudged or found.difference is None:
        return Effect(d.difference, low, high)
    return Effect(d.difference, low, high, *found.difference)


def _queries(comparison: Comparison, pair: Pair) -> Draw:
    _, names, place = segments(comparison)
    scores, measure = comparison.scores, comparison.primary
    values = (scores.value(measure, pair[1]) - scores.value(measure, pair[0])).tolist()
    known = [i for i, x in enumerate(values) if x == x]
    xs, at = [values[i] for i in known], [place[i] for i in known]
    return lambda width: curves.every_query(xs, at, names, str(measure), width)


def forest_rows(comparison: Comparison, pair: Pair, total: Difference) -> list[Row]:
    """The segments of the first column, the total below them."""
    kind = segments(comparison)[0]
    rows = []
    for segment in ordered([segment for segment in comparison.segments if segment.kind == kind]):
        d = first_of(segment.differences, pair, comparison.primary)
        if d is None or not d.n:
            continue
        effect = Effect(d.difference if d.n >= FEWEST else None, *_ends(d))
        detectable = d.detectable if d.claim else None
        rows.append(Row(segment.name, d.n, effect, segment.traffic, detectable, claim=d.claim))
    effect = Effect(total.difference, *_ends(total))
    return [*rows, Row("all", total.n, effect, None, total.detectable, is_total=True, claim=total.claim)]


def _ends(d: Difference) -> tuple[float | None, float | None]:
    return (None, None) if d.interval is None or not d.claim else (d.interval.low, d.interval.high)


def stage_splits(comparison: Comparison, pair: Pair) -> list[Split]:
    """Value and losses of both systems in every segment of the first column, all queries last."""
    if comparison.stages is None:
        return []
    kind = segments(comparison)[0]
    found = []
    for stage in comparison.stages.systems:
        value, ranking, retrieval = stage.value.mean, stage.ranking_loss.mean, stage.retrieval_loss.mean
        if stage.system not in pair or stage.kind not in ("", kind):
            continue
        if value is not None and ranking is not None and retrieval is not None:
            found.append(Split(stage.name, side(pair, stage.system), value, ranking, retrieval))
    return sorted(found, key=lambda split: (split.group == "all", place_of(split.group)))


def side(pair: Pair, system: str) -> str:
    """Baseline or candidate of a pair."""
    return "baseline" if system == pair[0] else "candidate"


def recall_lines(comparison: Comparison, pair: Pair) -> list[Depths]:
    """Recall of every first stage of both systems at its depths, those of several retrievers also together."""
    held = comparison.stages.curves if comparison.stages else ()
    found = []
    for system in pair:
        own = [curve for curve in held if curve.system == system and len(curve.depths)]
        for curve in own:
            is_part = len(own) > 1 and curve.retriever != ""
            found.append(
                Depths(
                    curve.retriever if is_part else side(pair, system),
                    tuple(curve.depths.tolist()), tuple(curve.recall.tolist()),
                    () if is_part else tuple(curve.low.tolist()), () if is_part else tuple(curve.high.tolist()),
                    is_baseline=system == pair[0], is_part=is_part, is_several=curve.retriever == "",
                )
            )  # fmt: skip
    return found


def value_spans(comparison: Comparison, pair: Pair) -> list[Span]:
    """The value of both systems in its range over the unjudged; empty when there is nothing unjudged."""
    found = find(comparison, pair, comparison.primary)
    d = first_of(comparison.differences, pair, comparison.primary)
    if found is None or d is None or not found.n_unjudged or d.baseline_mean is None or d.candidate_mean is None:
        return []
    if found.baseline_range is None or found.candidate_range is None:
        return []
    return [Span("baseline", d.baseline_mean, *found.baseline_range),
            Span("candidate", d.candidate_mean, *found.candidate_range)]  # fmt: skip


def files(comparison: Comparison, kind: str = "svg") -> dict[str, bytes]:
    """Every chart of every pair as the bytes of a file, by its file name.

    Args:
        comparison: what `compare` gave.
        kind: "svg", or "png" with the extra `report`.
    """
    from assay.report.sheet import asset

    tokens = asset("tokens.css")
    out, several = {}, len(pairs(comparison)) > 1
    for number, pair in enumerate(pairs(comparison), 1):
        for name, draw in pictures(comparison, pair).items():
            text = standalone(draw(WIDTHS[name]).svg(), tokens)
            stem = f"{name}-{number}" if several else name
            out[f"{stem}.{kind}"] = text.encode("utf-8") if kind == "svg" else png(text)
    return out


def png(svg: str, scale: float = 2.0) -> bytes:
    """A drawing as a PNG.

    Raises:
        MissingExtra: what draws it is not installed.
    """
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtra("vl-convert-python", "report", "a chart as PNG") from error
    data: bytes = vl_convert.svg_to_png(svg, scale=scale)
    return data
