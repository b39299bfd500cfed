from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.flows.pool import budget_of
from assay.judgments.pool import Budget, Pool


def run(**queries: str) -> dict[str, dict[str, float]]:
    """One letter a document, best first."""
    return {query: {doc: float(-i) for i, doc in enumerate(docs)} for query, docs in queries.items()}


def made(*runs: dict[str, dict[str, float]], **options: Any) -> Pool:
    return assay.pool({f"run{i}": r for i, r in enumerate(runs)}, **options)


def pairs(found: Pool) -> set[str]:
    return {pair.query_id + pair.doc_id for pair in found.pairs}


def test_the_first_documents_of_every_run_less_what_is_judged() -> None:
    found = made(run(p="abcd", q="wx"), run(p="bcxy"), depth=3, qrels={"p": {"a": 1, "z": 0}})
    assert pairs(found) == {"pb", "pc", "px", "qw", "qx"}
    first, second = found.sources
    assert (first.shown, first.judged, first.pairs, first.alone, first.queries) == (5, 1, 4, 2, 2)
    assert (second.shown, second.judged, second.pairs, second.alone, second.queries) == (3, 0, 3, 1, 1)
    assert (found.fewest, found.median, found.most) == (2, 2.5, 3)


def test_where_everything_is_judged_there_is_nothing_to_label() -> None:
    found = made(run(p="ab", q="wx"), depth=2, qrels={"p": {"a": 1, "b": 0}, "q": {"w": 1, "x": 0}})
    assert (found.pairs, found.without, found.budget.judgments) == ((), (), 0)


