"""Numbers as people read them: decimals, a true minus, thousands with a comma, "n/a" for what is not known."""

from __future__ import annotations

import re

from assay.report.page import Cell, Drawn, Mark, Range, Value, Whisker

NARROW_SPACE = "\u202f"
MINUS = "\u2212"


def number(x: float, places: int, sign: bool = False) -> str:
    """A number with so many decimals, a true minus and commas from 1,000 on; zero has no sign."""
    text = f"{abs(x):,.{places}f}"
    is_zero = not text.strip("0.,")
    before = "" if is_zero else MINUS if x < 0 else "+" if sign else ""
    return before + text


def count(n: int, noun: str = "", plural: str = "") -> str:
    """`1,234 queries`, `1 query`; the plural is the noun with an s unless given."""
    text = f"{n:,}".replace("-", MINUS)
    if not noun:
        return text
    return f"{text} {noun if n == 1 else plural or noun + 's'}"


def percent(share: float) -> str:
    """A share from 0 to 1 as a whole percentage; what is small but not nothing reads `< 1 %`."""
    if 0 < share < 0.005:
        return f"<{NARROW_SPACE}1{NARROW_SPACE}%"
    return f"{share * 100:.0f}{NARROW_SPACE}%"


def is_number(x: float | None) -> bool:
    """False for None and NaN."""
    return x is not None and x == x  # NaN is not itself


def show(cell: Cell, most: int | None = None) -> str:
    """A cell as text, with at most so many decimals."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Mark):
        return cell.text
    if isinstance(cell, (Drawn, Whisker)):
        return ""
    places = cell.places if most is None else min(cell.places, most)
    if isinstance(cell, Value):
        return number(cell.x, places, cell.sign) if cell.x is not None and is_number(cell.x) else cell.why
    if isinstance(cell, Range) and cell.low is not None and cell.high is not None:
        if is_number(cell.low) and is_number(cell.high):
            return f"{number(cell.low, places, cell.sign)} to {number(cell.high, places, cell.sign)}"
        return cell.why
    return cell.why


def bare(x: float) -> str:
    """A number as short as it can be said: `3`, `0.5`, `−1`."""
    return f"{x:g}".replace("-", MINUS)


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop; names such as nDCG@10 and bm25-12 keep their first letter."""
    first = text.split(" ", 1)[0]
    is_name = any(letter.isupper() or letter.isdigit() for letter in first)
    head = text if is_name else text[:1].upper() + text[1:]
    return f"{head.rstrip('.')}."


FOUR = re.compile(rf"(?<!p )(?<!p < )(?<![\w.])([+{MINUS}]?\d+\.\d{{4}})(?![\w.]*\d)")
"""A number with four decimals that is not a p."""


def on_page(text: str) -> str:
    """A text for a page: numbers with three decimals; a p keeps its four."""
    return FOUR.sub(lambda found: number(float(found[1].replace(MINUS, "-")), 3, found[1][0] in "+" + MINUS), text)
