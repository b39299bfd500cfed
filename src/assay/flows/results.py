"""Kept results: written whole or not at all, and opened again without the inputs they came from.

The home of the families that `assay.results` looks up by name: importing this module imports every room that defines
a result, so that a file opens in a process that has computed nothing yet.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import assay.clicks.behaviour
import assay.clicks.labelled
import assay.clicks.models.compared
import assay.clicks.off_policy
import assay.clicks.position_bias
import assay.compare.catalogue
import assay.compare.comparison
import assay.compare.deciding
import assay.compare.gate
import assay.compare.noise
import assay.compare.overlap
import assay.compare.pool_audit
import assay.compare.power
import assay.compare.unjudged
import assay.flows.cells
import assay.flows.conversion
import assay.flows.looped
import assay.flows.project_state
import assay.flows.rubric
import assay.flows.setup
import assay.flows.simulated
import assay.flows.validate
import assay.judgments.agreement
import assay.judgments.freshness
import assay.judgments.graded
import assay.judgments.holdout
import assay.judgments.pool
import assay.judgments.preferences
import assay.judgments.sample
import assay.measures.collections
import assay.measures.explain
import assay.measures.reconcile.found
import assay.measures.scores  # noqa: F401 # these imports register what can be kept
from assay.errors import InputError
from assay.files import spelled
from assay.measures.grammar import parse
from assay.measures.measure import Measure
from assay.results import KEEPERS, Result, codec, dump, kept, load
from assay.tables import Pair

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench


_ON = " on the scale to "


def _spelled(measure: Measure) -> str:
    """A measure as it is typed, with the highest grade of the judgments where that is a part of its definition."""
    return str(measure) if measure.scale is None else f"{measure}{_ON}{measure.scale!r}"


def _measure(text: str) -> Measure:
    typed, _, scale = text.partition(_ON)
    (measure,) = parse(typed)
    return replace(measure, scale=float(scale)) if scale else measure


codec("measure", Measure, _spelled, _measure)
kept("pair")(Pair)  # a row of a table, which stands below what is kept


@KEEPERS.add("file")
def keep(result: Result, path: str | os.PathLike[str]) -> Path:
    """Writes a result to a file that `show` opens again."""
    from assay.files import replacing

    data = dump(result)  # before the file is touched: what cannot be kept leaves nothing behind
    with replacing(path) as file:
        file.write(data)
    return Path(path)


def show(path: str | os.PathLike[str], *, bench: Workbench | None = None) -> Any:
    """The result kept in a file; a bare name is also looked up among the results of the workspace."""
    place = Path(path)
    if not os.path.exists(place) and bench is not None and bench.workspace is not None:
        folder = bench.workspace.folder("results")
        named = [folder / place, folder / f"{place}.assay"]
        place = next((candidate for candidate in named if os.path.isfile(candidate)), place)
    try:
        data = place.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        why = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read: {why}", spelled(place), "check the path") from error
    if bench is not None:
        bench.note(str(place))
    return load(data, spelled(place))
