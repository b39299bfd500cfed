"""Preferences as tables: which are recognised, and how they are written for trec_eval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.errors import InputError
from assay.flows.agree import agree
from assay.flows.pair_levels import write_levels
from assay.flows.pair_tables import is_preferences
from assay.flows.results import keep
from assay.flows.workbench import Workbench
from assay.results import load
from assay.tables import Judgment, Preference

ROW = {"query_id": "q1", "doc_id": "a", "other_doc_id": "b", "preference": "first"}


def preferred(doc: str, other: str, preference: str, rater: str, turn: int = 0) -> dict[str, Any]:
    pair = {"query_id": "q1", "doc_id": doc, "other_doc_id": other}
    return pair | {"preference": preference, "rater": rater, "turn": turn}


def test_two_documents_in_a_row_make_a_table_of_preferences(tmp_path: Path) -> None:
    frame = pl.DataFrame([ROW])
    frame.write_csv(tmp_path / "prefs.csv")
    frame.write_ndjson(tmp_path / "prefs.jsonl")
    frame.write_parquet(tmp_path / "prefs.parquet")
    frame.write_ipc(tmp_path / "prefs.arrow")
    frame.drop("other_doc_id").write_csv(tmp_path / "qrels.csv")
    bench = Workbench(workspace=None)
    for x in (frame, frame.to_dict(as_series=False), [ROW], [Preference("q1", "a", "b")]):
        assert is_preferences(bench, x)
    for name in ("prefs.csv", "prefs.jsonl", "prefs.parquet", "prefs.arrow"):
        assert is_preferences(bench, str(tmp_path / name)), name
    for other in ({"q1": {"a": 1}}, [Judgment("q1", "a", 1)], str(tmp_path / "qrels.csv"), []):
        assert not is_preferences(bench, other)
    with pytest.raises(InputError, match="no such file"):
        is_preferences(bench, str(tmp_path / "none.csv"))


def test_agree_tells_preferences_from_grades(tmp_path: Path) -> None:
    rows = [preferred("a", "b", "first", "x"), preferred("b", "a", "second", "y")]
    found = agree(rows)
    assert type(found).__name__ == "PreferenceAgreement"
    assert found.coefficients[0].value == 1.0  # type: ignore[union-attr] # preferences
    with pytest.raises(InputError, match="preferences have no grades and no parts"):
        agree(rows, by="rubric")
    assert load(keep(found, tmp_path / "found.assay").read_bytes()) == found


def test_trec_eval_reads_what_is_written(tmp_path: Path) -> None:
    said = [
        preferred("a", "b", "first", "ann x"), preferred("c", "b", "second", "ann x"), preferred("a", "c", "tie", "bo"),
        preferred("a", "b", "both-bad", "bo"), preferred("c", "a", "first", "bo"), preferred("c", "b", "first", "cy"),
        preferred("b", "a", "first", "cy"), preferred("b", "a", "second", "cy", turn=1),
    ]  # fmt: skip
    target = tmp_path / "prefs.txt"
    write_levels(said, target)
    # One group a pair: `bo` finds a and b both bad and yet prefers c to a, which trec_eval refuses in one group.
    # trec_eval 10.0-rc3 -R prefs, run a, c, b: prefs_num_prefs_poss 5, prefs_num_prefs_ful 2, prefs_simp 0.4000,
    # as counted by hand: of a > b, b > c, c > a, c > b, b > a the run has the first and the fourth.
    assert target.read_text("utf-8").splitlines() == [
        "q1 ann%20x.1 0 a 3", "q1 ann%20x.1 0 b 1", "q1 ann%20x.2 0 c 1", "q1 ann%20x.2 0 b 3",
        "q1 bo.3 0 a 2", "q1 bo.3 0 c 2", "q1 bo.4 0 a 0", "q1 bo.4 0 b 0", "q1 bo.5 0 c 3", "q1 bo.5 0 a 1",
        "q1 cy.6 0 c 3", "q1 cy.6 0 b 1", "q1 cy.7 0 b 3", "q1 cy.7 0 a 1",
    ]  # fmt: skip
