"""What raters see of a document: frozen when it is queued, so that a label is about what was seen.

Markup is sanitised, and pictures are taken into the store: the page that shows them fetches nothing from the web.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assay.errors import MissingExtra
from assay.flows.pictures import KINDS, ON_THE_WEB, Album, folder_of
from assay.keys import fingerprint
from assay.store import projects
from assay.tables import Document, Topic

if TYPE_CHECKING:
    from assay.flows.pictures import Picture
    from assay.flows.workbench import Workbench
    from assay.store.database import Store

_SHOWN_DATA = re.compile(rf"data:(?:{'|'.join(KINDS)});base64,[A-Za-z0-9+/=\s]+")
_ADDRESS = re.compile(r"https?://[^\s\\\x00-\x20\x7f<>\"'`]+", re.IGNORECASE)
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_BLOCK = re.compile(r"</?(?:p|div|h[1-6]|li|dt|dd|tr|table|blockquote|pre|figure|figcaption|caption|hr|br)\b[^>]*>")

_DROPPED = frozenset({"a", "area", "map", "mark", "details", "summary", "nav", "header", "footer", "article", "aside"})
"""Tags whose content stays: links would lead away from the page, the rest means something to the page around it."""

_EMPTIED = frozenset({"script", "style", "template", "title", "noscript", "iframe", "object", "textarea", "select"})
"""Tags that go with their content."""

_KEPT = {
    "*": {"lang", "dir"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan", "scope"}, "ol": {"start"},
    "img": {"src", "alt"},
}  # fmt: skip

_FROM_RIGHT = frozenset({
    "ar", "arc", "ary", "arz", "azb", "bcc", "bgn", "bqi", "ckb", "dv", "fa", "glk", "he", "iw", "ji", "ks", "lrc",
    "luz", "mzn", "nqo", "pnb", "ps", "prs", "sd", "sdh", "syr", "ug", "ur", "yi",
})  # fmt: skip
_SCRIPTS_FROM_RIGHT = frozenset({
    "adlm", "arab", "aran", "hebr", "mand", "mend", "nkoo", "rohg", "samr", "syrc", "thaa", "yezi",
})  # fmt: skip


def documents_of(bench: Workbench, documents: Any, tenant: str) -> dict[str, dict[str, Any]]:
    """Freezes documents.

    Args:
        bench: where they are found.
        documents: a table of them; None where there is none.
        tenant: whose.

    Returns:
        Rows of the store by document, each with its `picture` and what was `left_out`, see `document_row`.

    Raises:
        InputError: a picture cannot be taken.
        MissingExtra: there is markup, and nothing to sanitise it with.
    """
    if documents is None:
        return {}
    block = bench.table(documents, Document, name="documents")
    frame: Any = block.frame
    names = ("doc_id", "title", "text", "html", "fields", "image", "language", "captured_at")
    columns = [list(frame[name]) if name in block.columns else [None] * len(block) for name in names]
    album = Album(folder_of(bench.source(documents)), block)
    held = {}
    for at, (doc, title, text, markup, told, image, language, captured) in enumerate(zip(*columns, strict=True)):
        picture, why = album.take(at, image)
        held[str(doc)] = document_row(
            tenant, str(doc), str(title or ""), str(text or ""), json.loads(told or "{}"), captured,
            markup=str(markup or ""), picture=picture, language=language, left_out=why,
        )  # fmt: skip
    album.check()
    return held


def document_row(
    tenant: str, doc: str, title: str, text: str, fields: Mapping[str, str], captured_at: Any, *, markup: str = "",
    picture: Picture | None = None, language: Any = None, left_out: str = "",
) -> dict[str, Any]:  # fmt: skip
    """A document as a rater sees it, as a row of the store; its hash is that of what is seen.

    Args:
        tenant: whose.
        doc: its id.
        title: its title.
        text: its text; made from the markup where there is none.
        fields: names and texts, in the order in which they are shown.
        captured_at: when it looked so.
        markup: its text with HTML, which is sanitised here.
        picture: of it.
        language: as in `lang="ar"`.
        left_out: what raters will not see.

    Returns:
        The row, with `picture` (a row of its own, or None) and `left_out`, which `store.projects` takes apart.
    """
    shown, tag = sanitised(markup), language_of(language)
    if shown and not text:
        text = plain(shown)
    title, text = _writable(title), _writable(text)
    image = None if picture is None else picture.row(tenant)
    told = json.dumps(dict(fields), ensure_ascii=False)
    name_of_image = str(image["image_hash"]) if image else ""
    looks: dict[str, str] = {"html": shown, "image": name_of_image, "language": tag or ""}
    more = [part for pair in looks.items() if pair[1] for part in pair]  # a text alone has the hash of a text alone
    return {
        "tenant": tenant, "doc_id": doc, "title": title, "text": text, "html": shown, "fields": told,
        "image": name_of_image, "language": tag, "captured_at": captured_at,
        "doc_hash": fingerprint(title, "\0", text, "\0", told, *more),
        "picture": image, "left_out": left_out or (f"language {language}" if language and tag is None else ""),
    }  # fmt: skip


def notes_on(rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What whoever queues documents should know of what raters see."""
    rows = list(rows)
    fields = dict.fromkeys(name for row in rows if row["fields"] != "{}" for name in json.loads(row["fields"]))
    notes = []
    if fields:
        notes.append(f"raters see these fields of a document: {', '.join(fields)}")
    if n := sum(row["left_out"] == ON_THE_WEB for row in rows):
        notes.append(f"{n:,} pictures are not shown, as the page fetches nothing from the web: put them into files "
                     "beside the documents, and name these")  # fmt: skip
    if odd := [row["left_out"] for row in rows if row["left_out"] not in ("", ON_THE_WEB)]:
        notes.append(f"{odd[0]} is no language as pages name it ({len(odd):,} documents): write ar, he or zh-Hant; "
                     "without it the letters of a text tell its direction")  # fmt: skip
    return tuple(notes)


