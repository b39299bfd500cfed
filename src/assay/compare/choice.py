"""Is a chosen measure blind to what matters here? By what the queries are for, and by what their judgments hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Literal

import numpy as np

from assay.measures.measure import Measure
from assay.ranking.ranking import Bool, Judged
from assay.results import Note

Purpose = Literal["known-item", "exploratory", "answer-one", "answer-several"]

PURPOSES: dict[str, Purpose] = {
    "known-item": "known-item",
    "item": "known-item",
    "navigational": "known-item",
    "lookup": "known-item",
    "exploratory": "exploratory",
    "browse": "exploratory",
    "informational": "exploratory",
    "problem": "exploratory",
    "research": "exploratory",
    "answer": "answer-several",
    "answer-several": "answer-several",
    "rag": "answer-several",
    "answer-one": "answer-one",
    "rag-one": "answer-one",
}
"""What an intent of the topics file asks of a ranking. Other words are left alone."""

WHY: dict[Purpose, str] = {
    "known-item": "there is one right answer, and only how high it stands matters",
    "exploratory": "several documents help to different degrees, and their order is read",
    "answer-one": "a model needs one chunk, anywhere in its context",
    "answer-several": "a model needs all the chunks, and reads them in any order",
}


def right_measure(purpose: Purpose, k: int) -> str:
    """The primary measure for queries of one kind, as it is typed.

    Args:
        purpose: what the queries are for.
        k: how many results the consumer reads.

    >>> right_measure("answer-several", 8)
    'R@8'
    """
    named = {"known-item": "RR", "exploratory": "nDCG", "answer-one": "HitRate", "answer-several": "R"}
    return f"{named[purpose]}@{k}"


def purposes(intents: Sequence[str | None]) -> dict[Purpose, Bool]:
    """Which queries are for what; queries of an unknown intent are in none.

    Args:
        intents: of each query, in the order of the scores.
    """
    known = [PURPOSES.get((intent or "").strip().lower()) for intent in intents]
    return {
        purpose: np.array([one == purpose for one in known], np.bool_)
        for purpose in WHY
        if any(one == purpose for one in known)
    }


def primary(intents: Sequence[str | None], k: int) -> tuple[str, str]:
    """The measure that the intents of most queries ask for, and why; empty texts where no intent is known.

    >>> primary(["item", "item", "browse"], 10)[0]
    'RR@10'
    """
    counts = {purpose: int(which.sum()) for purpose, which in purposes(intents).items()}
    if not counts:
        return "", ""
    most = max(counts, key=lambda purpose: counts[purpose])
    return right_measure(most, k), f"{counts[most]} of {len(intents)} queries are {most}: {WHY[most]}"


def blind_spots(
    measures: Sequence[Measure], judged: Judged, k: int | None = None, intents: Sequence[str | None] | None = None
) -> tuple[Note, ...]:
    """What the chosen measures cannot see in these queries.

    Args:
        measures: the chosen ones, the primary one first.
        judged: the judgments.
        k: how many results the consumer reads; None when nobody said.
        intents: of each query, in the order of `judged.queries`.
    """
    found = purposes(intents) if intents is not None else {}
    notes = [
        *_misspelt(intents or ()),
        *_by_intent(measures, found, k or 10),
        *_by_grades(measures, judged),
        *_by_reader(measures, k),
    ]
    return tuple(notes)


def _note(text: str, count: int | None = None, code: str = "measure-choice") -> Note:
    return Note(code, text, count=count, level="warning")


def _are(count: int) -> str:
    return "1 query is" if count == 1 else f"{count:,} queries are"


def _misspelt(intents: Sequence[str | None]) -> Iterator[Note]:
    """A word of a team's own is left alone; one that is nearly a known one is a slip."""
    words = [(intent or "").strip().lower() for intent in intents]
    for word in dict.fromkeys(words):
        # closer than names are elsewhere: "transactional" is a word of its own, not "navigational"
        close = get_close_matches(word, PURPOSES, n=1, cutoff=0.88) if word and word not in PURPOSES else []
        if close:
            count = words.count(word)
            yield _note(
                f"the intent {word} of {count:,} {'query' if count == 1 else 'queries'} is not known; "
                f"did you mean {close[0]}?",
                count,
                "unknown-intent",
            )


def _by_intent(measures: Sequence[Measure], found: Mapping[Purpose, Bool], k: int) -> Iterator[Note]:
    for purpose, which in found.items():
        count, right = int(which.sum()), right_measure(purpose, k)
        if purpose != "known-item":
            for measure in measures:
                if measure.about.sees == "first":
                    yield _note(
                        f"{measure} sees the first relevant document alone, and {_are(count)} {purpose}: "
                        f"{WHY[purpose]}; read {right} there",
                        count,
                        "blind-to-the-rest",
                    )
        if not any(measure.name == right.partition("@")[0] for measure in measures):
            yield Note(
                "measure-for-intent",
                f"{right} is the measure for the {count:,} {purpose} {'query' if count == 1 else 'queries'}: "
                f"{WHY[purpose]}",
                count=count,
            )


def _by_grades(measures: Sequence[Measure], judged: Judged) -> Iterator[Note]:
    has = judged.relevant() > 0
    there_are = int(has.sum())
    one_grade = has & (_levels(judged) == 1)
    several = int(one_grade.sum())
    for measure in measures:
        if measure.name == "nDCG" and several and 2 * several > there_are:
            yield _note(
                f"all relevant documents have one grade in {several:,} of {there_are:,} queries: {measure} cannot tell "
                "good from better there, only how high they stand",
                several,
                "one-grade",
            )
        if measure.name == "P" and measure.cutoff is not None and measure.params.get("norm", "k") == "k":
            counts = judged.relevant(measure.rel)
            few = (counts > 0) & (counts < measure.cutoff)
            if few.any():
                best = float(np.minimum(counts[counts > 0], measure.cutoff).mean()) / measure.cutoff
                yield _note(
                    f"{int(few.sum()):,} of {there_are:,} queries have fewer than {measure.cutoff} relevant documents: "
                    f"{measure} cannot reach 1 there, and its mean not more than {best:.4f}",
                    int(few.sum()),
                    "fewer-than-k",
                )


def _levels(judged: Judged) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many distinct relevant grades each query has, int64 of shape (n,)."""
    relevant = judged.is_relevant(judged.grade)
    pairs = np.unique(np.stack([judged.query[relevant].astype(np.float64), judged.grade[relevant]]), axis=1)
    return np.bincount(pairs[0].astype(np.int64), minlength=judged.n)


def _by_reader(measures: Sequence[Measure], k: int | None) -> Iterator[Note]:
    if k is None:
        return
    for measure in measures:
        if measure.name in ("R", "Judged", "Unjudged") or not measure.about.takes_cutoff:
            continue  # recall is read by the next stage, not by the consumer
        if measure.cutoff is None or measure.cutoff > k:
            looks = "looks at the whole list" if measure.cutoff is None else f"looks at {measure.cutoff}"
            yield _note(
                f"{measure} {looks}, and the consumer reads {k}: {measure.without_cutoff}@{k} sees what is read",
                code="beyond-the-reader",
            )
