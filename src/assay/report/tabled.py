"""A comparison for programs: rows for CSV, JSON lines and Parquet, and one JSON document with a published schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.report.bounds import find
from assay.report.rows import field

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison, Difference
    from assay.compare.unjudged import Bounds
    from assay.stats.intervals import Interval
    from assay.stats.paired import Tests

SCHEMA = 1
"""Version of the document; it rises when a field changes its meaning or goes. New fields may come without."""


def rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """One row a pair and measure over all queries, then one a segment, numbers in full."""
    for d in comparison.differences:
        yield {"kind": "all", "segment": "all", "traffic": None, **row(comparison, d, whole=True)}
    for segment in comparison.segments:
        for d in segment.differences:
            here = {"kind": segment.kind, "segment": segment.name, "traffic": segment.traffic}
            yield {**here, **row(comparison, d, whole=False)}


def row(comparison: Comparison, d: Difference, whole: bool) -> dict[str, Any]:
    """One difference, flat."""
    low, high = _ends(d.interval)
    at_once = _ends(d.simultaneous)
    weighted = d.weighted
    found = find(comparison, (d.baseline, d.candidate), d.measure) if whole else None
    unjudged = found.difference if found is not None and found.difference is not None else (None, None)
    return {
        "baseline": d.baseline,
        "candidate": d.candidate,
        "measure": str(d.measure),
        "baseline_mean": d.baseline_mean,
        "candidate_mean": d.candidate_mean,
        "difference": d.difference,
        "low": low,
        "high": high,
        "no_interval_because": d.no_interval_because or None,
        "p": d.p,
        "p_adjusted": d.adjusted,
        "simultaneous_low": at_once[0],
        "simultaneous_high": at_once[1],
        "in_family": d.in_family,
        "outcome": d.outcome,
        "claim": d.claim,
        "because": d.because or None,
        "queries": d.n,
        "wins": d.wins,
        "losses": d.losses,
        "ties": d.ties,
        "one_sided": d.one_sided,
        "sd": d.sd,
        "detectable": d.detectable,
        "judged_baseline": d.judged_baseline,
        "judged_candidate": d.judged_candidate,
        "weighted_difference": weighted.difference if weighted else None,
        "unjudged_low": unjudged[0],
        "unjudged_high": unjudged[1],
        "t_p": d.tests.t.p if d.tests and d.tests.t else None,
        "wilcoxon_p": d.tests.wilcoxon.p if d.tests and d.tests.wilcoxon else None,
        "sign_p": d.tests.sign_p if d.tests else None,
        "d_z": d.tests.effect.d_z if d.tests and d.tests.effect else None,
    }


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def tabled(comparison: Comparison, kind: str, per_query: bool = False, tests: bool = True) -> bytes:
    """The comparison as CSV, JSON lines or Parquet.

    Args:
        comparison: what `compare` gave.
        kind: csv, jsonl or parquet.
        per_query: a row a query, measure and pair instead.
        tests: they are columns of every row, asked for or not.
    """
    import json

    found = list(queries(comparison) if per_query else rows(comparison))
    if kind == "parquet":
        import io

        import polars as pl

        target = io.BytesIO()
        pl.DataFrame(found, infer_schema_length=None).write_parquet(target)
        return target.getvalue()
    if kind == "jsonl":
        lines = [json.dumps(_bare(entry), ensure_ascii=False) for entry in found]
    else:
        heads = list(found[0]) if found else []
        lines = [",".join(heads), *(",".join(field(entry[head]) for head in heads) for entry in found)]
    return ("\n".join(lines) + "\n").encode("utf-8")


def queries(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """One row a query, measure and pair."""
    lost = _lost(comparison)
    for d in comparison.differences:
        words = lost.get((d.baseline, d.candidate), ()) if _is_staged(comparison, d) else ()
        left = comparison.scores.value(d.measure, d.baseline).tolist()
        right = comparison.scores.value(d.measure, d.candidate).tolist()
        for i, (query, a, b) in enumerate(zip(comparison.scores.queries, left, right, strict=True)):
            both = a == a and b == b
            yield {"baseline": d.baseline, "candidate": d.candidate, "measure": str(d.measure), "query_id": query,
                   "baseline_value": _known(a), "candidate_value": _known(b),
                   "difference": b - a if both else None,
                   "lost_in": (words[i] or "none") if words else None}  # fmt: skip


def _is_staged(comparison: Comparison, d: Difference) -> bool:
    return comparison.stages is not None and comparison.stages.measure == d.measure


def _lost(comparison: Comparison) -> dict[tuple[str, str], tuple[str, ...]]:
    """The stage that lost each query, by pair; pairs without stages are not there."""
    from assay.compare.lost import lost_in

    pairs = dict.fromkeys((d.baseline, d.candidate) for d in comparison.differences)
    held = comparison.stages
    found = {pair: lost_in(held, *pair) for pair in pairs} if held is not None else {}
    return {pair: words for pair, words in found.items() if words is not None}


def document(comparison: Comparison, per_query: bool = False, tests: bool = True) -> dict[str, Any]:
    """The comparison as one JSON document; `report/assets/comparison.schema.json` describes it.

    Args:
        comparison: what `compare` gave.
        per_query: whether every query stands in it.
        tests: they always do.
    """
    from assay.report.machine import bare, label_ages

    made = comparison.source
    return {
        "kind": "comparison",
        "schema": SCHEMA,
        "baseline": comparison.baseline,
        "candidates": list(comparison.candidates),
        "all_pairs": comparison.all_pairs,
        "primary": str(comparison.primary),
        "says": [bare(says) for says in comparison.says],
        "interval": {"method": comparison.interval_method, "level": comparison.level},
        "alpha": comparison.alpha,
        "family": bare(comparison.family),
        "differences": [_bare({**row(comparison, d, whole=True), **_more(d)}) for d in comparison.differences],
        "segments": [
            {"kind": s.kind, "name": s.name, "share": s.share, "traffic": s.traffic,
             "differences": [_bare({**row(comparison, d, whole=False), **_more(d)}) for d in s.differences]}
            for s in comparison.segments
        ],
        "segment_family": bare(comparison.segment_family),
        "heterogeneity": [{**bare(test), "null": test.null} for test in comparison.heterogeneity],
        "stages": _stages(comparison, per_query),
        "unjudged": [unjudged(bounds) for bounds in comparison.bounds],
        "deciding": [bare(side) for side in comparison.deciding],
        "noise": bare(comparison.noise),
        "label_ages": label_ages(comparison.scores.labels),
        "notes": [bare(note) for note in comparison.notes],
        "source": {
            "inputs": [{"name": name, "sha256": digest} for name, digest in made.hashes],
            "versions": dict(made.versions),
            "conventions": dict(made.conventions),
            "seed": made.seed,
            "command": made.command,
        },
        "per_query": [_bare(entry) for entry in queries(comparison)] if per_query else None,
    }  # fmt: skip


def _stages(comparison: Comparison, per_query: bool) -> Any:
    """Where each system loses; what each query reached on request."""
    from assay.report.machine import bare

    found = bare(comparison.stages)
    if found is not None and not per_query:
        found["queries"] = []
    return found


def unjudged(bounds: Bounds) -> dict[str, Any]:
    """What the unjudged documents could do to one measure of one pair, as means."""
    return {
        "baseline": bounds.baseline,
        "candidate": bounds.candidate,
        "measure": str(bounds.measure),
        "unjudged": bounds.n_unjudged,
        "baseline_range": bounds.baseline_range,
        "candidate_range": bounds.candidate_range,
        "difference": bounds.difference,
        "sharp": bounds.is_sharp,
        "fragile": bounds.is_fragile(),
        "condensed": bounds.condensed,
        "why": bounds.why or None,
    }


def _more(d: Difference) -> dict[str, Any]:
    """What one difference holds besides its row: every test, and the queries that moved the most."""
    from assay.report.machine import bare

    return {
        "tests": _named(d.tests),
        "largest_wins": [bare(entry) for entry in d.largest_wins],
        "largest_losses": [bare(entry) for entry in d.largest_losses],
        "one_sided_queries": list(d.one_sided_queries),
        "left_out_because": d.left_out_because or None,
        "weighted": bare(d.weighted),
    }


def _named(tests: Tests | None) -> dict[str, Any] | None:
    """Every test with its null."""
    from assay.report.machine import bare

    if tests is None:
        return None
    found: dict[str, Any] = bare(tests)
    for name, null in tests.nulls.items():
        if name == "sign":
            found["sign_null"] = null
        elif found[name] is not None:
            found[name]["null"] = null
    return found


def _bare(entry: dict[str, Any]) -> dict[str, Any]:
    """A row in which what is not a number is null."""
    return {name: _known(value) if isinstance(value, float) else value for name, value in entry.items()}


def _known(x: float) -> float | None:
    return x if x - x == 0 else None
