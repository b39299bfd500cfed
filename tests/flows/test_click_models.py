"""Click models on logs of a known law: the law that made the log predicts it best."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError, NotEnoughEvidence
from assay.simulate.logs import clicks, frame
from assay.simulate.worlds import World


def write(path, law, n=12_000):
    world = World.make(2, queries=20)
    frame(world, clicks(world, n, np.random.default_rng(3), law, swaps=0.2), 3).write_parquet(path)
    grades = [{"query_id": query, "doc_id": doc, "grade": float(grade)}
              for query, docs, row in zip(world.query_ids, world.doc_ids, world.grade, strict=True)
              for doc, grade in zip(docs, row.tolist(), strict=True)]  # fmt: skip
    return path, pl.DataFrame(grades)


@pytest.mark.parametrize(("law", "best"), [("pbm", {"pbm", "ubm"}), ("dbn", {"dbn", "sdbn", "ccm"})])
def test_the_law_that_made_the_log_predicts_it_best(tmp_path, law, best):
    path, qrels = write(tmp_path / "log.parquet", law)
    found = assay.click_models(path, models="pbm,ubm,dbn,sdbn,ccm,rank-ctr,document-ctr", qrels=qrels)
    assert found.models[0].name in best
    ranked = [one.by_list for one in found.models]
    assert ranked == sorted(ranked, reverse=True)
    assert found.earlier + found.later == 12_000
    assert found.earlier == pytest.approx(8_000, abs=1)
    auc = {one.name: one.auc for one in found.models}
    assert auc["rank-ctr"] is None or auc["rank-ctr"] == pytest.approx(
        0.5, abs=0.2
    )  # positions alone know no documents
    assert auc[found.models[0].name] > auc["rank-ctr"] + 0.2


def test_searches_are_taken_evenly(tmp_path):
    path, _ = write(tmp_path / "log.parquet", "pbm", 3_000)
    found = assay.click_models(path, models="rank-ctr", searches=1_000)
    assert found.earlier + found.later == 1_000


def test_what_cannot_be_fitted(tmp_path):
    path, _ = write(tmp_path / "log.parquet", "pbm", 10)
    with pytest.raises(InputError, match="did you mean pbm"):
        assay.click_models(path, models="pbn")
    pl.read_parquet(path).drop("impression_id").write_parquet(tmp_path / "flat.parquet")
    with pytest.raises(InputError, match="whole lists"):
        assay.click_models(tmp_path / "flat.parquet")
    pl.read_parquet(path).head(10).write_parquet(tmp_path / "one.parquet")
    with pytest.raises(NotEnoughEvidence):
        assay.click_models(tmp_path / "one.parquet")
