"""Run tables that Spark scores have the values, counts, notes and errors that one machine gives."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay import evaluate
from assay.errors import InputError
from assay.flows.workbench import Workbench
from assay.measures.measure import MEASURES
from assay.results import dump
from spark.made import PLAIN, QUERIES, fault, hits, judgments, one_file, unnamed

pytestmark = pytest.mark.spark


def has_value(name, ties):
    """Whether the measure can do without a cutoff."""
    try:
        evaluate({"q": {"d": 1.0}}, {"q": {"d": 1}}, name, ties=ties)
    except InputError:
        return False
    return True


def every_measure(ties="docid"):
    """Every measure of the registry, with a cutoff and without."""
    named = []
    for name in MEASURES.names():
        about = MEASURES.find(name)
        if ties == "expected" and not about.averages_ties:
            continue
        named += [f"{name}@7"] if about.takes_cutoff else []
        named += [name] if has_value(name, ties) else []
    return [*named, "nDCG(gain=exp,ideal=returned)@5", "P(rel=2)@3", "RBP(p=0.9)"]


def same(found, asked):
    """Whether Spark's scores are those of one machine."""
    assert found.runs == asked.runs
    assert found.measures == asked.measures
    assert found.queries == asked.queries
    np.testing.assert_allclose(found.values, asked.values, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.judged, asked.judged)
    assert found.coverage == asked.coverage
    assert found.notes == asked.notes
    assert [(p.kind, p.name) for p in found.parts] == [(p.kind, p.name) for p in asked.parts]
    for one, other in zip(found.parts, asked.parts, strict=True):
        same(one.scores, other.scores)


def both(run, qrels, measures, **options):
    same(evaluate(run, qrels, measures, on="spark", **options), evaluate(run, qrels, measures, **options))


CHOICES = [
    {},
    {"ties": "expected", "missing": "skip", "no_relevant": "zero"},
    {"ties": "input", "unlisted": "not-relevant", "include": ("sponsored",)},
    {"ties": "best", "order": "score", "negative": "unjudged", "rel": 2},
    {"ties": "worst", "order": "rank", "no_relevant": "one"},
    {"compat": "trec_eval-9"},
]


@pytest.mark.parametrize("choices", CHOICES, ids=lambda one: "-".join(map(str, one.values())) or "defaults")
def test_every_measure_has_the_values_of_one_machine(tmp_path, choices):
    hits().write_parquet(tmp_path / "a.parquet")
    qrels = tmp_path / "qrels.parquet"
    judgments().write_parquet(qrels)
    both(tmp_path / "a.parquet", qrels, every_measure(choices.get("ties", "docid")), **choices)


def test_most_values_are_the_same_to_the_last_bit(tmp_path):
    hits().write_parquet(tmp_path / "a.parquet")
    measures = "nDCG@10 P@10 R@100 RR AP DCG(gain=exp)@5 Bpref Rprec RBP Judged@10"
    found = evaluate(tmp_path / "a.parquet", judgments(), measures, on="spark")
    asked = evaluate(tmp_path / "a.parquet", judgments(), measures)
    assert found.values.tobytes() == asked.values.tobytes()


def test_the_result_is_the_same_file(tmp_path):
    hits().write_parquet(tmp_path / "a.parquet")
    judgments().write_parquet(tmp_path / "qrels.parquet")
    found, asked = (evaluate(tmp_path / "a.parquet", tmp_path / "qrels.parquet", "nDCG@10 AP", on=on)
                    for on in ("spark", None))  # fmt: skip
    assert dump(found) == dump(asked)


def test_several_runs_are_scored_in_parts_by_topics_raters_and_sources(tmp_path):
    hits(2).write_parquet(tmp_path / "a.parquet")
    hits(3, 9).drop("rank", "kind").write_parquet(tmp_path / "b.parquet")
    qrels = pl.concat([
        judgments(1, rater=pl.lit("ann"), source=pl.lit("pool")),
        judgments(4, rater=pl.lit("bob"), source=pl.lit("clicks")),
    ])  # fmt: skip
    topics = pl.DataFrame({"query_id": QUERIES[:30], "segment": ["head", "tail", "tail"] * 10,
                           "weight": np.arange(30) / 3})  # fmt: skip
    runs = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    both(runs, qrels, "nDCG@10 AP Judged@5", topics=topics, by=["segment", "rater", "source"])


