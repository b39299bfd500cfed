"""Made logs: each law does what it says, and what went in is written beside."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay import example
from assay.errors import InputError
from assay.simulate.logs import CONTINUES, TRUST


def made(tmp_path, law, searches=20_000, **more):
    runs = [str(example.path(name)) for name in ("bm25.run", "dense.run")]
    found = assay.simulate_logs(runs, str(example.path("judgments.qrels")), out=tmp_path / "log.parquet",
                                truth=tmp_path / "truth.csv", searches=searches, law=law, seed=7, **more)  # fmt: skip
    return found, pl.read_parquet(tmp_path / "log.parquet"), pl.read_csv(tmp_path / "truth.csv")


def searches(log):
    """impression_id, position, clicked, clicks above, with what went in."""
    above = pl.col("clicked").cum_sum().over("impression_id", order_by="position") - pl.col("clicked")
    return log.with_columns(above=above).sort("impression_id", "position")


def off(rows, chance):
    """By how many standard errors the clicks of some rows are off what was to be expected."""
    expected, variance = rows[chance].sum(), (rows[chance] * (1 - rows[chance])).sum()
    return (rows["clicked"].sum() - expected) / np.sqrt(variance)


class TestLaws:
    def test_cascade_readers_go_on_to_their_first_click(self, tmp_path):
        _, log, truth = made(tmp_path, "cascade")
        rows = searches(log).join(truth, on=["query_id", "doc_id"])
        assert rows.height == log.height
        assert log.group_by("impression_id").agg(pl.col("clicked").sum())["clicked"].max() == 1
        seen = rows.filter(pl.col("above") == 0)
        assert abs(off(seen, "attraction")) < 3
        assert abs(off(seen.filter(pl.col("position") > 5), "attraction")) < 3
        assert truth["satisfaction"].to_list() == [1.0] * truth.height

    def test_pbm_and_trust_have_chances_by_position(self, tmp_path):
        for law in ("pbm", "trust"):
            _, log, truth = made(tmp_path, law, eta=0.5)
            rows = log.join(truth, on=["query_id", "doc_id"])
            seen, merit = 1 / pl.col("position") ** 0.5, pl.col("attraction")
            trusted = 0.98 * merit + TRUST / pl.col("position") * (1 - merit)
            rows = rows.with_columns(chance=seen * (merit if law == "pbm" else trusted))
            for place in (1, 2, 5, 10):
                assert abs(off(rows.filter(pl.col("position") == place), "chance")) < 3.5
            assert truth["satisfaction"].null_count() == truth.height

    def test_dbn_readers_stop_when_satisfied(self, tmp_path):
        _, log, truth = made(tmp_path, "dbn")
        rows = searches(log).join(truth, on=["query_id", "doc_id"])
        first, second = (rows.filter(pl.col("position") == place) for place in (1, 2))
        assert abs(off(first, "attraction")) < 3
        stops = first.select("impression_id", stops=pl.col("clicked") * pl.col("satisfaction"))
        went_on = second.join(stops, on="impression_id").with_columns(
            chance=CONTINUES * (1 - pl.col("stops")) * pl.col("attraction")
        )
        assert abs(off(went_on, "chance")) < 3


def test_head_queries_have_the_traffic_that_the_truth_says_and_swaps_their_share(tmp_path):
    found, log, truth = made(tmp_path, "pbm", swaps=0.2)
    asked = log.unique("impression_id")
    shares = truth.unique("query_id").sort("traffic", descending=True)
    assert shares["traffic"].sum() == pytest.approx(1)
    assert shares["traffic"][0] > 10 * shares["traffic"][-1]
    for query, share in shares.select("query_id", "traffic").rows()[:3]:
        n = asked.filter(pl.col("query_id") == query).height
        assert abs(n - 20_000 * share) < 3.5 * np.sqrt(20_000 * share * (1 - share))
    assert abs((asked["swap"] > 0).sum() - 4_000) < 3.5 * np.sqrt(20_000 * 0.2 * 0.8)
    assert set(asked["ranker"]) == {"bm25", "dense"}
    assert found.truth == str(tmp_path / "truth.csv")


def test_the_same_seed_makes_the_same_log_and_the_truth_is_csv(tmp_path):
    _, first, truth = made(tmp_path, "dbn", 500)
    _, second, again = made(tmp_path, "dbn", 500)
    assert first.equals(second)
    assert truth.equals(again)
    with pytest.raises(InputError, match="what went in is written as CSV"):
        assay.simulate_logs(["a.run"], "b.qrels", out="log.csv", truth="truth.parquet")


@pytest.mark.parametrize(
    ("rankers", "swaps", "verb"),
    [(("bm25", "dense"), 0.0, "propensity"), (("bm25",), 0.2, "propensity"), (("bm25",), 0.0, "behaviour")],
    ids=["two-rankers", "swaps", "one-order"],
)
def test_the_next_command_is_one_that_the_log_has_an_answer_for(tmp_path, rankers, swaps, verb):
    from assay.report.describe import describe
    from assay.report.text import to_text

    runs = [str(example.path(f"{name}.run")) for name in rankers]
    found = assay.simulate_logs(runs, str(example.path("judgments.qrels")), out=tmp_path / "a log.parquet",
                                searches=300, swaps=swaps)  # fmt: skip
    assert f"assay {verb} '{tmp_path / 'a log.parquet'}'" in " ".join(to_text(describe(found), 400).split())
    getattr(assay, verb)(str(tmp_path / "a log.parquet"))