def test_nothing_in_the_pool_tells_system_or_rank() -> None:
    found = made(run(p="abcd"), run(p="efgh"), depth=4)
    assert {pair.reason for pair in found.pairs} == {"pool"}
    # 10,000 pairs: the place inside the query and the rank have nothing to do with each other
    rng = np.random.default_rng(1)
    ranks = {f"q{i}": [f"d{i}-{x}" for x in rng.permutation(100)] for i in range(100)}
    large = {q: {doc: float(-rank) for rank, doc in enumerate(docs)} for q, docs in ranks.items()}
    queue = made(large, run(q0="a"), depth=100).pairs
    rank_of = {(q, doc): rank for q, docs in ranks.items() for rank, doc in enumerate(docs)}
    seen: dict[str, int] = {}
    table = np.zeros((5, 5))
    for pair in queue:
        if pair.doc_id == "a":
            continue
        at = seen[pair.query_id] = seen.get(pair.query_id, -1) + 1
        table[at // 20, rank_of[pair.query_id, pair.doc_id] // 20] += 1
    share = table / table.sum()
    expected = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
    information = float((share * np.log2(share / expected)).sum())
    assert information < 0.003  # of independent ranks (5 x 5 cells, 10,000 pairs): mean 0.0012, 99.9 % below 0.003


def test_clicks_and_lists_join_and_what_is_judged_of_them_does_not() -> None:
    clicked = [{"query_id": "p", "doc_id": doc} for doc in "azb"] + [{"query_id": "other", "doc_id": "a"}]
    found = made(run(p="ab"), run(p="ba"), depth=1, lists={"clicked": clicked}, qrels={"p": {"z": 1}},
                 topics=[{"query_id": "p"}])  # fmt: skip
    assert pairs(found) == {"pa", "pb"}
    more = made(run(p="ab"), run(p="ba"), depth=1, lists={"clicked": clicked})
    assert {(p.query_id + p.doc_id, p.reason) for p in more.pairs} == {
        ("pa", "pool"),
        ("pb", "pool"),
        ("pz", "clicked"),
        ("othera", "clicked"),
    }
    assert [note.text for note in found.notes] == ["1 listed pairs are of queries that are not asked for"]


TOPICS = [{"query_id": "p", "text": "Rain jacket"}, {"query_id": "q", "text": "tent"}]


def test_clicked_and_bought_documents_of_a_log_join_by_the_text_of_the_query() -> None:
    log = [
        {"text": "rain jacket!", "doc_id": "k", "action": "Click", "count": 3.0},
        {"text": "rain jacket", "doc_id": "b", "action": "purchase"},
        {"text": "rain jacket", "doc_id": "b", "action": "click"},
        {"text": "rain jacket", "doc_id": "v", "action": "view"},
        {"text": "tent", "doc_id": "z"},  # no action: a click
        {"text": "ghost", "doc_id": "z", "count": 5.0},
    ]
    two = (run(p="ac", q="xy"), run(p="ca", q="yx"))
    found = made(*two, depth=1, topics=TOPICS, log=[log], qrels={"q": {"z": 0}})
    assert {(pair.query_id + pair.doc_id, pair.reason) for pair in found.pairs} == {
        ("pa", "pool"), ("pc", "pool"), ("qx", "pool"), ("qy", "pool"), ("pk", "clicked"), ("pb", "bought"),
    }  # fmt: skip
    assert [note.text for note in found.notes] == [
        "5 clicks of the log are of queries that are no topic",
        "actions of the log that say neither clicked nor bought are left out: view 1",
    ]
    assert pairs(made(*two, depth=1, topics=TOPICS, log=[log], taken_at_least=3)) == {"pa", "pc", "qx", "qy", "pk"}
    with pytest.raises(InputError, match="pass topics with a column text"):
        made(*two, depth=1, log=[log])
    with pytest.raises(InputError, match="several logs are read of UBI alone"):
        made(*two, depth=1, topics=TOPICS, log=[log, log])


def test_events_of_ubi_bring_what_was_clicked_and_bought(tmp_path: Path) -> None:
    queries = [{"query_id": "1", "user_query": "rain jacket"}, {"query_id": "2", "user_query": "tent"}]
    events = [
        {"query_id": query, "action_name": action, "event_attributes": {"object": {"object_id": doc}}}
        for query, action, doc in (
            ("1", "click", "k"), ("1", "impression", "i"), ("2", "purchase", 77), ("3", "click", "lost"),
        )
    ]  # fmt: skip
    for name, rows in (("queries", queries), ("events", events)):
        (tmp_path / f"{name}.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    log = [str(tmp_path / "events.ndjson"), str(tmp_path / "queries.ndjson")]
    found = made(run(p="a", q="x"), run(p="a", q="x"), depth=1, topics=TOPICS, log=log)
    assert pairs(found) == {"pa", "qx", "pk", "q77"}
    assert found.notes[0].text.endswith("of 1 clicks the query is not known: they are left out")
    with pytest.raises(InputError, match="whose query is known"):
        made(run(p="a"), run(p="a"), depth=1, topics=TOPICS, log=log[:1])


def test_what_would_decide_stands_first_in_its_own_order() -> None:
    first = [{"query_id": "q", "doc_id": "z"}, {"query_id": "p", "doc_id": "b"}]
    found = made(run(p="ab", q="xy"), run(p="ba"), depth=2, first=first)
    assert [(p.query_id + p.doc_id, p.reason) for p in found.pairs[:2]] == [("qz", "deciding"), ("pb", "deciding")]
    assert len(found.pairs) == 5
    assert [p.order for p in found.pairs] == [1, 2, 3, 4, 5]


def test_a_smaller_budget_takes_the_smallest_ranks() -> None:
    found = made(run(p="abcd", q="wxyz"), run(p="abcd"), depth=4, at_most=4)
    assert pairs(found) == {"pa", "pb", "qw", "qx"}
    assert "4 pairs are left out" in found.notes[0].text


def test_the_tail_is_drawn_from_below_and_says_so() -> None:
    docs = [f"d{i}" for i in range(50)]
    deep = {f"q{i}": {doc: float(-rank) for rank, doc in enumerate(docs)} for i in range(20)}
    found = made(deep, deep, depth=10, tail=0.2)
    drawn = [p for p in found.pairs if p.reason == "random tail"]
    assert len(drawn) == 40  # a fifth of 200
    assert all(10 <= int(p.doc_id[1:]) < 50 for p in drawn)
    assert made(deep, deep, depth=10, tail=0.2) == found
    assert made(deep, deep, depth=10, tail=0.2, seed=1).pairs != found.pairs
    assert made(run(p="ab"), run(p="b"), depth=5, tail=0.5).notes[0].code == "no-tail"


def test_move_to_front_follows_the_run_that_was_right() -> None:
    # a and b are relevant: the first run has been right twice, the second wrong twice
    right, wrong = run(p="abcde"), run(p="xyuvw")
    found = made(wrong, right, depth=5, queue="move-to-front", qrels={"p": {"a": 1, "b": 1, "x": 0, "y": 0}})
    # by hand: wrong loses one at x, right keeps 0 over a and b, loses one at c (unjudged): now equal, and wrong stands
    # less deep, so y (judged, wrong -2), then right: d (-2), wrong: u (-3), right: e (-3), then v, w
    assert [p.doc_id for p in found.pairs] == ["c", "d", "u", "e", "v", "w"]


def test_every_query_gets_its_first_document_before_any_gets_its_second() -> None:
    found = made(run(p="ab", q="cd"), run(p="ab"), depth=2, queue="move-to-front")
    assert [p.query_id for p in found.pairs] == ["p", "q", "p", "q"]


def test_the_budget_of_the_issue() -> None:
    # 500 queries x 20 documents
    budget = Budget(10_000)
    assert (budget.judgments, budget.prices) == (10_000, (5_000.0, 30_000.0))
    assert Budget(100, raters=3, minutes=2).hours == pytest.approx(10)
    assert budget_of(2, 0.5, "1:2", "EUR") == Budget(0, 2, 0.5, 1.0, 2.0, "EUR")
    assert budget_of(1, 1, "0.8", "EUR").prices == (0.0, 0.0)
    for price in ("a:b", "3:1", "-1:2", "1:inf"):
        with pytest.raises(InputError, match="is no price"):
            budget_of(1, 1, price, "USD")


def test_one_run_alone_is_a_warning_and_none_is_refused() -> None:
    assert made(run(p="ab"), depth=2).notes[0].level == "warning"
    with pytest.raises(InputError, match="no run was given"):
        assay.pool([])


def test_queries_without_anything_are_named() -> None:
    found = made(run(p="ab"), run(p="b"), depth=2, topics=[{"query_id": "p"}, {"query_id": "lost"}])
    assert (found.queries, found.without) == (2, ("lost",))


def test_a_list_without_pairs_puts_none_first_and_says_so(tmp_path: Path) -> None:
    source = tmp_path / "deciding.csv"
    source.write_text("query_id,doc_id\n", encoding="utf-8")
    found = made(run(q="xy"), depth=2, first=str(source))
    assert pairs(found) == {"qx", "qy"}
    assert "deciding" not in {pair.reason for pair in found.pairs}
    assert [note.text for note in found.notes if note.code == "none-first"] == [
        f"{source}:1 holds no pairs: none stands before the others"
    ]
