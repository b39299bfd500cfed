"""`assay gate`: may this change be merged? PASS, FAIL or INCONCLUSIVE, by the team's own rule file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.compare.asked import Asked
from assay.compare.by_segment import sets_of
from assay.compare.columns import Bool
from assay.compare.gate import Earlier, GatePlan, Override, Rules, Verdict, judge
from assay.compare.gate_plan import gate_plan_of
from assay.compare.rule import Facts, Served, Status
from assay.compare.rule_file import check_measures, measures_named, read_rules
from assay.errors import InputError, did_you_mean
from assay.files import is_stream, spelled
from assay.flows.ageing import STALE, known
from assay.flows.choices import Choices, chosen
from assay.flows.compare import compared
from assay.flows.evaluate import Reading, _named, as_meant, evaluate, file_of, measures_of, one_grade_a_pair, prepared
from assay.flows.gate_facts import deciding_of, labels_known, own_documents, served
from assay.flows.gate_journal import counted
from assay.flows.gate_typed import counts, spreads
from assay.flows.kept_scores import are_kept, side_by_side
from assay.flows.labels import texts_of, titles_of
from assay.flows.read_runs import intents_of, read_runs
from assay.flows.staged import given_stages
from assay.flows.workbench import Workbench, at_work
from assay.judgments.aggregate import of_dimension
from assay.label_maps import LabelMap
from assay.measures.measure import Measure
from assay.measures.scores import Scores
from assay.results import QUIET, Note, Progress, Source
from assay.tables import Document, Hit, Judgment, Topic

SAY_UNLISTED = "say what an absent pair means: --unlisted not-relevant, if that is so"
GIVE_RUNS = "give the runs and the judgments instead of kept scores"
NOT_A_TEST = "adding queries until the gate passes is not a test: each look is one more chance to pass by luck"


def gate(
    baseline: Any,
    candidate: Any,
    qrels: Any = None,
    rules: Any = "gate.toml",
    *,
    topics: Any = None,
    by: str | Sequence[str] | None = None,
    stages: Any = None,
    status: Any = None,
    baseline_status: Any = None,
    documents: Any = None,
    override: str | None = None,
    reason: str | None = None,
    flips: int = 100_000,
    seed: int = 0,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    labels: str | LabelMap | None = None,
    bench: Workbench | None = None,
    progress: Progress = QUIET,
    command: str = "",
    **choices: Any,
) -> Verdict:
    """Holds a change to the rules of a rule file.

    Args:
        baseline: the run before the change, as in `evaluate`; or kept scores.
        candidate: the run after it; None where `baseline` is a kept comparison.
        qrels: the judgments; left out with kept scores.
        rules: a rule file, or the rules that `read_rules` made.
        topics: a table of queries: text, traffic weight, intent, segment columns.
        by: columns whose segments are looked at beside those that the rules name.
        stages: first stages of the systems, for the report; as in `compare`.
        status: what became of the candidate's requests: columns query_id, status, latency_ms.
        baseline_status: the same of the baseline, for queries that failed there.
        documents: a table of documents, for titles and, with `doc_hash`, for stale labels.
        override: name of the person who lets the change through whatever the verdict.
        reason: why; needed with `override`.
        flips: sign patterns drawn where a p is not exact.
        seed: of every random number.
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        labels: what the labels of judgments are worth: a named map such as "esci", or "{good:2,bad:0}".
        bench: where inputs are found; the current folder's workspace when None.
        progress: told how far the work has come.
        command: how the result was asked for, kept in it.
        **choices: as in `evaluate`.

    Returns:
        The verdict with every rule's outcome, and what would resolve an inconclusive one.

    Raises:
        InputError: the rule file or the input is wrong; nothing was written then.
    """
    let_through = _override(override, reason)
    bench = at_work(bench, labels)
    held = rules_of(rules, bench)
    facts = facts_of(
        baseline, candidate, qrels, held, topics=topics, by=by, stages=stages, status=status,
        baseline_status=baseline_status, documents=documents, flips=flips, seed=seed, format=format, columns=columns,
        bench=bench, progress=progress, command=command, **choices,
    )  # fmt: skip
    found, because, outcomes, remedies = judge(facts, held)
    earlier = counted(bench, facts.comparison, held, found)
    return Verdict(
        status=found,
        because=because,
        outcomes=outcomes,
        comparison=facts.comparison,
        would_resolve=remedies,
        rules_file=held.name,
        on_inconclusive=held.on_inconclusive,
        override=let_through,
        earlier=earlier,
        seed=seed,
        notes=(*_notes(found, held, earlier, remedies), *facts.comparison.notes),
        source=replace(facts.comparison.source, seed=seed, command=command),
    )


def gate_plan(
    baseline: Any = None, other: Any = None, qrels: Any = None, rules: Any = "gate.toml", *, sd: Any = None,
    queries: Any = None, bench: Workbench | None = None, command: str = "", **options: Any,
) -> GatePlan:  # fmt: skip
    """What a query set can resolve for each rule: to be looked at before the gate is used.

    Args:
        baseline: one run on the query set.
        other: another one, about as different from it as changes are; their differences tell the spread, and whether
            they are better or worse is not looked at.
        qrels: the judgments.
        rules: a rule file, or the rules that `read_rules` made.
        sd: instead of runs: the standard deviation of the per-query differences, one for all measures or by measure.
        queries: with it: how many queries, or by segment, "" being all of them.
        bench: where inputs are found.
        command: how the result was asked for.
        **options: as in `gate`.
    """
    from assay.compare.gate_plan import gate_plan as planned

    bench = Workbench.open() if bench is None else bench
    held = rules_of(rules, bench)
    if sd is not None or queries is not None:
        if baseline is not None or qrels is not None:
            raise InputError(
                "the spread is typed in or taken from two runs", remedy="leave out the runs, or sd and queries"
            )
        made = gate_plan_of(held, spreads(sd), counts(queries))
        return replace(made, source=Source(hashes=bench.inputs(), command=command))
    if baseline is None or other is None:
        raise InputError(
            "a plan needs the spread of the differences", remedy="pass two runs and the judgments, or sd and queries"
        )
    facts = facts_of(
        baseline, other, qrels, held, bench=bench, command=command, must_have_status=False, **options
    )  # fmt: skip
    return replace(planned(facts, held), source=replace(facts.comparison.source, command=command))


def rules_of(rules: Any, bench: Workbench) -> Rules:
    """A rule file as rules, checked down to its measures."""
    if isinstance(rules, Rules):
        found = rules
    elif not isinstance(rules, (str, os.PathLike)):
        raise InputError(
            f"rules are a {type(rules).__name__}, and the path of a rule file is needed",
            remedy='write gate.toml, such as with `assay gate init --change ranking`, and pass rules="gate.toml"',
        )
    else:
        path = Path(rules)
        try:
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            close = did_you_mean(path.name, _beside(path))
            why = getattr(error, "strerror", None) or error
            raise InputError(
                f"cannot be read: {why}{close}", spelled(path), "write one with `assay gate init --change ranking`"
            ) from None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError("is not UTF-8", f"{spelled(path)}:{line}", "save the file as UTF-8") from None
        bench.note(os.fspath(path))
        found = read_rules(text, spelled(path))
    check_measures(found)
    return found


def _beside(path: Path) -> list[str]:
    try:
        return [entry.name for entry in (path.parent or Path()).iterdir() if entry.suffix == ".toml"]
    except OSError:
        return []


def facts_of(
    baseline: Any,
    candidate: Any,
    qrels: Any,
    rules: Rules,
    *,
    topics: Any = None,
    by: str | Sequence[str] | None = None,
    stages: Any = None,
    status: Any = None,
    baseline_status: Any = None,
    documents: Any = None,
    flips: int = 100_000,
    seed: int = 0,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench,
    progress: Progress = QUIET,
    command: str = "",
    must_have_status: bool = True,
    **choices: Any,
) -> Facts:
    """Everything that rules look at; the arguments are those of `gate`."""
    asked = Asked(seed=seed, flips=flips)
    given = [baseline] if candidate is None else [baseline, candidate]
    held = chosen(bench.workspace, choices)
    spelt = measures_named(rules)
    measures = {text: measures_of(text, held)[0] for text in spelt}
    answers = [None if file is None else served(bench, file) for file in (baseline_status, status)]
    if must_have_status:
        _needs_status(rules, answers[1])
    if are_kept(given):
        return _of_kept(given, qrels, measures, asked, answers[1], bench)
    if candidate is None:
        raise InputError(
            "a gate compares two runs, and one was given", remedy="pass the baseline, the candidate, the judgments last"
        )
    reading: Reading = {"format": format, "columns": columns}
    named = {
        name: bench.table(run, Hit, **reading, name=name) if is_stream(run) else run
        for name, run in _named(_apart(given)).items()
    }
    first = next(iter(named))
    staged = given_stages(stages, named, first)
    judgments = bench.table(file_of(bench, qrels, "qrels"), Judgment, **reading, name="qrels")
    source = file_of(bench, topics, "topics")
    queries = None if source is None else bench.table(source, Topic, name="topics")
    shown = None if documents is None else bench.table(documents, Document, columns=columns, name="documents")
    scores = evaluate(
        named, judgments, list(dict.fromkeys(measures.values())), topics=queries,
        documents=shown if is_stream(documents) else documents,
        by=_by(by, rules, queries, held), bench=bench, progress=progress, **reading, **choices,
    )  # fmt: skip
    scores = _without_errored(scores, answers)
    held, judgments = as_meant(held, judgments)
    judged = prepared(one_grade_a_pair(judgments, held.conventions), held.conventions)
    read = read_runs(bench, named, staged, judged, scores, held, reading, None, progress)
    read = replace(read, intents=intents_of(queries, judged))
    one_kind = of_dimension(judgments, held.conventions.dimension)
    made = compared(scores, first, False, asked, read, judgments=one_kind, raters=held.conventions.raters)
    aged = tuple(note for note in scores.notes if note.code == STALE)
    told = known(bench, judgments, topics=queries, documents=shown if is_stream(documents) else documents)
    made = replace(
        made, notes=(*aged, *made.notes), texts=texts_of(queries, scores.queries),
        titles=titles_of(shown, made.lists),
        source=replace(scores.source, hashes=bench.inputs(), seed=seed, command=command),
    )  # fmt: skip
    only = judged.only_relevant and judged.unlisted == "unjudged"
    alone = ("the judgments list relevant documents alone", SAY_UNLISTED) if only else ("", "")
    return Facts(
        comparison=made, measures=measures, sets=_sets(scores),
        rankings={name: one.ranking for name, one in read.shown.items()},
        bounds={bounds.measure: bounds for bounds in made.bounds}, bounds_unknown_because=alone[0],
        bounds_remedy=alone[1],
        deciding=None if not made.bounds else deciding_of(read, scores, (first, made.candidates[0])),
        own=own_documents(read, tuple(named)), labels=labels_known(judgments, judged, told), served=answers[1],
        seed=seed, flips=flips,
    )  # fmt: skip


def _apart(given: list[Any]) -> Any:
    """The two runs, also where both are data in memory."""
    return given if all(isinstance(run, (str, os.PathLike)) for run in given) else dict(
        zip(("baseline", "candidate"), given, strict=True))  # fmt: skip


def _sets(scores: Scores) -> dict[tuple[str, str], Bool]:
    return {(kind, name): which for kind, name, which in sets_of(scores)}


def _by(by: str | Sequence[str] | None, rules: Rules, queries: Any, held: Choices) -> Any:
    """Columns of segments: those that were asked for, that rules name, and the team's own."""
    from assay.ranking.segments import SEGMENT, tells_segments

    wanted = [by] if isinstance(by, str) else list(by or ())
    for written in rules.all:
        name = getattr(written.rule, "by", "")
        if not name:
            continue
        known = [] if queries is None else [c for c in queries.columns if c not in ("query_id", "text", "weight")]
        if name not in known and name != SEGMENT:
            raise InputError(
                f"the topics have no column {name}{did_you_mean(name, known)}" if queries is not None else
                f"segments by {name} need a topics table", written.place,
                f"the columns are {', '.join(known)}" if known else "pass --topics FILE",
            )  # fmt: skip
        wanted.append(name)
    if wanted and SEGMENT not in wanted and queries is not None and tells_segments(queries, held.segments):
        wanted.insert(0, SEGMENT)
    return list(dict.fromkeys(wanted)) or None


