"""demo, init, config, doctor, cache."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click

from assay.cli.options import consumer, conventions, outputs, pick
from assay.cli.output import columns, draw, emit, say, show
from assay.cli.verb import OneOf, Verb, voice_options
from assay.flows.template import QUESTIONS

FORMATS = ("table", "json", "csv", "jsonl", "md", "html")


@click.command(
    "demo",
    cls=Verb,
    example="assay demo --folder example",
    help="Score the bundled example, a small product search.\n\n"
    "With --folder the files are copied there first, so that the commands that it prints can be typed.",
)
@click.option("--folder", metavar="NAME", help="Copy the files of the example there.")
def demo(folder: str | None) -> None:
    """Tells the story of the example, a chapter at a time."""
    from assay.flows.demo import STORY
    from assay.flows.demo import demo as flow
    from assay.report.describe import describe
    from assay.report.letters import wrap

    for chapter, result in zip(STORY, flow(folder), strict=True):
        lines = [chapter.heading, "=" * len(chapter.heading), "", f"$ {chapter.command}", ""]
        emit("\n".join(lines).encode("utf-8") + b"\n")
        emit(draw(describe(result)))
        emit(("\n" + "\n".join(wrap(chapter.reading, columns())) + "\n\n\n").encode("utf-8"))
    if folder:
        emit(f"These commands run in the folder {folder}.\n".encode())
    else:
        emit(f"To run them yourself:\n  {_called()} demo --folder example\n  cd example\n{_short()}".encode())


def _called() -> str:
    """How this program can be called from here: by its name where that is found, else by its path."""
    import shutil
    from pathlib import Path

    if os.environ.get("UV_RUN_RECURSION_DEPTH"):  # on the PATH of this process alone
        return "uv run assay"
    typed = Path(sys.argv[0])
    if typed.name not in ("assay", "assay.exe") or shutil.which(typed.name):
        return "assay"
    return str(typed.absolute())


def _short() -> str:
    """How the path can be left out, where the program is called by it and lies in an environment."""
    from pathlib import Path

    activate = Path(_called()).with_name("activate")
    return (
        f"  (after `. {activate}` the word `assay` is enough)\n" if activate.is_absolute() and activate.exists() else ""
    )


def questions(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds an option for each question of `init`."""
    for question in reversed(QUESTIONS):
        values = "|".join(question.choices) or "TEXT"
        command = click.option(f"--{question.name}", metavar=values, help=question.text)(command)
    return command


@click.command(
    "init",
    cls=Verb,
    example="assay init --folder shop --primary nDCG@10 --gain exp",
    help="Write a commented assay.toml by a few questions or options.\n\nOn a terminal it asks what no option answers; "
    "elsewhere, and with --yes, the rest takes its default.",
)
@click.option("--folder", default=".", metavar="NAME", help="Where to write it; made when absent.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
@questions
def init(folder: str, yes: bool, **answers: str | None) -> None:
    """Asks, then translates the answers into one call of the flow."""
    from assay.flows.setup import doubts
    from assay.flows.setup import init as flow

    given = pick(answers)
    if not yes and sys.stdin.isatty():
        given |= ask(given)
    path = flow(folder, given)
    click.echo(f"Wrote {path}. `assay config show` prints what holds, `assay doctor` checks it.")
    for note in doubts(path):
        say(note)


def ask(given: dict[str, str]) -> dict[str, str]:
    """The answers to the questions that no option answers."""
    said = {}
    for question in QUESTIONS:
        if question.name in given:
            continue
        if question.why:
            click.echo(click.style(question.why, dim=True), err=True)
        choices = OneOf(question.choices) if question.choices else None
        said[question.name] = click.prompt(question.text, default=question.default, type=choices, err=True,
                                           show_default=bool(question.default))  # fmt: skip
        click.echo(err=True)
    return said


@click.group("config", help="Print every setting with where it came from.")
def config() -> None:
    """Settings of this folder."""


config.params.extend(voice_options())


@config.command(
    "show",
    cls=Verb,
    example="assay config show --ties expected",
    help="Print every setting with where it came from.\n\nThe order is: option, environment (ASSAY_...), assay.toml, "
    "default.",
)
@conventions
@consumer
@outputs(*FORMATS)
def config_show(format_: str | None, output: str | None, html: str | None, **choices: Any) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.setup import config as flow

    show(flow(options=pick(choices)), format=format_, output=output, html=html)


@click.command(
    "doctor",
    cls=Verb,
    example="assay doctor",
    help="Check versions, optional parts and the files of the workspace.\n\n"
    "The exit code is 1 when a command would fail.",
)
@outputs(*FORMATS)
def doctor(format_: str | None, output: str | None, html: str | None) -> int:
    """Translates the command line into one call of the flow."""
    from assay.flows.doctor import doctor as flow

    result = flow()
    show(result, format=format_, output=output, html=html)
    return result.exit_code


@click.command(
    "cache",
    cls=Verb,
    example="assay cache --clear",
    help="Say how much room the copies of runs take, or remove them.\n\nA copy that is gone is made again when its run "
    "is read the next time.",
)
@click.option("--clear", is_flag=True, help="Remove every copy.")
@outputs("table", "json", "md", "html")
def cache(clear: bool, format_: str | None, output: str | None, html: str | None) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.setup import copies

    show(copies(clear=clear), format=format_, output=output, html=html)
