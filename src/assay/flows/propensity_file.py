"""The file of propensities: one curve for all, and one for each segment where they differ."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.files import replacing, spelled

if TYPE_CHECKING:
    from assay.clicks.pairs import F64
    from assay.clicks.propensity import Propensities

ALL = ""
"""The segment of a curve for all."""

Rows = Iterable[tuple[str, int, "float | None", "float | None", "float | None", "float | None"]]
"""Segment, position, propensity, its interval, and the standard error of its logarithm."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Propensities of one segment, or of all.

    Args:
        theta: f64[K]; NaN where not known.
        se: f64[K] of log theta; None where the file says no error.
    """

    theta: F64
    se: F64 | None

    def known(self) -> Propensities:
        """As if estimated, with errors that are all in one direction: the worst for what rises with each, as looks do.

        Where one error adds and another takes away, they would cancel: take the errors one by one there, as `se`.
        """
        import numpy as np

        from assay.clicks.propensity import Propensities

        depth = len(self.theta)
        se = np.zeros(depth) if self.se is None else self.se.copy()
        se[:1] = np.nan_to_num(se[:1])  # position 1 is fixed, and has no error
        cov, nothing = np.outer(se, se), np.full(depth, np.nan)
        return Propensities(self.theta, cov, cov, ("",) * depth, nothing, nothing, 0, 0, math.nan)


def write(rows: Rows, out: str | os.PathLike[str]) -> None:
    """Writes curves, with a column for the segment where one has a name."""
    rows = list(rows)
    is_apart = any(segment != ALL for segment, *_ in rows)
    head = ["position", "propensity", "low", "high", "se_log"]
    text = StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["segment", *head] if is_apart else head)
    for segment, position, *values in rows:
        said = ["" if x is None else repr(x) for x in values]
        lines.writerow([segment, position, *said] if is_apart else [position, *said])
    with replacing(out) as file:
        file.write(text.getvalue().encode())


def read(path: str | os.PathLike[str]) -> dict[str, Curve]:
    """The curves of a file by segment; that for all under `ALL`.

    Raises:
        InputError: it cannot be read, or a row is no position with a propensity.
    """
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
    found: dict[str, dict[int, tuple[float, float]]] = {}
    for line, row in rows:
        where = f"{name}:{line}"
        position, chance, error_ = _row(row, where)
        curve = found.setdefault(row.get("segment") or ALL, {})
        if position < 1 or position in curve:
            raise InputError(f"position {position} is below 1, or stands twice", where, "leave one out")
        curve[position] = (chance, error_)
    if not found:
        raise InputError("holds no position", name, "pass what `assay propensity --out` wrote")
    return {segment: _laid(curve) for segment, curve in found.items()}


def _row(row: dict[str, str], where: str) -> tuple[int, float, float]:
    try:
        position = int(row["position"])
        chance, error = (float(row.get(key) or "nan") for key in ("propensity", "se_log"))
    except (TypeError, ValueError):
        raise InputError("is no position with a propensity", where, "write such as 2,0.5") from None
    if not (math.isnan(chance) or (0 < chance < math.inf)):
        raise InputError(f"a propensity of {chance:g}", where, "write a number above 0, or leave it empty")
    return position, chance, error


def _laid(curve: dict[int, tuple[float, float]]) -> Curve:
    import numpy as np

    theta, se = np.full(max(curve), np.nan), np.full(max(curve), np.nan)
    for position, (chance, error) in curve.items():
        theta[position - 1], se[position - 1] = chance, error
    return Curve(theta, None if np.isnan(se).all() else se)
