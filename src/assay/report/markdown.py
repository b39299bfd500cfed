"""A page as Markdown, for issues, pull requests and notes."""

from __future__ import annotations

from assay.report.figures import show
from assay.report.letters import clean
from assay.report.page import Cell, Facts, Heading, Mark, Page, Part, Picture, Prose, Remarks, Table, Worked
from assay.report.text import MARKS


def to_markdown(page: Page) -> str:
    """The page in the Markdown that GitHub and GitLab show; the answer stands first, in bold."""
    out = [_answer(cell) for cell in page.answer]
    out.extend(filter(None, (_part(part) for part in page.parts)))
    if page.made is not None:
        out.append(f"<details><summary>How this was made</summary>\n\n{_facts(page.made)}\n\n</details>")
    return "\n\n".join(out) + "\n"


def _answer(cell: Cell) -> str:
    if isinstance(cell, Mark) and cell.label:
        return f"**{MARKS[cell.tone]} {_text(cell.label)}**: {_text(cell.text)}".replace("** ", "**", 1)
    return f"**{_cell(cell)}**"


def _text(text: str) -> str:
    """A text whose letters mean themselves."""
    text = _line(text)
    for letter in "\\`*_<>[]|#&":
        text = text.replace(letter, "\\" + letter)
    return text


def _line(text: str) -> str:
    """A text in one line; letters that would steer a terminal or turn the reading around are shown by their codes."""
    return clean(" ".join(text.split()))


def _code(text: str) -> str:
    """A text as it is written, for a cell of a table: a bar would end the cell also here."""
    text = _line(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in _ticks(text)), default=0) + 1)
    blank = " " if "`" in text else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def _ticks(text: str) -> list[str]:
    return [run for run in "".join(c if c == "`" else " " for c in text).split(" ") if run]


def _part(part: Part) -> str:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Heading):
        return f"### {_text(part.text)}" + (f"\n\n{_text(part.lead)}" if part.lead else "")
    if isinstance(part, Picture):  # the table beside it has the figures
        return ""
    if isinstance(part, Prose):
        return _cell(Mark(part.tone, part.text))
    if isinstance(part, Facts):
        return _facts(part)
    if isinstance(part, Remarks):
        return "\n".join(f"- {_cell(remark)}" for remark in part.lines)
    if isinstance(part, Worked):
        return "```text\n" + "\n".join(map(clean, part.lines)).replace("```", "'''") + "\n```"
    return f"{_text(part.lead)}\n\n```sh\n{clean(part.line)}\n```"


def _facts(part: Facts) -> str:
    return "\n".join(f"- {_text(fact.label)}: {'; '.join(map(_text, fact.lines))}" for fact in part.facts)


def _table(table: Table) -> str:
    if not table.rows:
        return ""
    table = table.without_drawings()
    heads = "| " + " | ".join(_text(column.head) or " " for column in table.columns) + " |"
    rule = "|" + "|".join(" ---: " if column.align == "right" else " --- " for column in table.columns) + "|"
    rows = []
    for row in (*table.rows, *table.foot):
        cells = (_code(show(cell)) if column.mono and show(cell) else _cell(cell)
                 for column, cell in zip(table.columns, row, strict=True))  # fmt: skip
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join([heads, rule, *rows])


def _cell(cell: Cell) -> str:
    if isinstance(cell, Mark) and cell.tone != "plain":
        return f"{MARKS[cell.tone]} {_text(cell.text)}"
    return _text(show(cell))
