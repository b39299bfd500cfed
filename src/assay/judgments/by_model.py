"""Several raters to one grade by the model of Dawid and Skene: who errs how is learnt from where raters differ."""

from __future__ import annotations

import numpy as np

from assay.errors import InputError
from assay.judgments.ratings import coded
from assay.stats.agreement import Ratings
from assay.stats.dawid_skene import FEWEST_ITEMS, FEWEST_RATERS, DawidSkene, dawid_skene
from assay.tables import Block


def by_model(block: Block) -> Block:
    """One row a pair, query_id, doc_id, grade: the likeliest grade, of several such the lowest.

    Args:
        block: rows of `Judgment` with a column rater.

    Raises:
        InputError: there are fewer than three raters, or rows that name none.
    """
    seen = np.unique(np.asarray(list(block.frame["grade"]), dtype=np.float64))
    held = coded(block, seen)
    ratings = held.ratings
    if not all(held.raters):
        raise InputError("dawid-skene needs to know who rated what, and some rows name no rater", block.name)
    if len(held.raters) < FEWEST_RATERS:
        raise InputError(
            f"dawid-skene cannot tell from {len(held.raters)} raters who errs", block.name,
            "take --raters mean, or let a third rater label the same pairs",
        )  # fmt: skip
    found = dawid_skene(ratings.item, ratings.rater, ratings.code, len(held.pairs), ratings.k)
    best = found.posterior.argmax(axis=1)
    columns = {
        "query_id": [query for query, _ in held.pairs],
        "doc_id": [doc for _, doc in held.pairs],
        "grade": seen[best].tolist(),
    }
    rows = np.zeros(len(held.pairs), dtype=np.int64)
    first = {pair: row for row, pair in reversed(list(enumerate(_pairs(block))))}
    rows[:] = [first[pair] for pair in held.pairs]
    return Block(columns, lambda i: block.place(int(rows[i])), block.name, tuple(_facts(held.raters, ratings, found)))


def _pairs(block: Block) -> list[tuple[str, str]]:
    return list(zip(map(str, block.frame["query_id"]), map(str, block.frame["doc_id"]), strict=True))


def _facts(raters: tuple[str, ...], ratings: Ratings, found: DawidSkene) -> list[str]:
    unsure = int((found.posterior.max(axis=1) < 0.8).sum())
    facts = [
        f"{len(found.posterior):,} pairs have the grade that is likeliest by how each of {len(raters)} raters errs "
        f"(Dawid and Skene, {found.rounds:,} rounds); {unsure:,} are less than 80 % sure"
    ]
    few = [name for i, name in enumerate(raters) if int((ratings.rater == i).sum()) < FEWEST_ITEMS]
    if few:
        facts.append(f"too few labels to tell how they err (under {FEWEST_ITEMS}): {', '.join(few)}")
    swapped = [raters[i] for i in found.swapped]
    if swapped:
        facts.append(f"of some grade they most often say another, so their labels may be swapped: {', '.join(swapped)}")
    if not found.converged:
        facts.append("the model did not come to rest; take another rule")
    return facts
