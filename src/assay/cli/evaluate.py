"""evaluate, explain, measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from assay.cli.output import progress, show
from assay.cli.verb import Verb, command_line, spell_map
from assay.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("table", "json", "csv", "jsonl", "parquet", "md", "trec_eval", "html", "assay")

CHOICES: dict[str, tuple[str, str]] = {
    "order": ("auto|score|rank", "What orders a run; auto takes the score where there is one."),
    "ties": ("docid|input|expected|best|worst", "How equal scores are ordered; expected averages over all orders."),
    "scores": ("64-bit|32-bit", "The width in which scores are compared."),
    "missing": ("zero|skip|error", "A judged query that the run lacks."),
    "no_relevant": ("drop|zero|one", "A query without a relevant document."),
    "unlisted": ("unjudged|not-relevant", "What a pair means that the judgments do not list."),
    "duplicates": ("refuse|keep-first", "A document twice for one query."),
    "negative": ("judged|unjudged", "A grade below 0."),
    "raters": ("mean|majority|median|NAME", "How the grades of several raters become one."),
}
"""The conventions as options; `Conventions` checks the values, so that a file and an option are judged alike."""


def conventions(command: F) -> F:
    """Adds the options that change a number. An option that is not given is None: then the settings decide."""
    given = [click.option("--compat", metavar="trec_eval-9|trec_eval-10", help="All conventions of another program.")]
    for name, (values, about) in CHOICES.items():
        given.append(click.option("--" + name.replace("_", "-"), name, metavar=values, help=about))
    given.append(
        click.option("--gain", metavar="linear|exp", help="What a grade is worth where the measure does not say.")
    )
    given.append(click.option("--rel", type=float, metavar="GRADE", help="The lowest relevant grade."))
    given.append(
        click.option("--include", metavar="KINDS", help="Rows that count beside organic ones: sponsored,pinned.")
    )
    for option in reversed(given):
        command = option(command)
    return command


def inputs(command: F) -> F:
    """Adds the options that say how inputs are read."""
    for option in (
        click.option("--columns", metavar="NAME=COLUMN,...", help="What our columns are called in the input."),
        click.option(
            "--input-format", metavar="FORMAT", help="trec, csv, tsv, jsonl, parquet or arrow; else recognised."
        ),
    ):
        command = option(command)
    return command


def outputs(*formats: str) -> Callable[[F], F]:
    """Adds the options that say where the answer goes."""

    def add(command: F) -> F:
        for option in (
            click.option("--html", metavar="FILE", help="Also write one self-contained page."),
            click.option("-o", "--output", metavar="FILE", help="Write there; the ending says the format."),
            click.option("--format", "format_", type=click.Choice(formats), help="How to print."),
        ):
            command = option(command)
        return command

    return add


READING = ("per_query", "quartiles", "interval", "level", "seed")


def reading(command: F) -> F:
    """Adds the options that say what of the scores is shown."""
    for option in (
        click.option("--seed", type=click.IntRange(0), help="Of the bootstrap: 0 unless given."),
        click.option(
            "--level",
            type=click.FloatRange(0, 1, min_open=True, max_open=True),
            help="Its coverage: 0.95 unless given.",
        ),
        click.option(
            "--interval",
            type=click.Choice(["t", "bootstrap", "none"]),
            help="Of the mean over queries: t unless given.",
        ),
        click.option("--quartiles", is_flag=True, default=None, help="Also the quartiles, whatever the width."),
        click.option("--per-query", is_flag=True, default=None, help="Also every query."),
    ):
        command = option(command)
    return command


def pick(choices: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; `--include a,b` as a tuple."""
    given = {name: value for name, value in choices.items() if value is not None}
    if "include" in given:
        given["include"] = tuple(kind.strip() for kind in given["include"].split(",") if kind.strip())
    return given


