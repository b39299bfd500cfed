"""A large run whose lines are scattered is put in order a few queries at a time: the same result, less memory."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

from assay.errors import InputError
from assay.measures import score as room
from assay.measures.grammar import parse
from assay.measures.score import Scores, score
from assay.ranking import shown as beside
from assay.ranking.align import judged
from assay.ranking.conventions import Conventions, Ties
from assay.ranking.pieces import ByQuery, Pieces
from assay.ranking.shown import collect
from assay.tables import Block


def place(row: int) -> str:
    return f"a.run:{row + 1}"


def scattered(seed: int = 1, queries: int = 80) -> pl.DataFrame:
    """Tied scores; some queries have one row, one has very many."""
    rng = random.Random(seed)
    rows = [
        (f"q{q}", f"d{doc}", rng.randrange(6) / 2, ("organic", None, "sponsored")[rng.randrange(3)])
        for q in range(queries)
        for doc in rng.sample(range(150), 120 if q == 7 else rng.randrange(1, 12))
    ]
    rng.shuffle(rows)
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "score", "kind"], orient="row")


def labels() -> Block:
    rng = random.Random(2)
    rows = [(f"q{q}", f"d{doc}", float(rng.randrange(3))) for q in range(5, 90) for doc in rng.sample(range(150), 40)]
    return Block(pl.DataFrame(rows, schema=["query_id", "doc_id", "grade"], orient="row"), place, "qrels")


def scored(frame: pl.DataFrame, conventions: Conventions) -> Scores:
    run = Pieces(Block(frame, place, "a.run"), 30)
    return score(run, judged(labels(), conventions), parse("nDCG@5 AP RR P@3 Bpref Judged@10"), conventions, "a")


def test_pieces_hold_whole_queries_in_the_order_of_their_first_rows_and_keep_the_order_of_rows() -> None:
    frame = scattered()
    block = Block(frame, place, "a.run")
    for rows in (1, 7, 50, 10_000):
        pieces = list(ByQuery(block, rows))
        seen = [query for piece in pieces for query in piece.polars()["query_id"].unique(maintain_order=True)]
        assert seen == frame["query_id"].unique(maintain_order=True).to_list()
        expected = pl.concat([one for _, one in frame.group_by("query_id", maintain_order=True)])
        assert pl.concat([piece.polars() for piece in pieces]).equals(expected)
        for piece in pieces:
            at = int(piece.place(len(piece) - 1).removeprefix("a.run:")) - 1
            assert frame.row(at) == piece.polars().row(-1)
        assert max(map(len, pieces)) <= max(rows, 120)


@pytest.mark.parametrize(
    "conventions",
    [
        Conventions(),
        Conventions(ties="input"),
        Conventions(ties="expected"),
        Conventions(scores="32-bit", include=("sponsored",)),
    ],
)
def test_the_result_is_that_of_the_whole_at_once(monkeypatch: pytest.MonkeyPatch, conventions: Conventions) -> None:
    frame = scattered()
    whole = scored(frame, conventions)
    monkeypatch.setattr(room, "ROWS", 20)
    monkeypatch.setattr(ByQuery.__init__, "__defaults__", (20,))
    pieces = scored(frame, conventions)
    assert pieces.values.tobytes() == whole.values.tobytes()
    assert pieces.judged.tobytes() == whole.judged.tobytes()
    assert (pieces.coverage, pieces.notes) == (whole.coverage, whole.notes)


def test_all_that_is_wrong_is_said_and_not_what_one_piece_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = scattered()
    frame = pl.concat([frame, frame.filter(pl.col("query_id").is_in(["q3", "q40", "q70"]))])
    with pytest.raises(InputError) as whole:
        scored(frame, Conventions())
    monkeypatch.setattr(room, "ROWS", 20)
    monkeypatch.setattr(ByQuery.__init__, "__defaults__", (20,))
    with pytest.raises(InputError) as pieces:
        scored(frame, Conventions())
    assert str(pieces.value) == str(whole.value)
    assert pieces.value.count == whole.value.count > 3
    kept = Conventions(duplicates="keep-first")
    assert scored(frame, kept).coverage[0].duplicates == whole.value.count


@pytest.mark.parametrize("ties", ["docid", "expected"])
def test_unjudged_documents_are_those_of_the_whole_at_once(monkeypatch: pytest.MonkeyPatch, ties: Ties) -> None:
    conventions = Conventions(ties=ties)
    run, prepared = Pieces(Block(scattered(), place, "a.run"), 30), judged(labels(), conventions)
    whole = collect(run, prepared, conventions, 5)
    monkeypatch.setattr(beside, "ROWS", 20)
    monkeypatch.setattr(ByQuery.__init__, "__defaults__", (20,))
    pieces = collect(run, prepared, conventions, 5)
    for name in ("query", "rank", "first", "last", "docs"):
        assert np.array_equal(getattr(pieces, name), getattr(whole, name)), name
    for name in ("query", "rank", "grade", "judgment", "returned", "answered", "first", "last"):
        assert np.array_equal(getattr(pieces.ranking, name), getattr(whole.ranking, name)), name
