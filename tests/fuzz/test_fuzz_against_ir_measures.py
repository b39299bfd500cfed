"""Random collections without equal scores, scored by ir_measures in this process."""

from __future__ import annotations

import ir_measures
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.flows.workbench import Workbench
from golden.reference import from_ir_measures

EXACT = 1e-12
NAMES = ["Compat", "Compat(p=0.8)", "Compat(p=0.5,normalize=False)", "IPrec@0.2", "IPrec@0.8", "SetAP", "infAP"]
DOCS = [f"d{i}" for i in range(12)]


@st.composite
def collections(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    queries = draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, unique=True))
    grades = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=1)
    qrels = {query: draw(grades) for query in queries}
    run = {}
    for query in queries:
        docs = draw(st.lists(st.sampled_from(DOCS), min_size=1, unique=True))
        run[query] = {
            doc: float(len(docs) - i) for i, doc in enumerate(docs)
        }  # above 0, the score of what is not there
    return qrels, run


@settings(deadline=None, max_examples=60)
@given(collections())
def test_any_small_collection_scores_as_ir_measures_says(
    both: tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]],
):
    qrels, run = both
    texts = [from_ir_measures(name) or name for name in NAMES]
    scores = assay.evaluate(run, qrels, texts, no_relevant="zero", bench=Workbench(hashes=False))
    for name, text in zip(NAMES, texts, strict=True):
        for found in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run):
            ours = scores.value(str(assay.parse(text)[0]))[scores.queries.index(found.query_id)]
            assert abs(ours - found.value) <= EXACT, (found, ours)
