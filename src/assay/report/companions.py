"""Every test of each difference, and what each of them supposes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import count, number
from assay.report.page import Cell, Column, Fact, Facts, Heading, Table, Value
from assay.report.verdicts import p_value, pairs

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison, Difference

SHORT = {
    "randomisation": "sign flips",
    "t": "t",
    "wilcoxon": "Wilcoxon",
    "sign": "sign",
}
"""What the tests are called above their p."""
ROWS = 200
"""Differences in the table at most: those of all pairs of many systems belong in a file."""
LINES = 8
"""Differences whose sign flips are told one by one."""


def tests_facts(comparison: Comparison) -> Facts:
    """What stands below the table: how p were found, and what each test supposes."""
    found = drawn(comparison)
    return Facts((*((found,) if found else ()), nulls(comparison)))


def tests_table(comparison: Comparison) -> Table:
    """A row a measure and pair: the p of every test, none of them corrected, and the effect size."""
    several = len(pairs(comparison)) > 1
    who = [Column("baseline", is_name=True, is_grouped=True), Column("candidate", is_name=True)] if several else []
    columns = [Column("measure", is_grouped=True), *who, *(Column(name, "right", gap=2) for name in SHORT.values()),
               Column("d_z", "right", gap=2), Column("95 % interval of d_z", gap=2)]  # fmt: skip
    rows = []
    for d in comparison.differences[:ROWS]:
        names: list[Cell] = [d.baseline, d.candidate] if several else []
        rows.append((str(d.measure), *names, *p_of(d), *effect_of(d)))
    return Table(tuple(columns), tuple(rows), name="Tests")


def title(comparison: Comparison) -> Heading:
    """What stands above the table."""
    left = len(comparison.differences) - ROWS
    return Heading("Tests", "p, none corrected" + (f"; {left:,} more differences in --format json" if left > 0 else ""))


def p_of(d: Difference) -> tuple[str, ...]:
    """The p of each test, in the order of `SHORT`."""
    tests = d.tests
    if tests is None:
        return ("n/a",) * len(SHORT)
    return (
        p_value(tests.p),
        p_value(None if tests.t is None else tests.t.p),
        p_value(None if tests.wilcoxon is None else tests.wilcoxon.p),
        p_value(tests.sign_p),
    )


def effect_of(d: Difference) -> tuple[Cell, Cell]:
    """The effect size and its interval."""
    effect = None if d.tests is None else d.tests.effect
    if effect is None:
        return Value(None), "n/a"
    if effect.low is None or effect.high is None:
        return Value(effect.d_z, sign=True), "n/a"
    return Value(effect.d_z, sign=True), f"{number(effect.low, 2, sign=True)} to {number(effect.high, 2, sign=True)}"


def drawn(comparison: Comparison) -> Fact | None:
    """How each p of the sign flips was found, and how exactly a drawn one is known."""
    several = len(pairs(comparison)) > 1
    lines = []
    for d in comparison.differences:
        test = None if d.tests is None else d.tests.randomisation
        if test is None:
            continue
        name = f"{d.candidate} against {d.baseline}, {d.measure}" if several else str(d.measure)
        if test.method == "monte-carlo":
            ends = f"{number(test.low, 4)} to {number(test.high, 4)}"
            least = f"{test.resolution:.7f}".rstrip("0")
            how = f"{count(test.patterns, 'pattern')} drawn, 99 % interval {ends}, p is at least {least}"
        else:
            how = "exact: " + (
                f"all {test.patterns:,} patterns" if test.method == "exact" else "values lie on equal steps"
            )
        lines.append(f"{name}: {how}")
    if len(lines) > LINES:
        lines[LINES:] = [f"and {len(lines) - LINES:,} more"]
    return Fact("Sign flips", tuple(lines)) if lines else None


def nulls(comparison: Comparison) -> Fact:
    """What each test supposes and may reject."""
    tests = next((d.tests for d in comparison.differences if d.tests is not None), None)
    each = {} if tests is None else tests.nulls
    said = [f"{SHORT[name]}: {null}" for name, null in each.items()]
    if comparison.family.null and comparison.family.null not in each.values():
        said.insert(0, f"corrected p: {comparison.family.null}")
    return Fact("Supposed", (*said, "d_z is the mean difference in standard deviations of the differences"))
