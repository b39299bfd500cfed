"""Two runs side by side without judgments: shares by counting, orders by brute force, what is named and what is not."""

from __future__ import annotations

import csv
import io
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.flows.workbench import Workbench
from assay.report.describe import describe
from assay.report.machine import to_machine
from assay.report.text import to_text

Run = dict[str, dict[str, float]]


def run(**lists: str) -> Run:
    """Each letter is a document, best first."""
    return {query: {doc: float(-i) for i, doc in enumerate(docs)} for query, docs in lists.items()}


def test_the_first_documents_are_compared_as_sets_and_as_lists():
    found = assay.overlap(run(q="abcd", r="xy"), run(q="abed", r="xy"), depths=(2, 3, 10))
    one, other = found.queries
    assert [(at.shared, at.overlap, at.jaccard, at.is_identical) for at in one.at] == [
        (2, 1.0, 1.0, True), (2, 2 / 3, 2 / 4, False), (3, 3 / 4, 3 / 5, False),
    ]  # fmt: skip
    assert one.first_change == 3
    assert other.first_change is None
    assert other.rbo == 1.0
    assert [at.overlap for at in other.at] == [1.0, 1.0, 1.0]  # two documents each: both are shared
    assert found.line("identical", 2).mean == 1.0
    assert found.line("identical", 3).mean == 0.5
    assert found.line("overlap", 3).mean == pytest.approx((2 / 3 + 1) / 2)


def test_the_order_of_the_common_documents_by_counting_pairs():
    before, after = "abcdefg", "cagxbdy"
    found = assay.overlap(run(q=before), run(q=after), depths=3).queries[0]
    common = [doc for doc in before if doc in after]
    signs = [1 if after.index(x) < after.index(y) else -1 for x, y in combinations(common, 2)]
    assert found.common == len(common) == 5
    assert found.tau == pytest.approx(sum(signs) / len(signs))
    ranked = [doc for doc in after if doc in common]
    above = [sum(before.index(y) < before.index(x) for y in ranked[:i]) / i for i, x in enumerate(ranked) if i]
    assert found.tau_ap == pytest.approx(2 / (len(common) - 1) * sum(above) - 1)


def test_queries_that_one_run_has_are_named_and_not_counted():
    found = assay.overlap(run(a="xy", b="xy", c="x"), run(b="xy", d="x", a="yx"), depths=1)
    assert [query.query_id for query in found.queries] == ["a", "b"]
    assert found.only_baseline == ("c",)
    assert found.only_candidate == ("d",)
    text = to_text(describe(found), 100)
    assert "run-1 alone has 1 query: c" in text
    assert "run-2 alone has 1 query: d" in text


def test_the_queries_that_changed_most_come_first():
    before = run(same="abc", little="abc", much="abc", all="abc")
    found = assay.overlap(before, run(same="abc", little="acb", much="cxy", all="xyz"), depths=3)
    assert [query.query_id for query in found.changed()] == ["all", "much", "little"]
    assert [query.query_id for query in found.changed(1)] == ["all"]


LISTS = st.permutations(list("abcdefgh")).flatmap(lambda order: st.integers(1, 8).map(lambda n: "".join(order[:n])))


@settings(deadline=None, max_examples=40)
@given(LISTS, LISTS)
def test_it_is_symmetric_and_a_run_is_like_itself(a: str, b: str):
    one, other = assay.overlap(run(q=a), run(q=b), depths=3), assay.overlap(run(q=b), run(q=a), depths=3)
    x, y = one.queries[0], other.queries[0]
    for name in ("rbo", "low", "high", "tau"):
        assert getattr(x, name) == pytest.approx(getattr(y, name), abs=1e-12)
    assert (x.at, x.common, x.first_change) == (y.at, y.common, y.first_change)
    same = assay.overlap(run(q=a), run(q=a), depths=3).queries[0]
    assert same.rbo == pytest.approx(1.0, abs=1e-12)
    assert same.first_change is None
    assert same.tau in (None, 1.0)


