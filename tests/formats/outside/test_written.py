"""What writers write, letter for letter after the documented shapes, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.errors import InputError
from assay.formats.carried import Carried
from assay.tables import Document, Hit, Judgment, Topic
from formats.outside.files import claims, put, read, rows, write
from formats.outside.harness import block, sample

JUDGED = [
    {"query_id": "q1", "doc_id": "A,1", "grade": 3, "rater": "Ann Lee"},
    {"query_id": "q1", "doc_id": "A,1", "grade": 2.5, "rater": "Bo"},
    {"query_id": "q2", "doc_id": "B", "grade": 0},
]
TOPICS = [
    {"query_id": "q1", "text": 'boots, "warm"', "weight": 12, "query_set": "train"},
    {"query_id": "q2", "text": "=5", "weight": 0.5},
    {"query_id": "q3", "text": "tent"},
]
DOCS = [
    {"doc_id": "A,1", "title": "Boot", "text": "price: 79.5\nbrand: Nord"},
    {"doc_id": "B", "title": "Tent", "text": "Two persons."},
    {"doc_id": "C", "text": "Doc ID: 7"},
]
HITS = [
    {"query_id": "q1", "doc_id": "B", "score": 2.5, "rank": 1},
    {"query_id": "q1", "doc_id": "A,1", "score": 1.0, "rank": 2},
    {"query_id": "q2", "doc_id": "C", "score": 7, "rank": 1},
]


def carried(judged: list[dict[str, Any]] | None = None, *, run: bool = False, **more: Any) -> Carried:
    tables = {Topic: block(Topic, *TOPICS), Judgment: block(Judgment, *(judged or [JUDGED[0], JUDGED[2]]))}
    if run:
        tables[Document] = block(Document, *DOCS)
    return Carried("x", tables, {"bm25": block(Hit, *HITS)} if run else {}, **more)


def counts(format: str, held: Carried, target: Path, **options: str) -> dict[str, int]:
    return {what: one.count for what, one in write(format, held, target, **options).items()}


def test_quaerite_has_the_set_and_the_count_of_every_query(tmp_path):
    assert counts("quaerite", carried(), tmp_path / "x") == {"rater of judgments": 1, "queries without judgments": 1}
    assert (tmp_path / "x").read_text() == (
        'querySet,queryId,query,count,relevance,id\ntrain,q1,"boots, ""warm""",12,3,"A,1"\n,q2,=5,0.5,0,B\n'
    )


def test_judgements_have_a_column_for_every_judge_and_the_last_for_nobody(tmp_path):
    assert counts("quepid-judgements", carried(JUDGED), tmp_path / "x") == {
        "query ids": 3, "weight of topics": 2, "query_set of topics": 1, "queries without judgments": 1,
        "judgments without a rater": 1,
    }  # fmt: skip
    assert (tmp_path / "x").read_text() == (
        'query,docid,Ann Lee,Bo,Anonymous\n"boots, ""warm""","A,1",3,2.5,\n =5,B,,,0\n'
    )


def test_two_judges_of_one_name_get_two_columns_of_one_title(tmp_path):
    got = read("quepid-judgements", tmp_path, "in.csv", sample("quepid-judgements.csv").read_bytes())
    write("quepid-judgements", got, tmp_path / "x")
    assert (tmp_path / "x").read_text().startswith("query,docid,Ann Lee,Ann Lee,Bo,Anonymous\nboots,SKU-12,3,2,,\n")
    alone = carried([{**JUDGED[0], "rater": "Ann (2)"}])  # nobody else is called Ann: it is a name like others
    write("quepid-judgements", alone, tmp_path / "y")
    assert (tmp_path / "y").read_text().startswith("query,docid,Ann (2),Anonymous\n")


@pytest.mark.parametrize(
    ("judged", "error"),
    [
        ([{**JUDGED[0], "rater": "DocID"}], "x: a rater is called DocID, as a column is\n    mend: give the rater"),
        ([{**JUDGED[0], "subtopic": "a"}, {**JUDGED[0], "grade": 1, "subtopic": "b"}],
         "row 2: Ann Lee gave document A,1 of query q1 3 and 1\n    mend: Quepid judgements CSV holds one grade"),
    ],
)  # fmt: skip
def test_judgements_that_cannot_be_read_back_are_refused(judged, error, tmp_path):
    with pytest.raises(InputError) as caught:
        write("quepid-judgements", carried(judged), tmp_path / "x")
    assert str(caught.value).startswith(error)
    assert not (tmp_path / "x").exists()


