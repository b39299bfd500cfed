"""`assay sample`: from a log to a fair set of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from assay.errors import InputError, did_you_mean
from assay.flows.choices import chosen
from assay.flows.evaluate import source_of
from assay.flows.mistaken import for_a_log
from assay.flows.workbench import Workbench
from assay.results import Note
from assay.tables import Block, Document, LoggedQuery, Topic, formulas
from assay.text import FOLDS, NEAR, Fold, Near, fold, personal_data

SET, REPLACES = "set", "replaces"
"""Columns of a written set: its version, and that of the set that it succeeds."""

UBI = "ubi"
"""The input format of logs of User Behavior Insights, which are also known by their content."""

if TYPE_CHECKING:
    from assay.judgments.sample import QuerySample, Within


def sample(
    log: Any,
    *,
    events: Any = None,
    application: str = "",
    size: int | None = None,
    strata: Mapping[str, int | None] | str | None = None,
    known_item: str = "",
    known_items: Any = None,
    known_documents: Any = None,
    within: Within = "traffic",
    same: Fold = "form",
    near: Sequence[Near] | str = (),
    first: str | None = None,
    last: str | None = None,
    time_zone: str | None = None,
    refresh: Any = None,
    seed: int = 0,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    bench: Workbench | None = None,
    command: str = "",
    **choices: Any,
) -> QuerySample:
    """Draws a set of queries from a log, in strata, each query with a known chance.

    Args:
        log: a table with a query in each row (`text`), and where known how often it was asked (`count`), when
            (`asked_at`), its `results` and `clicks`, and whether it was `escalated`; or the queries of UBI.
        events: the events of UBI, where they stand in a file of their own.
        application: of UBI: whose records count; those of all when empty.
        size: how many queries.
        strata: "head:60,torso:60,tail:60,known-item:20" or a dict; see `assay.judgments.sample.STRATA`.
        known_item: a regular expression of queries that look for one thing: part numbers, names, exact titles.
        known_items: a table of such queries.
        known_documents: a table of documents: a query that is the id or the whole title of one looks for one thing.
        within: chances inside a stratum: "traffic" (in proportion) or "equal".
        same: when two texts are one query: "exact", "form" or "words".
        near: further rules by which they are: "accents", "plurals", "typos"; see `assay.text.NEAR`.
        first: the first day that counts, 2026-03-01.
        last: the last day that counts.
        time_zone: in which days begin, and that of times without one.
        refresh: topics of an earlier set, to say what changed.
        seed: of the draw; keep it when a set is refreshed.
        format: of the files; recognised from content when None.
        columns: name of the column that holds each field.
        bench: where inputs are found.
        command: how the result was asked for.
        **choices: settings; [segments] says where head and torso end.

    Raises:
        InputError: a stratum is unknown or the log cannot tell it, the sizes do not add up, or nothing can be drawn.
    """
    from assay.judgments.sample import sample as drawn
    from assay.judgments.traffic import Window, day, traffic, zone

    if same not in FOLDS:
        raise InputError(f"unknown rule {same}{did_you_mean(same, FOLDS)}", "--same", f"choose {', '.join(FOLDS)}")
    rules = parse_near(near)
    bench = Workbench.open() if bench is None else bench
    held = chosen(bench.workspace, choices)
    rows = _log(bench, log, events, application, format, columns)
    window = Window(day(first, "--from"), day(last, "--to"), zone(time_zone))
    listed = [] if known_items is None else _known(bench, known_items)
    if known_documents is not None:
        listed += _names(bench.table(known_documents, Document, name="known documents"))
    found = traffic(rows, rule=same, near=rules, window=window)
    old, replaces, notes = None, "", [Note("read", fact) for fact in rows.facts]
    if refresh is not None:
        old, replaces, more = _earlier(bench.table(refresh, Topic, name="the earlier set"), same, rules, found.meant)
        notes += more
    made = drawn(
        found, size=size, strata=parse_strata(strata), known_pattern=known_item,
        known_items=[fold(text, same, rules) for text in listed], head=held.segments.head, torso=held.segments.torso,
        within=within, seed=seed, old=old, replaces=replaces,
    )  # fmt: skip
    used = (("same", same), ("near", ", ".join(rules) or "none"), ("within", within))
    source = replace(source_of(bench, held, command), conventions=used, seed=seed)
    return replace(made, source=source, notes=(*notes, *made.notes))


def parse_near(given: Sequence[Near] | str) -> tuple[Near, ...]:
    """`accents,plurals,typos` as rules, in the order in which they are tried."""
    names = [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else list(given)
    for name in names:
        if name not in NEAR:
            raise InputError(f"unknown rule {name}{did_you_mean(name, NEAR)}", "--near", f"choose {', '.join(NEAR)}")
    return tuple(cast("Near", name) for name in NEAR if name in names)


def _known(bench: Workbench, known_items: Any) -> list[str]:
    """The queries of a table, or of topics that have ids alone."""
    try:
        frame: Any = bench.table(known_items, LoggedQuery, name="known items").frame
    except InputError:
        return list(_texts(bench.table(known_items, Topic, name="known items")))
    return [str(text) for text in frame["text"] if text]


def _names(documents: Block) -> list[str]:
    """What one document is called: its id and its title."""
    frame: Any = documents.frame
    found = [str(doc) for doc in frame["doc_id"]]
    if "title" in documents.columns:
        found += [str(title) for title in frame["title"] if title and str(title).strip()]
    return found


def _earlier(
    topics: Block, same: Fold, rules: tuple[Near, ...], meant: Mapping[str, str]
) -> tuple[dict[str, str], str, list[Note]]:
    """Folded text to text of an earlier set, its version, and what is odd about it."""
    from assay.judgments.sample import version

    texts, notes = _texts(topics), []
    told = version(_rows(topics, texts))
    frame: Any = topics.frame
    said = {str(name) for name in frame[SET] if name} if SET in topics.columns else set()
    if said and said != {told}:
        text = f"{topics.name} is not as it was written: it says that it is {', '.join(sorted(said))}, and is {told}"
        notes.append(Note("changed-set", text, level="warning"))
    kept = [text for text in texts if personal_data(text) is None]
    if n := len(texts) - len(kept):
        notes.append(Note("personal-set", f"{n:,} queries of {topics.name} hold personal data: left out", count=n))
    keys = [fold(text, same, rules) for text in kept]
    return {meant.get(key, key): text for key, text in zip(keys, kept, strict=True)}, told, notes


def _log(
    bench: Workbench, log: Any, events: Any, application: str, format: str | None, columns: Mapping[str, str] | None
) -> Block:
    """The rows of a log: a table with a query in each row, or what UBI writes."""
    from assay.formats.ubi_log import is_ubi, read_ubi

    source, more = bench.source(log), bench.source(events) if events is not None else None
    is_named = events is not None or bool(application) or format == UBI
    if not (is_named or (format is None and not columns and source is not None and is_ubi(source))):
        try:
            block = bench.table(log, LoggedQuery, format=format, columns=columns, name="log")
        except InputError as error:
            raise for_a_log(error, [source], "queries") from None
        if "search_id" in block.columns:
            alone = f"{block.name}: rows with the same search id and query are one search"
        elif "count" not in block.columns:
            alone = f"{block.name}: no column says how often a query was asked: each row is one search"
        elif "doc_id" in block.columns:
            alone = f"{block.name}: rows name documents; their counts are taken as how often the query was asked"
        else:
            return block
        return replace(block, facts=(*block.facts, alone))
    if source is None or (events is not None and more is None):
        raise InputError("a log of UBI is read from files", "--events", "pass paths of JSON lines or Parquet")
    for one in (source, more):
        if one is not None:
            bench.note(one)
    return read_ubi(source, more, application)


def parse_strata(given: Mapping[str, int | None] | str | None) -> Mapping[str, int | None] | None:
    """`head:60,torso:60,tail` as a dict; a stratum without a number has None."""
    if given is None or not isinstance(given, str):
        return given
    made: dict[str, int | None] = {}
    for part in filter(None, (piece.strip() for piece in given.split(","))):
        name, colon, number = (piece.strip() for piece in part.partition(":"))
        if name in made:
            raise InputError(f"the stratum {name} is given twice", "--strata", "give each stratum once")
        if colon and not (number.isascii() and number.isdigit()):
            raise InputError(f"{part!r} is not NAME:NUMBER", "--strata", "write --strata head:60,torso:60,tail:60")
        made[name] = int(number) if colon else None
    return made


def _texts(topics: Block) -> Sequence[str]:
    """What was asked; where a table has ids alone, they are the text."""
    frame: Any = topics.frame
    ids = [str(x) for x in frame["query_id"]]
    texts = [str(x or "") for x in frame["text"]] if "text" in topics.columns else [""] * len(ids)
    return [text or name for text, name in zip(texts, ids, strict=True)]


def _rows(topics: Block, texts: Sequence[str]) -> list[tuple[str, str, float, float]]:
    frame: Any = topics.frame

    def numbers(name: str) -> list[float]:
        if name not in topics.columns:
            return [0.0] * len(texts)
        try:
            return [float(x or 0) for x in frame[name]]
        except ValueError:
            raise InputError(f"the column {name} holds what is no number", topics.name, "mend it") from None

    ids = [str(x) for x in frame["query_id"]]
    return list(zip(ids, texts, numbers("weight"), numbers("inclusion"), strict=True))


def as_topics(found: QuerySample) -> dict[str, Sequence[Any]]:
    """The drawn queries as columns of a topics table; reports call the stratum a segment, so it stands twice."""
    rows = found.queries
    return {
        "query_id": [q.query_id for q in rows],
        "text": [q.text for q in rows],
        "weight": [q.weight for q in rows],
        "segment": [q.stratum for q in rows],
        "stratum": [q.stratum for q in rows],
        "inclusion": [q.inclusion for q in rows],
        SET: [found.version] * len(rows),
        REPLACES: [found.replaces] * len(rows),
    }


def as_csv(found: QuerySample) -> bytes:
    """The drawn queries as a topics table in CSV."""
    columns = as_topics(found)
    return formulas.as_csv(list(columns), zip(*columns.values(), strict=True))


def folds_csv(found: QuerySample) -> bytes:
    """Every text that counts as another one, as CSV: text, counts_as, rule, searches."""
    rows = ((one.text, one.counts_as, one.rule, one.searches) for one in found._spellings)
    return formulas.as_csv(["text", "counts_as", "rule", "searches"], rows)
