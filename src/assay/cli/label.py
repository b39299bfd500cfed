"""label create, add, open, close, status, list, export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import outputs, workbench
from assay.cli.takeout import exporting
from assay.cli.verb import Verb

if TYPE_CHECKING:
    from assay.flows.labelling import Made


@click.group("label", help="Make a project that people label in their browser, and take their judgments out.")
def label() -> None:
    """The verbs of labelling."""


@label.command(
    "create",
    cls=Verb,
    example="assay label create winter pairs.csv --rubric rubric.md --topics topics.csv --documents documents.jsonl",
    help="""Make a project that people label in their browser, and take their judgments out.

    From pairs of query and document, a rubric, and what raters see of each. People open it by `assay serve`. With
    --mode pairwise raters say which of two documents is better: of a table with doc_id and other_doc_id, or of a
    pool.""",
)
@click.argument("name")
@click.argument("pairs")
@click.option("--rubric", required=True, metavar="FILE", help="What the grades mean: `assay rubric init` writes one.")
@click.option("--topics", metavar="FILE", help="What was asked, by query id; need, language.")
@click.option(
    "--documents", metavar="FILE", help="What raters see: doc_id, title, text or html, fields, image, language."
)
@click.option("--raters-each", type=click.IntRange(1, 50), default=2, metavar="NUMBER", help="Of a pair: 2.")
@click.option("--mode", type=click.Choice(["query", "mixed", "pairwise"]), default="query",
              help="One query after the other (query), mixed, or the better of two documents (pairwise).")  # fmt: skip
@click.option("--comparisons", type=click.IntRange(1), metavar="NUMBER",
              help="Pairwise, of a pool: how many pairs of documents in all; every pair unless given.")  # fmt: skip
@click.option("--repeats", type=click.FloatRange(0, 0.5), default=0.05, metavar="SHARE",
              help="Own items that come again, to see how steady raters are: 0.05.")  # fmt: skip
@click.option("--gold", metavar="FILE", help="Pairs whose grades, or preferences, are known, hidden among the others.")
@click.option("--gold-share", type=click.FloatRange(0, 0.5), default=0.05, metavar="SHARE",
              help="Share of hidden pairs in what a rater sees: 0.05.")  # fmt: skip
@click.option("--pilot", type=click.IntRange(0), metavar="NUMBER",
              help="Pairs that every rater labels first: 50, and none with one rater a pair.")  # fmt: skip
@click.option("--pilot-limit", type=click.FloatRange(0, 1), default=0.6, metavar="VALUE",
              help="Agreement that opens the rest, at its lower end: 0.6.")  # fmt: skip
@click.option("--refresh-days", metavar="DAYS", help="For which labels are good: 180, or 180,news=7 by segment.")
@click.option("--min-seconds", type=click.FloatRange(0, 60), default=1.0, metavar="SECONDS",
              help="Raters whose answers keep taking less are shown the rubric: 1; 0 stops nobody.")  # fmt: skip
@click.option("--live-links", is_flag=True,
              help="Raters may open the live page that a document's field url names; openings are noted.")  # fmt: skip
@click.option("--enter", "needs_enter", is_flag=True, help="A grade is confirmed by Enter.")
def create(name: str, repeats: float, **options: Any) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.leading import make

    bench = workbench()
    with open_store(bench) as store:
        made = make(store, bench, name=name, repeat_share=repeats, **options)
    click.echo(f"{made.name}: {made.items:,} pairs of {made.queries:,} queries, {made.judgments:,} judgments wanted"
               f"{_parts(made)}")  # fmt: skip
    if made.without_document:
        click.echo(f"{made.without_document:,} of them have no document: raters see an id alone; pass --documents FILE")
    _say(made.notes)
    click.echo("next: `assay people invite --role rater`, then `assay serve`")


def _parts(made: Made) -> str:
    """How many of the judgments are of the pilot, which `status` and `list` count apart."""
    if not made.pilot:
        return ""
    of_pilot = made.pilot * made.raters_each
    raters = f"{made.raters_each} raters" if made.raters_each > 1 else "1 rater"
    return (f": {of_pilot:,} of the pilot's {made.pilot:,} pairs, with {raters} (every further one labels them, too), "
            f"and {made.judgments - of_pilot:,} behind it")  # fmt: skip


@label.command(
    "add",
    cls=Verb,
    example="assay label add winter more-pairs.csv --documents documents.jsonl",
    help="""Add pairs to a project that is under way.

    What is there stays, with its labels. A pair comes again where a document of it is given and looks different now.
    Where raters compare documents, a pool or a table with doc_id and other_doc_id is added. With --gold
    no PAIRS are needed.""",
)
@click.argument("name")
@click.argument("pairs", required=False)
@click.option("--gold", metavar="FILE", help="Pairs whose grades, or preferences, are known, hidden among the others.")
@click.option("--gold-share", type=click.FloatRange(0, 0.5), metavar="SHARE",
              help="Share of hidden pairs in what a rater sees: as before, or 0.05.")  # fmt: skip
@click.option("--comparisons", type=click.IntRange(1), metavar="NUMBER",
              help="Pairwise, of a pool: how many pairs of documents in all; every pair unless given.")  # fmt: skip
@click.option("--topics", metavar="FILE", help="What was asked, by query id; need, language.")
@click.option("--documents", metavar="FILE", help="What raters see; others are taken as the store has them.")
def add(name: str, **options: Any) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.adding import add_pairs
    from assay.flows.keeping import open_store

    bench = workbench()
    with open_store(bench) as store:
        made = add_pairs(store, bench, name=name, **options)
    again = f" ({made.again:,} with a new snapshot of the document)" if made.again else ""
    click.echo(f"{made.name}: {made.pairs:,} pairs added{again}, {made.judgments:,} judgments more wanted; "
               f"{made.there:,} were there and stay; {made.queries:,} queries are new")  # fmt: skip
    if made.known or made.known_there:
        stay = f"; {made.known_there:,} were there and stay as they are" if made.known_there else ""
        click.echo(f"{made.known:,} pairs whose answer is known are hidden among the others{stay}")
    if made.older:
        click.echo(f"{made.older:,} of these show an older text than the store has: give --documents FILE, and they "
                   "come again")  # fmt: skip
    if made.without_document:
        click.echo(f"{made.without_document:,} of them have no document: raters see an id alone; pass --documents FILE")
    _say(made.notes)


@label.command(
    "open",
    cls=Verb,
    example="assay label open winter --why 'two raters talked the disputes over'",
    help="""Open the queue behind a pilot, or a project that was closed.

    By agreement the queue opens by itself. The reason stands in the audit log and on the project's page.""",
)
@click.argument("name")
@click.option("--why", default="", metavar="TEXT", help="Needed where the raters do not agree enough.")
def open_(name: str, why: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.leading import open_project

    with open_store(workbench()) as store:
        click.echo(open_project(store, name, why))


@label.command(
    "close",
    cls=Verb,
    example="assay label close winter",
    help="""End a project: nothing more is handed out.

    What was handed out may still be answered, and every judgment stays.""",
)
@click.argument("name")
@click.option("--why", default="", metavar="TEXT", help="For the audit log.")
def close(name: str, why: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.leading import close_project

    with open_store(workbench()) as store:
        close_project(store, name, why)
    click.echo(f"{name} is closed: `assay label export {name} FILE` writes its judgments")


@label.command(
    "status",
    cls=Verb,
    example="assay label status winter",
    help="""Say how far a project has come, and how much its raters agree.

    With what keeps the queue closed, and the lines of the rubric on which raters differ.""",
)
@click.argument("name")
@outputs("table", "json", "md", "html", "assay")
def status(name: str, format_: str | None, output: str | None, html: str | None) -> None:
    """Translates the command line into one call of the flow."""
    from assay.cli.output import show
    from assay.flows.adding import TERMINAL
    from assay.flows.keeping import open_store
    from assay.flows.project_state import state_of

    with open_store(workbench()) as store:
        found = state_of(store, TERMINAL, name)
    show(found, format=format_, output=output, html=html, inputs=())


def _say(notes: tuple[str, ...]) -> None:
    from assay.cli.output import say
    from assay.results import Note

    for text in notes:
        say(Note("project", text))


@label.command("list", cls=Verb, example="assay label list", help="List the projects, each with how far it has come.")
def list_() -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.leading import listed

    with open_store(workbench()) as store:
        rows = listed(store)
    if not rows:
        click.echo("no project yet: `assay label create` makes one")
        return
    from assay.cli.output import draw, emit
    from assay.report.page import Column, Page, Table

    columns = (
        Column("id", mono=True), Column("project", is_name=True), Column("given or claimed", "right"),
        Column("wanted", "right"), Column("", is_prose=True),
    )  # fmt: skip
    cells = tuple(
        (row["id"], row["name"], f"{row['taken']:,}", f"{row['wanted']:,}",
         ", ".join(word for word, is_so in (("behind the pilot", row["has_pilot"]), ("closed", row["is_closed"]))
                   if is_so))
        for row in rows
    )  # fmt: skip
    said = "Judgments that are given, or claimed by a rater, of those that each project wants:"
    emit(draw(Page("Projects", (said,), (Table(columns, cells, name="Projects"),))))


label.add_command(exporting("label"))
