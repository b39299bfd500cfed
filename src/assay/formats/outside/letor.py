"""Feature files for learning to rank (LETOR, MSLR, SVMlight): the grade, the query and, in a comment, the document.

Features rank; they do not judge, so they are counted and left behind. Files without a document in the comment (MSLR)
get ids made of line numbers, which only hold for this very file. What is written has no features: whoever trains a
model joins them by query and document.
"""

from __future__ import annotations

import os
import re

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, pairs, untaken
from assay.formats.quepid import grade_text
from assay.formats.tabbed import Tabbed
from assay.tables import Judgment
from assay.tables.values import shown

TITLE = "a LETOR file"
_LINE = re.compile(r"(\S+)\s+qid:(\S+)((?:\s+[0-9]+:\S+)*)\s*(?:#(.*))?")
_DOC = re.compile(r"\bdoc(?:id|no|_id)?\s*[=:]\s*(\S+)", re.IGNORECASE)
_EXPECTED = "GRADE qid:QUERY_ID 1:0.5 2:1.25 # docid = DOC_ID"


def read(source: Source, wishes: Wishes) -> Carried:
    """Judgments alone; documents by the comment, or by the line."""
    lines = Tabbed(source, None)
    name = name_of(source)
    grades, losses = Grades(wishes.labels), Losses(name)
    found: list[tuple[int, str, str, str | None]] = []
    features, extra = 0, 0
    for number, line in lines.lines():
        match = _LINE.fullmatch(line)
        if match is None:
            lines.fault(number, _why(line), f"write {_EXPECTED}")
            continue
        grade, query, held, comment = match.groups()
        features += held.count(":")
        doc = _DOC.search(comment) if comment else None
        extra += bool(comment and (comment.strip() if doc is None else _DOC.sub("", comment).strip()))
        found.append((number, grade, query, doc[1] if doc else None))
    lines.check()
    without = [number for number, _, _, named in found if named is None]
    if without and len(without) < len(found):
        what = f"{len(without):,} of {len(found):,} lines name no document"
        raise InputError(what, f"{name}:{without[0]}", "end every line with '# docid = DOC_ID', or none",
                         line=shown(lines.line(without[0])))  # fmt: skip
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    for number, grade, query, named in found:
        judged.add(number, query, named or f"line-{number}", grades(grade, number, name))
    if features:
        losses.add("values of features", "features rank documents, and say nothing of their relevance", count=features)
    if extra:
        losses.add("further comments of lines", "assay's tables have no place for them", count=extra)
    facts = list(lines.facts)
    if without:
        facts.append(
            f"{name}: names no documents, so their ids are made of the lines (line-1): a run has to use the same"
        )
    return Carried(name, gathered(judged), lost=losses.all(), facts=tuple(facts))


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A line a judgment, the lines of a query together; ids that white space or `#` would cut are refused."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    untaken(carried, (Judgment,), TITLE, losses)
    lines = []
    for query, docs in judged.items():
        for doc, grade in docs.items():
            for what, one, cuts in (("query", query, query.split() != [query] or "#" in query),
                                    ("document", doc, doc.split() != [doc])):  # fmt: skip
                if cuts:
                    remedy = "write CSV or JSON lines, or give ids without blanks"
                    raise InputError(f"the {what} '{shown(one)}' holds what cuts the line", carried.name, remedy)
            lines.append(f"{grade_text(grade)} qid:{query} # docid = {doc}\n")
    with replacing(target) as file:
        file.write("".join(lines).encode("utf-8"))
    return losses.all()


def _why(line: str) -> str:
    parts = line.split("#")[0].split()
    if len(parts) < 2 or not parts[1].startswith("qid:"):
        return "expected qid:QUERY_ID in the second column" + (f", found '{shown(parts[1])}'" if len(parts) > 1 else "")
    if parts[1] == "qid:":
        return "the query id is blank"
    odd = next((part for part in parts[2:] if not re.fullmatch(r"[0-9]+:\S+", part)), "")
    return f"expected a feature such as 1:0.5, found '{shown(odd)}'"


def _is_letor(head: bytes) -> bool:
    first = next((line for line in head.split(b"\n") if line.strip() and not line.startswith(b"#")), b"")
    return re.match(rb"[-+0-9.]+\s+qid:\S+\s+([0-9]+:|#\s*docid\s*=\s*\S+\s*$)", first) is not None


register(
    Outside(
        "letor", "LETOR, MSLR and SVMlight feature files", (Judgment,), read, write,
        lambda look: _is_letor(look.head),
        source="https://www.microsoft.com/en-us/research/project/mslr/",
    )
)  # fmt: skip
