"""The look at the meaning is taken whatever the search uses, unless it is switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.app import build
from tests.adapters.test_app import settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("wanted", "taken"), [("1", True), ("0", False)])
async def test_the_setting_decides(tmp_path: Path, wanted: str, taken: bool) -> None:
    async with await build(settings(tmp_path, embedder="none", look_at_meaning=wanted)) as app:
        assert (app.engine.meaning is not None) == taken