def test_a_general_file_leaves_what_quepid_computes_blank(tmp_path):
    gone = counts("quepid-general", carried(), tmp_path / "x", team="Shop", case="3")
    assert gone == {"query ids": 3, "weight of topics": 2, "query_set of topics": 1, "judgments": 2}
    assert (tmp_path / "x").read_text().splitlines()[:3] == [
        "Team Name,Case Name,Case ID,Query Text,Score,Date Last Scored,Count,Information Need,Notes,Options",
        'Shop,x,3,"boots, ""warm""",,,,,,', "Shop,x,3, =5,,,,,,",
    ]  # fmt: skip


def test_a_detailed_file_has_hits_then_what_was_only_rated(tmp_path):
    assert counts("quepid-detailed", carried(run=True), tmp_path / "x") == {
        "rater of judgments": 1, "query ids": 3, "weight of topics": 2, "query_set of topics": 1, "scores of hits": 3,
        "queries without hits and judgments": 1,
    }  # fmt: skip
    assert (tmp_path / "x").read_text().splitlines() == [
        "Team Name,Case Name,Case ID,Query Text,Doc ID,Position,Title,Rating,price,brand,text",
        ',bm25,1,"boots, ""warm""",B,1,Tent,,,,Two persons.',
        ',bm25,1,"boots, ""warm""","A,1",2,Boot,3,79.5,Nord,',
        ",bm25,1, =5,C,1,,,,,Doc ID: 7",  # a field of this name would be taken for the document's id
        ",bm25,1, =5,B,,Tent,0,,,Two persons.",
    ]
    again = read("quepid-detailed", tmp_path, "again", (tmp_path / "x").read_bytes())
    assert sorted(rows(again, Document, "doc_id", "title", "text")) == [
        (one["doc_id"], one.get("title", ""), one["text"]) for one in DOCS
    ]
    assert again.runs["bm25"].polars()["doc_id"].to_list() == ["B", "A,1", "C"]


def test_the_detailed_sample_comes_out_as_it_went_in(tmp_path):
    text = sample("quepid-detailed.csv").read_bytes()
    assert counts("quepid-detailed", read("quepid-detailed", tmp_path, "in.csv", text), tmp_path / "x") == {}
    assert (tmp_path / "x").read_bytes() == text


def test_two_runs_are_two_cases_that_say_the_same_of_a_pair(tmp_path):
    held = carried(run=True)
    two = Carried("x", held.tables, {**held.runs, "dense": block(Hit, HITS[0])})
    write("quepid-detailed", two, tmp_path / "x")
    again = read("quepid-detailed", tmp_path, "again", (tmp_path / "x").read_bytes())
    assert list(again.runs) == ["bm25", "dense"]
    assert len(again.tables[Judgment]) == 2


def test_a_snapshot_keeps_the_numbers_of_its_queries(tmp_path):
    got = read("quepid-snapshot-json", tmp_path, "in.json", sample("quepid-snapshot.json").read_bytes())
    assert counts("quepid-snapshot-json", got, tmp_path / "x") == {}
    made = json.loads((tmp_path / "x").read_text())
    assert made["docs"] == {
        "31": [{"id": "SKU-12", "explain": None, "rated_only": False, "fields": {"title": "Boot"}},
               {"id": "SKU-77", "explain": None, "rated_only": False, "fields": {}}],
        "32": [],
    }  # fmt: skip
    assert made["queries"] == [{"query_id": 31, "query_text": "boots"}, {"query_id": 32, "query_text": "kids tent"}]
    assert (made["name"], made["time"], made["scorer"]) == ("monday", "2026-03-02T08:00:00.000Z", {"name": "nDCG@10"})


