"""Runs as ranx keeps them: JSON of query to document to score, or Parquet with q_id, doc_id, score."""

from __future__ import annotations

import os

from assay.errors import InputError
from assay.files import Source, name_of, replacing
from assay.formats.carried import Carried, Lost, Outside, Wishes, register
from assay.formats.gathered import Losses, one_run, ranked, scored, untaken
from assay.formats.nested import number, read_tree, to_json
from assay.formats.ranx_frames import frame, read_frame
from assay.formats.score_maps import LONG, SHAPE, run_of, stem
from assay.tables import Hit

TITLE = "a ranx run"


def read(source: Source, wishes: Wishes) -> Carried:
    """One run, called as its file is or as the option `run` says."""
    name = name_of(source)
    block = read_frame(source, Hit, "score")
    if block is None:
        run = run_of(read_tree(source, SHAPE, LONG), name)
        if not len(run) and not run.empty:
            raise InputError("holds no query", name, f"write {SHAPE}")
        block = run.block()
    return Carried(name, {}, {wishes.options.get("run") or stem(source): block})


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """Parquet for a name that ends in .parquet, else JSON; ranks without scores become falling whole numbers."""
    losses = Losses(carried.name)
    _, block = one_run(carried, TITLE, wishes.options.get("run", ""))
    untaken(carried, (Hit,), TITLE, losses)
    made = {query: list(scored(hits)) for query, hits in ranked(block).items()}
    if os.fspath(target).endswith(".parquet"):
        content = frame((query, doc, score) for query, hits in made.items() for doc, score in hits)
        for query, hits in made.items():
            if not hits:
                losses.add("queries that returned nothing", "a row needs a document; JSON can hold them", query)
    else:
        content = to_json({query: {doc: number(score) for doc, score in hits} for query, hits in made.items()})
    with replacing(target) as file:
        file.write(content)
    return losses.all()


register(
    Outside(
        "ranx-run", "ranx run (JSON or Parquet)", (Hit,), read, write,
        options={"run": "what the run is called when it is read; which run, when it is written"},
        source="https://amenra.github.io/ranx/run/",
    )
)  # fmt: skip
