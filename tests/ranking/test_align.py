"""The order of a run on every path, against a slow second implementation."""

import itertools

import numpy as np
import polars as pl
import pytest

from assay.errors import InputError
from assay.ranking.align import align, judged
from assay.ranking.conventions import Conventions
from assay.tables import Block
from ranking.naive import CASES, PATHS, Case, aligned, by_hand, flat, invented, run_text

CHOICES = [
    Conventions(**dict(zip(("ties", "order", "negative", "scores"), choice, strict=True)))
    for choice in itertools.product(
        ("docid", "input", "expected", "best", "worst"), ("score", "rank"), ("judged", "unjudged"), ("64-bit", "32-bit")
    )
]


def settled(hits: dict, ties: str) -> dict:
    """What the rule settles: not the rank inside a group that is averaged, nor which of equal grades is first."""
    if ties == "expected":
        return {query: sorted((doc, low, high, grade) for doc, _, low, high, grade in x) for query, x in hits.items()}
    if ties in ("best", "worst"):
        return {query: [(rank, grade) for _, rank, _, _, grade in x] for query, x in hits.items()}
    return {query: [(doc, rank, grade) for doc, rank, _, _, grade in x] for query, x in hits.items()}


def expected(case: Case, conventions: Conventions) -> dict:
    return settled(by_hand(case, conventions), conventions.ties)


def found(case: Case, path: str, conventions: Conventions) -> dict:
    return settled(flat(*aligned(case, path, conventions)), conventions.ties)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_path_orders_as_the_slow_reference(case, path):
    for conventions in CHOICES:
        assert found(case, path, conventions) == expected(case, conventions), conventions


@pytest.mark.parametrize("path", PATHS)
def test_invented_runs_are_ordered_as_by_the_slow_reference(path):
    for seed in range(150 if path == "small" else 30):
        case = invented(seed)
        for ties in ("docid", "input", "expected", "best", "worst"):
            conventions = Conventions(ties=ties, negative="judged" if seed % 2 else "unjudged")
            assert found(case, path, conventions) == expected(case, conventions), (seed, ties)


@pytest.mark.parametrize("path", PATHS)
def test_what_was_noticed_is_the_same_on_every_path(path):
    for seed in range(20):
        case = invented(seed)
        facts = aligned(case, path, Conventions())[0].facts
        first = aligned(case, "small", Conventions())[0].facts
        assert facts.first_tie.tolist() == first.first_tie.tolist()
        assert (facts.rows, facts.unknown, facts.disagree, facts.scattered) == (
            first.rows, first.unknown, first.disagree, first.scattered,
        )  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_a_document_twice_is_refused_with_both_places(path):
    rows = [
        ("q1", "a", 3),
        ("q1", "b", 2),
        ("q1", "a", 1),
        ("q2", "a", 1),
        ("q2", "b", 1),
        ("q2", "b", 0),
        ("q2", "a", 0),
    ]
    case = Case("twice", "q1 0 a 1\n", run_text(*rows))
    with pytest.raises(InputError) as error:
        aligned(case, path, Conventions())
    assert str(error.value) == (
        "a.run:3: document a of query q1 was already at a.run:1\n"
        "    mend: remove one of the lines, or pass --duplicates keep-first\n"
        "\n"
        "a.run:6: document b of query q2 was already at a.run:5\n"
        "a.run:7: document a of query q2 was already at a.run:4"
    )


@pytest.mark.parametrize("path", PATHS)
def test_keep_first_keeps_the_first_line_and_counts_the_others(path):
    rows = [("q1", "a", 1), ("q1", "b", 2), ("q1", "a", 3), ("q1", "a", 4), ("q9", "x", 1), ("q9", "x", 1)]
    case = Case("twice", "q1 0 a 1\nq1 0 b 0\n", run_text(*rows))
    conventions = Conventions(duplicates="keep-first")
    result, prepared = aligned(case, path, conventions)
    assert flat(result, prepared) == by_hand(case, conventions)
    assert result.facts.dropped == 3
    assert result.ranking.returned.tolist() == [2]