def test_a_snapshot_of_two_runs_is_asked_which(tmp_path):
    two = Carried("x", {}, {"a": block(Hit, HITS[0]), "b": block(Hit, *HITS)})
    with pytest.raises(InputError, match="Quepid snapshot JSON holds one run, and there are 2"):
        write("quepid-snapshot-json", two, tmp_path / "x")
    gone = counts("quepid-snapshot-json", two, tmp_path / "x", run="b")
    assert gone == {"scores of hits": 3, "hits of other runs": 1}


def test_quepids_trec_lines_have_the_texts_beside_them(tmp_path):
    assert counts("quepid-trec", carried(), tmp_path / "x") == {
        "rater of judgments": 1, "query ids": 2, "weight of topics": 2, "query_set of topics": 1,
        "queries without judgments": 1,
    }  # fmt: skip
    assert (tmp_path / "x").read_text() == "1 0 A,1 3\n2 0 B 0\n"
    assert (tmp_path / "x.topics.csv").read_text() == 'query_id,text\n1,"boots, ""warm"""\n2,=5\n'
    blank = carried([{**JUDGED[0], "doc_id": "A 1"}])
    with pytest.raises(InputError, match="document 'A 1' of query 'q1' holds white space that cuts the line"):
        write("quepid-trec", blank, tmp_path / "y")
    assert not list(tmp_path.glob("y*"))


def test_an_answer_has_null_where_nobody_rated(tmp_path):
    held = carried(run=True)
    del held.tables[Document]  # type: ignore[attr-defined]
    assert counts("rank-eval-answer", held, tmp_path / "x", index="shop") == {
        "rater of judgments": 1, "text of topics": 3, "weight of topics": 2, "query_set of topics": 1,
        "queries without hits": 1, "judgments of documents that were not returned": 1,
    }  # fmt: skip
    hit = {"_index": "shop", "_id": "C"}
    made = json.loads((tmp_path / "x").read_text())
    assert made["details"]["q2"] == {
        "metric_score": None, "unrated_docs": [hit], "hits": [{"hit": {**hit, "_score": 7.0}, "rating": None}]
    }  # fmt: skip
    assert [one["rating"] for one in made["details"]["q1"]["hits"]] == [None, 3]
    assert (made["metric_score"], made["failures"]) == (None, {})


@pytest.mark.parametrize(
    ("judged", "options", "error"),
    [
        ([JUDGED[0]], {}, "x: a _rank_eval answer needs the name of an index\n    mend: say it by --option index=NAME"),
        ([{**JUDGED[0], "grade": 2.5}], {"index": "s"}, "x: document A,1 of query q1 has the grade 2.5\n    mend: "),
    ],
)
def test_an_answer_that_no_engine_gives_is_refused(judged, options, error, tmp_path):
    with pytest.raises(InputError) as caught:
        write("rank-eval-answer", carried(judged, run=True), tmp_path / "x", **options)
    assert str(caught.value).startswith(error)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("format", ["rank-eval", "rank-eval-answer"])
def test_ids_that_say_their_index_are_taken_apart_again(format, tmp_path):
    from formats.outside.test_rank_eval import ANSWER, REQUEST

    text = {"rank-eval": REQUEST, "rank-eval-answer": ANSWER}[format]
    two = text.replace('"shop", "_id": "P3"', '"blog", "_id": "P3"')
    write(format, read(format, tmp_path, "in.json", two), tmp_path / "x")
    assert '"_index": "blog",' in (tmp_path / "x").read_text()
    assert rows(read(format, tmp_path, "again", (tmp_path / "x").read_bytes()), Judgment, "doc_id") == rows(
        read(format, tmp_path, "in.json", two), Judgment, "doc_id"
    )


