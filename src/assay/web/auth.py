"""Who asks: sessions, API keys, a proxy's word; what they may; what slows down whoever guesses passwords."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response

from assay.errors import AssayError
from assay.flows import people
from assay.flows.people import NotAllowed, Person
from assay.store.database import Store

ROUTES = APIRouter(include_in_schema=False)

FREE_TRIES = 5
LONGEST_WAIT = 300
"""Seconds that a name or an address waits at most between tries."""

REMEMBERED = 10_000


class SignInFirst(AssayError):  # noqa: N818 # what the answer says
    """Nobody is signed in."""


class TooOften(AssayError):  # noqa: N818
    """Too many wrong tries."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"too many wrong tries: wait {seconds} seconds")


@dataclass
class Tries:
    """Wrong tries by name and by address, in memory: each beyond the free ones doubles the wait."""

    _held: dict[str, tuple[int, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, *keys: str) -> None:
        """Refuses whoever has to wait."""
        with self._lock:
            wait = max((self._held.get(key, (0, 0.0))[1] - time.monotonic() for key in keys), default=0.0)
        if wait > 0:
            raise TooOften(int(wait) + 1)

    def wrong(self, *keys: str) -> None:
        """Notes a wrong try."""
        with self._lock:
            if len(self._held) > REMEMBERED:  # somebody sprays: those who wait longest stay
                keep = sorted(self._held.items(), key=lambda item: -item[1][1])[: REMEMBERED // 2]
                self._held = dict(keep)
            for key in keys:
                n = self._held.get(key, (0, 0.0))[0] + 1
                wait = 0.0 if n < FREE_TRIES else min(2.0 ** (n - FREE_TRIES), LONGEST_WAIT)
                self._held[key] = (n, time.monotonic() + wait)

    def right(self, key: str) -> None:
        """Forgets the wrong tries of a name."""
        with self._lock:
            self._held.pop(key, None)


def store_of(request: Request) -> Store:
    """The store of the application."""
    store: Store = request.app.state.store
    return store


def person(request: Request) -> Person:
    """Who asks: by API key, by a proxy that is trusted, or by session.

    Raises:
        SignInFirst: nobody who is known.
    """
    store = store_of(request)
    found: Person | None = None
    word, _, key = request.headers.get("authorization", "").partition(" ")
    if word.casefold() == "bearer" and key:
        found = people.by_key(store, key.strip())
    elif (name := _by_proxy(request)) is not None:
        found = people.by_proxy(store, name)
        _check_csrf(request)
    elif request.session.get("name"):
        found = people.by_session(store, request.session["name"], request.session.get("session", -1))
        if found is not None:
            _check_csrf(request)
    if found is None:
        raise SignInFirst("sign in first")
    return found


def _by_proxy(request: Request) -> str | None:
    """The name that a trusted proxy puts into its header; None where there is none or the sender is not trusted."""
    settings = getattr(request.app.state, "proxy", None)
    if settings is None or request.client is None or request.client.host not in settings.addresses:
        return None
    return request.headers.get(settings.header) or None


def csrf(request: Request) -> str:
    """The token that every write of this session must bring."""
    if "csrf" not in request.session:
        request.session["csrf"] = secrets.token_urlsafe(24)
    return str(request.session["csrf"])


def _check_csrf(request: Request) -> None:
    """A write by cookie needs the token of the session, which another site cannot read."""
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    given = str(request.headers.get("x-csrf-token") or getattr(request.state, "csrf", ""))
    known = str(request.session.get("csrf", ""))
    if not known or not hmac.compare_digest(given.encode(), known.encode()):
        raise NotAllowed("this page is too old: reload it and try again")


async def form_token(request: Request) -> None:
    """Takes the token of a form, for routes that forms write to; stands before `needs` in a route's dependencies."""
    kind = request.headers.get("content-type", "")
    if kind.startswith(("application/x-www-form-urlencoded", "multipart/form-data")):
        request.state.csrf = str((await request.form()).get("csrf", ""))


def needs(role: str) -> Any:
    """A dependency: the person who asks, with that role or a higher one."""

    def check(request: Request, _: Annotated[None, Depends(form_token)]) -> Person:
        found = person(request)
        if not found.may(role):
            raise NotAllowed(f"this needs the role {role}, and {found.name} is {found.role}")
        return found

    return Depends(check)


RATER, ADJUDICATOR, LEAD, ADMIN = (needs(role) for role in ("rater", "adjudicator", "lead", "admin"))


def start(request: Request, who: Person) -> None:
    """Begins a session; whatever was in the old one is gone."""
    request.session.clear()
    request.session.update(name=who.name, session=who.session)
    csrf(request)


def tries(request: Request) -> Tries:
    """The wrong tries that the application remembers."""
    state = request.app.state
    if not hasattr(state, "tries"):
        state.tries = Tries()
    held: Tries = state.tries
    return held


@ROUTES.get("/sign-in")
def sign_in_page(request: Request) -> Response:
    """The page that asks for a name and a password."""
    from assay.web.pages import page

    return page(request, "sign-in.html", csrf=csrf(request), wrong="")


@ROUTES.post("/sign-in")
def sign_in(
    request: Request, _: Annotated[None, Depends(form_token)], name: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:  # fmt: skip
    """Signs in, or says that it does not fit."""
    from assay.web.pages import go, page

    _check_csrf(request)
    address = request.client.host if request.client else "?"
    keys = (f"name {name.casefold()}", f"address {address}")
    held = tries(request)
    held.check(*keys)
    try:
        who = people.sign_in(store_of(request), name, password)
    except NotAllowed as error:
        held.wrong(*keys)
        return page(request, "sign-in.html", 403, csrf=csrf(request), wrong=str(error))
    held.right(keys[0])
    start(request, who)
    return go(request, "/")


@ROUTES.post("/sign-out")
def sign_out(request: Request, who: Person = RATER) -> Response:
    """Ends this session."""
    from assay.web.pages import go

    request.session.clear()
    return go(request, "/sign-in")


@ROUTES.get("/invitation/{token}")
def invitation_page(request: Request, token: str) -> Response:
    """The page that an invitation leads to."""
    from assay.web.pages import page

    return page(request, "invitation.html", csrf=csrf(request), token=token, wrong="")


@ROUTES.post("/invitation/{token}")
def use_invitation(
    request: Request, token: str, _: Annotated[None, Depends(form_token)],
    name: Annotated[str, Form(max_length=200)] = "", password: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:  # fmt: skip
    """Makes an account by an invitation."""
    from assay.errors import InputError
    from assay.web.pages import go, page

    _check_csrf(request)
    address = f"address {request.client.host if request.client else '?'}"
    held = tries(request)
    held.check(address)
    try:
        who = people.accept(store_of(request), token, name, password)
    except InputError as error:
        held.wrong(address)
        return page(
            request, "invitation.html", 422, csrf=csrf(request), token=token, wrong=f"{error.where} {error.what}"
        )
    start(request, who)
    return go(request, "/")
