"""What a measure is: a function of a ranking whose signature is its parameters, its spelling and its documentation.

`nDCG @ 10` and `P(rel=2) @ 5` are values: hashable, comparable, picklable, and printed as they are typed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from assay.errors import InputError, did_you_mean
from assay.ranking.discounts import GainMap, gain_function, number
from assay.ranking.ranking import F64, Bool, Judged, Ranking
from assay.registry import Family

Values = F64
"""One number a judged query; NaN where the measure is undefined."""

Value = bool | int | float | str | GainMap | None
"""What a parameter can be."""

LARGEST_CUTOFF = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a measure, read from its function's signature.

    Args:
        name: as it is typed.
        default: what holds when it is not typed.
        choices: the words it can be.
        kinds: the other types it can be.
    """

    name: str
    default: Value
    choices: tuple[str, ...]
    kinds: tuple[type, ...]

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
        elif isinstance(value, (int, np.integer)) and int in self.kinds:
            return int(value)
        elif isinstance(value, (int, float, np.number)) and float in self.kinds and np.isfinite(value):
            return float(value)
        hint = did_you_mean(value, self.choices) if isinstance(value, str) else ""
        raise InputError(
            f"{self.name}={write(value)} of {measure} is not {self.expected()}{hint}",
            remedy=f"write {measure}({self.name}={self.example()}); `assay measures {measure}` explains it",
        )

    def expected(self) -> str:
        """What the parameter can be, in words."""
        words = list(self.choices)
        words += ["True", "False"] if bool in self.kinds else []
        words += ["a number"] if float in self.kinds else []
        words += ["a whole number"] if int in self.kinds else []
        words += ["a map such as {1:3,2:9}"] if GainMap in self.kinds else []
        words += ["qrels (what the judgments say)"] if NoneType in self.kinds else []
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def example(self) -> str:
        """A value that would be accepted."""
        if self.choices:
            return self.choices[0]
        return "True" if bool in self.kinds else "2"


