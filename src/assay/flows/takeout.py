"""`assay judgments export`: what raters said in a project, as a file for whoever wants it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import InputError, did_you_mean
from assay.files import replacing
from assay.flows import pairs
from assay.flows.exported import COLUMNS, HISTORY, as_block, as_csv, export, history
from assay.flows.keeping import TENANT, open_store
from assay.flows.pair_levels import write_levels
from assay.flows.workbench import Workbench
from assay.formats.carried import Carried
from assay.formats.carry import format_for, write_any
from assay.formats.columns import to_bytes
from assay.formats.recognise import content_of
from assay.store import projects
from assay.tables import Judgment, Preference

FORMATS = ("csv", "jsonl", "parquet", "arrow", "trec")
"""What judgments are written as; `trec` is qrels, one grade a pair."""

JOINED = "trec"


@dataclass(frozen=True, slots=True)
class TakenOut:
    """What was written.

    Args:
        rows: of the file.
        judgments: that stand behind them.
        notes: what the file cannot say, and how several raters became one grade.
    """

    rows: int
    judgments: int
    notes: tuple[str, ...] = ()


def take_out(
    bench: Workbench, name: str, target: str | os.PathLike[str], *, to: str | None = None, raters: str | None = None,
    everything: bool = False,
) -> TakenOut:  # fmt: skip
    """Writes the judgments of a project, whole or not at all.

    Args:
        bench: where the store is.
        name: of the project.
        target: the file, or `-`.
        to: one of `FORMATS`; by the ending of the file when None.
        raters: how the grades of several raters become one, in qrels; as in `judgments.aggregate`. Adjudicators decide
            when None and there are any, else the mean.
        everything: every row as it was written, instead of what stands.

    Raises:
        InputError: there is no such project, it has no judgments, or the format cannot hold what is asked for.
    """
    to = _format(target, to)
    if raters is not None and to != JOINED:
        raise InputError("every rater has rows of their own there", "--raters", "leave it out, or write qrels")
    if everything and to == JOINED:
        raise InputError("qrels have no place for the history of a judgment", "--everything", "write CSV or JSON lines")
    with open_store(bench) as store:
        is_pairwise = projects.find(store, TENANT, name)["mode"] == "pairwise"
        if everything:
            rows = history(store, TENANT, name)
        else:
            rows = pairs.export(store, TENANT, name) if is_pairwise else export(store, TENANT, name)
    if not rows:
        raise InputError("nobody has said anything yet", name, "let raters label: assay serve")
    if everything:
        return _put(target, _history(rows, to), rows, len(rows))
    if is_pairwise:
        return _preferences(rows, target, to)
    given = sum(row["dimension"] == "relevance" for row in rows)
    if to == JOINED:
        return _joined(rows, target, name, raters, given)
    return _put(target, as_csv(rows) if to == "csv" else _typed(rows, to), rows, given)


def _format(target: str | os.PathLike[str], to: str | None) -> str:
    found = to or format_for(target) or ("csv" if os.fspath(target) == "-" else None)
    if found is None:
        raise InputError(
            "the ending says no format", os.fspath(target),
            f"name it .csv, .jsonl, .parquet or .qrels, or say --format {'|'.join(FORMATS)}",
        )  # fmt: skip
    if found not in FORMATS:
        raise InputError(f"judgments are not written as {found}{did_you_mean(found, FORMATS)}", "--format",
                         f"choose {', '.join(FORMATS)}")  # fmt: skip
    return found


def _put(target: str | os.PathLike[str], content: bytes, rows: Sequence[Any], given: int) -> TakenOut:
    with replacing(target) as file:
        file.write(content)
    return TakenOut(len(rows), given)


def _typed(rows: Sequence[Mapping[str, Any]], to: str) -> bytes:
    """Rows with every column, also one that nobody filled, so that files of several projects fit together."""
    import polars as pl

    types = {"grade": pl.Float64, "took_ms": pl.Int64, "is_fast": pl.Boolean, "is_found": pl.Boolean}
    schema: Any = {name: types.get(name, pl.String) for name in COLUMNS}
    return to_bytes(pl.DataFrame([[row[name] for name in COLUMNS] for row in rows], schema=schema, orient="row"), to)


def _history(rows: Sequence[Mapping[str, Any]], to: str) -> bytes:
    if to == "csv":
        return as_csv(rows, HISTORY)
    import polars as pl

    return to_bytes(pl.DataFrame([dict(row) for row in rows], infer_schema_length=None), to)


def _preferences(rows: Sequence[Mapping[str, Any]], target: str | os.PathLike[str], to: str) -> TakenOut:
    if to == JOINED:
        write_levels(rows, target)
        return TakenOut(2 * sum(not row["turn"] for row in rows), len(rows))
    content = pairs.as_csv(rows) if to == "csv" else content_of(pairs.as_block(rows), to, Preference)
    return _put(target, content, rows, len(rows))


def _joined(
    rows: Sequence[Mapping[str, Any]], target: str | os.PathLike[str], name: str, raters: str | None, given: int
) -> TakenOut:
    """One grade a pair, as qrels."""
    from assay.judgments.aggregate import aggregate
    from assay.judgments.roles import ADJUDICATED, has_adjudicators

    block = as_block(rows, name)
    how = raters or (ADJUDICATED if has_adjudicators(block) else "mean")
    joined = aggregate(block, how)
    lost = write_any(Carried(name, {Judgment: joined}), target, JOINED)
    why = "in qrels nobody reads who said it, when and under which rubric: write CSV or Parquet to keep that"
    notes = (*joined.facts, why, *(f"{one.count:,} {one.what}: {one.why}" for one in lost))
    return TakenOut(len(joined), given, notes)
