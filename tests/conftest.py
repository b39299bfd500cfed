"""What every test may use: the folder `shared` beside the repository, and the reason printed where it is absent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("assay", deadline=None)  # how long one example takes says more of the machine than of us
settings.load_profile("assay")

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("ASSAY_SHARED") or ROOT.parent / "shared")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if (SHARED / "golden" / "manifest.json").is_file():
        return
    skip = pytest.mark.skip(reason=f"no data folder at {SHARED}; set ASSAY_SHARED to where it is")
    for item in items:
        if item.get_closest_marker("shared"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The data folder beside the repository; ask for it in tests that are marked `shared`."""
    return SHARED


@pytest.fixture(scope="session", autouse=True)
def _light_passwords() -> Iterator[None]:
    """Passwords of tests are hashed in microseconds: with what people get, a third of a run would be argon2."""
    from argon2 import PasswordHasher

    from assay.store import people

    light = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "_hasher", lambda: light)
        yield


@pytest.fixture
def real_passwords() -> Iterator[None]:
    """Hashes as people get them; ask for it where their cost is what is tested."""
    from argon2 import PasswordHasher

    from assay.store import people

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "_hasher", PasswordHasher)
        yield
