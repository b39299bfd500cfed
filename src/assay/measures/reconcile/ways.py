"""The questions that tools answer differently, and one set of answers to all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from assay.measures.measure import Measure
from assay.ranking.conventions import Conventions
from assay.ranking.discounts import GainMap

KNOWN = ("nDCG", "DCG", "P", "R", "AP", "RR", "HitRate", "Bpref", "ERR", "RBP")
"""Measures whose ways are known."""

GAINS = ("nDCG", "DCG")
COUNTS = ("P", "R", "AP", "RR", "HitRate", "Bpref", "RBP")

Part = Literal["list", "value", "mean"]


@dataclass(frozen=True, slots=True)
class Axis:
    """One question.

    Args:
        name: the field of `Ways`.
        part: whether it changes the lists, the value of a query, or the mean over queries.
        answers: each answer with a sentence that says what is done.
        measures: which measures it concerns.
        tells: what an input must hold for the answers to give different numbers.
    """

    name: str
    part: Part
    answers: Mapping[str, str]
    measures: tuple[str, ...] = KNOWN
    tells: str = ""


AXES: tuple[Axis, ...] = (
    Axis(
        "order",
        "list",
        {
            "docid": "equal scores by document id, descending",
            "ascending": "equal scores by document id, ascending",
            "input": "equal scores in the order of the input",
            "reversed": "equal scores in the reverse order of the input",
            "mixed": "equal scores in the order of the input, and as numba's sort mixes them in lists of 16 and more",
            "turned": "equal scores in the reverse order of that in which numba's sort leaves them",
            "rows": "rows as they stand; scores and ranks ignored",
            "rank": "the rank column; scores ignored",
            "averaged": "equal scores averaged over their orders",
        },
        tells="a query with two equal scores, one of them of a relevant document (or scores that contradict the ranks)",
    ),
    Axis(
        "scores",
        "list",
        {"64-bit": "scores compared in 64 bits", "32-bit": "scores compared in 32 bits"},
        tells="two scores of one query that are equal in 32 bits only",
    ),
    Axis(
        "duplicates",
        "list",
        {
            "first": "of a document returned twice the first row counts",
            "last": "of a document returned twice the last row counts",
            "twice": "a document returned twice counts twice",
        },
        tells="a relevant document that a query returns twice",
    ),
    Axis(
        "own",
        "list",
        {"kept": "every document counts", "dropped": "a document whose id is the query's is dropped from the run"},
        tells="a document with the id of its query",
    ),
    Axis(
        "listed",
        "list",
        {"full": "unjudged documents keep their places", "condensed": "unjudged documents are taken out first"},
        tells="an unjudged document above a relevant one",
    ),
    Axis(
        "grades",
        "list",
        {"exact": "fractions of grades count", "whole": "grades are cut to whole numbers"},
        tells="a grade with a fraction",
    ),
    Axis(
        "negative",
        "list",
        {
            "zero": "a negative grade is judged and has no gain",
            "signed": "a negative grade has a negative gain",
            "unjudged": "a negative grade is unjudged",
        },
        tells="a document with a negative grade",
    ),
    Axis(
        "rel",
        "value",
        {
            "asked": "relevant is what was asked for",
            "above-0": "every grade above 0 is relevant",
            "2": "grades of 2 and more are relevant",
            "3": "grades of 3 and more are relevant",
            "any": "every judged document is relevant, grade 0 too",
            "adaptive": "relevant is at least half the highest grade and the 90th percentile of all judgments",
        },
        measures=(*COUNTS, "nDCG", "DCG"),
        tells="grades below and above the level",
    ),
    Axis(
        "gain",
        "value",
        {
            "linear": "the gain is the grade",
            "exp": "the gain is 2^grade - 1",
            "map": "the gain is what the map of the measure says",
            "binary": "the gain is 1 for a relevant document",
            "level": "the gain is the grade, of relevant documents alone",
        },
        measures=GAINS,
        tells="relevant documents with different grades",
    ),
    Axis(
        "ideal",
        "value",
        {
            "judged": "ideal over all judged documents, cut at k",
            "uncut": "ideal over all judged documents, not cut",
            "returned": "ideal over the returned documents, cut at k",
            "shown": "ideal over the first k returned documents",
            "hits": "ideal over all judged documents, cut at the number of hits returned",
            "slots": "ideal of k documents with gain 1, however few there are",
            "none": "not divided by an ideal",
        },
        measures=("nDCG",),
        tells="more good documents than k, or good ones that were not returned",
    ),
    Axis(
        "discount",
        "value",
        {
            "log2": "discount log2(rank + 1)",
            "first-free": "discount log2(rank), none at ranks 1 and 2",
            "natural": "discount ln(rank + 1)",
            "zipf": "discount rank",
            "none": "no discount",
        },
        measures=GAINS,
        tells="a relevant document below rank 1",
    ),
    Axis(
        "terms",
        "value",
        {"exact": "every term in full", "floor-2": "the gain of each rank cut to two decimals"},
        measures=GAINS,
        tells="a relevant document below rank 1",
    ),
    Axis(
        "cutoff",
        "value",
        {"k": "cut at k", "none": "not cut: the whole list"},
        tells="a relevant document below the cutoff",
    ),
    Axis(
        "short",
        "value",
        {
            "pad": "divided by k",
            "list": "divided by the documents returned where they are fewer than k",
            "judged": "divided by the judged documents in the first k",
        },
        measures=("P",),
        tells="a list with a hit that is shorter than k or holds unjudged documents",
    ),
    Axis(
        "found",
        "value",
        {
            "all": "divided by all relevant documents",
            "cap": "divided by all relevant documents, at most k",
            "returned": "divided by the relevant documents that were returned anywhere",
        },
        measures=("R",),
        tells="more relevant documents than k, or relevant ones that were not returned",
    ),
    Axis(
        "average",
        "value",
        {
            "all": "divided by all relevant documents",
            "min": "divided by all relevant documents, at most k",
            "hits": "divided by the hits in the first k",
            "k": "divided by k",
            "returned": "divided by the relevant documents that were returned, at most k",
        },
        measures=("AP",),
        tells="more relevant documents than hits in the first k",
    ),
    Axis(
        "first",
        "value",
        {"relevant": "the first relevant document", "best": "the first document with the best grade of the list"},
        measures=("RR",),
        tells="a better document below the first relevant one",
    ),
    Axis(
        "scale",
        "value",
        {
            "asked": "scaled by the highest grade that the measure names, or of all judgments",
            "query": "scaled by the highest grade of the query",
            "4": "scaled by a highest grade of 4",
            "raw": "grades as they are",
            "binary": "1 for a relevant document",
        },
        measures=("ERR", "RBP"),
        tells="grades other than 0 and the highest",
    ),
    Axis(
        "queries",
        "mean",
        {
            "judged": "mean over all judged queries; one that the run lacks counts 0",
            "both": "mean over queries that both sides have",
            "run": "mean over all queries of the run; one that nobody judged counts 0",
            "nonempty": "mean over judged queries with results",
            "found": "mean over queries with a value above 0",
        },
        tells="a judged query that the run lacks, or one of the run that nobody judged",
    ),
    Axis(
        "undefined",
        "mean",
        {
            "out": "queries without a relevant document are left out",
            "zero": "queries without a relevant document count 0",
            "one": "queries without a relevant document count 1",
            "one-unseen": "queries whose list holds no relevant document count 1",
            "skip-unseen": "queries whose list holds no relevant document are left out",
        },
        tells="a query without a relevant document (in its list)",
    ),
    Axis(
        "rounding",
        "mean",
        {
            "none": "values in full",
            "2": "each query rounded to 2 decimals",
            "3": "each query rounded to 3 decimals",
            "4": "each query rounded to 4 decimals",
            "5": "each query rounded to 5 decimals",
            "floor-2": "each query cut to 2 decimals",
            "ceil-4": "each query rounded up to 4 decimals",
        },
        tells="values of single queries, or more digits",
    ),
)
"""Every question, in the order in which answers are named. The first answer is the house's."""

