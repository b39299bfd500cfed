"""What people took in answer to a query, as pairs for a pool: clicked and bought documents of a log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.mistaken import for_a_log
from assay.results import Note
from assay.tables import Block, LoggedAction
from assay.text import fold

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench
    from assay.judgments.pool import Listed

BOUGHT = ("purchase", "purchased", "bought", "buy", "order")
CLICKED = ("click", "clicked", "watch", "add_to_cart", "cart")
"""Actions that say so, whatever their case; others are counted and left out."""


def taken(
    bench: Workbench, logs: Sequence[Any], topics: Block | None, application: str, at_least: int
) -> tuple[list[Listed], list[Note]]:
    """Bought documents, then clicked ones, those taken most often first; and what is odd about the log.

    Args:
        bench: where it is found.
        logs: a table of query, document and action; or the events and queries of UBI.
        topics: what is asked for; a query of the log is a topic where their texts differ in form alone.
        application: of UBI: whose records count.
        at_least: how often a document was taken for a query.

    Raises:
        InputError: there are no topics with texts, or the log cannot be read.
    """
    from assay.judgments.pool import Listed

    if topics is None or "text" not in topics.columns:
        raise InputError("the log tells queries by their text", "--topics", "pass topics with a column text")
    frame: Any = topics.frame
    asked: dict[str, list[str]] = {}
    for query, text in zip(frame["query_id"], frame["text"], strict=True):
        if text:
            asked.setdefault(fold(str(text)), []).append(str(query))
    rows = _rows(bench, logs, application)
    counts: dict[str, Counter[tuple[str, str]]] = {"bought": Counter(), "clicked": Counter()}
    others: Counter[str] = Counter()
    strangers = 0.0
    for text, doc, action, n in _cells(rows):
        why = "bought" if action in BOUGHT else "clicked" if action in CLICKED else ""
        if not why:
            others[action] += 1
            continue
        queries = asked.get(fold(text), ())
        strangers += 0 if queries else n
        for query in queries:
            counts[why][query, doc] += n  # type: ignore[assignment] # logs may count in fractions
    notes = [Note("read", fact) for fact in rows.facts]
    if strangers:
        notes.append(Note("strangers", f"{strangers:,.0f} clicks of the log are of queries that are no topic"))
    if others:
        told = ", ".join(f"{action} {n:,}" for action, n in others.most_common(6))
        notes.append(Note("actions", f"actions of the log that say neither clicked nor bought are left out: {told}"))
    return [
        Listed(why, [pair for pair, n in sorted(found.items(), key=lambda one: (-one[1], one[0])) if n >= at_least])
        for why, found in counts.items()
        if found
    ], notes


def _rows(bench: Workbench, logs: Sequence[Any], application: str) -> Block:
    from assay.formats.ubi_log import is_ubi, read_ubi_actions

    sources = [bench.source(log) for log in logs]
    paths = [source for source in sources if source is not None]
    if len(paths) == len(logs) and (application or any(map(is_ubi, paths))):
        for path in paths:
            bench.note(path)
        return read_ubi_actions(paths, application)
    if len(logs) != 1:
        raise InputError("several logs are read of UBI alone", "--log", "pass one table of query, document and action")
    try:
        return bench.table(logs[0], LoggedAction, name="log")
    except InputError as error:
        raise for_a_log(error, sources) from None


def _cells(rows: Block) -> list[tuple[str, str, str, float]]:
    frame: Any = rows.frame
    n = len(rows)

    def cells(name: str, absent: Any) -> list[Any]:
        return [absent if x is None else x for x in frame[name]] if name in rows.columns else [absent] * n

    actions = [str(action).strip().casefold() for action in cells("action", "click")]
    texts, docs = map(str, frame["text"]), map(str, frame["doc_id"])
    return list(zip(texts, docs, actions, map(float, cells("count", 1.0)), strict=True))
