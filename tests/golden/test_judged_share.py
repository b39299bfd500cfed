"""The share of the first ten that is judged, against the facts stored beside the collections."""

from __future__ import annotations

import json

import pytest

import assay
from golden.reference import COLLECTIONS

pytestmark = pytest.mark.shared


# The facts follow the rank column; of these runs only vaswani's `overlap` has ranks that its tied scores contradict.
@pytest.mark.parametrize(("collection", "digits", "order"), [("robust03", 3, "score"), ("vaswani", 4, "rank")])
def test_every_run_has_the_stored_share(collection: str, digits: int, order: str):
    folder = COLLECTIONS / collection
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))["judged@10"]
    runs = {name: folder / "runs" / f"{name}.run.gz" for name in facts}
    assert {path.name for path in (folder / "runs").iterdir()} == {path.name for path in runs.values()}
    scores = assay.evaluate(runs, next(folder.glob("qrels.txt*")), ["Judged(short=pad)@10"], order=order)
    ours = {name: scores.mean("Judged(short=pad)@10", run=name) for name in scores.runs}
    assert ours == pytest.approx(facts, rel=0, abs=0.5 * 10**-digits + 1e-9)
