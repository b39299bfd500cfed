"""What was carried over between two formats, what was lost, and the list of formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import count
from assay.report.page import Cell, Column, Command, Fact, Facts, Heading, Mark, Page, Part, Prose, Table, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.flows.conversion import Conversion, FormatLine, Formats, Moved


@view("Conversion")
def page(found: Conversion) -> Page:
    """The page of a conversion.

    Args:
        found: what `import_file`, `export` or `convert` gave.
    """
    parts: list[Part | None] = [_moved(found)]
    if found.dropped:
        lead = (
            "What the source or the target has no place for." if found.format else "What the target has no place for."
        )
        parts += [Heading("Not carried over", lead), _dropped(found)]
    parts.append(_facts(found))
    parts.append(remarks(found.notes))
    if found.next:
        parts.append(Command("Next:", found.next[0]))
        parts += [Command("Or:", line) for line in found.next[1:]]
    title = "Import" if found.next else "Conversion"
    return Page(title, _answer(found), tuple(part for part in parts if part), made(found.source))


def _answer(found: Conversion) -> tuple[Cell, ...]:
    held = ", ".join(_counted(one) for one in found.moved)
    said = ""
    if found.format:
        how = "recognised" if found.is_recognised else "as asked"
        said = f" from {found.origin}, read as {found.format} ({how})"
    target = "this folder" if found.target == "." else found.target
    into = f" to {target} ({found.written_as})" if found.written_as else ""
    lost = sum(one.count for one in found.dropped)
    rest = "Nothing was lost." if not lost else f"{count(lost, 'thing')} could not be carried over; see below."
    return f"{held}{said}{into}.", rest


def _counted(one: Moved) -> str:
    if one.what.startswith("run "):
        return f"{one.what}: {count(one.rows, 'hit')}"
    if one.rows == 1:
        return f"1 {'query' if one.what == 'topics' else one.what.removesuffix('s')}"
    return f"{one.rows:,} {'queries' if one.what == 'topics' else one.what}"


def _moved(found: Conversion) -> Table:
    has_files = any(one.file for one in found.moved)
    columns = [Column("table", is_name=True), Column("rows", "right"), Column("queries", "right"),
               Column("raters", "right", drop=1)]  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for one in found.moved:
        row = [one.what, f"{one.rows:,}", _or_none(one.queries), _or_none(one.raters)]
        rows.append((*row, one.file) if has_files else tuple(row))
    if has_files:
        columns.append(Column("written to", mono=True))
    return Table(tuple(columns), tuple(rows), name="What was carried over")


def _or_none(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _dropped(found: Conversion) -> Table:
    columns = (Column("what", is_prose=True), Column("number", "right"), Column("why", is_prose=True),
               Column("first at", is_name=True, drop=1))  # fmt: skip
    rows = tuple((one.what, f"{one.count:,}", one.why, one.places[0] if one.places else "") for one in found.dropped)
    return Table(columns, rows, name="What could not be carried over")


def _facts(found: Conversion) -> Facts | None:
    facts = []
    if any(one.what == "judgments" for one in found.moved) and found.format:
        if found.unlisted == "not-relevant":
            is_set = any(text.startswith("conventions.unlisted") for text in found.settings)
            where = "assay.toml says so now" if is_set else "pass --unlisted not-relevant to say so"
            facts.append(Fact("Absent", (f"a pair that is not listed is not relevant in this format; {where}",)))
        else:
            facts.append(Fact("Absent", ("a pair that is not listed is unjudged: no gain, counted by Judged@k",)))
    if found.settings:
        facts.append(Fact("assay.toml", found.settings))
    return Facts(tuple(facts)) if facts else None


@view("Formats")
def listed(found: Formats) -> Page:
    """The page of the formats.

    Args:
        found: what `formats` gave.
    """
    if found.chosen:
        return _one(found.formats[0])
    columns = (Column("format", mono=True), Column("what it is", is_prose=True), Column("holds", is_prose=True),
               Column("writes", drop=1))  # fmt: skip
    rows = tuple((one.name, one.title, ", ".join(one.holds), "yes" if one.is_written else "no")
                 for one in found.formats)  # fmt: skip
    table = Table(columns, rows, name="Formats")
    parts = (table, Command("One with its options:", "assay formats quepid-ratings"))
    written = sum(one.is_written for one in found.formats)
    return Page("Formats", (f"{len(rows)} formats are read, {written} are written too.",), parts)


def _one(one: FormatLine) -> Page:
    held = ", ".join(one.holds)
    both = "read and written" if one.is_written else "read, not written"
    parts: list[Part] = []
    if one.options:
        rows = tuple((name, text) for name, text in one.options)
        parts.append(Table((Column("option", mono=True), Column("what it says", is_prose=True)), rows, name="Options"))
    else:
        parts.append(Prose("It has no options of its own."))
    if one.source:
        parts.append(Facts((Fact("Shape", (one.source,)),)))
    parts.append(Command("Read it:", f"assay import FILE --from {one.name} --into FOLDER"))
    return Page(one.name, (Mark("plain", f"{one.title}: {both}."), f"Holds {held}."), tuple(parts))
