"""`reconcile` and `conventions` as they are called: what is read, refused, said, kept and shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import run as command
from assay.errors import InputError
from assay.report.describe import describe
from assay.results import dump, load

RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 2.0, "y": 1.0}}
QRELS = {"q1": {"a": 1.0, "b": 3.0, "c": 0.0, "d": 2.0}, "q2": {"x": 0.0, "y": 2.0}}
# exponential gain, k 3: q1 (1 + 7/log2 3) / (7 + 3/log2 3 + 1/2) = 0.57666, q2 1/log2 3 = 0.63093; mean 0.60380


def test_the_digits_are_those_of_the_text() -> None:
    for text, digits in {"0.6038": 4, "0.60": 2, " 0.6 ": 1, "6.038e-1": 4, "1": 1}.items():
        assert assay.reconcile(RUN, QRELS, "nDCG@3", text).digits == digits
    assert assay.reconcile(RUN, QRELS, "nDCG@3", 0.6038).digits == 4
    assert assay.reconcile(RUN, QRELS, "nDCG@3", 0.6, digits=4).digits == 4


def test_a_mean_and_the_value_of_a_query() -> None:
    whole = assay.reconcile(RUN, QRELS, "nDCG@3", "0.6038")
    assert whole.matches[0].deviations == (("gain", "exp"),)
    one = assay.reconcile(RUN, QRELS, "nDCG@3", "0.5767", query="q1")
    assert one.matches[0].deviations == (("gain", "exp"),)
    assert one.ours == pytest.approx((1 + 3 / 1.5849625007211562) / (3 + 2 / 1.5849625007211562 + 1 / 2))
    assert one.telling is None


def test_our_own_number_is_said_to_be_ours() -> None:
    ours = assay.evaluate(RUN, QRELS, "nDCG@3").mean()
    found = assay.reconcile(RUN, QRELS, "nDCG@3", f"{ours:.4f}")
    assert found.matches[0].kind == "ours"
    assert found.matches[0].deviations == ()
    assert any(tool.startswith("trec_eval") for tool in found.matches[0].tools)


def test_conventions_in_force_are_what_is_deviated_from() -> None:
    found = assay.reconcile(RUN, QRELS, "nDCG(gain=exp)@3", "0.6038")
    assert found.matches[0].kind == "ours"
    run = {"q1": {"a": 1.0, "b": 1.0}}
    qrels = {"q1": {"a": 1.0, "b": 0.0}}
    assert assay.reconcile(run, qrels, "RR", "0.5").matches[0].kind == "ours"
    assert assay.reconcile(run, qrels, "RR", "0.5", ties="input").matches[0].deviations == (("order", "docid"),)


def test_a_percentage_is_read_as_one_where_nothing_gives_the_number() -> None:
    found = assay.reconcile(RUN, QRELS, "nDCG@3", "60.38")
    assert (found.asked, found.digits) == (pytest.approx(0.6038), 4)
    assert found.matches[0].deviations == (("gain", "exp"),)
    assert found.notes[0].text == "60.38 is read as percent: 0.6038"


def test_a_value_above_1_is_not_a_percentage_where_documents_are_counted_twice() -> None:
    import polars as pl

    run = pl.DataFrame({"query_id": ["q"] * 3, "doc_id": ["a", "a", "b"], "score": [3.0, 2.0, 1.0]})
    found = assay.reconcile(run, {"q": {"a": 1.0, "b": 1.0}}, "AP@5", "1.5")
    assert found.asked == 1.5
    assert any(tool.startswith("RePlay") for tool in found.matches[0].tools)
    assert found.ours == 1.0
    assert found.notes[0].text == (
        "1 rows repeat a document of their query; ours counts the first, and evaluate refuses such a run"
    )


def test_labels_and_subtopics_are_read_as_everywhere() -> None:
    import polars as pl

    named = pl.DataFrame({"query_id": ["q1"] * 3, "doc_id": ["a", "b", "d"], "grade": ["ok", "good", "bad"]})
    run, labels = {"q1": {"a": 2.0, "b": 1.0}}, "{good:3,ok:1,bad:0}"
    ours = assay.evaluate(run, named, "nDCG@3", labels=labels).mean()
    assert assay.reconcile(run, named, "nDCG@3", f"{ours:.5f}", labels=labels).matches[0].kind == "ours"
    assert assay.conventions(run, named, "nDCG@3", labels=labels).ours == (pytest.approx(ours),)
    rows = {"query_id": ["q1"] * 3, "doc_id": ["a", "a", "b"], "subtopic": ["1", "2", "1"], "grade": [1.0, 2.0, 1.0]}
    ours = assay.evaluate(run, pl.DataFrame(rows), "nDCG@3").mean()
    found = assay.reconcile(run, pl.DataFrame(rows), "nDCG@3", f"{ours:.5f}")
    assert found.matches[0].kind == "ours"
    assert found.ours == pytest.approx(found.matches[0].value)


def test_nothing_gives_a_made_up_number() -> None:
    found = assay.reconcile(RUN, QRELS, "nDCG@3", "0.123456")
    assert not found.is_explained
    assert found.matches == ()
    assert len(found.nearest) == 3
    assert found.tried > 500
    assert 0 < found.distinct <= found.tried


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        ("about half", {}, "--value: 'about half' is no number"),
        ("nan", {}, "--value: nan is no finite number"),
        ("0.5", {"digits": 0}, "--digits: 0 digits"),
        ("0.5", {"query": "q9"}, "no query q9 in the judgments"),
        ("0.5", {"measure": "nDCG@3 P@3"}, "2 measures were named; one number is reconciled at a time"),
        ("0.5", {"measure": "Rprec"}, "the ways of other tools to Rprec are not known"),
    ],
)
def test_what_cannot_be_asked(value: str, options: dict[str, Any], message: str) -> None:
    measure = options.pop("measure", "nDCG@3")
    with pytest.raises(InputError) as error:
        assay.reconcile(RUN, QRELS, measure, value, **options)
    assert message in str(error.value)
    assert "mend:" in str(error.value) or "query" in options


def test_a_run_of_other_queries_is_refused_as_everywhere() -> None:
    with pytest.raises(InputError, match="no query in common"):
        assay.reconcile({"z1": {"a": 1.0}}, QRELS, "nDCG@3", "0.5")


def test_the_table_shows_ours_first_and_each_difference() -> None:
    table = assay.conventions(RUN, QRELS, "nDCG@3,P@3")
    assert [str(measure) for measure in table.measures] == ["nDCG@3", "P@3"]
    for measure, ours in zip(table.measures, table.ours, strict=True):
        rows = [row for row in table.rows if row.measure == str(measure)]
        assert rows[0].kind == "ours"
        assert rows[0].value == pytest.approx(ours)
        assert ours == pytest.approx(assay.evaluate(RUN, QRELS, measure).mean())
        assert all(row.difference == pytest.approx(row.value - ours) for row in rows)
        assert len({row.deviations for row in rows}) == len(rows)
    exponential = next(row for row in table.rows if row.deviations == (("gain", "exp"),))
    assert f"{exponential.value:.4f}" == "0.6038"
    short = next(row for row in table.rows if row.deviations == (("short", "list"),))
    assert short.value == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_the_settings_measures_are_shown_when_none_is_named() -> None:
    table = assay.conventions(RUN, QRELS)
    assert [str(measure) for measure in table.measures] == ["nDCG@10", "P@10", "R@100", "RR"]


def test_the_table_of_one_query() -> None:
    table = assay.conventions(RUN, QRELS, "RR", query="q2")
    assert table.ours == (1 / 2,)
    assert table.rows[0].value == 1 / 2


@pytest.mark.parametrize("make", [
    lambda: assay.reconcile(RUN, QRELS, "nDCG@3", "0.6038"),
    lambda: assay.reconcile(RUN, QRELS, "nDCG@3", "0.123456"),
    lambda: assay.conventions(RUN, QRELS, "nDCG@3,P@3"),
])  # fmt: skip
def test_results_are_kept_and_opened_again(make: Any) -> None:
    result = make()
    again = load(dump(result))
    assert dump(again) == dump(result)
    assert describe(again) == describe(result)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    lines = [(q, doc, score) for q, docs in RUN.items() for doc, score in docs.items()]
    run.write_text("".join(f"{q} Q0 {d} {i} {s} x\n" for i, (q, d, s) in enumerate(lines, 1)), encoding="utf-8")
    judged = [(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
    qrels.write_text("".join(f"{q} 0 {d} {g:g}\n" for q, d, g in judged), encoding="utf-8")
    return str(run), str(qrels)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = command(list(words))
    return code, capsys.readouterr().out


def test_the_command_names_the_tools_and_ends_well(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out = said(capsys, "reconcile", *files, "--measure", "nDCG@3", "--value", "0.6038")
    assert code == 0
    first = out.splitlines()[0]
    assert first.startswith("0.6038 for nDCG@3 of a is what ranx 0.3.21 ndcg_burges@3 and")
    assert "the gain is 2^grade - 1" in " ".join(out.split())
    assert "Ours is 0.6192." in out


def test_the_command_ends_with_1_when_nothing_gives_the_number(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = said(capsys, "reconcile", *files, "-m", "nDCG@3", "--value", "0.123456")
    assert code == 1
    assert out.startswith("No known convention gives 0.123456 for nDCG@3 of a.\n")
    assert "assay conventions" in out


@pytest.mark.parametrize("format", ["table", "md", "html", "json", "csv", "jsonl"])
def test_both_commands_write_every_format(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], format: str
) -> None:
    code, out = said(capsys, "reconcile", *files, "-m", "nDCG@3", "--value", "0.6038", "--format", format)
    assert code == 0
    assert "Quepid" in out
    code, out = said(capsys, "conventions", *files, "-m", "nDCG@3,P@3", "--format", format)
    assert code == 0
    assert "Quepid" in out
    if format == "json":
        document = json.loads(out)
        assert document["kind"] == "conventiontable"
        assert {row["measure"] for row in document["rows"]} == {"nDCG@3", "P@3"}
    if format == "csv":
        assert out.splitlines()[0] == "measure,value,to ours,given by,differs from ours"


def test_a_kept_answer_is_shown_again(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = str(tmp_path / "why.assay")
    code, _ = said(capsys, "reconcile", *files, "-m", "nDCG@3", "--value", "0.6038", "-o", kept)
    assert code == 0
    code, out = said(capsys, "show", kept)
    assert code == 0
    assert "0.6038 for nDCG@3" in out


def test_a_wrong_number_is_refused_by_the_command(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["reconcile", *files, "-m", "nDCG@3", "--value", "zero"]) == 3
    assert capsys.readouterr().err == (
        "--value: 'zero' is no number\n    mend: pass it as it was printed, such as 0.4123\n"
    )
