from __future__ import annotations

import pytest

from sparks import begun


@pytest.fixture(scope="module", autouse=True)
def session():
    """One session for all tests of a file; its rows lie in three parts, so that no part has all queries."""
    held = begun(cores=2, parts=3)
    yield held
    held.stop()
