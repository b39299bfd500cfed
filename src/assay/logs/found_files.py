"""Which files a log is, and what columns they have: a file, a folder, a glob, `.gz` and `.zst`."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

from assay.errors import InputError
from assay.files import local, spelled
from assay.files.reading import open_bytes
from assay.logs.addressed import is_table, not_of_tables, objects

Kind = Literal["parquet", "csv", "tsv", "json"]

ENDINGS: dict[str, Kind] = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "tsv", ".json": "json",
                            ".jsonl": "json", ".ndjson": "json"}  # fmt: skip
PACKED = (".gz", ".zst")

SAMPLE = 2_000
"""Lines of a JSON file that are looked at for the fields it has."""

TELL_OF_BOTS = ("is_bot", "is_robot", "user_agent", "useragent", "http_user_agent")
"""Keys that are looked for in all lines, see `fields`: where they are overlooked, bots count as people."""

_PART = 1 << 22


@dataclass(frozen=True, slots=True)
class LogFiles:
    """Files of one kind.

    Args:
        kind: how they are written.
        paths: one at least, sorted; the address of a table where it is one.
        is_table: whether it is a table of a lake, which is more than its files.
    """

    kind: Kind
    paths: tuple[str, ...]
    is_table: bool = False


def files_of(source: str | os.PathLike[str], reads_stores: bool = False) -> list[LogFiles]:
    """The files of a log, by kind.

    Args:
        source: a file, a folder (its files at any depth, but hidden ones), a glob, or an address: of a table in a lake,
            of objects in a store.
        reads_stores: whether the engine reads addresses of object stores; one without an ending holds Parquet.

    Raises:
        InputError: there is no such file, or one whose ending says nothing.
    """
    if is_table(os.fspath(source), reads_stores):
        return [LogFiles("parquet", (os.fspath(source),), is_table=True)]
    text = local(os.fspath(source))
    if "://" in text and reads_stores:
        return [LogFiles(kind_of(text.rstrip("/*")) or "parquet", (text,))]
    is_file = os.path.isfile(text)
    if "://" in text:
        paths = objects(text)
    else:
        paths = [text] if is_file else sorted(_inside(text) if os.path.isdir(text) else glob.glob(text, recursive=True))
        paths = [path for path in paths if os.path.isfile(path)]
        not_of_tables(paths)
    if not paths and os.path.isdir(text):
        raise InputError("no files of a log are in this folder", spelled(text),
                         "name a folder with .parquet, .csv, .tsv or .jsonl files")  # fmt: skip
    if not paths:
        raise InputError("there is no such log", spelled(text), "name a file, a folder or a glob in quotes")
    groups: dict[tuple[Kind, bytes], list[str]] = {}
    for path in paths:
        kind = kind_of(path)
        if kind is None:
            if is_file or not os.path.isdir(text):
                raise InputError("the ending does not say what the file is", spelled(path),
                                 "name it .parquet, .csv, .tsv or .jsonl, also with .gz or .zst")  # fmt: skip
            continue  # told of by `passed_over`
        if kind != "parquet" and "://" not in path:
            _check_name(path)
        groups.setdefault((kind, header(path) if kind in ("csv", "tsv") else b""), []).append(path)
    if not groups:
        raise InputError("no files of a log are in this folder", spelled(text),
                         "name a folder with .parquet, .csv, .tsv or .jsonl files")  # fmt: skip
    return [LogFiles(kind, tuple(paths)) for (kind, _), paths in groups.items()]


def passed_over(source: str | os.PathLike[str]) -> list[str]:
    """The files of a folder that `files_of` leaves out, as their endings say nothing; but for a README or a licence."""
    source = local(os.fspath(source))
    if not os.path.isdir(source) or is_table(source, reads_stores=True):
        return []
    told = ("readme", "license", "licence")
    return [path for path in sorted(_inside(os.fspath(source)))
            if kind_of(path) is None and not os.path.basename(path).lower().startswith(told)]  # fmt: skip


def _check_name(path: str) -> None:
    """Refuses what is compressed under a name that does not say so: engines go by the name."""
    with open(path, "rb") as file:
        head = file.read(4)
    for ending, magic in zip(PACKED, (b"\x1f\x8b", b"\x28\xb5\x2f\xfd"), strict=True):
        if head.startswith(magic) and not path.lower().endswith(ending):
            raise InputError("is compressed, and its name does not say so", spelled(path),
                             f"name it {os.path.basename(spelled(path))}{ending}")  # fmt: skip


def header(path: str) -> bytes:
    """The line with the names of the columns: files that have others are read apart."""
    with open_bytes(path) as file:
        line = file.readline().strip(b" \r\n").split(b"\r", 1)[0]  # a tab can end a name that is empty
    if not line:
        raise InputError("is empty, or begins with an empty line", spelled(path),
                         "write the names of the columns into the first line, or leave out the file")  # fmt: skip
    if line.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in line:
        raise InputError("is not UTF-8 text", f"{spelled(path)}:1", "write it as UTF-8")
    return line


def kind_of(path: str) -> Kind | None:
    """How a file is written, by its ending; None when that says nothing."""
    stem, ending = os.path.splitext(path.lower())
    if ending in PACKED:
        ending = os.path.splitext(stem)[1]
    return ENDINGS.get(ending)


def _inside(folder: str) -> Iterator[str]:
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(here, name) for name in names if not name.startswith((".", "_")))


def part_files(path: str | os.PathLike[str]) -> list[str]:
    """The Parquet files of a folder at any depth, by name; a file is its own."""
    text = os.fspath(path)
    return sorted(one for one in _inside(text) if kind_of(one) == "parquet") if os.path.isdir(text) else [text]


def json_paths(paths: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The dotted paths of the values in the first lines of JSON files; a list is one value.

    Returns:
        Path to its steps: a key may itself have dots, such as "hit.id" of {"hit.id": 1}.

    Raises:
        InputError: a file is one JSON list, or none of its first lines is an object.
    """
    names: dict[str, tuple[str, ...]] = {}
    for path in paths:
        with open_bytes(path) as file:
            if file.peek(64).lstrip()[:1] == b"[":  # type: ignore[attr-defined] # every opened source looks ahead
                raise InputError("is one JSON list, which can only be read whole", spelled(path),
                                 "write one object a line (jq -c '.[]')")  # fmt: skip
            for _, line in zip(range(SAMPLE), file, strict=False):
                try:
                    row = json.loads(line)
                except ValueError:  # counted, with its place, when the log is read
                    continue
                if isinstance(row, dict):
                    names.update({".".join(steps): steps for steps in _leaves(row)})
            if "://" not in path:
                names.update(_of_bots(file))
    if not names:
        raise InputError(f"none of the first {SAMPLE:,} lines is a JSON object", spelled(paths[0]),
                         "write one JSON object a line")  # fmt: skip
    return names


