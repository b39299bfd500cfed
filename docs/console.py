"""The commands and the Python in the documentation: finds them, runs them, compares or renews what they print.

A block is run in a new folder that holds the files of the bundled example. Its fence says how:

    ```console              `$ ` lines are commands; what follows each is its output, compared exactly
    ```console exit=3       the last command ends with exit code 3
    ```console output=any   only the exit code is compared
    ```console run=no       shown, not run (it needs the network or a file of the reader)
    ```console needs=spark  run where Java and pyspark are; what Spark says on stderr is no output
    ```console goes-on      run in the folder that the console block before it left behind
    ```python               run as a script; the comments of its print lines are its output
    ```toml assay.toml      written under that name in the folder of the next block (csv, tsv, json and jsonl too)

A line `...` in an output stands for any lines.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
WIDTH = "100"

DATA = ("toml", "csv", "tsv", "jsonl", "json")
FENCE = re.compile(r"^```(console|python|toml|csv|tsv|jsonl|json)([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^\s*print\(.*\)\s*# (.*)$")


@dataclass(frozen=True)
class Fenced:
    """One block of a page.

    Args:
        page: the file.
        line: where its text begins, from 1.
        kind: console or python.
        info: what stands behind the kind.
        text: what stands between the fences.
        span: where the text lies in the page.
        files: (name, text) of the files that blocks before it gave a name to.
        before: commands of the blocks that it goes on from.
    """

    page: Path
    line: int
    kind: str
    info: str
    text: str
    span: tuple[int, int]
    files: tuple[tuple[str, str], ...] = ()
    before: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The place, as in messages."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def is_run(self) -> bool:
        """Whether anything is to be run."""
        return self.kind in ("console", "python") and "run=no" not in self.info

    @property
    def is_on_spark(self) -> bool:
        """Whether it needs Java and pyspark."""
        return "needs=spark" in self.info

    @property
    def exit_code(self) -> int:
        """The exit code of the last command."""
        found = re.search(r"exit=(\d+)", self.info)
        return int(found[1]) if found else 0


def pages() -> list[Path]:
    """Every page that a reader sees, the README first."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    return found + sorted(page for page in (ROOT / "docs").rglob("*.md") if "decisions" not in page.parts)


def blocks(page: Path) -> Iterator[Fenced]:
    """The fenced blocks of a page, each with the files that were named before it."""
    text = page.read_text("utf-8")
    named: dict[str, str] = {}
    trail: list[str] = []
    for found in FENCE.finditer(text):
        kind, info, body = found[1], found[2].strip(), found[3]
        if kind in DATA:
            if info:
                named[info] = body
            continue
        line = text.count("\n", 0, found.start(3)) + 1
        before = trail if "goes-on" in info else []
        block = Fenced(page, line, kind, info, body, found.span(3), tuple(named.items()), tuple(before))
        yield block
        if kind == "console" and block.is_run:
            trail = [*before, *(command for command, _ in commands(body))]


def commands(text: str) -> list[tuple[str, str]]:
    """Each command of a console block with the output that stands below it."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), ""))
        elif found:
            command, output = found[-1]
            if command.endswith("\\"):
                found[-1] = (f"{command}\n{line.rstrip()}", output)
            else:
                found[-1] = (command, output + line)
    return found


def folder_of(block: Fenced, target: Path) -> Path:
    """The folder in which a block is run, as the blocks that it goes on from left it."""
    folder = example_folder(target, block.files)
    for command in block.before:
        run(command, folder)
    return folder


def example_folder(target: Path, files: tuple[tuple[str, str], ...] = ()) -> Path:
    """A folder with the files of the example and those that the page named."""
    source = ROOT / "src" / "assay" / "example"
    target.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if file.is_file() and file.suffix != ".py":
            shutil.copy(file, target / file.name)
    for name, text in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text, encoding="utf-8")
    return target


def run(command: str, folder: Path, on_spark: bool = False) -> tuple[int, str]:
    """Exit code and everything printed, as on a terminal of 100 columns without colour; of Spark only the answer."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    environment = {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', '')}",
        "COLUMNS": WIDTH,
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if on_spark else subprocess.STDOUT,
        encoding="utf-8",
        timeout=600 if on_spark else 120,
        check=False,
    )
    return done.returncode, "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def fits(expected: str, actual: str) -> bool:
    """Whether an output is what the page shows; `...` on a line of its own stands for any lines."""
    parts = re.split(r"^\.\.\.\n", expected.rstrip("\n") + "\n", flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, actual.rstrip("\n") + "\n") is not None


def renew(block: Fenced, folder: Path) -> str:
    """The text of a console block with the real output below each command; outputs with `...` stay."""
    parts = []
    for command, output in commands(block.text):
        _, actual = run(command, folder, block.is_on_spark)
        keep = "output=any" in block.info or re.search(r"^\.\.\.$", output, re.MULTILINE)
        parts.append(f"$ {command}\n{output if keep else actual}")
    return "".join(parts)
