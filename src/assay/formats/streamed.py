"""One large JSON value, whose longest list or object is parsed a member at a time.

A JSON file of a million judgments makes a gigabyte of Python objects when all of it is parsed at once. A reader says
where the long container stands (`$.requests`); here it is gone through once to see that it is whole and where each
member begins, and each member is parsed again when it is asked for. What is odd is left to the parser of whole files,
which names the place.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import Any

LARGE = 1 << 20
"""Characters from which on a file is gone through in members."""

_BLANKS = re.compile(r"[ \t\n\r]*")


class Members(Mapping[str, Any]):
    """An object whose values are parsed when they are asked for.

    Args:
        text: of the file.
        decoder: makes the values.
        at: key to the place in the text at which its value begins.
    """

    __slots__ = ("_at", "_decoder", "_text")

    def __init__(self, text: str, decoder: json.JSONDecoder, at: dict[str, int]) -> None:
        self._text, self._decoder, self._at = text, decoder, at

    def __len__(self) -> int:
        return len(self._at)

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __contains__(self, key: object) -> bool:
        return key in self._at

    def __getitem__(self, key: str) -> Any:
        return self._decoder.raw_decode(self._text, self._at[key])[0]


class Elements:
    """A list whose values are parsed when they are asked for.

    Args:
        text: of the file.
        decoder: makes the values.
        at: the places in the text at which they begin.
    """

    __slots__ = ("_at", "_decoder", "_text")

    def __init__(self, text: str, decoder: json.JSONDecoder, at: array[int]) -> None:
        self._text, self._decoder, self._at = text, decoder, at

    def __len__(self) -> int:
        return len(self._at)

    def __iter__(self) -> Iterator[Any]:
        for at in self._at:
            yield self._decoder.raw_decode(self._text, at)[0]


class _Odd(Exception):  # noqa: N818 # not an error: the way to the parser of whole files
    """Something that is no JSON, or that the parser of whole files has to name."""


def split(text: str, decoder: json.JSONDecoder, hook: Callable[[list[Any]], Any], streams: tuple[str, ...]) -> Any:
    """The value of a text, with `Members` or `Elements` at some paths; None where the whole has to be parsed.

    Args:
        text: of the file.
        decoder: makes the values.
        hook: makes an object of its pairs, and raises ValueError for a key that comes twice.
        streams: the paths of the long containers, such as `$.requests` or `$.topics[].query_groups`.
    """
    found = _Splitter(text, decoder, json.JSONDecoder(object_pairs_hook=hook), streams)
    try:
        value, end = found.value(_after(text, 0), "$")
    except (_Odd, ValueError, RecursionError):  # JSONDecodeError is a ValueError
        return None
    return value if _after(text, end) == len(text) else None


def _after(text: str, at: int) -> int:
    """The place of the next character that is not blank."""
    found = _BLANKS.match(text, at)
    assert found is not None  # it may be empty
    return found.end()


class _Splitter:
    """Goes through a text once."""

    def __init__(
        self, text: str, decoder: json.JSONDecoder, checker: json.JSONDecoder, streams: tuple[str, ...]
    ) -> None:
        self._text, self._decoder, self._checker = text, decoder, checker
        self._streams = frozenset(streams)
        self._ways = frozenset(path[:end] for path in streams for end in range(1, len(path)))

    def value(self, at: int, path: str) -> tuple[Any, int]:
        """The value at a place, and where it ends."""
        mark = self._text[at : at + 1]
        if path in self._streams and mark in ("{", "["):
            return self._object_later(at) if mark == "{" else self._list_later(at)
        if mark == "{" and path in self._ways:
            return self._object(at, path)
        if mark == "[" and f"{path}[]" in self._ways | self._streams:
            return self._list(at, f"{path}[]")
        self._end(at)
        return self._decoder.raw_decode(self._text, at)

    def _end(self, at: int) -> int:
        """Where a value ends, once it is seen to be whole."""
        end: int = self._checker.raw_decode(self._text, at)[1]
        return end

    def _object_later(self, at: int) -> tuple[Members, int]:
        starts: dict[str, int] = {}

        def take(key: str, start: int) -> int:
            starts[key] = start
            return self._end(start)

        end = self._keys(at, take)
        return Members(self._text, self._decoder, starts), end

    def _list_later(self, at: int) -> tuple[Elements, int]:
        starts = array("Q")

        def take(start: int) -> int:
            starts.append(start)
            return self._end(start)

        end = self._each(at, take)
        return Elements(self._text, self._decoder, starts), end

    def _object(self, at: int, path: str) -> tuple[dict[str, Any], int]:
        made: dict[str, Any] = {}

        def take(key: str, start: int) -> int:
            made[key], end = self.value(start, f"{path}.{key}")
            return end

        end = self._keys(at, take)
        return made, end

    def _list(self, at: int, path: str) -> tuple[list[Any], int]:
        made: list[Any] = []

        def take(start: int) -> int:
            value, end = self.value(start, path)
            made.append(value)
            return end

        end = self._each(at, take)
        return made, end

    def _keys(self, at: int, take: Callable[[str, int], int]) -> int:
        """Hands on every key of an object with the place of its value; returns where the object ends."""
        text = self._text
        known: set[str] = set()
        at = _after(text, at + 1)
        if text[at : at + 1] == "}":
            return at + 1
        while text[at : at + 1] == '"':
            key, at = self._checker.raw_decode(text, at)
            at = _after(text, at)
            if key in known or text[at : at + 1] != ":":
                raise _Odd
            known.add(key)
            at = _after(text, take(key, _after(text, at + 1)))
            if text[at : at + 1] == "}":
                return at + 1
            if text[at : at + 1] != ",":
                raise _Odd
            at = _after(text, at + 1)
        raise _Odd

    def _each(self, at: int, take: Callable[[int], int]) -> int:
        """Hands on the place of every value of a list; returns where the list ends."""
        text = self._text
        at = _after(text, at + 1)
        if text[at : at + 1] == "]":
            return at + 1
        while True:
            at = _after(text, take(at))
            if text[at : at + 1] == "]":
                return at + 1
            if text[at : at + 1] != ",":
                raise _Odd
            at = _after(text, at + 1)
