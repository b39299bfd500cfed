"""compare, power."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from assay.cli.evaluate import names, split
from assay.cli.options import added, conventions, inputs, outputs, pick, sample, workbench
from assay.cli.output import AS_CSV, a_folder, progress, show
from assay.cli.verb import Verb, choice, command_line, spell_map

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("table", "json", "csv", "jsonl", "parquet", "md", "html", "assay")
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
KEPT = ".assay"


def how_sure(command: F) -> F:
    """Adds the options that say how differences are tested and corrected."""
    say = partial(choice, section="How sure")
    methods = click.Choice(["t", "percentile", "bootstrap", "bca"])
    return added(
        [
            say("--interval", type=methods, help="Of the mean difference: t unless given."),
            say("--level", type=SHARE, metavar="SHARE", help="Its coverage: 0.95 unless given."),
            say("--alpha", type=SHARE, metavar="SHARE", help="Level of a claim: 0.05 unless given."),
            say("--family", type=click.Choice(["holm", "max-t", "bh", "tukey", "none"]),
                help="What corrects several p: Holm up to 50 hypotheses, max-T above, unless given; tukey: all pairs."),
            say("--wilcoxon-zeros", type=click.Choice(["wilcox", "pratt"]),
                help="Queries that do not differ: left out of Wilcoxon's ranks, unless given, or ranked first."),
            say("--flips", type=click.IntRange(1), metavar="NUMBER",
                help="Sign patterns drawn: 100000 unless given, more where the correction needs them."),
            say("--seed", type=click.IntRange(0), metavar="NUMBER", help="Of all random numbers: 0 unless given."),
            say("--tie", type=click.FloatRange(0), metavar="DIFFERENCE", help="Up to this a query counts as a tie."),
        ]
    )(command)  # fmt: skip


@click.command(
    "compare",
    cls=Verb,
    example="assay compare bm25.run dense.run judgments.qrels -m nDCG@10,P@10 --topics topics.csv",
    help="""Say whether a candidate is better than the baseline, for whom, and how sure that is.

    The first run is the baseline, the last file holds the judgments. Kept scores (.assay) are compared as they are,
    without judgments. The answer never is an exit code: `assay gate` does that.""",
)
@click.argument("files", nargs=-1, metavar="BASELINE CANDIDATE... QRELS")
@click.option("-m", "--measures", multiple=True, metavar="NAMES", help="The first is the primary one.")
@click.option("--qrels", metavar="FILE", help="The judgments; then every file is a run.")
@click.option("--topics", metavar="FILE", help="Queries with weight, intent and segments.")
@click.option("--by", multiple=True, metavar="COLUMNS", help="Segments: segment unless given, where topics tell them.")
@click.option("--stages", multiple=True, metavar="NAME=FIRST:100,FINAL", help="A system's first stages, with depths.")
@click.option("--baseline", metavar="NAME", help="The run that the others are compared with: the first unless given.")
@click.option("--all-pairs", is_flag=True, help="Compare every pair of runs.")
@click.option("--bounds-depth", type=click.IntRange(1), metavar="RANK",
              help="How far down unjudged documents could have any grade.")  # fmt: skip
@click.option("--per-query", is_flag=True, default=None, help="Also every query.")
@click.option("--tests", is_flag=True, default=None, help="Also every test, with what it supposes.")
@click.option("--documents", metavar="FILE", help="Documents, for their titles in the report.")
@click.option("--agreement", metavar="FILE", help="Grade, other, count: how often a second rater says what.")
@click.option("--to-label", callback=AS_CSV, metavar="FILE",
              help="Write the pairs that could decide a fragile difference, as CSV.")  # fmt: skip
@click.option("--charts", callback=a_folder, metavar="FOLDER", help="Write each chart there, as SVG.")
@click.option("--png", is_flag=True, help="Write the charts as PNG; needs assay[report].")
@click.option("--redact", is_flag=True, help="Codes for queries and documents, for sharing outside.")
@sample
@how_sure
@conventions
@inputs
@outputs(*FORMATS)
def compare(
    files: tuple[str, ...], measures: tuple[str, ...], qrels: str | None, topics: str | None, by: tuple[str, ...],
    stages: tuple[str, ...], baseline: str | None, all_pairs: bool, input_format: str | None, columns: str | None,
    per_query: bool | None, tests: bool | None, documents: str | None, charts: str | None, png: bool, redact: bool,
    to_label: str | None,
    format_: str | None, output: str | None, html: str | None, **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.compare import compare as flow

    bench = workbench()
    kept = qrels is None and bool(files) and all(file.lower().endswith(KEPT) for file in files)
    runs, judgments = (list(files), None) if kept else split(files, qrels)
    options = {"topics": topics, "by": names(by) or None, "stages": stages, "baseline": baseline,
               "all_pairs": all_pairs, "documents": documents, "format": input_format,
               "columns": spell_map(columns, "--columns"), "bench": bench, "progress": progress(),
               "command": command_line(), **pick(choices)}  # fmt: skip
    result = flow(runs, judgments, ",".join(measures) if measures else None, **options)
    read = (*bench.files(), *(files if kept else ()))
    if to_label is not None:
        write_pairs(result, to_label, read, output, html)
    if redact:
        from assay.report.redact import redacted

        result = redacted(result)
    if charts is not None or png:
        write_charts(result, charts, "png" if png else "svg")
    show(result, format=format_, output=output, html=html, inputs=read,
         **pick({"per_query": per_query, "tests": tests}))  # fmt: skip


def write_pairs(result: Any, target: str, inputs: tuple[str, ...], output: str | None, html: str | None) -> None:
    """The shortest list of pairs that could decide the primary difference, as a table that labelling takes."""
    from assay.cli.output import check_beside, say, write
    from assay.results import Note
    from assay.tables.formulas import as_csv

    rows = [
        (pair.query_id, pair.doc_id, pair.order, pair.reason) for found in result.deciding[:1] for pair in found.pairs
    ]
    check_beside([target], output, html, inputs)
    write(target, as_csv(("query_id", "doc_id", "order", "reason"), rows))
    if not rows:
        say(
            Note(
                "nothing-decides",
                f"{target} has no rows: the sign of no difference was found to hang on unjudged documents",
            )
        )


def write_charts(result: Any, folder: str | None, kind: str) -> None:
    """Each chart as a file of its own."""
    from pathlib import Path

    from assay.cli.output import write
    from assay.errors import InputError
    from assay.report.pictures import files

    drawn = files(result, kind)  # before the folder is touched: what cannot be drawn leaves nothing behind
    place = Path(folder or "charts")
    if place.exists() and not place.is_dir():
        raise InputError("is a file, and charts are written into a folder", str(place), "name another folder")
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", str(place), "name another folder") from None
    for name, data in drawn.items():
        write(str(place / name), data)


@click.command(
    "power",
    cls=Verb,
    example="assay power bm25.run dense.run judgments.qrels -m nDCG@10 --difference 0.02",
    help="""Say what a query set can show, and how many queries a difference takes.

    The spread of the differences between the first run and each other is measured; the paired t test is planned.""",
)
@click.argument("files", nargs=-1, metavar="RUNS... QRELS")
@click.option("--difference", type=float, metavar="VALUE", help="The smallest difference that is worth finding.")
@click.option("--power", "chance", type=SHARE, metavar="SHARE", help="The wanted chance: 0.8 unless given.")
@click.option("--alpha", type=SHARE, metavar="SHARE", help="Level of the test: 0.05 unless given.")
@click.option("-m", "--measures", multiple=True, metavar="NAMES", help="Such as nDCG@10 or P:rel=2@10.")
@click.option("--qrels", metavar="FILE", help="The judgments; then every file is a run.")
@click.option("--baseline", metavar="NAME", help="The run that the others are compared with: the first unless given.")
@conventions
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def power(
    files: tuple[str, ...], measures: tuple[str, ...], qrels: str | None, baseline: str | None,
    input_format: str | None, columns: str | None, format_: str | None, output: str | None, html: str | None,
    **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.compare import power as flow

    bench = workbench()
    runs, judgments = split(files, qrels)
    options = {"baseline": baseline, "format": input_format, "columns": spell_map(columns, "--columns"),
               "bench": bench, "progress": progress(), "command": command_line(), **pick(choices)}  # fmt: skip
    result = flow(runs, judgments, ",".join(measures) if measures else None, **options)
    show(result, format=format_, output=output, html=html, inputs=bench.files())