def _writable(text: str) -> str:
    """Without the one letter that PostgreSQL does not keep."""
    return text.replace("\0", "\ufffd")


def sanitised(markup: str) -> str:
    """HTML without scripts, styles, links, forms and anything that would be fetched; "" where nothing is left.

    Pictures inside stay where they are `data:` of a kind in `KINDS`; of others the `alt` stays.

    Raises:
        MissingExtra: nh3 is not installed.
    """
    if not markup.strip():
        return ""
    try:
        import nh3
    except ModuleNotFoundError:
        raise MissingExtra("nh3", "web", "showing documents with markup") from None
    clean = nh3.clean(
        _writable(markup), tags=nh3.ALLOWED_TAGS - _DROPPED, clean_content_tags=set(_EMPTIED), attributes=_KEPT,
        attribute_filter=_attribute, link_rel=None, url_schemes={"data"}, url_relative="deny",
    )  # fmt: skip
    return clean if plain(clean) or "<img" in clean else ""


def _attribute(tag: str, name: str, value: str) -> str | None:
    """What stays of an attribute; None where it goes."""
    if name == "src":
        return value if _SHOWN_DATA.fullmatch(value.strip()) else None
    if name == "lang":
        return language_of(value)
    if name == "dir":
        return value.lower() if value.lower() in ("ltr", "rtl", "auto") else None
    if name in ("colspan", "rowspan", "start"):
        return value if re.fullmatch(r"[0-9]{1,2}", value) else None
    return value


def plain(markup: str) -> str:
    """The words of sanitised HTML; blocks are set apart by an empty line."""
    import nh3

    spaced = _BLOCK.sub("\n\n", re.sub(r"\s+", " ", markup))
    return re.sub(r" *\n[\n ]*", "\n\n", html.unescape(nh3.clean(spaced, tags=set()))).strip()


