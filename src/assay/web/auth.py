"""Who asks: sessions, API keys, a proxy's word; what they may; what slows down whoever guesses passwords."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Form, Request, Response

from assay.errors import AssayError
from assay.flows import people
from assay.flows.people import NotAllowed, Person
from assay.store.database import Store

ROUTES = APIRouter(include_in_schema=False)

LONGEST_WAIT = 300
"""Seconds that a sender waits at most between tries."""

FORGOTTEN_AFTER = 3_600
"""Seconds after which wrong tries no longer count."""

REMEMBERED = 10_000

AT_ONCE = 8
"""Passwords that are looked at or wait for it; more would take the threads that answer everybody else."""


class SignInFirst(AssayError):  # noqa: N818 # what the answer says
    """Nobody is signed in."""


class TooOften(AssayError):  # noqa: N818
    """Too many wrong tries."""

    def __init__(self, seconds: int, why: str = "too many wrong tries") -> None:
        self.seconds = seconds
        super().__init__(f"{why}: wait {seconds} second{'s' if seconds != 1 else ''}")


@dataclass(frozen=True, slots=True)
class Key:
    """What wrong tries are counted by.

    Args:
        name: of what is counted.
        free: tries without a wait; each beyond them doubles it.
        longest: seconds of the longest wait.
    """

    name: str
    free: int
    longest: float


def keys_of(request: Request, name: str) -> tuple[Key, ...]:
    """By what a try is counted.

    A sender with a name is slowed first; a sender alone later, as many people may share an address; a name alone last
    and least, so that nobody can shut somebody out for long by typing wrong passwords for them.
    """
    sender = request.client.host if request.client else "?"
    name = " ".join(name.split()).casefold()
    return (
        Key(f"pair {sender} {name}", 5, LONGEST_WAIT), Key(f"sender {sender}", 30, LONGEST_WAIT),
        Key(f"name {name}", 50, 5),
    )  # fmt: skip


@dataclass
class Tries:
    """Tries at passwords and invitations, in memory.

    A try counts as wrong from its beginning: hundred at the same moment are hundred.
    """

    _held: dict[str, tuple[int, float, float]] = field(default_factory=dict)  # tries, when free again, last
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def clock(self) -> float:
        """Seconds, from any moment on."""
        return time.monotonic()

    def begin(self, *keys: Key) -> None:
        """Counts a try, or refuses whoever has to wait."""
        now = self.clock()
        with self._lock:
            if len(self._held) > REMEMBERED:  # somebody sprays: those who wait longest stay
                keep = sorted(self._held.items(), key=lambda item: -item[1][1])[: REMEMBERED // 2]
                self._held = dict(keep)
            held = [self._at(key, now) for key in keys]
            wait = max((free_at - now for _, free_at, _ in held), default=0.0)
            if wait > 0:
                raise TooOften(int(wait) + 1)
            for key, (n, _, _) in zip(keys, held, strict=True):
                more = n + 1 - key.free
                wait = min(2.0 ** min(more, 20), key.longest) if more >= 0 else 0.0
                self._held[key.name] = (n + 1, now + wait, now)

    def right(self, *keys: Key) -> None:
        """Takes back a try that was right; wrong ones of a shared address still count."""
        with self._lock:
            for key in keys:
                if key.name.startswith("sender "):
                    n, _, last = self._held.get(key.name, (1, 0.0, 0.0))
                    self._held[key.name] = (max(n - 1, 0), 0.0, last)
                else:
                    self._held.pop(key.name, None)

    def _at(self, key: Key, now: float) -> tuple[int, float, float]:
        n, free_at, last = self._held.get(key.name, (0, 0.0, now))
        return (0, 0.0, now) if now - last > FORGOTTEN_AFTER else (n, free_at, last)


@contextmanager
def _at_the_door(request: Request) -> Iterator[None]:
    """A place among those whose passwords are looked at."""
    places: threading.BoundedSemaphore = request.app.state.places
    if not places.acquire(blocking=False):
        raise TooOften(1, "many people sign in at this moment")
    try:
        yield
    finally:
        places.release()


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
    meant = request.headers.get("x-rater")
    if meant is not None and unquote(meant) != found.name:
        # Somebody else signed in, in another tab: what is sent from this one is not theirs.
        raise NotAllowed("somebody else has signed in here: sign in again as who you were")
    request.state.who = found.name
    return found


def _by_proxy(request: Request) -> str | None:
    """The name that a trusted proxy gave; the door takes the header away from everybody else."""
    return getattr(request.state, "signed_on", None) or None


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

    NEEDED[check] = role
    return Depends(check)


NEEDED: dict[Any, str] = {}
"""The role that each dependency asks for: what every route needs can be read off it."""

RATER, ADJUDICATOR, LEAD, ADMIN = (needs(role) for role in ("rater", "adjudicator", "lead", "admin"))


def start(request: Request, who: Person) -> None:
    """Begins a session; whatever was in the old one is gone."""
    request.session.clear()
    request.session.update(name=who.name, session=who.session)
    csrf(request)


def tries(request: Request) -> Tries:
    """The wrong tries that the application remembers."""
    held: Tries = request.app.state.tries
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
    keys = keys_of(request, name)
    with _at_the_door(request):
        tries(request).begin(*keys)
        try:
            who = people.sign_in(store_of(request), name, password)
        except NotAllowed as error:
            return page(request, "sign-in.html", 403, csrf=csrf(request), wrong=str(error))
    tries(request).right(*keys)
    start(request, who)
    return go(request, "/")


@ROUTES.post("/sign-out")
def sign_out(request: Request, who: Person = RATER) -> Response:
    """Ends every session of the person: a copy of the cookie is worth nothing afterwards."""
    from assay.web.pages import go

    people.end_sessions(store_of(request), who)
    request.session.clear()
    return go(request, "/sign-in")


@ROUTES.get("/invitation/{token}")
def invitation_page(request: Request, token: str) -> Response:
    """The page that an invitation leads to; one that leads nowhere is a wrong try, and is told at once."""
    sender = keys_of(request, "")[1]
    tries(request).begin(sender)
    name = people.invited(store_of(request), token)
    tries(request).right(sender)
    return _to_account(request, token, name)


def _to_account(request: Request, token: str, name: str | None, code: int = 200, wrong: str = "") -> Response:
    from assay.web.pages import page

    return page(request, "invitation.html", code, csrf=csrf(request), token=token, name=name, wrong=wrong)


@ROUTES.post("/invitation/{token}")
def use_invitation(
    request: Request, token: str, _: Annotated[None, Depends(form_token)],
    name: Annotated[str, Form(max_length=200)] = "", password: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:  # fmt: skip
    """Makes an account by an invitation."""
    from assay.errors import InputError
    from assay.web.pages import go

    _check_csrf(request)
    sender = keys_of(request, name)[1]
    with _at_the_door(request):
        tries(request).begin(sender)
        meant = people.invited(store_of(request), token)
        try:
            who = people.accept(store_of(request), token, name, password)
        except InputError as error:
            told = f"{error.what[:1].upper()}{error.what[1:]}: {error.remedy}" if error.remedy else error.what
            return _to_account(request, token, meant, 422, told)
    tries(request).right(sender)
    start(request, who)
    return go(request, "/")
