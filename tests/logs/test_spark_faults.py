"""What ends a job of Spark is said by its cause and with what helps, and never as a fault of assay."""

from __future__ import annotations

import polars as pl
import pytest

from assay.errors import EngineError
from assay.logs.log import Reading, open_log
from assay.logs.session import cause, gave_up
from sparks import begun

LOST = """An error occurred while calling o42.getResult.
: org.apache.spark.SparkException: Exception thrown in awaitResult:
\tat org.apache.spark.util.SparkThreadUtils$.awaitResult(SparkThreadUtils.scala:70)
Caused by: org.apache.spark.SparkException: Job aborted due to stage failure: {}
\tat org.apache.spark.scheduler.DAGScheduler.$anonfun$abortStage$3(DAGScheduler.scala:4568)
"""


@pytest.mark.parametrize(
    ("why", "helps"),
    [
        ("ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: worker lost",
         "look in the executor's own log"),
        ("Lost task 0.3 (TID 3): java.lang.OutOfMemoryError: Java heap space", "raise spark.executor.memory"),
        ("Lost task 0.3 (TID 3): ExecutorLostFailure Reason: Container killed by YARN for exceeding memory limits",
         "raise spark.executor.memory"),
        ("Task failed while writing rows", "its own log says more"),
    ],
)  # fmt: skip
def test_the_cause_and_what_helps(why, helps):
    said = str(gave_up(RuntimeError(LOST.format(why)))).splitlines()
    assert said[:2] == ["Spark gave up", f"    Job aborted due to stage failure: {why}"]
    assert said[2].startswith(f"    mend: {helps}")
    assert len(said) == 3


def test_java_that_has_ended():
    assert "spark.driver.memory" in str(gave_up(ConnectionRefusedError(111, "Connection refused")))


def test_what_names_no_cause_is_said_by_its_first_line():
    assert cause("[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012\n== SQL ==\n") == (
        "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012"
    )
    assert str(gave_up(KeyError())).splitlines()[1] == "    KeyError"


@pytest.mark.spark
def test_cells_above_the_result_limit_of_the_driver(tmp_path):
    from assay.logs.spark import Spark

    rows = 4_000  # a cell each, of 16 bytes and more
    table = pl.DataFrame({"query": [f"q{i}" for i in range(rows)], "doc_id": [f"d{i}" for i in range(rows)],
                          "rank": [1] * rows, "click": [0, 1] * (rows // 2)})  # fmt: skip
    table.write_parquet(tmp_path / "log.parquet")
    session = begun(more={"spark.driver.maxResultSize": "40k"})
    try:
        log = open_log(tmp_path / "log.parquet", Reading(), engine=Spark())
        with pytest.raises(EngineError) as caught:
            log.run("cells")
    finally:
        session.stop()
    what, line, remedy = str(caught.value).splitlines()
    assert what == "Spark gave up"
    assert "is bigger than spark.driver.maxResultSize (40.0 KiB)" in line
    assert "raise spark.driver.maxResultSize" in remedy
    assert "--from and --to" in remedy
