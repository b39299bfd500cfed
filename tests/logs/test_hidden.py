"""What people typed about themselves leaves a log under another name, and counts as before."""

from __future__ import annotations

import polars as pl
import pytest

import assay
from assay import example

MAIL, CARD, PHONE = "orders of ann@example.org", "4012 8888 8888 1881", "call +44 20 7946 0958"
WORDS = ("red shoes", "size 42", MAIL, CARD, PHONE, "iphone 15 pro 256")
NAMES = ("search_id", "query", "doc_id", "rank", "click")


def written(path, n=3, names=NAMES):
    rows = [(f"s{place}-{turn}", text, f"d{shown}", shown, int(shown == 1))
            for place, text in enumerate(WORDS) for turn in range(n) for shown in (1, 2)]  # fmt: skip
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(path)
    return path


def texts(path):
    return set(pl.read_parquet(path)["query_id"])


@pytest.mark.parametrize("kind", ["position", "cascade", "last-click"])
def test_cells_hold_no_such_text_and_count_every_search(tmp_path, kind):
    log, out = written(tmp_path / "log.parquet"), tmp_path / "cells.parquet"
    found = assay.cells(log, out=out, kind=kind)
    assert texts(out) & set(WORDS) == {"red shoes", "size 42", "iphone 15 pro 256"}
    assert len(texts(out)) == 6
    assert found.impressions == 36
    assert [(note.code, note.count) for note in found.notes if note.code == "hidden"] == [("hidden", 3)]
    assert not any(text.encode() in out.read_bytes() for text in (MAIL, CARD, PHONE))


def test_a_day_that_is_read_again_gets_the_same_names_and_another_day_others(tmp_path):
    days = [written(tmp_path / f"{day}.parquet") for day in "ab"]
    for day, out in ((days[0], "1"), (days[0], "2"), (days[1], "3")):
        assay.cells(day, out=tmp_path / f"cells{out}.parquet")
    first, again, other = (texts(tmp_path / f"cells{out}.parquet") for out in "123")
    assert first == again
    assert {name for name in first & other if name.startswith("hidden-")} == set()


def test_what_is_shown_and_estimated_names_no_such_text(tmp_path):
    log = written(tmp_path / "log.parquet")
    shown = assay.behaviour(log)
    assert [note.count for note in shown.notes if note.code == "hidden"] == [3]
    assert not {MAIL, CARD, PHONE} & {value for rate in shown.queries for _, value in rate.group}
    assert next(rate.n for rate in shown.rates if rate.measure == "clicks a search") == 18


def test_ids_that_look_like_numbers_of_cards_are_left_alone(tmp_path):
    names = ("search_id", "query_id", *NAMES[2:])
    found = assay.cells(written(tmp_path / "log.parquet", names=names), out=tmp_path / "cells.parquet")
    assert texts(tmp_path / "cells.parquet") == set(WORDS)
    assert [note for note in found.notes if note.code == "hidden"] == []


def test_a_counterfactual_counts_the_searches_of_such_queries_too(tmp_path):
    def valued(text, where):
        log = pl.read_parquet(example.path("clicks.parquet")).drop("query")
        log = log.rename({"query_id": "query"}).with_columns(pl.col("query").replace({"q01": text}))
        log.write_parquet(tmp_path / f"{where}.parquet")
        lines = [line.split() for line in example.path("bm25.run").read_text("utf-8").splitlines()]
        rows = [(text if query == "q01" else query, doc, int(rank)) for query, _, doc, rank, *_ in lines]
        run = pl.DataFrame(rows, schema=("query_id", "doc_id", "rank"), orient="row")
        run.write_csv(tmp_path / f"{where}.csv")
        return assay.counterfactual(tmp_path / f"{where}.parquet", tmp_path / f"{where}.csv")

    typed, plain = valued(MAIL, "typed"), valued("blue", "plain")
    assert (typed.log.hidden, plain.log.hidden) == (1, 0)
    told = [(one.mean_weight, one.searches, one.queries, one.clicks, one.units) for one in (typed, plain)]
    assert told[0] == pytest.approx(told[1])
    assert told[1][1:3] == (3_000, 25)
    ends = [(one.value, one.low, one.high) for one in (typed, plain)]
    assert None not in ends[1], plain.reasons
    assert ends[0] == pytest.approx(ends[1])


def test_judgments_of_such_queries_are_those_of_the_log(tmp_path):
    lines = [line.split() for line in example.path("judgments.qrels").read_text("utf-8").splitlines()]

    def made(text):
        log = pl.read_parquet(example.path("clicks.parquet")).drop("query").rename({"query_id": "query"})
        log.with_columns(pl.col("query").replace({"q01": text})).write_parquet(tmp_path / f"{text[:4]}.parquet")
        qrels: dict[str, dict[str, float]] = {}
        for query, _, doc, grade in lines:
            qrels.setdefault(text if query == "q01" else query, {})[doc] = float(grade)
        return tmp_path / f"{text[:4]}.parquet", qrels

    (typed, its), (plain, others) = made(MAIL), made("blue")
    found = assay.qrels_from_clicks(typed, qrels=its, queries=[MAIL])
    same = assay.qrels_from_clicks(plain, qrels=others, queries=["blue"])
    assert (found.log.hidden, same.log.hidden) == (1, 0)
    assert found.judged == same.judged > 100
    assert found.queries[0].query_id.startswith("hidden-")
    assert [row.people_say for row in found.queries[0].rows] == [row.people_say for row in same.queries[0].rows]
    assert MAIL not in str(found.table)
    models = [assay.click_models(log, models="pbm", qrels=qrels) for log, qrels in ((typed, its), (plain, others))]
    assert models[0].models[0].auc == pytest.approx(models[1].models[0].auc)
