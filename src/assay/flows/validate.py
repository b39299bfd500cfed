"""`assay validate`: a linter for judgments, runs, topics and rule files that a team keeps in version control."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assay.errors import InputError
from assay.files import is_beyond, is_stream, read_bytes
from assay.flows.table_checks import against, by_line, checked, named
from assay.flows.workbench import Workbench
from assay.results import Result, Source, kept
from assay.tables import Block, Document, Hit, Judgment, Topic

if TYPE_CHECKING:
    from assay.formats.lint import Seen
    from assay.label_maps import LabelMap

_CALLED = {Judgment: "judgments", Hit: "run", Topic: "topics", Document: "documents"}
_PLACE = re.compile(r"^(?P<file>.*?):(?P<line>\d+)(?:$|: )")


@kept("finding")
@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or odd.

    Args:
        severity: error or warning.
        code: a stable name, such as "conflict".
        file: where.
        line: of the first place; None where it is the file as a whole.
        what: in a sentence.
        remedy: how to mend it.
        count: how often.
    """

    severity: Literal["error", "warning"]
    code: str
    file: str
    line: int | None
    what: str
    remedy: str = ""
    count: int = 1

    @property
    def place(self) -> str:
        """`qrels.csv:17`."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


@kept("looked-at")
@dataclass(frozen=True, slots=True)
class LookedAt:
    """One file that was looked at.

    Args:
        file: as it was typed.
        holds: judgments, a run, topics and so on; empty where that could not be told.
        format: of the file.
        rows: how many.
    """

    file: str
    holds: str
    format: str
    rows: int


@kept("validation")
@dataclass(frozen=True, kw_only=True)
class Validation(Result):
    """What was found in some files.

    Args:
        files: what was looked at.
        findings: errors and warnings, by file.
        is_strict: whether warnings fail too.
    """

    files: tuple[LookedAt, ...] = ()
    findings: tuple[Finding, ...] = ()
    is_strict: bool = False

    @property
    def errors(self) -> int:
        """How many kinds of fault are errors."""
        return sum(one.severity == "error" for one in self.findings)

    @property
    def warnings(self) -> int:
        """How many are warnings."""
        return len(self.findings) - self.errors

    @property
    def exit_code(self) -> int:
        """0 when the files are sound, 1 when they are not."""
        return int(bool(self.errors or (self.is_strict and self.warnings)))


def validate(
    *files: str | os.PathLike[str],
    grades: Sequence[float] | None = None,
    labels: str | LabelMap | None = None,
    strict: bool = False,
    sorted: bool = False,
    format: str | None = None,
    bench: Workbench | None = None,
    command: str = "",
) -> Validation:
    """Looks for what would give a wrong number, or make a reviewer stumble, in files of any format.

    Judgments, runs and topics that are given together are also held against one another.

    Args:
        *files: paths and addresses; the files that the workspace names when none is given.
        grades: the rubric's whole list of grades; a grade off it is an error.
        labels: what labels are worth, a named map; a label that it lacks is an error.
        strict: warnings fail too.
        sorted: also say where rows are not sorted, so that diffs stay small.
        format: of all files; recognised when None.
        bench: where files are found.
        command: how the result was asked for.

    Raises:
        InputError: no file was given, or one is not there.
    """
    from assay import __version__

    bench = Workbench.open() if bench is None else bench
    bench.labels = labels
    paths = [os.fspath(file) for file in files] or _of_workspace(bench)
    if not paths:
        raise InputError("no file was given", remedy="pass files, or name them in [paths] of assay.toml")
    for path in paths:
        if path != "-" and not is_beyond(path) and not os.path.exists(path):
            raise InputError("there is no such file", path, "check the path")
    looked: list[LookedAt] = []
    findings: list[Finding] = []
    tables: dict[type, list[Block]] = {Judgment: [], Hit: [], Topic: []}
    for path in paths:
        bench.note(path)
        if Path(path).suffix.lower() == ".toml":
            looked.append(LookedAt(path, "settings" if Path(path).name == "assay.toml" else "rules", "toml", 0))
            findings += _settings(path)
            continue
        about, found, blocks = _file(path, format, bench, grades, sorted)
        looked.append(about)
        findings += found
        for row, block in blocks:
            tables.setdefault(row, []).append(block)
    findings += _together(tables)
    source = Source(hashes=bench.inputs(), versions=(("assay", __version__),), command=command)
    return Validation(files=tuple(looked), findings=tuple(findings), is_strict=strict, source=source)


def _of_workspace(bench: Workbench) -> list[str]:
    workspace = bench.workspace
    if workspace is None:
        return []
    files = [workspace.file(name) for name in ("qrels", "topics", "documents")]
    runs = workspace.folder("runs")
    found = [file for file in files if file is not None and file.exists()]
    found += sorted_files(runs) if runs.is_dir() else []
    return [os.path.relpath(workspace.root / "assay.toml"), *(os.path.relpath(file) for file in found)]


def sorted_files(folder: Path) -> list[Path]:
    """The files of a folder, hidden ones aside."""
    return sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))


def _file(
    path: str, format: str | None, bench: Workbench, grades: Sequence[float] | None, is_sorted: bool
) -> tuple[LookedAt, list[Finding], list[tuple[type, Block]]]:  # fmt: skip
    from assay.formats.carried import Wishes
    from assay.formats.carry import read_any
    from assay.formats.lint import raw
    from assay.formats.recognise import ALL

    try:
        found = read_any(path, bench.wanted.of(path, None, format), Wishes(bench.label_map()))
    except InputError as error:
        return LookedAt(path, "", format or "", 0), _refused(error, path), []
    carried = found.carried
    if found.digest:
        bench.note_rows(path, found.digest)
    blocks = [*carried.tables.items(), *((Hit, run) for run in carried.runs.values())]
    seen = [one for row, block in blocks for one in checked(block, row, grades, is_sorted)]
    if not is_stream(path) and os.path.isfile(path):
        row = next(iter(carried.tables), Hit)
        seen += raw(path, found.format if found.format in ALL else "other", row)
    findings = [_at(path, one) for one in by_line(seen)]
    findings += [
        Finding("warning", "not-carried-over", path, None, f"{one.what}: {one.why}", "", one.count)
        for one in carried.lost
    ]
    holds = " and ".join([*(_CALLED.get(row, row.__name__.lower() + "s") for row in carried.tables),
                          *(["run"] if len(carried.runs) == 1 else ["runs"] if carried.runs else [])])  # fmt: skip
    named_blocks = [(row, replace(block, name=path)) for row, block in blocks]
    return LookedAt(path, holds, found.format, sum(len(block) for _, block in blocks)), findings, named_blocks


def _at(path: str, one: Seen) -> Finding:
    return Finding(one.severity, one.code, path, one.line, one.what, one.remedy, one.count)


def _refused(error: InputError, path: str) -> list[Finding]:
    """The faults of a file that could not be read: the first with its remedy, the next ones that were said."""
    file, line = _split(error.where, path)
    said = error.where.removeprefix(path).lstrip(":0123456789").strip(": ")
    what = f"{said}: {error.what}" if said.startswith("$") else error.what
    found = [Finding("error", "refused", file, line, what, error.remedy, error.count - len(error.more))]
    for text in error.more:
        place = _PLACE.match(text)
        if place is not None:
            found.append(Finding("error", "refused", place["file"], int(place["line"]), text[place.end() :].strip()))
    return found


def _split(where: str, path: str) -> tuple[str, int | None]:
    place = _PLACE.match(where)
    return (place["file"], int(place["line"])) if place is not None and place["file"] == path else (path, None)


def _settings(path: str) -> list[Finding]:
    """A rule file of a gate, or the settings of a workspace."""
    from assay.compare.rule_file import check_measures, read_rules
    from assay.flows.choices import chosen
    from assay.workspace import Workspace

    try:
        if Path(path).name == "assay.toml":
            chosen(Workspace.read(Path(path), {}), {}, {})
        else:
            rules = read_rules(read_bytes(path).decode("utf-8-sig"), path)
            check_measures(rules)
    except UnicodeDecodeError:
        return [Finding("error", "refused", path, None, "is not UTF-8", "save the file as UTF-8")]
    except InputError as error:
        return _refused(error, path)
    return []


def _together(tables: dict[type, list[Block]]) -> Iterator[Finding]:
    """Tables that were given together, where it is plain which belong together: one set of judgments."""
    if len(tables[Judgment]) == 1:
        judgments = tables[Judgment][0]
        for run in tables[Hit]:
            yield from (_at(run.name, one) for one in against(run, judgments))
        if len(tables[Topic]) == 1:
            yield from (_at(judgments.name, one) for one in named(judgments, tables[Topic][0]))
