"""A rater's own page: how far, how fast, and how the own answers lie beside known ones, peers' and the own first ones.

No figure tells of one document. An answer is counted when twenty alike are there, once, as they stood then, and what
peers said of these when twenty beside the same own answer are there; one answer in five, chosen by a keyed coin, is
never counted; and a table with few answers is not shown. So a figure moves by whole batches, whatever is taken back and
whoever answers, and that a row is all of one kind does not say what a peer said of any one document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from assay.flows.batches import BATCH, Key, Said, beside_others, settled, standing
from assay.flows.labelling import project_of, rubric_of
from assay.flows.pace import mean_s
from assay.flows.pairs import CHOICES, KNOWN, PAIRWISE
from assay.flows.share import share_of
from assay.keys import coin
from assay.store import own, queue, share

if TYPE_CHECKING:
    from assay.flows.people import Person
    from assay.store.database import Store
    from assay.store.own import Own

LEFT_OUT = 0.2
"""Of the answers, that are never counted."""

FEWEST_KNOWN, FEWEST_AGAIN, FEWEST_PEERS = 10, 5, BATCH
"""Answers below which a table is not shown."""

CERTAIN = 2**64


@dataclass(frozen=True, slots=True)
class Table:
    """Own answers beside other answers about the same.

    Args:
        answers: the columns: grades from the lowest, or `CHOICES`.
        rows: own answer to how often each of the columns stood beside it; answers without anything are left out.
        same: how often both were alike.
        n: of how many.
    """

    answers: tuple[Said, ...]
    rows: Mapping[Said, tuple[int, ...]]
    same: int
    n: int


@dataclass(frozen=True, slots=True)
class Sides:
    """What a rater chose of two documents, hidden pairs and those that came again among them.

    Args:
        left: choices of the document on the left.
        right: of that on the right.
        tie: both serve alike.
        both_bad: neither serves.
        low: of 20 raters who choose without regard to sides, 19 choose the left one so often or more, and at most
            `high` times.
        high: see there; both None where no document was chosen.
    """

    left: int
    right: int
    tie: int
    both_bad: int
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class OwnFigures:
    """What a rater sees of the own work.

    Args:
        done: answers, `of` those that may come; see `assay.flows.share.share_of`.
        of: see there.
        is_rough: see there.
        grades: grades, or choices, that stand.
        cannot_tell: answers that stand and say why there is no grade.
        median_s: seconds of an answer; None where no time was noted.
        mean_s: the mean of it, idle time capped.
        known: own answers beside known ones; None where too few are counted, or while `is_pilot`.
        again: own answers beside the own first ones, where something came again; None where too few are counted.
        peers: own answers beside those of other raters; None as for known ones.
        is_pilot: whether the pilot is under way, or has pairs that the rater has not labelled.
        is_graded: whether the project has grades; where two documents are compared, answers are `CHOICES` by the sides
            on which the rater saw them, the second time where they came again.
        sides: which sides were chosen; None where documents are graded.
    """

    done: int
    of: int
    is_rough: bool
    grades: int
    cannot_tell: int
    median_s: float | None
    mean_s: float | None
    known: Table | None
    again: Table | None
    peers: Table | None
    is_pilot: bool
    is_graded: bool
    sides: Sides | None = None


def own_of(store: Store, who: Person, name: str, secret: bytes) -> OwnFigures:
    """The figures of a rater.

    Args:
        store: where they are kept.
        who: the rater, who sees nobody else's.
        name: of the project, or its id.
        secret: of the coin that leaves answers out.

    Raises:
        InputError: there is no such project.
    """
    project = project_of(store, who, name)
    far = share_of(store, who, name)
    with store.reading() as connection:
        said = own.rows(connection, project["id"], who.name)
        gold = own.known(connection, project["id"])
        # Before they are put together: of a batch that is partly known pairs, the rest alone would be seen.
        others = [row for row in own.of_peers(connection, project["id"], who.name) if row.item not in gold]
        # Who comes when the queue is open labels the pilot first, and is held against the others by it.
        is_pilot = share.is_closed(project) or queue.is_in_pilot(connection, project, who.name)
    stands = standing(said)
    took = [row.took_ms / 1_000 for row in stands.values() if row.took_ms is not None]
    is_graded = project["mode"] != PAIRWISE
    read = _grades(rubric_of(project).scale) if is_graded else _choices(said)

    def may_count(key: Key) -> bool:
        return coin(secret, "left out", project["id"], who.name, *map(str, key)) >= LEFT_OUT * CERTAIN

    counts = {key: answer for key, answer in settled(said, read.say).items() if may_count(key)}
    first = {item: read.hear(row) for (item, turn), row in stands.items() if not turn}
    known = [(answer, read.seen(read.known(gold[item]), (item, turn)))
             for (item, turn), answer in counts.items() if not turn and item in gold]  # fmt: skip
    again = [(answer, read.seen(before, (item, turn)))
             for (item, turn), answer in counts.items()
             if turn and (before := first.get(item)) is not None]  # fmt: skip
    peers = [(answer, read.seen(other, (item, 0)))
             for item, answer, other in beside_others(said, others, read.say, read.hear, may_count)]  # fmt: skip
    answers = [answer for row in stands.values() if (answer := read.say(row)) is not None]
    return OwnFigures(
        done=far["done"], of=far["of"], is_rough=far["is_rough"], grades=len(answers),
        cannot_tell=sum(row.cannot_tell is not None for row in stands.values()),
        median_s=median(took) if took else None, mean_s=mean_s(took),
        known=None if is_pilot else table(known, read.scale, FEWEST_KNOWN),
        again=table(again, read.scale, FEWEST_AGAIN),
        peers=None if is_pilot else table(peers, read.scale, FEWEST_PEERS),
        is_pilot=is_pilot, is_graded=is_graded, sides=None if is_graded else sides_of(answers),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Read:
    """How the answers of a project are read.

    Args:
        scale: every answer.
        say: what an own row says.
        hear: what anybody's row says, whoever saw it how.
        known: what a known answer says, in the same words.
        seen: such words as the rater would have said them of an item and turn.
    """

    scale: tuple[Said, ...]
    say: Callable[[Own], Said | None]
    hear: Callable[[Own], Said | None]
    known: Callable[[float], Said]
    seen: Callable[[Said, Key], Said]


def _grades(scale: Sequence[float]) -> _Read:
    def grade(row: Own) -> Said | None:
        return row.grade

    return _Read(tuple(scale), grade, grade, lambda answer: answer, lambda answer, _: answer)


def _choices(said: Iterable[Own]) -> _Read:
    """By the sides on which the rater saw the documents; what is taken back has none, and each showing has one."""
    is_first_left = {(row.item, row.turn): row.left_doc_id == row.doc_id for row in said if row.left_doc_id}

    def hear(row: Own) -> Said | None:
        return row.preference

    def seen(answer: Said, key: Key) -> Said:
        if answer not in ("first", "second"):
            return answer
        return "left" if (answer == "first") == is_first_left[key] else "right"

    def say(row: Own) -> Said | None:
        return None if row.preference is None else seen(row.preference, (row.item, row.turn))

    return _Read(CHOICES, say, hear, lambda answer: KNOWN[int(answer)], seen)


def sides_of(answers: Sequence[Said]) -> Sides:
    """Which sides were chosen, beside what chance alone makes of them.

    Sides are drawn by lot: without regard to them, half of the choices of one document are the left one in the long
    run, binomially; those that came again with swapped sides lie closer to it.
    """
    n = Counter(answers)
    told = Sides(n["left"], n["right"], n["tie"], n["both-bad"])
    if not told.left + told.right:
        return told
    from scipy.stats import binom

    low, high = binom.interval(0.95, told.left + told.right, 0.5)
    return replace(told, low=int(low), high=int(high))


def table(pairs: Iterable[tuple[Said, Said]], scale: Sequence[Said], fewest: int) -> Table | None:
    """Counts pairs of (own answer, other answer); None where there are fewer than `fewest`.

    Args:
        pairs: what is counted.
        scale: every answer.
        fewest: pairs of a table that is shown.
    """
    counts = Counter(pairs)
    rows = {one: tuple(counts[one, other] for other in scale) for one in scale}
    rows = {one: row for one, row in rows.items() if any(row)}
    n = sum(map(sum, rows.values()))
    if n < fewest:
        return None
    return Table(tuple(scale), rows, sum(row[scale.index(one)] for one, row in rows.items()), n)
