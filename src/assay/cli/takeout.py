"""judgments export, and the same as label export."""

from __future__ import annotations

import click

from assay.cli.options import workbench
from assay.cli.verb import Verb


def exporting(group: str) -> click.Command:
    """The command, as a verb of a group: what raters said belongs to the judgments, and to the project they label."""

    @click.command(
        "export",
        cls=Verb,
        example=f"assay {group} export winter labels.csv",
        help="""Write the judgments of a project as CSV, JSON lines, Parquet, Arrow or qrels, by the ending of the file.

        One row a judgment and dimension: who, when, in which role, under which rubric, on which version of the
        document, with the note and how long it took; `assay evaluate`, `compare` and `agree` read it. Qrels hold one
        grade a pair.""",
    )
    @click.argument("name")
    @click.argument("target")
    @click.option("--format", "to", metavar="NAME", help="csv, jsonl, parquet, arrow, trec (qrels); by the ending.")
    @click.option("--raters", metavar="mean|majority|median|dawid-skene|adjudicated|NAME",
                  help="In qrels: adjudicated where disputes were settled, else mean.")  # fmt: skip
    @click.option("--everything", is_flag=True, help="Every row as written: also what was corrected or taken back.")
    def export(name: str, target: str, to: str | None, raters: str | None, everything: bool) -> None:
        """Translates the command line into one call of the flow."""
        from assay.cli.output import check_targets, say
        from assay.flows.takeout import take_out
        from assay.results import Note

        bench = workbench()
        check_targets(target, None, bench.files())
        done = take_out(bench, name, target, to=to, raters=raters, everything=everything)
        click.echo(f"{target}: {done.rows:,} rows of {done.judgments:,} judgments", err=True)
        for note in done.notes:
            say(Note("exported", note))

    return export
