"""How a click log was read, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.report.page import Fact

if TYPE_CHECKING:
    from assay.clicks.behaviour import LogRead


def read(log: LogRead) -> Iterable[Fact]:
    """How a log was read."""
    for one in log.recorded:
        kinds = ", ".join(f"{kind} {n:,}" for kind, n in one.kinds[:6])
        span = f"; {one.first[:10]} to {one.last[:10]}" if one.first else ""
        base = f"; positions from {one.base}" if one.base is not None else ""
        yield Fact(one.app or "Log", (f"{kinds}{base}{span}",))
    yield Fact("Days", (f"cut in {log.zone}",))
