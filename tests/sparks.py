"""Spark sessions of the tests: quick plans for small data."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.logs.session import PYTHON, quiet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUICK = {"spark.sql.codegen.wholeStage": "false", "spark.sql.adaptive.enabled": "false", "spark.ui.enabled": "false",
         "spark.driver.host": "127.0.0.1", "spark.driver.maxResultSize": "1g"}  # fmt: skip
"""Every setting that a test changes stands here: the first session of a process lends its own to all that follow."""


def begun(cores: int = 1, parts: int = 1, more: Mapping[str, str] | None = None) -> SparkSession:
    """A session on this machine, whose rows lie in so many parts after a shuffle; with more settings by name."""
    os.environ.setdefault(PYTHON, sys.executable)
    with quiet():
        from pyspark.sql import SparkSession

        few = QUICK | {"spark.sql.shuffle.partitions": str(parts)} | dict(more or {})
        return SparkSession.builder.master(f"local[{cores}]").config(map=few).getOrCreate()
