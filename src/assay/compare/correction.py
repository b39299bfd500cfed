"""Several differences as one family: what each p becomes in it, and which of them cannot be settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.compare.asked import Asked
from assay.compare.columns import Column
from assay.compare.comparison import CLAIM, Correction, Family
from assay.errors import InputError
from assay.stats.exchange import NULL as TUKEY_NULL
from assay.stats.exchange import PERMUTATIONS, exchanged_pairs
from assay.stats.intervals import clopper_pearson
from assay.stats.max_t import NULL as MAX_T_NULL
from assay.stats.max_t import MaxT, all_pairs, max_t
from assay.stats.multiple import HOLM_UP_TO, benjamini_hochberg, flips_needed, holm
from assay.stats.paired import NULLS, Tests, paired_tests
from assay.stats.randomisation import MOST_FLIPS, Counted

F64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

SURE = 0.99
"""Level of the interval of a drawn p: a verdict that changes within it is not settled."""
STEPS: dict[Correction, Callable[[F64], F64]] = {"holm": holm, "bh": benjamini_hochberg, "none": np.copy}
"""Corrections that are made of each column's own p."""


@dataclass(frozen=True, eq=False, slots=True)
class Corrected:
    """Columns as one family.

    Args:
        tests: of each column.
        adjusted: float64 of shape (columns,); NaN outside of the family, or where it is not resolvable.
        unsettled: bool of shape (columns,): the patterns that were drawn leave open on which side of alpha it is.
        family: what they were corrected with.
    """

    tests: tuple[Tests, ...]
    adjusted: F64
    unsettled: Bool
    family: Family


def corrected(columns: Sequence[Column], matrix: F64, queries: Sequence[str], asked: Asked) -> Corrected:
    """The tests of every column, and its p in the family.

    Args:
        columns: what is compared.
        matrix: float64 of shape (columns, queries): their differences.
        queries: ids.
        asked: see `Asked`.
    """
    why_not = [column.left_out_because() for column in columns]
    members = np.array([not why for why in why_not], np.bool_)
    correction = correction_of(int(members.sum()), asked)
    if correction == "max-t":
        tests, adjusted, drawn = _by_max_t(columns, matrix, members, queries, asked)
    elif correction == "tukey":
        tests, adjusted, drawn = _by_tukey(columns, matrix, members, queries, asked)
    else:
        tests, adjusted, drawn = _by_steps(correction, matrix, members, queries, asked)
    family = Family(
        correction=correction,
        size=int(members.sum()),
        flips=drawn.patterns,
        seed=asked.seed,
        needed=drawn.needed,
        statement=_statement(correction, columns, members) + drawn.said,
        left_out=tuple((column.label, why) for column, why in zip(columns, why_not, strict=True) if why),
        null={"max-t": MAX_T_NULL, "tukey": TUKEY_NULL}.get(correction, NULLS["randomisation"]),
    )
    return Corrected(tests, adjusted, drawn.unsettled, family)


def correction_of(size: int, asked: Asked) -> Correction:
    """What was asked for, or by the number of hypotheses."""
    return asked.correction or ("holm" if size <= HOLM_UP_TO else "max-t")


@dataclass(frozen=True, eq=False, slots=True)
class _Drawn:
    patterns: int
    needed: int
    unsettled: Bool
    said: str = ""


