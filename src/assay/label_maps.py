"""Named maps from labels (words, letters, other scales) to grades. A label is never guessed: the map is said, or asked.

A map is written `esci`, or `{good:2,fair:1,bad:0}`, or as a TOML table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.errors import InputError, did_you_mean


@dataclass(frozen=True, slots=True)
class LabelMap:
    """Labels to grades.

    Args:
        name: as it is typed.
        grades: label, folded (`fold`), to grade.
        says: what it stands for, in a sentence.
        low, high: for numeric scales without a list of labels: the ends of the scale that is taken.
        step: what one unit of the scale is worth as a grade.
        scale: every grade, rising, where a rubric says them all.
    """

    name: str
    grades: Mapping[str, float]
    says: str
    low: float | None = None
    high: float | None = None
    step: float = 1.0
    scale: tuple[float, ...] = ()

    def knows(self, label: str) -> bool:
        """Whether the map has a grade for this label."""
        if fold(label) in self.grades:
            return True
        value = as_number(label)
        return self.low is not None and self.high is not None and value is not None and self.low <= value <= self.high

    def grade(self, label: object, where: str) -> float:
        """The grade of a label; a label that the map does not hold is an InputError that names those it does."""
        text = str(label).strip()
        if fold(text) in self.grades:
            return self.grades[fold(text)]
        if self.low is not None and self.high is not None:
            value = as_number(text)
            if value is not None and self.low <= value <= self.high:
                return (value - self.low) * self.step
            raise InputError(
                f"{text!r} is not on the scale {self.name}, {self.low:g} to {self.high:g}", where,
                "mend the value, or choose another map by --labels",
            )  # fmt: skip
        raise InputError(
            f"the label map {self.name} has no label {text!r}{did_you_mean(fold(text), self.grades)}", where,
            f"it knows {', '.join(self.grades)}; write your own as --labels '{{good:2,bad:0}}'",
        )  # fmt: skip


def fold(label: str) -> str:
    """How labels are compared: without case, with single blanks between words, `_` and `-` as blanks; numbers as is."""
    if as_number(label) is not None:  # the sign of -1 is no blank
        return label.strip()
    return " ".join(label.replace("_", " ").replace("-", " ").casefold().split())


def as_number(text: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _words(name: str, says: str, **grades: float) -> LabelMap:
    return LabelMap(name, {fold(label): float(grade) for label, grade in grades.items()}, says)


MAPS: dict[str, LabelMap] = {
    made.name: made
    for made in (
        _words(
            "esci", "Amazon ESCI by order: exact 3, substitute 2, complement 1, irrelevant 0",
            E=3, S=2, C=1, I=0, exact=3, substitute=2, complement=1, irrelevant=0,
        ),
        _words(
            "esci-gains", "Amazon ESCI by the gains of its paper: 1, 0.1, 0.01, 0",
            E=1, S=0.1, C=0.01, I=0, exact=1, substitute=0.1, complement=0.01, irrelevant=0,
        ),
        _words(
            "yes-no", "yes, true, relevant, 1 are 1; no, false, irrelevant, not relevant, 0 are 0",
            yes=1, no=0, true=1, false=0, y=1, n=0, relevant=1, irrelevant=0, not_relevant=0, **{"1": 1, "0": 0},
        ),
        LabelMap("0..1", {}, "a share from 0 to 1, kept as a fractional grade", 0.0, 1.0),
        LabelMap("0..1-to-3", {}, "a share from 0 to 1, stretched to grades from 0 to 3", 0.0, 1.0, 3.0),
        LabelMap("1..5", {}, "five stars: 1 is grade 0, 5 is grade 4", 1.0, 5.0),
        LabelMap("0..100", {}, "a per cent from 0 to 100, divided by 100: a fractional grade from 0 to 1", 0.0, 100.0,
                 0.01),
        LabelMap("0..100-to-3", {}, "a per cent from 0 to 100, to grades from 0 to 3", 0.0, 100.0, 0.03),
    )
}  # fmt: skip
"""The maps that have a name."""


def fitting(labels: Iterable[str]) -> list[str]:
    """The names of the maps that know all these labels."""
    found = [label.strip() for label in labels]
    return [name for name, made in MAPS.items() if all(made.knows(label) for label in found)]


def how(names: Sequence[str]) -> str:
    """What to do about labels, given the maps that know them."""
    own = "--labels '{good:2,fair:1,bad:0}'"
    if not names:
        return f"say what each label is worth, such as {own}"
    named = " or ".join(f"--labels {name}" for name in names)
    return f"say what labels are worth: {named}, or your own map as {own}"


_COMMA = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)')
"""A comma that stands in no quotes."""


def _unquoted(label: str) -> str:
    return label[1:-1] if len(label) > 2 and label[0] == label[-1] and label[0] in "'\"" else label


def parse_label_map(text: str) -> LabelMap:
    """`esci`, or a map written out such as `{good:2,fair:1,bad:0}`; an unknown name is an InputError."""
    text = text.strip()
    if text in MAPS:
        return MAPS[text]
    if not (text.startswith("{") and text.endswith("}")):
        raise InputError(
            f"unknown label map {text}{did_you_mean(text, MAPS)}", "--labels",
            f"choose {', '.join(MAPS)}, or write your own as {{good:2,fair:1,bad:0}}",
        )  # fmt: skip
    grades: dict[str, float] = {}
    for part in _COMMA.split(text[1:-1]):
        label, colon, number = part.rpartition(":")
        label, grade = _unquoted(label.strip()), as_number(number)
        if not (colon and label.strip()) or grade is None:
            raise InputError(f"'{part.strip()}' is not LABEL:GRADE", "--labels", "write {good:2,fair:1,bad:0}")
        if fold(label) in grades:
            raise InputError(f"the label {label.strip()} is given twice", "--labels", "give each label once")
        grades[fold(label)] = grade
    return LabelMap(text, grades, "a map of your own")