def picture(store: Store, tenant: str, image_hash: str) -> tuple[str, bytes] | None:
    """The kind and the bytes of a picture that was taken; None where there is none of that hash."""
    return projects.image(store, tenant, image_hash)


def language_of(written: Any) -> str | None:
    """A language as pages name it (`ar`, `zh-Hant`); None where it is not one."""
    tag = str(written or "").strip().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else None


def direction_of(language: str | None) -> str:
    """The direction of texts in a language: "rtl" or "ltr", and "auto" where the language is not known."""
    if not language:
        return "auto"
    first, *rest = language.lower().split("-")
    script = next((part for part in rest if len(part) == 4 and part.isalpha()), None)
    if script is not None:
        return "rtl" if script in _SCRIPTS_FROM_RIGHT else "ltr"
    return "rtl" if first in _FROM_RIGHT else "ltr"


_BARE: dict[str, Any] = {
    "doc_hash": "", "title": "", "text": "", "html": "", "fields": {}, "image": "", "language": None,
    "captured_at": None,
}  # fmt: skip


def document_seen(row: Mapping[str, Any] | None, doc: str) -> dict[str, Any]:
    """What a page gets of a document: no system, no rank, no grade; its id alone where nobody gave it.

    Args:
        row: of the store, with `fields` as a dict.
        doc: the id of the document.
    """
    row = _BARE if row is None else row
    return {"doc_id": doc} | {name: row[name] for name in _BARE} | {"dir": direction_of(row["language"])}


LONGEST_ADDRESS = 2_000


def live_page(fields: Mapping[str, str]) -> str:
    """The address of the live page of a document, by its field `url`; "" where it is none that a page may lead to.

    An address begins with http:// or https://, names a host and nobody's password, and has no blanks and no letters
    that a browser would pass over.
    """
    told = next((text for name, text in fields.items() if name.lower() == "url"), "").strip()
    if len(told) > LONGEST_ADDRESS or not _ADDRESS.fullmatch(told):
        return ""
    try:
        parts = urlsplit(told)
        return told if parts.hostname and parts.username is None and parts.port != 0 else ""
    except ValueError:  # a port that is none, brackets that do not close
        return ""


def query_seen(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a page gets of a query."""
    seen = {name: row.get(name) for name in ("query_id", "text", "need", "language")}
    tag = language_of(seen["language"])
    return seen | {"language": tag, "dir": direction_of(tag)}


def queries_of(bench: Workbench, topics: Any) -> Callable[[str], dict[str, Any]]:
    """What a page shows of each query of a table of topics.

    Args:
        bench: where they are found.
        topics: the table; None where there is none. Beside the text, columns `need` (or `information_need`, or
            `description` and `narrative`, or else `intent`) say what the person wants, `language` (or `lang`) is as in
            `lang="ar"`, and `segment` is the class of the query.

    Returns:
        text, need, language and segment by query id; the id stands for a query of which the table says nothing.
    """
    rows: dict[str, dict[str, Any]] = {}
    if topics is not None:
        block = bench.table(topics, Topic, name="topics")
        frame: Any = block.frame
        for at, query in enumerate(frame["query_id"]):
            row = {name: _writable(str(frame[name][at] or "")).strip() for name in block.columns}
            rows[str(query)] = {
                "text": row.get("text") or str(query), "need": _need(row),
                "language": language_of(row.get("language") or row.get("lang")), "segment": row.get("segment") or None,
            }  # fmt: skip
    return lambda query: rows.get(query, {"text": query, "need": "", "language": None, "segment": None})


def _need(row: Mapping[str, str]) -> str:
    """What the person wants, by the first column that says it; an intent that only names a kind of query does not."""
    from assay.compare.choice import PURPOSES

    told = [row.get(name, "") for name in ("description", "narrative")]
    intent = row.get("intent", "")
    said = (row.get("need", ""), row.get("information_need", ""), "\n".join(filter(None, told)),
            "" if intent.lower() in PURPOSES else intent)  # fmt: skip
    return next(filter(None, said), "")
