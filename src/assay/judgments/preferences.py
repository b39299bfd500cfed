"""How much raters agree on which of two documents is better, how steady one is, and whether a side draws them.

Raters see the two documents of a pair on sides that a keyed coin chose for each of them. Where nobody looks at the
side, a rater who chooses one document therefore chooses the left one with chance 1/2, whatever the documents are: the
two-sided binomial test of left against right is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from assay.errors import SHOWN, InputError, did_you_mean
from assay.judgments.agreement import LIMIT
from assay.judgments.coefficients import RESAMPLES, Coefficient, said_once, with_interval
from assay.results import Note, Result, kept
from assay.stats.agreement import Ratings, alpha, gwet, gwet_sums, percent
from assay.stats.intervals import clopper_pearson
from assay.stats.multiple import holm
from assay.tables import Block

CHOICES = ("first", "tie", "second", "both-bad")
"""What can be said of two documents; turned round, the first and the third change places."""

DISPUTES = 20
"""Pairs that are shown of those on which raters prefer opposite documents."""


@kept("side")
@dataclass(frozen=True, slots=True)
class Side:
    """Choices of the left document against those of the right one.

    Args:
        left, right: how often each was chosen.
        share: of the left; None where nothing was chosen.
        low, high: exact 95 % interval of the share (Clopper & Pearson, Biometrika 26(4), 1934).
        p: two-sided binomial test of a share of 1/2; None where nothing was chosen.
    """

    left: int
    right: int
    share: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None


@kept("steadiness")
@dataclass(frozen=True, slots=True)
class Steadiness:
    """Pairs that a rater saw twice, the second time with the sides swapped.

    Args:
        pairs: how many.
        same: of these, with the same answer both times.
        same_side: of these, with the document on the same side chosen both times, which are two documents.
    """

    pairs: int = 0
    same: int = 0
    same_side: int = 0


@kept("preference-rater")
@dataclass(frozen=True, slots=True)
class PreferenceRater:
    """One rater.

    Args:
        name: of the rater.
        given: preferences.
        ties, both_bad: how many of these choose neither document.
        side: left against right.
        corrected: the p of the side by Holm over the raters; None where there is none.
        again: what was seen twice.
    """

    name: str
    given: int
    ties: int
    both_bad: int
    side: Side
    corrected: float | None
    again: Steadiness


@kept("preference-dispute")
@dataclass(frozen=True, slots=True)
class PreferenceDispute:
    """Two documents of which some raters prefer the one and some the other."""

    query_id: str
    doc_id: str
    other_doc_id: str
    first: tuple[str, ...]
    second: tuple[str, ...]


@kept("preference-agreement")
@dataclass(frozen=True, kw_only=True)
class PreferenceAgreement(Result):
    """How much the raters of pairs of documents agree.

    Args:
        given: preferences in all, hidden repeats and adjudicators left out.
        pairs: of documents.
        shared: pairs of which several raters said something.
        queries: queries of these.
        coefficients: percent, alpha nominal, AC1, of first, second, tie and both-bad.
        opposed: among shared pairs, how many have raters who prefer opposite documents.
        side: left against right, of all raters.
        again: what was seen twice, of all raters.
        raters: every rater.
        disputes: the first of the opposed pairs.
        limit: agreement that is asked for.
        seed: of the resampling.
    """

    given: int
    pairs: int
    shared: int
    queries: int
    coefficients: tuple[Coefficient, ...]
    opposed: int
    side: Side
    again: Steadiness
    raters: tuple[PreferenceRater, ...] = ()
    disputes: tuple[PreferenceDispute, ...] = ()
    limit: float = LIMIT
    seed: int = 0

    @property
    def deciding(self) -> Coefficient:
        """What is held against the limit: alpha, nominal."""
        return self.coefficients[1]

    @property
    def is_enough(self) -> bool | None:
        """True when even the lower end reaches the limit, False when the upper end does not, else None."""
        found = self.deciding
        if found.low is None or found.high is None:
            return None
        return True if found.low >= self.limit else False if found.high < self.limit else None


@dataclass(frozen=True, slots=True)
class _Said:
    """One preference, its documents in alphabetical order."""

    pair: tuple[str, str, str]
    code: int
    rater: str
    turn: int
    role: str
    side: str  # left, right, or nothing where no document was chosen or the sides are not known


def preference_agreement(
    rows: Block, *, limit: float = LIMIT, seed: int = 0, resamples: int = RESAMPLES
) -> PreferenceAgreement:
    """How much raters agree on pairs of documents.

    Args:
        rows: of `Preference`, a row a preference; rows without a rater are each somebody's own.
        limit: agreement that is asked for.
        seed: of the resampling.
        resamples: how many.

    Raises:
        InputError: there is nothing said, an answer is none of `CHOICES`, a document is compared with itself, or a
            rater says two things of one pair.
    """
    said = _read(rows)
    own = [one for one in said if one.turn == 0 and one.role != "adjudicator"]
    if not own:
        raise InputError("says no preference of a rater", rows.name, "pass what `assay label export` wrote")
    ratings, pairs = _ratings(own)
    several = ratings.counts.sum(axis=1) > 1
    queries = len(np.unique(ratings.query[several]))
    both = (ratings.counts[:, 0] > 0) & (ratings.counts[:, 2] > 0)
    names = sorted({one.rater for one in own if one.rater})
    raters = _corrected([_rater(name, [one for one in said if one.rater == name]) for name in names])
    side = _side(own)
    notes = []
    if aside := sum(one.role == "adjudicator" for one in said):
        notes.append(Note("adjudicated", f"{aside:,} preferences of adjudicators are left out", count=aside))
    if not side.left + side.right:
        notes.append(Note("no-sides", "the rows do not say which document was on the left: no side can be tested"))
    elif any(one.side.share is None for one in raters):
        notes.append(Note("no-share", "no share of the left (n/a) where a rater chose no document of a known side"))
    found = _coefficients(ratings, queries, seed, resamples)
    return PreferenceAgreement(
        given=len(own), pairs=len(pairs), shared=int(several.sum()), queries=queries, limit=limit, seed=seed,
        coefficients=found, opposed=int(both.sum()), side=side,
        again=_steadiness(said), raters=raters, notes=(*notes, *said_once(found)),
        disputes=tuple(_dispute(pairs[i], own) for i in np.flatnonzero(both)[:DISPUTES]),
    )  # fmt: skip


def check_preference(what: object, query: object, doc: object, other: object, place: str) -> None:
    """Refuses what is said of two documents of a query where it is none of `CHOICES`, or they are one.

    Raises:
        InputError: it is so, at that place.
    """
    if what not in CHOICES:
        raise InputError(f"{what!r} is no preference{did_you_mean(str(what), CHOICES)}", place,
                         f"write {', '.join(CHOICES)}")  # fmt: skip
    if doc == other:
        raise InputError(f"document {doc} of query {query} is compared with itself", place, "name two documents")


def _read(rows: Block) -> list[_Said]:
    frame: Mapping[str, Sequence[object]] = rows.frame  # type: ignore[assignment] # columns by name, either way

    def cells(name: str) -> list[object]:
        return list(frame[name]) if name in rows.columns else [None] * len(rows)

    names = ("query_id", "doc_id", "other_doc_id", "preference", "rater", "left_doc_id", "turn", "role")
    found, seen, wrong = [], dict[tuple[object, ...], int](), list[int]()
    for at, (query, doc, other, what, rater, left, turn, role) in enumerate(zip(*map(cells, names), strict=True)):
        if what is None or what == "":
            continue
        check_preference(what, query, doc, other, rows.place(at))
        one = _one(str(query), str(doc), str(other), str(what), str(rater or ""), left, turn, role)
        if one.rater and seen.setdefault((one.pair, one.rater, one.turn), one.code) != one.code:
            wrong.append(at)
        found.append(one)
    if wrong:
        at = wrong[0]
        raise InputError(
            f"rater {frame['rater'][at]} says a second, different thing of {frame['doc_id'][at]} and "
            f"{frame['other_doc_id'][at]} for query {frame['query_id'][at]}", rows.place(at),
            "keep one row for each rater and pair", more=[rows.place(i) for i in wrong[1 : 1 + SHOWN]],
            count=len(wrong),
        )  # fmt: skip
    return found


def _one(query: str, doc: str, other: str, what: str, rater: str, left: object, turn: object, role: object) -> _Said:
    code = CHOICES.index(what)
    chosen = {0: doc, 2: other}.get(code)
    side = "" if not left or chosen is None else "left" if chosen == left else "right"
    if other < doc:
        doc, other, code = other, doc, {0: 2, 2: 0}.get(code, code)
    return _Said((query, doc, other), code, rater, int(turn or 0), str(role or ""), side)  # type: ignore[call-overload] # a number, checked at the door


def _ratings(said: Sequence[_Said]) -> tuple[Ratings, list[tuple[str, str, str]]]:
    """Ratings as codes of `CHOICES`, and the pair of each item; rows without a rater have raters of their own."""
    pairs = list(dict.fromkeys(one.pair for one in said))
    queries = {query: i for i, query in enumerate(dict.fromkeys(pair[0] for pair in pairs))}
    at = {pair: i for i, pair in enumerate(pairs)}
    raters: dict[object, int] = {}
    rater = [raters.setdefault(one.rater or ("", i), len(raters)) for i, one in enumerate(said)]
    made = Ratings(
        np.array([at[one.pair] for one in said], dtype=np.int64), np.array(rater, dtype=np.int64),
        np.array([one.code for one in said], dtype=np.int64),
        np.array([queries[pair[0]] for pair in pairs], dtype=np.int64), np.arange(len(CHOICES), dtype=np.float64),
    )  # fmt: skip
    return made, pairs


def _coefficients(ratings: Ratings, queries: int, seed: int, resamples: int) -> tuple[Coefficient, ...]:
    together, none = ratings.coincidences, "no pair has two preferences"
    same = none if not queries else "only one answer occurs: there is nothing to agree about beyond chance"
    nominal = partial(alpha, grades=ratings.grades, level="nominal")
    return (
        with_interval("percent", together, percent, queries, seed, resamples, none),
        with_interval("alpha, nominal", together, nominal, queries, seed, resamples, same),
        with_interval("AC1", gwet_sums(ratings, "plain"), gwet, queries, seed, resamples, same),
    )


def _side(said: Sequence[_Said]) -> Side:
    """Left against right, hidden repeats left out: their sides follow from the first ones."""
    left = sum(one.side == "left" for one in said if one.turn == 0)
    right = sum(one.side == "right" for one in said if one.turn == 0)
    n = left + right
    if not n:
        return Side(0, 0)
    from scipy.stats import binomtest

    low, high = clopper_pearson(left, n)
    return Side(left, right, left / n, low, high, float(binomtest(left, n).pvalue))


def _steadiness(said: Sequence[_Said]) -> Steadiness:
    first = {(one.pair, one.rater): one for one in said if one.turn == 0 and one.rater}
    both = [(first[one.pair, one.rater], one) for one in said if one.turn and (one.pair, one.rater) in first]
    return Steadiness(
        len(both), sum(a.code == b.code for a, b in both),
        sum(a.side == b.side != "" and a.code != b.code for a, b in both),
    )  # fmt: skip


def _rater(name: str, said: Sequence[_Said]) -> PreferenceRater:
    own = [one for one in said if one.turn == 0 and one.role != "adjudicator"]
    ties, bad = (sum(one.code == CHOICES.index(what) for one in own) for what in ("tie", "both-bad"))
    return PreferenceRater(name, len(own), ties, bad, _side(own), None, _steadiness(said))


def _corrected(raters: Sequence[PreferenceRater]) -> tuple[PreferenceRater, ...]:
    """The same raters with their p corrected for how many there are."""
    from dataclasses import replace

    tested = [one.side.p for one in raters if one.side.p is not None]
    corrected = iter(holm(np.array(tested)).tolist() if tested else [])
    return tuple(one if one.side.p is None else replace(one, corrected=next(corrected)) for one in raters)


def _dispute(pair: tuple[str, str, str], said: Sequence[_Said]) -> PreferenceDispute:
    own = [one for one in said if one.pair == pair]
    first, second = (tuple(sorted(one.rater for one in own if one.code == code)) for code in (0, 2))
    return PreferenceDispute(*pair, first, second)
