"""A log, opened: what its columns mean, how its positions count, what is refused and what is set aside."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.files import is_stream, name_of, spelled
from assay.logs.bots import Bots, is_told_by_events, laid
from assay.logs.engine import Engine
from assay.logs.fields import found, is_ubi, kinds
from assay.logs.found_files import LogFiles, files_of, part_files, passed_over
from assay.logs.hidden import HINT, Hidden, is_typed
from assay.logs.mapping import INTEGERS, Source, check_zone, unit_of
from assay.logs.named import named
from assay.logs.refusals import Refusal, has_events, refusals
from assay.logs.tally import Happened, happened

if TYPE_CHECKING:
    import polars as pl

EVER = (-(2**62), 2**62)
"""The window that leaves nothing out, in microseconds since 1970."""

DAY = 86_400_000_000
NUMBERS = (*INTEGERS, "DOUBLE", "FLOAT")
_NAMED = 20
"""Columns that an error names."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a log is to be read.

    Args:
        columns: field to dotted path, where names do not say it.
        kinds: action to kind, where names do not say it.
        bases: first position of each application, 0 or 1; "" is for all others.
        app: the one application whose rows count; all when empty.
        zone: of times that name none.
        since, until: the window in microseconds since 1970, the second left out.
        most: searches of a session above which it is set aside; none is when 0.
        late: microseconds after its search from which a click is late.
        is_trusted: whether rows are known to come once, so that repeated ones are not looked for.
        is_bandit: whether rows are single documents at positions with the chance that they had, of no query.
        bots: what is set aside as theirs; nothing when None.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    bases: Mapping[str, int] = field(default_factory=dict)
    app: str = ""
    zone: str | None = None
    since: int = EVER[0]
    until: int = EVER[1]
    most: int = 50
    late: int = DAY
    is_trusted: bool = False
    is_bandit: bool = False
    bots: Bots | None = Bots()  # noqa: RUF009 # nothing changes it


@dataclass(frozen=True, slots=True)
class Bases:
    """How the positions of an application count.

    Args:
        app: its name; empty where rows name none.
        base: its first position, 0 or 1.
        is_said: whether it was given, and not read from the smallest position.
    """

    app: str
    base: int
    is_said: bool


class Log:
    """A log whose rows can be asked for by named queries.

    Args:
        engine: with the rows attached.
        reading: how they are read.
        sources: where they are.
        bases: how positions count.
        unread: files of its folders whose endings say nothing.
        may_repeat: whether an impression can come again; False where that was looked at.
        may_lack: whether an impression can be of a search that names no query; False where that was looked at.
    """

    def __init__(
        self,
        engine: Engine,
        reading: Reading,
        sources: Sequence[Source],
        bases: Sequence[Bases],
        unread: Sequence[str] = (),
        may_repeat: bool = True,
        may_lack: bool = True,
    ) -> None:
        self.may_repeat, self.may_lack = may_repeat, may_lack
        self.engine, self.reading = engine, reading
        self.sources, self.bases, self.unread = tuple(sources), tuple(bases), tuple(map(spelled, unread))
        self._window = {"since": reading.since, "until": reading.until}
        self.names: dict[str, str] = {}  # of what came through a pipe and was put aside
        self._hidden: Hidden | None = None
        self._tallied: list[dict[str, Any]] | None = None
        self.heavy = self._set_aside()

    def hide(self, is_personal: Callable[[str], object]) -> None:
        """From now on, gives queries that hold personal data another name, where the log has what people typed."""
        if is_typed(self.sources):
            files = [os.path.abspath(path) for source in self.sources for path in source.files.paths]
            self._hidden = Hidden(is_personal, [*files, *map(str, self._window.values())])

    @property
    def n_hidden(self) -> int:
        """Queries that got another name so far."""
        return 0 if self._hidden is None else len(self._hidden.names)

    def known_as(self, query: str) -> str:
        """The name by which a query goes in what `run` gave."""
        return query if self._hidden is None else self._hidden.names.get(query, query)

    def has(self, name: str) -> bool:
        """Whether any source has a field."""
        return any(name in source.paths for source in self.sources)

    def run(self, name: str, **values: Any) -> Any:
        """The rows of a named query, in the window of time."""
        frame = self.engine.run(name, **{**self._window, "late": self.reading.late, **values})
        return frame if self._hidden is None else self._hidden.out(frame)

    def lay(self, name: str, columns: Mapping[str, str], rows: pl.DataFrame) -> None:
        """A relation beside the log; queries go by the names that `run` gave them."""
        self.engine.lay(name, columns, rows if self._hidden is None else self._hidden.back(rows))

    def lay_pairs(self, name: str, of: str, keep: Callable[[str, str], bool], **values: Any) -> None:
        """A relation beside the log: of the pairs of texts that a named query gives first, those that `keep` takes."""
        self.engine.lay_pairs(name, of, keep, **{**self._window, **values})

    def write(self, name: str, path: str, **values: Any) -> int:
        """Writes the rows of a named query to a Parquet file, or into an empty folder; gives their number."""
        n = self.engine.write(name, path, **{**self._window, **values})
        if n and self._hidden is not None:
            import polars as pl

            before, files = self.n_hidden, part_files(path)
            texts = pl.scan_parquet(files, glob=False).select("query_id").filter(pl.col("query_id").str.contains(HINT))
            self._hidden.out(texts.unique().collect())
            for file in files if self.n_hidden > before else []:
                self._hidden.out(pl.read_parquet(file)).write_parquet(file, compression="zstd")
        return n

    def happened(self) -> list[Happened]:
        """What was recorded, by application."""
        return happened(self.tally())

    def refused(self, by_query: bool = True) -> list[Refusal]:
        """What does not count, and why; nothing that was left out is missing here.

        Args:
            by_query: whether queries are told apart, so that what names none does not count.
        """
        found = refusals(self, self._window, by_query)
        return [replace(one, places=tuple(_as_named(place, self.names) for place in one.places)) for one in found]

    def tally(self) -> list[dict[str, Any]]:
        """What happened and what is refused, counted once."""
        if self._tallied is None:
            self._tallied = self.run("tally").to_dicts()
        return self._tallied

    def _set_aside(self) -> int:
        is_asked = self.reading.most and not self.reading.is_bandit  # rows that were drawn count one by one
        if not is_asked or not self.has("session_id") or not self.has("impression_id"):
            return 0
        heavy = self.run("heavy", most=self.reading.most)
        self.engine.lay("aside", {"session_id": "VARCHAR"}, [(one,) for one in heavy["session_id"]])
        return int(heavy.height)


