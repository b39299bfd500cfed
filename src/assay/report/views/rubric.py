"""What the grades mean, as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import bare, count, percent
from assay.report.page import Column, Fact, Facts, Heading, Page, Part, Prose, Table, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.flows.rubric import ShownRubric
    from assay.judgments.graded import Graded
    from assay.rubric import Rubric


@view("ShownRubric")
def page(found: ShownRubric) -> Page:
    """The page of a rubric.

    Args:
        found: what `show_rubric` gave.
    """
    rubric = found.rubric
    parts: list[Part] = [grades(rubric)]
    if rubric.dimensions:
        parts += [Heading("Dimensions", "Stored apart; the grade follows from them."), dimensions(rubric)]
    parts.append(Facts(tuple(rules(rubric))))
    if rubric.lines:
        parts += [Heading("For raters"), *map(Prose, rubric.lines)]
    first = f"{rubric.name}: {count(len(rubric.grades), 'grade')}, version {rubric.version}."
    return Page(rubric.name, (first,), tuple(parts))


def grades(rubric: Rubric) -> Table:
    """Every grade with its examples, the best first."""
    columns = (
        Column("grade", "right"),
        Column("name"),
        Column("means, a clear case, a borderline case", is_prose=True),
    )
    rows = []
    for one in reversed(rubric.grades):
        said = [one.definition, one.good and f"Clear: {one.good}.", one.borderline and f"Borderline: {one.borderline}."]
        rows.append((bare(one.grade), one.name, " ".join(filter(None, said))))
    return Table(columns, tuple(rows), name="Grades")


def dimensions(rubric: Rubric) -> Table:
    """Every dimension with what its values mean."""
    columns = (Column("dimension"), Column("asks and means", is_prose=True))
    rows = tuple(
        (one.name, f"{one.definition} " + "; ".join(f"{bare(value)} {word}" for value, word in one.means))
        for one in rubric.dimensions
    )
    return Table(columns, rows, name="Dimensions")


def rules(rubric: Rubric) -> list[Fact]:
    """How the grade follows, and whether every grade has an example."""
    lines = [f"the grade is {rubric.base}"] if rubric.base else ["the grade is given as it is"]
    for cap in rubric.caps:
        why = f": {cap.why}" if cap.why else ""
        lines.append(f"{cap.dimension} at most {bare(cap.at_most)}: the grade is at most {bare(cap.grade)}{why}")
    found = [Fact("Rule", tuple(lines))]
    lacking = [bare(one.grade) for one in rubric.grades if not (one.good and one.borderline)]
    if lacking:
        found.append(Fact("Lacking", (f"an example or a borderline case of grade {', '.join(lacking)}",)))
    return found


@view("Graded")
def graded(found: Graded) -> Page:
    """The page of judgments whose grade was worked out.

    Args:
        found: what `apply` gave.
    """
    first = f"{count(found.judgments, 'judgment')} graded by {found.rubric}, version {found.version}."
    columns = (Column("rule"), Column("grades that it holds down", "right"), Column("of all", "right"))
    rows = tuple((name, f"{n:,}", percent(n / max(found.judgments, 1))) for name, n in found.changed)
    parts: list[Part | None] = [Table(columns, rows, name="Rules") if rows else None, remarks(found.notes)]
    return Page("Grades from dimensions", (first,), tuple(part for part in parts if part), made(found.source))
