"""Every route of the application, and the role that it says it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi.routing import APIRoute

from assay.web.auth import NEEDED

OPEN = {"/sign-in", "/invitation/{token}", "/health", "/ready"}
"""What a guest may ask for: to come in, and whether the server lives."""


@dataclass(frozen=True)
class Way:
    """One method of one route."""

    method: str
    path: str
    role: str | None

    def at(self, **known: str) -> str:
        """The path with something for each of its parameters."""
        words = [
            known.get(part[1:-1].partition(":")[0], "1") if part[:1] == "{" else part for part in self.path.split("/")
        ]
        return "/".join(words)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def ways(app: Any) -> list[Way]:
    """Every method of every route, those of included routers too; mounted files are no routes."""
    found = [
        Way(method, f"{prefix}{route.path}", _role(route.dependant))
        for prefix, route in _routes(app.routes, "")
        for method in sorted(route.methods or ())
    ]
    assert len(found) > 8  # the walk has found the routers
    return found


def _routes(routes: Any, prefix: str) -> Iterator[tuple[str, APIRoute]]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield prefix, route
        elif (inside := getattr(route, "original_router", None)) is not None:
            yield from _routes(inside.routes, prefix + route.include_context.prefix)


def _role(dependant: Any) -> str | None:
    roles = [NEEDED[one.call] for one in dependant.dependencies if one.call in NEEDED]
    return roles[0] if roles else None
