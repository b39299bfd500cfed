"""The only room that touches the disk: files read as bytes, and written whole or not at all."""

from assay.files.addresses import is_beyond, local
from assay.files.folders import first_of, making, names_in
from assay.files.reading import STDIN, Source, is_empty, is_stream, name_of, open_bytes, open_raw, read_bytes, spelled
from assay.files.writing import Journal, locked, replacing

__all__ = [
    "STDIN",
    "Journal",
    "Source",
    "first_of",
    "is_beyond",
    "is_empty",
    "is_stream",
    "local",
    "locked",
    "making",
    "name_of",
    "names_in",
    "open_bytes",
    "open_raw",
    "read_bytes",
    "replacing",
    "spelled",
]
