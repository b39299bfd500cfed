from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sqlalchemy as sa

from assay.errors import InputError
from assay.store import claims, judgments, queue
from assay.store.database import Store
from assay.store.schema import CLAIMS, ITEMS, JUDGMENTS
from store.made import NOW, TENANT, ask, give, project, undo


def test_every_item_gets_its_raters_and_no_rater_the_same_twice(store: Store) -> None:
    row = project(store, items=6, wanted=2)
    had: dict[str, list[str]] = {}
    for rater in ("ann", "ben", "cid"):
        while found := ask(store, row, rater):
            had.setdefault(rater, []).append(found[0]["doc_id"])
            give(store, found[0]["id"], rater)
    assert sorted(doc for docs in had.values() for doc in docs) == sorted([f"d{i}" for i in range(6)] * 2)
    assert all(len(set(docs)) == len(docs) for docs in had.values())
    assert "cid" not in had  # two raters have done it all


def test_quotas_hold_when_twenty_raters_race(store: Store) -> None:
    row = project(store, items=40, wanted=3)

    def work(rater: str) -> int:
        n = 0
        while found := ask(store, row, rater, 2):
            for item in found:
                give(store, item["id"], rater)
                n += 1
        return n

    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(work, [f"r{i}" for i in range(20)]))
    assert sum(done) == 120
    counts = [row["n"] for row in store.rows(sa.select(sa.func.count().label("n")).group_by(JUDGMENTS.c.item)
                                             .select_from(JUDGMENTS))]  # fmt: skip
    assert counts == [3] * 40
    assert {row["taken"] for row in store.rows(sa.select(ITEMS.c.taken))} == {3}


def test_what_is_held_comes_again_after_a_reload(store: Store) -> None:
    row = project(store)
    first = ask(store, row, "ann", 3)
    assert ask(store, row, "ann", 3) == first
    assert [item["doc_id"] for item in ask(store, row, "ann", 4)][:3] == [item["doc_id"] for item in first]


def test_a_query_is_finished_before_the_next_begins_in_an_order_of_the_raters_own(store: Store) -> None:
    row = project(store, items=60, wanted=2, queries=2)
    orders = []
    for rater in ("ann", "ben"):
        items = []
        while found := ask(store, row, rater):
            items.append((found[0]["query_id"], found[0]["doc_id"]))
            give(store, found[0]["id"], rater)
        assert [query for query, _ in items] == ["q0"] * 30 + ["q1"] * 30
        orders.append([doc for _, doc in items])
    assert orders[0] != orders[1]
    assert orders[0] != sorted(orders[0], key=lambda doc: int(doc[1:]))


def test_where_queries_are_mixed_none_is_finished_before_the_next_begins(store: Store) -> None:
    row = project(store, items=60, wanted=1, queries=2, mode="mixed")
    queries = []
    while found := ask(store, row, "ann"):
        queries.append(found[0]["query_id"])
        give(store, found[0]["id"], "ann")
    assert sorted(queries) == ["q0"] * 30 + ["q1"] * 30
    assert set(queries[:30]) == set(queries[30:]) == {"q0", "q1"}  # else with 2 chances of 10 to the 17th


def test_the_place_in_the_queue_tells_nothing_of_the_order_of_the_pool(store: Store) -> None:
    n = 10_000
    row = project(store, items=n, wanted=1, queries=100)
    seen = [item["doc_id"] for item in ask(store, row, "ann", n)]
    at = np.array([i % 100 for i in range(n)])
    rank = np.array([int(doc[1:]) % 100 for doc in seen])
    table, _, _ = np.histogram2d(at, rank, bins=5)
    share = table / n
    expected = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
    assert float((share * np.log2(share / expected)).sum()) < 0.003  # chance alone: mean 0.0012, 99.9 % below 0.003


def test_the_same_answer_sent_again_counts_once(store: Store) -> None:
    row = project(store)
    (item,) = ask(store, row, "ann")
    first = give(store, item["id"], "ann", 2.0, uid="u1")
    again = give(store, item["id"], "ann", 0.0, uid="u1")
    assert (first["grade"], again["grade"]) == (2.0, 2.0)
    assert len(store.rows(sa.select(JUDGMENTS))) == 1
    (other,) = ask(store, row, "ann")
    with pytest.raises(InputError, match="this answer's id was used for another one"):
        give(store, other["id"], "ann", uid="u1")


