"""The generated files have the stated shape, and the slow reference is right."""

from collections import Counter
from dataclasses import replace
from math import log2
from pathlib import Path

import pytest
import pytrec_eval
from bench.generate import COPIES, SHAPES, Shape, files
from bench.reference import bpref, expected, one_query, slow

SMALL = Shape("small", 40, 60, 8, ties=0.3, disordered=0.5)


def _rows(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text("ascii").splitlines()]


def test_the_same_shape_gives_the_same_bytes_and_another_seed_others(tmp_path):
    one, two = files(SMALL, tmp_path / "a"), files(SMALL, tmp_path / "b")
    assert one.run.read_bytes() == two.run.read_bytes()
    assert one.qrels.read_bytes() == two.qrels.read_bytes()
    assert files(replace(SMALL, seed=2), tmp_path / "c").run.read_bytes() != one.run.read_bytes()


def test_files_are_kept_while_the_parameters_match_and_written_again_when_they_do_not(tmp_path):
    made = files(SMALL, tmp_path)
    before = made.run.stat().st_mtime_ns
    expected(made)
    assert files(SMALL, tmp_path).run.stat().st_mtime_ns == before
    files(replace(SMALL, depth=61), tmp_path)
    assert made.run.stat().st_mtime_ns != before
    assert not list(tmp_path.glob("*.expected.parquet"))


def test_a_file_that_was_cut_short_is_written_again(tmp_path):
    made = files(SMALL, tmp_path)
    whole = made.run.read_bytes()
    made.run.write_bytes(whole[:100])
    assert files(SMALL, tmp_path).run.read_bytes() == whole


@pytest.mark.parametrize("ids", ["short", "long"])
def test_every_query_has_its_depth_its_judgments_and_no_document_twice(tmp_path, ids):
    made = files(replace(SMALL, ids=ids), tmp_path)
    run, qrels = _rows(made.run), _rows(made.qrels)
    assert set(Counter(row[0] for row in run).values()) == {60}
    assert set(Counter(row[0] for row in qrels).values()) == {8}
    assert {row[0] for row in run} == {row[0] for row in qrels}
    assert len(Counter(row[0] for row in run)) == 40
    assert max(Counter((row[0], row[2]) for row in run).values()) == 1
    assert max(Counter((row[0], row[2]) for row in qrels).values()) == 1
    assert {len(row[2]) for row in run} == {25 if ids == "long" else 8}


def test_scores_fall_with_the_rank_and_tie_as_often_as_stated(tmp_path):
    rows = _rows(files(replace(SMALL, queries=200), tmp_path).run)
    by_rank = {(row[0], int(row[3])): float(row[4]) for row in rows}
    falls = [by_rank[query, rank - 1] - score for (query, rank), score in by_rank.items() if rank > 1]
    assert min(falls) >= 0
    share = sum(fall == 0 for fall in falls) / len(falls)
    assert abs(share - 0.3) < 4 * (0.3 * 0.7 / len(falls)) ** 0.5


def test_the_stated_share_of_queries_is_out_of_order(tmp_path):
    rows = _rows(files(replace(SMALL, queries=400), tmp_path).run)
    ranks: dict[str, list[int]] = {}
    for row in rows:
        ranks.setdefault(row[0], []).append(int(row[3]))
    share = sum(found != sorted(found) for found in ranks.values()) / 400
    assert abs(share - 0.5) < 4 * (0.5 * 0.5 / 400) ** 0.5


def test_other_ways_to_write_a_file_keep_its_values(tmp_path):
    once = expected(files(SMALL, tmp_path))
    for how in ("irregular", "lines-shuffled"):
        made = files(replace(SMALL, name=how, of=SMALL, how=how), tmp_path)
        assert sorted(map(tuple, _rows(made.run))) == sorted(map(tuple, _rows(tmp_path / "small.run")))
        assert expected(made).equals(once, null_equal=True)
    text = (tmp_path / "irregular.run").read_bytes()
    assert text.count(b"\r\n") == SMALL.rows
    assert b"\t" in text
    assert b"  " in text


def test_a_repeated_file_has_every_query_again_under_a_new_id(tmp_path):
    shape = replace(SMALL, name="many", queries=40 * COPIES, of=SMALL, how="repeated")
    made = files(shape, tmp_path)
    rows = _rows(made.run)
    assert len(rows) == shape.rows
    assert len({row[0] for row in rows}) == shape.queries
    assert expected(made).sort("query_id").equals(slow(made.run, made.qrels), null_equal=True)


def test_the_reference_agrees_with_pytrec_eval_where_scores_do_not_meet_in_32_bits(tmp_path):
    made = files(replace(SMALL, queries=100, ties=0.0), tmp_path)
    qrels: dict[str, dict[str, int]] = {}
    for query, _, document, grade in _rows(made.qrels):
        qrels.setdefault(query, {})[document] = int(grade)
    run: dict[str, dict[str, float]] = {}
    for query, _, document, rank, _, _ in _rows(made.run):
        run.setdefault(query, {})[document] = -float(rank)  # the same order, exact in any width
    names = {"ndcg_cut_10": "nDCG@10", "P_10": "P@10", "recall_100": "R@100", "recip_rank": "RR", "map": "AP"}
    names |= {"ndcg": "nDCG", "bpref": "Bpref", "Rprec": "Rprec"}
    measures = {"ndcg_cut.10", "P.10", "recall.100", "recip_rank", "map", "ndcg", "bpref", "Rprec"}
    values = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    for row in expected(made).iter_rows(named=True):
        for theirs, ours in names.items():
            right = values[row["query_id"]][theirs]
            assert row[ours] == pytest.approx(right, abs=1e-12) or (row[ours] != row[ours] and right == 0)


def test_one_query_by_hand():
    shown = [0, None, 2]
    judged = {"a": 0, "b": 2, "c": 1}
    ndcg, exp, p10, r100, rr, ap, whole, pref, rprec, share = one_query(shown, judged)
    assert ndcg == whole == pytest.approx((2 / 2) / (2 + 1 / log2(3)))
    assert exp == pytest.approx((3 / 2) / (3 + 1 / log2(3)))
    assert (p10, r100, rr, share) == (0.1, 0.5, 1 / 3, 0.2)
    assert ap == pytest.approx((1 / 3) / 2)
    assert pref == 0  # the only relevant document stands below the only judged nonrelevant one
    assert rprec == 0
    assert bpref([2, 0, 1, None], 2, 3) == (1 + (1 - 1 / 2)) / 2


def test_a_query_without_a_relevant_document_is_undefined():
    values = one_query([0, None], {"a": 0})
    assert all(value != value for value in values[:-1])
    assert values[-1] == 0.1


def test_the_sizes_are_those_of_the_issue():
    assert {name: (s.queries, s.depth, s.judged) for name, s in SHAPES.items() if s.of is None and "-" not in name} == {
        "S": (50, 1_000, 150),
        "M": (6_980, 1_000, 1),
        "L": (50_000, 100, 10),
        "XL": (6_980, 1_000, 200),
    }
    assert SHAPES["H"].rows == 97_720_000
