"""Everything that is a hash: content fingerprints, keyed coins, sealed numbers and named random streams."""

from __future__ import annotations

import base64
import binascii
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
    return int.from_bytes(_mac(secret, parts)[:8], "little")


def pseudonym(secret: bytes, *parts: str) -> str:
    """A name that leads nobody back without the secret: 128 bits of HMAC-SHA256 over the parts, as 32 letters."""
    return _mac(secret, parts)[:16].hex()


def seal(secret: bytes, number: int, *parts: str) -> str:
    """A number as 32 letters that tell nothing of it, and not whether two of them hold numbers that are alike.

    The same number for the same parts is the same letters. Deterministic authenticated encryption, SIV, with
    HMAC-SHA256 as its function: a tag of 16 bytes over number and parts, and the number under a pad made from the tag.

    Args:
        secret: of whoever makes and reads them.
        number: from 0 to 2**64 - 1.
        parts: for whom and what; other parts do not open it.

    Source: Rogaway & Shrimpton, EUROCRYPT 2006.
    """
    tag = _mac(secret, ("seal", *parts, str(number)))[:16]
    return base64.urlsafe_b64encode(tag + _under(secret, tag, number.to_bytes(8, "big"))).decode()


def unseal(secret: bytes, sealed: str, *parts: str) -> int | None:
    """The number in what `seal` made for the same parts; None of anything else."""
    try:
        held = base64.urlsafe_b64decode(sealed.encode("ascii"))
    except (UnicodeEncodeError, binascii.Error):
        return None
    number = int.from_bytes(_under(secret, held[:16], held[16:24]), "big")
    return number if hmac.compare_digest(seal(secret, number, *parts).encode(), sealed.encode()) else None


def _under(secret: bytes, tag: bytes, content: bytes) -> bytes:
    """The content, combined with a pad that belongs to the tag; twice, it is the content again."""
    pad = _mac(secret, ("pad", tag.hex()))
    return bytes(one ^ other for one, other in zip(content, pad, strict=False))


def _mac(secret: bytes, parts: Iterable[str]) -> bytes:
    mac = hmac.new(secret, digestmod=hashlib.sha256)
    for part in parts:
        data = part.encode("utf-8")
        mac.update(len(data).to_bytes(8, "little"))
        mac.update(data)
    return mac.digest()


def stream(seed: int, purpose: str) -> Generator:
    """A random generator of its own for each purpose, so that one consumer never shifts another's numbers."""
    import numpy as np

    word = int.from_bytes(hashlib.sha256(purpose.encode("utf-8")).digest()[:8], "little")
    return np.random.default_rng([seed, word])


def content_hash(file: BufferedReader) -> str:
    """SHA-256 of all that is left to read, as `sha256sum` prints it."""
    return hashlib.file_digest(file, "sha256").hexdigest()
