"""What was typed to checked tables: a path, `-`, a name in the workspace, a dict or a frame.

The only room of the hall that knows files and formats; every verb gets its tables here and keeps its results here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, InputError, did_you_mean
from assay.files import is_beyond, is_stream, local, open_raw, spelled
from assay.formats.watched import Watched, is_packed
from assay.keys import content_hash
from assay.results import QUIET, Progress
from assay.tables import Block, Document, Hit, Interaction, Item, Judgment, LoggedQuery, Topic

if TYPE_CHECKING:
    from assay.formats.artefact import Cache
    from assay.formats.per_input import Wanted
    from assay.formats.seen import Seen
    from assay.label_maps import LabelMap
    from assay.workspace import Workspace

SMALL = 10 << 20
"""Bytes of text below which a run is read in plain Python: up to here that is faster than loading polars."""

PROJECT = "project:"
"""What stands before the name of a project where judgments are asked for, as a file may have that name."""

_ROW = 40
"""Bytes that a row is taken to have when a table in memory is large."""

_PACKED = 6
"""How many times larger than its compressed file a run is taken to be when choosing how to read it."""


@dataclass
class Workbench:
    """Where a verb finds its inputs.

    Args:
        workspace: the folder with `assay.toml`, or None when there is none.
        small: bytes of text up to which files are read in plain Python.
        hashes: whether inputs are hashed, so that results can name what they came from.
        cache: whether large runs are copied, so that they are read faster the next time; the settings say it when
            None: in a workspace they are, elsewhere not.
        labels: what the labels of judgments are worth: a map, or its name; None takes numbers alone.
        formats: the format of single inputs, by a name of `per_input.INPUTS` or by file; before that of all inputs.
    """

    workspace: Workspace | None = None
    small: int = SMALL
    hashes: bool = True
    cache: bool | None = None
    labels: LabelMap | str | None = None
    formats: Mapping[str, str] = field(default_factory=dict)
    _hashed: dict[str, str] = field(default_factory=dict)
    _read: dict[str, None] = field(default_factory=dict)
    _seen: dict[str, Seen | None] = field(default_factory=dict)

    @classmethod
    def open(cls, start: str | os.PathLike[str] | None = None, **options: Any) -> Workbench:
        """The workbench of the workspace that holds `start` (or the current folder); works without one."""
        from assay.workspace import Workspace

        return cls(workspace=Workspace.find(start), **options)

    def table(self, x: Any, row: type[Any], *, format: str | None = None, columns: Mapping[str, str] | None = None,
              name: str = "") -> Block:  # fmt: skip
        """Rows of one table from anything that holds them."""
        if isinstance(x, Block):
            return x
        source = self.source(x)
        labels = self.label_map() if row is Judgment else None
        if source is not None and (held := self._of_lake(source, row, columns)) is not None:
            return held
        if source is not None:
            from assay.formats.recognise import read

            self.note(source)
            format = self.wanted.of(source, row, format)
            columns = self._columns_of(source, row, format, columns)
            if row is Judgment and labels is None and self._is_trec(source, row, format, columns):
                from assay.formats.blocks import read_qrels
                from assay.formats.labelled import about_words

                try:
                    return read_qrels(source)
                except InputError as error:  # the words are the same however the file is read
                    raise about_words(error) from None
            return read(source, row, format=format, columns=columns, labels=labels)
        from assay.tables.door import block_of

        if labels is not None:
            from assay.formats.labelled import Labelled

            x = Labelled(labels).anything(x, name or "qrels", of_row(columns, row))
        block = block_of(x, row, name, of_row(columns, row))
        if block.is_small and len(block) * _ROW > self.small:
            return replace(block, frame=block.polars())
        return block

    def blocks(
        self,
        x: Any,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        name: str = "",
        wants_rank: bool = False,
        progress: Progress = QUIET,
    ) -> Iterable[Block]:
        """A run in query-aligned blocks: one for what is small or in memory, a stream for large files.

        Args:
            x: the run.
            format: of the file; recognised from content when None.
            columns: name of the column that holds each field.
            name: what the run is called in messages, when it has no file.
            wants_rank: whether the order needs the rank column of every block.
            progress: told how much of a large file is read.
        """
        source = None if isinstance(x, Block) else self.source(x)
        if source is not None and (held := self._of_lake(source, Hit, columns)) is not None:
            return [held]
        format = self.wanted.of(source, Hit, format)
        if source is not None and self._is_trec(source, Hit, format, self._columns_of(source, Hit, format, columns)):
            from assay.formats.blocks import RunBlocks

            seen = self._look(source)
            self.note(source)
            run = RunBlocks(source, wants_rank=wants_rank)
            if seen is None or self.copies is None:
                return Watched(run, source, progress)
            from assay.formats.copies import CopiedRun

            return Watched(CopiedRun(run, self.copies, source, seen), source, progress)
        if source is not None and self._is_typed(source, format):
            from assay.formats.typed import TypedRun, is_typed

            self.note(source)
            own = self._columns_of(source, Hit, format, columns)
            return Watched(TypedRun(source, is_typed(source), own), source, progress)
        if source is not None and self._is_slow_text(source, format, columns):
            seen = self._look(source)
            if seen is not None and self.copies is not None:
                from assay.formats.copies import copied_table

                read = partial(self.table, source, Hit, format=format, columns=columns, name=name)
                self.note(source)
                how = json.dumps([os.fspath(source), format, columns], sort_keys=True)
                return [copied_table(read, self.copies, source, seen, how)]
        return [self.table(x, Hit, format=format, columns=columns, name=name)]

    def _of_lake(self, source: str, row: type[Any], columns: Mapping[str, str] | None) -> Block | None:
        """The rows of a table in a lake, which is a folder or an address; None of all else."""
        if not is_beyond(source) and not os.path.isdir(source):
            return None
        from assay.formats.lake_rows import read_table

        found = read_table(source, row, of_row(columns, row), self.label_map() if row is Judgment else None)
        if found is None:
            return None
        block, digest = found
        self.note_rows(spelled(source), digest)
        return block

    @cached_property
    def copies(self) -> Cache | None:
        """Where copies of large runs lie; None when none are made."""
        from assay.settings import Settings, check
        from assay.workspace import Copies, of_this_user

        settings = self.workspace.settings if self.workspace is not None else Settings()
        section = settings.section("cache")
        said = check(section, Copies)
        is_on = said.on if self.workspace is not None or section.given(["on", "folder"]) else False
        if not (is_on if self.cache is None else self.cache):
            return None
        from assay import __version__
        from assay.formats.artefact import Cache

        folder = Path(os.path.expanduser(said.folder))
        if self.workspace is not None:
            folder = self.workspace.root / folder
        elif not section.given(["folder"]):
            folder = of_this_user() / "runs"
        return Cache(folder, int(said.limit_gb * 1e9), __version__)

    @property
    def told(self) -> tuple[str, ...]:
        """What went wrong with the copies of runs; nothing of it changes a number."""
        copies: Cache | None = self.__dict__.get("copies")
        return tuple(copies.told) if copies is not None else ()

    def _look(self, source: str) -> Seen | None:
        """What the bytes of a large run are, where copies are made; looked at once."""
        if self.copies is None or is_stream(source):
            return None
        if source not in self._seen:
            self._seen[source] = seen = self.copies.digest(source, anew=self.hashes)
            if seen is not None and self.hashes:
                self._hashed.setdefault(source, seen.sha256)
        return self._seen[source]

    def _is_typed(self, source: str, format: str | None) -> bool:
        """Whether it is a large Parquet or Arrow file, which is read in blocks."""
        if format not in (None, "parquet", "arrow") or is_stream(source) or not _is_larger(source, self.small):
            return False
        from assay.formats.typed import is_typed

        found = is_typed(source)
        return found != "" and format in (None, found)

    def _is_slow_text(self, source: str, format: str | None, columns: Mapping[str, str] | None) -> bool:
        """Whether it is a large file of a format that is read as text, and can be read again."""
        if is_stream(source) or not _is_larger(source, self.small) or self.copies is None:
            return False
        from assay.formats.recognise import recognise

        try:
            found = format or recognise(source, Hit, self._columns_of(source, Hit, format, columns))
        except InputError:  # its reader says what is wrong with it
            return False
        return found not in ("parquet", "arrow")

    def source(self, x: Any) -> str | None:
        """The path (or "-") that was meant, looked up in the workspace when it is not a file; None for data."""
        if not isinstance(x, (str, os.PathLike)):
            return None
        text = local(os.fspath(x))
        if text == "-" or "\0" in text or os.path.exists(text) or self.workspace is None:
            return text
        named = self.workspace.folder("runs") / text
        for path in (named, *sorted(named.parent.glob(named.name + ".*"))):
            if os.path.isfile(path):
                return str(path)
        return text

    @cached_property
    def wanted(self) -> Wanted:
        """Which format is said of which input."""
        from assay.formats.per_input import Wanted

        return Wanted(self.formats, self._found)

    @property
    def unread(self) -> tuple[str, ...]:
        """Inputs whose format was said and of which nothing was read."""
        wanted: Wanted | None = self.__dict__.get("wanted")
        return wanted.unread if wanted is not None else ()

    def _found(self, name: str) -> str | None:
        source = self.source(name)
        return source if source is not None and (is_stream(source) or os.path.exists(source)) else None

    def _columns_of(
        self, source: str, row: type[Any], format: str | None, columns: Mapping[str, str] | None
    ) -> Mapping[str, str] | None:
        """The names that concern this file: one option serves runs, judgments and topics of different formats."""
        own = of_row(columns, row)
        if not own or format is not None:
            return own
        from assay.formats.recognise import recognise

        try:
            return None if recognise(source, row) == "trec" else own
        except InputError:  # not recognised without the names: they are for this file
            return own

    def _is_trec(self, source: str, row: type[Any], format: str | None, columns: Mapping[str, str] | None) -> bool:
        """Whether it is a TREC file for which loading polars pays."""
        small = self.small // 4 if row is Judgment else self.small  # judgments cost more a byte in plain Python
        if format not in (None, "trec") or columns or not _is_larger(source, small):
            return False
        from assay.formats.recognise import recognise

        try:
            return format == "trec" or recognise(source, row) == "trec"
        except InputError:  # its reader says what is wrong with it, or it is in a format of another tool
            return False

    def label_map(self) -> LabelMap | None:
        """What the labels of judgments are worth; None where nobody said it."""
        if self.labels is None:
            return None
        from assay.formats.labelled import label_map

        self.labels = found = label_map(self.labels)
        return found

    def note(self, source: str, is_hashed: bool = True) -> None:
        """What was read: the results name it, and nothing is written over it."""
        self._read[source] = None
        if is_hashed and self.hashes and not is_stream(source) and source not in self._hashed:
            try:
                with open_raw(source) as file:
                    self._hashed[source] = content_hash(file)
            except (OSError, ValueError, AssayError):
                return  # the reader says what is wrong with it

    def note_rows(self, name: str, digest: str) -> None:
        """What was taken out of the store: a name for it, and the hash of its rows."""
        self._hashed[name] = digest

    def has_file(self, name: str) -> bool:
        """Whether a name is that of a file, here or among the runs of the workspace."""
        source = self.source(name)
        return source is not None and (is_beyond(source) or is_stream(source)
                                       or ("\0" not in source and os.path.exists(source)))  # fmt: skip

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """(name, SHA-256) of every file that was read, in the order of reading."""
        return tuple((spelled(Path(source).name), digest) for source, digest in self._hashed.items())

    def files(self) -> tuple[str, ...]:
        """Every file that was read, also those that only the settings name, and the settings themselves."""
        from assay.workspace import FILE

        settings = () if self.workspace is None else (str(self.workspace.root / FILE),)
        return (*(source for source in self._read if source != "-"), *settings)


def at_work(bench: Workbench | None, labels: LabelMap | str | None) -> Workbench:
    """The workbench of a call: the one given, or that of the current folder; with what labels are worth, if said."""
    bench = Workbench.open() if bench is None else bench
    if labels is not None:
        bench.labels = labels
    return bench


def input_formats(said: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """What is typed of the formats of inputs: that of all, and those of single ones; see `per_input.parse`."""
    from assay.formats.per_input import parse

    return parse(said)


def of_row(columns: Mapping[str, str] | None, row: type[Any]) -> Mapping[str, str] | None:
    """The names of the columns that a table has; a name that no table has is refused.

    A query log is read alone, so what is said of columns is said of it: a name of other tables would change nothing.
    """
    if not columns:
        return None
    together = (Hit, Judgment, Topic, Document, Item, Interaction)
    known = {f.name for table in ((row,) if row is LoggedQuery else (*together, row)) for f in fields(table)}
    for name in columns:
        if name not in known:
            from assay.tables.names import field_of

            meant = field_of(row, name)
            hint = f"; did you mean {meant}?" if meant else did_you_mean(name, known)
            raise InputError(
                f"--columns names a field that no table has: {name}{hint}",
                remedy=f"the fields are {', '.join(sorted(known))}",
            )
    return {name: column for name, column in columns.items() if name in {f.name for f in fields(row)}} or None


def is_project(x: Any) -> bool:
    """Whether judgments are asked for by the name of a project, as in `project:winter`."""
    return isinstance(x, str) and x.startswith(PROJECT) and len(x) > len(PROJECT)


def _is_larger(source: str, small: int) -> bool:
    """Whether a file holds more bytes of text than that, as far as its size tells."""
    if is_stream(source):
        return True  # nobody knows how much will come
    try:
        return os.path.getsize(source) * (_PACKED if is_packed(source) else 1) > small
    except (OSError, ValueError):
        return False  # the reader says what is wrong with it