def _by_steps(
    correction: Correction, matrix: F64, members: Bool, queries: Sequence[str], asked: Asked
) -> tuple[tuple[Tests, ...], F64, _Drawn]:
    """Corrections of the columns' own p. More patterns are drawn where the verdict hangs on them."""
    size = int(members.sum())
    needed = flips_needed(size, asked.alpha) if correction != "none" and size else 0
    flips = asked.flips
    if asked.more_flips and flips < needed <= MOST_FLIPS:
        flips = needed
    step = STEPS[correction]

    def open_between(low: F64, high: F64) -> Bool:
        """Whether the interval of an adjusted p holds alpha: an adjusted p never falls when a p rises."""
        ends = [step(np.where(members, p, np.nan)) for p in (low, high)]
        return (ends[0] <= asked.alpha) & (ends[1] >= asked.alpha) & (ends[0] < ends[1])

    def worth_drawing(low: F64, high: F64) -> Bool:
        """Those whose own interval leaves it open; what stands behind them is settled with them."""
        found = open_between(low, high)
        for place in np.flatnonzero(found).tolist():
            alone = low.copy()  # the others as small as they may be, so that none stands in its way
            alone[place] = high[place]
            found[place] = open_between(low, alone)[place]
        return found

    # where the flips that were asked for are too few for the correction, the result says so instead of drawing others
    at = worth_drawing if flips >= needed else ()
    tests = paired_tests(matrix, queries, asked.seed, flips, at=at, zeros=asked.zeros)
    p = np.array([np.nan if test.p is None or not member else test.p
                  for test, member in zip(tests, members, strict=True)])  # fmt: skip
    is_drawn = np.array([_is_drawn(test) for test in tests], np.bool_)
    patterns = min((_patterns(test) for test, use in zip(tests, is_drawn & members, strict=True) if use), default=0)
    ends = np.array([[test.randomisation.low, test.randomisation.high] if test.randomisation is not None else
                     [np.nan, np.nan] for test in tests]).reshape(len(tests), 2)  # fmt: skip
    unsettled = open_between(ends[:, 0], ends[:, 1])
    adjusted = step(p)
    if patterns and patterns < needed:
        adjusted[is_drawn] = np.nan
    return tests, adjusted, _Drawn(patterns, needed, unsettled)


def _by_max_t(
    columns: Sequence[Column], matrix: F64, members: Bool, queries: Sequence[str], asked: Asked
) -> tuple[tuple[Tests, ...], F64, _Drawn]:
    """Step-down max-T; the p of each column comes from the same patterns, so that nothing is drawn twice."""
    adjusted, p = np.full((2, len(columns)), np.nan)
    patterns, counted = 0, None
    if members.any():
        found = max_t_of(columns, matrix, members, queries, asked)
        adjusted[members] = found.adjusted
        if not found.exact:
            p[members] = found.p
            patterns, counted = found.patterns, Counted(p, found.patterns)
    tests = paired_tests(matrix, queries, asked.seed, asked.flips, at=(), zeros=asked.zeros, counted=counted)
    return tests, adjusted, _Drawn(patterns, 0, _at_alpha(adjusted, patterns, asked.alpha))


def _at_alpha(adjusted: F64, patterns: int, alpha: float) -> Bool:
    """Which adjusted p are so near alpha that other patterns could have put them on its other side."""
    unsettled = np.zeros(len(adjusted), np.bool_)
    if patterns:
        # the interval is about 0.002 wide at 5 % of 100,000: only what is near needs to be looked at
        near = np.abs(adjusted - alpha) <= 5 * np.sqrt(alpha / patterns) + 5 / patterns
        for place in np.flatnonzero(near).tolist():
            count = min(patterns, max(0, round(float(adjusted[place]) * (patterns + 1)) - 1))
            low, high = clopper_pearson(count, patterns, SURE)
            unsettled[place] = low <= alpha <= high
    return unsettled


def max_t_of(columns: Sequence[Column], matrix: F64, members: Bool, queries: Sequence[str], asked: Asked) -> MaxT:
    """Step-down max-T over the members of the family; all pairs of systems come from one product of signs."""
    runs = list(dict.fromkeys(run for column in columns for run in (column.baseline, column.candidate)))
    pairs = [(first, second) for i, first in enumerate(runs) for second in runs[i + 1 :]]
    is_all = members.all() and [(column.baseline, column.candidate) for column in columns] == pairs
    if not is_all or np.isnan(matrix).any():
        return max_t(matrix[members], queries, asked.seed, asked.flips)
    values = [columns[0].before, *(column.after for column in columns[: len(runs) - 1])]
    return all_pairs(np.array(values), queries, asked.seed, asked.flips).tests


