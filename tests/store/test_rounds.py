from __future__ import annotations

from assay.store import claims, progress, projects, queue, rounds
from assay.store.database import Store
from assay.store.rounds import Round
from store.made import NOW, TENANT, ask, give, project, undo

PAIR = ("q0", "d0")


def of_pair(store: Store) -> list[Round]:
    with store.reading() as connection:
        return rounds.of_pairs(connection, TENANT, "p", [PAIR, ("q9", "d9")]).get(PAIR, [])


def put(store: Store, doc_hash: str, number: int) -> int:
    item = queue.NewItem(*PAIR, doc_hash, 0, round=number)
    return store.write(lambda connection: queue.add(connection, TENANT, "p", [item], 1, NOW)).result()


def test_a_pair_is_put_back_as_it_is_in_a_round_of_its_own(store: Store) -> None:
    row = project(store, items=2, wanted=1, queries=1)
    assert [(one.doc_hash, one.number, one.is_judged) for one in of_pair(store)] == [("h0", 0, False)]
    for item in ask(store, row, "ann", 2):
        give(store, item["id"], "ann")
    assert [one.is_judged for one in of_pair(store)] == [True]
    assert put(store, "h0", 0) == 0  # the first round is there
    assert put(store, "h0", 1) == 1
    assert put(store, "h0", 1) == 0
    assert put(store, "new", 0) == 1
    first, again, new = of_pair(store)
    assert [(one.doc_hash, one.number, one.is_judged) for one in (first, again, new)] == [
        ("h0", 0, True), ("h0", 1, False), ("new", 0, False)
    ]  # fmt: skip
    assert first.item < again.item < new.item


def test_who_labelled_the_first_round_gets_the_second(store: Store) -> None:
    row = project(store, items=1, wanted=1, queries=1)
    (item,) = ask(store, row, "ann")
    give(store, item["id"], "ann")
    assert ask(store, row, "ann") == []
    put(store, "h0", 1)
    (again,) = ask(store, row, "ann")
    assert (again["query_id"], again["doc_id"], again["id"] != item["id"]) == ("q0", "d0", True)


def test_what_was_taken_back_or_could_not_be_told_is_not_judged(store: Store) -> None:
    row = project(store, items=1, wanted=2, queries=1)
    (item,) = ask(store, row, "ann")
    give(store, item["id"], "ann", uid="u1")
    assert [one.is_judged for one in of_pair(store)] == [True]
    undo(store, "u1", "ann")
    assert [one.is_judged for one in of_pair(store)] == [False]
    store.write(lambda connection: claims.take(connection, item, "ann", 1, NOW)).result()
    give(store, item["id"], "ann", turn=1)  # what is said when it comes again is held against the first answer alone
    assert [one.is_judged for one in of_pair(store)] == [False]
    (item,) = ask(store, row, "ben")
    give(store, item["id"], "ben", grade=None, cannot_tell="language")
    assert [one.is_judged for one in of_pair(store)] == [False]


def test_hidden_gold_is_no_round(store: Store) -> None:
    project(store, items=1, wanted=1, queries=1)
    gold = queue.NewItem(*PAIR, "gold", 0, gold=2.0)
    store.write(lambda connection: queue.add(connection, TENANT, "p", [gold], 1, NOW)).result()
    assert [one.doc_hash for one in of_pair(store)] == ["h0"]


def test_a_replaced_text_that_is_put_off_or_lies_too_long_goes_to_nobody_else(store: Store) -> None:
    """Three raters each: one has answered the older text, two others hold it when the newer one is queued."""
    row = project(store, items=1, wanted=3, queries=1)
    (old,) = ask(store, row, "cy")
    give(store, old["id"], "cy")
    for rater in ("ann", "dot"):
        assert [one["id"] for one in ask(store, row, rater)] == [old["id"]]
    put(store, "new", 0)
    store.write(lambda connection: rounds.retire(connection, [old["id"]])).result()
    # What the project wants: the answer of one and those of two who have it, and one of the newer text.
    assert projects.counts(store, "p") == {"wanted": 4, "taken": 3, "given": 1}
    assert sorted(one["wanted"] for one in progress.items(store, "p")) == [1, 3]
    store.write(lambda connection: claims.end(connection, old["id"], "ann", 0, "skipped", NOW)).result()
    assert projects.counts(store, "p") == {"wanted": 3, "taken": 2, "given": 1}
    assert [one["doc_hash"] for one in ask(store, row, "ben", 5)] == ["new"]
    store.write(lambda connection: claims.end(connection, old["id"], "dot", 0, "expired", NOW)).result()
    for rater in ("ann", "dot", "eve"):
        assert "h0" not in [one["doc_hash"] for one in ask(store, row, rater, 5)]
    give(store, old["id"], "dot")  # who has it on the screen may answer
    assert "h0" not in [one["doc_hash"] for one in ask(store, row, "eve", 5)]
