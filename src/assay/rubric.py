"""What the grades mean: one file for people, pages and model judges alike.

    +++
    name = "Product search"
    base = "topicality"            # the dimension that the grade starts from; left out: there is one dimension

    [grade.3]
    name = "perfect"
    definition = "exactly what was asked for"
    good = "..."                   # a document that clearly has this grade
    borderline = "..."             # one that has it just so
    labels = ["E", "exact"]        # what other tools call it

    [dimension.freshness]
    definition = "does it still hold?"
    means = { 0 = "out of date", 1 = "current" }

    [cap.stale]                    # freshness 0: the grade is at most 1
    dimension = "freshness"
    at_most = 0
    grade = 1
    +++
    Everything below is read by raters, in Markdown.

The version is a fingerprint of the text, so that a label says under which words it was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from assay.errors import InputError, did_you_mean
from assay.keys import fingerprint
from assay.label_maps import LabelMap, fold
from assay.settings import Settings

FENCE = "+++"
RELEVANCE = "relevance"
"""The dimension of the grade itself."""

_TOP = ("name", "base", "grade", "dimension", "cap")
_OF_GRADE = ("name", "definition", "good", "borderline", "labels")
_OF_DIMENSION = ("definition", "means")
_OF_CAP = ("dimension", "at_most", "grade", "why")


@dataclass(frozen=True, slots=True)
class Grade:
    """One grade.

    Args:
        grade: the number.
        name: a word for it.
        definition: one line.
        good: a document that clearly has it.
        borderline: a document that has it just so.
        labels: what other tools call it.
    """

    grade: float
    name: str
    definition: str = ""
    good: str = ""
    borderline: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dimension:
    """What is judged apart from the grade.

    Args:
        name: of it.
        definition: one line.
        means: value to what it means, rising.
    """

    name: str
    definition: str = ""
    means: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cap:
    """A rule: where a dimension is at most so much, the grade is at most that."""

    name: str
    dimension: str
    at_most: float
    grade: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Rubric:
    """What the grades mean.

    Args:
        name: of the rubric.
        grades: rising.
        dimensions: judged apart; none where there is the grade alone.
        base: the dimension that the grade starts from; empty where there is none.
        caps: what holds the grade down.
        body: what raters read, in Markdown.
        version: fingerprint of the text.
    """

    name: str
    grades: tuple[Grade, ...]
    dimensions: tuple[Dimension, ...] = ()
    base: str = ""
    caps: tuple[Cap, ...] = ()
    body: str = field(default="", repr=False)
    version: str = ""

    @classmethod
    def parse(cls, text: str, name: str = "rubric.md") -> Rubric:
        """A rubric from its text; every complaint has its line.

        Args:
            text: the whole file.
            name: of the file, for messages.

        Raises:
            InputError: the head is missing or damaged, a grade comes twice, or a rule names what does not exist.
        """
        head, body = _parted(text, name)
        settings = Settings.parse(head, name, environment={})
        return _read(settings, body.strip(), fingerprint(_normal(text))[:12])

    @property
    def lines(self) -> list[str]:
        """The body as pages show it: lines that are not blank, without the marks of headings."""
        bare = (line.strip().lstrip("#").strip() for line in self.body.splitlines())
        return [line for line in bare if line]

    @property
    def scale(self) -> tuple[float, ...]:
        """The grades, rising."""
        return tuple(grade.grade for grade in self.grades)

    @property
    def labels(self) -> LabelMap:
        """Names and labels of the grades, and the grades as they are written, to grades."""
        held = {f"{one.grade:g}": one.grade for one in self.grades}
        held |= {fold(label): one.grade for one in self.grades for label in (one.name, *one.labels)}
        return LabelMap(self.name, held, f"the labels of the rubric {self.name}", scale=self.scale)

    def grade_of(self, values: Mapping[str, float | None]) -> float | None:
        """The grade that follows from the dimensions of one judgment; None where the base is not judged.

        A dimension that is not judged holds nothing down.
        """
        grade = values.get(self.base)
        for cap in self.caps:
            value = values.get(cap.dimension)
            if grade is not None and value is not None and value <= cap.at_most:
                grade = min(grade, cap.grade)
        return grade


def _normal(text: str) -> str:
    """The text as the version sees it: ends of lines and blanks at them do not count."""
    return "\n".join(line.rstrip() for line in text.removeprefix("\ufeff").splitlines()).strip()


def _parted(text: str, name: str) -> tuple[str, str]:
    """The head, with as many lines above as it has in the file, and the body."""
    lines = text.removeprefix("\ufeff").splitlines()
    fences = [i for i, line in enumerate(lines) if line.strip() == FENCE]
    if not lines or not fences or any(line.strip() for line in lines[: fences[0]]):
        raise InputError(
            f"does not begin with a line {FENCE}",
            f"{name}:1",
            "write it anew with `assay rubric init`, and change that",
        )
    if len(fences) < 2:
        raise InputError(
            f"the head has no end: a second line {FENCE} is missing", f"{name}:{fences[0] + 1}",
            f"close the head with {FENCE}",
        )  # fmt: skip
    first, second = fences[:2]
    return "\n" * (first + 1) + "\n".join(lines[first + 1 : second]) + "\n", "\n".join(lines[second + 1 :])


def _read(settings: Settings, body: str, version: str) -> Rubric:
    tree: Mapping[str, Any] = settings.tree
    here = _Here(settings)
    here.only(tree, _TOP, ())
    grades = tuple(sorted(_grades(tree, here), key=lambda one: one.grade))
    for one, other in pairwise(grades):
        if one.grade == other.grade:
            raise InputError(f"the grade {one.grade:g} comes twice", here.at("grade"), "let each number come once")
    if len(grades) < 2:
        raise InputError("a rubric needs two grades at least", settings.name, "add [grade.0] and [grade.1]")
    taken: dict[str, float] = {}
    for one in grades:
        for label in (one.name, *one.labels):
            if taken.setdefault(fold(label), one.grade) != one.grade:
                raise InputError(f"{label!r} names two grades", here.at("grade"), "let each label name one grade")
    dimensions = tuple(_dimensions(tree, here))
    known = [one.name for one in dimensions]
    base = here.text(tree, "base", ())
    if base and base not in known:
        raise InputError(
            f"base is {base}, which is no dimension{did_you_mean(base, known)}", here.at("base"),
            f"add [dimension.{base}]",
        )  # fmt: skip
    caps = tuple(_caps(tree, here, known, [one.grade for one in grades]))
    if (caps or dimensions) and not base:
        raise (
            InputError(
                "there are dimensions and no base",
                here.at("dimension"),
                f'say where the grade starts: base = "{known[0]}"',
            )
            if known
            else InputError("a cap needs dimensions", here.at("cap"), "add [dimension.NAME]")
        )
    return Rubric(here.text(tree, "name", ()) or "rubric", grades, dimensions, base, caps, body, version)


def _grades(tree: Mapping[str, Any], here: _Here) -> list[Grade]:
    found = []
    for key, table in here.tables(tree, "grade"):
        at = ("grade", key)
        here.only(table, _OF_GRADE, at)
        labels = table.get("labels", [])
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise InputError("labels is no list of words", here.at(*at, "labels"), 'write labels = ["E", "exact"]')
        texts = {name: here.text(table, name, at) for name in _OF_GRADE[:4]}
        if not texts["name"]:
            raise InputError(f"grade {key} has no name", here.at(*at), 'write name = "relevant"')
        found.append(Grade(here.number(key, at), labels=tuple(labels), **texts))
    return found


def _dimensions(tree: Mapping[str, Any], here: _Here) -> list[Dimension]:
    found = []
    for key, table in here.tables(tree, "dimension"):
        at = ("dimension", key)
        if key == RELEVANCE:
            raise InputError(
                f"{RELEVANCE} is the grade itself, not a dimension of it", here.at(*at), "give it another name"
            )
        here.only(table, _OF_DIMENSION, at)
        means = table.get("means", {})
        if not isinstance(means, dict) or not all(isinstance(word, str) for word in means.values()):
            raise InputError("means is no table of words", here.at(*at, "means"), 'write means = { 0 = "stale" }')
        pairs = sorted((here.number(value, (*at, "means")), word) for value, word in means.items())
        found.append(Dimension(key, here.text(table, "definition", at), tuple(pairs)))
    return found


def _caps(tree: Mapping[str, Any], here: _Here, known: list[str], grades: list[float]) -> list[Cap]:
    found = []
    for key, table in here.tables(tree, "cap"):
        at = ("cap", key)
        here.only(table, _OF_CAP, at)
        dimension = here.text(table, "dimension", at)
        if dimension not in known:
            raise InputError(
                f"the cap {key} is about {dimension or 'nothing'}, which is no dimension"
                f"{did_you_mean(dimension, known)}", here.at(*at, "dimension"),
                f"the dimensions are {', '.join(known) or 'none'}",
            )  # fmt: skip
        for name in ("at_most", "grade"):
            if name not in table:
                raise InputError(f"the cap {key} has no {name}", here.at(*at), f"write {name} = 0")
        at_most, grade = (here.number(table[name], (*at, name)) for name in ("at_most", "grade"))
        if grade not in grades:
            raise InputError(f"the cap {key} gives {grade:g}, which is no grade", here.at(*at, "grade"), "name a grade")
        found.append(Cap(key, dimension, at_most, grade, here.text(table, "why", at)))
    return found


@dataclass(frozen=True, slots=True)
class _Here:
    """Keys with their places."""

    settings: Settings

    def at(self, *path: str) -> str:
        """The line of a path of keys, or of the nearest table around it."""
        lines = self.settings.lines
        while path and path not in lines:
            path = path[:-1]
        return f"{self.settings.name}:{lines[path]}" if path else self.settings.name

    def only(self, table: Mapping[str, Any], known: tuple[str, ...], at: tuple[str, ...]) -> None:
        """Refuses a key that means nothing here."""
        for key in table:
            if key not in known:
                raise InputError(
                    f"unknown key {key}{did_you_mean(key, known)}",
                    self.at(*at, key),
                    f"the keys are {', '.join(known)}",
                )

    def tables(self, tree: Mapping[str, Any], name: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The tables [name.KEY], in the order of the file."""
        held = tree.get(name, {})
        if not isinstance(held, dict) or not all(isinstance(table, dict) for table in held.values()):
            raise InputError(f"{name} is no table of tables", self.at(name), f"write [{name}.KEY]")
        return list(held.items())

    def text(self, table: Mapping[str, Any], key: str, at: tuple[str, ...]) -> str:
        """A text; empty where there is none."""
        value = table.get(key, "")
        if not isinstance(value, str):
            raise InputError(f"{key} is no text", self.at(*at, key), f'write {key} = "..."')
        return " ".join(value.split())

    def number(self, value: Any, at: tuple[str, ...]) -> float:
        """A finite number, also where it is a key."""
        try:
            found = float(value)
        except (TypeError, ValueError):
            found = float("nan")
        if isinstance(value, bool) or not abs(found) < float("inf"):
            raise InputError(f"{value!r} is no number", self.at(*at), "write a number such as 2")
        return found
