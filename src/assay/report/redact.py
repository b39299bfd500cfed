"""A comparison for eyes outside: queries and documents carry codes, and what was searched for is gone.

The same query has the same code in every report on the same set of queries; a code tells nothing of the id behind it,
but a reader who has the ids and this program can make the codes again. Numbers, segments and the names of runs stay.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison

T = TypeVar("T")
WORD = re.compile(r"[^\s,;:()\"']+")


def redacted(comparison: Comparison) -> Comparison:
    """The comparison with codes in the place of query ids, document ids, texts and titles."""
    docs = {str(doc) for held in comparison.lists for doc in held.docs}
    docs |= {wanted.doc_id for side in comparison.deciding for wanted in side.pairs}
    codes = {**coded(docs, "d"), **coded(comparison.scores.queries, "q")}
    found = _replaced(replace(comparison, texts={}, titles={}), codes)
    held = tuple(
        replace(lists, docs=np.array([codes[str(doc)] for doc in lists.docs], dtype=np.str_))
        for lists in comparison.lists
    )
    source = replace(comparison.source, hashes=(), command="")  # both name files
    return replace(found, lists=held, source=source, scores=replace(found.scores, source=source, _cache={}))


def coded(ids: Iterable[str], letter: str) -> dict[str, str]:
    """A code for each id: numbers in an order that tells nothing, as short as there are ids."""
    ordered = sorted(ids, key=lambda name: hashlib.sha256(name.encode("utf-8")).digest())
    digits = max(len(str(len(ordered))), 3)
    return {name: f"{letter}{place:0{digits}d}" for place, name in enumerate(ordered, 1)}


def _replaced(value: T, codes: Mapping[str, str]) -> T:
    """A result with its ids replaced wherever they stand, in sentences too."""
    found: Any = value
    if isinstance(value, str):
        return WORD.sub(lambda word: _word(word[0], codes), value) if " " in value else codes.get(value, value)  # type: ignore[return-value] # text for text
    if isinstance(value, tuple):
        found = tuple(_replaced(entry, codes) for entry in value)
    elif is_dataclass(value) and not isinstance(value, type) and not hasattr(value, "compute"):
        changed = {}
        for field in fields(value):
            before = getattr(value, field.name)
            if field.name.startswith("_") or field.name in PLAIN:
                continue
            after = _replaced(before, codes)
            if after is not before:
                changed[field.name] = after
        found = replace(value, **changed) if changed else value
    return found  # type: ignore[no-any-return] # of the same kind


def _word(word: str, codes: Mapping[str, str]) -> str:
    """A word of a sentence; a bare number there is a count, never an id."""
    bare = word.rstrip(".")
    return codes.get(bare, bare) + word[len(bare) :] if not bare.isdigit() else word


PLAIN = {"measure", "measures", "primary", "baseline", "candidate", "candidates", "runs", "run", "system", "kind",
         "name", "conventions", "versions", "hashes", "code", "level", "unit"}  # fmt: skip
"""Fields that hold names of runs, measures and segments, never an id."""
