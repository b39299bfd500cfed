"""Judgments made of clicks, as OpenSearch's search quality evaluation keeps them in its index `judgments`.

One object a query and document. Their source is clicks: they are never mixed with human labels in silence.
"""

from __future__ import annotations

import os
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, columns_of, gathered, pairs, unheld, untaken
from assay.formats.nested import Node, number, plain, read_values, to_json_line
from assay.formats.outgoing import by_text, queries_of, unused
from assay.formats.search_response import is_cut, shows, sources
from assay.tables import Judgment, Topic

TITLE = "a list of UBI judgments"
_TYPES = {"clicks": "implicit", "human": "explicit"}
"""What the sources of judgments are called."""
_SET = ("judgment_set_id", "judgment_set_name", "judgment_set_description", "judgment_set_generator",
        "judgment_set_parameters")  # fmt: skip
_SHAPE = '{"user_query": TEXT, "document": ID, "judgment": 0.85} a line'
_QUERY, _DOC, _GRADE = ("user_query", "query"), ("document", "document_id", "docid", "doc_id"), ("judgment", "rating")
_KNOWN = frozenset((*_QUERY, *_DOC, *_GRADE, *_SET, "id", "query_id", "timestamp", "judgment_set_type"))


def read(source: Source, wishes: Wishes) -> Carried:
    """The judgments of one set; of several, the option `set` names one."""
    name = name_of(source)
    values = read_values(source, _SHAPE)
    found = list(sources(values))
    found = _of_set(found, wishes.options.get("set"), name)
    losses, grades = Losses(name), Grades(wishes.labels)
    topics, judged = (
        Gathered(Topic, name, "query_id", "text"),
        Gathered(Judgment, name, "query_id", "doc_id", "grade", "source", "judged_at"),
    )
    known: set[str] = set()
    kinds: dict[str, int] = {}
    for node in found:
        losses.rest(node, _KNOWN, "a judgment")
        text = node.need(*_QUERY).text().strip()
        if text not in known:
            known.add(text)
            topics.add(node, text, text)
        kind = node.get("judgment_set_type")
        is_human = kind is not None and kind.text() == "explicit"
        kinds[kind.text() if kind is not None else "implicit"] = 1
        at = node.get("timestamp")
        judged.add(node, text, node.need(*_DOC).id(), grades(node.need(*_GRADE).value, node),
                   "human" if is_human else "clicks", at.text() if at is not None and at.is_text else None)  # fmt: skip
    cut = is_cut(values)
    facts = [cut] if cut else []
    if "implicit" in kinds:
        facts.append(f"{name}: the judgments are made of clicks, so their source is clicks, not a human; what the "
                     "numbers mean depends on the click model")  # fmt: skip
    more = {key: plain(found[0].value[key]) for key in _SET if found and found[0].has(key)}
    return Carried(name, gathered(topics, judged), lost=losses.all(), facts=tuple(facts), more=more)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """One object a pair and line. What people said is explicit, what clicks say implicit; anything else has to be said.

    A judgment without a source would be read back as made of clicks, so nothing is guessed.
    """
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, Losses())
    topics = by_text(carried, list(judged), TITLE, losses)
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    unheld(carried, Judgment, ("query_id", "doc_id", "grade", "source", "judged_at"), TITLE, losses)
    untaken(carried, (Topic, Judgment), TITLE, losses)
    unused(queries_of(carried), judged, "judgments", TITLE, losses)
    about = _about(carried, wishes, losses)
    own = {key: carried.more[key] for key in _SET if key in carried.more}
    own |= {"judgment_set_id": wishes.options["set"]} if "set" in wishes.options else {}
    lines = []
    for query, docs in judged.items():
        for doc, grade in docs.items():
            kind, at = about[query, doc]
            made: dict[str, Any] = {"user_query": topics[query], "document": doc, "judgment": number(grade), **own}
            made |= {"judgment_set_type": kind} | ({"timestamp": at} if at else {})
            lines.append(to_json_line(made))
    with replacing(target) as file:
        file.write("".join(lines).encode("utf-8"))
    return losses.all()


def _about(carried: Carried, wishes: Wishes, losses: Losses) -> dict[tuple[str, str], tuple[str, str | None]]:
    """Type and time of every pair."""
    said = wishes.options.get("type")
    if said is not None and said not in _TYPES.values():
        raise InputError(f"type={said} is not implicit or explicit", "--option", "pass --option type=explicit")
    held, block = columns_of(carried.tables[Judgment]), carried.tables[Judgment]
    nothing = [None] * len(block)
    sources_of, times = held.get("source", nothing), held.get("judged_at", nothing)
    made: dict[tuple[str, str], tuple[str, str | None]] = {}
    for at, pair in enumerate(zip(held["query_id"], held["doc_id"], strict=True)):
        source = sources_of[at]
        kind = _TYPES.get(source or "") or said
        if kind is None:
            what = f"the source {source} is neither human nor clicks" if source else "a judgment says no source"
            remedy = "say what they are: --option type=explicit for people, type=implicit for clicks"
            raise InputError(what, block.place(at), remedy)
        if source and source not in _TYPES:
            losses.add(f"judgments whose source is {source}", f"{TITLE} knows people and clicks; written as {kind}")
        made[pair] = kind, times[at]
    return made


def _of_set(found: list[Node], wanted: str | None, name: str) -> list[Node]:
    sets: dict[str, list[Node]] = {}
    for node in found:
        one = node.get("judgment_set_id", "judgment_set_name")
        sets.setdefault(one.id() if one is not None else "", []).append(node)
    if wanted is not None:
        if wanted not in sets:
            held = ", ".join(filter(None, sets)) or "not named"
            raise InputError(f"has no judgment set {wanted}", name, f"the sets are {held}")
        return sets[wanted]
    if len(sets) > 1:
        called = ", ".join(one or "(none)" for one in sets)
        raise InputError(f"holds {len(sets)} judgment sets", name, f"choose one by --option set=ID: {called}")
    return found


register(
    Outside(
        "ubi-judgments", "judgments made of UBI clicks (JSON, one object a pair)", (Topic, Judgment), read, write,
        lambda look: shows(look, ".judgment", ".document"),
        {"set": "which judgment set, by its id; the id that is written",
         "type": "what is written of judgments that say no source: explicit (people) or implicit (clicks)"},
        "https://github.com/o19s/opensearch-search-quality-evaluation",
    )
)  # fmt: skip
