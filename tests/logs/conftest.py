from __future__ import annotations

import pytest

from assay.logs.duck import Duck


@pytest.fixture
def closes(monkeypatch):
    """Ends the engines that a test has begun."""
    engines = []
    monkeypatch.setattr("assay.logs.log._embedded", lambda: engines.append(Duck()) or engines[-1])
    yield
    for engine in engines:
        engine.close()
