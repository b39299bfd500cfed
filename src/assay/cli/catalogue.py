"""catalogue."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import inputs, ordering, outputs, pick, workbench
from assay.cli.output import names_inputs, progress, show
from assay.cli.verb import OneOf, Verb, command_line, spell_map


@click.command(
    "catalogue",
    cls=Verb,
    example="assay catalogue bm25.run dense.run --k 10",
    help="""Say how much of a catalogue runs show, to how few items, how new and how varied.

    For recommenders, where a query is a user. Items have a column category or columns of numbers (--items), and a log
    of who did something with what tells how well known they are (--log).""",
)
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@click.option("--items", metavar="FILE", help="Every item there is: doc_id, category, columns of numbers.")
@click.option("--log", metavar="FILE", help="Interactions: user_id, doc_id. Novelty takes popularity from it.")
@click.option(
    "--k", type=click.IntRange(1), default=10, metavar="NUMBER", help="First items looked at: 10 unless given."
)
@click.option("--features", metavar="NAMES", help="Columns of numbers for likeness: all of them unless given.")
@click.option("--popularity", type=OneOf(["users", "events"]), default="users", metavar="users|events",
              help="What novelty counts in the log: users unless given.")  # fmt: skip
@ordering
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def catalogue(
    runs: tuple[str, ...], items: str | None, log: str | None, k: int, features: str | None, popularity: str,
    input_format: str | None, columns: str | None, format_: str | None, output: str | None, html: str | None,
    **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.catalogue import catalogue as flow

    bench = workbench(hashes=names_inputs(format_, output, html))
    wanted = None if features is None else [name.strip() for name in features.split(",") if name.strip()]
    options = {"items": items, "log": log, "k": k, "features": wanted, "popularity": popularity,
               "format": input_format, "columns": spell_map(columns, "--columns"), "bench": bench,
               "progress": progress(), "command": command_line(), **pick(choices)}  # fmt: skip
    result = flow(list(runs), **options)
    show(result, format=format_, output=output, html=html, inputs=bench.files())
