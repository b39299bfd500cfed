"""An answer of Elasticsearch's ranking evaluation API: hits become a run, the ratings beside them judgments."""

from __future__ import annotations

from typing import Any

from assay.files import Source, name_of
from assay.formats.carried import Carried, Outside, Wishes, register
from assay.formats.gathered import Gathered, Grades, Losses, gathered, many
from assay.formats.nested import Node, paths, plain, read_tree
from assay.formats.ranked_hits import DocIds
from assay.tables import Hit, Judgment, Topic

_SHAPE = '{"details": {QUERY_ID: {"hits": [{"hit": {"_index": NAME, "_id": ID, "_score": 1.5}, "rating": 3}]}}}'
_WHOLE = frozenset(("metric_score", "details", "failures"))
_QUERY = frozenset(("metric_score", "unrated_docs", "hits", "metric_details"))


def read(source: Source, wishes: Wishes) -> Carried:
    """The run of one call, called `rank_eval` or as the option `run` says."""
    name = name_of(source)
    root = read_tree(source, _SHAPE)
    losses = Losses(name)
    losses.rest(root, _WHOLE, "the answer")
    details = root.need("details")
    hits: list[tuple[str, int, Node, Node]] = []
    empty: list[str] = []
    scores: dict[str, Any] = {}
    docs = DocIds(name)
    topics = Gathered(Topic, name, "query_id")
    for query, detail in details.members():
        losses.rest(detail, _QUERY, "a query")
        topics.add(detail, query)
        scores[query] = plain(detail.value.get("metric_score"))
        found = list(detail.need("hits").each())
        for rank, one in enumerate(found, 1):
            hit = one.need("hit")
            docs.see(hit)
            hits.append((query, rank, one, hit))
        if not found:
            empty.append(query)
    run, judged, unrated = _rows(name, hits, docs, wishes)
    run.empty.update(dict.fromkeys(empty))
    facts = [*docs.facts()]
    if unrated:
        facts.append(f"{name}: {unrated:,} of {len(hits):,} returned documents had no rating; they are unjudged here, "
                     "and most of its metrics count them as not relevant")  # fmt: skip
    if len(judged):
        facts.append(
            f"{name}: holds the ratings of returned documents alone; recall and nDCG need those of the request"
        )
    _failures(root, losses, facts)
    why = (
        "they can be computed again from run and judgments; its nDCG cuts the ideal at the number of returned documents"
    )
    losses.add("values of the metric", why, details, count=len(scores))
    more = {"metric_score": plain(root.value.get("metric_score")), "scores": scores, "index": docs.only}
    runs = {wishes.options.get("run", "rank_eval"): run.block()} if len(run) or run.empty else {}
    return Carried(name, gathered(topics, judged), runs, losses.all(), tuple(facts), more=more)


def _rows(
    name: str, hits: list[tuple[str, int, Node, Node]], docs: DocIds, wishes: Wishes
) -> tuple[Gathered, Gathered, int]:
    scored = all(hit.get("_score") is not None for _, _, _, hit in hits)
    run = Gathered(Hit, name, "query_id", "doc_id", *(("score",) if scored else ()), "rank")
    judged = Gathered(Judgment, name, "query_id", "doc_id", "grade")
    grades, unrated = Grades(wishes.labels), 0
    for query, rank, one, hit in hits:
        doc = docs.of(hit)
        run.add(hit, query, doc, *((hit.need("_score").value,) if scored else ()), rank)
        rating = one.get("rating")
        if rating is None:
            unrated += 1
        else:
            judged.add(one, query, doc, grades(rating.value, one))
    return run, judged, unrated


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


register(
    Outside(
        "rank-eval-answer", "Elasticsearch _rank_eval answer (JSON)", (Topic, Hit, Judgment), read, None,
        lambda look: {"$.metric_score", "$.details"} <= paths(look), {"run": "what the run is called"},
        "https://www.elastic.co/docs/reference/elasticsearch/rest-apis/search-rank-eval",
    )
)  # fmt: skip