def _by_tukey(
    columns: Sequence[Column], matrix: F64, members: Bool, queries: Sequence[str], asked: Asked
) -> tuple[tuple[Tests, ...], F64, _Drawn]:
    """The randomised Tukey test of all pairs on each measure and set of queries; between these, Bonferroni."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for place, column in enumerate(columns):
        groups.setdefault((column.kind, column.name, str(column.measure)), []).append(place)
    groups = {name: places for name, places in groups.items() if members[places].any()}
    needed = flips_needed(len(groups), asked.alpha)
    count = max(PERMUTATIONS, needed) if asked.more_flips else asked.flips
    adjusted, patterns, fewer = np.full(len(columns), np.nan), 0, 0
    for places in groups.values():
        own = [columns[place] for place in places]
        values = _values_of(own)
        known = ~np.isnan(np.array(list(values.values())))
        fewer = max(fewer, int((known.any(axis=0) & ~known.all(axis=0)).sum()))
        found = exchanged_pairs(np.array(list(values.values())), queries, asked.seed, count)
        names = list(values)
        p = {frozenset((names[a], names[b])): p for a, b, p in
             zip(found.first.tolist(), found.second.tolist(), found.adjusted.tolist(), strict=True)}  # fmt: skip
        adjusted[places] = [min(1.0, len(groups) * p[frozenset((c.baseline, c.candidate))]) for c in own]
        patterns = max(patterns, 0 if found.exact else found.permutations)
    adjusted[~members] = np.nan
    if patterns and patterns < needed:
        adjusted[:] = np.nan
    tests = paired_tests(matrix, queries, asked.seed, asked.flips, at=(), zeros=asked.zeros)
    unsettled = _at_alpha(adjusted / max(1, len(groups)), patterns, asked.alpha / max(1, len(groups)))
    # a pair's difference may be over more queries than the test of all systems
    said = (
        f", {fewer:,} {'query' if fewer == 1 else 'queries'} without a value in some system left out" if fewer else ""
    )
    return tests, adjusted, _Drawn(patterns, needed, unsettled, said)


def _values_of(columns: Sequence[Column]) -> dict[str, F64]:
    """Every system's values; refused where a pair of systems is not among the columns."""
    values = {run: np.where(column.which, x, np.nan) for column in columns
              for run, x in ((column.baseline, column.before), (column.candidate, column.after))}  # fmt: skip
    if len(columns) != len(values) * (len(values) - 1) // 2:
        raise InputError(
            f"--family tukey is over all pairs of systems, and {len(columns)} of "
            f"{len(values) * (len(values) - 1) // 2} pairs are compared",
            remedy="add --all-pairs, or pass --family max-t",
        )
    return values


def _is_drawn(test: Tests) -> bool:
    return test.randomisation is not None and test.randomisation.seed is not None


def _patterns(test: Tests) -> int:
    return 0 if test.randomisation is None else test.randomisation.patterns


HOW: dict[Correction, str] = {
    "holm": "Holm",
    "max-t": "max-T (Westfall and Young, studentised, under sign symmetry)",
    "bh": "Benjamini-Hochberg (the false discovery rate)",
    "tukey": "randomised Tukey HSD (systems shuffled within each query)",
    "none": "no correction",
}


def _statement(correction: Correction, columns: Sequence[Column], members: Bool) -> str:
    used = [column for column, member in zip(columns, members.tolist(), strict=True) if member]
    if not used:
        return f"no hypothesis has {CLAIM} queries, so nothing is claimed"
    counts = [
        (len({c.measure for c in used}), "measure"),
        (len({(c.baseline, c.candidate) for c in used}), "pair of runs"),
        (len({(c.kind, c.name) for c in used}), "segment" if used[0].kind else "set"),
    ]
    spelt = [f"{n} {_plural(word, n)}" for n, word in counts if n > 1 or (word == "measure")]
    hypotheses = "hypothesis" if len(used) == 1 else "hypotheses"
    groups = len({(c.measure, c.kind, c.name) for c in used})
    apart = f", Bonferroni over {groups} sets of pairs" if correction == "tukey" and groups > 1 else ""
    return f"{HOW[correction]} over {len(used)} {hypotheses} ({', '.join(spelt)}){apart}"


def _plural(word: str, n: int) -> str:
    if n == 1:
        return word
    return "pairs of runs" if word == "pair of runs" else f"{word}s"
