"""JSON with a path to each value, so that a complaint says `book.json: $.queries[3].ratings`.

Numbers keep their text (`Literal`), so that an id of forty digits stays what it is; NaN is text too, and is refused
where a number is wanted. What is nested too deeply for the parser is refused with a sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from assay.errors import InputError, did_you_mean
from assay.files import Source, name_of, read_bytes
from assay.formats.carried import Look
from assay.formats.encoding import decode
from assay.formats.halves import find_half
from assay.formats.streamed import LARGE, Elements, Members, split
from assay.formats.trails import Trail, way, where
from assay.tables.values import Literal, shown

_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([{}\[\]:,])|([^\s{}\[\]:,"]+))')
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_DEEPEST = 12


class _Twice(dict[str, Any]):
    """An object in which a key came twice: found by its path once the whole text is parsed."""

    key = ""


def _object(pairs: list[tuple[str, Any]], found: list[_Twice] | None = None) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    odd = _Twice(made)
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            odd.key = key
            break
        seen.add(key)
    if found is not None:
        found.append(odd)
    return odd


def _once(pairs: list[tuple[str, Any]]) -> None:
    """Refuses an object in which a key comes twice; nothing of it is kept."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key appears twice")


_NUMBERS: dict[str, Any] = {"parse_int": Literal, "parse_float": Literal, "parse_constant": Literal}
_DECODER = json.JSONDecoder(object_pairs_hook=_object, **_NUMBERS)


class Node:
    """One JSON value, and the way to it.

    Args:
        value: as parsed: dict, list, str, `Literal`, bool or None.
        start: what stands before the path: `book.json`, or `log.jsonl:17`.
        shape: what is expected in this file, in a few words, for complaints.
    """

    __slots__ = ("_key", "_parent", "_trail", "shape", "start", "value")

    def __init__(
        self, value: Any, start: str, shape: str = "", parent: Node | None = None, key: str | int | None = None
    ) -> None:
        self.value, self.start, self.shape = value, start, shape
        self._parent, self._key = parent, key
        self._trail: Trail | None = start if parent is None else None

    @property
    def trail(self) -> Trail:
        """The way here, which can be kept without keeping the value."""
        if self._trail is None:
            assert self._parent is not None  # the root has its trail
            assert self._key is not None
            self._trail = (self._parent.trail, self._key)
        return self._trail

    @property
    def stand(self) -> tuple[Trail | None, str | int]:
        """The way to the container and the key in it; of the root, nothing and its place."""
        if self._parent is None or self._key is None:
            return None, self.where
        return self._parent.trail, self._key

    @property
    def path(self) -> str:
        """`$.queries[3].ratings`."""
        return way(self.trail)[1]

    @property
    def where(self) -> str:
        """`book.json: $.queries[3].ratings`; of a whole line, the line alone."""
        return where(self.trail)

    def fault(self, what: str, remedy: str = "") -> InputError:
        """A complaint about this value."""
        return InputError(what, self.where, remedy or (f"write {self.shape}" if self.shape else ""))

    def child(self, key: str | int, value: Any) -> Node:
        """A value inside this one."""
        return Node(value, self.start, self.shape, self, key)

    def get(self, *keys: str) -> Node | None:
        """The value under the first key that is there; None where all are absent or null."""
        held = self.dict()
        for key in keys:
            if held.get(key) is not None:
                return self.child(key, held[key])
        return None

    def has(self, key: str) -> bool:
        """Whether a key is there, though its value may be null."""
        return key in self.dict()

    def need(self, *keys: str) -> Node:
        """The value under the first key that is there; a complaint where none is."""
        found = self.get(*keys)
        if found is None:
            held = self.dict()
            null = next((key for key in keys if key in held), None)
            what = (
                f"{null} is null"
                if null
                else f"has no key {' or '.join(keys)}{did_you_mean(keys[0], held) if len(keys) == 1 else ''}"
            )
            raise self.fault(what)
        return found

    def raw(self, key: str) -> Any:
        """The value under a key, as parsed; a complaint where it is absent or null."""
        value = self.dict().get(key)
        return self.need(key).value if value is None else value

    def dict(self) -> Mapping[str, Any]:
        """The object, or a complaint."""
        if not isinstance(self.value, (dict, Members)):
            raise self.fault(f"expected an object, found {kind(self.value)}")
        return self.value

    def members(self) -> Iterator[tuple[str, Node]]:
        """Key and value of an object."""
        for key, value in self.dict().items():
            yield key, Node(value, self.start, self.shape, self, key)

    def each(self) -> Iterator[Node]:
        """The values of a list."""
        if not isinstance(self.value, (list, Elements)):
            raise self.fault(f"expected a list, found {kind(self.value)}")
        for at, value in enumerate(self.value):
            yield Node(value, self.start, self.shape, self, at)

    def text(self) -> str:
        """Text, which a number is not."""
        if not isinstance(self.value, str) or isinstance(self.value, Literal):
            raise self.fault(f"expected text, found {kind(self.value)}")
        return self.value

    def id(self) -> str:
        """An id: text, or a whole number as it is written."""
        if isinstance(self.value, Literal) and not self.value.lstrip("-").isdigit():
            raise self.fault(f"{shown(self.value)} is a decimal number", "write ids as text or whole numbers")
        if not isinstance(self.value, str):
            raise self.fault(f"expected an id, found {kind(self.value)}", "write ids as text or whole numbers")
        if not self.value.strip():
            raise self.fault("the id is blank", "write ids as text or whole numbers")
        return str(self.value)

    @property
    def is_text(self) -> bool:
        """Whether this is text, and not a number."""
        return isinstance(self.value, str) and not isinstance(self.value, Literal)

    @property
    def is_list(self) -> bool:
        """Whether this is a list."""
        return isinstance(self.value, (list, Elements))

    @property
    def is_dict(self) -> bool:
        """Whether this is an object."""
        return isinstance(self.value, (dict, Members))


