"""The search: known tools first, then one deviation from ours, then two; and all of them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.errors import InputError
from assay.measures.measure import Measure
from assay.measures.reconcile.found import Kind, Match, Reconciled, Row, Telling
from assay.measures.reconcile.lists import F64, Lists, lists_of
from assay.measures.reconcile.tools import spelled, uses
from assay.measures.reconcile.values import counted, mean, per_query, rounded
from assay.measures.reconcile.ways import AXES, BY_NAME, GAINS, KNOWN, Asked, Ways, asked, sentence
from assay.measures.score import score
from assay.ranking.conventions import Conventions
from assay.ranking.ranking import Judged
from assay.results import Note
from assay.tables import Block

SHOWN = 8
"""Matches that are kept; the others are counted."""

NEAREST = 3

WINDOW = 0.05
"""How far around the number candidates are counted, to say how often a made-up number would meet one."""

ORDER: tuple[Kind, ...] = ("ours", "tool", "one", "two", "tool-but")
"""Kinds of candidates by how plausible they are."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """One set of answers and what it gives.

    Args:
        ways: the answers.
        kind: where it was taken from.
        tools: the tools that do so, each with its name of the measure.
        values: of each query, NaN where it does not count, float64 of shape (n,); where one query is asked for, its
            value alone.
        value: their mean, or the value of the one query.
    """

    ways: Ways
    kind: Kind
    tools: tuple[str, ...]
    values: F64
    value: float


@dataclass(frozen=True, eq=False)
class Case:
    """What is searched: the lists, the measure, our answers, and the one query if there is one."""

    lists: Lists
    asked: Asked
    base: Ways
    query: int | None = None

    def deviations(self, ways: Ways) -> tuple[tuple[str, str], ...]:
        """Where the answers differ from ours, of those that can matter here."""
        found = ways.deviations(self.base, self.asked.name)
        return tuple(one for one in found if self._matters(*one))

    def _matters(self, axis: str, answer: str) -> bool:
        if axis == "queries" and self.query is not None:
            return False
        return self.lists.is_alive(axis, answer) or not self.lists.is_alive(axis, getattr(self.base, axis))

    def plain(self, ways: Ways) -> Ways:
        """The answers with those that cannot change anything here set to the first of their axis."""
        dead = {axis.name: next(iter(axis.answers)) for axis in AXES if self._is_dead(ways, axis.name)}
        return ways.but(**dead) if dead else ways

    def _is_dead(self, ways: Ways, axis: str) -> bool:
        if self.asked.name not in BY_NAME[axis].measures or (axis == "queries" and self.query is not None):
            return True
        return not self.lists.is_alive(axis, getattr(ways, axis)) and getattr(ways, axis) != "rank"


def case_of(run: Block, judgments: Block, measure: Measure, conventions: Conventions, query: str | None = None) -> Case:
    """The case of a run, its judgments (one grade a pair) and a measure.

    Raises:
        InputError: the ways of the measure are not known, or nobody judged the query.
    """
    if measure.name not in KNOWN:
        raise InputError(
            f"the ways of other tools to {measure.name} are not known", remedy=f"known are {', '.join(KNOWN)}"
        )
    lists = lists_of(run, judgments, conventions)
    fixed, base = asked(measure, conventions)
    return Case(lists, fixed, base, None if query is None else lists.queries.index(query))


def compute(case: Case, wanted: Iterable[tuple[Ways, Kind, tuple[str, ...]]]) -> list[Candidate]:
    """The candidates of some answers; each list and each value is worked out once."""
    plain: dict[Ways, list[tuple[Ways, Kind, tuple[str, ...]]]] = {}
    for ways, kind, tools in wanted:
        plain.setdefault(case.plain(ways), []).append((ways, kind, tools))
    found: list[Candidate] = []
    views: dict[tuple[str, ...], dict[tuple[str, ...], list[Ways]]] = {}
    for ways in plain:
        views.setdefault(ways.part("list"), {}).setdefault(ways.part("value"), []).append(ways)
    for by_value in views.values():
        view = case.lists.view(next(iter(by_value.values()))[0])
        for group in by_value.values():
            each = per_query(case.lists, view, case.asked, group[0])
            for ways in group:
                values = rounded(each, ways)
                if case.query is None:
                    value = mean(case.lists, values, ways)
                    values = np.where(counted(case.lists, values, ways), values, np.nan)
                else:
                    value = float(values[case.query])
                    values = values[case.query : case.query + 1]
                found += [Candidate(one, kind, tools, values, value) for one, kind, tools in plain[ways]]
    return found


def known(case: Case) -> list[tuple[Ways, Kind, tuple[str, ...]]]:
    """Our way and those of the tools; tools with the same answers stand together."""
    by_ways: dict[Ways, list[str]] = {}
    for tool, use, ways in uses(case.asked, case.base):
        by_ways.setdefault(case.plain(ways), []).append(f"{tool.label} {spelled(use, case.asked)}")
    ours = case.plain(case.base)
    first: list[tuple[Ways, Kind, tuple[str, ...]]] = [(case.base, "ours", tuple(by_ways.pop(ours, ())))]
    return first + [(ways, "tool", tuple(names)) for ways, names in by_ways.items()]


def singles(case: Case) -> list[tuple[str, str]]:
    """Every single answer other than ours that could change something here."""
    return [
        (axis.name, answer)
        for axis in AXES
        if case.asked.name in axis.measures and not (axis.name == "queries" and case.query is not None)
        for answer in axis.answers
        if answer != getattr(case.base, axis.name)
        and case.lists.is_alive(axis.name, answer)
        and _fits(case.asked, axis.name, answer)
    ]


def _fits(asked: Asked, axis: str, answer: str) -> bool:
    if asked.cutoff is None and (axis, answer) in (("cutoff", "none"), ("found", "cap"), ("average", "min")):
        return False
    if (axis, answer) == ("order", "averaged"):
        return asked.name in GAINS
    if axis == "order" and answer in ("mixed", "turned"):  # one library's sort: nobody else sorts so
        return False
    if asked.name == "ERR" and (axis, answer) in (("scale", "raw"), ("scale", "binary")):
        return False
    return (axis, answer) != ("gain", "map") or asked.gains is not None


def _deviating(
    case: Case, bases: Iterable[Ways], kind: Kind, many: int
) -> Iterator[tuple[Ways, Kind, tuple[str, ...]]]:
    for base in bases:
        for some in combinations(singles(case), many):
            answers = dict(some)
            if len(answers) == many and all(getattr(base, axis) != answer for axis, answer in some):
                yield base.but(**answers), kind, ()


def reconcile(
    case: Case, run: Block, judged: Judged, measure: Measure, conventions: Conventions, value: float, digits: int,
    name: str = "run",
) -> Reconciled:  # fmt: skip
    """Which conventions give a number that another tool printed.

    Args:
        case: see `case_of`.
        run: the run in one block.
        judged: the prepared judgments.
        measure: what the number is said to be.
        conventions: ours.
        value: the number.
        digits: how many decimals it is printed with.
        name: of the run.
    """
    step = 10.0**-digits
    ours, notes = _ours(case, run, judged, measure, conventions, name)
    stages = [known(case), _deviating(case, [case.base], "one", 1), _deviating(case, [case.base], "two", 2)]
    found = [candidate for stage in stages for candidate in compute(case, stage)]
    if not any(_meets(candidate, value, step) for candidate in found):
        bases = dict.fromkeys(candidate.ways for candidate in found if candidate.kind == "tool")
        found += compute(case, _deviating(case, bases, "tool-but", 1))
    found = _distinct(case, [candidate for candidate in found if not np.isnan(candidate.value)])
    groups = _grouped([candidate for candidate in found if _meets(candidate, value, step)])
    groups.sort(key=lambda group: _plausible(case, group))
    total = len(groups)
    matches = _worth_saying(case, groups)
    near: list[list[Candidate]] = []
    if not groups:
        near = _grouped(sorted(found, key=lambda candidate: abs(candidate.value - value)))
        near.sort(key=lambda group: abs(group[0].value - value))
    return Reconciled(
        run=name,
        measure=measure,
        query=None if case.query is None else case.lists.queries[case.query],
        asked=value,
        digits=digits,
        ours=ours,
        matches=tuple(matches),
        more=total - len(matches),
        nearest=tuple(_match(case, group) for group in near[:NEAREST]),
        tried=len(found),
        distinct=len({round(candidate.value / step) for candidate in found}),
        chance=_by_chance(found, value, step),
        chance_tools=_by_chance([one for one in found if one.kind in ("ours", "tool")], value, step),
        telling=_telling(case, list(matches.values()), step),
        alike=_alike(case, groups[0]) if groups else (),
        notes=notes,
    )


def _worth_saying(case: Case, groups: Sequence[list[Candidate]]) -> dict[Match, list[Candidate]]:
    """The first matches, without what only adds a deviation to one that is named before it."""
    said: dict[Match, list[Candidate]] = {}
    for group in groups:
        match = _match(case, group)
        more = set(match.deviations)
        if match.kind not in ("ours", "tool") and any(set(one.deviations) <= more for one in said):
            continue
        said[match] = group
        if len(said) == SHOWN:
            break
    return said


def _plausible(case: Case, group: Sequence[Candidate]) -> tuple[int, int, int]:
    """Sorts known tools before inventions, few deviations before many, what many tools do before what one does."""
    kind = min(ORDER.index(one.kind) for one in group)
    fewest = min(len(case.deviations(one.ways)) for one in group)
    return kind, fewest, -sum(len(one.tools) for one in group)


def _meets(candidate: Candidate, value: float, step: float) -> bool:
    return abs(candidate.value - value) <= step / 2 + 1e-9


def _ours(
    case: Case, run: Block, judged: Judged, measure: Measure, conventions: Conventions, name: str
) -> tuple[float, tuple[Note, ...]]:
    """What our measure gives, by the house's own arithmetic."""
    notes: list[Note] = []
    if case.lists.later.any() and conventions.duplicates == "refuse":
        conventions = conventions.but(duplicates="keep-first")
        n = int(case.lists.later.sum())
        text = f"{n:,} rows repeat a document of their query; ours counts the first, and evaluate refuses such a run"
        notes.append(Note("duplicates-dropped", text, count=n, level="warning"))
    scores = score([run], judged, [measure], conventions, name)
    if case.query is None:
        return scores.mean(), (*notes, *scores.notes)
    query = case.lists.queries[case.query]
    if query not in scores.queries:
        return float("nan"), (*notes, *scores.notes)
    return float(scores.value()[scores.queries.index(query)]), (*notes, *scores.notes)


