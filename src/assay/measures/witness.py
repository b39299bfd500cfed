"""The same value from an installed peer: trec_eval in pytrec-eval-terrier, or ir-measures where that has no such name.

The peers are the optional extra `verify`; they are loaded when they are asked, and only to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

from assay.errors import MissingExtra
from assay.measures.measure import Measure
from assay.ranking.discounts import gain_function

Hits = Mapping[str, Mapping[str, float]]
Grades = Mapping[str, Mapping[str, int]]

PEERS = {"pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir-measures"}
"""Module to the package that brings it."""

CUT = {"nDCG": "ndcg_cut", "P": "P", "R": "recall", "AP": "map_cut", "HitRate": "success"}
WHOLE = {"nDCG": "ndcg", "P": "set_P", "R": "set_recall", "AP": "map", "RR": "recip_rank", "Rprec": "Rprec",
         "Bpref": "bpref", "F": "set_F", "infAP": "infAP"}  # fmt: skip
"""trec_eval's names, with a cutoff and without."""

ELSEWHERE = {"RR": "RR", "Judged": "Judged"}
"""ir_measures' names of what trec_eval does not have; with a cutoff."""


@dataclass(frozen=True, eq=False)
class Call:
    """How a peer is asked for a measure.

    Args:
        module: the peer.
        name: what it calls the measure.
        level: its relevance level; None where the measure has none.
        gain: what grades are replaced by first, as whole numbers.
        judged_only: whether unjudged documents are taken out first.
    """

    module: str
    name: str
    level: int | None = None
    gain: Any = None
    judged_only: bool = False

    @property
    def label(self) -> str:
        """Package, version, name."""
        return f"{PEERS[self.module]} {version(PEERS[self.module])} {self.name}"


def call_of(measure: Measure, rel: float | None) -> Call | None:
    """How a peer is asked for a measure; None when no peer has it.

    Args:
        measure: ours.
        rel: the relevance level in force where the measure names none.
    """
    given: dict[str, Any] = dict(measure.changed)
    judged_only = bool(given.pop("judged_only", False))
    level = given.pop("rel", None)
    level = rel if level is None else level
    gain = given.pop("gain", None) if measure.name == "nDCG" else None
    is_capped = measure.name == "R" and given.pop("cap", False)
    if given or (level is not None and (level < 1 or level != int(level))):
        return None
    whole = None if measure.name == "nDCG" else 1 if level is None else int(level)
    names = WHOLE if measure.cutoff is None else CUT
    if measure.name in names:
        name = ("set_relative_P" if measure.cutoff is None else "relative_P") if is_capped else names[measure.name]
        name += "" if measure.cutoff is None else f"_{measure.cutoff}"
        return Call("pytrec_eval", name, whole, None if gain is None else gain_function(gain), judged_only)
    if measure.cutoff is not None and measure.name in ELSEWHERE and not judged_only:
        name = ELSEWHERE[measure.name]
        name += f"(rel={whole})" if whole not in (None, 1) and measure.name == "RR" else ""
        return Call("ir_measures", f"{name}@{measure.cutoff}")
    return None


def witness(hits: Hits, grades: Grades, calls: Sequence[Call]) -> list[dict[str, float]]:
    """What the peers say: for each call, query id to value; queries that a peer leaves out are not there.

    Args:
        hits: query to document to score.
        grades: query to document to grade, whole numbers.
        calls: what they are asked.

    Raises:
        MissingExtra: a peer is not installed.
    """
    return [ASK[call.module](hits, grades, call) for call in calls]


def load(module: str) -> Any:
    """The peer, imported now."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(PEERS[module], "verify", "--verify") from None


def _pytrec(hits: Hits, grades: Grades, call: Call) -> dict[str, float]:
    peer = load("pytrec_eval")
    if call.gain is not None:
        grades = {
            query: {doc: int(call.gain(np.array([float(grade)]))[0]) for doc, grade in docs.items()}
            for query, docs in grades.items()
        }
    head, _, cutoff = call.name.rpartition("_")
    asked = f"{head}.{cutoff}" if cutoff.isdigit() else call.name
    judge = peer.RelevanceEvaluator(
        {query: dict(docs) for query, docs in grades.items()},
        {asked},
        relevance_level=call.level or 1,
        judged_docs_only_flag=int(call.judged_only),
    )
    answers = judge.evaluate({query: dict(docs) for query, docs in hits.items() if docs})
    return {query: float(values[call.name]) for query, values in answers.items()}


def _ir_measures(hits: Hits, grades: Grades, call: Call) -> dict[str, float]:
    peer = load("ir_measures")
    measure = peer.parse_measure(call.name)
    qrels = [peer.Qrel(query, doc, grade) for query, docs in grades.items() for doc, grade in docs.items()]
    run = [peer.ScoredDoc(query, doc, score) for query, docs in hits.items() for doc, score in docs.items()]
    return {one.query_id: float(one.value) for one in peer.iter_calc([measure], qrels, run)}


ASK: dict[str, Callable[[Hits, Grades, Call], dict[str, float]]] = {"pytrec_eval": _pytrec, "ir_measures": _ir_measures}
"""How each peer is asked."""
