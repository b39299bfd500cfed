"""Where answers go: a page or a machine format to stdout or a file, notes and progress to stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.verb import VOICE
from assay.errors import InputError
from assay.files import is_stream

if TYPE_CHECKING:
    from assay.report.page import Page
    from assay.results import Note, Progress

ENDINGS = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".md": "md",
           ".html": "html", ".htm": "html", ".assay": "assay", ".txt": "table"}  # fmt: skip
"""What a file is written as when `--format` does not say."""
PAGES = ("table", "md", "html")
SAYS_NOTES = ("table", "md", "html", "json", "assay")
"""Formats in which the notes stand; with the others they go to stderr."""

WIDE = 100
"""Columns where stdout is not a terminal."""
WIDEST = 120


def show(
    result: Any,
    *,
    format: str | None = None,
    output: str | None = None,
    html: str | None = None,
    inputs: Iterable[str] = (),
    **choices: Any,
) -> None:
    """Prints a result, or writes it to a file.

    Args:
        result: what a flow gave back.
        format: table, json, csv, jsonl, parquet, md, trec_eval, html or assay; by the ending of `output` when None.
        output: the file to write instead of stdout.
        html: a file for the result as one self-contained page, besides.
        inputs: files that may not be overwritten.
        choices: what the view lets the reader choose.
    """
    kind = kind_of(format, output)
    check_targets(output, html, [*inputs])
    if html:
        write(html, render(result, "html", choices))
    if output and output != "-":
        write(output, render(result, kind, choices))
    else:
        data = render(result, kind, choices)
        if kind in ("parquet", "assay") and sys.stdout.isatty():
            raise InputError(f"{kind} is not for a terminal", remedy="pass -o FILE, or send stdout to a file")
        emit(data)
    if kind not in SAYS_NOTES or VOICE.log_json:
        notes(result)
    if kind not in SAYS_NOTES and VOICE.verbose:
        made(result)


def kind_of(format: str | None, output: str | None) -> str:
    """The format that was asked for, or that the ending of the file says."""
    return format or (ENDINGS.get(Path(output).suffix.lower(), "table") if output and output != "-" else "table")


def check_ending(output: str | None, format: str | None, formats: Sequence[str], has_out: bool = False) -> None:
    """Refuses a file whose ending names none of the formats, where `--format` names none either.

    Args:
        output: the file; one without an ending is written as a table.
        format: what `--format` says.
        formats: those in which the command can write.
        has_out: whether the command makes a file of its own, which `--out` names.
    """
    suffix = "" if output in (None, "-") else Path(str(output)).suffix.lower()
    if format or not suffix or ENDINGS.get(suffix) in formats:
        return
    known = [ending for ending, name in ENDINGS.items() if name in formats]
    other = "; -o takes what is printed, --out the file that is made" if has_out else ""
    raise InputError(f"the ending {suffix} says no format that is written here", str(output),
                     f"give it {', '.join(known)}, or pass --format {'|'.join(formats)}{other}")  # fmt: skip


def ends_with(*endings: str, what: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """What checks the file of an option that is written in one format: it has one of the endings, or none."""

    def check(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        suffix = Path(value).suffix.lower() if value else ""
        if suffix and suffix not in endings:
            name = param.opts[-1] if isinstance(param, click.Option) else "the file"
            raise InputError(f"{name} is written as {what}, and the ending {suffix} says another format",
                             value, f"give it {' or '.join(endings)}")  # fmt: skip
        return value

    return check


def a_folder(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuses a folder whose name is that of a picture or a page."""
    suffix = Path(value).suffix.lower() if value else ""
    if suffix in (".svg", ".png", ".pdf", ".html", ".htm"):
        raise InputError(f"{param.opts[-1]} makes a folder with a file a chart, and the ending {suffix} is that of a "
                         "file", str(value), "name a folder, such as charts")  # fmt: skip
    return value


AS_CSV = ends_with(".csv", what="CSV")
AS_XML = ends_with(".xml", what="XML")
AS_PAGE = ends_with(".html", ".htm", what="one page of HTML")