def test_two_runs_are_compared_and_one_is_evaluated(tmp_path):
    two = Carried("x", {}, {"base": block(Hit, *HITS), "new": block(Hit, HITS[0])})
    assert counts("srw-experiment", two, tmp_path / "x") == {"scores of hits": 4}
    assert json.loads((tmp_path / "x").read_text()) == {
        "type": "PAIRWISE_COMPARISON", "searchConfigurationList": ["base", "new"], "results": [
            {"queryText": "q1", "metrics": [], "snapshots": [
                {"searchConfigurationId": "base", "docIds": ["B", "A,1"]},
                {"searchConfigurationId": "new", "docIds": ["B"]}]},
            {"queryText": "q2", "metrics": [], "snapshots": [{"searchConfigurationId": "base", "docIds": ["C"]}]}],
    }  # fmt: skip
    one = Carried("x", {}, {"new": block(Hit, HITS[0])})
    write("srw-experiment", one, tmp_path / "y")
    assert json.loads((tmp_path / "y").read_text()) == [
        {"searchConfigurationId": "new", "searchText": "q1", "judgmentIds": [], "documentIds": ["B"], "metrics": []}
    ]
    assert claims(tmp_path / "x") == claims(tmp_path / "y") == ["srw-experiment"]
    write("srw-experiment", one, tmp_path / "z", type="pairwise")
    assert "snapshots" in (tmp_path / "z").read_text()
    with pytest.raises(InputError, match="type=both is not pairwise or pointwise"):
        write("srw-experiment", one, tmp_path / "z", type="both")


def test_judgments_of_people_are_explicit_and_a_source_is_never_guessed(tmp_path):
    said = [{**JUDGED[0], "source": "human", "judged_at": "2026-03-01T10:00:00Z"}, {**JUDGED[2], "source": "clicks"}]
    write("ubi-judgments", carried(said), tmp_path / "x", set="s1")
    assert [json.loads(line) for line in (tmp_path / "x").read_text().splitlines()] == [
        {"user_query": 'boots, "warm"', "document": "A,1", "judgment": 3, "judgment_set_id": "s1",
         "judgment_set_type": "explicit", "timestamp": "2026-03-01T10:00:00Z"},
        {"user_query": "=5", "document": "B", "judgment": 0, "judgment_set_id": "s1", "judgment_set_type": "implicit"},
    ]  # fmt: skip
    with pytest.raises(InputError) as caught:
        write("ubi-judgments", carried(), tmp_path / "y")
    assert str(caught.value) == (
        "row 1: a judgment says no source\n"
        "    mend: say what they are: --option type=explicit for people, type=implicit for clicks"
    )
    by_model = [{**JUDGED[0], "source": "model"}]
    with pytest.raises(InputError, match="the source model is neither human nor clicks"):
        write("ubi-judgments", carried(by_model), tmp_path / "y")
    assert counts("ubi-judgments", carried(by_model), tmp_path / "y", type="explicit")[
        "judgments whose source is model"] == 1  # fmt: skip


def test_a_flat_object_an_annotation(tmp_path):
    said = [{**JUDGED[0], "source": "human", "rater": "7", "judged_at": "2026-03-01T10:00:00Z"}, JUDGED[2]]
    tables = {**carried(said).tables, Document: block(Document, *DOCS[:1], DOCS[2])}
    assert counts("label-studio-min", Carried("x", tables), tmp_path / "x", grade="relevance") == {
        "weight of topics": 2, "query_set of topics": 1, "queries without judgments": 1,
        "documents without judgments": 1, "judgments that do not say that people made them": 1,
    }  # fmt: skip
    assert json.loads((tmp_path / "x").read_text())[0] == {
        "id": 1, "query_id": "q1", "query": 'boots, "warm"', "doc_id": "A,1", "title": "Boot",
        "text": "price: 79.5\nbrand: Nord", "relevance": 3, "annotator": 7, "annotation_id": 1,
        "created_at": "2026-03-01T10:00:00Z", "updated_at": "2026-03-01T10:00:00Z",
    }  # fmt: skip


def test_learning_to_rank_lines_without_features_are_not_taken_for_quepids(tmp_path):
    assert counts("letor", carried(), tmp_path / "x") == {"rater of judgments": 1, "topics": 3}
    assert (tmp_path / "x").read_text() == "3 qid:q1 # docid = A,1\n0 qid:q2 # docid = B\n"
    assert claims(tmp_path / "x") == ["letor"]
    assert claims(put(tmp_path, "q.txt", "3 qid:1 # docid-7 star trek\n")) == ["quepid-ltr"]


