"""counterfactual."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.clicks import BY_SEGMENT, logs, read
from assay.cli.options import outputs, workbench
from assay.cli.output import names_inputs, progress, show
from assay.cli.verb import OneOf, Verb, command_line


@click.command(
    "counterfactual",
    cls=Verb,
    instead=BY_SEGMENT,
    example="assay counterfactual clicks.parquet dense.run --measure DCG@5",
    help="""Say what a ranking would have earned on the searches of a log, or why the log cannot say.

    LOG is a log or what `cells` wrote, TARGET the run to be valued. Ends with exit code 2 where weights, support or
    propensities would make a confident wrong number: then reasons and bounds are shown.""",
)
@click.argument("log", nargs=-1, required=True)
@click.argument("target")
@click.option("-m", "--measure", default="DCG@10", metavar="MEASURE",
              help="DCG, nDCG, CG, P, RR or RBP: DCG@10 unless given.")  # fmt: skip
@click.option("--discounts", metavar="X,...", help="Discounts of ranks from 1 on, in place of the measure.")
@click.option("--propensities", metavar="FILE",
              help="What `propensity --out` wrote; estimated from the log unless given.")  # fmt: skip
@click.option("--estimator", type=OneOf(["policy-aware", "ips", "snips", "clipped", "dr"]), metavar="NAME",
              help="policy-aware unless given (ips with --bandit); or ips, snips, clipped, dr.")  # fmt: skip
@click.option("--clip", type=click.FloatRange(0, min_open=True), metavar="NUMBER",
              help="The most that a click may weigh: of clipped 10 unless given, of dr any.")  # fmt: skip
@click.option("--missing", type=OneOf(["skip", "zero"]), default="skip", metavar="skip|zero",
              help="Searches of queries that TARGET lacks are left out unless given; zero counts them 0.")  # fmt: skip
@click.option("--bandit", is_flag=True,
              help="Rows are documents that were drawn, with their chance; TARGET is a CSV of chances.")  # fmt: skip
@logs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def counterfactual(
    log: tuple[str, ...], target: str, measure: str, discounts: str | None,
    propensities: str | None, estimator: str | None, clip: float | None, missing: str, bandit: bool,
    format_: str | None, output: str | None, html: str | None, **options: Any,
) -> int:  # fmt: skip
    """Translates the command line into one call of the flow; the exit code is that of the result."""
    from assay.flows.counterfactual import counterfactual as flow
    from assay.flows.mistaken import check_ranking

    check_ranking(target)
    bench = workbench(hashes=names_inputs(format_, output, html))
    result = flow(list(log), target, measure=measure, discounts=discounts, propensities=propensities,
                  estimator=estimator, clip=clip, missing=missing, bandit=bandit, choices=read(options), bench=bench,
                  progress=progress(), command=command_line())  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=[*log, target, *filter(None, [propensities])])
    return result.exit_code
