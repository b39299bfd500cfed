"""The design of the sample of queries: from the topics and what was said of the whole, to the weights of a mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, did_you_mean
from assay.measures.scores import Scores
from assay.results import Note
from assay.stats.sampling import ESTIMATORS, Sampling, by_strata
from assay.tables import Block

F64 = NDArray[np.float64]

INCLUSION = "inclusion"
"""The column of the topics that holds the chance with which a query was drawn into the sample."""
STRATUM = "stratum"
"""The column of the topics that holds the stratum a query was drawn from."""


@dataclass(frozen=True, slots=True)
class Design:
    """What was said of how the queries were drawn.

    Args:
        weighting: an estimator of `stats.sampling`; by the columns of the topics when None.
        strata: the column that holds the stratum.
        shares: of the strata, a dict or "head=0.6,tail=0.4".
        sizes: queries in each stratum in all, likewise.
        total: the traffic of all queries, or their number.
    """

    weighting: str | None = None
    strata: str | None = None
    shares: Any = None
    sizes: Any = None
    total: float | None = None

    def __post_init__(self) -> None:
        if self.weighting is not None and self.weighting not in ESTIMATORS:
            raise InputError(
                f"--weighting {self.weighting!r} is not one of {', '.join(ESTIMATORS)}"
                f"{did_you_mean(str(self.weighting), ESTIMATORS)}",
                remedy=f"pass --weighting {'|'.join(ESTIMATORS)}",
            )
        for name, value, wanted in (
            ("strata", self.strata, "stratified"),
            ("shares", self.shares, "stratified"),
            ("sizes", self.sizes, "stratified"),
            ("total", self.total, "horvitz-thompson"),
        ):
            if value is not None and self.weighting != wanted:
                raise InputError(
                    f"--{name} tells the weighting {wanted}, which was not asked for",
                    remedy=f"add --weighting {wanted}, or leave --{name} out",
                )
        if self.weighting == "stratified" and not self.shares:
            raise InputError(
                "--weighting stratified needs the share of each stratum",
                remedy="pass --shares NAME=SHARE,..., such as head=0.6,tail=0.4: of the traffic, or of all queries",
            )
        if self.weighting == "horvitz-thompson" and not (self.total is not None and 0 < self.total < float("inf")):
            raise InputError(
                "--weighting horvitz-thompson divides by the traffic of all queries, or by their number",
                remedy="pass --total NUMBER; where it is not known, --weighting hajek needs none",
            )

    @property
    def is_asked(self) -> bool:
        """Whether anything was said."""
        return self.weighting is not None


def sampled(scores: Scores, topics: Block | None, design: Design) -> Scores:
    """The scores with the weights of their queries.

    Raises:
        InputError: the topics lack what the design needs.
    """
    if topics is None:
        if design.is_asked:
            raise InputError(
                f"--weighting {design.weighting} needs a topics table", remedy="pass --topics FILE with its columns"
            )
        return scores
    has_chance, has_traffic = INCLUSION in topics.columns, scores.weights is not None
    name = design.weighting or ("hajek" if has_chance else "traffic" if has_traffic else None)
    if name is None:
        return scores
    if name == "stratified":
        made = _stratified(scores, topics, design)
    elif name == "traffic":
        if scores.weights is None:
            raise _without(topics, "traffic", "weight", "the traffic of each query")
        return scores
    else:
        if not has_chance:
            raise _without(topics, name, INCLUSION, "the chance with which each query was drawn, such as 0.05")
        chance = _chances(scores, topics)
        if unknown := _counting(scores, np.isnan(chance)):
            text = _lack(unknown, f"chance of being drawn ({INCLUSION})")
            if not design.is_asked:  # a mean that passes over them would be of other queries than it says
                said = f"{text.rpartition(': ')[0]}: no weighted mean"  # without ids, which redaction might not know
                note = Note("no-weighted-mean", said, count=len(unknown), level="warning")
                none = tuple(
                    replace(part, scores=replace(part.scores, weights=None, _cache={})) for part in scores.parts
                )
                return replace(scores, weights=None, parts=none, notes=(*scores.notes, note), _cache={})
            raise InputError(text, topics.name, f"give each a number in the column {INCLUSION}")
        traffic = np.ones(len(chance)) if scores.weights is None else scores.weights
        target = "query" if scores.weights is None else "traffic"
        if name == "horvitz-thompson" and (unknown := _counting(scores, np.isnan(traffic))):
            raise InputError(
                _lack(unknown, "weight, and the known total counts them"), topics.name, "give each its traffic"
            )
        made = Sampling(
            "hajek" if name == "hajek" else "horvitz-thompson", target, traffic / chance, chance, design.total  # type: ignore[arg-type] # one of the targets
        )  # fmt: skip
    places = {query: i for i, query in enumerate(scores.queries)}
    parts = []
    for part in scores.parts:
        index = [places[query] for query in part.scores.queries if query in places]
        if len(index) == len(part.scores.queries):
            own = replace(part.scores, weights=made.weights[index], sampling=made.part(index), _cache={})
            parts.append(replace(part, scores=own))
        else:
            parts.append(part)
    notes = (*scores.notes, Note("weighting", _said(made, design.strata or STRATUM)))
    return replace(scores, weights=made.weights, sampling=made, parts=tuple(parts), notes=notes, _cache={})


def _said(made: Sampling, column: str) -> str:
    """What the weighted means are, in words."""
    if made.estimator == "stratified":
        total = sum(made.shares.values())
        shares = ", ".join(f"{name} {share / total:.0%}".replace("%", " %") for name, share in made.shares.items())
        return (
            f"weighted means are stratified by {column} ({shares}); where the shares are of traffic, they are right if "
            "traffic and value have nothing to do with each other inside a stratum"
        )
    of = "over all distinct queries" if made.target == "query" else "by traffic"
    if made.estimator == "horvitz-thompson":
        return f"weighted means are {of}, by Horvitz and Thompson over the known total {made.total:,.10g}"
    return f"weighted means are {of}, by Hajek: a query counts for 1 / {INCLUSION} of its kind"


def _counting(scores: Scores, which: NDArray[np.bool_]) -> list[str]:
    """Those of the queries that have a value somewhere."""
    counts = which & ~np.isnan(scores.values).all(axis=(0, 1))
    return [scores.queries[i] for i in np.flatnonzero(counts).tolist()]


def _lack(queries: list[str], what: str) -> str:
    some = ", ".join(queries[:3]) + (", ..." if len(queries) > 3 else "")
    return f"{len(queries):,} judged {'query has' if len(queries) == 1 else 'queries have'} no {what}: {some}"


def _without(topics: Block, weighting: str, column: str, what: str) -> InputError:
    return InputError(f"--weighting {weighting} needs a column {column} in the topics", topics.name, f"give it: {what}")


def _chances(scores: Scores, topics: Block) -> F64:
    chances: dict[str, float] = {}
    for i, (query, chance) in enumerate(zip(topics.frame["query_id"], topics.frame[INCLUSION], strict=True)):
        if chance is None or chance == "":
            continue
        try:
            chances[query] = float(chance)
        except (TypeError, ValueError):
            chances[query] = float("nan")
        if not 0 < chances[query] <= 1:
            raise InputError(
                f"the chance {chance} of query {query} to be drawn is not between 0 and 1",
                topics.place(i),
                f"give {INCLUSION} as a share, such as 0.05",
            )
    return np.array([chances.get(query, np.nan) for query in scores.queries])


def _stratified(scores: Scores, topics: Block, design: Design) -> Sampling:
    column = design.strata or STRATUM
    if column not in topics.columns:
        others = [name for name in topics.columns if name not in ("query_id", "text", "weight")]
        raise InputError(
            f"the topics have no column {column} that tells the strata{did_you_mean(column, others)}",
            topics.name,
            "name it with --strata COLUMN",
        )
    known = {query: "" if value is None else str(value)
             for query, value in zip(topics.frame["query_id"], topics.frame[column], strict=True)}  # fmt: skip
    strata = np.array([known.get(query, "") for query in scores.queries], dtype=np.str_)
    if unknown := _counting(scores, strata == ""):
        raise InputError(
            _lack(unknown, f"stratum (column {column})"), topics.name, "give each the stratum that it was drawn from"
        )
    shares = spelt(design.shares, "shares")
    sizes = {name: int(size) for name, size in spelt(design.sizes, "sizes").items()} if design.sizes else {}
    _check_names(strata, shares, sizes, column, topics)
    return by_strata(strata, shares, sizes)


def _check_names(
    strata: NDArray[np.str_], shares: Mapping[str, float], sizes: Mapping[str, int], column: str, topics: Block
) -> None:
    found = [name for name in dict.fromkeys(strata.tolist()) if name]
    for name in shares:
        if name not in found:
            raise InputError(
                f"no judged query is in the stratum {name}{did_you_mean(name, found)}",
                topics.name,
                f"the column {column} holds {', '.join(found) or 'nothing'}",
            )
    if missing := [name for name in found if name not in shares]:
        raise InputError(
            f"the share of the stratum {missing[0]} is not known", topics.name, f"add {missing[0]}=SHARE to --shares"
        )
    for name in shares if sizes else ():
        taken = int((strata == name).sum())
        if sizes.get(name, 0) < taken:
            raise InputError(
                f"the stratum {name} has {sizes.get(name, 0):,} queries in all, and {taken:,} of them are judged",
                topics.name,
                "pass --sizes NAME=NUMBER,... with all queries of each stratum, or leave it out",
            )


def spelt(given: Any, name: str) -> dict[str, float]:
    """Numbers by name, from a dict or from text such as "head=0.6,tail=0.4"."""
    if isinstance(given, Mapping):
        entries = [(str(key), value) for key, value in given.items()]
    else:
        pieces = [piece.rpartition("=") for piece in str(given).split(",") if piece.strip()]
        entries = [(key.strip(), value.strip()) for key, _, value in pieces]
    found: dict[str, float] = {}
    for key, value in entries:
        try:
            found[key] = float(value)
        except (TypeError, ValueError):
            found[key] = float("nan")
        if not key or not 0 <= found[key] < float("inf"):
            raise InputError(
                f"--{name} {given} is not a number of 0 or more for each stratum",
                remedy=f"pass --{name} head=0.6,tail=0.4",
            )
    if not sum(found.values()) > 0:
        raise InputError(f"--{name} {given} adds up to nothing", remedy=f"pass --{name} head=0.6,tail=0.4")
    return found