def test_nobody_grades_what_was_not_given_to_them(store: Store) -> None:
    row = project(store)
    (item,) = ask(store, row, "ann")
    with pytest.raises(InputError, match="nobody gave you this item"):
        give(store, item["id"], "ben")
    with pytest.raises(InputError, match="there is no such item"):
        give(store, 9_999, "ann")
    assert store.rows(sa.select(JUDGMENTS)) == []


def test_undo_is_a_new_row_and_gives_the_item_back(store: Store) -> None:
    row = project(store)
    (item,) = ask(store, row, "ann")
    give(store, item["id"], "ann", 1.0, uid="u1")
    undo(store, "u1", "ann")
    assert judgments.current(store, TENANT, "p") == []
    assert ask(store, row, "ann")[0]["id"] == item["id"]
    give(store, item["id"], "ann", 3.0, uid="u2")
    assert [(r["uid"], r["grade"]) for r in judgments.current(store, TENANT, "p")] == [("u2", 3.0)]
    assert len(store.rows(sa.select(JUDGMENTS))) == 3
    undo(store, "u1", "ann")  # taken back already: nothing happens
    assert len(store.rows(sa.select(JUDGMENTS))) == 3
    with pytest.raises(InputError, match="no such judgment of yours"):
        undo(store, "u2", "ben")


def test_a_skipped_item_goes_back_and_comes_to_its_rater_last(store: Store) -> None:
    row = project(store, items=3, wanted=1, queries=1)
    (first,) = ask(store, row, "ann")
    store.write(lambda c: claims.end(c, first["id"], "ann", 0, "skipped", NOW)).result()
    seen = []
    while found := ask(store, row, "ann"):
        seen.append(found[0]["id"])
        give(store, found[0]["id"], "ann")
    assert len(seen) == 3
    assert seen[-1] == first["id"]
    assert {r["taken"] for r in store.rows(sa.select(ITEMS.c.taken))} == {1}


def test_claims_that_nobody_answers_are_given_back(store: Store) -> None:
    row = project(store, items=2, wanted=1, queries=1)
    ask(store, row, "ann", 2, now="2026-03-01T00:00:00Z")
    assert ask(store, row, "ben", 2) == []
    gone = store.write(lambda c: claims.expire(c, "p", "2026-03-01T00:30:00Z", "2026-03-01T01:00:00Z")).result()
    assert gone == 2
    assert len(ask(store, row, "ben", 2)) == 2
    assert ask(store, row, "ann", 2) == []


def test_what_nobody_answers_for_a_day_is_for_who_has_nothing_else(store: Store) -> None:
    row = project(store, items=3, wanted=1, queries=1)
    held = ask(store, row, "ann", 2, now="2026-03-01T00:00:00Z")
    ask(store, row, "ben", 1, now="2026-03-01T12:00:00Z")
    assert ask(store, row, "cid", 3, now="2026-03-02T00:00:00Z") == []  # a day, and no more
    assert len(ask(store, row, "ben", 3, now="2026-03-02T00:00:01Z")) == 1  # who holds something keeps to it
    assert len(ask(store, row, "cid", 3, now="2026-03-02T00:00:01Z")) == 2
    give(store, held[0]["id"], "ann")  # it comes late, and is kept
    assert sorted(r["taken"] for r in store.rows(sa.select(ITEMS.c.taken))) == [1, 1, 2]


def test_everybody_labels_the_pilot_and_the_queue_waits_for_it(store: Store) -> None:
    row = project(store, items=10, wanted=1, pilot=3)
    for rater in ("ann", "ben", "cid"):
        seen = []
        while found := ask(store, row, rater):
            seen.append(found[0]["doc_id"])
            give(store, found[0]["id"], rater)
        assert sorted(seen) == ["d0", "d1", "d2"]
    assert len(ask(store, row | {"opened_at": NOW}, "ann", 5)) == 5


def test_gold_and_repeats_come_in_between_and_look_like_any_other(store: Store) -> None:
    row = project(store, items=300, wanted=1, queries=3, gold_share=0.1, repeat_share=0.05)
    gold = [queue.NewItem("q0", f"g{i}", "h", 0, gold=2.0) for i in range(60)]
    assert store.write(lambda c: queue.add(c, TENANT, "p", gold, 1, NOW)).result() == 60
    kinds = []
    while found := ask(store, row, "ann"):
        item = found[0]
        kinds.append("gold" if item["gold"] is not None else "again" if item["turn"] else "new")
        give(store, item["id"], "ann", turn=item["turn"])
    assert kinds.count("new") == 300
    n = len(kinds)
    assert kinds.count("gold") == pytest.approx(0.1 * n, abs=4 * (0.09 * n) ** 0.5)  # four standard errors
    assert kinds.count("again") == pytest.approx(0.05 * n, abs=4 * (0.05 * n) ** 0.5)
    assert "again" not in kinds[: queue.APART]
    twice = store.rows(sa.select(JUDGMENTS.c.item).group_by(JUDGMENTS.c.item).having(sa.func.count() > 1))
    assert len(twice) == kinds.count("again")


