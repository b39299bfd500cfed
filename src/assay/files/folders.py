"""A folder of files written whole or not at all, and the files of one that is read."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.errors import InputError
from assay.files.reading import reason, spelled


@contextlib.contextmanager
def making(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to be filled, which gets the name `path` when the block ends well; one that holds files is refused."""
    target, name = Path(path), spelled(path)
    if os.fspath(path) == "-":
        raise InputError("a folder cannot be written to standard output", "-", "give the name of a folder")
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            what = "is there already, and is not empty" if target.is_dir() else "is a file, not a folder"
            raise InputError(what, name, "give the name of a new folder")
        temporary = target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}.tmp")
        temporary.mkdir()
    except FileNotFoundError:
        raise InputError(f"there is no folder {target.parent}", name, "make the folder first") from None
    except OSError as error:
        raise InputError(f"cannot be written: {reason(error)}", name, "write to another folder") from None
    try:
        yield temporary
        if target.exists():
            target.rmdir()
        os.replace(temporary, target)
    except BaseException:  # Ctrl-C too leaves nothing behind
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def first_of(folder: str | os.PathLike[str], names: Sequence[str]) -> str | None:
    """The path of the first of some files that a folder holds, plain or packed."""
    for name in names:
        for packed in ("", ".gz", ".zst"):
            path = os.path.join(os.fspath(folder), name + packed)
            if os.path.isfile(path):
                return path
    return None


def names_in(folder: str | os.PathLike[str]) -> list[str]:
    """The names in a folder, sorted; a path that is no folder is refused."""
    try:
        return sorted(os.listdir(folder))
    except NotADirectoryError:
        raise InputError("is a file, not a folder", spelled(folder), "give the folder that holds the files") from None
    except FileNotFoundError:
        raise InputError("no such folder", spelled(folder), "check the spelling") from None
    except OSError as error:
        raise InputError(f"cannot be read: {reason(error)}", spelled(folder), "change its permissions") from None
