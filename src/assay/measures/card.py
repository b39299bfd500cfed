"""What `assay measures` says: one card a measure, with a worked example that is computed and not written down."""

from __future__ import annotations

from dataclasses import dataclass

from assay.measures.explain import Explanation, explain
from assay.measures.grammar import ALIASES, parse
from assay.measures.measure import MEASURES, Definition, Example, Measure
from assay.ranking.align import align, judged
from assay.ranking.conventions import Conventions
from assay.ranking.discounts import number
from assay.results import Result, kept
from assay.tables import Block, Columns


@kept("measure card")
@dataclass(frozen=True, kw_only=True)
class MeasureCard(Result):
    """One measure for people who choose one.

    Args:
        name: as it is typed.
        definition: all parameters with their defaults, and the cutoff if it takes one.
        options: (parameter, what it can be).
        summary: what it is, in one sentence.
        range: the values it can have.
        says: what the value tells.
        blind_to: what it cannot see.
        use_for: when to take it, and what to take instead.
        sees_order: "no", "first" or "all".
        uses_grades: whether it tells grades apart.
        needs_all_relevant: whether all relevant documents must be known.
        better: which values are good: "high", "low" or "neither".
        undefined: when it has no value.
        also_as: other tools' spellings that are understood.
        agrees: the peer program and version that gives the same value.
        paper: where it was defined, and the variant.
        example: the worked example in words.
        worked: the worked example, line by line; None when there is none.
        command: a command to try.
    """

    name: str
    definition: str
    options: tuple[tuple[str, str], ...] = ()
    summary: str
    range: str
    says: str
    blind_to: tuple[str, ...]
    use_for: str
    sees_order: str
    uses_grades: bool
    needs_all_relevant: bool
    better: str
    undefined: str
    also_as: tuple[str, ...] = ()
    agrees: str = ""
    paper: str = ""
    example: str = ""
    worked: Explanation | None = None
    command: str = ""


@kept("measure cards")
@dataclass(frozen=True, kw_only=True)
class MeasureCards(Result):
    """Every measure, for a table.

    Args:
        cards: one a measure, by name.
    """

    cards: tuple[MeasureCard, ...]


def cards() -> MeasureCards:
    """Every measure that is known, sorted by name; without worked examples."""
    return MeasureCards(cards=tuple(_card(MEASURES.find(name), worked=False) for name in MEASURES.names()))


def card(name: str) -> MeasureCard:
    """One measure explained.

    Args:
        name: its name or another tool's; options and cutoffs may stand behind it.
    """
    return _card(parse(name)[0].about, worked=True)


def _card(about: Definition, worked: bool) -> MeasureCard:
    plain = Measure(about.name)
    try_it = str(parse(about.example.measure)[0] if about.example else plain)
    example = about.example if worked else None
    return MeasureCard(
        name=about.name,
        definition=plain.definition() + ("@cutoff" if about.takes_cutoff else ""),
        options=tuple((parameter.name, parameter.expected()) for parameter in about.parameters),
        summary=about.summary,
        range=about.range,
        says=about.says,
        blind_to=about.blind_to,
        use_for=about.use_for,
        sees_order=about.sees,
        uses_grades=about.grades,
        needs_all_relevant=about.all_relevant,
        better=about.best,
        undefined=about.undefined,
        also_as=_also_as(about),
        agrees=about.agrees,
        paper=about.source,
        example="" if example is None else _in_words(example),
        worked=None if example is None else work_out(example),
        command=f"assay explain RUN QRELS --query 31 --measure {try_it}",
    )


def _also_as(about: Definition) -> tuple[str, ...]:
    """Other tools' spellings of the measure as it stands, and of its variants with their translation."""
    found = []
    for alias, target in ALIASES.items():
        (measure,) = parse(target)
        if measure.name == about.name:
            found.append(f"{alias} ({measure})" if measure.changed else alias)
    return tuple(found)


def _in_words(example: Example) -> str:
    shown = ", ".join("unjudged" if grade == "?" else number(grade) for grade in example.shown)
    known = ", ".join(number(grade) for grade in example.judged)
    return f"{example.measure}; shown {shown}; judged for this query {known}"


def work_out(example: Example) -> Explanation:
    """The worked example, through the same code as any run."""
    left = [float(grade) for grade in example.judged]
    docs = [f"d{rank}" for rank in range(1, len(example.shown) + 1)]
    grades: dict[str, float] = {}
    for doc, grade in zip(docs, example.shown, strict=True):
        if grade != "?":
            left.remove(float(grade))
            grades[doc] = float(grade)
    grades |= {f"e{i}": grade for i, grade in enumerate(left, 1)}
    query = ["example"] * len(grades)
    conventions = Conventions(order="rank")
    known = judged(
        Block({"query_id": query, "doc_id": list(grades), "grade": list(grades.values())}, str, "example"), conventions
    )
    rows: Columns = {"query_id": ["example"] * len(docs), "doc_id": docs, "rank": list(range(1, len(docs) + 1))}
    ranking = align(Block(rows, str, "example"), known, conventions).ranking
    listed = [(rank, doc, None, False) for rank, doc in enumerate(docs, 1)]
    return explain(ranking, parse(example.measure)[0], "example", listed, conventions=conventions)
