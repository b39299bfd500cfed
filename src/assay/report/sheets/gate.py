"""The report of a gate: the verdict, the rule that decided drawn against its threshold, what would resolve it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from assay.report import charts, evidence
from assay.report.charts import Effect
from assay.report.figures import on_page, sentence
from assay.report.gating import (
    CODES,
    TONES,
    counted,
    figure,
    first_line,
    interval,
    lines,
    overridden,
    threshold,
    warnings,
)
from assay.report.html import SHAPES, mark, to_part
from assay.report.page import Cell, Column, Fact, Facts, Mark, Table, Value, Whisker
from assay.report.sheet import frame, sheet
from assay.report.verdicts import first_of
from assay.report.whiskers import shared
from assay.report.words import made

if TYPE_CHECKING:
    from assay.compare.comparison import QueryDifference
    from assay.compare.gate import Verdict
    from assay.compare.rule import Check, Outcome

PLACES = 3
KEYS = (("?", "show this list"), ("Tab", "next control, in reading order"))
SHOWN = 5
"""Losses and wins that are listed."""


@sheet("Verdict")
def report(verdict: Verdict, **_: Any) -> str:
    """The report as one file.

    Args:
        verdict: what `gate` gave.
    """
    candidate, baseline = escape(verdict.candidate), escape(verdict.baseline)
    rules_file = f"<span>Gate <b>{escape(verdict.rules_file)}</b></span>" if verdict.rules_file else ""
    against = f'<div class="against">{rules_file}<span><b>{candidate}</b> against <b>{baseline}</b></span></div>'
    body = [against, head(verdict), callouts(verdict), rules(verdict), both(resolve(verdict), wrong(verdict)),
            both(*extremes(verdict)), foot(verdict)]  # fmt: skip
    title = f"{verdict.candidate} against {verdict.baseline}: {verdict.status}"
    return frame(title, "\n".join(part for part in body if part), None, KEYS)


def head(verdict: Verdict) -> str:
    """The word, the sentence, and the rule that decided."""
    said = first_line(verdict)
    chart = decider(verdict)
    drawn = " drawn" if chart else ""
    shape = f'<svg viewBox="0 0 24 24" aria-hidden="true">{SHAPES[said.tone]}</svg>'
    return (
        f'<div class="gate-verdict v-{said.tone}{drawn}">{shape}<div><h1>{verdict.status}</h1>'
        f"<p><b>{escape(on_page(said.text))}</b></p></div>{chart}</div>"
    )


def decider(verdict: Verdict) -> str:
    """The first line of the first rule, when it is about a difference with an interval."""
    deciding = next(((o, c) for o, c in lines(verdict) if c is not None and not o.is_advisory), None)
    check = deciding[1] if deciding else None
    if check is None or check.unit != "difference" or check.low is None or check.high is None:
        return ""
    effect = Effect(check.observed, check.low, check.high)
    wide = charts.decider(effect, check.threshold, check.on, 400).svg()
    narrow = charts.decider(effect, check.threshold, check.on, 300).svg()
    return (
        f"<figure><figcaption>{escape(check.on)}, 90 %: the line that decides</figcaption>"
        f'<div class="wide-only">{wide}</div><div class="narrow-only">{narrow}</div></figure>'
    )


def callouts(verdict: Verdict) -> str:
    """Who let it through, and what the reader must know beside the verdict."""
    boxes = [("unsure", "Overridden", overridden(verdict))] if verdict.override else []
    boxes += [("plain", "Mind", text) for text in warnings(verdict)]
    inside = "".join(
        f'<div class="callout {tone}"><b>{mark(Mark("unsure", label)) if tone == "unsure" else label}</b>'
        f"{escape(sentence(on_page(text)))}</div>"
        for tone, label, text in boxes
    )
    return f'<div class="callouts">{inside}</div>' if inside else ""


def rules(verdict: Verdict) -> str:
    """A row a line of every rule, all differences on one axis with their thresholds."""
    found = list(lines(verdict))
    ends = [end for _, c in found if c and c.unit == "difference" for end in (c.observed, c.low, c.high, c.threshold)]
    axis = shared(ends)
    columns = (Column("rule"), Column("on"), Column("threshold", "right"), Column("observed", "right"),
               Column("interval; dashed: threshold", is_drawn=True, axis=axis), Column("from, to", "right"),
               Column("why", is_prose=True), Column("verdict"))  # fmt: skip
    rows = tuple(
        (labelled(o), "", "", "", "", "", on_page(o.because), state(o.status)) if c is None else row(labelled(o), c)
        for o, c in found
    )
    table = to_part(Table(columns, rows, name="Rules"))
    lead = f"{counted(verdict)}. One inconclusive rule makes the gate inconclusive; one failed rule makes it fail."
    return evidence.section("Rules", escape(lead), table)


def labelled(outcome: Outcome) -> str:
    """What a rule is called; one that never decides says so."""
    return f"{outcome.label} (advisory)" if outcome.is_advisory else outcome.label


def row(label: str, check: Check) -> tuple[Cell, ...]:
    """One line of one rule."""
    why = "" if check.status == "PASS" else on_page(check.because)  # what did not pass has to say why
    drawn: Cell = f"{check.n:,} {check.of}" if check.n else ""
    if check.unit == "difference":
        drawn = Whisker(check.observed, check.low, check.high, check.threshold)
    return (label, check.on, threshold(check, PLACES, words=True), figure(check.observed, check.unit, PLACES), drawn,
            interval(check, PLACES), why, state(check.status))  # fmt: skip


def state(status: str) -> Mark:
    """The word of one line."""
    return Mark(TONES[status], status)


def both(left: str, right: str) -> str:
    """Two parts beside one another; one alone takes the room."""
    return f'<div class="two even">{left}{right}</div>' if left and right else left or right


def resolve(verdict: Verdict) -> str:
    """What would make it conclusive, cheapest first."""
    texts = (sentence(on_page(remedy.text)) for remedy in verdict.would_resolve)
    items = "".join(f"<li><div><h3>{escape(text)}</h3></div></li>" for text in texts)
    return (
        evidence.section("What would resolve it", "cheapest first", f'<ol class="resolve">{items}</ol>')
        if items
        else ""
    )


def wrong(verdict: Verdict) -> str:
    """What the comparison says that a verdict may hang on."""
    kinds = ("fragile", "one-sided-pool", "stages", "stages-disagree", "weights-disagree", "may-hide", "hides-a-loss")
    said = [says for says in verdict.comparison.says if says.code in kinds]
    facts = tuple(
        Fact(says.code.replace("-", " "), (on_page(f"{says.text}; {says.detail}" if says.detail else says.text),))
        for says in said
    )
    return evidence.section("What could make this wrong", "", to_part(Facts(facts))) if facts else ""


def extremes(verdict: Verdict) -> tuple[str, str]:
    """The worst losses and the best wins."""
    comparison = verdict.comparison
    found = first_of(comparison.differences, (verdict.baseline, verdict.candidate), comparison.primary)
    if found is None:
        return "", ""
    return (queries("Worst losses", verdict, found.largest_losses), queries("Best wins", verdict, found.largest_wins))


def queries(title: str, verdict: Verdict, found: tuple[QueryDifference, ...]) -> str:
    """Some queries with their values before and after."""
    if not found:
        return ""
    comparison = verdict.comparison
    columns = (
        Column("query", is_name=True),
        *(Column(head, "right") for head in ("baseline", "candidate", "difference")),
    )
    rows = tuple(
        (
            comparison.texts.get(q.query_id, q.query_id),
            Value(q.baseline),
            Value(q.candidate),
            Value(q.difference, sign=True),
        )
        for q in found[:SHOWN]
    )
    return evidence.section(title, escape(str(comparison.primary)), to_part(Table(columns, rows, name=title)))


def foot(verdict: Verdict) -> str:
    """How it was made."""
    source = made(verdict.source)
    facts = (*(source.facts if source else ()), Fact("Exit code", (f"{verdict.exit_code} ({CODES})",)))
    said = to_part(Facts((*facts, Fact("Intervals", ("90 %, so that each end is wrong in at most 5 % of cases",)))))
    return f'<footer class="made"><h2>How this was made</h2>{said}</footer>'
