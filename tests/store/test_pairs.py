"""Projects of pairs of documents, on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from scipy.stats import binomtest

from assay.errors import InputError
from assay.flows import disputes, pairs
from assay.flows.people import Person
from assay.flows.project_state import state_of
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from assay.store import claims, judgments
from assay.store.database import Store
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS
from store.made import NOW, TENANT
from web.labelled import RUBRIC

KEY = b"secret"
ANN, BEN = (Person(name, "rater", TENANT) for name in ("ann", "ben"))
JUDGE = Person("judge", "adjudicator", TENANT)


def made(store: Store, table: Any = None, queries: int = 2, docs: int = 3, **options: Any) -> None:
    """A project of every two documents of some queries."""
    pool = [{"query_id": f"q{q}", "doc_id": f"q{q}-d{i}"} for q in range(queries) for i in range(docs)]
    pairs.create_project(
        store, Workbench(workspace=None), name="Duel", pairs=table or pool, rubric=Rubric.parse(RUBRIC),
        rubric_text=RUBRIC, by="test", tenant=TENANT, documents=[{"doc_id": "q0-d0", "title": "Jacket"}],
        **({"repeat_share": 0.0} | options),
    )  # fmt: skip


def ask(store: Store, who: Person, n: int = 12) -> list[dict[str, Any]]:
    return pairs.next_pairs(store, who, "Duel", n, KEY)


def prefer(store: Store, who: Person, one: dict[str, Any], choice: str | None, **more: Any) -> dict[str, Any]:
    given = pairs.Choice(f"{who.name}-{one['item']:04}-{one['turn']}", one["item"], who.name, one["left"]["doc_id"],
                         one["turn"], choice, **more)  # fmt: skip
    return pairs.prefer(store, who, given, KEY)


def side_of(one: dict[str, Any], doc: str) -> str:
    return "left" if one["left"]["doc_id"] == doc else "right"


def test_what_a_rater_sees_is_a_query_and_two_documents(store: Store) -> None:
    made(store)
    seen = ask(store, ANN)
    assert len(seen) == 6
    for one in seen:
        assert set(one) == {"item", "turn", "query", "left", "right", "count"}
        assert set(one["count"] or {"done": 0, "of": 0}) == {"done", "of"}  # of the rater alone
        assert not {"place", "other_doc_id", "preference", "wanted"} & one["left"].keys()
        assert one["left"]["doc_id"] != one["right"]["doc_id"]
    asked = [one["query"]["query_id"] for one in seen]
    assert asked == sorted(asked)  # a query is finished before the next begins


def test_a_choice_is_kept_by_document_and_the_side_stands_beside_it(store: Store) -> None:
    made(store, docs=2, queries=1)
    chosen = {}
    for who, choice in ((ANN, "left"), (BEN, "right")):
        (one,) = ask(store, who)
        chosen[who.name] = one[choice]["doc_id"]
        assert prefer(store, who, one, choice)["choice"] == choice
    rows = {row["rater"]: row for row in pairs.export(store, TENANT, "Duel")}
    for name, row in rows.items():
        assert {"first": row["doc_id"], "second": row["other_doc_id"]}[row["preference"]] == chosen[name]
        assert (row["left_doc_id"] == chosen[name]) == (name == "ann")
        assert row["doc_hash"] != row["other_doc_hash"]


def test_sides_are_a_fair_coin_for_each_rater_and_item_and_stay(store: Store) -> None:
    item = {"project": "p", "doc_id": "of system a", "other_doc_id": "of system b"}
    sides = [
        [pairs.sides(item | {"id": i}, rater, 0, KEY)[0] == "of system a" for i in range(2_000)] for rater in ("x", "y")
    ]
    for of_one in sides:
        assert binomtest(sum(of_one), 2_000).pvalue > 0.001
    same = sum(a == b for a, b in zip(*sides, strict=True))
    assert binomtest(same, 2_000).pvalue > 0.001  # one rater's sides tell nothing of another's
    for turn in (0, 1):
        assert pairs.sides(item | {"id": 1}, "x", turn, KEY) == pairs.sides(item | {"id": 1}, "x", turn, KEY)
    assert pairs.sides(item | {"id": 1}, "x", 1, KEY) == pairs.sides(item | {"id": 1}, "x", 0, KEY)[::-1]


def test_the_same_answer_counts_once_and_other_sides_are_refused(store: Store) -> None:
    made(store)
    one, other, *_ = ask(store, ANN)
    assert prefer(store, ANN, one, "left") == prefer(store, ANN, one, "right")  # sent again under its id
    assert len(store.rows(sa.select(JUDGMENTS))) == 1
    turned = other | {"left": other["right"], "right": other["left"]}
    with pytest.raises(InputError, match="your page shows other sides"):
        prefer(store, ANN, turned, "left")
    with pytest.raises(InputError, match="an answer says one thing"):
        prefer(store, ANN, other, None)
    with pytest.raises(InputError, match="an answer says one thing"):
        prefer(store, ANN, other, "left", cannot_tell="language")
    with pytest.raises(InputError, match="'mood' is no reason"):
        prefer(store, ANN, other, None, cannot_tell="mood")
    (item,) = store.rows(sa.select(ITEMS).where(ITEMS.c.id == other["item"]))
    of_ben = other | {"left": {"doc_id": pairs.sides(item, "ben", 0, KEY)[0]}}
    with pytest.raises(InputError, match="nobody gave you this item"):
        prefer(store, BEN, of_ben, "left")


def test_undo_and_skip_give_the_pair_back_on_the_same_sides(store: Store) -> None:
    made(store, docs=2, queries=2)
    one, other = ask(store, ANN)
    prefer(store, ANN, one, "tie")
    store.write(lambda c: judgments.take_back(c, TENANT, "undo-1", f"ann-{one['item']:04}-0", "ann", NOW)).result()
    assert one in ask(store, ANN)
    assert pairs.export(store, TENANT, "Duel") == []
    store.write(lambda c: claims.end(c, other["item"], "ann", 0, "skipped", NOW)).result()
    assert [again["item"] for again in ask(store, ANN, 2)] == [one["item"], other["item"]]
    assert ask(store, ANN, 2)[1]["left"] == other["left"]


def test_own_pairs_come_again_with_their_sides_swapped(store: Store) -> None:
    made(store, docs=12, queries=1, repeat_share=0.3, raters_each=1)
    first: dict[int, dict[str, Any]] = {}
    again = []
    while found := ask(store, ANN, 1):
        one = found[0]
        prefer(store, ANN, one, "left")
        if one["turn"]:
            again.append(one)
            assert one["left"] == first[one["item"]]["right"]
            assert one["right"] == first[one["item"]]["left"]
        else:
            first[one["item"]] = one
    assert len(first) == 66
    assert len(again) > 5
    found = pairs.agreement_of(store, ANN, "Duel")
    assert found is not None
    assert (found.given, found.again.pairs, found.again.same_side) == (66, len(again), len(again))
    assert (found.side.left, found.side.right) == (66, 0)
    assert found.side.p == pytest.approx(2 / 2**66)


def test_quotas_hold_when_twenty_raters_race(store: Store) -> None:
    made(store, docs=5, queries=2, raters_each=3)

    def work(name: str) -> int:
        who, n = Person(name, "rater", TENANT), 0
        while found := ask(store, who, 2):
            for one in found:
                prefer(store, who, one, "tie")
                n += 1
        return n

    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(work, [f"r{i}" for i in range(20)]))
    assert sum(done) == 60
    assert {row["taken"] for row in store.rows(sa.select(ITEMS.c.taken))} == {3}
    assert len(store.rows(sa.select(CLAIMS))) == 60


def test_a_named_pair_is_compared_once_whichever_stands_first(store: Store) -> None:
    named = [("a", "b"), ("b", "a"), ("a", "c")]
    rows = [{"query_id": "q", "doc_id": doc, "other_doc_id": other} for doc, other in named]
    made(store, rows)
    assert len(store.rows(sa.select(ITEMS))) == 2
    with pytest.raises(InputError, match="document a of query q is compared with itself"):
        made(store, [{"query_id": "q", "doc_id": "a", "other_doc_id": "a"}])
    with pytest.raises(InputError, match="the pairs are named one by one"):
        made(store, rows, most=1)
    with pytest.raises(InputError, match="no query has two documents"):
        made(store, [{"query_id": "q", "doc_id": "a"}])


def test_opposite_preferences_are_a_dispute_that_an_adjudicator_settles(store: Store) -> None:
    made(store, docs=2, queries=2)
    for who, wish in ((ANN, min), (BEN, max)):
        for one in ask(store, who):
            is_first_query = one["query"]["query_id"] == "q0"
            doc = wish(one["left"]["doc_id"], one["right"]["doc_id"])
            prefer(store, who, one, side_of(one, doc) if is_first_query or who is ANN else "tie", note="theirs")
    ((item, query),) = [(one["item"], one["query"]) for one in disputes.waiting(store, JUDGE, "Duel", KEY)]
    assert query == "q0"  # a tie against a choice is none
    shown = disputes.dispute(store, JUDGE, "Duel", item, KEY)
    assert len(shown["documents"]) == 2
    assert "theirs" not in str(shown)
    left = shown["documents"][0]["doc_id"]
    disputes.settle_pair(store, JUDGE, "Duel", pairs.Choice("judged-1", item, "judge", left, choice="left"), KEY)
    seen = disputes.settled(store, JUDGE, "Duel", item, KEY)
    assert seen["own"]["choice"] == "left"
    by_rater = {one["rater"]: one["choice"] for one in seen["labels"]}
    assert by_rater == {"ann": "left" if left == "q0-d0" else "right", "ben": "left" if left == "q0-d1" else "right"}
    assert disputes.waiting(store, JUDGE, "Duel", KEY) == []
    found = pairs.agreement_of(store, JUDGE, "Duel")
    assert found is not None
    assert (found.given, found.opposed) == (4, 1)  # the adjudicator is no rater


def test_the_state_of_a_project_counts_preferences(store: Store) -> None:
    made(store, docs=2, queries=2)
    for who in (ANN, BEN):
        one, other = ask(store, who)
        prefer(store, who, one, "left", took_ms=4_000)
        prefer(store, who, other, None if who is BEN else "tie", **({"cannot_tell": "other"} if who is BEN else {}))
    found = state_of(store, JUDGE, "Duel")
    told = [(one.name, one.grades, one.cannot_tell, one.median_s) for one in found.raters]
    assert told == [("ann", 2, 0, 4.0), ("ben", 1, 1, 4.0)]
    assert (found.mode, found.given, found.wanted) == ("pairwise", 4, 4)
    assert found.agreement is not None
    assert found.agreement.name == "alpha, nominal"
