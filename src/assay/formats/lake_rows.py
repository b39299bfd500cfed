"""Runs, judgments and topics that lie in a table of a lake."""

from __future__ import annotations

import os
from collections.abc import Mapping

from assay.files.lake import Rows, found_table, open_table, read_frame
from assay.keys import fingerprint
from assay.label_maps import LabelMap
from assay.tables import Block, Hit, Judgment
from assay.tables.names import match, require


def read_table(
    source: str | os.PathLike[str], row: type, columns: Mapping[str, str] | None, labels: LabelMap | None = None
) -> tuple[Block, str] | None:
    """The checked rows of a table, and the hash of its version; None where the source is no table.

    A table has no order of rows: here they are by query, then by rank or score, then by document.

    Args:
        source: a folder or an address.
        row: the class of the rows.
        columns: field to column, as the user says.
        labels: how labels become grades, where the rows are judgments.

    Raises:
        InputError: the table cannot be read, or lacks a column.
        MissingExtra: the library that reads it is not installed.
    """
    from assay.tables.door import block_of

    address = found_table(source)
    if address is None:
        return None
    table = open_table(address)
    matched = match(table.columns, row, table.name, columns, table.name)
    require(table.columns, row, matched, table.name)
    named = {field: table.columns[at] for field, at in matched.fields.items()}
    wanted = [name for name in table.columns if row is not Hit or name in named.values()]  # topics have segments too
    frame = read_frame(Rows(table, wanted))
    keys = [(named[field], field == "score") for field in ("query_id", "rank", "score", "doc_id") if field in named]
    frame = frame.sort([name for name, _ in keys], descending=[down for _, down in keys], maintain_order=True)

    def place(at: int) -> str:
        where = (
            (word, named[field]) for field, word in (("query_id", "query"), ("doc_id", "document")) if field in named
        )
        return ", ".join([table.name, *(f"{word} {frame[name][at]}" for word, name in where)])

    if labels is not None and row is Judgment:
        from assay.formats.labelled import Labelled

        frame = Labelled(labels).frame(frame, table.name, columns, place)
    return block_of(Block(frame, place, table.name), row, table.name, columns), fingerprint(table.content())
