"""Templates and what surrounds every page; a result's page as a page of the web."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

HERE = Path(__file__).parent


@cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip


def page(request: Request, template: str, code: int = 200, **values: Any) -> Response:
    """A template as an answer; `base` is the path below which the application is mounted, `who` the person or None."""
    given = {"base": request.scope.get("root_path", "").rstrip("/"), "who": None} | values
    return HTMLResponse(_templates().get_template(template).render(**given), code)


def go(request: Request, path: str) -> Response:
    """Leads to another page of the application."""
    return RedirectResponse(request.scope.get("root_path", "").rstrip("/") + path, 303)


def path_of(request: Request) -> str:
    """The path below the one that the application is mounted at."""
    return str(request.scope["path"]).removeprefix(request.scope.get("root_path", "").rstrip("/")) or "/"


def wants_page(request: Request) -> bool:
    """Whether a person looks at the answer."""
    return "text/html" in request.headers.get("accept", "") and not path_of(request).startswith("/v1/")


def fault(request: Request, code: int, what: str, remedy: str, headers: Mapping[str, str] | None = None) -> Response:
    """What went wrong, as a page."""
    answer = page(request, "fault.html", code, what=what, remedy=remedy)
    answer.headers.update(headers or {})
    return answer
