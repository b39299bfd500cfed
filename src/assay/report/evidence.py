"""The evidence under a verdict: every query, the segments, the stages, the unjudged; each a chart with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from assay.report.bounds import find, lines, noise_lines
from assay.report.curves import MANY, Depths
from assay.report.dossier import ordered, segments
from assay.report.figures import count, on_page, sentence
from assay.report.html import mark, to_part
from assay.report.page import Column, Mark, Range, Table, Value
from assay.report.pictures import WIDTHS, Draw, Pair, recall_lines
from assay.report.staged import stage_table
from assay.report.svg import NARROW
from assay.report.verdicts import first_of, pairs
from assay.report.views.comparison import heterogeneity, segment_table

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison

LABELS = 12
"""Labels that are listed for each side."""
MANY_ROWS = 60
"""Figures below a chart that stand in a window of their own from here on."""
SWATCHES = (
    ("f-gained", "value"),
    ("f-rank", "ranking loss: ceiling minus value"),
    ("f-found", "retrieval loss: 1 minus ceiling"),
)


def figure(name: str, draw: Draw | None, caption: str, before: str = "") -> str:
    """A chart twice, wide and for a phone, below its caption; nothing where there is none."""
    if draw is None:
        return ""
    wide, narrow = draw(WIDTHS[name]).svg(), draw(NARROW).svg()
    return (
        f"<figure><figcaption>{escape(caption)}</figcaption>{before}"
        f'<div class="wide-only">{wide}</div><div class="narrow-only">{narrow}</div></figure>'
    )


def figures(table: Table | None, who: str = "") -> str:
    """The figures of a chart, folded below it; `who` tells tables of several pairs apart."""
    return f"<details><summary>Figures</summary>{to_part(of(table, who))}</details>" if table else ""


def of(table: Table, who: str) -> Table:
    """The table, its name with what it is of."""
    return replace(table, name=f"{table.name}, {who}") if who else table


def both(pair: Pair, several: bool) -> str:
    """Who is compared, where there are several pairs."""
    return f"{pair[1]} against {pair[0]}" if several else ""


def section(title: str, lead: str, inside: str, place: str = "") -> str:
    """A part of the report with its heading; `lead` is HTML."""
    said = f"<p>{lead}</p>" if lead else ""
    at = f' id="{place}"' if place else ""
    return f"<section{at}><header><h2>{escape(title)}</h2>{said}</header>{inside}</section>"


def differences(comparison: Comparison, pair: Pair, drawn: dict[str, Draw], several: bool) -> str:
    """Every query sorted by its difference, and the segments on one scale."""
    d = first_of(comparison.differences, pair, comparison.primary)
    if d is None or "queries" not in drawn:
        return ""
    kind = segments(comparison)[0]
    caption = "One bar a query." if d.n <= MANY else "Every query in order, too many for a bar each."
    caption += f" {count(d.wins)} better, {count(d.ties)} equal, {count(d.losses)} worse."
    caption += f" The strips show where each {kind} lies." if kind else ""
    who = both(pair, several)
    first = section("Every query, sorted by its difference", escape(who), figure("queries", drawn["queries"], caption))
    if "segments" not in drawn:
        return first
    chosen = ordered([segment for segment in comparison.segments if segment.kind == kind])
    caption = "Grey: smaller than this many queries can detect at 80 % power. Hollow: zero is inside. "
    caption += heterogeneity(comparison, kind, pair)
    table = segment_table(comparison, chosen, kind, pair)
    forest = figure("segments", drawn["segments"], caption) + figures(table, who)
    others = other_kinds(comparison, pair, kind, who)
    return f'<div class="two">{first}{section(f"By {kind}", escape(who), forest)}</div>{others}'


def other_kinds(comparison: Comparison, pair: Pair, first: str, who: str) -> str:
    """Further columns of segments, as tables."""
    out = []
    for kind in dict.fromkeys(segment.kind for segment in comparison.segments):
        chosen = [segment for segment in comparison.segments if segment.kind == kind]
        table = segment_table(comparison, chosen, kind, pair) if kind != first else None
        if table:
            lead = " ".join(filter(None, (f"{who}." if who else "", heterogeneity(comparison, kind, pair))))
            out.append(section(f"By {kind}", escape(lead), to_part(of(table, who))))
    return "".join(out)


def stages(comparison: Comparison, pair: Pair, drawn: dict[str, Draw], several: bool) -> str:
    """Which stage loses it: the split, and recall against depth."""
    found = comparison.stages
    table = stage_table(comparison, pair)
    if found is None or table is None:
        return ""
    who = both(pair, several)
    lead = escape(f"{who}. ") if who else ""
    lead += "".join(mark(Mark("unsure", f"{text}.")) + " " for text in problems(comparison, pair))
    own = (change for change in found.changes if (change.baseline, change.candidate) == pair and not change.kind)
    lead += " ".join(escape(sentence(on_page(change.sentence))) for change in own if change.sentence)
    key = "".join(
        f'<li><svg class="swatch" viewBox="0 0 14 8" aria-hidden="true"><rect width="14" height="8" class="{kind}"/>'
        f"</svg>{words}</li>"
        for kind, words in SWATCHES
    )
    caption = f"{found.measure} split into what is reached, what the order loses, what was never found."
    split = figure("stages", drawn.get("stages"), caption, f'<ul class="key">{key}</ul>')
    held = recall_lines(comparison, pair)
    caption = "Recall against depth; dotted: the depth that the next stage reads."
    caption += f" Band: {comparison.level * 100:g} % interval." if any(line.low for line in held) else ""
    caption += " Thin: each retriever of a fusion, thick: all of them together." if any(x.is_part for x in held) else ""
    lines_ = figure("recall", drawn.get("recall"), caption) + figures(recall_table(pair, held), who)
    first = f"<div>{split}{figures(table, who)}</div>"
    place = "stages" if pair == pairs(comparison)[0] else ""
    return section("Which stage loses it", lead, f'<div class="two">{first}<div>{lines_}</div></div>', place)


def problems(comparison: Comparison, pair: Pair) -> list[str]:
    """What the problem of the candidate is, and the segments where it is another one."""
    systems = comparison.stages.systems if comparison.stages else ()
    own = [stage for stage in systems if stage.system == pair[1] and stage.problem and stage.claim]
    whole = next((stage.problem for stage in own if not stage.kind), "")
    out = [f"{pair[1]}: {whole}"] if whole else []
    out += [f"{stage.name}: {stage.problem}" for stage in own if stage.kind and stage.problem != whole]
    return out[:6]


def recall_table(pair: Pair, held: Sequence[Depths]) -> Table | None:
    """The curves as figures."""
    rows = []
    for line in held:
        ends = zip(line.low, line.high, strict=True) if line.low else ((None, None) for _ in line.depths)
        name = f"{line.name}, {'baseline' if line.is_baseline else 'candidate'}" if line.is_part else line.name
        rows += [(name, f"{k:,}", Value(r), Range(*_known(*end)))
                 for k, r, end in zip(line.depths, line.recall, ends, strict=True)]  # fmt: skip
    heads = (Column("system", is_name=True, is_grouped=True), Column("depth", "right"), Column("recall", "right"),
             Column("from, to", "right"))  # fmt: skip
    return Table(heads, tuple(rows), name="Recall against depth", tall=len(rows) > MANY_ROWS) if rows else None


def _known(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    return (None, None) if low is None or low != low else (low, high)


def unjudged(comparison: Comparison, pair: Pair, drawn: dict[str, Draw], several: bool) -> str:
    """The value of each system in its range over the documents that nobody judged."""
    found = find(comparison, pair, comparison.primary)
    d = first_of(comparison.differences, pair, comparison.primary)
    if found is None or d is None or "unjudged" not in drawn:
        return ""
    state = mark(Mark("unsure", "fragile")) if found.is_fragile() else ""
    caption = f"{comparison.primary} as measured (line) and its range if every unjudged document were worst or best."
    low, high = found.difference or (None, None)
    rows = (
        (pair[0], Value(d.baseline_mean), Range(*(found.baseline_range or (None, None)))),
        (pair[1], Value(d.candidate_mean), Range(*(found.candidate_range or (None, None)))),
        ("difference", Value(d.difference, sign=True), Range(low, high, sign=True)),
    )
    heads = (Column("system", is_name=True), Column("as measured", "right"), Column("worst to best"))
    told = (*lines(comparison, pair), *noise_lines(comparison, pair))
    said = "".join(f"<p>{escape(sentence(on_page(line)))}</p>" for line in told)
    who = both(pair, several)
    table = of(Table(heads, rows, name="Ranges over the unjudged"), who)
    inside = (
        f'<div class="two even">{figure("unjudged", drawn["unjudged"], caption)}'
        f'<div>{to_part(table)}<div class="part note">{said}</div></div></div>'
    )
    wanted = deciding(comparison, pair)
    if wanted:
        inside += f"<details><summary>Labels that could decide</summary>{to_part(of(wanted, who))}</details>"
    lead = f"{escape(f'{who}. ') if who else ''}{state} They count as no gain in the values above."
    place = "unjudged" if pair == pairs(comparison)[0] else ""
    return section("What hangs on unjudged documents", lead, inside, place)


def deciding(comparison: Comparison, pair: Pair) -> Table | None:
    """The labels that could decide the primary measure, in the order of labelling; the files hold all of them."""
    rows = []
    for side in comparison.deciding:
        if side.measure != comparison.primary or {side.winner, side.against} != set(pair) or not side.decided:
            continue
        for wanted, grade in list(zip(side.pairs, side.grades, strict=True))[:LABELS]:
            query, doc = comparison.texts.get(wanted.query_id, wanted.query_id), wanted.doc_id
            rows.append((side.winner, query, comparison.titles.get(doc, doc), f"{grade:g}"))
    heads = (Column("would decide for", is_grouped=True, is_name=True), Column("query", is_name=True),
             Column("document", is_name=True), Column("with grade", "right"))  # fmt: skip
    return Table(heads, tuple(rows), name="Labels that could decide") if rows else None
