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

_MEMORY = ("OutOfMemoryError", "UNABLE_TO_ACQUIRE_MEMORY", "exceeding memory limits", "exceeding physical memory")


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
        self.fault = (PySparkException, Py4JError, ConnectionError)  # the last when Java itself has died
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


def gave_up(error: BaseException, why: str = "") -> EngineError:
    """What is said of a job that Spark did not end: why, and what helps.

    Args:
        error: of Spark.
        why: in one line; the first line of its cause when empty.
    """
    said = str(error)
    why = why or cause(said) or first_line(error)
    return EngineError(f"Spark gave up\n    {why}\n    mend: {_remedy(error, said)}")


def cause(said: str) -> str:
    """The first line of the deepest cause that Java or Spark names, without the frames around it."""
    lines = [line.strip().removeprefix(": ") for line in said.strip().splitlines()]
    deepest = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    told = [line for line in lines if line and not line.startswith(("An error occurred", "at "))]
    first = (deepest[-1:] or told[:1] or [""])[0]
    return first.removeprefix("org.apache.spark.SparkException: ").removesuffix(":")


def _remedy(error: BaseException, said: str) -> str:
    if "spark.driver.maxResultSize" in said:
        return "raise spark.driver.maxResultSize (spark-defaults.conf), or read parts of a log with --from and --to"
    if any(sign in said for sign in _MEMORY):
        return "raise spark.executor.memory and spark.driver.memory, or read parts of a log with --from and --to"
    if "ExecutorLostFailure" in said or "executor lost" in said.lower():
        return "look in the executor's own log; where it lacked memory, raise spark.executor.memory"
    if isinstance(error, ConnectionError) or type(error).__name__ == "Py4JNetworkError":
        return "Spark's Java has ended: where it lacked memory, raise spark.driver.memory"
    return "its own log says more; or leave out --on spark"
