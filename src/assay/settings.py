"""Settings as text: TOML sections whose keys know their line, the environment above them, defaults below.

A value is taken from the first of these that has it: an option of the command (which the command knows), an environment
variable `ASSAY_...`, the file, the default. Each room checks its own section with its own model; pydantic and tomllib
are loaded only where a file or a variable gives something to check.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar

from assay.errors import InputError, did_you_mean

PREFIX = "ASSAY_"

M = TypeVar("M")
Path = tuple[str, ...]


class Secret:
    """A value that never prints: a key or a password."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself, for the one place that sends it."""
        return self._value

    def __repr__(self) -> str:
        return "(secret)" if self._value else "(empty secret)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __reduce__(self) -> Any:
        raise TypeError("a secret is not written anywhere")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        text = core_schema.no_info_after_validator_function(cls, core_schema.str_schema())
        return core_schema.union_schema([core_schema.is_instance_schema(cls), text])


@dataclass(frozen=True)
class Section:
    """One table of the settings: what the file says of it, and which variables stand above that.

    Args:
        name: its name in the file.
        values: key to value, as the file has them.
        place: where the table begins, such as "assay.toml:3"; the name of the file when it has none.
        places: path of keys inside the table to its place.
        environment: variables by name.
        prefix: what the variables of this section begin with; the key in capitals follows.
    """

    name: str
    values: Mapping[str, Any]
    place: str
    places: Mapping[Path, str]
    environment: Mapping[str, str]
    prefix: str

    def variable(self, key: str) -> str:
        """The environment variable of a key, such as ASSAY_TIES."""
        return self.prefix + key.upper()

    def given(self, keys: Iterable[str]) -> dict[str, str]:
        """Which of the keys somebody set, and where: a variable when it is not empty, else a line of the file."""
        found = {}
        for key in keys:
            if self.environment.get(self.variable(key)):
                found[key] = self.variable(key)
            elif key in self.values:
                found[key] = self.where((key,))
        return found

    def where(self, path: Path) -> str:
        """The place of a path of keys, or of the nearest table around it."""
        if path and self.environment.get(self.variable(path[0])):
            return self.variable(path[0])
        while path and path not in self.places:
            path = path[:-1]
        return self.places[path] if path else self.place


@dataclass(frozen=True)
class Settings:
    """The text of one settings file, taken apart.

    Args:
        name: what the file is called in messages; empty when there is none.
        tree: section to its keys and values.
        lines: path of keys to the line it stands on, from 1.
        environment: variables by name.
    """

    name: str = ""
    tree: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[Path, int] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    @classmethod
    def parse(cls, text: str, name: str = "assay.toml", environment: Mapping[str, str] | None = None) -> Settings:
        """Takes TOML text apart; what is not TOML is refused with its line."""
        import tomllib

        given = os.environ if environment is None else environment
        text = text.replace("\r\n", "\n")
        try:
            tree = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            what, _, place = str(error).partition(" (at ")
            line = re.match(r"line (\d+)", place)
            number = int(line[1]) if line else text.count("\n") + 1  # else "at end of document"
            shown = text.split("\n")[number - 1].strip()
            raise InputError(
                f"is not TOML: {what[:1].lower()}{what[1:]}", f"{name}:{number}", 'write key = "value"', line=shown
            ) from None
        lines: dict[Path, int] = {}
        for path, number in _scan(text):
            lines.setdefault(path, number)  # [a.b] names [a] too, which may stand above it
        return cls(name, tree, lines, given)

    def section(self, name: str, prefix: str | None = None) -> Section:
        """One table; empty when the file has none.

        Args:
            name: the table.
            prefix: what its variables begin with; `ASSAY_<NAME>_` when None.
        """
        here = {path[1:]: f"{self.name}:{line}" for path, line in self.lines.items() if path[0] == name}
        place = here.pop((), self.name)
        values = self.tree.get(name, {})
        return Section(
            name, values, place, here, self.environment, f"{PREFIX}{name.upper()}_" if prefix is None else prefix
        )

    def origins(self) -> dict[str, str]:
        """Every key that the file sets, as "section.key", with its place."""
        return {
            ".".join(path): f"{self.name}:{self.lines[path]}" for path in _leaves(self.tree, ()) if path in self.lines
        }

    def variables(self) -> dict[str, str]:
        """The variables that begin with ASSAY_ and are not empty."""
        return {name: text for name, text in self.environment.items() if name.startswith(PREFIX) and text}

    def only(self, known: Iterable[str]) -> None:
        """Refuses a section that nobody knows, and a key that stands in none."""
        names = list(known)
        for key, value in self.tree.items():
            where = f"{self.name}:{self.lines.get((key,), 1)}"
            if not isinstance(value, dict):
                raise InputError(f"{key} stands in no section", where, f"put it below one of [{'], ['.join(names)}]")
            if key not in names:
                raise InputError(
                    f"unknown section [{key}]{did_you_mean(key, names)}", where, f"the sections are {', '.join(names)}"
                )


