"""behaviour, cells, propensity, click-models."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from assay.cli.options import added, outputs
from assay.cli.output import check_targets, show
from assay.cli.verb import OneOf, Verb, choice, command_line, spell_map
from assay.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])

CHOICES = ("events", "columns", "kinds", "ordinal_base", "app", "time_zone", "since", "until", "session_limit",
           "bots", "keep_bots", "late", "trusted", "on", "master", "memory")  # fmt: skip
"""The options of `logs`."""

BY_SEGMENT = {
    "--by": "segments are told apart without it: a column device or layout is read as one, --columns segment=COLUMN "
            "names another",
}  # fmt: skip
"""What whoever knows `behaviour --by` does where a log is weighed or counted."""


def logs(command: F) -> F:
    """Adds the options that say how a click log is read."""
    say = partial(choice, section="The log")
    return added(
        [
            say("--events", metavar="FILE", help="Clicks and what else happened, when they stand apart."),
            say("--columns", metavar="NAME=COLUMN,...",
                help="Which column holds what: query_id, doc_id, position, clicked, ...; paths as a.b.c, "
                     "columns by position as doc_id=d{n}."),
            say("--kinds", metavar="ACTION=KIND,...",
                help="What actions are: search, impression, click, cart, purchase, satisfied."),
            say("--ordinal-base", metavar="APP=0|1,...",
                help="The first position of each application, or of all; read from the log unless given."),
            say("--app", metavar="NAME", help="Only the rows of this application."),
            say("--from", "since", metavar="DATE", help="From this moment on."),
            say("--to", "until", metavar="DATE", help="Before this moment."),
            say("--time-zone", metavar="ZONE", help="Of times that name none, and of days: UTC for days unless given."),
            say("--session-limit", type=click.IntRange(0), metavar="NUMBER",
                help="Set sessions with more searches aside: 50 unless given, 0 sets none aside."),
            say("--bots", metavar="FILE",
                help="Set these aside, too: an id a line, or agent: and a pattern such as *monitor*."),
            say("--keep-bots", is_flag=True, help="Count bots as people, whatever columns and user agents say."),
            say("--late", type=click.FloatRange(0), metavar="SECONDS",
                help="Clicks this long after their search are reported: 86400 unless given."),
            say("--trusted", is_flag=True, help="Rows are known to come once: repeated ones are not looked for."),
            say("--on", type=OneOf(["duckdb", "spark"]), metavar="duckdb|spark",
                help="The engine: duckdb unless given."),
            say("--master", metavar="ADDRESS", help="Address of Spark; the cores of this machine unless given."),
            say("--memory", metavar="SIZE", help="The most that the engine may take, such as 4GB."),
        ]
    )(command)  # fmt: skip


def read(options: dict[str, Any]) -> Any:
    """The choices of `logs`, taken out of the options of a verb."""
    from assay.flows.click_logs import LogChoices

    given = {name: options.pop(name) for name in CHOICES}
    base = spell_bases(given.pop("ordinal_base"))
    named = {"late": "late_s", "trusted": "is_trusted"}
    plain = {named.get(name, name): value for name, value in given.items() if value is not None}
    plain["columns"] = spell_map(given["columns"], "--columns") or {}
    plain["kinds"] = spell_map(given["kinds"], "--kinds") or {}
    return LogChoices(ordinal_base=base, **plain)


def spell_bases(text: str | None) -> dict[str, int]:
    """`Chorus=1,shop=0` as a dict; a number alone is for every application."""
    if text is None:
        return {}
    found: dict[str, int] = {}
    for piece in text.split(","):
        app, is_named, base = piece.rpartition("=")
        if base.strip() not in ("0", "1") or (is_named and not app.strip()):
            raise InputError(f"--ordinal-base {piece.strip()!r} is not APP=0 or APP=1",
                             remedy="pass --ordinal-base 0, or --ordinal-base shop=0,other=1")  # fmt: skip
        found[app.strip()] = int(base)
    return found


@click.command(
    "behaviour",
    cls=Verb,
    example="assay behaviour clicks.parquet --by segment",
    help="""Say what people did with what was shown to them.

    Clicks by position, abandonment, zero results, reformulation, time to the first click, dwell, carts and purchases,
    with intervals over people. LOG may also be sums by person and day that `--units` wrote: days then add up, and no
    log is read. Else it is a file, a folder, a glob or an address (a table of a lake, objects of a store):
    Parquet, CSV or JSON lines, User Behavior Insights as it is.""",
)
@click.argument("log", nargs=-1, required=True)
@click.option("--by", metavar="NAME,...", help="Also by app, day, ranker or segment.")
@click.option("--within", type=click.FloatRange(0, min_open=True), default=60.0, metavar="SECONDS",
              help="A like query this soon after is a reformulation: 60 unless given.")  # fmt: skip
@click.option("--queries", type=click.IntRange(0), default=20, metavar="NUMBER",
              help="The most frequent queries: 20 unless given.")  # fmt: skip
@click.option("--empty-is-zero", is_flag=True, help="A search without an impression found nothing.")
@click.option("--units", metavar="FILE", help="Also sums of each person and day, under pseudonyms, as .parquet.")
@logs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def behaviour(
    log: tuple[str, ...], by: str | None, within: float, queries: int, empty_is_zero: bool, units: str | None,
    format_: str | None, output: str | None, html: str | None, **options: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.cli.options import workbench
    from assay.flows.behaviour import behaviour as flow

    groups = [part.strip() for part in by.split(",")] if by else []
    bench = None
    if units is not None:
        bench = workbench()
        check_targets(units, None, [*log, *filter(None, [output, html, options["events"], options["bots"]])])
    result = flow(list(log), by=groups, within=within, queries=queries, empty_is_zero=empty_is_zero, units=units,
                  choices=read(options), bench=bench, command=command_line())  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=[*log, *filter(None, [units])])


@click.command(
    "cells",
    cls=Verb,
    example="assay cells clicks.parquet --out cells.parquet",
    instead=BY_SEGMENT,
    help="""Count a log by query, document and position, in a file that adds up over days.

    What follows from counts (`propensity` and others) takes such files in place of the log, one or many: a day that
    was counted once need not be read again. LOG is what `behaviour` takes.""",
)
@click.argument("log", nargs=-1, required=True)
@click.option("--out", required=True, metavar="FILE", help="The counts, as .parquet; or FOLDER/, of files.")
@click.option("--count", "kind", type=OneOf(["position", "cascade", "last-click"]), default="position",
              metavar="position|cascade|last-click",
              help="Clicks by position unless given; how far lists were read; by the last click above.")  # fmt: skip
@logs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def cells(
    log: tuple[str, ...], out: str, kind: str, format_: str | None, output: str | None, html: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.cells import cells as flow

    check_targets(out, None, [*log, *filter(None, [output, html])])
    result = flow(list(log), out=out, kind=kind, choices=read(options), command=command_line())
    show(result, format=format_, output=output, html=html, inputs=[*log, out])


@click.command(
    "propensity",
    cls=Verb,
    example="assay propensity clicks.parquet --out propensities.csv --html bias.html",
    instead=BY_SEGMENT,
    help="""Say how likely each position is looked at, and whether that explains the clicks.

    From documents that were shown at several positions, by several rankers or by chance. LOG is a log or what `cells`
    wrote. Ends with exit code 2 where no document ties any position to position 1.""",
)
@click.argument("log", nargs=-1, required=True)
@click.option("--out", metavar="FILE", help="The propensities, as .csv.")
@click.option(
    "--methods",
    metavar="NAME,...",
    help="Set beside: swaps, pivot, adjacent chain, all pairs unless given; em, regression-em, shuffled.",
)
@click.option("--features", metavar="FILE", help="Of regression-em: query_id, doc_id and columns of numbers.")
@click.option("--trust", is_flag=True, help="Also how far what stands high is clicked without merit.")
@click.option("--rivals/--no-rivals", default=True, help="Hold other click models against this one; so unless --no-.")
@logs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def propensity(
    log: tuple[str, ...], out: str | None, methods: str | None, features: str | None, trust: bool, rivals: bool,
    format_: str | None, output: str | None, html: str | None, **options: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.propensity import METHODS
    from assay.flows.propensity import propensity as flow

    if out is not None:
        check_targets(out, None, [*log, *filter(None, [output, html])])
    result = flow(list(log), out=out, methods=METHODS if methods is None else methods, features=features, trust=trust,
                  rivals=rivals, choices=read(options), command=command_line())  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=[*log, *filter(None, [out, features])])


@click.command(
    "click-models",
    cls=Verb,
    example="assay click-models clicks.parquet --qrels judgments.qrels",
    help="""Say which law of clicking predicts a log best.

    Models are fitted to the earlier two thirds of the log and held to the rest: log-likelihood, perplexity and, with
    judgments, how well the relevance that they find agrees with people.""",
)
@click.argument("log", nargs=-1, required=True)
@click.option(
    "--models", metavar="NAME,...", help="pbm, ubm, dbn, sdbn, dcm, ccm, cascade and rates: all unless given."
)
@click.option("--qrels", metavar="FILE", help="Judgments, to compare relevance with.")
@click.option("--searches", type=click.IntRange(2), default=200_000, metavar="NUMBER",
              help="Searches that are taken, evenly over time: 200000 unless given.")  # fmt: skip
@logs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def click_models(
    log: tuple[str, ...], models: str | None, qrels: str | None, searches: int, format_: str | None,
    output: str | None, html: str | None, **options: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.cli.options import workbench
    from assay.cli.output import progress
    from assay.flows.click_models import click_models as flow

    bench = workbench()
    result = flow(list(log), models=models, qrels=qrels, searches=searches, choices=read(options), bench=bench,
                  progress=progress(), command=command_line())  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=[*log, *bench.files()])
