"""Runs and judgments from anywhere to scores: what the flow adds to reading, ranking and measuring."""

import hashlib
import io
import math
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay
from assay.errors import InputError
from assay.flows.evaluate import evaluate, evaluate_collections
from assay.flows.run_names import short_names
from assay.flows.workbench import Workbench

RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 1.0, "y": 0.5}}
QRELS = {"q1": {"b": 1, "z": 2, "a": 0}, "q2": {"x": 1, "y": 0}}

# q1 shows grades 0, 1, unjudged; best order 2, 1:  (1/log2 3) / (2 + 1/log2 3).  q2 shows 1, 0: 1.
Q1 = (1 / math.log2(3)) / (2 + 1 / math.log2(3))


def rows(run: dict[str, dict[str, float]], value: str) -> dict[str, list[object]]:
    flat = [(q, d, v) for q, docs in run.items() for d, v in docs.items()]
    return {"query_id": [r[0] for r in flat], "doc_id": [r[1] for r in flat], value: [float(r[2]) for r in flat]}


def trec(run: dict[str, dict[str, float]]) -> str:
    return "".join(f"{q} Q0 {d} {i} {s} t\n" for q, docs in run.items() for i, (d, s) in enumerate(docs.items(), 1))


def qrels_text(qrels: dict[str, dict[str, int]]) -> str:
    return "".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items())


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text(trec(RUN), encoding="utf-8")
    qrels.write_text(qrels_text(QRELS), encoding="utf-8")
    return run, qrels


def test_a_dict_of_dicts_is_scored() -> None:
    scores = assay.evaluate(RUN, QRELS, "nDCG@10")
    assert scores.queries == ("q1", "q2")
    assert scores.value().tolist() == pytest.approx([Q1, 1.0], abs=1e-12)
    assert scores.mean() == pytest.approx((Q1 + 1) / 2, abs=1e-12)


def test_every_kind_of_table_gives_the_same(files: tuple[Path, Path]) -> None:
    hits, judgments = rows(RUN, "score"), rows(QRELS, "grade")
    arrow = pa.table(hits)
    kinds = {
        "polars": (pl.DataFrame(hits), pl.DataFrame(judgments)),
        "pandas": (pd.DataFrame(hits), pd.DataFrame(judgments)),
        "pyarrow": (arrow, pa.table(judgments)),
        "duckdb": (duckdb.sql("select * from arrow"), pl.DataFrame(judgments)),
        "files": files,
        "text": tuple(map(str, files)),
    }
    for name, (run, qrels) in kinds.items():
        found = assay.evaluate(run, qrels, ["nDCG@10", "P@2"])
        assert found.value("nDCG@10").tolist() == pytest.approx([Q1, 1.0], abs=1e-12), name
        assert found.value("P@2").tolist() == [0.5, 0.5], name


def test_a_dict_of_runs_keeps_its_names() -> None:
    scores = assay.evaluate({"old": RUN, "new": {"q1": {"z": 1.0}, "q2": {"x": 1.0}}}, QRELS, "RR")
    assert scores.runs == ("old", "new")
    assert scores.mean("RR", "old") == 0.75
    assert scores.mean("RR", "new") == 1.0


def test_a_large_file_is_streamed_to_the_same_scores(files: tuple[Path, Path]) -> None:
    run, qrels = files
    names = "nDCG@10 P@2 R@2 RR AP Bpref Judged@2 RankOfFirst"
    small = evaluate(run, qrels, names, bench=Workbench())
    large = evaluate(run, qrels, names, bench=Workbench(small=0))
    assert small.values.tolist() == large.values.tolist()
    assert small.notes == large.notes


