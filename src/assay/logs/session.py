"""A Spark session: the one that somebody began, or a new one."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.errors import EngineError, MissingExtra, first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PYTHON = "PYSPARK_PYTHON"


class Session:
    """A session that is ended with `close`, unless somebody else had begun it.

    Args:
        master: the address of the cluster; this machine's cores when None.

    Raises:
        MissingExtra: a part is not installed.
        EngineError: Spark does not start.
    """

    def __init__(self, master: str | None = None) -> None:
        with quiet():
            try:
                import pyarrow  # noqa: F401 # rows come and go as Arrow
                from py4j.protocol import Py4JError
                from pyspark.errors import PySparkException
                from pyspark.sql import SparkSession
            except ImportError as missing:
                raise MissingExtra(missing.name or "pyspark", "spark", "--on spark") from None
        self.fault = (PySparkException, Py4JError)
        with quiet():
            found = SparkSession.getActiveSession()
            self._is_own = found is None
            self.spark: SparkSession = _begun(master) if found is None else found

    def close(self) -> None:
        """Ends the session, unless somebody else had begun it."""
        if self._is_own:
            self.spark.stop()

    @contextmanager
    def but(self, **settings: str) -> Iterator[None]:
        """The session with other settings for a while; `__` stands for the dot in a name."""
        names = {name.replace("__", "."): value for name, value in settings.items()}
        before = {name: self.spark.conf.get(name) for name in names}
        try:
            for name, value in names.items():
                self.spark.conf.set(name, value)
            yield
        finally:
            for name, kept in before.items():
                if kept is not None:
                    self.spark.conf.set(name, kept)


def _begun(master: str | None) -> SparkSession:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("assay").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.session.timeZone", "UTC").config("spark.ui.showConsoleProgress", "false")
    if master is None or master.startswith("local"):
        builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "8")
        os.environ.setdefault(PYTHON, sys.executable)  # its workers would take any python3 else
    try:
        session = builder.master(master or "local[*]").getOrCreate()
    except Exception as error:  # Java and py4j have their own families of errors
        raise EngineError(f"Spark did not start\n    {first_line(error)}\n"
                          "    mend: install Java 17, and look at --master") from error  # fmt: skip
    session.sparkContext.setLogLevel("ERROR")
    return session


@contextmanager
def quiet() -> Iterator[None]:
    """Without Spark's warning of pandas 3: rows never come near it here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield
