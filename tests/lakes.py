"""Tables of a lake as other programs leave them, made by the libraries that write them or after the protocol's text."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def as_delta(frame: pl.DataFrame, folder: Path, *, pieces: int = 3, by: str | None = None) -> str:
    """A frame as a Delta table with a past: appended piece by piece, its last column added later, junk deleted."""
    from deltalake import DeltaTable, write_deltalake

    *known, late = frame.columns
    junk = frame.head(5).with_columns(pl.lit("junk").alias("query_id"))
    write_deltalake(folder, junk.select(known).to_arrow(), partition_by=by)  # what a reader of all files would count
    write_deltalake(folder, junk.select(known).to_arrow(), mode="overwrite")
    size = -(-frame.height // pieces)
    for start in range(0, frame.height, size):
        write_deltalake(folder, frame.slice(start, size).to_arrow(), mode="append", schema_mode="merge")
    DeltaTable(folder).delete("query_id = 'junk'")
    assert late in [field.name for field in DeltaTable(folder).schema().fields]
    return str(folder)


def as_iceberg(frame: pl.DataFrame, folder: Path, *, pieces: int = 3, by: str | None = None) -> tuple[str, str]:
    """The same as an Iceberg table of an SQLite catalogue; its folder, and its name in the catalogue."""
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.transforms import IdentityTransform

    folder.mkdir()
    catalogue = SqlCatalog("default", uri=f"sqlite:///{folder}/catalog.db", warehouse=folder.as_uri())
    try:
        catalogue.create_namespace("search")
        rows = frame.to_arrow()
        *known, late = frame.columns
        first = rows.select(known).slice(0, 5)
        table = catalogue.create_table("search.log", schema=first.schema)
        if by is not None:
            with table.update_spec() as spec:
                spec.add_field(by, IdentityTransform(), by)
        junk = frame.head(5).with_columns(pl.lit("junk").alias("query_id")).select(known).to_arrow()
        table.append(junk.cast(first.schema))
        with table.update_schema() as schema:
            schema.union_by_name(rows.schema)
        size = -(-frame.height // pieces)
        for start in range(0, frame.height, size):
            table.append(rows.slice(start, size))
        table.delete("query_id == 'junk'")
        assert late in table.schema().column_names
        return table.location().removeprefix("file://"), f"iceberg:sqlite:///{folder}/catalog.db#search.log"
    finally:
        catalogue.close()


def z85(data: bytes) -> str:
    """Base85 in ZeroMQ's letters, as Delta writes deletion vectors into its log."""
    out = ""
    for start in range(0, len(data), 4):
        value, letters = int.from_bytes(data[start : start + 4], "big"), ""
        for _ in range(5):
            value, rest = divmod(value, 85)
            letters = Z85[rest] + letters
        out += letters
    return out


def deletion_vector(rows: Iterable[int]) -> dict[str, Any]:
    """Rows of a file that are deleted, inline.

    Source: Delta protocol, "Deletion Vector Format": the magic 1681511377, the number of bitmaps of 32 bits, and
    for each its key and a Roaring bitmap in its portable form.
    """
    from pyroaring import BitMap

    gone = BitMap(rows)
    data = struct.pack("<IqI", 1681511377, 1, 0) + gone.serialize()
    padded = data + b"\0" * (-len(data) % 4)
    return {"storageType": "i", "pathOrInlineDv": z85(padded), "sizeInBytes": len(data), "cardinality": len(gone)}


def delta_by_hand(frame: pl.DataFrame, folder: Path, *, names: dict[str, str] | None = None,
                  deleted: Iterable[int] | None = None, path: str = "rows.parquet") -> str:  # fmt: skip
    """A Delta table of one file whose log is written here, after the protocol.

    Args:
        frame: the rows of the file; its columns are strings and whole numbers.
        folder: of the table.
        names: column to its name in the file (column mapping).
        deleted: rows that a deletion vector takes out.
        path: what the log calls the file.
    """
    names = names or {}
    (folder / "_delta_log").mkdir(parents=True)
    frame.rename(names).write_parquet(folder / "rows.parquet")
    columns = [_column(name, frame.schema[name], at, names) for at, name in enumerate(frame.columns, start=1)]
    add: dict[str, Any] = {
        "path": path, "partitionValues": {}, "size": (folder / "rows.parquet").stat().st_size, "modificationTime": 1,
        "dataChange": True, "stats": json.dumps({"numRecords": frame.height}),
    }  # fmt: skip
    protocol: dict[str, Any] = {"minReaderVersion": 1, "minWriterVersion": 2}
    settings: dict[str, str] = {}
    if names:
        protocol = {"minReaderVersion": 2, "minWriterVersion": 5}
        settings = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": str(frame.width)}
    if deleted is not None:
        feature = ["deletionVectors"]
        protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": feature, "writerFeatures": feature}
        settings["delta.enableDeletionVectors"] = "true"
        if deleted:
            add["deletionVector"] = deletion_vector(deleted)
    schema = {"type": "struct", "fields": columns}
    metadata = {"id": "00000000-0000-0000-0000-000000000001", "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps(schema), "partitionColumns": [], "configuration": settings,
                "createdTime": 1}  # fmt: skip
    actions = [{"protocol": protocol}, {"metaData": metadata}, {"add": add}]
    (folder / "_delta_log" / f"{0:020}.json").write_text("\n".join(map(json.dumps, actions)), "utf-8")
    return str(folder)


