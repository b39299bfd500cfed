"""The report of a comparison: the verdict in two seconds, the evidence in twenty, every query on request."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from assay.report import browse, evidence, figures
from assay.report.bounds import find
from assay.report.companions import tests_facts, tests_table
from assay.report.dossier import dossier
from assay.report.figures import count, number
from assay.report.html import ROOMY, mark, to_part
from assay.report.page import Cell, Column, Facts, Mark, Range, Table, Value, Whisker
from assay.report.pictures import Draw, Pair, pictures
from assay.report.sheet import frame, sheet
from assay.report.verdicts import (
    first_lines,
    first_of,
    interval_words,
    p_head,
    p_value,
    p_words,
    pairs,
    verdict,
)
from assay.report.views.comparison import by_weight, ends, facts, how, second_family
from assay.report.whiskers import shared
from assay.report.words import IN_FACTS, remarks

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison, Difference

PAIRS = 4
"""Pairs whose queries can be looked at in one file."""
PLACES = 3
HEADLINES = {"better": "Better overall.", "worse": "Worse overall.", "cannot tell": "Cannot tell."}
EXCEPTIONS = ("hides-a-loss", "may-hide", "weights-disagree", "stages-disagree")
"""First lines that stand in the first sentence."""
TURNED = {"weights-disagree": "By traffic: the other way.", "stages-disagree": "Stages disagree."}
"""What the headline adds where the verdict is not the whole of it."""
FOOT = ("Method", "Segments", "Left out", "One-sided")
"""Facts of the terminal's page that stand at the foot of this one."""
IN_HEAD = {"better", "worse", "cannot-tell", "no-stages", *EXCEPTIONS}


@sheet("Comparison")
def report(
    comparison: Comparison,
    *,
    texts: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    **_: Any,
) -> str:
    """The report as one file.

    Args:
        comparison: what `compare` gave.
        texts: what was searched for, by query id; those kept in the comparison when None.
        titles: titles of documents, by document id; likewise.
    """
    texts = dict(getattr(comparison, "texts", None) or {}) if texts is None else texts
    titles = dict(getattr(comparison, "titles", None) or {}) if titles is None else titles
    chosen = pairs(comparison)[:PAIRS]
    data = dossier(comparison, chosen, texts, titles)
    drawn = [pictures(comparison, pair) for pair in chosen]
    body = [head(comparison, chosen[0], drawn[0]), callouts(comparison), measures(comparison)]
    for part in (evidence.differences, evidence.stages, evidence.unjudged):
        body += [part(comparison, pair, own, len(chosen) > 1) for pair, own in zip(chosen, drawn, strict=True)]
    body += [browse.queries(data), browse.lists(data), foot(comparison)]
    return frame(title(comparison), "\n".join(part for part in body if part), data)


def title(comparison: Comparison) -> str:
    """What the window is called."""
    found = pairs(comparison)
    if len(found) > 1:
        return f"{count(len(found), 'pair')} of systems on {comparison.primary}"
    ((baseline, candidate),) = found
    d = first_of(comparison.differences, (baseline, candidate), comparison.primary)
    return f"{candidate} against {baseline}: {d.outcome if d and d.claim else 'no claim'}"


def head(comparison: Comparison, pair: Pair, drawn: dict[str, Draw]) -> str:
    """The verdict as a sentence, and the one interval with its zero."""
    d = first_of(comparison.differences, pair, comparison.primary)
    if d is None:
        return ""
    baseline, candidate = (escape(run) for run in pair)
    marks = [Mark(verdict(d).tone, HEADLINES[d.outcome] if d.claim else "Too few queries for a claim.")]
    marks += [Mark(said.tone, f"{name}: {said.text}.") for name, said in disagreeing(comparison, d)]
    marks += [Mark("unsure", TURNED[says.code]) for says in comparison.says if says.code in TURNED]
    caption = f"Difference in {d.measure}, candidate minus baseline. Bar: {comparison.level * 100:g} % interval."
    found = find(comparison, pair, d.measure)
    if found is not None and found.n_unjudged and found.difference is not None:
        n = count(found.n_unjudged, "unjudged document")
        caption += f" Hatched: where it could lie if {n} were worst or best."
    return (
        f'<div class="against"><span><b>{candidate}</b> (candidate) against <b>{baseline}</b> (baseline)</span>'
        f'<span>{count(d.n, "query", "queries")}</span></div><div class="verdict-head"><div>'
        f'<h1>{" ".join(mark(entry) for entry in marks)}</h1><p class="lead">{lead(comparison, d)}</p></div>'
        f"{evidence.figure('difference', drawn.get('difference'), caption)}</div>"
    )


def lead(comparison: Comparison, d: Difference) -> str:
    """The first sentence: from where to where, by how much, how sure; then the exception."""
    if d.difference is None or d.baseline_mean is None or d.candidate_mean is None:
        return escape(f"No query has a value of {d.measure} in both systems.")
    verb = "rises" if d.difference > 0 else "falls" if d.difference < 0 else "stays"
    text = f"Over {count(d.n, 'query', 'queries')} {escape(str(d.measure))} {verb} from "
    text += f"{number(d.baseline_mean, PLACES)} to {number(d.candidate_mean, PLACES)}: "
    text += f"<b>{number(d.difference, PLACES, sign=True)}</b>"
    if d.interval is not None and d.claim:
        text += f", {comparison.level * 100:g}&nbsp;% interval {interval_words(d.interval, PLACES)}"
    text += f", {p_words(d.p)}." if d.p is not None else "."
    if d.outcome == "cannot tell" and d.because and not d.because.startswith("p "):
        text += f" {escape(sentence(d.because))}"
    before, after = around_verdict(comparison)
    said = [" ".join(f"<b>{escape(sentence(line))}</b>" for line in lines) for lines in (before, after)]
    return " ".join(filter(None, (said[0], text, said[1])))