def _needs_status(rules: Rules, found: Served | None) -> None:
    """Refuses before any work what would be refused after it."""
    for written in rules.all:
        if getattr(written.rule, "needs_status", False) and found is None:
            raise InputError(
                f"the rule {getattr(written.rule, 'rule', '')} needs the status file of the candidate", written.place,
                "pass --status FILE with the columns query_id, status and latency_ms",
            )  # fmt: skip


def _without_errored(scores: Scores, answers: Sequence[Served | None]) -> Scores:
    """A query that failed on one side has no value there, whatever the run holds."""
    values = scores.values.copy()
    places = {query: i for i, query in enumerate(scores.queries)}
    for run, found in enumerate(answers):
        if found is None:
            continue
        if not any(query in places for query in found.query_ids):
            raise InputError(
                f"names no query that is judged, such as {scores.queries[0]}: it has {found.query_ids[0]}", found.name,
                "give the status file of the same queries",
            )  # fmt: skip
        values[run][:, [places[query] for query in found.errored if query in places]] = np.nan
    return replace(scores, values=values, _cache={})


def _of_kept(
    given: list[Any], qrels: Any, measures: Mapping[str, Measure], asked: Asked, answer: Served | None, bench: Workbench
) -> Facts:
    """Facts of kept scores, which hold no lists."""
    if qrels is not None:
        raise InputError("kept scores are gated as they are, without judgments", remedy="give the .assay files alone")
    for one in given:
        if isinstance(one, (str, os.PathLike)) and os.path.exists(one):
            bench.note(os.fspath(one))
    scores, earlier = side_by_side(given, list(dict.fromkeys(measures.values())))
    if len(scores.runs) != 2:
        raise InputError(
            f"a gate compares two runs, and {len(scores.runs)} were given: {', '.join(scores.runs)}",
            remedy="keep the baseline and one candidate",
        )
    scores = _without_errored(scores, (None, answer))
    made = compared(scores, scores.runs[0], False, asked)
    if len(given) == 1 and earlier:
        made = replace(made, bounds=earlier[0].bounds, lists=earlier[0].lists, noise=earlier[0].noise)
    known = {bounds.measure: bounds for bounds in made.bounds if bounds.baseline == made.baseline}
    return Facts(
        comparison=made, measures=measures, sets=_sets(scores), bounds=known,
        bounds_unknown_because="kept scores hold no lists", bounds_remedy=GIVE_RUNS, served=answer, seed=asked.seed,
        flips=asked.flips,
    )  # fmt: skip