def test_the_hash_of_an_input_is_what_sha256sum_prints(files: tuple[Path, Path]) -> None:
    run, qrels = files
    scores = evaluate(run, qrels, "RR")
    assert dict(scores.source.hashes) == {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def test_parts_by_a_column_of_the_topics_stand_beside_the_total() -> None:
    topics = pl.DataFrame({"query_id": ["q1", "q2"], "weight": [3.0, 1.0], "segment": ["head", "tail"]})
    scores = assay.evaluate(RUN, QRELS, "RR", topics=topics, by="segment")
    assert {(p.kind, p.name): p.scores.mean() for p in scores.parts} == {
        ("segment", "head"): 0.5,
        ("segment", "tail"): 1.0,
    }
    assert scores.mean() == 0.75
    assert scores.mean(weighted=True) == pytest.approx((3 * 0.5 + 1 * 1.0) / 4)


def test_parts_by_rater_score_each_raters_own_grades() -> None:
    grades = pl.DataFrame(
        {
            "query_id": ["q1", "q1", "q1", "q1"],
            "doc_id": ["a", "b", "a", "b"],
            "grade": [1, 0, 0, 1],
            "rater": ["ann", "ann", "bob", "bob"],
        }
    )
    scores = assay.evaluate({"q1": {"a": 2.0, "b": 1.0}}, grades, "RR", by="rater")
    assert {p.name: p.scores.mean() for p in scores.parts} == {"ann": 1.0, "bob": 0.5}
    assert scores.mean() == 1.0  # the mean grade of both documents is 0.5, which is above 0


def test_a_part_without_a_column_is_refused() -> None:
    with pytest.raises(InputError, match="--by segment needs a topics table"):
        assay.evaluate(RUN, QRELS, "RR", by="segment")
    with pytest.raises(InputError, match="the judgments have no column rater"):
        assay.evaluate(RUN, QRELS, "RR", by="rater")


def test_collections_count_once_each() -> None:
    found = evaluate_collections({"one": (RUN, QRELS), "two": ({"q": {"d": 1.0}}, {"q": {"d": 1}})}, "RR")
    assert found.names == ("one", "two")
    assert [s.mean() for s in found.scores] == [0.75, 1.0]
    assert found.mean() == 0.875


def test_collections_with_different_numbers_of_runs_are_refused() -> None:
    with pytest.raises(InputError, match="every collection needs the same number of runs: one has 1, two has 2"):
        evaluate_collections({"one": (RUN, QRELS), "two": ({"a": RUN, "b": RUN}, QRELS)}, "RR")


def test_a_run_is_called_by_its_file() -> None:
    assert short_names(["runs/bm25-1.2.run.gz", "dense.txt", "-"]) == ("bm25-1.2", "dense", "stdin")
    assert short_names(["a/bm25.run", "b/bm25.run"]) == ("a/bm25.run", "b/bm25.run")
    with pytest.raises(InputError, match=r"the run a/bm25\.run is given twice"):
        short_names(["a/bm25.run", "a/bm25.run"])


def test_a_choice_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="did you mean"):
        assay.evaluate(RUN, QRELS, "RR", no_relevnt="drop")


def test_a_list_of_grades_is_scored_by_hand() -> None:
    value = assay.score(shown=[2, 3, 0, 1, 2], judged=[3, 2, 2, 1, 0], measure="nDCG(gain=exp)@5")
    gains, best = [3, 7, 0, 1, 3], [7, 3, 3, 1, 0]
    dcg = sum(g / math.log2(i + 2) for i, g in enumerate(gains))
    assert value == pytest.approx(dcg / sum(g / math.log2(i + 2) for i, g in enumerate(best)), abs=1e-12)


def test_a_list_of_documents_is_scored_by_hand() -> None:
    assert assay.score(ranked=["d3", "d1"], relevant={"d1"}, measure="P@5") == 0.2
    assert assay.score(ranked=["d3", "d1"], relevant={"d1": 3.0, "d3": 1.0}, measure="DCG@1") == 1.0


def test_unjudged_places_of_a_list_are_not_grade_zero() -> None:
    assert assay.score(shown=[1, "?", None, 0], measure="Judged@4") == 0.5


