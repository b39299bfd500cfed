"""Results for programs: JSON with a schema, CSV, JSON lines, Parquet, and the layout of trec_eval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.report.reading import Reading

if TYPE_CHECKING:
    import polars as pl

    from assay.measures.scores import Scores
    from assay.report.page import Table
    from assay.results import LabelAges

SCHEMA = 1
"""Version of the JSON documents; it rises when a field changes its meaning or goes. New fields may come without."""


def to_machine(result: Any, kind: str, **choices: Any) -> bytes:
    """A result in one of the formats for programs.

    Args:
        result: what a flow gave back.
        kind: json, csv, jsonl, parquet or trec_eval.
        choices: as `Reading` for scores; what the view takes for other results.
    """
    if kind == "json":
        return to_json(result, **choices)
    name = type(result).__name__
    if name == "Scores":
        return _scores(result, kind, Reading(**choices))
    if name == "Comparison" and kind in ("csv", "jsonl", "parquet"):
        from assay.report.tabled import tabled

        return tabled(result, kind, **choices)
    if name == "Verdict" and kind in ("csv", "jsonl"):
        from assay.report import gated

        return gated.tabled(result, kind)
    if name == "Collections" and kind in ("csv", "jsonl", "parquet"):
        return _collections(result, kind, Reading(**choices))
    if kind in ("csv", "jsonl"):
        return _tables(result, kind, choices)
    raise InputError(f"this result has no {kind} layout", remedy="pass --format json, csv or jsonl")


def _scores(scores: Scores, kind: str, reading: Reading) -> bytes:
    from assay.report import rows

    if kind == "csv":
        return rows.csv(scores, reading)
    if kind == "jsonl":
        return rows.jsonl(scores, reading)
    if kind == "trec_eval":
        return rows.trec_eval(scores)
    return _parquet(_frame(scores, reading))


def _frame(scores: Scores, reading: Reading) -> pl.DataFrame:
    import polars as pl

    from assay.report import rows

    if not reading.per_query:
        return pl.DataFrame(list(rows.summary(scores, reading)), infer_schema_length=None)
    definitions = {str(measure): measure.definition() for measure in scores.measures}
    return scores.per_query.with_columns(pl.col("measure").replace_strict(definitions).alias("definition"))


def _parquet(frame: pl.DataFrame) -> bytes:
    import io

    target = io.BytesIO()
    frame.write_parquet(target)
    return target.getvalue()


def _collections(result: Any, kind: str, reading: Reading) -> bytes:
    """The rows of each collection, its name in a first column."""
    import polars as pl

    from assay.tables.formulas import guarded_frame

    frames = [_frame(scores, reading).select(pl.lit(name).alias("collection"), pl.all())
              for name, scores in zip(result.names, result.scores, strict=True)]  # fmt: skip
    frame = pl.concat(frames, how="vertical_relaxed")
    if kind == "parquet":
        return _parquet(frame)
    return (guarded_frame(frame).write_csv() if kind == "csv" else frame.write_ndjson()).encode("utf-8")


def to_json(result: Any, **choices: Any) -> bytes:
    """A result as one JSON document; the schemas in `report/assets` describe those of scores and comparisons."""
    import json

    name = type(result).__name__
    if name == "Scores":
        document = scores_document(result, Reading(**choices))
    elif name == "Collections":
        document = {
            "kind": "collections",
            "schema": SCHEMA,
            "names": list(result.names),
            "collections": [scores_document(scores, Reading(**choices)) for scores in result.scores],
        }
    elif name == "Comparison":
        from assay.report.tabled import document as compared

        document = compared(result, **choices)
    elif name == "Verdict":
        from assay.report import gated

        document = gated.document(result)
    else:
        document = {"kind": type(result).__name__.lower(), "schema": SCHEMA, **bare(result)}
    return (json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode("utf-8")


def scores_document(scores: Scores, reading: Reading) -> dict[str, Any]:
    """Scores as JSON: definitions, conventions, coverage, notes, the summary, the parts, and the queries on request."""
    from assay.report.reading import lines
    from assay.report.verification import document as verified

    return {
        "kind": "scores",
        "schema": SCHEMA,
        "runs": list(scores.runs),
        "measures": [{"name": str(m), "definition": m.definition(), "cutoff": m.cutoff} for m in scores.measures],
        "interval": {"method": reading.interval, "level": reading.level, "seed": _seed(reading)},
        "summary": [_line(line) for line in lines(scores, reading)],
        "parts": [_part(part, scores, reading) for part in scores.parts],
        "coverage": [bare(coverage) for coverage in scores.coverage],
        "label_ages": label_ages(scores.labels),
        "notes": [bare(note) for note in scores.notes],
        "source": _source(scores.source),
        "per_query": _per_query(scores) if reading.per_query else None,
        "verified": verified(scores.verified),
    }


def label_ages(found: LabelAges | None) -> dict[str, Any] | None:
    """How many labels no longer hold, and their share; None where nothing tells it."""
    return None if found is None else {**bare(found), "stale": found.stale, "share": found.share}


def _seed(reading: Reading) -> int | None:
    return reading.seed if reading.interval == "bootstrap" else None


def _line(line: Any) -> dict[str, Any]:
    row = {name: bare(getattr(line, name)) for name in type(line).__slots__}
    return {**row, "measure": str(line.measure), "claim": line.claim, "why": line.why or None}


def _part(part: Any, whole: Scores, reading: Reading) -> dict[str, Any]:
    from assay.report.reading import lines
    from assay.report.rows import share_of

    return {
        "kind": part.kind,
        "name": part.name,
        "queries": len(part.scores.queries),
        "share": share_of(part.scores, whole),
        "summary": [_line(line) for line in lines(part.scores, reading)],
    }


def _source(source: Any) -> dict[str, Any]:
    return {
        "inputs": [{"name": name, "sha256": digest} for name, digest in source.hashes],
        "versions": dict(source.versions),
        "conventions": dict(source.conventions),
        "seed": source.seed,
        "command": source.command,
    }


def _per_query(scores: Scores) -> list[dict[str, Any]]:
    from assay.report.rows import blocks

    return [
        {"run": run, "measure": str(measure), "query_id": query_id, "value": bare(value), "judged": bare(share)}
        for run, measure, values, judged in blocks(scores)
        for query_id, value, share in zip(scores.queries, values.tolist(), judged.tolist(), strict=True)
    ]


def bare(value: Any) -> Any:
    """Any result, note or number as what JSON knows; what is not a number becomes null."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None  # NaN and infinities are not JSON
    if isinstance(value, dict):
        return {str(key): bare(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [bare(entry) for entry in value]
    if hasattr(value, "definition") and hasattr(value, "compute"):
        return {"name": str(value), "definition": value.definition()}
    if hasattr(value, "tolist"):
        return bare(value.tolist())
    if hasattr(value, "__dataclass_fields__"):
        return {name: bare(getattr(value, name)) for name in value.__dataclass_fields__ if not name.startswith("_")}
    return str(value)


def _tables(result: Any, kind: str, choices: dict[str, Any]) -> bytes:
    """The tables of a result's page, cell by cell, numbers in full.

    Several tables stand below one another: a first column names the table of each row, and the columns are those of
    all of them; what a table has not is empty, and is left out of JSON lines.
    """
    import json

    from assay.report.describe import describe
    from assay.report.page import Table
    from assay.report.rows import field

    parts = describe(result, **choices).parts
    tables = [part.without_drawings() for part in parts if isinstance(part, Table) and part.rows]
    if not tables:
        raise InputError(f"this result has no table for {kind}", remedy="pass --format json")
    rows = [row for table in tables for row in _rows_of(table, len(tables) > 1)]
    heads = list(dict.fromkeys(head for row in rows for head in row))
    if kind == "jsonl":
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    else:
        lines = [",".join(map(field, heads)), *(",".join(field(row.get(head)) for head in heads) for row in rows)]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _rows_of(table: Table, several: bool) -> Iterator[dict[str, Any]]:
    heads = [name for place in range(len(table.columns)) for name in _names(table, place)]
    for row in (*table.rows, *table.foot):
        entries = (entry for cell in row for entry in _entries(cell))
        yield {**({"table": table.name} if several else {}), **dict(zip(heads, entries, strict=True))}


def _names(table: Table, place: int) -> list[str]:
    """What one column is called in a file: an interval is two numbers, and no name stands twice."""
    from assay.report.page import Range

    ranges = [i for i in range(len(table.columns)) if any(isinstance(row[i], Range) for row in table.rows)]
    label = table.labels()[place] or "state"
    if place not in ranges:
        return [label]
    return ["low", "high"] if len(ranges) == 1 else [f"{label} low", f"{label} high"]


def _entries(cell: Any) -> list[Any]:
    from assay.report.page import Mark, Range, Value

    if isinstance(cell, Range):
        return [cell.low, cell.high]
    if isinstance(cell, Value):
        return [cell.x]
    return [cell.text if isinstance(cell, Mark) else cell]
