"""serve."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import pick
from assay.cli.output import say
from assay.cli.verb import Verb
from assay.results import Note


@click.command(
    "serve",
    cls=Verb,
    example="assay serve --port 8765",
    help="""Serve the pages on which people label, settle and lead.

    On this machine alone unless --host or the section [web] of assay.toml says otherwise. Ctrl-C or SIGTERM ends it
    when what was asked is answered.""",
)
@click.option("--host", metavar="ADDRESS", help="To listen on: 127.0.0.1 unless given.")
@click.option("--port", type=click.IntRange(0, 65_535), metavar="NUMBER", help="To listen on: 8765 unless given.")
@click.option("--url", metavar="URL", help="Under which people reach it, such as https://search.example/assay.")
@click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS", help="A proxy whose forwarded headers are believed."
)
@click.option("--sign-on", metavar="HEADER", help="In which that proxy names the person.")
def serve(proxies: tuple[str, ...], **choices: Any) -> None:
    """Translates the command line into one start of the server."""
    from assay.web.server import serve as start

    given = pick(choices | {"proxies": proxies or None})
    start(given, started=lambda web: _started(web))


def _started(web: Any) -> None:
    click.echo(f"assay serves at {web.base}/ (Ctrl-C ends it)", err=True)
    if not web.is_loopback and not web.is_https:
        say(
            Note(
                "unencrypted",
                "others on the network reach it and passwords travel unencrypted: put a proxy with https before it",
            )
        )
