"""Tables in a lake, read through the libraries that know them: Delta by deltalake, Iceberg by pyiceberg.

What a table holds is not what its folder holds: rows that were deleted or replaced lie there too. So a table is never
read as a folder of files. Its rows come as a stream of Arrow batches, with deletions, renamed columns and columns
added later as the library reads them; or as the list of its Parquet files, where these alone say the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from assay.errors import InputError, MissingExtra, did_you_mean, first_line
from assay.files.addresses import Address, checked, is_object, table_of
from assay.files.reading import spelled

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class DataFiles:
    """The Parquet files that hold the rows of a table, for an engine that reads files itself.

    Args:
        name: of the table, as it was typed.
        version: of the table, or its snapshot.
        paths: the files; none where the table has no row.
        partitions: what is in no file: column to value, one a path, without those that are null; None where files
            hold all columns.
        folders: the columns that are in no file.
        root: the folder below which folders called column=value give the same as `partitions`; empty where they do
            not.
        schema: of the table, as Arrow: a file may lack columns that were added later.
        options: for a reader of Spark, which takes a folder's name for a column only where it is told to.
        is_ordered: whether the order of the rows means something: in a table it does not.
    """

    name: str
    version: int
    paths: tuple[str, ...]
    partitions: tuple[Mapping[str, str], ...] | None
    folders: tuple[str, ...]
    root: str
    schema: pa.Schema
    options: Mapping[str, str] = field(default_factory=dict)
    is_ordered: bool = False


class Table(Protocol):
    """A table in one version: what happens to it afterwards changes nothing."""

    name: str
    version: int
    columns: tuple[str, ...]

    def stream(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """The rows, in no order, a batch at a time."""

    def data_files(self) -> DataFiles:
        """The files that alone hold the rows.

        Raises:
            InputError: the rows are more or others than those of the files.
        """

    def content(self) -> str:
        """What tells this content from every other one."""


class Rows:
    """Some columns of a table as an Arrow stream that can be taken again and again, each time read anew.

    Args:
        table: the table.
        columns: their names.
    """

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        for name in columns:
            if name not in table.columns:
                raise InputError(f"the table has no column {name}{did_you_mean(name, table.columns)}", table.name,
                                 f"name one of {', '.join(table.columns[:9])}")  # fmt: skip
        self.table, self.columns = table, tuple(columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.stream(self.columns).__arrow_c_stream__(requested_schema)


def by_values(
    paths: Sequence[str], partitions: Sequence[Mapping[str, str]]
) -> dict[tuple[tuple[str, str], ...], list[str]]:
    """Files by what is in none of them: (column, value) pairs to the paths that have these values.

    Args:
        paths: of the files.
        partitions: column to value, one a path, see `DataFiles`.
    """
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for path, values in zip(paths, partitions, strict=True):
        groups.setdefault(tuple(sorted(values.items())), []).append(path)
    return groups


def found_table(source: str | os.PathLike[str]) -> Address | None:
    """The table that is meant, also one that only a look at the object store can tell; None of all else."""
    address = table_of(source)
    text = os.fspath(source)
    if address is not None or not is_object(text):
        return address
    from assay.files.objects import kind_of_prefix

    kind = kind_of_prefix(checked(text))
    return Address(text, kind, text) if kind else None


def open_table(source: str | os.PathLike[str] | Address) -> Table:
    """A table, in the version that is asked for or its newest.

    Raises:
        InputError: there is no table there, or none of that version, or it cannot be read right.
        MissingExtra: the library that reads it is not installed.
    """
    address = source if isinstance(source, Address) else found_table(source)
    if address is None:
        raise InputError("is no table of a lake", spelled(os.fspath(source)),  # type: ignore[arg-type] # else it is one
                         "name the folder that holds _delta_log or metadata")  # fmt: skip
    try:
        if address.kind == "delta":
            from assay.files.delta import DeltaRows

            return DeltaRows(address)
        from assay.files.iceberg import IcebergRows

        return IcebergRows(address)
    except ImportError as missing:
        raise MissingExtra((missing.name or address.kind).partition(".")[0], "lake",
                           f"a table in a lake ({spelled(address.text)})") from None  # fmt: skip


def data_files(source: str | os.PathLike[str]) -> DataFiles:
    """The Parquet files that hold the rows of a table, see `DataFiles`.

    Raises:
        InputError: there is no such table, or its files alone would give other rows.
    """
    return open_table(source).data_files()


def arrow(source: str | os.PathLike[str], columns: Sequence[str] | None = None) -> Rows:
    """The rows of a table as an Arrow stream that DuckDB and polars read without holding all of it.

    Args:
        source: of the table.
        columns: their names; all when None.

    Raises:
        InputError: there is no such table, or it lacks a column.
    """
    table = open_table(source)
    return Rows(table, table.columns if columns is None else columns)


def read_frame(rows: Rows) -> pl.DataFrame:
    """All rows of some columns, in memory.

    Raises:
        InputError: a file of the table is gone or broken.
    """
    import polars as pl

    try:
        return pl.DataFrame(rows)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError("the table cannot be read to its end", rows.table.name, "restore the files that it names",
                         line=first_line(error)) from error  # fmt: skip
