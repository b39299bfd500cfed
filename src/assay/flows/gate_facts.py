"""What gate rules look at beside a comparison: the status file, who judged, stale labels, who fed the pool."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.compare.rule import Bool, Labels, Served
from assay.errors import InputError, did_you_mean
from assay.flows.ageing import Known
from assay.flows.read_runs import SHOWN, Inputs
from assay.flows.workbench import Workbench
from assay.measures.measure import Measure
from assay.measures.scores import Scores
from assay.ranking.ranking import Judged
from assay.tables import Block, Request

if TYPE_CHECKING:
    from assay.compare.deciding import Deciding

STATUSES = ("ok", "empty", "error", "timeout")
HUMAN = "human"


def served(bench: Workbench, source: Any) -> Served:
    """A status file: every request with how it ended and how long it took."""
    block = bench.table(source, Request, name="status")
    if not len(block):
        raise InputError("names no request", block.name, "give one line a request")
    frame: Any = block.frame
    words = [_word(text, block, i) for i, text in enumerate(frame["status"])]
    latency = frame["latency_ms"] if "latency_ms" in block.columns else [None] * len(words)
    return Served(
        name=block.name or "status",
        query_ids=tuple(str(query) for query in frame["query_id"]),
        is_error=np.array([word in ("error", "timeout") for word in words], np.bool_),
        is_empty=np.array([word == "empty" for word in words], np.bool_),
        latency_ms=np.array([np.nan if x is None else float(x) for x in latency], np.float64),
    )


def _word(text: Any, block: Block, row: int) -> str:
    word = str(text).strip().lower()
    if re.fullmatch(r"[1-5]\d\d", word):
        return "empty" if word == "204" else "ok" if word[0] in "23" else "error"
    if word not in STATUSES:
        raise InputError(
            f"unknown status {text}{did_you_mean(word, STATUSES)}", block.place(row),
            f"write one of {', '.join(STATUSES)}, or an HTTP status",
        )  # fmt: skip
    return word


def labels_known(judgments: Block, judged: Judged, told: Known) -> Labels:
    """Who gave each label, and whether it still holds.

    Args:
        judgments: every row, before raters were joined.
        judged: what they became.
        told: what tells whether labels hold.
    """
    has_source = "source" in judgments.columns
    is_told = ("doc_hash" in judgments.columns and told.documents is not None) or (
        "judged_at" in judgments.columns and bool(told.days)
    )
    if not has_source and not is_told:
        return Labels()
    frame: Any = judgments.polars().to_dict(as_series=False) if not judgments.is_small else judgments.frame
    places = {
        (judged.queries[code], str(doc)): row
        for row, (code, doc) in enumerate(zip(judged.query.tolist(), judged.docs, strict=True))
    }
    rows = [places.get((str(q), str(d))) for q, d in zip(frame["query_id"], frame["doc_id"], strict=True)]
    human = np.zeros(len(judged.grade), np.bool_)
    if has_source:
        for row, source in zip(rows, frame["source"], strict=True):
            if row is not None and source == HUMAN:
                human[row] = True
    stale = np.full(len(judged.grade), np.nan)
    if is_told:
        from assay.judgments.freshness import CHANGED, OLD, UNKNOWN, states

        for row, why in zip(rows, states(judgments, told.documents, told.days, told.segments), strict=True):
            if row is not None and why != UNKNOWN:  # one label of a pair that holds is enough
                stale[row] = min(float(why in (CHANGED, OLD)), 1.0 if np.isnan(stale[row]) else stale[row])
    return Labels(human if has_source else None, stale if is_told else None)


def own_documents(read: Inputs, runs: tuple[str, ...]) -> Callable[[str, int], tuple[int, int]]:
    """How many documents a run alone shows in its first k ranks, and how many of them are judged."""

    def own(run: str, k: int) -> tuple[int, int]:
        mine, others = read.shown[run], [read.shown[other] for other in runs if other != run]
        judged = set(mine.ranking.judgment[mine.ranking.within(k) > 0].tolist())
        unjudged = {(q, d) for q, d, rank in zip(mine.query.tolist(), mine.docs, mine.rank.tolist(), strict=True)
                    if rank <= k}  # fmt: skip
        for other in others:
            judged -= set(other.ranking.judgment[other.ranking.within(k) > 0].tolist())
            unjudged -= {(q, d) for q, d, rank in zip(other.query.tolist(), other.docs, other.rank.tolist(),
                                                      strict=True) if rank <= k}  # fmt: skip
        known = len(judged) + (len(unjudged) if read.judged.unlisted == "not-relevant" else 0)
        return len(judged) + len(unjudged), known

    return own


def deciding_of(
    read: Inputs, scores: Scores, pair: tuple[str, str]
) -> Callable[[Measure, Bool, float], tuple[Deciding, ...]]:
    """Finds the labels that could decide one measure over some queries against a limit."""
    from assay.compare.deciding import deciding
    from assay.compare.lists import side_by_side

    lists = side_by_side(read.shown[pair[0]], read.shown[pair[1]])
    deepest = max([SHOWN, *(m.cutoff for m in scores.measures if m.cutoff is not None)])

    def find(measure: Measure, counts: Bool, limit: float) -> tuple[Deciding, ...]:
        depth = deepest if measure.cutoff is None else None
        return deciding(measure, lists, names=pair, counts=counts, depth=depth, limit=limit)

    return find
