"""CSV that people open in a spreadsheet: no id or text of theirs is left for it to calculate."""

from __future__ import annotations

import csv
import io

import pytest

from cli.typed import Shell

OPEN = ("=", "+", "-", "@", "\t", "\r")
QUERY, DOC = '=HYPERLINK("x")', "@d1"


@pytest.fixture
def shop(assay: Shell) -> Shell:
    """Two runs and judgments whose ids begin as formulas do."""
    for name, (first, second) in {"a": (DOC, "-d2"), "b": ("-d2", DOC)}.items():
        lines = [f"{query} Q0 {doc} {rank} {5 - rank} {name}\n" for query in (QUERY, "+q2")
                 for rank, doc in enumerate((first, second), 1)]  # fmt: skip
        (assay.folder / f"{name}.run").write_text("".join(lines), encoding="utf-8")
    judged = [(QUERY, DOC, 1), (QUERY, "-d2", 0), ("+q2", DOC, 0), ("+q2", "-d2", -1)]
    qrels = "".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in judged)
    (assay.folder / "shop.qrels").write_text(qrels, encoding="utf-8")
    return assay


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    "line",
    [
        ("evaluate", "a.run", "shop.qrels", "-m", "P@1", "--per-query", "--format", "csv"),
        ("compare", "a.run", "b.run", "shop.qrels", "-m", "P@1", "--per-query", "--format", "csv"),
        ("convert", "shop.qrels", "-", "--to", "csv"),
    ],
    ids=lambda line: line[0],
)
def test_ids_are_guarded_and_numbers_are_not(shop: Shell, line: tuple[str, ...]) -> None:
    said = shop(*line)
    assert said.code == 0, said.err
    found = table(said.out)
    assert {row["query_id"] for row in found} >= {"'" + QUERY}
    cells = [cell for row in found for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(OPEN) and not is_number(cell)]
    assert not [cell for cell in cells if cell.startswith("'") and is_number(cell[1:])]


def test_many_rows_are_guarded_as_few_are(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    line = ("evaluate", "a.run", "shop.qrels", "-m", "P@1", "-m", "RR", "--per-query", "--format", "csv")
    few = shop(*line).out
    monkeypatch.setattr("assay.report.rows.MANY", 0)
    monkeypatch.setattr("assay.report.rows.HUGE", 0)
    assert shop(*line).out == few
    assert "'+q2" in few


def test_judgments_go_through_a_spreadsheet_and_score_as_before(shop: Shell) -> None:
    assert shop("convert", "shop.qrels", "shop.csv", "--to", "csv").code == 0
    assert "'@d1" in (shop.folder / "shop.csv").read_text("utf-8")
    before = shop("evaluate", "a.run", "shop.qrels", "-m", "P@1", "-m", "Bpref", "--format", "csv")
    after = shop("evaluate", "a.run", "shop.csv", "-m", "P@1", "-m", "Bpref", "--format", "csv")
    assert before.out == after.out
    assert "8 cells have an apostrophe before = + - @" in " ".join(after.err.split())


def test_a_pool_is_guarded(shop: Shell) -> None:
    said = shop("pool", "make", "a.run", "b.run", "--pairs", "pairs.csv", "--depth", "2")
    assert said.code == 0, said.err
    found = table((shop.folder / "pairs.csv").read_text("utf-8"))
    assert {(row["query_id"], row["doc_id"]) for row in found} == {
        (query, doc) for query in ("'" + QUERY, "'+q2") for doc in ("'@d1", "'-d2")
    }
