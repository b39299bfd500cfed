"""Cells, cascade counts, cells by last click, and the lists that all of them can be taken from."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.clicks.cells import Cells
from assay.clicks.counts import CascadeCounts, LastClickCells
from assay.clicks.lists import Lists
from assay.errors import InputError


def cells_frame() -> pl.DataFrame:
    return pl.DataFrame({
        "query_id": ["b", "a", "a", "a"], "doc_id": ["x", "y", "x", "y"], "position": [1, 2, 1, 2],
        "impressions": [5, 6, 7, 1], "clicks": [1, 0, 2, 1],
    })  # fmt: skip


def lists_frame() -> pl.DataFrame:
    """Query a: x y z with clicks on 1 and 3 twice, none once; query b: y x with a click on 2, thrice."""
    return pl.DataFrame({
        "query_id": ["a", "b", "a", "a"], "doc_ids": [["x", "y", "z"], ["y", "x"], ["x", "y", "z"], ["x", "y", "z"]],
        "clicks": [0b101, 0b10, 0, 0b101], "count": [1, 3, 1, 1],
    })  # fmt: skip


def test_equal_keys_are_added_up_and_pairs_are_numbered_by_their_names() -> None:
    cells = Cells.from_frame(cells_frame())
    assert cells.pair.tolist() == [0, 1, 2]
    assert cells.impressions.tolist() == [7, 7, 5]  # a x, a y (6 + 1), b x
    assert cells.clicks.tolist() == [2, 1, 1]
    assert cells.query.tolist() == [0, 0, 1]
    assert (list(cells.query_ids), list(cells.doc_ids)) == (["a", "b"], ["x", "y", "x"])


def test_cells_of_two_days_are_the_cells_of_both_in_one_pass() -> None:
    day, other = cells_frame(), cells_frame().with_columns(doc_id=pl.Series(["n", "y", "x", "x"]))
    one, two = Cells.from_frame(pl.concat([day, other])), Cells.from_frame(day) + Cells.from_frame(other)
    assert one.frame().equals(two.frame())
    assert two.query.tolist() == one.query.tolist()


def test_rankers_and_segments_are_kept_apart_and_can_be_summed_over() -> None:
    frame = cells_frame().with_columns(ranker=pl.Series(["A", "B", "A", "A"]), segment=pl.Series(list("mmdd")))
    cells = Cells.from_frame(frame)
    assert cells.ranker is not None
    assert [cells.rankers[at] for at in cells.ranker] == ["A", "A", "B", "A"]  # a x, a y (two of them), b x
    assert cells.frame().select("doc_id", "ranker", "segment").rows()[2] == ("y", "B", "m")
    assert cells.summed().impressions.tolist() == [7, 7, 5]
    assert cells.of_segment(0).impressions.sum() == 8  # segment d: 7 + 1


def test_what_cannot_be_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match=r"cell 0, clicks 9: more clicks than impressions"):
        Cells.from_frame(cells_frame().with_columns(clicks=pl.Series([9, 0, 9, 0])))
    with pytest.raises(InputError, match=r"cell 1, position 0: positions count from 1"):
        Cells.from_frame(cells_frame().with_columns(position=pl.Series([1, 0, 1, 0])))
    with pytest.raises(InputError, match=r"cells: no column clicks"):
        Cells.from_frame(cells_frame().drop("clicks"))
    with pytest.raises(InputError, match=r"cells, row 2: no value for doc_id"):
        Cells.from_frame(cells_frame().with_columns(doc_id=pl.Series(["x", None, "x", "y"])))
    with pytest.raises(InputError, match="only one of two sets of cells knows the ranker"):
        Cells.from_frame(cells_frame()) + Cells.from_frame(cells_frame().with_columns(ranker=pl.lit("A")))
    nameless = Cells(*(np.zeros(1, np.int64), np.ones(1, np.int64)), np.ones(1), np.ones(1), np.zeros(1, np.int64))
    with pytest.raises(InputError, match="do not know the names"):
        nameless.frame()


def test_equal_lists_are_one() -> None:
    lists = Lists.from_frame(lists_frame())
    assert lists.pair.tolist() == [[0, 1, 2], [0, 1, 2], [4, 3, -1]]
    assert lists.clicked.tolist() == [[False] * 3, [True, False, True], [False, True, False]]
    assert lists.count.tolist() == [1, 2, 3]
    assert list(lists.doc_ids) == ["x", "y", "z", "x", "y"]


def test_counts_of_every_kind_follow_from_the_lists() -> None:
    lists = Lists.from_frame(lists_frame())
    cells = lists.cells().frame().rows()
    assert cells == [
        ("a", "x", 1, 3, 2),
        ("a", "y", 2, 3, 0),
        ("a", "z", 3, 3, 2),
        ("b", "x", 2, 3, 3),
        ("b", "y", 1, 3, 0),
    ]
    # query, document, position, impressions, unclicked, to_first, to_last, clicks, first_clicks, last_clicks
    assert lists.cascade().frame().rows() == [
        ("a", "x", 1, 3, 1, 2, 2, 2, 2, 0),
        ("a", "y", 2, 3, 1, 0, 2, 0, 0, 0),
        ("a", "z", 3, 3, 1, 0, 2, 2, 0, 2),
        ("b", "x", 2, 3, 0, 3, 3, 3, 3, 3),
        ("b", "y", 1, 3, 0, 3, 3, 0, 0, 0),
    ]
    # query, document, position, last click above, impressions, clicks
    assert lists.by_last_click().frame().rows() == [
        ("a", "x", 1, 0, 3, 2),
        ("a", "y", 2, 0, 1, 0),
        ("a", "y", 2, 1, 2, 0),
        ("a", "z", 3, 0, 1, 0),
        ("a", "z", 3, 1, 2, 2),
        ("b", "x", 2, 0, 3, 3),
        ("b", "y", 1, 0, 3, 0),
    ]


def test_earlier_and_later_lists_share_their_pairs() -> None:
    later = pl.DataFrame({"query_id": ["a"], "doc_ids": [["z", "n"]], "clicks": [1], "count": [2]})
    first, second = Lists.from_frames([lists_frame(), later])
    assert [first.doc_ids[at] for at in second.pair[0, :2]] == ["z", "n"]
    assert second.pair[0, 2] == -1
    assert (first + second).count.sum() == 8
    both = Lists.from_frame(pl.concat([lists_frame(), later]))
    assert (first + second).cells().frame().equals(both.cells().frame())


def plain(rows: list[tuple[str, list[str], int, int]]) -> dict[tuple[str, str, int], list[int]]:
    """Impressions, unclicked, to_first, to_last, clicks, first_clicks, last_clicks, session by session."""
    sums: dict[tuple[str, str, int], list[int]] = {}
    for query, documents, mask, count in rows:
        clicks = [k for k in range(len(documents)) if mask >> k & 1]
        for k, document in enumerate(documents):
            flags = [True, not clicks]
            flags += (
                [k <= clicks[0], k <= clicks[-1], k in clicks, k == clicks[0], k == clicks[-1]]
                if clicks
                else [False] * 5
            )
            at = sums.setdefault((query, document, k + 1), [0] * 7)
            for place, flag in enumerate(flags):
                at[place] += count * flag
    return sums


def plain_by_last(rows: list[tuple[str, list[str], int, int]]) -> dict[tuple[str, str, int, int], list[int]]:
    """Impressions and clicks by last click above, session by session."""
    sums: dict[tuple[str, str, int, int], list[int]] = {}
    for query, documents, mask, count in rows:
        last = 0
        for k, document in enumerate(documents, start=1):
            click = mask >> (k - 1) & 1
            at = sums.setdefault((query, document, k, last), [0, 0])
            at[0] += count
            at[1] += count * click
            last = k if click else last
    return sums


@st.composite
def logs(draw: st.DrawFn) -> list[tuple[str, list[str], int, int]]:
    """Some lists of up to five of six documents with any clicks, the same one perhaps again."""
    rows = []
    for _ in range(draw(st.integers(1, 12))):
        documents = draw(st.lists(st.sampled_from("uvwxyz"), min_size=1, max_size=5, unique=True))
        mask = draw(st.integers(0, 2 ** len(documents) - 1))
        rows.append((draw(st.sampled_from("ab")), documents, mask, draw(st.integers(1, 9))))
    return rows


@given(logs())
def test_counts_are_those_of_a_plain_loop_over_sessions(rows: list[tuple[str, list[str], int, int]]) -> None:
    lists = Lists.from_frame(pl.DataFrame(rows, ["query_id", "doc_ids", "clicks", "count"], orient="row"))
    found = {(row[0], row[1], row[2]): list(row[3:]) for row in lists.cascade().frame().rows()}
    assert found == plain(rows)
    assert {row[:4]: list(row[4:]) for row in lists.by_last_click().frame().rows()} == plain_by_last(rows)
    cells = {row[:3]: list(row[3:]) for row in lists.cells().frame().rows()}
    assert cells == {key: [sums[0], sums[4]] for key, sums in plain(rows).items()}


def test_lists_are_split_by_time() -> None:
    frame = lists_frame().with_columns(
        day=pl.Series(["2026-01-03", "2026-01-01", "2026-01-02", "2026-01-01"]).str.to_date()
    )
    earlier, later = Lists.split(frame, date(2026, 1, 2))
    assert (earlier.count.sum(), later.count.sum()) == (4, 2)
    assert earlier.query is later.query
    with pytest.raises(InputError, match=r"day: all lists are before 2027-01-01\n.*between 2026-01-01 and 2026-01-03"):
        Lists.split(frame, date(2027, 1, 1))
    with pytest.raises(InputError, match="no column hour"):
        Lists.split(frame, 3, "hour")


@pytest.mark.parametrize("kind", [CascadeCounts, LastClickCells])
def test_counts_by_list_merge_exactly(kind: type[CascadeCounts] | type[LastClickCells]) -> None:
    lists = Lists.from_frame(lists_frame())
    counts = lists.cascade() if kind is CascadeCounts else lists.by_last_click()
    twice = lists + lists
    merged = counts + counts  # type: ignore[operator] # both are of one kind
    assert merged.frame().equals((twice.cascade() if kind is CascadeCounts else twice.by_last_click()).frame())
    assert kind.from_frame(counts.frame()).frame().equals(counts.frame())


def test_impossible_lists_are_refused() -> None:
    with pytest.raises(InputError, match="a click is below the end of every list"):
        Lists.from_frame(lists_frame().with_columns(clicks=pl.Series([0b1001, 0, 0, 0])))
    with pytest.raises(InputError, match=r"list 1: a click is below the end of its list"):
        Lists.from_frame(lists_frame().with_columns(clicks=pl.Series([0, 0b100, 0, 0])))
    with pytest.raises(InputError, match="a list is empty or a value is missing"):
        Lists.from_frame(
            lists_frame().with_columns(doc_ids=pl.Series([[], ["a"], ["a"], ["a"]], dtype=pl.List(pl.String)))
        )
    with pytest.raises(InputError, match=r"last: the last click is not above"):
        LastClickCells(*(np.ones(1, np.int64) * at for at in (0, 1, 1)), np.ones(1), np.ones(1), np.zeros(1, np.int64))
