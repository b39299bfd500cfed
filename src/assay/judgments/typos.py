"""Which queries are other queries with a slip of the finger.

A slip is one letter more, less or changed, or two neighbours swapped (a distance of 1 by optimal string alignment), in
one long word. The rarer query is the slip, and only where the other one is far more frequent: that is what tells
`jackett` from a word of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

LONG = 6
"""Letters of a word in which a slip is looked for: shorter words have too many real neighbours."""

TIMES = 10
"""How many times as often the right form is asked."""

_LAST = "\u052f"
_GREEK = ("\u1e00", "\u1fff")


def typos(keys: Sequence[str], counts: Sequence[float]) -> dict[int, int]:
    """Places of slips, each to the place of the query that was meant, which is none itself.

    Args:
        keys: folded queries, each once.
        counts: how often each was asked.
    """
    order = sorted(range(len(keys)), key=lambda i: (-counts[i], keys[i]))
    if not order:
        return {}
    fewest = TIMES * counts[order[-1]]
    index: dict[tuple[str, int, str], list[int]] = {}
    found: dict[int, int] = {}
    for i in order:
        words = keys[i].split(" ")
        variants = list(_variants(words))
        meant = _meant(i, keys, counts, variants, index)
        if meant is not None:
            found[i] = meant
        elif counts[i] >= fewest:
            for variant in variants:
                index.setdefault(variant, []).append(i)
    return found


def _meant(
    i: int, keys: Sequence[str], counts: Sequence[float], variants: Sequence[tuple[str, int, str]],
    index: dict[tuple[str, int, str], list[int]],
) -> int | None:  # fmt: skip
    """The most frequent query that differs by a slip and is asked often enough; those of the index come so ordered."""
    best: int | None = None
    for variant in variants:
        for j in index.get(variant, ()):
            if counts[j] < TIMES * counts[i]:
                break
            if (best is None or (-counts[j], keys[j]) < (-counts[best], keys[best])) and is_slip(
                keys[i].split(" ")[variant[1]], keys[j].split(" ")[variant[1]]
            ):
                best = j
    return best


def _variants(words: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """The other words, the place of a long word, and that word with one letter less or as it is.

    Two words a slip apart have one of these in common.
    """
    for at, word in enumerate(words):
        if not is_long(word):
            continue
        others = " ".join((*words[:at], "\0", *words[at + 1 :]))
        yield others, at, word
        for cut in range(1, len(word)):  # the first letter is seldom wrong
            yield others, at, word[:cut] + word[cut + 1 :]


def is_long(word: str) -> bool:
    """Whether slips are looked for in a word: six letters or more, Latin, Greek or Cyrillic, and nothing else."""
    return len(word) >= LONG - 1 and word.isalpha() and all(x <= _LAST or _GREEK[0] <= x <= _GREEK[1] for x in word)


def is_slip(one: str, other: str) -> bool:
    """Whether two words are one slip apart, the longer of six letters or more and both with the same first letter."""
    if one == other or one[:1] != other[:1] or max(len(one), len(other)) < LONG:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, others = one[start:], other[start:]
    if len(rest) == len(others):
        return rest[1:] == others[1:] or (rest[:2] == others[1::-1] and rest[2:] == others[2:])
    return rest[1:] == others or rest == others[1:]