def test_ties_are_averaged_in_rbo_and_settled_by_document_elsewhere():
    tied: Run = {"q": {"a": 1.0, "b": 1.0}}
    found = assay.overlap(tied, run(q="ab"), depths=1)
    # half of the orders agree at rank 1; at rank 2 both have both
    assert found.queries[0].rbo == pytest.approx(0.1 * 0.5 + 0.9 * 1.0)
    assert found.queries[0].at[0].shared == 0  # b stands first: higher by bytes
    assert found.queries[0].tau is None  # all scores of one run are equal
    assert [note.code for note in found.notes] == ["ties"]
    whole = assay.overlap(tied, run(q="ab"), depths=1, rbo_ties="w").queries[0]
    assert whole.rbo == pytest.approx(0.1 * (2 * 1 / 3) + 0.9 * 1.0)
    assert whole.low is None


def test_empty_lists_have_no_rbo_unless_both_are_empty():
    found = assay.overlap({"q": {}, "r": {}, "s": {"a": 1}}, {"q": {"a": 1}, "r": {}, "s": {"a": 1}}, depths=2)
    values = {query.query_id: (query.rbo, query.at[0].overlap) for query in found.queries}
    assert values == {"s": (1.0, 1.0), "q": (None, 0.0), "r": (1.0, 1.0)}
    assert [note.text for note in found.notes] == [
        "1 query returned nothing in one of the runs and something in the other: no RBO"
    ]  # fmt: skip


def test_rows_that_are_not_organic_are_left_out_and_counted():
    rows = [{"query_id": "q", "doc_id": d, "rank": i, "kind": kind}
            for i, (d, kind) in enumerate([("ad", "sponsored"), ("a", ""), ("b", "organic")], 1)]  # fmt: skip
    plain = [{"query_id": "q", "doc_id": d, "rank": i} for i, d in enumerate("ab", 1)]
    assert assay.overlap(rows, plain, depths=2).queries[0].first_change is None
    kept = assay.overlap(rows, plain, depths=2, include=("sponsored",))
    assert kept.queries[0].first_change == 1


def test_small_and_large_files_are_read_alike(tmp_path: Path):
    rng = np.random.default_rng(3)
    for name in ("a", "b"):
        lines = []
        for query in ("q2", "q1", "q3"):
            order = rng.permutation(12)
            lines += [f"{query} Q0 d{d} {i} {round(9 - i / 2)} {name}" for i, d in enumerate(order.tolist(), 1)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    both = [
        assay.overlap(tmp_path / "a.run", tmp_path / "b.run", depths=(3, 5), bench=Workbench(small=small))
        for small in (1 << 40, 0)
    ]
    assert both[0].queries == both[1].queries
    assert [query.query_id for query in both[0].queries] == ["q2", "q1", "q3"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": 1.0}, "--p 1 is not between 0 and 1"),
        ({"depths": (0,)}, r"--depth \(0,\) is no list of whole numbers from 1"),
        ({"depths": ()}, r"--depth \(\) is no list"),
        ({"rbo_ties": "c"}, "--rbo-ties 'c' is not one of a, w, b"),
    ],
)
def test_each_mistake_is_named(options: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        assay.overlap(run(q="a"), run(q="a"), **options)


def test_runs_without_a_common_query_are_refused_with_the_slip():
    with pytest.raises(InputError, match="the run and the run run-1 have no query in common") as caught:
        assay.overlap(run(q1="a"), run(Q1="a"))
    assert "upper and lower case" in str(caught.value)


def test_a_document_twice_is_refused_with_its_place(tmp_path: Path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 2 t\nq Q0 a 2 1 t\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a.run:2: document a of query q was already at .*a.run:1"):
        assay.overlap(path, run(q="a"))
    kept = assay.overlap(path, run(q="a"), duplicates="keep-first")
    assert kept.queries[0].first_change is None


def test_it_is_written_for_programs_and_kept(tmp_path: Path):
    found = assay.overlap(run(q="abc", r="ab"), run(q="acb", r="ab"), depths=2)
    document = json.loads(to_machine(found, "json"))
    assert document["kind"] == "overlap"
    assert document["queries"][0]["query_id"] == "q"
    rows = list(csv.DictReader(io.StringIO(to_machine(found, "csv", per_query=True).decode())))
    assert [row["query"] for row in rows if row["query"]] == ["q", "r"]
    assert [row["differ from rank"] for row in rows if row["query"]] == ["2", ""]
    assert float(rows[0]["RBO"]) == pytest.approx(found.queries[0].rbo)
    means = list(csv.DictReader(io.StringIO(to_machine(found, "csv").decode())))
    assert means[0]["figure"] == "RBO(p=0.9)"
    found.save(tmp_path / "kept.assay")
    assert assay.show(tmp_path / "kept.assay") == found
