"""Whether a query asks again for what the one before it asked, in any script.

Two queries are alike when, with case, width and accents folded (NFKD, marks dropped), they share a word of at least
three signs, or when their pairs of neighbouring signs agree by half (Dice, 2 |A and B| / (|A| + |B|)). Pairs of signs
see a corrected slip, an inflected form, and scripts that write no blanks.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

LEAST_DICE = 0.5
LEAST_SIGNS = 3

RULE = (
    "two queries are alike when they share a word of three signs or more, or half of their pairs of neighbouring signs"
)


def are_alike(first: str, second: str) -> bool:
    """Whether two queries are alike; a query is not alike to itself in other case or blanks: that is no new query."""
    a, b = folded(first), folded(second)
    if a == b or not a or not b:
        return False
    words = {word for word in a.split() if len(word) >= LEAST_SIGNS}
    return bool(words & set(b.split())) or dice(a, b) >= LEAST_DICE


def dice(first: str, second: str) -> float:
    """Share of the pairs of neighbouring signs that two texts have in common, counted as often as they occur."""
    a, b = _pairs(first), _pairs(second)
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 0.0


def folded(text: str) -> str:
    """A query without what typing alone changes: case, width, accents, blanks."""
    open_ = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(sign for sign in open_ if not unicodedata.category(sign).startswith("M"))
    return " ".join(unicodedata.normalize("NFKC", bare).split())


def _pairs(text: str) -> Counter[str]:
    return Counter(text[place : place + 2] for place in range(len(text) - 1)) if len(text) > 1 else Counter([text])
