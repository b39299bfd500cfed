"""Preference judgments of trec_eval (`-R prefs`): levels that order documents within one group, and mean nothing else.

A level of one group is never compared with that of another, so each group and sub-group is a rater of its own, and the
dimension is preference. As trec_eval has it, level 0 says not relevant.
"""

from __future__ import annotations

import os

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, table, unheld, untaken
from assay.formats.nested import number
from assay.formats.trec_lines import Lines, write_lines
from assay.label_maps import as_number
from assay.tables import Judgment

TITLE = "a preference qrels file"
_FIELDS = ("query_id", "group", "subgroup", "doc_id", "level")
_DIMENSION = "preference"


def read(source: Source, wishes: Wishes) -> Carried:
    """A judgment a line; the rater is GROUP/SUBGROUP."""
    name = name_of(source)
    lines, grades = Lines(source, _FIELDS), Grades(wishes.labels)
    judged = Gathered(Judgment, name, "query_id", "rater", "doc_id", "grade", "dimension")
    for at, (query, group, subgroup, doc, level) in lines:
        value = grades(level, at, name)
        if isinstance(value, str) and (said := as_number(value)) is not None and said < 0:
            raise InputError(f"level {level} is below 0", f"{name}:{at}", "write levels from 0 up")
        judged.add(at, query, f"{group}/{subgroup}", doc, value, _DIMENSION)
    fact = (
        f"{name}: levels are preferences within a group (a rater here), not grades that can be compared across groups"
    )
    return Carried(name, gathered(judged), facts=(*lines.facts, fact))


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A line a judgment; a rater GROUP/SUBGROUP is two fields, any other one is a group with the sub-group 0."""
    losses = Losses(carried.name)
    held, block = table(carried, Judgment, TITLE), carried.tables[Judgment]
    lines = []
    for at, (query, doc, level) in enumerate(zip(held["query_id"], held["doc_id"], held["grade"], strict=True)):
        if level < 0:
            raise InputError(
                f"document {doc} of query {query} has the level {level:g}", block.place(at), "give levels from 0 up"
            )
        rater = (held["rater"][at] if "rater" in held else None) or "0"
        group, slash, subgroup = rater.rpartition("/")
        lines.append((query, group if slash else rater, subgroup if slash else "0", doc, str(number(level))))
    unheld(carried, Judgment, ("query_id", "rater", "doc_id", "grade", "dimension"), TITLE, losses)
    untaken(carried, (Judgment,), TITLE, losses)
    write_lines(target, carried, lines)
    return losses.all()


def _is_prefs(look: Look) -> bool:
    """Five fields of which the last is a number: no other TREC file has that but prels, whose fourth is one too."""
    lines = [
        line.split() for line in look.head.splitlines()[:50] if line.strip() and not line.lstrip().startswith(b"#")
    ]
    if not look.is_whole and len(lines) > 1:
        lines = lines[:-1]
    return bool(lines) and all(len(line) == 5 and _is_level(line[4]) and not _is_level(line[3]) for line in lines)


def _is_level(raw: bytes) -> bool:
    return raw.replace(b".", b"", 1).isdigit()


register(
    Outside(
        "trec-prefs", "trec_eval preference qrels (prefs)", (Judgment,), read, write, _is_prefs,
        source="https://github.com/usnistgov/trec_eval/blob/main/get_prefs.c",
    )
)  # fmt: skip
