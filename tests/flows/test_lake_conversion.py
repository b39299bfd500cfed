"""Tables of a lake are converted, imported and validated as files are: their rows, and not the files of a folder."""

from __future__ import annotations

import polars as pl
import pytest

pytest.importorskip("deltalake", reason="needs the extra lake")
pytest.importorskip("pyiceberg", reason="needs the extra lake")

import assay
from assay.errors import InputError
from lakes import as_delta, as_iceberg, delta_by_hand

RUN = pl.DataFrame({"query_id": ["q2", "q1", "q1"], "doc_id": ["a", "b", "a"], "score": [1.5, 3.0, 2.0],
                    "late": [None, "x", None]})  # fmt: skip
QRELS = pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "c", "a"], "grade": [2, 0, 1]})
TREC = ["q1 Q0 b 1 3.0 run", "q1 Q0 a 2 2.0 run", "q2 Q0 a 1 1.5 run"]


def lines(path):
    return [" ".join(line.split()[:5]) for line in path.read_text().splitlines()]


WANTED = [" ".join(line.split()[:5]) for line in TREC]


def test_a_run_in_a_table_becomes_a_file(tmp_path):
    whole = RUN.select("query_id", "doc_id", score=(2 * pl.col("score")).cast(pl.Int64))  # what the helper can write
    place = delta_by_hand(whole, tmp_path / "bm25")
    found = assay.convert(place, tmp_path / "out.run")
    assert lines(tmp_path / "out.run") == ["q1 Q0 b 1 6.0", "q1 Q0 a 2 4.0", "q2 Q0 a 1 3.0"]
    assert (found.format, found.title) == ("delta", "a Delta table")
    assert [(one.what, one.rows) for one in found.moved] == [("run bm25", 3)]
    assert [name for name, _ in found.source.hashes] == ["bm25"]
    again = assay.convert(f"delta:{place}", tmp_path / "out.csv")
    assert again.source.hashes[0][1] == found.source.hashes[0][1]  # the version of the table


def test_deleted_rows_of_a_table_with_a_past_are_no_rows(tmp_path):
    assay.convert(as_delta(RUN, tmp_path / "run"), tmp_path / "delta.run")
    folder, name = as_iceberg(RUN, tmp_path / "iceberg")
    assay.convert(folder, tmp_path / "folder.run")
    found = assay.convert(name, tmp_path / "catalogue.run")
    assert found.moved[0].what == "run log"  # the table is called search.log
    for made in ("delta", "folder", "catalogue"):
        assert lines(tmp_path / f"{made}.run") == WANTED


def test_judgments_in_a_table_are_imported_and_validated(tmp_path):
    place = delta_by_hand(QRELS, tmp_path / "judged")
    assay.import_file(place, into=tmp_path / "into")
    (file,) = (tmp_path / "into").glob("*")
    assay.convert(file, tmp_path / "judgments.qrels")
    assert [line.split() for line in (tmp_path / "judgments.qrels").read_text().splitlines()] == [
        ["q1", "0", "a", "2"], ["q1", "0", "c", "0"], ["q2", "0", "a", "1"]]  # fmt: skip
    fine = assay.validate(place)
    assert (fine.exit_code, [(one.holds, one.format, one.rows) for one in fine.files]) == (
        0, [("judgments", "delta", 3)])  # fmt: skip
    odd = delta_by_hand(QRELS.with_columns(grade=pl.lit(7)), tmp_path / "odd")
    off = assay.validate(odd, grades=[0, 1, 2])
    assert (off.exit_code, off.findings[0].severity, off.findings[0].file) == (1, "error", odd)


def test_two_grades_of_a_pair_in_a_table_are_found(tmp_path):
    rows = pl.concat([QRELS, QRELS.with_columns(grade=pl.col("grade") + 1)])
    found = assay.validate(delta_by_hand(rows, tmp_path / "judged"))
    assert found.exit_code == 1
    assert "q1" in found.findings[0].what


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"format": "csv"}, "--from: is a table of a lake, which is read in one way"),
        ({"options": {"decode": "yes"}}, "--option: is a table of a lake"),
    ],
)
def test_what_means_nothing_for_a_table_is_refused(tmp_path, options, said):
    place = delta_by_hand(QRELS, tmp_path / "judged")
    with pytest.raises(InputError, match=said):
        assay.convert(place, tmp_path / "out.csv", **options)
    assert not (tmp_path / "out.csv").exists()


def test_a_table_of_something_else_says_its_columns(tmp_path):
    place = delta_by_hand(pl.DataFrame({"day": ["x"], "n": [1]}), tmp_path / "days")
    with pytest.raises(InputError, match="has the columns day, n, which are no judgments, run, topics or documents"):
        assay.convert(place, tmp_path / "out.csv")
    found = assay.validate(place)
    assert (found.exit_code, found.findings[0].code) == (1, "refused")
    with pytest.raises(InputError):
        assay.convert(f"delta:{tmp_path}/nowhere", tmp_path / "out.csv")