def test_subtopics_are_known_to_the_executors(tmp_path):
    hits().write_parquet(tmp_path / "a.parquet")
    some = pl.concat([judgments(seed, subtopic=pl.lit(f"s{seed}")) for seed in (1, 5)])
    measures = ["alpha-nDCG@10", "ERR-IA@10", "nDCG@10", *(n for n in MEASURES.names() if MEASURES.find(n).subtopics)]
    both(tmp_path / "a.parquet", some, measures, ties="worst")


def test_the_first_of_a_repeated_document_is_kept_as_the_file_has_it(tmp_path):
    table = hits()
    again = table.with_columns(score=pl.col("score") + 1)
    pl.concat([table, again]).write_parquet(tmp_path / "a.parquet", row_group_size=50)
    both(tmp_path / "a.parquet", judgments(), "nDCG@10 P@5", duplicates="keep-first")


# Tables of several files, and what columns may be


def test_a_folder_and_a_glob_are_one_run(tmp_path):
    table = hits()
    folder = tmp_path / "run"
    folder.mkdir()
    for number in range(4):  # the rows of a query lie in all files
        table[number::4].write_parquet(folder / f"part-{number}.parquet")
    (folder / "_SUCCESS").touch()
    (folder / "notes.txt").write_text("by hand", "utf-8")
    bench = Workbench()
    evaluate(folder, judgments(), "AP", on="spark", bench=bench)
    assert str(folder / "part-2.parquet") in bench.files()  # nothing is written over it
    asked = evaluate(one_file(tmp_path, table), judgments(), "nDCG@10 AP")
    for run, facts in ((folder, 2), (folder / "part-*.parquet", 1)):
        found = evaluate(str(run), judgments(), "nDCG@10 AP", on="spark")
        np.testing.assert_equal(unnamed(found)[0], unnamed(asked)[0])
        assert unnamed(found)[1:] == unnamed(asked)[1:]
        told = [note.text for note in found.notes if note.code == "read"]
        assert told[0] == f"{run}: 4 Parquet files"
        assert told[1:] == [f"{run}: 1 other file was passed over: no .parquet"][: facts - 1]