def kind(value: Any) -> str:
    """What a JSON value is called."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Literal):
        return f"the number {shown(value)}"
    if isinstance(value, (dict, Members)):
        return "an object"
    return "a list" if isinstance(value, (list, Elements)) else "text"


def plain(value: Any) -> Any:
    """A parsed value with Python numbers, fit to be written again; NaN and infinities become null."""
    if isinstance(value, (dict, Members)):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, Elements)):
        return [plain(inner) for inner in value]
    if isinstance(value, Literal):
        if value.lstrip("-").isdigit():
            return int(value) if len(value) < 4000 else str(value)
        number = float(value)
        return number if number - number == 0 else None
    return value


def read_tree(source: Source, shape: str = "", long: tuple[str, ...] = ()) -> Node:
    """The one JSON value that a file is.

    Args:
        source: the file.
        shape: what is expected in it, for complaints.
        long: the paths of lists and objects that may be long, such as `$.requests`: of a large file, their members
            are parsed one after the other, each time they are gone through.
    """
    name = name_of(source)
    text, _ = decode(read_bytes(source), name, only_unicode=True)
    return _tree(text, name, shape, long)


def read_values(source: Source, shape: str = "", long: tuple[str, ...] = ()) -> list[Node]:
    """The values of a file: those of a JSON list, a single object, or the objects of JSON lines.

    Args:
        source: the file.
        shape: what is expected in it, for complaints.
        long: as in `read_tree`; of JSON lines, nothing.
    """
    name = name_of(source)
    text, _ = decode(read_bytes(source), name, only_unicode=True)
    first = text.lstrip()[:1]
    if first != "[" and _is_lines(text):
        found = list(_lines(text, name, shape))
        if not found:
            raise InputError("holds nothing but blank lines", name, "write it anew")
        return found
    root = _tree(text, name, shape, long)
    return list(root.each()) if root.is_list else [root]


def read_lines(source: Source, shape: str = "") -> Iterator[Node]:
    """The objects of a JSON lines file, one after the other; blank lines are passed over."""
    name = name_of(source)
    text, _ = decode(read_bytes(source), name, only_unicode=True)
    yield from _lines(text, name, shape)


def _is_lines(text: str) -> bool:
    """Whether the first line that is not blank is an object by itself, and something follows it."""
    begin = len(text) - len(text.lstrip())
    end = text.find("\n", begin)
    if end < 0 or not text[end:].strip():
        return False
    try:
        _DECODER.decode(text[begin:end].strip())
    except (json.JSONDecodeError, RecursionError):
        return False
    return True


def _lines(text: str, name: str, shape: str) -> Iterator[Node]:
    for number, line in enumerate(text.split("\n"), 1):  # not splitlines: JSON text may hold other separators
        line = line.strip()
        if line:
            start = f"{name}:{number}"
            yield Node(_parsed(line, start, shape, one_line=True), start, shape)


def _tree(text: str, name: str, shape: str, long: tuple[str, ...] = ()) -> Node:
    if long and len(text) >= LARGE and not _HALF.search(text):
        value = split(text, _DECODER, _once, long)
        if value is not None:
            return Node(value, name, shape)
    return Node(_parsed(text, name, shape), name, shape)


def _parsed(text: str, start: str, shape: str, *, one_line: bool = False) -> Any:
    if not text.strip():
        raise InputError("holds nothing but blank lines", start, "write it anew")
    twice: list[_Twice] = []
    decoder = _DECODER if one_line else json.JSONDecoder(object_pairs_hook=partial(_object, found=twice), **_NUMBERS)
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        at = start if one_line else f"{start}:{error.lineno}"
        message = error.msg[:1].lower() + error.msg[1:]
        remedy = f"write {shape}" if shape else "write one JSON value"
        if error.msg == "Extra data" and not one_line:
            message = "something follows the JSON value"
        line = text.split("\n")[error.lineno - 1].strip()
        what = f"is not JSON: {message} at column {error.colno}"
        raise InputError(what, at, remedy, line=shown(line)) from None
    except RecursionError:
        raise InputError("is nested too deeply", start, f"write {shape}" if shape else "") from None
    if one_line or twice:
        odd = _find_twice(Node(value, start))
        if odd is not None:
            raise odd.fault(f"the key {shown(odd.value.key)} appears twice", "write each key once")
    if _HALF.search(text) and (half := find_half(Node(value, start))) is not None:
        raise half.fault("holds text that is not valid Unicode (half of a surrogate pair)", "write it anew as UTF-8")
    return value


def _find_twice(root: Node) -> Node | None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node.value, _Twice):
            return node
        inner = node.value.items() if node.is_dict else enumerate(node.value) if node.is_list else ()
        waiting += [node.child(key, value) for key, value in inner if isinstance(value, (dict, list))]
    return None


def to_json(value: Any) -> bytes:
    """A value as the bytes of a JSON file."""
    return (json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode("utf-8")


def to_json_line(value: Any) -> str:
    """A value as one line of JSON lines."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def number(value: float) -> int | float:
    """A grade or score as JSON writes it: whole numbers without a point."""
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def paths(look: Look) -> frozenset[str]:
    """Which paths the beginning of a JSON file shows, such as `$.requests[].ratings[]._id`; empty for other files.

    Of a file with JSON lines, those of its first object.
    """
    return _paths(look.head)


@lru_cache(maxsize=8)
def _paths(head: bytes) -> frozenset[str]:
    text = head.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if text[:1] not in ("{", "["):
        return frozenset()
    found: set[str] = set()
    stack: list[tuple[str, str]] = []  # the closing bracket, and the path before it
    path, at, key = "$", 0, ""
    while match := _TOKEN.match(text, at):
        at = match.end()
        string, mark, _ = match.groups()
        if mark in ("{", "["):
            if len(stack) > _DEEPEST:
                break
            stack.append((mark, path))
            path += "[]" if mark == "[" else ""
            found.add(path)
        elif mark in ("}", "]"):
            _, path = stack.pop() if stack else ("", "$")
            if not stack:
                break
            path = _outer(stack[-1])
        elif mark == ":":
            path = f"{_outer(stack[-1])}.{key}" if stack else path
            found.add(path)
        elif mark == ",":
            path = _outer(stack[-1]) if stack else path
        elif string is not None:
            key = string
    return frozenset(found)


def _outer(level: tuple[str, str]) -> str:
    mark, path = level
    return path + "[]" if mark == "[" else path
