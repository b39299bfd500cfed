"""An answer of Elasticsearch's ranking evaluation API: hits become a run, the ratings beside them judgments."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, many, one_run, pairs, ranked, unheld, untaken
from assay.formats.nested import Node, number, paths, plain, read_tree, to_json
from assay.formats.outgoing import hits_unheld, queries_of, unused
from assay.formats.ranked_hits import DocIds, placed
from assay.tables import Hit, Judgment, Topic

TITLE = "a _rank_eval answer"
_SHAPE = '{"details": {QUERY_ID: {"hits": [{"hit": {"_index": NAME, "_id": ID, "_score": 1.5}, "rating": 3}]}}}'
_WHOLE = frozenset(("metric_score", "details", "failures"))
_QUERY = frozenset(("metric_score", "unrated_docs", "hits", "metric_details"))


def read(source: Source, wishes: Wishes) -> Carried:
    """The run of one call, called `rank_eval` or as the option `run` says."""
    name = name_of(source)
    root = read_tree(source, _SHAPE, ("$.details",))
    return _read(root, name, wishes, DocIds(name))


def _read(root: Node, name: str, wishes: Wishes, docs: DocIds) -> Carried:
    losses = Losses(name)
    losses.rest(root, _WHOLE, "the answer")
    details = root.need("details")
    topics = Gathered(Topic, name, "query_id")
    run = Gathered(Hit, name, "query_id", "doc_id", "score", "rank")
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    scores: dict[str, Any] = {}
    grades = Grades(wishes.labels)
    for query, detail in details.members():
        losses.rest(detail, _QUERY, "a query")
        topics.add(detail, query)
        scores[query] = plain(detail.value.get("metric_score"))
        rank = 0
        for rank, one in enumerate(detail.need("hits").each(), 1):
            hit = one.need("hit")
            doc = docs.of(hit)
            run.add(hit, query, doc, hit.dict().get("_score"), rank)
            rating = one.dict().get("rating")
            if rating is not None:
                judged.add(one, query, doc, grades(rating, one))
        if not rank:
            run.empty[query] = None
    if docs.again():
        return _read(root, name, wishes, docs)
    facts = [*docs.facts(), *_facts(name, len(run), len(judged))]
    _failures(root, losses, facts)
    why = (
        "they can be computed again from run and judgments; its nDCG cuts the ideal at the number of returned documents"
    )
    losses.add("values of the metric", why, details, count=len(scores))
    more = {"metric_score": plain(root.value.get("metric_score")), "scores": scores, "indices": docs.indices}
    run.drop_where_absent("score")
    runs = {wishes.options.get("run", "rank_eval"): run.block()} if len(run) or run.empty else {}
    return Carried(name, gathered(topics, judged), runs, losses.all(), tuple(facts), more=more)


def _facts(name: str, returned: int, rated: int) -> Iterator[str]:
    if returned > rated:
        yield (
            f"{name}: {returned - rated:,} of {returned:,} returned documents had no rating; they are unjudged here, "
            "and most of its metrics count them as not relevant"
        )
    if rated:
        yield f"{name}: holds the ratings of returned documents alone; recall and nDCG need those of the request"


def _failures(root: Node, losses: Losses, facts: list[str]) -> None:
    failures = root.get("failures")
    failed = list(failures.members()) if failures is not None else []
    for _, failure in failed:
        losses.add("queries that failed", "they have no hits, and are not among those that returned nothing", failure)
    if failed:
        few = ", ".join(query for query, _ in failed[:3])
        facts.append(
            f"{root.start}: {many(len(failed), 'query', 'queries')} failed ({few}); its own mean leaves that out"
        )


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """One run with the ratings of what it returned; values of the metric are those that were read, else null."""
    losses = Losses(carried.name)
    system, run = one_run(carried, TITLE, wishes.options.get("run", ""))
    place = placed(carried, wishes, TITLE)
    judged = pairs(carried, TITLE, losses) if Judgment in carried.tables else {}
    hits, values = ranked(run), carried.more.get("scores") or {}
    unheld(carried, Topic, ("query_id",), TITLE, losses)
    hits_unheld([run], ("score", "rank"), TITLE, losses)
    untaken(carried, (Topic, Hit, Judgment), TITLE, losses)
    if left := sum(len(block) for name, block in carried.runs.items() if name != system):
        losses.add("hits of other runs", f"{TITLE} holds one run", count=left)
    unused(queries_of(carried, judged), hits, "hits", TITLE, losses)
    details: dict[str, Any] = {}
    used = 0
    for query, docs in hits.items():
        made, unrated = list[dict[str, Any]](), list[dict[str, str]]()
        for doc, score, _ in docs:
            grade = judged.get(query, {}).get(doc)
            used += grade is not None
            if grade is None:
                unrated.append(place(doc))
            rating = _rating(grade, query, doc, carried.name)
            made.append({"hit": {**place(doc), "_score": score}, "rating": rating})
        details[query] = {"metric_score": values.get(query), "unrated_docs": unrated, "hits": made}
    if left := sum(map(len, judged.values())) - used:
        losses.add("judgments of documents that were not returned", f"{TITLE} has the returned ones alone", count=left)
    whole = carried.more.get("metric_score")
    with replacing(target) as file:
        file.write(to_json({"metric_score": whole, "details": details, "failures": {}}))
    return losses.all()


def _rating(grade: float | None, query: str, doc: str, name: str) -> int | float | None:
    if grade is not None and (grade < 0 or not grade.is_integer()):
        what = f"document {doc} of query {query} has the grade {grade:g}"
        raise InputError(what, name, "_rank_eval takes whole grades from 0: choose a map by --labels")
    return None if grade is None else number(grade)


register(
    Outside(
        "rank-eval-answer", "Elasticsearch _rank_eval answer (JSON)", (Topic, Hit, Judgment), read, write,
        lambda look: {"$.metric_score", "$.details"} <= paths(look),
        {"run": "what the run is called when it is read; which run, when it is written",
         "index": "the name of the index, for writing"},
        "https://www.elastic.co/docs/reference/elasticsearch/rest-apis/search-rank-eval",
    )
)  # fmt: skip
