"""What a click model is: chances of a click at each position of a list, with and without the clicks above.

A member is a frozen dataclass of its parameters with `@click_model(name)`. It is fitted to the counts that it needs;
every kind of counts can be taken from lists, so that all models can be compared on the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self, TypeVar, cast, runtime_checkable

import numpy as np

from assay.clicks.cells import Bool
from assay.clicks.lists import Lists
from assay.clicks.pairs import F64, I64
from assay.registry import Family

Needs = Literal["cells", "cascade", "by_last_click", "lists"]

RARE = 1e-6
"""What a model calls impossible is given this chance, so that one such click does not outweigh all else."""


@runtime_checkable
class ClickModel(Protocol):
    """A fitted click model.

    `pair` is i64[n, K] everywhere: the query-document pair at each position, -1 below the end of a list; there every
    chance is 0.
    """

    needs: ClassVar[Needs]

    @classmethod
    def fit(cls, counts: Any, /) -> Self:
        """The model of these counts, which are of the kind that it `needs`."""

    @property
    def relevance(self) -> F64:
        """f64[n_pairs]: what the model says of documents; larger is better, no unit."""

    def marginal(self, pair: I64, /) -> F64:
        """f64[n, K]: chance of a click when only the list is known."""

    def conditional(self, lists: Lists, /) -> F64:
        """f64[n, K]: chance of a click when the clicks above are known, too."""

    def sample(self, pair: I64, rng: np.random.Generator, /) -> Bool:
        """bool[n, K]: clicks as a reader who follows the model would make them."""


CLICK_MODELS: Family[type[ClickModel]] = Family("click model", "assay.clicks.models")

T = TypeVar("T")


def click_model(name: str) -> Callable[[type[T]], type[T]]:
    """Registers a class as the click model of that name."""

    def register(model: type[T]) -> type[T]:
        CLICK_MODELS.add(name)(cast(type[ClickModel], model))
        return model

    return register


def fit(name: str, lists: Lists, **options: Any) -> ClickModel:
    """The click model of that name, fitted to lists.

    Args:
        name: one of `CLICK_MODELS.names()`.
        lists: the earlier ones, when others are to be predicted.
        options: of the model's own `fit`.

    Raises:
        InputError: no model has that name.
    """
    model = CLICK_MODELS.find(name)
    taken: dict[Needs, Callable[[], Any]] = {
        "cells": lists.cells,
        "cascade": lists.cascade,
        "by_last_click": lists.by_last_click,
        "lists": lambda: lists,
    }
    return model.fit(taken[model.needs](), **options)


def look_up(values: F64, pair: I64) -> F64:
    """f64[n, K]: the value of each shown pair; 0 below the end of a list."""
    return np.where(pair >= 0, values[pair], 0.0)


def along(values: F64, depth: int) -> F64:
    """f64[depth]: values by position; the last one stands for deeper positions, too."""
    return values[np.minimum(np.arange(depth), len(values) - 1)]


@dataclass(frozen=True, slots=True, eq=False)
class Perplexity:
    """How many equally likely outcomes a place is worth: 1 is always right, 2 a coin.

    Args:
        at: f64[K], 2^(-mean log2 P) of each position, over the lists that reach it.
        mean: arithmetic mean of `at` over positions (Dupret and Piwowarski, SIGIR 2008; PyClick).
        pooled: 2^(-mean log2 P) over all places at once; positions weigh as they occur.
    """

    at: F64
    mean: float
    pooled: float


@dataclass(frozen=True, slots=True)
class Quality:
    """How well a model predicts lists.

    Args:
        lists: how many, with their counts.
        by_list: mean log-likelihood of the clicks of a list: the sum over its positions.
        by_place: mean over lists of the mean over positions, as PyClick says it.
        perplexity: from marginal chances: the clicks above are not known.
        conditional: perplexity from chances given the clicks above.
    """

    lists: float
    by_list: float
    by_place: float
    perplexity: Perplexity
    conditional: Perplexity


def log_likelihood(model: ClickModel, lists: Lists) -> F64:
    """f64[n]: the log-likelihood of each list's clicks."""
    found: F64 = _logs(model.conditional(lists), lists).sum(1)
    return found


def quality(model: ClickModel, lists: Lists) -> Quality:
    """How well a model predicts lists; those of a later time, to be fair to all."""
    logs = _logs(model.conditional(lists), lists)
    lists_in_all, by_list = float(lists.count.sum()), logs.sum(1)
    lengths = lists.shown.sum(1)
    return Quality(
        lists_in_all,
        float(lists.count @ by_list) / lists_in_all,
        float(lists.count @ (by_list / lengths)) / lists_in_all,
        _perplexity(_logs(model.marginal(lists.pair), lists), lists),
        _perplexity(logs, lists),
    )


def _logs(chance: F64, lists: Lists) -> F64:
    """f64[n, K]: log of the chance of what happened; 0 below the end of a list."""
    happened = np.clip(np.where(lists.clicked, chance, 1 - chance), RARE, 1.0)
    return np.where(lists.shown, np.log(happened), 0.0)


def _perplexity(logs: F64, lists: Lists) -> Perplexity:
    places, bits = lists.count @ lists.shown, -(lists.count @ logs) / np.log(2)
    at: F64 = 2 ** np.divide(bits, places, out=np.full(len(bits), np.nan), where=places > 0)
    return Perplexity(at, float(np.nanmean(at)), float(2 ** (bits.sum() / places.sum())))


def relevance_auc(relevance: F64, grade: F64, relevant: float = 1.0) -> float:
    """The chance that a relevant document is put above one that is not; ties count half.

    Args:
        relevance: f64[n_pairs], larger is better; pairs that are NaN are left out.
        grade: f64[n_pairs], NaN where unjudged; such pairs are left out.
        relevant: from which grade on.

    Returns:
        0 to 1, over all pairs at once; NaN where only one kind of documents is left.

    Source: the rank sum of Mann and Whitney, Annals of Mathematical Statistics 18(1), 1947.
    """
    from scipy.stats import rankdata

    known = ~np.isnan(relevance) & ~np.isnan(grade)
    good = grade[known] >= relevant
    if good.all() or not good.any():
        return float("nan")
    above = rankdata(relevance[known])[good].sum() - good.sum() * (good.sum() + 1) / 2
    return float(above / (good.sum() * (~good).sum()))
