"""What every verb of the command line has in common: how much it says, its example, its options' spelling."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from assay.errors import InputError


@dataclass
class Voice:
    """How much is said, and how.

    Args:
        verbose: also how a result was made, and the traceback of an internal error.
        quiet: no notes and no progress.
        log_json: notes and progress as lines of JSON on stderr.
        no_color: no colours, also on a terminal.
        typed: the words of the command line.
    """

    verbose: bool = False
    quiet: bool = False
    log_json: bool = False
    no_color: bool = False
    typed: tuple[str, ...] = ()

    def begin(self, typed: Sequence[str]) -> None:
        """A new command line: one process may run several, as tests do."""
        self.verbose = self.quiet = self.log_json = self.no_color = False
        self.typed = tuple(typed)


VOICE = Voice()
"""Set by the options; one process says things in one way."""


def _set(name: str) -> Any:
    def callback(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            setattr(VOICE, name, True)

    return callback


def voice_options() -> list[click.Option]:
    """New options for `Voice`, for the group and for each verb."""

    def flag(*names: str, help: str) -> click.Option:
        target = names[-1].lstrip("-").replace("-", "_")
        return click.Option(names, is_flag=True, expose_value=False, callback=_set(target), help=help)

    return [
        flag("-v", "--verbose", help="Also say how the result was made."),
        flag("--quiet", help="No notes and no progress on stderr."),
        flag("--log-json", help="Notes and progress as lines of JSON on stderr."),
        flag("--no-color", help="No colours. NO_COLOR is heeded too."),
    ]


class Choice(click.Option):
    """An option that stands in a section of the help.

    Args:
        section: its heading.
    """

    def __init__(self, *args: Any, section: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


class OneOf(click.Choice[str]):
    """A word out of a few; a wrong one is answered with the nearest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """The word, what it may be, and what was probably meant."""
        from assay.errors import did_you_mean

        return f"{value!r} is not one of {', '.join(self.choices)}{did_you_mean(str(value), self.choices)}"


def choice(*names: str, section: str = "", **kwargs: Any) -> Callable[[Any], Any]:
    """As `click.option`, in a section of the help."""
    return click.option(*names, cls=Choice, section=section, **kwargs)


PASSING = re.compile(r", or pass (--[a-z-]+)( \S+)?$")
"""The last of several ways to mend: an option."""


def without_options(remedy: str, known: Collection[str]) -> str:
    """Ways to mend an error, without the last one where it is an option that is not known."""
    found = PASSING.search(remedy)
    if found is None or found[1] in known:
        return remedy
    return ", or ".join(remedy[: found.start()].rsplit(", ", 1))


class Verb(click.Command):
    """A command whose help ends with one example, and which takes the options of the voice.

    Args:
        example: a command line that runs.
        instead: options of other commands that are looked for here, and what to do instead.
    """

    def __init__(self, *args: Any, example: str = "", instead: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.instead = dict(instead or {})
        self._own = {param.name for param in self.params}
        self.params.extend(voice_options())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses what a range of numbers lets pass: NaN compares with nothing, and nothing is above infinity."""
        rest = super().parse_args(ctx, args)
        for param in self.params:
            value = ctx.params.get(param.name or "")
            if isinstance(param.type, click.FloatRange) and isinstance(value, float) and not math.isfinite(value):
                raise click.BadParameter(f"{value} is no finite number", ctx, param)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; what mends an error names no option that this command does not have."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            error.remedy = without_options(error.remedy, {name for param in self.params for name in param.opts})
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options by section: those of the verb first, those of every verb last."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                own = getattr(param, "section", "") or ("Options" if param.name in self._own else "Everywhere")
                sections.setdefault(own, []).append(record)
        everywhere = sections.pop("Everywhere", [])
        for name, records in (*sections.items(), ("Everywhere", everywhere)):
            if records:
                with formatter.section(name):
                    formatter.write_dl(records, col_max=34)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the example."""
        if self.example:
            with formatter.section("Example"):
                formatter.write("".join(f"  {line}\n" for line in self.example.splitlines()))


def command_line() -> str:
    """What was typed, so that a result can name it."""
    import shlex

    from assay.files import spelled

    return shlex.join(["assay", *map(spelled, VOICE.typed)])


_MAPS = {"--also": ("WHY=FILE", "hand=list.csv"), "--kinds": ("ACTION=KIND", "add_to_basket=cart")}


def spell_map(text: str | None, option: str) -> dict[str, str] | None:
    """`query_id=query,doc_id=product` as a dict; None stays None.

    Args:
        text: what was typed.
        option: the name of the option, for the message.
    """
    if text is None:
        return None
    from assay.errors import InputError

    pairs = [piece.partition("=") for piece in text.split(",") if piece.strip()]
    if not pairs or not all(sep and name.strip() and column.strip() for name, sep, column in pairs):
        form, such = _MAPS.get(option, ("NAME=COLUMN", "query_id=query,doc_id=product,grade=label"))
        raise InputError(f"{option} {text!r} is not a list of {form}", remedy=f"pass {option} {such}")
    return {name.strip(): column.strip() for name, _, column in pairs}
