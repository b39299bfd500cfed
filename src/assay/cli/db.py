"""db."""

from __future__ import annotations

import click

from assay.cli.options import workbench
from assay.cli.output import say
from assay.cli.verb import OneOf, Verb, voice_options
from assay.results import Note


@click.group("db", help="Bring the store of judgments up to date, copy it, or look whether it is sound.")
def db() -> None:
    """The database of the workspace."""


db.params.extend(voice_options())


@db.command("upgrade", cls=Verb, example="assay db upgrade",
            help="Bring the store up to date, or make it.\n\nCopy it first: assay db backup.")  # fmt: skip
def upgrade() -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.database import upgrade as flow

    name, before, at = flow(workbench())
    if before is None:
        click.echo(f"Made {name}, at step {at}.")
    elif before == at:
        click.echo(f"{name} is at step {at} already.")
    else:
        click.echo(f"Brought {name} from step {before} to step {at}.")


@db.command("backup", cls=Verb, example="assay db backup judgments.db",
            help="Copy every row into a new SQLite file, while others work.\n\n"
            "The copy stands as the store did at one moment, whichever database it is in. To use it, name it as url in "
            "the section [store] of assay.toml.")  # fmt: skip
@click.argument("file")
def backup(file: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.database import backup as flow

    rows = flow(workbench(), file)
    click.echo(f"Copied {rows:,} row{'s' if rows != 1 else ''} to {file}.")
    say(
        Note(
            "holds-names",
            "it holds names of people and hashes of passwords: let nobody else read it",
        )
    )


@db.command("check", cls=Verb, example="assay db check",
            help="Look whether the store is sound.\n\nThe exit code is 1 when it is not.")  # fmt: skip
@click.option("--format", "format_", type=OneOf(("table", "json")), default="table", help="table or json.")
def check(format_: str) -> int:
    """Translates the command line into one call of the flow."""
    from assay.flows.database import check as flow

    found = flow(workbench())
    if format_ == "json":
        import json
        from dataclasses import asdict

        click.echo(json.dumps(asdict(found) | {"is_well": found.is_well}, ensure_ascii=False, indent=2))
    else:
        click.echo(found.name)
        for one in found.looked:
            click.echo(f"  {one.what:<20} {'well' if one.is_well else f'NOT WELL: {one.says}'}")
    return 0 if found.is_well else 1
