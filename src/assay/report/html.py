"""A page as HTML: one self-contained file, a part of a web page, or a guest in a notebook.

The file loads nothing, runs nothing and carries a policy that says so.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from itertools import groupby
from typing import Any

from assay.report.figures import count, is_number, number, on_page, show
from assay.report.page import (
    Cell,
    Column,
    Drawn,
    Facts,
    Heading,
    Mark,
    Page,
    Part,
    Picture,
    Prose,
    Range,
    Remarks,
    Table,
    Tone,
    Value,
    Whisker,
    Worked,
)
from assay.report.svg import NARROW
from assay.results import RENDERERS

ROOMY = 4
"""Columns that may go from this on need a wide page too."""
PLACES = 3
"""The most decimals on a page."""
LONGEST = 60
"""Rows of a table that stand open."""
PERCENT = re.compile(r"(?<=\d) %")

DIAMOND = '<path d="M12 1l11 11-11 11L1 12z" fill="none" stroke="currentColor" stroke-width="2.4"/>'
SHAPES: dict[Tone, str] = {
    "better": '<path d="M12 3l10 18H2z" fill="currentColor"/>',
    "worse": '<path d="M12 21L2 3h20z" fill="currentColor"/>',
    "unsure": DIAMOND + '<path d="M12 1v22L1 12z" fill="currentColor"/>',
    "pass": '<path d="M3 13l6 6L21 5" fill="none" stroke="currentColor" stroke-width="3.4"/>',
    "fail": '<path d="M4 4l16 16M20 4L4 20" fill="none" stroke="currentColor" stroke-width="3.4"/>',
    "plain": "",
}
CROSS = '<path d="M12 6.5v11M8 12h8" stroke="currentColor" stroke-width="2.4"/>'
LOGO = f'<svg viewBox="0 0 24 24" aria-hidden="true">{DIAMOND}{CROSS}</svg>'


def to_html(page: Page) -> str:
    """The page as one file with its style inside."""
    css = style(":root")
    digest = base64.b64encode(hashlib.sha256(css.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{_text(page.title)}</title>\n<link rel="icon" href="data:,">\n<style>{css}</style>\n</head>\n'
        '<body class="assay">\n<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header class="bar"><span class="mark">{LOGO}assay</span>'
        f'<span class="crumb">{_text(page.title)}</span></header>\n'
        f'<main id="main">\n{to_fragment(page)}\n</main>\n</body>\n</html>\n'
    )


def to_fragment(page: Page) -> str:
    """The page as a part of a web page that has the style already."""
    said = "".join(f'<p class="lead">{_cell(_rounded(cell))}</p>' for cell in page.answer)
    out = [f'<div class="answer"><h1>{_text(page.title)}</h1>{said}</div>']
    drawn = ""
    for part, following in zip(page.parts, (*page.parts[1:], None), strict=True):
        if isinstance(part, Picture) and part.is_beside and isinstance(following, Table) and following.rows:
            drawn = to_part(part)
        else:
            out.append(f'<div class="beside">{drawn}{to_part(part)}</div>' if drawn else to_part(part))
            drawn = ""
    if page.made is not None:
        out.append(f'<footer class="made"><h2>How this was made</h2>{_facts(page.made)}</footer>')
    return "\n".join(out)


def to_guest(page: Page) -> str:
    """The page with its style, for a notebook; nothing leaks out of its box."""
    return f'<div class="assay guest"><style>{style(".assay")}</style>\n{to_fragment(page)}\n</div>'


@RENDERERS.add("html")
def notebook(result: Any) -> str:
    """Any result as a notebook shows it."""
    from assay.report.describe import describe

    return to_guest(describe(result))


@cache
def style(root: str) -> str:
    """The tokens and components, the tokens set on `root`."""
    from importlib.resources import files

    assets = files("assay.report").joinpath("assets")
    tokens = assets.joinpath("tokens.css").read_text(encoding="utf-8").replace(":root", root)
    return "\n" + tokens + "".join(assets.joinpath(name).read_text("utf-8") for name in ("report.css", "charts.css"))


def _text(text: str) -> str:
    return escape(text, quote=True)


def _said(text: str) -> str:
    """Our own words: a number and its percent sign stay in one line."""
    return PERCENT.sub("\u00a0%", _text(text))


def _rounded(cell: Cell) -> Cell:
    """A line of the answer with the decimals of a page."""
    if isinstance(cell, Mark):
        return Mark(cell.tone, on_page(cell.text), cell.label)
    return on_page(cell) if isinstance(cell, str) else cell


def to_part(part: Part) -> str:
    """One part of a page."""
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Heading):
        lead = f"<p>{_said(part.lead)}</p>" if part.lead else ""
        return f'<div class="heading"><h2>{_said(part.text)}</h2>{lead}</div>'
    if isinstance(part, Picture):
        return _picture(part)
    if isinstance(part, Prose):
        return f'<p class="part">{_cell(Mark(part.tone, part.text))}</p>'
    if isinstance(part, Facts):
        return _facts(part, lambda text: _said(on_page(text)))
    if isinstance(part, Remarks):
        each = (f'<p class="remark {remark.tone}">{_cell(remark)}</p>' for remark in part.lines)
        return f'<div class="part">{"".join(each)}</div>'
    if isinstance(part, Worked):
        return f'<pre class="part worked">{_text(chr(10).join(part.lines))}</pre>'
    return f'<div class="part command"><p>{_text(part.lead)}</p><pre>{_text(part.line)}</pre></div>'


def _picture(part: Picture) -> str:
    """A chart twice, wide and for a phone, below its caption."""
    wide, narrow = part.draw(part.width).svg(), part.draw(NARROW).svg()
    return (
        f'<figure class="part"><figcaption>{_said(part.caption)}</figcaption>'
        f'<div class="wide-only">{wide}</div><div class="narrow-only">{narrow}</div></figure>'
    )


def _facts(part: Facts, write: Callable[[str], str] = _text) -> str:
    rows = []
    for fact in part.facts:
        said = "".join(f"<p>{write(line)}</p>" for line in fact.lines) if len(fact.lines) > 1 else write(fact.lines[0])
        rows.append(f"<dt>{_text(fact.label)}</dt><dd>{said}</dd>")
    return f'<dl class="part facts">{"".join(rows)}</dl>'


def _table(table: Table) -> str:
    """A table in a region of its own; what goes beyond a sensible length stands folded below it."""
    if not table.rows:
        return ""
    shown, folded = fold(table)
    kind = "part scroll stack" + (" tall" if table.tall else "")
    name = _text(table.name or "table")
    out = f'<div class="{kind}" tabindex="0" role="region" aria-label="{name}">{_rows(table, shown, table.foot)}</div>'
    for words, rows in folded:
        out += (
            f'<details class="more"><summary>{_text(words)}</summary><div class="scroll stack" tabindex="0" '
            f'role="region" aria-label="{name}: {_text(words)}">{_rows(table, rows)}</div></details>'
        )
    return out


def _rows(table: Table, rows: Sequence[tuple[Cell, ...]], foot: Sequence[tuple[Cell, ...]] = ()) -> str:
    heads = "".join(_head(column) for column in table.columns)
    groups = [i for i, column in enumerate(table.columns) if column.is_grouped]
    body, above = [], None
    for row, below in zip(rows, (*rows[1:], None), strict=True):
        body.append(_row(table, row, above, _edge(groups, row, below)))
        above = row
    said = "".join(_row(table, row, None, "") for row in foot)
    return (
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody>"
        f"{f'<tfoot>{said}</tfoot>' if said else ''}</table>"
    )


Rows = tuple[tuple[Cell, ...], ...]


def fold(table: Table) -> tuple[Rows, list[tuple[str, Rows]]]:
    """The rows that stand open, and the others by what their first column says, each with a name; none is lost."""
    if table.tall or len(table.rows) <= LONGEST:
        return table.rows, []
    if not table.columns[0].is_grouped:
        return table.rows[:LONGEST], [(f"{count(len(table.rows) - LONGEST, 'more row')}", table.rows[LONGEST:])]
    shown: Rows = ()
    folded: list[tuple[str, Rows]] = []
    for first, held in groupby(table.rows, key=lambda row: show(row[0])):
        rows = tuple(held)
        room = 0 if folded else LONGEST - len(shown)
        if len(rows) > room and shown:
            folded.append((f"{first}: {count(len(rows), 'row')}", rows))
            continue
        shown += rows[:room]
        if rows[room:]:
            folded.append((f"{first}: {count(len(rows) - room, 'more row')}", rows[room:]))
    return shown, folded


def _head(column: Column) -> str:
    """The head of one column; one without words is not a head."""
    return f'<th scope="col"{_class(column)}>{_said(column.head)}</th>' if column.head else f"<td{_class(column)}></td>"


def _edge(groups: list[int], row: tuple[Cell, ...], below: tuple[Cell, ...] | None) -> str:
    """How a row is parted from the one below: not at all inside a group, strongly where groups of groups end."""
    if not groups or below is None:
        return ""
    same = [row[i] == below[i] for i in groups]
    return "inner" if all(same) else "last" if len(groups) > 1 and not same[0] else ""


def _row(table: Table, row: tuple[Cell, ...], above: tuple[Cell, ...] | None, edge: str) -> str:
    out, again, labels = [], above is not None, table.labels()
    for i, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
        again = again and column.is_grouped and above is not None and above[i] == cell
        said = _whisker(cell, column) if isinstance(cell, Whisker) else _cell(cell)
        if again:
            said = f'<span class="again">{said}</span>'
        kinds = {
            "drawn": column.is_drawn,
            "name": i > 0 and column.is_name,
            "prose": column.is_prose,
            "range": isinstance(cell, Range),
            "none": said == "n/a",
        }
        extra = "".join(f" {kind}" for kind, holds in kinds.items() if holds)
        named = f' data-l="{_said(labels[i])}"' if i > 0 or table.needs_head(cell) else ""
        tag, scope = ("th", ' scope="row"') if i == 0 else ("td", "")
        out.append(f"<{tag}{scope}{named}{_class(column, extra)}>{said}</{tag}>")
    return f"<tr{f' class={edge}' if edge else ''}>{''.join(out)}</tr>"


def _class(column: Column, extra: str = "") -> str:
    names = (" num" if column.align == "right" else "") + (" mono" if column.mono else "") + extra
    names += " named" if column.is_named else ""
    names += " roomy" if column.drop >= ROOMY else ""
    return f' class="{names.strip()}"' if names.strip() else ""


def mark(cell: Mark) -> str:
    """Words with their shape and colour."""
    return _cell(cell)


def _cell(cell: Cell) -> str:
    if isinstance(cell, Mark) and cell.tone != "plain":
        shape = f'<svg viewBox="0 0 24 24" aria-hidden="true">{SHAPES[cell.tone]}</svg>'
        if cell.label:
            return f'<span class="v v-{cell.tone}">{shape}{_said(cell.label)}</span> {_said(cell.text)}'
        return f'<span class="v v-{cell.tone}">{shape}{_said(cell.text)}</span>'
    if isinstance(cell, Drawn):
        return _drawn(cell)
    most = PLACES if isinstance(cell, (Value, Range)) else None
    return _said(show(cell, most))


def _whisker(cell: Whisker, column: Column) -> str:
    """A difference on the axis that its column shares."""
    from assay.report.charts import Effect, small

    if cell.x is None or column.axis is None:
        return ""
    return small(Effect(cell.x, cell.low, cell.high), column.axis.low, column.axis.high, 230, cell.threshold).svg("")


AXIS = 240
"""Width of the axis from 0 to 1, in pixels."""


def _drawn(cell: Drawn) -> str:
    """The interval as a bar with its value as a dot; hollow where there is no interval."""
    ticks = "".join(_line(tick * AXIS + 5, 0, tick * AXIS + 5, 22, "s-rule") for tick in (0, 0.25, 0.5, 0.75, 1))
    if not is_number(cell.x):
        said, marks = "no value", ""
    else:
        x = (cell.x or 0.0) * AXIS + 5
        said, marks = number(cell.x or 0.0, PLACES), f'<circle cx="{x:.1f}" cy="11" r="4" class="f-paper s-ink"/>'
        if cell.low is not None and cell.high is not None:
            low, high = (min(max(end, 0.0), 1.0) * AXIS + 5 for end in (cell.low, cell.high))
            bar = (
                _line(low, 11, high, 11, "s-ink wide")
                + _line(low, 7, low, 15, "s-ink")
                + _line(high, 7, high, 15, "s-ink")
            )
            marks = f'{bar}<circle cx="{x:.1f}" cy="11" r="4" class="f-ink"/>'
            said += f", {number(cell.low, PLACES)} to {number(cell.high, PLACES)}"
    size = f'width="{AXIS + 10}" height="22" viewBox="0 0 {AXIS + 10} 22"'
    return f'<svg {size} role="img" aria-label="{_text(said)}">{ticks}{marks}</svg>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:g}" x2="{x2:.1f}" y2="{y2:g}" class="{kind}"/>'