def check(section: Section, model: type[M]) -> M:
    """The section as an instance of its room's model: variables above the file, the model's defaults below.

    Args:
        section: what was written.
        model: a pydantic model or a dataclass; its fields are the keys.

    Raises:
        InputError: an unknown key, or a value that the model refuses, with the line or the variable.
    """
    keys = _keys(model)
    faults = [
        InputError(f"unknown key {key} in [{section.name}]{did_you_mean(key, keys)}", section.where((key,)),
                   f"the keys are {', '.join(keys)}")
        for key in section.values
        if key not in keys
    ]  # fmt: skip
    _raise(faults)
    given = section.given(keys)
    if not given:
        return model()
    from pydantic import TypeAdapter, ValidationError

    values = {}
    for key, origin in given.items():
        is_variable = origin == section.variable(key)
        values[key] = _from_text(section.environment[origin], keys[key]) if is_variable else section.values[key]
    _raise([
        InputError(f"{key} {str(value).lower()} is a truth value", given[key], "write a number or a text in quotes")
        for key, value in values.items()
        if isinstance(value, bool) and not _may_be_bool(keys[key])
    ])  # fmt: skip
    try:
        return TypeAdapter(model).validate_python(values)
    except ValidationError as error:
        _raise(list(_faults(section, keys, error.errors(include_url=False))))
        raise


def _may_be_bool(hint: Any) -> bool:
    import typing

    return hint in (bool, Any) or any(map(_may_be_bool, typing.get_args(hint)))


def _raise(faults: list[InputError]) -> None:
    if faults:
        first, *rest = faults
        more = [f"{fault.where}: {fault.what}" for fault in rest]
        raise InputError(first.what, first.where, first.remedy, more=more) from None


def _faults(section: Section, keys: Mapping[str, Any], errors: Iterable[Any]) -> Iterator[InputError]:
    """One fault a key: a value that may be of several types fails once for each, and a list of choices says most."""
    best: dict[Any, Any] = {}
    for error in errors:
        loc = error["loc"]
        if loc[:1] not in best or error["type"] == "literal_error":
            best[loc[:1]] = error
    for error in best.values():
        path = tuple(str(part) for part in error["loc"])
        key = path[0] if path else section.name
        if error["type"] == "literal_error":
            choices = [name for name in re.findall(r"'([^']*)'", error["ctx"]["expected"]) if name]  # "" is no answer
            close = did_you_mean(str(error["input"]), choices)
            what = f"{key} {error['input']!r} is not one of {', '.join(choices)}{close}"
            remedy = f"write one of {', '.join(choices)}"
        else:
            message = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
            held = error["input"]
            given = section.given(keys)
            named = next((word for word in re.findall(r"\w+", message) if word in given), None)
            if not path and named is not None:  # the model as a whole refuses, and says which key it is about
                path = (named,)
                what, held = message, section.environment.get(section.variable(named)) or section.values[named]
            elif error["type"] in ("tuple_type", "list_type"):
                what = f"{key} {held!r} is not a list"
                yield InputError(what, section.where(path), f'write {key} = ["..."], also for one')
                continue
            else:
                what = f"{key}: {message[:1].lower()}{message[1:]}"
            shown = "" if keys.get(key) is Secret else f" {held!r}"
            remedy = f"change the value{shown}"
        yield InputError(what, section.where(path), remedy)


def _keys(model: type[Any]) -> dict[str, Any]:
    """The keys of a model, and what each may hold."""
    import typing

    if is_dataclass(model):
        hints = typing.get_type_hints(model)
        return {f.name: hints[f.name] for f in fields(model) if f.init}
    return {name: info.annotation for name, info in model.model_fields.items()}


def _from_text(text: str, hint: Any) -> Any:
    """A variable as a value: a list is split at commas, unless the key may also hold plain text."""
    import typing

    options = typing.get_args(hint) if typing.get_origin(hint) not in (tuple, list) else (hint,)
    is_list = any(typing.get_origin(option) in (tuple, list) for option in options)
    if is_list and str not in options:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def _leaves(tree: Mapping[str, Any], path: Path) -> Iterator[Path]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key)


_KEY = re.compile(r"""[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*""")
_VALUE = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})' r"|'''.*?'''(?:'{0,2})" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}\n]|[^\"'#\[\]{}\n]+",
    re.DOTALL,
)  # fmt: skip


def _scan(text: str) -> Iterator[tuple[Path, int]]:
    """The line of every table and key. The text is known to be TOML: tomllib has read it, but tells no lines."""
    table: Path = ()
    at = 0
    while at < len(text):
        here = text[at]
        line = text.count("\n", 0, at) + 1
        if here in " \t\n":
            at += 1
        elif here == "#":
            at = _end_of_line(text, at)
        elif here == "[":
            is_list = text.startswith("[[", at)
            table, at = _path(text, at + 1 + is_list)
            yield from ((table[:n], line) for n in range(1, len(table) + 1))
            at = _end_of_line(text, at)
        else:
            path, at = _path(text, at)
            yield from ((table + path[:n], line) for n in range(1, len(path) + 1))
            at = _end_of_value(text, at + 1)


def _path(text: str, at: int) -> tuple[Path, int]:
    parts = []
    while key := _KEY.match(text, at):
        parts.append(next(group for group in key.groups() if group is not None))
        at = key.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    return tuple(parts), at


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _end_of_value(text: str, at: int) -> int:
    depth = 0
    while token := _VALUE.match(text, at):
        at = token.end()
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        if token[0] == "\n" and depth == 0:
            break
    return at
