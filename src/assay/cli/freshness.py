"""judgments stale, judgments due, judgments export."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from assay.cli.options import added, inputs, outputs, workbench
from assay.cli.output import say, show
from assay.cli.takeout import exporting
from assay.cli.verb import Verb, command_line, spell_map
from assay.results import Note

F = TypeVar("F", bound=Callable[..., Any])

ABOUT = "Say which labels no longer hold, and which are due again."


@click.group("judgments", help=ABOUT)
def judgments() -> None:
    """The verbs of labels that age."""


def _asked(command: F) -> F:
    return added(
        [
            click.argument("qrels", required=False),
            click.option("--documents", metavar="FILE", help="As they are now; those of the project unless given."),
            click.option(
                "--days", metavar="DAYS",
                help="For which labels are good: 180, or 180,news=7; as the project or assay.toml says unless given.",
            ),
            click.option("--topics", metavar="FILE", help="Queries with segments."),
            click.option("--at", metavar="DAY", help="That ages are counted to: now unless given."),
        ]
    )(command)  # fmt: skip


def _run(
    qrels: str | None, input_format: str | None, columns: str | None, format_: str | None, output: str | None,
    html: str | None, **options: Any,
) -> Any:  # fmt: skip
    from assay.flows.fresh import stale as flow

    bench = workbench()
    found = flow(
        qrels, format=input_format, columns=spell_map(columns, "--columns"), bench=bench, command=command_line(),
        **options,
    )  # fmt: skip
    show(found, format=format_, output=output, html=html, inputs=bench.files())
    return found


@judgments.command(
    "stale",
    cls=Verb,
    example="assay judgments stale ratings.csv --days 180",
    help="""Say which labels no longer hold, and which are due again.

    A label goes stale when its document changed (doc_hash) or its time is over (judged_at).""",
)
@_asked
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def stale(**options: Any) -> None:
    """Translates the command line into one call of the flow."""
    _run(**options)


@judgments.command(
    "due",
    cls=Verb,
    example="assay judgments due labels.csv --days 180,news=7 --topics topics.csv",
    help="""As `stale`, and ends with exit code 1 when a label is due: for cron and CI.

    With --queue the pairs go back to the raters of a project, with the documents as they are now.""",
)
@_asked
@click.option("--queue", metavar="PROJECT", help="Put what is due back there, as new items.")
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def due(queue: str | None, **options: Any) -> None:
    """Translates the command line into one call of the flow."""
    found = _run(**options)
    if queue is not None:
        from assay.flows.again import put_back

        done = put_back(workbench(), queue, found, options["documents"])
        say(Note("queued", done.says, count=done.pairs))
    if found.stale:
        raise click.exceptions.Exit(1)


judgments.add_command(exporting("judgments"))
