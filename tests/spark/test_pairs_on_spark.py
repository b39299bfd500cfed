"""Queries that follow one another are held against each other by the executors, with the answer of one machine."""

from __future__ import annotations

import pickle
import subprocess
import sys

import polars as pl
import pytest

import assay
from assay.clicks.alike import are_alike

pytestmark = pytest.mark.spark

TEXTS = ["red shoes", "Red  Shoes", "red boots", "lamp", "lmap lamps", "čaj", "caj zelený", "tent", None, "茶 緑"]
SECONDS = 1_767_225_600


def log(path):
    """Sessions of searches that follow each other by half a minute, and by more than the time that counts."""
    rows = [{"impression_id": f"s{at:03d}", "session_id": f"p{at // 6}", "unit_id": f"u{at // 12}",
             "query_text": TEXTS[(at + at // 6) % len(TEXTS)], "query_id": f"q{at % 7}", "doc_id": f"d{at % 5}",
             "position": 1, "clicked": at % 2, "at": SECONDS + 30 * at + 900 * (at // 4)}
            for at in range(240)]  # fmt: skip
    pl.DataFrame(rows).write_parquet(path)
    return path


def test_reformulations_on_spark_are_those_of_one_machine(tmp_path):
    path = log(tmp_path / "log.parquet")
    wanted, found = (assay.behaviour(path, on=on, columns={"query_text": "query_text"}) for on in ("duckdb", "spark"))
    assert 0 < wanted.rate("reformulation").value < 1
    assert [(one.measure, one.value) for one in found.rates] == [
        (one.measure, pytest.approx(one.value, rel=1e-12)) for one in wanted.rates]  # fmt: skip


def test_pairs_are_looked_at_by_executors_once(tmp_path):
    from assay.logs.log import Reading, open_log
    from assay.logs.spark import Spark
    from sparks import begun

    session = begun()
    engine = Spark()
    here = open_log(log(tmp_path / "log.parquet"), Reading(), engine=engine)
    here.lay_pairs("alike", "steps", are_alike, within=600_000_000)
    (held,) = engine._pairs
    assert "MapInArrow" in str(held._jdf.queryExecution().toString())
    assert held.storageLevel.useMemory
    assert held.storageLevel.useDisk
    steps = here.run("steps", within=600_000_000)
    pairs = set(zip(steps["query_text"], steps["next_text"], strict=True))
    assert {tuple(row) for row in held.collect()} == {pair for pair in pairs if are_alike(*pair)}
    assert 0 < held.count() < len(pairs)
    engine.close()
    assert not held.storageLevel.useMemory
    session.stop()


def test_what_is_sent_to_executors_needs_no_assay_there(tmp_path):
    """Unpacked and called by a Python that cannot import it."""
    from pyspark import cloudpickle

    import assay.clicks.alike
    from assay.logs.spark_pairs import _looked_at

    cloudpickle.register_pickle_by_value(assay.clicks.alike)
    try:
        sent = cloudpickle.dumps(_looked_at(are_alike))
    finally:
        cloudpickle.unregister_pickle_by_value(assay.clicks.alike)
    (tmp_path / "sent").write_bytes(sent)
    called = (
        "import sys, pickle, pyarrow; sys.modules['assay'] = None\n"
        f"look = pickle.load(open({str(tmp_path / 'sent')!r}, 'rb'))\n"
        "batch = pyarrow.RecordBatch.from_pydict({'a': ['red shoes', 'lamp'], 'b': ['red boots', 'tent']})\n"
        "print([row for out in look(iter([batch])) for row in out.to_pylist()])\n"
    )
    said = subprocess.run([sys.executable, "-c", called], capture_output=True, text=True, check=False)
    assert said.stdout.strip() == "[{'a': 'red shoes', 'b': 'red boots'}]", said.stderr
    with pytest.raises(ModuleNotFoundError):  # as it would be where the module is only named
        raise_where_assay_is_not(pickle.dumps(are_alike))


def raise_where_assay_is_not(packed):
    code = f"import sys, pickle; sys.modules['assay'] = None; pickle.loads({packed!r})"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if "ModuleNotFoundError" in said.stderr:
        raise ModuleNotFoundError(said.stderr.splitlines()[-1])
