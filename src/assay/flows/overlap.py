"""`assay overlap`: how alike two runs are, query by query, without judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.flows.choices import chosen
from assay.flows.evaluate import _named, source_of
from assay.flows.lists import run_as_lists
from assay.flows.workbench import Workbench
from assay.results import QUIET, Note, Progress

if TYPE_CHECKING:
    from assay.compare.overlap import Overlap

TIE_RULES = ("a", "w", "b")


def overlap(
    baseline: Any,
    candidate: Any,
    *,
    p: float = 0.9,
    depths: int | Sequence[int] = (10, 100),
    rbo_ties: str = "a",
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **choices: Any,
) -> Overlap:
    """How alike two runs are: rank-biased overlap, documents in common, and the order of those.

    Args:
        baseline: the run before, as in `evaluate`.
        candidate: the run after.
        p: between 0 and 1: how likely the reader of the rank-biased overlap goes on to the next rank.
        depths: how many first documents are compared as sets.
        rbo_ties: how its equal scores count: "a" as the mean over their orders, "w" as whole groups, "b" by their
            cosine.
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found.
        progress: told how far the work has come.
        command: how the result was asked for, kept in it.
        **choices: as in `evaluate`: order, ties, duplicates, include, ...

    Raises:
        InputError: the runs have no query in common, or an option is not what it can be.

    >>> found = overlap({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 3, "a": 2, "c": 1}}, depths=2)
    >>> found.queries[0].at[0].overlap, found.queries[0].first_change
    (1.0, 1)
    """
    from assay.compare.overlap import overlap as compared

    wanted = (depths,) if isinstance(depths, int) else tuple(dict.fromkeys(depths))
    if not 0 < p < 1:
        raise InputError(f"--p {p:g} is not between 0 and 1", remedy="pass --p 0.9: the first 10 weigh 86 %")
    if not wanted or any(isinstance(k, bool) or not isinstance(k, int) or k < 1 for k in wanted):
        raise InputError(f"--depth {depths!r} is no list of whole numbers from 1", remedy="pass --depth 10,100")
    if rbo_ties not in TIE_RULES:
        raise InputError(f"--rbo-ties {rbo_ties!r} is not one of a, w, b", remedy="pass --rbo-ties a")
    bench = Workbench.open() if bench is None else bench
    held = chosen(bench.workspace, choices)
    runs = _named([baseline, candidate])
    lists, notes = [], list[Note]()
    for name, run in runs.items():
        read, facts = run_as_lists(bench, run, name, held.conventions, format, columns, progress)
        lists.append(read)
        notes += facts
    names = tuple(runs)
    if not set(lists[0].lists) & set(lists[1].lists):
        from assay.ranking.mismatch import why_nothing_in_common

        what, remedy = why_nothing_in_common(list(lists[1].lists), list(lists[0].lists), f"the run {names[0]}")
        raise InputError(what, names[1], remedy)
    found = compared(*lists, names=(names[0], names[1]), p=p, ties=rbo_ties, depths=wanted, notes=notes)  # type: ignore[arg-type] # one of TIE_RULES
    return replace(found, source=source_of(bench, held, command))