def _of_bots(file: BinaryIO) -> dict[str, tuple[str, ...]]:
    """The paths in the rest of a file that tell of bots: they may stand on the rows of bots alone."""
    wanted = {f'"{name}"'.encode(): name for name in TELL_OF_BOTS}
    found: dict[str, tuple[str, ...]] = {}
    while wanted and (part := file.read(_PART)):
        part += file.readline()
        low = part.lower()
        there = [word for word in wanted if word in low]
        for line in part.splitlines() if there else ():
            if not any(word in line.lower() for word in there) or not _is_object(line):
                continue
            for steps in _leaves(json.loads(line)):
                if (word := f'"{steps[-1]}"'.lower().encode()) in wanted:
                    found[".".join(steps)] = steps
                    there = [one for one in there if one != word]
                    del wanted[word]
    return found


def _leaves(row: dict[str, Any], *before: str) -> Iterator[tuple[str, ...]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _leaves(value, *before, name)
        else:
            yield (*before, name)


def first_bad_lines(paths: tuple[str, ...], most: int = 3) -> list[str]:
    """Where the first lines stand that are no JSON object, as `file:line`."""
    places: list[str] = []
    for path in paths:
        with open_bytes(path) as file:
            for number, line in enumerate(file, start=1):
                if line.strip() and not _is_object(line):
                    places.append(f"{spelled(path)}:{number}")
                    if len(places) == most:
                        return places
    return places


def _is_object(line: bytes) -> bool:
    try:
        found = json.loads(line)
        json.dumps(found, ensure_ascii=False).encode()  # half a sign (\\ud800) is no text
    except ValueError:
        return False
    return isinstance(found, dict)
