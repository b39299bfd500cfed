"""The one application: its store, its headers, its errors and its limits.

uvicorn --factory assay.web.app:create_app      (or `assay serve`)
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from assay.errors import AssayError, EngineError, InputError, MissingExtra
from assay.flows.keeping import open_store, secret_of
from assay.flows.people import NotAllowed
from assay.flows.serving import Web, web_of
from assay.flows.workbench import Workbench
from assay.keys import fingerprint

try:
    from fastapi import FastAPI, Request, Response
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import JSONResponse, PlainTextResponse
    from fastapi.staticfiles import StaticFiles
    from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
    from starlette.exceptions import HTTPException
    from starlette.middleware.sessions import SessionMiddleware

    from assay.web.behind import Behind
    from assay.web.door import HEADERS, Door
except ModuleNotFoundError as missing:
    raise MissingExtra(missing.name or "fastapi", "web", "serving pages") from None

HERE = Path(__file__).parent


def create_app(folder: str | None = None, *, web: Web | None = None, https: bool = False) -> FastAPI:
    """The application of a workspace.

    Args:
        folder: of the workspace; the one around the current folder when None.
        web: the settings of the server; those of the workspace when None, and then, where they name no url, requests
            to any host are answered.
        https: whether cookies travel by HTTPS alone, also where no url says so.

    Raises:
        InputError: there is no workspace.
    """
    from assay.web import auth

    bench = Workbench.open(folder)
    secret = secret_of(bench)
    settings = web_of(bench) if web is None else web

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        app.state.store, app.state.counts = open_store(bench), Behind[Any]()
        try:
            yield
        finally:
            app.state.counts.close()
            app.state.store.close()

    # No redirects to paths with or without a slash: they would repeat the host that the request names.
    app = FastAPI(
        title="assay", docs_url=None, redoc_url=None, openapi_url=None, lifespan=life, redirect_slashes=False
    )  # fmt: skip
    app.state.bench, app.state.secret, app.state.web = bench, secret, settings
    app.state.tries, app.state.places = auth.Tries(), threading.BoundedSemaphore(auth.AT_ONCE)
    registry = CollectorRegistry()
    app.state.registry = registry
    requests = Counter("assay_requests", "Answers by code", ["method", "code"], registry=registry)
    seconds = Histogram("assay_request_seconds", "Time to the answer", registry=registry)
    app.add_middleware(
        SessionMiddleware, secret_key=secret.decode(), same_site="lax", https_only=https or settings.is_https,
        max_age=14 * 24 * 3600, path=settings.path or "/",
        # Cookies know no port: two workspaces on one machine would sign each other out by the same name.
        session_cookie=f"assay-{fingerprint(secret)[:8]}",
    )  # fmt: skip
    app.add_middleware(
        Door, web=settings, secret=secret, requests=requests, seconds=seconds, any_host=web is None and not settings.url
    )
    _faults(app)
    _mount(app)
    return app


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

    @app.exception_handler(HTTPException)
    def plain(request: Request, error: HTTPException) -> Response:
        return _answer(request, error.status_code, str(error.detail).lower(), dict(error.headers or {}))

    @app.exception_handler(RequestValidationError)
    def not_as_drawn(request: Request, error: RequestValidationError) -> Response:
        # What was sent is not sent back: it may be large, or a password.
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])[:200]
        return _answer(request, 422, str(first["msg"]).lower(), where=where, remedy="see /v1/openapi.json")

    @app.exception_handler(Exception)
    def ours(request: Request, error: Exception) -> Response:
        # Answered outside of the door, and raised again to the log of the server.
        return _answer(request, 500, "this is a fault of the server; it was written to its log", HEADERS)

    @app.exception_handler(AssayError)
    def other(request: Request, error: AssayError) -> Response:
        return _answer(request, 422, str(error).splitlines()[0])


def _answer(request: Request, code: int, what: str, headers: Mapping[str, str] | None = None, **more: str) -> Response:
    from assay.web.pages import fault, wants_page

    if wants_page(request):
        return fault(request, code, what, more.get("remedy", ""), headers)
    return JSONResponse({"what": what} | {name: text for name, text in more.items() if text}, code, headers)


def _mount(app: FastAPI) -> None:
    """Every room with routes."""
    from assay.web import auth, disputes, label, own, pairs, project

    # The tokens of reports and pages are one file, which stands with the reports.
    files = StaticFiles(directory=HERE / "static", packages=[("assay.report", "assets")])
    app.mount("/static", files, name="static")
    app.include_router(auth.ROUTES)
    app.include_router(label.PAGES)
    app.include_router(label.ROUTES)
    app.include_router(own.PAGES)
    app.include_router(own.ROUTES)
    app.include_router(pairs.PAGES)
    app.include_router(pairs.ROUTES)
    app.include_router(project.PAGES)
    app.include_router(disputes.PAGES)

    @app.get("/v1/openapi.json", include_in_schema=False)
    def drawn(person: Any = auth.RATER) -> JSONResponse:
        return JSONResponse(app.openapi())

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
