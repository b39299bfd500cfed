"""Kept scores beside each other: only those of the same judgments, conventions and major version are compared."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.compare.comparison import Comparison
from assay.errors import InputError, did_you_mean
from assay.flows.run_names import short_names
from assay.measures.measure import Measure
from assay.measures.scores import Scores
from assay.results import Source, load

ENDING = ".assay"
JUDGMENTS_ALONE = "score both with the same judgments, conventions and version of assay"


def are_kept(inputs: Any) -> bool:
    """Whether what was given are kept results rather than runs."""
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return bool(given) and all(_is_kept(one) for one in given)


def _is_kept(x: Any) -> bool:
    if isinstance(x, (Scores, Comparison)):
        return True
    return isinstance(x, (str, os.PathLike)) and os.fspath(x).lower().endswith(ENDING)


def side_by_side(inputs: Sequence[Any], measures: Sequence[Measure] | None) -> tuple[Scores, tuple[Comparison, ...]]:
    """The scores of all runs of some kept results, and the comparisons among them.

    Args:
        inputs: scores, comparisons, or files that hold them; the baseline first.
        measures: which of their measures; all when None.

    Raises:
        InputError: they were made from other judgments, under other conventions or by another major version, or
            no measure is in all of them.
    """
    opened = [(_label(one, i), _open(one)) for i, one in enumerate(inputs)]
    names = [name for name, _ in opened]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise InputError(f"the result {twice} is given twice", remedy="name each result once")
    first_name, first = opened[0][0], _scores(opened[0][1])
    found = [first]
    for name, result in opened[1:]:
        scores = _scores(result)
        _refuse_different(first_name, first, name, scores)
        found.append(scores)
    common = [m for m in first.measures if all(m in scores.measures for scores in found)]
    if measures is not None:
        common = [_of(measure, common) for measure in measures]
    if not common:
        raise InputError(
            f"{first_name} and {opened[-1][0]} have no measure in common",
            remedy="; ".join(f"{n} has {', '.join(map(str, _scores(r).measures))}" for n, r in opened),
        )
    joined = _joined([_with_measures(scores, common) for scores in found], names)
    return joined, tuple(result for _, result in opened if isinstance(result, Comparison))


def _label(x: Any, i: int) -> str:
    return os.fspath(x) if isinstance(x, (str, os.PathLike)) else f"result {i + 1}"


def _open(x: Any) -> Any:
    if not isinstance(x, (str, os.PathLike)):
        return x
    try:
        data = Path(x).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", os.fspath(x), "check the path") from error
    result = load(data, os.fspath(x))
    if not isinstance(result, (Scores, Comparison)):
        raise InputError(
            f"holds a {type(result).__name__}, and scores or a comparison are needed",
            os.fspath(x),
            "keep scores with `assay evaluate ... -o FILE.assay`",
        )
    return result


def _scores(result: Any) -> Scores:
    scores: Scores = result.scores if isinstance(result, Comparison) else result
    return scores


def _of(measure: Measure, known: Sequence[Measure]) -> Measure:
    if measure not in known:
        names = [str(m) for m in known]
        raise InputError(
            f"the kept scores have no {measure}{did_you_mean(str(measure), names)}",
            remedy=f"they have {', '.join(names)}; score the runs again for others",
        )
    return measure


def _refuse_different(first_name: str, first: Scores, name: str, scores: Scores) -> None:
    """Refuses scores that are not of the same judgments, conventions and major version; says what differs."""
    differs = []
    mine, theirs = judgments_of(first), judgments_of(scores)
    if mine and theirs and mine[1] != theirs[1]:
        differs.append(f"judgments: {mine[0]} ({mine[1][:12]}) and {theirs[0]} ({theirs[1][:12]})")
    elif first.queries != scores.queries:
        differs.append(f"judged queries: {len(first.queries):,} and {len(scores.queries):,}, not the same ones")
    known = dict(scores.source.conventions)
    for choice, value in first.source.conventions:
        if known.get(choice, value) != value:
            differs.append(f"{choice.replace('_', '-')}: {value} and {known[choice]}")
    versions = dict(first.source.versions).get("assay", ""), dict(scores.source.versions).get("assay", "")
    if all(versions) and versions[0].partition(".")[0] != versions[1].partition(".")[0]:
        differs.append(f"assay: {versions[0]} and {versions[1]}")
    if differs:
        raise InputError(
            f"{first_name} and {name} cannot be compared: they differ in {differs[0]}",
            remedy=JUDGMENTS_ALONE,
            more=[f"also in {one}" for one in differs[1:]],
            count=len(differs),
        )


def judgments_of(scores: Scores) -> tuple[str, str] | None:
    """(name, hash) of the judgments that scores were made from; None where they were data in memory."""
    names = [name for name, _ in scores.source.hashes]
    if not names:
        return None
    stems = short_names([f"{i}/{name}" for i, name in enumerate(names)])
    for (name, digest), stem in zip(scores.source.hashes, stems, strict=True):
        if Path(stem).name not in scores.runs:
            return name, digest  # judgments are read before topics
    return None


def _with_measures(scores: Scores, measures: Sequence[Measure]) -> Scores:
    index = [scores.measures.index(measure) for measure in measures]
    parts = tuple(replace(part, scores=_with_measures(part.scores, measures)) for part in scores.parts)
    return replace(
        scores, measures=tuple(measures), values=scores.values[:, index], judged=scores.judged[:, index], parts=parts,
        _cache={},
    )  # fmt: skip


def _joined(found: Sequence[Scores], names: Sequence[str]) -> Scores:
    """All runs beside each other; two runs of one name are told apart by their file."""
    from assay.measures.score import join

    runs: list[str] = []
    for scores, name in zip(found, names, strict=True):
        runs += [run if run not in runs else f"{run} ({Path(name).stem})" for run in scores.runs]
    if len(set(runs)) < len(runs):
        raise InputError("the same kept scores are given twice", remedy="give each file once")
    if len(found) == 1:
        return found[0]
    weights = next((scores.weights for scores in found if scores.weights is not None), None)
    sampling = next((scores.sampling for scores in found if scores.weights is not None), None)
    parts = next((scores.parts for scores in found if scores.parts), ())
    joined = join([replace(scores, parts=(), _cache={}) for scores in found])
    source = Source(
        hashes=tuple(dict.fromkeys(one for scores in found for one in scores.source.hashes)),
        versions=found[0].source.versions,
        conventions=found[0].source.conventions,
    )
    whole = replace(joined, runs=tuple(runs), weights=weights, sampling=sampling, source=source, _cache={})
    own = tuple(replace(part, scores=whole.only(part.scores.queries)) for part in parts)
    return replace(whole, parts=own, _cache={})
