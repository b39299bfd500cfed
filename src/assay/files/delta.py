"""Delta tables, read by deltalake: deletion vectors and mapped columns are its work.

`DeltaTable.scan` reads both right; `to_pyarrow_dataset` does not, and gives nulls for mapped columns (deltalake 1.6),
so it is not used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import deltalake
import pyarrow as pa
from deltalake.exceptions import DeltaError, TableNotFoundError

from assay.errors import InputError, first_line
from assay.files.addresses import CONNECT_S, RETRIES, RETRY_S, Address
from assay.files.reading import spelled

if TYPE_CHECKING:
    from assay.files.lake import DataFiles

PLAIN = frozenset({"timestampNtz", "v2Checkpoint", "vacuumProtocolCheck", "deletionVectors", "columnMapping",
                   "domainMetadata", "appendOnly", "invariants", "checkConstraints", "inCommitTimestamp"})  # fmt: skip
"""Features of tables that change nothing in their files, and the two that are looked at one by one."""

NULL = "__HIVE_DEFAULT_PARTITION__"
_ELSEWHERE = re.compile(r"[a-zA-Z][\w+.-]*:/|/|(.*/)?\.\.(/|$)")
_ESCAPED = re.compile("%([0-9a-fA-F]{2})")


class DeltaRows:
    """A Delta table in one version, see `assay.files.lake.Table`."""

    def __init__(self, address: Address) -> None:
        self.name = spelled(address.text)
        self._root = address.place
        self._at = (self._root if "://" in self._root else os.path.abspath(self._root)).rstrip("/")
        try:
            self._table = deltalake.DeltaTable(
                address.place, version=address.version, storage_options=_options(address)
            )
            self.version = self._table.version()
            self.columns = tuple(one.name for one in self._table.schema().fields)
            self._check()
        except (DeltaError, OSError, ValueError) as error:
            raise self._said(error, address.version) from error

    def stream(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """The rows, in no order.

        Raises:
            InputError: a file of the table cannot be read.
        """
        try:
            return pa.RecordBatchReader.from_stream(self._table.scan(columns=list(columns)))
        except (DeltaError, OSError, ValueError) as error:
            raise self._said(error) from error

    def data_files(self) -> DataFiles:
        """The files that alone hold the rows."""
        from assay.files.lake import DataFiles

        self._check_plain()
        folders = list(self._table.metadata().partition_columns)
        held = pa.table(self._table.get_add_actions(flatten=True)).to_pylist()
        values = [{name: text for name in folders if (text := _text(row[f"partition.{name}"])) is not None}
                  for row in held]  # fmt: skip
        paths = [self._path(row["path"]) for row in held]
        is_told = all(_named(row["path"]) == {name: had.get(name) for name in folders}
                      for row, had in zip(held, values, strict=True))  # fmt: skip
        return DataFiles(
            name=self.name, version=self.version, paths=tuple(paths),
            partitions=tuple(values) if folders else None, folders=tuple(folders),
            root=self._at if folders and is_told else "", schema=pa.schema(self._table.schema().to_arrow()),
        )  # fmt: skip

    def content(self) -> str:
        """The table's own id and the version."""
        return f"delta {self._table.metadata().id} {self.version}"

    def _path(self, path: str) -> str:
        """A file as its reader opens it: the log holds it percent-encoded."""
        return f"{self._at}/{unquote(path)}"

    def _check(self) -> None:
        """A log may name files anywhere: only those in the table's folder are opened."""
        for path in pa.table(self._table.get_add_actions()).column("path").to_pylist():
            if _ELSEWHERE.match(unquote(path)):
                raise InputError(f"the log names a file outside of the table: {path}", self.name,
                                 "copy the rows of the table to a table of its own")  # fmt: skip

    def _check_plain(self) -> None:
        mend = "write the rows anew (OPTIMIZE, REORG or a copy of the table), or leave out --on spark"
        features = set(self._table.protocol().reader_features or ())
        if self._table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
            raise InputError("the columns of its files have other names (column mapping)", self.name, mend)
        if odd := features - PLAIN:
            raise InputError(f"its files alone do not say its rows ({', '.join(sorted(odd))})", self.name, mend)
        if "deletionVectors" in features and any(batch.num_rows for batch in self._deleted()):
            raise InputError("rows of its files are deleted by deletion vectors", self.name, mend)

    def _deleted(self) -> Any:
        try:
            return pa.RecordBatchReader.from_stream(self._table.deletion_vectors())
        except (DeltaError, OSError, ValueError) as error:
            raise self._said(error) from error

    def _said(self, error: Exception, version: int | None = None) -> InputError:
        first = first_line(error)
        if isinstance(error, TableNotFoundError):
            return InputError("there is no Delta table", self.name, "name the folder that holds _delta_log", line=first)
        mend = "check the address, and the keys in the environment" if "://" in self._root else "restore the table"
        if version is not None:
            return InputError(f"version {version} of the Delta table cannot be read", self.name,
                              "name a version that is not vacuumed, or leave out @N", line=first)  # fmt: skip
        return InputError("the Delta table cannot be read", self.name, mend, line=first)


def _options(address: Address) -> dict[str, str] | None:
    if "://" not in address.place:
        return None
    return {"max_retries": str(RETRIES), "retry_timeout": f"{RETRY_S}s", "connect_timeout": f"{CONNECT_S}s"}


def _text(value: Any) -> str | None:
    """A value of a partition as Delta writes it."""
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _named(path: str) -> Mapping[str, str | None]:
    """Column to value as Spark takes them from the folders of a file, which reads no UTF-8 out of them."""
    steps = (step.partition("=") for step in unquote(path).split("/")[:-1])
    return {name: None if value == NULL else _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
            for name, sign, value in steps if sign}  # fmt: skip
