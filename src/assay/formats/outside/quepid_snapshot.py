"""Quepid's snapshot CSV: what a case returned for every query, a row a document, several snapshots in one file."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Look, Lost, Outside, Wishes, register
from assay.formats.gathered import Gathered, Losses, gathered, ranked, unheld, untaken
from assay.formats.outgoing import by_text, hits_unheld, queries_of, unused
from assay.formats.quepid import GUARD, SOURCE, Found, Guard, fields_of, guarded, unreturned
from assay.formats.records import Records, folded, header_of, read_records, written
from assay.tables import Document, Hit, Topic

TITLE = "Quepid snapshot CSV"
HEADER = ("Snapshot Name", "Snapshot Time", "Case ID", "Query Text", "Doc ID", "Doc Position")
_FOLDED = tuple(folded(title) for title in HEADER)


def read(source: Source, wishes: Wishes) -> Carried:
    """A run for every snapshot; the fields of the documents become titles and texts."""
    name = name_of(source)
    records = read_records(source)
    at = [records.at(title) for title in HEADER]
    fields = [(place, title) for place, title in enumerate(records.header) if place not in at]
    found, losses, typed = Found(name), Losses(name), Guard(wishes)
    runs: dict[str, Gathered] = {}
    systems = _systems(records, at)
    for line, cells in records.rows:
        snapshot, time, _, text, doc, position = (cells[place].strip() for place in at)
        query = typed(cells[at[3]])
        if not text:
            raise InputError("the query is missing", f"{name}:{line}", "write the query in every row")
        found.query(line, query)
        system = systems[snapshot, time]
        run = runs.setdefault(system, Gathered(Hit, name, "query_id", "doc_id", "rank"))
        if not doc:
            run.empty[query] = None
            continue
        if not position:
            raise InputError(f"document {doc} has no position", f"{name}:{line}", "write its position, from 1")
        run.add(line, query, doc, position)
        found.document(line, doc, {title: cells[place] for place, title in fields}, losses)
    times = {system: time for (_, time), system in systems.items()}
    blocks = {system: run.block() for system, run in runs.items()}
    return Carried(name, gathered(found.topics, found.documents), blocks, losses.all(),
                   (*records.facts, *typed.facts(name)), more={"times": times})  # fmt: skip


def _systems(records: Records, at: list[int]) -> dict[tuple[str, str], str]:
    """A name for every snapshot: its own, with the time where two have one name."""
    seen = dict.fromkeys((cells[at[0]].strip(), cells[at[1]].strip()) for _, cells in records.rows)
    names = [snapshot for snapshot, _ in seen]
    return {
        (snapshot, time): (snapshot or "snapshot") if names.count(snapshot) == 1 else f"{snapshot} {time}".strip()
        for snapshot, time in seen
    }


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """All runs as snapshots. Quepid puts its own case in the place of the id, and makes queries that it lacks."""
    if not carried.runs:
        raise InputError(f"{TITLE} needs runs, and there are none", carried.name, "give a run by --run")
    losses = Losses(carried.name)
    lists = {system: ranked(block) for system, block in carried.runs.items()}
    topics = by_text(carried, list(dict.fromkeys(q for hits in lists.values() for q in hits)), TITLE, losses)
    hits_unheld(carried.runs.values(), ("rank",), TITLE, losses)
    unheld(carried, Topic, ("query_id", "text"), TITLE, losses)
    untaken(carried, (Topic, Hit, Document), TITLE, losses)
    unheld(carried, Document, ("doc_id", "title", "text"), TITLE, losses)
    unused(queries_of(carried), [query for hits in lists.values() for query in hits], "hits", TITLE, losses)
    unreturned(carried, [doc for hits in lists.values() for docs in hits.values() for doc, _, _ in docs], TITLE, losses)
    fields = fields_of(carried, HEADER)
    titles = list(dict.fromkeys(title for one in fields.values() for title in one))
    times = carried.more.get("times") or {}
    now = wishes.options.get("time") or datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    rows: list[tuple[str, ...]] = [(*HEADER, *titles)]
    for system, hits in lists.items():
        for query, docs in hits.items():
            head = system, times.get(system, now), wishes.options.get("case", "1"), guarded(topics[query], wishes)
            rows += [
                (*head, doc, str(rank), *(fields.get(doc, {}).get(title, "") for title in titles))
                for rank, (doc, _, _) in enumerate(docs, 1)
            ]
            if not docs:
                rows.append((*head, "", "", *("" for _ in titles)))
    with replacing(target) as file:
        file.write(written(rows))
    return losses.all()


def looks_like(look: Look) -> bool:
    """Whether the first six columns are those of a snapshot."""
    return header_of(look)[: len(_FOLDED)] == _FOLDED


register(
    Outside(
        "quepid-snapshot", "Quepid snapshots (CSV)", (Topic, Hit, Document), read, write, looks_like,
        {**GUARD, "time": "of the snapshots that are written: now, in UTC, unless given",
         "case": "id of the case that is written: 1 unless given"}, SOURCE,
    )
)  # fmt: skip
