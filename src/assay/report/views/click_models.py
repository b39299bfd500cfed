"""Click models on one log, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.figures import count
from assay.report.log_read import read
from assay.report.page import Cell, Column, Fact, Facts, Page, Table, Value, view
from assay.report.words import made, remarks

if TYPE_CHECKING:
    from assay.clicks.models.compared import ModelsCompared

FULL = {
    "global-ctr": "one click rate for all", "rank-ctr": "a click rate by position",
    "document-ctr": "a click rate by document",
    "coec": "clicks over what positions alone would bring", "pbm": "position and attraction",
    "cascade": "read from the top to the first click", "dcm": "read from the top; after a click read on by position",
    "sdbn": "read from the top until satisfied", "dbn": "read from the top until satisfied or given up",
    "ubm": "position and distance to the last click",
    "ccm": "read from the top; after a click read on by what the document gave",
}  # fmt: skip


@view("ModelsCompared")
def page(found: ModelsCompared) -> Page:
    """The page of click models.

    Args:
        found: what `click_models` gave.
    """
    best = found.models[0]
    answer = (
        f"{best.name.upper()} predicts the later lists best: fitted to {count(found.earlier, 'search', 'searches')}, "
        f"held to {found.later:,} later ones."
    )
    has_auc = any(one.auc is not None for one in found.models)
    columns = (
        Column("model"), Column("a list", "right"), Column("behind", "right"), Column("a place", "right", drop=2),
        Column("perplexity", "right"), Column("pooled", "right", drop=3), Column("conditional", "right", drop=1),
        *((Column("AUC", "right"),) if has_auc else ()), Column("clicks follow", is_prose=True, drop=4),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.name.upper(), Value(one.by_list), Value(one.by_list - best.by_list, sign=True), Value(one.by_place),
            Value(one.perplexity), Value(one.pooled), Value(one.conditional),
            *((Value(one.auc, 3),) if has_auc else ()), FULL.get(one.name, ""),
        )
        for one in found.models
    )  # fmt: skip
    facts = [
        Fact("A list", ("mean log-likelihood of the clicks of a later list; behind: against the best",)),
        Fact("Perplexity", ("2^(-mean log2 P), 1 is always right and 2 a coin: the mean over positions when the "
                            "clicks above are not known, the same over all places at once, and when they are known",)),
        *([Fact("AUC", ("how often a relevant document has more relevance in the model than one that is not",))]
          if has_auc else []),
        *read(found.log),
    ]  # fmt: skip
    parts = (Table(columns, rows, name="Click models"), Facts(tuple(facts)), remarks(found.notes))
    return Page("Click models", (answer,), tuple(part for part in parts if part), made(found.source))
