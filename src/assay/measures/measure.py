"""What a measure is: a function of a ranking whose signature is its parameters, its spelling and its documentation.

`nDCG @ 10` and `P(rel=2) @ 5` are values: hashable, comparable, picklable, and printed as they are typed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from assay.errors import InputError, did_you_mean
from assay.measures.parameter import AVERAGE, Between, Parameter, Value, read_signature, write
from assay.ranking.discounts import GainMap, gain_function
from assay.ranking.ranking import F64, Bool, Judged, Ranking
from assay.registry import Family

Values = F64
"""One number a judged query; NaN where the measure is undefined."""

__all__ = ["MEASURES", "Between", "Definition", "Example", "Measure", "Steps", "Value", "Values", "divide", "measure",
           "with_gain", "write"]  # fmt: skip

LARGEST_CUTOFF = 2**31 - 1


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
        divided_by, weight: what a gain is divided by, and one divided by it as a function of ranks, where no option of
            the measure says it.
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
    divided_by: str = ""
    weight: Callable[[Any], Any] | None = None


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
    extremes: Literal["relevant", "gain", "monotone", "none", "unknown"]
    averages_ties: bool
    shows: tuple[str, ...]
    all_relevant: bool
    subtopics: bool
    grades: bool
    reads_pool: bool
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
        if name == AVERAGE.name:
            return AVERAGE
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
    extremes: Literal["relevant", "gain", "monotone", "none", "unknown"] = "unknown",
    averages_ties: bool = True,
    shows: Sequence[str] = (),
    limits: Mapping[str, Between] = MappingProxyType({}),
    all_relevant: bool = False,
    subtopics: bool = False,
    grades: bool = False,
    reads_pool: bool = False,
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
            relevant and moving one up never hurts; "gain" for (normalised) sums of gains; "monotone" when a higher
            grade never lowers the value; "none" when grades do not matter; "unknown" tries all.
        averages_ties: whether the mean over all orders of equal scores can be computed.
        shows: parameters that are always printed, since no default of theirs is universal.
        limits: the numbers that a parameter can be.
        all_relevant: whether all relevant documents must be known.
        subtopics: whether it looks at the subtopics of the judgments.
        grades: whether it tells grades apart.
        reads_pool: whether a grade below 0 says to it that a document was pooled and not judged, also where such grades
            are unjudged to all others.
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
        parameters, takes_cutoff = read_signature(function, limits)
        definition = Definition(
            name=name, function=function, parameters=parameters, takes_cutoff=takes_cutoff, sees=sees, needs=needs,
            best=best, extremes=extremes, averages_ties=averages_ties, shows=tuple(shows), all_relevant=all_relevant,
            subtopics=subtopics, grades=grades, reads_pool=reads_pool, total=total, range=range, foot=foot, steps=steps,
            says=says, blind_to=tuple(blind_to), use_for=use_for, undefined=undefined, agrees=agrees, source=source,
            example=example,
        )  # fmt: skip
        MEASURES.add(name)(definition)
        return function

    return register


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure with its parameters and its cutoff, such as `P(rel=2)@5`.

    Args:
        name: the name in the family.
        changed: (parameter, value) where the value is not the default, in the order of the signature.
        cutoff: ranks 1..cutoff are counted; None counts all.
        typed: parameters that were given with their default value, as in `nDCG(gain=linear)`: no other measure, but a
            choice that a team's settings leave alone.
        scale: the highest grade of the judgments, which holds where the parameter `max` is not given.
    """

    name: str
    changed: tuple[tuple[str, Value], ...] = ()
    cutoff: int | None = None
    typed: frozenset[str] = field(default=frozenset(), compare=False)
    scale: float | None = field(default=None, compare=False)

    def __call__(self, **parameters: Any) -> Measure:
        """The same measure with some parameters set: `P(rel=2)`."""
        about = self.about
        values = dict(self.changed)
        for name, value in parameters.items():
            values[name] = about.parameter(name).check(value, self.name)
        changed = tuple(
            (p.name, values[p.name]) for p in (*about.parameters, AVERAGE) if values.get(p.name, p.default) != p.default
        )
        typed = (self.typed | set(parameters)) - {name for name, _ in changed}
        return replace(self, changed=changed, typed=typed)

    def __matmul__(self, cutoff: int) -> Measure:
        """The same measure over the first `cutoff` ranks: `nDCG @ 10`."""
        if not self.about.takes_cutoff:
            raise InputError(f"{self.name} takes no cutoff", remedy=f"write {self.without_cutoff}")
        if isinstance(cutoff, bool) or not isinstance(cutoff, (int, np.integer)) or not 1 <= cutoff <= LARGEST_CUTOFF:
            raise InputError(
                f"cutoff {cutoff} of {self.name} is not a whole number from 1 to {LARGEST_CUTOFF}",
                remedy=f"write {self.without_cutoff}@10, or {self.without_cutoff} for the whole list",
            )
        return replace(self, cutoff=int(cutoff))

    def __str__(self) -> str:
        changed = dict(self.changed)
        shown = {p.name: p.default for p in self.about.parameters if p.name in (*changed, *self.about.shows)} | changed
        given = ",".join(f"{name}={write(value)}" for name, value in shown.items())
        return f"{self.name}({given}){self._at}" if given else f"{self.name}{self._at}"

    __repr__ = __str__

    @property
    def _at(self) -> str:
        return "" if self.cutoff is None else f"@{self.cutoff}"

    @property
    def without_cutoff(self) -> Measure:
        """The same measure over the whole list."""
        return replace(self, cutoff=None)

    @property
    def about(self) -> Definition:
        """What is known of the measure."""
        return MEASURES.find(self.name)

    @property
    def params(self) -> dict[str, Value]:
        """Every parameter with its value, defaults too."""
        return {p.name: p.default for p in self.about.parameters} | self._own()

    def _own(self) -> dict[str, Value]:
        """What was changed of the parameters of the function."""
        return {name: value for name, value in self.changed if name != AVERAGE.name}

    @property
    def average(self) -> Literal["mean", "geometric", "median"]:
        """How the values of the queries become one figure."""
        return dict(self.changed).get(AVERAGE.name, "mean")  # type: ignore[return-value] # checked when it was set

    def on_scale(self, levels: F64) -> Measure:
        """The measure with the highest grade of a scale, where its parameter `max` is not given and none is known."""
        if self.scale is not None or self.params.get("max", 0.0) is not None or not len(levels):
            return self
        return replace(self, scale=float(levels.max()))

    def judgments(self, judged: Judged) -> Judged:
        """The judgments that it reads: those of the pool too, where it does and they were set aside."""
        return judged.pool if self.about.reads_pool and judged.pool is not None else judged

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
        """The whole definition, defaults too, on the scale of the judgments where they are known; it can be typed."""
        values = self.params | dict(self.changed)
        if self.scale is not None and values.get("max", 0.0) is None:
            values["max"] = self.scale
        given = ", ".join(f"{name}={write(value)}" for name, value in values.items())
        return f"{self.name}({given}){self._at}" if given else f"{self.name}{self._at}"

    def foot(self) -> str:
        """The definition in a few words, for the line below a table."""
        foot = self.about.foot
        if not isinstance(foot, str):
            given: dict[str, Any] = {"cutoff": self.cutoff} if self.about.takes_cutoff else {}
            if self.scale is not None:
                given |= {"scale": self.scale} if "scale" in inspect.signature(foot).parameters else {}
            foot = foot(**given, **self.params)
        return foot + FOOTS[self.average]

    def compute(self, ranking: Ranking) -> Values:
        """The value of every judged query, float64 of shape (n,); NaN where it is undefined."""
        if ranking.is_averaged and not self.about.averages_ties:
            raise InputError(
                f"{self.name} has no mean over all orders of equal scores",
                remedy="pass --ties docid, best, worst or input, or leave the measure out",
            )
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
        arguments: dict[str, Any] = self._own()
        if about.takes_cutoff:
            arguments["cutoff"] = self.cutoff
        if self.scale is not None and "max" not in arguments:
            arguments["max"] = self.scale
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


FOOTS = {
    "mean": "",
    "geometric": "; geometric mean over queries, below 0.00001 counted as that, with the t interval of the logarithms",
    "median": "; median over queries, with the interval between order statistics",
}
"""How the queries are put together, where it is not the mean."""


def with_gain(judged: Judged, gain: Any) -> F64:
    """The largest gain that one document of each query has, float64 of shape (n,)."""
    from assay.ranking.discounts import none

    return judged.best_sum(gain_function(gain), none, 1)


def divide(numerator: Any, denominator: Any, otherwise: float = np.nan) -> Values:
    """The quotient, and `otherwise` where it would be divided by 0."""
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    out = np.full(numerator.shape, otherwise)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out
