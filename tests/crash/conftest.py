"""Stores of both kinds, as the tests of the store have them."""

from store.conftest import server, store, url

__all__ = ["server", "store", "url"]
