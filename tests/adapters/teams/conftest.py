"""Snapshots of payloads as JSON, one file each, in tests/payloads/teams."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from syrupy.extensions.json import JSONSnapshotExtension

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion
    from syrupy.location import PyTestLocation

PAYLOADS = Path(__file__).resolve().parents[2] / "payloads" / "teams"


class _Payloads(JSONSnapshotExtension):
    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(PAYLOADS / test_location.basename)


@pytest.fixture
def payload(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Equal to the JSON file that bears the test's name."""
    return snapshot.use_extension(_Payloads)
