"""A comparison and a gate for programs: documents fit their published schemas, rows hold every number in full."""

from __future__ import annotations

import csv
import io
import json
from importlib.resources import files
from typing import Any

import pytest

import assay
from assay.report.machine import to_machine
from report.comparison_by_hand import comparison
from report.verdict_by_hand import verdict

KINDS: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def schema_of(name: str) -> dict[str, Any]:
    text = files("assay.report").joinpath(f"assets/{name}.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def check(value: Any, schema: dict[str, Any], whole: dict[str, Any], where: str = "$") -> None:
    """The part of JSON Schema that our schemas use."""
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    if kinds:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits = any(is_number if k == "number" else is_number and value == int(value) if k == "integer"
                   else isinstance(value, KINDS[k]) for k in kinds)  # fmt: skip
        assert fits, f"{where}: {value!r} is not {kinds}"
    assert value == schema.get("const", value), where
    assert value in schema.get("enum", [value]), where
    if isinstance(value, dict):
        assert set(schema.get("required", [])) <= set(value), f"{where}: {set(schema['required']) - set(value)}"
        for name, entry in value.items():
            check(entry, schema.get("properties", {}).get(name, {}), whole, f"{where}.{name}")
    if isinstance(value, list) and "items" in schema:
        for i, entry in enumerate(value):
            check(entry, schema["items"], whole, f"{where}[{i}]")


def real() -> Any:
    """Thirty queries of two runs, some documents unjudged, in two segments."""
    qrels = {f"q{i}": {"a": 1 + i % 3, "b": 0.0} for i in range(30)}
    runs = {"old": {q: {"b": 3.0, "a": 2.0, "c": 1.0} for q in qrels},
            "new": {q: {"a": 3.0, "c": 2.0, "b": 1.0} for q in qrels}}  # fmt: skip
    import polars as pl

    topics = pl.DataFrame({"query_id": list(qrels), "weight": [1.0] * 30, "segment": ["x", "y"] * 15})
    return assay.compare(runs, qrels, "nDCG@3 RR", topics=topics, seed=1)


def staged() -> Any:
    """Four queries, two retrievers behind the candidate; q0 lost its document, q1 its place, q2 nothing."""
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    old = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    new = {"q0": {"b": 1.0}, "q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 1.0}}
    stages = {"old": [(old, 2)], "new": [({"q0": {"b": 1.0}}, 1), (new, 2), new]}
    return assay.compare({"old": old, "new": new}, qrels, "nDCG@3 RR", stages=stages, unlisted="not-relevant")


def test_the_document_of_stages_holds_the_curves_and_what_each_query_lost() -> None:
    document = json.loads(to_machine(staged(), "json", per_query=True), parse_constant=pytest.fail)
    curves = document["stages"]["curves"]
    assert [(curve["system"], curve["retriever"]) for curve in curves] == [
        ("old", "first stage 1"), ("new", "first stage 1"), ("new", "first stage 2"), ("new", "")]  # fmt: skip
    assert curves[-1]["recall"] == [0.5, 0.75]
    # 3 of 4 queries: sd 0.5, t of 97.5 % with 3 degrees of freedom 3.182446
    assert curves[-1]["low"][1] == pytest.approx(max(0.0, 0.75 - 3.182446305 / 4), abs=1e-9)
    assert curves[-1]["high"] == [1.0, 1.0]
    assert curves[0]["low"] == [None, None]  # every query is the same: no interval
    assert document["stages"]["queries"][1]["ceiling"] == [0.0, 1.0, 1.0, 1.0]
    rows = [row for row in document["per_query"] if row["measure"] == "nDCG@3"]
    assert [row["lost_in"] for row in rows] == ["retrieval", "ranking", "none", "none"]
    assert {row["lost_in"] for row in document["per_query"] if row["measure"] == "RR"} == {None}
    assert json.loads(to_machine(staged(), "json"))["stages"]["queries"] == []


@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize("made", [comparison, real, staged])
def test_the_document_of_a_comparison_fits_its_published_schema(made, per_query) -> None:
    document = json.loads(to_machine(made(), "json", per_query=per_query), parse_constant=pytest.fail)
    check(document, schema_of("comparison"), schema_of("comparison"))
    difference = document["differences"][0]
    assert set(difference) == set(schema_of("comparison")["$defs"]["difference"]["properties"])
    assert (document["per_query"] is None) != per_query


def test_the_document_of_a_gate_fits_its_published_schema() -> None:
    document = json.loads(to_machine(verdict(), "json"), parse_constant=pytest.fail)
    check(document, schema_of("gate"), schema_of("gate"))
    assert set(document) == set(schema_of("gate")["properties"])


def test_numbers_that_no_claim_rests_on_stay_in_the_document() -> None:
    tail = json.loads(to_machine(comparison(), "json"))["segments"][2]
    assert tail["name"] == "tail"
    assert tail["differences"][0]["low"] == -0.0555


def test_csv_has_a_row_a_measure_and_segment_in_full() -> None:
    rows = list(csv.DictReader(io.StringIO(to_machine(comparison(), "csv").decode("utf-8"))))
    assert [row["segment"] for row in rows] == ["all"] * 4 + ["head", "torso", "tail", "known-item"]
    assert (rows[0]["measure"], rows[0]["difference"], rows[0]["p_adjusted"]) == ("nDCG@10", "0.032", "0.0022")


def test_csv_of_every_query_gives_both_values_and_their_difference() -> None:
    rows = list(csv.DictReader(io.StringIO(to_machine(comparison(), "csv", per_query=True).decode("utf-8"))))
    assert len(rows) == 16
    assert rows[0]["query_id"] == "q1"
    assert float(rows[0]["difference"]) == pytest.approx(-0.297)


def test_json_lines_and_parquet_hold_the_same_rows() -> None:
    import polars as pl

    lines = [json.loads(line) for line in to_machine(comparison(), "jsonl").decode("utf-8").splitlines()]
    frame = pl.read_parquet(io.BytesIO(to_machine(comparison(), "parquet")))
    assert frame["difference"].to_list() == [line["difference"] for line in lines]
