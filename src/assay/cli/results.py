"""show."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import FORMATS, outputs, pick, reading
from assay.cli.output import show as put
from assay.cli.verb import Verb


@click.command(
    "show",
    cls=Verb,
    example="assay show scores.assay --per-query",
    help="Show a saved result again, without its runs.\n\nA result is saved by -o FILE.assay, in Python by .save().",
)
@click.argument("file")
@reading
@outputs(*FORMATS)
def show(file: str, format_: str | None, output: str | None, html: str | None, **choices: Any) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.results import show as flow
    from assay.flows.workbench import Workbench

    bench = Workbench.open()
    result = flow(file, bench=bench)
    put(result, format=format_, output=output, html=html, inputs=bench.files(), **pick(choices))
