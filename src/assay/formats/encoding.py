"""Bytes to text: UTF-8, UTF-16 and, from spreadsheets, Windows-1252, recognised and named."""

from __future__ import annotations

from assay.errors import InputError

_MARKS = (  # the longer marks first: UTF-32 begins like UTF-16
    (b"\xef\xbb\xbf", "utf-8", "UTF-8 with a byte order mark"),
    (b"\xff\xfe\0\0", "utf-32-le", "UTF-32"),
    (b"\0\0\xfe\xff", "utf-32-be", "UTF-32"),
    (b"\xff\xfe", "utf-16-le", "UTF-16"),
    (b"\xfe\xff", "utf-16-be", "UTF-16"),
)
_LOOK = 4096

_OTHERS = (
    (b"PK\x03\x04", "is an Excel workbook or a zip archive", "save the sheet as CSV, or unpack it first"),
    (b"\xd0\xcf\x11\xe0", "is an old Excel workbook", "save the sheet as CSV"),
    (b"BZh", "is compressed with bzip2", "unpack it, or compress it with gzip or zstd"),
    (b"\xfd7zXZ", "is compressed with xz", "unpack it, or compress it with gzip or zstd"),
    (b"%PDF", "is a PDF document", "give the data as CSV or in TREC lines"),
    (b"SQLite format 3\0", "is an SQLite database", "export the table as CSV or Parquet"),
)


def refuse_others(data: bytes, name: str) -> None:
    """Refuses files of well-known kinds that hold no lines of text."""
    for start, what, remedy in _OTHERS:
        if data.startswith(start):
            raise InputError(what, name, remedy)


def decode(data: bytes, name: str, *, only_unicode: bool = False) -> tuple[str, str]:
    """The text, and what its encoding is called.

    Windows-1252 is a guess of last resort: a file that has UTF-8 in one place and something else in another is
    damaged, and is refused with the place.

    Args:
        data: the whole file.
        name: of the file, for messages.
        only_unicode: refuse Windows-1252 too.
    """
    refuse_others(data, name)
    for mark, codec, called in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], codec, called, name), called
    codec = _unmarked_utf16(data[:_LOOK])
    if codec:
        return _strict(data, codec, "UTF-16", name), "UTF-16"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if only_unicode or _has_utf8(data):
            raise _at(name, data, error.start, "is not UTF-8") from None
        return _strict(data, "windows-1252", "UTF-8 nor Windows-1252", name), "Windows-1252"
    return _text_only(text, name), "UTF-8"


def glance(head: bytes, name: str) -> str:
    """The beginning of a file as text, as well as it can be had; whole files are read by `decode`."""
    refuse_others(head, name)
    for mark, codec, _ in _MARKS:
        if head.startswith(mark):
            return head[len(mark) :].decode(codec, "ignore")
    codec = _unmarked_utf16(head[:_LOOK])
    return head.decode(codec, "ignore") if codec else _text_only(head.decode("utf-8", "replace"), name)


def _unmarked_utf16(head: bytes) -> str:
    """The byte order of UTF-16 without a mark: Latin text then has every second byte zero."""
    if b"\0" not in head:
        return ""
    half = max(1, len(head) // 2)
    even, odd = head[0::2].count(0) / half, head[1::2].count(0) / half
    return "utf-16-le" if odd > 0.7 and even < 0.1 else "utf-16-be" if even > 0.7 and odd < 0.1 else ""


def _has_utf8(data: bytes) -> bool:
    """Whether some of the bytes above ASCII are valid UTF-8 of more than one byte."""
    kept = data.decode("utf-8", "ignore")
    return len(kept.encode("ascii", "ignore")) < len(kept)


def _strict(data: bytes, codec: str, called: str, name: str) -> str:
    try:
        return _text_only(data.decode(codec), name)
    except UnicodeDecodeError as error:
        lines = data[: error.start].decode(codec, "ignore").count("\n")
        neither = "neither " if " nor " in called else "not valid "
        raise InputError(f"is {neither}{called}", f"{name}:{lines + 1}", "save the file as UTF-8") from None


def _at(name: str, data: bytes, at: int, what: str) -> InputError:
    line = data.count(b"\n", 0, at) + 1
    return InputError(f"byte 0x{data[at]:02x} {what}", f"{name}:{line}", "save the file as UTF-8")


def _text_only(text: str, name: str) -> str:
    at = text.find("\0")
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        raise InputError("is a binary file, not lines of text", f"{name}:{line}", "give the text file it was made from")
    return text
