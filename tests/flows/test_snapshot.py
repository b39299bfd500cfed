"""What raters see of a document is frozen: sanitised, with its picture, and named by what is seen."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.flows.pictures import LARGEST_PICTURE, Picture
from assay.flows.snapshot import (
    direction_of,
    document_row,
    documents_of,
    language_of,
    notes_on,
    plain,
    queries_of,
    sanitised,
)
from assay.flows.workbench import Workbench
from assay.keys import fingerprint
from web.rich import png

DATA = "data:image/png;base64," + base64.b64encode(png()).decode()


def held(folder: Path, *rows: dict[str, Any]) -> dict[str, dict[str, Any]]:
    source = folder / "documents.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return documents_of(Workbench(), str(source), "default")


@pytest.mark.parametrize(
    ("markup", "left"),
    [
        ("<p onclick='x()'>a <b>b</b></p>", "<p>a <b>b</b></p>"),
        ("<script>alert(1)</script><style>p{}</style><p>a</p>", "<p>a</p>"),
        ("<a href='javascript:x()'>a</a> <a href='https://web.example'>b</a>", "a b"),
        ("<p style='position:fixed' class='bar' id='saved'>a</p>", "<p>a</p>"),
        ("<form action='/sign-out'><input name=a><button>b</button></form>", "b"),
        ("<iframe src='/'>a</iframe><svg onload=x()><text>b</text></svg>c", "c"),
        ("<img src='https://web.example/a.png' alt='seam'>", '<img alt="seam">'),
        ("<img src='/v1/projects' alt='seam'>", '<img alt="seam">'),
        ("<img src='data:image/svg+xml;base64,PHN2Zz4=' alt='seam'>", '<img alt="seam">'),
        (f"<img src='{DATA}' alt='seam'>", f'<img src="{DATA}" alt="seam">'),
        ("<p lang='ar' dir='RTL'>a</p><p lang='of no land' dir='up'>b</p>", '<p lang="ar" dir="rtl">a</p><p>b</p>'),
        ("<td colspan='9999999'>a</td>", "a"),
        ("<table><tr><td colspan='9999999'>a</td></tr></table>", "<table><tbody><tr><td>a</td></tr></tbody></table>"),
        ("<nav>a</nav><mark>b</mark>", "ab"),
        ("<p>a\0b</p>", "<p>a\ufffdb</p>"),
        ("<title>a</title><div> </div>", ""),
        ("  ", ""),
    ],
)
def test_markup_keeps_its_words_and_loses_what_acts(markup: str, left: str) -> None:
    assert sanitised(markup) == left


def test_markup_as_plain_words() -> None:
    assert plain("<h3>a</h3><p>b  &amp;\n c<br>d</p><ul><li>e</li><li>f</li></ul>") == "a\n\nb & c\n\nd\n\ne\n\nf"


def test_a_document_is_named_by_what_is_seen_of_it() -> None:
    def hash_of(**told: Any) -> str:
        return str(document_row("default", "d", "title", "text", {}, None, **told)["doc_hash"])

    assert hash_of() == fingerprint("title", "\0", "text", "\0", "{}")
    assert hash_of(markup="<script>x</script>") == hash_of()
    others = [
        hash_of(markup="<b>text</b>"),
        hash_of(picture=Picture.of(png())),
        hash_of(language="ar"),
        hash_of(language="he"),
    ]
    assert len({hash_of(), *others}) == 5


def test_fields_keep_their_order_and_words_come_from_markup() -> None:
    row = document_row("default", "d", "", "", {"size": "ü", "age": "1"}, "2026-11-12", markup="<p>a</p><p>b</p>")
    assert row["fields"] == '{"size": "ü", "age": "1"}'
    assert (row["text"], row["html"]) == ("a\n\nb", "<p>a</p><p>b</p>")


def test_pictures_come_from_beside_the_documents_and_from_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "pictures of it").mkdir(parents=True)
    (folder / "pictures of it" / "a.png").write_bytes(png())
    rows = held(
        folder,
        {"doc_id": "file", "image": "pictures%20of%20it/a.png"},
        {"doc_id": "data", "image": DATA},
        {"doc_id": "web", "image": "https://web.example/a.png"},
        {"doc_id": "none"},
    )
    pictures = [rows[doc]["picture"] for doc in ("file", "data")]
    assert [(one["image_hash"], one["kind"], one["bytes"]()) for one in pictures] == [
        (fingerprint(png()), "image/png", png())
    ] * 2
    assert rows["file"]["image"] == rows["data"]["image"] == fingerprint(png())
    assert [rows[doc]["image"] for doc in ("web", "none")] == ["", ""]
    (note,) = notes_on(rows.values())
    assert note.startswith("1 pictures are not shown, as the page fetches nothing from the web")


def test_a_picture_that_changes_while_it_is_read_is_not_taken_for_another(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    row = held(tmp_path, {"doc_id": "d", "image": "a.png"})["d"]["picture"]
    (tmp_path / "a.png").write_bytes(png(3))
    with pytest.raises(InputError, match="a picture changed while it was read"):
        row["bytes"]()


@pytest.mark.parametrize(
    ("image", "what"),
    [
        ("../secret.png", "the picture ../secret.png is not beside the documents"),
        ("none.png", "there is no picture none.png"),
        ("drawing.svg", "a picture is of a kind that is not shown"),
        ("large.png", "the picture large.png has 524,289 bytes"),
        ("data:image/png;base64,@@", "the picture is not base64"),
        ("data:image/png,raw", "the picture is not base64"),
    ],
)
def test_pictures_that_cannot_be_taken_are_named_with_their_place(tmp_path: Path, image: str, what: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(png())
    (folder / "drawing.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", "utf-8")
    (folder / "large.png").write_bytes(png().ljust(LARGEST_PICTURE + 1, b"\0"))
    with pytest.raises(InputError) as error:
        held(folder, {"doc_id": "a"}, *({"doc_id": f"d{n}", "image": image} for n in range(5)))
    assert str(error.value).startswith(f"{folder / 'documents.jsonl'}:2: {what}\n    mend: name a png, jpeg, gif, webp")
    assert "and 2 more. Nothing was written." in str(error.value)


def test_what_a_query_asks_for_is_read_from_the_topics() -> None:
    topics = [
        {"query_id": "a", "text": "tube", "need": "A spare tube.", "language": "en_GB", "segment": "head"},
        {"query_id": "b", "text": "tyre", "description": "A tyre.", "narrative": "Not a tube.", "language": "Arabic"},
        {"query_id": "c", "text": "rim", "intent": "a rim to replace a broken one"},
        {"query_id": "e", "text": "rim", "intent": "Browse"},  # a kind of query, as `segments` and `compare` read it
    ]
    asks = queries_of(Workbench(), topics)
    assert asks("a") == {"text": "tube", "need": "A spare tube.", "language": "en-GB", "segment": "head"}
    assert asks("b") == {"text": "tyre", "need": "A tyre.\nNot a tube.", "language": None, "segment": None}
    assert asks("c")["need"] == "a rim to replace a broken one"
    assert asks("e")["need"] == ""
    assert asks("d") == {"text": "d", "need": "", "language": None, "segment": None}


@pytest.mark.parametrize(
    ("language", "tag", "direction"),
    [
        ("ar", "ar", "rtl"), ("he-IL", "he-IL", "rtl"), ("fa_IR", "fa-IR", "rtl"), ("ar-Latn", "ar-Latn", "ltr"),
        ("az-Arab", "az-Arab", "rtl"), ("zh-Hans", "zh-Hans", "ltr"), ("hi", "hi", "ltr"), ("Arabic", None, "auto"),
        ("", None, "auto"), (None, None, "auto"),
    ],
)  # fmt: skip
def test_languages_and_the_direction_of_their_texts(language: str | None, tag: str | None, direction: str) -> None:
    assert language_of(language) == tag
    assert direction_of(tag) == direction


def test_languages_that_pages_do_not_know_are_said(tmp_path: Path) -> None:
    rows = held(tmp_path, {"doc_id": "a", "language": "Arabic"}, {"doc_id": "b", "fields": {"size": 1, "age": 2}})
    assert rows["a"]["language"] is None
    assert notes_on(rows.values()) == (
        "raters see these fields of a document: size, age",
        "language Arabic is no language as pages name it (1 documents): write ar, he or zh-Hant; without it the "
        "letters of a text tell its direction",
    )
