"""agree, sample, rubric."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.evaluate import names
from assay.cli.options import inputs, outputs, workbench
from assay.cli.output import AS_CSV, ends_with, show
from assay.cli.verb import Verb, command_line, spell_map
from assay.errors import InputError


@click.command(
    "agree",
    cls=Verb,
    example="assay agree ratings.csv --grades 0,1,2,3",
    help="""Say how much the raters of a set of judgments agree.

    Percent, kappas, Krippendorff's alpha and Gwet's AC1 and AC2, in all, by rater, by pair of raters, at each step
    between two grades and by segment, with intervals over queries; and the pairs that are most disputed. A table has
    a row a rating with its rater, or a row a pair and a column a rater.""",
)
@click.argument("qrels", required=False)
@click.option("--grades", metavar="LIST", help="The rubric's grades, such as 0,1,2,3; seen ones unless given.")
@click.option("--topics", metavar="FILE", help="Queries with segments.")
@click.option("--by", multiple=True, metavar="COLUMNS", help="Parts: dimension, source, rubric, or of the topics.")
@click.option("--raters", metavar="NAMES", help="Whose grades count, such as ana,bo; everybody's unless given.")
@click.option("--limit", type=float, metavar="VALUE", help="The agreement that is asked for: 0.6 unless given.")
@click.option("--seed", type=click.IntRange(0), default=0, metavar="NUMBER", help="Of the resampling: 0 unless given.")
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def agree(
    qrels: str | None, grades: str | None, topics: str | None, by: tuple[str, ...], raters: str | None,
    limit: float | None, seed: int, input_format: str | None, columns: str | None, format_: str | None,
    output: str | None, html: str | None,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.agree import agree as flow

    bench = workbench()
    options: dict[str, Any] = {
        "topics": topics,
        "by": names(by) or None,
        "limit": limit,
        "seed": seed,
        "raters": raters,
    }
    result = flow(
        qrels, grades=numbers(grades), format=input_format, columns=spell_map(columns, "--columns"), bench=bench,
        command=command_line(), **options,
    )  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=bench.files())


def numbers(text: str | None) -> list[float] | None:
    """`0,1,2,3` as numbers."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InputError(f"{text!r} is not a list of grades", "--grades", "write --grades 0,1,2,3") from None


