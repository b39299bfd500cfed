"""Phrases of the foot lines that many measures share, so that one thing is said in one way."""

from __future__ import annotations


def level(rel: float | None) -> str:
    """The relevant level; nothing where the judgments say it."""
    return "" if rel is None else f", grade >= {rel:g} is relevant"


def within(cutoff: int | None) -> str:
    """The part of the list that counts."""
    return "in the whole list" if cutoff is None else f"in the first {cutoff}"


def condensed(judged_only: bool) -> str:
    """Whether unjudged documents are taken out of the list first."""
    return ", unjudged documents taken out of the list" if judged_only else ""


SUBTOPICS_BLIND = (
    "how relevant a document is to a subtopic: it is or it is not",
    "subtopics that nobody thought of, and documents that nobody judged for them",
    "which subtopic more people want: all count the same",
)
"""What no measure over subtopics sees."""
