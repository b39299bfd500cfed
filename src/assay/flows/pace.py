"""How long answers take: idle time is capped in means, and who answers faster than anybody reads is stopped.

An answer is too fast where it took less than the project's `min_seconds`, or less than its letters take at
`LETTERS_A_SECOND`, of which `MOST_LETTERS` count: somebody who judges by the beginning of a document needs no more.
Where two documents are compared, each comes several times and may have been read before: no letters count there.
Where `FAST` of the last `LAST` answers were too fast, nothing comes before the rater has said to go on; then the count
begins anew.

Source: Brysbaert, Journal of Memory and Language 109, 2019: adults read 238 words a minute silently; 120 letters a
second are about 1,200 words a minute, five times as fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.store import events

MIN_SECONDS = 1.0
"""What a project asks for unless it says otherwise."""

LETTERS_A_SECOND = 120
MOST_LETTERS = 360
"""Letters of title and text that count: three seconds at most."""

LAST, FAST = 10, 6

STOP = "most of your last answers came faster than anybody reads"
"""What a rater who was stopped is told."""

IDLE_S = 120.0
"""An answer that took longer counts as so many seconds in a mean: the rater was elsewhere."""


def mean_s(seconds: Sequence[float]) -> float | None:
    """The mean of what answers took, each capped at `IDLE_S`; None where there is none."""
    return sum(min(one, IDLE_S) for one in seconds) / len(seconds) if seconds else None


def least_s(min_seconds: float, letters: int) -> float:
    """Seconds below which an answer is too fast; 0 where the project stops nobody.

    Args:
        min_seconds: of the project.
        letters: of title and text.
    """
    return max(min_seconds, min(letters, MOST_LETTERS) / LETTERS_A_SECOND) if min_seconds > 0 else 0.0


def is_fast(connection: Any, project: Mapping[str, Any], item: int, took_ms: int | None) -> bool:
    """Whether an answer took less than reading takes; False where nobody noted how long it took."""
    least = project["min_seconds"]
    if project["mode"] == "pairwise":
        return took_ms is not None and took_ms < 1_000 * least
    if took_ms is None or took_ms >= 1_000 * least_s(least, MOST_LETTERS):
        return False
    return took_ms < 1_000 * least_s(least, events.letters(connection, project["tenant"], item))


def is_stopped(connection: Any, project: Mapping[str, Any], rater: str) -> bool:
    """Whether a rater was stopped and has not gone on."""
    return project["min_seconds"] > 0 and events.last(connection, project["id"], rater)[0] == events.STOPPED


def stop(connection: Any, project: Mapping[str, Any], rater: str, now: str) -> bool:
    """Stops a rater whose last answers were too fast; whether the rater is stopped.

    Args:
        connection: inside a write.
        project: its row.
        rater: who.
        now: the time.
    """
    if project["min_seconds"] <= 0:
        return False
    kind, since = events.last(connection, project["id"], rater)
    if kind == events.STOPPED:
        return True
    paces = events.pace(connection, project["id"], rater, since, LAST)
    if len(paces) < LAST or sum(paces) < FAST:
        return False
    events.note(connection, project["tenant"], project["id"], rater, events.STOPPED, now)
    return True


def go_on(connection: Any, project: Mapping[str, Any], rater: str, now: str) -> None:
    """Lets a rater who was stopped go on."""
    if is_stopped(connection, project, rater):
        events.note(connection, project["tenant"], project["id"], rater, events.WENT_ON, now)