@pytest.mark.parametrize("path", PATHS)
def test_a_pair_judged_twice_with_different_grades_is_refused_with_both_places(path):
    case = Case("twice", "q1 0 a 1\nq1 0 b 0\nq1 0 a 2\n", run_text(("q1", "a", 1)))
    with pytest.raises(InputError, match=r"^a\.qrels:3: q1 a is judged again: grade 2 here, 1 at a\.qrels:1"):
        aligned(case, path, Conventions())
    _, prepared = aligned(case, path, Conventions(duplicates="keep-first"))
    assert prepared.grade.tolist() == [1.0, 0.0]
    assert prepared.notes[0].code == "judged-twice"


@pytest.mark.parametrize("path", PATHS)
def test_a_pair_judged_twice_with_the_same_grade_counts_once(path):
    case = Case("twice", "q1 0 a 1\nq1 0 a 1\nq1 0 b 0\n", run_text(("q1", "a", 1)))
    _, prepared = aligned(case, path, Conventions())
    assert prepared.relevant().tolist() == [1]
    assert prepared.notes[0].count == 1


@pytest.mark.parametrize("path", PATHS)
def test_negative_grades_as_unjudged_keep_their_query(path):
    case = Case("negative", "q1 0 a -1\nq2 0 b 1\n", run_text(("q1", "a", 1), ("q2", "b", 1)))
    result, prepared = aligned(case, path, Conventions(negative="unjudged"))
    assert prepared.queries == ["q1", "q2"]
    assert prepared.judgments().tolist() == [0, 1]
    assert result.ranking.query.tolist() == [1]


def with_kind(as_frame: bool) -> tuple[Block, Block]:
    run = {
        "query_id": ["q1", "q1", "q1", "q2", "q1"],
        "doc_id": ["ad", "a", "b", "ad", "pin"],
        "score": [9.0, 3.0, 2.0, 5.0, 1.0],
        "kind": ["sponsored", "organic", None, "sponsored", "pinned"],
    }
    qrels = {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "ad", "ad"], "grade": [1.0, 2.0, 1.0]}
    make = pl.DataFrame if as_frame else dict
    return Block(make(qrels), str, "qrels"), Block(make(run), str, "run")


@pytest.mark.parametrize("as_frame", [False, True])
def test_sponsored_rows_are_left_out_and_counted(as_frame):
    qrels, run = with_kind(as_frame)
    conventions = Conventions()
    prepared = judged(qrels, conventions)
    result = align(run, prepared, conventions)
    assert result.ranking.rank.tolist() == [1]
    assert result.ranking.returned.tolist() == [2, 0]
    assert result.ranking.answered.tolist() == [True, True]
    assert result.facts.left_out == (("pinned", 1), ("sponsored", 2))


@pytest.mark.parametrize("as_frame", [False, True])
def test_sponsored_rows_count_when_included(as_frame):
    qrels, run = with_kind(as_frame)
    conventions = Conventions(include=("sponsored",))
    result = align(run, judged(qrels, conventions), conventions)
    assert result.ranking.rank.tolist() == [1, 2, 1]
    assert result.ranking.returned.tolist() == [3, 1]
    assert result.facts.left_out == (("pinned", 1),)


@pytest.mark.parametrize("as_frame", [False, True])
@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf"), None])
def test_a_score_that_is_no_number_is_refused_with_its_place(as_frame, score):
    run = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, score]}
    frame = pl.DataFrame(run, schema_overrides={"score": pl.Float64}) if as_frame else run
    block = Block(frame, lambda row: f"a.run:{row + 1}", "a.run")
    qrels = Block({"query_id": ["q"], "doc_id": ["a"], "grade": [1.0]}, str, "qrels")
    with pytest.raises(InputError, match=r"^a\.run:2: the score is not a finite number"):
        align(block, judged(qrels, Conventions()), Conventions())


