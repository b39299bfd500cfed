"""Outside formats, one a file. Importing this package registers them all; each member is one line here."""

from assay.formats.outside import (
    quepid_ratings,
    rank_eval,
    rank_eval_answer,
    rre,
    srw_experiment,
    srw_judgments,
    srw_queries,
)

__all__ = [
    "quepid_ratings",
    "rank_eval",
    "rank_eval_answer",
    "rre",
    "srw_experiment",
    "srw_judgments",
    "srw_queries",
]
