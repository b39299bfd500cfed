"""What is wrong or odd in files: a line a finding, with the place first, as compilers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import count
from assay.report.page import Cell, Column, Mark, Page, Part, Table, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.flows.validate import Validation


@view("Validation")
def page(found: Validation) -> Page:
    """The page of a validation.

    Args:
        found: what `validate` gave.
    """
    parts: list[Part | None] = []
    if found.findings:
        columns = (Column("place", is_name=True), Column("", is_prose=False), Column("what, and how to mend it",
                   is_prose=True), Column("times", "right", drop=1))  # fmt: skip
        rows = tuple(
            (one.place, Mark("fail" if one.severity == "error" else "unsure", one.code, one.severity.upper()),
             f"{one.what}{'; ' if one.remedy else ''}{one.remedy}", f"{one.count:,}")
            for one in found.findings
        )  # fmt: skip
        parts.append(Table(columns, rows, name="Findings"))
    files: tuple[tuple[Cell, ...], ...] = tuple(
        (one.file, one.holds or "not read", one.format, f"{one.rows:,}" if one.rows else "") for one in found.files
    )
    heads = (Column("file", is_name=True), Column("holds"), Column("format"), Column("rows", "right"))
    parts += [Table(heads, files, name="Files that were looked at"), remarks(found.notes)]
    return Page("Validation", (verdict(found),), tuple(part for part in parts if part), made(found.source))


def verdict(found: Validation) -> Mark:
    """The first line."""
    files = count(len(found.files), "file")
    if not found.findings:
        return Mark("pass", f"{files}: nothing wrong, nothing odd.", "SOUND")
    said = f"{files}: {count(found.errors, 'error')}, {count(found.warnings, 'warning')}"
    if found.exit_code:
        strict = " (warnings fail: --strict)" if not found.errors else ""
        return Mark("fail", f"{said}.{strict}", "NOT SOUND")
    return Mark("unsure", f"{said}; warnings fail with --strict.", "SOUND, WITH REMARKS")
