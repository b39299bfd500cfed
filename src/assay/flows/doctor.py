"""`assay doctor`: what is installed, what the workspace says, and whether the files it names can be read."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import InputError
from assay.flows.choices import Choices, chosen, strangers
from assay.results import Result, kept
from assay.settings import Settings
from assay.workspace import FILE, Workspace

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench
    from assay.formats.artefact import Cache

State = Literal["ok", "warning", "problem"]


@kept("check")
@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `assay doctor` looked at.

    Args:
        group: which part it belongs to: "packages", "extras", "plug-ins", "workspace",
            "files" or "terminal".
        name: what was looked at, such as "polars" or "assay.toml".
        state: "ok", "warning" (works, and something is not as it should be) or "problem" (a command will fail).
        found: what was found, as a short phrase.
        remedy: what the user can do about it; empty when there is nothing to do.
    """

    group: str
    name: str
    state: State
    found: str
    remedy: str = ""


@kept("checks")
@dataclass(frozen=True, kw_only=True)
class Checks(Result):
    """What `assay doctor` found, in the order of looking."""

    checks: tuple[Check, ...]

    @property
    def problems(self) -> int:
        """How many checks found a problem."""
        return sum(check.state == "problem" for check in self.checks)

    @property
    def warnings(self) -> int:
        """How many checks found a warning."""
        return sum(check.state == "warning" for check in self.checks)

    @property
    def exit_code(self) -> int:
        """1 when a check found a problem, else 0."""
        return 1 if self.problems else 0


EXTRAS = (
    ("duckdb", "logs", "click and search logs"),
    ("sqlalchemy", "store", "the store of judgments, experiments and changes"),
    ("fastapi", "web", "the labelling page, the home page and the interleaving service"),
    ("httpx2", "engines", "capturing runs from search engines; asking judge models"),
    ("psycopg", "postgres", "a store in PostgreSQL"),
    ("altair", "report", "charts in reports"),
    ("trafilatura", "live", "fetching pages from the web"),
    ("tantivy", "search", "the embedded search engine"),
    ("pyspark", "spark", "evaluating and reading logs on Spark"),
    ("deltalake", "lake", "tables in a data lake"),
)
"""(package, extra, what it is for) of everything that is installed on request."""

LOOKED_AT = 50
"""How many files of the folder of runs are looked into."""


def doctor(bench: Workbench | None = None, folder: str | os.PathLike[str] | None = None) -> Checks:
    """Looks at versions, optional parts, the workspace and its files; a fault it finds is a check, not an error.

    Args:
        bench: whose workspace is looked at; found from the folder when None.
        folder: where the search for `assay.toml` begins; the current folder when None.
    """
    checks = [*_packages(), *_extras(), *_plugins(), *_terminal()]
    try:
        workspace = Workspace.find(folder) if bench is None else bench.workspace
        checks += [_found(workspace), *_variables(workspace)]
        checks += named_measures(chosen(workspace))
        if workspace is not None:
            checks += _files(workspace)
            checks += _copies(workspace)
    except InputError as error:
        checks.append(Check("workspace", FILE, "problem", _sentence(error), error.remedy))
    return Checks(checks=tuple(checks))


