"""Iceberg tables, read by pyiceberg: position deletes, renamed columns and partitions are its work."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io import load_file_io
from pyiceberg.io.pyarrow import ArrowScan, schema_to_pyarrow
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import DataScan, FileScanTask, StaticTable
from pyiceberg.table import Table as Held
from pyiceberg.transforms import IdentityTransform

from assay.errors import InputError, first_line
from assay.files.addresses import METADATA, Address, local, newest_metadata
from assay.files.reading import spelled

if TYPE_CHECKING:
    from assay.files.lake import DataFiles

ENDING = ".metadata.json"
_CALLED = re.compile(r"[\w-]+=\w+://[^=]*$")
"""A catalogue with its name before it: one database can hold several."""


class IcebergRows:
    """An Iceberg table at one snapshot, see `assay.files.lake.Table`."""

    def __init__(self, address: Address) -> None:
        self.name = spelled(address.text)
        with _said_of(self.name):
            self._held = _of_catalogue(address, self.name) if address.table else _of_metadata(address.place, self.name)
            if address.version is not None and self._held.snapshot_by_id(address.version) is None:
                raise InputError(
                    f"the Iceberg table has no snapshot {address.version}", self.name, _snapshots(self._held)
                )
            newest = self._held.current_snapshot()
            self.version = address.version or (newest.snapshot_id if newest else 0)
            self._at = address.version  # the newest by its own number would have the columns of its time
            scan = self._held.scan(snapshot_id=self._at)
            self._schema = scan.projection()
            self.columns = tuple(field.name for field in self._schema.fields)
            self._tasks = sorted(scan.plan_files(), key=lambda task: task.file.file_path)
            _check_files(self._tasks, self._held, self.name)

    def stream(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """The rows, in no order; no more than one data file is held."""
        scan = self._held.scan(selected_fields=tuple(columns), snapshot_id=self._at)
        target = pa.schema(
            [schema_to_pyarrow(scan.projection(), include_field_ids=False).field(one) for one in columns]
        )
        return pa.RecordBatchReader.from_batches(target, self._batches(scan, target))

    def data_files(self) -> DataFiles:
        """The files that alone hold the rows."""
        from assay.files.lake import DataFiles

        _check_plain(self._held, self._tasks, self._schema, self.name)
        return DataFiles(
            name=self.name, version=self.version, partitions=None, folders=(), root="",
            paths=tuple(task.file.file_path for task in self._tasks),
            schema=schema_to_pyarrow(self._schema, include_field_ids=False),
        )  # fmt: skip

    def content(self) -> str:
        """The table's own id and the snapshot."""
        return f"iceberg {self._held.metadata.table_uuid} {self.version} {self._held.metadata.current_schema_id}"

    def _batches(self, scan: DataScan, target: pa.Schema) -> Iterator[pa.RecordBatch]:
        wanted = scan.projection()
        for task in self._tasks:  # one by one: asked for all, pyiceberg reads ahead as many as there are
            for batch in ArrowScan(self._held.metadata, self._held.io, wanted, AlwaysTrue()).to_record_batches([task]):
                yield from pa.Table.from_batches([batch]).select(target.names).cast(target).to_batches()


@contextlib.contextmanager
def _said_of(name: str) -> Iterator[None]:
    """What goes wrong in the library, said of the table.

    Raises:
        InputError: something does.
    """
    try:
        yield
    except (InputError, ImportError):
        raise
    except (NoSuchTableError, NoSuchNamespaceError):
        raise InputError(
            "there is no such Iceberg table",
            name,
            "check its namespace and name, and the name of its catalogue (NAME=URI)",
        ) from None
    except Exception as error:  # pyiceberg, pyarrow and SQLAlchemy have their own families of errors
        first = first_line(error)
        if "equality delete" in first:
            raise InputError("rows are deleted by equality deletes, which pyiceberg does not read", name,
                             "have the table compacted (rewrite_data_files)") from error  # fmt: skip
        raise InputError("the Iceberg table cannot be read", name,
                         "check the address; restore the files that it names", line=first) from error  # fmt: skip


def _of_metadata(place: str, name: str) -> Held:
    """A table by its metadata alone; settings in them are not followed, as they can name classes and servers."""
    location = place if place.endswith(ENDING) else _newest(place, name)
    io = load_file_io(_environment(), location=location)
    metadata = FromInputFile.table_metadata(io.new_input(location))
    return StaticTable(identifier=("table", location), metadata_location=location, metadata=metadata, io=io,
                       catalog=NoopCatalog("none"))  # fmt: skip


