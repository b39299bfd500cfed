"""`assay compare` and `assay power`: is a candidate better than the baseline, for whom, and how sure that is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.compare.asked import Asked
from assay.compare.by_segment import segments, sets_of
from assay.compare.choice import blind_spots
from assay.compare.columns import columns_of, pairs_of
from assay.compare.comparison import Comparison
from assay.compare.differences import differences
from assay.compare.first_lines import first_lines
from assay.compare.stages import MARGIN, Staged, Stages, stages
from assay.errors import InputError, did_you_mean
from assay.files import is_stream
from assay.flows.ageing import STALE
from assay.flows.choices import chosen
from assay.flows.evaluate import (
    JUDGMENT_COLUMNS,
    Reading,
    _named,
    as_meant,
    evaluate,
    file_of,
    one_grade_a_pair,
    prepared,
)
from assay.flows.kept_scores import are_kept, side_by_side
from assay.flows.labels import texts_of, titles_of
from assay.flows.read_runs import (
    Inputs,
    bounds_of,
    by_intent,
    cut_points,
    intents_of,
    lists_of,
    noise_of,
    read_runs,
    staged_measure,
)
from assay.flows.sampled import Design
from assay.flows.staged import given_stages
from assay.flows.workbench import Workbench, at_work
from assay.judgments.aggregate import of_dimension
from assay.measures.scores import Scores
from assay.results import QUIET, Note, Progress
from assay.stats.randomisation import FLIPS
from assay.tables import Agreement, Block, Document, Hit, Judgment, Topic

if TYPE_CHECKING:
    from assay.compare.power import Power
    from assay.label_maps import LabelMap


def compare(
    runs: Any,
    qrels: Any = None,
    measures: Any = None,
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    topics: Any = None,
    by: str | Sequence[str] | None = None,
    weighting: str | None = None,
    strata: str | None = None,
    shares: Mapping[str, float] | str | None = None,
    sizes: Mapping[str, int] | str | None = None,
    total: float | None = None,
    stages: Any = None,
    stage_margin: float = MARGIN,
    family: str | None = None,
    flips: int | None = None,
    wilcoxon_zeros: str = "wilcox",
    seed: int = 0,
    interval: str = "t",
    level: float = 0.95,
    alpha: float = 0.05,
    tie: float = 1e-9,
    bounds_depth: int | None = None,
    agreement: Any = None,
    documents: Any = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    labels: str | LabelMap | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **choices: Any,
) -> Comparison:
    """Compares a baseline with one candidate or several, on the same queries and judgments.

    Args:
        runs: the baseline and its candidates, as in `evaluate`; or kept scores (`Scores`, or files that hold them).
        qrels: the judgments; left out with kept scores.
        measures: the first is the primary one. The settings decide when None.
        baseline: name of the run that the others are compared with; the first one when None.
        all_pairs: compares every pair of runs.
        topics: a table of queries: text, traffic weight, intent, segment columns; `inclusion` or `stratum` when the
            queries are a sample drawn with unequal chances.
        by: columns whose segments are compared too; the team's segment column, or head, torso and tail by traffic,
            when None and topics are given.
        weighting: how the weighted difference is estimated, as in `evaluate`.
        strata: the column of the topics that holds the stratum; "stratum" when None.
        shares: of the traffic (or of all queries) by stratum, a dict or "head=0.6,tail=0.4".
        sizes: how many queries each stratum has in all, likewise.
        total: traffic of all queries, or their number, which Horvitz-Thompson divides by.
        stages: first stages of systems: "NAME=FIRST.run:100,FINAL.run", several of them, or a dict of name to
            (run, depth) pairs.
        stage_margin: losses of a stage under this are nothing to mend.
        family: what corrects several p: "holm", "max-t", "bh", "tukey" (for all pairs: the systems are shuffled within
            each query) or "none"; Holm up to 50 hypotheses and max-T above when None.
        flips: sign patterns drawn where a p is not exact; 100,000, and more where the correction needs them, when None.
        wilcoxon_zeros: "wilcox" leaves queries that do not differ out of Wilcoxon's test, "pratt" ranks them first and
            then leaves them out.
        seed: of every random number.
        interval: "t", "bootstrap" (percentile) or "bca".
        level: of the intervals.
        alpha: level of the claims.
        tie: differences up to this are shown as ties; tests keep their own 1e-9.
        bounds_depth: how far down unjudged documents could have any grade; each measure's own cutoff when None.
        documents: a table of documents, for their titles in the report and for labels that no longer hold.
        agreement: a table of grade, other and count: what a second rater says when the first says this, where the
            judgments themselves hold one label a pair.
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        labels: what the labels of judgments are worth: a named map such as "esci", or "{good:2,bad:0}".
        bench: where inputs are found; the current folder's workspace when None.
        progress: told how far the work has come.
        command: how the result was asked for, kept in it.
        **choices: as in `evaluate`.

    Returns:
        Differences with intervals and corrected p, by segment and by stage, and what hangs on unjudged documents.

    Raises:
        InputError: the input would give a wrong number, or none; or kept scores are not of the same judgments.
    """
    asked = Asked(
        seed, FLIPS if flips is None else flips, family,  # type: ignore[arg-type] # checked by Asked
        "bootstrap" if interval == "percentile" else interval, level, alpha, tie,  # type: ignore[arg-type]
        wilcoxon_zeros, more_flips=flips is None,  # type: ignore[arg-type]
    )  # fmt: skip
    bench = at_work(bench, labels)
    if are_kept(runs):
        if Design(weighting, strata, shares, sizes, total).is_asked:
            raise InputError(
                "kept scores hold their weights",
                remedy=f"score the runs with --weighting {weighting}, and compare those",
            )
        return _of_kept(runs, qrels, measures, baseline, all_pairs, asked, stages, command)
    held = chosen(bench.workspace, choices)
    reading: Reading = {"format": format, "columns": columns}
    named = {
        name: bench.table(run, Hit, **reading, name=name) if is_stream(run) else run
        for name, run in _named(runs).items()
    }
    given = given_stages(stages, named, first := _baseline(baseline, named))
    judgments = bench.table(file_of(bench, qrels, "qrels"), Judgment, **reading, name="qrels")
    source = file_of(bench, topics, "topics")
    queries = None if source is None else bench.table(source, Topic, name="topics")
    _refuse_raters(by)
    measures, why = by_intent(measures, held, queries)
    shown = None if documents is None else bench.table(documents, Document, columns=columns, name="documents")
    scores = evaluate(
        named, judgments, measures, topics=queries, documents=shown if is_stream(documents) else documents, by=by,
        weighting=weighting, strata=strata, shares=shares, sizes=sizes, total=total, bench=bench, progress=progress,
        command=command, **reading, **choices,
    )  # fmt: skip
    held, judgments = as_meant(held, judgments)
    judged = prepared(one_grade_a_pair(judgments, held.conventions), held.conventions)
    read = read_runs(bench, named, given, judged, scores, held, reading, bounds_depth, progress)
    read = replace(read, intents=intents_of(queries, judged))
    made = compared(
        scores,
        first,
        all_pairs,
        asked,
        read,
        stage_margin,
        bounds_depth,
        of_dimension(judgments, held.conventions.dimension),
        held.conventions.raters,
        None if agreement is None else bench.table(agreement, Agreement, name="agreement"),
    )
    notes = [
        *([Note("primary-by-intent", why)] if why else []),
        *blind_spots(scores.measures, judged, held.k_said, read.intents),
        *cut_points([part.kind for part in scores.parts], queries, held),
        *(note for note in scores.notes if note.code == STALE),
    ]
    made_from = replace(scores.source, hashes=bench.inputs(), seed=seed, command=command)
    return replace(
        made, notes=(*notes, *made.notes), source=made_from, texts=texts_of(queries, scores.queries),
        titles=titles_of(shown, made.lists),
    )  # fmt: skip


def _refuse_averages(scores: Scores) -> None:
    """Differences of queries average to a difference of means, and to nothing else."""
    for measure in (one for one in scores.measures if one.average != "mean"):
        raise InputError(
            f"runs are compared by the mean of their differences, and {measure} is another average",
            remedy=f"compare {measure(average='mean')}, or score the runs side by side with `assay evaluate`",
        )


def compared(
    scores: Scores,
    baseline: str,
    all_pairs: bool,
    asked: Asked,
    read: Inputs | None = None,
    stage_margin: float = MARGIN,
    bounds_depth: int | None = None,
    judgments: Block | None = None,
    raters: str = "mean",
    agreement: Block | None = None,
) -> Comparison:
    """Scores of several runs as a comparison; with what they were read from also stages, ranges and lists."""
    if len(scores.runs) < 2:
        raise InputError(
            f"there is one run, {scores.runs[0]}, and nothing to compare it with",
            remedy="pass the baseline, the candidates, and the judgments last",
        )
    _refuse_averages(scores)
    pairs = pairs_of(scores.runs, baseline, all_pairs)
    every = np.ones(len(scores.queries), np.bool_)
    found, family = differences(columns_of(scores, pairs, [("", "all", every)]), scores, asked)
    sets = sets_of(scores)
    by_segment, segment_family, heterogeneity = segments(scores, pairs, sets, asked)
    staged = (
        None if read is None or not read.stages else _stages(read.stages, scores, sets, baseline, stage_margin, asked)
    )
    ranges, labels = ((), ()) if read is None else bounds_of(read, scores, pairs, bounds_depth)
    noise = None
    if read is not None and judgments is not None:
        noise = noise_of(judgments, read, scores, pairs, raters, asked.seed, agreement)
    made = Comparison(
        baseline=baseline,
        candidates=tuple(run for run in scores.runs if run != baseline),
        all_pairs=all_pairs,
        scores=scores,
        primary=scores.measures[0],
        differences=found,
        family=family,
        segments=by_segment,
        segment_family=segment_family,
        heterogeneity=heterogeneity,
        stages=staged,
        bounds=ranges,
        deciding=labels,
        noise=noise,
        lists=() if read is None else lists_of(read, scores),
        interval_method=asked.interval,
        level=asked.level,
        tie=asked.tie,
        alpha=asked.alpha,
        notes=_notes(found, asked, read),
        source=replace(scores.source, seed=asked.seed),
    )
    return replace(made, says=first_lines(made))


def power(
    runs: Any,
    qrels: Any = None,
    measures: Any = None,
    *,
    difference: float | None = None,
    chance: float = 0.8,
    alpha: float = 0.05,
    baseline: str | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **options: Any,
) -> Power:
    """What a query set can show: its smallest detectable difference, and the queries that a difference takes.

    Args:
        runs: two runs or more, the baseline first, as in `evaluate`: the spread of their differences is measured.
        qrels: the judgments.
        measures: as in `evaluate`.
        difference: the difference that is worth finding; None gives only what is detectable.
        chance: the power that is wanted.
        alpha: level of the two-sided test.
        baseline: name of the run that the others are compared with; the first one when None.
        bench: where inputs are found.
        progress: told how far the work has come.
        command: how the result was asked for.
        **options: as in `evaluate`.
    """
    from assay.compare.power import check_planned, power_of

    check_planned(difference, chance, alpha)
    bench = Workbench.open() if bench is None else bench
    scores = evaluate(runs, qrels, measures, bench=bench, progress=progress, command=command, **options)
    if len(scores.runs) < 2:
        raise InputError(
            "the spread of a difference needs two runs", remedy="pass a baseline and a candidate, the judgments last"
        )
    first = _baseline(baseline, dict.fromkeys(scores.runs))
    found = power_of(scores, first, difference, chance, alpha)
    return replace(found, source=replace(scores.source, command=command))


def _of_kept(
    inputs: Any, qrels: Any, measures: Any, baseline: str | None, all_pairs: bool, asked: Asked, stages: Any,
    command: str,
) -> Comparison:  # fmt: skip
    """A comparison of kept scores."""
    if qrels is not None and not are_kept(qrels):
        raise InputError(
            "kept scores are compared as they are, without judgments", remedy="give the .assay files alone"
        )
    if stages:
        raise InputError("stages need the runs, and kept scores have none", remedy="give the runs and the judgments")
    given = [*(inputs if isinstance(inputs, (list, tuple)) else [inputs]), *([] if qrels is None else [qrels])]
    from assay.measures.grammar import parse

    scores, earlier = side_by_side(given, None if measures is None else list(parse(measures)))
    first = _baseline(baseline, dict.fromkeys(scores.runs))
    made = compared(scores, first, all_pairs, asked)
    if len(given) == 1 and earlier:  # one comparison, looked at in another way: what was read stays true of it
        made = _with_earlier(made, earlier[0])
    return replace(made, source=replace(made.source, command=command))


def _with_earlier(made: Comparison, earlier: Comparison) -> Comparison:
    known = {str(m) for m in made.scores.measures}
    kept = tuple(b for b in earlier.bounds if str(b.measure) in known and b.baseline == made.baseline)
    again = replace(made, bounds=kept, lists=earlier.lists, stages=earlier.stages, notes=earlier.notes)
    return replace(again, says=first_lines(again))


def _refuse_raters(by: str | Sequence[str] | None) -> None:
    """Parts by rater or by source hold the same queries under other judgments: no segments."""
    for name in [by] if isinstance(by, str) else by or ():
        if name in JUDGMENT_COLUMNS:
            raise InputError(
                f"--by {name} is a column of the judgments, and segments are sets of queries",
                remedy=f"compare with --raters NAME for one rater, or see `assay evaluate --by {name}`",
            )


def _baseline(baseline: str | None, named: Mapping[str, Any]) -> str:
    if baseline is None:
        return next(iter(named))
    if baseline in named:
        return baseline
    for name, source in named.items():
        if isinstance(source, (str, os.PathLike)) and os.fspath(source) == baseline:
            return name
    raise InputError(
        f"no run {baseline}{did_you_mean(baseline, named)}", remedy=f"the baseline is one of {', '.join(named)}"
    )


def _stages(staged: Sequence[Staged], scores: Scores, sets: Any, baseline: str, margin: float, asked: Asked) -> Stages:
    groups = [("", "all", np.ones(len(scores.queries), np.bool_)), *sets]
    return stages(staged, staged_measure(scores), groups, baseline=baseline, margin=margin, level=asked.level)


def _notes(found: Any, asked: Asked, read: Inputs | None) -> tuple[Note, ...]:
    notes = []
    for d in found:
        if d.one_sided:
            have = "query has" if d.one_sided == 1 else "queries have"
            text = (
                f"{d.one_sided:,} {have} a value of {d.measure} on one side only; left out of "
                f"{d.candidate} minus {d.baseline}"
            )
            notes.append(Note("one-sided", text, count=d.one_sided, level="warning"))
        if d.interval is not None and d.interval.covers_less:
            text = f"a {asked.interval} interval of {d.n} queries covers less than {asked.level:.0%}".replace("%", " %")
            notes.append(Note("covers-less", text, level="warning"))
    if asked.tie > 1e-9:
        notes.append(Note("tie", f"differences up to {asked.tie:g} are shown as ties; every test keeps its own 1e-9"))
    if read is not None and read.judged.only_relevant and read.judged.unlisted == "unjudged":
        text = (
            "ranges over unjudged documents are not given: the judgments list relevant documents alone; say what an "
            "absent pair means with --unlisted not-relevant, if that is so"
        )
        notes.append(Note("bounds-not-given", text))
    for staged in read.stages if read is not None else ():
        total = int(staged.outside.sum())
        if total:
            queries = int((staged.outside > 0).sum())
            text = (
                f"{total:,} documents of {queries:,} queries are in the final list of {staged.system} and in no first "
                "stage within its depth: the ceiling is not one for them"
            )
            notes.append(Note("outside-the-depth", text, run=staged.system, count=total, level="warning"))
    return tuple(dict.fromkeys(notes))
