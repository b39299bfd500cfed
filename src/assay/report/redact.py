"""A comparison or a gate for eyes outside: queries and documents carry codes, and what was searched for is gone.

The same query has the same code in every report on the same set of queries; a code tells nothing of the id behind it,
but a reader who has the ids and this program can make the codes again. Numbers, segments and the names of runs stay.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison
    from assay.compare.gate import Verdict
    from assay.compare.rule import Outcome, Remedy

T = TypeVar("T")
NOBODY = "a person"
"""Who let a change through, where names are not shown."""
WORD = re.compile(r"[^\s,;:()\"']+")
"""What a sentence is cut into: most ids are one of them."""


class Codes(dict[str, str]):
    """A code for each id, and how the ids are found in a sentence that are more than one word of it.

    Such an id is a query text, `bike lights`, or an address, `https://shop.example/p(1)`.
    """

    def __init__(self, codes: Mapping[str, str]) -> None:
        super().__init__(codes)
        self.wide = frozenset(name for name in codes if WORD.fullmatch(name) is None or name.endswith("."))
        self.lengths = tuple(sorted({len(name) for name in self.wide}, reverse=True))

    def in_sentence(self, text: str, numbers: bool = False) -> str:
        """The sentence with a code for every id in it; a bare number is a count and no id, unless `numbers`."""
        if text in self and (numbers or not text.isdigit()):
            return self[text]
        if not self.wide:
            return WORD.sub(lambda word: _word(word[0], self, numbers), text)
        out, at, size = [], 0, len(text)
        while at < size:
            found = self._starting(text, at)
            if found:
                out.append(self[found])
                at += len(found)
                continue
            # on to where an id could begin next: after this run of letters and digits, or this sign
            end = at + 1
            while text[at].isalnum() and end < size and text[end].isalnum():
                end += 1
            word = WORD.match(text, at)
            starts = not at or WORD.match(text[at - 1]) is None
            if word and starts and (whole := _word(word[0], self, numbers)) != word[0]:
                out.append(whole)
                at = word.end()
            else:
                out.append(text[at:end])
                at = end
        return "".join(out)

    def _starting(self, text: str, at: int) -> str:
        """The longest wide id that begins there and is not a part of a longer word."""
        if at and text[at - 1].isalnum() and text[at].isalnum():
            return ""
        for length in self.lengths:
            end = at + length
            part = text[at:end]
            if part in self.wide and not (end < len(text) and text[end].isalnum() and text[end - 1].isalnum()):
                return part
        return ""


@overload
def redacted(result: Comparison) -> Comparison: ...


@overload
def redacted(result: Verdict) -> Verdict: ...


def redacted(result: Comparison | Verdict) -> Comparison | Verdict:
    """The result with codes in the place of query ids, document ids, texts and titles."""
    from assay.compare.comparison import Comparison

    if isinstance(result, Comparison):
        return _comparison(result, _codes(result))
    return _verdict(result)


def _codes(comparison: Comparison, more: Iterable[str] = ()) -> Codes:
    docs = {str(doc) for held in comparison.lists for doc in held.docs}
    docs |= {wanted.doc_id for side in comparison.deciding for wanted in side.pairs} | set(more)
    return Codes({**coded(docs, "d"), **coded(comparison.scores.queries, "q")})


def _verdict(verdict: Verdict) -> Verdict:
    """A gate; who let it through is not named, and of a rule about named queries numbers are ids too."""
    wanted = {pair.doc_id for remedy in verdict.would_resolve for pair in remedy.pairs}
    wanted |= {pair.doc_id for o in verdict.outcomes for remedy in o.would_resolve for pair in remedy.pairs}
    codes = _codes(verdict.comparison, wanted)
    outcomes = tuple(_outcome(outcome, codes) for outcome in verdict.outcomes)
    because = verdict.because
    known: dict[Remedy, Remedy] = {}
    for before, after in zip(verdict.outcomes, outcomes, strict=True):
        known |= dict(zip(before.would_resolve, after.would_resolve, strict=True))
        if because == verdict.because and because.startswith(before.because):
            because = after.because + _replaced(because.removeprefix(before.because), codes)
    let_through = verdict.override
    return replace(
        verdict,
        because=because if because != verdict.because else _replaced(because, codes),
        outcomes=outcomes,
        comparison=_comparison(verdict.comparison, codes),
        would_resolve=tuple(known.get(remedy, remedy) for remedy in verdict.would_resolve),
        override=let_through and replace(let_through, name=NOBODY, reason=_replaced(let_through.reason, codes)),
        earlier=replace(verdict.earlier, journal=""),
        notes=_replaced(verdict.notes, codes),
        source=replace(verdict.source, hashes=(), command=""),
    )


def _outcome(outcome: Outcome, codes: Codes) -> Outcome:
    if outcome.rule != "protected_queries":
        return _replaced(outcome, codes)

    def said(text: str) -> str:
        return codes.in_sentence(text, numbers=True)

    checks = tuple(replace(c, on=said(c.on), because=said(c.because)) for c in outcome.checks)
    remedies = tuple(
        replace(r, text=said(r.text), pairs=_replaced(r.pairs, codes)) if r.kind == "input" else _replaced(r, codes)
        for r in outcome.would_resolve
    )
    return replace(outcome, because=said(outcome.because), checks=checks, would_resolve=remedies)


def _comparison(comparison: Comparison, codes: Codes) -> Comparison:
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


def _replaced(value: T, codes: Codes) -> T:
    """A result with its ids replaced wherever they stand, in sentences too."""
    found: Any = value
    if isinstance(value, str):
        if value in codes:
            return codes[value]  # type: ignore[return-value] # text for text
        return codes.in_sentence(value) if " " in value else value  # type: ignore[return-value]
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


def _word(word: str, codes: Mapping[str, str], numbers: bool = False) -> str:
    """A word of a sentence; a bare number there is a count and no id, unless numbers may be ids."""
    bare = word.rstrip(".")
    return codes.get(bare, bare) + word[len(bare) :] if numbers or not bare.isdigit() else word


PLAIN = {"measure", "measures", "primary", "baseline", "candidate", "candidates", "runs", "run", "system", "kind",
         "name", "conventions", "versions", "hashes", "code", "level", "unit"}  # fmt: skip
"""Fields that hold names of runs, measures and segments, never an id."""
