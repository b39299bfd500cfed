"""Addresses beside paths: tables in a lake, objects in a store; what each names, and what none may hold.

    delta:PLACE, delta:PLACE@3                a Delta table: a folder or an address; as it was in version 3
    iceberg:PLACE, iceberg:PLACE@SNAPSHOT     an Iceberg table: its folder, or one of its metadata files
    iceberg:CATALOG#NAMESPACE.TABLE           one of a catalogue: its name in the settings of pyiceberg, or its URI
    iceberg:NAME=URI#NAMESPACE.TABLE          the same, where a database holds catalogues that are not called default
    s3://, s3a://, gs://, az://, abfss://...  objects: one, those below a prefix, or a glob; or a table

A folder or prefix with `_delta_log` is a Delta table, one with `metadata/*.metadata.json` an Iceberg table; neither
needs the word before it. Keys and passwords come from the environment, never from an address.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlsplit

from assay.errors import InputError
from assay.files.reading import spelled

Kind = Literal["delta", "iceberg"]

STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "azure", "adl", "abfs", "abfss"})
"""Schemes of the object stores that are read."""

LOG, METADATA = "_delta_log", "metadata"
"""The folders by which a table is known."""

RETRIES, CONNECT_S, RETRY_S = 2, 10, 30
"""How long a store is waited for that does not answer: times that it is asked again, and seconds."""

_SECRET = re.compile(r"[?&;][^=&#]*(password|passwd|secret|token|sig|signature|credential|key)[^=&#]*=", re.IGNORECASE)
_VERSION = re.compile(r"^(.+)@(\d+)$")


@dataclass(frozen=True, slots=True)
class Address:
    """A table in a lake.

    Args:
        text: as it was typed.
        kind: whose layout it has.
        place: its folder, its address, a metadata file, or the catalogue.
        table: NAMESPACE.TABLE in a catalogue; empty where the place is the table.
        version: that is asked for; the newest when None.
    """

    text: str
    kind: Kind
    place: str
    table: str = ""
    version: int | None = None


def checked(address: str) -> str:
    """An address as it was typed, when it holds no secret; results and messages show addresses.

    Raises:
        InputError: it holds a name with a password, or a parameter that is one.
    """
    for scheme, who in re.findall(r"([a-zA-Z][\w+.-]*)://([^/?#]*)@", address):
        if not scheme.startswith("abfs") or ":" in who:  # abfss://container@account...
            raise InputError("the address holds a name or a password", f"{scheme}://...",
                             "leave it out, and give it by the environment (see the how-to on lakes)")  # fmt: skip
    if _SECRET.search(address):
        raise InputError("the address holds a password, a key or a signature", re.split("[?;&]", address)[0],
                         "leave it out, and give it by the environment (see the how-to on lakes)")  # fmt: skip
    return address


def local(text: str) -> str:
    """The path that a `file://` address names; all else as it is.

    Raises:
        InputError: the address names another machine.
    """
    if not text.startswith("file:/"):
        return text
    parts = urlsplit(text)
    if parts.netloc not in ("", "localhost"):
        raise InputError(f"names a file of another machine, {parts.netloc}", text, "write file:///PATH")
    path = unquote(parts.path)
    return path[1:] if os.name == "nt" else path


def is_object(text: str) -> bool:
    """Whether it is an address of an object store, or of another place that is no path."""
    return "://" in text and not text.startswith(("delta:", "iceberg:", "file:/"))


def is_beyond(text: str) -> bool:
    """Whether it is no path, but an address of a table or of an object store."""
    return text.startswith(("delta:", "iceberg:")) or is_object(text)


def scheme_of(address: str) -> str:
    """The scheme, which must be one of `STORES`.

    Raises:
        InputError: it is another one.
    """
    scheme = address.partition("://")[0].lower()
    if scheme not in STORES:
        raise InputError(f"addresses that begin with {scheme}:// are not read", address,
                         "copy the files to a folder, or to S3, Google Cloud Storage or Azure")  # fmt: skip
    return scheme


def table_of(source: str | os.PathLike[str]) -> Address | None:
    """The table that is meant; None of files, and of addresses that only a look at the store can tell.

    Raises:
        InputError: the address holds a secret or cannot be read.
    """
    text = os.fspath(source)
    if text.startswith("delta:"):
        place, version = _versioned(checked(text).removeprefix("delta:"))
        return Address(text, "delta", local(place), version=version)
    if text.startswith("iceberg:"):
        place, version = _versioned(checked(text).removeprefix("iceberg:"))
        catalogue, _, table = place.partition("#")
        if "#" in place and not (catalogue and "." in table):
            raise InputError("does not name a table of a catalogue", spelled(text),
                             "write iceberg:CATALOG#NAMESPACE.TABLE")  # fmt: skip
        return Address(text, "iceberg", catalogue if table else local(place), table, version)
    path = local(text)
    if "://" in path or "\0" in path:
        return None
    kind = _kind_of(path)
    return Address(text, kind, path) if kind else None


def _versioned(place: str) -> tuple[str, int | None]:
    named = _VERSION.match(place)
    if named is None or os.path.exists(place):
        return place, None
    return named[1], int(named[2])


def _kind_of(folder: str) -> Kind | None:
    """What a folder is by what lies in it."""
    if os.path.isdir(os.path.join(folder, LOG)):
        return "delta"
    if os.path.isfile(folder):
        return None
    try:
        names = os.listdir(os.path.join(folder, METADATA))
    except (OSError, ValueError):
        return None
    return "iceberg" if newest_metadata(names) else None


def newest_metadata(names: list[str]) -> list[str]:
    """The names of the metadata files with the highest number among those of a folder: one, if all is well."""
    numbered = [(int(found[1]), name) for name in names
                if (found := re.match(r"v?(\d+)[^/]*\.metadata\.json$", PurePosixPath(name).name))]  # fmt: skip
    most = max((number for number, _ in numbered), default=0)
    return sorted(name for number, name in numbered if number == most)