def test_a_list_without_relevant_documents_has_no_value() -> None:
    assert math.isnan(assay.score(shown=[0, 0], measure="nDCG@2"))
    assert math.isnan(assay.score(shown=[None], measure="nDCG@2"))
    assert assay.score(shown=[0, 0], measure="nDCG@2", no_relevant="zero") == 0.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"shown": [3], "judged": [1]}, "grade 3 is shown more often than judged= lists it"),
        ({"shown": ["x"]}, "'x' in shown= is no grade"),
        ({}, "a list is needed, once"),
        ({"shown": [1], "ranked": ["d"]}, "a list is needed, once"),
        ({"ranked": ["d"]}, "ranked= needs the relevant documents"),
        ({"ranked": ["d"], "relevant": "d"}, "relevant= is one text"),
    ],
)
def test_a_list_that_cannot_be_meant_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        assay.score(measure="nDCG@2", **given)


def test_an_explanation_holds_every_row_in_its_final_order() -> None:
    run = {"q1": {"a": 1.0, "b": 1.0, "c": 2.0, "z": 1.0}}
    found = assay.explain(run, QRELS, "q1", "nDCG@10")
    assert [(line.rank, line.doc_id, line.grade, line.is_tied) for line in found.lines] == [
        (1, "c", None, False),
        (2, "z", 2.0, True),
        (3, "b", 1.0, True),
        (4, "a", 0.0, True),
    ]
    assert found.value == pytest.approx((2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3)), abs=1e-12)


def test_an_explanation_of_a_streamed_run_is_the_same(files: tuple[Path, Path]) -> None:
    run, qrels = files
    small = assay.explain(run, qrels, "q1", "AP", bench=Workbench())
    large = assay.explain(run, qrels, "q1", "AP", bench=Workbench(small=0))
    assert small == large


def test_an_unknown_query_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="no query q11 in the judgments; did you mean q1"):
        assay.explain(RUN, QRELS, "q11", "AP")


def test_a_query_that_the_run_lacks_is_explained_as_nothing() -> None:
    found = assay.explain({"q1": {"a": 1.0}}, QRELS, "q2", "nDCG@10")
    assert (found.value, found.lines, found.returned) == (0.0, (), 0)


def test_measures_compose_from_the_package() -> None:
    assert str(assay.nDCG @ 10) == "nDCG@10"
    assert str(assay.P(rel=2) @ 5) == "P(rel=2)@5"
    assert assay.parse("ndcg_cut_10") == [assay.nDCG @ 10]
    with pytest.raises(AttributeError, match="nDGC"):
        assay.nDGC  # noqa: B018 # the access is what is tested


def test_a_run_without_scores_or_ranks_is_refused() -> None:
    with pytest.raises(InputError, match="no column for score or rank among query_id, doc_id"):
        assay.evaluate(pl.DataFrame({"query_id": ["q1"], "doc_id": ["b"]}), QRELS, "RR")


def test_a_rank_alone_orders_a_run() -> None:
    run = pl.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["b", "a"], "rank": [2, 1]})
    assert assay.evaluate(run, QRELS, "RR").value().tolist() == [0.5, 0.0]


