"""assay tells search, recommendation and RAG teams whether a ranking change is better, for whom, and how sure that is.

>>> import assay
>>> assay.score(ranked=["d3", "d1"], relevant={"d1"}, measure="RR")
0.5
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "AssayError": "assay.errors",
    "Collections": "assay.measures.collections",
    "Conventions": "assay.ranking.conventions",
    "Document": "assay.tables",
    "Explanation": "assay.measures.explain",
    "Hit": "assay.tables",
    "InputError": "assay.errors",
    "Judgment": "assay.tables",
    "Measure": "assay.measures.measure",
    "MissingExtra": "assay.errors",
    "NotEnoughEvidence": "assay.errors",
    "Ranking": "assay.ranking.ranking",
    "Scores": "assay.measures.score",
    "Topic": "assay.tables",
    "as_table": "assay.tables",
    "evaluate": "assay.flows.evaluate",
    "evaluate_collections": "assay.flows.evaluate",
    "explain": "assay.flows.explain",
    "measure": "assay.measures.measure",
    "parse": "assay.measures.grammar",
    "score": "assay.flows.explain",
    "show": "assay.flows.results",
}
"""Every public name and the room it lives in; loaded when it is first used."""

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first used; a measure of that name otherwise, as in `assay.nDCG @ 10`."""
    home = _HOMES.get(name)
    if home is not None:
        value = getattr(import_module(home), name)
    elif name.startswith("_"):
        raise AttributeError(name)
    else:
        value = _measure(name)
    globals()[name] = value
    return value


def _measure(name: str) -> Any:
    from assay.measures.measure import MEASURES, Measure

    if name not in MEASURES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return Measure(name)


def __dir__() -> list[str]:
    return sorted(__all__)