@pytest.mark.parametrize(("field", "value"), [("query_id", "a b"), ("query_id", "a#b"), ("doc_id", "a b")])
def test_ids_that_would_cut_a_line_of_features_are_refused(field, value, tmp_path):
    with pytest.raises(InputError, match=f"the (query|document) '{value}' holds what cuts the line"):
        write("letor", Carried("x", {Judgment: block(Judgment, {**JUDGED[0], field: value})}), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_predictions_name_their_model_subset_and_split(tmp_path):
    run = Carried("x", {}, {"bm25": block(Hit, *HITS)})
    assert counts("mteb", run, tmp_path / "x", subset="en", split="dev") == {}
    assert json.loads((tmp_path / "x").read_text()) == {
        "mteb_model_meta": {"model_name": "bm25", "revision": None},
        "en": {"dev": {"q1": {"B": 2.5, "A,1": 1}, "q2": {"C": 7}}},
    }


def test_results_of_mteb_come_out_as_they_went_in(tmp_path):
    from formats.outside.test_msmarco import RESULT

    write("mteb", read("mteb", tmp_path, "in.json", RESULT), tmp_path / "x")
    assert json.loads((tmp_path / "x").read_text()) == json.loads(RESULT)


def test_esci_has_the_columns_of_the_release_and_the_letters_of_a_map(tmp_path):
    judged = [{"query_id": "7", "doc_id": "B1", "grade": 3}, {"query_id": "7", "doc_id": "B2", "grade": 1}]
    held = Carried("x", {Judgment: block(Judgment, *judged), Document: block(Document, DOCS[0])})
    assert counts("esci", held, tmp_path / "x", locale="us", split="train") == {}
    frame = pl.read_parquet(tmp_path / "x" / "shopping_queries_dataset_examples.parquet")
    assert frame.to_dict(as_series=False) == {
        "example_id": [0, 1], "query": ["7", "7"], "query_id": [7, 7], "product_id": ["B1", "B2"],
        "product_locale": ["us", "us"], "esci_label": ["E", "C"], "small_version": [1, 1], "large_version": [1, 1],
        "split": ["train", "train"],
    }  # fmt: skip
    products = pl.read_parquet(tmp_path / "x" / "shopping_queries_dataset_products.parquet")
    assert products.row(0, named=True) == {
        "product_id": "A,1", "product_title": "Boot", "product_description": "price: 79.5\nbrand: Nord",
        "product_bullet_point": None, "product_brand": None, "product_color": None, "product_locale": "us",
    }  # fmt: skip
    assert counts("esci", held, tmp_path / "x.parquet", locale="us") == {"documents": 1}


def test_esci_of_two_locales_takes_ids_apart(tmp_path):
    topics = [{"query_id": "1", "text": "a", "locale": "us"}, {"query_id": "2", "text": "b", "locale": "es"}]
    judged = [{"query_id": "1", "doc_id": "us/B1", "grade": 1}, {"query_id": "2", "doc_id": "es/B1", "grade": 0.01}]
    held = Carried("x", {Topic: block(Topic, *topics), Judgment: block(Judgment, *judged)})
    write("esci", held, tmp_path / "x", map="esci-gains")
    again = read("esci", tmp_path, "x", {}, labels="esci-gains")
    assert rows(again, Judgment, "query_id", "doc_id", "grade") == [("1", "us/B1", 1.0), ("2", "es/B1", 0.01)]
    assert rows(again, Topic) == [("1", "a", "us"), ("2", "b", "es")]


@pytest.mark.parametrize(
    ("options", "doc", "error"),
    [
        ({}, "B1", "x: 1 of 1 queries have no locale, first q\n    mend: say it by --option locale=us"),
        ({"locale": "us", "map": "stars"}, "B1", "--option: map=stars is not esci or esci-gains"),
        (
            {"locale": "us", "map": "esci-gains"},
            "B1",
            "x: document B1 of query q has the grade 3\n    mend: the labels",
        ),
    ],
)
def test_what_esci_cannot_say_is_refused(options, doc, error, tmp_path):
    judged = block(Judgment, {"query_id": "q", "doc_id": doc, "grade": 3})
    with pytest.raises(InputError) as caught:
        write("esci", Carried("x", {Judgment: judged}), tmp_path / "x", **options)
    assert str(caught.value).startswith(error)
    assert not (tmp_path / "x").exists()
