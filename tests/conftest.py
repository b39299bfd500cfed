"""What every test may use: the folder `shared` beside the repository, and the reason printed where it is absent."""

from __future__ import annotations

import os
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
