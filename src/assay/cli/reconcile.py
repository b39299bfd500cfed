"""reconcile, conventions."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import conventions as choices_of
from assay.cli.options import inputs, outputs, pick, workbench
from assay.cli.output import names_inputs, show
from assay.cli.verb import Verb, command_line, spell_map

PAGES = ("table", "json", "csv", "jsonl", "md", "html", "assay")

UNEXPLAINED = 1
"""No known convention gives the number."""


@click.command(
    "reconcile",
    cls=Verb,
    example="assay reconcile dense.run judgments.qrels --measure nDCG@10 --value 0.8390",
    help="""Find the conventions that give a number which another tool printed.

    Tries what known tools do first, then one and two deviations from ours. Ends with exit code 1 when no known
    convention gives the number.""",
)
@click.argument("run")
@click.argument("qrels", required=False)
@click.option("-m", "--measure", required=True, metavar="NAME", help="What the number is said to be, such as nDCG@10.")
@click.option("--value", required=True, metavar="NUMBER", help="The number, as it was printed.")
@click.option("--digits", type=int, metavar="NUMBER", help="Its decimals, when zeros at its end were not printed.")
@click.option("--query", metavar="ID", help="It is the value of this query; else of the mean.")
@choices_of
@inputs
@outputs(*PAGES)
def reconcile(
    run: str, qrels: str | None, measure: str, value: str, digits: int | None, query: str | None,
    input_format: str | None, columns: str | None, format_: str | None, output: str | None, html: str | None,
    **choices: Any,
) -> int:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.reconcile import reconcile as flow

    bench = workbench(hashes=names_inputs(format_, output, html))
    options = {"digits": digits, "query": query, "format": input_format, "columns": spell_map(columns, "--columns"),
               "bench": bench, "command": command_line(), **pick(choices)}  # fmt: skip
    result = flow(run, qrels, measure, value, **options)
    show(result, format=format_, output=output, html=html, inputs=bench.files())
    return 0 if result.is_explained else UNEXPLAINED


@click.command(
    "conventions",
    cls=Verb,
    example="assay conventions dense.run judgments.qrels --measures nDCG@10,P@10",
    help="Show what every known tool's conventions make of the same run and judgments, side by side.",
)
@click.argument("run")
@click.argument("qrels", required=False)
@click.option(
    "-m", "--measures", multiple=True, metavar="NAMES", help="Such as nDCG@10,AP; those of the settings else."
)
@click.option("--query", metavar="ID", help="The values of this query; else means.")
@choices_of
@inputs
@outputs(*PAGES)
def conventions(
    run: str, qrels: str | None, measures: tuple[str, ...], query: str | None, input_format: str | None,
    columns: str | None, format_: str | None, output: str | None, html: str | None, **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.reconcile import conventions as flow

    bench = workbench(hashes=names_inputs(format_, output, html))
    options = {"query": query, "format": input_format, "columns": spell_map(columns, "--columns"),
               "bench": bench, "command": command_line(), **pick(choices)}  # fmt: skip
    result = flow(run, qrels, ",".join(measures) if measures else None, **options)
    show(result, format=format_, output=output, html=html, inputs=bench.files())