def _distinct(case: Case, found: list[Candidate]) -> list[Candidate]:
    """Each set of answers once, from its most plausible kind."""
    best: dict[Ways, Candidate] = {}
    for candidate in sorted(found, key=lambda one: ORDER.index(one.kind)):
        best.setdefault(case.plain(candidate.ways), candidate)
    return list(best.values())


def _grouped(found: Sequence[Candidate]) -> list[list[Candidate]]:
    """Candidates with equal values in every query stand together, the most plausible first."""
    groups: dict[bytes, list[Candidate]] = {}
    for candidate in found:
        groups.setdefault(_key(candidate), []).append(candidate)
    return list(groups.values())


def _key(candidate: Candidate) -> bytes:
    """Equal for candidates that give the same in every query and on average."""
    values: F64 = np.append(candidate.values, candidate.value)
    plain = np.round(np.nan_to_num(values, nan=-1.0), 10) + 0.0
    return bytes(plain.tobytes())


def _match(case: Case, group: list[Candidate]) -> Match:
    """What is said of candidates that give the same in every query."""
    ranked = sorted(group, key=lambda one: (ORDER.index(one.kind), len(case.deviations(one.ways))))
    first = ranked[0]
    tools = tuple(dict.fromkeys(tool for one in ranked if one.kind in ("ours", "tool") for tool in one.tools))
    return Match(value=first.value, kind=first.kind, tools=tools, deviations=matter(case, first), twins=len(group) - 1)


