"""pytrec_eval as a witness: trec_eval 9.0.8 in this process, with every digit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytrec_eval

from golden.reference import from_trec_eval

CUTOFFS = "1,2,3,5,10"
NAMES = (
    *(f"{family}.{CUTOFFS}" for family in ("P", "recall", "ndcg_cut", "map_cut", "success", "relative_P")),
    *[
        "map",
        "ndcg",
        "recip_rank",
        "Rprec",
        "bpref",
        "set_P",
        "set_recall",
        "set_F",
        "num_ret",
        "num_rel",
        "num_rel_ret",
        "set_map",
        "Rprec_mult.0.2,0.4,0.8,1.2,2.0",
        "iprec_at_recall.0.0,0.1,0.2,0.4,0.5,0.6,0.8,0.9,1.0",
    ],
)

Grades = Mapping[str, Mapping[str, int]]
Scores = Mapping[str, Mapping[str, float]]


def pytrec(
    qrels: Grades, run: Scores, names: Iterable[str] = NAMES, *, rel: int = 1, judged_only: bool = False
) -> dict[str, dict[str, float]]:
    """Query id to name of a measure (`ndcg_cut_10`) to its value; queries that both have."""
    witness = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=rel, judged_docs_only_flag=int(judged_only))
    return witness.evaluate({query: dict(docs) for query, docs in run.items() if docs})


def spelled(names: Mapping[str, float], *, judged_only: bool = False) -> dict[str, str]:
    """Each of the witness' names with our spelling."""
    return {name: text for name in names if (text := from_trec_eval(name, judged_only=judged_only)) is not None}


def as_qrels(qrels: Grades) -> str:
    return "".join(f"{q} 0 {d} {grade}\n" for q, docs in qrels.items() for d, grade in docs.items())


def as_run(run: Scores) -> str:
    """Ranks are the order of the rows, which the scores contradict where they do."""
    return "".join(
        f"{q} Q0 {d} {i} {score!r} fuzz\n" for q, docs in run.items() for i, (d, score) in enumerate(docs.items(), 1)
    )
