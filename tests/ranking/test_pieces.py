import polars as pl
import pytest

from assay.ranking.pieces import Pieces
from assay.tables import Block


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
def test_pieces_keep_every_row_its_place_and_each_query_whole(rows):
    queries = [f"q{i}" for i in range(20) for _ in range(1 + i % 5)]
    block = Block(pl.DataFrame({"query_id": queries}), lambda row: f"a:{row}", "a")
    parts = list(Pieces(block, rows))
    assert [x for part in parts for x in part.polars()["query_id"]] == queries
    assert [part.place(i) for part in parts for i in range(len(part))] == [f"a:{i}" for i in range(len(queries))]
    assert sum(part.polars()["query_id"].n_unique() for part in parts) == 20
    assert len(parts) > 1 or rows == 100


def test_a_query_longer_than_a_piece_stays_whole():
    block = Block(pl.DataFrame({"query_id": ["a"] * 50_000 + ["b"] * 60_000}), str, "a")
    assert [len(part) for part in Pieces(block, 100)] == [50_000, 60_000]


def test_rows_in_no_order_are_still_all_there():
    block = Block(pl.DataFrame({"query_id": ["a", "b"] * 50}), str, "a")
    assert sum(len(part) for part in Pieces(block, 8)) == 100
