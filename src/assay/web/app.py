"""The one application: its store, its headers, its errors and its limits.

uvicorn --factory assay.web.app:create_app      (or `assay serve`)
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from assay.errors import AssayError, EngineError, InputError, MissingExtra
from assay.flows.keeping import open_store, secret_of
from assay.flows.people import NotAllowed
from assay.flows.workbench import Workbench

try:
    from fastapi import FastAPI, Request, Response
    from fastapi.responses import JSONResponse, PlainTextResponse
    from fastapi.staticfiles import StaticFiles
    from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
    from starlette.middleware.sessions import SessionMiddleware
except ModuleNotFoundError as missing:
    raise MissingExtra(missing.name or "fastapi", "web", "serving pages") from None

HERE = Path(__file__).parent

LARGEST = 1 << 20
"""Bytes of a request."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def create_app(folder: str | None = None, *, https: bool = False) -> FastAPI:
    """The application of a workspace.

    Args:
        folder: of the workspace; the one around the current folder when None.
        https: whether cookies travel by HTTPS alone.

    Raises:
        InputError: there is no workspace.
    """
    bench = Workbench.open(folder)
    secret = secret_of(bench)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        app.state.store = open_store(bench)
        yield
        app.state.store.close()

    app = FastAPI(title="assay", docs_url=None, redoc_url=None, openapi_url="/v1/openapi.json", lifespan=life)
    app.state.bench, app.state.secret, app.state.https = bench, secret, https
    registry = CollectorRegistry()
    app.state.registry = registry
    app.state.requests = Counter("assay_requests", "Answers by code", ["method", "code"], registry=registry)
    app.state.seconds = Histogram("assay_request_seconds", "Time to the answer", registry=registry)
    app.add_middleware(
        SessionMiddleware, secret_key=secret.decode(), session_cookie="assay", same_site="lax", https_only=https,
        max_age=14 * 24 * 3600,
    )  # fmt: skip
    app.middleware("http")(_guard)
    _faults(app)
    _mount(app)
    return app


async def _guard(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuses what is too large, adds the headers, and counts."""
    state, started = request.app.state, time.perf_counter()
    length = request.headers.get("content-length", "0")
    response: Response
    if not length.isascii() or not length.isdigit() or int(length) > LARGEST:
        response = JSONResponse({"what": f"more than {LARGEST:,} bytes"}, 413)
    elif request.method in ("POST", "PUT", "PATCH") and "content-length" not in request.headers:
        response = JSONResponse({"what": "the length of the request is not said"}, 411)
    else:
        response = await go_on(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not request.url.path.startswith("/static/"):
        response.headers.setdefault("Cache-Control", "no-store")
    state.requests.labels(request.method, str(response.status_code)).inc()
    state.seconds.observe(time.perf_counter() - started)
    return response


def _faults(app: FastAPI) -> None:
    """What goes wrong, as an answer: what, where, how to mend it."""
    from assay.web.auth import SignInFirst, TooOften

    @app.exception_handler(SignInFirst)
    def sign_in_first(request: Request, error: SignInFirst) -> Response:
        from assay.web.pages import go, wants_page

        if wants_page(request):
            return go(request, "/sign-in")
        return JSONResponse({"what": "sign in first"}, 401, {"WWW-Authenticate": "Bearer"})

    @app.exception_handler(TooOften)
    def too_often(request: Request, error: TooOften) -> Response:
        return _answer(request, 429, str(error), {"Retry-After": str(error.seconds)})

    @app.exception_handler(NotAllowed)
    def not_allowed(request: Request, error: NotAllowed) -> Response:
        return _answer(request, 403, str(error))

    @app.exception_handler(InputError)
    def wrong_input(request: Request, error: InputError) -> Response:
        return _answer(request, 422, error.what, where=error.where, remedy=error.remedy)

    @app.exception_handler(EngineError)
    def no_store(request: Request, error: EngineError) -> Response:
        return _answer(request, 503, str(error).splitlines()[0])

    @app.exception_handler(AssayError)
    def other(request: Request, error: AssayError) -> Response:
        return _answer(request, 422, str(error).splitlines()[0])


def _answer(request: Request, code: int, what: str, headers: dict[str, str] | None = None, **more: str) -> Response:
    from assay.web.pages import fault, wants_page

    if wants_page(request):
        return fault(request, code, what, more.get("remedy", ""), headers)
    return JSONResponse({"what": what} | {name: text for name, text in more.items() if text}, code, headers)


def _mount(app: FastAPI) -> None:
    """Every room with routes."""
    from assay.web import auth

    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.include_router(auth.ROUTES)

    @app.get("/health", include_in_schema=False)
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/ready", include_in_schema=False)
    def ready(request: Request) -> dict[str, str]:
        from assay.store.upgrade import HEAD, revision_of

        with request.app.state.store.reading() as connection:
            at = revision_of(connection)
        if at != HEAD:
            raise EngineError(f"the store is at step {at} and not at {HEAD}")
        return {"status": "ready"}

    @app.get("/metrics", include_in_schema=False)
    def metrics(request: Request, person: Any = auth.LEAD) -> PlainTextResponse:
        return PlainTextResponse(generate_latest(request.app.state.registry), media_type="text/plain; version=0.0.4")
