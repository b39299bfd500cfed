"""What a verb writes beside its result replaces nothing, and what it cannot reckon with is refused first."""

from __future__ import annotations

import click
import pytest

from assay.cli.main import assay as group
from cli.typed import Shell

RUNS = ("bm25.run", "dense.run")
COMPARED = ("compare", *RUNS, "--qrels", "judgments.qrels", "-m", "nDCG@10", "--to-label")


@pytest.mark.parametrize(
    "typed",
    [
        ("sample", "searches.csv", "--strata", "head:1", "--write", "x.csv", "--folds", "x.csv"),
        ("sample", "searches.csv", "--strata", "head:1", "--write", "x.csv", "-o", "x.csv"),
        ("sample", "searches.csv", "--strata", "head:1", "--folds", "x.csv", "-o", "./x.csv"),
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


NO_CSV = "is written as CSV, and the ending .xlsx says another format\n    mend: give it .csv\n"
NO_PAGE = "is written as one page of HTML, and the ending .pdf says another format\n    mend: give it .html or .htm\n"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("sample", "searches.csv", "--size", "4", "--write", "x.xlsx"), f"x.xlsx: --write {NO_CSV}"),
        (("sample", "searches.csv", "--size", "4", "--folds", "x.xlsx"), f"x.xlsx: --folds {NO_CSV}"),
        (("pool", "make", *RUNS, "--pairs", "x.xlsx"), f"x.xlsx: --pairs {NO_CSV}"),
        ((*COMPARED, "x.xlsx"), f"x.xlsx: --to-label {NO_CSV}"),
        (("rubric", "apply", "a.csv", "--rubric", "r.md", "--write", "x.xlsx"), f"x.xlsx: --write {NO_CSV}"),
        (("agree", "ratings.csv", "--html", "x.pdf"), f"x.pdf: --html {NO_PAGE}"),
        (("report", "x.assay", "-o", "x.pdf"), f"x.pdf: --output {NO_PAGE}"),
        (("validate", "bm25.run", "--junit", "x.pdf"), "x.pdf: --junit is written as XML"),
        (("gate", "init", "--change", "ranking", "-o", "x.pdf"), "x.pdf: --output is written as TOML"),
        (("privacy", "export", "ana", "-o", "x.pdf"), "x.pdf: --output is written as JSON"),
        (("rubric", "init", "x.pdf"), "x.pdf: the file is written as Markdown, and the ending .pdf"),
        (("compare", *RUNS, "judgments.qrels", "--charts", "x.svg"), "x.svg: --charts makes a folder"),
        (("report", "c.assay", "--charts", "x.png"), "x.png: --charts makes a folder"),
    ],
    ids=[
        "write",
        "folds",
        "pairs",
        "to-label",
        "graded",
        "page",
        "report",
        "junit",
        "rules",
        "person",
        "rubric",
        "charts",
        "charts-of-a-report",
    ],
)
def test_an_ending_that_says_another_format_is_refused_before_any_work(
    assay: Shell, typed: tuple[str, ...], said: str
) -> None:
    found = assay(*typed)
    assert (found.code, found.out) == (3, "")
    assert found.err.startswith(said)
    assert not [*assay.folder.glob("x.*")]


@pytest.mark.parametrize("name", ["x.pdf", "x.PNG", "night.2", "x.parquet"])
def test_an_output_whose_ending_says_no_format_is_refused_unless_the_format_is_said(assay: Shell, name: str) -> None:
    said = assay("agree", "ratings.csv", "-o", name)
    assert said.err == (
        f"{name}: the ending {name[name.index('.') :].lower()} says no format that is written here\n"
        "    mend: give it .csv, .json, .jsonl, .ndjson, .md, .html, .htm, .assay, .txt, or pass --format "
        "table|json|csv|jsonl|md|html|assay\n"
    )
    assert (said.code, said.out, (assay.folder / name).exists()) == (3, "", False)
    assert assay("agree", "ratings.csv", "-o", name, "--format", "csv").code == 0
    assert (assay.folder / name).read_text("utf-8").startswith("table,coefficient,value")
    assert assay("agree", "ratings.csv", "-o", "plain").code == 0  # no ending: a table
    assert (assay.folder / "plain").read_text("utf-8") == assay("agree", "ratings.csv").out


def test_a_file_that_a_verb_makes_is_told_from_what_it_prints(assay: Shell) -> None:
    said = assay("simulate", "logs", *RUNS, "judgments.qrels", "-o", "x.parquet")
    assert said.err.startswith("x.parquet: the ending .parquet says no format that is written here\n")
    assert said.err.endswith("|assay; -o takes what is printed, --out the file that is made\n")
    assert (said.code, said.out, (assay.folder / "x.parquet").exists()) == (3, "", False)


def test_every_verb_with_an_output_looks_at_its_ending() -> None:
    def commands(command: click.Command) -> list[click.Command]:
        if not isinstance(command, click.Group):
            return [command]
        context = click.Context(command)
        inner = [command.get_command(context, name) for name in command.list_commands(context)]
        return [one for each in inner if each is not None for one in commands(each)]

    looked = [
        (command.name, option.callback is not None)
        for command in commands(group)
        for option in command.params
        if option.name in ("output", "html")
    ]
    assert len(looked) > 40
    assert [name for name, is_looked_at in looked if not is_looked_at] == []
