"""Labels to grades by a named map: never guessed, and refused with the maps that would fit."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.errors import InputError
from assay.label_maps import MAPS, fitting, parse_label_map

WHERE = "a.csv:2"


@pytest.mark.parametrize(
    ("name", "label", "grade"),
    [
        ("esci", "E", 3.0), ("esci", "substitute", 2.0), ("esci", " c ", 1.0), ("esci", "Irrelevant", 0.0),
        ("esci-gains", "S", 0.1), ("esci-gains", "C", 0.01),
        ("yes-no", "Yes", 1.0), ("yes-no", "not_relevant", 0.0), ("yes-no", "Not-Relevant", 0.0), ("yes-no", "1", 1.0),
        ("0..1", "0.25", 0.25), ("0..1-to-3", "0.5", 1.5), ("1..5", "1", 0.0), ("1..5", "5", 4.0), ("1..5", "2.5", 1.5),
        ("0..100", "100", 1.0), ("0..100", "7", 0.07), ("0..100-to-3", "50", 1.5),
        ("{good:2, fair: 1,bad:0}", "Fair", 1.0), ("{a:b:3}", "a:b", 3.0),
    ],
)  # fmt: skip
def test_a_label_has_the_grade_of_its_map(name: str, label: str, grade: float) -> None:
    assert parse_label_map(name).grade(label, WHERE) == pytest.approx(grade, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "label", "error"),
    [
        ("esci", "X", "a.csv:2: the label map esci has no label 'X'\n    mend: it knows e, s, c, i, exact, substitute, "
         "complement, irrelevant; write your own as --labels '{good:2,bad:0}'"),
        ("esci", "exakt", "a.csv:2: the label map esci has no label 'exakt'; did you mean exact?\n    mend: it knows "
         "e, s, c, i, exact, substitute, complement, irrelevant; write your own as --labels '{good:2,bad:0}'"),
        ("1..5", "0", "a.csv:2: '0' is not on the scale 1..5, 1 to 5\n    mend: mend the value, or choose another map "
         "by --labels"),
        ("0..1", "nan", "a.csv:2: 'nan' is not on the scale 0..1, 0 to 1\n    mend: mend the value, or choose another "
         "map by --labels"),
    ],
)  # fmt: skip
def test_a_label_that_the_map_lacks_is_refused(name: str, label: str, error: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_label_map(name).grade(label, WHERE)
    assert str(caught.value) == error


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("esc", "unknown label map esc; did you mean esci?"),
        ("{good}", "'good' is not LABEL:GRADE"),
        ("{good:x}", "'good:x' is not LABEL:GRADE"),
        ("{good:inf}", "'good:inf' is not LABEL:GRADE"),
        ("{good:1,GOOD:2}", "the label GOOD is given twice"),
    ],
)
def test_a_map_that_cannot_be_understood_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_label_map(text)
    assert caught.value.what == what
    assert caught.value.where == "--labels"


def test_the_maps_that_know_all_labels_are_named() -> None:
    assert fitting(["E", "S"]) == ["esci", "esci-gains"]
    assert fitting(["yes"]) == ["yes-no"]
    assert fitting(["perfect"]) == []
    assert fitting(["4"]) == ["1..5", "0..100", "0..100-to-3"]


def test_every_map_says_what_it_stands_for() -> None:
    assert all(made.says and made.name == name for name, made in MAPS.items())


RUN = {"q": {"a": 2.0, "b": 1.0}}


def test_judgments_in_memory_take_a_map_in_every_shape() -> None:
    import polars as pl

    shapes = [
        {"q": {"a": "S", "b": "E"}},
        {"query_id": ["q", "q"], "doc_id": ["a", "b"], "label": ["S", "E"]},
        [{"query_id": "q", "doc_id": "a", "grade": "S"}, {"query_id": "q", "doc_id": "b", "grade": "E"}],
        pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "grade": ["S", "E"]}),
    ]
    for judged in shapes:
        # grades 2, 3 in rank order: (2 + 3/log2 3) / (3 + 2/log2 3) = 3.892789 / 4.261860
        assert assay.evaluate(RUN, judged, "nDCG@2", labels="esci").mean() == pytest.approx(0.9134, abs=5e-5)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("j.csv", "query_id,doc_id,grade\nq,a,S\nq,b,E\n"),
        ("j.tsv", "query_id\tdoc_id\tgrade\nq\ta\tS\nq\tb\tE\n"),
        ("j.jsonl", '{"query_id": "q", "doc_id": "a", "label": "S"}\n{"query_id": "q", "doc_id": "b", "label": "E"}\n'),
        ("j.qrels", "q 0 a S\nq 0 b E\n"),
    ],
)
def test_judgments_in_files_take_a_map_in_every_format(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert assay.evaluate(RUN, path, "nDCG@2", labels="esci").mean() == pytest.approx(0.9134, abs=5e-5)


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_judgments_in_binary_files_take_a_map(format: str, tmp_path: Path) -> None:
    import polars as pl

    frame = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "grade": ["S", "E"]})
    path = tmp_path / f"j.{format}"
    frame.write_parquet(path) if format == "parquet" else frame.write_ipc(path)
    assert assay.evaluate(RUN, path, "nDCG@2", labels="esci").mean() == pytest.approx(0.9134, abs=5e-5)


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("j.csv", "query_id,doc_id,grade\nq,a,S\nq,b,E\n", "j.csv:2"),
        ("j.qrels", "q 0 a S\nq 0 b E\n", "j.qrels:1"),
        ("j.jsonl", '{"query_id": "q", "doc_id": "a", "grade": "S"}\n', "j.jsonl:1"),
    ],
)
def test_words_without_a_map_are_refused_with_the_maps_that_fit(
    name: str, content: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        assay.evaluate(RUN, name, "nDCG@2")
    assert (caught.value.where, caught.value.what) == (where, "the grade 'S' is a word")
    assert caught.value.remedy == (
        "say what labels are worth: --labels esci or --labels esci-gains, or your own map as "
        "--labels '{good:2,fair:1,bad:0}'"
    )


def test_a_label_that_the_map_lacks_is_refused_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("j.csv").write_text("query_id,doc_id,grade\nq,a,S\nq,b,X\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"^j\.csv:3: the label map esci has no label 'X'"):
        assay.evaluate(RUN, "j.csv", "nDCG@2", labels="esci")


def test_numbers_of_another_scale_take_a_map_too(tmp_path: Path) -> None:
    path = tmp_path / "stars.qrels"
    path.write_text("q 0 a 1\nq 0 b 5\n", encoding="utf-8")
    # one star is grade 0, five are 4: only b is relevant, at rank 2
    assert assay.evaluate(RUN, path, "RR", labels="1..5").mean() == pytest.approx(0.5)
    assert assay.evaluate(RUN, path, "RR").mean() == pytest.approx(1.0)


def test_the_sign_of_a_number_is_no_blank() -> None:
    made = parse_label_map("{1:1,0:0,-1:0}")
    assert [made.grade(label, "x") for label in ("1", "0", "-1")] == [1.0, 0.0, 0.0]
    with pytest.raises(InputError, match="has no label '-1'"):
        MAPS["yes-no"].grade("-1", "x")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ('{Relevant:2,"Not relevant":0}', {"Relevant": 2.0, "not relevant": 0.0}),
        ("{'Not relevant':0, b:1}", {"Not relevant": 0.0, "b": 1.0}),
        ('{"yes, exactly": 1, "no": 0}', {"yes, exactly": 1.0, "no": 0.0}),
    ],
)
def test_quotes_around_a_label_are_no_part_of_it(text: str, labels: dict[str, float]) -> None:
    made = parse_label_map(text)
    assert {label: made.grade(label, WHERE) for label in labels} == labels
