"""Spark sessions of the tests: quick plans for small data."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from assay.logs.session import PYTHON, quiet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUICK = {"spark.sql.codegen.wholeStage": "false", "spark.sql.adaptive.enabled": "false", "spark.ui.enabled": "false",
         "spark.driver.host": "127.0.0.1"}  # fmt: skip


def begun(cores: int = 1, parts: int = 1) -> SparkSession:
    """A session on this machine, whose rows lie in so many parts after a shuffle."""
    os.environ.setdefault(PYTHON, sys.executable)
    with quiet():
        from pyspark.sql import SparkSession

        few = QUICK | {"spark.sql.shuffle.partitions": str(parts)}
        return SparkSession.builder.master(f"local[{cores}]").config(map=few).getOrCreate()
