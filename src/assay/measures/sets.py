"""The whole list as a set without an order: SetAP. SetP, SetR and SetF are P, R and F without a cutoff."""

from __future__ import annotations

import numpy as np

from assay.measures.foot import condensed, level
from assay.measures.measure import Example, Steps, Values, divide, measure
from assay.ranking.ranking import Ranking


def _steps(r: Ranking, rel: float | None = None, judged_only: bool = False) -> Steps:
    r = r.condensed() if judged_only else r
    adds = r.is_relevant(rel).astype(np.float64)
    found, returned, relevant = float(adds.sum()), int(r.returned[0]), int(r.judged.relevant(rel)[0])
    written = f"{found:g} / {returned} × {found:g} / {relevant}"
    return Steps(adds, found * found, float(returned * relevant), written=written)


@measure(
    "SetAP",
    sees="no",
    extremes="relevant",
    all_relevant=True,
    foot=lambda rel, judged_only: f"precision of the whole list times its recall{level(rel)}{condensed(judged_only)}",
    steps=_steps,
    says="whether a set is both clean and complete",
    blind_to=(
        "the order of the set",
        "how relevant a document is",
        "relevant documents that nobody judged (they would enlarge the divisor)",
    ),
    use_for="comparing with results printed this way. Otherwise F, which is on the scale of precision and recall",
    agrees="trec_eval 10.0 set_map; ir_measures SetAP",
    source="trec_eval `set_map`",
    example=Example("SetAP", (0, 3, 2, "?", 1), (3, 2, 1, 1, 0)),
)
def set_ap(r: Ranking, rel: float | None = None, judged_only: bool = False) -> Values:
    """Precision of the whole list times its recall, per query.

    Args:
        r: one run joined with its qrels.
        rel: the lowest relevant grade; None leaves it to the judgments.
        judged_only: takes unjudged documents out of the list first.

    Returns:
        float64 of shape (n,), from 0 to 1; NaN where no document is relevant.
    """
    r = r.condensed() if judged_only else r
    found, relevant = r.relevant(rel).count(), r.judged.relevant(rel)
    return np.where(relevant > 0, divide(found * found, r.returned * relevant, otherwise=0.0), np.nan)
