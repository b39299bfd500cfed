"""What a rater is sent tells nothing of systems, ranks, scores, reasons, known grades or what others said."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.flows.keeping import TENANT, open_store
from assay.flows.labelling import create_project
from assay.flows.workbench import Workbench
from assay.keys import unseal
from assay.rubric import Rubric
from assay.store import judgments
from assay.store.database import Store
from web.answered import rater
from web.labelled import RUBRIC
from web.visiting import Visitor, key
from web.walked import Way, ways

Visit = Callable[..., Visitor]

ITEMS = 10_000 if os.environ.get("ASSAY_SOAK") else 1_500
DOCUMENTS = 50
"""Of each query."""

BINS = 5
SHUFFLES = 500
SECRET = b"the order of this test"

TOLD = {
    "items", "rater", "waits", "item", "query", "document", "query_id", "text", "need", "language", "doc_id",
    "doc_hash", "title", "html", "fields", "image", "captured_at", "dir", "documents", "given", "wanted", "taken", "id",
    "name", "uid", "grade", "skipped", "flagged", "mode", "left", "right", "what", "where", "remedy", "status",
    "count", "done", "of", "is_rough", "seconds", "grades", "cannot_tell", "median_s", "mean_s", "known", "again",
    "peers", "is_pilot", "is_graded", "has_pilot", "sides",
}  # fmt: skip
"""Every name in the JSON of a rater; a new one is looked at before it is added here. `grade` is the rater's own."""

OTHER = "rater-number-seven"

HIDDEN = ("zebra", "0.7315", "runner-up", "gold", "pilot_limit", "took_ms", "judged_at", "rubric_version",
          "a note of somebody else", OTHER, "is_disputed", "priority", "placed")  # fmt: skip
"""What stands in the pool, in the store, or in what another rater said, and comes to no rater."""


def pooled(
    folder: Path, queries: int, documents: int, name: str = "winter", texts: list[dict[str, str]] | None = None,
    **options: Any,
) -> None:  # fmt: skip
    """A project whose pairs come in the order of a pool: the first document of a query is the best of some system."""
    bench = Workbench.open(str(folder))
    pairs = [
        {"query_id": f"q{q}", "doc_id": f"q{q}-d{d}", "why": "runner-up of zebra", "priority": 0.7315 / (d + 1)}
        for q in range(queries) for d in range(documents)
    ]  # fmt: skip
    texts = texts or [{"doc_id": pair["doc_id"], "title": "A jacket", "text": "For rain."} for pair in pairs]
    with open_store(bench) as store:
        create_project(
            store, bench, name=name, pairs=pairs, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, by="test",
            documents=texts, **({"repeat_share": 0.0} | options),
        )  # fmt: skip


