"""`assay import`, `export`, `convert` and `formats`: files of other tools to tables and back, and what gets lost."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.files import name_of
from assay.flows.conversion import Conversion, Dropped, Moved, called
from assay.flows.run_names import short_names
from assay.flows.workbench import Workbench
from assay.formats.carried import OUTSIDE, Carried, Lost, Wishes
from assay.formats.carry import DECODE, Found, format_for, read_any, write_any
from assay.formats.labelled import label_map
from assay.formats.landing import Landing, landing, put
from assay.formats.recognise import ALL
from assay.label_maps import LabelMap
from assay.results import Note, Source
from assay.tables import Block, Document, Hit, Judgment, Topic

if TYPE_CHECKING:
    from assay.workspace import Workspace


def read_outside(
    source: Any, format: str | None = None, *, labels: str | LabelMap | None = None,
    options: Mapping[str, str] | None = None,
) -> Carried:  # fmt: skip
    """The tables of a file or folder of another tool, and what could not be carried over.

    Args:
        source: a path, or an open binary file.
        format: as `assay formats` lists it; recognised from the content when None.
        labels: what labels are worth: a named map, or one such as "{good:2,bad:0}".
        options: what the format alone understands.

    Returns:
        `tables` (class of the rows to rows), `runs` (system to hits), `lost`, `facts` and `unlisted`.

    Raises:
        InputError: the file is broken, or no format or several claim it.
    """
    return read_any(source, format, _wishes(labels, options)).carried


def write_outside(
    carried: Carried, target: str | os.PathLike[str], format: str, *, options: Mapping[str, str] | None = None
) -> tuple[Lost, ...]:
    """Writes tables in the format of another tool, whole or not at all; what has no place there comes back."""
    return write_any(carried, target, format, _wishes(None, options))


def import_file(
    source: Any,
    format: str | None = None,
    *,
    labels: str | LabelMap | None = None,
    options: Mapping[str, str] | None = None,
    ids_from: Any = None,
    into: str | os.PathLike[str] | None = None,
    force: bool = False,
    bench: Workbench | None = None,
    command: str = "",
) -> Conversion:
    """Writes what a file of another tool holds as judgments, topics, documents and runs of a workspace or folder.

    Args:
        source: the file or folder.
        format: as `assay formats` lists it; recognised from the content when None.
        labels: what labels are worth: a named map, or one such as "{good:2,bad:0}".
        options: what the format alone understands.
        ids_from: topics whose ids are taken where a query has their text, since some tools know the text alone.
        into: the folder, made when absent; the places of the workspace when None.
        force: write over files that are there.
        bench: where the workspace is.
        command: how the result was asked for.

    Raises:
        InputError: the file is broken, no format or several claim it, or a file is there already. Then nothing is
            written.
    """
    bench = Workbench.open() if bench is None else bench
    path = bench.source(source) or source
    found = read_any(path, format, _wishes(labels, options))
    if ids_from is not None:
        from assay.formats.query_names import named_by

        found = replace(found, carried=named_by(found.carried, bench.table(ids_from, Topic, name="topics")))
    _noted(bench, path, found)
    workspace = bench.workspace if into is None else None
    if into is None and workspace is None:
        into = "."
    places = landing(found.carried, workspace, into)
    put(places, force=force)
    lost = _left_behind(found.carried)
    return _said(found, bench, command, _moved(found.carried, places), lost, target=_folder(workspace, into),
                 written_as=", ".join(dict.fromkeys(one.format for one in places.files)), settings=places.settings,
                 next=_next(places, found.carried, workspace))  # fmt: skip


def convert(
    source: Any,
    target: str | os.PathLike[str],
    format: str | None = None,
    to: str | None = None,
    *,
    labels: str | LabelMap | None = None,
    options: Mapping[str, str] | None = None,
    force: bool = False,
    bench: Workbench | None = None,
    command: str = "",
) -> Conversion:
    """Writes what one file holds in another format.

    Args:
        source: the file or folder.
        target: the file or folder to write.
        format: of the source; recognised from the content when None.
        to: of the target; by its ending, for our own formats, when None.
        labels: what labels are worth.
        options: what the two formats alone understand; each takes those that it knows.
        force: write over a file that is there.
        bench: where the workspace is.
        command: how the result was asked for.
    """
    bench = Workbench.open() if bench is None else bench
    to = to or _format_of(target)
    wishes = _wishes(labels, options)
    path = bench.source(source) or source
    _free(target, force, path)
    found = read_any(path, format, _known_to(wishes, format, path))
    _noted(bench, path, found)
    _all_known(wishes, found.format, to)
    lost = write_any(found.carried, target, to, Wishes(None, _own(wishes, to)))
    return _said(found, bench, command, _moved(found.carried, None), lost, target=os.fspath(target), written_as=to)


def export(
    target: str | os.PathLike[str],
    to: str,
    *,
    qrels: Any = None,
    topics: Any = None,
    runs: Any = (),
    documents: Any = None,
    labels: str | LabelMap | None = None,
    options: Mapping[str, str] | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    force: bool = False,
    bench: Workbench | None = None,
    command: str = "",
) -> Conversion:
    """Writes judgments, topics, runs and documents in the format of another tool.

    Args:
        target: the file or folder to write.
        to: the format, as `assay formats` lists it.
        qrels: the judgments; those of the workspace when nothing at all is given.
        topics: the queries.
        runs: one run or several, or a dict of name to run.
        documents: what the documents say.
        labels: what the labels of the judgments are worth.
        options: what the format alone understands.
        format: of the files that are read; recognised when None.
        columns: name of the column that holds each field.
        force: write over a file that is there.
        bench: where inputs are found.
        command: how the result was asked for.
    """
    bench = Workbench.open() if bench is None else bench
    bench.labels = label_map(labels)
    if not any(x is not None and not _is_none(x) for x in (qrels, topics, runs, documents)):
        qrels, topics, documents = (_of_workspace(bench, name) for name in ("qrels", "topics", "documents"))
    tables: dict[type, Block] = {}
    for row, x in ((Topic, topics), (Judgment, qrels), (Document, documents)):
        if x is not None:
            tables[row] = bench.table(x, row, format=format, columns=columns)
    named = _named(runs)
    held = {name: bench.table(x, Hit, format=format, columns=columns, name=name) for name, x in named.items()}
    if not tables and not held:
        raise InputError("nothing was given to export", remedy="pass --qrels, --topics, --run or --documents")
    origin = " + ".join(dict.fromkeys(block.name for block in (*tables.values(), *held.values()) if block.name))
    carried = Carried(origin or "tables", tables, held)
    _free(target, force, *(x for x in (qrels, topics, documents, *named.values()) if isinstance(x, (str, os.PathLike))))
    lost = write_any(carried, target, to, _wishes(None, options))
    facts = tuple(fact for block in (*tables.values(), *held.values()) for fact in block.facts)
    found = Found(replace(carried, facts=facts), "", "", False)
    return _said(found, bench, command, _moved(carried, None), lost, target=os.fspath(target), written_as=to)


def _noted(bench: Workbench, path: Any, found: Found) -> None:
    """What was read: the hash of a file's bytes, or that of a table's version."""
    if found.digest:
        bench.note_rows(name_of(path), found.digest)
    elif isinstance(path, (str, os.PathLike)) and not os.path.isdir(path):
        bench.note(os.fspath(path))


def _wishes(labels: str | LabelMap | None, options: Mapping[str, str] | None) -> Wishes:
    return Wishes(label_map(labels), dict(options or {}))


def _known_to(wishes: Wishes, format: str | None, source: Any) -> Wishes:
    """The wishes that concern the source: of its options, those that it knows."""
    from assay.formats.claims import claims

    if not wishes.options:
        return wishes
    name = format or next((one.name for one in claims(source)), "trec")
    return Wishes(wishes.labels, _own(wishes, name))


def _own(wishes: Wishes, format: str) -> dict[str, str]:
    known = DECODE if format in ALL else OUTSIDE.find(format).options if format in OUTSIDE else {}
    return {name: value for name, value in wishes.options.items() if name in known}


def _all_known(wishes: Wishes, format: str, to: str) -> None:
    for name in wishes.options:
        if name not in {**_own(wishes, format), **_own(wishes, to)}:
            raise InputError(f"neither {format} nor {to} has an option {name}", "--option", "see `assay formats NAME`")


def _format_of(target: str | os.PathLike[str]) -> str:
    found = format_for(target)
    if found is None:
        ours = ".csv, .tsv, .jsonl, .parquet, .arrow, .qrels, .run"
        raise InputError(f"the ending of {os.fspath(target)} says no format", "--to",
                         f"say it: --to FORMAT, or use one of {ours}")  # fmt: skip
    return found


def _free(target: str | os.PathLike[str], force: bool, *sources: Any) -> None:
    if os.fspath(target) == "-":
        return
    for source in sources:
        both = isinstance(source, (str, os.PathLike)) and os.path.exists(source) and os.path.exists(target)
        if both and os.path.samefile(source, target):
            raise InputError(f"{os.fspath(target)} is one of the inputs", remedy="write to another file")
    if os.path.exists(target) and not force and (not os.path.isdir(target) or os.listdir(target)):
        raise InputError("is there already", name_of(target), "pass --force to write over it, or name another")


def _is_none(x: Any) -> bool:
    return isinstance(x, (list, tuple, dict)) and not x


def _of_workspace(bench: Workbench, name: str) -> str | None:
    file = bench.workspace.file(name) if bench.workspace is not None else None
    return str(file) if file is not None and file.exists() else None


def _named(runs: Any) -> dict[str, Any]:
    if runs is None or _is_none(runs):
        return {}
    if isinstance(runs, Mapping) and all(not isinstance(one, Mapping) for one in runs.values()):
        return {str(name): run for name, run in runs.items()}
    several = list(runs) if isinstance(runs, (list, tuple)) else [runs]
    return dict(zip(short_names(several), several, strict=True))


def _moved(carried: Carried, places: Landing | None) -> tuple[Moved, ...]:
    files = {} if places is None else {one.key: one.shown for one in places.files}
    made = []
    for row, block in carried.tables.items():
        made.append(Moved(called(row), len(block), _distinct(block, "query_id"), _distinct(block, "rater"),
                          files.get(called(row), "")))  # fmt: skip
    for name, block in carried.runs.items():
        queries = (_distinct(block, "query_id") or 0) + len(block.empty)
        made.append(Moved(f"run {name}", len(block), queries, file=files.get(f"run {name}", "")))
    return tuple(made)


def _distinct(block: Block, column: str) -> int | None:
    if column not in block.columns:
        return None
    values = set(block.frame[column]) - {None, ""}
    return len(values) or None


def _said(
    found: Found, bench: Workbench, command: str, moved: tuple[Moved, ...], lost: Sequence[Lost] = (), **more: Any
) -> Conversion:  # fmt: skip
    from assay import __version__

    carried = found.carried
    dropped = tuple(Dropped(one.what, one.count, one.why, one.places) for one in (*carried.lost, *lost))
    facts = dict.fromkeys((*carried.facts, *(f for block in carried.tables.values() for f in block.facts)))
    return Conversion(
        origin=carried.name, format=found.format, title=found.title, is_recognised=found.is_recognised,
        moved=moved, dropped=dropped, unlisted=carried.unlisted,
        notes=tuple(Note("read", fact) for fact in facts),
        source=Source(hashes=bench.inputs(), versions=(("assay", __version__),), command=command), **more,
    )  # fmt: skip


def _left_behind(carried: Carried) -> tuple[Lost, ...]:
    """What belongs to the other tool alone, and what files with one row a hit cannot say."""
    lost: list[Lost] = []
    more = [name for name, value in carried.more.items() if value not in (None, "", [], {}, False)]
    if more:
        why = f"they belong to the other tool ({', '.join(more)}); `assay convert` carries them to its own formats"
        lost.append(Lost("settings of the source", len(more), why))
    empty = sum(len(block.empty) for block in carried.runs.values())
    if empty:
        why = "a file with one row a hit cannot say it; the run lacks them then, which counts 0 as before"
        lost.append(Lost("queries that returned nothing", empty, why))
    return tuple(lost)


def _folder(workspace: Workspace | None, into: str | os.PathLike[str] | None) -> str:
    if into is not None:
        return os.fspath(into)
    assert workspace is not None
    return os.path.relpath(workspace.root)


def _next(places: Landing, carried: Carried, workspace: Workspace | None) -> tuple[str, ...]:
    """What to type now, with the files that are there."""
    import shlex

    file = {one.key: shlex.quote(one.shown) for one in places.files}
    runs = [file[f"run {name}"] for name in carried.runs]
    qrels = file.get("judgments")
    if qrels is None:
        return (f"assay evaluate {' '.join(runs)} QRELS",) if runs else ()
    end = f" {qrels}" if workspace is None else ""
    topics = f" --topics {file['topics']}" if "topics" in file and workspace is None else ""
    absent = " --unlisted not-relevant" if carried.unlisted == "not-relevant" and workspace is None else ""
    if len(runs) > 1:
        return (f"assay compare {' '.join(runs)}{end}{topics}{absent}",)
    if runs:
        return (f"assay evaluate {runs[0]}{end}{topics}{absent}",)
    more = (f"assay agree {qrels}",) if (_distinct(carried.tables[Judgment], "rater") or 0) > 1 else ()
    return (f"assay compare BASELINE.run CANDIDATE.run {qrels}{topics}{absent}", *more)