def names_inputs(format: str | None, output: str | None, html: str | None) -> bool:
    """Whether what is written names its inputs by their hashes, which cost a pass over large files."""
    return bool(html) or kind_of(format, output) in SAYS_NOTES


def render(result: Any, kind: str, choices: dict[str, Any]) -> bytes:
    """The result in one format."""
    if kind == "assay":
        import assay.flows.results  # noqa: F401 # what can be kept is registered there
        from assay.results import dump

        return dump(result)
    if kind not in PAGES:
        from assay.report.machine import to_machine

        return to_machine(result, kind, **choices)
    if kind == "html":
        from assay.report.sheet import to_document

        return to_document(result, **choices).encode("utf-8")
    from assay.report.describe import describe

    return draw(describe(result, **choices), kind)


def draw(page: Page, kind: str = "table") -> bytes:
    """A page as text, Markdown or HTML."""
    if kind == "html":
        from assay.report.html import to_html

        return to_html(page).encode("utf-8")
    if kind == "md":
        from assay.report.markdown import to_markdown

        return to_markdown(page).encode("utf-8")
    from assay.report.text import to_text

    encoding = (sys.stdout.encoding or "utf-8").lower()
    text = to_text(page, columns(), colours(sys.stdout), is_ascii(sys.stdout), VOICE.verbose, encoding)
    return text.encode(encoding, "backslashreplace")


