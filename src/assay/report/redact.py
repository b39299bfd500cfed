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


def _codes(comparison: Comparison, more: Iterable[str] = ()) -> dict[str, str]:
    docs = {str(doc) for held in comparison.lists for doc in held.docs}
    docs |= {wanted.doc_id for side in comparison.deciding for wanted in side.pairs} | set(more)
    return {**coded(docs, "d"), **coded(comparison.scores.queries, "q")}


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


def _outcome(outcome: Outcome, codes: Mapping[str, str]) -> Outcome:
    if outcome.rule != "protected_queries":
        return _replaced(outcome, codes)

    def said(text: str) -> str:
        return WORD.sub(lambda word: _word(word[0], codes, numbers=True), text)

    checks = tuple(replace(c, on=said(c.on), because=said(c.because)) for c in outcome.checks)
    remedies = tuple(
        replace(r, text=said(r.text), pairs=_replaced(r.pairs, codes)) if r.kind == "input" else _replaced(r, codes)
        for r in outcome.would_resolve
    )
    return replace(outcome, because=said(outcome.because), checks=checks, would_resolve=remedies)


def _comparison(comparison: Comparison, codes: Mapping[str, str]) -> Comparison:
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


def _word(word: str, codes: Mapping[str, str], numbers: bool = False) -> str:
    """A word of a sentence; a bare number there is a count and no id, unless numbers may be ids."""
    bare = word.rstrip(".")
    return codes.get(bare, bare) + word[len(bare) :] if numbers or not bare.isdigit() else word


PLAIN = {"measure", "measures", "primary", "baseline", "candidate", "candidates", "runs", "run", "system", "kind",
         "name", "conventions", "versions", "hashes", "code", "level", "unit"}  # fmt: skip
"""Fields that hold names of runs, measures and segments, never an id."""
