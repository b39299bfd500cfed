"""assay tells search, recommendation and RAG teams whether a ranking change is better, for whom, and how sure that is.

>>> import assay
>>> assay.score(ranked=["d3", "d1"], relevant={"d1"}, measure="RR")
0.5
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what _HOMES loads, for type checkers; a test holds the two lists together
    from assay.compare.comparison import Comparison as Comparison
    from assay.compare.gate import Verdict as Verdict
    from assay.errors import AssayError as AssayError
    from assay.errors import InputError as InputError
    from assay.errors import MissingExtra as MissingExtra
    from assay.errors import NotEnoughEvidence as NotEnoughEvidence
    from assay.flows.agree import agree as agree
    from assay.flows.behaviour import behaviour as behaviour
    from assay.flows.catalogue import catalogue as catalogue
    from assay.flows.cells import cells as cells
    from assay.flows.click_labels import qrels_from_clicks as qrels_from_clicks
    from assay.flows.click_models import click_models as click_models
    from assay.flows.compare import compare as compare
    from assay.flows.compare import power as power
    from assay.flows.conversion import Conversion as Conversion
    from assay.flows.convert import convert as convert
    from assay.flows.convert import export as export
    from assay.flows.convert import import_file as import_file
    from assay.flows.convert import read_outside as read_outside
    from assay.flows.convert import write_outside as write_outside
    from assay.flows.counterfactual import counterfactual as counterfactual
    from assay.flows.evaluate import evaluate as evaluate
    from assay.flows.evaluate import evaluate_collections as evaluate_collections
    from assay.flows.explain import explain as explain
    from assay.flows.explain import score as score
    from assay.flows.fresh import stale as stale
    from assay.flows.gate import gate as gate
    from assay.flows.gate import gate_plan as gate_plan
    from assay.flows.interactions import qrels_from_interactions as qrels_from_interactions
    from assay.flows.looped import simulate_loop as simulate_loop
    from assay.flows.overlap import overlap as overlap
    from assay.flows.pool import pool as pool
    from assay.flows.propensity import propensity as propensity
    from assay.flows.reconcile import conventions as conventions
    from assay.flows.reconcile import reconcile as reconcile
    from assay.flows.results import show as show
    from assay.flows.sample import sample as sample
    from assay.flows.simulated import simulate_logs as simulate_logs
    from assay.flows.validate import Validation as Validation
    from assay.flows.validate import validate as validate
    from assay.measures.collections import Collections as Collections
    from assay.measures.explain import Explanation as Explanation
    from assay.measures.grammar import parse as parse
    from assay.measures.measure import Measure as Measure
    from assay.measures.measure import measure as measure
    from assay.measures.score import Scores as Scores
    from assay.ranking.conventions import Conventions as Conventions
    from assay.ranking.ranking import Ranking as Ranking
    from assay.tables import Document as Document
    from assay.tables import Hit as Hit
    from assay.tables import Judgment as Judgment
    from assay.tables import Topic as Topic
    from assay.tables import as_table as as_table

__version__ = "0.1.0"

_HOMES = {
    "AssayError": "assay.errors",
    "Collections": "assay.measures.collections",
    "Comparison": "assay.compare.comparison",
    "Conventions": "assay.ranking.conventions",
    "Conversion": "assay.flows.conversion",
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
    "Validation": "assay.flows.validate",
    "Verdict": "assay.compare.gate",
    "agree": "assay.flows.agree",
    "as_table": "assay.tables",
    "behaviour": "assay.flows.behaviour",
    "catalogue": "assay.flows.catalogue",
    "cells": "assay.flows.cells",
    "click_models": "assay.flows.click_models",
    "compare": "assay.flows.compare",
    "conventions": "assay.flows.reconcile",
    "convert": "assay.flows.convert",
    "counterfactual": "assay.flows.counterfactual",
    "evaluate": "assay.flows.evaluate",
    "evaluate_collections": "assay.flows.evaluate",
    "explain": "assay.flows.explain",
    "export": "assay.flows.convert",
    "gate": "assay.flows.gate",
    "gate_plan": "assay.flows.gate",
    "import_file": "assay.flows.convert",
    "measure": "assay.measures.measure",
    "overlap": "assay.flows.overlap",
    "parse": "assay.measures.grammar",
    "pool": "assay.flows.pool",
    "power": "assay.flows.compare",
    "propensity": "assay.flows.propensity",
    "qrels_from_clicks": "assay.flows.click_labels",
    "qrels_from_interactions": "assay.flows.interactions",
    "read_outside": "assay.flows.convert",
    "reconcile": "assay.flows.reconcile",
    "sample": "assay.flows.sample",
    "score": "assay.flows.explain",
    "show": "assay.flows.results",
    "simulate_logs": "assay.flows.simulated",
    "simulate_loop": "assay.flows.looped",
    "stale": "assay.flows.fresh",
    "validate": "assay.flows.validate",
    "write_outside": "assay.flows.convert",
}
"""Every public name and the room it lives in; loaded when it is first used."""

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Measure:
    """Loads a public name when it is first used; a measure of that name otherwise, as in `assay.nDCG @ 10`."""
    home = _HOMES.get(name)
    value: Any
    if home is not None:
        room = import_module(home)
        value = globals().get(name, getattr(room, name))  # `compare` is a package too, which can be called
    elif name.startswith("_"):
        raise AttributeError(name)
    else:
        value = _measure(name)
    globals()[name] = value
    return value  # type: ignore[no-any-return] # type checkers know the public names; what is left are measures


def _measure(name: str) -> Measure:
    from assay.measures.measure import MEASURES
    from assay.measures.measure import Measure as Named

    if name not in MEASURES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return Named(name)


def __dir__() -> list[str]:
    return sorted(__all__)
