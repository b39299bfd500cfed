"""One value at a time: what a field takes, and what is said of what it does not take.

Every message about a value is made here, whether the rows came line by line or as a frame.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.tables.names import Column

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A number as every tool writes it: no underscores, no hexadecimals, no words, no digits of other scripts."""

DAMAGED = r"(?:[0-9](?:[.,][0-9]+)?[eE]\+[0-9]+|#(?:NAME\?|REF!|VALUE!|N/A|DIV/0!|NULL!|NUM!|#+))"
"""An id that a spreadsheet took for a number or a formula."""

WITH_ZERO = r"[0-9]+[.,]0"
"""An id that a spreadsheet or a frame with gaps took for a decimal number."""

_DAMAGED = re.compile(DAMAGED)
_LONGEST = 100


class Odd(Exception):  # noqa: N818 # caught by readers, becomes an InputError with its place
    """What is wrong with one value, and how to mend it."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.what, self.remedy = what, remedy


class Literal(str):
    """A number of a JSON file, as it is written there."""

    __slots__ = ()


def shown(raw: Any) -> str:
    """A value or line fit for a message: one line, no control characters, not too long."""
    text = raw.decode("utf-8", "backslashreplace") if isinstance(raw, bytes) else str(raw)
    text = "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape", "replace").decode() for c in text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def number(text: str, what: str) -> float:
    """One strictly written number; otherwise Odd with the reason that fits best."""
    if NUMBER.fullmatch(text):
        value = float(text)
        if math.isfinite(value):
            return value
        raise Odd(f"{what} {shown(text)} is too large for a 64-bit number", f"write a finite {what}")
    word = text.strip("+-").casefold()
    if word == "nan":
        raise Odd(f"{what} is NaN", f"give every row a {what}, or leave the row out")
    if word in ("inf", "infinity"):
        raise Odd(f"{what} is infinite", f"write a finite {what}")
    if NUMBER.fullmatch(text.replace(",", ".", 1)):
        raise Odd(f"{what} '{shown(text)}' has a decimal comma", "write it with a decimal point")
    raise Odd(f"{what} '{shown(text)}' is not a number", f"write a number as the {what}")


def converted(value: Any, column: Column) -> Any:
    """The value as the field takes it; None where it is absent and may be; otherwise Odd."""
    if isinstance(value, str) and not isinstance(value, Literal):
        value = value.strip()
    if value is None or value == "":
        if column.required:
            raise Odd(f"{column.name} is missing", f"give every row a {column.name}, or leave the row out")
        return column.default
    if column.kind == "id":
        return _id(value, column.name)
    if column.kind == "text":
        return _text(value, column.name)
    if column.kind == "fields":
        return _fields(value, column.name)
    result = _number(value, column.name)
    if column.low is not None and result < column.low:
        raise Odd(
            f"{column.name} {shown(value)} is below {column.low:g}", f"write a {column.name} from {column.low:g} up"
        )
    if column.kind == "number":
        return result
    if not result.is_integer():
        raise Odd(f"{column.name} {shown(value)} is not a whole number", f"write whole numbers as the {column.name}")
    if abs(result) >= 2.0**63:
        raise Odd(f"{column.name} {shown(value)} is too large", f"write a {column.name} below 2^63")
    return int(result)


def _id(value: Any, name: str) -> str:
    if isinstance(value, Literal):
        if value.lstrip("-").isdigit():
            return str(value)
    elif isinstance(value, str):
        return _encodable(value, name)
    elif isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise Odd(f"{name} '{shown(value)}' is not UTF-8", "write ids as text") from None
    elif hasattr(value, "__index__") and not _is_bool(value):
        return str(value.__index__())
    if isinstance(value, (float, Literal)) or _is_float(value):
        raise Odd(f"{name} {shown(value)} is a decimal number", "write ids as text or whole numbers")
    raise Odd(f"{name} {shown(value)} is a {_kind(value)}, not an id", "write ids as text or whole numbers")


def _text(value: Any, name: str) -> str:
    if isinstance(value, (dict, list, tuple)):
        raise Odd(f"{name} is a {_kind(value)}, not text", f"write the {name} as text")
    return _encodable(str(value), name)


def _fields(value: Any, name: str) -> str:
    """A JSON object of names and texts, in the order given; what is nested gets names with dots."""
    import json

    if isinstance(value, str) and value.startswith("{"):
        try:
            value = json.loads(value, parse_int=str, parse_float=str)  # 1.50 stays 1.50
        except ValueError as error:
            what = f"{name} '{shown(value)}' is not JSON: {error}"
            raise Odd(what, 'write {"size": "XL", "price": "9.90"}') from None
    if not isinstance(value, dict):
        value = {name: value}
    return _encodable(json.dumps(dict(_flat(value, "")), ensure_ascii=False), name)


def _flat(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Names and texts of what a JSON value holds; what is absent is left out."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, (list, tuple)) and not any(isinstance(one, (dict, list, tuple)) for one in value):
        if value:
            yield name, ", ".join(_said(one) for one in value if one is not None)
    elif isinstance(value, (list, tuple)):
        for at, inner in enumerate(value, 1):
            yield from _flat(inner, f"{name}.{at}")
    elif value is not None:
        yield name, _said(value)


def _said(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _encodable(text: str, name: str) -> str:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell
            raise Odd(f"{name} '{shown(text)}' is not valid Unicode", "write it anew as UTF-8") from None
    return text


def _number(value: Any, name: str) -> float:
    if isinstance(value, str):
        return number(value, name)
    if _is_bool(value):
        raise Odd(f"{name} is {str(value).lower()}, not a number", "write 1 and 0")
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise Odd(f"{name} {shown(value)} is not a number", f"write a number as the {name}") from None
    if math.isnan(result):
        raise Odd(f"{name} is NaN", f"give every row a {name}, or leave the row out")
    if math.isinf(result):
        raise Odd(f"{name} is infinite", f"write a finite {name}")
    return result


def _is_bool(value: Any) -> bool:
    return type(value).__name__ in ("bool", "bool_")


def _is_float(value: Any) -> bool:
    return type(value).__name__ in ("Decimal", "float16", "float32", "float64")


def _kind(value: Any) -> str:
    return {"dict": "JSON object", "list": "list", "bool": "truth value"}.get(
        type(value).__name__, type(value).__name__
    )


def damage(ids: set[str], name: str) -> dict[str, Odd]:
    """The ids of one column that a spreadsheet has damaged.

    A trailing `.0` is damage unless the column has ids such as 1.5, which are versions or sections then.
    """
    found: dict[str, Odd] = {}
    zeros = [one for one in ids if one[-2:] in (".0", ",0") and one[:-2].isdigit() and one.isascii()]
    if zeros and not any(re.fullmatch(r"[0-9]+\.[0-9]*[1-9][0-9]*", one) for one in ids):
        for one in zeros:
            found[one] = Odd(
                f"{name} '{one}' ends in .0: a spreadsheet took the id for a number",
                f"export the {name} column as text",
            )
    for one in ids:
        if _DAMAGED.fullmatch(one):
            found[one] = Odd(f"{name} '{one}' was damaged by a spreadsheet", f"export the {name} column as text")
    return found
