"""The queries of scores as the topics have them: what each stands for, and which parts they fall into."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.flows.choices import Choices
from assay.results import Note
from assay.tables import Block

if TYPE_CHECKING:
    from assay.measures.score import Scores
    from assay.ranking.ranking import Judged


def with_topics(scores: Scores, topics: Block, parts_by: list[str], held: Choices, judged: Judged) -> Scores:
    """The scores with the traffic of their queries, and their parts by columns of the topics."""
    from assay.measures.score import Part
    from assay.ranking.segments import segments, weights

    known = set(topics.frame["query_id"])
    absent = [query for query in scores.queries if query not in known]
    notes = scores.notes
    if absent:
        # how many and not which: numbers that are ids would stay in a redacted report
        text = f"{len(absent):,} of {len(scores.queries):,} judged queries are not in the topics: no segment, no weight"
        notes = (*notes, Note("not-in-topics", text, count=len(absent), level="warning"))
    found = weights(topics, scores.queries)
    if found is not None:
        missing = sum(query in known and math.isnan(w) for query, w in zip(scores.queries, found.tolist(), strict=True))
        notes = (*notes, *_weightless(missing))
    scores = replace(scores, weights=found, notes=notes, _cache={})
    parts = []
    for name in parts_by:
        for value, queries in segments(topics, name, held.segments, judged).items():
            part = scores.only(queries)
            if part.queries:
                parts.append(Part(name, value, part))
    return replace(scores, parts=tuple(parts), _cache={})


def _weightless(count: int) -> Iterator[Note]:
    """That queries of the topics have no weight."""
    if count:
        text = f"{count:,} judged {'query has' if count == 1 else 'queries have'} no weight in the topics"
        yield Note("no-weight", f"{text}: left out of what is weighted", count=count, level="warning")
