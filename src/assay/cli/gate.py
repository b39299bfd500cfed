"""gate, gate init, gate plan."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from assay.cli.evaluate import names, split
from assay.cli.options import added, conventions, inputs, outputs, pick, workbench
from assay.cli.output import AS_CSV, AS_XML, check_targets, emit, ends_with, progress, render, show, write
from assay.cli.verb import Verb, choice, command_line, spell_map, voice_options
from assay.errors import InputError, did_you_mean, nearest

F = TypeVar("F", bound=Callable[..., Any])
RUN = "rules"
"""The command behind `assay gate FILES...`, which has no name of its own on the command line."""
KEPT = ".assay"


class Gate(click.Group):
    """`assay gate FILES...` holds a change to the rules; `assay gate init` and `plan` come before that."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What is no subcommand belongs to the gate itself."""
        if not args or args[0] not in self.commands or args[0] == RUN:
            named = [name for name in self.commands if name != RUN]
            close = nearest(args[0], named, most=1) if args and not os.path.exists(args[0]) else []
            if close:
                raise click.UsageError(f"no file and no command {args[0]}; did you mean {close[0]}?", ctx)
            args = [RUN, *args]
        return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """That of the gate itself, which names the others."""
        run = self.commands[RUN]
        return run.get_help(click.Context(run, ctx.parent, ctx.info_name, terminal_width=ctx.terminal_width))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The ones with a name."""
        return [name for name in super().list_commands(ctx) if name != RUN]


class Run(Verb):
    """The gate itself, whose help also names what comes before it."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As `assay gate`: nobody types the name of the subcommand."""
        if parent is not None and parent.parent is not None:
            info_name, parent = parent.info_name, parent.parent
        return super().make_context(info_name, args, parent, **extra)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the subcommands, then the example."""
        with formatter.section("Before the first gate"):
            formatter.write_dl(
                [
                    ("assay gate init", "Write the usual rules of a kind of change, with reasons."),
                    ("assay gate plan", "Say which margins a query set can resolve."),
                ]
            )
        super().format_epilog(ctx, formatter)


@click.group("gate", cls=Gate, help="Say PASS, FAIL or INCONCLUSIVE of a change, by the team's rule file.")
def gate() -> None:
    """Groups the gate with what comes before it."""


gate.params.extend(voice_options())


def change(command: F) -> F:
    """Adds the options that say what is compared."""
    say = partial(choice, section="Gate")
    return added(
        [
            say("--rules", default="gate.toml", metavar="FILE", help="The rule file: gate.toml unless given."),
            say("--qrels", metavar="FILE", help="The judgments; then both files are runs."),
            say("--topics", metavar="FILE", help="Queries with weight, intent and segments."),
            say("--by", multiple=True, metavar="COLUMNS", help="Further columns of segments."),
            say("--status", metavar="FILE", help="The candidate's requests: query_id, status, latency_ms."),
            say("--flips", type=click.IntRange(1), metavar="NUMBER", help="Sign patterns: 100000 unless given."),
            say("--seed", type=click.IntRange(0), metavar="NUMBER", help="Of all random numbers: 0 unless given."),
        ]
    )(command)


@gate.command(
    RUN,
    cls=Run,
    example="assay gate init --change ranking\nassay gate bm25.run dense.run judgments.qrels --topics topics.csv",
    help="""Say PASS, FAIL or INCONCLUSIVE of a change, by the team's rule file.

    BASELINE is the run before the change, CANDIDATE the one after it, QRELS the judgments; or two kept scores (.assay)
    alone. Exit codes: 0 PASS, 1 FAIL, 2 INCONCLUSIVE (0 where the rules say on_inconclusive = "warn"), 3 could not
    run.""",
)
@click.argument("files", nargs=-1, metavar="BASELINE CANDIDATE QRELS")
@change
@choice("--baseline-status", metavar="FILE", help="The same of the baseline.", section="Gate")
@choice("--stages", multiple=True, metavar="NAME=FIRST:100,FINAL", help="A system's first stages.", section="Gate")
@choice("--documents", metavar="FILE", help="Titles, and with doc_hash what became stale.", section="Gate")
@choice("--override", metavar="NAME", help="Who lets the change through all the same.", section="Gate")
@choice("--reason", metavar="TEXT", help="Why; the report shows both.", section="Gate")
@choice("--markdown", callback=ends_with(".md", ".markdown", what="Markdown"), metavar="FILE", section="Output",
        help="Also write Markdown, for a pull request.")  # fmt: skip
@choice("--junit", callback=AS_XML, metavar="FILE", help="Also write JUnit XML: one test a rule.", section="Output")
@choice("--annotate", metavar="HOST", section="Output",
        help="Also tell the CI host on stderr: github, azure or teamcity; gitlab=FILE writes a report.")  # fmt: skip
@choice("--to-label", callback=AS_CSV, metavar="FILE", section="Output",
        help="Write the pairs that could decide, for labelling, as CSV.")  # fmt: skip
@choice("--redact", is_flag=True, default=None, section="Output",
        help="Codes for queries and documents, for sharing outside; --to-label keeps ids.")  # fmt: skip
@conventions
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def rules(
    files: tuple[str, ...], qrels: str | None, by: tuple[str, ...], input_format: str | None, columns: str | None,
    format_: str | None, output: str | None, html: str | None, to_label: str | None, rules: str,
    stages: tuple[str, ...], markdown: str | None, junit: str | None, annotate: str | None, redact: bool | None,
    **choices: Any,
) -> int:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.gate import gate as flow

    bench = workbench()
    baseline, candidate, judgments = sides(files, qrels)
    host, _, report = (annotate or "").partition("=")
    targets = [target for target in (markdown, junit, report or None, to_label) if target is not None]
    check_several(output, html, targets, [*files, rules])
    if annotate is not None:
        check_host(host, report)
    result = flow(
        baseline, candidate, judgments, rules, by=names(by) or None, stages=stages, format=input_format,
        columns=spell_map(columns, "--columns"), bench=bench, progress=progress(), command=command_line(),
        **pick(choices),
    )  # fmt: skip
    if to_label is not None:
        write(to_label, wanted(result))
    if redact:
        from assay.report.redact import redacted

        result = redacted(result)
    if markdown is not None:
        write(markdown, render(result, "md", {}))
    if junit is not None:
        from assay.report.junit import junit as xml

        write(junit, xml(result).encode("utf-8"))
    if annotate is not None:
        from assay.report.annotations import annotate as told

        text = told(result, host)
        if report:
            write(report, text.encode("utf-8"))
        else:
            click.echo(text, nl=False, err=True)
    show(result, format=format_, output=output, html=html, inputs=bench.files())
    return result.exit_code


def check_several(output: str | None, html: str | None, targets: list[str], inputs: list[str]) -> None:
    """Refuses what would be written over an input, the settings, or another of the files."""
    check_targets(output, html, inputs)
    taken = [target for target in (output, html) if target is not None]
    for target in targets:
        check_targets(target, None, inputs)
        if target == "-":
            raise InputError("only the result itself goes to stdout", remedy="name a file")
        if target in taken:
            raise InputError(f"two things would be written to {target}", remedy="name another file")
        taken.append(target)


def check_host(host: str, report: str) -> None:
    """Refuses an unknown CI host before any work, and a report that would go nowhere."""
    from assay.report.annotations import HOSTS

    if host not in HOSTS:
        raise InputError(
            f"--annotate {host!r} is no CI host that is known{did_you_mean(host, HOSTS)}",
            remedy=f"pass --annotate {'|'.join(HOSTS)}",
        )
    if (host == "gitlab") != bool(report):
        says = "gitlab reads a file" if host == "gitlab" else f"{host} reads what is printed"
        raise InputError(says, remedy=f"pass --annotate {'gitlab=FILE' if host == 'gitlab' else host}")


def sides(files: tuple[str, ...], qrels: str | None) -> tuple[str, str | None, str | None]:
    """Baseline, candidate and judgments; the latter two may be left out with kept scores."""
    if files and qrels is None and all(file.lower().endswith(KEPT) for file in files):
        if len(files) > 2:
            raise InputError(f"a gate compares two, and {len(files)} were given", remedy="give baseline and candidate")
        return files[0], files[1] if len(files) == 2 else None, None
    if qrels is None and len(files) == 2:  # the settings may name the judgments
        return files[0], files[1], None
    runs, judgments = split(files, qrels)
    if len(runs) != 2:
        raise InputError(
            f"a gate compares two runs, and {len(runs)} {'was' if len(runs) == 1 else 'were'} given",
            remedy="pass the baseline, the candidate, and the judgments last",
        )
    return runs[0], runs[1], judgments


def wanted(verdict: Any) -> bytes:
    """The pairs that could decide, the first of each rule first, as CSV that labelling takes."""
    from assay.tables.formulas import as_csv

    pairs = {(p.query_id, p.doc_id): p for remedy in reversed(verdict.would_resolve) for p in reversed(remedy.pairs)}
    rows = ([pair.query_id, pair.doc_id, order, pair.reason] for order, pair in enumerate(reversed(pairs.values()), 1))
    return as_csv(("query_id", "doc_id", "order", "reason"), rows)


@gate.command(
    "init",
    cls=Verb,
    example="assay gate init --change ranking",
    help="Write the usual rules of a kind of change, with reasons.\n\nThe margins are starting points; a file that is "
    "there is never overwritten.",
)
@click.option("--change", required=True, metavar="KIND", help="retrieval, ranking, rag or live.")
@click.option("-o", "--output", default="gate.toml", callback=ends_with(".toml", what="TOML"), metavar="FILE",
              help="gate.toml unless given; - is stdout.")  # fmt: skip
def init(change: str, output: str) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.gate_template import init as flow
    from assay.flows.gate_template import rules_for

    if output == "-":
        emit(rules_for(change).encode("utf-8"))
        return
    path = flow(change, output)
    click.echo(f"Wrote {path}. `assay gate plan` says which of its margins your queries can resolve.")


@gate.command(
    "plan",
    cls=Verb,
    example="assay gate plan bm25.run dense.run judgments.qrels --topics topics.csv --rules gate.toml",
    help="""Say which margins a query set can resolve, before the gate is used.

    For each rule: the chances of PASS, INCONCLUSIVE and FAIL at minus the margin, at no difference and at the planned
    gain. The two runs tell the spread of the differences, not who is better; before there are two, type the spread in
    with --sd and --queries.""",
)
@click.argument("files", nargs=-1, metavar="RUN RUN QRELS")
@change
@choice("--sd", multiple=True, metavar="VALUE", section="Gate",
        help="Of the differences, without runs: 0.15, or nDCG@10=0.15 for one measure.")  # fmt: skip
@choice("--queries", multiple=True, metavar="NUMBER", section="Gate",
        help="With it: 200, and tail=80 for a segment.")  # fmt: skip
@conventions
@inputs
@outputs("table", "json", "csv", "jsonl", "md", "html", "assay")
def plan(
    files: tuple[str, ...], qrels: str | None, by: tuple[str, ...], input_format: str | None, columns: str | None,
    format_: str | None, output: str | None, html: str | None, rules: str, sd: tuple[str, ...],
    queries: tuple[str, ...], **choices: Any,
) -> None:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.gate import gate_plan as flow

    bench = workbench()
    typed = {"sd": sd, "queries": queries} if sd or queries else {}
    baseline, other, judgments = (None, None, None) if typed and not files else sides(files, qrels)
    check_targets(output, html, [*files, rules])
    result = flow(
        baseline, other, judgments, rules, **typed, by=names(by) or None, format=input_format,
        columns=spell_map(columns, "--columns"), bench=bench, progress=progress(), command=command_line(),
        **pick(choices),
    )  # fmt: skip
    show(result, format=format_, output=output, html=html, inputs=bench.files())
