"""Nothing of the served product may block the event loop."""

import pytest


@pytest.fixture(autouse=True)
def _watched(nothing_blocks_the_loop: None) -> None:
    """Every test here is watched."""
