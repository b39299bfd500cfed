"""Results that have a report to work with: one file with its style, its script and its data inside.

The file loads nothing and carries a policy that says so; the script is one of ours and is allowed by its hash alone.
A result without such a report is shown as its plain page.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from functools import cache
from html import escape
from typing import Any

from assay.registry import Family
from assay.report.html import LOGO, style

Sheet = Callable[..., str]

SHEETS: Family[Sheet] = Family("report", home="assay.report.sheets")
"""Reports by the name of the class of result that they show."""

HATCH = (
    '<svg class="hidden-text" width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="5" height="5" '
    'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="5" class="s-hatch" '
    'stroke-width="2"/></pattern></defs></svg>'
)
KEYS = (
    ("j k", "next, previous query"),
    ("w l", "next win, next loss"),
    ("W L", "only wins, only losses; again: all"),
    ("u", "only queries whose sign could flip"),
    ("/", "find a query"),
    ("Enter", "open the query"),
    ("m", "next document that moved; Enter goes to its other place"),
    ("y", "copy the permalink"),
    ("?", "show this list"),
    ("Tab", "next control, in reading order"),
)


def sheet(result: str) -> Callable[[Sheet], Sheet]:
    """Registers the decorated function as the report of the class of results with that name."""
    return SHEETS.add(result)


def to_document(result: Any, **choices: Any) -> str:
    """A result as one file of HTML: its report where there is one, else its page.

    Args:
        result: what a verb gave back.
        choices: what the view or the report lets the reader choose.
    """
    for kind in type(result).__mro__:
        if kind.__name__ in SHEETS:
            return SHEETS.find(kind.__name__)(result, **choices)
    from assay.report.describe import describe
    from assay.report.html import to_html

    return to_html(describe(result, **choices))


def frame(title: str, body: str, data: Any = None, keys: tuple[tuple[str, str], ...] = KEYS) -> str:
    """A file around a report.

    Args:
        title: of the window.
        body: what stands in `main`, as HTML.
        data: what the script works on, as JSON; None for nothing.
        keys: the keys of the page and what they do.
    """
    css, script = style(":root") + asset("sheet.css"), asset("sheet.js")
    policy = (
        f"default-src 'none'; style-src 'sha256-{_digest(css)}'; script-src 'sha256-{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    held = "" if data is None else f'<script type="application/json" id="data">{packed(data)}</script>\n'
    said = "".join(
        f"<li><span>{' '.join(f'<kbd>{escape(k)}</kbd>' for k in key.split())}</span><span>{escape(what)}</span></li>"
        for key, what in keys
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">\n<style>{css}</style>\n</head>\n'
        f'<body class="assay sheet">\n{HATCH}<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header class="bar"><span class="mark">{LOGO}assay</span><span class="crumb">{escape(title)}</span>'
        '<div class="end"><button class="plain" type="button" data-theme-toggle>Light / dark</button>'
        '<button class="plain opt" type="button" data-help aria-keyshortcuts="?">Keys <kbd>?</kbd></button></div>'
        "</header>\n"
        f'<main id="main">\n{body}\n</main>\n'
        '<dialog id="help" aria-labelledby="help-h"><h2 id="help-h">Keys on this page</h2>'
        f'<ul class="keys">{said}</ul><button class="primary" type="button" data-close autofocus>Close <kbd>Esc</kbd>'
        f"</button></dialog>\n{held}<script>{script}</script>\n</body>\n</html>\n"
    )


def packed(data: Any) -> str:
    """Data inside a page: nothing in it can end the element that holds it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def asset(name: str) -> str:
    """One of our own files that stand in every report."""
    from importlib.resources import files

    return files("assay.report").joinpath("assets").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
