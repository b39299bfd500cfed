"""Runs the application until somebody ends it."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.errors import InputError, MissingExtra
from assay.flows.keeping import open_store
from assay.flows.serving import Web, web_of
from assay.flows.workbench import Workbench

AT_ONCE = 200
"""Connections that are served at the same time; more are told to come back."""

GRACE_S = 20
"""Seconds that answers under way have when the server ends."""


def serve(
    given: Mapping[str, Any], folder: str | None = None, *, started: Callable[[Web], None] = lambda web: None
) -> None:
    """Serves the workspace until SIGINT or SIGTERM; then what is under way is answered and the store closed.

    Args:
        given: what stands above the section [web].
        folder: of the workspace; the one around the current folder when None.
        started: told the settings when the socket is open.

    Raises:
        InputError: there is no workspace, the store is older, a setting cannot be, or the port is taken.
    """
    try:
        import uvicorn

        from assay.web.app import create_app
    except ModuleNotFoundError as missing:
        raise MissingExtra(missing.name or "uvicorn", "web", "serving pages") from None

    bench = Workbench.open(folder)
    open_store(bench).close()  # what is wrong with it is said here, not in a traceback of the server
    try:
        web = replace(web_of(bench), **given)
    except ValueError as error:
        raise InputError(str(error), "assay serve", "assay serve --help shows what it takes") from None
    app = create_app(folder, web=web)
    with _socket(web) as opened:
        web = replace(web, port=opened.getsockname()[1])
        _log()
        config = uvicorn.Config(
            app, http="h11", ws="none", lifespan="on", log_config=None, access_log=False, server_header=False,
            proxy_headers=False, limit_concurrency=AT_ONCE, timeout_keep_alive=15, backlog=256,
            timeout_graceful_shutdown=GRACE_S, h11_max_incomplete_event_size=16 * 1024,
        )  # fmt: skip
        server = uvicorn.Server(config)
        started(web)
        # The server raises the signal again when it has ended, which is no error then.
        before = {one: signal.signal(one, signal.SIG_IGN) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            server.run([opened])
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def _socket(web: Web) -> socket.socket:
    family = socket.AF_INET6 if ":" in web.host else socket.AF_INET
    opened = socket.socket(family)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((web.host, web.port))
        opened.listen(256)
    except OSError as error:
        opened.close()
        raise InputError(
            f"cannot be listened on: {error.strerror or error}", f"{web.host}:{web.port}",
            "take another with --port, or 0 for any that is free",
        ) from None  # fmt: skip
    return opened


def _log() -> None:
    """Lines of the server and of the door to stderr: routes and pseudonyms, never a name or an invitation."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s", "%Y-%m-%dT%H:%M:%S"))
    for name, level in (("uvicorn", logging.WARNING), ("assay.web", logging.INFO)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
