"""The command `assay`: a group that loads a verb's module when the verb is used, and turns errors into exit codes."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import Any, NoReturn

import click

from assay.cli.verb import VOICE, voice_options
from assay.errors import AssayError, nearest

VERBS: dict[str, dict[str, tuple[str, str]]] = {
    "Measure": {
        "evaluate": ("assay.cli.evaluate", "Score runs against judgments, per query and on average."),
        "compare": (
            "assay.cli.compare",
            "Say whether a candidate is better than the baseline, for whom, and how sure that is.",
        ),
        "power": ("assay.cli.compare", "Say what a query set can show, and how many queries a difference takes."),
        "gate": ("assay.cli.gate", "Say PASS, FAIL or INCONCLUSIVE of a change, by the team's rule file."),
        "overlap": ("assay.cli.overlap", "Say how alike two runs are, query by query, without judgments."),
        "catalogue": (
            "assay.cli.catalogue",
            "Say how much of a catalogue runs show, to how few items, how new and how varied.",
        ),
        "explain": ("assay.cli.evaluate", "Work out one value of one query line by line."),
        "reconcile": ("assay.cli.reconcile", "Find the conventions that give a number which another tool printed."),
        "conventions": (
            "assay.cli.reconcile",
            "Show what every known tool's conventions make of the same run and judgments, side by side.",
        ),
        "measures": ("assay.cli.evaluate", "List the measures, or explain one with a worked example."),
        "show": ("assay.cli.results", "Show a saved result again, without its runs."),
        "report": ("assay.cli.report", "Write the report of a saved result as one self-contained page."),
        "rerun": ("assay.cli.report", "Make a saved result again by its recorded command, and show what differs."),
    },
    "Judge": {
        "pool": ("assay.cli.pool", "Say which pairs to judge, and what each run brought to the judgments."),
        "rubric": ("assay.cli.judgments", "Write and read the file that says what the grades mean."),
        "sample": ("assay.cli.judgments", "Draw a fair set of queries from a log."),
        "label": (
            "assay.cli.label",
            "Make a project that people label in their browser, and take their judgments out.",
        ),
        "judgments": ("assay.cli.freshness", "Say which labels no longer hold, and which are due again."),
        "agree": ("assay.cli.judgments", "Say how much the raters of a set of judgments agree."),
    },
    "Clicks": {
        "behaviour": ("assay.cli.clicks", "Say what people did with what was shown to them."),
        "cells": (
            "assay.cli.clicks",
            "Count a log by query, document and position, in a file that adds up over days.",
        ),
        "propensity": (
            "assay.cli.clicks",
            "Say how likely each position is looked at, and whether that explains the clicks.",
        ),
        "click-models": ("assay.cli.clicks", "Say which law of clicking predicts a log best."),
        "counterfactual": (
            "assay.cli.counterfactual",
            "Say what a ranking would have earned on the searches of a log, or why the log cannot say.",
        ),
        "simulate": ("assay.cli.simulate", "Make data with known truth, to try commands on."),
    },
    "Serve": {
        "serve": ("assay.cli.serve", "Serve the pages on which people label, settle and lead."),
        "people": (
            "assay.cli.people",
            "Add and invite people who label, change what they may do, and make keys for programs.",
        ),
        "db": ("assay.cli.db", "Bring the store of judgments up to date, copy it, or look whether it is sound."),
        "privacy": (
            "assay.cli.privacy",
            "Find, hand out or erase what is known about a person, and forget what is too old.",
        ),
    },
    "Bring and take": {
        "qrels": ("assay.cli.interactions", "Make judgments from what people did."),
        "import": ("assay.cli.convert", "Bring another tool's file into the workspace, and say what got lost."),
        "export": ("assay.cli.convert", "Write judgments, topics, runs and documents in another tool's format."),
        "convert": ("assay.cli.convert", "Write what one file holds in another format, ours or another tool's."),
        "validate": ("assay.cli.validate", "Look for what is wrong in judgments, runs, topics and rule files."),
        "formats": ("assay.cli.convert", "List the formats that are read and written, or explain one."),
    },
    "Set up": {
        "demo": ("assay.cli.setup", "Score the bundled example, a small product search."),
        "init": ("assay.cli.setup", "Write a commented assay.toml by a few questions or options."),
        "config": ("assay.cli.setup", "Print every setting with where it came from."),
        "doctor": ("assay.cli.setup", "Check versions, optional parts and the files of the workspace."),
        "cache": ("assay.cli.setup", "Say how much room the copies of runs take, or remove them."),
    },
}
"""Every verb: the module that holds it and the first sentence of its help, so that the list loads no verb."""

COULD_NOT_RUN = 3
INTERRUPTED = 130
PIPE_CLOSED = 141


class Verbs(click.Group):
    """Verbs that are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every verb, in the order of the help."""
        return [verb for group in VERBS.values() for verb in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name, imported now."""
        for group in VERBS.values():
            if cmd_name in group:
                module = importlib.import_module(group[cmd_name][0])
                name = cmd_name.replace("-", "_")
                name = name if hasattr(module, name) else f"{name}_"  # `import` is a word of Python
                return getattr(module, name)  # type: ignore[no-any-return] # a command by construction
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest names where there is no such verb."""
        name = args[0]
        if name.startswith("-") or any(name in group for group in VERBS.values()):
            return super().resolve_command(ctx, args)
        known = self.list_commands(ctx)
        raise click.UsageError(f"unknown command {name}{_closest(name, known)}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs by what they are for."""
        widest = max(len(verb) for verb in self.list_commands(ctx))
        for name, group in VERBS.items():
            with formatter.section(name):
                formatter.write_dl([(verb.ljust(widest), about) for verb, (_, about) in group.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the example."""
        with formatter.section("Example"):
            formatter.write("  assay demo\n")


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from assay import __version__

        click.echo(f"assay {__version__}")
        ctx.exit()


assay = Verbs(
    name="assay",
    help="Find out what a search ranking is really worth: what is better, for which queries, and how sure that is.",
    params=[
        click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version,
                     help="Print the version."),
        *voice_options(),
    ],
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip


def main() -> NoReturn:
    """Runs the command line and ends the process with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    """Runs one command line; whatever goes wrong becomes a message on stderr and an exit code."""
    VOICE.begin(args)
    _open_closed()
    try:
        code = assay.main(args, prog_name="assay", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        return COULD_NOT_RUN
    except click.ClickException as error:
        return _say(*_usage(error))
    except AssayError as error:
        where = getattr(error, "where", "")
        return _say(f"{'' if where else 'assay: '}{error}", code=error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _say("assay: interrupted. Nothing was written.", code=INTERRUPTED)
    except BrokenPipeError:  # the reader has seen enough, as with `| head`
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        return _say(f"{error.filename or 'assay'}: {error.strerror or error}")
    except MemoryError:
        return _say("assay: out of memory", "give it more, or fewer runs at a time")
    except Exception as error:
        if VOICE.verbose:
            import traceback

            traceback.print_exc()
        return _say(f"assay: internal error: {type(error).__name__}: {error}",
                    "this is a fault of assay; run again with -v for the details and report them")  # fmt: skip
    return code if isinstance(code, int) else 0


def _open_closed() -> None:
    """Sends to nowhere what is said to a stream that was closed before the start (`>&-`).

    A file opened later could otherwise take its number, and be written to by mistake.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def _say(message: str, remedy: str = "", code: int = COULD_NOT_RUN) -> int:
    from assay.report.letters import clean

    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    text = "\n".join(clean(line) for line in message.split("\n"))
    if VOICE.log_json:
        import json

        text = json.dumps(
            {"kind": "error", "text": text.removeprefix("assay: "), "mend": remedy or None, "exit_code": code},
            ensure_ascii=False,
        )
    elif remedy:
        text += f"\n    mend: {remedy}"
    click.echo(text, err=True)
    return code


def _closest(name: str, names: list[str]) -> str:
    close = nearest(name, names, most=1)
    return f"; did you mean {close[0]}?" if close else ""


def _usage(error: click.ClickException) -> tuple[str, str]:
    """Click's message in our words, and what mends it."""
    ctx: Any = getattr(error, "ctx", None)
    path = ctx.command_path if ctx else "assay"
    if isinstance(error, click.NoSuchOption):
        instead = getattr(ctx.command, "instead", {}).get(error.option_name) if ctx else None
        if instead:
            return f"assay: {path.removeprefix('assay ')} has no option {error.option_name}", instead
        known = [name for param in ctx.command.params for name in param.opts] if ctx else []
        text = f"unknown option {error.option_name}{_closest(error.option_name, known)}"
    elif isinstance(error, click.MissingParameter) and error.param is not None:
        name = (
            max(error.param.opts, key=len) if isinstance(error.param, click.Option) else error.param.human_readable_name
        )
        text = f"{name} is missing"
    else:
        text = error.format_message().rstrip(".")
        text = text[:1].lower() + text[1:]
    return f"assay: {text}", f"{path} --help shows what it takes"
