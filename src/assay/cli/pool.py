"""pool make, pool audit."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import conventions, inputs, outputs, pick, workbench
from assay.cli.output import AS_CSV, progress, show
from assay.cli.verb import Verb, command_line, spell_map


@click.group("pool", help="Say which pairs to judge, and what each run brought to the judgments.")
def pool() -> None:
    """Groups what looks at the pool of judged documents."""


@pool.command(
    "make",
    cls=Verb,
    example="assay pool make bm25.run dense.run --qrels judgments.qrels --depth 10 --pairs pairs.csv",
    help="""Say which pairs of query and document to judge, and what that takes.

    The first documents of every run, what people clicked and what lists name, less what is judged. A pair names neither
    system nor rank.""",
)
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@click.option("--qrels", metavar="FILE", help="What is judged already.")
@click.option("--topics", metavar="FILE", help="The queries that are asked for; those of the runs unless given.")
@click.option("--depth", type=click.IntRange(1), default=10, metavar="RANK", help="Of the pool: 10 unless given.")
@click.option("--pairs", callback=AS_CSV, metavar="FILE",
              help="Write the pairs there, as a table that labelling takes (CSV).")  # fmt: skip
@click.option("--also", multiple=True, metavar="WHY=FILE", help="Further pairs: clicked=clicks.csv, hand=list.csv.")
@click.option("--log", multiple=True, metavar="FILE",
              help="What people did (query, doc_id, action; or UBI): what was clicked or bought joins.")  # fmt: skip
@click.option("--application", default="", metavar="NAME", help="Of UBI: whose records count; all unless given.")
@click.option("--taken-at-least", type=click.IntRange(1), default=1, metavar="NUMBER", help="Clicks or purchases: 1.")
@click.option("--first", metavar="FILE", help="Pairs that stand before all others: what compare --to-label wrote.")
@click.option(
    "--queue",
    type=click.Choice(["query", "move-to-front"]),
    default="query",
    help="Query by query unless given; or by which run was right so far.",
)
@click.option(
    "--tail",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="SHARE",
    help="Pairs drawn at random from below the depth, as a share of those above: 0.",
)
@click.option("--at-most", type=click.IntRange(1), metavar="NUMBER", help="No more pairs than these.")
@click.option(
    "--raters-each", type=click.IntRange(1), default=1, metavar="NUMBER", help="Raters of a pair: 1 unless given."
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    metavar="NUMBER",
    help="Of one judgment: 1 unless given.",
)
@click.option("--price", default="0.50:3.00", metavar="LOW:HIGH", help="Of one judgment: 0.50:3.00 unless given.")
@click.option("--currency", default="USD", metavar="NAME", help="Of the prices: USD unless given.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="NUMBER", help="Of all random numbers: 0 unless given."
)
@conventions
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def make(
    runs: tuple[str, ...], pairs: str | None, also: tuple[str, ...], raters_each: int, minutes: float, price: str,
    currency: str, queue: Any, input_format: str | None, columns: str | None, format_: str | None,
    output: str | None, html: str | None, qrels: str | None, topics: str | None, depth: int, first: str | None,
    tail: float, at_most: int | None, seed: int, log: tuple[str, ...], application: str, taken_at_least: int,
    **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.cli.output import check_beside, write
    from assay.flows.pool import as_csv, budget_of
    from assay.flows.pool import pool as flow

    bench = workbench()
    result = flow(
        list(runs), qrels, topics=topics, depth=depth, lists=spell_map(",".join(also) or None, "--also"), first=first,
        queue=queue, tail=tail, at_most=at_most, budget=budget_of(raters_each, minutes, price, currency),
        seed=seed, log=log, application=application, taken_at_least=taken_at_least, format=input_format,
        columns=spell_map(columns, "--columns"), bench=bench, progress=progress(),
        command=command_line(), **pick(choices),
    )  # fmt: skip
    check_beside([pairs], output, html, bench.files())
    if pairs is not None:
        write(pairs, as_csv(result))
    show(result, format=format_, output=output, html=html, inputs=bench.files())


@pool.command(
    "audit",
    cls=Verb,
    example="assay pool audit judgments.qrels bm25.run dense.run two-stage.run -m nDCG@10",
    help="""Say what each run alone brought to the judgments.

    And what it would lose had it been left out of the pool. A run that loses much shows how a new system fares that
    never fed the pool: its documents are unjudged.""",
)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@click.option("-m", "--measures", multiple=True, metavar="NAMES", help="Such as nDCG@10 or AP.")
@click.option("--depth", type=click.IntRange(1), metavar="RANK",
              help="Of the pool: told by where the judgments end unless given.")  # fmt: skip
@click.option("--within-pool", is_flag=True, help="Leave out judged pairs that no run here shows.")
@conventions
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def audit(
    qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], depth: int | None, within_pool: bool,
    input_format: str | None, columns: str | None, format_: str | None, output: str | None, html: str | None,
    **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.pool import pool_audit as flow

    bench = workbench()
    options = {"depth": depth, "within_pool": within_pool, "format": input_format,
               "columns": spell_map(columns, "--columns"), "bench": bench, "progress": progress(),
               "command": command_line(), **pick(choices)}  # fmt: skip
    result = flow(list(runs), qrels, ",".join(measures) if measures else None, **options)
    show(result, format=format_, output=output, html=html, inputs=bench.files())
