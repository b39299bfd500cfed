"""overlap."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import inputs, ordering, outputs, pick, workbench
from assay.cli.output import names_inputs, progress, show
from assay.cli.verb import OneOf, Verb, command_line, spell_map
from assay.errors import InputError


@click.command(
    "overlap",
    cls=Verb,
    example="assay overlap bm25.run dense.run --depth 10,100",
    help="""Say how alike two runs are, query by query, without judgments.

    Rank-biased overlap with its bounds, documents in common among the first k, the order of those, and the queries
    that changed most.""",
)
@click.argument("baseline")
@click.argument("candidate")
@click.option("--p", type=float, default=0.9, metavar="SHARE",
              help="Chance that the reader of the rank-biased overlap goes on: 0.9 unless given.")  # fmt: skip
@click.option(
    "--depth", "depths", default="10,100", metavar="K,...", help="First documents compared: 10,100 unless given."
)
@click.option("--rbo-ties", type=OneOf(["a", "w", "b"]), default="a", metavar="a|w|b",
              help="Equal scores in RBO: mean over orders (a), whole groups (w), cosine (b).")  # fmt: skip
@click.option("--per-query", is_flag=True, help="Every query.")
@click.option("--most", type=click.IntRange(0), default=10, metavar="NUMBER",
              help="Queries that changed most: 10 unless given.")  # fmt: skip
@ordering
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def overlap(
    baseline: str, candidate: str, p: float, depths: str, rbo_ties: str, per_query: bool, most: int,
    input_format: str | None, columns: str | None, format_: str | None, output: str | None, html: str | None,
    **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.overlap import overlap as flow

    bench = workbench(hashes=names_inputs(format_, output, html))
    options = {"p": p, "depths": whole(depths), "rbo_ties": rbo_ties, "format": input_format,
               "columns": spell_map(columns, "--columns"), "bench": bench, "progress": progress(),
               "command": command_line(), **pick(choices)}  # fmt: skip
    result = flow(baseline, candidate, **options)
    show(result, format=format_, output=output, html=html, inputs=bench.files(), per_query=per_query, most=most)


def whole(text: str) -> list[int]:
    """`10,100` as whole numbers."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--depth {text!r} is no list of whole numbers", remedy="pass --depth 10,100") from None
