"""validate."""

from __future__ import annotations

import click

from assay.cli.gate import check_host, check_several
from assay.cli.judgments import numbers
from assay.cli.options import input_format, outputs, workbench
from assay.cli.output import AS_XML, show, write
from assay.cli.verb import Verb, choice, command_line


@click.command(
    "validate",
    cls=Verb,
    example="assay validate judgments.qrels bm25.run topics.csv",
    help="""Look for what is wrong in judgments, runs, topics and rule files.

    Made for version control: every finding has its file and line, the exit code is 1 where something is wrong. Files
    that are given together are held against one another. Without files, those that assay.toml names are looked at.""",
)
@click.argument("files", nargs=-1)
@click.option("--grades", metavar="LIST", help="The rubric's grades, such as 0,1,2,3; others are errors.")
@click.option("--labels", metavar="MAP", help="What labels are worth: esci, yes-no, 1..5, {good:2,bad:0}.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@click.option("--sorted", "is_sorted", is_flag=True, help="Also say where rows are not sorted.")
@input_format
@outputs("table", "json", "csv", "jsonl", "md", "html")
@choice("--junit", callback=AS_XML, metavar="FILE", help="Also write JUnit XML: one test a file.", section="Output")
@choice("--annotate", metavar="HOST", section="Output",
        help="Annotations at the lines: github, azure, teamcity, or gitlab=FILE.")  # fmt: skip
def validate(
    files: tuple[str, ...], grades: str | None, labels: str | None, strict: bool, is_sorted: bool,
    input_format: str | None, junit: str | None, annotate: str | None, format_: str | None, output: str | None,
    html: str | None,
) -> int:  # fmt: skip
    """Translates the command line into one call of the flow."""
    from assay.flows.validate import validate as flow

    host, _, report = (annotate or "").partition("=")
    if annotate is not None:
        check_host(host, report)
    bench = workbench()
    found = flow(*files, grades=numbers(grades), labels=labels, strict=strict, sorted=is_sorted, format=input_format,
                 bench=bench, command=command_line())  # fmt: skip
    targets = [target for target in (junit, report or None) if target is not None]
    check_several(output, html, targets, [*bench.files()])
    if junit is not None:
        from assay.report.lint import junit as xml

        write(junit, xml(found).encode("utf-8"))
    if annotate is not None:
        from assay.report.lint import annotated

        text = annotated(found, host)
        if report:
            write(report, text.encode("utf-8"))
        else:
            click.echo(text, nl=False, err=True)
    show(found, format=format_, output=output, html=html, inputs=bench.files())
    return found.exit_code
