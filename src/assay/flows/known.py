"""Hidden pairs whose answer is known, as a table has them: grades, or which of two documents is better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.pairs import KNOWN, unordered
from assay.rubric import RELEVANCE, Rubric
from assay.tables import Judgment, Preference

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench


def known_grades(bench: Workbench, gold: Any, rubric: Rubric) -> dict[tuple[str, str], float]:
    """Pairs with grades that are known to be right.

    Raises:
        InputError: a grade is not of the rubric, or one pair has two.
    """
    block = bench.table(gold, Judgment, name="gold items")
    frame: Any = block.frame
    dimensions = frame["dimension"] if "dimension" in block.columns else [RELEVANCE] * len(block)
    found: dict[tuple[str, str], float] = {}
    rows = zip(frame["query_id"], frame["doc_id"], frame["grade"], dimensions, strict=True)
    for at, (query, doc, grade, dimension) in enumerate(rows):
        if dimension not in (None, RELEVANCE):
            continue
        if float(grade) not in rubric.scale:
            scale = ", ".join(f"{one:g}" for one in rubric.scale)
            raise InputError(f"{grade:g} is no grade of the rubric", block.place(at), f"choose {scale}")
        if found.setdefault((str(query), str(doc)), float(grade)) != float(grade):
            raise InputError(f"{query} {doc} has two grades", block.place(at), "keep the one that is known to be right")
    if not found:
        raise InputError("holds no grade", block.name, "pass query_id, doc_id and grade of pairs that are known")
    return found


def known_preferences(bench: Workbench, gold: Any) -> dict[tuple[str, str, str], str]:
    """(query, document, other document) to which of the two is known to be better: one of `pairs.KNOWN`.

    Raises:
        InputError: an answer is none of these, a document is compared with itself, or one pair has two answers.
    """
    from assay.judgments.preferences import check_preference

    block = bench.table(gold, Preference, name="gold items")
    frame: Any = block.frame
    if "preference" not in block.columns:
        raise InputError("says of no pair what is right", block.name, f"add a column preference: {', '.join(KNOWN)}")
    found: dict[tuple[str, str, str], str] = {}
    seen: dict[tuple[str, str, str], str] = {}
    rows = zip(*(frame[name] for name in ("query_id", "doc_id", "other_doc_id", "preference")), strict=True)
    for at, (query, doc, other, answer) in enumerate(rows):
        check_preference(answer, query, doc, other, block.place(at))
        pair = unordered(str(query), str(doc), str(other))
        turned = str(answer) if pair[1] == str(doc) else {"first": "second", "second": "first"}.get(answer, answer)
        if seen.setdefault(pair, turned) != turned:
            raise InputError(f"{query} {doc} {other} has two answers", block.place(at),
                             "keep the one that is known to be right")  # fmt: skip
        found.setdefault(pair, turned)
    return found
