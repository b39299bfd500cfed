"""people."""

from __future__ import annotations

import sys
from typing import Any

import click

from assay.cli.options import workbench
from assay.cli.output import say
from assay.cli.verb import OneOf, Verb, voice_options
from assay.results import Note

TERMINAL = "the terminal"
"""Who did it, in the audit log: whoever may write in the workspace."""

FORMAT = click.option("--format", "format_", type=OneOf(("table", "json")), default="table", help="table or json.")
ROLE = click.option("--role", default="rater", metavar="ROLE", help="rater, adjudicator, lead or admin: rater.")


@click.group("people", help="Add and invite people who label, change what they may do, and make keys for programs.")
def people() -> None:
    """Who may come in."""


people.params.extend(voice_options())


@people.command("add", cls=Verb, example="assay people add anna --role lead",
                help="Add a person with a password.\n\nIt is asked for on a terminal; elsewhere it is the first line "
                "of stdin.")  # fmt: skip
@click.argument("name")
@ROLE
def add(name: str, role: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.people import add_person

    with open_store(workbench()) as store:
        add_person(store, name, role, password(), by=TERMINAL)
    click.echo(f"Added {name} as {role}.")


@people.command("password", cls=Verb, example="assay people password anna",
                help="Give a person a new password.\n\nAll their sessions end.")  # fmt: skip
@click.argument("name")
def password_(name: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.people import change_person

    with open_store(workbench()) as store:
        change_person(store, name, by=TERMINAL, password=password())
    click.echo(f"{name} has a new password.")


@people.command("invite", cls=Verb, example="assay people invite --role rater --name ben",
                help="Print a link by which one person makes an account.\n\nIt holds for seven days and for one "
                "use.")  # fmt: skip
@ROLE
@click.option("--name", metavar="NAME", help="Of the account; the person chooses it unless given.")
def invite(role: str, name: str | None) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.people import invite as flow
    from assay.flows.serving import web_of

    bench = workbench()
    with open_store(bench) as store:
        token = flow(store, role, name, by=TERMINAL)
    click.echo(f"{web_of(bench).base}/invitation/{token}")
    say(Note("shown-once", "whoever has this link can make the account: send it to one person"))


@people.command("list", cls=Verb, example="assay people list", help="List everybody, with role and end.")
@FORMAT
def list_(format_: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.people import everyone

    with open_store(workbench()) as store:
        rows = everyone(store)
    _print(rows, ("name", "role", "created_at", "ended_at"), format_, "Nobody is there yet: assay people add NAME.")


@people.command("role", cls=Verb, example="assay people role anna adjudicator",
                help="Change what a person may do.\n\nAll their sessions end.")  # fmt: skip
@click.argument("name")
@click.argument("role")
def role_(name: str, role: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.people import change_person

    with open_store(workbench()) as store:
        change_person(store, name, by=TERMINAL, role=role)
    click.echo(f"{name} is {role} now.")


@people.command("end", cls=Verb, example="assay people end anna",
                help="End an account: nobody signs in by it, and its keys end.\n\nJudgments stay; `assay privacy "
                "erase` takes the name from them.")  # fmt: skip
@click.argument("name")
def end(name: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.people import change_person

    with open_store(workbench()) as store:
        change_person(store, name, by=TERMINAL, ends=True)
    click.echo(f"The account of {name} has ended.")


@people.command("key", cls=Verb, example="assay people key nightly --person anna --role lead",
                help="Make a key by which a program speaks for a person.\n\nIt is printed once. It may do at most "
                "what the person may.")  # fmt: skip
@click.argument("name")
@click.option("--person", required=True, metavar="NAME", help="Whom it speaks for.")
@ROLE
def key(name: str, person: str, role: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.people import make_key, named

    with open_store(workbench()) as store:
        click.echo(make_key(store, name, named(store, person), role))
    say(Note("shown-once", "send it as the header Authorization: Bearer KEY; it is not shown again"))


@people.command("keys", cls=Verb, example="assay people keys", help="List the keys of programs, without themselves.")
@FORMAT
def keys(format_: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.people import keys as flow

    with open_store(workbench()) as store:
        rows = flow(store)
    _print(rows, ("name", "person", "role", "created_at", "ended_at"), format_,
           "There is no key: assay people key NAME --person PERSON.")  # fmt: skip


@people.command("end-key", cls=Verb, example="assay people end-key nightly", help="End every key of that name.")
@click.argument("name")
def end_key(name: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.people import Person
    from assay.flows.people import end_key as flow

    with open_store(workbench()) as store:
        flow(store, name, by=Person(TERMINAL, "admin"))
    click.echo(f"The key {name} has ended.")


def password() -> str:
    """A new password, typed twice on a terminal, else the first line of stdin."""
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def _print(rows: list[dict[str, Any]], columns: tuple[str, ...], format_: str, nothing: str) -> None:
    if format_ == "json":
        import json

        click.echo(json.dumps([{name: row[name] for name in columns} for row in rows], ensure_ascii=False, indent=2))
        return
    if not rows:
        click.echo(nothing)
        return
    from assay.report.letters import clean

    lines = [tuple(name.replace("_at", "") for name in columns)]
    lines += [tuple(clean(_shown(name, row[name])) for name in columns) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "-"
    return str(value)[:10] if name.endswith("_at") else str(value)
