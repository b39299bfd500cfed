"""The only room that touches the disk: files read as bytes, and written whole or not at all."""

from assay.files.reading import STDIN, Source, is_empty, is_stream, name_of, open_bytes, read_bytes, spelled
from assay.files.writing import Journal, locked, replacing

__all__ = [
    "STDIN",
    "Journal",
    "Source",
    "is_empty",
    "is_stream",
    "locked",
    "name_of",
    "open_bytes",
    "read_bytes",
    "replacing",
    "spelled",
]