def test_a_pair_is_queued_once(store: Store) -> None:
    project(store, items=4)
    same = [queue.NewItem("q0", "d0", "h0", 7), queue.NewItem("q0", "new", "h", 7)]
    assert store.write(lambda c: queue.add(c, TENANT, "p", same, 2, NOW)).result() == 1
    assert len(store.rows(sa.select(ITEMS))) == 5


def test_a_dispute_is_marked_until_an_adjudicator_settles_it(store: Store) -> None:
    row = project(store, items=1, wanted=2, queries=1)

    def disputed() -> bool:
        return bool(store.rows(sa.select(ITEMS.c.is_disputed))[0]["is_disputed"])

    (item,) = ask(store, row, "ann")
    give(store, item["id"], "ann", 0.0)
    assert not disputed()
    ask(store, row, "ben")
    give(store, item["id"], "ben", 1.0, uid="b")
    assert disputed()  # on both sides of relevant
    undo(store, "b", "ben")
    assert not disputed()
    give(store, item["id"], "ben", 1.0, uid="b2")
    give(store, item["id"], "eva", 1.0, role="adjudicator")
    assert not disputed()


@pytest.mark.parametrize(
    ("grades", "is_one"),
    [([2.0], False), ([2.0, 2.0], False), ([2.0, 3.0], False), ([1.0, 3.0], True), ([0.0, 1.0], True), ([], False)],
)
def test_what_a_dispute_is(grades: list[float], is_one: bool) -> None:
    assert judgments.is_dispute(grades) == is_one


def test_a_claim_is_one_row_for_each_turn(store: Store) -> None:
    row = project(store, items=2, wanted=2, queries=1)
    ask(store, row, "ann", 2)
    ask(store, row, "ann", 2)
    assert len(store.rows(sa.select(CLAIMS))) == 2


def test_the_number_of_a_known_grade_tells_nothing(store: Store) -> None:
    project(store, items=400, wanted=2, queries=20)
    gold = [queue.NewItem(f"q{i % 20}", f"g{i}", "h", 0, gold=1.0) for i in range(60)]
    more = [queue.NewItem(f"q{20 + i // 20}", f"m{i}", "h", 20 + i // 20) for i in range(400)]
    assert store.write(lambda c: queue.add(c, TENANT, "p", more + gold, 2, NOW)).result() == 460
    rows = store.rows(sa.select(ITEMS.c.id, ITEMS.c.gold).order_by(ITEMS.c.id).offset(400))
    ranks = [at for at, row in enumerate(rows, 1) if row["gold"] is not None]
    error = (461 * 400 / (12 * 60)) ** 0.5  # of the mean of 60 ranks drawn from 460
    assert abs(np.mean(ranks) - 461 / 2) < 5 * error


def test_a_rater_who_asks_two_servers_at_once_is_counted_once(store: Store, url: str) -> None:
    row = project(store, items=1, wanted=3, queries=1)
    (item,) = store.rows(sa.select(ITEMS))
    holds, gate = threading.Event(), threading.Event()

    def first(connection: sa.Connection) -> bool:
        is_taken = claims.take(connection, item, "ann", 0, NOW)
        holds.set()
        return is_taken and gate.wait(20)

    with Store.open(url) as other:
        one = store.write(first)
        assert holds.wait(20)
        two = other.write(lambda connection: claims.take(connection, item, "ann", 0, "2026-03-02T00:00:00Z"))
        gate.set()
        assert (one.result(), two.result()) == (True, False)
    assert [one["taken"] for one in store.rows(sa.select(ITEMS))] == [1]
    assert [one["claimed_at"] for one in store.rows(sa.select(CLAIMS))] == [NOW]
    give(store, item["id"], "ann")
    assert not store.write(lambda connection: claims.take(connection, item, "ann", 0, NOW)).result()  # it is answered
    assert [one["outcome"] for one in store.rows(sa.select(CLAIMS))] == ["judged"]
    assert [one["taken"] for one in store.rows(sa.select(ITEMS))] == [1]
    assert ask(store, row, "ann") == []
