"""A fair sample of queries: strata with sizes of their own, and in each the chance of a query known.

Inside a stratum queries are drawn by Pareto sampling (Rosén, J. Stat. Plan. Inference 62, 1997): a fixed number of
different queries, each with a chance in proportion to its traffic. The random number of a query hangs on its text and
the seed alone, so that a refreshed set keeps what it can. With the chances in hand, later means are those of the
traffic: Hajek's estimator takes traffic / chance as the weight of a query.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from assay.errors import InputError, did_you_mean
from assay.judgments.searches import COLUMNS, OUTCOMES
from assay.judgments.traffic import Spelling, Traffic
from assay.keys import coin, fingerprint
from assay.ranking.ranking import F64, I64, Bool
from assay.ranking.segments import KNOWN_ITEM, by_traffic
from assay.results import Note, Result, kept
from assay.stats.pareto import exact, inclusion, pareto
from assay.text import FOLDS, NEAR

Within = Literal["traffic", "equal"]

BY_TRAFFIC = ("head", "torso", "tail")
STRATA = (*BY_TRAFFIC, KNOWN_ITEM, *OUTCOMES)
"""What a stratum can be."""

SHORT_ID = 10


@kept("sampled-query")
@dataclass(frozen=True, slots=True)
class SampledQuery:
    """One query of a set: a row of its topics.

    Args:
        query_id: made from its text, the same in every set.
        text: its most frequent form.
        weight: how often it was asked.
        stratum: what it was drawn from.
        inclusion: the chance with which it was drawn, above 0 up to 1.
    """

    query_id: str
    text: str
    weight: float
    stratum: str
    inclusion: float


@kept("stratum")
@dataclass(frozen=True, slots=True)
class Stratum:
    """What one stratum holds and what was drawn from it.

    Args:
        name: of the stratum; "(none)" is what no stratum holds.
        queries: different queries in it.
        traffic: how often they were asked.
        share: of all traffic.
        wanted: how many were to be drawn.
        drawn: how many were.
        covered: share of the stratum's traffic that the drawn ones are.
    """

    name: str
    queries: int
    traffic: float
    share: float
    wanted: int
    drawn: int
    covered: float


@kept("refresh")
@dataclass(frozen=True, slots=True)
class Refresh:
    """What changed against an earlier set.

    Args:
        replaces: version of the earlier set.
        before: how many queries it had.
        stayed: ids that are in both.
        gone: texts of earlier queries that nobody asks any more.
        left: texts of earlier queries that are still asked and were not drawn now.
        arrived: texts of new ones.
        covered: share of the present traffic that the earlier set's queries are.
        covers: the same for this set.
    """

    replaces: str
    before: int
    stayed: int
    gone: tuple[str, ...]
    left: tuple[str, ...]
    arrived: tuple[str, ...]
    covered: float
    covers: float


@kept("query-sample")
@dataclass(frozen=True, kw_only=True)
class QuerySample(Result):
    """A set of queries drawn from traffic.

    Args:
        queries: what was drawn, by stratum, the most frequent first.
        strata: each stratum in the order asked for; what no stratum holds comes last.
        cuts: shares of the traffic up to which queries are head and torso.
        version: fingerprint of the set.
        seed: of the draw.
        traffic: how often queries were asked in all.
        distinct: how many different ones.
        folds: (rule, spellings, searches) of the texts that count as another one, by the rule that made them one.
        spellings: those of the drawn queries, the most frequent first; `_spellings` has them all until it is kept.
        replaces: version of the set that this one succeeds; empty where it is the first.
        refresh: what changed against an earlier set; None when none was given.
    """

    queries: tuple[SampledQuery, ...]
    strata: tuple[Stratum, ...]
    cuts: tuple[float, float]
    version: str
    seed: int
    traffic: float
    distinct: int
    folds: tuple[tuple[str, int, float], ...] = ()
    spellings: tuple[Spelling, ...] = ()
    replaces: str = ""
    refresh: Refresh | None = None
    _spellings: tuple[Spelling, ...] = field(default=(), repr=False, compare=False)


def sample(
    log: Traffic, *, size: int | None = None, strata: Mapping[str, int | None] | None = None,
    known_items: Sequence[str] = (), known_pattern: str = "", head: float = 0.33, torso: float = 0.67,
    within: Within = "traffic", seed: int = 0, old: Mapping[str, str] | None = None, replaces: str = "",
) -> QuerySample:  # fmt: skip
    """Draws a set of queries.

    Args:
        log: the traffic.
        size: how many queries in all; the sum of the strata's when None.
        strata: name (see `STRATA`) to how many; a None takes an equal part of what is left of `size`. Head, torso and
            tail in equal parts when None.
        known_items: folded queries that look for one thing.
        known_pattern: a regular expression for such queries, without regard to case.
        head: share of the traffic that ends the head.
        torso: share that ends the torso.
        within: chances inside a stratum: in proportion to "traffic", or "equal".
        seed: of the draw; keep it when a set is refreshed.
        old: folded text to text of an earlier set.
        replaces: its version.

    Raises:
        InputError: a stratum is unknown or cannot be told from this log, or the sizes do not add up.
    """
    wanted = _sizes(size, strata)
    codes = _stratify(log, list(wanted), known_items, known_pattern, head, torso)
    chance, chosen = np.zeros(len(log)), np.zeros(len(log), dtype=np.bool_)
    luck = _luck(log.keys, seed)
    for code, name in enumerate(wanted):
        own = np.flatnonzero(codes == code)
        chance[own] = inclusion(log.count[own] if within == "traffic" else np.ones(len(own)), wanted[name])
        chosen[own[pareto(chance[own], luck[own], min(wanted[name], len(own)))]] = True
        chance[own] = exact(chance[own], wanted[name])
    names = [*wanted, "(none)"]
    total = float(log.count.sum())
    held = tuple(
        _stratum(name, wanted.get(name, 0), codes == (code if name in wanted else -1), chosen, log.count, total)
        for code, name in enumerate(names)
    )
    order = sorted(np.flatnonzero(chosen).tolist(), key=lambda i: (codes[i], -log.count[i], log.keys[i]))
    ids = query_ids([log.keys[i] for i in order])
    rows = tuple(
        SampledQuery(query_id, log.texts[i], float(log.count[i]), names[codes[i]], float(chance[i]))
        for query_id, i in zip(ids, order, strict=True)
    )
    drawn_texts = {row.text for row in rows}
    refresh = None if old is None else _refresh(log, chosen, old, replaces, total)
    return QuerySample(
        queries=rows, strata=tuple(s for s in held if s.queries or s.wanted), cuts=(head, torso), seed=seed,
        version=version([(q.query_id, q.text, q.weight, q.inclusion) for q in rows]), traffic=total,
        distinct=len(log), refresh=refresh, notes=tuple(_notes(log, held)), folds=_folds(log.spellings),
        spellings=tuple(one for one in log.spellings if one.counts_as in drawn_texts), _spellings=log.spellings,
        replaces=replaces,
    )  # fmt: skip


def _folds(spellings: Sequence[Spelling]) -> tuple[tuple[str, int, float], ...]:
    """How many texts each rule folded, in the order of the rules."""
    found: dict[str, list[float]] = {}
    for one in spellings:
        found.setdefault(one.rule, []).append(one.searches)
    return tuple((rule, len(found[rule]), sum(found[rule])) for rule in (*FOLDS, *NEAR) if rule in found)


def query_ids(keys: Sequence[str]) -> list[str]:
    """A short id of each folded text, the same in every set."""
    made = [f"q-{fingerprint(key)[:SHORT_ID]}" for key in keys]
    if len(set(made)) < len(made):  # one chance in a million at a million queries
        made = [f"q-{fingerprint(key)}" for key in keys]
    return made


def version(rows: Sequence[tuple[str, str, float, float]]) -> str:
    """The fingerprint of a set, whatever the order of its rows: (query_id, text, weight, inclusion)."""
    lines = sorted(f"{query_id}\t{text}\t{weight:.6g}\t{chance:.6g}" for query_id, text, weight, chance in rows)
    return fingerprint("\n".join(lines))[:12]


def _luck(keys: Sequence[str], seed: int) -> F64:
    """A uniform number in (0, 1) for each text, the same in every draw with that seed."""
    secret = str(seed).encode()
    return np.array([(coin(secret, "sample", key) + 0.5) / 2.0**64 for key in keys], dtype=np.float64)


def _sizes(size: int | None, strata: Mapping[str, int | None] | None) -> dict[str, int]:
    given = dict.fromkeys(BY_TRAFFIC) if strata is None else dict(strata)
    for name in given:
        if name not in STRATA:
            raise InputError(
                f"unknown stratum {name}{did_you_mean(name, STRATA)}", "--strata", f"choose {', '.join(STRATA)}"
            )
    open_ = [name for name, n in given.items() if n is None]
    fixed = sum(n for n in given.values() if n is not None)
    if size is None:
        if open_:
            raise InputError("how many queries to draw is not said", "--size", "pass --size 200, or --strata head:60")
        size = fixed
    if not size:
        raise InputError(
            "no query is asked for", "--strata", "write how many, such as --strata head:60,torso:60,tail:60"
        )
    left = size - fixed
    if 0 < left < len(open_):
        raise InputError(
            f"{left:,} quer{'y is' if left == 1 else 'ies are'} left for {len(open_)} strata: {', '.join(open_)}",
            "--size", "draw more, or say of each stratum how many: --strata head:2",
        )  # fmt: skip
    if left < 0 or (left and not open_) or left < len(open_):
        raise InputError(
            f"the strata ask for {fixed:,} queries and --size for {size:,}", "--strata",
            "let the numbers add up to --size, or leave one of them out",
        )  # fmt: skip
    for i, name in enumerate(open_):
        given[name] = left // len(open_) + (i < left % len(open_))
    return {name: int(n or 0) for name, n in given.items()}


def _stratify(
    log: Traffic, names: list[str], known_items: Sequence[str], known_pattern: str, head: float, torso: float
) -> I64:
    """The stratum of each query, a place in `names` or -1: special ones in the order asked for, then by traffic."""
    if not 0 < head < torso < 1:
        raise InputError(f"cut points of {head:g} and {torso:g}", "--head, --torso", "let 0 < head < torso < 1")
    codes = np.full(len(log), -1, dtype=np.int64)
    parts = by_traffic(log.keys, log.count, head, torso)
    for code, name in enumerate(names):
        if name in BY_TRAFFIC:
            continue
        own = _is_known(log, known_items, known_pattern) if name == KNOWN_ITEM else _ends_so(log, name)
        codes[own & (codes < 0)] = code
    for code, name in enumerate(names):
        if name in BY_TRAFFIC:
            wanted = set(parts.get(name, ()))
            own = np.array([key in wanted for key in log.keys], dtype=np.bool_)
            codes[own & (codes < 0)] = code
    return codes


def _is_known(log: Traffic, known_items: Sequence[str], pattern: str) -> Bool:
    if not known_items and not pattern:
        raise InputError(
            "how a known item is told is not said", "--strata known-item",
            "pass --known-item PATTERN (a regular expression) or --known-items FILE",
        )  # fmt: skip
    try:
        told = re.compile(pattern, re.IGNORECASE) if pattern else None
    except re.error as error:
        raise InputError(f"{pattern!r} is no regular expression: {error}", "--known-item",
                         "put a backslash before what stands for itself, or close what is open") from None  # fmt: skip
    listed = set(known_items)
    pairs = zip(log.keys, log.texts, strict=True)
    return np.array([key in listed or bool(told and told.search(text)) for key, text in pairs], dtype=np.bool_)


def _ends_so(log: Traffic, name: str) -> Bool:
    """Queries of which more than half ended so."""
    if name not in log.outcomes:
        column = COLUMNS[name]
        raise InputError(
            f"the log does not tell {name}", f"--strata {name}", f"name its column by --columns {column}=COLUMN"
        )
    return np.asarray(log.outcomes[name] > log.count / 2)


def _stratum(name: str, wanted: int, own: Bool, chosen: Bool, count: F64, total: float) -> Stratum:
    traffic, drawn = float(count[own].sum()), own & chosen
    covered = float(count[drawn].sum()) / traffic if traffic else 0.0
    return Stratum(name, int(own.sum()), traffic, traffic / total, wanted, int(drawn.sum()), covered)


def _refresh(log: Traffic, chosen: Bool, old: Mapping[str, str], replaces: str, total: float) -> Refresh:
    place = {key: i for i, key in enumerate(log.keys)}
    present = [key for key in old if key in place]
    return Refresh(
        replaces=replaces,
        before=len(old),
        stayed=sum(bool(chosen[place[key]]) for key in present),
        gone=tuple(text for key, text in old.items() if key not in place),
        left=tuple(old[key] for key in present if not chosen[place[key]]),
        arrived=tuple(log.texts[i] for i in np.flatnonzero(chosen).tolist() if log.keys[i] not in old),
        covered=sum(float(log.count[place[key]]) for key in present) / total,
        covers=float(log.count[chosen].sum()) / total,
    )


def _notes(log: Traffic, strata: Sequence[Stratum]) -> list[Note]:
    notes = []
    n = len(log.spellings)
    if n:
        by = ", ".join(f"{rule} {count:,}" for rule, count, _ in _folds(log.spellings))
        text = f"{n:,} further spelling{'' if n == 1 else 's'} of the same queries count with them: {by}"
        notes.append(Note("folded", text, count=n))
    if log.personal:
        kinds = ", ".join(f"{kind} {n:,}" for kind, n in sorted(log.personal.items()))
        notes.append(
            Note("personal", f"texts with personal data are left out: {kinds}", count=sum(log.personal.values()))
        )
    if log.empty:
        text = f"{log.empty:,} rows hold no query" if log.empty > 1 else "1 row holds no query"
        notes.append(Note("empty", text, count=log.empty))
    if log.unnamed:
        text = (f"{log.unnamed:,} rows name no search, and are left out" if log.unnamed > 1
                else "1 row names no search, and is left out")  # fmt: skip
        notes.append(Note("unnamed", text, count=log.unnamed, level="warning"))
    if log.outside:
        notes.append(Note("outside", f"{log.outside:,.0f} searches lie outside the days that count"))
    for s in strata:
        if s.name == "(none)" and s.queries:
            text = f"{s.share:.1%} of the traffic is in no stratum: means of this set say nothing of it".replace(
                "%", " %"
            )
            notes.append(Note("uncovered", text, level="warning"))
        elif s.drawn < s.wanted:
            notes.append(
                Note("short", f"{s.name} has {s.queries:,} queries and {s.wanted:,} were wanted: all are taken")
            )
    return notes
