"""What takes long to count, counted behind the requests that ask for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

T = TypeVar("T")

PATIENCE_S = 0.1
"""How long a request waits for a count that may end by then, before it shows the last one."""

RARELY = 10
"""A count that took a second is made again after ten at the earliest: the server has raters to answer."""

REMEMBERED = 50


@dataclass(frozen=True, slots=True)
class Shown(Generic[T]):
    """What is known.

    Args:
        value: of the last count.
        at: when it ended.
        is_counting: whether a newer one is under way.
    """

    value: T
    at: datetime
    is_counting: bool


@dataclass
class _Kept(Generic[T]):
    shown: tuple[T, datetime] | None = None
    took_s: float = 0.0
    ended: float = 0.0
    running: Future[T] | None = None


class Behind(Generic[T]):
    """The last counts, by what they count; one count at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept: dict[str, _Kept[T]] = {}
        self._lock = threading.Lock()
        self._clock = clock
        self._counter = ThreadPoolExecutor(1, "counts")

    def get(self, key: str, count: Callable[[], T]) -> Shown[T] | None:
        """The last count, while a newer one is made where that is due; None where there is none yet.

        Args:
            key: of what is counted.
            count: counts it.

        Raises:
            Exception: what the count raised, to the first who asks afterwards.
        """
        with self._lock:
            kept = self._kept.setdefault(key, _Kept())
            while len(self._kept) > REMEMBERED:
                self._kept.pop(next(iter(self._kept)))
            is_due = kept.shown is None or self._clock() - kept.ended > RARELY * kept.took_s
            if kept.running is None and is_due:
                kept.running = self._counter.submit(self._count, kept, count)
            running = kept.running
            patience = PATIENCE_S if kept.shown is None or kept.took_s < 2 * PATIENCE_S else 0.0
        if running is not None:
            try:
                running.result(patience)
            except TimeoutError:
                if running.done():  # the count itself met a limit of time
                    raise
            finally:
                if running.done():
                    with self._lock:
                        kept.running = None if kept.running is running else kept.running
        with self._lock:
            return None if kept.shown is None else Shown(*kept.shown, kept.running is not None)

    def close(self) -> None:
        """Waits for the count that is under way; no other begins."""
        self._counter.shutdown(cancel_futures=True)

    def _count(self, kept: _Kept[T], count: Callable[[], T]) -> T:
        began = self._clock()
        value = count()
        with self._lock:
            kept.ended = self._clock()
            kept.took_s = kept.ended - began
            kept.shown = (value, datetime.now(UTC))
        return value
