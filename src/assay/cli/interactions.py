"""qrels from-interactions, from-clicks."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.clicks import logs, read
from assay.cli.options import inputs, outputs, workbench
from assay.cli.output import check_targets, show
from assay.cli.verb import OneOf, Verb, command_line, spell_map
from assay.errors import InputError


@click.group("qrels", help="Make judgments from what people did.")
def qrels() -> None:
    """Groups what makes judgments without a rater."""


@qrels.command(
    "from-interactions",
    cls=Verb,
    example="assay qrels from-interactions interactions.csv --split-at 2026-03-01 --grade purchase=3,cart=1",
    help="""Make judgments from what people did.

    A query is a person: what they did before the moment is the history, what they did from it on is relevant to them.
    LOG is a table with user_id, doc_id and at, and with kind and value where there are such; - is stdin.""",
)
@click.argument("log")
@click.option("--split-at", required=True, metavar="DATE", help="The moment, such as 2026-03-01 or 2026-03-01T06:00Z.")
@click.option("--out", default="qrels.csv", metavar="FILE", help="The judgments: qrels.csv unless given.")
@click.option("--history", default="history.csv", metavar="FILE", help="What came before: history.csv unless given.")
@click.option("--grade", "grades", metavar="KIND=GRADE,...",
              help="Such as purchase=3,click=1; value takes the values. Every event is 1 unless given.")  # fmt: skip
@click.option("--seen", type=OneOf(["drop", "keep"]), default="drop", metavar="drop|keep",
              help="Items that the person met before: drop unless given.")  # fmt: skip
@click.option("--min-history", type=click.IntRange(0), default=1, metavar="NUMBER",
              help="Leave out people with fewer items before: 1 unless given.")  # fmt: skip
@click.option(
    "--time-zone", "timezone", default="UTC", metavar="ZONE", help="Of times that name none: UTC unless given."
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def from_interactions(
    log: str, split_at: str, out: str, history: str, grades: str | None, seen: str, min_history: int, timezone: str,
    force: bool, input_format: str | None, columns: str | None, format_: str | None, output: str | None,
    html: str | None,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.interactions import qrels_from_interactions as flow

    bench = workbench()
    for target in (out, history):
        check_targets(target, None, [log, *filter(None, [output, html])])
    result = flow(
        log, split_at, out=out, history=history, grades=spell_grades(grades), seen=seen, min_history=min_history,
        timezone=timezone, format=input_format, columns=spell_map(columns, "--columns"), force=force,
        bench=bench, command=command_line(),
    )  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=[*bench.files(), out, history])


@qrels.command(
    "from-clicks",
    cls=Verb,
    example="assay qrels from-clicks clicks.parquet --qrels judgments.qrels --out labels.csv",
    help="""Make judgments from clicks, with position taken out.

    What clicks tell is attraction, the chance of a click when seen. It becomes a grade where its interval is narrow
    enough; other pairs stay unjudged. LOG is a log or what `cells` wrote. Ends with exit code 2 where the position
    model does not fit.""",
)
@click.argument("log", nargs=-1, required=True)
@click.option("--out", metavar="FILE", help="The labels, as .csv, .tsv, .jsonl or .parquet.")
@click.option("--pairs", metavar="FILE", help="Every pair, also those without a grade.")
@click.option("--qrels", "judged", metavar="FILE",
              help="Human judgments, on which grades are calibrated; with --cuts they are compared.")  # fmt: skip
@click.option("--cuts", metavar="NUMBER,...", help="Attractions from which grades 1, 2, ... are given.")
@click.option("--propensities", metavar="FILE",
              help="What `propensity --out` wrote: estimated from the log unless given.")  # fmt: skip
@click.option("--despite-misfit", default="", metavar="REASON",
              help="Make labels although the position model does not fit; the reason stands in each row.")  # fmt: skip
@click.option("--query", "queries", multiple=True, metavar="ID",
              help="Show the documents of this query: of the one that position changes most unless given.")  # fmt: skip
@click.option("--topics", metavar="FILE", help="What was asked, by query id.")
@click.option("--documents", metavar="FILE", help="Titles of documents.")
@click.option("--project", metavar="NAME", help="Keep the labels in the store, as a closed project of their own.")
@logs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def from_clicks(
    log: tuple[str, ...], out: str | None, pairs: str | None, judged: str | None, cuts: str | None,
    propensities: str | None, despite_misfit: str, queries: tuple[str, ...], topics: str | None, documents: str | None,
    project: str | None, format_: str | None, output: str | None, html: str | None, **options: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.click_labels import qrels_from_clicks as flow

    bench = workbench()
    given = [*log, *filter(None, [judged, propensities, topics, documents, output, html])]
    for target, others in ((out, [pairs]), (pairs, [out])):
        if target is not None:
            check_targets(target, None, [*given, *filter(None, others)])
    result = flow(
        list(log), out=out, pairs=pairs, qrels=judged, cuts=spell_cuts(cuts), propensities=propensities,
        despite_misfit=despite_misfit, queries=queries, topics=topics, documents=documents, project=project,
        choices=read(options), bench=bench, command=command_line(),
    )  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=[*log, *bench.files(), *filter(None, [out, pairs])])


def spell_cuts(text: str | None) -> list[float] | None:
    """`0.05,0.2,0.4` as numbers; None stays."""
    if text is None:
        return None
    try:
        return [float(piece) for piece in text.split(",")]
    except ValueError:
        raise InputError(f"--cuts {text!r} is no list of numbers", remedy="pass --cuts 0.05,0.2,0.4") from None


def spell_grades(text: str | None) -> Any:
    """`purchase=3,click=1` as a dict of numbers; the word `value` and None stay."""
    if text is None or "=" not in text:
        return text
    found: dict[str, float] = {}
    for piece in text.split(","):
        kind, _, grade = (part.strip() for part in piece.partition("="))
        try:
            found[kind] = float(grade)
        except ValueError:
            raise InputError(f"--grade {piece.strip()!r} is not KIND=GRADE",
                             remedy="pass --grade purchase=3,click=1") from None  # fmt: skip
    return found
