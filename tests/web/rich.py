"""A project whose documents have markup, fields, pictures, and other languages than English."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from assay.flows.keeping import open_store
from assay.flows.labelling import Made, create_project
from assay.flows.workbench import Workbench
from assay.rubric import Rubric
from web.labelled import RUBRIC

TOPICS = [
    {"query_id": "en", "text": "rain jackets", "need": "A jacket that keeps a cyclist dry.", "language": "en"},
    {"query_id": "ar", "text": "سترة مطر", "need": "سترة تقي من المطر", "language": "ar"},
    {"query_id": "he", "text": "מעיל גשם", "need": "מעיל לרכיבה", "language": "he"},
    {"query_id": "zh", "text": "红色雨衣", "need": "骑自行车穿的雨衣", "language": "zh-Hans"},
    {"query_id": "hi", "text": "बारिश जैकेट", "need": "साइकिल के लिए", "language": "hi"},
    {"query_id": "emoji", "text": "👩‍💻 laptop", "language": ""},
]

LONG = "\n\n".join(f"Paragraph {n} of a long text, which goes on for a while about seams and zips." for n in range(60))

MARKUP = (
    "<h1>About it</h1><p>A <b>rain</b> jacket, see <a href='https://web.example/'>the shop</a>.</p>"
    "<script>document.title='caught'</script><img src='https://web.example/x.png' alt='a seam' onerror='caught()'>"
    "<table><tr><th>Size</th><td>XL</td></tr></table>"
)

DOCUMENTS = [
    {"doc_id": "en-1", "title": "Rain jacket Trà Vinh", "html": MARKUP, "image": "jacket.png", "language": "en",
     "fields": {"size": "XL", "price": "59.90", "brand": "Regen & Söhne"}, "captured_at": "2026-11-12T08:00:00Z"},
    {"doc_id": "ar-1", "title": "سترة المطر الخفيفة", "text": "تحمي من المَطَر والريح.\n\nمقاس iPhone 15 كبير.",
     "language": "ar"},
    {"doc_id": "he-1", "title": "מעיל גשם קל", "text": "המעיל מגן מגשם.", "language": "he"},
    {"doc_id": "zh-1", "title": "轻便红色雨衣", "text": "这件雨衣是红色的。", "language": "zh-Hans"},
    {"doc_id": "hi-1", "title": "हल्की बारिश जैकेट", "text": "यह जैकेट बारिश से बचाती है।", "language": "hi"},
    {"doc_id": "emoji-1", "title": "Laptop for 👩‍💻 and 👩", "text": "A laptop 👨‍👩‍👧 bag."},
    {"doc_id": "en-2", "title": "Long rain text", "text": LONG + "\n\nIn the end, rain."},
    {"doc_id": "ar-2", "title": "معطف", "text": "Mixed: a coat for سترة weather."},
]  # fmt: skip


def png(width: int = 14, height: int = 11) -> bytes:
    """A grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x80" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def rich(folder: Path, name: str = "rich", **options: object) -> Made:
    """Every document for its query, one query after the other; `en-2` and `ar-2` are in no pair."""
    import json

    (folder / "jacket.png").write_bytes(png())
    source = folder / "documents.jsonl"
    source.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in DOCUMENTS), "utf-8")
    pairs = [{"query_id": topic["query_id"], "doc_id": f"{topic['query_id']}-1"} for topic in TOPICS]
    bench = Workbench.open(str(folder))
    with open_store(bench) as store:
        return create_project(
            store, bench, name=name, rubric=Rubric.parse(RUBRIC), rubric_text=RUBRIC, by="test", topics=TOPICS,
            **({"pairs": pairs, "documents": str(source), "repeat_share": 0.0, "min_seconds": 0.0} | options),  # type: ignore[arg-type]
        )  # fmt: skip
