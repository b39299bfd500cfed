"""Documents that say nearly the same: a rater who sees two of them one after the other compares them.

Texts are folded as queries are (case, width, white space, punctuation around words), and their beginnings are cut into
overlapping pieces of five letters. Two documents are near where the share of pieces that both have, of those that
either has, reaches `NEAR`. Only documents that share `SHARED` of their `SKETCH` smallest hashed pieces are held against
each other: two that are just near do so but for 3 of 1,000,000 times (of 16 pieces, 7 in 10 shared, at most two).

Source: Broder, SEQUENCES 1997 (resemblance of shingles, the smallest hashes as a sketch).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from assay.text import fold

NEAR = 0.7
"""Share of pieces in common from which two documents are near."""

PIECE = 5
"""Letters of a piece."""

BEGINNING = 400
"""Letters of a text that are looked at."""

SKETCH, SHARED = 16, 3

Pieces = npt.NDArray[np.uint64]


def groups(texts: Mapping[str, str]) -> dict[str, int]:
    """Numbers documents that are near: two have one number where a chain of near ones leads from one to the other.

    Args:
        texts: of each document, such as those of one query; blank ones are near nothing.

    Returns:
        The number, from 0, of each document that has a near one; others are left out.
    """
    folded: dict[str, list[str]] = {}
    for doc, text in texts.items():
        if key := fold(text[:BEGINNING]):
            folded.setdefault(key, []).append(doc)
    cut = [pieces(key) for key in folded]
    parent = list(range(len(cut)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = at = parent[parent[at]]
        return at

    for one, other in _candidates(cut):
        if root(one) != root(other) and resemblance(cut[one], cut[other]) >= NEAR:
            parent[root(one)] = root(other)
    together: dict[int, list[str]] = {}
    for at, docs in enumerate(folded.values()):
        together.setdefault(root(at), []).extend(docs)
    near = (docs for docs in together.values() if len(docs) > 1)
    return {doc: number for number, docs in enumerate(near) for doc in docs}


def near_to(text: str, texts: Mapping[str, str]) -> list[str]:
    """Which documents are near one text; it grows with their number, not with its square as `groups` may."""
    if not (key := fold(text[:BEGINNING])):
        return []
    own = pieces(key)
    folded = {doc: fold(other[:BEGINNING]) for doc, other in texts.items()}
    return [doc for doc, other in folded.items() if other and resemblance(own, pieces(other)) >= NEAR]


def pieces(text: str) -> Pieces:
    """The hashed pieces of a text, each once, the smallest first; a shorter text is one piece."""
    letters = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.uint64)
    long = max(len(letters) - PIECE + 1, 1)
    with np.errstate(over="ignore"):
        mixed = np.zeros(long, np.uint64)
        for at in range(min(PIECE, len(letters))):
            mixed = mixed * np.uint64(0x100000001B3) + letters[at : at + long]
        for by in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):  # the finish of splitmix64: near numbers end far apart
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(by)
    return np.unique(mixed ^ (mixed >> np.uint64(31)))


def resemblance(one: Pieces, other: Pieces) -> float:
    """The share, from 0 to 1, of pieces that both have, of those that either has."""
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both)


def _candidates(cut: list[Pieces]) -> Iterator[tuple[int, int]]:
    """Pairs whose sketches share enough, each once."""
    holders: dict[int, list[int]] = {}
    for at, own in enumerate(cut):
        shared: Counter[int] = Counter()
        for piece in own[:SKETCH].tolist():
            held = holders.setdefault(piece, [])
            shared.update(held)
            held.append(at)
        yield from ((other, at) for other, n in shared.items() if n >= min(SHARED, len(own), len(cut[other])))
