"""Answers that enter a rater's own figures: many of a kind together, once, as they stood then.

Whoever watches figures while answering, taking back and answering again, or while others do, sees them move by whole
batches: no answer enters or leaves them alone, be it one's own or a peer's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from assay.store.own import Own

BATCH = 20
"""Answers of one kind that are counted together."""

Said = float | str
"""A grade, or a choice of two documents."""

Key = tuple[int, int]
"""An item, and whether it came again."""

K = TypeVar("K", bound=Hashable)


class Batches(Generic[K]):
    """What waits until so many of its kind wait.

    Args:
        size: how many are counted together.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.counted: dict[K, Said] = {}
        self._waiting: defaultdict[Said, dict[K, Said]] = defaultdict(dict)

    def put(self, key: K, kind: Said | None, what: Said | None) -> dict[K, Said]:
        """Says what stands at a key, and gives what is counted by that: nothing, or a whole batch of the kind.

        What was counted stays as it is, whatever is said of its key later; None takes out what waits.
        """
        if key in self.counted:
            return {}
        for waiting in self._waiting.values():
            waiting.pop(key, None)
        if kind is None or what is None:
            return {}
        self._waiting[kind][key] = what
        if len(self._waiting[kind]) < self.size:
            return {}
        full = self._waiting.pop(kind)
        self.counted |= full
        return full


class Standing(Generic[K]):
    """What stands at each key: the latest answer that was not taken back."""

    def __init__(self) -> None:
        self._alive: defaultdict[K, dict[str, Own]] = defaultdict(dict)

    def take(self, key: K, row: Own) -> Own | None:
        """Follows a row, in the order in which rows were written; what stands at its key afterwards."""
        said = self._alive[key]
        if row.takes_back is None:
            said[row.uid] = row
        else:
            said.pop(row.takes_back, None)
        return next(reversed(said.values()), None)


def standing(rows: Iterable[Own]) -> dict[Key, Own]:
    """What stands of each item and turn, of rows in the order in which they were written."""
    stands: Standing[Key] = Standing()
    found: dict[Key, Own | None] = {}
    for row in rows:
        found[row.item, row.turn] = stands.take((row.item, row.turn), row)
    return {key: row for key, row in found.items() if row is not None}


def settled(rows: Iterable[Own], say: Callable[[Own], Said | None], batch: int = BATCH) -> dict[Key, Said]:
    """The answers that are counted, by item and turn.

    Args:
        rows: of one rater, in the order in which they were written.
        say: what a row says; None where that is no answer to count.
        batch: how many with the same answer are counted together.
    """
    stands, own = Standing[Key](), Batches[Key](batch)
    for row in rows:
        key = row.item, row.turn
        answer = _said(stands.take(key, row), say)
        own.put(key, answer, answer)
    return own.counted


def beside_others(
    rows: Iterable[Own], others: Iterable[Own], say: Callable[[Own], Said | None], hear: Callable[[Own], Said | None],
    may_count: Callable[[Key], bool], batch: int = BATCH,
) -> list[tuple[int, Said, Said]]:  # fmt: skip
    """The item, the own answer and that of another rater, of every two that are counted.

    An own answer is counted as in `settled`. From then on it waits beside the standing answer of each other rater, and
    enters when so many such pairs with the same own answer wait: what a peer says enters among others too.

    Args:
        rows: of one rater.
        others: first answers of others to the same items.
        say: what an own row says.
        hear: what another rater's row says.
        may_count: whether an own answer may be counted at all.
        batch: how many are counted together.
    """
    mine, both = Batches[Key](batch), Batches[tuple[int, str]](batch)
    stands, theirs = Standing[Key](), Standing[tuple[int, str]]()
    heard: defaultdict[int, dict[str, Said | None]] = defaultdict(dict)
    own = {row.id for row in rows}
    for row in sorted([*rows, *others], key=lambda one: one.id):
        key = row.item, row.turn
        if row.id in own:
            answer = _said(stands.take(key, row), say)
            full = mine.put(key, answer, answer)
            for (item, turn), counted in full.items():
                if not turn and may_count((item, turn)):
                    for peer, other in heard[item].items():
                        both.put((item, peer), counted, other)
            continue
        other = heard[row.item][row.rater] = _said(theirs.take((row.item, row.rater), row), hear)
        if (row.item, 0) in mine.counted and may_count((row.item, 0)):
            both.put((row.item, row.rater), mine.counted[row.item, 0], other)
    return [(item, mine.counted[item, 0], other) for (item, _), other in both.counted.items()]


def _said(row: Own | None, say: Callable[[Own], Said | None]) -> Said | None:
    return None if row is None else say(row)
