"""report, rerun."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli.options import outputs
from assay.cli.output import AS_PAGE, a_folder, check_targets, render, write
from assay.cli.output import show as put
from assay.cli.verb import Verb
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.results import Result


@click.command(
    "report",
    cls=Verb,
    example="assay report scores.assay -o report.html",
    help="""Write the report of a saved result as one self-contained page.

    A result is saved by -o FILE.assay. The report of a comparison shows every query with both lists; it opens from disk
    and loads nothing.""",
)
@click.argument("file")
@click.option("-o", "--output", default="report.html", callback=AS_PAGE, metavar="FILE",
              help="report.html unless given.")  # fmt: skip
@click.option(
    "--charts", callback=a_folder, metavar="FOLDER", help="Also write each chart of a comparison there, as SVG."
)
@click.option("--png", is_flag=True, help="Write the charts as PNG; needs assay[report].")
@click.option("--redact", is_flag=True, help="Codes for queries and documents, for sharing outside.")
def report(file: str, output: str, charts: str | None, png: bool, redact: bool) -> None:
    """Translates the command line into one call of the flow."""
    from assay.flows.results import show as flow
    from assay.flows.workbench import Workbench

    bench = Workbench.open()
    result = flow(file, bench=bench)
    kind = type(result).__name__
    if (png or charts is not None) and kind != "Comparison":
        raise InputError("only a comparison can be drawn", file, "save one by `assay compare ... -o FILE.assay`")
    if redact and kind not in ("Comparison", "Verdict"):
        raise InputError(
            "only a comparison or a gate can be redacted", file, "save one by `assay compare ... -o FILE.assay`"
        )
    check_targets(output, None, bench.files())
    if redact:
        from assay.report.redact import redacted

        result = redacted(result)
    if charts is not None or png:
        from assay.cli.compare import write_charts

        write_charts(result, charts, "png" if png else "svg")
    write(output, render(result, "html", {}))
    click.echo(f"Wrote {output}.")


@click.command(
    "rerun",
    cls=Verb,
    example="assay rerun scores.assay",
    help="""Make a saved result again by its recorded command, and show what differs.

    Inputs are compared by their hashes. Exit code 0 when every number is what it was, 1 when some differ.""",
)
@click.argument("file")
@outputs("table", "json", "md", "html")
def rerun(file: str, format_: str | None, output: str | None, html: str | None) -> int:
    """Translates the command line into one call of the flow."""
    from assay.flows.rerun import arguments, compared
    from assay.flows.results import show as flow
    from assay.flows.workbench import Workbench

    bench = Workbench.open()
    before = flow(file, bench=bench)
    found = compared(before, again(arguments(before)))
    put(found, format=format_, output=output, html=html, inputs=bench.files())
    return 0 if found.is_same else 1


def again(typed: list[str]) -> Result:
    """The result of a command line, which writes nothing but that."""
    import tempfile
    from pathlib import Path

    from assay.cli.main import assay
    from assay.flows.results import show as flow

    with tempfile.TemporaryDirectory(prefix="assay-rerun-") as folder:
        kept = Path(folder) / "again.assay"
        assay.main([*typed, "--format", "assay", "-o", str(kept)], "assay", standalone_mode=False)
        found: Result = flow(kept)
        return found
