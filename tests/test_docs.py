"""The documentation is true: its commands and its Python print what it shows, and nothing is missing from it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import build  # noqa: E402 # stands in docs/
import console  # noqa: E402

BLOCKS = [block for page in console.pages() for block in console.blocks(page) if block.is_run]
SOON = ("README.md", "CONTRIBUTING.md", "ten-minutes.md")
"""The pages that a newcomer types first are tried with every `make test`, the others with the marked suite."""


def of_kind(kind: str) -> list[Any]:
    """The blocks of one kind, those of the guides marked slow, or spark where they need it."""
    marked = {True: pytest.mark.spark, False: pytest.mark.slow}
    return [
        pytest.param(block, id=block.name, marks=() if block.page.name in SOON else marked[block.is_on_spark])
        for block in BLOCKS
        if block.kind == kind
    ]


@pytest.mark.parametrize("block", of_kind("console"))
def test_commands_print_what_the_page_shows(block: console.Fenced, tmp_path: Path) -> None:
    folder = console.folder_of(block, tmp_path / "example")
    shown = console.commands(block.text)
    assert shown, f"{block.name} has no command"
    for command, expected in shown:
        code, actual = console.run(command, folder, block.is_on_spark)
        assert code == (block.exit_code if command == shown[-1][0] else 0), actual
        if "output=any" not in block.info:
            assert console.fits(expected, actual), f"{block.name}: $ {command}\n{actual}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["sample-queries", "make-a-pool", "audit-the-pool", "what-unjudged-could-do", "write-a-rubric", "several-raters",
     "show-raters-the-document", "run-a-labelling-project", "use-the-labels", "compare-two-documents",
     "from-beir-and-ms-marco", "from-elasticsearch-rank-eval", "from-opensearch-workbench", "from-rag-toolkits",
     "serve-a-team"],
)  # fmt: skip
def test_a_page_works_from_the_top_in_one_folder(name: str, tmp_path: Path) -> None:
    folder, laid = console.example_folder(tmp_path / "example"), dict[str, str]()
    blocks = [one for one in console.blocks(ROOT / f"docs/how-to/{name}.md") if one.kind == "console" and one.is_run]
    assert blocks
    for block in blocks:
        fresh = {file: text for file, text in block.files if laid.get(file) != text}
        for file, text in fresh.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8")
        laid |= fresh
        shown = console.commands(block.text)
        for command, _ in shown:
            code, said = console.run(command, folder)
            assert code == (block.exit_code if command == shown[-1][0] else 0), f"{block.name}: $ {command}\n{said}"


@pytest.mark.parametrize("block", of_kind("python"))
def test_python_prints_what_the_page_shows(block: console.Fenced, tmp_path: Path) -> None:
    folder = console.example_folder(tmp_path / "example", block.files)
    (folder / "script.py").write_text(block.text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "script.py"], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    inline = [found[1] for line in block.text.splitlines() if (found := console.PRINTED.match(line))]
    below = re.search(r"(?:^# .*\n)+\Z", block.text, re.MULTILINE)
    expected = inline or ([line[2:] for line in below[0].splitlines()] if below else [])
    if expected:
        assert done.stdout.splitlines() == expected


@pytest.mark.parametrize("name", list(build.PAGES))
def test_the_reference_is_up_to_date(name: str) -> None:
    page = ROOT / "docs" / "reference" / name
    made = build.MADE + build.PAGES[name]().rstrip() + "\n"
    assert page.read_text("utf-8") == made, "run python docs/build.py"


def reference(name: str) -> str:
    return (ROOT / "docs" / "reference" / name).read_text("utf-8")


def test_every_measure_is_in_the_documentation() -> None:
    from assay.measures.measure import MEASURES

    page = reference("measures.md")
    assert [name for name in MEASURES.names() if f"## {name}\n" not in page] == []


def test_every_parameter_of_a_measure_is_explained() -> None:
    from assay.measures.measure import MEASURES

    silent = []
    for name in MEASURES.names():
        about = MEASURES.find(name)
        told = build.arguments(about.function.__doc__ or "")
        silent += [f"{name}: {parameter.name}" for parameter in about.parameters if not told.get(parameter.name)]
    assert silent == []


def test_every_command_is_in_the_reference_and_in_a_guide() -> None:
    from assay.cli.main import VERBS

    page = reference("commands.md")
    guides = "".join(page.read_text("utf-8") for page in console.pages() if "reference" not in page.parts)
    for verb in (verb for group in VERBS.values() for verb in group):
        assert f"## assay {verb}\n" in page
        assert f"assay {verb}" in guides


def test_every_table_is_in_the_documentation() -> None:
    import assay.tables as home

    page = reference("tables.md")
    tables = {name for name, cls in vars(home).items() if isinstance(cls, type) and is_dataclass(cls)} - {"Block"}
    assert {"Hit", "Judgment", "Topic", "Document"} <= tables
    assert [name for name in sorted(tables) if f"## {name}\n" not in page] == []


def test_every_convention_is_explained() -> None:
    from assay.ranking.conventions import Conventions

    page = (ROOT / "docs/why/one-ranking.md").read_text("utf-8")
    told = build.arguments(Conventions.__doc__ or "")
    for name in Conventions.__dataclass_fields__:
        assert told.get(name), name
        assert f"--{name.replace('_', '-')}" in page, name


def test_every_name_of_the_package_is_in_the_reference() -> None:
    import assay

    page = reference("python.md")
    plain = [name for name in assay.__all__ if not name.startswith("__")]
    assert [name for name in plain if name not in page] == []


def links() -> list[tuple[Path, str]]:
    pages = [*console.pages(), *sorted((ROOT / "docs/decisions").glob("*.md"))]
    found = [(page, link) for page in pages for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))]
    return [(page, link) for page, link in found if not link.startswith(("http:", "https:", "mailto:"))]


@pytest.mark.parametrize(("page", "link"), links(), ids=lambda value: getattr(value, "stem", value))
def test_every_link_leads_to_a_page_and_a_heading(page: Path, link: str) -> None:
    path, _, heading = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    assert target.exists(), f"{page.name} links to {link}"
    if heading:
        text = target.read_text("utf-8")
        anchors = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)}
        assert heading in anchors, f"{page.name} links to {link}"


def test_every_page_can_be_reached_from_the_index() -> None:
    index = (ROOT / "docs/index.md").read_text("utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = page.relative_to(ROOT / "docs").as_posix()
        assert name == "index.md" or name.startswith("decisions/") or f"({name})" in index, name


def test_decisions_say_why_and_what_would_change_them() -> None:
    for page in sorted((ROOT / "docs/decisions").glob("*.md")):
        text = page.read_text("utf-8")
        for part in ("Question", "Choice", "Because", "Instead of", "Would change our mind"):
            assert f"**{part}.**" in text, f"{page.name}: {part}"


def test_the_sample_settings_are_those_of_the_guide() -> None:
    guide = (ROOT / "docs/how-to/team-conventions.md").read_text("utf-8")
    assert (ROOT / "examples/assay.toml").read_text("utf-8") in guide


def test_the_five_lines_are_those_of_the_readme() -> None:
    lines = (ROOT / "examples/five_lines.py").read_text("utf-8").split('"""\n\n', 1)[1]
    assert lines in (ROOT / "README.md").read_text("utf-8")


def test_the_examples_run(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples/five_lines.py")],
        capture_output=True, encoding="utf-8", check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["bm25", "dense", "two-stage"]


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_nightly_script_keeps_a_result_a_page_and_a_table(tmp_path: Path) -> None:
    folder = console.example_folder(tmp_path / "example")
    code, said = console.run(f"NIGHT=2031-01-02 sh {ROOT / 'examples/nightly.sh'}", folder)
    assert code == 0, said
    assert {file.name for file in (folder / "results").iterdir()} == {
        "2031-01-02.assay", "2031-01-02.html", "2031-01-02.csv",
    }  # fmt: skip
    assert "two-stage" in (folder / "results/2031-01-02.csv").read_text("utf-8")
