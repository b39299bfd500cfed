"""Grades on a scale from 0 to 1: what measures need that treat a grade as a probability or a share of the best."""

from __future__ import annotations

import numpy as np

from assay.errors import InputError
from assay.ranking.discounts import number
from assay.ranking.ranking import F64, Ranking


def top_grade(r: Ranking, max: float | None) -> float:
    """The grade that stands for the best possible: the stated one, or the highest of the judgments.

    Raises:
        InputError: a grade lies above the stated one.
    """
    levels = r.judged.levels
    highest = float(levels[-1]) if len(levels) else 0.0
    if max is None:
        return highest
    if highest > max:
        raise InputError(
            f"the judgments have grade {number(highest)}, above max={number(max)}",
            remedy=f"write max={number(highest)}, or leave max out: the highest grade of the judgments is taken then",
        )
    return max


def shares(r: Ranking, max: float | None) -> F64:
    """The grade of each hit as a share of the best, float64 of shape (n_hits,); a grade below 0 is worth nothing."""
    top = top_grade(r, max)
    return np.maximum(r.grade, 0.0) / top if top > 0 else np.zeros(len(r.grade))


def said(max: float | None, scale: float | None) -> str:
    """The top of the scale and where it comes from, for foot lines."""
    if max is not None:
        return f"grade {number(max)}"
    return "the highest grade of the judgments" + ("" if scale is None else f", {number(scale)}")
