"""What a comparison reads beside the scores: unjudged documents, stages, intents and the design of the sample."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.compare.choice import primary
from assay.compare.comparison import Lists
from assay.compare.documents import first_documents, outside
from assay.compare.labels import How, labels_of
from assay.compare.noise import Noise, agreement_noise, rater_noise
from assay.compare.stages import First, Staged
from assay.errors import InputError
from assay.flows.choices import DEFAULT, Choices
from assay.flows.evaluate import Reading
from assay.flows.run_names import short_names
from assay.flows.staged import Given, check_answers
from assay.flows.workbench import Workbench
from assay.judgments.roles import raters_alone, rule_of, settled_first
from assay.keys import stream
from assay.measures.measure import Measure
from assay.measures.scores import Scores
from assay.ranking.segments import by_traffic
from assay.ranking.shown import Shown, collect
from assay.results import Note, Progress
from assay.tables import Block

if TYPE_CHECKING:
    from assay.compare.deciding import Deciding
    from assay.compare.unjudged import Bounds
    from assay.ranking.ranking import Judged

Bool = NDArray[np.bool_]

SHOWN = 10
"""Documents of each list that are kept at least."""
WHOLE = 1_000_000
"""Rows up to which whole runs are looked at for the ranges of measures without a cutoff."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a comparison was read from, beside its scores.

    Args:
        judged: the judgments.
        shown: each run with its unjudged documents.
        stages: the stages of each system, those of the baseline first.
        intents: of each judged query; None when the topics say none.
    """

    judged: Judged
    shown: Mapping[str, Shown]
    stages: tuple[Staged, ...] = ()
    intents: tuple[str | None, ...] | None = None


def by_intent(measures: Any, held: Choices, topics: Block | None) -> tuple[Any, str]:
    """The measures, with the one that the intents of the topics ask for first where nobody named any, and why."""
    chosen_by_team = held.origin("measures.primary") != DEFAULT
    if measures is not None or chosen_by_team or topics is None or "intent" not in topics.columns:
        return measures, ""
    wanted, why = primary(list(topics.frame["intent"]), held.wanted.k)
    if not wanted or wanted == held.primary:
        return None, ""
    return [wanted, *(name for name in held.measures if name != wanted)], f"{wanted} is the primary measure: {why}"


def intents_of(topics: Block | None, judged: Judged) -> tuple[str | None, ...] | None:
    """The intent of each judged query; None where the topics say none."""
    if topics is None or "intent" not in topics.columns:
        return None
    known = dict(zip(topics.frame["query_id"], topics.frame["intent"], strict=True))
    return tuple(known.get(query) for query in judged.queries)


def cut_points(parts: Sequence[str], topics: Block | None, held: Choices) -> list[Note]:
    """Where head, torso and tail were cut, when traffic told them."""
    if topics is None or held.segments.column in topics.columns or not any(kind == "segment" for kind in parts):
        return []
    head, torso = held.segments.head, held.segments.torso
    text = (
        f"head, torso and tail are cut by traffic: the most frequent queries that make up {head:.0%} of it are head, "
        f"those up to {torso:.0%} torso"
    )
    weight = {query: float("nan") if w is None else float(w)
              for query, w in zip(topics.frame["query_id"], topics.frame["weight"], strict=True)}  # fmt: skip
    cut = by_traffic(list(weight), np.array(list(weight.values())), head, torso)
    ends = [f"{part} ends at the weight {min(weight[query] for query in cut[part]):,g}"
            for part in ("head", "torso") if part in cut]  # fmt: skip
    text += f"; {', '.join(ends)}"
    return [Note("cut-points", text.replace("%", " %"))]


def read_runs(
    bench: Workbench, named: Mapping[str, Any], given: Sequence[Given], judged: Judged, scores: Scores, held: Choices,
    reading: Reading, bounds_depth: int | None, progress: Progress,
) -> Inputs:  # fmt: skip
    """Every run with its unjudged documents, and the stages."""
    cutoffs = [m.cutoff for m in scores.measures if m.cutoff is not None]
    depth = max([SHOWN, *cutoffs, bounds_depth or 0])
    staged = {one.system for one in given}

    def collected(run: Any, name: str, to: int | None) -> Shown:
        wants_rank = held.conventions.order == "rank"
        blocks = bench.blocks(run, **reading, name=name, wants_rank=wants_rank, progress=progress)
        return collect(blocks, judged, held.conventions, to)

    whole = {name for name, coverage in zip(scores.runs, scores.coverage, strict=True) if coverage.rows <= WHOLE}
    looks_below = any(m.cutoff is None or m.params.get("ideal") == "returned" for m in scores.measures)
    whole = (whole if looks_below else set()) | staged
    shown = {name: collected(run, name, None if name in whole else depth) for name, run in named.items()}
    measure = staged_measure(scores)
    found = []
    for one in given:
        firsts = [(collected(run, f"a stage of {one.system}", to), to) for run, to in one.firsts]
        for (shown_first, _), (run, _) in zip(firsts, one.firsts, strict=True):
            check_answers(shown_first, run, one.system)
        labels = [_label(run, i) for i, (run, _) in enumerate(one.firsts)]
        value = _value(scores, measure, one.system, shown[one.system])
        found.append(
            Staged(
                system=one.system,
                firsts=tuple(First(n, to, s.ranking) for n, (s, to) in zip(labels, firsts, strict=True)),
                final=shown[one.system].ranking,
                value=value,
                outside=outside(shown[one.system], firsts),
            )
        )
    return Inputs(judged, shown, tuple(found))


def _label(run: Any, i: int) -> str:
    return short_names([run])[0] if isinstance(run, (str, os.PathLike)) else f"first stage {i + 1}"


def staged_measure(scores: Scores) -> Measure:
    """The nDCG that stages are told by: the first chosen one whose ideal is over all judged documents."""
    for measure in scores.measures:
        if measure.name == "nDCG" and not measure.params["judged_only"] and measure.params["ideal"] == "judged":
            return measure
    cutoff = scores.measures[0].cutoff or SHOWN
    return Measure("nDCG") @ cutoff


def _value(scores: Scores, measure: Measure, run: str, shown: Shown) -> Any:
    if measure in scores.measures:
        return scores.value(measure, run)
    ranking = shown.ranking
    return np.where(measure.has_relevant(ranking.judged), measure.compute(ranking), np.nan)


def bounds_of(
    read: Inputs, scores: Scores, pairs: Sequence[tuple[str, str]], bounds_depth: int | None
) -> tuple[tuple[Bounds, ...], tuple[Deciding, ...]]:
    """What unjudged documents could do to each difference, and the labels that could decide the primary one.

    Nothing where all absent pairs are not relevant, or where it is not known what they are.
    """
    if read.judged.unlisted == "not-relevant" or read.judged.only_relevant:
        return (), ()
    from assay.compare.deciding import deciding
    from assay.compare.lists import side_by_side
    from assay.compare.unjudged import bounds

    cutoffs = [m.cutoff for m in scores.measures if m.cutoff is not None]
    found: list[Bounds] = []
    labels: list[Deciding] = []
    for baseline, candidate in pairs:
        lists = side_by_side(read.shown[baseline], read.shown[candidate])
        for measure in scores.measures:
            counts = counted(scores, measure, baseline, candidate)
            depth = bounds_depth or (max([SHOWN, *cutoffs]) if measure.cutoff is None else None)
            names = (baseline, candidate)
            found.append(bounds(measure, lists, names=names, counts=counts, depth=depth))
            if measure == scores.measures[0] and found[-1].is_fragile():
                labels += deciding(measure, lists, names=names, counts=counts, depth=depth)
    return tuple(found), tuple(labels)


def counted(scores: Scores, measure: Measure, baseline: str, candidate: str) -> Bool:
    """The queries that count in a difference."""
    which: Bool = ~np.isnan(scores.value(measure, baseline)) & ~np.isnan(scores.value(measure, candidate))
    return which


def noise_of(
    judgments: Block, read: Inputs, scores: Scores, pairs: Sequence[tuple[str, str]], raters: str, seed: int,
    agreement: Block | None = None,
) -> Noise | None:  # fmt: skip
    """What rater disagreement alone does to each difference; None where nothing is known of a second rater.

    Args:
        judgments: every rater's rows, of one dimension.
        read: what the runs were read to.
        scores: of the runs.
        pairs: (baseline, candidate).
        raters: how they become one grade, as in `judgments.aggregate`.
        seed: of the draws.
        agreement: what a second rater says, where the judgments hold one label a pair.
    """
    runs = {name: shown.ranking for name, shown in read.shown.items()}
    by_subtopic = read.judged.aspects is not None  # grades are drawn for pairs, and not for each of their subtopics
    measures = [m for m in scores.measures if not (by_subtopic and m.about.subtopics)]
    if not measures:
        return None
    counts = {(m, b, c): counted(scores, m, b, c) for m in measures for b, c in pairs}
    rng = stream(seed, "rater noise")
    if agreement is not None:
        grades, table = agreement_of(agreement)
        beyond = sorted({float(g) for g in np.unique(read.judged.grade) if not grades[0] <= g <= grades[-1]})
        if beyond:
            said = ", ".join(f"{g:g}" for g in beyond)
            raise InputError(
                f"says nothing of the {'grade' if len(beyond) == 1 else 'grades'} {said} of the judgments",
                agreement.name, f"add what a second rater says when the first says {beyond[0]:g}",
            )  # fmt: skip
        return agreement_noise(read.judged, grades, table, runs, measures, pairs, rng, seed=seed, counts=counts)
    decides, rule = rule_of(raters)
    alone, _ = raters_alone(judgments)
    labels = labels_of(settled_first(judgments)[0], read.judged, alone) if decides else labels_of(alone, read.judged)
    if labels is None:
        return None
    how: How = rule if rule in ("mean", "majority", "median") else "one"  # type: ignore[assignment] # one of them
    return rater_noise(labels, runs, measures, pairs, rng, seed=seed, how=how, counts=counts)


def agreement_of(block: Block) -> tuple[list[float], NDArray[np.float64]]:
    """The grades of a table of agreement, and its counts both ways round: raters change places."""
    frame = block.frame
    rows = list(zip(frame["grade"], frame["other"], frame["count"], strict=True))
    grades = sorted({float(grade) for one, other, _ in rows for grade in (one, other)})
    table = np.zeros((len(grades), len(grades)))
    for one, other, count in rows:
        table[grades.index(one), grades.index(other)] += count
    return grades, table + table.T


def lists_of(read: Inputs, scores: Scores) -> tuple[Lists, ...]:
    """The first documents of each run."""
    depth = max([SHOWN, *(m.cutoff for m in scores.measures if m.cutoff is not None and m.about.sees != "no")])
    return tuple(first_documents(read.shown[run], depth, run) for run in scores.runs)