BY_NAME = {axis.name: axis for axis in AXES}


@dataclass(frozen=True, slots=True)
class Ways:
    """One answer to each question; see `AXES` for what they mean."""

    order: str = "docid"
    scores: str = "64-bit"
    duplicates: str = "first"
    own: str = "kept"
    listed: str = "full"
    grades: str = "exact"
    negative: str = "zero"
    rel: str = "asked"
    gain: str = "linear"
    ideal: str = "judged"
    discount: str = "log2"
    terms: str = "exact"
    cutoff: str = "k"
    short: str = "pad"
    found: str = "all"
    average: str = "all"
    first: str = "relevant"
    scale: str = "asked"
    queries: str = "judged"
    undefined: str = "out"
    rounding: str = "none"

    def but(self, **answers: str) -> Ways:
        """The same with some answers changed; an answer that no axis has is our own slip."""
        for name, answer in answers.items():
            assert answer in BY_NAME[name].answers, f"{name} has no answer {answer}"
        return replace(self, **answers)

    def part(self, part: Part) -> tuple[str, ...]:
        """The answers that concern the lists, the values or the mean."""
        return tuple(getattr(self, axis.name) for axis in AXES if axis.part == part)

    def deviations(self, other: Ways, measure: str) -> tuple[tuple[str, str], ...]:
        """(axis, answer) of this where the other answers differently, of the axes that concern the measure."""
        pairs = ((axis, getattr(self, axis.name)) for axis in AXES if measure in axis.measures)
        return tuple((axis.name, answer) for axis, answer in pairs if answer != getattr(other, axis.name))


