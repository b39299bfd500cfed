"""The parameters of a measure, read from its function's signature: what each can be, and how it is typed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from assay.errors import InputError, did_you_mean
from assay.ranking.discounts import GainMap, number

Value = bool | int | float | str | GainMap | None
"""What a parameter can be."""


@dataclass(frozen=True, slots=True)
class Between:
    """The numbers that a parameter can be.

    Args:
        low, high: the ends; None where there is none.
        ends: whether the ends belong to it.
    """

    low: float | None = None
    high: float | None = None
    ends: bool = True

    def __contains__(self, x: float) -> bool:
        """Whether the number lies between the ends."""
        if x in (self.low, self.high):
            return self.ends
        return (self.low is None or x > self.low) and (self.high is None or x < self.high)

    def __str__(self) -> str:
        if self.low is not None and self.high is not None:
            return f"from {self.low:g} to {self.high:g}" if self.ends else f"between {self.low:g} and {self.high:g}"
        if self.low is None:
            return f"{'up to' if self.ends else 'below'} {self.high:g}"
        return f"{'from' if self.ends else 'above'} {self.low:g}"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a measure, read from its function's signature.

    Args:
        name: as it is typed.
        default: what holds when it is not typed.
        choices: the words it can be.
        kinds: the other types it can be.
        limits: the numbers it can be; None when any.
    """

    name: str
    default: Value
    choices: tuple[str, ...]
    kinds: tuple[type, ...]
    limits: Between | None = None

    def check(self, value: Any, measure: str) -> Value:
        """The value in the parameter's own type; a value it cannot be is an InputError."""
        if isinstance(value, str) and value in self.choices:
            return value
        if value is None and NoneType in self.kinds:
            return None
        if isinstance(value, (bool, np.bool_)):
            if bool in self.kinds:
                return bool(value)
        elif isinstance(value, GainMap) and GainMap in self.kinds:
            return value
        elif isinstance(value, Mapping) and GainMap in self.kinds:
            return GainMap.of(value)
        elif isinstance(value, (int, float, np.number)) and not self._is_within(float(value)):
            pass
        elif isinstance(value, (int, np.integer)) and int in self.kinds:
            return int(value)
        elif isinstance(value, (int, float, np.number)) and float in self.kinds and np.isfinite(value):
            return float(value)
        hint = did_you_mean(value, self.choices) if isinstance(value, str) else ""
        raise InputError(
            f"{self.name}={write(value)} of {measure} is not {self.expected()}{hint}",
            remedy=f"write {measure}({self.name}={self.example()}); `assay measures {measure}` explains it",
        )

    def _is_within(self, x: float) -> bool:
        return self.limits is None or x in self.limits

    def expected(self) -> str:
        """What the parameter can be, in words."""
        words = list(self.choices)
        words += ["True", "False"] if bool in self.kinds else []
        limits = "" if self.limits is None else f" {self.limits}"
        words += [f"a number{limits}"] if float in self.kinds else []
        words += [f"a whole number{limits}"] if int in self.kinds else []
        words += ["a map such as {1:3,2:9}"] if GainMap in self.kinds else []
        words += ["qrels (what the judgments say)"] if NoneType in self.kinds else []
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def example(self) -> str:
        """A value that would be accepted."""
        if self.choices:
            return self.choices[0]
        if bool in self.kinds:
            return "True"
        known = isinstance(self.default, (int, float)) and self.limits is not None
        return number(float(self.default)) if known else "2"  # type: ignore[arg-type] # it is a number


def read_signature(function: Callable[..., Any], limits: Mapping[str, Between]) -> tuple[tuple[Parameter, ...], bool]:
    """The parameters of a measure's function (without ranking and cutoff), and whether it takes a cutoff."""
    hints = get_type_hints(function)
    found = list(inspect.signature(function).parameters.values())[1:]
    parameters = tuple(
        _parameter(p.name, p.default, hints[p.name], limits.get(p.name)) for p in found if p.name != "cutoff"
    )
    return parameters, any(p.name == "cutoff" for p in found)


def _parameter(name: str, default: Any, hint: Any, limits: Between | None) -> Parameter:
    parts = get_args(hint) if get_origin(hint) not in (None, Literal) else (hint,)
    choices = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
    kinds = tuple(part for part in parts if get_origin(part) is not Literal)
    return Parameter(name, default, choices, kinds, limits)


def write(value: Any) -> str:
    """A parameter's value as it is typed."""
    if value is None:
        return "qrels"  # `rel` and `max` have no value of their own: the judgments say them
    if isinstance(value, float):
        return number(value)
    return str(value)


AVERAGE = Parameter("average", "mean", ("mean", "geometric", "median"), ())
"""How the values of the queries become one figure: an option of every measure and no part of its function."""
