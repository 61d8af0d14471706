"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is slow, which is no fault of the code: how long an example takes says nothing here.
settings.register_profile("citewell", deadline=None)
settings.load_profile("citewell")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; tests that need it are skipped where it is not there."""
    folder = Path(os.environ.get("CITEWELL_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the shared data: no folder {folder}/data (CITEWELL_SHARED names another place)")
    return folder
