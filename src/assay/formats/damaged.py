"""Binary files that are not whole: the library that decodes them panics and prints that; here it is one clear error.

What cannot be caught: of some damaged levels of a Parquet column polars 2 makes a length of 2**58 values, and the
process ends for want of memory. About one in six thousand files with bytes changed at random does that.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from assay.errors import InputError

T = TypeVar("T")

_STDERR = 2
_PANIC = b" panicked at "
_LOCK = threading.RLock()
_LONGEST = 120


@contextlib.contextmanager
def hushed() -> Iterator[None]:
    """Keeps the report of a panic off stderr.

    A panic prints from a thread of the library before anybody can catch it, so the file descriptor itself is turned
    away meanwhile. What others wrote there before the panic is written afterwards.
    """
    with _LOCK, contextlib.ExitStack() as stack:
        try:
            kept = os.dup(_STDERR)
        except OSError:  # there is no stderr that could be written to
            yield
            return
        stack.callback(os.close, kept)
        held = stack.enter_context(tempfile.TemporaryFile())
        if sys.stderr is not None:
            sys.stderr.flush()
        os.dup2(held.fileno(), _STDERR)
        try:
            yield
        finally:
            if sys.stderr is not None:
                sys.stderr.flush()
            os.dup2(kept, _STDERR)
            held.seek(0)
            rest = _before_panic(held.read())
            while rest:
                rest = rest[os.write(_STDERR, rest) :]


def _before_panic(text: bytes) -> bytes:
    at = text.find(_PANIC)
    return text if at < 0 else text[: max(0, text.rfind(b"thread '", 0, at))].rstrip(b"\n")


def decoded(read: Callable[[], T], name: str, called: str) -> T:
    """What a reader of binary files gives; whatever goes wrong in it is an InputError.

    Args:
        read: decodes the file.
        name: of the file.
        called: what the format is called.
    """
    try:
        with hushed():
            return read()
    except BaseException as error:  # a panic of the library is no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        why = str(error).split("\n")[0][:_LONGEST] if isinstance(error, Exception) else "what it holds is damaged"
        raise InputError(f"is not a whole {called} file: {why}", name, "write or copy it again") from None
