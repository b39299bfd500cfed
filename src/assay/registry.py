"""Open families: members found by name, from this package and from installed plug-ins.

A family is loaded at its first look-up: importing its home imports every built-in member. The entry points of the
group `assay.plugins` bring those of third parties; they are loaded when a name is not built in, or all are listed.
Members import what defines their family, never this finder.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Generic, TypeVar

from assay.errors import InputError, did_you_mean

PLUGINS = "assay.plugins"

T = TypeVar("T")


class Family(Generic[T]):
    """Names to entries of one kind.

    Args:
        kind: what one member is called in messages, such as "measure".
        home: the package whose import registers the built-in members.
    """

    def __init__(self, kind: str, home: str) -> None:
        self.kind, self.home = kind, home
        self._entries: dict[str, T] = {}
        self._loaded = False

    def add(self, name: str) -> Callable[[T], T]:
        """Registers the decorated entry under a name; a name is taken once."""

        def register(entry: T) -> T:
            known = self._entries.get(name)
            if known is not None and known is not entry:
                raise ValueError(f"two entries called {name!r} in the family {self.kind!r}")
            self._entries[name] = entry
            return entry

        return register

    def find(self, name: str) -> T:
        """The entry of that name; an unknown name is an InputError with the nearest names."""
        if name in self:
            return self._entries[name]
        raise InputError(
            f"unknown {self.kind} {name}{did_you_mean(name, self._entries)}",
            remedy=f"the {self.kind}s are {', '.join(self.names())}",
        )

    def names(self) -> list[str]:
        """Every known name, sorted without regard to case."""
        self._load()
        load_plugins()
        return sorted(self._entries, key=lambda name: (name.casefold(), name))

    def __contains__(self, name: str) -> bool:
        self._load()
        if name not in self._entries:  # looking for plug-ins costs 10 ms, which built-in members need not wait for
            load_plugins()
        return name in self._entries

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True  # before the import: the home may look up members of its own
        try:
            importlib.import_module(self.home)
        except BaseException:
            self._loaded = False
            raise


_plugins_loaded = False


def load_plugins() -> None:
    """Imports every entry point of the group `assay.plugins` once; a broken one names itself at every look-up."""
    global _plugins_loaded
    if _plugins_loaded:
        return
    from importlib.metadata import entry_points

    _plugins_loaded = True  # before the imports: a plug-in may look up members
    for point in entry_points(group=PLUGINS):
        try:
            point.load()
        except Exception as error:  # a stranger's code may raise anything; the message says whose
            _plugins_loaded = False
            raise InputError(
                f"the plug-in {point.name} ({point.value}) does not load: {error}",
                remedy="mend or uninstall the package that brings it",
            ) from error
