"""Everything that is a hash: content fingerprints, keyed coins and named random streams."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import BufferedReader

    from numpy.random import Generator


def fingerprint(*parts: bytes | str | Iterable[bytes]) -> str:
    """SHA-256 of the parts in order, as 64 hexadecimal digits.

    Each part is framed by its length, so that ("ab", "c") and ("a", "bc") differ. An iterable of bytes is one part
    and is hashed as it streams: its frame is its total length, added behind it.
    """
    digest = hashlib.sha256()
    for part in parts:
        size = 0
        for piece in (part,) if isinstance(part, (bytes, str)) else part:
            data = piece.encode("utf-8") if isinstance(piece, str) else piece
            digest.update(data)
            size += len(data)
        digest.update(size.to_bytes(8, "little"))
    return digest.hexdigest()


def coin(secret: bytes, *parts: str) -> int:
    """A 64-bit number that nobody without the secret can predict: the first 8 bytes of HMAC-SHA256 over the parts."""
    mac = hmac.new(secret, digestmod=hashlib.sha256)
    for part in parts:
        data = part.encode("utf-8")
        mac.update(len(data).to_bytes(8, "little"))
        mac.update(data)
    return int.from_bytes(mac.digest()[:8], "little")


def stream(seed: int, purpose: str) -> Generator:
    """A random generator of its own for each purpose, so that one consumer never shifts another's numbers."""
    import numpy as np

    word = int.from_bytes(hashlib.sha256(purpose.encode("utf-8")).digest()[:8], "little")
    return np.random.default_rng([seed, word])


def content_hash(file: BufferedReader) -> str:
    """SHA-256 of all that is left to read, as `sha256sum` prints it."""
    return hashlib.file_digest(file, "sha256").hexdigest()
