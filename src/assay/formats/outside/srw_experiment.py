"""Experiment results of OpenSearch's Search Relevance Workbench: documents in order become runs, values are shown.

A pointwise experiment keeps its documents in the index `search-relevance-evaluation-result`, one object a query and
configuration; a pairwise one keeps `snapshots` in its own `results`. Values are rounded to two decimals by the
workbench and are recomputed by whoever has the judgments, so they are not carried over.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Losses, gathered, ranked, unheld, untaken
from assay.formats.nested import Node, plain, read_values, to_json
from assay.formats.outgoing import by_text, hits_unheld, queries_of, unused
from assay.formats.search_response import is_cut, shows, sources
from assay.formats.trails import Trail, where
from assay.tables import Block, Hit, Topic

TITLE = "an experiment of the workbench"
_TYPES = {"pairwise": "PAIRWISE_COMPARISON", "pointwise": "POINTWISE_EVALUATION"}
_SHAPE = '{"results": [{"queryText": TEXT, "snapshots": [{"searchConfigurationId": ID, "docIds": [ID]}]}]}'
_LONG = ("$.results", "$", "$.hits.hits")
_WHY = "they can be computed again from runs and judgments, without the workbench's rounding to two decimals"
_WHOLE = frozenset(("id", "timestamp", "type", "status", "querySetId", "searchConfigurationList", "judgmentList",
                    "size", "results", "description", "name", "isScheduled", "errorMessage"))  # fmt: skip


class _Runs:
    """Runs as they are found, a system each, and the queries."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.runs: dict[str, Gathered] = {}
        self.topics = Gathered(Topic, name, "query_id", "text")
        self.losses = Losses(name)
        self._seen: dict[tuple[str, str], Trail] = {}
        self._known: set[str] = set()

    def add(self, system: str, query: Node, docs: Node) -> None:
        text = query.text().strip()
        if (system, text) in self._seen:
            before = self._seen[system, text]
            raise docs.fault(f"the query '{text}' of {system} was there before, at {where(before)}", "keep one of them")
        self._seen[system, text] = docs.trail
        if text not in self._known:
            self._known.add(text)
            self.topics.add(query, text, text)
        run = self.runs.setdefault(system, Gathered(Hit, self.name, "query_id", "doc_id", "rank"))
        rank = 0
        for rank, doc in enumerate(docs.each(), 1):
            run.add(doc, text, doc.id(), rank)
        if not rank:
            run.empty[text] = None

    def blocks(self) -> dict[str, Block]:
        return {system: run.block() for system, run in self.runs.items()}


def read(source: Source, wishes: Wishes) -> Carried:
    """Runs of a pairwise experiment, or of the stored evaluation results of a pointwise one."""
    name = name_of(source)
    values = read_values(source, _SHAPE, _LONG)
    found = _Runs(name)
    more: dict[str, Any] = {}
    facts = [cut] if (cut := is_cut(values)) else []
    for stored in sources(values):
        if stored.has("documentIds"):
            more.setdefault("type", _TYPES["pointwise"])
            _pointwise(stored, found)
            continue
        results = stored.need("results", "documentIds")
        found.losses.rest(stored, _WHOLE, "the experiment")
        more |= {key: plain(stored.value[key]) for key in stored.value if key in _WHOLE and key != "results"}
        for result in results.each():
            if result.has("snapshots"):
                _pairwise(result, found)
            else:
                result.need("evaluationId", "evaluationResults")
                why = "documents are in the index search-relevance-evaluation-result: export its objects and read them"
                found.losses.add("results that are only named", why, result)
    if not found.runs:
        facts.append(f"{name}: holds no documents; the experiment names its results only")
    return Carried(name, gathered(found.topics), found.blocks(), found.losses.all(), tuple(facts), more=more)


def _pointwise(stored: Node, found: _Runs) -> None:
    system = stored.get("searchConfigurationId")
    found.add(
        system.id() if system is not None else "experiment", stored.need("searchText"), stored.need("documentIds")
    )
    metrics = stored.get("metrics")
    if metrics is not None and (number := len(list(metrics.each()))):
        found.losses.add("values of measures", _WHY, metrics, count=number)


def _pairwise(result: Node, found: _Runs) -> None:
    query = result.need("queryText", "query_text")
    for snapshot in result.need("snapshots").each():
        found.add(snapshot.need("searchConfigurationId").id(), query, snapshot.need("docIds"))
    metrics = result.get("metrics")
    if metrics is not None:
        count = len(metrics.value) if isinstance(metrics.value, (list, dict)) else 1
        found.losses.add("values of overlap", "they can be computed again from the runs", metrics, count=count)


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """Two runs as a pairwise comparison; other numbers of runs as the stored evaluations of a pointwise experiment.

    The workbench computes its values itself, so there are none.
    """
    if not carried.runs:
        raise InputError(f"{TITLE} needs runs, and there are none", carried.name, "give a run by --run")
    losses = Losses(carried.name)
    lists = {system: {query: [doc for doc, _, _ in hits] for query, hits in ranked(run).items()}
             for system, run in carried.runs.items()}  # fmt: skip
    queries = list(dict.fromkeys(query for hits in lists.values() for query in hits))
    topics = by_text(carried, queries, TITLE, losses)
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    hits_unheld(carried.runs.values(), ("rank",), TITLE, losses)
    untaken(carried, (Topic, Hit), TITLE, losses)
    unused(queries_of(carried), queries, "hits", TITLE, losses)
    content = _compared(lists, topics, carried) if _is_pairwise(carried, wishes) else _evaluated(lists, topics)
    with replacing(target) as file:
        file.write(to_json(content))
    return losses.all()


def _is_pairwise(carried: Carried, wishes: Wishes) -> bool:
    said = wishes.options.get("type")
    if said is not None and said not in _TYPES:
        raise InputError(f"type={said} is not pairwise or pointwise", "--option", "pass --option type=pairwise")
    kind = _TYPES[said] if said else carried.more.get("type")
    return kind == _TYPES["pairwise"] if kind in _TYPES.values() else len(carried.runs) == 2


def _compared(
    lists: Mapping[str, Mapping[str, Sequence[str]]], topics: Mapping[str, str], carried: Carried
) -> dict[str, Any]:
    own = {key: value for key, value in carried.more.items() if key in _WHOLE} if "querySetId" in carried.more else {}
    results = [
        {
            "queryText": text,
            "snapshots": [
                {"searchConfigurationId": system, "docIds": hits[query]}
                for system, hits in lists.items()
                if query in hits
            ],
            "metrics": [],
        }
        for query, text in topics.items()
    ]
    return {"type": _TYPES["pairwise"], "searchConfigurationList": list(lists), **own, "results": results}


def _evaluated(lists: Mapping[str, Mapping[str, Sequence[str]]], topics: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {"searchConfigurationId": system, "searchText": topics[query], "judgmentIds": [], "documentIds": docs,
         "metrics": []}
        for system, hits in lists.items() for query, docs in hits.items()
    ]  # fmt: skip


register(
    Outside(
        "srw-experiment", "OpenSearch Search Relevance Workbench experiment results (JSON)", (Topic, Hit), read, write,
        lambda look: shows(look, ".results[].snapshots") or shows(look, ".documentIds", ".searchText")
        or shows(look, ".querySetId", ".searchConfigurationList", ".results"),
        {"type": "what is written: pairwise (of two runs unless given) or pointwise"},
        "https://docs.opensearch.org/latest/search-plugins/search-relevance/comparing-search-results/",
    )
)  # fmt: skip