def _column(name: str, type_: Any, number: int, names: dict[str, str]) -> dict[str, Any]:
    mapped = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": names.get(name, name)}
    return {"name": name, "type": "string" if type_ == pl.String else "long", "nullable": True,
            "metadata": mapped if names else {}}  # fmt: skip


def iceberg_deletes(folder: str, rows: list[int], content: str = "POSITION_DELETES") -> None:
    """Adds a delete file to the first data file of an Iceberg table; pyiceberg itself copies on write.

    Args:
        folder: of the table.
        rows: places in the first data file that are gone.
        content: POSITION_DELETES, or EQUALITY_DELETES, for which only the metadata are right.

    Source: Iceberg table spec, "Position Delete Files": file_path has the id 2147483546, pos 2147483545.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyiceberg.io.pyarrow import PyArrowFileIO
    from pyiceberg.manifest import (
        DataFile,
        DataFileContent,
        FileFormat,
        ManifestContent,
        ManifestEntry,
        ManifestEntryStatus,
        ManifestWriterV2,
        write_manifest_list,
    )
    from pyiceberg.table import StaticTable
    from pyiceberg.typedef import Record

    class Deletes(ManifestWriterV2):
        def content(self) -> ManifestContent:
            return ManifestContent.DELETES

    newest = max(Path(folder).glob("metadata/*.metadata.json"))
    table = StaticTable.from_metadata(str(newest))
    first = min(task.file.file_path for task in table.scan().plan_files())
    ids = [{b"PARQUET:field_id": b"2147483546"}, {b"PARQUET:field_id": b"2147483545"}]
    schema = pa.schema([pa.field("file_path", pa.string(), False, ids[0]), pa.field("pos", pa.int64(), False, ids[1])])
    path = Path(folder) / "data" / "deletes.parquet"
    pq.write_table(pa.table({"file_path": [first] * len(rows), "pos": rows}, schema=schema), path)
    file = DataFile.from_args(
        content=DataFileContent[content], file_path=path.as_uri(), file_format=FileFormat.PARQUET, partition=Record(),
        record_count=len(rows), file_size_in_bytes=path.stat().st_size, spec_id=0,
        equality_ids=[1] if content == "EQUALITY_DELETES" else None,
    )  # fmt: skip
    now, io, snapshot = table.current_snapshot(), PyArrowFileIO(), 77
    manifest = io.new_output(f"{folder}/metadata/deletes.avro")
    with Deletes(table.spec(), table.schema(), manifest, snapshot, "null") as writer:
        writer.add_entry(
            ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=snapshot, data_file=file)
        )
    added, number = writer.to_manifest_file(), table.metadata.last_sequence_number + 1
    manifests = io.new_output(f"{folder}/metadata/snap-deletes.avro")
    with write_manifest_list(2, manifests, snapshot, now.snapshot_id, number, "null") as listed:
        listed.add_manifests([*now.manifests(io), added])
    said = json.loads(newest.read_text("utf-8"))
    said["snapshots"].append({
        "snapshot-id": snapshot, "parent-snapshot-id": now.snapshot_id, "sequence-number": number,
        "timestamp-ms": said["last-updated-ms"] + 1, "manifest-list": f"file://{folder}/metadata/snap-deletes.avro",
        "summary": {"operation": "delete"}, "schema-id": said["current-schema-id"],
    })  # fmt: skip
    said |= {
        "current-snapshot-id": snapshot,
        "last-sequence-number": number,
        "last-updated-ms": said["last-updated-ms"] + 1,
    }
    said["refs"]["main"]["snapshot-id"] = snapshot
    following = int(newest.name.partition("-")[0]) + 1
    (newest.parent / f"{following:05}-by-hand.metadata.json").write_text(json.dumps(said), "utf-8")
