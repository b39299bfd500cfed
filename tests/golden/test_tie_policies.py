"""Tied scores under each rule, against values found by listing every order of the tied groups."""

from __future__ import annotations

import json
import math

import pytest

import assay
from assay.flows.workbench import Workbench
from golden.reference import GOLDEN

pytestmark = pytest.mark.shared

POLICIES = {
    "doc_id_descending (trec_eval)": "docid",
    "doc_id_ascending": "input",  # of a file whose rows are sorted so
    "input_order": "input",
    "expected (mean over all orders)": "expected",
    "best": "best",
    "worst": "worst",
}
MEASURES = ["P@1", "RR", "AP", "nDCG@3", "nDCG"]
READING = {"plain": 1 << 40, "stream": 0}


def _stored() -> dict[str, dict[str, dict[str, float]]]:
    return json.loads((GOLDEN / "tie_policies.json").read_text(encoding="utf-8"))["queries"]


@pytest.mark.parametrize("reading", READING)
@pytest.mark.parametrize("policy", POLICIES)
def test_each_rule_gives_the_enumerated_values(policy: str, reading: str, tmp_path):
    rows = (GOLDEN / "inputs" / "ties.run").read_text(encoding="utf-8").splitlines()
    if policy == "doc_id_ascending":
        rows.sort(key=lambda row: row.split()[2].encode())
        rows.sort(key=lambda row: row.split()[0])
    run = tmp_path / "ties.run"
    run.write_text("\n".join(rows) + "\n", encoding="utf-8")
    scores = assay.evaluate(
        run,
        GOLDEN / "inputs" / "ties.qrels",
        MEASURES,
        ties=POLICIES[policy],
        bench=Workbench(small=READING[reading], hashes=False),
    )
    stored = _stored()
    assert list(scores.queries) == sorted(stored)
    for j, name in enumerate(MEASURES):
        for k, query in enumerate(scores.queries):
            expected = stored[query][policy][name]
            assert math.isclose(scores.values[0, j, k], expected, rel_tol=0, abs_tol=1e-12), (query, name)


def test_every_stored_policy_query_and_measure_is_compared():
    for query in _stored().values():
        assert set(query) - {"orders"} == set(POLICIES)
        assert all(set(query[policy]) == set(MEASURES) for policy in POLICIES)
