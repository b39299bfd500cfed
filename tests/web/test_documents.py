"""What the server tells of documents: sanitised markup, fields in their order, pictures of its own, languages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.keys import fingerprint
from web.rich import DOCUMENTS, TOPICS, png, rich
from web.visiting import Visitor

Visit = Callable[..., Visitor]


def shown(who: Visitor) -> dict[str, dict[str, Any]]:
    """The items of the rich project, by document."""
    found = who.get("/v1/projects/rich/items?n=12").json()["items"]
    return {one["document"]["doc_id"]: one for one in found}


def rater(visit: Visit) -> Visitor:
    who = visit()
    assert who.sign_in("rater").status_code == 303
    return who


def test_documents_come_as_they_were_frozen(folder: Path, visit: Visit) -> None:
    made = rich(folder)
    assert made.notes == ("raters see these fields of a document: size, price, brand",)
    items = shown(rater(visit))
    one = items["en-1"]["document"]
    assert list(one["fields"].items()) == [("size", "XL"), ("price", "59.90"), ("brand", "Regen & Söhne")]
    assert one["html"].startswith("<h1>About it</h1><p>A <b>rain</b> jacket, see the shop.</p>")
    assert not any(word in one["html"] for word in ("script", "http", "onerror", "href"))
    assert one["text"].startswith("About it\n\nA rain jacket, see the shop.")
    assert (one["image"], one["language"], one["dir"]) == (fingerprint(png()), "en", "ltr")
    wanted = {f"{topic['query_id']}-1": topic for topic in TOPICS}
    for doc, item in items.items():
        assert item["query"]["need"] == wanted[doc].get("need", "")
        assert item["query"]["language"] == (wanted[doc]["language"] or None)
        assert item["query"]["dir"] == {"ar-1": "rtl", "he-1": "rtl", "emoji-1": "auto"}.get(doc, "ltr")
        assert item["document"]["title"] == next(one["title"] for one in DOCUMENTS if one["doc_id"] == doc)


def test_a_picture_is_served_from_here_to_raters_alone(folder: Path, visit: Visit) -> None:
    rich(folder)
    who = rater(visit)
    path = f"/v1/images/{fingerprint(png())}"
    answer = who.get(path)
    assert (answer.status_code, answer.content) == (200, png())
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert visit().get(path).status_code == 401
    assert who.get(f"/v1/images/{'0' * 64}").status_code == 404
    assert who.get("/v1/images/jacket.png").status_code == 422
    page = who.get("/label/rich")
    assert "img-src 'self' data:" in page.headers["content-security-policy"]


def test_a_document_that_nobody_gave_is_its_id_alone(folder: Path, visit: Visit) -> None:
    rich(folder, documents=None, name="rich")
    one = shown(rater(visit))["en-1"]["document"]
    assert (one["title"], one["text"], one["html"], one["fields"], one["image"]) == ("", "", "", {}, "")
