"""What holds for one command: options above variables above `assay.toml` above defaults, each value with its origin."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from assay.errors import InputError, did_you_mean, nearest
from assay.ranking.conventions import COMPAT, Conventions
from assay.settings import PREFIX, Section, Settings, check

if TYPE_CHECKING:
    from assay.measures.measure import Measure
    from assay.workspace import Workspace

Gain = Literal["linear", "exp"] | dict[float, float]

DEFAULT = "default"

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The section [measures].

    Args:
        primary: the measure that decides; nDCG at k when empty.
        guardrails: the measures that must not fall; P at k, R@100 and RR when empty.
        gain: what a grade is worth in gain measures that do not say it themselves: the grade, 2**grade - 1, or a
            table of grade to gain.
        k: how many results the consumer reads: a page of ten, a context of eight chunks.
    """

    primary: str = ""
    guardrails: str | tuple[str, ...] = ()
    gain: Gain = "linear"
    k: int = 10

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError("k counts results and is at least 1")


@dataclass(frozen=True, slots=True)
class Segments:
    """The section [segments].

    Args:
        column: the column of the topics file that names the segment of each query.
        head: where the topics file has weights and no such column: the most frequent queries that make up this share
            of the traffic are "head".
        torso: those up to this share are "torso", the others "tail".
        known_item: which queries have one right answer: "COLUMN=VALUE" of the topics file (`*` and `?` stand for any
            text and any letter), "one-relevant" (exactly one
            relevant document is known), or empty for none.
    """

    column: str = "segment"
    head: float = 0.5
    torso: float = 0.8
    known_item: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.head <= self.torso <= 1:
            raise ValueError("head and torso are shares of the traffic with 0 < head <= torso <= 1")
        if self.known_item not in ("", "one-relevant") and "=" not in self.known_item:
            raise ValueError('known_item is "one-relevant" or "COLUMN=VALUE"')


COMPATIBLE = Literal["", "trec_eval-9", "trec_eval-10"]


@dataclass(frozen=True, slots=True)
class _Convention(Conventions):
    """The section [conventions]: the fields of `Conventions`, and another program's conventions below them."""

    compat: COMPATIBLE = ""


@dataclass(frozen=True)
class Choices:
    """What holds.

    Args:
        conventions: the choices that change a number.
        wanted: measures, gain and k.
        segments: which queries are looked at apart.
        origins: "section.key" to where the value came from.
    """

    conventions: Conventions = field(default_factory=Conventions)
    wanted: Wanted = field(default_factory=Wanted)
    segments: Segments = field(default_factory=Segments)
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def primary(self) -> str:
        """The measure that decides, as it is typed."""
        return self.wanted.primary or f"nDCG@{self.wanted.k}"

    @property
    def guardrails(self) -> tuple[str, ...]:
        """The measures that must not fall, as they are typed."""
        given = self.wanted.guardrails
        return ((given,) if isinstance(given, str) else given) or (f"P@{self.wanted.k}", "R@100", "RR")

    @property
    def measures(self) -> tuple[str, ...]:
        """The primary measure and the guardrails."""
        return (self.primary, *self.guardrails)

    @property
    def k_said(self) -> int | None:
        """How many results the consumer reads, where somebody said it."""
        return self.wanted.k if self.origin("measures.k") != DEFAULT else None

    def origin(self, key: str) -> str:
        """Where "section.key" came from: `assay.toml:12`, `ASSAY_TIES`, `--ties` or "default"."""
        return self.origins.get(key, DEFAULT)

    def values(self) -> Iterator[tuple[str, str, Any]]:
        """(section, key, value) of everything that holds."""
        wanted = replace(self.wanted, primary=self.primary, guardrails=self.guardrails)
        parts = (("measures", wanted), ("conventions", self.conventions), ("segments", self.segments))
        for section, part in parts:
            for f in fields(part):
                yield section, f.name, getattr(part, f.name)


def chosen(
    workspace: Workspace | None, options: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None
) -> Choices:
    """What holds here, for a command with these options.

    Args:
        workspace: the folder with `assay.toml`; None when there is none.
        options: the fields of `Conventions`, `compat`, `gain`, `k`, and those of `Segments`; None is not given.
        environment: variables by name; those of the process when None.

    Raises:
        InputError: a value that is not allowed, with the option, the variable or the line; an unknown option; a
            variable that looks like a mistyped one.
    """
    given = {name: value for name, value in (options or {}).items() if value is not None}
    if isinstance(given.get("include"), str):  # one kind or several, not its letters
        given["include"] = tuple(kind.strip() for kind in given["include"].split(",") if kind.strip())
    settings = workspace.settings if workspace is not None else Settings()
    if environment is not None:
        settings = Settings(settings.name, settings.tree, settings.lines, environment)
    known = [f.name for model in (_Convention, Wanted, Segments) for f in fields(model)]
    for name in given:
        if name not in known:
            raise InputError(f"unknown option {name}{did_you_mean(name, known)}", remedy=f"one of {', '.join(known)}")
    if settings.variables():
        _refuse_mistyped(settings)
    origins: dict[str, str] = {}
    conventions = _conventions(settings.section("conventions", PREFIX), given, origins)
    wanted = _plain(settings.section("measures", PREFIX), Wanted, given, origins)
    segments = _plain(settings.section("segments"), Segments, given, origins)
    return Choices(conventions, wanted, segments, origins)


