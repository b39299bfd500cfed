"""A page on a terminal: no boxes, one rule under the head of a table, numbers on their decimal point.

Written by hand because it has to start fast and to know which columns may go and which names may be cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.report.figures import show
from assay.report.letters import clean, cut, pad, plain, width, wrap
from assay.report.page import (
    Cell,
    Column,
    Facts,
    Heading,
    Mark,
    Page,
    Part,
    Picture,
    Prose,
    Remarks,
    Table,
    Tone,
    Value,
    Whisker,
    Worked,
)
from assay.report.whiskers import axis_head, axis_numbers, whisker

MARKS: dict[Tone, str] = {"better": "▲", "worse": "▼", "unsure": "◆", "pass": "✔", "fail": "✖", "plain": ""}
COLOURS: dict[Tone, str] = {"better": "34", "pass": "34", "worse": "33;1", "fail": "33;1", "unsure": "33", "plain": ""}
"""Blue, orange (bright yellow where there are 16 colours) and yellow; never red against green."""
ORANGE = "38;5;208"

NARROW = 60
"""Below so many columns a table becomes one block a row."""
SHORTEST_NAME = 8
LEGIBLE_NAME = 12
"""What is left of names before columns go that are to go last."""
SHORTEST_PROSE = 20
LONGEST_LABEL = 16
LABEL = 9
"""The least width of the labels of facts, so that they stand below one another from page to page."""


@dataclass(frozen=True, slots=True)
class Paper:
    """What is printed on.

    Args:
        width: columns of the terminal.
        color: whether marks are coloured.
        ascii: whether only ASCII signs are used.
        encoding: what its letters are written in; a letter that it lacks is shown by its code.
    """

    width: int = 100
    color: bool = False
    ascii: bool = False
    encoding: str = "utf-8"

    def clean(self, text: str) -> str:
        """A text with nothing in it that would steer the terminal or cannot be written."""
        text = clean(text)
        if text.isascii() or self.encoding == "utf-8":
            return text
        return (plain(text) if self.ascii else text).encode(self.encoding, "backslashreplace").decode(self.encoding)


def to_text(
    page: Page, width: int = 100, color: bool = False, ascii: bool = False, made: bool = False, encoding: str = "utf-8"
) -> str:
    """The page as lines that end in a line feed.

    Args:
        page: what to print.
        width: columns of the terminal; tables drop columns to fit, below 60 they become blocks.
        color: colour the marks.
        ascii: only ASCII for lines, marks and signs.
        made: also print how the page was made.
        encoding: of what is printed on.
    """
    paper = Paper(max(width, 20), color, ascii, encoding)
    labels = _widest_label(page.answer)
    blocks = [[line for cell in page.answer for line in _answer(cell, paper, labels)]]
    before: Part | None = None
    for part in (*page.parts, *((page.made,) if made and page.made else ())):
        lines = _remarks(part, paper, _label(before)) if isinstance(part, Remarks) else _part(part, paper)
        if isinstance(part, Remarks) and isinstance(before, Facts):  # they continue the facts
            blocks[-1].extend(lines)
        elif lines:
            blocks.append(lines)
        before = part
    text = "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)
    return (plain(text) if ascii else text) + "\n"


def _widest_label(answer: Sequence[Cell]) -> int:
    return max((width(cell.label) for cell in answer if isinstance(cell, Mark)), default=0)


def mark(cell: Mark, paper: Paper) -> str:
    """A shape and words, coloured where colours are wanted; in ASCII a pass or fail is its bare word."""
    sign = MARKS[cell.tone]
    text = f"{sign} {paper.clean(cell.text)}" if sign else paper.clean(cell.text)
    if paper.ascii:
        text = plain(text).strip()
    if not paper.color or cell.tone == "plain":
        return text
    code = ORANGE if cell.tone in ("worse", "fail") else COLOURS[cell.tone]
    return f"\x1b[{code}m{text}\x1b[0m"


def _answer(cell: Cell, paper: Paper, labels: int = 0) -> list[str]:
    """A line of the answer; labelled lines stand below one another."""
    if isinstance(cell, Mark) and cell.label:
        if paper.width < NARROW:
            return [mark(Mark(cell.tone, cell.label), paper), *wrap(paper.clean(cell.text), paper.width)]
        indent = labels + 5
        sign = mark(Mark(cell.tone, cell.label), paper)
        first, *rest = wrap(paper.clean(cell.text), max(paper.width - indent, SHORTEST_PROSE))
        return [sign + " " * (indent - _wide(sign)) + first, *(" " * indent + line for line in rest)]
    if isinstance(cell, Mark) and cell.tone != "plain":
        first, *rest = wrap(paper.clean(cell.text), paper.width - 2)
        return [mark(Mark(cell.tone, first), paper), *("  " + line for line in rest)]
    return wrap(paper.clean(show(cell)), paper.width)


def _part(part: Part, paper: Paper) -> list[str]:
    if isinstance(part, Table):
        return _table(part, paper)
    if isinstance(part, Heading):
        return [paper.clean(part.text), *(wrap(paper.clean(part.lead), paper.width) if part.lead else ())]
    if isinstance(part, Picture):  # the table beside it has the figures
        return []
    if isinstance(part, Prose):
        return _answer(Mark(part.tone, part.text), paper)
    if isinstance(part, Facts):
        return _facts(part, paper)
    if isinstance(part, Worked):
        return ["  " + paper.clean(line) for line in part.lines]
    if isinstance(part, Remarks):
        return _remarks(part, paper, _label(None))
    return [*wrap(paper.clean(part.lead), paper.width), "  " + paper.clean(part.line)]


def _facts(part: Facts, paper: Paper) -> list[str]:
    label = _label(part)
    lines = []
    for fact in part.facts:
        said = [piece for line in fact.lines for piece in wrap(paper.clean(line), max(paper.width - label, 20))]
        name = paper.clean(fact.label)
        if width(name) > label - 1:
            lines.append(name)
            name = ""
        for i, line in enumerate(said):
            lines.append(pad(name if i == 0 else "", label) + line)
    return lines


def _label(part: Part | None) -> int:
    """Columns of the labels of facts; a label much longer than the others stands in a line of its own."""
    widths = [width(fact.label) for fact in part.facts] if isinstance(part, Facts) else []
    return max([LABEL, *(columns for columns in widths if columns <= LONGEST_LABEL)]) + 2


def _remarks(part: Remarks, paper: Paper, label: int) -> list[str]:
    lines = []
    for i, remark in enumerate(part.lines):
        first, *rest = wrap(paper.clean(remark.text), max(paper.width - label - 2, 20))
        head = pad(("Note" if len(part.lines) == 1 else "Notes") if i == 0 else "", label)
        lines.append(head + mark(Mark(remark.tone, first), paper))
        indent = label + (2 if MARKS[remark.tone] else 0)
        lines.extend(" " * indent + line for line in rest)
    return lines


def _table(table: Table, paper: Paper) -> list[str]:
    if not table.rows:
        return []
    table = table.without_drawings(axes=True)
    keep = list(range(len(table.columns)))
    cells = [[_cell(cell, paper, column) for cell, column in zip(row, table.columns, strict=True)]
             for row in (*table.rows, *table.foot)]  # fmt: skip
    heads = [axis_head(column.axis) if column.axis else paper.clean(column.head) for column in table.columns]
    _align_points(table, cells)
    widths = [max(width(head), *(_wide(row[i]) for row in cells)) for i, head in enumerate(heads)]
    if paper.width < NARROW:
        return _blocks(table, cells, paper)
    least = [
        min(w, max(SHORTEST_PROSE, width(heads[i]))) if table.columns[i].is_prose else w for i, w in enumerate(widths)
    ]
    drawn = [i for i in keep if not table.columns[i].is_instead]
    if len(drawn) < len(keep):
        fits = _total(table.columns, least, drawn) <= paper.width
        keep = drawn if fits else [i for i in keep if not table.columns[i].axis]
    while _total(table.columns, least, keep) > paper.width:
        droppable = [i for i in keep if table.columns[i].drop > 0]
        if not droppable:
            break
        first = max(table.columns[i].drop for i in droppable)
        keep = [i for i in keep if table.columns[i].drop != first]  # columns of one number belong together
    legible = [
        min(w, max(LEGIBLE_NAME, width(heads[i]))) if table.columns[i].is_name else w for i, w in enumerate(least)
    ]
    if _total(table.columns, legible, keep) > paper.width:
        keep = [i for i in keep if table.columns[i].drop >= 0]
    over = _total(table.columns, widths, keep) - paper.width
    over = _narrow(widths, least, [i for i in keep if table.columns[i].is_prose], over)
    least = [max(SHORTEST_NAME, *(_wide(row[i]) for row in cells)) if column.is_named
             else max(SHORTEST_NAME, width(heads[i])) for i, column in enumerate(table.columns)]  # fmt: skip
    over = _narrow(widths, least, [i for i in keep if table.columns[i].is_name or table.columns[i].is_named], over)
    if over > 0:
        table, over = _tight(table, keep, over)
    if over > 0:
        return _blocks(table, cells, paper)  # whose names have room
    heads = [cut(head, widths[i]) if table.columns[i].is_named else head for i, head in enumerate(heads)]
    for row in cells:
        for i in keep:
            if table.columns[i].is_name:
                row[i] = cut(row[i], widths[i])
    return _rows(table, heads, cells, widths, keep)


def _tight(table: Table, keep: Sequence[int], over: int) -> tuple[Table, int]:
    """The table with less room between its columns, and what is still too much."""
    for gap in (2, 1):
        saved = sum(max(table.columns[i].gap - gap, 0) for i in keep[1:])
        if saved >= over or gap == 1:
            columns = tuple(replace(column, gap=min(column.gap, gap)) for column in table.columns)
            return replace(table, columns=columns), over - saved
    return table, over


def _narrow(widths: list[int], least: Sequence[int], which: Sequence[int], over: int) -> int:
    """Takes from the widest of some columns what is too much; what could not be taken."""
    while over > 0:
        wide = [i for i in which if widths[i] > least[i]]
        if not wide:
            break
        widths[max(wide, key=lambda i: widths[i])] -= 1
        over -= 1
    return over


def _rows(table: Table, heads: list[str], cells: list[list[str]], widths: list[int], keep: list[int]) -> list[str]:
    def line(row: Sequence[str]) -> list[str]:
        pieces = [wrap(row[i], widths[i]) if table.columns[i].is_prose else [row[i]] for i in keep]
        out = []
        for layer in range(max(map(len, pieces))):
            said = ""
            for i, piece in zip(keep, pieces, strict=True):
                text = piece[layer] if layer < len(piece) else ""
                blanks = " " * (widths[i] - _wide(text))
                said += " " * table.columns[i].gap if i != keep[0] else ""
                said += blanks + text if table.columns[i].align == "right" else text + blanks
            out.append(said)
        return out

    rule = "─" * _total(table.columns, widths, keep)
    lines = [*_above(table, widths, keep), *line(heads), rule]
    drawn = []
    above: list[str] = []
    for row in cells[: len(table.rows)]:
        shown = list(row)
        for i in keep:
            if not (table.columns[i].is_grouped and above and above[i] == row[i]):
                break
            shown[i] = ""
        drawn.append(line(shown))
        above = row
    is_airy = sum(map(len, drawn)) > 2 * len(drawn)  # rows of several lines need room between them
    for place, piece in enumerate(drawn):
        lines.extend(["", *piece] if is_airy and place else piece)
    if table.foot:
        lines.append(rule)
        lines.extend(piece for row in cells[len(table.rows) :] for piece in line(row))
    return lines


def _above(table: Table, widths: list[int], keep: list[int]) -> list[str]:
    """The title of the table, and in the same line the numbers of the axis that its drawings share."""
    at = next((i for i in keep if table.columns[i].axis), None)
    axis = None if at is None else table.columns[at].axis
    if at is None or axis is None:
        return [table.title] if table.title else []
    before = keep[: keep.index(at)]
    start = sum(widths[i] + table.columns[i].gap for i in before) - (table.columns[before[0]].gap if before else 0)
    start += table.columns[at].gap if before else 0
    numbers = axis_numbers(axis, start)
    blanks = len(numbers) - len(numbers.lstrip(" "))
    if width(table.title) + 2 > blanks:
        return [table.title, numbers] if table.title else [numbers]
    return [pad(table.title, blanks) + numbers[blanks:]]


def _blocks(table: Table, cells: list[list[str]], paper: Paper) -> list[str]:
    """One block a row: its names in the first line, then a line a number."""
    names = [i for i, column in enumerate(table.columns) if i == 0 or column.is_name]
    label = max((width(c.head) for i, c in enumerate(table.columns) if i not in names and not c.axis), default=0) + 2
    lines: list[str] = [*wrap(table.title, paper.width), ""] if table.title else []
    for row, said_by in zip(cells, (*table.rows, *table.foot), strict=True):
        if lines and lines[-1]:
            lines.append("")
        if table.needs_head(said_by[0]):
            row = [f"{paper.clean(table.columns[0].head)} {row[0].strip()}", *row[1:]]
        title = "  ".join(row[i].strip() for i in names)
        if _wide(title) > paper.width:
            title = "  ".join(cut(row[i].strip(), max(paper.width // len(names) - 2, SHORTEST_NAME)) for i in names)
        lines.append(title)
        for i, column in enumerate(table.columns):
            said = row[i].strip()
            if i in names or not said or column.axis:
                continue
            first, *rest = wrap(said, max(paper.width - label - 2, 12)) if "\x1b" not in said else [said]
            lines.append("  " + pad(paper.clean(column.head), label) + first)
            lines.extend(" " * (label + 2) + more for more in rest)
    return lines


def _total(columns: Sequence[Column], widths: Sequence[int], keep: Sequence[int]) -> int:
    return sum(widths[i] for i in keep) + sum(columns[i].gap for i in keep[1:])


def _cell(cell: Cell, paper: Paper, column: Column) -> str:
    if isinstance(cell, Whisker) and column.axis:
        return whisker(cell, column.axis)
    return mark(cell, paper) if isinstance(cell, Mark) else paper.clean(show(cell))


def _wide(text: str) -> int:
    """Columns of a cell, its colour left out."""
    if "\x1b" in text:
        text = text.split("m", 1)[1].rsplit("\x1b", 1)[0]
    return width(text)


def _align_points(table: Table, cells: list[list[str]]) -> None:
    """Fills the numbers of a column on the right, so that their decimal points stand below one another."""
    for i, column in enumerate(table.columns):
        if column.align != "right":
            continue
        rows = (*table.rows, *table.foot)
        behind = [len(cells[r][i]) - cells[r][i].rfind(".") if "." in cells[r][i] else 0
                  for r in range(len(rows)) if isinstance(rows[r][i], Value)]  # fmt: skip
        most = max(behind, default=0)
        for r, row in enumerate(rows):
            cell = row[i]
            if isinstance(cell, Value) and most and cells[r][i] != cell.why:
                text = cells[r][i]
                has = len(text) - text.rfind(".") if "." in text else 0
                cells[r][i] = text + " " * (most - has)
