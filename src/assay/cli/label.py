"""label create, label list, label export."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import workbench
from assay.cli.verb import Verb


@click.group("label", help="Make a project that people label in their browser, and take their judgments out.")
def label() -> None:
    """The verbs of labelling."""


@label.command(
    "create",
    cls=Verb,
    example="assay label create winter pairs.csv --rubric rubric.md --topics topics.csv --documents documents.jsonl",
    help="""Make a project that people label in their browser, and take their judgments out.

    From pairs of query and document, a rubric, and what raters see of each. People open it by `assay serve`.""",
)
@click.argument("name")
@click.argument("pairs")
@click.option("--rubric", required=True, metavar="FILE", help="What the grades mean: `assay rubric init` writes one.")
@click.option("--topics", metavar="FILE", help="What was asked, by query id.")
@click.option("--documents", metavar="FILE", help="What raters see: doc_id, title, text.")
@click.option("--raters-each", type=click.IntRange(1, 50), default=2, metavar="NUMBER", help="Of a pair: 2.")
@click.option(
    "--mode", type=click.Choice(["query", "mixed"]), default="query", help="One query after the other: query."
)
@click.option("--repeats", type=click.FloatRange(0, 0.5), default=0.05, metavar="SHARE",
              help="Own items that come again, to see how steady raters are: 0.05.")  # fmt: skip
@click.option("--enter", "needs_enter", is_flag=True, help="A grade is confirmed by Enter.")
def create(name: str, pairs: str, rubric: str, repeats: float, **options: Any) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import open_store
    from assay.flows.labelling import create_project
    from assay.flows.rubric import read_rubric, text_of

    bench = workbench()
    rules, text = read_rubric(rubric), text_of(rubric)
    with open_store(bench) as store:
        made = create_project(
            store, bench, name=name, pairs=pairs, rubric=rules, rubric_text=text, by="terminal", repeat_share=repeats,
            **options,
        )  # fmt: skip
    click.echo(f"{made.name}: {made.items:,} pairs of {made.queries:,} queries, {made.judgments:,} judgments wanted")
    if made.without_document:
        click.echo(f"{made.without_document:,} of them have no document: raters see an id alone; pass --documents FILE")
    click.echo("next: `assay people invite --role rater`, then `assay serve`")


@label.command("list", cls=Verb, example="assay label list", help="List the projects, each with how far it has come.")
def list_() -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.keeping import TENANT, open_store
    from assay.flows.labelling import overview
    from assay.flows.people import Person

    with open_store(workbench()) as store:
        rows = overview(store, Person("", "lead", TENANT))
    if not rows:
        click.echo("no project yet: `assay label create` makes one")
    for row in rows:
        click.echo(f"{row['id']}  {row['name']}: {row['taken']:,} of {row['wanted']:,} judgments given or claimed")


@label.command(
    "export",
    cls=Verb,
    example="assay label export winter labels.csv",
    help="""Write the judgments that stand in a project as a table.

    One row a judgment and dimension, with rater, time, rubric and document version; `assay evaluate`, `compare` and
    `agree` read it.""",
)
@click.argument("name")
@click.argument("target")
def export(name: str, target: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.cli.output import check_targets, write
    from assay.flows.keeping import TENANT, open_store
    from assay.flows.labelling import as_csv
    from assay.flows.labelling import export as flow

    bench = workbench()
    with open_store(bench) as store:
        rows = flow(store, TENANT, name)
    check_targets(target, None, bench.files())
    write(target, as_csv(rows))
    click.echo(f"{target}: {len(rows):,} rows", err=True)