def around_verdict(comparison: Comparison) -> tuple[list[str], list[str]]:
    """The exceptions that turn the verdict over, which are read before it, and those that are read after it."""
    before: list[str] = []
    after: list[str] = []
    found = before
    for says in comparison.says:
        if says.code in ("better", "worse", "cannot-tell"):
            found = after
        elif says.code in EXCEPTIONS:
            found.append(f"{says.text}: {says.detail}" if says.detail else says.text)
    return before, after


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop; a page has three decimals, a p keeps its four."""
    return figures.sentence(figures.on_page(text))


def disagreeing(comparison: Comparison, d: Difference) -> list[tuple[str, Mark]]:
    """The segments that the total does not speak for: worse, or with the other sign; at most two."""
    found = []
    for segment in comparison.segments:
        own = first_of(segment.differences, (d.baseline, d.candidate), d.measure)
        if own is None or not own.claim or own.difference is None or own.outcome == d.outcome or d.difference is None:
            continue
        if own.outcome == "worse" or own.difference * d.difference < 0:
            found.append((own.outcome != "worse", own.difference, segment.name, verdict(own)))
    found.sort(key=lambda entry: entry[:2])
    return [(name[:1].upper() + name[1:], said) for _, _, name, said in found[:2]]


def callouts(comparison: Comparison) -> str:
    """What stands beside the verdict, the verdict itself left out."""
    boxes = [(said.tone, said.label.capitalize(), said.text)
             for said in first_lines(s for s in comparison.says if s.code not in IN_HEAD)]  # fmt: skip
    d = first_of(comparison.differences, pairs(comparison)[0], comparison.primary)
    if d is not None and d.weighted is not None and d.weighted.difference is not None and d.difference is not None:
        ends_ = interval_words(d.weighted.interval, PLACES)
        agree = "Both agree in direction" if d.weighted.difference * d.difference > 0 else "They disagree in direction"
        text = f"the difference is {number(d.weighted.difference, PLACES, sign=True)}{f' ({ends_})' if ends_ else ''}; "
        boxes.append(
            ("plain", by_weight(d.weighted), f"{text}unweighted {number(d.difference, PLACES, sign=True)}. {agree}")
        )
    inside = "".join(
        f'<div class="callout {tone}"><b>{mark(Mark(tone, label)) if tone != "plain" else escape(label)}</b>'
        f"{escape(sentence(text))}</div>"
        for tone, label, text in boxes
    )
    return f'<div class="callouts">{inside}</div>' if inside else ""


def measures(comparison: Comparison) -> str:
    """A row a measure and pair on one axis."""
    several = len(pairs(comparison)) > 1
    axis = shared([end for d in comparison.differences for end in ends(d)])
    columns = [Column("measure", is_grouped=several), *([Column("systems", is_name=True)] if several else [])]
    columns += [Column(head_, "right") for head_ in ("baseline", "candidate", "difference")]
    columns += [Column(f"{comparison.level * 100:g} % interval, one scale for all", is_drawn=True, axis=axis)]
    counts = ("from, to", p_head(comparison.family), "wins / losses / ties")
    columns += [Column(head_, "right") for head_ in counts]
    columns += [Column(head_, "right", drop=ROOMY) for head_ in ("judged", "detectable")]
    columns += [Column("verdict")]
    rows = tuple(measure_row(d, several) for d in comparison.differences)
    statement = sentence(comparison.family.statement) if comparison.family.statement else ""
    if comparison.segment_family is not None and comparison.segment_family.size:
        statement += f" {sentence(f'Segments: {second_family(comparison.segment_family, comparison.alpha)}')}"
    table = to_part(Table(tuple(columns), rows, name="Measures"))
    return evidence.section("Measures", escape(statement), table)


def measure_row(d: Difference, several: bool) -> tuple[Cell, ...]:
    """One measure of one pair."""
    who: list[Cell] = [f"{d.candidate} against {d.baseline}"] if several else []
    low, high = (d.interval.low, d.interval.high) if d.interval is not None and d.claim else (None, None)
    why = f"n/a: {d.no_interval_because}" if d.claim and d.no_interval_because else "n/a"
    shares = (d.judged_baseline, d.judged_candidate)
    judged = " / ".join("n/a" if share is None else f"{share:.2f}" for share in shares)
    return (
        str(d.measure), *who, Value(d.baseline_mean), Value(d.candidate_mean), Value(d.difference, sign=True),
        Whisker(d.difference, low, high), Range(low, high, sign=True, why=why),
        p_value(d.adjusted if d.in_family else d.p), f"{d.wins:,} / {d.losses:,} / {d.ties:,}",
        "n/a" if shares == (None, None) else judged, Value(d.detectable), verdict(d),
    )  # fmt: skip


def foot(comparison: Comparison) -> str:
    """What is odd, and how it was made."""
    notes = (note for note in (*comparison.notes, *comparison.scores.notes) if note.code not in IN_FACTS)
    odd = remarks(dict.fromkeys(notes))
    more = tuple(fact for fact in facts(comparison, page_hint=False) if fact.label in FOOT)
    said = to_part(Facts((*how(comparison).facts, *more)))
    tested = evidence.section("Tests", "none of these p is corrected",
                              to_part(tests_table(comparison)) + to_part(tests_facts(comparison)))  # fmt: skip
    return (
        tested
        + (evidence.section("Notes", "", to_part(odd)) if odd else "")
        + (f'<footer class="made"><h2>How this was made</h2>{said}</footer>')
    )