def open_log(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    reading: Reading,
    *,
    events: str | os.PathLike[str] | None = None,
    engine: Engine | None = None,
) -> Log:
    """Opens a log.

    Args:
        paths: a file, a folder or a glob, or several of them.
        reading: how the rows are to be read.
        events: clicks and what else happened, when they stand apart from what was shown.
        engine: where the queries run; a DuckDB of its own when None.

    Raises:
        InputError: no file, a field that is missing, a time without zone, or positions that start nowhere.
    """
    if engine is None:
        engine = _embedded()
        try:
            return open_log(paths, reading, events=events, engine=engine)
        except BaseException:
            engine.close()
            raise
    names: dict[str, str] = {}
    try:
        given = [_lasting(path, engine, names) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
        log = _opened(given, reading, None if events is None else _lasting(events, engine, names), engine)
    except InputError as error:
        error.where = _as_named(error.where, names)
        raise
    log.names = names
    return log


def _opened(
    given: Sequence[str | os.PathLike[str]], reading: Reading, events: str | os.PathLike[str] | None, engine: Engine
) -> Log:
    sources = [_source(engine, files, reading, "impression")
               for path in given for files in files_of(path, engine.reads_stores)]  # fmt: skip
    if events is not None:
        sources += [_source(engine, files, reading, "click") for files in files_of(events, engine.reads_stores)]
    _check(sources, given, reading)
    bases = _bases(engine, sources, reading)
    counted = {one.app: one.base for one in bases}
    sources = [replace(source, bases=counted) for source in sources]
    instead = _instead(sources, reading)
    engine.attach(sources, instead)
    if reading.bots is not None and laid(engine, sources, reading.bots):
        del instead["known"]
        if is_told_by_events(sources, reading.bots):
            instead["bot_searches"] = "bot_searches_by_events"
        engine.attach(sources, instead)
    engine.rejected()  # looking for positions has read the files: a quote that runs away ends here
    window = {"since": reading.since, "until": reading.until}
    if _leaves_out(engine, sources, instead, window):
        del instead["shown"]
        engine.attach(sources, instead)
    may_lack = "shown" not in instead or not any("query_id" in source.paths for source in sources)
    may_repeat = "impressions" in instead or engine.name != named("again").only or bool(
        engine.run("again", **window)["searches"][0]
    )  # fmt: skip
    if not may_repeat:  # then looking for what comes again finds nothing
        engine.attach(sources, {**instead, "impressions": "impressions_as_they_are"})
    unread = [one for path in given for one in passed_over(path)]
    return Log(engine, reading, sources, bases, unread, may_repeat, may_lack)


def _lasting(path: str | os.PathLike[str], engine: Engine, names: dict[str, str]) -> str | os.PathLike[str]:
    """A path that can be read again; `names` takes the name of what was put aside."""
    if not is_stream(path):
        return path
    place = engine.spool(os.fspath(path))
    names[place] = name_of(path)
    return place


def _as_named(text: str, names: Mapping[str, str]) -> str:
    """A place with the name that was typed."""
    for path, name in names.items():
        text = text.replace(path, name)
    return text


def _embedded() -> Engine:
    from assay.logs.duck import Duck

    return Duck()


def _source(engine: Engine, files: LogFiles, reading: Reading, kind: str) -> Source:
    types = engine.columns(files)
    columns = frozenset(types)
    said = reading.columns if kind == "impression" else _there(reading.columns, columns)
    paths = found(columns, said, spelled(files.paths[0]))
    if kind == "impression" and not paths.keys() & {"doc_id", "docs"} and "kind" not in paths and not is_ubi(columns):
        raise InputError("no column names the document that was shown", spelled(files.paths[0]),
                         f"pass --columns doc_id=COLUMN with one of {_of(columns - set(paths.values()))}")  # fmt: skip
    source = Source(files, paths, kinds(reading.kinds), _plain(kind, columns), types=types, drops=reading.app,
                    is_drawn=reading.is_bandit)  # fmt: skip
    if "at" not in paths:
        return replace(source, zone=reading.zone)
    where = f"{spelled(files.paths[0])}, column {paths['at']}"
    type_ = types[paths["at"]]
    if type_ == "TIMESTAMP WITH TIME ZONE":
        return replace(source, zone=None)
    if type_.startswith(("TIMESTAMP", "DATE")) and reading.zone is None:
        raise InputError("times do not say in which time zone", where, "pass --time-zone, such as UTC")
    values = engine.sample(files, paths["at"])
    if type_ in NUMBERS:
        return replace(source, unit=unit_of(values, where))
    check_zone(values, reading.zone, where)
    return replace(source, zone=reading.zone)


def _of(columns: Iterable[str]) -> str:
    names = sorted(columns)
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")


def _there(said: Mapping[str, str], columns: frozenset[str]) -> dict[str, str]:
    """What was said of columns that these files have: impressions and events need not share their names."""
    return {name: path for name, path in said.items() if path in columns}


def _plain(kind: str, columns: frozenset[str]) -> str:
    """What a row is when no column says it: in UBI a row without an action is the search itself."""
    return "search" if is_ubi(columns) else kind


def _check(sources: Sequence[Source], given: Sequence[Any], reading: Reading) -> None:
    where = spelled(given[0])
    shows = [source for source in sources if source.kind != "click"]
    names = {name for source in shows for name in source.paths}
    if reading.is_bandit and "propensity" not in names:
        raise InputError("no column gives the chance with which a document was shown", where,
                         "say which one does: --columns propensity=COLUMN")  # fmt: skip
    if not reading.is_bandit and not names & {"query_id", "impression_id"}:
        raise InputError("no column names the query", where, "say which one does: --columns query_id=COLUMN")
    if any({"impressions", "clicks"} <= source.types.keys() and "docs" not in source.paths for source in shows):
        raise InputError("holds counts, not single searches", where,
                         "pass the log; propensity, counterfactual and qrels from-clicks take counts")  # fmt: skip
    if reading.app and not any("app" in source.paths for source in sources):
        raise InputError("no column names the application", where, "leave out --app, or pass --columns app=COLUMN")
    if not names & {"position", "docs"}:
        raise InputError("no column gives the position", where, "say which one does: --columns position=COLUMN")
    if not names & {"clicked", "clicks"} and not has_events(sources):
        raise InputError("nothing says what was clicked", where,
                         "say which column does (--columns clicked=COLUMN), or pass --events FILE")  # fmt: skip
    if any(source.kind == "click" for source in sources) and "impression_id" not in names:
        raise InputError("no column ties events to what was shown", where,
                         "say which one does: --columns impression_id=COLUMN")  # fmt: skip


def _bases(engine: Engine, sources: Sequence[Source], reading: Reading) -> list[Bases]:
    least: dict[str, int] = {}
    for source in sources:
        if "position" in source.paths and source.kind != "click":
            for app, first in engine.least(source).items():
                least[app] = min(first, least.get(app, first))
    apps = dict.fromkeys([*sorted(least), *(app for app in reading.bases if app)])
    for app in reading.bases:
        if app and app not in least:
            raise InputError(f"no application of the log is called {app!r}", "--ordinal-base",
                             f"there are {', '.join(one or 'rows without' for one in least) or 'none'}")  # fmt: skip
    return [_base(app, least.get(app), reading.bases) for app in apps]


def _base(app: str, least: int | None, said: Mapping[str, int]) -> Bases:
    if app in said:
        return Bases(app, said[app], True)
    if "" in said:
        return Bases(app, said[""], True)
    return Bases(app, 0 if least is not None and least <= 0 else 1, False)


def _instead(sources: Sequence[Source], reading: Reading) -> dict[str, str]:
    """The cheaper texts that give the same rows for this log."""
    names = {name for source in sources for name in source.paths}
    instead = {"known": "known_as_it_is"}  # until bots are found
    if reading.is_trusted or "impression_id" not in names:
        instead["impressions"] = "impressions_as_they_are"
    if not has_events(sources) and not ({"session_id", "impression_id"} <= names and reading.most):
        instead["shown"] = "shown_by_row"
    return instead


def _leaves_out(
    engine: Engine, sources: Sequence[Source], instead: Mapping[str, str], window: Mapping[str, int]
) -> bool:
    """Whether rows leave to others of their search what it asked, or who answered: then rows alone do not do."""
    names = {name for source in sources for name in source.paths}
    named_by_rows = names & {"query_id", "ranker"}
    if "shown" not in instead or "impression_id" not in names or not named_by_rows:
        return False
    absent = engine.run("unnamed", **window).row(0, named=True)
    return any(absent[name] for name in named_by_rows)
