"""Quepid's TREC export: qrels lines whose query is Quepid's own number. A list of the texts can be given beside it.

A snapshot may have been added to the export: then there are lines without a judgment.
"""

from __future__ import annotations

import contextlib
import os

from assay.errors import SHOWN, InputError
from assay.files import Source, name_of, read_bytes, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.encoding import decode
from assay.formats.gathered import Gathered, Grades, Losses, columns_of, gathered, pairs, unheld, untaken
from assay.formats.outgoing import by_text, queries_of, unused
from assay.formats.quepid import SOURCE, Found, grade_text
from assay.formats.records import written
from assay.tables import Judgment, Topic
from assay.tables.values import shown

TITLE = "Quepid TREC export"
_WIDTH = 4


def read(source: Source, wishes: Wishes) -> Carried:
    """Judgments by the number of the query, or by its text where the option `names` gives it."""
    name = name_of(source)
    text, encoding = decode(read_bytes(source), name)
    texts = _names(wishes.options["names"]) if "names" in wishes.options else {}
    found, losses, grades = Found(name), Losses(name), Grades(wishes.labels)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    faults: list[tuple[int, str, str]] = []
    unnamed: set[str] = set()
    for line, row in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        fields = row.split()
        if not fields:
            continue
        if len(fields) not in (_WIDTH - 1, _WIDTH):
            faults.append((line, f"expected 4 fields (query, 0, document, judgment), found {len(fields)}", row))
            continue
        number = fields[0]
        if texts and number not in texts:
            unnamed.add(number)
        query = found.query(line, texts.get(number, number))
        if len(fields) == _WIDTH:
            judged.add(line, query, fields[2], grades(fields[3], line, name))
        else:
            losses.add("pairs without a judgment", "a pair that nobody rated is unjudged", line)
    if faults:
        (line, what, row), *others = faults
        more = [f"{name}:{at}: {why}" for at, why, _ in others[: SHOWN - 1]]
        raise InputError(what, f"{name}:{line}", "export it again from Quepid", line=shown(row.strip()), more=more,
                         count=len(faults))  # fmt: skip
    if not (len(judged) or losses.all()):
        raise InputError("holds nothing but blank lines", name, "export it again from Quepid")
    facts = [f"{name}: read as {encoding}"] if encoding != "UTF-8" else []
    if unnamed:
        one = len(unnamed) == 1
        who = "1 query has" if one else f"{len(unnamed):,} queries have"
        keep = "keeps its" if one else "keep their"
        facts.append(f"{name}: {who} no name in {wishes.options['names']} and {keep} number")
    if not texts:
        facts.append(
            f"{name}: queries are Quepid's own numbers; --option names=FILE (columns query_id, text) names them"
        )
    return Carried(name, gathered(found.topics, judged), lost=losses.all(), facts=tuple(facts))


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """Lines by number; TARGET.topics.csv beside them has the text of each, to be given as the option `names`.

    Queries whose ids are whole numbers keep them, others are numbered from 1.
    """
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    topics = by_text(carried, list(judged), TITLE, losses)
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    unused(queries_of(carried), judged, "judgments", TITLE, losses)
    own = all(query.isdecimal() and query.isascii() for query in judged)
    numbers = {query: query if own else str(at) for at, query in enumerate(judged, 1)}
    lines = []
    for query, docs in judged.items():
        for doc, grade in docs.items():
            if len(doc.split()) != 1:
                what = f"document '{shown(doc)}' of query '{shown(query)}' holds white space that cuts the line"
                raise InputError(what, carried.name, "export to quepid-ratings instead")
            lines.append(f"{numbers[query]} 0 {doc} {grade_text(grade)}\n")
    names = [("query_id", "text"), *((numbers[query], text) for query, text in topics.items())]
    is_named = any(numbers[query] != text for query, text in topics.items())
    with contextlib.ExitStack() as stack:
        if is_named and os.fspath(target) == "-":
            losses.add("texts of queries", "they stand in a second file: write to a file", count=len(topics))
        elif is_named:
            stack.enter_context(replacing(f"{os.fspath(target)}.topics.csv")).write(written(names))
        stack.enter_context(replacing(target)).write("".join(lines).encode("utf-8"))
    return losses.all()


def _names(path: str) -> dict[str, str]:
    from assay.formats.recognise import read as read_rows

    held = columns_of(read_rows(path, Topic))
    return {query: text or query for query, text in zip(held["query_id"], held["text"], strict=True)}


register(
    Outside(
        "quepid-trec", "Quepid TREC export (qrels with Quepid's query numbers)", (Topic, Judgment), read, write,
        lambda look: False,
        {"names": "a file with the columns query_id and text: the texts of Quepid's query numbers"}, SOURCE,
    )
)  # fmt: skip
