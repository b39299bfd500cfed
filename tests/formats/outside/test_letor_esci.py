"""Files of learning to rank, and Amazon's Shopping Queries data."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.tables import Document, Judgment, Topic
from formats.outside.files import claims, lost, put, read, rows, said, same_in

LETOR = """# made by us
3 qid:10 1:0.5 2:0 46:1.2 # docid = GX1-77 inc = 1 prob = 0.02
0 qid:10 1:0.1 2:-1e-3 # docid = 12345678901234567890
1.5 qid:11 5:2 #docid=ü1
"""
MSLR = "2 qid:1 1:3 2:0\n0 qid:1 1:0 2:1\n"


def test_grades_queries_and_the_documents_of_the_comments(tmp_path):
    got = read("letor", tmp_path, "train.txt", LETOR)
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [
        ("10", "GX1-77", 3.0), ("10", "12345678901234567890", 0.0), ("11", "ü1", 1.5),
    ]  # fmt: skip
    assert lost(got) == {"values of features": 6, "further comments of lines": 1}
    assert got.tables[Judgment].place(1) == f"{tmp_path}/train.txt:3"


def test_files_without_documents_get_ids_of_their_lines(tmp_path):
    got = read("letor", tmp_path, "train.txt", MSLR)
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [("1", "line-1", 2.0), ("1", "line-2", 0.0)]
    assert "their ids are made of the lines" in got.facts[0]


def test_encodings(tmp_path):
    same_in("letor", LETOR, "train.txt", tmp_path)
    assert claims(put(tmp_path, "train.txt", LETOR)) == claims(put(tmp_path, "mslr.txt", MSLR)) == ["letor"]


def parquet(**columns: Any) -> bytes:
    held = io.BytesIO()
    pl.DataFrame(columns).write_parquet(held)
    return held.getvalue()


def examples(**other: Any) -> bytes:
    columns: dict[str, Any] = {
        "example_id": [0, 1, 2, 3, 4], "query": ["# 2 pencil", "# 2 pencil", "# 2 pencil", "# 2 pencil", "lápiz, azul"],
        "query_id": [7, 7, 7, 7, 8], "product_id": ["B01", "B02", "B03", "0004", "B01"],
        "product_locale": ["us", "us", "us", "us", "es"], "esci_label": ["E", "S", "C", "I", "E"],
        "small_version": [1, 1, 0, 0, 1], "large_version": [1] * 5, "split": ["train"] * 3 + ["test"] * 2,
    }  # fmt: skip
    return parquet(**{key: value for key, value in (columns | other).items() if value is not None})


DATASET = "shopping_queries_dataset"
PRODUCTS = parquet(
    product_id=["B01", "B01"], product_title=['Pencil "2"', "Lápiz"], product_description=["<b>HB</b>", None],
    product_bullet_point=[None, "azul\nduro"], product_brand=["Acme", None], product_color=[None, None],
    product_locale=["us", "es"],
)  # fmt: skip


def test_one_locale_of_a_folder(tmp_path):
    files = {
        "shopping_queries_dataset_examples.parquet": examples(),
        "shopping_queries_dataset_products.parquet": PRODUCTS,
    }
    got = read("esci", tmp_path, "esci", files, labels="esci", locale="us")
    assert rows(got, Judgment, "query_id", "doc_id", "grade") == [
        ("7", "B01", 3.0), ("7", "B02", 2.0), ("7", "B03", 1.0), ("7", "0004", 0.0),
    ]  # fmt: skip
    assert rows(got, Topic, "query_id", "text", "locale") == [("7", "# 2 pencil", "us")]
    assert rows(got, Document, "doc_id", "title", "text") == [("B01", 'Pencil "2"', "<b>HB</b>")]
    assert lost(got) == {"values of product_brand": 1}
    assert claims(tmp_path / "esci") == ["esci"]


def test_a_product_is_known_by_id_and_locale_together(tmp_path):
    files = {
        "shopping_queries_dataset_examples.parquet": examples(),
        "shopping_queries_dataset_products.parquet": PRODUCTS,
    }
    got = read("esci", tmp_path, "esci", files, labels="esci-gains")
    assert ("8", "es/B01", 1.0) in rows(got, Judgment, "query_id", "doc_id", "grade")
    assert ("7", "us/B02", 0.1) in rows(got, Judgment, "query_id", "doc_id", "grade")
    assert [doc for (doc,) in rows(got, Document, "doc_id")] == ["us/B01", "es/B01"]
    assert got.facts[0].endswith(
        "has the locales es, us, so a document is LOCALE/PRODUCT_ID; --option locale=es takes one"
    )


@pytest.mark.parametrize(
    ("options", "count"), [({"split": "test"}, 2), ({"version": "small"}, 3), ({"locale": "es"}, 1)]
)
def test_a_part_of_the_examples(tmp_path, options, count):
    got = read("esci", tmp_path, "shopping_queries_dataset_examples.parquet", examples(), labels="esci", **options)
    assert len(got.tables[Judgment]) == count


def complain(folder: Path, format: str, content: str | bytes, labels: str, options: dict[str, str]) -> str:
    return said(format, folder, "x", content, labels, **options)


BROKEN = [
    ("letor", "\n\n", "", {}, ("x: holds nothing but blank lines\n    mend: write it anew")),
    (
        "letor",
        "3 1:0.5 2:0 # docid = d\n",
        "",
        {},
        (
            "x:1: expected qid:QUERY_ID in the second column, found '1:0.5'\n"
            "    3 1:0.5 2:0 # docid = d\n"
            "    mend: write GRADE qid:QUERY_ID 1:0.5 2:1.25 # docid = DOC_ID"
        ),
    ),
    (
        "letor",
        "3\n",
        "",
        {},
        (
            "x:1: expected qid:QUERY_ID in the second column\n"
            "    3\n"
            "    mend: write GRADE qid:QUERY_ID 1:0.5 2:1.25 # docid = DOC_ID"
        ),
    ),
    (
        "letor",
        "3 qid: 1:0.5\n",
        "",
        {},
        (
            "x:1: the query id is blank\n"
            "    3 qid: 1:0.5\n"
            "    mend: write GRADE qid:QUERY_ID 1:0.5 2:1.25 # docid = DOC_ID"
        ),
    ),
    (
        "letor",
        "3 qid:1 1:0.5 2=0\n",
        "",
        {},
        (
            "x:1: expected a feature such as 1:0.5, found '2=0'\n"
            "    3 qid:1 1:0.5 2=0\n"
            "    mend: write GRADE qid:QUERY_ID 1:0.5 2:1.25 # docid = DOC_ID"
        ),
    ),
    (
        "letor",
        "3 qid:1 one:0.5\n1 qid:1 1:0.5\n0 qid:1 1:\n",
        "",
        {},
        (
            "x:1: expected a feature such as 1:0.5, found 'one:0.5'\n"
            "    3 qid:1 one:0.5\n"
            "    mend: write GRADE qid:QUERY_ID 1:0.5 2:1.25 # docid = DOC_ID\n"
            "\n"
            "x:3: expected a feature such as 1:0.5, found '1:'"
        ),
    ),
    (
        "letor",
        "good qid:1 1:0.5\n",
        "",
        {},
        (
            "x:1: the grade 'good' is a word\n"
            "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
        ),
    ),
    (
        "letor",
        "nan qid:1 1:0.5\n",
        "",
        {},
        ("x:1: grade is NaN\n    mend: give every row a grade, or leave the row out"),
    ),
    (
        "letor",
        "2 qid:1 1:1 # docid = a\n1 qid:1 1:1\n",
        "",
        {},
        (
            "x:2: 1 of 2 lines name no document\n"
            "    1 qid:1 1:1\n"
            "    mend: end every line with '# docid = DOC_ID', or none"
        ),
    ),
    (
        "letor",
        "2 qid:1 1:1 # docid = a\n1 qid:1 1:1 # docid = a\n",
        "",
        {},
        ("x:2: document a of query 1 is judged 1, and 2 at x:1\n    mend: keep one of the two"),
    ),
    (
        "letor",
        "1,5 qid:1 1:1 # docid = a\n",
        "",
        {},
        ("x:1: grade '1,5' has a decimal comma\n    mend: write it with a decimal point"),
    ),
    (
        "letor",
        "q1 0 d1 1\n",
        "",
        {},
        (
            "x:1: expected qid:QUERY_ID in the second column, found '0'\n"
            "    q1 0 d1 1\n"
            "    mend: write GRADE qid:QUERY_ID 1:0.5 2:1.25 # docid = DOC_ID"
        ),
    ),
    (
        "esci",
        "query,product_id\n",
        "esci",
        {},
        ("x: is not a whole Parquet file: its footer is missing\n    mend: write or copy it again"),
    ),
    (
        "esci",
        examples()[:200],
        "esci",
        {},
        ("x: is not a whole Parquet file: its footer is missing\n    mend: write or copy it again"),
    ),
    (
        "esci",
        examples(),
        "",
        {},
        (
            "x: the labels E, S, C and I have no number of their own\n"
            "    mend: say --labels esci (3, 2, 1, 0) or --labels esci-gains (1, 0.1, 0.01, 0)"
        ),
    ),
    (
        "esci",
        examples(esci_label=["E", "S", "C", "X", "E"]),
        "esci",
        {},
        (
            "x, row 4: the label map esci has no label 'X'\n"
            "    mend: it knows e, s, c, i, exact, substitute, complement, irrelevant; write your own "
            "as --labels '{good:2,bad:0}'"
        ),
    ),
    (
        "esci",
        examples(esci_label=["E", None, "C", "I", "E"]),
        "esci",
        {},
        ("x, row 2: esci_label is missing\n    mend: leave the row out"),
    ),
    (
        "esci",
        examples(query_id=None),
        "esci",
        {},
        (
            "x: has no column query_id among example_id, query, product_id, product_locale, "
            "esci_label, small_version, large_version, split; did you mean query?\n"
            "    mend: give shopping_queries_dataset_examples.parquet or ..._products.parquet"
        ),
    ),
    (
        "esci",
        examples(product_locale=None),
        "esci",
        {},
        (
            "x: has no column product_locale among example_id, query, query_id, product_id, "
            "esci_label, small_version, large_version, split; did you mean product_id?\n"
            "    mend: give shopping_queries_dataset_examples.parquet or ..._products.parquet"
        ),
    ),
    (
        "esci",
        examples(product_id=["B01", "B01", "B03", "B04", "B01"]),
        "esci",
        {},
        ("x: product us/B01 of query 7 has 2 labels\n    mend: keep one of them"),
    ),
    (
        "esci",
        examples(query=["a", "b", "a", "a", "c"]),
        "esci",
        {},
        ("x, the query 'b': query_id 7 appears twice (first at x, the query 'a')\n    mend: remove one of the two"),
    ),
    ("esci", examples(), "esci", {"locale": "uk"}, ("x: has no locale uk\n    mend: the locales are es, us")),
    ("esci", examples(), "esci", {"split": "dev"}, ("x: has no split dev\n    mend: the splits are test, train")),
    (
        "esci",
        examples(),
        "esci",
        {"version": "tiny"},
        ("x: has no version tiny\n    mend: the versions are small and large"),
    ),
    (
        "esci",
        parquet(product_id=["a"], title=["b"]),
        "esci",
        {},
        (
            "x: has no column product_title, product_locale among product_id, title; did you mean "
            "product_id?\n"
            "    mend: give shopping_queries_dataset_examples.parquet or ..._products.parquet"
        ),
    ),
    (
        "esci",
        parquet(product_id=["a", "a"], product_title=["b", "c"], product_locale=["us", "us"]),
        "",
        {},
        ("x, row 2: doc_id a appears twice (first at x, row 1)\n    mend: remove one of the two"),
    ),
]


@pytest.mark.parametrize(("format", "content", "labels", "options", "expected"), BROKEN)
def test_a_broken_file_says_what_where_and_how_to_mend(tmp_path, format, content, labels, options, expected):
    assert complain(tmp_path, format, content, labels, options) == expected
