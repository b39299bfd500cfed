"""Files of other tools brought in, taken out and turned into one another: whole or not at all, nothing in silence."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.flows.conversion import formats
from assay.flows.workbench import Workbench
from assay.formats.landing import file_name
from assay.tables import Judgment
from formats.outside.harness import read, rows, sample, tricky

RATINGS = "query,docid,rating\nrain jacket,A 1,3\nrain jacket,B,0\n50% off,A 1,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ratings.csv").write_text(RATINGS, encoding="utf-8")
    return tmp_path


def test_an_import_writes_tables_and_says_what_came_over(folder: Path) -> None:
    shutil.copy(sample("quepid-book.json"), folder / "book.json")
    done = assay.import_file("book.json", into="shop")
    assert [(one.what, one.rows, one.queries, one.raters, one.file) for one in done.moved] == [
        ("topics", 2, 2, None, "shop/topics.csv"), ("judgments", 3, 1, 3, "shop/qrels.csv"),
        ("documents", 2, None, None, "shop/documents.jsonl"),
    ]  # fmt: skip
    assert (done.format, done.is_recognised, done.unlisted) == ("quepid-book", True, "unjudged")
    assert (folder / "shop/qrels.csv").read_text("utf-8").splitlines()[:2] == [
        "query_id,doc_id,grade,rater", "boots,SKU-12,3.0,ann@shop.example"
    ]  # fmt: skip
    assert {one.what: one.count for one in done.dropped} == {
        "positions of pairs": 2, "explanations of judges": 1, "pairs that a judge could not rate": 1,
        "pairs that a judge put off": 1, "settings of the source": 3,
    }  # fmt: skip
    assert done.next == (
        "assay compare BASELINE.run CANDIDATE.run shop/qrels.csv --topics shop/topics.csv", "assay agree shop/qrels.csv"
    )  # fmt: skip


def test_an_import_never_writes_over_a_file_and_then_writes_nothing(folder: Path) -> None:
    (folder / "shop").mkdir()
    (folder / "shop/qrels.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        assay.import_file("ratings.csv", into="shop")
    assert str(caught.value) == (
        "shop/qrels.csv: is there already\n    mend: pass --force to write over it, or --into another folder"
    )
    assert sorted(file.name for file in (folder / "shop").iterdir()) == ["qrels.csv"]
    assay.import_file("ratings.csv", into="shop", force=True)
    assert (folder / "shop/qrels.csv").read_text("utf-8") != "mine"


def test_an_import_into_a_workspace_names_its_files_in_the_settings(folder: Path) -> None:
    (folder / "assay.toml").write_text('# ours\n[paths]\nruns = "r" # here\n', encoding="utf-8")
    shutil.copy(sample("quepid-snapshot.csv"), folder / "s.csv")
    done = assay.import_file("s.csv", bench=Workbench.open(folder))
    assert sorted(file.name for file in (folder / "r").iterdir()) == ["monday.csv", "tuesday.csv"]
    assert done.settings == ('paths.topics = "topics.csv"', 'paths.documents = "documents.jsonl"')
    text = (folder / "assay.toml").read_text("utf-8")
    assert text.startswith("# ours\n[paths]\n")
    assert 'runs = "r" # here' in text
    done = assay.import_file("ratings.csv", bench=Workbench.open(folder), force=True)
    assert done.settings == ('paths.qrels = "qrels.csv"',)
    assert (
        assay.evaluate({"x": {"rain jacket": {"A 1": 1.0}}}, measures="P@1", bench=Workbench.open(folder)).mean() == 0.5
    )


def test_what_absent_means_reaches_evaluate_through_the_settings(folder: Path) -> None:
    (folder / "assay.toml").write_text('[conventions]\nunlisted = "unjudged"\n', encoding="utf-8")
    (folder / "beir/qrels").mkdir(parents=True)
    (folder / "beir/corpus.jsonl").write_text('{"_id": "A", "title": "x", "text": "y"}\n', encoding="utf-8")
    (folder / "beir/queries.jsonl").write_text('{"_id": "q1", "text": "boots"}\n', encoding="utf-8")
    (folder / "beir/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tA\t1\n", encoding="utf-8")
    done = assay.import_file("beir", bench=Workbench.open(folder))
    assert done.unlisted == "not-relevant"
    assert 'conventions.unlisted = "not-relevant"' in done.settings
    assert (folder / "assay.toml").read_text("utf-8").count("unlisted") == 1
    scores = assay.evaluate({"q1": {"A": 2.0, "B": 1.0}}, measures="P@2", bench=Workbench.open(folder))
    assert dict(scores.source.conventions)["unlisted"] == "not-relevant"


def test_queries_take_the_ids_of_topics_with_their_text(folder: Path) -> None:
    (folder / "topics.csv").write_text("query_id,text\nq1,Rain  jacket\nq2,tent\n", encoding="utf-8")
    done = assay.import_file("ratings.csv", into="shop", ids_from="topics.csv")
    got = read("quepid-ratings", "ratings.csv")
    assert len(rows(got, Judgment, "query_id")) == 3
    assert (folder / "shop/qrels.csv").read_text("utf-8").splitlines()[1:] == [
        "q1,A 1,3.0",
        "q1,B,0.0",
        "50% off,A 1,1.0",
    ]
    assert [note.text for note in done.notes] == [
        "ratings.csv: 1 of 2 queries have the id of the topic with their text",
        "ratings.csv: no topic has the text of 1 queries, which keep it as id: '50% off'",
    ]
    (folder / "others.csv").write_text("query_id,text\nq1,tent\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"^ratings\.csv: no query has the text of a topic of others\.csv"):
        assay.import_file("ratings.csv", into="other", ids_from="others.csv")


def test_names_of_runs_are_never_paths() -> None:
    taken: set[str] = set()
    assert file_name("../../etc/passwd", taken) == "_..%2F..%2Fetc%2Fpasswd"
    assert file_name("a/b", taken) == "a%2Fb"
    assert file_name("NUL", taken) == "_NUL"
    assert file_name("BM25", taken) == "BM25"
    assert file_name("bm25", taken) == "bm25-2"
    assert file_name("", taken) == "run"
    assert len(file_name("x" * 500, taken)) == 120


def test_a_run_named_like_a_path_stays_in_the_folder(folder: Path) -> None:
    text = sample("quepid-snapshot.csv").read_text("utf-8").replace("tuesday", "../../up")
    (folder / "s.csv").write_text(text, encoding="utf-8")
    assay.import_file("s.csv", into="in/shop")
    assert sorted(file.name for file in (folder / "in/shop/runs").iterdir()) == ["_..%2F..%2Fup.csv", "monday.csv"]
    assert sorted(file.name for file in folder.iterdir()) == ["in", "ratings.csv", "s.csv"]


def test_ids_with_white_space_are_coded_in_trec_lines_and_come_back(folder: Path) -> None:
    done = assay.convert("ratings.csv", "out.qrels")
    assert (folder / "out.qrels").read_text(
        "utf-8"
    ) == "rain%20jacket 0 A%201 3\nrain%20jacket 0 B 0\n50%25%20off 0 A%201 1\n"
    assert (folder / "out.qrels.topics.csv").read_text("utf-8") == (
        "query_id,text\nrain%20jacket,rain jacket\n50%25%20off,50% off\n"
    )
    assert [(one.what, one.count) for one in done.dropped] == [("ids with white space, as they are", 3)]
    assay.convert("out.qrels", "back.csv", options={"decode": "yes"})
    assert (folder / "back.csv").read_text("utf-8").splitlines()[1:] == [
        "rain jacket,A 1,3.0", "rain jacket,B,0.0", "50% off,A 1,1.0"
    ]  # fmt: skip


@pytest.mark.parametrize("ending", ["qrels", "csv", "tsv", "jsonl", "parquet", "arrow"])
def test_our_own_formats_keep_every_judgment(ending: str, folder: Path) -> None:
    from assay.formats.carried import Wishes
    from assay.formats.carry import read_any, write_any

    carried = tricky()
    write_any(carried, folder / f"x.{ending}", {"qrels": "trec"}.get(ending, ending))
    wishes = Wishes(None, {"decode": "yes"}) if ending == "qrels" else Wishes()
    again = read_any(folder / f"x.{ending}", None, wishes).carried
    fields = ("query_id", "doc_id", "grade")
    assert rows(again, Judgment, *fields) == rows(carried, Judgment, *fields)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: assay.convert("ratings.csv", "out.csv", to="quepid-detailed"),
         "ratings.csv: Quepid detailed CSV needs runs, and there are none"),
        (lambda: assay.convert("ratings.csv", "out.xyz"), "--to: the ending of out.xyz says no format"),
        (lambda: assay.convert("ratings.csv", "out.csv", "quepid-boook"),
         "--from: unknown format quepid-boook; did you mean quepid-book"),
        (lambda: assay.convert("ratings.csv", "ratings.csv", to="csv"), "ratings.csv is one of the inputs"),
        (lambda: assay.convert("nowhere.csv", "out.csv"), "nowhere.csv: there is no such file or folder"),
        (lambda: assay.import_file("ratings.csv", options={"split": "x"}),
         "quepid-ratings has no option split"),
        (lambda: assay.convert("ratings.csv", "out.csv", options={"split": "x"}),
         "--option: neither quepid-ratings nor csv has an option split"),
        (lambda: assay.export("out.csv", "quepid-ratings"), "nothing was given to export"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said_and_nothing_is_written(call: object, error: str, folder: Path) -> None:
    assert callable(call)
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(error)
    assert [file.name for file in folder.iterdir()] == ["ratings.csv"]


def test_a_file_in_no_format_is_refused_with_where_to_look(folder: Path) -> None:
    (folder / "x.txt").write_text("hello world\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        assay.import_file("x.txt", into="shop")
    assert str(caught.value) == (
        "x.txt: is in no format that assay knows\n    mend: say which by --from; `assay formats` lists them"
    )


def test_evaluate_reads_another_tools_file_by_itself(folder: Path) -> None:
    run = {"rain jacket": {"A 1": 2.0, "B": 1.0}, "50% off": {"B": 1.0}}
    shutil.copy(sample("quepid-ratings.json"), folder / "r.json")
    scores = assay.evaluate({"boots": {"SKU-77": 2.0, "SKU-12": 1.0}}, "r.json", "RR")
    assert scores.mean() == 1.0
    said = [note.text for note in scores.notes]
    assert "r.json: read as Quepid ratings (JSON)" in said
    assert any(text.startswith("r.json: not carried over: 1 of documents without a rating") for text in said)
    assert assay.evaluate(run, "ratings.csv", "P@1", format="quepid-ratings").mean() == 0.5
    (folder / "gaps.csv").write_text(RATINGS + "tent,,\n", encoding="utf-8")  # ours refuses an empty grade
    assert assay.evaluate(run, "gaps.csv", "P@1").mean() == 0.5


def test_the_list_of_formats_has_every_member_and_one_has_its_options() -> None:
    listed = {one.name: one for one in formats().formats}
    assert {"trec", "csv", "quepid-book", "quepid-ratings"} <= set(listed)
    assert all(one.title and one.holds for one in listed.values())
    (one,) = formats("quepid-ratings").formats
    assert [name for name, _ in one.options] == ["guard"]
    with pytest.raises(InputError, match="unknown format quepid-bok; did you mean quepid-book"):
        formats("quepid-bok")


def test_every_format_names_the_page_or_file_where_its_shape_is_documented() -> None:
    outside = [one for one in formats().formats if "ours" not in one.title]
    assert [one.name for one in outside if not one.source] in ([], ["rag-jsonl"])  # plain JSON lines are nobody's


def test_a_conversion_and_a_validation_are_kept_and_opened_again(folder: Path) -> None:
    done = assay.import_file("ratings.csv", into="shop")
    assert assay.show(done.save(folder / "c.assay")) == done
    checked = assay.validate("ratings.csv")
    assert assay.show(checked.save(folder / "v.assay")) == checked


def test_a_stop_in_the_middle_of_an_import_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        assay.import_file("ratings.csv", into="shop")
    assert list((folder / "shop").iterdir()) == []


def test_an_arrow_stream_is_converted_as_an_arrow_file_is(tmp_path: Path) -> None:
    pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "grade": [1.0]}).write_ipc_stream(tmp_path / "s.arrow")
    assay.convert(tmp_path / "s.arrow", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text("utf-8").splitlines() == ["query_id,doc_id,grade", "q,a,1.0"]


@pytest.mark.parametrize(("ending", "called"), [("parquet", "Parquet"), ("arrow", "Arrow")])
def test_a_file_cut_short_is_called_damaged_and_not_unknown(ending: str, called: str, tmp_path: Path) -> None:
    frame, path = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "grade": [1.0]}), tmp_path / f"d.{ending}"
    frame.write_parquet(path) if ending == "parquet" else frame.write_ipc(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=f"is not a whole {called} file") as refused:
        assay.convert(path, tmp_path / "out.csv")
    assert refused.value.remedy == "write or copy it again"
    assert not (tmp_path / "out.csv").exists()


def test_judgments_of_several_raters_are_no_qrels_and_what_lines_cannot_say_is_told(tmp_path: Path) -> None:
    table, target = tmp_path / "labels.csv", tmp_path / "out.qrels"
    head = "query_id,doc_id,grade,rater,role,note\n"
    table.write_text(f"{head}q,a,2,ann,rater,\nq,b,0,ann,rater,\nq,a,1,bo,rater,\n", "utf-8")
    with pytest.raises(InputError) as refused:
        assay.convert(table, target)
    assert str(refused.value).startswith(
        f"{table}:4: query q and document a have the grades 2 and 1, and qrels hold one\n"
    )
    assert not target.exists()
    table.write_text(f"{head}q,a,2,ann,rater,fine\nq,b,0,ann,rater,\n", "utf-8")
    done = assay.convert(table, target)
    assert target.read_text("utf-8") == "q 0 a 2\nq 0 b 0\n"
    assert {(lost.what, lost.count) for lost in done.dropped} == {
        ("rater of judgments", 2), ("role of judgments", 2), ("note of judgments", 1)
    }  # fmt: skip


NOT_KNOWN = (
    "is in no format that assay knows",
    "say which by --from; `assay formats` lists them. Or name its columns as assay does: query_id, doc_id, grade",
)


@pytest.mark.parametrize(
    ("content", "what", "remedy"),
    [
        (b"", "is empty", "write it anew"),
        (b"q1 0 d\0 1\n", "is a binary file, not lines of text", "give the text file it was made from"),
        (b"PK\x03\x04\0\0", "is an Excel workbook or a zip archive", "save the sheet as CSV, or unpack it first"),
        (
            b'{\n "q1": {"d1": 1}\n}\n',
            "is one JSON object of queries, documents and numbers, which several tools write alike",
            "say which by --from ranx-run where it is a run, ranx-qrels where it holds judgments",
        ),
        (
            b"[{}]\n",
            "is a JSON list, not JSON lines",
            "write one JSON object a line, without the brackets around them, or say which format by --from",
        ),
        (b"language,query,url,relevance\nGo,a,b,0\n", *NOT_KNOWN),
        (b"query,docid,ann,bo\nboots,1,2,3\nboots,2,0,1\n", *NOT_KNOWN),
    ],
)
def test_what_is_wrong_with_the_file_itself_is_said_by_import_too(
    content: bytes, what: str, remedy: str, folder: Path
) -> None:
    path = folder / "given"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        assay.convert(path, folder / "out.csv")
    assert (caught.value.what, caught.value.remedy) == (what, remedy)
    assert caught.value.where in (str(path), f"{path}:1")
    assert not (folder / "out.csv").exists()


def test_queries_of_several_words_are_no_judgments(folder: Path) -> None:
    (folder / "queries.txt").write_text("q1\tvietnam war movie\nq2\tboeing 747 2\n", "utf-8")
    assay.convert(folder / "queries.txt", folder / "out.csv")
    assert (folder / "out.csv").read_text("utf-8") == "query_id,text\nq1,vietnam war movie\nq2,boeing 747 2\n"