def _sentence(error: InputError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what


def _packages() -> Iterator[Check]:
    """Python and the declared requirements: in range, and loading."""
    from importlib import import_module, metadata

    import assay

    here = ".".join(map(str, sys.version_info[:3]))
    try:
        about = metadata.metadata("assay")
        wanted, required = about["Requires-Python"] or "", metadata.requires("assay") or []
    except metadata.PackageNotFoundError:
        yield Check("packages", "assay", "warning", "not installed: its requirements are not known",
                    "pip install assay, or `make setup` in a clone")  # fmt: skip
        wanted, required = "", []
    else:
        yield Check("packages", "assay", "ok", assay.__version__)
    fits = _is_in(here, wanted)
    yield Check("packages", "Python", "ok" if fits else "problem", here + ("" if fits else f", needs {wanted}"),
                "" if fits else f"install a Python {wanted}")  # fmt: skip
    for line in required:
        name, wanted, condition = _requirement(line)
        if condition:  # an extra, or another platform
            continue
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Check("packages", name, "problem", f"not installed, needs {wanted}", f"pip install '{name}{wanted}'")
            continue
        if not _is_in(version, wanted):
            yield Check("packages", name, "problem", f"{version}, needs {wanted}", f"pip install '{name}{wanted}'")
            continue
        try:
            import_module(name.replace("-", "_"))
        except Exception as error:  # a broken binary may raise anything
            yield Check("packages", name, "problem", f"{version} does not load: {error}",
                        f"pip install --force-reinstall '{name}{wanted}'")  # fmt: skip
        else:
            yield Check("packages", name, "ok", version)


def _requirement(line: str) -> tuple[str, str, str]:
    """`numpy>=2.1; extra == "x"` as name, range and condition."""
    spec, _, condition = line.partition(";")
    parts = re.match(r"\s*([A-Za-z0-9._-]+)\s*(?:\[[^]]*\])?\s*\(?([^)]*)\)?", spec)
    return (parts[1], parts[2].replace(" ", ""), condition.strip()) if parts else (spec.strip(), "", condition.strip())


def _is_in(version: str, wanted: str) -> bool:
    """Whether a version satisfies every part of a range; what cannot be read is not held against it."""
    here = _numbers(version)
    for operator, text in re.findall(r"(>=|<=|==|!=|~=|>|<)\s*([0-9][^,\s]*)", wanted):
        limit = _numbers(text)
        short = here[: len(limit)]
        if operator == "~=":
            fits = here >= limit and here[: len(limit) - 1] == limit[:-1]
        elif text.endswith("*"):
            fits = (short == limit) == (operator == "==")
        else:
            order = (here > limit) - (here < limit)
            fits = {">=": order >= 0, "<=": order <= 0, "==": order == 0, "!=": order != 0, ">": order > 0,
                    "<": order < 0}[operator]  # fmt: skip
        if not fits:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a release; a trailing .0 means nothing."""
    found = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _extras() -> Iterator[Check]:
    from importlib import metadata

    try:
        offered = set(metadata.metadata("assay").get_all("Provides-Extra") or ())
    except metadata.PackageNotFoundError:
        offered = set()
    for package, extra, purpose in EXTRAS:
        try:
            found = metadata.version(package)
        except metadata.PackageNotFoundError:
            found = "not installed"
        if extra not in offered:
            yield Check("extras", package, "ok", f"{found}; this version does not use it (later for {purpose})")
        else:
            remedy = f"pip install 'assay[{extra}]', if you want that" if found == "not installed" else ""
            yield Check("extras", package, "ok", f"{found}; for {purpose}", remedy)


def _plugins() -> Iterator[Check]:
    from importlib import metadata

    from assay.registry import PLUGINS

    for point in metadata.entry_points(group=PLUGINS):
        try:
            point.load()
        except Exception as error:  # a stranger's code may raise anything
            yield Check("plug-ins", point.name, "problem", f"{point.value} does not load: {error}",
                        "mend or uninstall the package that brings it")  # fmt: skip
        else:
            yield Check("plug-ins", point.name, "ok", point.value)


def _terminal() -> Iterator[Check]:
    encoding = (getattr(sys.stdout, "encoding", None) or "unknown").lower()
    if encoding.replace("-", "").startswith("utf"):
        yield Check("terminal", "encoding", "ok", encoding)
    else:
        yield Check("terminal", "encoding", "warning", f"{encoding}: marks and rules are drawn in ASCII",
                    "set PYTHONUTF8=1, or a UTF-8 locale such as LANG=C.UTF-8")  # fmt: skip


def _found(workspace: Workspace | None) -> Check:
    if workspace is None:
        return Check("workspace", FILE, "ok", "none here or above: the defaults hold", "assay init writes one")
    return Check("workspace", FILE, "ok", workspace.settings.name)


def _variables(workspace: Workspace | None) -> Iterator[Check]:
    for name in strangers(workspace.settings if workspace is not None else Settings()):
        yield Check(
            "workspace", name, "warning", "a variable that assay does not know", f"unset {name} if it is a slip"
        )


def named_measures(choices: Choices) -> Iterator[Check]:
    """The measures that the settings name: known, and over what the consumer reads."""
    from assay.measures.grammar import parse

    for key, texts in (("primary", (choices.primary,)), ("guardrails", choices.guardrails)):
        place = choices.origin(f"measures.{key}")
        try:
            found = [measure for text in texts for measure in parse(text)]
        except InputError as error:
            yield Check("workspace", key, "problem", f"{place}: {error.what}", error.remedy)
            continue
        if key == "primary" and len(found) != 1:
            yield Check("workspace", key, "problem", f"{place}: {len(found)} measures", "name the one that decides")
            continue
        k = choices.wanted.k
        cutoff = found[0].cutoff if key == "primary" else None
        names = ", ".join(map(str, found))
        if cutoff is not None and cutoff != k:
            yield Check("workspace", key, "warning", f"{names}, and the consumer reads {k}",
                        f"measure what is read: {found[0].without_cutoff}@{k}, or set k = {cutoff}")  # fmt: skip
        else:
            yield Check("workspace", key, "ok", f"{names} ({place})")


def _files(workspace: Workspace) -> Iterator[Check]:
    """What [paths] names: there, readable, and of a format that is recognised."""
    from assay.tables import Document, Hit, Judgment, Topic

    for name, row in (("qrels", Judgment), ("topics", Topic), ("documents", Document)):
        file = workspace.file(name)
        if file is not None:
            yield _file(name, file, row)
    runs = workspace.folder("runs")
    if not runs.is_dir():
        yield Check("files", "runs", "warning", f"{runs} is not a folder", "make it, or name yours: [paths] runs = ...")
    else:
        files = sorted(path for path in runs.iterdir() if path.is_file() and not path.name.startswith("."))
        looked = [_file(path.name, path, Hit) for path in files[:LOOKED_AT]]
        good = sum(check.state == "ok" for check in looked)
        more = f", {len(files) - LOOKED_AT} more not looked into" if len(files) > LOOKED_AT else ""
        yield Check("files", "runs", "ok", f"{good} of {len(looked)} files in {runs} are runs{more}")
        yield from (
            Check("files", check.name, "warning", check.found, check.remedy) for check in looked if check.state != "ok"
        )
    results = workspace.folder("results")
    if results.exists() and not os.access(results, os.W_OK):
        yield Check("files", "results", "problem", f"{results} cannot be written", "change its permissions")


def _copies(workspace: Workspace) -> Iterator[Check]:
    """Where copies of runs lie, and whether they can be used."""
    from assay.flows.workbench import Workbench

    cache = Workbench(workspace=workspace).copies
    if cache is None:
        yield Check("files", "cache", "ok", "off: large runs are parsed every time")
        return
    found = room_of_copies(cache)
    if cache.is_usable():
        yield Check("files", "cache", "ok", found)
    else:
        yield Check("files", "cache", "warning", cache.told[-1], "runs are read from their files until then")


def room_of_copies(cache: Cache) -> str:
    """What the copies of runs take, and what they may take."""
    found = cache.copies()
    size = sum(artefact.size for artefact, _ in found)
    copies = "1 copy" if len(found) == 1 else f"{len(found):,} copies"
    return f"{cache.folder}: {copies}, {size / 1e6:,.0f} MB of {cache.limit / 1e9:g} GB"


def _file(name: str, file: Path, row: type[Any]) -> Check:
    from assay.formats.recognise import recognise

    try:
        kind = recognise(file, row)
    except InputError as error:
        return Check("files", name, "problem", _sentence(error), error.remedy)
    except OSError as error:
        return Check("files", name, "problem", f"{file}: {error.strerror}", "check the path")
    return Check("files", name, "ok", f"{file}: {kind}")
