"""What is wrong or odd with rows that could be read: doubles, grades, ids, ranks, and tables against one another."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.formats.gathered import columns_of
from assay.formats.lint import Seen
from assay.tables import Block, Document, Hit, Judgment, Topic
from assay.tables.values import shown

_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f")
_FEW = 0.02
"""A grade that is rarer than this, and lies outside the others, may be a slip."""


def checked(block: Block, row: type, grades: Sequence[float] | None, is_sorted: bool) -> Iterator[Seen]:
    """Every remark about one table.

    Args:
        block: the rows.
        row: their class.
        grades: the rubric's whole list of grades, where the team has stated it.
        is_sorted: whether rows out of order are to be said.
    """
    held = columns_of(block)
    yield from _ids(block, held)
    if row is Judgment:
        yield from _judgments(block, held, grades)
    if row is Hit:
        yield from _run(block, held)
    if is_sorted:
        yield from _order(block, held, row)


def _line(block: Block, at: int) -> int | None:
    tail = block.place(at).rpartition(":")[2]
    return int(tail) if tail.isdigit() else None


def _ids(block: Block, held: Mapping[str, Sequence[Any]]) -> Iterator[Seen]:
    for name in ("query_id", "doc_id"):
        ids = held.get(name, ())
        forms: dict[str, str] = {}
        twins: dict[tuple[str, str], int] = {}
        odd: list[int] = []
        first: dict[str, int] = {}
        for at, one in enumerate(ids):
            if one in first or one.isascii():
                continue
            first[one] = at
            plain = unicodedata.normalize("NFC", one)
            if forms.setdefault(plain, one) != one:
                twins[forms[plain], one] = at
            if not _INVISIBLE.isdisjoint(one):
                odd.append(at)
        if twins:
            (_, other), at = next(iter(twins.items()))
            what = f"the {name} '{shown(other)}' stands here in two normal forms, which look alike and are two ids"
            yield Seen("error", "normal-forms", what, "write all ids in normal form NFC", _line(block, at), len(twins))
        else:
            loose = [at for one, at in first.items() if unicodedata.normalize("NFC", one) != one]
            if loose:
                what = f"the {name} '{shown(ids[loose[0]])}' is not in normal form NFC, as most tools write it"
                yield Seen("warning", "normal-form", what, "write all ids in NFC", _line(block, loose[0]), len(loose))
        if odd:
            what = f"the {name} '{ascii(ids[odd[0]])[1:-1]}' has an invisible character in it"
            yield Seen("warning", "invisible-characters", what, "take it out", _line(block, odd[0]), len(odd))


def _judgments(block: Block, held: Mapping[str, Sequence[Any]], grades: Sequence[float] | None) -> Iterator[Seen]:
    yield from _doubles(block, held, ("query_id", "doc_id", "rater", "subtopic", "dimension"), "grade")
    yield from _scale(block, held["grade"], grades)
    best: dict[str, float] = {}
    where: dict[str, int] = {}
    for at, (query, grade) in enumerate(zip(held["query_id"], held["grade"], strict=True)):
        best[query] = max(best.get(query, grade), grade)
        where.setdefault(query, at)
    empty = [query for query, grade in best.items() if grade <= 0]
    if empty:
        what = f"query {shown(empty[0])} is judged and has no relevant document, so its measures are undefined"
        yield Seen("warning", "no-relevant", what, "judge more of it, or take it out", _line(block, where[empty[0]]),
                   len(empty))  # fmt: skip


def _doubles(
    block: Block, held: Mapping[str, Sequence[Any]], key: Sequence[str], value: str | None
) -> Iterator[Seen]:  # fmt: skip
    columns = [held[name] for name in key if name in held]
    first: dict[tuple[Any, ...], int] = {}
    same: list[tuple[int, int]] = []
    other: list[tuple[int, int]] = []
    for at, one in enumerate(zip(*columns, strict=True)):
        before = first.setdefault(one, at)
        if before != at:
            is_other = value is not None and held[value][before] != held[value][at]
            (other if is_other else same).append((before, at))
    for found, code in ((other, "conflict"), (same, "duplicate")):
        if not found:
            continue
        before, at = found[0]
        query, doc = shown(held["query_id"][at]), shown(held["doc_id"][at])
        if value is None:
            what = f"document {doc} stands twice for query {query}, first at {block.place(before)}"
        elif code == "conflict":
            one, two = held[value][before], held[value][at]
            what = f"document {doc} of query {query} is judged {two:g}, and {one:g} at {block.place(before)}"
        else:
            what = f"document {doc} of query {query} is judged twice alike, first at {block.place(before)}"
        severity = "warning" if code == "duplicate" and value is not None else "error"
        yield Seen(severity, code, what, "keep one of the two", _line(block, at), len(found))  # type: ignore[arg-type] # one of the two words


def _scale(block: Block, grades: Sequence[float], stated: Sequence[float] | None) -> Iterator[Seen]:
    if stated is not None:
        off = [at for at, grade in enumerate(grades) if grade not in stated]
        if off:
            listed = ", ".join(f"{grade:g}" for grade in stated)
            what = f"the grade {grades[off[0]]:g} is not on the stated scale {listed}"
            yield Seen("error", "off-scale", what, "mend the grade, or the scale", _line(block, off[0]), len(off))
        return
    count = Counter(grades)
    total = len(grades)
    negative = [at for at, grade in enumerate(grades) if grade < 0]
    if negative:
        what = f"the grade {grades[negative[0]]:g} is below 0, which some tools take for unjudged"
        line = _line(block, negative[0])
        yield Seen("warning", "negative-grade", what, "state the scale by --grades, or write 0", line,
                   len(negative))  # fmt: skip
    parts = [at for at, grade in enumerate(grades) if not float(grade).is_integer()]
    if parts and len(parts) < total / 2:
        what = f"the grade {grades[parts[0]]:g} is fractional, and most are whole"
        yield Seen("warning", "odd-grade", what, "state the scale by --grades", _line(block, parts[0]), len(parts))
    top = max(count)
    if len(count) > 2 and count[top] <= max(1, _FEW * total) and top > 1 + max(g for g in count if g != top):
        at = list(grades).index(top)
        times = "once" if count[top] == 1 else f"{count[top]:,} times"
        what = f"the grade {top:g} stands here {times}, far above the others"
        yield Seen("warning", "odd-grade", what, "state the scale by --grades 0,1,2,3, or mend it", _line(block, at),
                   count[top])  # fmt: skip


def _run(block: Block, held: Mapping[str, Sequence[Any]]) -> Iterator[Seen]:
    yield from _doubles(block, held, ("query_id", "doc_id"), None)
    if "rank" not in held or "score" not in held:
        return
    last: dict[str, tuple[float, int, int]] = {}
    faults: list[int] = []
    order = sorted(range(len(block)), key=lambda at: held["rank"][at])
    for at in order:
        query, score, rank = held["query_id"][at], held["score"][at], held["rank"][at]
        if query in last and (score > last[query][0] or rank == last[query][1]):
            faults.append(at)
        last[query] = score, rank, at
    if faults:
        at = min(faults)
        query = shown(held["query_id"][at])
        what = f"query {query}: ranks and scores disagree at rank {held['rank'][at]}; tools that sort by score differ"
        yield Seen("warning", "rank-against-score", what, "write ranks by falling score, or pass --order rank",
                   _line(block, at), len(faults))  # fmt: skip


def _order(block: Block, held: Mapping[str, Sequence[Any]], row: type) -> Iterator[Seen]:
    """Rows out of order, which make diffs larger than what changed."""
    names = {Judgment: ("query_id", "doc_id", "rater"), Topic: ("query_id",), Document: ("doc_id",)}.get(row)
    key: Callable[[int], Any]
    if names is None:
        if "rank" not in held:
            return
        key, said = (lambda at: (held["query_id"][at], held["rank"][at])), "query and rank"
    else:
        known = [held[name] for name in names if name in held]
        key, said = (
            (lambda at: tuple(column[at] or "" for column in known)),
            " and ".join(name.removesuffix("_id").replace("doc", "document") for name in names if name in held),
        )
    for at in range(1, len(block)):
        if key(at) < key(at - 1):
            yield Seen("warning", "not-sorted", f"rows are not sorted by {said} from here on",
                       "sort them once, so that diffs show what changed", _line(block, at))  # fmt: skip
            return


def against(run: Block, judgments: Block) -> Iterator[Seen]:
    """A run against the judgments that were given with it."""
    have, known = columns_of(run)["query_id"], set(columns_of(judgments)["query_id"])
    unknown = {query: at for at, query in reversed(list(enumerate(have))) if query not in known}
    mine = set(have) | set(run.empty)
    if known and not (mine & known):
        few = ", ".join(f"'{shown(one)}'" for one in sorted(known)[:3])
        what = f"no query has a judgment: here '{shown(have[0])}', ..., the judgments {few}, ..."
        yield Seen("error", "no-common-query", what, "give the judgments of these queries", 1, len(mine))
        return
    if unknown:
        query, at = min(unknown.items(), key=lambda pair: pair[1])
        yield Seen("warning", "unknown-query", f"query {shown(query)} is not among the judgments {judgments.name}",
                   "judge it, or leave it out", _line(run, at), len(unknown))  # fmt: skip
    missing = sorted(known - mine)
    if missing:
        what = f"query {shown(missing[0])} of {judgments.name} is not in the run, and counts 0"
        yield Seen("warning", "missing-query", what, "search for it too", None, len(missing))


def named(judgments: Block, topics: Block) -> Iterator[Seen]:
    """Judgments against the topics that were given with them."""
    have, known = columns_of(judgments)["query_id"], set(columns_of(topics)["query_id"])
    unknown = [at for at, query in enumerate(have) if query not in known]
    if unknown:
        what = f"query {shown(have[unknown[0]])} is not among the topics {topics.name}"
        yield Seen("warning", "unknown-topic", what, "add it to the topics", _line(judgments, unknown[0]),
                   len({have[at] for at in unknown}))  # fmt: skip


def by_line(found: Iterable[Seen]) -> list[Seen]:
    """In the order of the lines; what is about the whole file last."""
    return sorted(found, key=lambda one: (one.line is None, one.line or 0))
