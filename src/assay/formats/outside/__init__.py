"""Outside formats, one a file. Importing this package registers them all; each member is one line here."""

from assay.formats.outside import (
    srw_experiment,
    srw_judgments,
    srw_queries,
)

__all__ = [
    "srw_experiment",
    "srw_judgments",
    "srw_queries",
]