@click.command(
    "sample",
    cls=Verb,
    example="assay sample searches.csv --strata head:4,torso:6,tail:10 --write set.csv",
    help="""Draw a fair set of queries from a log.

    The log is a table with a query in each row, or what User Behavior Insights (UBI) writes. Each stratum has its size,
    and each query a known chance, so that means of the set are those of the traffic. Queries that differ in form alone
    are one, by rules that can be chosen; texts with personal data are left out before anything is written.""",
)
@click.argument("log")
@click.option("--events", metavar="FILE", help="Of UBI, where they stand in a file of their own.")
@click.option("--application", default="", metavar="NAME", help="Of UBI: whose records count; all unless given.")
@click.option("--size", type=click.IntRange(1), metavar="NUMBER", help="How many queries in all.")
@click.option(
    "--strata",
    metavar="NAME:NUMBER,...",
    help="head, torso, tail, known-item, zero-results, no-click, escalated; head,torso,tail unless given.",
)
@click.option(
    "--write", "target", callback=AS_CSV, metavar="FILE", help="Write the set there, as a table of topics (CSV)."
)
@click.option("--known-item", metavar="PATTERN", help="A regular expression: queries for one thing.")
@click.option("--known-items", metavar="FILE", help="A table of such queries.")
@click.option("--known-documents", metavar="FILE", help="Documents: a query that is an id or a whole title is such.")
@click.option(
    "--within",
    type=click.Choice(["traffic", "equal"]),
    default="traffic",
    help="Chances inside a stratum: in proportion to traffic, unless given.",
)
@click.option(
    "--same",
    type=click.Choice(["exact", "form", "words"]),
    default="form",
    help="When two texts are one query: but for form (case, punctuation), unless given.",
)
@click.option(
    "--near", default="", metavar="RULES", help="And also but for accents, plurals, typos: none unless given."
)
@click.option(
    "--folds", callback=AS_CSV, metavar="FILE", help="Write there every text that counts as another one, and why (CSV)."
)
@click.option("--from", "first", metavar="DAY", help="The first day that counts, such as 2026-03-01.")
@click.option("--to", "last", metavar="DAY", help="The last day that counts.")
@click.option("--time-zone", metavar="NAME", help="In which days begin, such as Europe/Berlin.")
@click.option("--refresh", metavar="TOPICS", help="Topics of an earlier set: say what left and what arrived.")
@click.option("--seed", type=click.IntRange(0), default=0, metavar="NUMBER", help="Of the draw: 0 unless given.")
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def sample(
    log: str, strata: str | None, target: str | None, folds: str | None, input_format: str | None, columns: str | None,
    format_: str | None, output: str | None, html: str | None, **options: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.cli.output import check_beside, write
    from assay.flows.sample import as_csv, folds_csv
    from assay.flows.sample import sample as flow

    bench = workbench()
    result = flow(
        log, strata=strata, format=input_format, columns=spell_map(columns, "--columns"), bench=bench,
        command=command_line(), **options,
    )  # fmt: skip
    wanted = [(path, made) for path, made in ((target, as_csv), (folds, folds_csv)) if path is not None]
    check_beside([path for path, _ in wanted], output, html, bench.files())
    for path, made in wanted:
        write(path, made(result))
    show(result, format=format_, output=output, html=html, inputs=bench.files())


@click.group("rubric", help="Write and read the file that says what the grades mean.")
def rubric() -> None:
    """The verbs of a rubric."""


@rubric.command(
    "init", cls=Verb, example="assay rubric init", help="Write the file that says what the grades mean, to be changed."
)
@click.argument(
    "path", default="rubric.md", callback=ends_with(".md", ".markdown", ".txt", what="Markdown"), metavar="[FILE]"
)
@click.option("--plain", is_flag=True, help="Grades alone, without dimensions: one key a document.")
def rubric_init(path: str, plain: bool) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.rubric import init

    click.echo(f"{init(path, plain)} is written: change the examples to your own, then `assay rubric show {path}`")


@rubric.command(
    "show",
    cls=Verb,
    example="assay rubric show rubric.md",
    help="Show a rubric as raters see it, with its version; what is wrong in it is said with its line.",
)
@click.argument("path", metavar="FILE")
@outputs("table", "json", "md", "html", "assay")
def rubric_show(path: str, format_: str | None, output: str | None, html: str | None) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.rubric import show_rubric

    show(show_rubric(path), format=format_, output=output, html=html, inputs=(path,))


@rubric.command(
    "apply",
    cls=Verb,
    example="assay rubric apply dimensions.csv --rubric rubric.md --write graded.csv",
    help="""Work out the grade of judgments whose dimensions stand apart.

    Each row of the judgments is what one rater says of one dimension; the rule of the rubric gives the grade. Then
    `assay evaluate --dimension topicality` shows what the rule changed.""",
)
@click.argument("qrels")
@click.option("--rubric", "path", required=True, metavar="FILE", help="What says how the grade follows.")
@click.option("--write", "target", callback=AS_CSV, metavar="FILE", help="Write every row and the grades there (CSV).")
@inputs
@outputs("table", "json", "csv", "md", "html", "assay")
def rubric_apply(
    qrels: str, path: str, target: str | None, input_format: str | None, columns: str | None, format_: str | None,
    output: str | None, html: str | None,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.cli.output import check_beside, write
    from assay.flows.rubric import apply, as_csv

    bench = workbench()
    result = apply(
        qrels, path, format=input_format, columns=spell_map(columns, "--columns"), bench=bench, command=command_line()
    )
    check_beside([target], output, html, bench.files())
    if target is not None:
        write(target, as_csv(result))
    show(result, format=format_, output=output, html=html, inputs=bench.files())
