"""What the server needs to know of its surroundings: where it listens, behind which proxy, under which address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.settings import Settings, check

if TYPE_CHECKING:
    from assay.flows.workbench import Workbench

LOCAL = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Web:
    """The section [web].

    Args:
        host: address to listen on; the loopback unless another is written.
        port: to listen on.
        url: under which people reach the pages, such as "https://search.example/assay"; its path is the one that a
            proxy puts before ours, and with https cookies travel by HTTPS alone. Empty where nothing stands before.
        proxies: addresses or networks of proxies that are believed, such as "127.0.0.1" or "10.0.0.0/8".
        sign_on: header in which such a proxy names the person that it signed on; empty for none.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    url: str = ""
    proxies: tuple[str, ...] = ()
    sign_on: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise ValueError("port is none: 0 to 65535")
        if self.url:
            parts = urlsplit(self.url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
                raise ValueError('url is no address of pages: write "https://search.example/assay"')
            if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)*/?", parts.path) or "/." in parts.path:
                raise ValueError("url has a path with other than letters, digits, . _ ~ and -")
        for one in self.proxies:
            try:
                ip_network(one)
            except ValueError:
                raise ValueError(f"proxies: {one!r} is neither an address nor a network") from None
        if self.sign_on and not re.fullmatch(r"[A-Za-z0-9-]+", self.sign_on):
            raise ValueError("sign_on is no name of a header")
        if self.sign_on and not self.proxies:
            raise ValueError("sign_on needs proxies: nobody else may say who somebody is")

    @property
    def path(self) -> str:
        """The path before ours, without a slash at its end."""
        return urlsplit(self.url).path.rstrip("/")

    @property
    def is_https(self) -> bool:
        """Whether people come by HTTPS."""
        return self.url.startswith("https://")

    @property
    def base(self) -> str:
        """The address that people type."""
        return (
            self.url.rstrip("/")
            or f"http://{self.host if self.host not in ('0.0.0.0', '::') else 'localhost'}:{self.port}"
        )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names that a request may be sent to; none where any may be."""
        if self.url:
            return (str(urlsplit(self.url).hostname), *LOCAL)
        return (self.host, *LOCAL) if self.is_loopback else ()

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def trusts(self, address: str) -> bool:
        """Whether a sender is one of the proxies."""
        try:
            known = ip_address(address)
        except ValueError:
            return False
        return any(known in ip_network(one) for one in self.proxies)


def web_of(bench: Workbench) -> Web:
    """The section [web] of the workspace; its defaults where there is none.

    Raises:
        InputError: a value that cannot be, with its line.
    """
    settings = Settings() if bench.workspace is None else bench.workspace.settings
    return check(settings.section("web"), Web)
