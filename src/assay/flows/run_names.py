"""What runs are called where nobody names them: by their files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.files import spelled

ENDINGS = (".gz", ".zst", ".run", ".txt", ".tsv", ".csv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".ipc", ".feather",
           ".trec", ".res", ".results")  # fmt: skip


def short_names(sources: list[Any]) -> tuple[str, ...]:
    """A name a run: the file's name without its endings; with its folders where two would be the same.

    Raises:
        InputError: a run is given twice.
    """
    plain = [_stem(x, i) for i, x in enumerate(sources)]
    if len(set(plain)) == len(plain):
        return tuple(plain)
    long = [spelled(x) if isinstance(x, (str, os.PathLike)) else name for x, name in zip(sources, plain, strict=True)]
    if len(set(long)) == len(long):
        return tuple(long)
    twice = next(name for name in long if long.count(name) > 1)
    raise InputError(f"the run {twice} is given twice", remedy="name each run once, or give a dict of name to run")


def _stem(x: Any, i: int) -> str:
    if not isinstance(x, (str, os.PathLike)):
        return getattr(x, "name", "") or f"run-{i + 1}"
    name = spelled(Path(os.fspath(x)).name)
    if name == "-":
        return "stdin"
    while name.lower().endswith(ENDINGS):
        shorter = name[: name.rindex(".")]
        if not shorter:
            break
        name = shorter
    return name