def test_ties_in_the_order_of_the_input_follow_the_files_by_name(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    for number, doc in enumerate(["d2", "d1", "d3"]):
        pl.DataFrame({"query_id": ["q"], "doc_id": [doc], "score": [1.0]}).write_parquet(folder / f"{number}.parquet")
    qrels = {"q": {"d1": 1, "d2": 0, "d3": 0}}
    assert evaluate(folder, qrels, "RR", ties="input", on="spark").mean() == 1 / 2  # d2, d1, d3
    assert evaluate(folder, qrels, "RR", on="spark").mean() == 1 / 3  # d3, d2, d1: ids descending


def test_folders_name_the_query_and_007_stays_what_it_is(tmp_path):
    rows = {"007": ["a", "b"], "7": ["b", "a"]}
    for query, docs in rows.items():
        folder = tmp_path / "run" / "day=2026-01-01" / f"query_id={query}"
        folder.mkdir(parents=True)
        pl.DataFrame({"doc_id": docs, "rank": [1, 2]}).write_parquet(folder / "0.parquet")
    found = evaluate(tmp_path / "run", {"007": {"a": 1}, "7": {"a": 1}}, "RR", on="spark")
    assert dict(zip(found.queries, found.value().tolist(), strict=True)) == {"007": 1.0, "7": 0.5}


def test_columns_are_found_by_other_names_and_cast_as_on_one_machine(tmp_path):
    table = hits().drop("kind", "rank")
    numbers = table.with_columns(query_id=pl.col("query_id").str.tail(2).str.to_integer(strict=False))
    numbers = numbers.drop_nulls("query_id")
    qrels = judgments().with_columns(
        query_id=pl.col("query_id").str.tail(2).str.to_integer(strict=False).cast(pl.String)
    )
    times = numbers.with_columns(at=pl.lit(0).cast(pl.Datetime("ns")))  # as pandas writes them
    cases = {
        "named": (times.rename({"query_id": "qid", "doc_id": "docno"}), {}),
        "small": (numbers.cast({"query_id": pl.Int8, "score": pl.Float32}), {}),
        "unsigned": (numbers.cast({"query_id": pl.UInt64, "score": pl.Decimal(9, 2)}), {}),
        "bytes": (numbers.with_columns(pl.col("query_id").cast(pl.String).cast(pl.Binary)), {}),
        "chosen": (numbers.rename({"score": "how good"}), {"columns": {"score": "how good"}}),
        "text": (numbers.with_columns(pl.col("score").cast(pl.String)), {}),
    }  # fmt: skip
    for name, (frame, options) in cases.items():
        frame.write_parquet(tmp_path / f"{name}.parquet")
        both(tmp_path / f"{name}.parquet", qrels.drop_nulls(), "nDCG@10", **options)


def test_ids_with_blanks_around_them_are_one_query(tmp_path):
    table = hits().drop("kind")
    blank = pl.Series(["", " ", "\t", "\u00a0", "\u3000"] * table.height).head(table.height)
    spaced = table.with_columns(query_id=blank + table["query_id"] + blank.reverse())
    spaced.write_parquet(tmp_path / "a.parquet")
    both(tmp_path / "a.parquet", judgments(), "nDCG@10 AP")


def test_only_numbers_by_query_come_back(tmp_path):
    """A hundred thousand rows of a run come back as one row for each part, whose size is that of the judgments."""
    from functools import partial

    from assay.flows.scored_groups import SCHEMA, Plan, scored
    from assay.logs.run_tables import RunTables, run_files
    from assay.measures.grammar import parse
    from assay.ranking.align import judged
    from assay.ranking.conventions import Conventions
    from assay.tables import Judgment
    from assay.tables.door import block_of

    n = 100_000
    pl.DataFrame({"query_id": [f"q{i // 1000:02d}" for i in range(n)], "doc_id": [f"d{i}" for i in range(n)],
                  "score": np.arange(n) * 1.0}).write_parquet(tmp_path / "a.parquet")  # fmt: skip
    held = judged(block_of(judgments(), Judgment, "qrels"), Conventions())
    tables = RunTables()
    from assay import __version__

    plan = Plan(__version__, (held,), tuple(parse("nDCG@10 AP")), Conventions(), "a")
    fields = {name: name for name in ("query_id", "doc_id", "score")}
    table = tables.open(run_files(str(tmp_path / "a.parquet")))
    back = table.by_query(fields, False, partial(scored, shipped=tables.shipped(plan.bare())), SCHEMA)
    assert back.num_rows <= 3
    assert back.nbytes < 20_000


# Faults


def wrong(tmp_path, frame, **options):
    frame.write_parquet(tmp_path / "a.parquet")
    return fault(tmp_path / "a.parquet", **options).replace(str(tmp_path), "")


def test_a_score_that_is_no_number_is_named_with_file_and_row(tmp_path):
    frame = PLAIN.with_columns(score=pl.Series([3.0, 2.0, float("nan"), float("inf")]))
    said = wrong(tmp_path, frame)
    frame.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError) as here:
        evaluate(tmp_path / "a.parquet", judgments(), "nDCG@10")
    assert here.value.where.endswith("/a.parquet, row 3")
    assert said.startswith("/a.parquet, row 3: " + here.value.what)
    assert "and 1 more" in said


def test_a_document_without_an_id_is_named_with_file_and_row(tmp_path):
    said = wrong(tmp_path, PLAIN.with_columns(doc_id=pl.Series(["d1", "d2", None, "d1"])))
    assert said.startswith("/a.parquet, row 3: doc_id is missing")


