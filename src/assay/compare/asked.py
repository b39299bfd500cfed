"""What was asked of a comparison: how sure, by which interval, corrected how."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

from assay.compare.comparison import Correction, Spread
from assay.errors import InputError, did_you_mean
from assay.stats.paired import Zeros
from assay.stats.randomisation import FLIPS

CORRECTIONS = ("holm", "max-t", "bh", "tukey", "none")
SPREADS = ("t", "bootstrap", "bca")
ZEROS = ("wilcox", "pratt")
SMALLEST_TAIL = 1e-9
"""Of a level: quantiles beyond it are those of rounding."""
MOST_DRAWN = 100_000_000
"""Sign patterns: the smallest p is then 1e-8."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of a comparison.

    Args:
        seed: of every random number.
        flips: sign patterns drawn where a p is not exact.
        more_flips: whether more are drawn at once where the correction needs them; otherwise such p are not resolvable.
        correction: "holm", "max-t", "bh", "tukey" or "none"; by the number of hypotheses when None.
        interval: "t", "bootstrap" (percentile) or "bca".
        level: of the intervals.
        alpha: level of the claims.
        tie: differences up to this are shown as ties; tests keep their own 1e-9.
        zeros: how Wilcoxon's test treats queries that do not differ: "wilcox" drops them, "pratt" ranks them first.
    """

    seed: int = 0
    flips: int = FLIPS
    correction: Correction | None = None
    interval: Spread = "t"
    level: float = 0.95
    alpha: float = 0.05
    tie: float = 1e-9
    zeros: Zeros = "wilcox"
    more_flips: bool = False

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("family", self.correction, CORRECTIONS),
            ("interval", self.interval, SPREADS),
            ("wilcoxon-zeros", self.zeros, ZEROS),
        ):
            if value is not None and value not in allowed:
                raise InputError(
                    f"--{name} {value!r} is not one of {', '.join(allowed)}{did_you_mean(value, allowed)}",
                    remedy=f"pass --{name} {'|'.join(allowed)}",
                )
        given: dict[str, object] = {"flips": self.flips, "seed": self.seed}  # typed for checkers, not for a notebook
        for name, number in given.items():
            if not isinstance(number, Integral):
                raise InputError(f"--{name} {number!r} is not a whole number", remedy=f"pass --{name} 1000")
        if self.seed < 0:
            raise InputError(f"--seed {self.seed} is below 0", remedy="pass --seed 0")
        if self.flips < 1:
            raise InputError("--flips counts sign patterns and is at least 1", remedy="pass --flips 100000")
        if self.flips > MOST_DRAWN:
            raise InputError(f"--flips {self.flips:,} would take days", remedy=f"pass at most --flips {MOST_DRAWN}")
        if not 0 < self.level < 1:
            raise InputError(f"level {self.level} is not between 0 and 1", remedy="write 0.95 for 95 %")
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha {self.alpha} is not between 0 and 1", remedy="write 0.05 for 5 %")
        for name, tail in (("level", 1 - self.level), ("alpha", self.alpha)):
            if min(tail, 1 - tail) < SMALLEST_TAIL:
                raise InputError(
                    f"{name} {getattr(self, name)!r} is nearer to {'0' if getattr(self, name) < 0.5 else '1'} than t "
                    f"can be computed", remedy=f"stay {SMALLEST_TAIL:g} away from 0 and 1",
                )  # fmt: skip
        if not self.tie >= 0:
            what = "below 0" if self.tie < 0 else "no difference"
            raise InputError(f"--tie {self.tie} is {what}", remedy="pass the largest difference that is a tie: 0.01")
