from __future__ import annotations

import csv
import io
import json
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.flows.pool import pool_audit
from assay.measures.card import card, cards
from assay.measures.collections import Collections
from assay.measures.measure import MEASURES, Measure
from assay.measures.scores import Coverage
from assay.report import rows
from assay.report.machine import to_machine
from report.by_hand import DOUBT, NDCG, in_parts, many, scores


def table(result: object, **choices: object) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_machine(result, "csv", **choices).decode())))


def test_the_mean_table_as_csv_has_numbers_in_full_and_definitions() -> None:
    first = table(scores())[0]
    assert (first["run"], first["measure"], first["part"], first["n"], first["mean"]) == (
        "bm25",
        "nDCG@10",
        "all",
        "3",
        "0.5",
    )
    assert first["definition"] == "nDCG(gain=linear, discount=log2, ideal=judged, judged_only=False)@10"
    assert table(scores())[2]["judged"] == ""


def test_values_by_query_as_csv_are_one_row_a_run_measure_and_query_and_empty_where_undefined() -> None:
    got = table(scores(), per_query=True)
    assert len(got) == 2 * 2 * 4
    assert [row["value"] for row in got[:4]] == ["1.0", "0.5", "0.0", ""]
    assert {row["query_id"] for row in got} == {"q1", "q2", "q3", "q4"}
    assert all(row["definition"] for row in got)


def test_parts_follow_the_total_with_their_share() -> None:
    got = table(in_parts())
    assert [row["part"] for row in got] == ["all", "segment=head", "segment=tail"]
    assert [row["share"] for row in got] == ["", "0.5", "0.5"]


@given(st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=1, max_size=30))
def test_a_number_reads_back_as_the_same_number(values: list[float]) -> None:
    got = rows.texts(np.array(values), "")
    assert [float(x) if x else None for x in got] == [None if x != x else x for x in values]


def test_small_and_large_results_are_written_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [9.6e-5, 1.25e-5, 9.9e-6, 1e-5, -1.5e-5, float("nan"), 0.0, 1 / 3, 1.0, 12.0, 1e-10, 123456.75]
    one = scores([[values]], ("a,b",), (NDCG,), coverage=(Coverage(judged=12, scored=11),),
                 queries=("q,1", 'q"2', " q3", "ü", *(f"q{i}" for i in range(8))))  # fmt: skip
    small = rows.per_query_csv(one)
    monkeypatch.setattr(rows, "HUGE", 1)
    assert rows.per_query_csv(one) == small


def test_json_lines_have_the_columns_of_the_csv() -> None:
    for choices, columns in (({}, rows.SUMMARY), ({"per_query": True}, rows.PER_QUERY)):
        lines = [json.loads(line) for line in to_machine(scores(), "jsonl", **choices).splitlines()]
        assert tuple(lines[0]) == columns
    assert lines[3]["value"] is None


def test_parquet_holds_the_same_rows() -> None:
    import polars as pl

    frame = pl.read_parquet(io.BytesIO(to_machine(scores(), "parquet", per_query=True)))
    assert frame.columns == list(rows.PER_QUERY)
    assert frame["value"].to_list()[:4] == [1.0, 0.5, 0.0, None]
    assert pl.read_parquet(io.BytesIO(to_machine(scores(), "parquet")))["mean"].to_list()[0] == 0.5