def with_gain(measures: Iterable[Measure], gain: Gain) -> list[Measure]:
    """The measures, each once, with this gain in those that have one and do not say which."""
    return list(dict.fromkeys(m(gain=gain) if _takes_gain(m) and not m.is_given("gain") else m for m in measures))


def _takes_gain(measure: Measure) -> bool:
    """Whether the measure has a gain of that kind; that of RBP is another."""
    return "gain" in measure.params and "exp" in measure.about.parameter("gain").choices


def _conventions(section: Section, given: Mapping[str, Any], origins: dict[str, str]) -> Conventions:
    """Option, then the program that an option names, then the same of the variables, of the file; then the default.

    So `--compat trec_eval-9` stands above what the file says, and `--ties input` above `--compat`.
    """
    keys = [f.name for f in fields(Conventions)]
    written = check(section, _Convention)
    places = section.given([*keys, "compat"])
    levels: list[dict[str, tuple[Any, str]]] = []
    options = {key: (given[key], _option(key)) for key in keys if key in given}
    levels += [options, _compat(given.get("compat"), _option("compat"))]
    compat = places.pop("compat", "")
    for is_variable in (True, False):
        here = {key: place for key, place in places.items() if (place == section.variable(key)) == is_variable}
        levels.append({key: (getattr(written, key), place) for key, place in here.items()})
        if compat and (compat == section.variable("compat")) == is_variable:
            levels.append(_compat(written.compat, compat))
    values = {}
    for level in reversed(levels):
        for key, (value, origin) in level.items():
            values[key] = value
            origins[f"conventions.{key}"] = origin
    rel = values.get("rel")
    if rel is not None and not _is_number(rel):  # TOML and floats know nan, and no grade is at least that
        raise InputError(
            f"rel {rel!s:.80} is not a grade", origins["conventions.rel"], "give the lowest relevant grade, such as 1"
        )
    return Conventions(**values)


def _compat(program: str | None, origin: str) -> dict[str, tuple[Any, str]]:
    if not program:
        return {}
    if program not in COMPAT:
        raise InputError(
            f"--compat {program!r} is not one of {', '.join(COMPAT)}{did_you_mean(program, COMPAT)}",
            remedy=f"pass --compat {'|'.join(COMPAT)}",
        )
    return {key: (value, f"{origin} {program}") for key, value in COMPAT[program].items()}


def _plain(section: Section, model: type[M], given: Mapping[str, Any], origins: dict[str, str]) -> M:
    written = check(section, model)
    keys = [f.name for f in fields(model)]  # type: ignore[arg-type] # the models here are dataclasses
    origins.update({f"{section.name}.{key}": place for key, place in section.given(keys).items()})
    options = {key: given[key] for key in keys if key in given}
    if not options:
        return written
    origins.update({f"{section.name}.{key}": _option(key) for key in options})
    gain = options.get("gain", "linear")
    if isinstance(gain, dict):
        if not all(map(_is_number, (*gain, *gain.values()))):
            raise InputError(f"gain {gain!r:.80} is no table of grade to gain", remedy="pass gain={1: 1, 2: 3}")
    elif gain not in ("linear", "exp"):
        raise InputError(f"--gain {gain!r} is not one of linear, exp", remedy="pass --gain linear|exp")
    k = options.get("k", 1)
    if not _is_number(k) or k < 1 or k != int(k):
        raise InputError("--k counts results and is at least 1", remedy="pass --k 10")
    try:
        return replace(written, **options)  # type: ignore[type-var] # as above
    except (ValueError, TypeError) as error:
        raise InputError(str(error), ", ".join(_option(key) for key in options)) from error


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, (str, bool)) and math.isfinite(value)
    except TypeError:
        return False


def _option(key: str) -> str:
    return "--" + key.replace("_", "-")


def variables() -> dict[str, str]:
    """Every variable that is heeded, and the "section.key" that it sets."""
    from assay.workspace import Copies, Paths, Store

    flat = {"measures": Wanted, "conventions": _Convention}
    apart = {"segments": Segments, "paths": Paths, "store": Store, "cache": Copies}
    names = {PREFIX + f.name.upper(): f"{name}.{f.name}" for name, model in flat.items() for f in fields(model)}
    for name, model in apart.items():
        names |= {f"{PREFIX}{name}_{f.name}".upper(): f"{name}.{f.name}" for f in fields(model)}
    return names


def strangers(settings: Settings) -> list[str]:
    """Variables that begin with ASSAY_ and that nothing heeds."""
    known = variables()
    return sorted(name for name in settings.variables() if name not in known)


def _refuse_mistyped(settings: Settings) -> None:
    """Refuses a variable one slip away from a known one.

    Other strange variables are let be, and `assay doctor` lists them: Kubernetes sets ASSAY_SERVICE_HOST and the like
    in every container beside a service called assay.
    """
    known = [name.removeprefix(PREFIX) for name in variables()]
    for name in strangers(settings):
        close = nearest(name.removeprefix(PREFIX), known, 1)
        if close:
            raise InputError(
                f"unknown variable {name}; did you mean {PREFIX}{close[0]}?",
                "environment",
                f"rename it or unset {name}",
            )