def _override(name: str | None, reason: str | None) -> Override | None:
    if name is None and reason is None:
        return None
    if not (name or "").strip() or not (reason or "").strip():
        missing = "name" if not (name or "").strip() else "reason"
        raise InputError(
            f"an override needs a name and a reason, and has no {missing}",
            remedy='pass --override "NAME" --reason "WHY"; the report shows both',
        )
    return Override((name or "").strip(), (reason or "").strip())


def _notes(status: Status, rules: Rules, earlier: Earlier, remedies: Sequence[Any]) -> list[Note]:
    notes = []
    for written in rules.all:
        if getattr(written.rule, "is_absolute", False):
            text = (
                f"{written.name}: no value of {getattr(written.rule, 'measure', '')} is good by itself; it guards "
                "against accidents, and a comparison with the baseline decides"
            )
            notes.append(Note("absolute-threshold", text, level="warning"))
    if earlier.gates:
        gates = "gate" if earlier.gates == 1 else "gates"
        text = f"{earlier.gates:,} other {gates} on these queries, of which {earlier.passed:,} passed; {NOT_A_TEST}"
        notes.append(Note("earlier-gates", text, count=earlier.gates, level="warning"))
    elif status == "INCONCLUSIVE" and any(remedy.kind == "queries" for remedy in remedies):
        notes.append(Note("not-a-test", NOT_A_TEST, level="warning"))
    if not earlier.known:
        text = "earlier gates on these queries are not counted: there is no workspace (assay init makes one)"
        notes.append(Note("not-counted", text))
    return notes
