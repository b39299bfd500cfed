from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.compare.pool_audit import PoolAudit, pool_audit
from assay.errors import InputError
from assay.measures.grammar import parse
from assay.ranking.align import judged as prepared
from assay.ranking.conventions import Conventions
from assay.ranking.shown import shown
from compare.twolists import block, judged_block


def audit(
    runs: dict[str, list[list[str]]], judged: list[dict[str, float]], measures: str, **options: object
) -> PoolAudit:
    known = prepared(judged_block(judged), Conventions())
    found = {name: shown(block(lists), known, Conventions()) for name, lists in runs.items()}
    return pool_audit(found, parse(measures), **options)  # type: ignore[arg-type]


def test_a_run_loses_what_it_alone_brought() -> None:
    """x is relevant and only in A; without it A has one relevant document of one."""
    found = audit(
        {"A": [["a", "x"]], "B": [["a", "b"]], "C": [["b", "c"]]},
        [{"a": 1, "b": 0, "x": 2, "c": 0}],
        "P@2 nDCG@2",
        depth=2,
    )
    a, b, c = found.contributions
    assert (a.unique_judged, a.unique_relevant) == (1, 1)
    assert (b.unique_judged, b.unique_relevant) == (0, 0)
    assert (c.unique_judged, c.unique_relevant) == (1, 0)
    assert (a.values[0].before, a.values[0].after) == (1.0, 0.5)
    assert (a.values[0].place_before, a.values[0].place_after) == (1, 1)  # B has 0.5 too: places are shared
    assert a.values[1].after == pytest.approx(1.0, abs=1e-12)  # only a is left, and it stands first
    assert (b.values[0].before, b.values[0].after) == (0.5, 0.5)
    assert (found.size, found.judged, found.outside) == (4, 4, 1)  # "elsewhere" is judged and shown by none
    assert "A falls from 1.0000 to 0.5000 on P@2" in found.says


def test_documents_below_the_pool_belong_to_nobody() -> None:
    found = audit({"A": [["a", "x"]], "B": [["b", "a"]]}, [{"a": 1, "b": 1, "x": 1}], "P@1", depth=1)
    assert [c.unique_judged for c in found.contributions] == [1, 1]
    assert found.outside == 2
    assert found.size == 2
    without = audit(
        {"A": [["a", "x"]], "B": [["b", "a"]]}, [{"a": 1, "b": 1, "x": 1}], "R@2", depth=1, within_pool=True
    )
    assert without.contributions[0].values[0].before == 0.5  # x is left out: a of a and b
    assert without.contributions[0].values[0].after == 0.0
    assert without.contributions[0].values[0].undefined == 0


def test_a_query_that_only_its_own_document_made_relevant_counts_zero_afterwards() -> None:
    found = audit({"A": [["x"]], "B": [["b"]]}, [{"x": 1, "b": 0}], "RR", depth=1)
    value = found.contributions[0].values[0]
    assert (value.before, value.after, value.undefined) == (1.0, 0.0, 1)


def test_unjudged_documents_are_counted_as_brought_by_one_run_only_once() -> None:
    found = audit({"A": [["a", "x", "y"]], "B": [["a", "x"]]}, [{"a": 1}], "P@2", depth=3)
    assert [(c.shown, c.judged, c.unique) for c in found.contributions] == [(3, 1, 1), (2, 1, 0)]
    assert found.size == 3


def test_the_depth_is_told_by_where_the_judgments_end() -> None:
    docs = [f"d{i:02}" for i in range(30)]
    found = audit({"A": [docs], "B": [docs[::-1]]}, [{doc: float(i % 2) for i, doc in enumerate(docs[:20])}], "P@5")
    assert found.contributions[0].complete == 20
    assert found.contributions[1].complete == 0
    assert (found.depth, found.depth_was_given) == (20, False)
    assert any(note.code == "pool-depth" for note in found.notes)


@pytest.mark.shared
def test_leave_one_out_on_robust03_is_that_of_trec_eval_and_scipy(shared: Path) -> None:
    from assay.formats.blocks import RunBlocks, read_qrels
    from assay.ranking.shown import collect

    folder = shared / "data/collections/robust03"
    facts = json.loads((folder / "facts.json").read_text())
    conventions = Conventions(no_relevant="zero")
    judged = prepared(read_qrels(str(folder / "qrels.txt.gz")), conventions)
    runs = {
        path.name.removesuffix(".run.gz"): collect(RunBlocks(str(path)), judged, conventions)
        for path in sorted((folder / "runs").glob("*.run.gz"))
    }
    found = pool_audit(runs, parse("AP nDCG@10 P@10"), depth=facts["pool_depth"], within_pool=True)
    assert found.size == facts["pool_size"]
    assert found.judged == facts["pool_judged"]
    assert found.outside == facts["judged_outside_pool"]
    names = ("map", "ndcg_cut_10", "P_10")
    for name, tau in zip(names, found.taus, strict=True):
        assert tau == pytest.approx(facts[f"tau_b_full_vs_loo_{name}"], abs=5e-5)
    for one in found.contributions:
        expected = facts["leave_one_out"][one.run]
        assert (one.unique_judged, one.unique_relevant) == (expected["unique_judged"], expected["unique_relevant"])
        for name, value in zip(names, one.values, strict=True):
            assert (value.before, value.after) == pytest.approx(expected[name], abs=5.1e-5)
        assert [one.values[0].place_before, one.values[0].place_after] == expected["rank_map"]


def test_one_run_alone_is_no_pool() -> None:
    with pytest.raises(InputError, match="a pool of the run A alone cannot be audited"):
        audit({"A": [["a"]]}, [{"a": 1}], "P@1")