assert {axis.name for axis in AXES} == {f.name for f in fields(Ways)}, "an axis for each field"


def sentence(deviation: tuple[str, str]) -> str:
    """What one answer means."""
    name, answer = deviation
    return BY_NAME[name].answers[answer]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked for, apart from the answers: the same for every way.

    Args:
        name: of the measure.
        cutoff: its k.
        rel: its relevance level; None is any grade above 0.
        gains: its map of gains, when it has one.
        patience: the p of RBP.
        highest: the highest grade that ERR or RBP is told; None when it is read from the judgments.
    """

    name: str
    cutoff: int | None = None
    rel: float | None = None
    gains: GainMap | None = field(default=None, compare=False)
    patience: float = 0.8
    highest: float | None = None


def asked(measure: Measure, conventions: Conventions) -> tuple[Asked, Ways]:
    """A measure and the conventions in force, as the search knows them: what is fixed, and the answers of ours."""
    params: Mapping[str, Any] = measure.params
    gain = params.get("gain", "linear")
    rel = measure.rel if measure.rel is not None else conventions.rel
    ways = Ways(
        order={"input": "input", "docid": "docid", "expected": "averaged"}.get(conventions.ties, "docid"),
        scores=conventions.scores,
        listed="condensed" if params.get("judged_only") else "full",
        negative="unjudged" if conventions.negative == "unjudged" else "zero",
        short=str(params.get("short", "pad")) if measure.name == "P" else "pad",
        found="cap" if params.get("cap") else "all",
        average="min" if params.get("norm") == "min" else "all",
        ideal=str(params.get("ideal", "judged")) if measure.name == "nDCG" else "judged",
        queries="both" if conventions.missing == "skip" else "judged",
        undefined={"drop": "out", "zero": "zero", "one": "one"}[conventions.no_relevant],
    )
    if conventions.order == "rank":
        ways = ways.but(order="rank")
    if measure.name in GAINS:
        names = {"log2": "log2", "zipf": "zipf", "jarvelin": "first-free", "none": "none"}
        ways = ways.but(
            gain="map" if isinstance(gain, GainMap) else "exp" if gain == "exp" else "linear",
            discount=names[str(params.get("discount", "log2"))],
        )
    if measure.name == "RBP" and gain != "scaled":
        ways = ways.but(scale="binary")
    if ways.order == "averaged" and measure.name not in GAINS:
        ways = ways.but(order="docid")
    highest = params.get("max")
    fixed = Asked(
        measure.name,
        measure.cutoff,
        rel,
        gain if isinstance(gain, GainMap) else None,
        float(params.get("p", 0.8)),
        None if highest is None else float(highest),
    )
    return fixed, ways
