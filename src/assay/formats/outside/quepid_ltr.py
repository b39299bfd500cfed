"""Quepid's learning-to-rank export: `3 qid:1 # 1370 star trek`, ratings without features.

The number behind `qid:` is not the query: Quepid's own import goes by the text behind the document.
"""

from __future__ import annotations

import os
import re

from assay.errors import SHOWN, InputError
from assay.files import Source, name_of, read_bytes, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.encoding import decode
from assay.formats.gathered import Gathered, Grades, Losses, gathered, pairs, spelled_out, unheld, untaken
from assay.formats.nested import number
from assay.formats.outgoing import queries_of
from assay.formats.quepid import SOURCE, Found
from assay.tables import Judgment, Topic
from assay.tables.values import shown

TITLE = "Quepid learning-to-rank export"
_LINE = re.compile(r"(\S+)\s+qid:(\S+)((?:\s+[^\s#]+:\S+)*)\s*#\s*(\S+)\s+(\S.*)")
_PLAIN = re.compile(r"\S+\s+qid:\S+\s*#(?!\s*docid\s*=)\s*\S+\s+\S.*")


def read(source: Source, wishes: Wishes) -> Carried:
    """Queries by their text, and their ratings."""
    name = name_of(source)
    text, encoding = decode(read_bytes(source), name)
    found, losses, grades = Found(name), Losses(name), Grades(wishes.labels)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    faults: list[tuple[int, str]] = []
    for line, row in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not row.strip():
            continue
        parts = _LINE.fullmatch(row.strip())
        if parts is None:
            faults.append((line, row))
            continue
        rating, _, features, doc, query = parts.groups()
        if features:
            losses.add("lines with features", "they belong to one model, not to the judgments", line)
        judged.add(line, found.query(line, query.strip()), doc, grades(rating, line, name))
    if faults:
        what = "is not `RATING qid:NUMBER # DOCUMENT QUERY`"
        more = [f"{name}:{line}: {what}" for line, _ in faults[1:SHOWN]]
        line, row = faults[0]
        raise InputError(what, f"{name}:{line}", "export it again from Quepid", line=shown(row.strip()), more=more,
                         count=len(faults))  # fmt: skip
    if not len(judged):
        raise InputError("holds nothing but blank lines", name, "export it again from Quepid")
    facts = (f"{name}: read as {encoding}",) if encoding != "UTF-8" else ()
    return Carried(name, gathered(found.topics, judged), lost=losses.all(), facts=facts)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """Lines as Quepid's "LTR" import takes them; ids of documents may not hold white space."""
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    topics = spelled_out(carried, queries_of(carried, judged), TITLE)
    if any(query != text for query, text in topics.items()):
        losses.add("query ids", f"{TITLE} knows a query by its text alone", count=len(topics))
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    lines = []
    for at, (query, text) in enumerate(topics.items(), 1):
        if query not in judged:
            losses.add("queries without judgments", f"{TITLE} has a line a rating")
        for doc, grade in judged.get(query, {}).items():
            if len(doc.split()) != 1 or "\n" in text or "\r" in text:
                what = f"document '{shown(doc)}' of query '{shown(text)}' holds white space that cuts the line"
                raise InputError(what, carried.name, "export to quepid-ratings instead")
            lines.append(f"{number(grade)} qid:{at} # {doc} {text}\n")
    with replacing(target) as file:
        file.write("".join(lines).encode("utf-8"))
    return losses.all()


def looks_like(look: Look) -> bool:
    """Whether the first line has no features, and something behind the document."""
    first = next((line for line in look.head[:4096].decode("utf-8", "replace").split("\n") if line.strip()), "")
    return _PLAIN.fullmatch(first.strip().removeprefix("\ufeff")) is not None


register(Outside("quepid-ltr", "Quepid learning-to-rank export (text)", (Topic, Judgment), read, write, looks_like, {},
                 SOURCE))  # fmt: skip
