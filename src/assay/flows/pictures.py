"""Pictures of documents: from files beside them, or inside of them; never from the web."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from assay.errors import SHOWN, InputError
from assay.files import read_bytes
from assay.keys import fingerprint
from assay.tables import Block

LARGEST_PICTURE = 512 << 10
"""Bytes of one picture."""

KINDS = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Pictures that are shown. SVG is none of them: it may hold scripts."""

ON_THE_WEB = "picture on the web"
"""Why a picture is left out."""

_WEB = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_DATA = re.compile(r"data:[^,]*;base64,", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was looked at, and is read again when it is stored: many of them need the memory of few.

    Args:
        hash: of its bytes.
        kind: one of `KINDS`.
        read: its bytes.
    """

    hash: str
    kind: str
    read: Callable[[], bytes]

    @classmethod
    def of(cls, data: bytes, path: Path | None = None) -> Picture:
        """A picture of these bytes, which stand in a file where one is named.

        Raises:
            InputError: it is too large, or of a kind that is not shown.
        """
        return cls(fingerprint(data), _kind(data), (lambda: data) if path is None else partial(read_bytes, path))

    def row(self, tenant: str) -> dict[str, Any]:
        """A row of the store, whose bytes are called for when it is written."""
        return {"tenant": tenant, "image_hash": self.hash, "kind": self.kind, "bytes": self._unchanged}

    def _unchanged(self) -> bytes:
        data = self.read()
        if fingerprint(data) != self.hash:
            raise InputError("a picture changed while it was read", "documents", "try again")
        return data


@dataclass
class Album:
    """The pictures of documents.

    Args:
        folder: in which files of pictures stand, or below.
        block: the documents, which know their places.
        faults: (place, what is wrong) of the first ones that cannot be taken.
        count: of them.
    """

    folder: Path
    block: Block
    faults: list[tuple[str, str]] = field(default_factory=list)
    count: int = 0

    def take(self, at: int, image: Any) -> tuple[Picture | None, str]:
        """The picture of a document, and why there is none where one was named."""
        said = str(image or "").strip()
        if not said:
            return None, ""
        if _WEB.match(said):
            return None, ON_THE_WEB
        try:
            return _picture(said, self.folder), ""
        except InputError as error:
            self.count += 1
            if len(self.faults) < SHOWN:
                self.faults.append((self.block.place(at), error.what))
            return None, ""

    def check(self) -> None:
        """Complains of the pictures that could not be taken."""
        if self.faults:
            (where, what), *others = self.faults
            remedy = (f"name a {', '.join(kind.removeprefix('image/') for kind in KINDS)} of at most "
                      f"{LARGEST_PICTURE >> 10} KiB beside the documents, or leave the image out")  # fmt: skip
            raise InputError(what, where, remedy, more=[f"{at}: {why}" for at, why in others], count=self.count)


def folder_of(source: str | None) -> Path:
    """Where the pictures of documents stand: beside their file, or in the current folder where there is none."""
    return Path.cwd() if source in (None, "-") else Path(source).resolve().parent


def _picture(said: str, folder: Path) -> Picture:
    if said.lower().startswith("data:"):
        try:
            return Picture.of(base64.b64decode(said.partition(",")[2] if _DATA.match(said) else "@", validate=True))
        except binascii.Error:
            raise InputError("the picture is not base64") from None
    path = (folder / unquote(said)).resolve()
    if not path.is_relative_to(folder):
        raise InputError(f"the picture {said} is not beside the documents")
    if not path.is_file():
        raise InputError(f"there is no picture {said}")
    if path.stat().st_size > LARGEST_PICTURE:
        raise InputError(f"the picture {said} has {path.stat().st_size:,} bytes")
    return Picture.of(read_bytes(path), path)


def _kind(data: bytes) -> str:
    """What a picture is, by its first bytes; its name may say anything."""
    if len(data) > LARGEST_PICTURE:
        raise InputError(f"a picture has {len(data):,} bytes")
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise InputError("a picture is of a kind that is not shown")