@click.command(
    "evaluate",
    cls=Verb,
    example="assay evaluate bm25.run dense.run judgments.qrels -m nDCG@10,P@10,R@100",
    help="""Score runs against judgments, per query and on average.

    RUNS are files of any tool, and the last file holds the judgments (qrels); - is stdin. Without -m the measures of
    assay.toml are taken, else nDCG@10, P@10, R@100 and RR.""",
)
@click.argument("files", nargs=-1, metavar="RUNS... QRELS")
@click.option("-m", "--measures", multiple=True, metavar="NAMES", help="Such as nDCG@5,10 or P:rel=2@10.")
@click.option("--qrels", metavar="FILE", help="The judgments; then every file is a run.")
@click.option(
    "--collection", "collections", multiple=True, metavar="NAME=RUN,QRELS", help="One of several collections."
)
@click.option("--topics", metavar="FILE", help="Queries with weight, intent and segments.")
@click.option("--by", multiple=True, metavar="segment|intent|source|rater", help="Each part beside the total.")
@reading
@conventions
@inputs
@outputs(*FORMATS)
def evaluate(
    files: tuple[str, ...], measures: tuple[str, ...], qrels: str | None, collections: tuple[str, ...],
    topics: str | None, by: tuple[str, ...], input_format: str | None, columns: str | None,
    format_: str | None, output: str | None, html: str | None, **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.evaluate import evaluate as one
    from assay.flows.evaluate import evaluate_collections as several

    shown = pick({name: choices.pop(name) for name in READING})
    options = {"topics": topics, "by": names(by), "format": input_format, "columns": spell_map(columns, "--columns"),
               "progress": progress(), "command": command_line(), **pick(choices)}  # fmt: skip
    wanted = ",".join(measures) or None
    if collections:
        sides = apart(collections, files)
        result: Any = several(sides, wanted, **options)
        files = tuple(file for runs, judgments in sides.values() for file in (*runs, judgments))
    else:
        runs, judgments = split(files, qrels)
        result = one(runs, judgments, wanted, **options)
    sources = (*files, *filter(None, (qrels, topics)))
    show(result, format=format_, output=output, html=html, inputs=sources, **shown)


def names(values: tuple[str, ...]) -> tuple[str, ...]:
    """`--by segment,intent --by rater` as three names."""
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


def split(files: tuple[str, ...], qrels: str | None) -> tuple[list[str], str | None]:
    """Runs and judgments: the last file holds them unless `--qrels` or, with one file, assay.toml names them."""
    if not files:
        raise InputError("no run was given", remedy="pass the runs first and the judgments last")
    if qrels is not None or len(files) == 1:
        return list(files), qrels
    return list(files[:-1]), files[-1]


def apart(collections: tuple[str, ...], files: tuple[str, ...]) -> dict[str, tuple[list[str], str]]:
    """`--collection NAME=RUN,QRELS`, several runs before the judgments allowed, as name to both sides."""
    if files:
        raise InputError(f"{files[0]} belongs to no collection", remedy="pass --collection NAME=RUN,QRELS for each")
    found: dict[str, tuple[list[str], str]] = {}
    for text in collections:
        name, sign, sides = text.partition("=")
        *runs, judgments = [side.strip() for side in sides.split(",")]
        if not sign or not name.strip() or not runs or not all([*runs, judgments]):
            raise InputError(
                f"--collection {text!r} is not NAME=RUN,QRELS", remedy="such as --collection fiqa=bm25.run,fiqa.qrels"
            )
        if name.strip() in found:
            raise InputError(f"the collection {name.strip()} is given twice", remedy="name each collection once")
        found[name.strip()] = (runs, judgments)
    return found


@click.command(
    "explain",
    cls=Verb,
    example="assay explain dense.run judgments.qrels --query q19 --measure nDCG@10",
    help="Work out one value of one query line by line.\n\nAlso says what the value would be if every document without "
    "a judgment were the worst or the best.",
)
@click.argument("run")
@click.argument("qrels", required=False)
@click.option("--query", required=True, metavar="ID", help="The query.")
@click.option("-m", "--measure", required=True, metavar="NAME", help="The measure, such as nDCG@10.")
@click.option("--documents", metavar="FILE", help="Documents, for their titles.")
@conventions
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def explain(
    run: str, qrels: str | None, query: str, measure: str, documents: str | None, input_format: str | None,
    columns: str | None, format_: str | None, output: str | None, html: str | None, **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.explain import explain as flow

    options = {"documents": documents, "format": input_format, "columns": spell_map(columns, "--columns"),
               "progress": progress(), "command": command_line(), **pick(choices)}  # fmt: skip
    result = flow(run, qrels, query, measure, **options)
    show(result, format=format_, output=output, html=html, inputs=filter(None, (run, qrels, documents)))


@click.command(
    "measures",
    cls=Verb,
    example="assay measures nDCG",
    help="List the measures, or explain one with a worked example.",
)
@click.argument("name", required=False)
@outputs("table", "json", "csv", "jsonl", "md", "html")
def measures(name: str | None, format_: str | None, output: str | None, html: str | None) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.explain import measures as flow

    show(flow(name), format=format_, output=output, html=html)
