"""What a policy would have earned on a log of documents that were drawn, each with the chance that it had."""

from __future__ import annotations

import csv
import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, NotEnoughEvidence
from assay.files import spelled
from assay.flows.click_logs import LogChoices, Paths, notes_of, opened, read_of
from assay.results import Note, Source

if TYPE_CHECKING:
    import polars as pl

    from assay.clicks.bandit import Drawn, Policy
    from assay.clicks.behaviour import LogRead
    from assay.clicks.off_policy import Counterfactual, Reason
    from assay.logs.log import Log

ESTIMATORS = ("ips", "snips", "clipped", "dr")

SUMS_TO_1 = 0.001
"""By which the chances of a position may be off 1: files are written with few digits."""

DOCUMENT = ("doc_id", "item_id", "document_id", "product_id")
CHANCE = ("chance", "probability", "propensity", "share", "p")


def of_policy(
    log: Paths, target: Any, estimator: str, clip: float, choices: LogChoices, command: str
) -> Counterfactual:  # fmt: skip
    """See `counterfactual.counterfactual`, whose `bandit` this is."""
    if estimator not in ESTIMATORS:
        raise InputError(f"{estimator!r} is no estimator of a policy", "--estimator",
                         f"pass one of {', '.join(ESTIMATORS)}")  # fmt: skip
    if not isinstance(target, str | os.PathLike):
        raise InputError("a policy is a file of documents with their chances", "target", "pass the path of a CSV file")
    if not clip > 0:
        raise InputError(f"no row can weigh at most {clip:g}", "--clip", "pass a number above 0")
    chances = chances_of(target)
    here = opened(log, choices, is_bandit=True)
    try:
        frame = here.run("bandit_cells")
        drawn = _drawn(frame.filter(frame["is_bad"] == 0), chances, spelled(here.sources[0].files.paths[0]))
        read = read_of(here, choices)
        persons = _by_person(here, chances, drawn)
    finally:
        here.engine.close()
    return _said(drawn, estimator, clip, persons, Path(target).stem, notes_of(read), read, command)


def chances_of(path: str | os.PathLike[str]) -> dict[tuple[str, int], float]:
    """Chances by document and position: one column a position (`p_position1`, ...), or one row each.

    Raises:
        InputError: the file is neither, or the chances of a position do not add up to 1.
    """
    name = spelled(path)
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            lines = csv.DictReader(file)
            columns = list(lines.fieldnames or ())
            rows = [(lines.line_num, row) for row in lines]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot be read as a policy", name, "pass a CSV file of documents and chances") from error
    document = next((one for one in DOCUMENT if one in columns), None)
    chance = next((one for one in CHANCE if one in columns), None)
    wide = {one: int(hit.group(1)) for one in columns if (hit := re.search(r"(\d+)$", one))}
    is_long = "position" in columns and chance is not None
    if document is None or not (is_long or wide):
        raise InputError("is no policy: no document with its chances by position", f"{name}:1",
                         "write doc_id,position,chance; or doc_id,p_position1,p_position2,...")  # fmt: skip
    found: dict[tuple[str, int], float] = {}
    for line, row in rows:
        pairs = [("position", chance)] if is_long else [(one, one) for one in wide]
        for place, value in pairs:
            try:
                position = int(row[place]) if is_long else wide[place]
                number = float(row[value or ""])
            except (TypeError, ValueError, KeyError):
                raise InputError("is no document with a position and a chance", f"{name}:{line}",
                                 "write numbers") from None  # fmt: skip
            key = (row[document], position)
            if key in found or not 0 <= number <= 1:
                what = "stands twice" if key in found else f"has the chance {number:g}, which is not from 0 to 1"
                raise InputError(f"document {key[0]} at position {position} {what}", f"{name}:{line}", "mend the row")
            found[key] = number
    for position in sorted({place for _, place in found}):
        whole = sum(number for (_, place), number in found.items() if place == position)
        if abs(whole - 1) > SUMS_TO_1:
            raise InputError(f"the chances at position {position} add up to {whole:g} and not to 1", name,
                             "give every document that the policy shows there")  # fmt: skip
    return found


def _drawn(frame: pl.DataFrame, chances: dict[tuple[str, int], float], where: str) -> Drawn:
    """The log by document and position, beside the chances of the policy; `where` it is, for messages.

    Raises:
        InputError: a row has no document, position or chance, or the policy says nothing of a position.
        NotEnoughEvidence: there is no row.
    """
    import numpy as np
    import polars as pl

    from assay.clicks.bandit import Drawn

    if not frame.height:
        raise NotEnoughEvidence("nothing is left in the log to weigh")
    holes = frame.filter(pl.any_horizontal(pl.col("doc_id", "position", "propensity").is_null()))
    if holes.height:
        raise InputError("a row has no document, no position or no propensity", where,
                         "leave such rows out, or say with --columns where they stand",
                         count=int(holes["impressions"].sum()))  # fmt: skip
    frame = frame.sort("position", "doc_id", "propensity")
    shown = sorted(set(frame["position"].to_list()))
    absent = sorted(set(shown) - {place for _, place in chances})
    if absent:
        raise InputError(f"says nothing of position {absent[0]}, at which the log shows documents", "target",
                         "give chances for every position of the log")  # fmt: skip
    cell = frame.select(pl.struct("position", "doc_id").rle_id()).to_series().to_numpy().astype(np.int64)
    firsts = frame.select("position", "doc_id").unique(maintain_order=True)
    keys = list(zip(firsts["doc_id"], firsts["position"], strict=True))
    known = set(keys)
    elsewhere = [math.fsum(value for key, value in chances.items() if key[1] == place and key not in known)
                 for place in shown]  # fmt: skip
    return Drawn(
        cell, np.searchsorted(shown, firsts["position"].to_numpy()).astype(np.int64),
        frame["propensity"].to_numpy().astype(np.float64), frame["impressions"].to_numpy().astype(np.float64),
        frame["clicks"].to_numpy().astype(np.float64), np.array([chances.get(key, 0.0) for key in keys]),
        np.array(elsewhere),
    )  # fmt: skip