SCHEMA = json.loads(files("assay.report").joinpath("assets/scores.schema.json").read_text(encoding="utf-8"))
KINDS: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def check(value: Any, schema: dict[str, Any], where: str = "$") -> None:
    """The part of JSON Schema that our schema uses."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    if kinds:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits = any(is_number if k == "number" else is_number and value == int(value) if k == "integer"
                   else isinstance(value, KINDS[k]) for k in kinds)  # fmt: skip
        assert fits, f"{where}: {value!r} is not {kinds}"
    assert value == schema.get("const", value), where
    assert value in schema.get("enum", [value]), where
    if isinstance(value, dict):
        assert set(schema.get("required", [])) <= set(value), where
        if "properties" in schema:
            assert set(value) <= set(schema["properties"]), f"{where}: not in the schema"
        for name, entry in value.items():
            check(entry, schema.get("properties", {}).get(name, {}), f"{where}.{name}")
    if isinstance(value, list) and "items" in schema:
        for i, entry in enumerate(value):
            check(entry, schema["items"], f"{where}[{i}]")


@pytest.mark.parametrize(
    "choices", [{}, {"per_query": True}, {"interval": "bootstrap", "seed": 3}, {"interval": "none"}]
)
@pytest.mark.parametrize("made", [scores(notes=(DOUBT,)), in_parts(), many(1)])
def test_json_fits_its_published_schema(made: object, choices: dict[str, Any]) -> None:
    document = json.loads(to_machine(made, "json", **choices), parse_constant=pytest.fail)
    check(document, SCHEMA)


def test_json_says_what_an_interval_may_be_used_for() -> None:
    summary = json.loads(to_machine(many(27), "json"))["summary"][0]
    assert summary["claim"] is True
    assert json.loads(to_machine(many(12), "json"))["summary"][0]["claim"] is False


def test_the_layout_of_trec_eval_has_its_names_and_four_decimals_and_all_at_the_end() -> None:
    assert to_machine(scores(runs=("bm25",), values=[[[1.0, 0.5, 0.0, float("nan")], [1.0, 0.25, 0.0, float("nan")]]]),
                      "trec_eval").decode() == (
        "ndcg_cut_10           \tq1\t1.0000\n" "recip_rank            \tq1\t1.0000\n"
        "ndcg_cut_10           \tq2\t0.5000\n" "recip_rank            \tq2\t0.2500\n"
        "ndcg_cut_10           \tq3\t0.0000\n" "recip_rank            \tq3\t0.0000\n"
        "runid                 \tall\tbm25\n" "num_q                 \tall\t3\n"
        "ndcg_cut_10           \tall\t0.5000\n" "recip_rank            \tall\t0.4167\n"
    )  # fmt: skip


def test_counts_are_whole_and_summed_as_trec_eval_sums_them() -> None:
    measures = (Measure("NumRet"), Measure("NumRelRet"))
    text = to_machine(scores([[[10.0, 20.0], [1.0, 2.0]]], ("a",), measures), "trec_eval").decode()
    assert "num_ret               \tall\t30\n" in text
    assert "num_rel_ret           \tall\t3\n" in text


def test_another_definition_never_takes_the_name_of_trec_eval() -> None:
    assert rows.trec_eval_name(Measure("nDCG", (("gain", "exp"),), 10)) == "nDCG(gain=exp)@10"
    assert rows.trec_eval_name(Measure("RR", (), 10)) == "RR@10"
    assert rows.trec_eval_name(Measure("P")) == "set_P"
    assert all(name.partition("(")[0] in MEASURES for name in rows.TREC_EVAL)


def test_every_name_of_trec_eval_is_understood_again() -> None:
    from assay.measures.grammar import parse

    for ours, (whole, cut) in rows.TREC_EVAL.items():
        for theirs, cutoff in ((whole, None), (f"{cut}_10" if cut else None, 10)):
            if theirs:
                (back,) = parse(theirs)
                assert (str(back.without_cutoff), back.cutoff) == (ours, cutoff)


def test_several_tables_stand_below_one_another_each_row_naming_its_own() -> None:
    runs = {"a": {"q": {"x": 2.0, "y": 1.0}}, "b": {"q": {"z": 2.0, "y": 1.0}}}
    audit = pool_audit(runs, {"q": {"x": 1, "y": 0, "z": 1}}, "P@1", depth=2)
    found = list(csv.DictReader(io.StringIO(to_machine(audit, "csv").decode())))
    assert [(row["table"], row["run"]) for row in found] == [
        ("Left out of the pool", "a"), ("Left out of the pool", "b"),
        ("What each run brought", "a"), ("What each run brought", "b")]  # fmt: skip
    assert (found[0]["as judged"], found[0]["left out"], found[0]["alone"]) == ("1.0", "0.0", "")
    assert (found[2]["as judged"], found[2]["first 2"], found[2]["alone, relevant"]) == ("", "2", "1")
    lines = [json.loads(line) for line in to_machine(audit, "jsonl").decode().splitlines()]
    assert "alone" not in lines[0]
    assert lines[2]["alone"] == 1


def test_other_results_have_json_and_the_tables_of_their_pages() -> None:
    listed = list(csv.DictReader(io.StringIO(to_machine(cards(), "csv").decode())))
    assert {row["measure"] for row in listed} == set(MEASURES.names())
    assert json.loads(to_machine(card("nDCG"), "json"))["name"] == "nDCG"
    heads = to_machine(card("nDCG").worked, "csv").decode().splitlines()[0]
    assert heads == "rank,document,grade,gain,log2(rank + 1),adds,ideal,ideal adds"
    assert json.loads(to_machine(cards(), "jsonl").splitlines()[0])["measure"]
    with pytest.raises(InputError, match="no trec_eval layout"):
        to_machine(cards(), "trec_eval")


def test_collections_have_the_same_rows_with_their_name_in_front() -> None:
    one, other = many(27), scores([[[0.0] * 30]], ("dense",), (NDCG,), coverage=(Coverage(judged=30, scored=30),))
    both = Collections(names=("fiqa", "nfcorpus"), scores=(one, other))
    got = table(both)
    assert [(row["collection"], row["run"], row["mean"]) for row in got] == [
        ("fiqa", "bm25", "0.5"),
        ("nfcorpus", "dense", "0.0"),
    ]
    assert len(table(both, per_query=True)) == 57
    document = json.loads(to_machine(both, "json"))
    assert document["names"] == ["fiqa", "nfcorpus"]
    for collection in document["collections"]:
        check(collection, SCHEMA)
