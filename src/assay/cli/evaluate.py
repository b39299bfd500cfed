"""evaluate, explain, measures."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import FORMATS, READING, consumer, conventions, inputs, outputs, pick, reading, sample, workbench
from assay.cli.output import names_inputs, progress, show
from assay.cli.verb import OneOf, Verb, command_line, spell_map
from assay.errors import InputError


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
@click.option("--documents", metavar="FILE", help="As they are now: says how many labels no longer hold.")
@click.option(
    "--verify", is_flag=True, default=None,
    help="Also recompute with an installed witness; exit code 1 when a difference has no known cause.",
)  # fmt: skip
@click.option(
    "--by", multiple=True, metavar="segment|intent|source|rater",
    help="Each part beside the total; segments where topics are known.",
)  # fmt: skip
@click.option("--average", metavar="mean|geometric|median", help="How the queries become one figure.")
@click.option(
    "--on", type=OneOf(["spark"]), metavar="spark", help="Score Parquet runs where they lie; this machine unless given."
)
@click.option("--master", metavar="ADDRESS", help="Address of Spark; the cores of this machine unless given.")
@reading
@sample
@conventions
@consumer
@inputs
@outputs(*FORMATS)
def evaluate(
    files: tuple[str, ...], measures: tuple[str, ...], qrels: str | None, collections: tuple[str, ...],
    topics: str | None, documents: str | None, by: tuple[str, ...], input_format: str | None, columns: str | None,
    format_: str | None, output: str | None, html: str | None, **choices: Any,
) -> int:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.evaluate import evaluate as one
    from assay.flows.evaluate import evaluate_collections as several

    bench = workbench(hashes=names_inputs(format_, output, html))
    shown = pick({name: choices.pop(name) for name in READING})
    options = {"topics": topics, "documents": documents, "format": input_format,
               "columns": spell_map(columns, "--columns"), "bench": bench, "progress": progress(),
               "command": command_line(), **pick({"by": names(by) or None, **choices})}  # fmt: skip
    wanted = ",".join(measures) if measures else None
    if collections:
        sides = apart(collections, (*files, *filter(None, [qrels])))
        result: Any = several(sides, wanted, **options)
    else:
        runs, judgments = split(files, qrels)
        result = one(runs, judgments, wanted, **options)
    show(result, format=format_, output=output, html=html, inputs=bench.files(), **shown)
    scores = result.scores if collections else (result,)
    return 1 if any(one.verified is not None and not one.verified.is_fine for one in scores) else 0


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

    bench = workbench(hashes=names_inputs(format_, output, html))
    options = {"documents": documents, "format": input_format, "columns": spell_map(columns, "--columns"),
               "bench": bench, "command": command_line(), **pick(choices)}  # fmt: skip
    result = flow(run, qrels, query, measure, **options)
    show(result, format=format_, output=output, html=html, inputs=bench.files())


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
