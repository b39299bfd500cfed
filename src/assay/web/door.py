"""The door of the application, before anything is read: who sends, for which address, how much, and what is answered.

A request's body is read here, whole, within limits of size and time, so that no handler meets one without end.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.flows.serving import Web
from assay.keys import coin

LARGEST = 1 << 20
"""Bytes of a request."""

PATIENCE_S = 30.0
"""How long a request may take to arrive."""

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

LOG = logging.getLogger("assay.web")

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

_NUL = re.compile(rb"\x00|(?<!\\)(?:\\\\)*\\u0000")


class Refused(Exception):  # noqa: N818 # what happened
    """A request that is not let in.

    Args:
        code: of the answer.
        what: why.
    """

    def __init__(self, code: int, what: str) -> None:
        self.code, self.what = code, what
        super().__init__(what)


@dataclass
class Door:
    """The outermost layer of the application.

    Args:
        app: what stands behind it.
        web: the settings of the server.
        secret: keys the pseudonyms in the log.
        requests: counter of answers by method and code.
        seconds: histogram of times.
        any_host: whether requests to any name are answered.
    """

    app: ASGIApp
    web: Web
    secret: bytes
    requests: Any
    seconds: Any
    any_host: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request in, or answers it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, code = time.perf_counter(), 500
        scope.setdefault("state", {})

        async def answer(message: Message) -> None:
            nonlocal code
            if message["type"] == "http.response.start":
                code = message["status"]
                self._add_headers(scope, MutableHeaders(scope=message))
            await send(message)

        try:
            self._who_sends(scope)
            self._which_path(scope)
            self._which_host(scope)
            await self.app(scope, await _read(scope, receive), answer)
        except Refused as refused:
            body = json.dumps({"what": refused.what}).encode()
            await answer(
                {"type": "http.response.start", "status": refused.code, "headers": [
                    (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()),
                    (b"connection", b"close")]}
            )  # fmt: skip
            await answer({"type": "http.response.body", "body": body})
        finally:
            self._count(scope, code, time.perf_counter() - started)

    def _who_sends(self, scope: Scope) -> None:
        """Believes forwarded headers of a trusted proxy; takes them from everybody else.

        The client becomes the last address in X-Forwarded-For that is no proxy of ours: what stands before it was
        written by whoever sent the request.
        """
        peer = scope["client"][0] if scope.get("client") else ""
        headers = Headers(scope=scope)
        if self.web.trusts(peer):
            chain = [part.strip() for value in headers.getlist("x-forwarded-for") for part in value.split(",")]
            outside = next((one for one in reversed(chain) if not self.web.trusts(one)), None)
            if outside is not None and _is_address(outside):
                scope["client"] = (outside, 0)
            if headers.get("x-forwarded-proto") in ("http", "https"):
                scope["scheme"] = headers["x-forwarded-proto"]
            if self.web.sign_on:
                names = headers.getlist(self.web.sign_on)
                if len(names) > 1:
                    raise Refused(400, "the proxy names two people")
                scope["state"]["signed_on"] = names[0].strip() if names else None
        for name in ("x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-prefix", "forwarded"):
            _drop(scope, name)
        if self.web.sign_on:
            _drop(scope, self.web.sign_on)

    def _which_path(self, scope: Scope) -> None:
        """The path below which the application is mounted, whether or not the proxy takes it off."""
        base, path = self.web.path, scope["path"]
        if base and not (path == base or path.startswith(base + "/")):
            scope["path"] = base + path
        if base:
            scope["root_path"] = base

    def _which_host(self, scope: Scope) -> None:
        """Refuses a name that is not ours: a page elsewhere whose name points here is not answered."""
        hosts = self.web.hosts
        if self.any_host or not hosts:
            return
        given = Headers(scope=scope).get("host", "")
        name = given if given.endswith("]") else given.rpartition(":")[0] or given
        if name.casefold() not in {one.casefold() for one in hosts}:
            raise Refused(421, "this server is not called that: see url in the section [web] of its settings")

    def _add_headers(self, scope: Scope, headers: MutableHeaders) -> None:
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        if self.web.is_https:
            headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        if not scope["path"].startswith(f"{self.web.path}/static/"):
            headers.setdefault("Cache-Control", "no-store")

    def _count(self, scope: Scope, code: int, seconds: float) -> None:
        """Counts, and logs which route was asked for, never its path, which may hold an invitation."""
        method = scope["method"] if scope["method"] in METHODS else "other"
        self.requests.labels(method, str(code)).inc()
        self.seconds.observe(seconds)
        who = scope["state"].get("who")
        line = {
            "method": method, "route": getattr(scope.get("route"), "path", ""), "code": code,
            "ms": round(seconds * 1000, 1), "who": None if who is None else pseudonym(self.secret, who),
        }  # fmt: skip
        LOG.info(json.dumps(line))


def pseudonym(secret: bytes, name: str) -> str:
    """A person in a log: the same every time, and nothing to those without the secret."""
    return f"{coin(secret, 'who', name):016x}"


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _drop(scope: Scope, name: str) -> None:
    wanted = name.lower().encode()
    scope["headers"] = [(key, value) for key, value in scope["headers"] if key.lower() != wanted]


async def _read(scope: Scope, receive: Receive) -> Receive:
    """Reads the body; what the application then receives is that.

    Raises:
        Refused: it is too large, too slow, or holds a letter that no database keeps.
    """
    length = Headers(scope=scope).get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise Refused(400, "the length of the request is no number")
    if int(length[:20]) > LARGEST:
        raise Refused(413, f"more than {LARGEST:,} bytes")
    if "\0" in scope["path"] or b"%00" in scope["query_string"]:
        raise Refused(400, "a letter that cannot be written stands in the address")
    parts: list[bytes] = []
    size = 0
    ends = time.monotonic() + PATIENCE_S
    while True:
        try:
            message = await asyncio.wait_for(receive(), max(ends - time.monotonic(), 0.001))
        except TimeoutError:
            raise Refused(408, "the request took too long to arrive") from None
        if message["type"] == "http.disconnect":
            raise Refused(400, "the sender hung up")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST:
            raise Refused(413, f"more than {LARGEST:,} bytes")
        if not message.get("more_body", False):
            break
    body = b"".join(parts)
    is_form = Headers(scope=scope).get("content-type", "").startswith("application/x-www-form-urlencoded")
    if _NUL.search(body) or (is_form and b"%00" in body):
        raise Refused(400, "a letter that cannot be written stands in the request")
    is_given = False

    async def again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
