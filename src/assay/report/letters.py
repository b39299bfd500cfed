"""Letters on a terminal: how wide they are, how long lines break, how names are cut, what plain ASCII shows instead."""

from __future__ import annotations

ZERO_WIDTH = {"Mn", "Me", "Cf"}
_TONES = range(0x1F3FB, 0x1F400)
_EMOJI_SHAPE = "\ufe0f"
_JOINER = "\u200d"

PLAIN = {
    "─": "-", "━": "-", "│": "|", "┆": ":", "┊": ":", "┼": "|", "├": "[", "┤": "]", "●": "*", "○": "o",
    "−": "-", "–": "-", "×": "x", "→": "->", "…": "..", "≥": ">=", "≤": "<=", "·": ".",
    "▲": "^", "▼": "v", "◆": "?", "✔": "", "✖": "", "\u202f": " ", "\u00a0": " ", "“": '"', "”": '"', "’": "'",
}  # fmt: skip
"""What a terminal without other letters gets in their place."""


def width(text: str) -> int:
    """Columns that a text takes on a terminal: wide letters two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    total, before, joined = 0, 0, False
    for letter in text:
        code = ord(letter)
        if letter == _EMOJI_SHAPE:  # the letter before is drawn as a picture, two columns wide
            total += 2 - before if before == 1 else 0
            before = 2
        elif letter == _JOINER:
            joined = True
        elif category(letter) in ZERO_WIDTH or (code in _TONES and before == 2):
            continue
        else:
            before = 2 if east_asian_width(letter) in "WF" else 1
            total += 0 if joined else before
            joined = False
    return total


def pad(text: str, columns: int, align: str = "left") -> str:
    """A text filled with blanks to so many columns."""
    blanks = " " * max(columns - width(text), 0)
    return blanks + text if align == "right" else text + blanks


def clean(text: str) -> str:
    """A text from somebody's file without letters that would steer the terminal: they are shown by their codes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or _is_harmless(c) else _code(c) for c in text)


def _is_harmless(letter: str) -> bool:
    from unicodedata import category

    return letter == _JOINER or category(letter) in {"Zs", "Mn", "Me", "Co"}


def _code(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cut(text: str, columns: int) -> str:
    """A name cut in the middle to so many columns: `hybrid…-07`."""
    if width(text) <= columns:
        return text
    if columns < 3:
        return text[: max(columns, 0)] if text.isascii() else "…"[:columns]
    tail = (columns - 1) // 2
    return _first(text, columns - 1 - tail) + "…" + _first(text[::-1], tail)[::-1]


def _first(text: str, columns: int) -> str:
    taken, used = [], 0
    for letter in text:
        wide = width(letter)
        if used + wide > columns:
            break
        taken.append(letter)
        used += wide
    return "".join(taken)


def wrap(text: str, columns: int) -> list[str]:
    """Lines of at most so many columns, broken at blanks; a longer word keeps a line to itself."""
    lines: list[str] = []
    line, used = "", 0
    for word in text.split(" "):
        wide = width(word)
        if line and used + 1 + wide > columns:
            lines.append(line.rstrip(" "))
            line, used = word, wide
        elif line:
            line, used = f"{line} {word}", used + 1 + wide
        else:
            line, used = word, wide
    lines.append(line.rstrip(" "))
    return lines


def plain(text: str) -> str:
    """Our own signs in ASCII; names keep their letters."""
    return "".join(PLAIN.get(letter, letter) for letter in text)
