"""Prels of the TREC million query tracks: each judgment has the method that chose it and the probability that it did.

Source: Carterette, Pavlu, Kanoulas, Aslam, Allan, SIGIR 2008 (statAP takes the probabilities).
"""

from __future__ import annotations

import os

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, table, unheld, untaken
from assay.formats.nested import number
from assay.formats.trec_lines import Lines, write_lines
from assay.label_maps import as_number
from assay.tables import Judgment

TITLE = "a prels file"
_FIELDS = ("query_id", "doc_id", "grade", "method", "probability")


def read(source: Source, wishes: Wishes) -> Carried:
    """A judgment a line; the probability becomes its inclusion, negative grades are documents that nobody judged."""
    name = name_of(source)
    lines, grades, losses = Lines(source, _FIELDS), Grades(wishes.labels), Losses(name)
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade", "inclusion")
    methods: dict[str, int] = {}
    for at, (query, doc, grade, method, probability) in lines:
        value = grades(grade, at, name)
        chance = as_number(probability)
        if chance is None or not 0 < chance <= 1:
            raise InputError(f"probability '{probability}' is not above 0 and at most 1", f"{name}:{at}",
                             f"the columns are {' '.join(_FIELDS)}")  # fmt: skip
        if isinstance(value, str) and (said := as_number(value)) is not None and said < 0:
            losses.add("documents of the pool without a judgment", "a negative grade says that nobody judged it", at)
            continue
        methods[method] = methods.get(method, 0) + 1
        judged.add(at, query, doc, value, probability)
    if not len(judged):
        raise InputError("holds no judgment: every grade is negative", name, "give the judged documents too")
    losses.add("methods of choice", "the probability says what estimates need", count=sum(methods.values()))
    return Carried(name, gathered(judged), lost=losses.all(), facts=lines.facts)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """A line a judgment; the method is 0 or what the option says, judgments without a probability are refused."""
    losses = Losses(carried.name)
    held, block = table(carried, Judgment, TITLE), carried.tables[Judgment]
    chances = held.get("inclusion", [None] * len(block))
    if None in chances:
        where = block.place(list(chances).index(None))
        raise InputError("a judgment has no inclusion probability", where, "write plain qrels instead")
    method = wishes.options.get("method", "0")
    rows = zip(held["query_id"], held["doc_id"], held["grade"], chances, strict=True)
    unheld(carried, Judgment, ("query_id", "doc_id", "grade", "inclusion"), TITLE, losses)
    untaken(carried, (Judgment,), TITLE, losses)
    write_lines(target, carried, ((q, d, str(number(g)), method, repr(float(p))) for q, d, g, p in rows))
    return losses.all()


register(
    Outside(
        "trec-prels", "TREC million query judgments with inclusion probabilities (prels)", (Judgment,), read, write,
        options={"method": "what is written as the method that chose a document"},
        source="https://trec.nist.gov/data/million.query09.html",
    )
)  # fmt: skip
