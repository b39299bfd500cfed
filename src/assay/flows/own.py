"""A rater's own page: how far, how fast, and how the own grades lie beside known ones, peers' and the own first ones.

No figure tells of one document. An answer is counted when twenty with that grade are there, once, as they stood then;
one answer in five, chosen by a keyed coin, is never counted; and a table with few answers is not shown. So a figure
moves by twenty of the own answers at a time, whatever is taken back, and that a row is all of one kind does not say
what a peer said of any one document.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from assay.flows.labelling import project_of, rubric_of
from assay.flows.pace import mean_s
from assay.flows.share import share_of
from assay.keys import coin
from assay.store import own, queue, share

if TYPE_CHECKING:
    from assay.flows.people import Person
    from assay.store.database import Store
    from assay.store.own import Own

BATCH = 20
"""Answers with one grade that are counted together."""

LEFT_OUT = 0.2
"""Of the answers, that are never counted."""

FEWEST_KNOWN, FEWEST_AGAIN, FEWEST_PEERS = 10, 5, 20
"""Answers below which a table is not shown."""

FEWEST_IN_ROW = 10
"""Peers' grades below which a row is not shown."""

CERTAIN = 2**64


@dataclass(frozen=True, slots=True)
class Table:
    """Own grades beside other grades of the same documents.

    Args:
        grades: the columns, from the lowest.
        rows: own grade to how often each of the columns stood beside it; grades without anything are left out.
        same: how often both were alike.
        n: of how many.
    """

    grades: tuple[float, ...]
    rows: Mapping[float, tuple[int, ...]]
    same: int
    n: int


@dataclass(frozen=True, slots=True)
class OwnFigures:
    """What a rater sees of the own work.

    Args:
        done: answers, `of` those that may come; see `assay.flows.share.share_of`.
        of: see there.
        is_rough: see there.
        grades: grades that stand.
        cannot_tell: answers that stand and say why there is no grade.
        median_s: seconds of an answer; None where no time was noted.
        mean_s: the mean of it, idle time capped.
        known: own grades beside known ones; None where too few are counted, or while `is_pilot`.
        again: own grades beside the own first ones, where a document came again; None where too few are counted.
        peers: own grades beside those of other raters; None as for known grades.
        is_pilot: whether the pilot is under way, or has pairs that the rater has not labelled.
        is_graded: whether the project has grades; the others are None where two documents are compared.
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
        others = own.of_peers(connection, who.tenant, project["id"], who.name)
        # Who comes when the queue is open labels the pilot first, and is held against the others by it.
        is_pilot = share.is_closed(project) or queue.is_in_pilot(connection, project, who.name)
    stands = standing(said)
    took = [row.took_ms / 1_000 for row in stands.values() if row.took_ms is not None]
    is_graded = project["mode"] != "pairwise"
    scale = rubric_of(project).scale if is_graded else ()
    counts = {key: grade for key, grade in settled(said).items()
              if coin(secret, "left out", project["id"], who.name, *map(str, key)) >= LEFT_OUT * CERTAIN}  # fmt: skip
    first = {item: row.grade for (item, turn), row in stands.items() if not turn}
    known = [(grade, gold[item]) for (item, turn), grade in counts.items() if not turn and item in gold]
    again = [(grade, before) for (item, turn), grade in counts.items()
             if turn and (before := first.get(item)) is not None]  # fmt: skip
    peers = [(counts[item, 0], grade) for item, grade in others if (item, 0) in counts and item not in gold]
    return OwnFigures(
        done=far["done"], of=far["of"], is_rough=far["is_rough"],
        grades=sum(row.grade is not None for row in stands.values()),
        cannot_tell=sum(row.cannot_tell is not None for row in stands.values()),
        median_s=median(took) if took else None, mean_s=mean_s(took),
        known=None if is_pilot else table(known, scale, FEWEST_KNOWN),
        again=table(again, scale, FEWEST_AGAIN),
        peers=None if is_pilot else table(peers, scale, FEWEST_PEERS, FEWEST_IN_ROW),
        is_pilot=is_pilot, is_graded=is_graded,
    )  # fmt: skip


def standing(rows: Iterable[Own]) -> dict[tuple[int, int], Own]:
    """What stands of each item and turn, of rows in the order in which they were written."""
    alive: defaultdict[tuple[int, int], dict[str, Own]] = defaultdict(dict)
    for row in rows:
        said = alive[row.item, row.turn]
        if row.takes_back is None:
            said[row.uid] = row
        else:
            said.pop(row.takes_back, None)
    return {key: next(reversed(said.values())) for key, said in alive.items() if said}


def settled(rows: Iterable[Own], batch: int = BATCH) -> dict[tuple[int, int], float]:
    """The grades that are counted, by item and turn.

    An answer waits until `batch` with its grade wait; then all of them are counted as they stand, and what is said of
    their items later is not. Nobody can so add an answer to the figures, or take one away, alone.

    Args:
        rows: of one rater, in the order in which they were written.
        batch: how many are counted together.
    """
    alive: defaultdict[tuple[int, int], dict[str, float | None]] = defaultdict(dict)
    waiting: defaultdict[float, dict[tuple[int, int], None]] = defaultdict(dict)
    counted: dict[tuple[int, int], float] = {}
    for row in rows:
        key = row.item, row.turn
        if key in counted:
            continue
        if row.takes_back is None:
            alive[key][row.uid] = row.grade
        else:
            alive[key].pop(row.takes_back, None)
        for keys in waiting.values():
            keys.pop(key, None)
        grade = next(reversed(alive[key].values()), None)
        if grade is None:
            continue
        waiting[grade][key] = None
        if len(waiting[grade]) == batch:
            counted |= dict.fromkeys(waiting.pop(grade), grade)
    return counted


def table(
    pairs: Iterable[tuple[float, float]], scale: Sequence[float], fewest: int, fewest_in_row: int = 1
) -> Table | None:
    """Counts pairs of (own grade, other grade); None where fewer than `fewest` are left.

    Args:
        pairs: what is counted.
        scale: the grades of the rubric.
        fewest: pairs of a table that is shown.
        fewest_in_row: pairs of a row that is shown; others are in no figure.
    """
    counts = Counter(pairs)
    rows = {one: tuple(counts[one, other] for other in scale) for one in scale}
    rows = {one: row for one, row in rows.items() if sum(row) >= fewest_in_row}
    n = sum(map(sum, rows.values()))
    if n < fewest:
        return None
    return Table(tuple(scale), rows, sum(row[scale.index(one)] for one, row in rows.items()), n)
