"""simulate logs, loop."""

from __future__ import annotations

import click

from assay.cli.options import inputs, outputs
from assay.cli.output import check_targets, show
from assay.cli.verb import OneOf, Verb, command_line, spell_map


@click.group("simulate", help="Make data with known truth, to try commands on.")
def simulate() -> None:
    """Groups what makes data."""


@simulate.command(
    "logs",
    cls=Verb,
    example="assay simulate logs bm25.run dense.run judgments.qrels --swaps 0.2 --out made.parquet",
    help="""Make a click log with known truth, to try commands on.

    A log in which the runs are the rankers, and judgments say how documents attract: what `propensity` and others
    find in it can be held against what went in.""",
)
@click.argument("runs", nargs=-1, required=True)
@click.argument("qrels")
@click.option("--out", required=True, metavar="FILE", help="The log, as .parquet, .csv or .jsonl.")
@click.option("--truth", metavar="FILE", help="What went in, by query and document, as .csv.")
@click.option("--topics", metavar="FILE", help="What was asked, by query id.")
@click.option("--searches", type=click.IntRange(1), default=2_000, metavar="NUMBER", help="2000 unless given.")
@click.option("--law", type=OneOf(["pbm", "cascade", "dbn", "trust"]), default="pbm",
              metavar="pbm|cascade|dbn|trust",
              help="Positions and attraction (pbm), read from the top to the first click (cascade) or until satisfied "
                   "(dbn), or trusted (trust).")  # fmt: skip
@click.option("--eta", type=click.FloatRange(0), default=1.0, metavar="NUMBER",
              help="A position k is looked at with chance 1/k^eta: 1 unless given.")  # fmt: skip
@click.option("--swaps", type=click.FloatRange(0, 1), default=0.0, metavar="SHARE",
              help="Searches whose first document changes places with a lower one: 0 unless given.")  # fmt: skip
@click.option("--depth", type=click.IntRange(1), default=10, metavar="NUMBER", help="Documents shown: 10 unless given.")
@click.option("--seed", type=click.IntRange(0), default=0, metavar="NUMBER", help="0 unless given.")
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def logs(
    runs: tuple[str, ...], qrels: str, out: str, truth: str | None, topics: str | None, searches: int, law: str,
    eta: float, swaps: float, depth: int, seed: int, input_format: str | None, columns: str | None,
    format_: str | None, output: str | None, html: str | None,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.cli.options import workbench
    from assay.flows.simulated import simulate_logs as flow

    bench = workbench()
    check_targets(out, None, [*runs, qrels, *filter(None, [truth, topics, output, html])])
    if truth is not None:
        check_targets(truth, None, [*runs, qrels, out, *filter(None, [topics, output, html])])
    result = flow(
        list(runs), qrels, out=out, truth=truth, topics=topics, searches=searches, law=law, eta=eta, swaps=swaps,
        depth=depth, seed=seed, format=input_format, columns=spell_map(columns, "--columns"), bench=bench,
        command=command_line(),
    )  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=[*bench.files(), out, *filter(None, [truth])])


@simulate.command(
    "loop",
    cls=Verb,
    example="assay simulate loop --html loop.html",
    help="""Show what a ranker learns from the clicks on its own lists.

    Round by round a made world is searched, clicked and learnt from: once from raw click rates, once with position
    taken out. Raw clicks keep many early winners first although better documents stand below them.""",
)
@click.option("--rounds", type=click.IntRange(1), default=10, metavar="NUMBER", help="10 unless given.")
@click.option("--searches", type=click.IntRange(1), default=4_000, metavar="NUMBER",
              help="Of each round: 4000 unless given.")  # fmt: skip
@click.option("--queries", type=click.IntRange(1), default=40, metavar="NUMBER", help="40 unless given.")
@click.option("--documents", type=click.IntRange(2), default=10, metavar="NUMBER",
              help="Of each query: 10 unless given.")  # fmt: skip
@click.option("--swaps", type=click.FloatRange(0, 1), default=0.05, metavar="SHARE",
              help="Searches whose first document changes places with a lower one: 0.05 unless given.")  # fmt: skip
@click.option("--eta", type=click.FloatRange(0), default=1.0, metavar="NUMBER",
              help="A position k is looked at with chance 1/k^eta: 1 unless given.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, metavar="NUMBER", help="0 unless given.")
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def loop(
    rounds: int, searches: int, queries: int, documents: int, swaps: float, eta: float, seed: int,
    format_: str | None, output: str | None, html: str | None,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.cli.output import progress
    from assay.flows.looped import simulate_loop as flow

    result = flow(
        rounds=rounds, searches=searches, queries=queries, documents=documents, swaps=swaps, eta=eta, seed=seed,
        progress=progress(), command=command_line(),
    )  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=[])