def test_a_row_without_a_query_is_named_with_file_and_row(tmp_path):
    said = wrong(tmp_path, PLAIN.with_columns(query_id=pl.Series(["q01", "q01", None, "q03"])))
    assert said.startswith("/a.parquet, row 3: query_id is missing")
    assert wrong(tmp_path, PLAIN.with_columns(query_id=pl.Series(["q01", "  ", "q02", "q03"]))).startswith(
        "/a.parquet, row 2: query_id is missing"
    )


def test_a_document_twice_is_named_with_query_file_and_row(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    PLAIN.write_parquet(folder / "0.parquet")
    PLAIN[:1].write_parquet(folder / "1 and more.parquet")
    said = fault(folder).replace(str(tmp_path), "")
    assert said.startswith("/run/1 and more.parquet, row 1: document d1 of query q01 was already at "
                           "/run/0.parquet, row 1")  # fmt: skip


def test_a_score_that_some_rows_lack_is_refused_though_all_have_a_rank(tmp_path):
    for scores in ([3.0, 2.0, None, None], [3.0, None, 1.0, 5.0]):
        said = wrong(tmp_path, PLAIN.with_columns(score=pl.Series(scores)))
        row = scores.index(None) + 1
        assert said.startswith(f"/a.parquet, row {row}: score is missing")
        assert ("row 4: score is missing" in said) == (scores.count(None) == 2)
    ranked = PLAIN.with_columns(score=pl.lit(None, dtype=pl.Float64))
    ranked.write_parquet(tmp_path / "a.parquet")
    both(tmp_path / "a.parquet", judgments(), "nDCG@10")


def test_a_table_without_a_column_or_without_rows_is_refused(tmp_path):
    assert "no column for doc_id" in wrong(tmp_path, PLAIN.drop("doc_id"))
    assert "no column for score or rank" in wrong(tmp_path, PLAIN.drop("score", "rank"))
    assert "--order rank needs a rank column" in wrong(tmp_path, PLAIN.drop("rank"), order="rank")
    assert "holds no rows" in wrong(tmp_path, PLAIN[:0])


def test_no_query_in_common_is_explained_as_on_one_machine(tmp_path):
    PLAIN.write_parquet(tmp_path / "a.parquet")
    qrels = {"Q01": {"d1": 1}}
    with pytest.raises(InputError) as here:
        evaluate(tmp_path / "a.parquet", qrels, "nDCG@10")
    assert fault(tmp_path / "a.parquet", qrels) == str(here.value)
    assert "lacks the judged query" in fault(tmp_path / "a.parquet", missing="error")


def test_a_broken_file_is_named(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    PLAIN.write_parquet(folder / "0.parquet")
    (folder / "1.parquet").write_bytes((folder / "0.parquet").read_bytes()[:-20])
    said = fault(folder)
    assert "cannot be read as a run" in said
    assert "run/1.parquet" in said


def test_what_is_no_table_of_parquet_is_refused(tmp_path):
    assert "there is no such run" in fault(tmp_path / "none.parquet")
    (tmp_path / "a.run").write_text("q01 Q0 d1 1 2.0 t\n", "utf-8")
    assert "is no Parquet file" in fault(tmp_path / "a.run")
    (tmp_path / "empty").mkdir()
    assert "holds no file" in fault(tmp_path / "empty")
    assert "no run table for Spark" in fault({"q01": {"d1": 1.0}})
    assert "no run table for Spark" in fault("-")


def test_a_measure_that_the_executors_do_not_know_is_named(tmp_path):
    from assay import measure

    @measure("OnlyHere", sees="no", foot="one")
    def only_here(r):
        """One."""
        return np.ones(r.n)

    PLAIN.write_parquet(tmp_path / "a.parquet")
    try:
        with pytest.raises(InputError, match="install the package that has the measure there"):
            evaluate(tmp_path / "a.parquet", judgments(), "OnlyHere", on="spark")
    finally:
        MEASURES._entries.pop("OnlyHere", None)
