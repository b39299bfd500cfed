"""import, export, convert, formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from assay.cli.options import added, input_format, outputs, workbench
from assay.cli.output import show
from assay.cli.verb import Verb, command_line, spell_map
from assay.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("table", "json", "csv", "jsonl", "md", "html")


def wishes(command: F) -> F:
    """Adds the options that say what files do not say."""
    return added(
        [
            click.option("--labels", metavar="MAP", help="What labels are worth: esci, yes-no, 1..5, {good:2,bad:0}."),
            click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="What one format takes."),
            click.option("--force", is_flag=True, help="Write over files that are there."),
        ]
    )(command)  # fmt: skip


def report(command: F) -> F:
    """Adds the options that say where the report goes."""
    return outputs(*FORMATS)(command)


@click.command(
    "import",
    cls=Verb,
    example="assay import ratings.csv --into shop",
    help="""Bring another tool's file into the workspace, and say what got lost.

    With --into it goes to a folder. Judgments, topics, documents and runs are written as qrels.csv, topics.csv,
    documents.jsonl and runs/NAME.csv, all or none. The format is recognised, or named with --from; assay formats
    lists them.""",
)
@click.argument("source")
@click.option("--from", "from_", metavar="FORMAT", help="Of the source; recognised unless given.")
@click.option("--ids-from", metavar="TOPICS", help="Topics whose ids are taken where a query has their text.")
@click.option("--into", metavar="FOLDER", help="Where to write; the workspace's own places unless given.")
@wishes
@report
def import_(
    source: str, from_: str | None, ids_from: str | None, into: str | None, labels: str | None,
    options: tuple[str, ...], force: bool, format_: str | None, output: str | None, html: str | None,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.convert import import_file as flow
    from assay.flows.workbench import Workbench

    bench = Workbench.open()
    result = flow(source, from_, labels=labels, options=spelled(options), ids_from=ids_from, into=into,
                  force=force, bench=bench, command=command_line())  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=bench.files())


@click.command(
    "export",
    cls=Verb,
    example="assay export quepid.csv --to quepid-ratings --qrels judgments.qrels --topics topics.csv",
    help="Write judgments, topics, runs and documents in another tool's format.\n\nWhat the format has no place for is "
    "said. Without any file, what the workspace names is written.",
)
@click.argument("target")
@click.option("--to", required=True, metavar="FORMAT", help="As assay formats lists it.")
@click.option("--qrels", metavar="FILE", help="The judgments.")
@click.option("--topics", metavar="FILE", help="The queries.")
@click.option("--run", "runs", multiple=True, metavar="FILE", help="A run; may be given several times.")
@click.option("--documents", metavar="FILE", help="What the documents say.")
@input_format
@click.option("--columns", metavar="NAME=COLUMN,...", help="Which column of the input holds what.")
@wishes
@report
def export(
    target: str, to: str, qrels: str | None, topics: str | None, runs: tuple[str, ...], documents: str | None,
    input_format: str | None, columns: str | None, labels: str | None, options: tuple[str, ...], force: bool,
    format_: str | None, output: str | None, html: str | None,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.convert import export as flow

    bench = workbench()
    result = flow(target, to, qrels=qrels, topics=topics, runs=runs, documents=documents, labels=labels,
                  options=spelled(options), format=input_format, columns=spell_map(columns, "--columns"), force=force,
                  bench=bench, command=command_line())  # fmt: skip
    tell(result, target, format=format_, output=output, html=html, inputs=(*bench.files(), target))


@click.command(
    "convert",
    cls=Verb,
    example="assay convert ratings.csv ratings.jsonl",
    help="Write what one file holds in another format, ours or another tool's.\n\nWhat has no place there is said. "
    "TREC lines are cut at white space, so ids are percent-encoded there; --option decode=yes reads them back.",
)
@click.argument("source")
@click.argument("target")
@click.option("--from", "from_", metavar="FORMAT", help="Of the source; recognised unless given.")
@click.option("--to", metavar="FORMAT", help="Of the target; by its ending, for our own formats, unless given.")
@wishes
@report
def convert(
    source: str, target: str, from_: str | None, to: str | None, labels: str | None, options: tuple[str, ...],
    force: bool, format_: str | None, output: str | None, html: str | None,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.convert import convert as flow
    from assay.flows.workbench import Workbench

    bench = Workbench.open()
    result = flow(source, target, from_, to, labels=labels, options=spelled(options), force=force, bench=bench,
                  command=command_line())  # fmt: skip
    tell(result, target, format=format_, output=output, html=html, inputs=(*bench.files(), target))


@click.command(
    "formats",
    cls=Verb,
    example="assay formats quepid-ratings",
    help="List the formats that are read and written, or explain one.\n\nOne with its name is shown with its options.",
)
@click.argument("name", required=False)
@report
def formats(name: str | None, format_: str | None, output: str | None, html: str | None) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.conversion import formats as flow

    show(flow(name), format=format_, output=output, html=html)


def tell(result: Any, target: str, **where: Any) -> None:
    """The report, or where what was written went to stdout, what was lost on stderr."""
    if target != "-" or where["output"] not in (None, "-"):
        show(result, **where)
        return
    from assay.cli.output import notes, say
    from assay.results import Note

    for one in result.dropped:
        say(Note("not-carried-over", f"not carried over: {one.what}: {one.count:,}; {one.why}", count=one.count))
    notes(result)


def spelled(options: tuple[str, ...]) -> dict[str, str]:
    """`--option split=test --option locale=us` as a dict."""
    found: dict[str, str] = {}
    for text in options:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise InputError(f"--option {text!r} is not NAME=VALUE", remedy="such as --option split=test")
        if name.strip() in found:
            raise InputError(f"the option {name.strip()} is given twice", remedy="give each option once")
        found[name.strip()] = value.strip()
    return found
