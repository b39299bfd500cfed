from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from assay.errors import InputError
from assay.ranking.align import judged
from assay.ranking.conventions import Conventions
from assay.ranking.segments import by_traffic, segments, weights
from assay.tables import Block


@dataclass(frozen=True)
class Rules:
    column: str = "segment"
    head: float = 0.5
    torso: float = 0.8
    known_item: str = ""


COLUMNS = {
    "query_id": ["q1", "q2", "q3", "q4"],
    "text": ["bike lock", "manual x200", "rain", ""],
    "weight": [50.0, 30.0, 15.0, 5.0],
    "intent": ["browse", "find", None, "browse"],
}


@pytest.fixture(params=[dict, pl.DataFrame])
def topics(request):
    def make(**more) -> Block:
        return Block(request.param({**COLUMNS, **more}), lambda row: f"topics.csv:{row + 2}", "topics.csv")

    return make


def test_a_column_makes_the_parts_and_what_it_leaves_open_is_a_part_too(topics):
    assert segments(topics(), "intent", Rules()) == {"browse": ["q1", "q4"], "find": ["q2"], "(no intent)": ["q3"]}


def test_traffic_makes_head_torso_and_tail_where_no_column_does(topics):
    assert segments(topics(), "segment", Rules()) == {"head": ["q1"], "torso": ["q2"], "tail": ["q3", "q4"]}
    named = segments(topics(segment=["a", "b", "a", "b"]), "segment", Rules())
    assert named == {"a": ["q1", "q3"], "b": ["q2", "q4"]}
    other = segments(topics(class_=["a", "b", "a", "b"]), "segment", Rules(column="class_"))
    assert other == {"a": ["q1", "q3"], "b": ["q2", "q4"]}


def test_a_query_belongs_where_its_traffic_begins():
    assert by_traffic(["a", "b"], np.array([90.0, 10.0]), 0.5, 0.8) == {"head": ["a"], "tail": ["b"]}
    even = by_traffic(list("edcba"), np.ones(5), 0.4, 0.8)
    assert even == {"head": ["a", "b"], "torso": ["c", "d"], "tail": ["e"]}
    assert by_traffic(["a", "b"], np.array([1.0, np.nan]), 0.5, 0.8) == {"head": ["a"]}
    with pytest.raises(InputError, match="no query has a weight above 0"):
        by_traffic(["a"], np.zeros(1), 0.5, 0.8)


def test_known_item_queries_are_told_by_a_column_or_a_pattern_or_the_judgments(topics):
    assert segments(topics(), "segment", Rules(known_item="intent=find"))["known-item"] == ["q2"]
    assert segments(topics(), "segment", Rules(known_item="text=manual *"))["known-item"] == ["q2"]
    rows = {"query_id": ["q1", "q1", "q3"], "doc_id": ["a", "b", "a"], "grade": [1.0, 1.0, 1.0]}
    prepared = judged(Block(rows, str, "q"), Conventions())
    assert segments(topics(), "segment", Rules(known_item="one-relevant"), prepared)["known-item"] == ["q3"]
    with pytest.raises(InputError, match=r"no column intend; did you mean intent\?"):
        segments(topics(), "segment", Rules(known_item="intend=find"))


def test_an_unknown_column_is_refused_with_the_nearest(topics):
    with pytest.raises(InputError, match=r"topics\.csv: the topics have no column intents; did you mean intent\?"):
        segments(topics(), "intents", Rules())


def test_weights_stand_in_the_order_of_the_queries(topics):
    np.testing.assert_array_equal(weights(topics(), ["q4", "q9", "q1"]), [5.0, np.nan, 50.0])
    assert weights(topics(), ["q9"]) is None


def test_a_topic_twice_is_refused_with_its_line():
    block = Block({"query_id": ["q1", "q2", "q1"]}, lambda row: f"topics.csv:{row + 2}", "topics.csv")
    with pytest.raises(InputError, match=r"^topics\.csv:4: query q1 was already at topics\.csv:2"):
        weights(block, ["q1"])
