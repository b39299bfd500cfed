"""JSON lines: one object a line. Numbers keep their text, so that an id of forty digits stays what it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import SHOWN, InputError
from assay.formats.encoding import decode
from assay.tables import Block
from assay.tables.plain import check_columns
from assay.tables.values import Literal, Odd, shown

if TYPE_CHECKING:
    from assay.formats.labelled import Labelled


def _constant(text: str) -> Any:
    raise Odd(f"{text} is not a number", "leave the row out, or write null where a value may be absent")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Odd(f"the key {shown(twice)} appears twice", "write each key once")
    return made


_DECODER = json.JSONDecoder(parse_int=Literal, parse_float=Literal, parse_constant=_constant, object_pairs_hook=_object)


def read_objects(
    data: bytes, row: type, name: str, chosen: Mapping[str, str] | None = None, labelled: Labelled | None = None
) -> Block:
    """Rows of a JSON lines file.

    Args:
        data: the whole file.
        row: the class of the rows.
        name: of the file.
        chosen: field to key, as the user says.
        labelled: what makes grades of a column of labels.
    """
    text, encoding = decode(data, name, only_unicode=True)
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    faults: list[tuple[int, str, str, str]] = []
    count = 0
    lines = text.split("\n")  # not splitlines: JSON strings may hold other line separators
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line:
            continue
        try:
            rows.append(_parsed(line))
            numbers.append(number)
        except Odd as odd:
            count += 1
            if len(faults) < SHOWN:
                faults.append((number, odd.what, odd.remedy, line))
    if faults:
        (number, what, remedy, line), *others = faults
        more = [f"{name}:{other}: {why}" for other, why, _, _ in others]
        raise InputError(what, f"{name}:{number}", remedy, line=shown(line), more=more, count=count)
    if not rows:
        raise InputError("holds nothing but blank lines", name, "write it anew")
    keys = dict.fromkeys(key for one in rows for key in one)
    held = {key: [one.get(key) for one in rows] for key in keys}

    def place(at: int) -> str:
        return f"{name}:{numbers[at]}"

    def raw(at: int) -> str:
        return shown(lines[numbers[at] - 1].strip())

    if labelled is not None:
        held = labelled.columns(held, name, chosen, place)
    block = check_columns(held, row, name, place, chosen, place(0), raw)
    read_as = (f"{name}: read as {encoding}",) if encoding != "UTF-8" else ()
    return Block(block.frame, block.place, name, (*read_as, *block.facts))


def _parsed(line: str) -> dict[str, Any]:
    try:
        made = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise Odd(f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}", _ONE) from None
    except RecursionError:
        raise Odd("is nested too deeply", _ONE) from None
    if "\\u" in line:
        try:
            json.dumps(made, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell
            raise Odd("holds text that is not valid Unicode", "write it anew as UTF-8") from None
    if not isinstance(made, dict):
        raise Odd(f"expected a JSON object, found {shown(line[:40])}", _ONE)
    return made


_ONE = "write one JSON object a line"
