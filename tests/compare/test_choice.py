"""Metric choice: what a measure is blind to, by what the queries are for and by what their judgments hold."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.compare.choice import blind_spots, primary, purposes, right_measure
from assay.measures.grammar import parse
from assay.ranking.ranking import Judged
from assay.results import Note


def judged(grades: dict[str, list[float]]) -> Judged:
    queries = sorted(grades)
    query = np.repeat(np.arange(len(queries)), [len(grades[q]) for q in queries])
    grade = np.concatenate([np.array(grades[q], np.float64) for q in queries])
    return Judged(queries=queries, query=query, grade=grade, docs=[f"d{i}" for i in range(len(grade))])


def notes(
    measures: str, grades: dict[str, list[float]], k: int | None = None, intents: list[str | None] | None = None
) -> dict[str, Note]:
    return {note.code: note for note in blind_spots(parse(measures), judged(grades), k, intents)}


def test_rr_on_exploratory_queries_is_blind_to_the_rest() -> None:
    found = notes("RR nDCG@10", {"a": [2, 1], "b": [1, 0]}, intents=["browse", "item"])
    assert found["blind-to-the-rest"].count == 1
    assert found["blind-to-the-rest"].text.startswith(
        "RR sees the first relevant document alone, and 1 query is exploratory"
    )
    assert "nDCG@10" in found["blind-to-the-rest"].text


def test_an_intent_that_is_nearly_a_known_one_is_named_and_another_word_is_not() -> None:
    found = notes("nDCG@10", {"a": [2, 1], "b": [1, 0], "c": [1, 2], "d": [1]},
                  intents=["exploratry", "Exploratry", "seasonal", "transactional"])  # fmt: skip
    assert found["unknown-intent"].text == (
        "the intent exploratry of 2 queries is not known; did you mean exploratory?"
    )
    said = " ".join(note.text for note in found.values())
    assert "seasonal" not in said
    assert "transactional" not in said


def test_rr_on_known_items_is_right() -> None:
    assert "blind-to-the-rest" not in notes("RR", {"a": [1], "b": [1]}, intents=["known-item", "navigational"])


def test_a_model_that_needs_all_chunks_asks_for_recall_at_what_it_reads() -> None:
    found = notes("nDCG@8", {"a": [1, 1]}, k=8, intents=["answer-several"])
    assert found["measure-for-intent"].text.startswith("R@8 is the measure for the 1 answer-several query")
    assert right_measure("answer-one", 5) == "HitRate@5"


def test_ndcg_where_all_grades_are_equal_cannot_tell_good_from_better() -> None:
    found = notes("nDCG@10", {"a": [2, 2, 0], "b": [1], "c": [1, 2]})
    assert found["one-grade"].count == 2
    assert "one-grade" not in notes("nDCG@10", {"a": [2, 1], "b": [1, 3], "c": [1]})
    assert "one-grade" not in notes("P@1", {"a": [1], "b": [1]})


def test_p_with_fewer_relevant_documents_than_k_says_its_best_mean() -> None:
    """a: at most 2/5, b: at most 5/5, so the mean is at most 0.7; c has nothing relevant and is not averaged."""
    found = notes("P@5", {"a": [1, 1, 0], "b": [1.0] * 7, "c": [0]})
    assert found["fewer-than-k"].text == (
        "1 of 2 queries have fewer than 5 relevant documents: P@5 cannot reach 1 there, and its mean not more than "
        "0.7000"
    )


def test_a_cutoff_that_the_consumer_does_not_read_is_named() -> None:
    found = blind_spots(parse("nDCG@20 P@5 R@100 AP"), judged({"a": [2] * 30 + [1]}), 8, None)
    told = [note.text for note in found if note.code == "beyond-the-reader"]
    assert told == [
        "nDCG@20 looks at 20, and the consumer reads 8: nDCG@8 sees what is read",
        "AP looks at the whole list, and the consumer reads 8: AP@8 sees what is read",
    ]


def test_intents_are_read_whatever_their_case_and_unknown_ones_are_left_alone() -> None:
    found = purposes(["Item", " browse ", "other", None, ""])
    assert {name: which.tolist() for name, which in found.items()} == {
        "known-item": [True, False, False, False, False],
        "exploratory": [False, True, False, False, False],
    }


@pytest.mark.parametrize(
    ("intents", "measure"),
    [(["item", "item", "browse"], "RR@10"), (["browse", None], "nDCG@10"), (["answer"], "R@10"), ([None, "x"], "")],
)
def test_the_primary_measure_follows_the_intent_of_most_queries(intents: list[str | None], measure: str) -> None:
    assert primary(intents, 10)[0] == measure


def test_a_comparison_carries_the_notes() -> None:
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
    topics = {"query_id": ["q1", "q2"], "intent": ["browse", "browse"]}
    found = assay.compare({"x": run, "y": run}, qrels, "RR", topics=topics, by=())
    assert "blind-to-the-rest" in {note.code for note in found.notes}
