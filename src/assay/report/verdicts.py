"""The words of a comparison, shared by its page, its report and the lines of a CI host."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.report.figures import number
from assay.report.page import Mark, Range, Tone

if TYPE_CHECKING:
    from assay.compare.comparison import Comparison, Difference, Family, Says
    from assay.stats.intervals import Interval

CLAIM, FEWEST = 25, 10
"""Queries from which a claim is made, and from which more than wins and losses is shown."""

TONES: dict[str, Tone] = {"better": "better", "worse": "worse", "cannot tell": "unsure"}
LABELS: dict[str, tuple[Tone, str]] = {
    "better": ("better", "BETTER overall"),
    "worse": ("worse", "WORSE overall"),
    "cannot-tell": ("unsure", "CANNOT TELL"),
    "hides-a-loss": ("worse", "HIDES A LOSS"),
    "may-hide": ("unsure", "MAY HIDE A LOSS"),
    "weights-disagree": ("unsure", "WEIGHTS DISAGREE"),
    "stages": ("plain", "STAGES"),
    "stages-disagree": ("unsure", "STAGES DISAGREE"),
    "one-sided-pool": ("unsure", "ONE-SIDED POOL"),
    "fragile": ("unsure", "FRAGILE"),
    "within-noise": ("unsure", "RATER NOISE"),
}
"""The mark of each of the first lines, by its code."""
CORRECTIONS = {"holm": "Holm", "max-t": "max-T", "bh": "Benjamini-Hochberg", "tukey": "Tukey", "none": "alone"}
METHODS = {"t": "t intervals over queries", "bootstrap": "percentile intervals over resampled queries",
           "bca": "BCa intervals over resampled queries"}  # fmt: skip


def line(says: Says) -> Mark:
    """One of the first lines, with the mark of its code."""
    tone, label = LABELS.get(says.code, ("plain", says.code.replace("-", " ").upper()))
    return Mark(tone, f"{says.text}; {says.detail}" if says.detail else says.text, label)


def first_lines(says: Iterable[Says]) -> tuple[Mark, ...]:
    """The first lines; that there are no stages is said among the facts."""
    return tuple(line(entry) for entry in says if entry.code != "no-stages")


def verdict(found: Difference) -> Mark:
    """Better, worse or cannot tell; too few queries make no claim."""
    if not found.claim:
        return Mark("plain", f"no claim: n {found.n}")
    return Mark(TONES[found.outcome], found.outcome)


def p_value(p: float | None, why: str = "n/a") -> str:
    """A p to four decimals, `< 0.0001` below."""
    if p is None or p != p:
        return why
    return "< 0.0001" if p < 0.00005 else number(p, 4)


def p_words(p: float) -> str:
    """A p inside a sentence: `p 0.0011`, `p < 0.0001`."""
    return "p < 0.0001" if p < 0.00005 else f"p {number(p, 4)}"


def p_head(family: Family) -> str:
    """`p (Holm, 4)`: the correction is named where its numbers stand."""
    if family.correction == "none" or family.size < 2:
        return "p"
    return f"p ({CORRECTIONS.get(family.correction, family.correction)}, {family.size:,})"


def spread(interval: Interval | None, n: int, why: str, claim: bool = True) -> Range:
    """The interval of a difference, or why there is none."""
    if not claim:
        return Range(None, None, why=f"n/a: n {n}")
    if interval is None:
        return Range(None, None, why=f"n/a: {why}" if why else "n/a")
    return Range(interval.low, interval.high, sign=True)


def interval_words(interval: Interval | None, places: int = 4) -> str:
    """`+0.0130 to +0.0510`; empty where there is none."""
    if interval is None:
        return ""
    return f"{number(interval.low, places, sign=True)} to {number(interval.high, places, sign=True)}"


def pairs(comparison: Comparison) -> list[tuple[str, str]]:
    """(baseline, candidate) of every pair that is compared, in their order."""
    return list(dict.fromkeys((found.baseline, found.candidate) for found in comparison.differences))


def of_pair(differences: Iterable[Difference], pair: tuple[str, str]) -> list[Difference]:
    """The differences of one pair."""
    return [found for found in differences if (found.baseline, found.candidate) == pair]


def first_of(differences: Iterable[Difference], pair: tuple[str, str], measure: object) -> Difference | None:
    """The difference of one pair on one measure."""
    wanted = str(measure)
    return next((found for found in of_pair(differences, pair) if str(found.measure) == wanted), None)


def method(comparison: Comparison) -> str:
    """How intervals and p were made, in one line."""
    family = comparison.family
    drawn = "shuffles" if family.correction == "tukey" else "sign flips"
    flips = f"{family.flips:,} {drawn}" if family.flips and "flips" not in family.statement else ""
    seed = "" if "seed" in family.statement else f"seed {family.seed}"
    parts = (METHODS.get(comparison.interval_method, comparison.interval_method), flips, family.statement, seed)
    return ", ".join(filter(None, parts))
