"""Pairs of texts that the executors of Spark look at with a function of ours: no pair passes through the driver."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assay.logs.session import quiet

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def kept_pairs(pairs: DataFrame, keep: Callable[[str, str], bool]) -> DataFrame:
    """The pairs for which `keep` holds; they are looked at once, and then held by the executors.

    Args:
        pairs: whose first two columns are texts.
        keep: of a module that needs the standard library alone: it is sent there whole, as executors may lack assay.
    """
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[keep.__module__])  # type: ignore[no-untyped-call]
    first, second = pairs.columns[:2]
    with quiet():
        kept = pairs.select(first, second).mapInArrow(_looked_at(keep), f"`{first}` string, `{second}` string")
    return kept.persist()


def _looked_at(keep: Callable[[str, str], bool]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What an executor does with its pairs; it names nothing of this module, so that it can be sent without it."""

    def batches(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow

        for batch in found:
            texts = zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)
            yield batch.filter(pyarrow.array([keep(one, other) for one, other in texts], pyarrow.bool_()))

    return batches
