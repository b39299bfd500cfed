"""Why another tool prints another number; and what every tool would print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assay.report.figures import count, number
from assay.report.page import Cell, Column, Command, Fact, Facts, Page, Part, Table, Value, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.measures.reconcile.found import ConventionTable, Match, Reconciled, Row

SHOWN = 4
"""Tools that are named in a cell; the others are counted."""

RARE = 0.05
"""How many chance hits are few enough that a hit says something."""

KINDS = {"ours": "assay's own", "tool": "", "one": "no known tool", "two": "no known tool", "tool-but": "no known tool"}


@view("Reconciled")
def reconciled(result: Reconciled, **choices: Any) -> Page:
    """The conventions that give the number, how sure that is, and what would tell them apart."""
    parts: list[Part | None] = []
    if result.matches:
        parts.append(_matches(result))
    else:
        parts.append(_nearest(result))
    parts.append(Facts(tuple(_facts(result))))
    if not result.matches and result.query is None:
        files = " ".join(result.source.command.split()[2:4]) if result.source.command.startswith("assay ") else ""
        line = f"assay conventions {files or 'RUN QRELS'} --measures {result.measure}"
        parts.append(Command("All known conventions side by side:", line))
    parts.append(remarks(result.notes))
    title = f"{result.measure} {_asked(result)}"
    return Page(title, answer(result), tuple(part for part in parts if part), made(result.source))


def _asked(result: Reconciled) -> str:
    return f"{result.asked:.{result.digits}f}"


def _whose(result: Reconciled) -> str:
    return f"{result.measure} of {result.run}" + ("" if result.query is None else f", query {result.query}")


def answer(result: Reconciled) -> tuple[str, ...]:
    """What gives the number, and what ours is."""
    ours = (
        f"Ours is {number(result.ours, max(4, result.digits))}." if result.ours == result.ours else "Ours is undefined."
    )
    if not result.matches:
        return (f"No known convention gives {_asked(result)} for {_whose(result)}.", ours)
    first = result.matches[0]
    differs = "; ".join(first.sentences)
    if first.kind == "ours":
        said = "is what assay prints" + (f", as does {first.tools[0]}" if first.tools else "")
    elif first.kind == "tool":
        who = first.tools[0] + (f" and {count(len(first.tools) - 1, 'other')} print" if first.tools[1:] else " prints")
        said = f"is what {who}: {differs or 'nothing differs on this input'}"
    else:
        said = f"is what no known tool prints by itself; this gives it: {differs}"
    return (f"{_asked(result)} for {_whose(result)} {said}.", ours)


def _matches(result: Reconciled) -> Table:
    columns = (
        Column("given by", is_prose=True),
        Column("differs from ours", is_prose=True),
        Column("value", "right"),
        Column("as good", "right", drop=1),
    )
    rows = tuple(
        (_given(match), _differs(match.sentences), Value(match.value, max(4, result.digits + 2)), str(match.twins))
        for match in result.matches
    )
    return Table(columns, rows, name="Conventions that give the number")


def _given(match: Match | Row) -> str:
    if match.kind == "ours":
        return "; ".join(["assay", *match.tools[:SHOWN]]) + _others(match.tools)
    return "; ".join(match.tools[:SHOWN]) + _others(match.tools) if match.tools else KINDS[match.kind]


def _others(tools: Sequence[str]) -> str:
    return f" and {len(tools) - SHOWN} more" if len(tools) > SHOWN else ""


def _differs(sentences: Sequence[str]) -> str:
    return "; ".join(sentences) or "nothing"


def _nearest(result: Reconciled) -> Table:
    columns = (Column("nearest", "right"), Column("off by", "right"), Column("given by", is_prose=True),
               Column("differs from ours", is_prose=True))  # fmt: skip
    places = max(4, result.digits)
    rows = tuple(
        (Value(m.value, places), Value(m.value - result.asked, places, sign=True), _given(m), _differs(m.sentences))
        for m in result.nearest
    )
    return Table(columns, rows, name="Nearest")


def _facts(result: Reconciled) -> Iterator[Fact]:
    values = f"{count(result.distinct, 'value')} at {count(result.digits, 'digit')}"
    yield Fact("Tried", (f"{count(result.tried, 'combination')}, which give {values} here",))
    yield Fact("By chance", (_chance(result),))
    if result.more:
        yield Fact("Left out", (f"{count(result.more)} less plausible ways to the same number",))
    if result.telling is not None:
        shown = [f"{'left out' if v is None else number(v, 4)}" for v in result.telling.values]
        text = f"query {result.telling.query_id} tells these lines apart: {', '.join(shown)}, in their order"
        yield Fact(
            "Apart", (text, f"ask the other tool for it, then: --query {result.telling.query_id} --value NUMBER")
        )
    elif len(result.matches) > 1 and result.query is None:
        yield Fact("Apart", ("no single query tells these lines apart: only more digits or other input do",))
    if result.alike and result.matches[0].tools:
        yield Fact("Alike here", tuple(f"it would take {tell}" for tell in result.alike[:3]))


def _chance(result: Reconciled) -> str:
    """How much a hit says."""
    known, every = _times(result.chance_tools), _times(result.chance)
    text = (
        f"a made-up number near this one would meet {known} of the known tools on average, {every} of everything tried"
    )
    first = result.matches[0].kind if result.matches else None
    rate = result.chance_tools if first in ("ours", "tool") else result.chance
    if first is not None and rate > RARE:
        text += "; read the hit as a guess, and check one query (--query) or more digits"
    return text


def _times(rate: float) -> str:
    return f"{rate:.2f}" if rate >= 0.005 else "fewer than 0.01"


@view("ConventionTable")
def conventions(result: ConventionTable, **choices: Any) -> Page:
    """One row a convention: who uses it, what it gives, how far that is from ours."""
    columns = (
        *((Column("measure", is_grouped=True),) if len(result.measures) > 1 else ()),
        Column("value", "right"),
        Column("to ours", "right"),
        Column("given by", is_prose=True),
        Column("differs from ours", is_prose=True),
    )
    rows: list[tuple[Cell, ...]] = []
    for row in result.rows:
        head: tuple[Cell, ...] = (row.measure,) if len(result.measures) > 1 else ()
        rows.append((*head, Value(row.value), Value(row.difference, sign=True), _given(row), _differs(row.sentences)))
    whose = result.run if result.query is None else f"{result.run}, query {result.query}"
    parts: list[Part | None] = [Table(columns, tuple(rows), name="Conventions", tall=True)]
    several = len(result.measures) > 1
    facts = [
        Fact(f"{measure} the same" if several else "The same", ("; ".join(same),))
        for measure, same in zip(result.measures, result.same, strict=True)
        if same
    ]
    parts += [Facts(tuple(facts)) if facts else None, remarks(result.notes)]
    return Page("Conventions", tuple(_range(result, whose)), tuple(part for part in parts if part), made(result.source))


def _range(result: ConventionTable, whose: str) -> Iterator[str]:
    for measure, ours in zip(result.measures, result.ours, strict=True):
        own = [row for row in result.rows if row.measure == str(measure)]
        known = [row for row in own if row.kind in ("ours", "tool") and ("ideal", "none") not in row.deviations]
        values = [row.value for row in known if row.value == row.value]
        if not values:
            yield f"{measure} of {whose} is undefined."
            continue
        low, high = number(min(values), 4), number(max(values), 4)
        tools = len({tool for row in known for tool in row.tools})
        span = f"{low} to {high}" if low != high else low
        yield f"{measure} of {whose} is {number(ours, 4)}; {count(tools, 'measure')} of known tools say {span}."
