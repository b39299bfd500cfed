"""Documents and their pictures in the store: each once, in a backup too, and apart by tenant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.flows.pictures import Picture
from assay.flows.snapshot import document_row
from assay.store import projects
from assay.store.database import Store
from assay.store.schema import DOCUMENTS, IMAGES
from assay.store.upgrade import backup
from web.rich import png


def test_a_picture_is_kept_once_and_comes_back_byte_by_byte(store: Store) -> None:
    def made(doc: str) -> dict[str, Any]:
        return document_row(
            "default", doc, doc, "text", {"größe": "XL"}, None, markup="<b>text</b>", picture=Picture.of(png()),
            language="ar",
        )  # fmt: skip

    rows = [made("a"), made("b")]
    for _ in range(2):
        store.write(lambda connection: projects.add_documents(connection, rows)).result()
    found = store.rows(sa.select(DOCUMENTS).order_by(DOCUMENTS.c.doc_id))
    assert [(row["doc_id"], row["html"], row["language"]) for row in found] == [
        ("a", "<b>text</b>", "ar"), ("b", "<b>text</b>", "ar")
    ]  # fmt: skip
    assert found[0]["fields"] == '{"größe": "XL"}'
    assert len(store.rows(sa.select(IMAGES))) == 1
    assert projects.image(store, "default", found[0]["image"]) == ("image/png", png())
    assert projects.image(store, "somebody else", found[0]["image"]) is None
    assert projects.image(store, "default", "0" * 64) is None


def test_a_backup_has_the_pictures(store: Store, url: str, tmp_path: Path) -> None:
    pictures = [png(width) for width in range(1, 46)]  # more than are copied together
    rows = [
        document_row("default", f"d{n}", "title", "", {}, None, picture=Picture.of(one))
        for n, one in enumerate(pictures)
    ]
    store.write(lambda connection: projects.add_documents(connection, rows)).result()
    backup(url, tmp_path / "copy.db")
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as copy:
        assert sorted(bytes(row["bytes"]) for row in copy.rows(sa.select(IMAGES))) == sorted(pictures)