@pytest.mark.parametrize("as_frame", [False, True])
def test_without_score_the_rank_orders_and_without_both_the_rows(as_frame):
    make = pl.DataFrame if as_frame else dict
    qrels = Block({"query_id": ["q", "q"], "doc_id": ["a", "b"], "grade": [1.0, 0.0]}, str, "qrels")
    prepared = judged(qrels, Conventions())
    ids = {"query_id": ["q", "q", "q"], "doc_id": ["a", "x", "b"]}
    ranked = align(Block(make({**ids, "rank": [2, 3, 1]}), str, "run"), prepared, Conventions())
    assert (ranked.ranking.rank.tolist(), ranked.ranking.grade.tolist()) == ([1, 2], [0.0, 1.0])
    as_given = align(Block(make(ids), str, "run"), prepared, Conventions(ties="input"))
    assert as_given.ranking.rank.tolist() == [1, 3]
    with pytest.raises(InputError, match="--order rank needs a rank column"):
        align(Block(make(ids), str, "run"), prepared, Conventions(order="rank"))


@pytest.mark.parametrize("path", PATHS)
def test_a_rank_column_against_the_scores_is_noticed(path):
    run = "q1 Q0 a 2 9.0 t\nq1 Q0 b 1 8.0 t\nq2 Q0 a 1 9.0 t\nq2 Q0 b 2 9.0 t\nq3 Q0 a 0 9 t\nq3 Q0 b 1 8 t\n"
    result, _ = aligned(Case("ranks", "q1 0 a 1\nq2 0 a 1\nq3 0 a 1\n", run), path, Conventions())
    assert result.facts.disagree == 1


@pytest.mark.parametrize("path", PATHS)
def test_the_first_tie_is_the_rank_of_its_first_document(path):
    rows = [("q1", "a", 3), ("q1", "b", 2), ("q1", "c", 2), ("q2", "a", 1), ("q3", "a", 1), ("q3", "b", 1)]
    case = Case("ties", "q1 0 a 1\nq2 0 a 1\nq3 0 a 1\n", run_text(*rows))
    assert aligned(case, path, Conventions())[0].facts.first_tie.tolist() == [2, 0, 1]


def test_notes_tell_what_the_grades_are():
    def codes(*grades: float) -> list[str]:
        columns = {
            "query_id": ["q"] * len(grades),
            "doc_id": [str(i) for i in range(len(grades))],
            "grade": list(grades),
        }
        return [note.code for note in judged(Block(columns, str, "qrels"), Conventions()).notes]

    assert codes(0, 1, 2) == []
    assert codes(0, 1) == ["binary-grades"]
    assert codes(1, 3) == ["only-relevant-listed"]
    assert codes(-1, 0.5, 2) == ["negative-grades", "fractional-grades"]


def test_one_grade_is_told_in_the_singular():
    rows = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "grade": [-1.0, 0.5]}
    notes = judged(Block(rows, str, "j"), Conventions()).notes
    said = [note.text for note in notes if note.code in ("negative-grades", "fractional-grades")]
    assert said == [
        "1 grade is negative: judged, not relevant",
        "1 grade is fractional; 1 pair counts as relevant (above 0)",
    ]


def test_every_convention_is_written_as_text_that_a_reader_knows():
    assert dict(Conventions().pairs())["rel"] == "qrels"
    assert dict(Conventions().pairs())["include"] == "none"
    chosen = dict(Conventions(rel=2.0, include=("sponsored", "pinned")).pairs())
    assert (chosen["rel"], chosen["include"]) == ("2", "sponsored,pinned")


def test_keys_that_collide_are_told_apart_by_their_documents():
    from assay.ranking.frames import build

    docs = pl.Series(["a", "b", "c"])
    key = np.array([7, 7, 9], np.uint64)
    repeated, index = build(key, np.zeros(3, np.int64), docs, 1, 63)
    assert repeated == []
    rows = pl.Series(["c", "b", "x", "a"])
    row, judgment = index.find(rows, np.array([9, 7, 7, 7], np.uint64), np.zeros(4, np.int64))
    assert (row.tolist(), judgment.tolist()) == ([0, 1, 3], [2, 1, 0])


def test_an_empty_run_answers_nothing():
    qrels = Block({"query_id": ["q"], "doc_id": ["a"], "grade": [1.0]}, str, "qrels")
    prepared = judged(qrels, Conventions())
    for ties in ("docid", "expected", "best"):
        for frame in (
            {"query_id": [], "doc_id": [], "score": []},
            pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}),
        ):
            result = align(Block(frame, str, "run"), prepared, Conventions(ties=ties))
            assert result.ranking.answered.tolist() == [False]
