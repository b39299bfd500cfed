"""The measures. A new one is a file in this folder and its import line below."""

from typing import Any

from assay.measures import (  # noqa: F401 # registers the measures
    average,
    cascade,
    compatibility,
    coverage,
    diversity,
    first,
    gain,
    inferred,
    intent_aware,
    interpolated,
    precision,
    preference,
    sets,
    stopping,
    utility,
)
from assay.measures.measure import MEASURES, Measure


def __getattr__(name: str) -> Any:
    """Every measure by its name: `from assay.measures import nDCG`."""
    if not name.startswith("_") and name in MEASURES:
        return Measure(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