def test_names_of_columns_serve_files_of_different_formats(tmp_path: Path) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "q.csv"
    run.write_text("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n", encoding="utf-8")
    qrels.write_text("query,sku,label\nq1,d1,0\nq1,d2,1\n", encoding="utf-8")
    columns = {"doc_id": "sku", "grade": "label"}
    assert assay.evaluate(run, qrels, "RR", columns=columns).mean() == 0.5
    hits = tmp_path / "a.csv"
    hits.write_text("query,sku,similarity\nq1,d1,2\nq1,d2,1\n", encoding="utf-8")
    assert assay.evaluate(hits, qrels, "RR", columns={**columns, "score": "similarity"}).mean() == 0.5
    with pytest.raises(InputError, match="a field that no table has: grad; did you mean grade"):
        assay.evaluate(run, qrels, "RR", columns={"grad": "label"})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate(None, QRELS), "None is no run"),
        (lambda: evaluate(io.BytesIO(b"q1 Q0 d1 1 1 t"), QRELS), "is no run\n    mend: pass its path"),
        (lambda: evaluate(RUN, QRELS, 3), "3 is no measure"),
        (lambda: evaluate(RUN, QRELS, "nDCG(gain=exp,gain=linear)"), "gain is given twice"),
        (lambda: evaluate(RUN, QRELS, by=3), "by=3 names no columns"),
        (lambda: evaluate(RUN, QRELS, rel="x"), "--rel: rel x is not a grade"),
        (lambda: evaluate(RUN, QRELS, k=1.5), "--k counts results"),
        (lambda: evaluate(RUN, QRELS, gain={"a": 2}), "is no table of grade to gain"),
        (lambda: evaluate(RUN, QRELS, compat=9), "--compat 9 is not one of"),
        (lambda: evaluate("a\0b", QRELS), "cannot be opened"),
        (lambda: assay.explain(RUN, QRELS, 1, "P@1"), "no query 1 in the judgments; did you mean q1?"),
        (lambda: assay.score(measure="P@1", shown=3), "shown=3 is no list"),
        (lambda: assay.score(measure="P@1", shown="321"), "shown='321' is no list"),
        (lambda: assay.score(measure="P@1", shown=[[1]]), "[1] in shown= is no grade"),
        (lambda: assay.score(measure="P@1", shown=[1], judged=["x"]), "'x' in judged= is no grade"),
        (lambda: assay.score(measure="P@1", ranked="ab", relevant={"a"}), "ranked='ab' is no list"),
        (lambda: assay.score(measure="P@1", ranked=["a"], relevant={"a": None}), "None in relevant= is no grade"),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_wrong_argument_is_an_error_that_says_what_to_pass(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


def test_one_text_is_one_name_not_its_letters():
    rows = [("a", "organic", 3.0), ("b", "sponsored", 2.0)]
    run = pl.DataFrame({"query_id": ["q1", "q1"], "doc_id": [r[0] for r in rows], "kind": [r[1] for r in rows],
                        "score": [r[2] for r in rows]})  # fmt: skip
    assert evaluate(run, QRELS, "P@2").values[0, 0, 0] == 0
    assert evaluate(run, QRELS, "P@2", include="sponsored").values[0, 0, 0] == 0.5
    assert evaluate(RUN, QRELS, "P@1").only("q2").queries == ("q2",)


def test_a_list_may_be_an_array():
    assert assay.score(measure="P@2", shown=pl.Series([1, 0]).to_numpy(), judged=pl.Series([1, 0])) == 0.5


@pytest.fixture
def beir(tmp_path: Path) -> tuple[str, str]:
    """A run that shows one relevant document at rank 2, and a BEIR folder that lists nothing but that one."""
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "a"}\n', "utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "a"}\n', "utf-8")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "utf-8")
    (tmp_path / "a.run").write_text("q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n", "utf-8")
    return str(tmp_path / "a.run"), str(folder)


def test_a_format_that_lists_what_is_relevant_says_what_an_absent_pair_means(beir: tuple[str, str]) -> None:
    said = assay.evaluate(*beir, "Judged@2 RR")
    assert (said.mean("Judged@2"), said.mean("RR")) == (1.0, 0.5)
    assert dict(said.source.conventions)["unlisted"] == "not-relevant"
    assert any("an absent pair is not relevant; --unlisted unjudged says otherwise" in note.text for note in said.notes)
    other = assay.evaluate(*beir, "Judged@2", unlisted="unjudged")
    assert other.mean("Judged@2") == 0.5
    assert dict(other.source.conventions)["unlisted"] == "unjudged"


def test_what_a_format_says_holds_in_every_verb(beir: tuple[str, str]) -> None:
    run, folder = beir
    compared = assay.compare({"a": run, "b": {"q1": {"d1": 2.0, "d2": 1.0}}}, folder, "RR Judged@2")
    assert dict(compared.source.conventions)["unlisted"] == "not-relevant"
    assert {d.measure.name: d.candidate_mean for d in compared.differences} == {"RR": 1.0, "Judged": 1.0}