def answered(store: Store, items: list[dict[str, Any]], rater: str) -> None:
    """Writes grades without a request for each: what is looked at is what the next request brings."""

    def job(connection: Any) -> None:
        for item in items:
            number = unseal(SECRET, item["item"], "claim", TENANT, rater)
            assert number is not None
            given = judgments.Given(f"{rater}-{number}", number // 2, rater, turn=number % 2, grade=1.0)
            judgments.append(connection, TENANT, given, "v1", "2026-03-01T00:00:00Z")

    store.write(job).result()


def information(at: np.ndarray, rank: np.ndarray) -> float:
    """Bits that a place tells of a rank, both from 0 to DOCUMENTS - 1, in five bins each."""
    table = np.histogram2d(at, rank, bins=BINS, range=[[0, DOCUMENTS]] * 2)[0] / len(at)
    chance = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    seen = table > 0
    return float((table[seen] * np.log2(table[seen] / chance[seen])).sum())


def chance(at: np.ndarray, rank: np.ndarray) -> float:
    """The information that 99 of 100 orders have in which a place tells nothing: ranks shuffled within each query."""
    rng = np.random.default_rng(20_260_301)
    rows = rank.reshape(-1, DOCUMENTS)
    return float(np.quantile([information(at, rng.permuted(rows, axis=1).ravel()) for _ in range(SHUFFLES)], 0.99))


def served(guest: Visitor, folder: Path, rater: str, head: dict[str, str]) -> list[dict[str, Any]]:
    """Every item that the rater gets, in the order in which the server hands them out."""
    found: list[dict[str, Any]] = []
    with open_store(Workbench.open(str(folder))) as store:
        while items := guest.get("/v1/projects/winter/items?n=12", headers=head).json()["items"]:
            found += items
            answered(store, items, rater)
    return found


@pytest.mark.slow
def test_the_order_and_the_name_of_an_item_tell_nothing_of_its_rank(folder: Path, visit: Visit) -> None:
    pooled(folder, ITEMS // DOCUMENTS, DOCUMENTS, raters_each=2)
    guest = visit()
    guest.app.state.secret = SECRET
    orders = []
    for name in ("rater", "lead"):
        items = served(guest, folder, name, {"authorization": f"Bearer {key(folder, name, 'rater')}"})
        assert len({item["item"] for item in items}) == ITEMS
        docs = [item["document"]["doc_id"] for item in items]
        query, rank = (np.array([int(doc.split(part)[-1].split("-")[0]) for doc in docs]) for part in ("q", "d"))
        assert (np.diff(query) >= 0).all()  # one query after the other
        at = np.tile(np.arange(DOCUMENTS), ITEMS // DOCUMENTS)
        assert information(at, rank) <= chance(at, rank), "the place in the queue tells of the rank"
        words = np.array([item["item"] for item in items]).reshape(-1, DOCUMENTS).argsort(axis=1).argsort(axis=1)
        assert information(words.ravel(), rank) <= chance(words.ravel(), rank), "the word of a claim tells of the rank"
        orders.append({doc: place for doc, place in zip(docs, at, strict=True)})
    both = np.array([(orders[0][doc], orders[1][doc]) for doc in orders[0]])
    assert information(both[:, 0], both[:, 1]) <= chance(both[:, 0], both[:, 1]), "one order tells of the other"


@pytest.mark.slow
def test_documents_that_say_nearly_the_same_stand_apart_and_the_order_tells_nothing(folder: Path, visit: Visit) -> None:
    """Near ones are neighbours in the pool, in groups of 1 to 9 of the 50 documents of a query."""
    alike = np.repeat(np.arange(9), [9, 8, 7, 6, 5, 5, 4, 3, 3])
    assert len(alike) == DOCUMENTS
    words = [f"{'abcdefghi'[group] * 7} jacket for rain and wind, number {group}, " * 3 for group in range(9)]
    texts = [{"doc_id": f"q{q}-d{d}", "title": f"Size {d}", "text": words[alike[d]]}
             for q in range(ITEMS // DOCUMENTS) for d in range(DOCUMENTS)]  # fmt: skip
    pooled(folder, ITEMS // DOCUMENTS, DOCUMENTS, raters_each=2, texts=texts)
    guest = visit()
    guest.app.state.secret = SECRET
    items = served(guest, folder, "rater", {"authorization": f"Bearer {key(folder, 'rater', 'rater')}"})
    rank = np.array([int(item["document"]["doc_id"].split("-d")[1]) for item in items])
    at = np.tile(np.arange(DOCUMENTS), ITEMS // DOCUMENTS)
    assert information(at, rank) <= chance(at, rank), "the place in the queue tells of the rank"
    group = alike[rank].reshape(-1, DOCUMENTS)
    assert (np.diff(group, axis=1) != 0).all(), "two that are alike follow each other"
    rng = np.random.default_rng(7)
    assert (np.diff(rng.permuted(group, axis=1), axis=1) == 0).mean() > 0.08  # by chance one in nine does


def test_the_measure_of_information_sees_an_order_that_tells() -> None:
    at = np.tile(np.arange(DOCUMENTS), 30)
    rng = np.random.default_rng(3)
    rank = np.concatenate([np.argsort(np.arange(DOCUMENTS) + rng.normal(0, 25, DOCUMENTS)) for _ in range(30)])
    assert information(at, rank) > 3 * chance(at, rank)
    assert information(at, at) == pytest.approx(np.log2(BINS))


def names(content: Any) -> Iterator[str]:
    """Every name in JSON, at any depth."""
    if isinstance(content, dict):
        for name, inner in content.items():
            yield name
            if name != "fields":  # a document's own
                yield from names(inner)
    elif isinstance(content, list):
        for inner in content:
            yield from names(inner)


def test_no_answer_to_a_rater_holds_more_than_it_must(folder: Path, visit: Visit) -> None:
    pooled(folder, 2, 8, gold={("q0", "q0-d1"): 2.0}, gold_share=0.5, raters_each=3)
    guest = visit()
    rater(folder, OTHER)
    heads = {who: {"authorization": f"Bearer {key(folder, who, 'rater')}"} for who in ("rater", OTHER)}
    for item in guest.get("/v1/projects/winter/items?n=12", headers=heads[OTHER]).json()["items"]:
        said = {"uid": f"other-{item['item']}", "item": item["item"], "grade": 2,
                "note": "a note of somebody else"}  # fmt: skip
        assert guest.post("/v1/grades", json=said, headers=heads[OTHER]).status_code == 200
    answers = list(everything(guest, ways(guest.app), heads["rater"]))
    kinds = {answer.headers["content-type"].split(";")[0] for _, answer in answers}
    assert kinds >= {"application/json", "text/html"}
    for way, answer in answers:
        for words in HIDDEN:
            assert words not in answer.text, f"{way} tells {words}"
        if answer.headers["content-type"].startswith("application/json"):
            assert set(names(answer.json())) <= TOLD, f"{way}: {set(names(answer.json())) - TOLD}"


def elsewhere(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The names and values of items beside the texts of query and document, which are the same for the same pair."""
    return [{name: value for name, value in one.items() if name not in ("query", "document")} for one in items]


def test_two_hand_outs_of_a_pair_have_nothing_in_common_but_what_they_show(folder: Path, visit: Visit) -> None:
    pooled(folder, 3, 12, raters_each=1, repeat_share=0.5)
    guest = visit()
    head = {"authorization": f"Bearer {key(folder, 'rater', 'rater')}"}
    seen: dict[tuple[str, str], list[dict[str, Any]]] = {}
    answers: list[str] = []
    for n in range(200):
        told = guest.get("/v1/projects/winter/items?n=1", headers=head)
        if not (items := told.json()["items"]):
            break
        (one,) = items
        seen.setdefault((one["query"]["query_id"], one["document"]["doc_id"]), []).append(one)
        answers.append(guest.post("/v1/grades", json={"uid": f"answer-{n:06}", "item": one["item"], "grade": 1},
                                  headers=head).text)  # fmt: skip
    twice = [both for both in seen.values() if len(both) > 1]
    assert len(twice) >= 5, "repeats came"
    for first, again in twice:
        assert (first["query"], first["document"]) == (again["query"], again["document"])
        (one,), (other,) = elsewhere([first]), elsewhere([again])
        assert one.keys() == other.keys() == {"item", "count"}
        assert one["item"] != other["item"]
    words = [word for found in seen.values() for word in elsewhere(found)]
    assert len({one["item"] for one in words}) == len(words)
    shared = max(sum(a == b for a, b in zip(x["item"], y["item"], strict=True)) for x, y in twice)
    assert shared < 10  # of 32 letters in an alphabet of 64: chance alone makes more than 6 once in 10,000,000
    assert not [text for text in answers if "turn" in text]


def test_the_word_of_a_claim_opens_nothing_for_another_rater(folder: Path, visit: Visit) -> None:
    pooled(folder, 2, 8, raters_each=2)
    guest = visit()
    rater(folder, OTHER)
    heads = {who: {"authorization": f"Bearer {key(folder, who, 'rater')}"} for who in ("rater", OTHER)}
    asked = "/v1/projects/winter/items?n=12"
    mine, theirs = (guest.get(asked, headers=head).json()["items"] for head in heads.values())
    assert not {one["item"] for one in mine} & {one["item"] for one in theirs}
    for word in (theirs[0]["item"], mine[0]["item"][::-1], "A" * 32):
        said = {"uid": "answer-000001", "item": word, "grade": 1}
        answer = guest.post("/v1/grades", json=said, headers=heads["rater"])
        assert (answer.status_code, answer.json()["what"]) == (422, "nobody gave you this item")
        assert guest.post("/v1/skip", json={"item": word}, headers=heads["rater"]).status_code == 422


def everything(guest: Visitor, found: list[Way], head: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """What a rater is answered by every route, as a program and as a browser, and by every write in use."""
    first, *others = guest.get("/v1/projects/winter/items?n=12", headers=head).json()["items"]
    assert len(others) >= 4
    for way in found:
        if way.method == "GET" and way.path != "/v1/openapi.json":  # which describes and holds nothing
            for kind in ("application/json", "text/html"):
                path = way.at(project="winter", image="none") + ("?q=jacket" if way.path.endswith("documents") else "")
                yield f"{way} as {kind}", guest.get(path, headers=head | {"accept": kind})
    at = {"item": first["item"]}
    writes = {
        "/v1/grades": at | {"uid": "own-000001", "grade": 1, "note": "own words"},
        "/v1/undo": {"uid": "own-000002", "of": "own-000001"},
        "/v1/skip": {"item": others[0]["item"]},
        "/v1/flags": {"project": "winter", "query_id": "q0", "why": "unclear"},
    }
    for path, content in writes.items():
        answer = guest.post(path, json=content, headers=head)
        assert answer.status_code == 200, (path, answer.text)
        yield f"POST {path}", answer
    for path in writes:
        yield f"POST {path}, wrong", guest.post(path, json={"uid": "own-000001", "of": "other-000001"}, headers=head)
