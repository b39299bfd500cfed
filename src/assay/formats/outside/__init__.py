"""Outside formats, one a file. Importing this package registers them all; each member is one line here."""

from assay.formats.outside import (
    beir,
    beir_results,
    esci,
    ir_datasets,
    letor,
    msmarco,
    mteb,
    quepid_ratings,
    rank_eval,
    rank_eval_answer,
    ranx_qrels,
    ranx_run,
    rre,
    srw_experiment,
    srw_judgments,
    srw_queries,
)

__all__ = [
    "beir",
    "beir_results",
    "esci",
    "ir_datasets",
    "letor",
    "msmarco",
    "mteb",
    "quepid_ratings",
    "rank_eval",
    "rank_eval_answer",
    "ranx_qrels",
    "ranx_run",
    "rre",
    "srw_experiment",
    "srw_judgments",
    "srw_queries",
]
