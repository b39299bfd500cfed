"""The conventions of a result in words: what stands below every table, so that no choice is hidden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.report.figures import count
from assay.report.page import Fact, Facts, Mark, Remarks

if TYPE_CHECKING:
    from assay.measures.measure import Measure
    from assay.results import Note, Source

TIES = {
    "docid": "ties by doc_id descending",
    "input": "ties in the order of the file",
    "expected": "ties averaged over all their orders",
    "best": "ties with the best grade first",
    "worst": "ties with the worst grade first",
}
ORDERS = {"auto": "score descending (rank as received where there is no score)", "score": "score descending",
          "rank": "rank as received", "rows": "rows as received"}  # fmt: skip
MISSING = {
    "zero": "a query that the run lacks counts 0",
    "skip": "a query that the run lacks is left out",
    "error": "a query that the run lacks is refused",
}
NO_RELEVANT = {
    "drop": "a query without a relevant document is left out",
    "zero": "a query without a relevant document counts 0",
    "one": "a query without a relevant document counts 1",
}
UNLISTED = {"unjudged": "unjudged: no gain", "not-relevant": "not relevant, as the judgments list all that is relevant"}

TIED = "ties-inside-cutoff"
IN_FACTS = {
    TIED,
    "queries-missing",
    "queries-empty",
    "queries-without-relevant",
    "queries-unknown",
    "duplicates-dropped",
    "rows-left-out",
}
"""Notes that a page of scores says in the lines on what was counted and in which order."""


def order(source: Source, used: Iterable[tuple[str, str]] = (), notes: Iterable[Note] = ()) -> Fact | None:
    """What ordered the runs, and how many queries have ties inside the cutoff.

    Args:
        source: the conventions, which may leave it to the run.
        used: (run, what ordered it), where that is known.
        notes: what was noted about ties.
    """
    chosen = dict(source.conventions)
    if not chosen:
        return None
    runs: dict[str, list[str]] = {}
    for run, key in used:
        runs.setdefault(key or chosen.get("order", ""), []).append(run)
    said = [
        ORDERS.get(key, "") + (f" ({', '.join(dict.fromkeys(names))})" if len(runs) > 1 else "")
        for key, names in runs.items()
    ]
    text = ", ".join([*(said or [ORDERS.get(chosen.get("order", ""), "")]), TIES.get(chosen.get("ties", ""), "")])
    if chosen.get("scores") == "32-bit":
        text += ", scores compared in 32 bits"
    return Fact("Order", (text, *tied(notes)))


def tied(notes: Iterable[Note]) -> tuple[str, ...]:
    """How many queries of each run have ties inside the cutoff; how they are settled stands beside it."""
    return tuple(said(note).partition(";")[0] for note in notes if note.code == TIED)


def averaging(source: Source) -> list[Fact]:
    """Which queries the means are over, what an absent pair means, and what is relevant."""
    chosen = dict(source.conventions)
    if not chosen:
        return []
    rules = (NO_RELEVANT.get(chosen.get("no_relevant", ""), ""), MISSING.get(chosen.get("missing", ""), ""))
    absent = f"a pair that the judgments do not list is {UNLISTED.get(chosen.get('unlisted', ''), '')}"
    return [Fact("Averaged", ("; ".join(rules),)), Fact("Absent", (absent,)), Fact("Relevant", (relevant(chosen),))]


def relevant(chosen: Mapping[str, str]) -> str:
    """Which grades are relevant, and what a negative one is where another program's rule holds."""
    rel = chosen.get("rel", "qrels")
    text = "a grade above 0" if rel == "qrels" else f"a grade of {float(rel):g} or more"
    return text + ("; a grade below 0 is unjudged" if chosen.get("negative") == "unjudged" else "")


def definitions(measures: Iterable[Measure]) -> list[Fact]:
    """One line a distinct definition; cutoffs of one measure share it."""
    said: dict[str, list[str]] = {}
    for measure in measures:
        said.setdefault(measure.foot(), []).append(str(measure))
    return [Fact(", ".join(names) if len(names) < 3 else f"{names[0]} …", (text,)) for text, names in said.items()]


def remarks(notes: Iterable[Note]) -> Remarks | None:
    """The notes, warnings first, a line for all runs of which the same is true; None when there are none."""
    runs: dict[tuple[str, str], list[str]] = {}
    for note in sorted(notes, key=lambda note: note.level != "warning"):
        runs.setdefault((note.level, note.text), []).extend([note.run] if note.run else [])
    lines = tuple(
        Mark(
            "unsure" if level == "warning" else "plain", f"{', '.join(dict.fromkeys(about))}: {text}" if about else text
        )
        for (level, text), about in runs.items()
    )
    return Remarks(lines) if lines else None


def said(note: Note) -> str:
    """A note as a sentence that names its run."""
    return f"{note.run}: {note.text}" if note.run and note.run not in note.text else note.text


def made(source: Source) -> Facts | None:
    """How a result was made; None when it does not say."""
    facts = []
    if source.command:
        facts.append(Fact("Command", (source.command,)))
    if source.hashes:
        facts.append(Fact("Inputs", tuple(f"{name} {digest[:8]}" for name, digest in source.hashes)))
    if source.conventions:
        facts.append(Fact("Conventions", (", ".join(f"{name} {value}" for name, value in source.conventions),)))
    if source.seed is not None:
        facts.append(Fact("Seed", (str(source.seed),)))
    if source.versions:
        facts.append(Fact("Versions", (", ".join(f"{name} {version}" for name, version in source.versions),)))
    return Facts(tuple(facts)) if facts else None


def ids(names: tuple[str, ...], most: int = 10) -> str:
    """Some ids and how many more there are."""
    shown = ", ".join(names[:most])
    return f"{shown} and {count(len(names) - most)} more" if len(names) > most else shown


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names as in a sentence; of more than `most` the first few and how many more."""
    shown = list(names) if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
