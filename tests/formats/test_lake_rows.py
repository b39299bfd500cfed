"""Runs, judgments and topics in tables of a lake: the same values as from the same rows in files."""

from __future__ import annotations

import polars as pl
import pytest

pytest.importorskip("deltalake", reason="needs the extra lake")
pytest.importorskip("pyiceberg", reason="needs the extra lake")

import assay
from assay.errors import InputError
from lakes import as_delta, as_iceberg, delta_by_hand

# q1: a (grade 2) is second of three, c (grade 1) third; q2: a (grade 1) is first.
RUN = pl.DataFrame({
    "query_id": ["q2", "q1", "q1", "q1"], "doc_id": ["a", "b", "a", "c"], "score": [1.5, 3.0, 2.0, 1.0],
    "email": ["x@example.org"] * 4, "late": [None, "x", None, "y"],
})  # fmt: skip
QRELS = pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "c", "a"], "grade": [2, 1, 1]})
RR = (1 / 2 + 1) / 2


@pytest.fixture
def qrels(tmp_path):
    QRELS.write_parquet(tmp_path / "qrels.parquet")
    return str(tmp_path / "qrels.parquet")


@pytest.mark.slow
class TestValues:
    @pytest.mark.parametrize(
        "make", [as_delta, lambda *given: as_iceberg(*given)[0], lambda *given: as_iceberg(*given)[1]]
    )
    def test_of_a_run_and_its_judgments(self, tmp_path, qrels, make):
        run = make(RUN, tmp_path / "run")
        judged = make(QRELS.with_columns(late=pl.lit("x")), tmp_path / "judged")
        RUN.write_parquet(tmp_path / "run.parquet")
        wanted = assay.evaluate(tmp_path / "run.parquet", qrels, "nDCG@10 RR AP")
        found = assay.evaluate(run, judged, "nDCG@10 RR AP")
        for measure in ("nDCG@10", "RR", "AP"):
            assert found.mean(measure) == wanted.mean(measure)
        assert found.mean("RR") == pytest.approx(RR)

    def test_a_version_of_the_table_is_what_the_result_names(self, tmp_path, qrels):
        from deltalake import write_deltalake

        place = as_delta(RUN, tmp_path / "run")
        before = assay.evaluate(f"delta:{place}", qrels, "RR").source.hashes
        assert assay.evaluate(f"delta:{place}", qrels, "RR").source.hashes == before
        write_deltalake(place, RUN.head(0).to_arrow(), mode="append")
        assert assay.evaluate(f"delta:{place}", qrels, "RR").source.hashes != before

    def test_two_runs_are_compared(self, tmp_path, qrels):
        tables = [as_delta(RUN.with_columns(score=sign * pl.col("score")), tmp_path / name)
                  for name, sign in (("up", 1), ("down", -1))]  # fmt: skip
        found = assay.evaluate(tables, qrels, "RR")
        assert found.runs == ("up", "down")
        assert found.mean("RR", "down") == pytest.approx(1)  # c comes first for q1
        assert found.mean("RR", "up") == pytest.approx(RR)

    def test_topics_bring_their_segments(self, tmp_path, qrels):
        topics = pl.DataFrame(
            {"query_id": ["q1", "q2"], "text": ["x", "y"], "segment": ["head", "tail"], "late": [1, 2]}
        )
        RUN.write_parquet(tmp_path / "run.parquet")
        found = assay.evaluate(tmp_path / "run.parquet", qrels, "RR", topics=as_delta(topics, tmp_path / "topics"))
        assert {part.name: part.scores.mean("RR") for part in found.parts} == {"head": 0.5, "tail": 1.0}


class TestFaults:
    def test_a_column_that_is_missing_names_the_address(self, tmp_path, qrels):
        place = delta_by_hand(RUN.select("query_id", "email"), tmp_path / "run")
        with pytest.raises(InputError, match="no column for doc_id") as error:
            assay.evaluate(place, qrels, "RR")
        assert error.value.where == place

    def test_a_column_by_another_name(self, tmp_path):
        rows = RUN.select(pl.col("query_id").alias("frage"), "doc_id", rank=pl.Series([1, 1, 2, 3]))
        place = delta_by_hand(rows, tmp_path / "run")
        qrels = tmp_path / "qrels.txt"
        qrels.write_text("q1 0 a 2\nq1 0 c 1\nq2 0 a 1\n", encoding="utf-8")
        assert assay.evaluate(place, qrels, "RR", columns={"query_id": "frage"}).mean("RR") == pytest.approx(RR)

    def test_a_document_that_comes_twice_has_its_place(self, tmp_path, qrels):
        rows = pl.DataFrame({"query_id": ["q1", "q2", "q1"], "doc_id": ["a", "a", "a"], "rank": [1, 1, 2]})
        place = delta_by_hand(rows, tmp_path / "run")
        with pytest.raises(InputError) as error:
            assay.evaluate(place, qrels, "RR")
        assert error.value.where == f"{place}, query q1, document a"

    def test_no_table_and_no_secret(self, qrels, tmp_path):
        with pytest.raises(InputError, match=f"^delta:{tmp_path}/none: there is no Delta table"):
            assay.evaluate(f"delta:{tmp_path}/none", qrels, "RR")
        with pytest.raises(InputError) as error:
            assay.evaluate("s3://key:hush@bucket/run.parquet", qrels, "RR")
        assert "hush" not in str(error.value)
