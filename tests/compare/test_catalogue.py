"""What runs show of a catalogue: by hand, by RecTools and recommenders, and what must hold for any lists."""

from __future__ import annotations

import csv
import io
import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.compare.catalogue import cosine_distance, gini, jaccard_distance
from assay.errors import InputError
from assay.report.describe import describe
from assay.report.machine import to_machine
from assay.report.text import to_text

Run = dict[str, dict[str, float]]
ITEMS = [
    {"item_id": "a", "genre": "rock|live", "heat": 1, "price": 0},
    {"item_id": "b", "genre": "rock", "heat": 1, "price": 0},
    {"item_id": "c", "genre": "jazz", "heat": 0, "price": 1},
    {"item_id": "d", "genre": "", "heat": 1, "price": 1},
    {"item_id": "e", "genre": "pop", "heat": 0, "price": 0},
]
LOG = [{"user": u, "item": i} for u, i in [("1", "a"), ("2", "a"), ("3", "b"), ("3", "a"), ("3", "a"), ("4", "c")]]


def run(**lists: str) -> Run:
    """Each letter is an item, best first."""
    return {user: {item: float(-i) for i, item in enumerate(items)} for user, items in lists.items()}


SHOWN = run(u1="bca", u2="bd", u3="cz")


def test_every_figure_by_hand():
    found = assay.catalogue(SHOWN, items=ITEMS, log=LOG, k=2).runs[0]
    assert (found.queries, found.exposures, found.shown, found.outside) == (3, 6, 3, 1)
    assert found.coverage == 3 / 5
    # b 2, c 2, d 1, a and e none: sum over all pairs of |difference| / (2 n sum)
    counts = [0, 0, 1, 2, 2]
    assert found.gini == pytest.approx(sum(abs(x - y) for x in counts for y in counts) / (2 * 5 * sum(counts)))
    assert (found.top_items, found.top_share) == (1, 2 / 5)
    # four people: b and c are known to one, a to three; d and z to none, which counts as one
    assert found.novelty is not None
    assert found.novelty.value == pytest.approx(2.0)
    # features: b and c 1, b and d 1 - 1/sqrt 2; c and z have no pair, since z is unknown
    assert found.by_features is not None
    assert found.by_features.value == pytest.approx((1 + 1 - 1 / math.sqrt(2)) / 2)
    assert found.by_features.n == 2
    # categories: rock and jazz share nothing; d has none
    assert found.by_category is not None
    assert (found.by_category.value, found.by_category.n) == (1.0, 1)


def test_novelty_counts_people_or_events():
    people = assay.catalogue(run(u="ab"), log=LOG, k=2).runs[0].novelty
    assert people is not None
    assert people.value == pytest.approx((-math.log2(3 / 4) - math.log2(1 / 4)) / 2)
    events = assay.catalogue(run(u="ab"), log=LOG, k=2, popularity="events").runs[0].novelty
    assert events is not None
    assert events.value == pytest.approx((-math.log2(4 / 6) - math.log2(1 / 6)) / 2)


def test_categories_are_compared_as_sets():
    sets = {"a": frozenset({"rock", "live"}), "b": frozenset({"rock"}), "c": frozenset({"jazz"})}
    assert jaccard_distance("abc", sets) == pytest.approx((1 / 2 + 1 + 1) / 3)


PEERS_RECO = [(1, "3 2 4"), (2, "2 0 5"), (3, "4 3 9"), (4, "0 1 2")]
PEERS_LOG = [(1, 0), (1, 1), (2, 1), (3, 0), (3, 1), (3, 2), (4, 3), (5, 1)]
PEERS_FEATURES = {
    0: (1, 0, 2),
    1: (0, 1, 1),
    2: (3, 1, 0),
    3: (1, 1, 1),
    4: (0, 0, 2),
    5: (2, 2, 1),
    7: (1, 1, 0),
    9: (1, 0, 0),
}


def test_rectools_recommenders_and_replay_say_the_same():
    """RecTools 0.19.0 MeanInvUserFreq(3) and CatalogCoverage(3, normalize), recommenders 1.2.1 user_diversity.

    RePlay 0.22.0 Surprisal(3) divides novelty by the logarithm of the number of people.
    """
    reco = {str(u): {i: float(-n) for n, i in enumerate(items.split())} for u, items in PEERS_RECO}
    items = [{"doc_id": i, **dict(zip("xyz", row, strict=True))} for i, row in PEERS_FEATURES.items()]
    log = [{"user_id": u, "doc_id": i} for u, i in PEERS_LOG]
    found = assay.catalogue(reco, items=items, log=log, k=3).runs[0]
    assert found.novelty is not None
    assert found.by_features is not None
    assert found.novelty.value == pytest.approx(MIUF, abs=1e-9)
    assert found.novelty.value / math.log2(5) == pytest.approx(SURPRISAL, abs=1e-9)
    assert found.coverage == pytest.approx(COVERAGE, abs=1e-12)
    assert found.by_features.value == pytest.approx(DIVERSITY, abs=1e-9)


