"""Tables with a column a rater, and the choice of raters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.judgments.agreement import RaterAgreement

WIDE: dict[str, Any] = {
    "query": ["q1", "q1", "q2"],
    "docid": ["a", "b", "a"],
    "ana": [0, 2, 1],
    "bo": [0, 1, None],
    "cy": [2, 2, 1],
}
LONG = [
    {"query_id": q, "doc_id": d, "rater": who, "grade": WIDE[who][i]}
    for i, (q, d) in enumerate(zip(WIDE["query"], WIDE["docid"], strict=True))
    for who in ("ana", "bo", "cy")
    if WIDE[who][i] is not None
]


def figures(found: object) -> Any:
    assert isinstance(found, RaterAgreement)
    return found.total, found.pairs, found.raters, found.disputes, found.mean_kappa


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "arrow"])
def test_a_column_a_rater_says_what_a_row_a_rating_says(tmp_path: Path, ending: str) -> None:
    frame, target = pl.DataFrame(WIDE, strict=False), tmp_path / f"wide.{ending}"
    {
        "csv": frame.write_csv,
        "tsv": lambda x: frame.write_csv(x, separator="\t"),
        "jsonl": frame.write_ndjson,
        "parquet": frame.write_parquet,
        "arrow": frame.write_ipc,
    }[ending](target)  # type: ignore[operator]
    found = assay.agree(str(target), grades=[0, 1, 2])
    assert figures(found) == figures(assay.agree(LONG, grades=[0, 1, 2]))
    assert found.notes[0].text == "read each of the columns ana, bo, cy as a rater"


def test_what_holds_rows_in_memory_is_told_likewise() -> None:
    long = figures(assay.agree(LONG, grades=[0, 1, 2]))
    assert figures(assay.agree(pl.DataFrame(WIDE, strict=False), grades=[0, 1, 2])) == long
    assert figures(assay.agree(WIDE, grades=[0, 1, 2])) == long
    with pytest.raises(InputError, match="no pair of query and document has two ratings"):
        assay.agree({"q1": {"a": 1, "b": 2}})  # documents and grades, no columns


@pytest.mark.parametrize("x", [WIDE, LONG])
def test_raters_are_chosen_in_both_kinds(x: Any) -> None:
    found = assay.agree(x, raters="ana,cy", grades=[0, 1, 2])
    assert isinstance(found, RaterAgreement)
    assert [one.name for one in found.raters] == ["ana", "cy"]
    # by hand: 0 2, 2 2, 1 1: squares 4; ana 1 1 1 and cy 0 1 2 of the grades 0 1 2 cross to 1*(1+8) + 1*(2) + 1*(1)
    assert found.deciding.value == pytest.approx(1 - 4 / ((1 + 8 + 2 + 1) / 3))
    with pytest.raises(InputError, match="agreement takes two raters at least"):
        assay.agree(x, raters=["ana"])
    with pytest.raises(InputError, match=r"no (rater|column) anna; did you mean ana\?"):
        assay.agree(x, raters=["anna", "bo"])


def test_adjudicators_stay_whoever_is_chosen() -> None:
    rows = [{**row, "role": "rater"} for row in LONG]
    rows.append({"query_id": "q1", "doc_id": "a", "rater": "judge", "grade": 2, "role": "adjudicator"})
    found = assay.agree(rows, raters="ana,cy", grades=[0, 1, 2])
    assert isinstance(found, RaterAgreement)
    assert [(one.name, one.same) for one in found.settled] == [("ana", 0.0), ("cy", 1.0)]


def test_preferences_of_chosen_raters() -> None:
    pair = {"query_id": "q", "doc_id": "a", "other_doc_id": "b", "preference": "first"}
    rows = [pair | {"rater": who} for who in ("ana", "bo")] + [pair | {"rater": "cy", "preference": "second"}]
    assert assay.agree(rows).opposed == 1  # type: ignore[union-attr]
    assert assay.agree(rows, raters="ana,bo").opposed == 0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("head", "row", "said"),
    [
        ("query,docid,ana,bo,final", "q,d,1,2,2", r"x.csv:1: column final may be a rater or what the raters came to"),
        ("query,docid,ana,bo,title", "q,d,1,2,red", r"x.csv:2, column title: 'red' is no grade"),
        ("query,docid,judge,bo", "q,d,1,2", r"column judge may name the rater of a row or be the grades of one"),
        ("query,docid,ana", "q,d,1", r"x.csv:1: ana is all that raters can be read from"),
        ("query,docid,ana,bo", "q,d,,", r"the columns of raters hold no grade"),
        ("query,docid,rater,grade,ana,bo", "q,d,x,1,1,2", r"no rater ana"),  # a row a rating, by its names
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(tmp_path: Path, head: str, row: str, said: str) -> None:
    (tmp_path / "x.csv").write_text(f"{head}\n{row}\n", "utf-8")
    with pytest.raises(InputError, match=said):
        assay.agree(str(tmp_path / "x.csv"), raters="ana,bo" if "rater" in head else None)


def test_raters_that_are_named_settle_what_a_table_is(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("query,docid,ana,bo,final,title\nq,d,1,2,2,red\nq,e,0,0,0,blue\n", "utf-8")
    found = assay.agree(str(tmp_path / "x.csv"), raters="ana,bo")
    assert isinstance(found, RaterAgreement)
    assert (found.total.ratings, [one.name for one in found.raters]) == (4, ["ana", "bo"])
    (tmp_path / "y.csv").write_text("query,docid,grade,ana,bo\nq,d,2,1,2\nq,e,0,0,0\n", "utf-8")
    with pytest.raises(InputError, match="no pair of query and document has two ratings"):
        assay.agree(str(tmp_path / "y.csv"))
    assert assay.agree(str(tmp_path / "y.csv"), raters="ana,bo").total.ratings == 4  # type: ignore[union-attr]


def test_words_are_grades_by_a_map_of_labels(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("query,docid,ana,bo\nq,d,good,bad\nq,e,bad,bad\n", "utf-8")
    found = assay.agree(str(tmp_path / "x.csv"), labels="{good:1,bad:0}")
    assert isinstance(found, RaterAgreement)
    assert found.pairs[0].table == ((1, 0), (1, 0))
    with pytest.raises(InputError, match=r"x.csv:2, column ana: .* has no label 'good'"):
        assay.agree(str(tmp_path / "x.csv"), labels="{fine:1,bad:0}")


@pytest.mark.shared
def test_the_tables_of_a_shop_and_of_code_are_read_as_they_are(shared: Path) -> None:
    shop = shared / "data/collections/chorus_ratings"
    facts = json.loads((shop / "facts.json").read_text())
    found = assay.agree(str(shop / "individual_ratings.csv"), raters="rater_1,rater_2,rater_3", grades=[0, 1, 2, 3])
    assert isinstance(found, RaterAgreement)
    kappas = [facts[f"kappa_quadratic_{two}"] for two in ("12", "13", "23")]
    assert found.deciding.value == pytest.approx(np.mean(kappas), abs=1e-6)
    with pytest.raises(InputError, match="column final may be a rater"):
        assay.agree(str(shop / "individual_ratings.csv"))
    code = shared / "data/collections/codesearchnet_annotations"
    counted = json.loads((code / "facts.json").read_text())
    told = assay.agree(str(code / "annotations.csv.gz"), columns={"doc_id": "url"})
    assert isinstance(told, RaterAgreement)
    assert told.total.ratings == counted["ratings"]
    assert told.deciding.name == "alpha, interval"  # its raters have no names