@dataclass(frozen=True, slots=True)
class Example:
    """The worked example of a measure.

    Args:
        measure: the measure as it is typed.
        shown: grades in rank order; "?" is unjudged.
        judged: every grade known for the query.
    """

    measure: str
    shown: tuple[float | Literal["?"], ...]
    judged: tuple[float, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Steps:
    """How the value of one query comes about.

    Args:
        adds: what each judged hit adds, float64 of shape (n_hits,); NaN where ties do not let it be told apart.
        total: the numerator.
        divisor: what it is divided by; None when the total is the value.
        unjudged: what each document without judgment inside the cutoff adds.
        written: the closing formula without the name in front and the value behind, when it is more than a quotient.
        gain, discount: what they are for each hit, for measures that have them.
        ideal: (grade, gain, discount) of the best order, when it is the divisor.
    """

    adds: F64
    total: float
    divisor: float | None = None
    unjudged: float = 0.0
    written: str = ""
    gain: F64 | None = None
    discount: F64 | None = None
    ideal: tuple[F64, F64, F64] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Definition:
    """What `@measure` was told and what it read from the function."""

    name: str
    function: Callable[..., Values]
    parameters: tuple[Parameter, ...]
    takes_cutoff: bool
    sees: Literal["no", "first", "all"]
    needs: Literal["relevant", "gain", "nothing"]
    best: Literal["high", "low", "neither"]
    extremes: Literal["relevant", "gain", "none", "unknown"]
    all_relevant: bool
    grades: bool
    total: Literal["mean", "sum"]
    range: str
    foot: Callable[..., str] | str
    steps: Callable[..., Steps] | None
    says: str
    blind_to: tuple[str, ...]
    use_for: str
    undefined: str
    agrees: str
    source: str
    example: Example | None

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def parameter(self, name: str) -> Parameter:
        """The parameter of that name; an unknown one is an InputError with the nearest names."""
        names = [parameter.name for parameter in self.parameters]
        if name not in names:
            raise InputError(
                f"{self.name} has no option {name}{did_you_mean(name, names)}",
                remedy=f"the options of {self.name} are {', '.join(names)}" if names else f"write {self.name}",
            )
        return self.parameters[names.index(name)]


MEASURES: Family[Definition] = Family("measure", home="assay.measures")


def measure(
    name: str,
    *,
    sees: Literal["no", "first", "all"],
    foot: Callable[..., str] | str,
    needs: Literal["relevant", "gain", "nothing"] = "relevant",
    best: Literal["high", "low", "neither"] = "high",
    extremes: Literal["relevant", "gain", "none", "unknown"] = "unknown",
    all_relevant: bool = False,
    grades: bool = False,
    total: Literal["mean", "sum"] = "mean",
    range: str = "0 to 1",
    steps: Callable[..., Steps] | None = None,
    says: str = "",
    blind_to: Sequence[str] = (),
    use_for: str = "",
    undefined: str = "n/a when a query has no relevant document; counted, not averaged",
    agrees: str = "",
    source: str = "",
    example: Example | None = None,
) -> Callable[[Callable[..., Values]], Callable[..., Values]]:
    """Makes a function of a ranking a measure; its keyword arguments become the measure's parameters.

    Args:
        name: as it is typed, without parameters and cutoff.
        sees: whether the order matters: not at all, up to the first relevant document, or throughout.
        foot: the definition in a few words for people, or a function of (cutoff, **parameters) that says it.
        needs: what a query must have for the value to mean something: a relevant document, a document with gain,
            or nothing.
        best: whether high or low values are good.
        extremes: how unjudged documents bound the value: "relevant" when the value depends on which documents are
            relevant and moving one up never hurts; "gain" for (normalised) sums of gains; "none" when grades do not
            matter; "unknown" tries all.
        all_relevant: whether all relevant documents must be known.
        grades: whether it tells grades apart.
        total: how queries are put together where other programs print one figure.
        range: the values it can have.
        steps: function of (one query's ranking, cutoff, **parameters) that lays open how the value comes about.
        says: what the value tells, for `assay measures NAME`, as all that follow.
        blind_to: what it cannot see.
        use_for: when to take it, and what to take instead.
        undefined: when it has no value.
        agrees: the peer program and version that gives the same value.
        source: the paper and the variant.
        example: the worked example.
    """

    def register(function: Callable[..., Values]) -> Callable[..., Values]:
        parameters, takes_cutoff = read_signature(function)
        definition = Definition(
            name=name, function=function, parameters=parameters, takes_cutoff=takes_cutoff, sees=sees, needs=needs,
            best=best, extremes=extremes, all_relevant=all_relevant, grades=grades, total=total, range=range,
            foot=foot, steps=steps, says=says, blind_to=tuple(blind_to), use_for=use_for, undefined=undefined,
            agrees=agrees, source=source, example=example,
        )  # fmt: skip
        MEASURES.add(name)(definition)
        return function

    return register


def read_signature(function: Callable[..., Values]) -> tuple[tuple[Parameter, ...], bool]:
    """The parameters of a measure's function (without ranking and cutoff), and whether it takes a cutoff."""
    hints = get_type_hints(function)
    found = list(inspect.signature(function).parameters.values())[1:]
    parameters = tuple(_parameter(p.name, p.default, hints[p.name]) for p in found if p.name != "cutoff")
    return parameters, any(p.name == "cutoff" for p in found)


def _parameter(name: str, default: Any, hint: Any) -> Parameter:
    parts = get_args(hint) if get_origin(hint) not in (None, Literal) else (hint,)
    choices = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
    kinds = tuple(part for part in parts if get_origin(part) is not Literal)
    return Parameter(name, default, choices, kinds)


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure with its parameters and its cutoff, such as `P(rel=2)@5`.

    Args:
        name: the name in the family.
        changed: (parameter, value) where the value is not the default, in the order of the signature.
        cutoff: ranks 1..cutoff are counted; None counts all.
        typed: parameters that were given with their default value, as in `nDCG(gain=linear)`: no other measure, but a
            choice that a team's settings leave alone.
    """

    name: str
    changed: tuple[tuple[str, Value], ...] = ()
    cutoff: int | None = None
    typed: frozenset[str] = field(default=frozenset(), compare=False)

    def __call__(self, **parameters: Any) -> Measure:
        """The same measure with some parameters set: `P(rel=2)`."""
        about = self.about
        values = dict(self.changed)
        for name, value in parameters.items():
            values[name] = about.parameter(name).check(value, self.name)
        changed = tuple(
            (p.name, values[p.name]) for p in about.parameters if values.get(p.name, p.default) != p.default
        )
        typed = (self.typed | set(parameters)) - {name for name, _ in changed}
        return Measure(self.name, changed, self.cutoff, typed)

    def __matmul__(self, cutoff: int) -> Measure:
        """The same measure over the first `cutoff` ranks: `nDCG @ 10`."""
        if not self.about.takes_cutoff:
            raise InputError(f"{self.name} takes no cutoff", remedy=f"write {self.without_cutoff}")
        if isinstance(cutoff, bool) or not isinstance(cutoff, (int, np.integer)) or not 1 <= cutoff <= LARGEST_CUTOFF:
            raise InputError(
                f"cutoff {cutoff} of {self.name} is not a whole number from 1 to {LARGEST_CUTOFF}",
                remedy=f"write {self.without_cutoff}@10, or {self.without_cutoff} for the whole list",
            )
        return Measure(self.name, self.changed, int(cutoff), self.typed)

    def __str__(self) -> str:
        given = ",".join(f"{name}={write(value)}" for name, value in self.changed)
        return f"{self.name}({given}){self._at}" if given else f"{self.name}{self._at}"

    __repr__ = __str__

    @property
    def _at(self) -> str:
        return "" if self.cutoff is None else f"@{self.cutoff}"

    @property
    def without_cutoff(self) -> Measure:
        """The same measure over the whole list."""
        return Measure(self.name, self.changed, typed=self.typed)

    @property
    def about(self) -> Definition:
        """What is known of the measure."""
        return MEASURES.find(self.name)

    @property
    def params(self) -> dict[str, Value]:
        """Every parameter with its value, defaults too."""
        return {p.name: p.default for p in self.about.parameters} | dict(self.changed)

    def is_given(self, parameter: str) -> bool:
        """Whether the parameter was typed, be it with its default."""
        return parameter in self.typed or parameter in dict(self.changed)

    @property
    def rel(self) -> float | None:
        """The lowest relevant grade that the measure asks for; None leaves it to the judgments."""
        rel = dict(self.changed).get("rel")
        return rel if isinstance(rel, float) else None

    @property
    def needs_relevant(self) -> bool:
        """Whether a query must have a relevant document (or one with gain) for the value to mean something."""
        return self.about.needs != "nothing"

    def definition(self) -> str:
        """The whole definition, defaults too; it can be typed like the short form."""
        given = ", ".join(f"{name}={write(value)}" for name, value in self.params.items())
        return f"{self.name}({given}){self._at}" if given else f"{self.name}{self._at}"

    def foot(self) -> str:
        """The definition in a few words, for the line below a table."""
        foot = self.about.foot
        if isinstance(foot, str):
            return foot
        return foot(**({"cutoff": self.cutoff} if self.about.takes_cutoff else {}), **self.params)

    def compute(self, ranking: Ranking) -> Values:
        """The value of every judged query, float64 of shape (n,); NaN where it is undefined."""
        return self.about.function(ranking, **self._arguments())

    def steps(self, ranking: Ranking) -> Steps:
        """How the value of a ranking of one query comes about."""
        about = self.about
        if about.steps is None:
            value = float(self.compute(ranking)[0])
            return Steps(np.full(len(ranking.rank), np.nan), value)
        return about.steps(ranking, **self._arguments())

    def _arguments(self) -> dict[str, Any]:
        about = self.about
        arguments: dict[str, Any] = dict(self.changed)
        if about.takes_cutoff:
            arguments["cutoff"] = self.cutoff
        return arguments

    def has_relevant(self, judged: Judged) -> Bool:
        """Which queries have what the measure needs, bool of shape (n,); see `needs_relevant`."""
        needs = self.about.needs
        if needs == "relevant":
            return judged.relevant(self.rel) > 0
        if needs == "gain":
            gain = self.params.get("gain", "linear")
            return with_gain(judged, gain if isinstance(gain, GainMap) else str(gain)) > 0
        return np.ones(judged.n, dtype=np.bool_)


def with_gain(judged: Judged, gain: Any) -> F64:
    """The largest gain that one document of each query has, float64 of shape (n,)."""
    from assay.ranking.discounts import none

    return judged.best_sum(gain_function(gain), none, 1)


def write(value: Any) -> str:
    """A parameter's value as it is typed."""
    if value is None:
        return "qrels"  # the only parameter without a value of its own is `rel`: the judgments say it
    if isinstance(value, float):
        return number(value)
    return str(value)


def divide(numerator: Any, denominator: Any, otherwise: float = np.nan) -> Values:
    """The quotient, and `otherwise` where it would be divided by 0."""
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    out = np.full(numerator.shape, otherwise)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out