def matter(case: Case, candidate: Candidate) -> tuple[tuple[str, str], ...]:
    """Where a candidate differs from ours, without what changes nothing on this input."""
    ways = candidate.ways
    for axis, _ in case.deviations(ways):
        without = ways.but(**{axis: getattr(case.base, axis)})
        (same,) = compute(case, [(without, candidate.kind, ())])
        if _key(same) == _key(candidate):
            ways = without
    return case.deviations(ways)


def _by_chance(found: Sequence[Candidate], value: float, step: float) -> float:
    """How many candidates a made-up number near the value is expected to meet."""
    window = WINDOW * max(1.0, abs(value))
    near = {round(one.value, 10) for one in found if abs(one.value - value) <= window}
    return len(near) * step / (2 * window)


def _telling(case: Case, groups: Sequence[Sequence[Candidate]], step: float) -> Telling | None:
    """The query whose value differs most between the conventions that give the number."""
    if case.query is not None or len(groups) < 2:
        return None
    values = np.array([group[0].values for group in groups])
    known = np.nan_to_num(values, nan=-1.0)
    spread = known.max(axis=0) - known.min(axis=0)
    at = int(spread.argmax())
    if spread[at] < step:  # the other tool would print the same
        return None
    return Telling(case.lists.queries[at], tuple(None if np.isnan(v) else float(v) for v in values[:, at]))


def _alike(case: Case, group: Sequence[Candidate]) -> tuple[str, ...]:
    """What an input must hold to tell the conventions apart that give the same in every query."""
    ways = [one.ways for one in group if one.kind in ("ours", "tool", "one")]
    names = (axis for axis in AXES if case.asked.name in axis.measures)
    return tuple(axis.tells for axis in names if len({getattr(one, axis.name) for one in ways}) > 1)


def side_by_side(
    case: Case, run: Block, judged: Judged, measure: Measure, conventions: Conventions, name: str = "run"
) -> tuple[float, tuple[Row, ...], tuple[str, ...], tuple[Note, ...]]:
    """Every convention of one measure: ours, the rows of the table, the single answers that change nothing here.

    Conventions that give the same in every query share a row.
    """
    ours, notes = _ours(case, run, judged, measure, conventions, name)
    tools = compute(case, known(case))
    ones = compute(case, [(case.base.but(**dict([one])), "one", ()) for one in singles(case)])
    same = tuple(
        sentence(deviations[0])
        for one in ones
        if (deviations := case.deviations(one.ways)) and _is_near(one.value, ours)
    )
    groups = _grouped(_distinct(case, tools + [one for one in ones if not _is_near(one.value, ours)]))
    groups.sort(key=lambda group: _plausible(case, group))
    rows = []
    for group in groups:
        match = _match(case, group)
        rows.append(Row(str(measure), match.kind, match.tools, match.deviations, match.value, match.value - ours))
    return ours, tuple(rows), same, notes


def _is_near(value: float, other: float) -> bool:
    """Whether a table of four decimals shows no difference."""
    return abs(value - other) < 5e-5 or (np.isnan(value) and np.isnan(other))