def _newest(place: str, name: str) -> str:
    """The newest metadata of a folder; which one is current is only the catalogue's to say where two compete."""
    if "://" in place:
        from assay.files.objects import objects_below

        names = [one.rsplit("/", 1)[1] for one in objects_below(f"{place.rstrip('/')}/{METADATA}/")]
    else:
        folder = os.path.join(place, METADATA)
        names = os.listdir(folder) if os.path.isdir(folder) else []
    found = newest_metadata(names)
    if not found:
        raise InputError("there is no Iceberg table", name, f"name the folder that holds {METADATA}/")
    if len(found) > 1:
        raise InputError(f"two writers left metadata of the same number: {', '.join(found)}", name,
                         "name the catalogue (iceberg:CATALOG#NAMESPACE.TABLE) or the file that counts")  # fmt: skip
    return f"{place.rstrip('/')}/{METADATA}/{found[0]}"


def _of_catalogue(address: Address, name: str) -> Held:
    catalogue = _catalogue(address.place, name)
    try:
        return catalogue.load_table(address.table)
    finally:
        close = getattr(catalogue, "close", None)
        if close is not None:
            close()


def _catalogue(place: str, name: str) -> Catalog:
    if "://" not in place:  # settings and keys from the environment or .pyiceberg.yaml
        return load_catalog(place)
    called, _, uri = place.rpartition("=") if _CALLED.match(place) else ("default", "", place)
    if uri.startswith("sqlite:///") and not os.path.isfile(uri.removeprefix("sqlite:///")):  # it would be made
        raise InputError("there is no such catalogue", name, "name the file: sqlite:////folder/catalog.db")
    return load_catalog(called, uri=uri, init_catalog_tables="false", **_environment())


def _environment() -> dict[str, str]:
    """What the environment says of the store that pyiceberg does not look up by itself."""
    said = {"s3.endpoint": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
            "s3.region": ("AWS_REGION", "AWS_DEFAULT_REGION")}  # fmt: skip
    found = {name: next((os.environ[one] for one in those if os.environ.get(one)), "") for name, those in said.items()}
    return {name: value for name, value in found.items() if value}


def _snapshots(held: Held) -> str:
    known = [str(one.snapshot_id) for one in held.metadata.snapshots]
    return f"name one of its latest: {', '.join(known[-3:])}" if known else "leave out @SNAPSHOT: it has none"


def _check_files(tasks: Sequence[FileScanTask], held: Held, name: str) -> None:
    """A table that lies here names no file elsewhere: reading a folder reaches no network."""
    for task in tasks:
        for path in (task.file.file_path, *(one.file_path for one in task.delete_files)):
            if "://" in local(path) and "://" not in local(held.metadata_location):
                raise InputError(f"the metadata name a file in another store: {path}", name,
                                 "name the table by its address there, or by its catalogue")  # fmt: skip


def _check_plain(held: Held, tasks: Sequence[FileScanTask], schema: Any, name: str) -> None:
    mend = "have the table rewritten (rewrite_data_files), or leave out --on spark"
    if any(task.delete_files for task in tasks):
        raise InputError("rows of its files are deleted by other files", name, mend)
    if any(task.file.file_format.value != "PARQUET" for task in tasks):
        raise InputError("holds files that are no Parquet", name, mend)
    names: dict[int, str] = {}
    ids: dict[str, int] = {}
    for one in (*held.schemas().values(), schema):
        for number in one.field_ids:
            path = one.find_column_name(number)
            if names.setdefault(number, path) != path or ids.setdefault(path, number) != number:
                raise InputError(
                    f"its files may have other names for {path}, which was renamed or made anew", name, mend
                )
    if any(one.find_field(number).initial_default is not None for one in (schema,) for number in one.field_ids):
        raise InputError("columns have values that are in no file (defaults)", name, mend)
    if held.metadata.properties.get("schema.name-mapping.default"):
        raise InputError("its files have names of their own (name mapping)", name, mend)
    specs = held.specs()
    for task in tasks:
        partitions = specs[task.file.spec_id].fields
        known = {**(task.file.value_counts or {}), **(task.file.column_sizes or {})}
        lacks = [
            one for one in partitions if isinstance(one.transform, IdentityTransform) and one.source_id not in known
        ]
        if lacks:
            raise InputError(f"its files may lack the column {lacks[0].name}, by which it is partitioned", name, mend)
