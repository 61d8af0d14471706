"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import settings

from adapters.app import read_own_files

if TYPE_CHECKING:
    from collections.abc import Iterator

# A busy machine is slow, which is no fault of the code: how long an example takes says nothing here. CI draws the same
# examples every time, so that it judges the change it is given; new ones are drawn wherever else the tests run.
settings.register_profile("citewell", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("citewell")


@pytest.fixture(autouse=True, scope="session")
def _own_files_are_read() -> None:
    """As the product does at its start."""
    read_own_files("en")


@pytest.fixture
def nothing_blocks_the_loop() -> Iterator[None]:
    """A call of ours that blocks the event loop fails the test it happens in. On for all that runs end to end."""
    with blockbuster_ctx(scanned_modules=["adapters", "bot", "memory", "retrieval"]) as blocking:
        blocking.functions["os.path.abspath"].deactivate()  # asks for the current folder, which takes microseconds
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; tests that need it are skipped where it is not there."""
    folder = Path(os.environ.get("SHARED_DATA", Path(__file__).resolve().parents[2] / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the shared data: no folder {folder}/data (SHARED_DATA names another place)")
    return folder