SURPRISAL = 0.856441147308869
MIUF = 1.9885947615540287
COVERAGE = 0.875
DIVERSITY = 0.5327919287643232


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12).filter(any))
def test_the_gini_index_is_the_mean_absolute_difference(counts: list[int]):
    x = np.sort(np.array(counts, dtype=np.float64))
    n = len(x)
    wanted = sum(abs(a - b) for a in counts for b in counts) / (2 * n * sum(counts))
    assert gini(x) == pytest.approx(wanted, abs=1e-12)
    assert -1e-12 <= gini(x) <= 1 - 1 / n + 1e-12


VECTORS = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any), min_size=2, max_size=6)


@given(VECTORS)
def test_the_mean_over_pairs_is_found_without_the_pairs(vectors: list[list[int]]):
    rows = {str(i): np.array(v, dtype=np.float64) for i, v in enumerate(vectors)}

    def cosine(a: Any, b: Any) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    wanted = np.mean([1 - cosine(rows[a], rows[b]) for a, b in combinations(rows, 2)])
    assert cosine_distance(list(rows), rows) == pytest.approx(wanted, abs=1e-12)


def test_one_item_for_all_is_the_most_uneven_and_all_for_each_the_most_even():
    items = [{"doc_id": x} for x in "abcd"]
    same = assay.catalogue(run(u="a", v="a"), items=items, k=1).runs[0]
    assert (same.gini, same.coverage, same.top_share) == (0.75, 0.25, 1.0)
    even = assay.catalogue(run(u="abcd", v="abcd"), items=items, k=4).runs[0]
    assert (even.gini, even.coverage, even.top_share) == (0.0, 1.0, 0.25)


def test_without_a_table_the_catalogue_is_told_by_the_log_or_the_runs():
    by_log = assay.catalogue({"one": SHOWN}, log=LOG, k=2)
    assert (by_log.size, by_log.told_by) == (3, "log")
    by_runs = assay.catalogue({"one": SHOWN, "two": run(u9="q")}, k=1)
    assert (by_runs.size, by_runs.told_by) == (6, "runs")
    assert "so coverage is flattered" in " ".join(to_text(describe(by_runs), 100).split())


def test_what_is_missing_is_counted_and_said():
    found = assay.catalogue(SHOWN, items=ITEMS, log=LOG, k=3)
    assert [(note.code, note.count) for note in found.notes if note.code != "read"] == [
        ("short-lists", 2), ("outside-catalogue", 1), ("never-met", 2), ("no-features", 1), ("no-category", 2),
    ]  # fmt: skip
    assert found.notes[-1].text == "2 items shown are without a category: their pairs are left out"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "--k 0 is not a whole number from 1"),
        ({"popularity": "user"}, "--popularity 'user' is not users or events; did you mean users?"),
        ({"features": ["heat"]}, "features are columns of the items, and none were given"),
        ({"items": ITEMS, "features": ["haet"]}, "the items have no column haet; did you mean heat?"),
        ({"items": [{"id": "a", "colour": "red"}], "features": "colour"}, "items, row 1: colour 'red' is not a number"),
        ({"items": [{"id": "a"}, {"id": "a"}]}, "items, row 2: "),
    ],
)
def test_each_mistake_is_named(options: dict[str, Any], message: str):
    with pytest.raises(InputError) as caught:
        assay.catalogue(SHOWN, **options)
    assert message in str(caught.value)


def test_means_have_intervals_from_ten_lists_on():
    lists = {f"u{i}": {x: float(-n) for n, x in enumerate("abc"[i % 3 :])} for i in range(12)}
    found = assay.catalogue(lists, log=LOG, k=2)
    novelty = found.runs[0].novelty
    assert novelty is not None
    assert novelty.interval is not None
    assert novelty.interval.low < (novelty.value or 0) < novelty.interval.high
    assert "n/a: n 3" in to_text(describe(assay.catalogue(SHOWN, log=LOG)), 100)


def test_it_is_written_for_programs_and_kept(tmp_path: Path):
    found = assay.catalogue(SHOWN, items=ITEMS, log=LOG, k=2)
    assert json.loads(to_machine(found, "json"))["runs"][0]["coverage"] == 0.6
    rows = list(csv.DictReader(io.StringIO(to_machine(found, "csv").decode())))
    assert rows[0]["coverage"] == "0.6"
    found.save(tmp_path / "kept.assay")
    assert assay.show(tmp_path / "kept.assay") == found
