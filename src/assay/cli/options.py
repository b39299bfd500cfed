"""Options that several verbs share: conventions, how inputs are read, what is shown and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.cli.verb import OneOf, choice

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("table", "json", "csv", "jsonl", "parquet", "md", "trec_eval", "html", "assay")
"""Every format that scores can be written in."""

CHOICES: dict[str, tuple[str, str]] = {
    "order": ("auto|score|rank", "What orders a run; auto takes the score where there is one."),
    "ties": ("docid|input|expected|best|worst", "How equal scores are ordered; expected averages over all orders."),
    "scores": ("64-bit|32-bit", "The width in which scores are compared."),
    "missing": ("zero|skip|error", "A judged query that the run lacks."),
    "no_relevant": ("drop|zero|one", "A query without a relevant document."),
    "unlisted": ("unjudged|not-relevant", "What a pair means that the judgments do not list."),
    "duplicates": ("refuse|keep-first", "A document twice for one query."),
    "negative": ("judged|unjudged", "A grade below 0."),
    "raters": ("mean|majority|median|dawid-skene|adjudicated|NAME", "How the grades of several raters become one."),
    "dimension": ("NAME", "Which judgments are read, where they hold several dimensions."),
    "include": ("KINDS", "Rows that count beside organic ones: sponsored,pinned."),
    "gain": ("linear|exp", "What a grade is worth where the measure does not say."),
}
"""What changes a number, as options; `Conventions` checks the values, so that a file and an option are judged alike."""


def added(options: Sequence[Callable[[Any], Any]]) -> Callable[[F], F]:
    """A decorator that adds some options in this order."""

    def add(command: F) -> F:
        for option in reversed(options):
            option(command)  # notes the option on the function, which stays what it is
        return command

    return add


def conventions(command: F) -> F:
    """Adds the options that change a number. An option that is not given is None: then the settings decide."""
    say = partial(choice, section="Conventions")
    given = [say("--compat", metavar="trec_eval-9|trec_eval-10", help="All conventions of another program.")]
    for name, (values, about) in CHOICES.items():
        given.append(say("--" + name.replace("_", "-"), name, metavar=values, help=about))
    given.append(say("--rel", type=float, metavar="GRADE", help="The lowest relevant grade."))
    return added(given)(command)


def sample(command: F) -> F:
    """Adds the options that say how the queries were drawn, and so how their weighted mean is estimated."""
    say = partial(choice, section="Sample of queries")
    return added(
        [
            say("--weighting", metavar="NAME", help="traffic, hajek, stratified or horvitz-thompson; by the columns of "
                "the topics (weight, inclusion) unless given."),
            say("--strata", metavar="COLUMN", help="The stratum, for stratified: column stratum unless given."),
            say("--shares", metavar="NAME=SHARE,...", help="Of the strata in all traffic, or in all queries."),
            say("--sizes", metavar="NAME=NUMBER,...", help="All queries of each stratum, where many were drawn."),
            say("--total", type=float, metavar="NUMBER",
                help="Traffic of all queries, or their number, for horvitz-thompson."),
        ]
    )(command)  # fmt: skip


ORDERING = ("order", "ties", "scores", "duplicates", "include")
"""The conventions that lists have without any judgment."""


def ordering(command: F) -> F:
    """Adds the options that say how the documents of a run stand, for verbs that need no judgments."""
    say = partial(choice, section="Conventions")
    given = [say("--" + name, name, metavar=CHOICES[name][0], help=CHOICES[name][1]) for name in ORDERING]
    return added(given)(command)


def consumer(command: F) -> F:
    """Adds the option that says how many results are read, for verbs whose measures follow from it."""
    about = "How many results the consumer reads: the cutoff where no measure is named."
    return added([choice("--k", type=int, metavar="NUMBER", help=about, section="Conventions")])(command)


def inputs(command: F) -> F:
    """Adds the options that say how inputs are read."""
    say = partial(choice, section="Inputs")
    return added(
        [
            input_format,
            say("--columns", metavar="NAME=COLUMN,...", help="Which column of the input holds what."),
            say("--labels", metavar="MAP", expose_value=False, callback=_note_labels,
                help="What labels are worth as grades: esci, yes-no, 1..5, {good:2,bad:0}, a rubric file."),
            say("--cache/--no-cache", default=None, expose_value=False, callback=_note_cache,
                help="Read large runs from copies; made in a workspace unless --no-cache."),
        ]
    )(command)  # fmt: skip


def input_format(command: F) -> F:
    """Adds the option that says the format of all inputs, or of one: `FORMAT`, or `INPUT=FORMAT`."""
    about = ("Of all inputs, or of one: qrels=msmarco, FILE=trec; may be given several times. Recognised from content "
             "unless given.")  # fmt: skip
    given = choice("--input-format", multiple=True, callback=_formats, metavar="[INPUT=]FORMAT", help=about,
                   section="Inputs")  # fmt: skip
    return added([given])(command)


def _formats(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> str | None:
    if not value:
        return None
    from assay.flows.workbench import input_formats

    whole, ctx.meta["assay.formats"] = input_formats(value)
    return whole


def _note_cache(ctx: click.Context, param: click.Parameter, value: bool | None) -> None:
    ctx.meta["assay.cache"] = value


def _note_labels(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    ctx.meta["assay.labels"] = value


def workbench(**options: Any) -> Workbench:
    """Where the verb finds its inputs; what went wrong with copies of runs is said when the verb has ended."""
    from assay.flows.workbench import Workbench

    ctx = click.get_current_context()
    bench = Workbench.open(cache=ctx.meta.get("assay.cache"), labels=ctx.meta.get("assay.labels"),
                           formats=ctx.meta.get("assay.formats") or {}, **options)  # fmt: skip

    @ctx.call_on_close
    def tell() -> None:
        if bench.told or bench.unread:
            from assay.cli.output import say
            from assay.results import Note

            for sentence in bench.told:
                say(Note("cache", sentence))
            for name in bench.unread:
                say(Note("input-format", f"--input-format says the format of {name}, and nothing was read as that"))

    return bench


def outputs(*formats: str) -> Callable[[F], F]:
    """Adds the options that say where the answer goes."""
    from assay.cli.output import AS_PAGE, check_ending

    def known(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        has_out = any("--out" in other.opts for other in ctx.command.params)
        check_ending(value, ctx.params["format_"], formats, has_out)
        return value

    say = partial(choice, section="Output")
    return added(
        [
            say("--format", "format_", type=OneOf(formats), is_eager=True, metavar="NAME",
                help=f"{', '.join(formats)}."),
            say("-o", "--output", callback=known, metavar="FILE",
                help="Write there; the ending says the format unless --format does."),
            say("--html", callback=AS_PAGE, metavar="FILE", help="Also write one self-contained page."),
        ]
    )  # fmt: skip


READING = ("per_query", "quartiles", "interval", "level", "seed")
"""The options of `reading`."""


def reading(command: F) -> F:
    """Adds the options that say what of the scores is shown."""
    say = partial(choice, section="What is shown")
    share = click.FloatRange(0, 1, min_open=True, max_open=True)
    methods = OneOf(["t", "bootstrap", "none"])
    return added(
        [
            say("--per-query", is_flag=True, default=None, help="Also every query."),
            say("--quartiles", is_flag=True, default=None, help="Also the quartiles, whatever the width."),
            say("--interval", type=methods, help="Of the mean over queries: t unless given."),
            say("--level", type=share, metavar="SHARE", help="Its coverage: 0.95 unless given."),
            say("--seed", type=click.IntRange(0), metavar="NUMBER", help="Of the bootstrap: 0 unless given."),
        ]
    )(command)


def pick(choices: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; `--include a,b` as a tuple."""
    given = {name: value for name, value in choices.items() if value is not None}
    if "include" in given:
        given["include"] = tuple(kind.strip() for kind in given["include"].split(",") if kind.strip())
    return given
