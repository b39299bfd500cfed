"""A log in the place of a ranking is told by its columns."""

from __future__ import annotations

import polars as pl
import pytest

from assay import example
from assay.cli.verb import without_options
from assay.errors import InputError
from assay.flows.mistaken import check_ranking, columns_of, held_by, is_log


@pytest.mark.parametrize(
    ("columns", "is_one"),
    [
        ("impression_id,query,doc_id,position,clicked", True),
        ("search_id,user_id,query,item_id,rank", True),
        ("client_id,query_id,user_query", True),  # of UBI
        ("query_id,doc_id,position,impressions,clicks", True),  # what `cells` writes
        ("query,doc_id,position,clicked", True),  # without an id of the search
        ("query_id,doc_id,rank,score", False),
        ("query_id,doc_id,rank,clicks", False),
        ("query_id,doc_id,score,clicks", False),  # a run that names a feature
        ("query_id,doc_id,propensity", False),  # chances of a policy
        ("query_id,doc_id,grade,session_id", False),
    ],
)
def test_two_fields_that_no_ranking_has_tell_a_log(columns, is_one):
    assert is_log(columns.split(",")) is is_one


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_a_log_is_refused_in_every_format_and_a_ranking_is_not(tmp_path, ending):
    rows = {"impression_id": ["i1"], "query": ["lamp"], "doc_id": ["d1"], "position": [1], "clicked": [True]}
    for name, frame in (
        ("log", pl.DataFrame(rows)),
        ("run", pl.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})),
    ):
        path = tmp_path / f"{name}.{ending}"
        if ending == "parquet":
            frame.write_parquet(path)
        elif ending == "jsonl":
            frame.write_ndjson(path)
        else:
            frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
        assert columns_of(str(path)) == frame.columns
    check_ranking(tmp_path / f"run.{ending}")
    with pytest.raises(InputError, match="is a log, and stands where the ranking is expected") as found:
        check_ranking(tmp_path / f"log.{ending}")
    assert found.value.where.endswith(f"log.{ending}")
    assert found.value.remedy == "give the log first and the ranking last: assay counterfactual LOG RANKING"


def test_what_cannot_be_read_is_left_to_its_reader(tmp_path):
    whole = example.path("clicks.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "cut.csv.gz").write_bytes(b"\x1f\x8b\x08\x00")
    (tmp_path / "cut.jsonl").write_text('{"impression_id": ', "utf-8")
    for name in ("cut.parquet", "cut.csv.gz", "cut.jsonl", "none.csv"):
        check_ranking(tmp_path / name)
        assert held_by(str(tmp_path / name)) == ""
    check_ranking({"q": {"d": 1.0}})


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("query_id,doc_id,grade\nq,d,1\n", True),
        ("q 0 d 1\n", True),
        ("q Q0 d 1 0.5 x\n", False),
        ("query_id,doc_id,rank\nq,d,1\n", False),
        ("query_id,doc_id,score,grade\nq,d,0.5,1\n", False),  # a run that was judged
        ("query_id,doc_id,propensity\nq,d,0.5\n", False),  # chances of a policy
    ],
    ids=["grades", "trec", "run", "ranks", "judged-run", "chances"],
)
def test_judgments_in_the_place_of_a_ranking_are_refused(tmp_path, text, is_refused):
    path = tmp_path / "target.txt"
    path.write_text(text, "utf-8")
    if not is_refused:
        check_ranking(path)
        return
    with pytest.raises(InputError, match="holds judgments, and stands where the ranking is expected"):
        check_ranking(path)


@pytest.mark.parametrize(
    ("remedy", "left"),
    [
        ("remove one of the lines, or pass --duplicates keep-first", "remove one of the lines"),
        ("keep one, name the raters, or pass --duplicates keep-first", "keep one, or name the raters"),
        ("remove it, or pass --known x", "remove it, or pass --known x"),
        ("pass --duplicates keep-first", "pass --duplicates keep-first"),  # there is no other way
        ("", ""),
    ],
)
def test_an_option_that_a_command_does_not_have_mends_nothing(remedy, left):
    assert without_options(remedy, {"--known"}) == left
