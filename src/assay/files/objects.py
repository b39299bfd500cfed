"""Objects in a store, read by obstore: S3, Google Cloud Storage, Azure. Keys come from the environment."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from assay.errors import InputError, MissingExtra, first_line
from assay.files.addresses import (
    CONNECT_S,
    LOG,
    METADATA,
    RETRIES,
    RETRY_S,
    Kind,
    checked,
    newest_metadata,
    scheme_of,
)
from assay.files.reading import spelled

_PIECE = 8 << 20
_MACHINE = "169.254.169.254"
"""Where a machine of a cloud is asked for its keys when the environment names none."""


def objects_below(address: str) -> list[str]:
    """The addresses of the objects that are meant, sorted: one, those below a prefix, or those that fit a glob.

    Raises:
        InputError: the store does not answer.
        MissingExtra: obstore is not installed.
    """
    root, path = _split(address)
    store = _store(root)
    magic = min((path.find(sign) for sign in "*?[" if sign in path), default=-1)
    prefix = path if magic < 0 else path[:magic].rpartition("/")[0]
    with _told(address):
        if magic < 0 and path and not path.endswith("/") and _there(store, path):
            return [address]
        below = [str(one["path"]) for batch in store.list(prefix.strip("/") or None) for one in batch]
    kept = below if magic < 0 else [one for one in below if _pattern(path).fullmatch(one)]
    return sorted(f"{root}/{one}" for one in kept)


@lru_cache(maxsize=256)
def kind_of_prefix(address: str) -> Kind | None:
    """Whether a prefix is a table of a lake, by what lies below it."""
    root, path = _split(address)
    if not path or any(sign in path for sign in "*?["):
        return None
    store = _store(root)
    with _told(address):
        if _first(store, f"{path.strip('/')}/{LOG}/"):
            return "delta"
        names = [str(one["path"]) for one in store.list_with_delimiter(f"{path.strip('/')}/{METADATA}/")["objects"]]
    return "iceberg" if newest_metadata(names) else None


def open_object(address: str) -> io.BufferedReader:
    """The bytes of an object, as they are; a part of them is held at a time.

    Raises:
        InputError: there is no such object, or it may not be read.
    """
    root, path = _split(checked(address))
    if not path or path.endswith("/"):
        raise InputError("is no object, but a place that holds some", address, "name one of the objects")
    import obstore

    store = _store(root)
    with _told(address):
        return io.BufferedReader(_Object(obstore.open_reader(store, path), address), _PIECE)


def filesystem(scheme: str) -> Any:
    """What lets DuckDB read addresses of a scheme."""
    _library()
    from obstore.fsspec import FsspecStore

    make: Any = FsspecStore
    return make(scheme, client_options=_client(), retry_config=_retries())


class _Object(io.RawIOBase):
    """The bytes of an object, whose faults name its address."""

    def __init__(self, reader: Any, address: str) -> None:
        self._reader, self._address = reader, address

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _told(self._address):
            data = bytes(self._reader.read(len(buffer)))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._reader.close()
        super().close()


@contextlib.contextmanager
def _told(address: str) -> Iterator[None]:
    """What a store says went wrong, said of the address."""
    from obstore.exceptions import BaseError

    name = spelled(address)
    try:
        yield
    except FileNotFoundError:
        raise InputError("there is no such object", name, "check the spelling") from None
    except (BaseError, OSError) as error:
        first = first_line(error)[:300]
        what = "no keys were found for the store" if _MACHINE in first else "the store does not give it"
        raise InputError(what, name, "check the address, and the keys in the environment", line=first) from None


def _split(address: str) -> tuple[str, str]:
    """The store, and the path in it."""
    scheme_of(address)
    parts = urlsplit(address, allow_fragments=False)
    return f"{parts.scheme}://{parts.netloc}", address.partition("://")[2].partition("/")[2]


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    """A glob as it means files: `*` ends at a slash, `**/` does not."""
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.findall(r"\*\*/|\*\*|\*|\?|\[[^]]+\]|.", glob)
    return re.compile(
        "".join(signs.get(one, one.replace("[!", "[^") if len(one) > 1 else re.escape(one)) for one in parts)
    )


def _library() -> Any:
    try:
        import fsspec  # noqa: F401 # what DuckDB speaks
        import obstore
    except ImportError as missing:
        raise MissingExtra(missing.name or "obstore", "lake", "an address of an object store") from None
    return obstore


def _client() -> Any:
    # what is given here stands in the place of all that the environment says of the client
    plain = any(os.environ.get(f"{who}_ALLOW_HTTP", "").lower() in ("true", "1") for who in ("AWS", "AZURE", "GOOGLE"))
    return {"connect_timeout": timedelta(seconds=CONNECT_S), "timeout": timedelta(seconds=120), "allow_http": plain}


def _retries() -> Any:
    return {"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_S)}


@cache
def _store(root: str) -> Any:
    _library()
    from obstore.store import from_url

    with _told(root):
        return from_url(root, client_options=_client(), retry_config=_retries())


def _there(store: Any, path: str) -> bool:
    import obstore

    try:
        obstore.head(store, path)
    except FileNotFoundError:
        return False
    return True


def _first(store: Any, prefix: str) -> bool:
    batches: Iterator[Any] = iter(store.list(prefix, chunk_size=1))
    return any(len(batch) for batch in batches)
