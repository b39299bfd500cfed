"""Every named query gives the same rows in plain Python, in DuckDB and in Spark; they use few functions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import logs.reference_behaviour
import logs.reference_bots
import logs.reference_satisfied
import logs.reference_weights  # noqa: F401 # these register their queries
from assay.logs.duck import Duck
from assay.logs.named import ENGINE, composed, named, names, parameters
from assay.logs.spark import ALLOWED, Spark
from logs.reference import QUERIES, Tables
from sparks import begun

VALUES = {"since": 100_000_000, "until": 3_000_000_000, "late": 300_000_000, "most": 3, "within": 200_000_000,
          "step": 2, "long": 12.0, "empty_are_zero": True, "by_app": True, "by_day": True, "by_ranker": False,
          "by_segment": True, "by_query": False}  # fmt: skip

SCHEMA = {"app": pl.String, "kind": pl.String, "event_id": pl.String, "impression_id": pl.String, "unit_id": pl.String,
          "session_id": pl.String, "query_id": pl.String, "query_text": pl.String, "doc_id": pl.String,
          "position": pl.Int64, "position_is_bad": pl.Boolean, "moment": pl.Int64, "moment_is_bad": pl.Boolean,
          "clicked": pl.Int64, "clicked_is_bad": pl.Boolean, "dwell_s": pl.Float64, "value": pl.Float64,
          "results": pl.Int64, "ranker": pl.String, "swap": pl.Int64, "propensity": pl.Float64,
          "segment": pl.String, "is_bot": pl.Int64, "user_agent": pl.String, "unread": pl.String,
          "is_plain": pl.Boolean, "line_is_bad": pl.Boolean}  # fmt: skip

ALIKE = [("red", "red shoes"), ("shoes", "red shoes"), ("red shoes", "shoes")]
OFFSETS = [(0, 1_000_000_000, 3_600_000_000), (1_000_000_000, 4_000_000_000, 7_200_000_000)]
CLICK_WEIGHTS = [("q1", "d1", 1, None, 1.5, -0.25, 1.0), ("q1", "d1", 3, None, 3.0, -0.5, 1.0),
                 ("q2", "d4", 2, "phone", 2.25, 0.0, 0.5), ("q2", "d4", 2, "desktop", 4.5, -0.125, 0.75),
                 ("q2", "d4", 3, "not named", 1.25, -1.0, 0.5), ("q3", "d2", 3, None, 7.0, -1.0, 0.25)]  # fmt: skip
SEARCH_WEIGHTS = [("q1", None, 0.5, 1.0), ("q2", "phone", 0.0, 0.75), ("q2", "desktop", 0.25, 0.5),
                  ("q2", "not named", 2.0, 0.25)]  # fmt: skip
BOT_AGENTS = [("b/1", "a row of a bot: its user agent says so"), ("m/2", "a row of a bot: the list has its user agent")]
TARGET = [("d1", 1, 0.5), ("d2", 1, 0.25), ("d1", 3, 0.125), ("d4", 3, 0.75)]
LAID = {
    "bot_units": ({"unit_id": "VARCHAR"}, [("u8",), ("u9",)]),
    "bot_agents": ({"user_agent": "VARCHAR", "bot": "VARCHAR"}, BOT_AGENTS),
    "others": ({"app": "VARCHAR", "place": "VARCHAR"}, [("x", "f:2"), ("x", "f:1"), (None, "f:9"), ("y", None)]),
    "aside": ({"session_id": "VARCHAR"}, [("s3",)]),
    "nameless": ({"impression_id": "VARCHAR"}, [("i4",), ("i7",)]),
    "alike": ({"query_text": "VARCHAR", "next_text": "VARCHAR"}, ALIKE),
    "offsets": ({"since": "BIGINT", "until": "BIGINT", "ahead": "BIGINT"}, OFFSETS),
    "click_weights": ({"query_id": "VARCHAR", "doc_id": "VARCHAR", "position": "BIGINT", "segment": "VARCHAR",
                       "of_click": "DOUBLE", "of_showing": "DOUBLE", "mass": "DOUBLE"}, CLICK_WEIGHTS),
    "search_weights": ({"query_id": "VARCHAR", "segment": "VARCHAR", "of_search": "DOUBLE", "mass": "DOUBLE"},
                       SEARCH_WEIGHTS),
    "target": ({"doc_id": "VARCHAR", "position": "BIGINT", "chance": "DOUBLE"}, TARGET),
}  # fmt: skip


def log(n, seed):
    """Rows in which everything can be absent, tied, repeated or wrong."""
    rng = np.random.default_rng(seed)

    def some(values, absent):
        return [None if rng.random() < absent else values[rng.integers(len(values))] for _ in range(n)]

    columns = {
        "app": some(["a", "b"], 0.2), "kind": some(["search", "impression", "impression", "impression", "click",
                                                     "click", "cart", "purchase", "satisfied", "hover"], 0.03),
        "event_id": some([f"e{i}" for i in range(30)], 0.6), "impression_id": some([f"i{i}" for i in range(12)], 0.1),
        "unit_id": some(["u1", "u2", "u3"], 0.3), "session_id": some(["s1", "s2", "s3", "s4"], 0.2),
        "query_id": some(["q1", "q2", "q3"], 0.2), "query_text": some(["red", "red shoes", "shoes"], 0.4),
        "doc_id": some(["d1", "d2", "d3", "d4"], 0.05), "position": some([0, 1, 2, 3, 3, 4], 0.05),
        "moment": some([int(i) * 50_000_000 for i in range(70)], 0.1), "clicked": some([0, 1, 1], 0.4),
        "dwell_s": some([-1.0, 0.0, 0.31, 12.55, 31.0], 0.5), "value": some([0.0, 2.5, 9.75], 0.3),
        "results": some([0, 7], 0.5), "ranker": some(["A", "B"], 0.3), "swap": some([0, 2], 0.5),
        "propensity": some([0.0, 0.25, 0.5, 1e-6], 0.2),
        "segment": some(["phone", "desktop"], 0.3), "is_bot": some([0, 1], 0.4),
        "user_agent": some(["a", "b/1", "m/2"], 0.3),
        "unread": some(["dwell_s ", "value results "], 0.7),
    }  # fmt: skip
    flags = {name: [bool(one) for one in rng.random(n) < 0.04]
             for name in ("position_is_bad", "moment_is_bad", "clicked_is_bad", "line_is_bad")}  # fmt: skip
    flags["is_plain"] = [bool(one) for one in rng.random(n) < 0.5]
    table = pl.DataFrame({**columns, **flags}, schema_overrides=SCHEMA).select(list(SCHEMA))
    search = pl.col("impression_id")  # one bot's row makes a bot's of its search: only some searches have any
    return table.with_columns(
        is_bot=pl.when(search.is_null() | (search == "i3")).then("is_bot").otherwise(0),
        user_agent=pl.when(search.is_in(["i5", "i7"]) | (pl.col("kind") == "click")).then("user_agent"),
        unit_id=pl.when((search == "i8") & (pl.col("unit_id") == "u2")).then(pl.lit("u9")).otherwise("unit_id"),
    )


ENDS = ("cells", "cascade", "last_click_cells", "unit_moments", "position_moments", "dwells", "tally", "other_apps",
        "refused_places", "without_query", "searches_without_query", "aside_impressions", "unmatched",
        "weighed_moments", "segment_searches", "bandit_cells", "bandit_moments", "satisfied_pairs")  # fmt: skip
"""Texts that others are not built from: they are run on nothing, too."""

LOGS = {"some": log(600, 1), "few": log(25, 2), "none": log(0, 3)}


def same(found, asked):
    assert found.height == len(asked)
    names_ = sorted(found.columns)
    if asked:
        assert names_ == sorted(asked[0])
    key = [name for name in names_ if found[name].dtype != pl.Float64]
    rest = [name for name in names_ if name not in key]
    order = key + rest
    left, right = (sorted((tuple(plain(row[name], found[name].dtype) for name in order) for row in rows), key=rounded)
                   for rows in (found.iter_rows(named=True), asked))  # fmt: skip
    for one, other in zip(left, right, strict=True):
        assert one[: len(key)] == other[: len(key)]
        assert list(one[len(key) :]) == pytest.approx(list(other[len(key) :]), rel=1e-12, abs=1e-12)


ABSENT = -1e300
"""What stands for null among numbers, which cannot be compared with it."""


def plain(value, dtype):
    if dtype == pl.Float64:
        return ABSENT if value is None else float(value)
    return value


def rounded(row):
    return repr([round(value, 6) if isinstance(value, float) else value for value in row])


def reference(table):
    laid = {name: [dict(zip(columns, row, strict=True)) for row in rows] for name, (columns, rows) in LAID.items()}
    return Tables(VALUES, log=table.to_dicts(), all_rows=table.to_dicts(), **laid)


@pytest.fixture(scope="module")
def duck(tmp_path_factory):
    engine = Duck()
    for name, (columns, rows) in LAID.items():
        engine.lay(name, columns, rows)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def spark():
    session = begun()
    engine = Spark()
    for name, (columns, rows) in LAID.items():
        engine.lay(name, columns, rows)
    yield engine
    session.stop()


def test_every_text_has_a_reference():
    assert set(names()) == set(QUERIES)


def test_texts_say_what_they_give_and_read():
    for name in names():
        query = named(name)
        assert query.about.endswith("."), name
        assert all(one in ENGINE or one in names() for one in query.reads), name


@pytest.mark.parametrize("size", LOGS)
@pytest.mark.parametrize("name", names())
def test_duckdb_gives_the_reference(duck, tmp_path, name, size):
    file = tmp_path / "log.parquet"
    LOGS[size].write_parquet(file)
    for view in ("log", "all_rows"):
        duck._execute(f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT * FROM read_parquet('{file}')")
    same(duck.run(name, **VALUES), reference(LOGS[size])[name])


@pytest.mark.spark
@pytest.mark.parametrize(
    ("name", "size"),
    [*((name, "some") for name in names() if not named(name).only), *((name, "none") for name in ENDS)],
)
def test_spark_gives_the_reference(spark, tmp_path, name, size):
    rows = spark._session.createDataFrame(LOGS[size].to_arrow())
    for view in ("log", "all_rows"):
        rows.createOrReplaceTempView(view)
    same(spark.run(name, **VALUES), reference(LOGS[size])[name])


@pytest.mark.spark
def test_texts_call_only_what_both_engines_mean_alike():
    import sqlglot
    from sqlglot import exp

    for name in names():
        if named(name).only:
            continue
        called = {type(one).__name__ for one in sqlglot.parse_one(named(name).text, read="duckdb").find_all(exp.Func)}
        assert called <= ALLOWED, name


def test_values_are_bound_and_never_text():
    assert parameters(composed("heavy")) == ["most", "since", "until"]
