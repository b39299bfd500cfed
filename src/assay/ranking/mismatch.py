"""Why a run and its judgments have no query in common: the usual slips in ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from assay.errors import SHOWN

_SLIPS: tuple[tuple[Callable[[str], str], str], ...] = (
    (str.strip, "white space around the ids"),
    (str.casefold, "upper and lower case"),
    (lambda x: x.lstrip("0") or "0", "leading zeros"),
    (lambda x: x.removesuffix(".0"), "a trailing .0 that a spreadsheet added"),
    (lambda x: x.strip().strip("\"'"), "quotation marks"),
    (lambda x: re.sub(r"^\D+", "", x) or x, "a prefix"),
    (lambda x: re.sub(r"\D+$", "", x) or x, "a suffix"),
    (lambda x: (re.sub(r"\D", "", x).lstrip("0") or "0") if re.search(r"\d", x) else x.casefold(), "a prefix or zeros"),
)


def why_nothing_in_common(run: Sequence[str], judged: Sequence[str], other: str = "the judgments") -> tuple[str, str]:
    """What is wrong, with examples of both sides, and how to mend it.

    Args:
        run: ids of the run's queries, or some of them.
        judged: ids of the judged queries.
        other: what these are called, where they are those of another run.
    """
    what = f"the run and {other} have no query in common: the run has {_some(run)}, {other} {_some(judged)}"
    known = set(judged)
    for mend, slip in _SLIPS:
        ours, theirs = {mend(x) for x in run}, {mend(x) for x in known}
        if 2 * len(ours & theirs) >= min(len(ours), len(theirs)):  # a few may be alike by chance
            return what, f"the ids agree apart from {slip}: write them the same way in both files"
    if any(" " in x for x in judged) and not any(" " in x for x in run):
        return what, "the judgments name queries by their text: import them with --ids-from TOPICS, which knows both"
    last = ", the qrels last" if other == "the judgments" else ""
    return what, f"check that both files belong to the same collection{last}"


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(repr(x) for x in sorted(ids[:1000])[:SHOWN])
    return shown + (", ..." if len(ids) > SHOWN else "")