def _by_person(log: Log, chances: dict[tuple[str, int], float], drawn: Drawn) -> dict[str, Any] | None:
    """Sums over people; None where nobody is named, or not in every row."""
    if not (log.has("unit_id") or log.has("session_id") or log.has("impression_id")):
        return None
    rows = [(document, position, chance) for (document, position), chance in chances.items()]
    log.engine.lay("target", {"doc_id": "VARCHAR", "position": "BIGINT", "chance": "DOUBLE"}, rows)
    row: dict[str, Any] = log.run("bandit_moments").row(0, named=True)
    return row if row["units"] and row["shown"] == drawn.n else None


def _estimate(drawn: Drawn, estimator: str, clip: float) -> Policy:
    from assay.clicks import bandit

    if estimator == "clipped":
        return bandit.clipped(drawn, clip)
    return {"ips": bandit.ips, "snips": bandit.snips, "dr": bandit.doubly_robust}[estimator](drawn)


def _errors_by_person(row: dict[str, Any] | None, estimator: str) -> tuple[float | None, float | None, int]:
    """Standard errors of the estimate and of the mean weight, and the number of people; None where rows give them."""
    from assay.stats.moments import Moments

    if row is None:
        return None, None, 0
    n = row["units"]
    weight = Moments(n, row["shown"], row["weight"], row["shown_shown"], row["weight_weight"], row["weight_shown"])
    by_name = {
        "ips": Moments(n, row["shown"], row["adds"], row["shown_shown"], row["adds_adds"], row["adds_shown"]),
        "snips": Moments(n, row["weight"], row["adds"], row["weight_weight"], row["adds_adds"], row["adds_weight"]),
    }
    found = by_name.get(estimator)
    spread = None if found is None or found.variance is None else math.sqrt(found.variance)
    return spread, None if weight.variance is None else math.sqrt(weight.variance), n


def _said(
    drawn: Drawn, estimator: str, clip: float, persons: dict[str, Any] | None, name: str, notes: list[Note],
    read: LogRead, command: str,
) -> Counterfactual:  # fmt: skip
    from assay import __version__
    from assay.clicks.bandit import difference, mean_weight, no_bounds, policy_bounds
    from assay.clicks.off_policy import Counterfactual, Estimated
    from assay.clicks.weights import carried, reasons
    from assay.stats.intervals import t_quantile

    one, mean, ends = _estimate(drawn, estimator, clip), mean_weight(drawn), policy_bounds(drawn)
    by_unit, mean_by_unit, units = _errors_by_person(persons, estimator)
    se, mean_se = (own if own is not None else other for own, other in ((by_unit, one.se), (mean_by_unit, mean.se)))
    weighed = carried(drawn.weight, drawn.impressions, drawn.clicks, drawn.propensity)
    against: tuple[Reason, ...] = reasons(weighed.ess, mean.value, mean_se, ends.supported, clicks=weighed.clicks)
    is_fine, why = not against, ", ".join(reason.rule for reason in against)
    if any(reason.rule != "support" for reason in against):
        ends = no_bounds(ends.supported)
    reach = se * t_quantile(0.975, (units if by_unit is not None else drawn.n) - 1)
    apart, clicks = difference(drawn), float(drawn.clicks.sum())
    others = []
    for kind in ESTIMATORS:
        other = _estimate(drawn, kind, clip)
        others.append(Estimated(kind, other.value if is_fine else None, other.se if is_fine else None, mean.value, why))
    if weighed.effective_clicks < 30:
        notes.append(Note("few-clicks", f"clicks are worth {weighed.effective_clicks:.0f} of equal weight: an interval "
                          "from so few is too narrow", level="warning"))  # fmt: skip
    if estimator == "clipped":
        notes.append(Note("clipped", f"no row weighs more than {clip:g}: the estimate is too low by what is cut off"))
    return Counterfactual(
        target=name, measure="clicks", scale="a showing", estimator=estimator,
        value=one.value if is_fine else None, se=se if is_fine else None,
        low=max(one.value - reach, 0.0) if is_fine else None, high=one.value + reach if is_fine else None,
        se_propensities=0.0 if is_fine else None,
        errors=f"sums over {units:,} people or sessions" if by_unit is not None else "rows taken as independent",
        worst=ends.low, best=ends.high, worst_means=ends.low_means, best_means=ends.high_means,
        supported=ends.supported, reasons=against,
        searches=round(drawn.n), all_searches=round(drawn.n), units=units, queries=0, clicks=round(clicks),
        weighed=float(drawn.clicks @ (1 / drawn.propensity)), ess=weighed.ess,
        effective_clicks=weighed.effective_clicks, mean_weight=mean.value, mean_weight_se=mean_se,
        largest=float(drawn.weight.max()), largest_share=weighed.share,
        logged=clicks / drawn.n if is_fine else None, difference=apart.value if is_fine else None,
        difference_low=apart.value - 1.959964 * apart.se if is_fine else None,
        difference_high=apart.value + 1.959964 * apart.se if is_fine else None,
        others=tuple(others), tenths=weighed.tenths, propensities="known: they stand in the log", fits=None, log=read,
        notes=tuple(notes), source=Source(versions=(("assay", __version__),), command=command),
    )  # fmt: skip
