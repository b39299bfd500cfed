"""Makes docs/reference/ from docstrings and `--help`, and renews what the commands in the pages print.

python docs/build.py            writes the reference
python docs/build.py --check    exit code 1 when a page of the reference is not up to date
python docs/build.py --renew    also runs every command of the pages and puts the real output below it
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import annotated_types

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import console  # noqa: E402 # stands beside this file

MADE = "<!-- Made by docs/build.py; change the docstring instead. -->\n\n"


def cell(text: Any) -> str:
    """Text that stays inside one cell of a Markdown table."""
    return re.sub(r"\s+", " ", str(text)).strip().replace("|", "\\|")


def table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def fenced(prose: str) -> str:
    """Prose whose doctests stand in fences; `>>>` would be a quotation otherwise."""
    return re.sub(r"^>>> (?:.+\n?)+", lambda found: f"```text\n{found[0].rstrip()}\n```\n", prose, flags=re.MULTILINE)


def sections(text: str) -> tuple[str, dict[str, str]]:
    """A docstring as its prose and its named sections (Args, Returns, ...)."""
    parts = re.split(r"^(Args|Returns|Raises|Source|Example):\n", inspect.cleandoc(text), flags=re.MULTILINE)
    named = dict(zip(parts[1::2], parts[2::2], strict=True))
    return fenced(parts[0].strip()), {name: inspect.cleandoc(body) for name, body in named.items()}


def arguments(text: str) -> dict[str, str]:
    """The `Args` of a docstring by name; `a, b: text` is given to both."""
    _, named = sections(text)
    found: dict[str, str] = {}
    for entry in re.findall(r"^(\S.*?): ((?:.|\n(?=\s))*)", named.get("Args", ""), re.MULTILINE):
        for name in entry[0].split(","):
            found[name.strip().lstrip("*")] = re.sub(r"\s+", " ", entry[1]).strip()
    return found


def attribute_docs(cls: type[Any]) -> dict[str, str]:
    """What stands as a string below each field of a class."""
    tree = ast.parse(inspect.getsource(cls)).body[0]
    assert isinstance(tree, ast.ClassDef)
    found, last = {}, ""
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            last = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and last:
            found[last] = inspect.cleandoc(str(node.value.value))
            last = ""
        else:
            last = ""
    return found


def kind_of(hint: Any) -> str:
    """A type in words that a reader of TOML or CSV knows."""
    words = {str: "text", int: "whole number", float: "number", bool: "true or false", NoneType: "optional"}
    if get_origin(hint) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        parts = [kind_of(part) for part in get_args(hint)]
        return " or ".join(part for part in parts if part != "optional") + (", optional" if "optional" in parts else "")
    if get_origin(hint) in (tuple, list):
        return "list of " + kind_of(get_args(hint)[0])
    if get_origin(hint) is dict:
        return "table of " + " to ".join(kind_of(part) for part in get_args(hint))
    return words.get(hint, getattr(hint, "__name__", str(hint)).lower())


def field_rows(cls: type[Any]) -> list[tuple[str, str, str, str]]:
    """Name, type, default and meaning of each field of a dataclass."""
    below, above = attribute_docs(cls), arguments(cls.__doc__ or "")
    hints = get_type_hints(cls, localns=vars(annotated_types))  # loaded by no room before it is needed
    rows = []
    for field in fields(cls):
        plain = field.default is None or isinstance(field.default, (str, int, float, tuple))
        default = field.default if plain else ""
        kind = kind_of(hints[field.name])
        shown = "" if default in ("", None, ()) else f"`{default}`"
        rows.append((f"`{field.name}`", kind, shown, below.get(field.name) or above.get(field.name, "")))
    return rows


def measures() -> str:
    """docs/reference/measures.md."""
    from assay.measures.measure import MEASURES, write

    about = [MEASURES.find(name) for name in MEASURES.names()]
    parts = [
        "# Measures\n",
        "`Name(key=value, ...)@cutoff`, several cutoffs as `nDCG@5,10`, without characters that a shell reads as "
        "`nDCG:gain=exp@10`. The short name stands for the defaults given here. `assay measures NAME` adds a worked "
        "example.\n",
        table(
            ("measure", "what it is", "sees order", "uses grades", "needs all relevant documents", "range"),
            [
                (
                    f"[{d.name}](#{d.name.lower()})",
                    d.summary,
                    d.sees,
                    "yes" if d.grades else "no",
                    "yes" if d.all_relevant else "no",
                    d.range,
                )
                for d in about
            ],
        ),
    ]
    for d in about:
        rest = sections(d.function.__doc__ or "")[0].partition("\n")[2].strip()
        documented = arguments(d.function.__doc__ or "")
        signature = ", ".join(f"{p.name}={write(p.default)}" for p in d.parameters)
        spelled = f"{d.name}({signature})" if signature else d.name
        parts += [f"## {d.name}\n", f"`{spelled}{'@cutoff' if d.takes_cutoff else ''}`\n"]
        parts += [d.summary + "\n"] + ([rest + "\n"] if rest else [])
        facts = [("says", d.says), ("use it for", d.use_for), ("blind to", "; ".join(d.blind_to))]
        facts += [("undefined", d.undefined)]
        facts += [("agrees with", d.agrees), ("source", d.source)]
        parts.append(table(("", ""), [fact for fact in facts if fact[1]]))
        if d.parameters:
            rows = [
                (f"`{p.name}`", f"`{write(p.default)}`", p.expected(), documented.get(p.name, "")) for p in d.parameters
            ]
            parts.append(table(("parameter", "default", "can be", "means"), rows))
    return "\n".join(parts)


def commands() -> str:
    """docs/reference/commands.md."""
    import click

    from assay.cli.main import assay

    def pages(command: click.Command, context: click.Context, depth: int) -> list[str]:
        text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
        found = [f"{'#' * depth} {context.command_path}\n", f"```text\n{text.strip()}\n```\n"]
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                inside = click.Context(inner, info_name=name, parent=context, **inner.context_settings)
                found += pages(inner, inside, min(depth + 1, 3))
        return found

    context = click.Context(assay, info_name="assay", terminal_width=100, **assay.context_settings)
    return "\n".join(["# Commands\n", *pages(assay, context, 2)])


def tools() -> str:
    """docs/reference/tools.md."""
    from assay.measures.reconcile.tools import TOOLS
    from assay.measures.reconcile.ways import AXES, KNOWN, Ways, sentence

    parts = [
        "# Conventions by tool\n",
        "What each tool does otherwise than assay by default, as `assay reconcile` and `assay conventions` know it: "
        "[explain another tool's number](../how-to/explain-another-tools-number.md). `K` is the cutoff. "
        "A source that begins with *run* means that the tool of that version was run on small lists, whose printed "
        "numbers are among the tests.\n",
        "## The questions\n",
    ]
    rows = []
    for axis in AXES:
        about = "all" if axis.measures == KNOWN else ", ".join(axis.measures)
        answers = "; ".join(f"`{name}`: {said}" for name, said in axis.answers.items())
        rows.append((f"`{axis.name}`", about, answers, axis.tells))
    parts.append(table(("question", "measures", "answers, ours first", "told apart by"), rows))
    for tool in TOOLS:
        parts += [f"## {tool.label}\n", f"Source: {tool.source}.\n"]
        everywhere = [(name, answer) for name, answer in tool.every.items() if answer != getattr(Ways(), name)]
        if everywhere:
            parts.append(f"Everywhere: {'; '.join(map(sentence, everywhere))}.\n")
        rows = []
        for use in tool.uses:
            found = Ways().but(**{**tool.every, **use.answers}).deviations(Ways(), use.measure)
            ours = [(name, getattr(Ways(), name)) for name, _ in everywhere]
            back = [(name, answer) for name, answer in ours if use.answers.get(name) == answer]
            own = [one for one in found if one not in everywhere] + back
            rows.append((use.measure, f"`{use.spelled}`", "; ".join(map(sentence, own)) or "nothing more"))
        parts.append(table(("measure", "its name", "and in"), rows))
    return "\n".join(parts)


def conventions() -> str:
    """docs/reference/conventions.md."""
    from assay.ranking.conventions import COMPAT, Conventions

    plain = Conventions()
    documented = arguments(Conventions.__doc__ or "")
    rows = [
        (f"`{f.name}`", f"`--{f.name.replace('_', '-')}`", f"`{getattr(plain, f.name)}`", documented[f.name])
        for f in fields(Conventions)
    ]
    other = [
        (f"`{program}`", ", ".join(f"`{key}={value}`" for key, value in changes.items()))
        for program, changes in COMPAT.items()
    ]
    return "\n".join(
        [
            "# Conventions\n",
            "The choices that change a number. The name is that of the argument in Python and of the key in "
            "`assay.toml`. Why they are what they are: [one ranking for every measure](../why/one-ranking.md).\n",
            table(("name", "option", "default", "means"), rows),
            "## Other programs\n",
            "`--compat` takes the conventions of another program; an option beside it goes first.\n",
            table(("`--compat`", "differs from the defaults in"), other),
        ]
    )


def tables() -> str:
    """docs/reference/tables.md."""
    import assay.tables as home

    parts = [
        "# Tables\n",
        "The columns that assay knows, by table. A file may have more; in a topics file every further column is a "
        "segment. `assay.as_table` checks any frame against a table.\n",
    ]
    for name, cls in vars(home).items():
        if isinstance(cls, type) and is_dataclass(cls) and name != "Block":
            prose, _ = sections(cls.__doc__ or "")
            parts += [f"## {name}\n", prose + "\n", table(("column", "type", "default", "means"), field_rows(cls))]
    return "\n".join(parts)


def modules(package: str) -> list[ModuleType]:
    """The modules of a package, sorted."""
    names = sorted(found.name for found in pkgutil.iter_modules(importlib.import_module(package).__path__))
    return [importlib.import_module(f"{package}.{name}") for name in names]


def file_formats() -> str:
    """docs/reference/file-formats.md."""
    parts = ["# File formats\n", inspect.cleandoc(importlib.import_module("assay.formats").__doc__ or "") + "\n"]
    for module in modules("assay.formats"):
        parts += [f"## {module.__name__.rpartition('.')[2]}\n", inspect.cleandoc(module.__doc__ or "") + "\n"]
    parts += ["## .assay\n", inspect.cleandoc(importlib.import_module("assay.kept").__doc__ or "") + "\n"]
    return "\n".join(parts)


def settings() -> str:
    """docs/reference/settings.md."""
    import assay.workspace as home

    parts = [
        "# Settings\n",
        "`assay.toml` in the current folder or the nearest one above it. Order: option, environment "
        "(`ASSAY_...`), file, default. `assay config show` prints every value with its origin.\n",
    ]
    for name, about in home.SECTIONS.items():
        parts += [f"## [{name}]\n", about[:1].upper() + about[1:] + ".\n"]
        model = section_model(name)
        if model is not None:
            parts.append(table(("key", "type", "default", "means"), field_rows(model)))
    return "\n".join(parts)


def section_model(name: str) -> type[Any] | None:
    """The class that a section of assay.toml is checked with."""
    from assay.ranking.conventions import Conventions

    if name == "conventions":  # the section has one key more, `compat`, which other pages explain
        return Conventions
    for module in ("assay.workspace", "assay.flows.choices", "assay.flows.serving", "assay.flows.privacy",
                   "assay.flows.ageing"):
        for cls in vars(importlib.import_module(module)).values():
            if isinstance(cls, type) and is_dataclass(cls) and f"section [{name}]" in (cls.__doc__ or ""):
                return cls
    return None


def python() -> str:
    """docs/reference/python.md."""
    import assay

    parts = ["# Python\n", fenced(inspect.cleandoc(assay.__doc__ or "")) + "\n"]
    for name in assay.__all__:
        value = getattr(assay, name)
        if isinstance(value, ModuleType):  # a package that can be called
            value = getattr(importlib.import_module(assay._HOMES[name]), name)
        if name.startswith("__") or not (inspect.isfunction(value) or inspect.isclass(value)):
            continue
        prose, named = sections(value.__doc__ or "")
        signature = spelled(value) if inspect.isfunction(value) else ""
        parts += [f"## {name}\n", f"```text\nassay.{name}{signature}\n```\n" if signature else "", prose + "\n"]
        if is_dataclass(value) and value.__module__.startswith("assay.tables"):
            parts.append(f"Its columns: [tables](tables.md#{name.lower()}).\n")
        elif told := arguments(value.__doc__ or ""):
            parts.append(table(("argument", "means"), [(f"`{key}`", text) for key, text in told.items()]))
        for heading in ("Returns", "Raises"):
            if heading in named:
                said = re.sub(r"\s+", " ", named[heading])
                parts.append(f"{heading}: {said}\n")
        if inspect.isclass(value) and (rows := members(value)):
            parts.append(table(("method or property", "means"), rows))
    return "\n".join(part for part in parts if part)


def spelled(function: Callable[..., Any]) -> str:
    """The arguments of a function as they are written, one a line when they are many."""
    from assay.results import QUIET

    signature = inspect.signature(function)
    parts, is_named = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not is_named:
            parts.append("*")
            is_named = True
        text = ("**" if parameter.kind is parameter.VAR_KEYWORD else "") + parameter.name + f": {parameter.annotation}"
        if parameter.default is not parameter.empty:
            text += f" = {'QUIET' if parameter.default is QUIET else repr(parameter.default)}"
        parts.append(text)
    line = f"({', '.join(parts)})"
    if len(line) > 90:
        line = "(\n" + "".join(f"    {part},\n" for part in parts) + ")"
    return f"{line} -> {signature.return_annotation}"


def members(cls: type[Any]) -> list[tuple[str, str]]:
    """The public methods and properties of a class with the first line of what they say."""
    rows = []
    for name, value in vars(cls).items():
        told = inspect.getdoc(value) if isinstance(value, property) or inspect.isfunction(value) else None
        if not name.startswith("_") and told:
            rows.append((f"`.{name}`", told.partition("\n")[0]))
    return rows


def exit_codes() -> str:
    """docs/reference/exit-codes.md."""
    import assay.errors as home

    tree = inspect.cleandoc(home.__doc__ or "")
    codes = re.findall(r"(\d) ([^,.:]+(?: \([^)]*\))?)", tree.partition("Exit codes")[2])
    return "\n".join(
        [
            "# Exit codes\n",
            table(("code", "means"), [(code, text.strip()) for code, text in codes]),
            "In Python the same are exceptions:\n",
            "```text\n" + "\n".join(line for line in tree.splitlines() if line.startswith("  ")) + "\n```\n",
        ]
    )


def gate_rules() -> str:
    """docs/reference/gate-rules.md."""
    from assay.compare.rule import RULES
    from assay.compare.rule_file import Gate

    parts = [
        "# Gate rules\n",
        "A rule file has one `[primary]` rule, at least one `[guardrail.NAME]`, and `[gate]`. How to use it: "
        "[gate a change](../how-to/gate-a-change.md).\n",
        "## [gate]\n",
        table(("key", "type", "default", "means"), field_rows(Gate)),
        "## In every rule\n",
        table(
            ("key", "means"),
            [
                ("`rule`", f"which one: {', '.join(f'`{name}`' for name in RULES.names())}"),
                ("`why`", "why the team has it; the report shows it"),
                ("`advisory`", "`true`: it is shown and never decides (guardrails alone)"),
            ],
        ),
    ]
    for name in RULES.names():
        cls = RULES.find(name)
        prose, _ = sections(cls.__doc__ or "")
        decides = inspect.getdoc(cls.decide) or ""
        parts += [f"## {name}\n", f"{prose}\n", f"{decides}\n"]
        parts.append(table(("key", "type", "default", "means"), field_rows(cls)))
    return "\n".join(parts)


def outside_formats() -> str:
    """docs/reference/outside-formats.md."""
    from assay.flows.conversion import formats
    from assay.label_maps import MAPS

    listed = formats().formats
    rows = [(f"`{one.name}`", one.title, ", ".join(one.holds), "yes" if one.is_written else "no") for one in listed]
    parts = [
        "# Outside formats\n",
        "What `assay import`, `export` and `convert` read and write; `--input-format NAME` of `evaluate` and the other "
        "verbs reads them too, for one input as `INPUT=NAME`, options as `NAME:OPTION=VALUE`. How to: "
        "[import, export and convert](../how-to/import-and-export.md).\n",
        table(("format", "what it is", "holds", "written"), rows),
        "## Options\n",
        table(
            ("format", "option", "says"),
            [(f"`{one.name}`", f"`{name}`", text) for one in listed for name, text in one.options],
        ),
        "## Where the shapes are documented\n",
        table(("format", "source"), [(f"`{one.name}`", one.source) for one in listed if one.source]),
        "## Label maps\n",
        "What `--labels` takes, beside a map of your own (`{good:2,fair:1,bad:0}`) and a rubric file: "
        "[labels and grades](../why/labels-and-grades.md).\n",
        table(("map", "is"), [(f"`{name}`", made.says) for name, made in MAPS.items()]),
    ]
    return "\n".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    "measures.md": measures,
    "commands.md": commands,
    "conventions.md": conventions,
    "tools.md": tools,
    "tables.md": tables,
    "file-formats.md": file_formats,
    "outside-formats.md": outside_formats,
    "settings.md": settings,
    "python.md": python,
    "exit-codes.md": exit_codes,
    "gate-rules.md": gate_rules,
}


def renew() -> None:
    """Puts the real output below each command of each page."""
    for page in console.pages():
        text = page.read_text("utf-8")
        for block in reversed(list(console.blocks(page))):
            if block.kind == "console" and block.is_run:
                with tempfile.TemporaryDirectory() as folder:
                    fresh = console.renew(block, console.folder_of(block, Path(folder)))
                text = text[: block.span[0]] + fresh + text[block.span[1] :]
        page.write_text(text, encoding="utf-8", newline="\n")


def main(options: list[str]) -> int:
    """Writes or checks the reference."""
    stale = []
    for name, make in PAGES.items():
        page = ROOT / "docs" / "reference" / name
        text = MADE + make().rstrip() + "\n"
        if "--check" in options:
            if not page.exists() or page.read_text("utf-8") != text:
                stale.append(name)
        else:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, encoding="utf-8", newline="\n")
    if "--renew" in options:
        renew()
    if stale:
        print(f"not up to date: {', '.join(stale)}; run python docs/build.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
