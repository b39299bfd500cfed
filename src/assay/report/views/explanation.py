"""One value worked out line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.report.figures import count, number
from assay.report.page import Fact, Facts, Page, Part, Worked, view
from assay.report.words import made, order, remarks
from assay.report.worked import worked

if TYPE_CHECKING:
    from assay.measures.explain import Explanation


@view("Explanation")
def page(result: Explanation, **choices: Any) -> Page:
    """The value in words, the list with what each document adds, and what hangs on unjudged documents."""
    parts: list[Part] = [worked(result), Worked((result.closing,))]
    parts.append(Facts(tuple(facts(result))))
    said = remarks(result.notes)
    return Page(f"{result.measure}, query {result.query_id}", answer(result), (*parts, *([said] if said else [])),
                made(result.source))  # fmt: skip


def answer(result: Explanation) -> tuple[str, ...]:
    """The value, and the range over the unjudged."""
    if result.value is None:
        return (f"{result.measure} of query {result.query_id} is undefined: {result.undefined}.",)
    said = f"{result.measure} of query {result.query_id} is {number(result.value, 4)}."
    if result.worst is None or result.best is None or not result.unjudged:
        return (said,)
    one = result.unjudged == 1
    which = "With its unjudged document" if one else f"With its {count(result.unjudged)} unjudged documents"
    return (said, f"{which} at worst it would be {number(result.worst, 4)}, at best {number(result.best, 4)}.")


def facts(result: Explanation) -> Iterator[Fact]:
    """What was returned and judged, ties, and what the unjudged could change."""
    chosen = dict(result.source.conventions)
    found = count(result.returned, "document")
    if not result.returned:
        found = "nothing: the run has no results for this query"
        if chosen.get("missing") == "skip":
            found += ", and --missing skip leaves it out of the mean"
    yield Fact("Returned", (f"{found}; {count(result.relevant)} judged relevant for this query",))
    if result.ties:
        yield Fact("Ties", result.ties)
    hangs = f"{count(result.unjudged, 'document')} without a judgment could change the value"
    said = [hangs if result.unjudged else "no document without a judgment can change the value"]
    if result.unjudged and result.bounds:
        is_exact = result.bounds == "exact"
        said.append("worst and best are exact" if is_exact else f"worst and best are not known: {result.bounds}")
    yield Fact("Unjudged", tuple(said))
    yield Fact(str(result.measure), (result.measure.foot(),))
    is_auto = chosen.get("order") == "auto"
    used = {"rank" if line.score is None else "score" for line in result.lines} if is_auto else ()
    ordered = order(result.source, [("", key) for key in used])
    if ordered:
        yield ordered