def emit(data: bytes) -> None:
    """Bytes to stdout, whatever its encoding."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has seen enough
        raise
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", "standard output", "make room, or pass -o FILE"
        ) from None


def write(target: str, data: bytes) -> None:
    """A file written whole or not at all."""
    from assay.files import replacing

    with replacing(target) as file:
        file.write(data)


def check_targets(output: str | None, html: str | None, inputs: Iterable[str]) -> None:
    """Refuses what would be written over an input or the settings, or twice to one place."""
    if output == "" or html == "":
        option = "--output" if output == "" else "--html"
        raise InputError(f"{option} names no file", remedy=f"pass {option} FILE, or - for stdout")
    if html is not None and (html == (output or "-") == "-" or _is_same(output or "-", html)):
        raise InputError("the page and the result would be written to the same place", remedy="name another file")
    for target in (output, html):
        if target is None or target == "-":
            continue
        if os.path.basename(target) == "assay.toml":
            raise InputError(f"{target} holds settings", remedy="write to another file; nothing was written")
        if any(_is_same(target, source) for source in inputs):
            raise InputError(f"{target} is one of the inputs", remedy="write to another file; nothing was written")


def check_beside(targets: Iterable[str | None], output: str | None, html: str | None, inputs: Iterable[str]) -> None:
    """Refuses files beside a result that would be written over an input, the settings, the result or each other."""
    inputs = [*inputs]
    check_targets(output, html, inputs)
    taken = [target for target in (output or "-", html) if target is not None]
    for target in targets:
        if target is None:
            continue
        check_targets(target, None, inputs)
        if any(_is_same(target, other) for other in taken):
            raise InputError(
                f"two things would be written to {target}", remedy="name another file; nothing was written"
            )
        taken.append(target)


def _is_same(one: str, other: str) -> bool:
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other) and not is_stream(one)
    return os.path.realpath(one) == os.path.realpath(other)


def notes(result: Any) -> None:
    """The notes of a result on stderr, as sentences or as lines of JSON."""
    for note in getattr(result, "notes", ()):
        say(note)


def made(result: Any) -> None:
    """How the result was made on stderr, for the formats that have no room for it."""
    from assay.report.letters import clean
    from assay.report.words import made as said

    facts = said(result.source) if hasattr(result, "source") else None
    for fact in facts.facts if facts else ():
        if VOICE.log_json:
            log({"kind": "made", "name": fact.label.lower(), "text": "; ".join(map(str, fact.lines))})
        else:
            click.echo(clean(f"{fact.label.lower()}: {'; '.join(map(str, fact.lines))}"), err=True)


def say(note: Note) -> None:
    """One note on stderr."""
    if VOICE.log_json:
        log({"kind": "note", "code": note.code, "level": note.level, "text": note.text, "run": note.run,
             "count": note.count})  # fmt: skip
    elif not VOICE.quiet:
        from assay.report.letters import clean

        word = "warning" if note.level == "warning" else "note"
        about = f"{note.run}: " if note.run and note.run not in note.text else ""
        click.echo(clean(f"{word}: {about}{note.text}"), err=True)


def log(entry: dict[str, Any]) -> None:
    """One line of JSON on stderr."""
    import json

    click.echo(json.dumps(entry, ensure_ascii=False), err=True)


def columns() -> int:
    """Columns to print to: those of the terminal, or of COLUMNS, or 100."""
    import shutil

    return min(shutil.get_terminal_size((WIDE, 24)).columns if sys.stdout.isatty() or "COLUMNS" in os.environ
               else WIDE, WIDEST)  # fmt: skip


def colours(stream: Any) -> bool:
    """Whether marks are coloured: on a terminal, and nobody asked for none."""
    refused = VOICE.no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return bool(stream.isatty()) and not refused


def is_ascii(stream: Any) -> bool:
    """Whether only ASCII signs may be printed: TERM=dumb, LANG=C, or a stdout that is not UTF-8."""
    said = os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
    return os.environ.get("TERM") == "dumb" or said in ("C", "POSIX") or not encoding.startswith("utf")


def progress() -> Progress:
    """What draws progress here: a bar on a terminal, lines of JSON with `--log-json`, else nothing."""
    from assay.results import QUIET

    if VOICE.log_json:
        return Lines()
    return Bars() if sys.stderr.isatty() and not VOICE.quiet else QUIET


class Bars:
    """A bar on stderr for what takes more than a second; it erases itself."""

    WAIT = 1.0

    def __init__(self) -> None:
        self._what, self._unit = "", ""
        self._total: float | None = None
        self._done, self._since = 0.0, 0.0
        self._bar: Any = None
        self._task: Any = None

    def start(self, what: str, total: float | None = None, unit: str = "") -> None:
        """Work begins; nothing is drawn before a second has gone by."""
        self.stop()
        self._what, self._total, self._unit = what, total, unit
        self._done, self._since = 0.0, time.monotonic()

    def advance(self, by: float = 1.0) -> None:
        """So much more is done."""
        self._done += by
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done)
        elif time.monotonic() - self._since >= self.WAIT:
            self._draw()

    def stop(self) -> None:
        """Work ended: the bar goes."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
        from rich.text import Text

        class Left(ProgressColumn):
            """`6 s left`, once that can be told."""

            def render(self, task: Task) -> Text:
                return Text(f"{task.time_remaining:,.0f} s left" if task.time_remaining else "")

        amount = "{task.percentage:.0f} %" if self._unit == "bytes" else "{task.completed:,.0f} of {task.total:,.0f}"
        if self._total is None:
            amount = "{task.completed:,.0f}"
        bar = BarColumn(32, style="bright_black", complete_style="default", finished_style="default")
        console = Console(stderr=True, no_color=not colours(sys.stderr), highlight=False)
        self._bar = Progress(TextColumn("{task.description}", markup=False), bar, TextColumn(amount), Left(),
                             console=console, transient=True)  # fmt: skip
        self._task = self._bar.add_task(self._what, total=self._total, completed=self._done)
        self._bar.start()


class Lines:
    """Progress as lines of JSON: at the start, every five seconds and at the end."""

    EVERY = 5.0

    def __init__(self) -> None:
        self._entry: dict[str, Any] | None = None
        self._done, self._said, self._since = 0.0, 0.0, 0.0

    def start(self, what: str, total: float | None = None, unit: str = "") -> None:
        """Work begins."""
        self._entry = {"kind": "progress", "what": what, "total": total, "unit": unit}
        self._done, self._since = 0.0, time.monotonic()
        self._say("start")

    def advance(self, by: float = 1.0) -> None:
        """So much more is done."""
        self._done += by
        if time.monotonic() - self._said >= self.EVERY:
            self._say("on")

    def stop(self) -> None:
        """Work ended."""
        if self._entry is not None:
            self._say("stop")
            self._entry = None

    def _say(self, state: str) -> None:
        self._said = time.monotonic()
        log({**(self._entry or {}), "state": state, "done": self._done, "seconds": round(self._said - self._since, 3)})
