"""Quepid's files and Quaerite's: what the documented shapes hold, what is lost, and the way back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.formats.carried import OUTSIDE, Carried, Wishes
from assay.tables import Document, Hit, Judgment, Topic
from formats.outside.harness import block, claimed, lost, read, round_trip, rows, same_in, sample, tricky

KEY = ("query_id", "doc_id", "grade")
RATED = (*KEY, "rater")


@pytest.mark.parametrize(
    ("file", "formats"),
    [
        ("quepid-ratings.csv", ["quepid-ratings"]),
        ("quepid-needs.csv", ["quepid-needs"]),
        ("quepid-ratings.json", ["quepid-ratings-json"]),
        ("quepid-case.json", ["quepid-case"]),
        ("quepid-book.json", ["quepid-book"]),
        ("quepid-judgements.csv", ["quepid-judgements"]),
        ("quepid-detailed.csv", ["quepid-detailed"]),
        ("quepid-general.csv", ["quepid-general"]),
        ("quepid-snapshot.csv", ["quepid-snapshot"]),
        ("quepid-snapshot.json", ["quepid-snapshot-json"]),
        ("quepid-ltr.txt", ["quepid-ltr"]),
        ("quepid-trec.txt", []),  # it is plain qrels: nothing tells whose numbers the queries are
        ("quaerite.csv", ["quaerite"]),
    ],
)
def test_a_file_is_known_by_its_content(file: str, formats: list[str]) -> None:
    assert claimed(sample(file)) == formats


def test_ratings_without_a_value_are_unjudged_and_the_guard_is_taken_off() -> None:
    got = read("quepid-ratings", sample("quepid-ratings.csv"))
    assert rows(got, Judgment, *KEY) == [
        ('boots, "winter"', "SKU-77", 3.0), ('boots, "winter"', "SKU-9", 0.5), ("-5 degrees", "A1", 2.0),
        ("=1+1", "A2", 0.0), ("köln 起司", "A3", 1.0),
    ]  # fmt: skip
    assert [query for (query,) in rows(got, Topic, "query_id")] == [
        'boots, "winter"', "boots", "kids tent", "-5 degrees", "=1+1", "köln 起司",
    ]  # fmt: skip
    assert lost(got) == {"documents without a rating": 1}
    assert got.lost[0].places == (f"{sample('quepid-ratings.csv')}:4",)
    assert got.unlisted == "unjudged"
    assert got.facts == (
        f"{sample('quepid-ratings.csv')}: 1 query begins with a blank before - = + or @, Quepid's guard against "
        "formulas; it is taken off",
    )


def test_exactly_one_blank_before_a_formula_is_the_guard(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("query,docid,rating\n -1,A,1\n  -2,A,1\n 3,A,1\n-4,A,1\n", encoding="utf-8")
    got = read("quepid-ratings", path)
    assert [query for query, _, _ in rows(got, Judgment, *KEY)] == ["-1", "-2", "3", "-4"]
    assert [fact.rpartition("; ")[2] for fact in got.facts] == ["it is taken off"]
    kept = read("quepid-ratings", path, guard="keep")
    assert [query for query, _, _ in rows(kept, Judgment, *KEY)] == ["%20-1", "-2", "3", "-4"]


@pytest.mark.parametrize(
    ("guard", "written"), [("strip", b" -1,A,1\n =2,A,1\nx-3,A,1"), ("keep", b"-1,A,1\n=2,A,1\nx-3,A,1")]
)
def test_the_guard_is_set_once_on_the_way_out(guard: str, written: bytes, tmp_path: Path) -> None:
    judged = block(Judgment, *({"query_id": query, "doc_id": "A", "grade": 1} for query in ("-1", "=2", "x-3")))
    write = OUTSIDE.find("quepid-ratings").write
    assert write is not None
    write(Carried("x", {Judgment: judged}), tmp_path / "r.csv", Wishes(None, {"guard": guard}))
    assert (tmp_path / "r.csv").read_bytes() == b"query,docid,rating\n" + written  # and no line end at the end
    again = read("quepid-ratings", tmp_path / "r.csv", guard="strip")
    write(again, tmp_path / "again.csv", Wishes(None, {"guard": guard}))
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "r.csv").read_bytes()


def test_a_query_without_ratings_comes_back_as_one_row_with_nothing_behind_it(tmp_path: Path) -> None:
    got = read("quepid-ratings", sample("quepid-ratings.csv"))
    again = round_trip("quepid-ratings", got, tmp_path / "r.csv")
    assert b"kids tent,,\n" in (tmp_path / "r.csv").read_bytes()
    assert rows(again, Topic, "query_id") == rows(got, Topic, "query_id")


@pytest.mark.parametrize(
    "format",
    [
        "quepid-ratings",
        "quepid-needs",
        "quepid-judgements",
        "quepid-snapshot",
        "quepid-detailed",
        "quepid-general",
        "quaerite",
    ],
)
def test_a_csv_is_read_in_every_encoding(format: str, tmp_path: Path) -> None:
    text = sample(f"{format}.csv").read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("起司", "ä€")
    same_in(format, text, "x.csv", tmp_path, latin=True)


@pytest.mark.parametrize("format", ["quepid-ratings-json", "quepid-case", "quepid-book", "quepid-snapshot-json"])
def test_a_json_is_read_in_every_unicode_encoding(format: str, tmp_path: Path) -> None:
    text = sample(f"{format.removesuffix('-json')}.json").read_text("utf-8")
    same_in(format, text, "x.json", tmp_path)


def test_a_quoted_query_with_line_ends_keeps_the_numbers_of_the_lines_below(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text('query,docid,rating\n"two\nlines",A,1\nboots,B,NaN\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"r\.csv:4: grade is NaN"):
        read("quepid-ratings", path)


def test_ratings_json_is_a_map_of_each_query() -> None:
    got = read("quepid-ratings-json", sample("quepid-ratings.json"))
    assert rows(got, Judgment, *KEY) == [("boots", "SKU-12", 2.0), ("boots", "SKU-77", 0.5)]
    assert rows(got, Topic, "query_id") == [("boots",), ("köln 起司",)]
    assert lost(got) == {"documents without a rating": 1}


def test_a_case_keeps_needs_notes_and_who_rated() -> None:
    got = read("quepid-case", sample("quepid-case.json"))
    assert rows(got, Judgment, *RATED) == [
        ("boots", "SKU-12", 3.0, "ann@shop.example"), ("boots", "SKU-77", 0.0, None)
    ]  # fmt: skip
    assert rows(got, Topic, "text", "information_need", "notes") == [
        ("boots", "Boots for winter", "seasonal"), ("kids tent", None, None)
    ]  # fmt: skip
    assert lost(got) == {"options of queries": 1, "documents without a rating": 1}
    assert got.more["try"]["curator_variables"] == [{"name": "boost", "value": 2.0}]


def test_a_case_goes_out_with_its_scorer_and_try(tmp_path: Path) -> None:
    got = read("quepid-case", sample("quepid-case.json"))
    again = round_trip("quepid-case", got, tmp_path / "case.json")
    assert again.more == got.more
    written = json.loads((tmp_path / "case.json").read_text("utf-8"))
    first = written["queries"][0]
    assert (written["case_name"], written["scorer"], written["try"]["number_of_rows"]) == (
        "Shop", {"name": "nDCG@10"}, 10
    )  # fmt: skip
    assert first["ratings"] == [
        {"doc_id": "SKU-12", "rating": 3, "user_email": "ann@shop.example"},
        {"doc_id": "SKU-77", "rating": 0, "user_email": None},
    ]
    assert (first["information_need"], first["notes"], first["arranged_at"]) == ("Boots for winter", "seasonal", 0)


def test_every_judge_of_a_book_is_a_rater_and_no_mean_is_made() -> None:
    got = read("quepid-book", sample("quepid-book.json"))
    assert rows(got, Judgment, *RATED) == [
        ("boots", "SKU-12", 3.0, "ann@shop.example"), ("boots", "SKU-12", 2.0, "bo@shop.example"),
        ("boots", "SKU-77", 1.0, "Anonymous"),
    ]  # fmt: skip
    assert rows(got, Document, "doc_id", "title", "text") == [
        ("SKU-12", "Winter boot", "price: 79.5"), ("SKU-9", "Tent", "")
    ]  # fmt: skip
    assert lost(got) == {
        "positions of pairs": 2, "explanations of judges": 1, "pairs that a judge could not rate": 1,
        "pairs that a judge put off": 1,
    }  # fmt: skip
    assert got.facts == (f"{sample('quepid-book.json')}: its scale is 0 Poor, 1 Fair, 2 Good, 3 Perfect",)
    assert {place for one in got.lost for place in one.places} >= {
        f"{sample('quepid-book.json')}: $.query_doc_pairs[1].judgements[0]"
    }


def test_a_book_goes_out_with_its_scale_and_its_judges(tmp_path: Path) -> None:
    got = read("quepid-book", sample("quepid-book.json"))
    again = round_trip("quepid-book", got, tmp_path / "book.json", only=[Judgment])
    assert again.more == got.more
    written = json.loads((tmp_path / "book.json").read_text("utf-8"))
    pair = written["query_doc_pairs"][0]
    assert written["scale_with_labels"]["3"] == "Perfect"
    assert pair["document_fields"] == {"title": "Winter boot", "price": "79.5"}
    assert [(one["user_email"], one["rating"]) for one in pair["judgements"]] == [
        ("ann@shop.example", 3), ("bo@shop.example", 2)
    ]  # fmt: skip
    assert written["query_doc_pairs"][1]["judgements"][0]["user_email"] is None


def test_what_a_book_has_no_place_for_is_counted(tmp_path: Path) -> None:
    topics = block(Topic, {"query_id": "q1", "text": "boots", "weight": 2}, {"query_id": "q2", "text": "tent"})
    judged = block(Judgment, {"query_id": "q1", "doc_id": "A", "grade": 2, "source": "human"})
    docs = block(Document, {"doc_id": "A", "title": "Boot"}, {"doc_id": "B", "title": "Tent"})
    write = OUTSIDE.find("quepid-book").write
    assert write is not None
    gone = write(Carried("x", {Topic: topics, Judgment: judged, Document: docs}), tmp_path / "b.json", Wishes())
    assert {one.what: one.count for one in gone} == {
        "query ids": 2, "weight of topics": 1, "source of judgments": 1, "queries without judgments": 1,
        "documents without judgments": 1,
    }  # fmt: skip
    assert json.loads((tmp_path / "b.json").read_text("utf-8"))["scale"] == [0, 1, 2]


def test_two_judges_of_one_name_stay_two() -> None:
    got = read("quepid-judgements", sample("quepid-judgements.csv"))
    assert rows(got, Judgment, *RATED) == [
        ("boots", "SKU-12", 3.0, "Ann Lee"), ("boots", "SKU-12", 2.0, "Ann Lee (2)"), ("boots", "SKU-77", 1.0, "Bo"),
        ("boots", "SKU-77", 0.0, "Anonymous"),
    ]  # fmt: skip
    assert lost(got) == {"pairs that no judge rated": 1}
    assert got.facts[-1].endswith("several judges are called Ann Lee; the second is named 'Ann Lee (2)'")


def test_every_snapshot_of_a_csv_is_a_run_and_an_empty_query_stays() -> None:
    got = read("quepid-snapshot", sample("quepid-snapshot.csv"))
    assert list(got.runs) == ["monday", "tuesday"]
    assert rows(got, Hit, "query_id", "doc_id", "rank", run="monday") == [
        ("boots", "SKU-12", 1),
        ("boots", "SKU-77", 2),
    ]
    assert got.runs["monday"].empty == ("kids tent",)
    assert rows(got, Document, "doc_id", "title", "text") == [
        ("SKU-12", "Boot, warm", "price: 79.5"), ("SKU-77", "Boot", "")
    ]  # fmt: skip


def test_snapshots_of_one_name_are_told_apart_by_their_time(tmp_path: Path) -> None:
    text = sample("quepid-snapshot.csv").read_text("utf-8").replace("tuesday", "monday")
    (tmp_path / "s.csv").write_text(text, encoding="utf-8")
    assert list(read("quepid-snapshot", tmp_path / "s.csv").runs) == [
        "monday 2026-03-02 08:00:00 UTC", "monday 2026-03-03 08:00:00 UTC"
    ]  # fmt: skip


def test_snapshots_go_out_and_come_back(tmp_path: Path) -> None:
    got = read("quepid-snapshot", sample("quepid-snapshot.csv"))
    again = round_trip("quepid-snapshot", got, tmp_path / "s.csv")
    assert again.runs["monday"].empty == ("kids tent",)
    assert again.more == got.more


def test_a_snapshot_of_the_api_has_its_queries_by_text_and_no_rated_only_documents() -> None:
    got = read("quepid-snapshot-json", sample("quepid-snapshot.json"))
    assert rows(got, Hit, "query_id", "doc_id", "rank", run="monday") == [
        ("boots", "SKU-12", 1),
        ("boots", "SKU-77", 2),
    ]
    assert got.runs["monday"].empty == ("kids tent",)
    assert lost(got) == {
        "explanations of scores": 1, "rated documents that were not returned": 1, "values of the scorer": 1
    }  # fmt: skip


def test_learning_to_rank_lines_go_by_the_text_of_the_query(tmp_path: Path) -> None:
    got = read("quepid-ltr", sample("quepid-ltr.txt"))
    assert rows(got, Judgment, *KEY) == [("star trek", "1370", 3.0), ("star trek", "12", 0.5), ("köln 起司", "9", 2.0)]
    round_trip("quepid-ltr", got, tmp_path / "x.txt")
    assert (tmp_path / "x.txt").read_text("utf-8") == sample("quepid-ltr.txt").read_text("utf-8")


def test_quepids_numbers_get_their_texts_from_a_list(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("query_id,text\n31,boots\n", encoding="utf-8")
    got = read("quepid-trec", sample("quepid-trec.txt"), names=str(tmp_path / "names.csv"))
    assert rows(got, Judgment, *KEY) == [("boots", "SKU-12", 3.0), ("boots", "SKU-77", 0.0)]
    assert lost(got) == {"pairs without a judgment": 1}
    assert got.facts == (
        f"{sample('quepid-trec.txt')}: 1 query has no name in {tmp_path / 'names.csv'} and keeps its number",
    )


def test_quaerite_has_weights_and_query_sets() -> None:
    got = read("quaerite", sample("quaerite.csv"))
    assert rows(got, Topic, "query_id", "text", "weight", "query_set") == [
        ("q1", "rain jacket", 12.0, "train"), ("q2", "boots, warm", 3.0, "test")
    ]  # fmt: skip
    assert rows(got, Judgment, *KEY) == [("q1", "SKU-12", 3.0), ("q1", "SKU-77", 0.0)]


@pytest.mark.parametrize("format", ["quepid-ratings", "quepid-ratings-json", "quepid-case", "quepid-book"])
def test_hard_ids_go_out_and_come_back(format: str, tmp_path: Path) -> None:
    nobody = {Judgment: ("rater",)} if format == "quepid-book" else {}  # a book calls nobody Anonymous
    round_trip(format, tricky(texts=False), tmp_path / "x", without=nobody)


def test_hard_ids_of_a_run_go_out_and_come_back(tmp_path: Path) -> None:
    carried = tricky(texts=False, run=True)
    runs_only = Carried("x", {Topic: carried.tables[Topic]}, carried.runs)
    round_trip("quepid-snapshot", runs_only, tmp_path / "x", without={Hit: ("score",)}, time="2026-03-02 08:00:00 UTC")


def test_needs_go_out_and_come_back(tmp_path: Path) -> None:
    got = read("quepid-needs", sample("quepid-needs.csv"))
    assert rows(got, Topic, "text", "information_need") == [
        ("boots", "Somebody wants boots, for winter"), ("-5 degrees", "Clothes for frost"), ("kids tent", None)
    ]  # fmt: skip
    round_trip("quepid-needs", got, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == sample("quepid-needs.csv").read_bytes()


def test_a_detailed_export_is_a_run_and_its_ratings() -> None:
    got = read("quepid-detailed", sample("quepid-detailed.csv"))
    assert rows(got, Hit, "query_id", "doc_id", "rank", run="Boots") == [
        ("boots", "SKU-77", 1), ("boots", "SKU-9", 2), ("-5 degrees", "SKU-77", 1)
    ]  # fmt: skip
    assert rows(got, Judgment, *KEY) == [
        ("boots", "SKU-77", 3.0),
        ("boots", "SKU-12", 1.0),
        ("-5 degrees", "SKU-77", 0.0),
    ]
    assert rows(got, Topic, "text") == [("boots",), ("-5 degrees",), ("kids tent",)]
    assert rows(got, Document, "doc_id", "title", "text") == [
        ("SKU-77", "Boot, warm", "brand: Nord"), ("SKU-9", "Cold boot", ""), ("SKU-12", "Hidden boot", "")
    ]  # fmt: skip
    assert lost(got) == {"documents without a rating": 1}


def test_a_detailed_export_of_two_cases_of_one_name_keeps_them_apart(tmp_path: Path) -> None:
    text = sample("quepid-detailed.csv").read_text("utf-8").replace("Boots,3, -5", "Boots,4, -5")
    (tmp_path / "d.csv").write_text(text, encoding="utf-8")
    assert list(read("quepid-detailed", tmp_path / "d.csv").runs) == ["Boots 3", "Boots 4"]


def test_a_general_export_gives_queries_and_counts_the_scores_it_leaves() -> None:
    got = read("quepid-general", sample("quepid-general.csv"))
    assert rows(got, Topic, "text", "information_need", "notes") == [
        ("boots", "Boots, for winter", "seasonal"), ("-5 degrees", None, None)
    ]  # fmt: skip
    assert lost(got) == {
        f"cells of the column {title}": 1 for title in ("Score", "Date Last Scored", "Count", "Options")
    }  # fmt: skip


def test_pairs_with_several_grades_are_not_joined_in_silence(tmp_path: Path) -> None:
    got = read("quepid-book", sample("quepid-book.json"))
    write = OUTSIDE.find("quepid-ratings").write
    assert write is not None
    with pytest.raises(InputError, match="document SKU-12 of query boots has the grades 3 and 2"):
        write(got, tmp_path / "r.csv", Wishes())
    assert not (tmp_path / "r.csv").exists()


@pytest.mark.shared
def test_a_real_export_reads_whole(shared: Path, tmp_path: Path) -> None:
    path = shared / "data" / "collections" / "chorus_ratings" / "basic.csv"
    assert claimed(path) == ["quepid-ratings"]
    got = read("quepid-ratings", path)
    lines = path.read_text("utf-8").splitlines()[1:]
    assert len(got.tables[Judgment]) == len([line for line in lines if line.split(",")[-1]])
    again = round_trip("quepid-ratings", got, tmp_path / "again.csv")
    assert sorted(rows(again, Judgment, *KEY)) == sorted(rows(got, Judgment, *KEY))
