"""privacy."""

from __future__ import annotations

import click

from assay.cli.options import workbench
from assay.cli.output import check_targets, emit, ends_with, say, write
from assay.cli.verb import OneOf, Verb, voice_options
from assay.results import Note

FORMAT = click.option("--format", "format_", type=OneOf(("table", "json")), default="table", help="table or json.")


@click.group("privacy", help="Find, hand out or erase what is known about a person, and forget what is too old.")
def privacy() -> None:
    """Data of persons."""


privacy.params.extend(voice_options())


@privacy.command("find", cls=Verb, example="assay privacy find anna",
                 help="Say where a person stands in the store and in the files of the workspace.\n\nThe exit code is "
                 "1 when nothing names the person.")  # fmt: skip
@click.argument("name")
@FORMAT
def find(name: str, format_: str) -> int:
    """Translates the command line into one call of the flow."""
    from assay.flows.privacy import find as flow

    known = flow(workbench(), name)
    if format_ == "json":
        _json({"rows": {table: len(rows) for table, rows in known.rows.items()}, "files": known.files,
               "unread": known.unread, "elsewhere": known.elsewhere})  # fmt: skip
    else:
        for table, rows in known.rows.items():
            click.echo(f"{table:<14} {len(rows):>8,} row{'s' if len(rows) != 1 else ''}")
        _elsewhere(known.elsewhere)
        _files(known.files)
        if not known.rows and not known.files and not known.elsewhere:
            click.echo(f"Nothing here names {name}.")
    _unread(known.unread)
    return 0 if known.rows or known.files or known.elsewhere else 1


@privacy.command("export", cls=Verb, example="assay privacy export anna -o anna.json",
                 help="Write what the store holds about a person as JSON, to hand out.")  # fmt: skip
@click.argument("name")
@click.option("-o", "--output", callback=ends_with(".json", what="JSON"), metavar="FILE",
              help="Write there instead of stdout.")  # fmt: skip
def export(name: str, output: str | None) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.privacy import export as flow

    check_targets(output, None, ())
    data = flow(workbench(), name)
    if output is None or output == "-":
        emit(data)
    else:
        write(output, data)


@privacy.command("erase", cls=Verb, example="assay privacy erase anna --yes",
                 help="""Take a person out of the store.

                 The account and its keys end, notes and reasons in the person's words go, and judgments stay under a
                 name that leads to nobody. End the server first. The exit code is 1 when files of the workspace still
                 hold the name or the words, or projects, queries and documents of the store the name.""")  # fmt: skip
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--remove",
    is_flag=True,
    help="Also kept results and copies of runs and of the store; sums of people get another name.",
)
@FORMAT
def erase(name: str, yes: bool, remove: bool, format_: str) -> int:
    """Translates the command line into one call of the flow."""
    from assay.flows.privacy import erase as flow
    from assay.report.letters import clean

    if not yes:
        click.confirm(f"Take {name} out of the store? This cannot be undone", abort=True, err=True)
    done = flow(workbench(), name, remove=remove)
    if format_ == "json":
        _json({"stands_now": done.stands_now, "changed": done.changed, "files": done.files, "unread": done.unread,
               "removed": done.removed, "renamed": done.renamed, "elsewhere": done.elsewhere})  # fmt: skip
    else:
        rows = sum(done.changed.values())
        there = f"{done.stands_now} stands there now" if done.stands_now else f"the store named {clean(name)} no more"
        click.echo(f"Changed {rows:,} row{'s' if rows != 1 else ''}; {there}.")
        for file in done.removed:
            click.echo(f"removed        {clean(file)}")
        for file in done.renamed:
            click.echo(f"renamed        {clean(file)}")
        _elsewhere(done.elsewhere)
        _files(done.files)
    if done.elsewhere:
        text = "the store keeps the name where it is a word of a project, query or document: make those anew without it"
        say(Note("store-left", text))
    if done.files:
        say(Note("files-left", "these files are yours: remove them or take the name out, copies elsewhere too"))
    _unread(done.unread)
    return 1 if done.files or done.elsewhere else 0


@privacy.command("expire", cls=Verb, example="assay privacy expire",
                 help="Forget what is older than the section [privacy] of assay.toml says.\n\nFit for cron; end the "
                 "server first, or old bytes stay in the log of the database.")  # fmt: skip
@FORMAT
def expire(format_: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.privacy import expire as flow

    gone = flow(workbench())
    if format_ == "json":
        _json(gone)
    else:
        for name, n in gone.items():
            click.echo(f"{name.replace('_', ' '):<14} {n:>8,}")


def _json(value: object) -> None:
    import json

    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _elsewhere(columns: dict[str, int]) -> None:
    for column, n in columns.items():
        click.echo(f"{column:<24} {n:>8,} row{'s' if n != 1 else ''} with the name as a word")


def _files(files: tuple[str, ...]) -> None:
    from assay.report.letters import clean

    for file in files:
        click.echo(f"file           {clean(file)}")


def _unread(unread: tuple[str, ...]) -> None:
    for file in unread:
        say(Note("unread", f"could not be looked into: {file}", level="warning"))
