"""The part of a report that is worked with: the table of queries and the two lists of one query.

This is only their frame; `assets/sheet.js` fills it from the data of the file.
"""

from __future__ import annotations

from html import escape
from typing import Any

STAGES = ("", "not retrieved", "ranked low", "both")
"""What each place of `dossier.LOST` is called, here and in the script."""
KEY = """<ul class="key"><li><span class="chip g3">3</span> to <span class="chip g0">0</span> grade</li>
<li><span class="chip gu"><span>?</span></span> unjudged</li><li><b>▲ 2</b> up, <b>▼ 2</b> down (dashed)</li>
<li><span class="up"><b>blue</b></span> helps, <span class="down"><b>orange</b></span> hurts, grey: no gain either
way</li><li>new, gone: only in one list</li></ul>"""
UNJUDGED = """<li><span class="chip gu"><span>?</span></span> unjudged</li>"""
LISTS = f"""<div class="lists"><div id="left"><h3></h3><ol class="hits"></ol></div><div class="lines" id="lines"></div>
<div id="right"><h3></h3><ol class="hits"></ol></div></div><div class="tools part">{KEY}
<button type="button" id="copy" class="no-print" aria-keyshortcuts="y">Copy permalink <kbd>y</kbd></button></div>"""
NO_LISTS = '<p class="note">No documents were kept with this comparison: the lists are not shown.</p>'
ROW_KEYS = """<span class="note end"><kbd>j</kbd> <kbd>k</kbd> row &ensp;<kbd>w</kbd> <kbd>l</kbd> win, loss
&ensp;<kbd>/</kbd> find</span>"""
WINDOW = """<p class="empty" id="none" hidden>No query is like that. Clear the search or choose All.</p>
<div class="window" id="rows" tabindex="0" role="region" aria-label="Queries"><table>
<caption class="hidden-text">Queries and their differences</caption><thead><tr>{heads}</tr></thead><tbody>
</tbody></table></div>
<noscript><p class="empty">The table of queries needs the script of this file; the charts and tables above do
not.</p></noscript><p class="hidden-text" id="says" role="status"></p>"""
FIND = """<label>Find <input id="find" type="search" placeholder="words in the query" aria-keyshortcuts="/"></label>"""


def queries(data: dict[str, Any]) -> str:
    """The controls and the empty table; the script makes the rows that are in its window.

    Args:
        data: what `dossier` gave.
    """
    has_bounds = any(pair["lo"] for pair in data["pairs"])
    how = "Worst first. Solid: measured difference."
    how += " Hatched: where it could lie were the unjudged judged." if has_bounds else ""
    heads = "".join(_head(*column) for column in _columns(data, has_bounds))
    return (
        f'<section id="queries"><header><h2>Queries</h2><p>{how}</p></header><div class="tools">{FIND}'
        f"{_kinds(data, has_bounds)}{_choices(data)}"
        f'<span class="note" id="shown" role="status"></span>{ROW_KEYS}</div>{WINDOW.format(heads=heads)}</section>'
    )


def _kinds(data: dict[str, Any], has_bounds: bool) -> str:
    kinds = [("all", "All"), ("win", "Wins"), ("loss", "Losses")]
    kinds += [("flip", "Sign could flip")] if has_bounds else []
    kinds += [("unjudged", "With unjudged")] if data["lists"] is not None and not data["known"] else []
    buttons = "".join(
        f'<button type="button" value="{value}" aria-pressed="{str(value == "all").lower()}">{words} '
        '<span class="count"></span></button>'
        for value, words in kinds
    )
    return f'<div class="choices" id="kinds" role="group" aria-label="Which queries">{buttons}</div>'


def _choices(data: dict[str, Any]) -> str:
    runs, out = data["runs"], ""
    if len(data["pairs"]) > 1:
        options = "".join(
            f'<option value="{i}">{escape(runs[pair["b"]])} against {escape(runs[pair["a"]])}</option>'
            for i, pair in enumerate(data["pairs"])
        )
        out += f'<label>Systems <select id="pair">{options}</select></label>'
    if data["segs"]:
        options = "".join(f'<option value="{i}">{escape(name)}</option>' for i, name in enumerate(data["segs"]))
        label = escape(data["segment"][:1].upper() + data["segment"][1:])
        out += f'<label>{label} <select id="segment"><option value="">all</option>{options}</select></label>'
    if _has_stages(data):
        options = "".join(f'<option value="{i}">{word}</option>' for i, word in enumerate(STAGES) if word)
        out += f'<label>Loss <select id="lost"><option value="">all</option>{options}</select></label>'
    return out


def _has_stages(data: dict[str, Any]) -> bool:
    return any(pair["lost"] for pair in data["pairs"])


def _columns(data: dict[str, Any], has_bounds: bool) -> list[tuple[str, str, str]]:
    """Name, words and classes of each column."""
    columns = [("query", "query", "")]
    columns += [("segment", data["segment"], "w-seg opt-col")] if data["segs"] else []
    columns += [("traffic", "traffic", "num opt-col roomy w-val")] if data["traffic"] else []
    columns += [("baseline", "baseline", "num opt-col w-val"), ("candidate", "candidate", "num opt-col w-val")]
    columns += [("diff", "difference", "num w-diff")]
    columns += [("drawn", "and over unjudged" if has_bounds else "drawn", "w-draw")]
    if data["lists"] is not None:
        k = data["k"]
        columns += [] if data["known"] else [("unjudged", f"unjudged@{k}", "num opt-col w-pair")]
        columns += [
            ("shared", f"shared@{k}", "num opt-col roomy w-pair"),
            ("first", "first relevant", "num opt-col w-pair"),
        ]
    columns += [("lost", "stage of the loss", "opt-col w-stage")] if _has_stages(data) else []
    return columns


def _head(name: str, words: str, kind: str) -> str:
    said = f' class="{kind}"' if kind else ""
    order = ' aria-sort="ascending"' if name == "diff" else ""
    inside = escape(words)
    if name != "drawn":
        inside = f'<button class="sort" type="button">{inside}</button>'
    return f'<th scope="col" data-col="{name}"{said}{order}>{inside}</th>'


def lists(data: dict[str, Any]) -> str:
    """One query: two lists side by side; without lists, its figures alone.

    Args:
        data: what `dossier` gave.
    """
    sides = LISTS if data["lists"] is not None else NO_LISTS
    if data["known"]:
        sides = sides.replace(UNJUDGED, "")
    keys = "<kbd>j</kbd> <kbd>k</kbd> next, previous query &ensp;<kbd>m</kbd> moved document"
    return (
        '<section id="one"><header><h2 tabindex="-1">One query</h2><span id="one-seg"></span><p id="one-facts"></p>'
        f'<p class="note no-print">{keys}</p></header><p class="note" id="stale">Choose a query above.</p>'
        f"{sides}</section>"
    )
