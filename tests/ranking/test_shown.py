from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.ranking.align import align, judged
from assay.ranking.conventions import Conventions
from assay.ranking.shown import Shown, collect, shown
from assay.tables import Block

QRELS = {"query_id": ["q1", "q1", "q2", "q3"], "doc_id": ["a", "b", "a", "c"], "grade": [2.0, 0.0, 1.0, 1.0]}


def block(columns: dict[str, list[Any]], large: bool = False) -> Block:
    made = Block(columns, lambda row: f"row {row}", "run")
    return Block(made.polars(), made.place, "run") if large else made


def known(conventions: Conventions, large: bool = False) -> Any:
    return judged(block(QRELS, large), conventions)


def rows(found: Shown) -> list[tuple[int, int, str]]:
    return list(zip(found.query.tolist(), found.rank.tolist(), found.docs, strict=True))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["q1", "q2", "q3", "q9"]), st.sampled_from("abcdef"), st.integers(0, 2)),
             unique_by=lambda row: row[:2], min_size=1, max_size=16),
    st.sampled_from(["docid", "input", "expected", "best", "worst"]),
    st.booleans(),
    st.sampled_from([None, 1, 3]),
)  # fmt: skip
def test_the_ranking_is_that_of_align_and_the_rest_fills_its_gaps(
    given_rows: list[tuple[str, str, int]], ties: Any, large: bool, depth: int | None
) -> None:
    conventions = Conventions(ties=ties)
    query, doc, score = (list(column) for column in zip(*given_rows, strict=True))
    run = block({"query_id": query, "doc_id": doc, "score": [float(x) for x in score]}, large)
    prepared = known(conventions, large)
    found, expected = shown(run, prepared, conventions, depth), align(run, prepared, conventions).ranking
    for name in ("query", "rank", "grade", "judgment", "returned", "answered"):
        assert getattr(found.ranking, name).tolist() == getattr(expected, name).tolist(), name
    if ties == "expected":
        assert found.ranking.first is not None
        assert expected.first is not None
        assert found.ranking.first.tolist() == expected.first.tolist()
        assert found.ranking.last.tolist() == expected.last.tolist()  # type: ignore[union-attr]
        return
    places = {(q, r) for q, r in zip(expected.query.tolist(), expected.rank.tolist(), strict=True)}
    for code, many in enumerate(expected.returned.tolist()):
        gaps = [r for r in range(1, many + 1) if (code, r) not in places and (depth is None or r <= depth)]
        assert [r for q, r, _ in rows(found) if q == code] == gaps


@pytest.mark.parametrize("large", [False, True])
def test_unjudged_documents_come_with_their_ranks_and_ids(large: bool) -> None:
    run = block(
        {"query_id": ["q2", "q1", "q1", "q2"], "doc_id": ["x", "y", "a", "a"], "score": [1.0, 2.0, 3.0, 0.0]}, large
    )
    assert rows(shown(run, known(Conventions(), large), Conventions())) == [(0, 2, "y"), (1, 1, "x")]


@pytest.mark.parametrize("large", [False, True])
def test_repeated_documents_are_refused_or_dropped(large: bool) -> None:
    run = block({"query_id": ["q1"] * 4, "doc_id": ["x", "a", "x", "y"], "rank": [1, 2, 3, 4]}, large)
    with pytest.raises(InputError, match="document x of query q1 was already at row 0"):
        shown(run, known(Conventions(), large), Conventions())
    keep = Conventions(duplicates="keep-first")
    assert rows(shown(run, known(keep, large), keep)) == [(0, 1, "x"), (0, 3, "y")]


def test_sponsored_rows_are_left_out() -> None:
    run = block(
        {"query_id": ["q1"] * 3, "doc_id": ["s", "x", "a"], "rank": [1, 2, 3], "kind": ["sponsored", "organic", None]}
    )
    assert rows(shown(run, known(Conventions()), Conventions())) == [(0, 1, "x")]
    both = Conventions(include=("sponsored",))
    assert rows(shown(run, known(both), both)) == [(0, 1, "s"), (0, 2, "x")]


def test_blocks_of_a_run_are_put_together_by_query() -> None:
    parts = [
        block({"query_id": ["q3", "q3"], "doc_id": ["x", "c"], "rank": [1, 2]}),
        block({"query_id": ["q1"], "doc_id": ["y"], "rank": [1]}),
    ]
    found = collect(parts, known(Conventions()), Conventions())
    assert rows(found) == [(0, 1, "y"), (2, 1, "x")]
    assert found.ranking.rank.tolist() == [2]
    assert found.ranking.answered.tolist() == [True, False, True]
    with pytest.raises(InputError, match="several blocks"):
        collect([parts[0], parts[0]], known(Conventions()), Conventions())
    with pytest.raises(InputError, match="no rows"):
        collect([], known(Conventions()), Conventions())


def test_an_empty_list_is_answered() -> None:
    run = Block({"query_id": ["q1"], "doc_id": ["x"], "rank": [1]}, str, "run", empty=("q2",))
    found = shown(run, known(Conventions()), Conventions())
    assert found.ranking.answered.tolist() == [True, True, False]
    assert np.array_equal(found.ranking.returned, [1, 0, 0])
