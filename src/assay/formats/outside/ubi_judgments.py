"""Judgments made of clicks, as OpenSearch's search quality evaluation keeps them in its index `judgments`.

One object a query and document. Their source is clicks: they are never mixed with human labels in silence.
"""

from __future__ import annotations

from assay.errors import InputError
from assay.files import Source, name_of
from assay.formats.carried import Carried, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered
from assay.formats.nested import Node, read_values
from assay.formats.search_response import is_cut, shows, sources
from assay.tables import Judgment, Topic

_SHAPE = '{"user_query": TEXT, "document": ID, "judgment": 0.85} a line'
_QUERY, _DOC, _GRADE = ("user_query", "query"), ("document", "document_id", "docid", "doc_id"), ("judgment", "rating")
_KNOWN = frozenset((*_QUERY, *_DOC, *_GRADE, "id", "query_id", "timestamp", "judgment_set_id", "judgment_set_type",
                    "judgment_set_generator", "judgment_set_name", "judgment_set_description",
                    "judgment_set_parameters"))  # fmt: skip


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
    return Carried(name, gathered(topics, judged), lost=losses.all(), facts=tuple(facts))


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
        "ubi-judgments", "judgments made of UBI clicks (JSON, one object a pair)", (Topic, Judgment), read, None,
        lambda look: shows(look, ".judgment", ".document"),
        {"set": "which judgment set, by its id"},
        "https://github.com/o19s/opensearch-search-quality-evaluation",
    )
)  # fmt: skip
