"""What a verb writes beside its result replaces nothing, and what it cannot reckon with is refused first."""

from __future__ import annotations

import pytest

from cli.typed import Shell

RUNS = ("bm25.run", "dense.run")
COMPARED = ("compare", *RUNS, "--qrels", "judgments.qrels", "-m", "nDCG@10", "--to-label")


@pytest.mark.parametrize(
    "typed",
    [
        ("sample", "searches.csv", "--strata", "head:1", "--write", "x.csv", "--folds", "x.csv"),
        ("sample", "searches.csv", "--strata", "head:1", "--write", "x.csv", "-o", "x.csv"),
        ("sample", "searches.csv", "--strata", "head:1", "--folds", "x.csv", "--html", "./x.csv"),
        ("pool", "make", *RUNS, "--pairs", "x.csv", "-o", "x.csv"),
        (*COMPARED, "x.csv", "-o", "x.csv"),
    ],
)
def test_two_things_are_not_written_to_one_file(assay: Shell, typed: tuple[str, ...]) -> None:
    said = assay(*typed)
    assert (said.code, said.out) == (3, "")
    assert "two things would be written to" in said.err
    assert not (assay.folder / "x.csv").exists()


def test_files_of_their_own_are_all_written(assay: Shell) -> None:
    names = ("set.csv", "folds.csv", "report.json", "page.html")
    said = assay("sample", "searches.csv", "--strata", "head:1", "--write", names[0], "--folds", names[1],
                 "-o", names[2], "--html", names[3])  # fmt: skip
    assert said.code == 0, said.err
    assert all((assay.folder / name).stat().st_size for name in names)
    over = assay("sample", "searches.csv", "--strata", "head:1", "--write", "searches.csv")
    assert "searches.csv is one of the inputs" in over.err


@pytest.mark.parametrize("typed", [("--tail", "nan"), ("--minutes", "nan"), ("--minutes", "inf")])
def test_a_number_that_is_none_is_refused_before_any_work(assay: Shell, typed: tuple[str, str]) -> None:
    said = assay("pool", "make", *RUNS, *typed)
    assert (said.code, said.out) == (3, "")
    assert f"{typed[0]}': {typed[1]} is no finite number" in said.err
